/*
 * html.c -- results and studies as one self-contained page.
 */
#include "report/html.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/analysis.h"
#include "report/assets.h"
#include "report/json.h"
#include "report/json_parts.h"
#include "report/series.h"

/* --- columns -------------------------------------------------------------- */
/* One value: a number as JSON has it, a word, or null. */
static void html_value(wm_json *json, const wm_report *report,
                       const wm_report_kernel *kernel, size_t metric,
                       wm_buffer *scratch)
{
    wm_buffer_clear(scratch);
    if (!wm_metric_print(report, kernel, metric, scratch) ||
        scratch->is_failed) {
        wm_json_null(json);
    } else if (wm_metric_at(metric)->kind == WM_METRIC_WORD) {
        wm_json_string(json, scratch->bytes);
    } else {
        wm_json_raw(json, scratch->bytes);
    }
}

/* Appends [values of all launches].  False when no launch has another value
 * than 0, or than null where the total is null too: report.js knows the rule.
 */
static bool html_column(const wm_report *report, size_t metric, wm_buffer *out)
{
    const bool is_word = wm_metric_at(metric)->kind == WM_METRIC_WORD;
    double total = 0;
    bool is_worth = is_word;
    const bool has_total = wm_metric_value(report, NULL, metric, &total);
    wm_buffer_puts(out, "[");
    for (size_t k = 0; k < report->n_kernels; k++) {
        const wm_report_kernel *kernel = &report->kernels[k];
        wm_buffer_puts(out, k == 0 ? "" : ",");
        const size_t before = out->n_bytes;
        const bool has =
            !is_word && wm_metric_print(report, kernel, metric, out);
        if (is_word && kernel->counters.value[WM_C_TIME_CYCLES] != 0) {
            wm_buffer_puts(out, "\"");
            (void)wm_metric_print(report, kernel, metric, out);
            wm_buffer_puts(out, "\"");
        } else if (!has) {
            wm_buffer_puts(out, "null");
        }
        is_worth =
            is_worth || has != has_total ||
            (has && (out->n_bytes != before + 1 || out->bytes[before] != '0'));
    }
    wm_buffer_puts(out, "]");
    return is_worth;
}

static void html_metrics(wm_json *json, const wm_report *report)
{
    wm_buffer column;
    wm_buffer_init(&column);
    wm_json_key(json, "metrics");
    wm_json_open(json, '{');
    for (size_t i = 0; i < wm_n_metrics(); i++) {
        wm_buffer_clear(&column);
        if (html_column(report, i, &column) && !column.is_failed) {
            wm_json_key(json, wm_metric_at(i)->id);
            wm_json_raw(json, column.bytes);
        }
    }
    wm_json_close(json, '}');
    json->out->is_failed = json->out->is_failed || column.is_failed;
    wm_buffer_fini(&column);
}

static void html_dims(wm_json *json, const char *key, const wm_report *report,
                      size_t offset)
{
    wm_json_key(json, key);
    wm_json_open(json, '[');
    for (size_t k = 0; k < report->n_kernels; k++) {
        uint32_t dim[3];
        memcpy(dim, (const char *)&report->kernels[k] + offset, sizeof(dim));
        wm_json_open(json, '[');
        for (size_t i = 0; i < 3; i++) {
            wm_json_u64(json, dim[i]);
        }
        wm_json_close(json, ']');
    }
    wm_json_close(json, ']');
}

static void html_diagnoses(wm_json *json, const wm_report *report)
{
    wm_buffer text;
    wm_buffer_init(&text);
    wm_json_key(json, "diagnosis");
    wm_json_open(json, '[');
    for (size_t k = 0; k < report->n_kernels; k++) {
        wm_buffer_clear(&text);
        wm_report_diagnose(report, &report->kernels[k], &text);
        wm_json_string(json, text.n_bytes != 0 ? text.bytes : "");
    }
    wm_json_close(json, ']');
    json->out->is_failed = json->out->is_failed || text.is_failed;
    wm_buffer_fini(&text);
}

/* --- names, each once ----------------------------------------------------- */
typedef struct named {
    const char *name;
    size_t kernel;
} named;

static int named_compare(const void *left, const void *right)
{
    const named *a = left;
    const named *b = right;
    const int order = strcmp(a->name, b->name);
    return order != 0 ? order
                      : (a->kernel > b->kernel) - (a->kernel < b->kernel);
}

/* "names": [...]; fills index[k] with the place of launch k's name. */
static void html_names(wm_json *json, const wm_report *report, named *list,
                       uint64_t *index)
{
    const size_t n = report->n_kernels;
    uint64_t n_names = 0;
    for (size_t k = 0; k < n; k++) {
        list[k] = (named){report->kernels[k].name, k};
    }
    qsort(list, n, sizeof(*list), named_compare);
    wm_json_key(json, "names");
    wm_json_open(json, '[');
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || strcmp(list[i - 1].name, list[i].name) != 0) {
            wm_json_string(json, list[i].name);
            n_names++;
        }
        index[list[i].kernel] = n_names - 1;
    }
    wm_json_close(json, ']');
}

