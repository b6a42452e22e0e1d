/*
 * series.h -- counters over simulated time, in bounded memory.
 *
 * Samples follow one another without gaps; each holds what was counted in it.
 * When WM_SERIES_MAX are full, neighbours are joined and the interval doubles,
 * so a run of any length keeps between half of them and all.
 *
 * A sample that a launch ends in goes on into the next launch: launches
 * shorter than the interval share one.
 *
 * Not modelled  DRAM traffic is booked when the L2 asks for it.
 * Units         ns of simulated time over the whole run.
 * Ownership     the samples belong to the report.
 * Errors        WM_ENOMEM at the first sample: the room is taken at once.
 * Repeatable    the same for any number of threads.
 */
#ifndef WM_REPORT_SERIES_H
#define WM_REPORT_SERIES_H

#include "report/json.h"
#include "report/report.h"

#define WM_SERIES_MAX 1024u

/* Adds what `counters`, those of a launch since it began, have grown by;
 * time_ns is the moment.  Returns the interval from now on. */
uint64_t wm_series_add(wm_series *series, uint64_t launch, uint64_t time_ns,
                       const wm_counters *counters);
void wm_series_fini(wm_series *series);

/* The metrics that a sample has, as indices of wm_metric_at; SIZE_MAX ends
 * the list.  Others (of queues, rows, ends) mean nothing in part of a launch.
 */
size_t wm_series_metric(size_t place);

/* "interval_ns": ..., "end_ns": [...], "launch": [...], "metrics": {...}; with
 * has_counters also every counter that is not 0 throughout, which formulas
 * need when the result is read again. */
void wm_series_json(wm_json *json, const wm_report *report, bool has_counters);
/* One row per sample: end_ns, launch, then metrics. */
void wm_series_csv(const wm_report *report, wm_buffer *out);

#endif
