/*
 * trace_stats.h -- what a trace holds, counted launch by launch; the common
 * part of `trace check` and `trace info`.
 *
 * Units      addresses and sizes in bytes.
 * Ownership  init/fini; names are copies.
 * Cost       some 100 ns a record, memory by the pages touched; by_kind false:
 *            nothing per record.
 */
#ifndef WM_CLI_TRACE_STATS_H
#define WM_CLI_TRACE_STATS_H

#include "cli/footprint.h"
#include "cli/trace_walk.h"
#include "model/coalescer/coalescer.h"

typedef struct wm_launch_stats {
    char *name; /* of a launch; NULL in a sum */
    uint32_t grid[3];
    uint32_t block[3];
    uint32_t sm_version;
    uint32_t shared_bytes;
    uint32_t registers;
    uint64_t n_ctas_promised;
    uint64_t n_ctas;
    uint64_t n_statics;
    uint64_t n_records;
    /* From here on only by_kind. */
    uint64_t n_by_kind[WM_KIND_COUNT];
    /* Of kinds in global memory: bytes that lanes ask for, and the 32-byte
     * sectors that they coalesce to, as the engine counts them. */
    uint64_t n_bytes_by_kind[WM_KIND_COUNT];
    uint64_t n_sectors_by_kind[WM_KIND_COUNT];
    uint64_t n_pages; /* of WM_FOOTPRINT_PAGE bytes, touched in it */
    uint64_t n_warps;
    uint64_t n_other; /* instructions that are not records */
    /* Of global accesses: first byte and one past the last; no access: 0. */
    uint64_t first_addr;
    uint64_t end_addr;
} wm_launch_stats;

typedef struct wm_trace_stats {
    bool by_kind;
    wm_launch_stats *launches;
    size_t n_launches, cap_launches;
    wm_launch_stats total;
    uint64_t n_copies;
    uint64_t n_copied_bytes;
    wm_coalescer coalescer;
    wm_coalesced coalesced;
    wm_footprint in_launch, in_total;
} wm_trace_stats;

/* Kinds whose addresses are in global memory. */
static inline bool wm_kind_is_global(wm_kind kind)
{
    return kind <= WM_KIND_GLOBAL_REDUCTION || kind == WM_KIND_ASYNC_COPY;
}

/* A trace read to its end: its walk, its warnings, what it holds. */
typedef struct wm_trace_survey {
    wm_trace_walk walk;
    wm_diag diag;
    wm_trace_stats stats;
} wm_trace_survey;

/* Reads the trace; the survey is to be ended whatever comes of it. */
wm_status wm_trace_survey_read(wm_trace_survey *survey, const char *path,
                               bool keep_going, bool by_kind, uint64_t jobs,
                               wm_error *err);
/* Prints the warnings. */
void wm_trace_survey_fini(wm_trace_survey *survey);

#endif
