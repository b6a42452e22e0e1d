/*
 * counters.h -- the integer counters of one kernel launch, generated from
 * counters.def.  Derived metrics (ratios, bounds) are in report/metrics.def.
 */
#ifndef WM_MODEL_COUNTERS_H
#define WM_MODEL_COUNTERS_H

#include <stdint.h>

typedef enum wm_counter_id {
#define WM_COUNTER(id, name, unit, nsight, sentence) WM_C_##id,
#include "model/counters.def"
#undef WM_COUNTER
    WM_COUNTER_COUNT
} wm_counter_id;

/* Fields of one l1.KIND family, in the order of counters.def. */
enum {
    WM_L1_REQUESTS,
    WM_L1_ACTIVE_REQUESTS,
    WM_L1_SECTORS,
    WM_L1_LINES,
    WM_L1_TRANSACTIONS,
    WM_L1_LANES,
    WM_L1_REQUESTED_BYTES,
    WM_L1_HIT_SECTORS,
    WM_L1_PENDING_SECTORS,
    WM_L1_MISS_SECTORS,
    WM_L1_WAVEFRONTS,
    WM_L1_TAG_WAVEFRONTS,
    WM_L1_FIELDS
};

/* Fields of one shared.OP family. */
enum {
    WM_SH_REQUESTS,
    WM_SH_ACTIVE_REQUESTS,
    WM_SH_LANES,
    WM_SH_REQUESTED_BYTES,
    WM_SH_WAVEFRONTS,
    WM_SH_IDEAL_WAVEFRONTS,
    WM_SH_FIELDS
};

/* Fields of one l2.OP family, and the operations. */
enum {
    WM_L2_REQUESTS,
    WM_L2_SECTORS,
    WM_L2_HIT_SECTORS,
    WM_L2_PENDING_SECTORS,
    WM_L2_MISS_SECTORS,
    WM_L2_FIELDS
};
enum { WM_L2_READ, WM_L2_WRITE, WM_L2_ATOMIC, WM_L2_OPS };

typedef struct wm_counters {
    uint64_t value[WM_COUNTER_COUNT];
} wm_counters;

typedef struct wm_counter_info {
    const char *id; /* "l2.read.sectors" */
    const char *unit;
    const char *nsight; /* "" where none exists */
    const char *sentence;
} wm_counter_info;

/* WM_COUNTER_COUNT entries, in enum order. */
extern const wm_counter_info wm_counter_infos[];

#endif
