/*
 * wmt_parse.h -- the payloads of COPY, LAUN and STAT chunks.  Private to the
 * trace floor.
 *
 * Ownership  texts are views into the payload.
 * Errors     a sentence without a place, or wm_wmt_no_memory; NULL is success.
 */
#ifndef WM_TRACE_WMT_PARSE_H
#define WM_TRACE_WMT_PARSE_H

#include "trace/record.h"
#include "trace/static_table.h"
#include "trace/wmt_layout.h"

const char *wm_wmt_parse_copy(wm_wmt_cursor *cursor, wm_copy *copy);

/* launch is zeroed first; its name is left to the caller. */
const char *wm_wmt_parse_launch(wm_wmt_cursor *cursor, wm_launch *launch,
                                uint32_t *number, const char **name,
                                size_t *n_name);

/* Appends to table; the rows must follow those already there, and belong to
 * the last of n_launches launches. */
const char *wm_wmt_parse_statics(wm_wmt_cursor *cursor, uint32_t n_launches,
                                 wm_static_table *table);

#endif
