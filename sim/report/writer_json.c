/*
 * writer_json.c -- the result as JSON, format 1.
 *
 * Configuration values are numbers in the unit of config/schema.def (bytes,
 * Hz, ps, SM cycles, bytes/s, 1/1000 bytes per SM cycle), choices and names
 * are words.  Members may be added in later versions; none changes its
 * meaning while "format" stays the same.
 */
#include <inttypes.h>
#include <string.h>

#include "report/analysis.h"
#include "report/json.h"
#include "report/json_parts.h"
#include "report/report.h"
#include "report/series.h"

#define JSON_FORMAT 1u

static void json_config(wm_json *json, const wm_report *report)
{
    char digest[WM_DIGEST_HEX];
    wm_json_key(json, "config");
    if (report->config == NULL) {
        wm_json_null(json);
        return;
    }
    wm_json_open(json, '{');
    wm_json_put_string(json, "name", wm_config_name(report->config));
    if (report->config_note[0] != '\0') {
        wm_json_put_string(json, "chosen_by", report->config_note);
    }
    wm_config_digest(report->config, digest);
    wm_json_put_string(json, "digest", digest);
    wm_json_config_values(json, report->config);
    wm_json_close(json, '}');
}

static void json_metrics(wm_json *json, const wm_report *report,
                         const wm_report_kernel *kernel)
{
    wm_buffer value;
    wm_buffer_init(&value);
    wm_json_key(json, "metrics");
    wm_json_open(json, '{');
    for (size_t i = 0; i < wm_n_metrics(); i++) {
        const wm_metric *metric = wm_metric_at(i);
        wm_json_key(json, metric->id);
        wm_buffer_clear(&value);
        if (!wm_metric_print(report, kernel, i, &value) || value.is_failed) {
            wm_json_null(json);
        } else if (metric->kind == WM_METRIC_WORD) {
            wm_json_string(json, value.bytes);
        } else {
            wm_json_raw(json, value.bytes);
        }
    }
    wm_json_close(json, '}');
    json->out->is_failed = json->out->is_failed || value.is_failed;
    wm_buffer_fini(&value);
}

static void json_dim(wm_json *json, const char *key, const uint32_t dim[3])
{
    wm_json_key(json, key);
    wm_json_open_row(json);
    for (uint32_t i = 0; i < 3; i++) {
        wm_json_u64(json, dim[i]);
    }
    wm_json_close(json, ']');
}

static void json_kernel(wm_json *json, const wm_report *report,
                        const wm_report_kernel *kernel)
{
    wm_buffer diagnosis;
    wm_json_open(json, '{');
    wm_json_put_u64(json, "launch", kernel->launch);
    wm_json_put_string(json, "name", kernel->name);
    json_dim(json, "grid", kernel->grid);
    json_dim(json, "block", kernel->block);
    wm_json_put_bool(json, "complete", kernel->is_complete);
    json_metrics(json, report, kernel);
    wm_buffer_init(&diagnosis);
    wm_report_diagnose(report, kernel, &diagnosis);
    wm_json_text(json, "diagnosis", &diagnosis);
    if (report->has_instructions) {
        const wm_row_shares shares = wm_row_shares_of(kernel);
        wm_json_put_string(json, "share_of", wm_row_shares_name(&shares));
        wm_json_key(json, "instructions");
        wm_json_open(json, '[');
        for (uint32_t i = 0; i < kernel->n_instructions; i++) {
            wm_json_open(json, '{');
            wm_json_row(json, &kernel->instructions[i], &shares,
                        WM_JSON_ROW_MEMBERS);
            wm_json_close(json, '}');
        }
        wm_json_close(json, ']');
    }
    wm_json_close(json, '}');
}

static void json_host(wm_json *json, const wm_report *report)
{
    wm_json_key(json, "host");
    wm_json_open(json, '{');
    wm_json_put_double(json, "seconds", report->host_seconds);
    wm_json_key(json, "records_per_second");
    if (report->host_seconds > 0) {
        wm_json_double(json,
                       (double)report->host_records / report->host_seconds);
    } else {
        wm_json_null(json);
    }
    wm_json_put_u64(json, "peak_bytes", report->host_peak_bytes);
    wm_json_close(json, '}');
}

static void json_head(wm_json *json, const wm_report *report)
{
    wm_json_put_program(json, report->version, JSON_FORMAT);
    wm_json_put_bool(json, "complete", report->is_complete);
    wm_json_put_string(json, "mode", report->mode);
    wm_json_traces(json, report);
    if (report->selection[0] != '\0') {
        wm_json_key(json, "selection");
        wm_json_open(json, '{');
        wm_json_put_string(json, "options", report->selection);
        wm_json_put_u64(json, "launches_seen", report->n_launches_seen);
        wm_json_put_u64(json, "launches_simulated", report->n_kernels);
        wm_json_close(json, '}');
    }
}

static void json_write(const wm_report *report, wm_buffer *out)
{
    wm_json json;
    wm_buffer diagnosis;
    wm_json_init(&json, out);
    wm_json_open(&json, '{');
    json_head(&json, report);
    json_config(&json, report);
    wm_json_warnings(&json, &report->diag);
    if (report->has_instructions) {
        wm_json_ranges(&json, report);
    }
    wm_json_key(&json, "kernels");
    wm_json_open(&json, '[');
    for (size_t i = 0; i < report->n_kernels; i++) {
        json_kernel(&json, report, &report->kernels[i]);
    }
    wm_json_close(&json, ']');
    wm_json_key(&json, "total");
    wm_json_open(&json, '{');
    json_metrics(&json, report, NULL);
    wm_buffer_init(&diagnosis);
    wm_report_diagnose(report, NULL, &diagnosis);
    wm_json_text(&json, "diagnosis", &diagnosis);
    wm_json_close(&json, '}');
    if (report->series.interval_ns != 0) {
        wm_json_key(&json, "series");
        wm_json_open(&json, '{');
        wm_series_json(&json, report, true);
        wm_json_close(&json, '}');
    }
    if (report->has_host) {
        json_host(&json, report);
    }
    wm_json_close(&json, '}');
}

extern const wm_writer wm_writer_json;
const wm_writer wm_writer_json = {
    .name = "json",
    .summary = "everything, for programs; docs/METRICS.md defines each number",
    .write = json_write,
};
