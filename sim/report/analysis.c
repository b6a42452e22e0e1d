/*
 * analysis.c -- from numbers to sentences.
 */
#include "report/analysis.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/human.h"

/* Positions in wm_report_bound_names, the order of metrics.def. */
enum { LSU, L1, SHARED, FABRIC, L2, DRAM, LATENCY, LAUNCH };

#define WASTE_WORTH_SAYING 0.10
#define ROW_HIT_GOOD       0.60

bool wm_report_value(const wm_report *report, const wm_report_kernel *kernel,
                     const char *id, double *value)
{
    for (size_t i = 0; i < wm_n_metrics(); i++) {
        if (strcmp(wm_metric_at(i)->id, id) == 0) {
            return wm_metric_value(report, kernel, i, value);
        }
    }
    assert(false); /* an id that metrics.def lacks */
    return false;
}

/* --- the diagnosis -------------------------------------------------------- */
typedef struct diagnosis {
    const wm_report *report;
    const wm_report_kernel *kernel;
    const uint32_t *busy_ppm;
    wm_buffer *out;
} diagnosis;

/* Appends "TEXT 12.5 %" when the metric has a value. */
static void say_percent(const diagnosis *d, const char *text, const char *id)
{
    char number[WM_HUMAN_BYTES];
    double value = 0;
    if (wm_report_value(d->report, d->kernel, id, &value)) {
        wm_buffer_printf(d->out, "%s %s", text,
                         wm_human_percent(number, true, value));
    }
}

static void say_busy(const diagnosis *d, const char *who, uint32_t bound)
{
    char number[WM_HUMAN_BYTES];
    wm_buffer_printf(d->out, "%s busy %s of the time", who,
                     wm_human_percent(number, true, d->busy_ppm[bound] / 1e6));
}

/* How much of what was moved between SM and L1 nobody asked for. */
static void say_waste(const diagnosis *d)
{
    char number[WM_HUMAN_BYTES];
    double used = 0;
    if (wm_report_value(d->report, d->kernel, "ratio.coalescing_efficiency",
                        &used) &&
        used <= 1 - WASTE_WORTH_SAYING) {
        wm_buffer_printf(d->out, "; %s of the bytes moved were not asked for",
                         wm_human_percent(number, true, 1 - used));
    }
}

static void say_dram(const diagnosis *d)
{
    double row_hit = 1;
    say_percent(d, "DRAM-bound:", "ratio.dram_utilization");
    wm_buffer_puts(d->out, " of peak bandwidth");
    say_busy(d, ", the busiest channel", DRAM);
    say_waste(d);
    if (wm_report_value(d->report, d->kernel, "ratio.dram_row_hit", &row_hit) &&
        row_hit < ROW_HIT_GOOD) {
        say_percent(d, "; row hits only", "ratio.dram_row_hit");
    }
}

static void say_shared(const diagnosis *d)
{
    const uint64_t *c =
        d->kernel != NULL ? d->kernel->counters.value : d->report->total.value;
    char number[WM_HUMAN_BYTES];
    uint64_t n = 0, ideal = 0;
    for (size_t op = 0; op < 3; op++) {
        const uint64_t *f = c + WM_C_SHARED_LOAD_REQUESTS + op * WM_SH_FIELDS;
        n += f[WM_SH_WAVEFRONTS];
        ideal += f[WM_SH_IDEAL_WAVEFRONTS];
    }
    say_busy(d, "Shared-memory-bound: the banks of the busiest SM are", SHARED);
    if (n > ideal) {
        wm_buffer_printf(
            d->out, "; %s of their passes are bank conflicts",
            wm_human_percent(number, true, (double)(n - ideal) / (double)n));
    }
}

/* The busiest resource; latency and launch are not resources. */
static uint32_t busiest(const uint32_t *busy_ppm)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < LATENCY; i++) {
        best = busy_ppm[i] > busy_ppm[best] ? i : best;
    }
    return best;
}

