/*
 * report.c -- results of a run, gathered; the registry of writers.
 */
#include "report/report.h"
#include "base/text.h"
#include "report/series.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void wm_report_init(wm_report *report)
{
    memset(report, 0, sizeof(*report));
    wm_diag_init(&report->diag);
    report->mode = "timing";
}

void wm_report_fini(wm_report *report)
{
    for (size_t i = 0; i < report->n_traces; i++) {
        free(report->traces[i].path);
    }
    for (size_t i = 0; i < report->n_kernels; i++) {
        free(report->kernels[i].name);
        free(report->kernels[i].instructions);
    }
    wm_series_fini(&report->series);
    free(report->traces);
    free(report->kernels);
    memset(report, 0, sizeof(*report));
}

wm_status wm_report_add_trace(wm_report *report, const char *path,
                              const char *format, const char *digest,
                              wm_error *err)
{
    if (!wm_grow(&report->traces, &report->cap_traces, report->n_traces + 1,
                 sizeof(*report->traces))) {
        return wm_fail_memory(err);
    }
    wm_report_trace *trace = &report->traces[report->n_traces];
    trace->path = wm_text_copy(path);
    if (trace->path == NULL) {
        return wm_fail_memory(err);
    }
    (void)snprintf(trace->format, sizeof(trace->format), "%s", format);
    (void)snprintf(trace->digest, sizeof(trace->digest), "%s", digest);
    report->n_traces++;
    return WM_OK;
}

void wm_report_add_range(wm_report *report, uint64_t begin, uint64_t n_bytes)
{
    wm_report_range *ranges = report->ranges;
    uint64_t end = begin + n_bytes;
    uint32_t first = 0, last = 0;
    if (n_bytes == 0 || end < begin) {
        return;
    }
    while (first < report->n_ranges &&
           ranges[first].begin + ranges[first].n_bytes <= begin) {
        first++;
    }
    for (last = first; last < report->n_ranges && ranges[last].begin < end;
         last++) {
        const uint64_t other = ranges[last].begin + ranges[last].n_bytes;
        begin = ranges[last].begin < begin ? ranges[last].begin : begin;
        end = other > end ? other : end;
    }
    if (first == last && report->n_ranges == WM_REPORT_RANGES) {
        return;
    }
    /* [first, last) become one. */
    memmove(&ranges[first + 1], &ranges[last],
            (report->n_ranges - last) * sizeof(*ranges));
    report->n_ranges = report->n_ranges - (last - first) + 1;
    ranges[first] = (wm_report_range){begin, end - begin};
}

wm_status wm_report_add_kernel(wm_report *report,
                               const wm_report_kernel *kernel, const char *name,
                               wm_error *err)
{
    wm_report_instruction *rows = NULL;
    size_t n_rows = kernel->n_instructions;
    char *own_name = wm_text_copy(name);
    if (n_rows != 0) {
        rows = malloc(n_rows * sizeof(*rows));
    }
    if (own_name == NULL || (n_rows != 0 && rows == NULL) ||
        !wm_grow(&report->kernels, &report->cap_kernels, report->n_kernels + 1,
                 sizeof(*report->kernels))) {
        free(own_name);
        free(rows);
        return wm_fail_memory(err);
    }
    wm_report_kernel *copy = &report->kernels[report->n_kernels++];
    *copy = *kernel;
    copy->name = own_name;
    copy->instructions = rows;
    if (n_rows != 0) {
        memcpy(rows, kernel->instructions, n_rows * sizeof(*rows));
    }
    return WM_OK;
}

#define WM_WRITER(id) extern const wm_writer wm_writer_##id;
#include "report/writers.def"
#undef WM_WRITER

const wm_writer *const wm_writers[] = {
#define WM_WRITER(id) &wm_writer_##id,
#include "report/writers.def"
#undef WM_WRITER
    NULL,
};

const wm_writer *wm_writer_find(const char *name)
{
    for (size_t i = 0; wm_writers[i] != NULL; i++) {
        if (strcmp(wm_writers[i]->name, name) == 0) {
            return wm_writers[i];
        }
    }
    return NULL;
}
