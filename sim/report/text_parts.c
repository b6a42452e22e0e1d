/*
 * text_parts.c -- the head of a text report (time, diagnosis, efficiencies,
 * roofline) and the table of static instructions.
 */
#include "report/text_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/analysis.h"
#include "report/human.h"

/* --- the head ------------------------------------------------------------- */
static void text_diagnosis(const wm_report *report, wm_buffer *out)
{
    wm_buffer line;
    wm_buffer_init(&line);
    wm_report_diagnose(report, NULL, &line);
    if (line.bytes != NULL) {
        wm_buffer_puts(out, "Diagnosis   ");
        wm_human_wrap(out, line.bytes, 12, 12);
    }
    out->is_failed = out->is_failed || line.is_failed;
    wm_buffer_fini(&line);
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
    static const struct {
        const char *id;
        const char *name;
    } parts[] = {{"ratio.global_load_efficiency", "global loads"},
                 {"ratio.global_store_efficiency", "global stores"},
                 {"ratio.cache_efficiency", "caches"},
                 {"ratio.occupancy", "occupancy"}};
    char text[WM_HUMAN_BYTES];
    wm_buffer line;
    wm_buffer_init(&line);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        double value = 0;
        if (wm_report_value(report, NULL, parts[i].id, &value)) {
            wm_buffer_printf(&line, "%s%s %s", line.bytes == NULL ? "" : ", ",
                             parts[i].name,
                             wm_human_percent(text, true, value));
        }
    }
    if (line.bytes != NULL) {
        wm_buffer_puts(out, "Efficiency  ");
        wm_human_wrap(out, line.bytes, 12, 12);
    }
    out->is_failed = out->is_failed || line.is_failed;
    wm_buffer_fini(&line);
}

static void text_flops(char *text, size_t n_bytes, double per_second)
{
    static const char *const units[] = {"", "k", "M", "G", "T", "P"};
    size_t i = 0;
    while (per_second >= 999.5 && i + 1 < sizeof(units) / sizeof(units[0])) {
        per_second /= 1000;
        i++;
    }
    (void)snprintf(text, n_bytes, "%.3g %sFLOP/s", per_second, units[i]);
}

/* Where the run stands: left of the balance memory limits, right of it
 * arithmetic. */
static void text_roofline(const wm_report *report, wm_buffer *out)
{
    double flops = 0, intensity = 0, balance = 0, cycles = 0;
    char rate[32], line[192];
    if (!wm_report_value(report, NULL, "flops.total", &flops) || flops == 0 ||
        !wm_report_value(report, NULL, "time.cycles", &cycles) ||
        report->config == NULL || cycles == 0) {
        return;
    }
    const double seconds =
        cycles / (double)wm_config_values(report->config)->sm.clock;
    text_flops(rate, sizeof(rate), flops / seconds);
    if (!wm_report_value(report, NULL, "roofline.intensity", &intensity)) {
        (void)snprintf(line, sizeof(line), "%s, no DRAM traffic", rate);
    } else if (!wm_report_value(report, NULL, "roofline.balance", &balance) ||
               balance == 0) {
        (void)snprintf(line, sizeof(line), "%.3g FLOP/byte, %s", intensity,
                       rate);
    } else {
        (void)snprintf(line, sizeof(line),
                       "%.3g FLOP/byte of %.3g where memory and arithmetic "
                       "balance: the %s side; %s",
                       intensity, balance,
                       intensity < balance ? "memory" : "arithmetic", rate);
    }
    wm_buffer_puts(out, "Roofline    ");
    wm_human_wrap(out, line, 12, 12);
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
    (void)wm_report_value(report, NULL, "instructions.total", &n);
    wm_buffer_printf(out, "Executed    %s warp instruction%s, %s warp%s, ",
                     wm_human_count(instructions, (uint64_t)n),
                     n == 1 ? "" : "s", wm_human_count(warps, n_warps),
                     n_warps == 1 ? "" : "s");
    wm_buffer_printf(out, "%s CTA%s\n", wm_human_count(ctas, n_ctas),
                     n_ctas == 1 ? "" : "s");
}

void wm_text_total(const wm_report *report, wm_buffer *out)
{
    if (report->n_kernels == 0) {
        wm_buffer_puts(out, "\nNo kernel was simulated.\n");
        return;
    }
    text_title(report, out);
    if (report->total.value[WM_C_TIME_CYCLES] != 0) {
        text_diagnosis(report, out);
        text_busy(report, out);
    }
    text_efficiency(report, out);
    text_roofline(report, out);
    text_executed(report, out);
    if (text_has_memory(&report->total)) {
        wm_text_chart(report, out);
    } else {
        wm_buffer_puts(out, "\nNo memory instruction was executed.\n");
    }
}

