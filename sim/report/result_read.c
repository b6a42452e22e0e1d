/*
 * result_read.c -- a result JSON back into a report.
 */
#include "report/result_read.h"

#include "report/series.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#define RESULT_FORMAT 1

void wm_loaded_result_init(wm_loaded_result *loaded)
{
    wm_report_init(&loaded->report);
    loaded->config = NULL;
}

void wm_loaded_result_fini(wm_loaded_result *loaded)
{
    wm_report_fini(&loaded->report);
    wm_config_free(loaded->config);
    loaded->config = NULL;
}

/* --- members -------------------------------------------------------------- */

static uint64_t read_u64(const json_t *value)
{
    if (json_is_integer(value)) {
        json_int_t n = json_integer_value(value);
        return n > 0 ? (uint64_t)n : 0;
    }
    double real = json_is_real(value) ? json_real_value(value) : 0;
    return real > 0 && real < 1.8e19 ? (uint64_t)real : 0;
}

static uint64_t read_member(const json_t *object, const char *key)
{
    return read_u64(json_object_get(object, key));
}

static const char *read_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text != NULL ? text : "";
}

static void read_dim(const json_t *object, const char *key, uint32_t dim[3])
{
    const json_t *list = json_object_get(object, key);
    for (size_t i = 0; i < 3; i++) {
        dim[i] = (uint32_t)read_u64(json_array_get(list, i));
    }
}

/* --- configuration -------------------------------------------------------- */

static bool read_choice(const char *words, const char *word, uint64_t *index)
{
    const size_t n_word = strlen(word);
    for (uint64_t i = 0; *words != '\0'; i++) {
        size_t n = strcspn(words, " ");
        if (n == n_word && memcmp(words, word, n) == 0) {
            *index = i;
            return true;
        }
        words += n;
        words += *words == ' ';
    }
    return false;
}

static void read_sizes(const json_t *list, wm_sizes *sizes)
{
    memset(sizes, 0, sizeof(*sizes));
    const size_t n = json_array_size(list);
    for (size_t i = 0; i < n && i < WM_SIZES_MAX; i++) {
        sizes->bytes[sizes->n++] = read_u64(json_array_get(list, i));
    }
}

/* A wm_config_fetch_fn; context is the result's "config". */
static bool read_key(void *context, const wm_key *key, wm_config *values,
                     const char **origin)
{
    const json_t *config = context;
    const json_t *value =
        json_object_get(json_object_get(config, "values"), key->name);
    char *at = (char *)values + key->offset;
    uint64_t number = 0;
    *origin = json_string_value(
        json_object_get(json_object_get(config, "origin"), key->name));
    if (value == NULL) {
        return false;
    }
    if (strcmp(key->type, "NAME") == 0 || strcmp(key->type, "TEXT") == 0) {
        const size_t n_bytes =
            strcmp(key->type, "NAME") == 0 ? 32 : WM_TEXT_BYTES;
        (void)snprintf(at, n_bytes, "%s",
                       json_is_string(value) ? json_string_value(value) : "");
        return true;
    }
    if (strcmp(key->type, "SIZES") == 0) {
        wm_sizes sizes;
        read_sizes(value, &sizes);
        memcpy(at, &sizes, sizeof(sizes));
        return true;
    }
    if (json_is_string(value)) {
        if (!read_choice(key->unit, json_string_value(value), &number)) {
            return false;
        }
    } else {
        number = json_is_boolean(value) ? (uint64_t)json_is_true(value)
                                        : read_u64(value);
    }
    memcpy(at, &number, sizeof(number));
    return true;
}

static wm_status read_config(const json_t *root, wm_loaded_result *loaded,
                             wm_error *err)
{
    json_t *config = json_object_get(root, "config");
    if (!json_is_object(config)) {
        return WM_OK;
    }
    wm_status status = wm_config_restore(read_text(config, "name"),
                                         read_text(config, "digest"), read_key,
                                         config, &loaded->config, err);
    loaded->report.config = loaded->config;
    (void)snprintf(loaded->report.config_note,
                   sizeof(loaded->report.config_note), "%s",
                   read_text(config, "chosen_by"));
    return status;
}