static void say_latency(const diagnosis *d)
{
    char number[WM_HUMAN_BYTES];
    double occupancy = 0;
    const uint32_t top = busiest(d->busy_ppm);
    wm_buffer_printf(
        d->out,
        "Latency-bound: warps wait for results; the busiest resource, %s, "
        "works %s of the time",
        wm_report_bound_names[top],
        wm_human_percent(number, true, d->busy_ppm[top] / 1e6));
    if (wm_report_value(d->report, d->kernel, "ratio.occupancy", &occupancy)) {
        wm_buffer_printf(d->out, "; %s of the places for warps are taken",
                         wm_human_percent(number, true, occupancy));
    }
}

void wm_report_diagnose(const wm_report *report, const wm_report_kernel *kernel,
                        wm_buffer *out)
{
    const diagnosis d = {
        report, kernel,
        kernel != NULL ? kernel->busy_ppm : report->total_busy_ppm, out};
    const uint64_t *c =
        kernel != NULL ? kernel->counters.value : report->total.value;
    if (c[WM_C_TIME_CYCLES] == 0) {
        return;
    }
    switch (kernel != NULL ? kernel->bound : report->total_bound) {
    case DRAM:
        say_dram(&d);
        break;
    case L2:
        say_busy(&d, "L2-bound: the busiest slice is", L2);
        say_percent(&d, "; L2 hit rate", "ratio.l2_hit");
        say_waste(&d);
        break;
    case FABRIC:
        say_busy(&d, "Fabric-bound: the busiest port between SMs and L2 is",
                 FABRIC);
        say_percent(&d, "; L1 hit rate", "ratio.l1_hit");
        say_waste(&d);
        break;
    case L1:
        say_busy(&d, "L1-bound: tag and data stages of the busiest SM are", L1);
        say_waste(&d);
        break;
    case LSU:
        say_busy(&d, "LSU-bound: the busiest load/store unit is", LSU);
        say_waste(&d);
        break;
    case SHARED:
        say_shared(&d);
        break;
    case LAUNCH:
        say_busy(&d, "Launch-bound: starting kernels keeps the chip", LAUNCH);
        break;
    default:
        say_latency(&d);
        break;
    }
    wm_buffer_puts(out, ".");
}

/* --- instructions --------------------------------------------------------- */
static bool row_is_shared(const wm_report_instruction *row)
{
    return strncmp(row->kind, "shared", 6) == 0;
}

static bool row_is_local(const wm_report_instruction *row)
{
    return strncmp(row->kind, "local", 5) == 0;
}

double wm_row_excess(const wm_report_instruction *row)
{
    const bool is_shared = row_is_shared(row);
    const uint64_t n = is_shared ? row->wavefronts : row->n_sectors;
    const uint64_t ideal =
        is_shared ? row->ideal_wavefronts : row->ideal_sectors;
    return ideal != 0 && n > ideal ? (double)n / (double)ideal : 1.0;
}

/* The class of most records, off left out; of equals the worse. */
static wm_access_class row_class(const wm_report_instruction *row)
{
    uint32_t best = WM_CLASS_OFF;
    for (uint32_t i = WM_CLASS_ONE; i < WM_CLASSES; i++) {
        if (row->n_class[i] != 0 &&
            (best == WM_CLASS_OFF || row->n_class[i] >= row->n_class[best])) {
            best = i;
        }
    }
    return (wm_access_class)best;
}

