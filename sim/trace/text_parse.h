/*
 * text_parse.h -- the lines of a readable trace, one function for each kind.
 * Private to the trace floor.  docs/TRACE_FORMAT.md gives the grammar.
 *
 * Ownership  a line is a view; names are the caller's to free.
 * Errors     WM_EFORMAT "FILE:LINE:COLUMN: found X, wanted Y"; WM_ENOMEM.
 * Threads    no shared state.
 */
#ifndef WM_TRACE_TEXT_PARSE_H
#define WM_TRACE_TEXT_PARSE_H

#include "base/status.h"
#include "trace/record.h"
#include "trace/static_table.h"
#include "trace/text_scan.h"

typedef struct wm_text_line {
    const char *path;
    uint64_t number;
    wm_scan scan;
    wm_word first; /* the line's first word, already taken from scan */
} wm_text_line;

/* "FILE:LINE:COLUMN: found FIRST, wanted ..." */
wm_status wm_text_fail_line(const wm_text_line *line, const char *wanted,
                            wm_error *err);

wm_status wm_text_parse_copy(wm_text_line *line, wm_copy *copy, wm_error *err);
/* launch is zeroed first; *name is NULL on failure. */
wm_status wm_text_parse_launch(wm_text_line *line, wm_launch *launch,
                               char **name, wm_error *err);
wm_status wm_text_parse_static(wm_text_line *line, wm_static_table *table,
                               wm_error *err);
/* Clears cta and gives it its warps, all empty.  *n_records: what the line
 * promises, UINT64_MAX when it does not say. */
wm_status wm_text_parse_cta(wm_text_line *line, const wm_launch *launch,
                            wm_cta *cta, uint64_t *n_records, wm_error *err);
/* warp W: the records that follow belong to it. */
wm_status wm_text_parse_warp(wm_text_line *line, wm_cta *cta, uint32_t *warp,
                             wm_error *err);
/* Appends one record to cta->records. */
wm_status wm_text_parse_record(wm_text_line *line, const wm_launch *launch,
                               wm_cta *cta, wm_error *err);

#endif