/* --- static instructions -------------------------------------------------- */
typedef struct ranked_row {
    const wm_report_instruction *row;
    double share;
    double gain; /* shown by a run with it ideal; else 1 */
} ranked_row;

/* What a run with the instruction ideal has gained; a hundredth is noise. */
static double row_gain(const wm_report_kernel *kernel,
                       const wm_report_instruction *row)
{
    if (!row->is_advised || row->ideal_cycles == 0) {
        return 1;
    }
    const double gain = (double)kernel->counters.value[WM_C_TIME_CYCLES] /
                        (double)row->ideal_cycles;
    return gain < 1.01 ? 1 : gain;
}

static int ranked_compare(const void *left, const void *right)
{
    const ranked_row *a = left;
    const ranked_row *b = right;
    if (a->gain < b->gain || a->gain > b->gain) {
        return a->gain > b->gain ? -1 : 1;
    }
    if (a->share < b->share || a->share > b->share) {
        return a->share > b->share ? -1 : 1;
    }
    return a->row < b->row ? -1 : a->row > b->row;
}

static const char *per_request(char *text, uint64_t n, uint64_t n_requests)
{
    if (n_requests == 0) {
        return "-";
    }
    (void)snprintf(text, WM_HUMAN_BYTES, "%.2f",
                   (double)n / (double)n_requests);
    return text;
}

/* What a run with this instruction ideal has shown. */
static void instruction_gain(double gain, wm_buffer *line)
{
    wm_buffer_puts(line, line->bytes != NULL ? ": " : "");
    if (gain <= 1) {
        wm_buffer_puts(line, "no faster when it alone is ideal (replayed)");
    } else {
        wm_buffer_printf(line, "%.2f x as fast when it is ideal (replayed)",
                         gain);
    }
}

static void instruction_advice(const wm_report_kernel *kernel,
                               const wm_report_instruction *row, wm_buffer *out)
{
    wm_buffer line;
    wm_buffer_init(&line);
    wm_row_advice(row, &line);
    if (row->is_advised && row->ideal_cycles != 0) {
        instruction_gain(row_gain(kernel, row), &line);
    }
    if (line.bytes != NULL) {
        wm_buffer_puts(out, "         ");
        wm_human_wrap(out, line.bytes, 9, 9);
    }
    out->is_failed = out->is_failed || line.is_failed;
    wm_buffer_fini(&line);
}

static void instruction_hit(const wm_report_instruction *row, wm_buffer *out)
{
    const uint64_t n_hit = row->hit_sectors + row->pending_sectors;
    const uint64_t n = n_hit + row->miss_sectors;
    if (n != 0) {
        wm_buffer_printf(out, "%6.1f", 100 * (double)n_hit / (double)n);
    } else {
        wm_buffer_printf(out, "%6s", "-");
    }
}

static void instruction_line(const wm_report_kernel *kernel, wm_buffer *out,
                             const ranked_row *ranked)
{
    const wm_report_instruction *row = ranked->row;
    char requests[WM_HUMAN_BYTES], units[WM_HUMAN_BYTES];
    char ideal[WM_HUMAN_BYTES], line[16] = "-";
    const bool is_shared = strncmp(row->kind, "shared", 6) == 0;
    wm_buffer pattern;
    if (row->line != 0) {
        (void)snprintf(line, sizeof(line), "%u", row->line);
    }
    wm_buffer_printf(out, "%6" PRIx64 " %5s ", row->pc, line);
    wm_human_cut(out, row->opcode, 13, true);
    wm_buffer_printf(
        out, " %6.1f %8s %6s %5s ", 100 * ranked->share,
        wm_human_count(requests, row->n_requests),
        per_request(units, is_shared ? row->wavefronts : row->n_sectors,
                    row->n_requests),
        per_request(ideal,
                    is_shared ? row->ideal_wavefronts : row->ideal_sectors,
                    row->n_requests));
    instruction_hit(row, out);
    wm_buffer_puts(out, " ");
    wm_buffer_init(&pattern);
    wm_row_pattern(row, &pattern);
    if (pattern.bytes != NULL) {
        wm_human_cut(out, pattern.bytes, 17, false);
    }
    wm_buffer_puts(out, "\n");
    out->is_failed = out->is_failed || pattern.is_failed;
    wm_buffer_fini(&pattern);
    instruction_advice(kernel, row, out);
}

