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
#include "report/report.h"

#define JSON_FORMAT 1u

/* The index-th of the words in `choices`, separated by blanks. */
static void json_choice(wm_json *json, const char *choices, uint64_t index)
{
    char word[64] = "";
    for (uint64_t i = 0;; i++) {
        size_t n = strcspn(choices, " ");
        if (i == index || choices[n] == '\0') {
            if (n < sizeof(word)) {
                memcpy(word, choices, n);
                word[n] = '\0';
            }
            break;
        }
        choices += n + 1;
    }
    wm_json_string(json, word);
}

static void json_sizes(wm_json *json, const wm_sizes *sizes)
{
    wm_json_open_row(json);
    for (uint32_t i = 0; i < sizes->n; i++) {
        wm_json_u64(json, sizes->bytes[i]);
    }
    wm_json_close(json, ']');
}

static void json_key_value(wm_json *json, const wm_key *key,
                           const wm_config *config)
{
    const char *at = (const char *)config + key->offset;
    uint64_t value = 0;
    if (strcmp(key->type, "NAME") == 0 || strcmp(key->type, "TEXT") == 0) {
        wm_json_string(json, at);
        return;
    }
    if (strcmp(key->type, "SIZES") == 0) {
        wm_sizes sizes;
        memcpy(&sizes, at, sizeof(sizes));
        json_sizes(json, &sizes);
        return;
    }
    memcpy(&value, at, sizeof(value));
    if (strcmp(key->type, "CHOICE") == 0) {
        json_choice(json, key->unit, value);
    } else if (strcmp(key->type, "BOOL") == 0) {
        wm_json_bool(json, value != 0);
    } else {
        wm_json_u64(json, value);
    }
}

static void json_config(wm_json *json, const wm_report *report)
{
    char digest[WM_DIGEST_HEX];
    wm_json_key(json, "config");
    if (report->config == NULL) {
        wm_json_null(json);
        return;
    }
    wm_json_open(json, '{');
    wm_json_key(json, "name");
    wm_json_string(json, wm_config_name(report->config));
    if (report->config_note[0] != '\0') {
        wm_json_key(json, "chosen_by");
        wm_json_string(json, report->config_note);
    }
    wm_config_digest(report->config, digest);
    wm_json_key(json, "digest");
    wm_json_string(json, digest);
    wm_json_key(json, "values");
    wm_json_open(json, '{');
    for (size_t i = 0; i < wm_n_keys; i++) {
        wm_json_key(json, wm_keys[i].name);
        json_key_value(json, &wm_keys[i], wm_config_values(report->config));
    }
    wm_json_close(json, '}');
    wm_json_key(json, "origin");
    wm_json_open(json, '{');
    for (size_t i = 0; i < wm_n_keys; i++) {
        wm_json_key(json, wm_keys[i].name);
        wm_json_string(json, wm_config_origin(report->config, &wm_keys[i]));
    }
    wm_json_close(json, '}');
    wm_json_close(json, '}');
}

static void json_traces(wm_json *json, const wm_report *report)
{
    wm_json_key(json, "traces");
    wm_json_open(json, '[');
    for (size_t i = 0; i < report->n_traces; i++) {
        wm_json_open(json, '{');
        wm_json_key(json, "path");
        wm_json_string(json, report->traces[i].path);
        wm_json_key(json, "format");
        wm_json_string(json, report->traces[i].format);
        wm_json_key(json, "digest");
        wm_json_string(json, report->traces[i].digest);
        wm_json_close(json, '}');
    }
    wm_json_close(json, ']');
}

