/*
 * policy_srrip.c -- static re-reference interval prediction, hit priority
 * (SRRIP-HP with 2 bits; Jaleel, Theobald, Steely, Emer, "High Performance
 * Cache Replacement Using Re-Reference Interval Prediction", ISCA 2010).
 *
 * A byte per way holds its predicted interval (RRPV): 2 when filled, 0 after
 * a hit, 3 = distant.  The victim is the lowest way at 3; when there is none
 * all ways age until there is one.
 */
#include "model/cache/policy_internal.h"

#include <string.h>

enum { RRPV_NEAR = 0, RRPV_LONG = 2, RRPV_DISTANT = 3 };

static wm_status srrip_check(uint32_t ways, wm_error *err)
{
    return wm_policy_check_ways("srrip", ways, err);
}

static size_t srrip_row_bytes(uint32_t ways)
{
    return wm_policy_padded(ways);
}

static void srrip_init(void *row, uint32_t ways, uint64_t seed)
{
    (void)seed;
    memset(row, RRPV_DISTANT, srrip_row_bytes(ways));
}

static void srrip_touch(void *row, uint32_t ways, uint32_t way)
{
    uint8_t *rrpv = row;
    (void)ways;
    rrpv[way] = RRPV_NEAR;
}

static void srrip_insert(void *row, uint32_t ways, uint32_t way)
{
    uint8_t *rrpv = row;
    (void)ways;
    rrpv[way] = RRPV_LONG;
}

/* Adds steps to all; the padding may wrap, nothing reads it. */
static void srrip_age(uint8_t *rrpv, uint32_t ways, uint8_t steps)
{
    for (uint32_t i = 0; i < ways; i += WM_POLICY_BLOCK) {
        for (uint32_t k = 0; k < WM_POLICY_BLOCK; k++) {
            rrpv[i + k] = (uint8_t)(rrpv[i + k] + steps);
        }
    }
}

static uint32_t srrip_victim(void *row, uint32_t ways)
{
    uint8_t *rrpv = row;
    for (int steps = 0; steps <= RRPV_DISTANT; steps++) {
        const uint8_t *oldest = memchr(rrpv, RRPV_DISTANT - steps, ways);
        if (oldest != NULL) {
            if (steps != 0) {
                srrip_age(rrpv, ways, (uint8_t)steps);
            }
            return (uint32_t)(oldest - rrpv);
        }
    }
    return 0;
}

extern const wm_policy wm_policy_srrip;
const wm_policy wm_policy_srrip = {
    .name = "srrip",
    .summary = "2-bit re-reference prediction with hit priority (SRRIP-HP)",
    .check = srrip_check,
    .row_bytes = srrip_row_bytes,
    .init = srrip_init,
    .touch = srrip_touch,
    .insert = srrip_insert,
    .victim = srrip_victim,
};
