/*
 * standard_internal.h -- what the two halves of the standards share: the file's
 * keys (standard.c) and its times (standard_time.c).
 */
#ifndef WM_MODEL_DRAM_STANDARD_INTERNAL_H
#define WM_MODEL_DRAM_STANDARD_INTERNAL_H

#include "model/dram/standard.h"

/* "tCL" and so on, by wm_standard_timing; "act", ... by wm_standard_length. */
extern const char *const wm_standard_timing_names[WM_T_COUNT];
extern const char *const wm_standard_length_names[WM_LENGTH_COUNT];

/* One plain time, "570 ps" or "1.25 ns", in fs; the message starts with
 * place. */
wm_status wm_standard_parse_fs(const char *text, const char *place,
                               uint64_t *fs, wm_error *err);

#endif