void wm_row_pattern(const wm_report_instruction *row, wm_buffer *out)
{
    const wm_access_class class = row_class(row);
    if (row_is_shared(row)) {
        const double ways = wm_row_excess(row);
        if (row->wavefronts == 0) {
            wm_buffer_puts(out, "-");
        } else if (ways <= 1) {
            wm_buffer_puts(out, "no conflicts");
        } else {
            wm_buffer_printf(out, "%.3g-way conflicts", ways);
        }
    } else if (class == WM_CLASS_OFF) {
        wm_buffer_puts(out, "-");
    } else if (row_is_local(row)) {
        wm_buffer_puts(out, wm_row_excess(row) <= 1 ? "interleaved" : "gather");
    } else if (class != WM_CLASS_STRIDED) {
        wm_buffer_puts(out, wm_access_class_name(class));
    } else if (row->stride_least == row->stride_most) {
        wm_buffer_printf(out, "strided by %" PRId64 " B", row->stride_least);
    } else {
        wm_buffer_printf(out, "strided %" PRId64 "..%" PRId64 " B",
                         row->stride_least, row->stride_most);
    }
}

static uint64_t row_weight(const wm_report_instruction *row, uint32_t bound)
{
    switch (bound) {
    case LSU:
    case L1:
    case LAUNCH:
        return row->lsu_cycles;
    case SHARED:
        return row_is_shared(row) ? row->wavefronts : 0;
    case LATENCY:
        return row->stall_cycles;
    default:
        break;
    }
    return row->miss_sectors;
}

static uint64_t row_weights(const wm_report_kernel *kernel, uint32_t bound)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < kernel->n_instructions; i++) {
        sum += row_weight(&kernel->instructions[i], bound);
    }
    return sum;
}

wm_row_shares wm_row_shares_of(const wm_report_kernel *kernel)
{
    wm_row_shares shares = {kernel->bound, row_weights(kernel, kernel->bound)};
    if (shares.sum == 0 && shares.bound == LATENCY) {
        shares.bound = DRAM; /* counts mode: no stalls are known */
        shares.sum = row_weights(kernel, DRAM);
    }
    return shares;
}

const char *wm_row_shares_name(const wm_row_shares *shares)
{
    switch (shares->bound) {
    case LSU:
    case L1:
    case LAUNCH:
        return "LSU time";
    case SHARED:
        return "bank passes";
    case LATENCY:
        return "stall time";
    default:
        break;
    }
    return "sectors sent to the L2";
}

double wm_row_share(const wm_row_shares *shares,
                    const wm_report_instruction *row)
{
    return shares->sum != 0
               ? (double)row_weight(row, shares->bound) / (double)shares->sum
               : 0;
}

static const char *advice_strided(const wm_report_instruction *row)
{
    const uint64_t step = row->stride_least < 0 ? -(uint64_t)row->stride_least
                                                : (uint64_t)row->stride_least;
    return step < 128
               ? "keep each field in an array of its own (structure of "
                 "arrays), so that lanes take neighbouring words"
               : "let neighbouring lanes take neighbouring addresses, or turn "
                 "the tile in shared memory first";
}

/* Of the classes that waste sectors the one most records are in. */
static const char *advice_global(const wm_report_instruction *row)
{
    const uint64_t *n = row->n_class;
    if (n[WM_CLASS_GATHER] != 0 && n[WM_CLASS_GATHER] >= n[WM_CLASS_STRIDED] &&
        n[WM_CLASS_GATHER] >= n[WM_CLASS_MISALIGNED]) {
        return "sort or bin the indices, so that the lanes of a warp fall "
               "into fewer sectors";
    }
    if (n[WM_CLASS_STRIDED] != 0 &&
        n[WM_CLASS_STRIDED] >= n[WM_CLASS_MISALIGNED]) {
        return advice_strided(row);
    }
    return "begin each warp's piece at a multiple of 32 B: pad the row pitch "
           "or shift the start";
}

void wm_row_advice(const wm_report_instruction *row, wm_buffer *out)
{
    if (wm_row_excess(row) < 1.1) {
        return;
    }
    if (row_is_shared(row)) {
        wm_buffer_puts(out, "pad each row of the array by one word, or swizzle "
                            "the columns, to spread lanes over the banks");
    } else if (row_is_local(row)) {
        wm_buffer_puts(out, "index local arrays alike in all lanes, or keep "
                            "them in registers");
    } else {
        wm_buffer_puts(out, advice_global(row));
    }
}
