/*
 * trace_stats.h -- what a trace holds, counted launch by launch.
 *
 * Units      addresses and sizes in bytes.
 * Ownership  init/fini; names are copies.
 */
#ifndef WM_CLI_TRACE_STATS_H
#define WM_CLI_TRACE_STATS_H

#include "cli/trace_walk.h"

typedef struct wm_launch_stats {
    char *name; /* of a launch; NULL in a sum */
    uint32_t grid[3];
    uint32_t block[3];
    uint32_t sm_version;
    uint32_t shared_bytes;
    uint32_t registers;
    uint64_t n_ctas_promised;
    uint64_t n_ctas;
    uint64_t n_warps;
    uint64_t n_statics;
    uint64_t n_records[WM_KIND_COUNT];
    uint64_t n_other; /* instructions that are not records */
    /* Of global accesses: first byte and one past the last; no access: 0. */
    uint64_t first_addr;
    uint64_t end_addr;
} wm_launch_stats;

typedef struct wm_trace_stats {
    wm_launch_stats *launches;
    size_t n_launches, cap_launches;
    wm_launch_stats total;
    uint64_t n_copies;
    uint64_t n_copied_bytes;
} wm_trace_stats;

/* For wm_trace_walk with a wm_trace_stats as context. */
extern const wm_trace_sink wm_trace_stats_sink;

void wm_trace_stats_init(wm_trace_stats *stats);
void wm_trace_stats_fini(wm_trace_stats *stats);
uint64_t wm_launch_stats_records(const wm_launch_stats *launch);

#endif
