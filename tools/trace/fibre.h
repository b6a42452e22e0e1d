/*
 * fibre.h -- a thread of a CTA as a function that can stop in the middle: a
 * stack of its own, entered and left by hand.
 *
 * The fibres of one home run by turns on one thread.  The home resumes one;
 * fibres may pass on to each other; whichever yields returns to the home.
 *
 * A switch keeps the registers that a call must keep, and the stack's place:
 * some 3 ns.  It is called and returned from as any function is, so the host
 * predicts the returns behind it.  setjmp and longjmp, on machines other than
 * x86-64 and arm64, take 25 ns and mislead that prediction.
 *
 * Stacks begin at different places of a page, because what is at the same
 * place of all would share the few ways of one set of the host's L1 cache.
 *
 * Ownership  the home has the stacks: home_init, home_fini.  The body must
 *            never return.
 * Threads    a fibre runs on the thread that resumes it.
 */
#ifndef WM_TOOLS_FIBRE_H
#define WM_TOOLS_FIBRE_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WM_FIBRE_STACK_BYTES ((size_t)256 << 10)

#if (defined(__x86_64__) || defined(__aarch64__)) && !defined(WM_FIBRE_PORTABLE)
#define WM_FIBRE_HAS_SWAP 1
typedef void *wm_fibre_place; /* the stack's, its registers saved on it */
#else
#define WM_FIBRE_HAS_SWAP 0
typedef sigjmp_buf wm_fibre_place;
#endif

/* Where execution goes on, and what AddressSanitizer wants to know of it. */
typedef struct wm_fibre_state {
    wm_fibre_place place;
    void *kept;
    const void *stack; /* its lowest byte */
    size_t n_bytes;
} wm_fibre_state;

typedef struct wm_fibre_home {
    wm_fibre_state state;
    uint8_t *stacks; /* of all its fibres */
    size_t n_bytes;
} wm_fibre_home;

typedef struct wm_fibre {
    wm_fibre_state state;
    wm_fibre_home *home;
    void (*body)(void *argument);
    void *argument;
    uint8_t *stack, *top; /* the body's: [stack, top) */
#if !WM_FIBRE_HAS_SWAP
    void *maker; /* while it is prepared */
#endif
} __attribute__((aligned(64))) wm_fibre;

/* Stacks for n_fibres; false when memory is short. */
bool wm_fibre_home_init(wm_fibre_home *home, uint32_t n_fibres);
void wm_fibre_home_fini(wm_fibre_home *home);
/* The number is below the home's n_fibres, and no other's. */
void wm_fibre_init(wm_fibre *fibre, wm_fibre_home *home, uint32_t number,
                   void (*body)(void *), void *argument);
/* From the home: runs the fibre until it, or one it passed to, yields. */
void wm_fibre_resume(wm_fibre *fibre);
/* It will be passed to soon. */
void wm_fibre_prefetch(const wm_fibre *fibre);
/* From inside a fibre: on to another of the same home. */
void wm_fibre_pass(wm_fibre *from, wm_fibre *to);
/* From inside it: back to the home. */
void wm_fibre_yield(wm_fibre *fibre);
/* The same for good, from a signal handler: it cannot be resumed again. */
void wm_fibre_abandon(wm_fibre *fibre);

#endif
