/*
 * ranks.h -- the order in which the ways of a set were used, for any number of
 * ways: what lru and aged share.
 *
 * One rank per way, 0 = most recent: a byte up to 256 ways, two beyond.  A
 * touch makes every younger way one older; touching the youngest again, the
 * common case in a stream, returns at once; way 0 is the oldest at first.
 * Ranks are always a permutation of 0..ways-1; the padding holds the largest
 * number and so never moves.  Up to 16 ways it is the row of lru16.h.
 *
 * Units      way: 0-based, below ways; 1 <= ways <= 1024.
 * Ownership  the caller's wm_ranks_bytes(ways) bytes, aligned to 2.
 * Cost       a touch: O(ways) bytes at most, no allocation.
 */
#ifndef WM_MODEL_RANKS_H
#define WM_MODEL_RANKS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "model/cache/lru16.h"
#include "model/cache/policy_internal.h"

#define WM_RANKS_BYTE_WAYS 256u /* ranks are bytes up to here, two beyond */

static inline size_t wm_ranks_bytes(uint32_t ways)
{
    const size_t each =
        ways <= WM_RANKS_BYTE_WAYS ? sizeof(uint8_t) : sizeof(uint16_t);
    return wm_policy_padded(ways) * each;
}

static inline void wm_ranks_init(void *ranks, uint32_t ways)
{
    uint8_t *rank8 = ranks;
    uint16_t *rank16 = ranks;
    memset(ranks, 0xff, wm_ranks_bytes(ways));
    for (uint32_t way = 0; way < ways; way++) {
        if (ways <= WM_RANKS_BYTE_WAYS) {
            rank8[way] = (uint8_t)(ways - 1 - way);
        } else {
            rank16[way] = (uint16_t)(ways - 1 - way);
        }
    }
}

static inline void wm_ranks_touch_wide(uint16_t *rank, uint32_t ways,
                                       uint32_t way)
{
    const uint16_t old = rank[way];
    for (uint32_t i = 0; i < ways; i += WM_POLICY_BLOCK) {
        for (uint32_t k = 0; k < WM_POLICY_BLOCK; k++) {
            rank[i + k] = (uint16_t)(rank[i + k] + (rank[i + k] < old));
        }
    }
    rank[way] = 0;
}

static inline void wm_ranks_touch(void *ranks, uint32_t ways, uint32_t way)
{
    uint8_t *rank = ranks;
    if (ways <= WM_LRU16_WAYS) {
        wm_lru16_touch(rank, way);
        return;
    }
    if (ways > WM_RANKS_BYTE_WAYS) {
        wm_ranks_touch_wide(ranks, ways, way);
        return;
    }
    const uint8_t old = rank[way];
    if (old == 0) {
        return;
    }
    for (uint32_t i = 0; i < ways; i += WM_POLICY_BLOCK) {
        for (uint32_t k = 0; k < WM_POLICY_BLOCK; k++) {
            rank[i + k] = (uint8_t)(rank[i + k] + (rank[i + k] < old));
        }
    }
    rank[way] = 0;
}

/* The way of that rank. */
static inline uint32_t wm_ranks_way(const void *ranks, uint32_t ways,
                                    uint32_t wanted)
{
    if (ways <= WM_LRU16_WAYS) {
        return wm_lru16_way(ranks, wanted);
    }
    if (ways <= WM_RANKS_BYTE_WAYS) {
        const uint8_t *rank = ranks;
        const uint8_t *found = memchr(rank, (int)wanted, ways);
        return found == NULL ? 0 : (uint32_t)(found - rank);
    }
    const uint16_t *rank = ranks;
    uint32_t way = 0;
    while (way + 1 < ways && rank[way] != wanted) {
        way++;
    }
    return way;
}

#endif
