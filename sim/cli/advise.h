/*
 * advise.h -- what an instruction costs, found by running without its fault.
 *
 * The instructions that look most worth a change (share of the limit and of
 * the LSU, times the part above the ideal) are made ideal one after another,
 * the whole run is repeated, and the launches' new times are kept beside
 * their rows.
 *
 * Where the repair hands data from lane to lane (gathers, strides of a line and
 * more) the replay pays for it: one shared store and load more per request.
 *
 * Not modelled  what else the better code takes: barriers, address arithmetic,
 *               occupancy that a tile in shared memory costs.
 * Ownership     the report's rows are changed in place.
 * Errors        those of a run.
 * Cost          one run per instruction, at most WM_ADVISE_MAX.
 */
#ifndef WM_CLI_ADVISE_H
#define WM_CLI_ADVISE_H

#include "cli/options.h"
#include "cli/select.h"
#include "engine/engine.h"
#include "report/report.h"

#define WM_ADVISE_MAX 3u

/* The run that made the report. */
typedef struct wm_advise_plan {
    const wm_words *traces;
    const wm_config *config;
    const wm_select_options *select;
    wm_mode mode;
    uint32_t jobs;
    bool keep_going;
} wm_advise_plan;

wm_status wm_advise(const wm_advise_plan *plan, wm_report *report,
                    wm_error *err);

#endif
