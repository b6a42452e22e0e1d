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

#include "base/rng.h"

#define SHARE 5u /* one way in so many may leave */

typedef struct aged_row {
    wm_rng rng;
    uint16_t rank[]; /* padded ways; a permutation of 0 .. ways - 1 */
} aged_row;

static wm_status aged_check(uint32_t ways, wm_error *err)
{
    return wm_policy_check_ways("aged", ways, err);
}

static size_t aged_row_bytes(uint32_t ways)
{
    return sizeof(aged_row) + wm_policy_padded(ways) * sizeof(uint16_t);
}

static void aged_init(void *row, uint32_t ways, uint64_t seed)
{
    aged_row *set = row;
    set->rng.state = seed;
    for (uint32_t way = 0; way < wm_policy_padded(ways); way++) {
        set->rank[way] = way < ways ? (uint16_t)way : UINT16_MAX;
    }
}

static void aged_touch(void *row, uint32_t ways, uint32_t way)
{
    aged_row *set = row;
    const uint16_t old = set->rank[way];
    if (old == 0) {
        return;
    }
    for (uint32_t i = 0; i < ways; i += WM_POLICY_BLOCK) {
        for (uint32_t k = 0; k < WM_POLICY_BLOCK; k++) {
            set->rank[i + k] =
                (uint16_t)(set->rank[i + k] + (set->rank[i + k] < old));
        }
    }
    set->rank[way] = 0;
}

static uint32_t aged_victim(void *row, uint32_t ways)
{
    aged_row *set = row;
    const uint32_t old = (ways + SHARE / 2) / SHARE; /* to the nearest */
    const uint32_t drawn = old > 1 ? wm_rng_below(&set->rng, old) : 0;
    const uint32_t rank = ways - 1 - drawn;
    uint32_t way = 0;
    while (way + 1 < ways && set->rank[way] != rank) {
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
