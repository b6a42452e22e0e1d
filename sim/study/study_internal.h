/*
 * study_internal.h -- what the parts of the study file's reader share.
 */
#ifndef WM_STUDY_STUDY_INTERNAL_H
#define WM_STUDY_STUDY_INTERNAL_H

#include "base/buffer.h"
#include "report/report.h"
#include "study/study.h"

/* Entries of the text into study; study->path is set. */
wm_status wm_study_read_text(wm_study *study, const wm_buffer *text,
                             wm_error *err);
wm_status wm_study_add_metric(wm_study *study, const wm_metric *metric,
                              wm_error *err);

#endif
