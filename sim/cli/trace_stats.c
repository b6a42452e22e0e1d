/*
 * trace_stats.c -- what a trace holds, counted launch by launch.
 */
#include "cli/trace_stats.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/text.h"
#include "cli/host.h"
#include "cli/output.h"
#include "config/config.h"

static void stats_widen(wm_launch_stats *launch, uint64_t first, uint64_t end)
{
    if (end <= first) {
        return;
    }
    if (launch->end_addr == 0 || first < launch->first_addr) {
        launch->first_addr = first;
    }
    if (end > launch->end_addr) {
        launch->end_addr = end;
    }
}

/* Pages of an access: lanes that lie close together as one run of bytes. */
static bool stats_pages(wm_footprint *pages, const wm_record *record,
                        const uint32_t *lanes)
{
    uint64_t mask = record->mask;
    int64_t stride = record->u.stride;
    uint64_t run = mask >> wm_lowest_bit(mask);
    if (record->pattern == WM_PATTERN_AFFINE && (run & (run + 1)) == 0 &&
        stride >= 0 && stride <= (int64_t)WM_FOOTPRINT_PAGE) {
        uint32_t n_steps = wm_highest_bit(mask) - wm_lowest_bit(mask);
        return wm_footprint_add(pages, record->base,
                                n_steps * (uint64_t)stride + record->width);
    }
    for (; mask != 0; mask &= mask - 1) {
        uint64_t addr = wm_record_address(record, lanes, wm_lowest_bit(mask));
        if (!wm_footprint_add(pages, addr, record->width)) {
            return false;
        }
    }
    return true;
}

/* A record in global memory that has lanes and a width. */
static bool stats_access(wm_trace_stats *stats, wm_launch_stats *launch,
                         const wm_record *record, const uint32_t *lanes)
{
    uint64_t mask = record->mask;
    bool is_affine = record->pattern == WM_PATTERN_AFFINE;
    const wm_access access = {
        .base = record->base,
        .mask = mask,
        .stride = is_affine ? record->u.stride : 0,
        .lanes = is_affine ? NULL : lanes + record->u.list,
        .width = record->width,
        .form = record->pattern == WM_PATTERN_LIST32   ? WM_ACCESS_LIST32
                : record->pattern == WM_PATTERN_LIST64 ? WM_ACCESS_LIST64
                                                       : WM_ACCESS_AFFINE};
    wm_coalesce(&stats->coalescer, &access, false, &stats->coalesced);
    launch->n_sectors_by_kind[record->kind] += stats->coalesced.n_sectors;
    launch->n_bytes_by_kind[record->kind] +=
        (uint64_t)wm_popcount64(mask) * record->width;
    if (is_affine) {
        /* The ends of an affine pattern bound the rest. */
        mask = (UINT64_C(1) << wm_lowest_bit(mask)) |
               (UINT64_C(1) << wm_highest_bit(mask));
    }
    for (; mask != 0; mask &= mask - 1) {
        uint64_t addr = wm_record_address(record, lanes, wm_lowest_bit(mask));
        stats_widen(launch, addr, addr + record->width);
    }
    return stats_pages(&stats->in_launch, record, lanes);
}

static wm_status stats_copy(void *context, const wm_copy *copy, wm_error *err)
{
    wm_trace_stats *stats = context;
    (void)err;
    stats->n_copies++;
    stats->n_copied_bytes += copy->n_bytes;
    return WM_OK;
}

static wm_status stats_launch(void *context, const wm_launch *launch,
                              wm_error *err)
{
    wm_trace_stats *stats = context;
    if (!wm_grow(&stats->launches, &stats->cap_launches, stats->n_launches + 1,
                 sizeof(*stats->launches))) {
        return wm_fail_memory(err);
    }
    wm_launch_stats *fresh = &stats->launches[stats->n_launches];
    memset(fresh, 0, sizeof(*fresh));
    fresh->name = wm_text_copy(launch->name);
    if (fresh->name == NULL) {
        return wm_fail_memory(err);
    }
    stats->n_launches++;
    memcpy(fresh->grid, launch->grid, sizeof(fresh->grid));
    memcpy(fresh->block, launch->block, sizeof(fresh->block));
    fresh->sm_version = launch->sm_version;
    fresh->shared_bytes = launch->shared_bytes;
    fresh->registers = launch->registers;
    fresh->n_ctas_promised = launch->n_ctas;
    return WM_OK;
}