static void json_warnings(wm_json *json, const wm_diag *diag)
{
    wm_json_key(json, "warnings");
    wm_json_open(json, '[');
    for (uint32_t i = 0; i < diag->n_warnings; i++) {
        wm_json_open(json, '{');
        wm_json_key(json, "code");
        wm_json_string(json, diag->warning[i].code);
        wm_json_key(json, "count");
        wm_json_u64(json, diag->warning[i].n_times);
        wm_json_key(json, "message");
        wm_json_string(json, diag->warning[i].text);
        wm_json_key(json, "first");
        wm_json_string(json, diag->warning[i].first);
        wm_json_close(json, '}');
    }
    wm_json_close(json, ']');
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

/* A text that may be absent. */
static void json_text(wm_json *json, const char *key, wm_buffer *text)
{
    wm_json_key(json, key);
    if (text->n_bytes != 0) {
        wm_json_string(json, text->bytes);
    } else {
        wm_json_null(json);
    }
    json->out->is_failed = json->out->is_failed || text->is_failed;
    wm_buffer_fini(text);
}

/* What was made of an instruction's numbers. */
static void json_instruction_found(wm_json *json,
                                   const wm_report_instruction *row,
                                   const wm_row_shares *shares)
{
    wm_buffer pattern, advice;
    wm_buffer_init(&pattern);
    wm_buffer_init(&advice);
    wm_row_pattern(row, &pattern);
    wm_row_advice(row, &advice);
    wm_json_key(json, "requests_by_sectors");
    wm_json_open_row(json);
    for (uint32_t i = 0; i < WM_REPORT_BINS; i++) {
        wm_json_u64(json, row->n_by_sectors[i]);
    }
    wm_json_close(json, ']');
    wm_json_key(json, "share");
    wm_json_double(json, wm_row_share(shares, row));
    json_text(json, "pattern", &pattern);
    json_text(json, "advice", &advice);
    wm_json_key(json, "ideal_time_cycles");
    if (row->is_advised) {
        wm_json_u64(json, row->ideal_cycles);
    } else {
        wm_json_null(json);
    }
}

static void json_instruction(wm_json *json, const wm_report_instruction *row,
                             const wm_row_shares *shares)
{
    const struct {
        const char *key;
        uint64_t value;
    } numbers[] = {
        {"requests", row->n_requests},
        {"sectors", row->n_sectors},
        {"lines", row->n_lines},
        {"lanes", row->n_lanes},
        {"requested_bytes", row->requested_bytes},
        {"hit_sectors", row->hit_sectors},
        {"pending_sectors", row->pending_sectors},
        {"miss_sectors", row->miss_sectors},
        {"wavefronts", row->wavefronts},
        {"ideal_wavefronts", row->ideal_wavefronts},
        {"ideal_sectors", row->ideal_sectors},
        {"unique_bytes", row->unique_bytes},
        {"lsu_cycles", row->lsu_cycles},
        {"stall_cycles", row->stall_cycles},
    };
    wm_json_open(json, '{');
    wm_json_key(json, "pc");
    wm_json_u64(json, row->pc);
    wm_json_key(json, "line");
    if (row->line != 0) {
        wm_json_u64(json, row->line);
    } else {
        wm_json_null(json);
    }
    wm_json_key(json, "opcode");
    wm_json_string(json, row->opcode);
    wm_json_key(json, "kind");
    wm_json_string(json, row->kind);
    wm_json_key(json, "width");
    wm_json_u64(json, row->width);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        wm_json_key(json, numbers[i].key);
        wm_json_u64(json, numbers[i].value);
    }
    json_instruction_found(json, row, shares);
    wm_json_close(json, '}');
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
    wm_json_key(json, "launch");
    wm_json_u64(json, kernel->launch);
    wm_json_key(json, "name");
    wm_json_string(json, kernel->name);
    json_dim(json, "grid", kernel->grid);
    json_dim(json, "block", kernel->block);
    wm_json_key(json, "complete");
    wm_json_bool(json, kernel->is_complete);
    json_metrics(json, report, kernel);
    wm_buffer_init(&diagnosis);
    wm_report_diagnose(report, kernel, &diagnosis);
    json_text(json, "diagnosis", &diagnosis);
    if (report->has_instructions) {
        const wm_row_shares shares = wm_row_shares_of(kernel);
        wm_json_key(json, "share_of");
        wm_json_string(json, wm_row_shares_name(&shares));
        wm_json_key(json, "instructions");
        wm_json_open(json, '[');
        for (uint32_t i = 0; i < kernel->n_instructions; i++) {
            json_instruction(json, &kernel->instructions[i], &shares);
        }
        wm_json_close(json, ']');
    }
    wm_json_close(json, '}');
}

static void json_host(wm_json *json, const wm_report *report)
{
    wm_json_key(json, "host");
    wm_json_open(json, '{');
    wm_json_key(json, "seconds");
    wm_json_double(json, report->host_seconds);
    wm_json_key(json, "records_per_second");
    if (report->host_seconds > 0) {
        wm_json_double(json,
                       (double)report->host_records / report->host_seconds);
    } else {
        wm_json_null(json);
    }
    wm_json_key(json, "peak_bytes");
    wm_json_u64(json, report->host_peak_bytes);
    wm_json_close(json, '}');
}

static void json_head(wm_json *json, const wm_report *report)
{
    wm_json_key(json, "warpmem");
    wm_json_open(json, '{');
    wm_json_key(json, "version");
    wm_json_string(json, report->version);
    wm_json_key(json, "format");
    wm_json_u64(json, JSON_FORMAT);
    wm_json_close(json, '}');
    wm_json_key(json, "complete");
    wm_json_bool(json, report->is_complete);
    wm_json_key(json, "mode");
    wm_json_string(json, report->mode);
    json_traces(json, report);
    if (report->selection[0] != '\0') {
        wm_json_key(json, "selection");
        wm_json_open(json, '{');
        wm_json_key(json, "options");
        wm_json_string(json, report->selection);
        wm_json_key(json, "launches_seen");
        wm_json_u64(json, report->n_launches_seen);
        wm_json_key(json, "launches_simulated");
        wm_json_u64(json, report->n_kernels);
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
    json_warnings(&json, &report->diag);
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
    json_text(&json, "diagnosis", &diagnosis);
    wm_json_close(&json, '}');
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
