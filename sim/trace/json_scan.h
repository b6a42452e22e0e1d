/*
 * json_scan.h -- walks the members of one JSON object that lies in memory.
 * Private to the trace floor; texts stay as they are written (escapes are not
 * undone).
 *
 * Errors  false when the text is no JSON.
 */
#ifndef WM_TRACE_JSON_SCAN_H
#define WM_TRACE_JSON_SCAN_H

#include "trace/text_scan.h"

/* Bytes of the value that begins at text ('{', '[', '"', a number or a word);
 * 0 when it does not end within n_bytes. */
size_t wm_json_value_bytes(const char *text, size_t n_bytes);

/*
 * The next member of an object or element of an array; *left begins behind
 * the opening bracket and loses what was taken.  key is empty for elements.
 * Strings come without their quotes.  False at the closing bracket or where
 * the text is none of that; then left->n_bytes is 0 only for the former.
 */
bool wm_json_next(wm_word *left, wm_word *key, wm_word *value);

/* The inside of an object or array. */
wm_word wm_json_inside(const wm_word *value);

#endif
