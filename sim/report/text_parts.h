/*
 * text_parts.h -- the parts of the text report that fill a file of their own.
 * Private to the report floor.
 */
#ifndef WM_REPORT_TEXT_PARTS_H
#define WM_REPORT_TEXT_PARTS_H

#include "report/report.h"

/* Value of the metric called id, which must exist; kernel NULL = total. */
bool wm_text_value(const wm_report *report, const wm_report_kernel *kernel,
                   const char *id, double *value);

/* The whole run: SM to L1 to L2 to DRAM, and what limits it. */
void wm_text_total(const wm_report *report, wm_buffer *out);

/* One launch's static instructions that touched memory. */
void wm_text_instructions(const wm_report *report,
                          const wm_report_kernel *kernel, wm_buffer *out);

#endif
