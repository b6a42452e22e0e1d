/*
 * observe.h -- what a run shows of itself over time: the report's series and,
 * where asked for, the timeline and CSV files.
 *
 * Ownership  init/fini; the series belongs to the report.
 * Errors     WM_EUSAGE for an interval that is none; WM_EIO; WM_ENOMEM.
 */
#ifndef WM_CLI_OBSERVE_H
#define WM_CLI_OBSERVE_H

#include "engine/engine.h"
#include "report/report.h"
#include "report/timeline.h"

typedef struct wm_observe_options {
    const char *interval; /* "5 us"; NULL = 1 us where anything needs it */
    const char *series;   /* CSV file; NULL = none */
    const char *timeline; /* Chrome trace events; NULL = none */
    bool is_wanted;       /* the report shows the series */
} wm_observe_options;

typedef struct wm_observe {
    wm_observe_options options;
    wm_report *report;
    wm_timeline timeline;
} wm_observe;

/* Checks the options and fills in what the engine must know. */
wm_status wm_observe_init(wm_observe *observe,
                          const wm_observe_options *options, wm_report *report,
                          wm_engine_options *engine, wm_error *err);
void wm_observe_fini(wm_observe *observe);
/* Writes the files, once the report is filled in. */
wm_status wm_observe_write(const wm_observe *observe, wm_error *err);

#endif
