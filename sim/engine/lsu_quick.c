/*
 * lsu_quick.c -- the LSU's short way.
 *
 * A record that finds the queue empty and asks for one whole line, or for
 * shared memory, is through at once unless it has to wait for something: the
 * same as queueing and draining it, without the queue.
 */
#include "engine/lsu_parts_internal.h"

/* The load is back at `ready`, but for n_pending requests. */
static void quick_load(wm_warp *state, uint64_t ready, uint16_t n_pending)
{
    const uint32_t slot = state->n_loads++ % WM_SLOTS;
    state->slot[slot].pending = n_pending;
    state->slot[slot].ready = (uint32_t)ready;
    if (n_pending != 0) {
        state->outstanding |= 1u << slot;
    } else if (state->last_ready < ready) {
        state->last_ready = ready;
    }
}

static void quick_store(wm_warp *state, uint64_t cycle, uint32_t n_acks)
{
    state->n_acks += n_acks;
    if (state->last_ready < cycle) {
        state->last_ready = cycle;
    }
}

static void quick_shared(const wm_params *params, wm_sm *sm, uint32_t warp,
                         const wm_record *record, uint64_t cycle,
                         uint64_t start)
{
    wm_warp *state = &sm->warps[warp];
    const uint32_t cost = wm_front_shared(params, sm, record, state->lanes);
    const uint64_t ready = start + cost - 1 + params->config.shared.latency;
    if (wm_kind_is_load((wm_kind)record->kind)) {
        if (sm->rows != NULL) {
            state->slot[state->n_loads % WM_SLOTS].static_id =
                (uint16_t)record->static_id;
        }
        quick_load(state, ready > cycle ? ready : cycle, 0);
    } else {
        quick_store(state, start, 0);
    }
    sm->lsu_free = start + cost;
}

/* An MSHR is free at *sent, or at a known later time in this window that *sent
 * becomes; false: nothing was changed. */
static inline bool quick_await_mshr(const wm_params *params, wm_sm *sm,
                                    uint64_t *sent)
{
    if (wm_lsu_has_mshr(params, sm)) {
        return true;
    }
    return sm->n_releases != 0 &&
           sm->releases[sm->release_head].cycle < sm->end &&
           lsu_await_mshr(params, sm, sent);
}

/* A load of one whole line at *sent, which moves on where it waits for an MSHR;
 * false: it has to wait for something else, nothing was changed. */
WM_INLINE bool quick_read(const wm_params *params, wm_sm *sm, uint32_t warp,
                          const wm_record *record, uint64_t cycle,
                          uint64_t *sent, wm_cache_kind l1)
{
    wm_warp *state = &sm->warps[warp];
    const uint64_t line = record->base >> 7;
    const uint32_t all = 15;
    wm_ref ref = wm_cache_find_as(&sm->l1, line, l1);
    uint32_t held = 0;
    if (ref.way != WM_NO_INDEX) {
        held = *wm_cache_state_as(&sm->l1, &ref, l1);
    }
    if (held == all) {
        wm_cache_touch_as(&sm->l1, &ref, l1);
        sm->stats.l1[record->kind][WM_L1_HIT_SECTORS] += 4;
        quick_load(state,
                   *sent + params->plain_cost - 1 + params->config.l1.latency,
                   0);
        return true;
    }
    if (held != 0 || wm_mailbox_is_full(params, sm) ||
        !quick_await_mshr(params, sm, sent)) {
        return false;
    }
    if (ref.way != WM_NO_INDEX) {
        wm_cache_touch_as(&sm->l1, &ref, l1);
    } else {
        (void)wm_cache_allocate_as(&sm->l1, &ref, NULL, l1);
    }
    const uint32_t slot = state->n_loads % WM_SLOTS;
    const lsu_asker asker = lsu_asker_of(sm, warp, slot, WM_OP_READ);
    quick_load(state, cycle, 0);
    state->outstanding |= 1u << slot;
    lsu_fetch(params, sm, &asker, &ref, line, all, *sent, l1);
    sm->stats.l1[record->kind][WM_L1_MISS_SECTORS] += 4;
    return true;
}

