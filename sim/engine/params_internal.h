/*
 * params_internal.h -- the constants of a run, derived from the configuration,
 * and the two clocks: SM cycles on the SM side, picoseconds beyond.
 */
#ifndef WM_ENGINE_PARAMS_INTERNAL_H
#define WM_ENGINE_PARAMS_INTERNAL_H

#include "base/bits.h"
#include "config/config.h"
#include "engine/engine.h"
#include "model/cache/policy.h"
#include "model/coalescer/banks.h"
#include "model/coalescer/coalescer.h"
#include "model/coalescer/quads.h"
#include "model/spread.h"

/* Cycles of request-port backlog before the LSU waits (estimated). */
#define WM_PORT_DEPTH 64u

typedef struct wm_clock {
    uint64_t hz;
    uint64_t ps_per_cycle_q32;
    uint64_t cycles_per_ps_q64;
} wm_clock;

wm_clock wm_clock_of(uint64_t hz);
/* Start of a cycle. */
static inline uint64_t wm_clock_ps(const wm_clock *clock, uint64_t cycle)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)(((wide)cycle * clock->ps_per_cycle_q32) >> 32);
}

/* The first cycle not before a time. */
static inline uint64_t wm_clock_cycle(const wm_clock *clock, uint64_t ps)
{
    uint64_t cycle = wm_mul_high(ps, clock->cycles_per_ps_q64);
    while (wm_clock_ps(clock, cycle) < ps) {
        cycle++;
    }
    return cycle;
}

typedef struct wm_params {
    wm_config config;
    wm_clock clock;
    wm_coalescer coalescer, store_coalescer;
    wm_banks l1_banks, shared_banks;
    wm_quads l1_quads;
    const wm_policy *l1_policy, *l2_policy;
    uint32_t n_sms, n_slices, n_channels, n_partitions;
    uint32_t slices_per_partition, channels_per_partition;
    uint32_t n_halves;     /* L2 partitions, as vendors call them */
    uint64_t far_line;     /* a bit above all line numbers of a slice */
    wm_divisor slice_div;  /* by slices_per_partition */
    wm_divisor window_div; /* by window */
    uint64_t windows_q37;  /* windows per cycle in 2^-37, rounded up: exact for
                              times below 2^27 */
    wm_divisor chunk_div;  /* by lines per interleave chunk */
    wm_divisor lanes_div;  /* by lsu_lanes */
    bool is_power_route;   /* the first and third, and slices, powers of two */
    wm_spread slice_spread;
    wm_spread channel_spread;
    uint32_t window;    /* cycles */
    uint32_t tag_shift; /* log2 of tag_banks, rounded down */
    uint32_t sector_bytes;
    uint32_t request_cost_q8; /* port time of a request without data */
    uint32_t store_cost_q8;   /* per sector of a store */
    uint32_t reply_cost_q8;   /* per sector of a reply */
    uint64_t slice_sector_ps; /* slice time per sector */
    uint64_t slice_latency_ps;
    uint64_t request_latency_ps, response_latency_ps;
    uint64_t tlb_ps; /* 0 = translations are always at hand */
    uint32_t page_shift;
    uint64_t hop_ps; /* from one half of the L2 to the other */
    uint64_t atomic_ps;
    uint64_t write_behind_ps; /* of a channel */
    uint64_t l1_sets;         /* with no shared memory in use */
    uint32_t fifo_mask;
    uint64_t local_pitch;  /* bytes of one interleaved local word row */
    uint32_t warp_size;    /* of the present launch */
    uint64_t local_base;   /* window of the present launch */
    uint32_t plain_cost;   /* LSU cycles of 32 lanes on one whole line */
    bool has_plain;        /* such accesses may take the short way */
    bool has_plain_shared; /* 32 shared words side by side may, too */
    bool is_l1_on;
    bool has_quads; /* the L1 takes four addresses a cycle, not a warp */
    const struct wm_memory_model *memory; /* banked DRAM, or NULL */
    bool is_counts;
    bool per_instruction;
    uint32_t ideal_static; /* of the present launch; WM_NO_INDEX = none */
    wm_observe_fn observe; /* NULL in timing mode */
    void *observe_context;
} wm_params;

/* Bytes first .. last. */
typedef struct wm_span {
    uint64_t first, last;
} wm_span;

/* Where a line goes. */
typedef struct wm_route {
    uint64_t local; /* line number inside the slice */
    uint32_t partition;
    uint32_t slice; /* of the partition */
} wm_route;

/* memo: of params->slice_spread; is_power: params->is_power_route, where the
 * compiler knows it. */
static inline wm_route wm_route_as(const wm_params *params, uint64_t line,
                                   wm_spread_memo *memo, bool is_power)
{
    uint64_t within = 0;
    uint64_t rank = 0;
    wm_route route;
    const wm_spread *spread = &params->slice_spread;
    const wm_divisor *chunk_div = &params->chunk_div;
    const wm_divisor *slice_div = &params->slice_div;
    const uint64_t chunk = wm_divide_as(chunk_div, line, &within,
                                        is_power || chunk_div->reciprocal == 0);
    uint64_t slice = wm_spread_recall_as(
        spread, chunk, &rank, memo,
        (wm_spread_kind){is_power || spread->n.reciprocal == 0,
                         spread->is_hashed, false});
    route.partition = (uint32_t)wm_divide_as(
        slice_div, slice, &slice, is_power || slice_div->reciprocal == 0);
    route.slice = (uint32_t)slice;
    route.local = is_power ? (rank << chunk_div->shift) + within
                           : rank * chunk_div->d + within;
    return route;
}

static inline wm_route wm_route_of(const wm_params *params, uint64_t line,
                                   wm_spread_memo *memo)
{
    return params->is_power_route ? wm_route_as(params, line, memo, true)
                                  : wm_route_as(params, line, memo, false);
}

/* No horizon that banked channels have been run to lies beyond this when the
 * kernel has ended at end_ps, whatever its windows were. */
static inline uint64_t wm_last_horizon(const wm_params *params, uint64_t end_ps)
{
    return end_ps + params->request_latency_ps;
}

/* A 32-bit time seen from now: the nearest full time. */
static inline uint64_t wm_widen(uint32_t low, uint64_t now)
{
    return now + (uint64_t)(int64_t)(int32_t)(low - (uint32_t)now);
}

/* Checks policies and geometry, computes everything above. */
wm_status wm_params_init(wm_params *params, const wm_config *config,
                         const wm_engine_options *options, wm_error *err);

#endif
