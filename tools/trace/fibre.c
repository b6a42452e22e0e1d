/*
 * fibre.c -- the switch.  The checks that _FORTIFY_SOURCE puts into longjmp
 * take another stack for a corrupted one, hence off in this file.
 */
#undef _FORTIFY_SOURCE
#include "fibre.h"

#include <string.h>
#include <sys/mman.h>

#if defined(__has_feature) /* clang */
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#define LEAVE(keep, stack, n)  __sanitizer_start_switch_fiber(keep, stack, n)
#define ARRIVE(keep, stack, n) __sanitizer_finish_switch_fiber(keep, stack, n)
#else
#define LEAVE(keep, stack, n)  (void)(keep)
#define ARRIVE(keep, stack, n) (void)(keep)
#endif

bool wm_fibre_init(wm_fibre *fibre, void (*body)(void *), void *argument)
{
    memset(fibre, 0, sizeof(*fibre));
    void *stack = mmap(NULL, WM_FIBRE_STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    fibre->stack = stack == MAP_FAILED ? NULL : stack;
    fibre->body = body;
    fibre->argument = argument;
    return fibre->stack != NULL;
}

void wm_fibre_fini(wm_fibre *fibre)
{
    if (fibre->stack != NULL) {
        munmap(fibre->stack, WM_FIBRE_STACK_BYTES);
    }
    memset(fibre, 0, sizeof(*fibre));
}

/* makecontext hands over ints: a pointer travels as two. */
static void enter(unsigned low, unsigned high)
{
    wm_fibre *fibre =
        (wm_fibre *)((uintptr_t)low | (uintptr_t)high << 16 << 16);
    ARRIVE(NULL, &fibre->back_stack, &fibre->back_bytes);
    fibre->body(fibre->argument);
}

static void start(wm_fibre *fibre)
{
    uintptr_t bits = (uintptr_t)fibre;
    (void)getcontext(&fibre->start);
    fibre->start.uc_stack.ss_sp = fibre->stack;
    fibre->start.uc_stack.ss_size = WM_FIBRE_STACK_BYTES;
    fibre->start.uc_link = NULL;
    /* The type that makecontext asks for is not the one it calls. */
    makecontext(&fibre->start, (void (*)(void))enter, 2, (unsigned)bits,
                (unsigned)(bits >> 16 >> 16));
    (void)setcontext(&fibre->start);
}

void wm_fibre_resume(wm_fibre *fibre)
{
    LEAVE(&fibre->kept_back, fibre->stack, WM_FIBRE_STACK_BYTES);
    if (sigsetjmp(fibre->back, 0) == 0) {
        if (fibre->is_started) {
            siglongjmp(fibre->here, 1);
        }
        fibre->is_started = true;
        start(fibre);
    }
    ARRIVE(fibre->kept_back, NULL, NULL);
}

void wm_fibre_yield(wm_fibre *fibre)
{
    LEAVE(&fibre->kept_here, fibre->back_stack, fibre->back_bytes);
    if (sigsetjmp(fibre->here, 0) == 0) {
        siglongjmp(fibre->back, 1);
    }
    ARRIVE(fibre->kept_here, &fibre->back_stack, &fibre->back_bytes);
}

void wm_fibre_abandon(wm_fibre *fibre)
{
    LEAVE(NULL, fibre->back_stack, fibre->back_bytes);
    siglongjmp(fibre->back, 1);
}