/* --- numbers -------------------------------------------------------------- */

/* A word that is none, or none at all, is latency: where nothing was busy. */
static uint32_t read_bound(const char *word)
{
    uint32_t latency = 0;
    for (uint32_t i = 0; i < WM_REPORT_BOUNDS; i++) {
        if (strcmp(wm_report_bound_names[i], word) == 0) {
            return i;
        }
        latency =
            strcmp(wm_report_bound_names[i], "latency") == 0 ? i : latency;
    }
    return latency;
}

static void read_metrics(const json_t *object, wm_counters *counters,
                         uint32_t busy_ppm[WM_REPORT_BOUNDS], uint32_t *bound)
{
    const json_t *metrics = json_object_get(object, "metrics");
    uint32_t n_busy = 0;
    const char *word = "";
    for (size_t i = 0; i < wm_n_metrics(); i++) {
        const wm_metric *metric = wm_metric_at(i);
        const json_t *value = json_object_get(metrics, metric->id);
        if (metric->kind == WM_METRIC_COUNTER) {
            counters->value[i] = read_u64(value);
        } else if (metric->kind == WM_METRIC_BUSY) {
            const double part = json_number_value(value) * 1e6;
            busy_ppm[n_busy++] =
                part > 0 && part < 4e9 ? (uint32_t)(part + 0.5) : 0;
        } else if (metric->kind == WM_METRIC_WORD && json_is_string(value)) {
            word = json_string_value(value);
        }
    }
    *bound = read_bound(counters->value[WM_C_TIME_CYCLES] != 0 ? word : "");
}

static const char *read_kind(const char *word)
{
    static const char *const kinds[] = {
        "global_load",  "global_store", "global_atomic", "global_reduction",
        "local_load",   "local_store",  "async_copy",    "shared_load",
        "shared_store", "shared_atomic"};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(kinds[i], word) == 0) {
            return kinds[i];
        }
    }
    return "other";
}

static void read_list(const json_t *object, const char *key, uint64_t *list,
                      size_t n)
{
    const json_t *values = json_object_get(object, key);
    for (size_t i = 0; i < n; i++) {
        list[i] = read_u64(json_array_get(values, i));
    }
}

static void read_instruction(const json_t *object, wm_report_instruction *row)
{
    row->pc = read_member(object, "pc");
    row->line = (uint32_t)read_member(object, "line");
    row->width = (uint32_t)read_member(object, "width");
    row->kind = read_kind(read_text(object, "kind"));
    (void)snprintf(row->opcode, sizeof(row->opcode), "%s",
                   read_text(object, "opcode"));
    row->n_requests = read_member(object, "requests");
    row->n_sectors = read_member(object, "sectors");
    row->n_lines = read_member(object, "lines");
    row->n_lanes = read_member(object, "lanes");
    row->requested_bytes = read_member(object, "requested_bytes");
    row->hit_sectors = read_member(object, "hit_sectors");
    row->pending_sectors = read_member(object, "pending_sectors");
    row->miss_sectors = read_member(object, "miss_sectors");
    row->wavefronts = read_member(object, "wavefronts");
    row->ideal_wavefronts = read_member(object, "ideal_wavefronts");
    row->ideal_sectors = read_member(object, "ideal_sectors");
    row->unique_bytes = read_member(object, "unique_bytes");
    row->address_least = read_member(object, "address_least");
    row->address_most = read_member(object, "address_most");
    row->lsu_cycles = read_member(object, "lsu_cycles");
    row->stall_cycles = read_member(object, "stall_cycles");
    row->stride_least =
        json_integer_value(json_object_get(object, "stride_least"));
    row->stride_most =
        json_integer_value(json_object_get(object, "stride_most"));
    row->is_advised =
        json_is_integer(json_object_get(object, "ideal_time_cycles"));
    row->ideal_cycles = read_member(object, "ideal_time_cycles");
    read_list(object, "requests_by_class", row->n_class, WM_CLASSES);
    read_list(object, "requests_by_sectors", row->n_by_sectors, WM_REPORT_BINS);
}

