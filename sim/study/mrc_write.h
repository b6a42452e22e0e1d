/*
 * mrc_write.h -- a miss-ratio curve as text, CSV or JSON.
 *
 * Errors     those of the buffer.
 * Repeatable same curve, same bytes.
 */
#ifndef WM_STUDY_MRC_WRITE_H
#define WM_STUDY_MRC_WRITE_H

#include "base/buffer.h"
#include "study/mrc.h"

typedef struct wm_mrc_view {
    const wm_mrc *mrc;
    const wm_mrc_options *options;
    const wm_mrc_point *points;
    size_t n_points;
    wm_mrc_point configured; /* the point of the configured size */
    const char *config;      /* name */
    const char *config_note; /* "" or how it was chosen */
    bool is_complete;
    const char *const *traces;
    const char (*digests)[WM_DIGEST_HEX];
    size_t n_traces;
    uint64_t sector_bytes;
} wm_mrc_view;

void wm_mrc_text(const wm_mrc_view *view, wm_buffer *out);
void wm_mrc_csv(const wm_mrc_view *view, wm_buffer *out);
void wm_mrc_json(const wm_mrc_view *view, wm_buffer *out);

#endif
