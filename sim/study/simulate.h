/*
 * simulate.h -- one point of a study, from its trace to the result's bytes.
 *
 * Not modelled  instructions and host figures: the bytes are those of
 *               `warpmem run --no-host -f json`.
 * Errors        WM_EFORMAT also when the result is incomplete, or the trace is
 *               no longer the one the point was named for.
 * Repeatable    same point, same bytes, for any number of threads.
 */
#ifndef WM_STUDY_SIMULATE_H
#define WM_STUDY_SIMULATE_H

#include "engine/engine.h"
#include "report/report.h"
#include "study/points.h"

typedef struct wm_simulation {
    const wm_study *study;
    const wm_point *point;
    const wm_tape *tape; /* NULL: the trace is read from its file */
    const wm_diag *diag; /* the tape's warnings */
    const char *trace_digest;
    uint32_t jobs;           /* threads */
    wm_progress_fn progress; /* may stop the run; NULL = none */
    void *progress_context;
    uint64_t n_records; /* out */
} wm_simulation;

/* Appends the result as JSON. */
wm_status wm_simulate(wm_simulation *simulation, wm_buffer *out, wm_error *err);

/* Copies one launch of the engine into the report; a wm_sink_fn whose context
 * is the wm_report. */
wm_status wm_gather_kernel(const wm_kernel_result *result, void *report,
                           wm_error *err);

/* Sets the report's total from its launches: sums, the last one's dirty bytes,
 * busy parts weighted by time. */
void wm_gather_total(wm_report *report);

#endif
