/*
 * writer_text.c -- the result as 80 columns of text: what ran on what, the
 * launches that took longest, and the way of the bytes through the memory
 * system, with what limits it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/analysis.h"
#include "report/human.h"
#include "report/report.h"
#include "report/text_parts.h"

#define TEXT_KERNELS_MAX 20u
#define TEXT_TABLES_MAX  8u /* of instructions */

static void text_line(wm_buffer *out, const char *word, const char *text)
{
    wm_buffer_printf(out, "%-8s", word);
    wm_human_cut(out, text, 72, false);
    wm_buffer_puts(out, "\n");
}

/* "kernel.l1_between=invalidate" and so on: what the caches kept. */
static void text_state(const wm_report *report, wm_buffer *out)
{
    static const char *const keys[] = {"kernel.l1_between", "kernel.l2_between",
                                       "memcpy.l2"};
    wm_buffer_puts(out, "state   ");
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const wm_key *key = wm_key_find(keys[i]);
        if (key != NULL) {
            wm_buffer_printf(out, "%s%s=", i == 0 ? "" : ", ", keys[i]);
            wm_key_format(key, wm_config_values(report->config), out);
        }
    }
    wm_buffer_puts(out, "\n");
}

static void text_config(const wm_report *report, wm_buffer *out)
{
    char digest[WM_DIGEST_HEX];
    wm_config_digest(report->config, digest);
    wm_buffer_puts(out, "config  ");
    wm_human_cut_path(out, wm_config_name(report->config), 32);
    if (report->config_note[0] != '\0') {
        wm_buffer_printf(out, " (%s)", report->config_note);
    }
    wm_buffer_printf(out, ", digest %.8s\n", digest);
    text_state(report, out);
}

static void text_traces(const wm_report *report, wm_buffer *out)
{
    size_t n_shown = report->n_traces <= 4 ? report->n_traces : 3;
    for (size_t i = 0; i < n_shown; i++) {
        const wm_report_trace *trace = &report->traces[i];
        wm_buffer_puts(out, "trace   ");
        wm_human_cut_path(out, trace->path, 40);
        wm_buffer_printf(out, " (%.12s), digest %.8s\n", trace->format,
                         trace->digest);
    }
    if (n_shown < report->n_traces) {
        wm_buffer_printf(out, "        ... and %zu more traces\n",
                         report->n_traces - n_shown);
    }
}

static void text_header(const wm_report *report, wm_buffer *out)
{
    char line[192];
    const char *bold = report->use_colour ? "\033[1m" : "";
    const char *plain = report->use_colour ? "\033[0m" : "";
    wm_buffer_printf(out, "%swarpmem %s, %s mode%s\n", bold, report->version,
                     report->mode, plain);
    text_traces(report, out);
    if (report->config != NULL) {
        text_config(report, out);
    }
    if (report->selection[0] != '\0') {
        (void)snprintf(line, sizeof(line), "%zu of %" PRIu64 " launches by ",
                       report->n_kernels, report->n_launches_seen);
        wm_buffer_printf(out, "%-8s%s", "select", line);
        wm_human_cut(out, report->selection, 72 - (uint32_t)strlen(line),
                     false);
        wm_buffer_puts(out, "\n");
    }
    if (report->has_host) {
        char rate[WM_HUMAN_BYTES], memory[WM_HUMAN_BYTES];
        double seconds = report->host_seconds;
        double per_second =
            seconds > 0 ? (double)report->host_records / seconds : 0;
        (void)snprintf(line, sizeof(line), "%.2f s, %s records/s, peak %s",
                       seconds, wm_human_count(rate, (uint64_t)per_second),
                       wm_human_bytes(memory, (double)report->host_peak_bytes));
        text_line(out, "host", line);
    }
}

static void text_incomplete(const wm_report *report, wm_buffer *out)
{
    if (report->is_complete) {
        return;
    }
    const char *red = report->use_colour ? "\033[1;31m" : "";
    const char *plain = report->use_colour ? "\033[0m" : "";
    wm_buffer_printf(out,
                     "\n%sINCOMPLETE: a part of the trace was not simulated; "
                     "the numbers below lack it.%s\n",
                     red, plain);
}

static int kernel_compare(const void *left, const void *right)
{
    const wm_report_kernel *a = *(const wm_report_kernel *const *)left;
    const wm_report_kernel *b = *(const wm_report_kernel *const *)right;
    uint64_t ta = a->counters.value[WM_C_TIME_CYCLES];
    uint64_t tb = b->counters.value[WM_C_TIME_CYCLES];
    if (ta != tb) {
        return ta > tb ? -1 : 1;
    }
    return a->launch < b->launch ? -1 : a->launch > b->launch;
}

