/*
 * policy_plru.c -- tree pseudo-LRU: one bit per inner node of a binary tree
 * over the ways, pointing to the half that was used longer ago.
 *
 * Nodes are numbered as in a heap: 1 is the root, the leaf of way w is
 * ways + w.  Bit n of the row is node n; 1 = go to the higher half.
 */
#include "model/cache/policy_internal.h"

#include "base/bits.h"

static wm_status plru_check(uint32_t ways, wm_error *err)
{
    wm_status status = wm_policy_check_ways("plru", ways, err);
    if (status == WM_OK && !wm_is_power_of_two(ways)) {
        status = wm_fail(err, WM_ECONFIG,
                         "policy plru: %u ways, want a power of two", ways);
    }
    return status;
}

static size_t plru_row_bytes(uint32_t ways)
{
    return (ways + 7) / 8;
}

static void plru_init(void *row, uint32_t ways, uint64_t seed)
{
    uint8_t *node = row;
    (void)seed;
    for (size_t i = 0; i < plru_row_bytes(ways); i++) {
        node[i] = 0;
    }
}

/* Turns every node on the way to the root away from this leaf. */
static void plru_touch(void *row, uint32_t ways, uint32_t way)
{
    uint8_t *node = row;
    for (uint32_t n = ways + way; n > 1; n >>= 1) {
        uint32_t parent = n >> 1;
        uint32_t bit = 1u << (parent & 7);
        uint32_t others = node[parent >> 3] & ~bit;
        node[parent >> 3] = (uint8_t)(others | ((n & 1) != 0 ? 0 : bit));
    }
}

static uint32_t plru_victim(void *row, uint32_t ways)
{
    const uint8_t *node = row;
    uint32_t n = 1;
    while (n < ways) {
        n = 2 * n + (node[n >> 3] >> (n & 7) & 1);
    }
    return n - ways;
}

extern const wm_policy wm_policy_plru;
const wm_policy wm_policy_plru = {
    .name = "plru",
    .summary = "tree pseudo-LRU, one bit per tree node; ways a power of two",
    .check = plru_check,
    .row_bytes = plru_row_bytes,
    .init = plru_init,
    .touch = plru_touch,
    .insert = plru_touch,
    .victim = plru_victim,
};
