/*
 * inline.h -- functions that are compiled anew for each caller's constants.
 *
 * "static inline" leaves it to the compiler, which stops where it thinks a
 * function too large; a specialisation that it does not make is none.
 */
#ifndef WM_BASE_INLINE_H
#define WM_BASE_INLINE_H

#define WM_INLINE static inline __attribute__((always_inline))

#endif
