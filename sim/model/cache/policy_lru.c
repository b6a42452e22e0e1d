/*
 * policy_lru.c -- true least-recently-used order.
 *
 * One rank per way, 0 = most recent: a byte up to 256 ways, two beyond.  A
 * touch makes every younger way one older; touching the youngest again, the
 * common case in a stream, returns at once; way 0 is the oldest at first.
 * Ranks are always a permutation
 * of 0..ways-1; the padding holds the largest number and so never moves.
 */
#include "model/cache/lru16.h"
#include "model/cache/policy_internal.h"

#include <string.h>

#define BYTE_WAYS 256u

static wm_status lru_check(uint32_t ways, wm_error *err)
{
    return wm_policy_check_ways("lru", ways, err);
}

static size_t lru_row_bytes(uint32_t ways)
{
    size_t rank_bytes = ways <= BYTE_WAYS ? sizeof(uint8_t) : sizeof(uint16_t);
    return wm_policy_padded(ways) * rank_bytes;
}

static void lru_init(void *row, uint32_t ways, uint64_t seed)
{
    (void)seed;
    memset(row, 0xff, lru_row_bytes(ways));
    uint8_t *rank8 = row;
    uint16_t *rank16 = row;
    for (uint32_t way = 0; way < ways; way++) {
        if (ways <= BYTE_WAYS) {
            rank8[way] = (uint8_t)(ways - 1 - way);
        } else {
            rank16[way] = (uint16_t)(ways - 1 - way);
        }
    }
}

static void lru_touch_wide(uint16_t *rank, uint32_t ways, uint32_t way)
{
    uint16_t old = rank[way];
    for (uint32_t i = 0; i < ways; i += WM_POLICY_BLOCK) {
        for (uint32_t k = 0; k < WM_POLICY_BLOCK; k++) {
            rank[i + k] = (uint16_t)(rank[i + k] + (rank[i + k] < old));
        }
    }
    rank[way] = 0;
}

static void lru_touch(void *row, uint32_t ways, uint32_t way)
{
    uint8_t *rank = row;
    if (ways <= WM_LRU16_WAYS) {
        wm_lru16_touch(rank, way);
        return;
    }
    if (ways > BYTE_WAYS) {
        lru_touch_wide(row, ways, way);
        return;
    }
    uint8_t old = rank[way];
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

static uint32_t lru_victim(void *row, uint32_t ways)
{
    if (ways <= WM_LRU16_WAYS) {
        return wm_lru16_way(row, ways - 1);
    }
    if (ways <= BYTE_WAYS) {
        const uint8_t *rank = row;
        const uint8_t *oldest = memchr(rank, (int)(ways - 1), ways);
        return oldest == NULL ? 0 : (uint32_t)(oldest - rank);
    }
    const uint16_t *rank = row;
    uint32_t way = 0;
    while (way + 1 < ways && rank[way] != ways - 1) {
        way++;
    }
    return way;
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
