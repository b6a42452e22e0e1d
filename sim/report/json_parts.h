/*
 * json_parts.h -- parts of a result as JSON that JSON and HTML share.  Private
 * to the report floor.
 */
#ifndef WM_REPORT_JSON_PARTS_H
#define WM_REPORT_JSON_PARTS_H

#include "report/analysis.h"
#include "report/json.h"
#include "report/report.h"

/* "values": {...}, "origin": {...} */
void wm_json_config_values(wm_json *json, const wm_config_set *config);
/* "traces": [...] */
void wm_json_traces(wm_json *json, const wm_report *report);
/* "ranges": [...]: memory that the host copied */
void wm_json_ranges(wm_json *json, const wm_report *report);
/* "warnings": [...] */
void wm_json_warnings(wm_json *json, const wm_diag *diag);
/* key: the text, or null when it is empty; frees it. */
void wm_json_text(wm_json *json, const char *key, wm_buffer *text);

/* An instruction as the members of an object, as values only, or the keys in
 * the same order; row and shares are not looked at for KEYS. */
typedef enum wm_json_row_form {
    WM_JSON_ROW_MEMBERS,
    WM_JSON_ROW_VALUES,
    WM_JSON_ROW_KEYS
} wm_json_row_form;
void wm_json_row(wm_json *json, const wm_report_instruction *row,
                 const wm_row_shares *shares, wm_json_row_form form);

#endif
