/*
 * text_chart.c -- the memory chart of the text report: what went from one
 * level to the next, how much of it hit, and how near the level is to its
 * peak.
 */
#include <inttypes.h>
#include <stdio.h>

#include "report/analysis.h"
#include "report/human.h"
#include "report/text_parts.h"

/* One line of the chart. */
typedef struct chart_row {
    const char *name;
    uint64_t n_requests;
    uint64_t n_units; /* sectors, or wavefronts */
    uint64_t n_hit;
    uint64_t n_looked_up; /* 0 = the hit rate is "-" */
    uint64_t n_bytes;
} chart_row;

/* A level's name and its busy part; units and hit name what differs from
 * sectors and hits. */
static void chart_level(const wm_report *report, wm_buffer *out,
                        const char *way, const char *bound, const char *units,
                        const char *hit)
{
    char id[24], busy[WM_HUMAN_BYTES];
    double value = 0;
    (void)snprintf(id, sizeof(id), "bound.%s", bound);
    const bool has = wm_report_value(report, NULL, id, &value);
    wm_buffer_printf(out, "%-20s %9s %10s %7s %9s %11s %8s\n", way, "", units,
                     "", hit, "", wm_human_percent(busy, has, value));
}

static void chart_line(wm_buffer *out, const chart_row *row)
{
    char requests[WM_HUMAN_BYTES], sectors[WM_HUMAN_BYTES];
    char hit[WM_HUMAN_BYTES], bytes[WM_HUMAN_BYTES];
    char per_request[WM_HUMAN_BYTES] = "-";
    if (row->n_requests != 0) {
        (void)snprintf(per_request, sizeof(per_request), "%.2f",
                       (double)row->n_units / (double)row->n_requests);
    }
    bool has_hit = row->n_looked_up != 0;
    double rate = has_hit ? (double)row->n_hit / (double)row->n_looked_up : 0.0;
    wm_buffer_printf(out, "  %-18s %9s %10s %7s %9s %11s\n", row->name,
                     wm_human_count(requests, row->n_requests),
                     wm_human_count(sectors, row->n_units), per_request,
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
            chart_level(report, out, "SM -> L1", "l1", "", "");
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
            chart_level(report, out, "SM -> shared memory", "shared",
                        "wavefronts", "conflicts");
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
            chart_level(report, out, "L1 -> L2", "l2", "", "");
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
    wm_buffer_printf(out, "  %-18s %9s %10s %7s %9s %11s\n", name, "",
                     wm_human_count(sectors, n_sectors), "", "",
                     wm_human_bytes(bytes, (double)n_bytes));
}

static void chart_dram_rate(const wm_report *report, wm_buffer *out)
{
    char text[WM_HUMAN_BYTES], peak[WM_HUMAN_BYTES], share[WM_HUMAN_BYTES];
    double row_hit = 0, rate = 0, part = 0;
    if (report->config == NULL ||
        !wm_report_value(report, NULL, "bandwidth.dram", &rate) ||
        !wm_report_value(report, NULL, "ratio.dram_utilization", &part)) {
        return;
    }
    wm_buffer_printf(
        out, "  %s of %s peak (%s)", wm_human_rate(text, rate),
        wm_human_rate(peak,
                      (double)wm_config_values(report->config)->dram.bandwidth),
        wm_human_percent(share, true, part));
    if (wm_report_value(report, NULL, "ratio.dram_row_hit", &row_hit)) {
        wm_buffer_printf(out, ", row hits %s",
                         wm_human_percent(text, true, row_hit));
    }
    wm_buffer_puts(out, "\n");
}

/* Banked channels: where the time of their data buses went, in order of size
 * but for the data. */
static void chart_dram_bus(const wm_report *report, wm_buffer *out)
{
    static const char *const names[] = {
        "data",          "refresh",       "turnaround",  "row miss",
        "bank conflict", "activate rate", "column rate", "idle"};
    const uint64_t *ns = &report->total.value[WM_C_DRAM_BUS_DATA_NS];
    const uint32_t n = sizeof(names) / sizeof(names[0]);
    uint64_t sum = 0;
    uint32_t left = (1u << n) - 1;
    char text[WM_HUMAN_BYTES];
    for (uint32_t i = 0; i < n; i++) {
        sum += ns[i];
    }
    if (sum == 0) {
        return;
    }
    wm_buffer_puts(out, "  data bus  ");
    uint32_t best = 0;
    for (uint32_t k = 0; k < n; k++) {
        left &= ~(1u << best);
        wm_buffer_printf(
            out, "%s%s %s",
            k == 0       ? ""
            : k % 3 == 0 ? ",\n            "
                         : ", ",
            names[best],
            wm_human_percent(text, true, (double)ns[best] / (double)sum));
        best = n;
        for (uint32_t i = 0; i < n; i++) {
            if ((left >> i & 1) != 0 && (best == n || ns[i] > ns[best])) {
                best = i;
            }
        }
    }
    wm_buffer_puts(out, "\n");
}

static void chart_dram(const wm_report *report, wm_buffer *out)
{
    const uint64_t *c = report->total.value;
    char text[WM_HUMAN_BYTES];
    if (c[WM_C_DRAM_READ_SECTORS] + c[WM_C_DRAM_WRITE_SECTORS] == 0) {
        wm_buffer_puts(out, "L2 -> DRAM            no traffic\n");
    } else {
        chart_level(report, out, "L2 -> DRAM", "dram", "", "");
        chart_dram_line(out, "reads", c[WM_C_DRAM_READ_SECTORS],
                        c[WM_C_DRAM_READ_BYTES]);
        chart_dram_line(out, "writes", c[WM_C_DRAM_WRITE_SECTORS],
                        c[WM_C_DRAM_WRITE_BYTES]);
        chart_dram_rate(report, out);
        chart_dram_bus(report, out);
    }
    if (c[WM_C_L2_DIRTY_BYTES_LEFT] != 0) {
        wm_buffer_printf(
            out, "  %s dirty in the L2 at the end\n",
            wm_human_bytes(text, (double)c[WM_C_L2_DIRTY_BYTES_LEFT]));
    }
}

void wm_text_chart(const wm_report *report, wm_buffer *out)
{
    const char *bold = report->use_colour ? "\033[1m" : "";
    const char *plain = report->use_colour ? "\033[0m" : "";
    wm_buffer_printf(out, "\n%s%-20s %9s %10s %7s %9s %11s %8s%s\n", bold,
                     "Memory chart", "requests", "sectors", "per req", "hit",
                     "bytes", "busy", plain);
    chart_l1(report, out);
    chart_shared(report, out);
    chart_l2(report, out);
    chart_dram(report, out);
}
