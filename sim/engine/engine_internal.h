/*
 * engine_internal.h -- the engine, and what its files call of one another.
 *
 * Reading order: params, message, scratch, sm and partition _internal.h for the
 * data; engine.c (launch loop), sm.c, issue.c, port.c and what is in
 * lsu_internal.h (SM phase), partition.c and l2.c (partition phase), dispatch.c
 * (boundary), counts.c (the SM phase of counts mode), ideal.c (what-if runs),
 * result.c.
 */
#ifndef WM_ENGINE_INTERNAL_H
#define WM_ENGINE_INTERNAL_H

#include "base/arena.h"
#include "engine/engine.h"
#include "engine/front_internal.h"
#include "engine/issue_internal.h"
#include "engine/l1_internal.h"
#include "engine/lsu_internal.h"
#include "engine/params_internal.h"
#include "engine/partition_internal.h"
#include "engine/pool.h"
#include "engine/sm_internal.h"

struct wm_engine {
    wm_params params;
    wm_engine_options options;
    wm_arena units; /* SMs, partitions, slices */
    wm_arena arena; /* the state of SMs and slices */
    wm_sm *sms;
    wm_partition *partitions;
    wm_slice *slices;        /* of all partitions, in their order */
    size_t slice_distance;   /* from one slice's set blocks to the next's */
    wm_memory_model *memory; /* shared by all banked channels, or NULL */
    bool is_deserted;        /* every resident CTA has ended in this window */
    wm_pool *pool;
    uint32_t n_shares;   /* of the pool */
    wm_scratch *scratch; /* of each share */
    uint64_t begin;      /* cycle the present kernel was launched at */
    uint64_t base;       /* cycle its windows start at: launch latency later */
    uint64_t now;        /* start of the present window */
    uint64_t index;      /* of the present window from base */
    wm_cta **spare;      /* CTA objects not in use */
    size_t n_spare, cap_spare;
    bool has_more_ctas;
    uint64_t ctas_per_sm; /* places by occupancy, this launch */
    uint64_t cta_threads, cta_registers, cta_shared;
    uint32_t cta_warps;
    uint64_t n_resident; /* CTAs on all SMs */
    uint64_t last_end;   /* latest CTA end of this launch */
    uint64_t n_launches, n_kernels;
    uint64_t n_records, time_ns_total;
    uint64_t n_dirty_sectors; /* in the L2 after the last kernel */
    uint64_t next_poll_ns;
    uint64_t next_sample; /* cycle; UINT64_MAX: none is asked for */
    bool is_complete, is_stopped;
    bool is_used; /* has run a trace: reset before the next */
    wm_counters total;
    uint64_t bound_cycles[WM_BOUND_COUNT];
    wm_instruction_row **rows; /* [n_row_sets]: one set per thread */
    size_t *cap_rows;
    uint32_t n_row_sets;
    wm_span *copies; /* not in the L2 yet (memcpy.share) */
    size_t n_copies, cap_copies;
    void *finished; /* scratch of the dispatcher */
    size_t cap_finished;
};

/* --- sm.c ---------------------------------------------------------------- */
void wm_sm_window(wm_engine *engine, wm_sm *sm, wm_scratch *scratch);
/* Pulls into the host's caches what the window will touch: its own fields three
 * SMs ahead, warps and MSHRs two, records one. */
void wm_sm_fetch(const wm_sm *sm);
void wm_sm_fetch_work(const wm_engine *engine, wm_sm *sm);
void wm_sm_fetch_records(const wm_engine *engine, const wm_sm *sm);
/* Starts warps of a CTA place at `cycle`. */
void wm_sm_start(wm_engine *engine, wm_sm *sm, uint32_t place, uint64_t cycle);
/* Nothing more is to come for a load slot; the last came at `ready`. */
void wm_warp_complete(wm_sm *sm, uint32_t warp, uint32_t slot, uint64_t ready);
/* One of the things a load slot waits for comes at `cycle`. */
static inline void wm_warp_return(wm_sm *sm, uint32_t warp, uint32_t slot,
                                  uint64_t cycle)
{
    wm_load_slot *load = &sm->warps[warp].slot[slot];
    if ((int32_t)(load->ready - (uint32_t)cycle) < 0) {
        load->ready = (uint32_t)cycle;
    }
    if (--load->pending == 0) {
        wm_warp_complete(sm, warp, slot, wm_widen(load->ready, cycle));
    }
}
/* A warp whose last load and last store are done ends. */
void wm_warp_end(wm_sm *sm, uint32_t warp);
/* A store is acknowledged at `cycle`. */
static inline void wm_warp_acknowledge(wm_sm *sm, uint32_t warp, uint64_t cycle)
{
    wm_warp *state = &sm->warps[warp];
    state->last_ready = cycle > state->last_ready ? cycle : state->last_ready;
    if (--state->n_acks == 0 && state->is_exiting && state->outstanding == 0) {
        wm_warp_end(sm, warp);
    }
}

/* --- counts.c ------------------------------------------------------------ */
/* The SM's turn: its live warps in turn, one record each, requests into its
 * mailbox. */
