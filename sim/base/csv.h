/*
 * csv.h -- comma-separated texts (RFC 4180), record by record.
 *
 * Quoted fields may hold commas, line ends and doubled quotes; line ends are
 * LF or CRLF.  What a field means is the caller's affair.
 *
 * Units      lines from 1.
 * Ownership  the record owns its fields, valid until the next call; the text
 *            stays the caller's.
 * Errors     false and is_failed when memory is short.
 */
#ifndef WM_BASE_CSV_H
#define WM_BASE_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

typedef struct wm_csv {
    const char *at;
    const char *end;
    uint32_t line;        /* of the next record */
    uint32_t record_line; /* of the present one */
    wm_buffer text;       /* the fields, each with its NUL */
    size_t *starts;       /* into text */
    size_t cap_starts;
    size_t n_fields;
    bool is_failed;
} wm_csv;

void wm_csv_init(wm_csv *csv, const char *text, size_t n_text);
void wm_csv_fini(wm_csv *csv);
/* Reads the next record; false at the end.  A blank line has no field. */
bool wm_csv_next(wm_csv *csv);
/* Skips to the line after the present place, whatever quotes it holds. */
void wm_csv_skip_line(wm_csv *csv);
/* Field i, "" when there is none. */
const char *wm_csv_field(const wm_csv *csv, size_t i);

/* Appends text as one quoted field.  Bytes below blank become blanks, and a
 * text that a spreadsheet would run as a formula gets a leading apostrophe. */
void wm_csv_quote(wm_buffer *out, const char *text);

#endif
