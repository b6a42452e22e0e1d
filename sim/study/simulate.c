/*
 * simulate.c -- one point of a study.
 */
#include "study/simulate.h"

#include <assert.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

/* --- engine to report ----------------------------------------------------- */

static wm_report_instruction *gather_rows(const wm_kernel_result *result)
{
    wm_report_instruction *rows =
        calloc((size_t)result->n_instructions + 1, sizeof(*rows));
    for (uint32_t i = 0; rows != NULL && i < result->n_instructions; i++) {
        const wm_instruction_row *from = &result->instructions[i];
        wm_report_instruction *to = &rows[i];
        to->pc = from->pc;
        to->line = from->line;
        to->width = from->width;
        to->kind = wm_kind_name((wm_kind)from->kind);
        memcpy(to->opcode, from->opcode, sizeof(to->opcode));
        to->opcode[sizeof(to->opcode) - 1] = '\0';
        to->n_requests = from->n_requests;
        to->n_sectors = from->n_sectors;
        to->n_lines = from->n_lines;
        to->n_lanes = from->n_lanes;
        to->requested_bytes = from->requested_bytes;
        to->hit_sectors = from->hit_sectors;
        to->pending_sectors = from->pending_sectors;
        to->miss_sectors = from->miss_sectors;
        to->wavefronts = from->wavefronts;
        to->ideal_wavefronts = from->ideal_wavefronts;
        to->ideal_sectors = from->ideal_sectors;
        to->unique_bytes = from->unique_bytes;
        memcpy(to->n_class, from->n_class, sizeof(to->n_class));
        memcpy(to->n_by_sectors, from->n_by_sectors, sizeof(to->n_by_sectors));
        to->stride_least = from->stride_least;
        to->stride_most = from->stride_most;
        to->address_least = from->address_least;
        to->address_most = from->address_most;
        to->lsu_cycles = from->lsu_cycles;
        to->stall_cycles = from->stall_cycles;
    }
    return rows;
}

wm_status wm_gather_kernel(const wm_kernel_result *result, void *report,
                           wm_error *err)
{
    static_assert((int)WM_BOUND_COUNT == (int)WM_REPORT_BOUNDS,
                  "the report names every bound of the engine");
    wm_report_kernel kernel = {.launch = result->launch,
                               .is_complete = result->is_complete,
                               .counters = result->counters,
                               .bound = (uint32_t)result->bound};
    memcpy(kernel.grid, result->grid, sizeof(kernel.grid));
    memcpy(kernel.block, result->block, sizeof(kernel.block));
    memcpy(kernel.busy_ppm, result->busy_ppm, sizeof(kernel.busy_ppm));
    if (result->instructions != NULL) {
        kernel.instructions = gather_rows(result);
        kernel.n_instructions = result->n_instructions;
        if (kernel.instructions == NULL) {
            return wm_fail_memory(err);
        }
    }
    wm_status status = wm_report_add_kernel(report, &kernel, result->name, err);
    free(kernel.instructions);
    return status;
}

/* The bound as the engine finds it: the busiest resource, or latency when it
 * is idle for longer than it is busy. */
static uint32_t gather_bound(uint32_t busy_ppm[WM_REPORT_BOUNDS])
{
    uint32_t bound = WM_BOUND_LATENCY;
    uint32_t most = 0;
    for (uint32_t b = 0; b < WM_REPORT_BOUNDS; b++) {
        if (b != WM_BOUND_LATENCY && busy_ppm[b] > most) {
            most = busy_ppm[b];
            bound = b;
        }
    }
    busy_ppm[WM_BOUND_LATENCY] = 1000000 - most;
    return busy_ppm[WM_BOUND_LATENCY] > most ? (uint32_t)WM_BOUND_LATENCY
                                             : bound;
}

