/*
 * spread.h -- where an address goes: slice, set, channel.
 *
 * wm_spread deals consecutive numbers to n places: number x goes to place
 *     none   x mod n
 *     xor    (x mod n) permuted by a mix of x div n
 * so every aligned run of n consecutive numbers covers all n places once
 * (streams are perfectly even, and no capacity is lost), while strides of any
 * power of two are spread.  `rank` = x div n numbers what one place receives
 * without holes: it is the place's local index.  The permutation is XOR for
 * powers of two and rotation otherwise.
 *
 * Not modelled  the vendors' own hashes, which are proprietary.
 * Cost          a few multiplications, no division.
 */
#ifndef WM_MODEL_SPREAD_H
#define WM_MODEL_SPREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"

typedef struct wm_spread {
    wm_divisor n;
    bool is_hashed;
} wm_spread;

static inline wm_spread wm_spread_of(uint64_t n_places, bool is_hashed)
{
    /* One place needs no hash. */
    wm_spread spread = {wm_divisor_of(n_places), is_hashed && n_places != 1};
    return spread;
}

/* The place of x, below n; *rank gets x div n. */
static inline uint64_t wm_spread_place(const wm_spread *spread, uint64_t x,
                                       uint64_t *rank)
{
    uint64_t place = 0;
    uint64_t q = wm_divide(&spread->n, x, &place);
    *rank = q;
    if (!spread->is_hashed) {
        return place;
    }
    uint64_t h = wm_mix64(q);
    if (spread->n.reciprocal == 0) {
        return place ^ (h & (spread->n.d - 1));
    }
    place += wm_mul_high(h, spread->n.d);
    return place >= spread->n.d ? place - spread->n.d : place;
}

/* The number that wm_spread_place sent to place with this rank. */
static inline uint64_t wm_spread_number(const wm_spread *spread, uint64_t place,
                                        uint64_t rank)
{
    if (spread->is_hashed) {
        uint64_t h = wm_mix64(rank);
        if (spread->n.reciprocal == 0) {
            place ^= h & (spread->n.d - 1);
        } else {
            uint64_t turn = wm_mul_high(h, spread->n.d);
            place = place >= turn ? place - turn : place + spread->n.d - turn;
        }
    }
    return rank * spread->n.d + place;
}

#endif
