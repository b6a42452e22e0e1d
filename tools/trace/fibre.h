/*
 * fibre.h -- a thread of a CTA as a function that can stop in the middle: a
 * stack of its own, entered and left by hand.
 *
 * Entered once with makecontext, switched with sigsetjmp and siglongjmp: these
 * make no system call, which makes a switch some 30 times cheaper than
 * swapcontext.
 *
 * Ownership  init/fini; the body must never return.
 * Threads    a fibre runs on the thread that resumes it.
 */
#ifndef WM_TOOLS_FIBRE_H
#define WM_TOOLS_FIBRE_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#define WM_FIBRE_STACK_BYTES ((size_t)256 << 10)

typedef struct wm_fibre {
    sigjmp_buf here, back;
    ucontext_t start;
    void (*body)(void *argument);
    void *argument;
    uint8_t *stack;
    bool is_started;
    /* What AddressSanitizer wants to know of a switch. */
    void *kept_here, *kept_back;
    const void *back_stack;
    size_t back_bytes;
} wm_fibre;

/* False when memory is short. */
bool wm_fibre_init(wm_fibre *fibre, void (*body)(void *), void *argument);
void wm_fibre_fini(wm_fibre *fibre);
/* Runs the fibre until it yields. */
void wm_fibre_resume(wm_fibre *fibre);
/* From inside it: back to who resumed it. */
void wm_fibre_yield(wm_fibre *fibre);
/* The same for good, from a signal handler: it cannot be resumed again. */
void wm_fibre_abandon(wm_fibre *fibre);

#endif