/* --- memory ranges -------------------------------------------------------- */
/* The range that holds all the instruction touched; n_ranges = none does. */
static uint32_t range_of(const wm_report *report,
                         const wm_report_instruction *row)
{
    uint32_t i = 0;
    while (i < report->n_ranges &&
           (row->address_least < report->ranges[i].begin ||
            row->address_most - report->ranges[i].begin >=
                report->ranges[i].n_bytes)) {
        i++;
    }
    return i;
}

static void range_line(const wm_report *report, uint32_t range,
                       const wm_report_instruction *sum, double share,
                       wm_buffer *out)
{
    char requests[WM_HUMAN_BYTES], sectors[WM_HUMAN_BYTES];
    char size[WM_HUMAN_BYTES], units[WM_HUMAN_BYTES];
    if (range < report->n_ranges) {
        wm_buffer_printf(
            out, "%16" PRIx64 " %10s", report->ranges[range].begin,
            wm_human_bytes(size, (double)report->ranges[range].n_bytes));
    } else {
        wm_buffer_printf(out, "%16s %10s", "elsewhere", "-");
    }
    wm_buffer_printf(out, " %6.1f %9s %10s %6s %6s ", 100 * share,
                     wm_human_count(requests, sum->n_requests),
                     wm_human_count(sectors, sum->n_sectors),
                     per_request(units, sum->n_sectors, sum->n_requests),
                     per_request(size, sum->ideal_sectors, sum->n_requests));
    instruction_hit(sum, out);
    wm_buffer_puts(out, "\n");
}

/* Global accesses by the copied range that holds all of an instruction's. */
static void text_ranges(const wm_report *report, const wm_report_kernel *kernel,
                        const wm_row_shares *shares, wm_buffer *out)
{
    if (report->n_ranges == 0) {
        return;
    }
    wm_buffer_printf(out, "%16s %10s %6s %9s %10s %6s %6s %6s\n",
                     "copied range", "size", "share%", "requests", "sectors",
                     "/req", "ideal", "L1hit%");
    for (uint32_t range = 0; range <= report->n_ranges; range++) {
        wm_report_instruction sum;
        double share = 0;
        memset(&sum, 0, sizeof(sum));
        for (uint32_t i = 0; i < kernel->n_instructions; i++) {
            const wm_report_instruction *row = &kernel->instructions[i];
            if (row->n_sectors == 0 || range_of(report, row) != range) {
                continue;
            }
            sum.n_requests += row->n_requests;
            sum.n_sectors += row->n_sectors;
            sum.ideal_sectors += row->ideal_sectors;
            sum.hit_sectors += row->hit_sectors;
            sum.pending_sectors += row->pending_sectors;
            sum.miss_sectors += row->miss_sectors;
            share += wm_row_share(shares, row);
        }
        if (sum.n_requests != 0) {
            range_line(report, range, &sum, share, out);
        }
    }
}

void wm_text_instructions(const wm_report *report,
                          const wm_report_kernel *kernel, wm_buffer *out)
{
    const char *bold = report->use_colour ? "\033[1m" : "";
    const char *plain = report->use_colour ? "\033[0m" : "";
    const wm_row_shares shares = wm_row_shares_of(kernel);
    ranked_row *rows =
        calloc((size_t)kernel->n_instructions + 1, sizeof(*rows));
    uint32_t n = 0;
    if (rows == NULL) {
        out->is_failed = true;
        return;
    }
    for (uint32_t i = 0; i < kernel->n_instructions; i++) {
        /* Barriers and exits are rows too, but make no request. */
        if (kernel->instructions[i].n_requests != 0) {
            rows[n].gain = row_gain(kernel, &kernel->instructions[i]);
            rows[n].row = &kernel->instructions[i];
            rows[n++].share = wm_row_share(&shares, &kernel->instructions[i]);
        }
    }
    qsort(rows, n, sizeof(*rows), ranked_compare);
    wm_buffer_printf(out, "\n%sInstructions of launch %" PRIu64 ", ", bold,
                     kernel->launch);
    wm_human_cut(out, kernel->name, 40, false);
    wm_buffer_printf(out,
                     "%s\n(share: of %s; per request: sectors, in shared "
                     "memory wavefronts)\n",
                     plain, wm_row_shares_name(&shares));
    wm_buffer_printf(out, "%6s %5s %-13s %6s %8s %6s %5s %6s %s\n", "pc",
                     "line", "opcode", "share%", "requests", "/req", "ideal",
                     "L1hit%", "pattern");
    for (uint32_t i = 0; i < n; i++) {
        instruction_line(kernel, out, &rows[i]);
    }
    text_ranges(report, kernel, &shares, out);
    free(rows);
}