void wm_counts_window(wm_engine *engine, wm_sm *sm);
/* The turn's requests to partitions [first, last), in order. */
void wm_counts_serve(wm_engine *engine, const wm_sm *sm, uint32_t first,
                     uint32_t last);

/* --- partition.c, l2.c --------------------------------------------------- */
/* Requests between touching a set's host cache lines and needing them. */
#define WM_AHEAD 8u
void wm_partition_window(wm_engine *engine, uint32_t index,
                         wm_scratch *scratch);
/* One request at its slice at t_ps, place being that of its line there;
 * returns when the answer leaves. */
uint64_t wm_l2_access(const wm_params *params, wm_partition *partition,
                      wm_slice *slice, const wm_request *request, wm_ref *place,
                      const uint64_t *bytes, uint64_t t_ps);
/* The same for reads, in timing mode, of one half and small sets. */
uint64_t wm_l2_read(const wm_params *params, wm_partition *partition,
                    wm_slice *slice, const wm_request *request, wm_ref *place,
                    uint64_t t_ps);
/* Counts mode: n requests of an SM, those whose numbers are chosen or, with
 * NULL, the first: what they hit, move and push out. */
void wm_l2_count(wm_engine *engine, const wm_sm *sm, const uint16_t *chosen,
                 uint32_t n);
/* Its parts, for chips with two halves: a request where its line belongs, and
 * the sectors of a line, counted into `count`. */
uint64_t wm_l2_at_home(const wm_params *params, wm_partition *partition,
                       wm_slice *slice, const wm_request *request,
                       wm_ref *place, const uint64_t *bytes, uint64_t t_ps);
uint64_t wm_l2_need(const wm_params *params, wm_partition *partition,
                    wm_slice *slice, wm_ref *ref, uint64_t line, uint32_t need,
                    uint64_t t_ps, uint64_t *count);
/* When the pending sectors of a line arrive. */
static inline uint64_t *wm_l2_ready(const wm_slice *slice, const wm_ref *ref)
{
    return &slice->tags.line[wm_cache_index(&slice->tags, ref)].ready;
}
/* Makes the line present; false when the set has no room for now. */
bool wm_l2_allocate(const wm_params *params, wm_partition *partition,
                    wm_slice *slice, wm_ref *ref, uint64_t t_ps);
void wm_l2_write_dram(const wm_params *params, wm_partition *partition,
                      wm_slice *slice, uint64_t line, uint32_t sectors,
                      uint64_t t_ps);
/* l2_halves.c: as wm_l2_access, which calls it. */
uint64_t wm_l2_access_halves(const wm_params *params, wm_partition *partition,
                             wm_slice *slice, const wm_request *request,
                             wm_ref *place, const uint64_t *bytes,
                             uint64_t t_ps);
/* l2_between.c.  False when out of memory. */
bool wm_l2_copy(wm_engine *engine, const wm_copy *copy);
/* Puts what the copies before a kernel leave into the L2. */
void wm_l2_copies_done(wm_engine *engine);
void wm_l2_between(wm_engine *engine); /* kernels: write back or forget */
uint64_t wm_l2_dirty_sectors(const wm_engine *engine);

/* --- dispatch.c ---------------------------------------------------------- */
/* Hands every CTA object back, whatever state the SMs are in. */
void wm_dispatch_abandon(wm_engine *engine);
wm_status wm_dispatch_begin(wm_engine *engine, wm_trace *trace,
                            const wm_launch *launch, wm_error *err);
wm_status wm_dispatch_boundary(wm_engine *engine, wm_trace *trace,
                               wm_error *err);
bool wm_dispatch_is_done(const wm_engine *engine);

/* --- ideal.c ------------------------------------------------------------- */
/* What-if runs: coalesces anew, as better code would access, into
 * sm->coalesced. */
void wm_ideal_coalesce(const wm_params *params, wm_sm *sm,
                       const wm_record *record, bool is_store,
                       wm_access *access);
/* Charges a CTA that is about to start for the repair. */
void wm_ideal_cta(wm_engine *engine, wm_sm *sm, const wm_launch *launch,
                  wm_cta *cta);

/* --- build.c, result.c --------------------------------------------------- */
wm_status wm_build(wm_engine *engine, wm_error *err);
void wm_unbuild(wm_engine *engine);
void wm_result_clear(wm_engine *engine);
/* Room for rows of n_statics instructions in every set. */
wm_status wm_result_rows(wm_engine *engine, uint32_t n_statics, wm_error *err);
/* Sums the units' counters into *result and checks the conservation laws. */
wm_status wm_result_gather(wm_engine *engine, const wm_launch *launch,
                           wm_kernel_result *result, wm_error *err);

/* Simulated time of all kernels at `cycle` of the present one. */
uint64_t wm_result_time_ns(const wm_engine *engine, uint64_t cycle);
/* Hands over the present launch's counters as they are at `cycle`. */
void wm_result_sample(wm_engine *engine, uint64_t cycle);
/* Hands over those of a launch that has ended. */
void wm_result_sample_end(wm_engine *engine, const wm_kernel_result *result);

/* At the end of a run: the L2 holds the dirty sectors the counters say. */
wm_status wm_result_check_dirty(const wm_engine *engine, wm_error *err);

#endif