void wm_gather_total(wm_report *report)
{
    uint64_t busy[WM_REPORT_BOUNDS] = {0};
    uint64_t cycles = 0;
    memset(&report->total, 0, sizeof(report->total));
    for (size_t k = 0; k < report->n_kernels; k++) {
        const wm_report_kernel *kernel = &report->kernels[k];
        const uint64_t time = kernel->counters.value[WM_C_TIME_CYCLES];
        cycles += time;
        for (size_t i = 0; i < WM_COUNTER_COUNT; i++) {
            report->total.value[i] += kernel->counters.value[i];
        }
        report->total.value[WM_C_L2_DIRTY_BYTES_LEFT] =
            kernel->counters.value[WM_C_L2_DIRTY_BYTES_LEFT];
        for (uint32_t b = 0; b < WM_REPORT_BOUNDS; b++) {
            busy[b] += wm_mul_div(kernel->busy_ppm[b], time, 1000);
        }
    }
    for (uint32_t b = 0; b < WM_REPORT_BOUNDS; b++) {
        report->total_busy_ppm[b] =
            cycles != 0 ? (uint32_t)wm_mul_div(busy[b], 1000, cycles) : 0;
    }
    report->total_bound = gather_bound(report->total_busy_ppm);
}

/* --- which launches ------------------------------------------------------- */

typedef struct selection {
    const wm_study *study;
    const wm_point *point;
    regex_t expression;
    bool has_expression;
    uint64_t n_seen, n_matched;
    uint64_t first_kept; /* launches before it only warm up */
    wm_report *report;
} selection;

static wm_status selection_init(selection *s, const wm_simulation *simulation,
                                wm_report *report, wm_error *err)
{
    const char *name = simulation->study->select.kernel_name;
    memset(s, 0, sizeof(*s));
    s->study = simulation->study;
    s->point = simulation->point;
    s->first_kept = simulation->point->first_launch;
    s->report = report;
    if (name == NULL) {
        return WM_OK;
    }
    if (regcomp(&s->expression, name, REG_EXTENDED | REG_NOSUB) != 0) {
        return wm_fail_memory(err); /* its text was checked with the study */
    }
    s->has_expression = true;
    return WM_OK;
}

/* A wm_select_fn. */
static bool selection_takes(const wm_launch *launch, uint64_t index,
                            void *context)
{
    selection *s = context;
    const wm_point *point = s->point;
    const wm_study_select *select = &s->study->select;
    const uint64_t number = index + 1;
    s->n_seen++;
    if (point->first_launch != 0) {
        const uint64_t warmup = s->study->warmup;
        return number < point->first_launch + point->n_launches &&
               (warmup == WM_STUDY_ALL ||
                number + warmup >= point->first_launch);
    }
    if (s->has_expression &&
        regexec(&s->expression, launch->name, 0, NULL, 0) != 0) {
        return false;
    }
    const uint64_t rank = s->n_matched++;
    return rank >= select->launch_skip &&
           rank - select->launch_skip < select->launch_count;
}

/* A wm_sink_fn. */
static wm_status selection_keep(const wm_kernel_result *result, void *context,
                                wm_error *err)
{
    const selection *s = context;
    return result->launch < s->first_kept
               ? WM_OK
               : wm_gather_kernel(result, s->report, err);
}

/* As the result records it. */
static void selection_text(const selection *s, wm_report *report)
{
    const wm_study_select *select = &s->study->select;
    char warmup[32] = "";
    if (s->point->first_launch != 0) {
        if (s->study->warmup == WM_STUDY_ALL) {
            (void)snprintf(warmup, sizeof(warmup), " --warmup all");
        } else if (s->study->warmup != 0) {
            (void)snprintf(warmup, sizeof(warmup), " --warmup %llu",
                           (unsigned long long)s->study->warmup);
        }
        (void)snprintf(report->selection, sizeof(report->selection),
                       "--launch-skip %llu --launch-count %llu%s",
                       (unsigned long long)s->point->first_launch - 1,
                       (unsigned long long)s->point->n_launches, warmup);
    } else if (select->kernel_name != NULL || select->launch_skip != 0 ||
               select->launch_count != UINT64_MAX) {
        (void)snprintf(
            report->selection, sizeof(report->selection),
            "--kernel-name %.100s --launch-skip %llu --launch-count %llu",
            select->kernel_name != NULL ? select->kernel_name : ".*",
            (unsigned long long)select->launch_skip,
            (unsigned long long)select->launch_count);
    }
    report->n_launches_seen = s->n_seen;
}

/* --- the run -------------------------------------------------------------- */

static wm_status open_trace(const wm_simulation *simulation, wm_diag *diag,
                            wm_trace **trace, wm_error *err)
{
    const wm_trace_options options = {false};
    if (simulation->tape != NULL) {
        if (simulation->diag != NULL) {
            *diag = *simulation->diag;
        }
        return wm_tape_open(simulation->tape, trace, err);
    }
    const char *path =
        simulation->study->traces.items[simulation->point->trace];
    return wm_trace_open(path, &options, diag, trace, err);
}