static wm_status read_kernel(const json_t *object, wm_report *report,
                             wm_error *err)
{
    wm_report_kernel kernel = {.launch = read_member(object, "launch")};
    const json_t *rows = json_object_get(object, "instructions");
    const size_t n_rows = json_array_size(rows);
    kernel.is_complete = json_is_true(json_object_get(object, "complete"));
    read_dim(object, "grid", kernel.grid);
    read_dim(object, "block", kernel.block);
    read_metrics(object, &kernel.counters, kernel.busy_ppm, &kernel.bound);
    report->has_instructions |= rows != NULL;
    if (n_rows != 0) {
        kernel.instructions = calloc(n_rows, sizeof(*kernel.instructions));
        if (kernel.instructions == NULL) {
            return wm_fail_memory(err);
        }
    }
    for (size_t i = 0; i < n_rows; i++) {
        read_instruction(json_array_get(rows, i), &kernel.instructions[i]);
    }
    kernel.n_instructions = (uint32_t)n_rows;
    wm_status status =
        wm_report_add_kernel(report, &kernel, read_text(object, "name"), err);
    free(kernel.instructions);
    return status;
}

/* --- the file ------------------------------------------------------------- */

static wm_status read_traces(const json_t *root, wm_report *report,
                             wm_error *err)
{
    const json_t *traces = json_object_get(root, "traces");
    wm_status status = WM_OK;
    for (size_t i = 0; i < json_array_size(traces) && status == WM_OK; i++) {
        const json_t *trace = json_array_get(traces, i);
        status = wm_report_add_trace(report, read_text(trace, "path"),
                                     read_text(trace, "format"),
                                     read_text(trace, "digest"), err);
    }
    return status;
}

static void read_warnings(const json_t *root, wm_diag *diag)
{
    const json_t *warnings = json_object_get(root, "warnings");
    for (size_t i = 0; i < json_array_size(warnings); i++) {
        const json_t *warning = json_array_get(warnings, i);
        const uint32_t n = diag->n_warnings;
        wm_warn(diag, read_text(warning, "code"), read_text(warning, "first"),
                "%s", read_text(warning, "message"));
        if (diag->n_warnings > n) {
            diag->warning[n].n_times = read_member(warning, "count");
        }
    }
}

/* Counters that the series lacks stay 0; formulas over them are null. */
static void read_series(const json_t *object, wm_series *series)
{
    const json_t *ends = json_object_get(object, "end_ns");
    const json_t *metrics = json_object_get(object, "metrics");
    const size_t n = json_array_size(ends);
    if (n == 0 || n > WM_SERIES_MAX) {
        return;
    }
    series->samples = calloc(n, sizeof(*series->samples));
    series->is_failed = series->samples == NULL;
    for (size_t i = 0; series->samples != NULL && i < n; i++) {
        wm_series_sample *sample = &series->samples[i];
        sample->end_ns = read_u64(json_array_get(ends, i));
        sample->launch =
            read_u64(json_array_get(json_object_get(object, "launch"), i));
        for (size_t m = 0; m < WM_COUNTER_COUNT; m++) {
            const json_t *column =
                json_object_get(metrics, wm_metric_at(m)->id);
            sample->counters.value[m] = read_u64(json_array_get(column, i));
        }
    }
    series->n_samples = series->samples != NULL ? n : 0;
    series->interval_ns = read_member(object, "interval_ns");
}

static void read_head(const json_t *root, wm_report *report)
{
    const json_t *selection = json_object_get(root, "selection");
    (void)snprintf(report->version, sizeof(report->version), "%s",
                   read_text(json_object_get(root, "warpmem"), "version"));
    report->is_complete = json_is_true(json_object_get(root, "complete"));
    report->mode =
        strcmp(read_text(root, "mode"), "counts") == 0 ? "counts" : "timing";
    (void)snprintf(report->selection, sizeof(report->selection), "%s",
                   read_text(selection, "options"));
    report->n_launches_seen = read_member(selection, "launches_seen");
}

