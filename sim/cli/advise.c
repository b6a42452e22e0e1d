/*
 * advise.c -- runs repeated with one instruction made ideal.
 */
#include "cli/advise.h"

#include <stdlib.h>
#include <string.h>

#include "cli/progress.h"
#include "report/analysis.h"

/* A static instruction over all launches of one name. */
typedef struct candidate {
    const char *name;
    uint64_t pc;
    double weight;
} candidate;

static int candidate_by_place(const void *left, const void *right)
{
    const candidate *a = left;
    const candidate *b = right;
    const int order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->pc > b->pc) - (a->pc < b->pc);
}

static int candidate_by_weight(const void *left, const void *right)
{
    const candidate *a = left;
    const candidate *b = right;
    if (a->weight < b->weight || a->weight > b->weight) {
        return a->weight > b->weight ? -1 : 1;
    }
    return candidate_by_place(left, right);
}

/* Cycles that the row's fault may cost its launch: a rank, no estimate. */
static double candidate_weight(const wm_report_kernel *kernel,
                               const wm_report_instruction *row,
                               const wm_row_shares *shares, uint64_t lsu_cycles)
{
    const double excess = wm_row_excess(row);
    double share = wm_row_share(shares, row);
    if (excess < 1.1 || strncmp(row->kind, "local", 5) == 0) {
        return 0;
    }
    if (lsu_cycles != 0) {
        share += (double)row->lsu_cycles / (double)lsu_cycles;
    }
    return (double)kernel->counters.value[WM_C_TIME_CYCLES] * share *
           (1 - 1 / excess);
}

static size_t candidates_of(const wm_report_kernel *kernel, candidate *list)
{
    const wm_row_shares shares = wm_row_shares_of(kernel);
    uint64_t lsu_cycles = 0;
    size_t n = 0;
    for (uint32_t i = 0; i < kernel->n_instructions; i++) {
        lsu_cycles += kernel->instructions[i].lsu_cycles;
    }
    for (uint32_t i = 0; i < kernel->n_instructions; i++) {
        const wm_report_instruction *row = &kernel->instructions[i];
        const double weight =
            candidate_weight(kernel, row, &shares, lsu_cycles);
        if (weight > 0) {
            list[n++] = (candidate){kernel->name, row->pc, weight};
        }
    }
    return n;
}

/* Adds up what stands for the same instruction; returns how many are left. */
static size_t candidates_merge(candidate *list, size_t n)
{
    size_t n_kept = 0;
    qsort(list, n, sizeof(*list), candidate_by_place);
    for (size_t i = 0; i < n; i++) {
        if (n_kept != 0 &&
            candidate_by_place(&list[n_kept - 1], &list[i]) == 0) {
            list[n_kept - 1].weight += list[i].weight;
        } else {
            list[n_kept++] = list[i];
        }
    }
    return n_kept;
}

/* --- one run -------------------------------------------------------------- */
typedef struct replay {
    wm_report *report;
    const candidate *what;
    size_t n_kernels; /* seen, in the report's order */
} replay;

static wm_status replay_keep(const wm_kernel_result *result, void *context,
                             wm_error *err)
{
    replay *r = context;
    (void)err;
    if (r->n_kernels >= r->report->n_kernels) {
        return WM_OK;
    }
    wm_report_kernel *kernel = &r->report->kernels[r->n_kernels++];
    if (strcmp(kernel->name, r->what->name) != 0) {
        return WM_OK;
    }
    for (uint32_t i = 0; i < kernel->n_instructions; i++) {
        wm_report_instruction *row = &kernel->instructions[i];
        if (row->pc == r->what->pc && row->n_requests != 0) {
            row->is_advised = true;
            row->ideal_cycles = result->counters.value[WM_C_TIME_CYCLES];
        }
    }
    return WM_OK;
}

static bool replay_takes(const wm_launch *launch, uint64_t index, void *context)
{
    (void)index;
    return wm_select_takes(context, launch);
}

static bool replay_goes_on(const wm_progress *progress, void *context)
{
    (void)progress;
    (void)context;
    return !wm_interrupt_is_wanted();
}

static wm_status replay_traces(const wm_advise_plan *plan, wm_engine *engine,
                               replay *r, wm_error *err)
{
    const wm_trace_options options = {.keep_going = plan->keep_going};
    wm_status status = WM_OK;
    for (size_t i = 0;
         i < plan->traces->n && status == WM_OK && !wm_interrupt_is_wanted();
         i++) {
        wm_trace *trace = NULL;
        status =
            wm_trace_open(plan->traces->items[i], &options, NULL, &trace, err);
        if (status == WM_OK) {
            status = wm_engine_run(engine, trace, replay_keep, r, err);
        }
        wm_trace_close(trace);
    }
    return status;
}

static wm_status replay_run(const wm_advise_plan *plan, wm_report *report,
                            const candidate *what, wm_error *err)
{
    wm_diag diag; /* the same warnings again: not kept */
    wm_select select;
    replay r = {report, what, 0};
    wm_engine *engine = NULL;
    wm_diag_init(&diag);
    wm_status status = wm_select_init(&select, plan->select, err);
    if (status != WM_OK) {
        return status;
    }
    const wm_engine_options options = {.mode = plan->mode,
                                       .jobs = plan->jobs,
                                       .ideal_kernel = what->name,
                                       .ideal_pc = what->pc,
                                       .progress = replay_goes_on,
                                       .select = replay_takes,
                                       .select_context = &select,
                                       .diag = &diag};
    status = wm_engine_new(plan->config, &options, &engine, err);
    if (status == WM_OK) {
        status = replay_traces(plan, engine, &r, err);
    }
    wm_engine_free(engine);
    wm_select_fini(&select);
    return status;
}

wm_status wm_advise(const wm_advise_plan *plan, wm_report *report,
                    wm_error *err)
{
    size_t n_rows = 0, n = 0;
    for (size_t k = 0; k < report->n_kernels; k++) {
        n_rows += report->kernels[k].n_instructions;
    }
    candidate *list = calloc(n_rows + 1, sizeof(*list));
    if (list == NULL) {
        return wm_fail_memory(err);
    }
    for (size_t k = 0; k < report->n_kernels; k++) {
        n += candidates_of(&report->kernels[k], list + n);
    }
    n = candidates_merge(list, n);
    qsort(list, n, sizeof(*list), candidate_by_weight);
    wm_status status = WM_OK;
    for (size_t i = 0; i < n && i < WM_ADVISE_MAX && status == WM_OK; i++) {
        status = replay_run(plan, report, &list[i], err);
    }
    free(list);
    return status;
}