static wm_status stats_cta(void *context, const wm_launch *launch,
                           const wm_cta *cta, wm_error *err)
{
    wm_trace_stats *stats = context;
    wm_launch_stats *into = &stats->launches[stats->n_launches - 1];
    (void)launch;
    into->n_ctas++;
    into->n_records += cta->n_records;
    if (!stats->by_kind) {
        return WM_OK;
    }
    into->n_other += cta->work.n_other;
    for (uint32_t w = 0; w < cta->n_warps; w++) {
        into->n_warps += cta->warps[w].n_records != 0;
    }
    for (size_t i = 0; i < cta->n_records; i++) {
        const wm_record *record = &cta->records[i];
        into->n_by_kind[record->kind]++;
        if (wm_kind_is_global((wm_kind)record->kind) && record->mask != 0 &&
            record->width != 0 &&
            !stats_access(stats, into, record, cta->lanes)) {
            return wm_fail_memory(err);
        }
    }
    return WM_OK;
}

static wm_status stats_launch_end(void *context, const wm_launch *launch,
                                  wm_error *err)
{
    wm_trace_stats *stats = context;
    wm_launch_stats *done = &stats->launches[stats->n_launches - 1];
    wm_launch_stats *total = &stats->total;
    done->n_statics = launch->n_statics;
    total->n_ctas_promised += done->n_ctas_promised;
    total->n_ctas += done->n_ctas;
    total->n_records += done->n_records;
    total->n_warps += done->n_warps;
    total->n_statics += done->n_statics;
    total->n_other += done->n_other;
    for (size_t kind = 0; kind < WM_KIND_COUNT; kind++) {
        total->n_by_kind[kind] += done->n_by_kind[kind];
        total->n_bytes_by_kind[kind] += done->n_bytes_by_kind[kind];
        total->n_sectors_by_kind[kind] += done->n_sectors_by_kind[kind];
    }
    stats_widen(total, done->first_addr, done->end_addr);
    done->n_pages = stats->in_launch.n_pages;
    if (!wm_footprint_join(&stats->in_total, &stats->in_launch)) {
        return wm_fail_memory(err);
    }
    total->n_pages = stats->in_total.n_pages;
    wm_footprint_clear(&stats->in_launch);
    return WM_OK;
}

static const wm_trace_sink stats_sink = {stats_copy, stats_launch, stats_cta,
                                         stats_launch_end};

wm_status wm_trace_survey_read(wm_trace_survey *survey, const char *path,
                               bool keep_going, bool by_kind, uint64_t jobs,
                               wm_error *err)
{
    memset(&survey->stats, 0, sizeof(survey->stats));
    wm_diag_init(&survey->diag);
    survey->stats.by_kind = by_kind;
    /* Lines and sectors as every NVIDIA part since Volta has them. */
    wm_status status = wm_coalescer_init(&survey->stats.coalescer, 128, 32,
                                         WM_COALESCE_SECTOR, 32, 0, 4, err);
    if (status != WM_OK) {
        return status;
    }
    survey->walk = (wm_trace_walk){.path = path,
                                   .keep_going = keep_going,
                                   .counts_only = !by_kind,
                                   .jobs = wm_host_jobs(jobs),
                                   .diag = &survey->diag,
                                   .sink = &stats_sink,
                                   .context = &survey->stats};
    return wm_trace_walk_run(&survey->walk, err);
}

void wm_trace_survey_fini(wm_trace_survey *survey)
{
    wm_trace_stats *stats = &survey->stats;
    wm_output_warnings(&survey->diag);
    for (size_t i = 0; i < stats->n_launches; i++) {
        free(stats->launches[i].name);
    }
    free(stats->launches);
    wm_footprint_fini(&stats->in_launch);
    wm_footprint_fini(&stats->in_total);
}