static wm_status read_root(const char *path, const json_t *root,
                           wm_loaded_result *loaded, wm_error *err)
{
    wm_report *report = &loaded->report;
    const json_t *kernels = json_object_get(root, "kernels");
    const uint64_t format =
        read_member(json_object_get(root, "warpmem"), "format");
    if (format != RESULT_FORMAT || !json_is_array(kernels)) {
        return wm_fail(err, WM_EFORMAT,
                       "%s: JSON that is no result of `warpmem run -f json` "
                       "(format %llu), wanted format %d with \"kernels\"",
                       path, (unsigned long long)format, RESULT_FORMAT);
    }
    read_head(root, report);
    read_warnings(root, &report->diag);
    wm_status status = read_traces(root, report, err);
    if (status == WM_OK) {
        status = read_config(root, loaded, err);
    }
    for (size_t i = 0; i < json_array_size(kernels) && status == WM_OK; i++) {
        status = read_kernel(json_array_get(kernels, i), report, err);
    }
    read_series(json_object_get(root, "series"), &report->series);
    const json_t *ranges = json_object_get(root, "ranges");
    for (size_t i = 0; i < json_array_size(ranges); i++) {
        const json_t *range = json_array_get(ranges, i);
        wm_report_add_range(report, read_member(range, "begin"),
                            read_member(range, "bytes"));
    }
    read_metrics(json_object_get(root, "total"), &report->total,
                 report->total_busy_ppm, &report->total_bound);
    return status;
}

/* For want of memory jansson 2.14 says various things, or nothing: it leaves
 * out the character that had no room (lex_save of its load.c).  So its
 * allocations are watched; what it calls takes no context. */
static _Thread_local struct {
    json_malloc_t old_malloc;
    bool is_short;
} reading;

static void *reading_malloc(size_t n_bytes)
{
    void *block = reading.old_malloc(n_bytes);
    reading.is_short = reading.is_short || block == NULL;
    return block;
}

static wm_status read_file(const char *path, json_t **root, wm_error *err)
{
    json_free_t old_free = NULL;
    json_error_t at;
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        return wm_fail(err, WM_EIO, "%s: cannot be read, wanted a result",
                       path);
    }
    json_get_alloc_funcs(&reading.old_malloc, &old_free);
    json_set_alloc_funcs(reading_malloc, old_free);
    reading.is_short = false;
    errno = 0;
    *root = json_loadf(stream, 0, &at);
    json_set_alloc_funcs(reading.old_malloc, old_free);
    /* A failed read looks like the file's end to jansson. */
    const int error = errno;
    const bool is_unread = ferror(stream) != 0;
    (void)fclose(stream);
    if (reading.is_short) {
        json_decref(*root);
        *root = NULL;
        return wm_fail_memory(err);
    }
    if (*root == NULL && is_unread) {
        return wm_fail(err, WM_EIO, "%s: %s", path, strerror(error));
    }
    if (*root == NULL) {
        return wm_fail(err, WM_EFORMAT,
                       "%s:%d:%d: %s, wanted a result of `warpmem run -f json`",
                       path, at.line, at.column, at.text);
    }
    return WM_OK;
}

wm_status wm_result_read(const char *path, wm_loaded_result *loaded,
                         wm_error *err)
{
    json_t *root = NULL;
    wm_status status = read_file(path, &root, err);
    if (status == WM_OK) {
        status = read_root(path, root, loaded, err);
    }
    json_decref(root);
    return status;
}

wm_status wm_result_read_any(const char *path, wm_loaded_result *loaded,
                             wm_buffer *study, wm_error *err)
{
    json_t *root = NULL;
    wm_status status = read_file(path, &root, err);
    if (status != WM_OK) {
        return status;
    }
    if (json_is_string(json_object_get(root, "kind"))) {
        char *text = json_dumps(root, JSON_COMPACT);
        if (text == NULL) {
            status = wm_fail_memory(err);
        } else {
            wm_buffer_puts(study, text);
        }
        free(text);
    } else {
        status = read_root(path, root, loaded, err);
    }
    json_decref(root);
    return status;
}
