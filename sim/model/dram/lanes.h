/*
 * lanes.h -- vectors of one 16-bit value per bank: which are due, the least,
 * raise all.  With SSE4.1 where the compiler has it, else in plain C; both
 * give the same bits.
 *
 * Arrays have room for whole vectors of 16 lanes; n is rounded up to that.
 */
#ifndef WM_MODEL_DRAM_LANES_H
#define WM_MODEL_DRAM_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"

#if defined(__SSE4_1__) && !defined(WM_PLAIN_LANES)
#define WM_LANES_SSE 1
#else
#define WM_LANES_SSE 0
#endif

/* Two bounds of every lane, each with an array that takes it out: a lane counts
 * with a[k] where a_in[k] is INT16_MIN, not with it where that is INT16_MAX;
 * likewise b.  Lanes beyond the last are out. */
typedef struct wm_lanes_two {
    const int16_t *a, *a_in, *b, *b_in;
} wm_lanes_two;

#define WM_NO_LANE UINT32_MAX

#if WM_LANES_SSE
#include "model/dram/lanes_sse_internal.h"
#else
#include "model/dram/lanes_plain_internal.h"
#endif

/* The usual numbers of lanes are constants to the compiler. */

/* Lanes of the first n at most `now`, as a mask. */
static inline uint64_t wm_lanes_due(const int16_t *at, uint32_t n, int16_t now)
{
    return n == 32 ? lanes_due(at, 32, now) : lanes_due(at, n, now);
}

/* at[k] = max(at[k], now + row[k]) for n lanes, 8 at a time; lanes beyond n
 * have rows that leave them alone. */
static inline void wm_lanes_raise(int16_t *at, const int16_t *row, uint32_t n,
                                  int16_t now)
{
    if (n == 16) {
        lanes_raise(at, row, 16, now);
    } else {
        lanes_raise(at, row, n, now);
    }
}

/* The least of the lanes in mask; INT16_MAX when there are none. */
static inline int16_t wm_lanes_least(const int16_t *at, uint32_t n,
                                     uint64_t mask)
{
    return n == 32 ? lanes_least(at, 32, mask) : lanes_least(at, n, mask);
}

/* The lane with the least age of those that a bound makes due; WM_NO_LANE when
 * none is.  mask: the lanes that count with either bound; ages below 65535,
 * different within it. */
static inline uint32_t wm_lanes_pick(const wm_lanes_two *two,
                                     const uint16_t *age, uint32_t n,
                                     uint64_t mask, int16_t now)
{
    return n == 32 ? lanes_pick(two, age, 32, mask, now)
                   : lanes_pick(two, age, n, mask, now);
}

/* The least bound that counts; INT16_MAX when none does. */
static inline int16_t wm_lanes_soonest(const wm_lanes_two *two, uint32_t n)
{
    return n == 32 ? lanes_soonest(two, 32) : lanes_soonest(two, n);
}

/* The lane in mask with the least age; ages differ, mask is not 0. */
static inline uint32_t wm_lanes_oldest(const uint16_t *age, uint32_t n,
                                       uint64_t mask)
{
    return n == 32 ? lanes_oldest(age, 32, mask) : lanes_oldest(age, n, mask);
}

#endif
