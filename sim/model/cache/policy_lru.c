/*
 * policy_lru.c -- true least-recently-used order (ranks.h).
 */
#include "model/cache/ranks.h"

static wm_status lru_check(uint32_t ways, wm_error *err)
{
    return wm_policy_check_ways("lru", ways, err);
}

static void lru_init(void *row, uint32_t ways, uint64_t seed)
{
    (void)seed;
    wm_ranks_init(row, ways);
}

static void lru_touch(void *row, uint32_t ways, uint32_t way)
{
    wm_ranks_touch(row, ways, way);
}

static uint32_t lru_victim(void *row, uint32_t ways)
{
    return wm_ranks_way(row, ways, ways - 1);
}

static size_t lru_row_bytes(uint32_t ways)
{
    return wm_ranks_bytes(ways);
}

extern const wm_policy wm_policy_lru;
const wm_policy wm_policy_lru = {
    .name = "lru",
    .summary = "evict the way touched longest ago (exact order)",
    .check = lru_check,
    .row_bytes = lru_row_bytes,
    .init = lru_init,
    .touch = lru_touch,
    .insert = lru_touch, /* a fill counts as a use */
    .victim = lru_victim,
};
