/*
 * rng.h -- a seeded generator (SplitMix64, Steele et al., OOPSLA 2014), for
 * tests, trace generation and the random replacement policy.  Same seed, same
 * numbers, on every host.
 */
#ifndef WM_BASE_RNG_H
#define WM_BASE_RNG_H

#include <stdint.h>

typedef struct wm_rng {
    uint64_t state;
} wm_rng;

static inline uint64_t wm_rng_next(wm_rng *rng)
{
    uint64_t z = (rng->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Uniform in 0..bound-1 (bias below 2^-32); bound < 2^32, bound != 0. */
static inline uint32_t wm_rng_below(wm_rng *rng, uint32_t bound)
{
    return (uint32_t)(((wm_rng_next(rng) >> 32) * bound) >> 32);
}

#endif
