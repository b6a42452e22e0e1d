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
 * A drawn spread puts groups of 2^k neighbours anywhere, by a hash of the
 * group's number, as pages lie in a physically indexed cache: some places get
 * more than their share.  There `rank` is the group's number.
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
    bool is_hashed; /* not when drawn */
    bool is_drawn;
    uint8_t group_shift; /* drawn: lines of a group, as a shift */
    uint32_t salt;       /* drawn: so that spreads differ */
} wm_spread;

static inline wm_spread wm_spread_of(uint64_t n_places, bool is_hashed)
{
    /* One place needs no hash. */
    wm_spread spread = {.n = wm_divisor_of(n_places),
                        .is_hashed = is_hashed && n_places != 1};
    return spread;
}

/* Neighbours go together in groups of 1 << group_shift, at most n_places. */
static inline wm_spread wm_spread_drawn(uint64_t n_places, uint32_t group_shift,
                                        uint64_t seed)
{
    wm_spread spread = wm_spread_of(n_places, false);
    spread.is_drawn = n_places >> group_shift > 1;
    spread.group_shift = (uint8_t)group_shift;
    spread.salt = (uint32_t)wm_mix64(seed);
    return spread;
}

/* Where a group of a drawn spread begins. */
static inline uint64_t wm_spread_group(const wm_spread *spread, uint64_t group)
{
    return wm_mul_high(wm_mix64(group ^ (uint64_t)spread->salt << 32),
                       spread->n.d >> spread->group_shift)
           << spread->group_shift;
}

/* What the compiler may know of a spread. */
typedef struct wm_spread_kind {
    bool is_power; /* of two: as many places */
    bool is_hashed;
    bool is_drawn;
} wm_spread_kind;

static inline wm_spread_kind wm_spread_kind_of(const wm_spread *spread)
{
    return (wm_spread_kind){spread->n.reciprocal == 0, spread->is_hashed,
                            spread->is_drawn};
}

/* By how much the places of a rank are permuted. */
static inline uint64_t wm_spread_turn(const wm_spread *spread, uint64_t rank,
                                      bool is_power)
{
    const uint64_t h = wm_mix64(rank);
    return is_power ? h & (spread->n.d - 1) : wm_mul_high(h, spread->n.d);
}

/* A place of its aligned run, permuted. */
static inline uint64_t wm_spread_permute(const wm_spread *spread,
                                         uint64_t place, uint64_t turn,
                                         bool is_power)
{
    if (is_power) {
        return place ^ turn;
    }
    place += turn;
    return place - (spread->n.d & (0 - (uint64_t)(place >= spread->n.d)));
}

/* The place of x, below n; *rank gets x div n.  kind: the caller's constant,
 * or wm_spread_kind_of. */
static inline uint64_t wm_spread_place_as(const wm_spread *spread, uint64_t x,
                                          uint64_t *rank, wm_spread_kind kind)
{
    uint64_t place = 0;
    const uint64_t q = wm_divide_as(&spread->n, x, &place, kind.is_power);
    *rank = q;
    if (kind.is_hashed) {
        return wm_spread_permute(spread, place,
                                 wm_spread_turn(spread, q, kind.is_power),
                                 kind.is_power);
    }
    if (kind.is_drawn) {
        *rank = x >> spread->group_shift;
        return wm_spread_group(spread, *rank) +
               (x & ((UINT64_C(1) << spread->group_shift) - 1));
    }
    return place;
}

static inline uint64_t wm_spread_place(const wm_spread *spread, uint64_t x,
                                       uint64_t *rank)
{
    return wm_spread_place_as(spread, x, rank, wm_spread_kind_of(spread));
}

/* The last rank met and its turn: neighbours share it.  Zeroed it is good for
 * any spread: rank 0 has turn 0. */
typedef struct wm_spread_memo {
    uint64_t rank, turn;
} wm_spread_memo;

/* As wm_spread_place_as, not drawn; memo: of this spread, and of one thread. */
static inline uint64_t wm_spread_recall_as(const wm_spread *spread, uint64_t x,
                                           uint64_t *rank, wm_spread_memo *memo,
                                           wm_spread_kind kind)
{
    uint64_t place = 0;
    const uint64_t q = wm_divide_as(&spread->n, x, &place, kind.is_power);
    *rank = q;
    if (!kind.is_hashed) {
        return place;
    }
    if (memo->rank != q) {
        memo->rank = q;
        memo->turn = wm_spread_turn(spread, q, kind.is_power);
    }
    return wm_spread_permute(spread, place, memo->turn, kind.is_power);
}

static inline uint64_t wm_spread_recall(const wm_spread *spread, uint64_t x,
                                        uint64_t *rank, wm_spread_memo *memo)
{
    return wm_spread_recall_as(spread, x, rank, memo,
                               wm_spread_kind_of(spread));
}

/* The number that wm_spread_place sent to place with this rank. */
static inline uint64_t wm_spread_number(const wm_spread *spread, uint64_t place,
                                        uint64_t rank)
{
    if (spread->is_drawn) {
        return (rank << spread->group_shift) +
               (place - wm_spread_group(spread, rank));
    }
    if (spread->is_hashed) {
        const uint64_t turn =
            wm_spread_turn(spread, rank, spread->n.reciprocal == 0);
        if (spread->n.reciprocal == 0) {
            place ^= turn;
        } else {
            place = place >= turn ? place - turn : place + spread->n.d - turn;
        }
    }
    return rank * spread->n.d + place;
}

#endif
