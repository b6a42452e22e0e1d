/*
 * record_check.c -- see record_check.h.
 */
#include "trace/record_check.h"

#include "base/bits.h"

const char *wm_record_fault(const wm_record *record, uint32_t n_statics,
                            uint32_t warp_size)
{
    if (record->kind >= WM_KIND_COUNT) {
        return "unknown kind of record";
    }
    if (record->kind != WM_KIND_GAP && record->static_id >= n_statics) {
        return "static instruction that is not in the table";
    }
    if (record->pattern > WM_PATTERN_LIST64) {
        return "unknown address pattern";
    }
    if (record->width > WM_WIDTH_MAX) {
        return "width over 32 bytes per lane";
    }
    if (record->width == 0 && wm_kind_is_memory((wm_kind)record->kind)) {
        return "memory access of 0 bytes per lane";
    }
    if ((record->mask & ~wm_low_mask(warp_size)) != 0) {
        return "active lanes beyond the warp size";
    }
    if (record->head_cycles < record->head_slots ||
        record->tail_cycles < record->tail_slots) {
        return "more issue slots than cycles";
    }
    return NULL;
}

const char *wm_launch_fault(const wm_launch *launch)
{
    if (launch->warp_size != 32 && launch->warp_size != 64) {
        return "warp size that is neither 32 nor 64";
    }
    return NULL;
}

uint64_t wm_extent_product(const uint32_t extent[3])
{
    uint64_t plane = (uint64_t)extent[0] * extent[1];
    if (extent[2] != 0 && plane > UINT64_MAX / extent[2]) {
        return UINT64_MAX;
    }
    return plane * extent[2];
}

void wm_launch_set_counts(wm_launch *launch)
{
    uint64_t n_threads = wm_extent_product(launch->block);
    uint64_t n_warps =
        n_threads / launch->warp_size + (n_threads % launch->warp_size != 0);
    launch->n_ctas = wm_extent_product(launch->grid);
    launch->n_warps_per_cta =
        n_warps < UINT32_MAX ? (uint32_t)n_warps : UINT32_MAX;
}
