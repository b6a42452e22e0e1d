/*
 * json.h -- a writer of well-formed JSON, whatever the strings hold.
 *
 *     wm_json json;
 *     wm_json_init(&json, &buffer);
 *     wm_json_open(&json, '{');
 *     wm_json_put_string(&json, "name", name);
 *     wm_json_close(&json, '}');
 *
 * Two spaces per level, one member a line; an array opened with
 * wm_json_open_row() stays on one line.
 *
 * Not modelled  nesting deeper than WM_JSON_DEPTH (asserted).
 * Ownership     the buffer is the caller's.
 * Errors        those of the buffer, checked by the caller at its end.
 * Repeatable    the same calls write the same bytes.
 */
#ifndef WM_REPORT_JSON_H
#define WM_REPORT_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

#define WM_JSON_DEPTH 16u

typedef struct wm_json {
    wm_buffer *out;
    uint32_t depth;
    bool is_empty[WM_JSON_DEPTH];
    bool is_row[WM_JSON_DEPTH];
    bool has_key;    /* a key waits for its value */
    bool is_compact; /* no blanks, no line breaks */
} wm_json;

void wm_json_init(wm_json *json, wm_buffer *out);
void wm_json_init_compact(wm_json *json, wm_buffer *out);
void wm_json_open(wm_json *json, char bracket);  /* '{' or '[' */
void wm_json_open_row(wm_json *json);            /* '[', on one line */
void wm_json_close(wm_json *json, char bracket); /* '}' or ']' */
void wm_json_key(wm_json *json, const char *key);

/* Invalid UTF-8 becomes U+FFFD; control characters are escaped. */
void wm_json_string(wm_json *json, const char *text);
void wm_json_u64(wm_json *json, uint64_t value);
void wm_json_bool(wm_json *json, bool value);
void wm_json_null(wm_json *json);
/* text is JSON already: a number. */
void wm_json_raw(wm_json *json, const char *text);
/* Six significant digits; what is not a number becomes null. */
void wm_json_double(wm_json *json, double value);

/* A member: its key and its value. */
void wm_json_put_string(wm_json *json, const char *key, const char *text);
void wm_json_put_u64(wm_json *json, const char *key, uint64_t value);
void wm_json_put_bool(wm_json *json, const char *key, bool value);
void wm_json_put_double(wm_json *json, const char *key, double value);
/* "warpmem": {"version", "format"}: what every document begins with. */
void wm_json_put_program(wm_json *json, const char *version, uint64_t format);

/*
 * Appends a number in six significant digits, whole numbers below 2^53 in
 * full, with a point whatever the locale.  value must be finite.
 */
void wm_print_double(wm_buffer *out, double value);

/*
 * Length of the UTF-8 character at text (1 to 4), 0 where the bytes are not
 * UTF-8: stray, overlong, surrogate, above U+10FFFF or cut short.
 */
uint32_t wm_utf8_length(const char *text);

#endif
