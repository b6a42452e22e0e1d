/*
 * record.c -- CTA storage, and lane addresses in their smallest pattern.
 */
#include "trace/record.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"

const char *wm_kind_name(wm_kind kind)
{
    static const char *const names[WM_KIND_COUNT] = {
        [WM_KIND_GLOBAL_LOAD] = "global_load",
        [WM_KIND_GLOBAL_STORE] = "global_store",
        [WM_KIND_GLOBAL_ATOMIC] = "global_atomic",
        [WM_KIND_GLOBAL_REDUCTION] = "global_reduction",
        [WM_KIND_LOCAL_LOAD] = "local_load",
        [WM_KIND_LOCAL_STORE] = "local_store",
        [WM_KIND_ASYNC_COPY] = "async_copy",
        [WM_KIND_SHARED_LOAD] = "shared_load",
        [WM_KIND_SHARED_STORE] = "shared_store",
        [WM_KIND_SHARED_ATOMIC] = "shared_atomic",
        [WM_KIND_BARRIER] = "barrier",
        [WM_KIND_EXIT] = "exit",
        [WM_KIND_GAP] = "gap",
    };
    return (unsigned)kind < WM_KIND_COUNT ? names[kind] : "unknown";
}

void wm_cta_init(wm_cta *cta)
{
    memset(cta, 0, sizeof(*cta));
}

void wm_cta_fini(wm_cta *cta)
{
    free(cta->warps);
    free(cta->records);
    free(cta->lanes);
    memset(cta, 0, sizeof(*cta));
}

void wm_cta_clear(wm_cta *cta)
{
    memset(cta->id, 0, sizeof(cta->id));
    memset(&cta->work, 0, sizeof(cta->work));
    cta->n_warps = 0;
    cta->n_records = 0;
    cta->n_lanes = 0;
}

uint64_t wm_record_address(const wm_record *record, const uint32_t *lanes,
                           uint32_t lane)
{
    assert(lane < WM_LANES_MAX && (record->mask >> lane & 1) != 0);
    if (record->pattern == WM_PATTERN_AFFINE) {
        uint64_t steps = lane - wm_lowest_bit(record->mask);
        return record->base + steps * (uint64_t)(int64_t)record->u.stride;
    }
    size_t n = wm_popcount64(record->mask & wm_low_mask(lane));
    if (record->pattern == WM_PATTERN_LIST32) {
        int32_t delta = (int32_t)lanes[record->u.list + n];
        return record->base + (uint64_t)(int64_t)delta;
    }
    const uint32_t *pair = &lanes[record->u.list + 2 * n];
    return (uint64_t)pair[1] << 32 | pair[0];
}

static bool fits_int32(uint64_t difference)
{
    int64_t d = (int64_t)difference;
    return d >= INT32_MIN && d <= INT32_MAX;
}

/* The stride that all active lanes share, if there is one of 32 bits. */
static bool find_stride(uint64_t mask, const uint64_t *addresses,
                        int32_t *stride)
{
    uint32_t first = wm_lowest_bit(mask);
    uint64_t rest = mask & (mask - 1);
    *stride = 0;
    if (rest == 0) {
        return true;
    }
    int64_t gap = (int64_t)(wm_lowest_bit(rest) - first);
    int64_t rise = (int64_t)(addresses[1] - addresses[0]);
    if (gap != 1 && rise % gap != 0) {
        return false;
    }
    uint64_t step = (uint64_t)(gap == 1 ? rise : rise / gap);
    if (!fits_int32(step)) {
        return false;
    }
    for (size_t n = 1; rest != 0; n++, rest &= rest - 1) {
        uint64_t steps = wm_lowest_bit(rest) - first;
        if (addresses[n] != addresses[0] + steps * step) {
            return false;
        }
    }
    *stride = (int32_t)(int64_t)step;
    return true;
}

bool wm_record_set_addresses(wm_cta *cta, wm_record *record,
                             const uint64_t *addresses)
{
    uint32_t n_active = wm_popcount64(record->mask);
    record->pattern = WM_PATTERN_AFFINE;
    record->u.stride = 0;
    record->base = 0;
    if (n_active == 0) {
        return true;
    }
    record->base = addresses[0];
    if (find_stride(record->mask, addresses, &record->u.stride)) {
        return true;
    }
    bool is_narrow = true;
    for (uint32_t n = 1; n < n_active; n++) {
        is_narrow &= fits_int32(addresses[n] - addresses[0]);
    }
    size_t n_slots = is_narrow ? n_active : 2 * (size_t)n_active;
    if (cta->n_lanes > UINT32_MAX - n_slots ||
        !wm_grow(&cta->lanes, &cta->cap_lanes, cta->n_lanes + n_slots,
                 sizeof(*cta->lanes))) {
        return false;
    }
    uint32_t *slot = cta->lanes + cta->n_lanes;
    for (uint32_t n = 0; n < n_active; n++) {
        if (is_narrow) {
            *slot++ = (uint32_t)(addresses[n] - addresses[0]);
        } else {
            *slot++ = (uint32_t)addresses[n];
            *slot++ = (uint32_t)(addresses[n] >> 32);
        }
    }
    record->pattern = is_narrow ? WM_PATTERN_LIST32 : WM_PATTERN_LIST64;
    record->u.list = (uint32_t)cta->n_lanes;
    cta->n_lanes += n_slots;
    return true;
}