static const char *text_ratio(const wm_report *report,
                              const wm_report_kernel *kernel, const char *id,
                              char *text)
{
    double value = 0;
    bool has = wm_report_value(report, kernel, id, &value);
    return wm_human_percent(text, has, value);
}

static void text_kernel(const wm_report *report, const wm_report_kernel *kernel,
                        wm_buffer *out)
{
    char time[WM_HUMAN_BYTES], bytes[WM_HUMAN_BYTES], share[WM_HUMAN_BYTES];
    char l1[WM_HUMAN_BYTES], l2[WM_HUMAN_BYTES];
    const uint64_t *c = kernel->counters.value;
    const uint64_t all = report->total.value[WM_C_TIME_CYCLES];
    const double part =
        all != 0 ? (double)c[WM_C_TIME_CYCLES] / (double)all : 0;
    wm_buffer_printf(out, "%6" PRIu64 "%c ", kernel->launch,
                     kernel->is_complete ? ' ' : '!');
    wm_human_cut(out, kernel->name, 19, true);
    wm_buffer_printf(
        out, " %10s %7s %-7s %9s %7s %7s\n",
        wm_human_time(time, (double)c[WM_C_TIME_NS] / 1e9),
        wm_human_percent(share, all != 0, part),
        c[WM_C_TIME_CYCLES] != 0 ? wm_report_bound_names[kernel->bound] : "-",
        wm_human_bytes(bytes, (double)(c[WM_C_DRAM_READ_BYTES] +
                                       c[WM_C_DRAM_WRITE_BYTES])),
        text_ratio(report, kernel, "ratio.l1_hit", l1),
        text_ratio(report, kernel, "ratio.l2_hit", l2));
}

/* The launches by time, longest first; NULL when memory is short.  free() it.
 */
static const wm_report_kernel **text_order(const wm_report *report,
                                           wm_buffer *out)
{
    const size_t n = report->n_kernels;
    const wm_report_kernel **order = malloc((n + 1) * sizeof(*order));
    if (order == NULL) {
        out->is_failed = true;
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        order[i] = &report->kernels[i];
    }
    qsort(order, n, sizeof(*order), kernel_compare);
    return order;
}

/* The launches that took longest, at most TEXT_KERNELS_MAX. */
static void text_kernels(const wm_report *report, wm_buffer *out)
{
    size_t n = report->n_kernels;
    if (n < 2) {
        return;
    }
    const wm_report_kernel **order = text_order(report, out);
    if (order == NULL) {
        return;
    }
    wm_buffer_printf(out, "\n%sLaunches, longest first%s\n",
                     report->use_colour ? "\033[1m" : "",
                     report->use_colour ? "\033[0m" : "");
    wm_buffer_printf(out, "launch  %-19s %10s %7s %-7s %9s %7s %7s\n", "name",
                     "time", "share", "bound", "DRAM", "L1 hit", "L2 hit");
    size_t n_shown = n <= TEXT_KERNELS_MAX ? n : TEXT_KERNELS_MAX;
    for (size_t i = 0; i < n_shown; i++) {
        text_kernel(report, order[i], out);
    }
    if (n_shown < n) {
        wm_buffer_printf(out, "        ... and %zu more\n", n - n_shown);
    }
    for (size_t i = 0; i < n; i++) {
        if (!report->kernels[i].is_complete) {
            wm_buffer_puts(out, "!  incomplete\n");
            break;
        }
    }
    free(order);
}

/* The instructions of the launches that took longest. */
static void text_instructions(const wm_report *report, wm_buffer *out)
{
    const wm_report_kernel **order = text_order(report, out);
    const size_t n = report->n_kernels;
    for (size_t i = 0; order != NULL && i < n && i < TEXT_TABLES_MAX; i++) {
        wm_text_instructions(report, order[i], out);
    }
    if (n > TEXT_TABLES_MAX) {
        wm_buffer_printf(out, "\n... and those of %zu shorter launches\n",
                         n - TEXT_TABLES_MAX);
    }
    free(order);
}

static void text_write(const wm_report *report, wm_buffer *out)
{
    text_header(report, out);
    text_incomplete(report, out);
    text_kernels(report, out);
    wm_text_total(report, out);
    if (report->has_instructions) {
        text_instructions(report, out);
    }
    text_incomplete(report, out);
}

extern const wm_writer wm_writer_text;
const wm_writer wm_writer_text = {
    .name = "text",
    .summary = "80 columns for people",
    .write = text_write,
};
