/*
 * lsu_internal.h -- the memory side of one SM in timing mode: its load/store
 * unit, what replies do to its L1, the requests that it sends.
 */
#ifndef WM_ENGINE_LSU_INTERNAL_H
#define WM_ENGINE_LSU_INTERNAL_H

#include "engine/params_internal.h"
#include "engine/sm_internal.h"

/* --- lsu.c, lsu_quick.c, lsu_queue.c
 * -------------------------------------------------- */
/* Takes over a memory record issued at `cycle`; there is room. */
void wm_lsu_accept(const wm_params *params, wm_sm *sm, uint32_t warp,
                   const wm_record *record, uint64_t cycle);
/* Goes on with what is queued, up to the window's end. */
void wm_lsu_drain(const wm_params *params, wm_sm *sm);
/* When it goes on if no reply comes: the window's end where that is not known,
 * UINT64_MAX where only a reply, which frees an MSHR, lets it. */
uint64_t wm_lsu_next(const wm_params *params, const wm_sm *sm);
/* Lets go those of the parked whose places' times are known by now. */
void wm_lsu_call_parked(const wm_params *params, wm_sm *sm);
/* Where the queue's n-th entry lies in its ring, which has one place more than
 * the queue. */
static inline uint32_t wm_lsu_place(const wm_params *params, const wm_sm *sm,
                                    uint32_t n)
{
    const uint32_t ring = (uint32_t)params->config.sm.lsu_queue + 1;
    uint32_t place = sm->queue_head + n;
    while (place >= ring) {
        place -= ring;
    }
    return place;
}
/* Whether an MSHR is neither in flight nor waiting for its known return. */
static inline bool wm_lsu_has_mshr(const wm_params *params, const wm_sm *sm)
{
    return sm->n_in_flight + sm->n_releases < params->config.l1.mshrs;
}
/* Pulls the record of the queue's n-th entry towards the processor. */
void wm_lsu_fetch_record(const wm_params *params, const wm_sm *sm, uint32_t n);
/* True when the queue takes a record of the warp at `cycle`; else the warp
 * comes back when it does. */
bool wm_lsu_enter(const wm_params *params, wm_sm *sm, uint32_t warp,
                  uint64_t cycle);

/* --- l1.c ---------------------------------------------------------------- */
/* Sectors that have come by `cycle` are pending no more. */
void wm_l1_pass(wm_sm *sm, uint64_t cycle);
static inline void wm_lsu_pass(wm_sm *sm, uint64_t cycle)
{
    if (sm->n_releases != 0 && sm->releases[sm->release_head].cycle <= cycle) {
        wm_l1_pass(sm, cycle);
    }
}

/* --- receive.c ----------------------------------------------------------- */
/* The window's replies, in order of arrival, through the SM's port into the L1
 * and to their warps; returns their number. */
size_t wm_receive(wm_engine *engine, wm_sm *sm);

/* --- mailbox.c ----------------------------------------------------------- */
static inline bool wm_mailbox_is_full(const wm_params *params, const wm_sm *sm)
{
    return sm->n_sent > params->fifo_mask;
}
/* Sends what the word says (wm_request_word) about a line at `cycle`, or when
 * the port is free: anything but stores. */
void wm_mailbox_ask(const wm_params *params, wm_sm *sm, uint64_t word,
                    uint64_t cycle, uint64_t line);
/* A store.  bytes: of a partial one, or NULL. */
void wm_mailbox_store(const wm_params *params, wm_sm *sm, uint64_t word,
                      uint64_t cycle, uint64_t line, const uint64_t *bytes);
/* Posts what earlier windows left for this one. */
void wm_mailbox_open(wm_sm *sm);

#endif