static void html_kernels(wm_json *json, const wm_report *report)
{
    const size_t n = report->n_kernels;
    named *list = calloc(n + 1, sizeof(*list));
    uint64_t *index = calloc(n + 1, sizeof(*index));
    if (list == NULL || index == NULL) {
        json->out->is_failed = true;
        free(list);
        free(index);
        return;
    }
    html_names(json, report, list, index);
    wm_json_key(json, "kernels");
    wm_json_open(json, '{');
    wm_json_key(json, "launch");
    wm_json_open(json, '[');
    for (size_t k = 0; k < n; k++) {
        wm_json_u64(json, report->kernels[k].launch);
    }
    wm_json_close(json, ']');
    wm_json_key(json, "name");
    wm_json_open(json, '[');
    for (size_t k = 0; k < n; k++) {
        wm_json_u64(json, index[k]);
    }
    wm_json_close(json, ']');
    wm_json_key(json, "complete");
    wm_json_open(json, '[');
    for (size_t k = 0; k < n; k++) {
        wm_json_u64(json, report->kernels[k].is_complete);
    }
    wm_json_close(json, ']');
    html_dims(json, "grid", report, offsetof(wm_report_kernel, grid));
    html_dims(json, "block", report, offsetof(wm_report_kernel, block));
    html_diagnoses(json, report);
    html_metrics(json, report);
    wm_json_close(json, '}');
    free(list);
    free(index);
}

static void html_instructions(wm_json *json, const wm_report *report)
{
    wm_json_key(json, "instructions");
    if (!report->has_instructions) {
        wm_json_null(json);
        return;
    }
    wm_json_open(json, '{');
    wm_json_key(json, "keys");
    wm_json_open(json, '[');
    wm_json_row(json, NULL, NULL, WM_JSON_ROW_KEYS);
    wm_json_close(json, ']');
    wm_json_key(json, "rows");
    wm_json_open(json, '[');
    for (size_t k = 0; k < report->n_kernels; k++) {
        const wm_report_kernel *kernel = &report->kernels[k];
        const wm_row_shares shares = wm_row_shares_of(kernel);
        for (uint32_t i = 0; i < kernel->n_instructions; i++) {
            if (kernel->instructions[i].n_requests != 0) {
                wm_json_open(json, '[');
                wm_json_u64(json, k);
                wm_json_row(json, &kernel->instructions[i], &shares,
                            WM_JSON_ROW_VALUES);
                wm_json_close(json, ']');
            }
        }
    }
    wm_json_close(json, ']');
    wm_json_close(json, '}');
}

/* --- a result ------------------------------------------------------------- */
static void html_config(wm_json *json, const wm_report *report)
{
    char digest[WM_DIGEST_HEX];
    wm_json_key(json, "config");
    if (report->config == NULL) {
        wm_json_null(json);
        return;
    }
    wm_config_digest(report->config, digest);
    wm_json_open(json, '{');
    wm_json_put_string(json, "name", wm_config_name(report->config));
    wm_json_put_string(json, "note", report->config_note);
    wm_json_put_string(json, "digest", digest);
    wm_json_config_values(json, report->config);
    wm_json_key(json, "shown");
    wm_json_open(json, '{');
    for (size_t i = 0; i < wm_n_keys; i++) {
        wm_buffer shown;
        wm_buffer_init(&shown);
        wm_key_format(&wm_keys[i], wm_config_values(report->config), &shown);
        wm_json_text(json, wm_keys[i].name, &shown);
    }
    wm_json_close(json, '}');
    wm_json_close(json, '}');
}

static void html_total(wm_json *json, const wm_report *report)
{
    wm_buffer scratch;
    wm_buffer_init(&scratch);
    wm_json_key(json, "total");
    wm_json_open(json, '{');
    for (size_t i = 0; i < wm_n_metrics(); i++) {
        wm_json_key(json, wm_metric_at(i)->id);
        html_value(json, report, NULL, i, &scratch);
    }
    wm_json_close(json, '}');
    wm_buffer_clear(&scratch);
    wm_report_diagnose(report, NULL, &scratch);
    wm_json_text(json, "diagnosis", &scratch);
}

