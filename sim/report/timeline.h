/*
 * timeline.h -- a run as Chrome trace events, for Perfetto (ui.perfetto.dev)
 * and chrome://tracing: launches, CTAs on their SMs, counters.
 *
 * Format: "Trace Event Format" (Chromium project): a JSON object with
 * "traceEvents"; complete events (ph X), counters (ph C), metadata (ph M),
 * times in microseconds.  Tracks: process 1 launches and counters, process 2
 * the SMs with one thread per CTA place, so that no two slices of a track
 * overlap.
 *
 * Not modelled  more than WM_TIMELINE_CTAS CTAs: later ones are left out and
 *               counted in "otherData".
 * Ownership     init/fini.
 * Errors        those of the buffer.
 */
#ifndef WM_REPORT_TIMELINE_H
#define WM_REPORT_TIMELINE_H

#include "report/report.h"

#define WM_TIMELINE_CTAS 100000u

typedef struct wm_timeline_cta {
    uint64_t launch;
    uint64_t begin_ns, end_ns;
    uint32_t sm, place;
} wm_timeline_cta;

typedef struct wm_timeline {
    wm_timeline_cta *ctas;
    size_t n_ctas, cap_ctas;
    uint64_t n_left_out;
    bool is_failed;
} wm_timeline;

void wm_timeline_init(wm_timeline *timeline);
void wm_timeline_fini(wm_timeline *timeline);
void wm_timeline_add(wm_timeline *timeline, const wm_timeline_cta *cta);

/* The launches and the series are the report's. */
void wm_timeline_write(const wm_timeline *timeline, const wm_report *report,
                       wm_buffer *out);

#endif
