/*
 * compare_write.h -- a comparison as text, CSV or JSON.
 *
 * Units      ratios are other / first; errors in percent (text).
 * Errors     those of the buffer.
 * Repeatable same comparison, same bytes.
 */
#ifndef WM_STUDY_COMPARE_WRITE_H
#define WM_STUDY_COMPARE_WRITE_H

#include "base/buffer.h"
#include "study/compare.h"

typedef struct wm_compare_source {
    const char *path;
    const char *label; /* configuration and mode, or "Nsight Compute" */
} wm_compare_source;

typedef struct wm_compare_view {
    const wm_compare *compare;
    const wm_compare_source *sources; /* [n_sources] */
    double threshold;                 /* as a fraction; < 0 = none */
    bool is_ncu; /* source 0 is the hardware: errors, not ratios */
} wm_compare_view;

void wm_compare_text(const wm_compare_view *view, wm_buffer *out);
void wm_compare_csv(const wm_compare_view *view, wm_buffer *out);
void wm_compare_json(const wm_compare_view *view, wm_buffer *out);

#endif
