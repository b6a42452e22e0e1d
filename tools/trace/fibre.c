/*
 * fibre.c -- the switch.  The checks that _FORTIFY_SOURCE puts into longjmp
 * take another stack for a corrupted one, hence off in this file.
 */
#undef _FORTIFY_SOURCE
#include "fibre.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#if defined(__has_feature) /* clang */
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define LEAVE(keep, to)                                                        \
    __sanitizer_start_switch_fiber(keep, (to)->stack, (to)->n_bytes)
#define ARRIVE(keep, stack, n) __sanitizer_finish_switch_fiber(keep, stack, n)
#define FORGET(stacks, n)      __asan_unpoison_memory_region(stacks, n)
#else
#define LEAVE(keep, to)        (void)(keep)
#define ARRIVE(keep, stack, n) (void)(keep)
#define FORGET(stacks, n)      (void)(stacks)
#endif

/* Places in a page at which stacks end: 64 cache lines, taken in steps of a
 * few, as what a waiting thread keeps on its stack fills some lines. */
#define PAGE_BYTES  ((size_t)4096)
#define LINE_BYTES  ((size_t)64)
#define COLOUR_STEP ((size_t)7)
#define MAP_BYTES   (WM_FIBRE_STACK_BYTES + PAGE_BYTES)

#define HIDDEN __attribute__((visibility("hidden")))

/* A fibre's first and last function; called from assembly, too. */
HIDDEN __attribute__((used)) void wm_fibre_enter(wm_fibre *fibre);

void wm_fibre_enter(wm_fibre *fibre)
{
    /* The first comes from the home: AddressSanitizer tells where that is. */
    const void *stack = NULL;
    size_t n_bytes = 0;
    ARRIVE(NULL, &stack, &n_bytes);
    if (fibre->home->state.stack == NULL) {
        fibre->home->state.stack = stack;
        fibre->home->state.n_bytes = n_bytes;
    }
    fibre->body(fibre->argument);
}

#if WM_FIBRE_HAS_SWAP

/* void swap(void **from, void *to): saves what a call must keep on the stack
 * and where that is, and takes the same from the other stack.  first_entry is
 * where a stack made by prepare() begins: its fibre is among what was kept. */
HIDDEN void wm_fibre_swap(void **from, void *to);
HIDDEN void wm_fibre_first_entry(void);

#if defined(__x86_64__)
#define FRAME_WORDS 7 /* r15, r14, r13, r12, rbx, rbp, where to return */
#define WORD_FIBRE  4
#define WORD_RETURN 6
__asm__(".text\n"
        ".p2align 4\n"
        ".globl wm_fibre_swap\n.hidden wm_fibre_swap\n"
        ".type wm_fibre_swap, @function\n"
        "wm_fibre_swap:\n"
        "    push %rbp\n    push %rbx\n    push %r12\n"
        "    push %r13\n    push %r14\n    push %r15\n"
        "    mov %rsp, (%rdi)\n"
        "    mov %rsi, %rsp\n"
        "    pop %r15\n    pop %r14\n    pop %r13\n"
        "    pop %r12\n    pop %rbx\n    pop %rbp\n"
        "    ret\n"
        ".size wm_fibre_swap, . - wm_fibre_swap\n"
        ".globl wm_fibre_first_entry\n.hidden wm_fibre_first_entry\n"
        ".type wm_fibre_first_entry, @function\n"
        "wm_fibre_first_entry:\n"
        "    mov %rbx, %rdi\n"
        "    call wm_fibre_enter\n"
        "    ud2\n"
        ".size wm_fibre_first_entry, . - wm_fibre_first_entry\n");
#else
#define FRAME_WORDS 20 /* x19 to x28, x29, x30, d8 to d15 */
#define WORD_FIBRE  0
#define WORD_RETURN 11
__asm__(".text\n"
        ".p2align 4\n"
        ".globl wm_fibre_swap\n.hidden wm_fibre_swap\n"
        ".type wm_fibre_swap, %function\n"
        "wm_fibre_swap:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp, #0]\n    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n   stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n   stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n     stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n  stp d14, d15, [sp, #144]\n"
        "    mov x2, sp\n"
        "    str x2, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x19, x20, [sp, #0]\n    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n   ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n   ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n     ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n  ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size wm_fibre_swap, . - wm_fibre_swap\n"
        ".globl wm_fibre_first_entry\n.hidden wm_fibre_first_entry\n"
        ".type wm_fibre_first_entry, %function\n"
        "wm_fibre_first_entry:\n"
        "    mov x0, x19\n"
        "    bl wm_fibre_enter\n"
        "    brk #0\n"
        ".size wm_fibre_first_entry, . - wm_fibre_first_entry\n");
#endif

static void change(wm_fibre_state *from, wm_fibre_state *to)
{
    wm_fibre_swap(&from->place, to->place);
}

