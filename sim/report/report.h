/*
 * report.h -- results of a run, gathered, and written as text, JSON or CSV.
 *
 * The floor knows counters, not the engine: the command line copies each
 * launch's result in (report <- base, config, model).
 *
 * Every metric is an integer counter (model/counters.def), a formula over
 * counters and configuration keys, or a part of the bound (both in
 * report/metrics.def); x/0 is null in JSON, empty in CSV, "-" in text.
 * Numbers are printed the same on every host.
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
#include "model/coalescer/pattern.h"
#include "model/counters.h"

#define WM_REPORT_BOUNDS 8u /* lsu l1 shared fabric l2 dram latency launch */
extern const char *const wm_report_bound_names[WM_REPORT_BOUNDS];

#define WM_REPORT_BINS 8u /* by sectors: 0 1 2 3-4 5-8 9-16 17-32 more */
extern const char *const wm_report_bin_names[WM_REPORT_BINS];

typedef struct wm_report_instruction {
    uint64_t pc;
    uint32_t line;
    uint32_t width;
    const char *kind;
    char opcode[48];
    uint64_t n_requests, n_sectors, n_lines, n_lanes, requested_bytes;
    uint64_t hit_sectors, pending_sectors, miss_sectors;
    uint64_t wavefronts, ideal_wavefronts;
    uint64_t ideal_sectors, unique_bytes;
    uint64_t n_class[WM_CLASSES]; /* records by kind of access */
    uint64_t n_by_sectors[WM_REPORT_BINS];
    int64_t stride_least, stride_most;    /* of the strided ones, bytes */
    uint64_t address_least, address_most; /* bytes; 0, 0 when none */
    uint64_t lsu_cycles, stall_cycles;
    bool is_advised;       /* the run was repeated with this one ideal: */
    uint64_t ideal_cycles; /* then the launch takes so many */
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

/* A piece of memory that the host copied; what of it kernels touch. */
typedef struct wm_report_range {
    uint64_t begin, n_bytes;
} wm_report_range;
#define WM_REPORT_RANGES 256u /* further copies are not kept */

/* A piece of simulated time and what was counted in it (series.h). */
typedef struct wm_series_sample {
    uint64_t launch; /* that it ends in */
    uint64_t end_ns; /* it begins where the one before ends */
    wm_counters counters;
} wm_series_sample;

typedef struct wm_series {
    uint64_t interval_ns; /* 0 = there is no series */
    wm_series_sample *samples;
    size_t n_samples;
    uint64_t launch;  /* of the last call */
    wm_counters last; /* its counters */
    bool is_failed;   /* no memory for samples */
} wm_series;

typedef struct wm_report_trace {
    char *path;
    char format[32];
    char digest[WM_DIGEST_HEX];
} wm_report_trace;

typedef struct wm_report {
    char version[32];
    bool is_complete;
    const char *mode;            /* "timing" or "counts" */
    const wm_config_set *config; /* not owned; NULL in tests only */
    char config_note[64];        /* "auto, sm_70"; "" when named by the user */
    char selection[256];         /* "--launch-count 3"; "" = all launches */
    uint64_t n_launches_seen;    /* in the traces, selected or not */
    wm_diag diag;
    wm_report_trace *traces;
    size_t n_traces, cap_traces;
    wm_report_kernel *kernels;
    size_t n_kernels, cap_kernels;
    wm_counters total;
    uint32_t total_busy_ppm[WM_REPORT_BOUNDS];
    uint32_t total_bound;
    bool has_instructions; /* rows were asked for, even if there are none */
    wm_report_range ranges[WM_REPORT_RANGES]; /* by address, disjoint */
    uint32_t n_ranges;
    wm_series series;
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
/* Keeps a copied range, joined with those it overlaps. */
void wm_report_add_range(wm_report *report, uint64_t begin, uint64_t n_bytes);
/* Copies *kernel with its instructions; `name`, any bytes, is copied in place
 * of kernel->name. */
wm_status wm_report_add_kernel(wm_report *report,
                               const wm_report_kernel *kernel, const char *name,
                               wm_error *err);

/* --- metrics: counters, formulas and bounds under one list --------------- */
typedef enum wm_metric_kind {
    WM_METRIC_COUNTER, /* an integer of model/counters.def */
    WM_METRIC_FORMULA, /* computed from `formula` */
    WM_METRIC_BUSY,    /* bound.lsu ...: a fraction */
    WM_METRIC_WORD     /* bound.name: a word, not a number */
} wm_metric_kind;

typedef struct wm_metric {
    wm_metric_kind kind;
    const char *id;
    const char *unit;
    const char *nsight; /* "" where none exists */
    const char *sentence;
    const char *formula; /* "" unless WM_METRIC_FORMULA */
    size_t n_id;         /* strlen(id): names are looked up often */
} wm_metric;

size_t wm_n_metrics(void);
const wm_metric *wm_metric_at(size_t index);
/* By own id or Nsight name; NULL when unknown. */
const wm_metric *wm_metric_find(const char *id);
/* The number of metric `index` for a kernel of the report, or for the total
 * when kernel is NULL.  False means null (x/0) or that it is a word. */
bool wm_metric_value(const wm_report *report, const wm_report_kernel *kernel,
                     size_t index, double *value);
/* Appends the same as it is written in JSON and CSV, counters exactly, the
 * word of WM_METRIC_WORD bare.  False, and nothing appended, when null. */
bool wm_metric_print(const wm_report *report, const wm_report_kernel *kernel,
                     size_t index, wm_buffer *out);

/* --- writers: writers.def, writer_<id>.c --------------------------------- */
typedef struct wm_writer {
    const char *name; /* "text", "json", "csv" */
    const char *summary;
    void (*write)(const wm_report *report, wm_buffer *out);
} wm_writer;

extern const wm_writer *const wm_writers[]; /* ends in NULL */
const wm_writer *wm_writer_find(const char *name);

#endif
