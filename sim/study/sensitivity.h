/*
 * sensitivity.h -- what a result depends on: each numeric key of a
 * configuration changed alone by some factors, and the keys ranked by how far
 * time and traffic follow.
 *
 *     wm_sensitivity_axes     fills a study (is_one_at_a_time) with the axes
 *     (run its points)
 *     wm_sensitivity_rank     from the table of results
 *
 * Not modelled  changes of several keys at once.
 * Units         changes as parts: 0.1 = 10 % more than the base.
 * Ownership     init/fini.
 * Errors        WM_EUSAGE when no key is left to vary; WM_ENOMEM.
 * Repeatable    keys that change the same are in the schema's order.
 */
#ifndef WM_STUDY_SENSITIVITY_H
#define WM_STUDY_SENSITIVITY_H

#include "base/buffer.h"
#include "study/table.h"

#define WM_FACTORS_MAX 8u

typedef struct wm_sensitivity_skip {
    const wm_key *key;
    double factor;
    char *reason;
} wm_sensitivity_skip;

/* One value of one key. */
typedef struct wm_sensitivity_point {
    uint32_t axis;
    uint32_t value; /* of the axis */
    double factor;
    double *numbers; /* by metric of the study, summed over the traces */
    double *changes; /* number / base - 1; NaN where the base is 0 */
} wm_sensitivity_point;

typedef struct wm_sensitivity {
    wm_sensitivity_point *points; /* axis by axis */
    size_t n_points, cap_points;
    uint32_t *ranks; /* axes, most important first */
    double *base;    /* by metric of the study */
    size_t n_metrics;
    wm_sensitivity_skip *skips;
    size_t n_skips, cap_skips;
} wm_sensitivity;

void wm_sensitivity_init(wm_sensitivity *sensitivity);
void wm_sensitivity_fini(wm_sensitivity *sensitivity);

/*
 * Adds an axis to the study for each numeric key whose name matches one of
 * the globs (none = all), with those factors whose value is legal.  The
 * study's first configuration and its sets are the base.
 */
wm_status wm_sensitivity_axes(wm_sensitivity *sensitivity, wm_study *study,
                              const wm_config_set *base, const double *factors,
                              size_t n_factors, const char *const *globs,
                              size_t n_globs, wm_error *err);

/* From the finished table; metrics are compared in the study's order. */
wm_status wm_sensitivity_rank(wm_sensitivity *sensitivity,
                              const wm_table *table, wm_error *err);

typedef struct wm_sensitivity_view {
    const wm_sensitivity *sensitivity;
    const wm_study *study;
    const wm_config_set *base;
    size_t n_shown; /* text: keys at most */
} wm_sensitivity_view;

void wm_sensitivity_text(const wm_sensitivity_view *view, wm_buffer *out);
void wm_sensitivity_csv(const wm_sensitivity_view *view, wm_buffer *out);
void wm_sensitivity_json(const wm_sensitivity_view *view, wm_buffer *out);

#endif
