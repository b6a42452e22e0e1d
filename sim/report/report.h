/*
 * report.h -- results of a run, gathered, and written as text, JSON or CSV.
 *
 * The floor knows counters, not the engine: the command line copies each
 * launch's result in (report <- base, config, model).
 *
 * Every metric is an integer counter (model/counters.def) or a ratio of
 * counters (report/metrics.def); 0/0 is null in JSON, empty in CSV, "-" in
 * text.  Numbers are printed the same on every host.
 *
 * Ownership  the report owns copies of all it is given; init/fini.
 * Errors     WM_ENOMEM; WM_EIO from writers when a file cannot be written.
 * Repeatable equal runs give equal bytes with has_host false.
 */
#ifndef WM_REPORT_REPORT_H
#define WM_REPORT_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "base/status.h"
#include "config/config.h"
#include "model/counters.h"

#define WM_REPORT_BOUNDS 8u /* lsu l1 shared fabric l2 dram latency launch */
extern const char *const wm_report_bound_names[WM_REPORT_BOUNDS];

typedef struct wm_report_instruction {
    uint64_t pc;
    uint32_t line;
    uint32_t width;
    const char *kind;
    char opcode[48];
    uint64_t n_requests, n_sectors, n_lines, n_lanes, requested_bytes;
    uint64_t hit_sectors, pending_sectors, miss_sectors;
    uint64_t wavefronts, ideal_wavefronts;
} wm_report_instruction;

typedef struct wm_report_kernel {
    uint64_t launch;
    char *name;
    uint32_t grid[3];
    uint32_t block[3];
    bool is_complete;
    wm_counters counters;
    uint32_t busy_ppm[WM_REPORT_BOUNDS];
    uint32_t bound; /* index into wm_report_bound_names */
    wm_report_instruction *instructions;
    uint32_t n_instructions;
} wm_report_kernel;

typedef struct wm_report_trace {
    char *path;
    char format[32];
    char digest[WM_DIGEST_HEX];
} wm_report_trace;

typedef struct wm_report {
    char version[32];
    bool is_complete;
    const char *mode; /* "timing" or "counts" */
    const wm_config_set *config; /* not owned */
    wm_diag diag;
    wm_report_trace *traces;
    size_t n_traces, cap_traces;
    wm_report_kernel *kernels;
    size_t n_kernels, cap_kernels;
    wm_counters total;
    uint32_t total_busy_ppm[WM_REPORT_BOUNDS];
    uint32_t total_bound;
    bool has_host;
    double host_seconds;
    uint64_t host_records;
    uint64_t host_peak_bytes;
    bool use_nsight_names; /* CSV headers, text */
    bool use_colour;       /* text */
} wm_report;

void wm_report_init(wm_report *report);
void wm_report_fini(wm_report *report);
wm_status wm_report_add_trace(wm_report *report, const char *path,
                              const char *format, const char *digest,
                              wm_error *err);
/* Copies *kernel, its name and its instructions. */
wm_status wm_report_add_kernel(wm_report *report,
                               const wm_report_kernel *kernel, wm_error *err);

/* --- metrics: counters and ratios under one list ------------------------- */
typedef struct wm_metric {
    const char *id;
    const char *unit;
    const char *nsight; /* "" where none exists */
    const char *sentence;
    const char *formula; /* "" for a counter */
} wm_metric;

size_t wm_n_metrics(void);
const wm_metric *wm_metric_at(size_t index);
/* By own id or Nsight name; NULL when unknown. */
const wm_metric *wm_metric_find(const char *id);
/* Value of metric `index`; false means null (0/0). */
bool wm_metric_value(const wm_report *report, const wm_counters *counters,
                     size_t index, double *value);

/* --- writers: writers.def, writer_<id>.c --------------------------------- */
typedef struct wm_writer {
    const char *name; /* "text", "json", "csv" */
    const char *summary;
    void (*write)(const wm_report *report, wm_buffer *out);
} wm_writer;

extern const wm_writer *const wm_writers[]; /* ends in NULL */
const wm_writer *wm_writer_find(const char *name);

#endif
