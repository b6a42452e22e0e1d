/*
 * lsu_quick.c -- the LSU's short way.
 *
 * A record that finds the queue empty and asks for one whole line, or for
 * shared memory, is through at once unless it has to wait for something: the
 * same as queueing and draining it, without the queue.  So is a load of one
 * whole line when it comes to the queue's head.
 */
#include "engine/lsu_parts_internal.h"

#define WHOLE 15u /* all sectors of a line */

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

/* When a load of one whole line that hits is back. */
static inline uint64_t quick_back(const wm_params *params, uint64_t sent)
{
    return sent + params->plain_cost - 1 + params->config.l1.latency;
}

/* Sends for a whole line that is not there at *sent, which moves on where the
 * load waits for an MSHR; false: it has to wait for something else, nothing was
 * changed. */
WM_INLINE bool quick_fetch(const wm_params *params, wm_sm *sm, uint32_t warp,
                           uint32_t slot, wm_ref *ref, uint64_t line,
                           uint64_t *sent, wm_cache_kind l1)
{
    if (wm_mailbox_is_full(params, sm) || !quick_await_mshr(params, sm, sent)) {
        return false;
    }
    if (ref->way != WM_NO_INDEX) {
        wm_cache_touch_as(&sm->l1, ref, l1);
    } else {
        (void)wm_cache_allocate_as(&sm->l1, ref, NULL, l1);
    }
    const lsu_asker asker = lsu_asker_of(sm, warp, slot, WM_OP_READ);
    lsu_fetch(params, sm, &asker, ref, line, WHOLE, *sent, l1);
    return true;
}

/* A load of one whole line at *sent; false: it has to wait, nothing was
 * changed. */
WM_INLINE bool quick_read(const wm_params *params, wm_sm *sm, uint32_t warp,
                          const wm_record *record, uint64_t cycle,
                          uint64_t *sent, wm_cache_kind l1)
{
    wm_warp *state = &sm->warps[warp];
    const uint64_t line = record->base >> 7;
    wm_ref ref = wm_cache_find_as(&sm->l1, line, l1);
    uint32_t held = 0;
    if (ref.way != WM_NO_INDEX) {
        held = *wm_cache_state_as(&sm->l1, &ref, l1);
    }
    if (held == WHOLE) {
        wm_cache_touch_as(&sm->l1, &ref, l1);
        sm->stats.l1[record->kind][WM_L1_HIT_SECTORS] += 4;
        quick_load(state, quick_back(params, *sent), 0);
        return true;
    }
    if (held != 0 || !quick_fetch(params, sm, warp, state->n_loads % WM_SLOTS,
                                  &ref, line, sent, l1)) {
        return false;
    }
    quick_load(state, cycle, 1);
    sm->stats.l1[record->kind][WM_L1_MISS_SECTORS] += 4;
    return true;
}

/* The same for the head of the queue; *ready: when what was found is there. */
WM_INLINE bool quick_head(const wm_params *params, wm_sm *sm,
                          const wm_lsu_entry *entry, uint64_t *sent,
                          uint64_t *ready, wm_cache_kind l1)
{
    const wm_record *record = entry->record;
    const uint64_t line = record->base >> 7;
    uint64_t *count = sm->stats.l1[record->kind];
    wm_ref ref = wm_cache_find_as(&sm->l1, line, l1);
    uint32_t held = 0;
    if (ref.way != WM_NO_INDEX) {
        held = *wm_cache_state_as(&sm->l1, &ref, l1);
    }
    *ready = 0;
    if (held == 0) {
        if (!quick_fetch(params, sm, entry->warp, entry->slot, &ref, line, sent,
                         l1)) {
            return false;
        }
        count[WM_L1_MISS_SECTORS] += 4;
        return true;
    }
    const uint32_t pending = held >> 4;
    if ((held & WHOLE) != WHOLE || (pending != 0 && sm->n_waiters_free < 4)) {
        return false;
    }
    wm_cache_touch_as(&sm->l1, &ref, l1);
    sm->head_ready = pending != WHOLE ? quick_back(params, *sent) : 0;
    if (pending != 0) {
        lsu_join(sm, &sm->l1.line[wm_cache_index(&sm->l1, &ref)], entry);
    }
    *ready = sm->head_ready;
    count[WM_L1_PENDING_SECTORS] += wm_popcount64(pending);
    count[WM_L1_HIT_SECTORS] += 4 - wm_popcount64(pending);
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
        wm_popcount64(wm_l1_store(params, sm, line, WHOLE, WHOLE, sm->l1.kind));
    wm_mailbox_store(
        params, sm,
        wm_request_word(warp, WM_NO_PAYLOAD, WM_OP_WRITE, WHOLE, WHOLE, 0),
        start, line, NULL);
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

/* Whether a record asks for one whole line that the L1 may hold. */
static inline bool quick_is_line(const wm_params *params,
                                 const wm_record *record)
{
    return wm_front_is_plain(params, record) && params->is_l1_on &&
           (record->flags & WM_FLAG_BYPASS_L1) == 0;
}

bool wm_lsu_plain_head(const wm_params *params, wm_sm *sm,
                       const wm_lsu_entry *entry, uint64_t start)
{
    const wm_record *record = entry->record;
    uint64_t sent = start > sm->start ? start : sm->start;
    lsu_await_port(sm, &sent);
    if (record->kind == WM_KIND_GLOBAL_STORE ||
        !quick_is_line(params, record) || sent >= sm->end) {
        return false;
    }
    wm_lsu_pass(sm, sent);
    uint64_t ready = 0;
    if (!(sm->l1.kind.is_small
              ? quick_head(params, sm, entry, &sent, &ready, SMALL_L1)
              : quick_head(params, sm, entry, &sent, &ready, sm->l1.kind))) {
        return false;
    }
    sm->stats.n_plain[record->kind]++;
    lsu_note_start(params, sm, start);
    lsu_close(sm, entry, start, ready, sent + params->plain_cost);
    return true;
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
        if (!quick_is_line(params, record)) {
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
