/*
 * html.h -- results and studies as one self-contained page.
 *
 * The page is assets/page.html with its style, its script and uPlot put in,
 * and the data as JSON by column (assets/report.js says how they lie).  It
 * asks the network for nothing.
 *
 * Not modelled  printing more than the first 100 rows of a table.
 * Ownership     nothing is kept.
 * Errors        those of the buffer.
 * Repeatable    equal reports give equal bytes; host time is not in it.
 * Cost          about 100 KB and the data: metrics that are 0 in all launches
 *               are left out.
 */
#ifndef WM_REPORT_HTML_H
#define WM_REPORT_HTML_H

#include "report/report.h"

typedef struct wm_html_result {
    const wm_report *report;
    const char *label; /* shown where a result is chosen */
} wm_html_result;

/* A study's own JSON (mrc, sensitivity, study, compare), whole. */
typedef struct wm_html_study {
    const char *label;
    const char *json;
} wm_html_study;

void wm_html_write(const wm_html_result *results, size_t n_results,
                   const wm_html_study *studies, size_t n_studies,
                   wm_buffer *out);

#endif
