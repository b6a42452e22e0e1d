/*
 * text_parts.c -- the memory chart, the bound and the instruction table of
 * the text report.
 */
#include "report/text_parts.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/human.h"

bool wm_text_value(const wm_report *report, const wm_report_kernel *kernel,
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

/* --- the memory chart ---------------------------------------------------- */

/* One line of the chart: what went from one level to the next. */
typedef struct chart_row {
    const char *name;
    uint64_t n_requests;
    uint64_t n_sectors;
    uint64_t n_hit;
    uint64_t n_looked_up; /* 0 = the hit rate is "-" */
    uint64_t n_bytes;
} chart_row;

static void chart_head(wm_buffer *out, const char *way, const char *second,
                       const char *third, const char *fourth)
{
    wm_buffer_printf(out, "\n%-20s %11s %11s %11s %11s %11s\n", way, "requests",
                     second, third, fourth, "bytes");
}

static void chart_line(wm_buffer *out, const chart_row *row)
{
    char requests[WM_HUMAN_BYTES], sectors[WM_HUMAN_BYTES];
    char hit[WM_HUMAN_BYTES], bytes[WM_HUMAN_BYTES];
    char per_request[WM_HUMAN_BYTES] = "-";
    if (row->n_requests != 0) {
        (void)snprintf(per_request, sizeof(per_request), "%.2f",
                       (double)row->n_sectors / (double)row->n_requests);
    }
    bool has_hit = row->n_looked_up != 0;
    double rate = has_hit ? (double)row->n_hit / (double)row->n_looked_up : 0.0;
    wm_buffer_printf(out, "  %-18s %11s %11s %11s %11s %11s\n", row->name,
                     wm_human_count(requests, row->n_requests),
                     wm_human_count(sectors, row->n_sectors), per_request,
                     wm_human_percent(hit, has_hit, rate),
                     wm_human_bytes(bytes, (double)row->n_bytes));
}

static uint64_t chart_sector_bytes(const wm_report *report)
{
    return report->config != NULL ? wm_config_values(report->config)->l1.sector
                                  : 32;
}

static void chart_l1(const wm_report *report, wm_buffer *out)
{
    static const char *const names[] = {
        "global loads", "global stores", "global atomics", "reductions",
        "local loads",  "local stores",  "async copies"};
    bool has_head = false;
    for (size_t kind = 0; kind < sizeof(names) / sizeof(names[0]); kind++) {
        const uint64_t *c =
            &report->total
                 .value[WM_C_L1_GLOBAL_LOAD_REQUESTS + kind * WM_L1_FIELDS];
        if (c[WM_L1_REQUESTS] == 0) {
            continue;
        }
        if (!has_head) {
            chart_head(out, "SM -> L1", "sectors", "per request", "L1 hit");
            has_head = true;
        }
        chart_row row = {names[kind],
                         c[WM_L1_REQUESTS],
                         c[WM_L1_SECTORS],
                         c[WM_L1_HIT_SECTORS] + c[WM_L1_PENDING_SECTORS],
                         c[WM_L1_HIT_SECTORS] + c[WM_L1_PENDING_SECTORS] +
                             c[WM_L1_MISS_SECTORS],
                         c[WM_L1_SECTORS] * chart_sector_bytes(report)};
        chart_line(out, &row);
    }
}

static void chart_shared(const wm_report *report, wm_buffer *out)
{
    static const char *const names[] = {"loads", "stores", "atomics"};
    bool has_head = false;
    for (size_t op = 0; op < sizeof(names) / sizeof(names[0]); op++) {
        const uint64_t *c =
            &report->total.value[WM_C_SHARED_LOAD_REQUESTS + op * WM_SH_FIELDS];
        if (c[WM_SH_REQUESTS] == 0) {
            continue;
        }
        if (!has_head) {
            chart_head(out, "SM -> shared memory", "wavefronts", "per request",
                       "conflicts");
            has_head = true;
        }
        chart_row row = {names[op],
                         c[WM_SH_REQUESTS],
                         c[WM_SH_WAVEFRONTS],
                         c[WM_SH_WAVEFRONTS] - c[WM_SH_IDEAL_WAVEFRONTS],
                         c[WM_SH_WAVEFRONTS],
                         c[WM_SH_REQUESTED_BYTES]};
        chart_line(out, &row);
    }
}

static void chart_l2(const wm_report *report, wm_buffer *out)
{
    static const char *const names[] = {"reads", "writes", "atomics"};
    bool has_head = false;
    for (size_t op = 0; op < sizeof(names) / sizeof(names[0]); op++) {
        const uint64_t *c =
            &report->total.value[WM_C_L2_READ_REQUESTS + op * WM_L2_FIELDS];
        if (c[WM_L2_REQUESTS] == 0) {
            continue;
        }
        if (!has_head) {
            chart_head(out, "L1 -> L2", "sectors", "per request", "L2 hit");
            has_head = true;
        }
        chart_row row = {names[op],
                         c[WM_L2_REQUESTS],
                         c[WM_L2_SECTORS],
                         c[WM_L2_HIT_SECTORS] + c[WM_L2_PENDING_SECTORS],
                         c[WM_L2_HIT_SECTORS] + c[WM_L2_PENDING_SECTORS] +
                             c[WM_L2_MISS_SECTORS],
                         c[WM_L2_SECTORS] * chart_sector_bytes(report)};
        chart_line(out, &row);
    }
}

static void chart_dram_line(wm_buffer *out, const char *name,
                            uint64_t n_sectors, uint64_t n_bytes)
{
    char sectors[WM_HUMAN_BYTES], bytes[WM_HUMAN_BYTES];
    wm_buffer_printf(out, "  %-18s %11s %11s %11s %11s %11s\n", name, "",
                     wm_human_count(sectors, n_sectors), "", "",
                     wm_human_bytes(bytes, (double)n_bytes));
}

static void chart_dram(const wm_report *report, wm_buffer *out)
{
    const uint64_t *c = report->total.value;
    char text[WM_HUMAN_BYTES], peak[WM_HUMAN_BYTES], share[WM_HUMAN_BYTES];
    double row_hit = 0, rate = 0, part = 0;
    if (c[WM_C_DRAM_READ_SECTORS] + c[WM_C_DRAM_WRITE_SECTORS] == 0) {
        wm_buffer_puts(out, "\nL2 -> DRAM: no traffic\n");
        return;
    }
    wm_buffer_printf(out, "\n%-20s %11s %11s %11s %11s %11s\n", "L2 -> DRAM",
                     "", "sectors", "", "", "bytes");
    chart_dram_line(out, "reads", c[WM_C_DRAM_READ_SECTORS],
                    c[WM_C_DRAM_READ_BYTES]);
    chart_dram_line(out, "writes", c[WM_C_DRAM_WRITE_SECTORS],
                    c[WM_C_DRAM_WRITE_BYTES]);
    if (report->config != NULL &&
        wm_text_value(report, NULL, "bandwidth.dram", &rate) &&
        wm_text_value(report, NULL, "ratio.dram_utilization", &part)) {
        wm_buffer_printf(
            out, "  %s of %s peak (%s)", wm_human_rate(text, rate),
            wm_human_rate(
                peak, (double)wm_config_values(report->config)->dram.bandwidth),
            wm_human_percent(share, true, part));
        if (wm_text_value(report, NULL, "ratio.dram_row_hit", &row_hit)) {
            wm_buffer_printf(out, ", row hits %s",
                             wm_human_percent(text, true, row_hit));
        }
        wm_buffer_puts(out, "\n");
    }
}

/* --- time, efficiency, bound --------------------------------------------- */

/* The resource that is busiest, `but` left out; latency and launch are not
 * resources. */
static uint32_t busiest(const uint32_t *busy_ppm, uint32_t but)
{
    uint32_t best = but == 0 ? 1 : 0;
    for (uint32_t i = 0; i + 2 < WM_REPORT_BOUNDS; i++) {
        if (i != but && busy_ppm[i] > busy_ppm[best]) {
            best = i;
        }
    }
    return best;
}

static void text_bound(const wm_report *report, wm_buffer *out)
{
    const uint32_t *busy = report->total_busy_ppm;
    uint32_t bound = report->total_bound;
    const char *name = wm_report_bound_names[bound];
    char text[WM_HUMAN_BYTES], other[WM_HUMAN_BYTES], line[256];
    if (bound + 2 < WM_REPORT_BOUNDS) {
        uint32_t next = busiest(busy, bound);
        (void)snprintf(line, sizeof(line),
                       "%s, busy %s of the time; next is %s with %s.", name,
                       wm_human_percent(text, true, busy[bound] / 1e6),
                       wm_report_bound_names[next],
                       wm_human_percent(other, true, busy[next] / 1e6));
    } else {
        uint32_t top = busiest(busy, WM_REPORT_BOUNDS);
        (void)snprintf(
            line, sizeof(line),
            "%s: %s; the busiest resource, %s, is busy %s of the time.", name,
            strcmp(name, "latency") == 0
                ? "warps wait for results and too few run to hide it"
                : "starting kernels takes longest",
            wm_report_bound_names[top],
            wm_human_percent(text, true, busy[top] / 1e6));
    }
    wm_buffer_puts(out, "Bound by    ");
    wm_human_wrap(out, line, 12, 12);
}

/* Whole percents: six resources fit one line. */
static void text_busy(const wm_report *report, wm_buffer *out)
{
    wm_buffer_puts(out, "Busy        ");
    for (uint32_t i = 0; i + 2 < WM_REPORT_BOUNDS; i++) {
        wm_buffer_printf(out, "%s%s %.0f %%", i == 0 ? "" : ", ",
                         wm_report_bound_names[i],
                         report->total_busy_ppm[i] / 1e4);
    }
    wm_buffer_puts(out, "\n");
}

static void text_efficiency(const wm_report *report, wm_buffer *out)
{
    static const char *const ids[] = {"ratio.global_load_efficiency",
                                      "ratio.global_store_efficiency"};
    static const char *const names[] = {"loads", "stores"};
    char text[WM_HUMAN_BYTES];
    bool is_first = true;
    for (size_t i = 0; i < 2; i++) {
        double value = 0;
        if (wm_text_value(report, NULL, ids[i], &value)) {
            wm_buffer_printf(out, "%sglobal %s %s",
                             is_first ? "Efficiency  " : ", ", names[i],
                             wm_human_percent(text, true, value));
            is_first = false;
        }
    }
    if (!is_first) {
        wm_buffer_puts(out, " (bytes asked / moved)\n");
    }
}

static bool text_has_memory(const wm_counters *counters)
{
    uint64_t n = 0;
    for (size_t kind = 0; kind < 7; kind++) {
        n +=
            counters->value[WM_C_L1_GLOBAL_LOAD_REQUESTS + kind * WM_L1_FIELDS];
    }
    for (size_t op = 0; op < 3; op++) {
        n += counters->value[WM_C_SHARED_LOAD_REQUESTS + op * WM_SH_FIELDS];
    }
    return n != 0;
}

static void text_title(const wm_report *report, wm_buffer *out)
{
    const uint64_t *c = report->total.value;
    char time[WM_HUMAN_BYTES];
    const char *bold = report->use_colour ? "\033[1m" : "";
    const char *plain = report->use_colour ? "\033[0m" : "";
    wm_buffer_printf(out, "\n%s", bold);
    if (report->n_kernels == 1) {
        const wm_report_kernel *kernel = &report->kernels[0];
        wm_human_cut(out, kernel->name, 40, false);
        wm_buffer_printf(out, " %s(grid %ux%ux%u, block %ux%ux%u)", plain,
                         kernel->grid[0], kernel->grid[1], kernel->grid[2],
                         kernel->block[0], kernel->block[1], kernel->block[2]);
    } else {
        wm_buffer_printf(out, "All %zu launches%s", report->n_kernels, plain);
    }
    wm_buffer_printf(out, "\nTime        %s, %" PRIu64 " SM cycles%s\n",
                     wm_human_time(time, (double)c[WM_C_TIME_NS] / 1e9),
                     c[WM_C_TIME_CYCLES],
                     strcmp(report->mode, "counts") == 0
                         ? " (estimated from the busiest resource)"
                         : "");
}

static void text_executed(const wm_report *report, wm_buffer *out)
{
    const uint64_t *c = report->total.value;
    const uint64_t n_warps = c[WM_C_LAUNCH_WARPS];
    const uint64_t n_ctas = c[WM_C_LAUNCH_CTAS];
    char instructions[WM_HUMAN_BYTES], warps[WM_HUMAN_BYTES];
    char ctas[WM_HUMAN_BYTES];
    double n = 0;
    (void)wm_text_value(report, NULL, "instructions.total", &n);
    wm_buffer_printf(out, "Executed    %s warp instruction%s, %s warp%s, ",
                     wm_human_count(instructions, (uint64_t)n),
                     n == 1 ? "" : "s", wm_human_count(warps, n_warps),
                     n_warps == 1 ? "" : "s");
    wm_buffer_printf(out, "%s CTA%s\n", wm_human_count(ctas, n_ctas),
                     n_ctas == 1 ? "" : "s");
}

void wm_text_total(const wm_report *report, wm_buffer *out)
{
    char text[WM_HUMAN_BYTES];
    if (report->n_kernels == 0) {
        wm_buffer_puts(out, "\nNo kernel was simulated.\n");
        return;
    }
    text_title(report, out);
    if (report->total.value[WM_C_TIME_CYCLES] != 0) {
        text_bound(report, out);
        text_busy(report, out);
    }
    text_efficiency(report, out);
    text_executed(report, out);
    if (!text_has_memory(&report->total)) {
        wm_buffer_puts(out, "\nNo memory instruction was executed.\n");
        return;
    }
    chart_l1(report, out);
    chart_shared(report, out);
    chart_l2(report, out);
    chart_dram(report, out);
    uint64_t n_dirty = report->total.value[WM_C_L2_DIRTY_BYTES_LEFT];
    if (n_dirty != 0) {
        wm_buffer_printf(out, "  %s dirty in the L2 at the end\n",
                         wm_human_bytes(text, (double)n_dirty));
    }
}

/* --- static instructions -------------------------------------------------- */

static void instruction_line(const wm_report *report, wm_buffer *out,
                             const wm_report_instruction *row)
{
    char requests[WM_HUMAN_BYTES], hit[WM_HUMAN_BYTES], bytes[WM_HUMAN_BYTES];
    char per_request[WM_HUMAN_BYTES] = "-", line[16] = "-";
    bool is_shared = strncmp(row->kind, "shared", 6) == 0;
    uint64_t n_looked_up =
        row->hit_sectors + row->pending_sectors + row->miss_sectors;
    uint64_t n_units = is_shared ? row->wavefronts : row->n_sectors;
    uint64_t n_bytes = is_shared ? row->requested_bytes
                                 : row->n_sectors * chart_sector_bytes(report);
    if (row->n_requests != 0) {
        (void)snprintf(per_request, sizeof(per_request), "%.2f",
                       (double)n_units / (double)row->n_requests);
    }
    if (row->line != 0) {
        (void)snprintf(line, sizeof(line), "%u", row->line);
    }
    wm_buffer_printf(out, "%6" PRIx64 " %5s ", row->pc, line);
    wm_human_cut(out, row->opcode, 15, true);
    wm_buffer_printf(out, " %-16s %9s %6s %7s %8s\n", row->kind,
                     wm_human_count(requests, row->n_requests), per_request,
                     wm_human_percent(hit, n_looked_up != 0,
                                      n_looked_up != 0
                                          ? (double)(row->hit_sectors +
                                                     row->pending_sectors) /
                                                (double)n_looked_up
                                          : 0),
                     wm_human_bytes(bytes, (double)n_bytes));
}

void wm_text_instructions(const wm_report *report,
                          const wm_report_kernel *kernel, wm_buffer *out)
{
    wm_buffer_printf(out, "\nInstructions of launch %" PRIu64 ", ",
                     kernel->launch);
    wm_human_cut(out, kernel->name, 40, false);
    wm_buffer_puts(out, "\n(s/req: sectors, in shared memory wavefronts, per "
                        "request)\n");
    wm_buffer_printf(out, "%6s %5s %-15s %-16s %9s %6s %7s %8s\n", "pc", "line",
                     "opcode", "kind", "requests", "s/req", "L1 hit", "bytes");
    for (uint32_t i = 0; i < kernel->n_instructions; i++) {
        /* Barriers and exits are rows too, but make no request. */
        if (kernel->instructions[i].n_requests != 0) {
            instruction_line(report, out, &kernel->instructions[i]);
        }
    }
}
