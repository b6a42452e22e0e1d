/*
 * text_parts.h -- the parts of the text report that fill a file of their own.
 * Private to the report floor.
 */
#ifndef WM_REPORT_TEXT_PARTS_H
#define WM_REPORT_TEXT_PARTS_H

#include "report/report.h"

/* The whole run: time, diagnosis, efficiencies, roofline, memory chart. */
void wm_text_total(const wm_report *report, wm_buffer *out);

/* The memory chart of the whole run: SM to L1 to L2 to DRAM. */
void wm_text_chart(const wm_report *report, wm_buffer *out);

/* One launch's static instructions that touched memory, most costly first. */
void wm_text_instructions(const wm_report *report,
                          const wm_report_kernel *kernel, wm_buffer *out);

#endif