static wm_status check_result(const wm_simulation *simulation,
                              const wm_report *report, const wm_trace *trace,
                              bool is_complete, wm_error *err)
{
    const char *path =
        simulation->study->traces.items[simulation->point->trace];
    char digest[WM_DIGEST_HEX];
    wm_trace_digest(trace, digest);
    /* A reader that skips launches has not seen every byte. */
    if (report->selection[0] == '\0' &&
        strcmp(digest, simulation->trace_digest) != 0) {
        return wm_fail(err, WM_EFORMAT,
                       "%s: has changed since the study was planned; start it "
                       "again",
                       path);
    }
    if (!is_complete) {
        return wm_fail(err, WM_EFORMAT,
                       "%s: the result is incomplete: it was stopped, or a "
                       "part of the trace is missing",
                       path);
    }
    return WM_OK;
}

static void fill_report(wm_report *report, const wm_engine *engine,
                        const selection *s)
{
    (void)snprintf(report->version, sizeof(report->version), "%s", WM_VERSION);
    report->mode = s->study->is_counts ? "counts" : "timing";
    selection_text(s, report);
    if (s->point->first_launch != 0) {
        wm_gather_total(report);
        return;
    }
    wm_bound bound = WM_BOUND_LATENCY;
    report->total = *wm_engine_total(engine);
    wm_engine_total_bound(engine, report->total_busy_ppm, &bound);
    report->total_bound = (uint32_t)bound;
}

/* Replays the trace; what came out is in *report. */
static wm_status simulate_trace(wm_simulation *simulation, wm_engine *engine,
                                selection *s, wm_report *report, wm_error *err)
{
    wm_trace *trace = NULL;
    wm_diag diag;
    wm_diag_init(&diag);
    wm_status status = open_trace(simulation, &diag, &trace, err);
    if (status != WM_OK) {
        return status;
    }
    status = wm_engine_run(engine, trace, selection_keep, s, err);
    if (status == WM_OK) {
        fill_report(report, engine, s);
        wm_diag_merge(&report->diag, &diag);
        report->is_complete = wm_engine_is_complete(engine) &&
                              wm_trace_is_complete(trace) &&
                              (report->n_kernels != 0 || s->n_seen == 0);
        simulation->n_records = report->total.value[WM_C_LAUNCH_RECORDS];
        status =
            check_result(simulation, report, trace, report->is_complete, err);
    }
    if (status == WM_OK) {
        status = wm_report_add_trace(
            report, simulation->study->traces.items[simulation->point->trace],
            wm_trace_format_name(trace), simulation->trace_digest, err);
    }
    wm_trace_close(trace);
    return status;
}

static wm_status simulate_config(wm_simulation *simulation,
                                 const wm_config_set *config, wm_report *report,
                                 wm_error *err)
{
    selection s;
    wm_engine *engine = NULL;
    wm_status status = selection_init(&s, simulation, report, err);
    if (status != WM_OK) {
        return status;
    }
    const wm_engine_options options = {
        .mode = simulation->study->is_counts ? WM_MODE_COUNTS : WM_MODE_TIMING,
        .jobs = simulation->jobs,
        .progress = simulation->progress,
        .progress_context = simulation->progress_context,
        .select = selection_takes,
        .select_context = &s,
        .diag = &report->diag};
    report->config = config;
    status = wm_engine_new(wm_config_values(config), &options, &engine, err);
    if (status == WM_OK) {
        status = simulate_trace(simulation, engine, &s, report, err);
    }
    wm_engine_free(engine);
    if (s.has_expression) {
        regfree(&s.expression);
    }
    return status;
}

wm_status wm_simulate(wm_simulation *simulation, wm_buffer *out, wm_error *err)
{
    wm_report report;
    wm_config_set *config = NULL;
    wm_status status =
        wm_point_config(simulation->study, simulation->point, &config, err);
    if (status != WM_OK) {
        return status;
    }
    wm_report_init(&report);
    status = simulate_config(simulation, config, &report, err);
    if (status == WM_OK) {
        wm_writer_find("json")->write(&report, out);
        status = out->is_failed ? wm_fail_memory(err) : WM_OK;
    }
    wm_report_fini(&report);
    wm_config_free(config);
    return status;
}
