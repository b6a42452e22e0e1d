/*
 * trace_walk.c -- reads a trace to its end and hands on what it finds.
 */
#include "cli/trace_walk.h"

#include <stdio.h>
#include <string.h>

#include "cli/output.h"
#include "cli/progress.h"

static const wm_cta_range all_ctas = {0, UINT64_MAX};

/* Leaves the other warps without records. */
static void keep_warps(const wm_cta_range *range, wm_cta *cta)
{
    memset(&cta->work, 0, sizeof(cta->work));
    for (uint32_t w = 0; w < cta->n_warps; w++) {
        wm_warp_span *span = &cta->warps[w];
        if (w < range->n_skip || w - range->n_skip >= range->n_count) {
            span->n_records = 0;
        }
        for (uint32_t i = 0; i < span->n_records; i++) {
            const wm_record *record = &cta->records[span->first + i];
            cta->work.n_other +=
                (uint64_t)record->head_slots + record->tail_slots;
        }
    }
}

static wm_status walk_ctas(const wm_trace_walk *walk, wm_trace *trace,
                           const wm_cta_range *range, wm_cta *cta,
                           wm_error *err)
{
    const wm_trace_sink *sink = walk->sink;
    bool has_cta = true;
    wm_status status = wm_trace_skip_ctas(trace, range->n_skip, cta, err);
    for (uint64_t n = 0; status == WM_OK && has_cta && n < range->n_count;
         n++) {
        status = wm_trace_next_cta(trace, cta, &has_cta, err);
        if (status == WM_OK && wm_interrupt_is_wanted()) {
            status =
                wm_fail(err, WM_EFORMAT, "%s: stopped by a signal", walk->path);
        }
        if (status == WM_OK && has_cta && walk->warps != NULL) {
            keep_warps(walk->warps, cta);
        }
        if (status == WM_OK && has_cta && sink->cta != NULL) {
            status = sink->cta(walk->context, wm_trace_launch(trace), cta, err);
        }
    }
    return status;
}

static wm_status walk_launch(const wm_trace_walk *walk, wm_trace *trace,
                             wm_launch *launch, wm_cta *cta, wm_error *err)
{
    const wm_trace_sink *sink = walk->sink;
    const wm_cta_range *range = walk->ctas != NULL ? walk->ctas : &all_ctas;
    wm_status status = WM_OK;
    if (walk->select != NULL && !wm_select_takes(walk->select, launch)) {
        return WM_OK;
    }
    /* A launch of fewer CTAs than its grid, and whole as such. */
    launch->n_ctas -=
        range->n_skip < launch->n_ctas ? range->n_skip : launch->n_ctas;
    if (launch->n_ctas > range->n_count) {
        launch->n_ctas = range->n_count;
    }
    if (sink->launch != NULL) {
        status = sink->launch(walk->context, launch, err);
    }
    if (status == WM_OK) {
        status = walk_ctas(walk, trace, range, cta, err);
    }
    if (status == WM_OK && sink->launch_end != NULL) {
        status = sink->launch_end(walk->context, wm_trace_launch(trace), err);
    }
    return status;
}

static wm_status walk_commands(const wm_trace_walk *walk, wm_trace *trace,
                               wm_cta *cta, wm_error *err)
{
    for (;;) {
        wm_command command;
        wm_status status = wm_trace_next_command(trace, &command, err);
        if (status != WM_OK || command.kind == WM_COMMAND_END) {
            return status;
        }
        if (command.kind == WM_COMMAND_LAUNCH) {
            status = walk_launch(walk, trace, &command.launch, cta, err);
        } else if (walk->sink->copy != NULL) {
            status = walk->sink->copy(walk->context, &command.copy, err);
        }
        if (status != WM_OK) {
            return status;
        }
    }
}

wm_status wm_trace_walk_run(wm_trace_walk *walk, wm_error *err)
{
    const wm_trace_options options = {.keep_going = walk->keep_going,
                                      .keep_all = walk->keep_all,
                                      .may_seek = walk->may_seek,
                                      .counts_only = walk->counts_only,
                                      .jobs = walk->jobs};
    wm_trace *trace = NULL;
    wm_cta cta;
    uint64_t n_total = 0;
    walk->is_complete = false;
    wm_status status =
        wm_trace_open(walk->path, &options, walk->diag, &trace, err);
    if (status != WM_OK) {
        return status;
    }
    wm_cta_init(&cta);
    status = walk_commands(walk, trace, &cta, err);
    wm_cta_fini(&cta);
    walk->is_complete = status == WM_OK && wm_trace_is_complete(trace);
    (void)snprintf(walk->format, sizeof(walk->format), "%s",
                   wm_trace_format_name(trace));
    wm_trace_digest(trace, walk->digest);
    wm_trace_position(trace, &walk->n_stored_bytes, &n_total);
    wm_trace_close(trace);
    return status;
}

wm_status wm_part_walk_init(wm_part_walk *part, const char *path,
                            const wm_part_options *options, bool keep_going,
                            wm_error *err)
{
    const wm_cta_range *warps = &options->warps;
    bool is_all = warps->n_skip == 0 && warps->n_count == UINT64_MAX;
    wm_diag_init(&part->diag);
    part->walk = (wm_trace_walk){.path = path,
                                 .keep_going = keep_going,
                                 .may_seek = true,
                                 .select = &part->select,
                                 .ctas = &options->ctas,
                                 .warps = is_all ? NULL : warps,
                                 .diag = &part->diag};
    return wm_select_init(&part->select, &options->select, err);
}

void wm_part_walk_fini(wm_part_walk *part, bool is_quiet)
{
    wm_select_warn_none(&part->select, &part->diag);
    if (!is_quiet) {
        wm_output_warnings(&part->diag);
    }
    wm_select_fini(&part->select);
}
