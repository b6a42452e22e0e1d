/*
 * json_parts.c -- parts of a result as JSON that JSON and HTML share.
 */
#include "report/json_parts.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

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

void wm_json_config_values(wm_json *json, const wm_config_set *config)
{
    wm_json_key(json, "values");
    wm_json_open(json, '{');
    for (size_t i = 0; i < wm_n_keys; i++) {
        wm_json_key(json, wm_keys[i].name);
        json_key_value(json, &wm_keys[i], wm_config_values(config));
    }
    wm_json_close(json, '}');
    wm_json_key(json, "origin");
    wm_json_open(json, '{');
    for (size_t i = 0; i < wm_n_keys; i++) {
        wm_json_put_string(json, wm_keys[i].name,
                           wm_config_origin(config, &wm_keys[i]));
    }
    wm_json_close(json, '}');
}

void wm_json_traces(wm_json *json, const wm_report *report)
{
    wm_json_key(json, "traces");
    wm_json_open(json, '[');
    for (size_t i = 0; i < report->n_traces; i++) {
        wm_json_open(json, '{');
        wm_json_put_string(json, "path", report->traces[i].path);
        wm_json_put_string(json, "format", report->traces[i].format);
        wm_json_put_string(json, "digest", report->traces[i].digest);
        wm_json_close(json, '}');
    }
    wm_json_close(json, ']');
}

void wm_json_warnings(wm_json *json, const wm_diag *diag)
{
    wm_json_key(json, "warnings");
    wm_json_open(json, '[');
    for (uint32_t i = 0; i < diag->n_warnings; i++) {
        wm_json_open(json, '{');
        wm_json_put_string(json, "code", diag->warning[i].code);
        wm_json_put_u64(json, "count", diag->warning[i].n_times);
        wm_json_put_string(json, "message", diag->warning[i].text);
        wm_json_put_string(json, "first", diag->warning[i].first);
        wm_json_close(json, '}');
    }
    wm_json_close(json, ']');
}

void wm_json_ranges(wm_json *json, const wm_report *report)
{
    wm_json_key(json, "ranges");
    wm_json_open(json, '[');
    for (uint32_t i = 0; i < report->n_ranges; i++) {
        wm_json_open(json, '{');
        wm_json_put_u64(json, "begin", report->ranges[i].begin);
        wm_json_put_u64(json, "bytes", report->ranges[i].n_bytes);
        wm_json_close(json, '}');
    }
    wm_json_close(json, ']');
}

void wm_json_text(wm_json *json, const char *key, wm_buffer *text)
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

/* --- instructions --------------------------------------------------------- */
typedef struct row_number {
    const char *key;
    size_t offset; /* of a uint64_t */
} row_number;

#define ROW_NUMBER(key, field)                                                 \
    {                                                                          \
        key, offsetof(wm_report_instruction, field)                            \
    }
static const row_number row_numbers[] = {
    ROW_NUMBER("requests", n_requests),
    ROW_NUMBER("sectors", n_sectors),
    ROW_NUMBER("lines", n_lines),
    ROW_NUMBER("lanes", n_lanes),
    ROW_NUMBER("requested_bytes", requested_bytes),
    ROW_NUMBER("hit_sectors", hit_sectors),
    ROW_NUMBER("pending_sectors", pending_sectors),
    ROW_NUMBER("miss_sectors", miss_sectors),
    ROW_NUMBER("wavefronts", wavefronts),
    ROW_NUMBER("ideal_wavefronts", ideal_wavefronts),
    ROW_NUMBER("ideal_sectors", ideal_sectors),
    ROW_NUMBER("unique_bytes", unique_bytes),
    ROW_NUMBER("address_least", address_least),
    ROW_NUMBER("address_most", address_most),
    ROW_NUMBER("lsu_cycles", lsu_cycles),
    ROW_NUMBER("stall_cycles", stall_cycles),
};

/* True when the member's value is to be written. */
static bool row_member(wm_json *json, const char *key, wm_json_row_form form)
{
    if (form == WM_JSON_ROW_KEYS) {
        wm_json_string(json, key);
        return false;
    }
    if (form == WM_JSON_ROW_MEMBERS) {
        wm_json_key(json, key);
    }
    return true;
}

static void row_list(wm_json *json, const uint64_t *list, uint32_t n)
{
    wm_json_open_row(json);
    for (uint32_t i = 0; i < n; i++) {
        wm_json_u64(json, list[i]);
    }
    wm_json_close(json, ']');
}

static void row_text(wm_json *json,
                     void (*write)(const wm_report_instruction *, wm_buffer *),
                     const wm_report_instruction *row)
{
    wm_buffer text;
    wm_buffer_init(&text);
    write(row, &text);
    if (text.n_bytes != 0) {
        wm_json_string(json, text.bytes);
    } else {
        wm_json_null(json);
    }
    json->out->is_failed = json->out->is_failed || text.is_failed;
    wm_buffer_fini(&text);
}

static void row_optional(wm_json *json, bool has_value, uint64_t value)
{
    if (has_value) {
        wm_json_u64(json, value);
    } else {
        wm_json_null(json);
    }
}

static void row_stride(wm_json *json, const wm_report_instruction *row,
                       int64_t stride)
{
    if (row->n_class[WM_CLASS_STRIDED] != 0) {
        wm_json_double(json, (double)stride);
    } else {
        wm_json_null(json);
    }
}

/* What was made of the numbers. */
static void row_found(wm_json *json, const wm_report_instruction *row,
                      const wm_row_shares *shares, wm_json_row_form form)
{
    if (row_member(json, "requests_by_class", form)) {
        row_list(json, row->n_class, WM_CLASSES);
    }
    if (row_member(json, "requests_by_sectors", form)) {
        row_list(json, row->n_by_sectors, WM_REPORT_BINS);
    }
    if (row_member(json, "stride_least", form)) {
        row_stride(json, row, row->stride_least);
    }
    if (row_member(json, "stride_most", form)) {
        row_stride(json, row, row->stride_most);
    }
    if (row_member(json, "share", form)) {
        wm_json_double(json, wm_row_share(shares, row));
    }
    if (row_member(json, "pattern", form)) {
        row_text(json, wm_row_pattern, row);
    }
    if (row_member(json, "advice", form)) {
        row_text(json, wm_row_advice, row);
    }
    if (row_member(json, "ideal_time_cycles", form)) {
        row_optional(json, row->is_advised, row->ideal_cycles);
    }
}

void wm_json_row(wm_json *json, const wm_report_instruction *row,
                 const wm_row_shares *shares, wm_json_row_form form)
{
    if (row_member(json, "pc", form)) {
        wm_json_u64(json, row->pc);
    }
    if (row_member(json, "line", form)) {
        row_optional(json, row->line != 0, row->line);
    }
    if (row_member(json, "opcode", form)) {
        wm_json_string(json, row->opcode);
    }
    if (row_member(json, "kind", form)) {
        wm_json_string(json, row->kind);
    }
    if (row_member(json, "width", form)) {
        wm_json_u64(json, row->width);
    }
    for (size_t i = 0; i < sizeof(row_numbers) / sizeof(row_numbers[0]); i++) {
        if (row_member(json, row_numbers[i].key, form)) {
            uint64_t value = 0;
            memcpy(&value, (const char *)row + row_numbers[i].offset,
                   sizeof(value));
            wm_json_u64(json, value);
        }
    }
    row_found(json, row, shares, form);
}
