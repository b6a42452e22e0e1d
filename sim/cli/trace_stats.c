/*
 * trace_stats.c -- what a trace holds, counted launch by launch.
 */
#include "cli/trace_stats.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "cli/host.h"
#include "cli/output.h"

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

static void stats_addresses(wm_launch_stats *launch, const wm_record *record,
                            const uint32_t *lanes)
{
    uint64_t mask = record->mask;
    if (record->pattern == WM_PATTERN_AFFINE && mask != 0) {
        /* The ends of an affine pattern bound the rest. */
        mask = (UINT64_C(1) << wm_lowest_bit(mask)) |
               (UINT64_C(1) << wm_highest_bit(mask));
    }
    for (; mask != 0; mask &= mask - 1) {
        uint64_t addr = wm_record_address(record, lanes, wm_lowest_bit(mask));
        stats_widen(launch, addr, addr + record->width);
    }
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
    size_t n_name = strlen(launch->name) + 1;
    if (!wm_grow(&stats->launches, &stats->cap_launches, stats->n_launches + 1,
                 sizeof(*stats->launches))) {
        return wm_fail_memory(err);
    }
    wm_launch_stats *fresh = &stats->launches[stats->n_launches];
    memset(fresh, 0, sizeof(*fresh));
    fresh->name = malloc(n_name);
    if (fresh->name == NULL) {
        return wm_fail_memory(err);
    }
    stats->n_launches++;
    memcpy(fresh->name, launch->name, n_name);
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
    (void)err;
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
        if (record->kind <= WM_KIND_GLOBAL_REDUCTION ||
            record->kind == WM_KIND_ASYNC_COPY) {
            stats_addresses(into, record, cta->lanes);
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
    (void)err;
    done->n_statics = launch->n_statics;
    total->n_ctas_promised += done->n_ctas_promised;
    total->n_ctas += done->n_ctas;
    total->n_records += done->n_records;
    total->n_warps += done->n_warps;
    total->n_statics += done->n_statics;
    total->n_other += done->n_other;
    for (size_t kind = 0; kind < WM_KIND_COUNT; kind++) {
        total->n_by_kind[kind] += done->n_by_kind[kind];
    }
    stats_widen(total, done->first_addr, done->end_addr);
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
    survey->walk = (wm_trace_walk){.path = path,
                                   .keep_going = keep_going,
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
}