/* The stack of a fibre that has not run: swap() takes its words and returns
 * to first_entry with the stack aligned to 16 bytes. */
static void prepare(wm_fibre *fibre)
{
    uint64_t *words = (uint64_t *)(void *)fibre->top - FRAME_WORDS - 2;
    words[WORD_FIBRE] = (uint64_t)(uintptr_t)fibre;
    words[WORD_RETURN] = (uint64_t)(uintptr_t)wm_fibre_first_entry;
    fibre->state.place = words;
}

static void change_for_good(wm_fibre_state *to)
{
    void *gone;
    wm_fibre_swap(&gone, to->place);
}

#else

static void change_for_good(wm_fibre_state *to)
{
    siglongjmp(to->place, 1);
}

static void change(wm_fibre_state *from, wm_fibre_state *to)
{
    if (sigsetjmp(from->place, 0) == 0) {
        siglongjmp(to->place, 1);
    }
}

/* makecontext hands over ints: a pointer travels as two. */
static void first_entry(unsigned low, unsigned high)
{
    wm_fibre *fibre =
        (wm_fibre *)((uintptr_t)low | (uintptr_t)high << 16 << 16);
    ucontext_t *back = fibre->maker;
    if (sigsetjmp(fibre->state.place, 0) == 0) {
        (void)setcontext(back);
    }
    wm_fibre_enter(fibre);
}

/* Enters the fibre's stack and leaves it again, for change() to find. */
static void prepare(wm_fibre *fibre)
{
    uintptr_t bits = (uintptr_t)fibre;
    ucontext_t here, there;
    fibre->maker = &here;
    (void)getcontext(&there);
    there.uc_stack.ss_sp = fibre->stack;
    there.uc_stack.ss_size = fibre->state.n_bytes;
    there.uc_link = NULL;
    /* The type that makecontext asks for is not the one it calls. */
    makecontext(&there, (void (*)(void))first_entry, 2, (unsigned)bits,
                (unsigned)(bits >> 16 >> 16));
    (void)swapcontext(&here, &there);
}

#endif

bool wm_fibre_home_init(wm_fibre_home *home, uint32_t n_fibres)
{
    memset(home, 0, sizeof(*home));
    size_t n_bytes = n_fibres * MAP_BYTES;
    void *stacks = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stacks == MAP_FAILED) {
        return false;
    }
#if defined(MADV_NOHUGEPAGE)
    /* A few pages of each are used: large ones would be cleared in vain. */
    (void)madvise(stacks, n_bytes, MADV_NOHUGEPAGE);
#endif
    /* What AddressSanitizer knows of stacks that were here before. */
    FORGET(stacks, n_bytes);
    home->stacks = stacks;
    home->n_bytes = n_bytes;
    return true;
}

void wm_fibre_home_fini(wm_fibre_home *home)
{
    if (home->stacks != NULL) {
        munmap(home->stacks, home->n_bytes);
    }
    memset(home, 0, sizeof(*home));
}

void wm_fibre_init(wm_fibre *fibre, wm_fibre_home *home, uint32_t number,
                   void (*body)(void *), void *argument)
{
    memset(fibre, 0, sizeof(*fibre));
    fibre->home = home;
    fibre->body = body;
    fibre->argument = argument;
    fibre->stack = home->stacks + number * MAP_BYTES;
    fibre->top = fibre->stack + WM_FIBRE_STACK_BYTES +
                 number * COLOUR_STEP * LINE_BYTES % PAGE_BYTES;
    fibre->state.stack = fibre->stack;
    fibre->state.n_bytes = (size_t)(fibre->top - fibre->stack);
    prepare(fibre);
}

static void change_to(wm_fibre_state *from, wm_fibre_state *to)
{
    LEAVE(&from->kept, to);
    change(from, to);
    ARRIVE(from->kept, NULL, NULL);
}

void wm_fibre_resume(wm_fibre *fibre)
{
    change_to(&fibre->home->state, &fibre->state);
}

void wm_fibre_prefetch(const wm_fibre *fibre)
{
    for (size_t i = 1; i < COLOUR_STEP; i++) {
        __builtin_prefetch(fibre->top - i * LINE_BYTES);
    }
    __builtin_prefetch(&fibre->state);
}

void wm_fibre_pass(wm_fibre *from, wm_fibre *to)
{
    change_to(&from->state, &to->state);
}

void wm_fibre_yield(wm_fibre *fibre)
{
    change_to(&fibre->state, &fibre->home->state);
}

void wm_fibre_abandon(wm_fibre *fibre)
{
    /* The handler's frames are left behind, as the fibre's are. */
    stack_t handler = {.ss_sp = NULL};
    if (sigaltstack(NULL, &handler) == 0 && handler.ss_sp != NULL) {
        FORGET(handler.ss_sp, handler.ss_size);
    }
    LEAVE(NULL, &fibre->home->state);
    change_for_good(&fibre->home->state);
}
