/*
 * json.c -- a writer of well-formed JSON.
 */
#include "report/json.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

void wm_json_init(wm_json *json, wm_buffer *out)
{
    memset(json, 0, sizeof(*json));
    json->out = out;
    json->is_empty[0] = true;
}

void wm_json_init_compact(wm_json *json, wm_buffer *out)
{
    wm_json_init(json, out);
    json->is_compact = true;
}

static void json_new_line(wm_json *json)
{
    if (json->is_compact) {
        return;
    }
    wm_buffer_puts(json->out, "\n");
    for (uint32_t i = 0; i < json->depth; i++) {
        wm_buffer_puts(json->out, "  ");
    }
}

/* What stands before an element: a comma, a line break, or nothing. */
static void json_separate(wm_json *json)
{
    if (json->has_key) {
        json->has_key = false;
        return;
    }
    bool is_first = json->is_empty[json->depth];
    json->is_empty[json->depth] = false;
    if (json->depth == 0) {
        return;
    }
    if (!is_first) {
        wm_buffer_puts(json->out, json->is_row[json->depth] && !json->is_compact
                                      ? ", "
                                      : ",");
    }
    if (!json->is_row[json->depth]) {
        json_new_line(json);
    }
}

static void json_enter(wm_json *json, char bracket, bool is_row)
{
    json_separate(json);
    assert(json->depth + 1 < WM_JSON_DEPTH);
    json->depth++;
    json->is_empty[json->depth] = true;
    json->is_row[json->depth] = is_row;
    wm_buffer_add(json->out, &bracket, 1);
}

void wm_json_open(wm_json *json, char bracket)
{
    json_enter(json, bracket, false);
}

void wm_json_open_row(wm_json *json)
{
    json_enter(json, '[', true);
}

void wm_json_close(wm_json *json, char bracket)
{
    assert(json->depth != 0);
    bool breaks = !json->is_empty[json->depth] && !json->is_row[json->depth];
    json->depth--;
    if (breaks) {
        json_new_line(json);
    }
    wm_buffer_add(json->out, &bracket, 1);
    if (json->depth == 0 && !json->is_compact) {
        wm_buffer_puts(json->out, "\n");
    }
}

uint32_t wm_utf8_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x80) {
        return 1;
    }
    uint32_t n = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
    if (c[0] < 0xc2 || c[0] > 0xf4) {
        return 0;
    }
    for (uint32_t i = 1; i < n; i++) {
        if ((c[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    /* Overlong forms, surrogates, and beyond U+10FFFF (Unicode, table 3-7). */
    if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
        (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f)) {
        return 0;
    }
    return n;
}

static void json_character(wm_buffer *out, const char *text, uint32_t n_bytes)
{
    unsigned char c = (unsigned char)*text;
    if (n_bytes == 0) {
        wm_buffer_puts(out, "\\ufffd");
    } else if (c == '"' || c == '\\') {
        wm_buffer_printf(out, "\\%c", c);
    } else if (c < 0x20 || c == 0x7f) {
        wm_buffer_printf(out, "\\u%04x", c);
    } else if (n_bytes == 2 && wm_text_is_c1(text, 1)) {
        wm_buffer_printf(out, "\\u00%02x", (unsigned char)text[1]);
    } else {
        wm_buffer_add(out, text, n_bytes);
    }
}

static void json_quote(wm_buffer *out, const char *text)
{
    wm_buffer_puts(out, "\"");
    while (*text != '\0') {
        uint32_t n_bytes = wm_utf8_length(text);
        json_character(out, text, n_bytes);
        text += n_bytes == 0 ? 1 : n_bytes;
    }
    wm_buffer_puts(out, "\"");
}

void wm_json_key(wm_json *json, const char *key)
{
    json_separate(json);
    json_quote(json->out, key);
    wm_buffer_puts(json->out, json->is_compact ? ":" : ": ");
    json->has_key = true;
}

void wm_json_string(wm_json *json, const char *text)
{
    json_separate(json);
    json_quote(json->out, text);
}

void wm_json_raw(wm_json *json, const char *text)
{
    json_separate(json);
    wm_buffer_puts(json->out, text);
}

void wm_json_u64(wm_json *json, uint64_t value)
{
    json_separate(json);
    wm_buffer_printf(json->out, "%" PRIu64, value);
}

void wm_json_bool(wm_json *json, bool value)
{
    wm_json_raw(json, value ? "true" : "false");
}

void wm_json_null(wm_json *json)
{
    wm_json_raw(json, "null");
}

void wm_print_double(wm_buffer *out, double value)
{
    char text[40];
    bool is_whole = value > -9007199254740992.0 && value < 9007199254740992.0 &&
                    (double)(int64_t)value == value;
    /* + 0.0 turns a negative zero into a plain one. */
    (void)snprintf(text, sizeof(text), is_whole ? "%.0f" : "%.6g", value + 0.0);
    char *comma = strchr(text, ',');
    if (comma != NULL) {
        *comma = '.';
    }
    wm_buffer_puts(out, text);
}

void wm_json_double(wm_json *json, double value)
{
    if (!isfinite(value)) {
        wm_json_null(json);
        return;
    }
    json_separate(json);
    wm_print_double(json->out, value);
}

/* --- members -------------------------------------------------------------- */
void wm_json_put_string(wm_json *json, const char *key, const char *text)
{
    wm_json_key(json, key);
    wm_json_string(json, text);
}

void wm_json_put_u64(wm_json *json, const char *key, uint64_t value)
{
    wm_json_key(json, key);
    wm_json_u64(json, value);
}

void wm_json_put_bool(wm_json *json, const char *key, bool value)
{
    wm_json_key(json, key);
    wm_json_bool(json, value);
}

void wm_json_put_double(wm_json *json, const char *key, double value)
{
    wm_json_key(json, key);
    wm_json_double(json, value);
}

void wm_json_put_program(wm_json *json, const char *version, uint64_t format)
{
    wm_json_key(json, "warpmem");
    wm_json_open(json, '{');
    wm_json_put_string(json, "version", version);
    wm_json_put_u64(json, "format", format);
    wm_json_close(json, '}');
}
