/*
 * policy_aged.c -- any of the oldest fifth of the ways, with equal chance.
 *
 * The order of ages is exact (one rank per way, 0 = youngest, as in
 * policy_lru.c); which of the oldest leaves is drawn.  A working set a little
 * over the capacity then loses some of its hits, not all: pointer chases on
 * V100, A100 and H100 go over from hit to miss between 1.0 and about 1.35
 * times the capacity, as they do under this rule with a fifth (the rule and
 * the share are fitted; the real policy is not public).
 */
#include "model/cache/policy_internal.h"

#include <string.h>

#include "base/rng.h"

#define SHARE 5u /* one way in so many may leave */

#define BYTE_WAYS 256u /* ranks are bytes up to here, two beyond */

/* The generator, then the ranks: a permutation of 0 .. ways - 1. */
static void *aged_ranks(void *row)
{
    return (wm_rng *)row + 1;
}

static wm_status aged_check(uint32_t ways, wm_error *err)
{
    return wm_policy_check_ways("aged", ways, err);
}

static size_t aged_row_bytes(uint32_t ways)
{
    const size_t rank_bytes =
        ways <= BYTE_WAYS ? sizeof(uint8_t) : sizeof(uint16_t);
    return sizeof(wm_rng) + wm_policy_padded(ways) * rank_bytes;
}

static void aged_init(void *row, uint32_t ways, uint64_t seed)
{
    wm_rng *rng = row;
    uint8_t *rank8 = aged_ranks(row);
    uint16_t *rank16 = aged_ranks(row);
    memset(row, 0xff, aged_row_bytes(ways));
    rng->state = seed;
    for (uint32_t way = 0; way < ways; way++) {
        if (ways <= BYTE_WAYS) {
            rank8[way] = (uint8_t)way;
        } else {
            rank16[way] = (uint16_t)way;
        }
    }
}

static void aged_touch_wide(uint16_t *rank, uint32_t ways, uint32_t way)
{
    const uint16_t old = rank[way];
    for (uint32_t i = 0; i < ways; i += WM_POLICY_BLOCK) {
        for (uint32_t k = 0; k < WM_POLICY_BLOCK; k++) {
            rank[i + k] = (uint16_t)(rank[i + k] + (rank[i + k] < old));
        }
    }
    rank[way] = 0;
}

static void aged_touch(void *row, uint32_t ways, uint32_t way)
{
    uint8_t *rank = aged_ranks(row);
    if (ways > BYTE_WAYS) {
        aged_touch_wide(aged_ranks(row), ways, way);
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

static uint32_t aged_victim(void *row, uint32_t ways)
{
    const uint32_t old = (ways + SHARE / 2) / SHARE; /* to the nearest */
    const uint32_t drawn = old > 1 ? wm_rng_below(row, old) : 0;
    const uint32_t wanted = ways - 1 - drawn;
    if (ways <= BYTE_WAYS) {
        const uint8_t *rank = aged_ranks(row);
        const uint8_t *found = memchr(rank, (int)wanted, ways);
        return found == NULL ? 0 : (uint32_t)(found - rank);
    }
    const uint16_t *rank = aged_ranks(row);
    uint32_t way = 0;
    while (way + 1 < ways && rank[way] != wanted) {
        way++;
    }
    return way;
}

extern const wm_policy wm_policy_aged;
const wm_policy wm_policy_aged = {
    .name = "aged",
    .summary = "evict one of the oldest fifth (seeded, repeatable)",
    .check = aged_check,
    .row_bytes = aged_row_bytes,
    .init = aged_init,
    .touch = aged_touch,
    .insert = aged_touch, /* a fill counts as a use */
    .victim = aged_victim,
};
