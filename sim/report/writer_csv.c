/*
 * writer_csv.c -- one row per launch, one column per metric (RFC 4180).
 *
 * No units row, no total row, no preamble: the file loads as it is.  Names
 * are made safe for spreadsheets: one that begins like a formula gets a
 * leading apostrophe; bytes that are not UTF-8 become U+FFFD and control
 * characters blanks, so that one launch is one line.
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "report/json.h"
#include "report/report.h"

static void csv_text(wm_buffer *out, const char *text)
{
    wm_buffer_puts(out, "\"");
    if (*text != '\0' && strchr("=+-@\t\r", *text) != NULL) {
        wm_buffer_puts(out, "'");
    }
    while (*text != '\0') {
        uint32_t n_bytes = wm_utf8_length(text);
        unsigned char c = (unsigned char)*text;
        if (n_bytes == 0) {
            wm_buffer_puts(out, "\xef\xbf\xbd");
            n_bytes = 1;
        } else if (c < 0x20 || c == 0x7f ||
                   (n_bytes == 2 && wm_text_is_c1(text, 1))) {
            wm_buffer_puts(out, " ");
        } else if (c == '"') {
            wm_buffer_puts(out, "\"\"");
        } else {
            wm_buffer_add(out, text, n_bytes);
        }
        text += n_bytes;
    }
    wm_buffer_puts(out, "\"");
}

static void csv_header(const wm_report *report, wm_buffer *out)
{
    wm_buffer_puts(out, "launch,name,grid,block,complete");
    for (size_t i = 0; i < wm_n_metrics(); i++) {
        const wm_metric *metric = wm_metric_at(i);
        bool use_nsight = report->use_nsight_names && *metric->nsight != '\0';
        wm_buffer_puts(out, ",");
        wm_buffer_puts(out, use_nsight ? metric->nsight : metric->id);
    }
    wm_buffer_puts(out, "\n");
}

static void csv_row(const wm_report *report, const wm_report_kernel *kernel,
                    wm_buffer *out)
{
    wm_buffer_printf(out, "%" PRIu64 ",", kernel->launch);
    csv_text(out, kernel->name);
    wm_buffer_printf(out, ",%ux%ux%u,%ux%ux%u,%s", kernel->grid[0],
                     kernel->grid[1], kernel->grid[2], kernel->block[0],
                     kernel->block[1], kernel->block[2],
                     kernel->is_complete ? "true" : "false");
    for (size_t i = 0; i < wm_n_metrics(); i++) {
        wm_buffer_puts(out, ",");
        (void)wm_metric_print(report, kernel, i, out);
    }
    wm_buffer_puts(out, "\n");
}

static void csv_write(const wm_report *report, wm_buffer *out)
{
    csv_header(report, out);
    for (size_t i = 0; i < report->n_kernels; i++) {
        csv_row(report, &report->kernels[i], out);
    }
}

extern const wm_writer wm_writer_csv;
const wm_writer wm_writer_csv = {
    .name = "csv",
    .summary = "one row per launch, one column per metric",
    .write = csv_write,
};