/* A store of one whole line; false: it has to wait, nothing was changed. */
static bool quick_write(const wm_params *params, wm_sm *sm, uint32_t warp,
                        const wm_record *record, uint64_t cycle, uint64_t start)
{
    if (wm_mailbox_is_full(params, sm)) {
        return false;
    }
    const uint64_t line = record->base >> 7;
    const uint32_t hit =
        wm_popcount64(wm_l1_store(params, sm, line, 15, 15, sm->l1.kind));
    wm_mailbox_store(
        params, sm,
        wm_request_word(warp, WM_NO_PAYLOAD, WM_OP_WRITE, 15, 15, 0), start,
        line, NULL);
    quick_store(&sm->warps[warp], cycle, 1);
    sm->stats.l1[record->kind][WM_L1_HIT_SECTORS] += hit;
    sm->stats.l1[record->kind][WM_L1_MISS_SECTORS] += 4 - hit;
    return true;
}

static bool quick_line(const wm_params *params, wm_sm *sm, uint32_t warp,
                       const wm_record *record, uint64_t cycle, uint64_t *sent)
{
    const wm_cache_kind l1 = sm->l1.kind;
    if (record->kind == WM_KIND_GLOBAL_STORE) {
        return quick_write(params, sm, warp, record, cycle, *sent);
    }
    return l1.is_small
               ? quick_read(params, sm, warp, record, cycle, sent, SMALL_L1)
               : quick_read(params, sm, warp, record, cycle, sent, l1);
}

static bool lsu_quick(const wm_params *params, wm_sm *sm, uint32_t warp,
                      const wm_record *record, uint64_t cycle)
{
    const uint64_t start = cycle > sm->lsu_free ? cycle : sm->lsu_free;
    if (sm->n_queue != 0 || start >= sm->end) {
        return false;
    }
    if (record->kind >= WM_KIND_SHARED_LOAD) {
        quick_shared(params, sm, warp, record, cycle, start);
    } else {
        if (!wm_front_is_plain(params, record) || !params->is_l1_on ||
            (record->flags & WM_FLAG_BYPASS_L1) != 0) {
            return false;
        }
        uint64_t sent = start;
        lsu_await_port(sm, &sent);
        if (sent >= sm->end) {
            return false;
        }
        wm_lsu_pass(sm, sent);
        if (!quick_line(params, sm, warp, record, cycle, &sent)) {
            return false;
        }
        sm->stats.n_plain[record->kind]++;
        sm->lsu_free = sent + params->plain_cost;
    }
    lsu_note_start(params, sm, start);
    if (sm->n_parked != 0) {
        wm_lsu_call_parked(params, sm);
    }
    return true;
}

void wm_lsu_accept(const wm_params *params, wm_sm *sm, uint32_t warp,
                   const wm_record *record, uint64_t cycle)
{
    if (lsu_quick(params, sm, warp, record, cycle)) {
        return;
    }
    wm_warp *state = &sm->warps[warp];
    wm_lsu_entry *entry = &sm->queue[wm_lsu_place(params, sm, sm->n_queue)];
    entry->record = record;
    entry->lanes = state->lanes;
    entry->issue = cycle;
    entry->warp = warp;
    entry->slot = WM_SLOTS;
    if (wm_kind_is_load((wm_kind)record->kind)) {
        uint32_t slot = state->n_loads++ % WM_SLOTS;
        entry->slot = slot;
        state->slot[slot].pending = 1;
        state->slot[slot].ready = (uint32_t)cycle;
        state->outstanding |= 1u << slot;
    } else {
        state->n_acks++;
    }
    sm->n_queue++;
    wm_lsu_drain(params, sm);
}
