/*
 * points.h -- the points of a study: one run each, named by what it depends
 * on.
 *
 * A point's digest is over the program's version, the trace's digest, the
 * digest of the effective configuration, the mode and the selection of
 * launches: equal digests, equal results, whichever study asks.
 *
 * Points are ordered by trace, then configuration, then axes, the last axis
 * fastest, then launches of a split.  A row is what a table shows in one line:
 * all points of one trace, configuration and choice of values.
 *
 * Ownership  init/fini; a point refers to the study, which must outlive it.
 * Errors     WM_ECONFIG with the study's file and line, before anything runs.
 * Repeatable same study and traces, same points in the same order.
 */
#ifndef WM_STUDY_POINTS_H
#define WM_STUDY_POINTS_H

#include "study/study.h"
#include "trace/tape.h"

#define WM_STUDY_UNSET UINT16_MAX /* an axis whose condition does not hold */

typedef struct wm_point {
    uint32_t trace;
    uint32_t config;
    uint32_t row;
    uint16_t value[WM_STUDY_AXES_MAX]; /* by axis: index into its values */
    uint64_t first_launch;             /* from 1; 0 = the study's selection */
    uint64_t n_launches;
    char digest[WM_DIGEST_HEX];
} wm_point;

typedef struct wm_points {
    wm_point *items;
    size_t n, capacity;
    uint32_t n_rows;
} wm_points;

void wm_points_init(wm_points *points);
void wm_points_fini(wm_points *points);

/* facts: one for each of study->traces. */
wm_status wm_points_make(const wm_study *study, const wm_tape_facts *facts,
                         wm_points *points, wm_error *err);

/* The point's configuration; the caller frees it. */
wm_status wm_point_config(const wm_study *study, const wm_point *point,
                          wm_config_set **out, wm_error *err);

/* The value of an axis as text; "" when unset. */
const char *wm_point_value(const wm_study *study, const wm_point *point,
                           uint32_t axis);

#endif
