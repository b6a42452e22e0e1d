/*
 * compare.h -- results side by side, launch by launch and metric by metric,
 * and a result against what Nsight Compute measured.
 *
 * The first source is what the others are held to: a ratio is other / first.
 * Launches of results are joined by number and bare name.  Launches of an
 * ncu export are joined with those of the result by bare function name, in
 * order; when no name agrees and the counts do, by position.
 *
 * Not modelled  instructions and time series.
 * Units         the metric's own; Nsight's % are fractions here.
 * Ownership     init/fini; texts of rows belong to the reports and exports,
 *               which must outlive the comparison.
 * Errors        WM_EUSAGE for an unknown metric; WM_EFORMAT when an export
 *               and a result have no launch or no metric in common; WM_ENOMEM.
 * Repeatable    same sources, same rows.
 */
#ifndef WM_STUDY_COMPARE_H
#define WM_STUDY_COMPARE_H

#include <regex.h>

#include "report/report.h"
#include "study/ncu.h"

typedef struct wm_compare_row {
    uint64_t launch;      /* 0 = total */
    const char *kernel;   /* NULL = total */
    const char *label;    /* the metric's id, or Nsight's name */
    const char *note;     /* known difference of an Nsight metric, "" = none;
                             NULL in a comparison of results */
    size_t metric;        /* index for wm_metric_at */
    const double *values; /* [n_sources]; NaN = null */
    bool is_over;         /* some ratio is off by more than the threshold */
} wm_compare_row;

typedef struct wm_compare_options {
    const char *const *metrics; /* ids; n_metrics 0 = a chosen few */
    size_t n_metrics;
    bool all_metrics;      /* every one that is not 0 or null everywhere */
    bool only_total;       /* no rows for launches */
    bool only_over;        /* rows within the threshold are left out */
    double threshold;      /* as a fraction; < 0 = none */
    const regex_t *select; /* launches whose name matches; NULL = all */
} wm_compare_options;

typedef struct wm_compare {
    size_t n_sources;
    wm_compare_row *rows;
    size_t n_rows, cap_rows;
    size_t n_numbers, n_over; /* ratios looked at, those over the threshold */
    double **blocks;          /* the values, in pieces */
    size_t n_blocks, cap_blocks;
    double sum_error[3];   /* against ncu: sum of |error|, count, largest */
    size_t n_unmatched;    /* launches that only one side has */
    size_t n_not_exported; /* our metrics with an Nsight name, not in the CSV */
} wm_compare;

void wm_compare_init(wm_compare *compare);
void wm_compare_fini(wm_compare *compare);

wm_status wm_compare_results(const wm_report *const *reports, size_t n_reports,
                             const wm_compare_options *options,
                             wm_compare *compare, wm_error *err);

/* Source 0 is the hardware, source 1 the result. */
wm_status wm_compare_ncu(const wm_ncu *ncu, const wm_report *report,
                         const wm_compare_options *options, wm_compare *compare,
                         wm_diag *diag, wm_error *err);

#endif
