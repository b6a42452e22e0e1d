/*
 * partition_internal.h -- the state of one partition: slices, channels, and
 * the replies it has filed.
 */
#ifndef WM_ENGINE_PARTITION_INTERNAL_H
#define WM_ENGINE_PARTITION_INTERNAL_H

#include "base/arena.h"
#include "engine/memory_internal.h"
#include "engine/message_internal.h"
#include "model/cache/cache.h"
#include "model/counters.h"
#include "model/dram/dram.h"

/* Replies are filed by window: those of this block of windows and the next;
 * behind them by block, those of this block of blocks and the next; the rest
 * is a list. */
#define WM_CALENDAR       64u
#define WM_CALENDAR_BLOCK (WM_CALENDAR / 2)
/* The furthest reply, in cycles: cycles are kept in 32 bits, and a warp may
 * meet 32 of them, one after the other, between a load's return and its use. */
#define WM_REPLY_MAX (UINT64_C(1) << 26)

/* Box n % WM_CALENDAR holds the replies of window, or block, n. */
typedef struct wm_calendar {
    wm_reply_box box[WM_CALENDAR];
    uint64_t filed; /* bit k: box k is not empty */
} wm_calendar;

typedef struct wm_slice_stats {
    uint64_t l2[WM_L2_OPS][WM_L2_FIELDS];
    uint64_t n_fetched, n_written_back, n_copied, n_dirtied, n_cleaned;
    uint64_t n_crossed; /* sectors from the other half */
    uint64_t busy_ps;
} wm_slice_stats;

struct wm_partition;

typedef struct wm_slice {
    _Alignas(WM_ARENA_ALIGN) wm_cache tags;
    struct wm_partition *partition;
    uint64_t (*bytes)[2]; /* per line: bytes of its partial sectors */
    uint64_t free_ps;
    uint64_t *misses; /* ring of the last `mshrs` fill times */
    uint32_t miss_head;
    uint32_t local; /* number within the partition */
    wm_slice_stats stats;
} wm_slice;

typedef struct wm_partition {
    wm_slice *slices; /* slices_per_partition, of the engine's */
    wm_cache tlb;     /* of pages; every partition sees every page */
    uint64_t last_page;
    wm_dram **channels;
    wm_memory *memory; /* banked channels in their place, or NULL */
    /* of the last access: when its slice took it, and what comes after its
     * data */
    uint64_t start_ps, after_ps;
    wm_calendar windows, blocks; /* replies by window, by block of arrival */
    wm_reply_box far;            /* beyond both */
    uint64_t far_window;         /* the first one's */
    /* arrays not in use, last used first */
    wm_reply_box spare[2 * WM_CALENDAR + 2];
    uint32_t n_spare;
    size_t n_posted; /* replies that arrive in the next window */
    wm_status status;
} wm_partition;

#endif
