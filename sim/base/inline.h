/*
 * inline.h -- functions that are compiled anew for each caller's constants, and
 * those that never are.
 *
 * "static inline" leaves it to the compiler, which stops where it thinks a
 * function too large; a specialisation that it does not make is none.
 */
#ifndef WM_BASE_INLINE_H
#define WM_BASE_INLINE_H

#define WM_INLINE static inline __attribute__((always_inline))

/* For what is apart from its caller on purpose: a loop of calls to several
 * such functions leaves each of them all of the host's registers. */
#define WM_APART static __attribute__((noinline))

#endif
