/*
 * lsu_parts_internal.h -- what the LSU's two ways share: lsu.c (the queue) and
 * lsu_quick.c (past it).
 */
#ifndef WM_ENGINE_LSU_PARTS_INTERNAL_H
#define WM_ENGINE_LSU_PARTS_INTERNAL_H

#include "base/inline.h"
#include "engine/engine_internal.h"

/* What nearly every L1 is, for code compiled for it. */
#define SMALL_L1 ((wm_cache_kind){true, true, false})

/* --- what may have to wait ------------------------------------------------ */
/* An MSHR is free at *cycle, or at a known later time that *cycle becomes;
 * false when no known reply frees one. */
static inline bool lsu_await_mshr(const wm_params *params, wm_sm *sm,
                                  uint64_t *cycle)
{
    if (wm_lsu_has_mshr(params, sm)) {
        return true;
    }
    if (sm->n_releases == 0) {
        return false;
    }
    *cycle = sm->releases[sm->release_head].cycle;
    wm_lsu_pass(sm, *cycle);
    return true;
}

/* Holds the LSU back while the request port has a long queue. */
static inline void lsu_await_port(const wm_sm *sm, uint64_t *cycle)
{
    uint64_t port = sm->request_free_q8 >> 8;
    if (port > *cycle + WM_PORT_DEPTH) {
        *cycle = port - WM_PORT_DEPTH;
    }
}

/* --- requests ------------------------------------------------------------- */
/* Enters a request for the line into its chain.  line->ready is the latest
 * return that is known, chain holds the requests whose is not; both mean
 * something only while sectors are pending. */
WM_INLINE void lsu_chain(wm_sm *sm, const wm_ref *ref, uint32_t taken,
                         uint32_t sectors, wm_cache_kind l1)
{
    const uint32_t index = wm_cache_index(&sm->l1, ref);
    wm_way *line = &sm->l1.line[index];
    wm_mshr *mshr = &sm->mshrs[taken];
    uint8_t *state = wm_cache_state_as(&sm->l1, ref, l1);
    mshr->line = index;
    mshr->state = (uint32_t)(state - sm->l1.blocks);
    if ((*state & 0xf0) == 0) {
        line->ready = 0; /* alone: the line is written, not looked at */
    } else {
        mshr->is_shared = 1;
        mshr->next = line->chain & WM_NO_MSHR;
        if (mshr->next != WM_NO_MSHR) {
            sm->mshrs[mshr->next].is_shared = 1;
        }
    }
    line->chain = taken;
    *state |= (uint8_t)(sectors | sectors << 4);
}

/* Who asks for lines. */
typedef struct lsu_asker {
    wm_load_slot *load;
    uint64_t word; /* of its requests, but for MSHR and sectors */
} lsu_asker;

static inline lsu_asker lsu_asker_of(wm_sm *sm, uint32_t warp, uint32_t slot,
                                     uint32_t op)
{
    return (lsu_asker){&sm->warps[warp].slot[slot],
                       wm_request_word(0, wm_place_word(warp, slot), op, 0, 0,
                                       sm->head_serial)};
}

/* Sends for sectors that are not there; ref->way tells where they will lie. */
WM_INLINE void lsu_fetch(const wm_params *params, wm_sm *sm,
                         const lsu_asker *asker, const wm_ref *ref,
                         uint64_t line_number, uint32_t sectors, uint64_t cycle,
                         wm_cache_kind l1)
{
    const uint32_t taken = sm->mshr_free_list;
    wm_mshr *mshr = &sm->mshrs[taken];
    sm->mshr_free_list = mshr->next;
    mshr->next = WM_NO_MSHR;
    mshr->sectors = sectors & 15;
    mshr->is_shared = 0;
    mshr->waiters = WM_NO_INDEX;
    mshr->line = WM_NO_INDEX;
    if (ref->way != WM_NO_INDEX) {
        lsu_chain(sm, ref, taken, sectors, l1);
    }
    asker->load->pending++;
    sm->n_in_flight++;
    wm_mailbox_ask(params, sm, asker->word | taken | (uint64_t)sectors << 40,
                   cycle, line_number);
}

static inline void lsu_add_waiter(wm_sm *sm, wm_mshr *mshr, uint32_t warp,
                                  uint32_t slot)
{
    uint32_t taken = sm->waiter_free_list;
    wm_waiter *waiter = &sm->waiters[taken];
    sm->waiter_free_list = waiter->next;
    sm->n_waiters_free--;
    waiter->warp = (uint8_t)warp;
    waiter->slot = (uint8_t)slot;
    waiter->next = mshr->waiters;
    mshr->waiters = taken;
    sm->warps[warp].slot[slot].pending++;
}

/* The line's sectors are on their way: wait for every request of it. */
static inline void lsu_join(wm_sm *sm, const wm_way *line,
                            const wm_lsu_entry *entry)
{
    if (sm->head_ready < line->ready) {
        sm->head_ready = line->ready;
    }
    for (uint32_t m = line->chain; m != WM_NO_MSHR; m = sm->mshrs[m].next) {
        lsu_add_waiter(sm, &sm->mshrs[m], entry->warp, entry->slot);
    }
}

/* A record starts: its place in the queue is known to fall free. */
static inline void lsu_note_start(const wm_params *params, wm_sm *sm,
                                  uint64_t start)
{
    sm->starts[sm->starts_head] = start;
    if (++sm->starts_head == params->config.sm.lsu_queue) {
        sm->starts_head = 0;
    }
}

/* All lines are sent: the load slot's guard falls at `ready`; a store is done
 * at `start`, as its warp may have met its end windows ago. */
static inline void lsu_close(wm_sm *sm, const wm_lsu_entry *entry,
                             uint64_t start, uint64_t ready, uint64_t free)
{
    if (entry->slot < WM_SLOTS) {
        wm_warp_return(sm, entry->warp, entry->slot,
                       ready > entry->issue ? ready : entry->issue);
    } else {
        wm_warp_acknowledge(sm, entry->warp, start);
    }
    sm->lsu_free = free;
    sm->queue_head++;
    sm->n_queue--;
    sm->is_head_open = false;
}

/* --- lsu_quick.c --------------------------------------------------------- */
/* True when the queue's head, not open yet, was a load of one whole line that
 * went at once, from `start` on; else nothing was changed. */
bool wm_lsu_plain_head(const wm_params *params, wm_sm *sm,
                       const wm_lsu_entry *entry, uint64_t start);

#endif
