/*
 * writer_html.c -- one result as a page (html.h).
 */
#include "report/html.h"

static void html_write(const wm_report *report, wm_buffer *out)
{
    const wm_html_result result = {
        report, report->n_traces != 0 ? report->traces[0].path : "result"};
    wm_html_write(&result, 1, NULL, 0, out);
}

extern const wm_writer wm_writer_html;
const wm_writer wm_writer_html = {
    .name = "html",
    .summary = "one self-contained page: charts, launches, instructions",
    .write = html_write,
};
