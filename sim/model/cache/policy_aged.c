/*
 * policy_aged.c -- any of the oldest fifth of the ways, with equal chance.
 *
 * The order of ages is exact (one rank per way, 0 = youngest, as in
 * ranks.h); which of the oldest leaves is drawn.  A working set a little
 * over the capacity then loses some of its hits, not all: pointer chases on
 * V100, A100 and H100 go over from hit to miss between 1.0 and about 1.35
 * times the capacity, as they do under this rule with a fifth (the rule and
 * the share are fitted; the real policy is not public).
 */
#include "base/rng.h"
#include "model/cache/ranks.h"

/* A row: the ranks, then the generator. */
static wm_rng *aged_rng(void *row, uint32_t ways)
{
    return (wm_rng *)(void *)((unsigned char *)row + wm_ranks_bytes(ways));
}

static wm_status aged_check(uint32_t ways, wm_error *err)
{
    return wm_policy_check_ways("aged", ways, err);
}

static size_t aged_row_bytes(uint32_t ways)
{
    return sizeof(wm_rng) + wm_ranks_bytes(ways);
}

static void aged_init(void *row, uint32_t ways, uint64_t seed)
{
    aged_rng(row, ways)->state = seed;
    wm_ranks_init(row, ways);
}

static void aged_touch(void *row, uint32_t ways, uint32_t way)
{
    wm_ranks_touch(row, ways, way);
}

static uint32_t aged_victim(void *row, uint32_t ways)
{
    const uint32_t old = wm_aged_choice(ways);
    const uint32_t drawn = old > 1 ? wm_rng_below(aged_rng(row, ways), old) : 0;
    return wm_ranks_way(row, ways, ways - 1 - drawn);
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