static void html_result(wm_json *json, const wm_html_result *result)
{
    const wm_report *report = result->report;
    wm_json_open(json, '{');
    wm_json_put_string(json, "label", result->label);
    wm_json_put_string(json, "version", report->version);
    wm_json_put_string(json, "mode", report->mode);
    wm_json_put_bool(json, "complete", report->is_complete);
    wm_json_put_string(json, "selection", report->selection);
    wm_json_traces(json, report);
    html_config(json, report);
    wm_json_warnings(json, &report->diag);
    wm_json_ranges(json, report);
    html_kernels(json, report);
    html_instructions(json, report);
    html_total(json, report);
    if (report->series.interval_ns != 0) {
        wm_json_key(json, "series");
        wm_json_open(json, '{');
        wm_series_json(json, report, false);
        wm_json_close(json, '}');
    }
    wm_json_close(json, '}');
}

static void html_dictionary(wm_json *json)
{
    wm_json_key(json, "metrics");
    wm_json_open(json, '[');
    for (size_t i = 0; i < wm_n_metrics(); i++) {
        const wm_metric *metric = wm_metric_at(i);
        wm_json_open(json, '{');
        wm_json_put_string(json, "id", metric->id);
        wm_json_put_string(json, "unit", metric->unit);
        wm_json_put_string(json, "sentence", metric->sentence);
        wm_json_put_string(json, "nsight", metric->nsight);
        wm_json_close(json, '}');
    }
    wm_json_close(json, ']');
}

static void html_data(const wm_html_result *results, size_t n_results,
                      const wm_html_study *studies, size_t n_studies,
                      wm_buffer *out)
{
    wm_json json;
    wm_json_init_compact(&json, out);
    wm_json_open(&json, '{');
    html_dictionary(&json);
    wm_json_put_bool(&json, "nsight",
                     n_results != 0 && results[0].report->use_nsight_names);
    wm_json_key(&json, "results");
    wm_json_open(&json, '[');
    for (size_t i = 0; i < n_results; i++) {
        html_result(&json, &results[i]);
    }
    wm_json_close(&json, ']');
    wm_json_key(&json, "studies");
    wm_json_open(&json, '[');
    for (size_t i = 0; i < n_studies; i++) {
        wm_json_open(&json, '{');
        wm_json_put_string(&json, "label", studies[i].label);
        wm_json_key(&json, "data");
        wm_json_raw(&json, studies[i].json);
        wm_json_close(&json, '}');
    }
    wm_json_close(&json, ']');
    wm_json_close(&json, '}');
}

/* --- the page ------------------------------------------------------------- */
static void html_asset(wm_buffer *out, const char *name)
{
    for (size_t i = 0; wm_assets[i].name != NULL; i++) {
        if (strcmp(wm_assets[i].name, name) == 0) {
            wm_buffer_add(out, wm_assets[i].bytes, wm_assets[i].n_bytes);
        }
    }
}

/* JSON inside a script element: no '<' may be seen as markup.  In JSON one
 * stands in strings only. */
static void html_embed(wm_buffer *out, const wm_buffer *data)
{
    const char *at = data->bytes;
    const char *end = at + data->n_bytes;
    while (at != end) {
        const char *mark = memchr(at, '<', (size_t)(end - at));
        const char *stop = mark != NULL ? mark : end;
        wm_buffer_add(out, at, (size_t)(stop - at));
        if (mark != NULL) {
            wm_buffer_puts(out, "\\u003c");
            stop++;
        }
        at = stop;
    }
}

static void html_part(wm_buffer *out, const char *name, size_t n_name,
                      const wm_buffer *data)
{
    static const struct {
        const char *name;
        const char *file;
    } parts[] = {{"UPLOT_CSS", "uPlot.min.css"},
                 {"CSS", "report.css"},
                 {"UPLOT_LICENSE", "uPlot.LICENSE"},
                 {"UPLOT_JS", "uPlot.iife.min.js"},
                 {"JS", "report.js"}};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (strlen(parts[i].name) == n_name &&
            memcmp(parts[i].name, name, n_name) == 0) {
            html_asset(out, parts[i].file);
            return;
        }
    }
    html_embed(out, data); /* @DATA@ */
}

void wm_html_write(const wm_html_result *results, size_t n_results,
                   const wm_html_study *studies, size_t n_studies,
                   wm_buffer *out)
{
    wm_buffer page, data;
    wm_buffer_init(&page);
    wm_buffer_init(&data);
    html_asset(&page, "page.html");
    html_data(results, n_results, studies, n_studies, &data);
    if (!page.is_failed && !data.is_failed && page.bytes != NULL) {
        const char *at = page.bytes;
        for (const char *mark = strchr(at, '@'); mark != NULL;
             mark = strchr(at, '@')) {
            const size_t n_name = strcspn(mark + 1, "@");
            wm_buffer_add(out, at, (size_t)(mark - at));
            html_part(out, mark + 1, n_name, &data);
            at = mark + n_name + 2;
        }
        wm_buffer_puts(out, at);
    }
    out->is_failed = out->is_failed || page.is_failed || data.is_failed;
    wm_buffer_fini(&page);
    wm_buffer_fini(&data);
}
