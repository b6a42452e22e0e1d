/*
 * lsu_queue.c -- places in the LSU's queue: who gets one when; when the queue
 * goes on.
 *
 * A place in the queue falls free when the record `depth` before starts.  The
 * k-th who waits can be told that time as soon as that record has started:
 * it gets a ticket and comes back once.  Who cannot be told yet is parked.
 */
#include "engine/engine_internal.h"

static uint32_t lsu_n_ahead(const wm_sm *sm)
{
    return sm->n_queue - (sm->is_head_open ? 1 : 0) + sm->n_tickets;
}

/* When the place behind `n_ahead` others falls free; n_ahead < lsu_queue. */
static uint64_t lsu_place_time(const wm_params *params, const wm_sm *sm,
                               uint32_t n_ahead)
{
    const uint32_t depth = (uint32_t)params->config.sm.lsu_queue;
    const uint32_t place = sm->starts_head + n_ahead;
    return sm->starts[place >= depth ? place - depth : place];
}

static void lsu_give_ticket(wm_sm *sm, uint32_t warp, uint64_t cycle)
{
    sm->n_tickets++;
    sm->warps[warp].has_ticket = 1;
    wm_sm_schedule(sm, warp, cycle);
}

void wm_lsu_call_parked(const wm_params *params, wm_sm *sm)
{
    while (sm->n_parked != 0) {
        const uint32_t n_ahead = lsu_n_ahead(sm);
        if (n_ahead >= params->config.sm.lsu_queue) {
            return;
        }
        const uint32_t warp = sm->parked[sm->parked_head];
        sm->parked_head = (sm->parked_head + 1) % WM_WARPS_MAX;
        sm->n_parked--;
        const uint64_t free = lsu_place_time(params, sm, n_ahead);
        lsu_give_ticket(sm, warp,
                        free > sm->when[warp] ? free : sm->when[warp]);
    }
}

bool wm_lsu_enter(const wm_params *params, wm_sm *sm, uint32_t warp,
                  uint64_t cycle)
{
    wm_warp *state = &sm->warps[warp];
    if (state->has_ticket) {
        state->has_ticket = 0;
        sm->n_tickets--;
        return true;
    }
    const uint32_t n_ahead = lsu_n_ahead(sm);
    if (sm->n_parked != 0 || n_ahead >= params->config.sm.lsu_queue) {
        sm->parked[(sm->parked_head + sm->n_parked) % WM_WARPS_MAX] =
            (uint8_t)warp;
        sm->n_parked++;
        sm->when[warp] = cycle;
        return false;
    }
    const uint64_t free = lsu_place_time(params, sm, n_ahead);
    if (free <= cycle) {
        return true;
    }
    lsu_give_ticket(sm, warp, free);
    return false;
}

uint64_t wm_lsu_next(const wm_params *params, const wm_sm *sm)
{
    if (sm->n_queue == 0) {
        return UINT64_MAX;
    }
    if (!sm->is_head_open) {
        const uint64_t issue = sm->queue[wm_lsu_place(params, sm, 0)].issue;
        return issue > sm->lsu_free ? issue : sm->lsu_free;
    }
    const uint64_t planned =
        sm->head_start + (sm->next_entry >> params->tag_shift);
    if (planned >= sm->end || wm_mailbox_is_full(params, sm)) {
        return planned > sm->end ? planned : sm->end;
    }
    return sm->n_releases == 0 && !wm_lsu_has_mshr(params, sm) ? UINT64_MAX
                                                               : sm->end;
}
