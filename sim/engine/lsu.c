/*
 * lsu.c -- the load/store unit of one SM: a queue of memory records, served
 * in order; L1 look-up line by line; requests out.
 *
 * The unit is a reservation server: a record starts when it was issued and
 * the one before it is through, and takes max(data wavefronts, tag wavefronts,
 * lanes / width) cycles.  What it cannot know in this window (an MSHR that no
 * known reply frees) or does after its end stays at the queue's head and goes
 * on in the next; warps only notice through the queue's room.
 */
#include "base/inline.h"
#include "engine/engine_internal.h"

/* What nearly every L1 is, for code compiled for it. */
#define SMALL_L1 ((wm_cache_kind){true, true, false})

/* --- small lists ---------------------------------------------------------- */
static uint32_t lsu_take_mshr(wm_sm *sm)
{
    uint32_t taken = sm->mshr_free_list;
    sm->mshr_free_list = sm->mshrs[taken].next;
    return taken;
}

static void lsu_add_waiter(wm_sm *sm, wm_mshr *mshr, uint32_t warp,
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

/* --- what may have to wait ------------------------------------------------ */
/* An MSHR is free at *cycle, or at a known later time that *cycle becomes;
 * false when no known reply frees one. */
static bool lsu_await_mshr(const wm_params *params, wm_sm *sm, uint64_t *cycle)
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
static void lsu_await_port(const wm_sm *sm, uint64_t *cycle)
{
    uint64_t port = sm->request_free_q8 >> 8;
    if (port > *cycle + WM_PORT_DEPTH) {
        *cycle = port - WM_PORT_DEPTH;
    }
}

/* --- one line of the head record ------------------------------------------ */
/* The line's sectors are on their way: wait for every request of it. */
static void lsu_join(wm_sm *sm, const wm_way *line, const wm_lsu_entry *entry)
{
    if (sm->head_ready < line->ready) {
        sm->head_ready = line->ready;
    }
    for (uint32_t m = line->chain; m != WM_NO_MSHR; m = sm->mshrs[m].next) {
        lsu_add_waiter(sm, &sm->mshrs[m], entry->warp, entry->slot);
    }
}

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

/* Sends for sectors that are not there; ref->way tells where they will lie. */
WM_INLINE void lsu_fetch(const wm_params *params, wm_sm *sm,
                         const wm_lsu_entry *entry, const wm_ref *ref,
                         uint64_t line_number, uint32_t sectors, uint8_t op,
                         uint64_t cycle, wm_cache_kind l1)
{
    uint32_t taken = lsu_take_mshr(sm);
    wm_mshr *mshr = &sm->mshrs[taken];
    mshr->next = WM_NO_MSHR;
    mshr->sectors = sectors & 15;
    mshr->is_shared = 0;
    mshr->waiters = WM_NO_INDEX;
    mshr->line = WM_NO_INDEX;
    if (ref->way != WM_NO_INDEX) {
        lsu_chain(sm, ref, taken, sectors, l1);
    }
    sm->warps[entry->warp].slot[entry->slot].pending++;
    sm->n_in_flight++;
    wm_mailbox_ask(params, sm,
                   wm_request_word(taken,
                                   wm_place_word(entry->warp, entry->slot), op,
                                   sectors, 0, sm->head_serial),
                   cycle, line_number);
}

/* Whether the head record looks its lines up. */
static bool lsu_is_cached(const wm_params *params, const wm_record *record)
{
    return params->is_l1_on && (record->flags & WM_FLAG_BYPASS_L1) == 0;
}

/* Pulls the set of line i of a load towards the processor. */
static void lsu_look_ahead(wm_sm *sm, uint32_t i)
{
    if (i < sm->coalesced.n_entries) {
        wm_ref *ref = &sm->head_set[i % WM_LINES_AHEAD];
        wm_cache_place(&sm->l1, sm->coalesced.line[i], ref);
        wm_cache_prefetch(ref->block);
    }
}

/* Load of one line at *cycle, which may move on.  False: wait for the next
 * window with nothing changed. */
WM_INLINE bool lsu_load(const wm_params *params, wm_sm *sm,
                        const wm_lsu_entry *entry, uint32_t i, uint64_t *cycle,
                        wm_cache_kind l1)
{
    const wm_record *record = entry->record;
    const uint64_t number = sm->coalesced.line[i];
    const uint32_t need = sm->coalesced.sectors[i];
    wm_ref ref = {.way = WM_NO_INDEX};
    uint32_t state = 0;
    uint32_t pending = 0;
    uint32_t hit = 0;
    uint32_t miss = need;
    const bool is_cached = lsu_is_cached(params, record);
    lsu_await_port(sm, cycle);
    wm_lsu_pass(sm, *cycle);
    if (is_cached) {
        ref = sm->head_set[i % WM_LINES_AHEAD];
        wm_cache_match_as(&sm->l1, &ref, l1);
        if (ref.way != WM_NO_INDEX) {
            state = *wm_cache_state_as(&sm->l1, &ref, l1);
            miss = need & ~state;
        }
    }
    if ((miss != 0 && (!lsu_await_mshr(params, sm, cycle) ||
                       wm_mailbox_is_full(params, sm))) ||
        *cycle >= sm->end) {
        return false;
    }
    if (ref.way != WM_NO_INDEX) {
        /* As they are now: some may have come while the load waited for an
         * MSHR, however many windows that took. */
        state = *wm_cache_state_as(&sm->l1, &ref, l1);
        pending = need & (state >> 4);
        hit = need & state & ~(state >> 4);
        if (pending != 0 && sm->n_waiters_free < 4 && !wm_l1_grow_waiters(sm)) {
            return false;
        }
        wm_cache_touch_as(&sm->l1, &ref, l1);
    }
    if (pending != 0) {
        lsu_join(sm, &sm->l1.line[wm_cache_index(&sm->l1, &ref)], entry);
    }
    if (miss != 0) {
        if (is_cached && ref.way == WM_NO_INDEX) {
            (void)wm_cache_allocate_as(&sm->l1, &ref, NULL, l1);
        }
        lsu_fetch(params, sm, entry, &ref, number, miss, WM_OP_READ, *cycle,
                  l1);
    }
    if (hit != 0) {
        /* From the record's start, the wait for this line included. */
        uint64_t ready = *cycle - (i >> params->tag_shift) + sm->head_cost - 1 +
                         params->config.l1.latency;
        if (sm->head_ready < ready) {
            sm->head_ready = ready;
        }
    }
    wm_front_count(params, sm, record, wm_popcount64(hit),
                   wm_popcount64(pending), wm_popcount64(miss));
    if (is_cached) {
        lsu_look_ahead(sm, i + WM_LINES_AHEAD);
    }
    return true;
}

static bool lsu_store(const wm_params *params, wm_sm *sm,
                      const wm_lsu_entry *entry, uint32_t i, uint64_t *cycle)
{
    const uint32_t sectors = sm->coalesced.sectors[i];
    const uint32_t full = sm->coalesced.full[i];
    lsu_await_port(sm, cycle);
    wm_lsu_pass(sm, *cycle);
    if (*cycle >= sm->end || wm_mailbox_is_full(params, sm)) {
        return false;
    }
    const uint32_t n = wm_popcount64(sectors);
    const uint32_t hit = wm_popcount64(wm_l1_store(
        params, sm, sm->coalesced.line[i], sectors, full, sm->l1.kind));
    wm_mailbox_store(params, sm,
                     wm_request_word(entry->warp, WM_NO_PAYLOAD, WM_OP_WRITE,
                                     sectors, full, 0),
                     *cycle, sm->coalesced.line[i],
                     full != sectors ? sm->coalesced.bytes[i] : NULL);
    sm->warps[entry->warp].n_acks++;
    wm_front_count(params, sm, entry->record, hit, 0, n - hit);
    return true;
}

static bool lsu_atomic(const wm_params *params, wm_sm *sm,
                       const wm_lsu_entry *entry, uint32_t i, uint64_t *cycle)
{
    const bool returns = entry->record->kind == WM_KIND_GLOBAL_ATOMIC;
    lsu_await_port(sm, cycle);
    wm_lsu_pass(sm, *cycle);
    if ((returns && !lsu_await_mshr(params, sm, cycle)) || *cycle >= sm->end ||
        wm_mailbox_is_full(params, sm)) {
        return false;
    }
    const uint32_t sectors = sm->coalesced.sectors[i];
    if (returns) {
        wm_ref nowhere = {.way = WM_NO_INDEX};
        lsu_fetch(params, sm, entry, &nowhere, sm->coalesced.line[i], sectors,
                  WM_OP_ATOMIC, *cycle, sm->l1.kind);
    } else {
        wm_mailbox_ask(params, sm,
                       wm_request_word(entry->warp, WM_NO_PAYLOAD,
                                       WM_OP_REDUCTION, sectors, 0,
                                       sm->head_serial),
                       *cycle, sm->coalesced.line[i]);
        sm->warps[entry->warp].n_acks++;
    }
    wm_front_count(params, sm, entry->record, 0, 0, wm_popcount64(sectors));
    return true;
}

/* --- the queue ------------------------------------------------------------ */
/* All lines are sent: the load slot's guard falls at `ready`; a store is done
 * at `start`, as its warp may have met its end windows ago. */
static void lsu_close(wm_sm *sm, const wm_lsu_entry *entry, uint64_t start,
                      uint64_t ready, uint64_t free)
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

static void lsu_note_start(const wm_params *params, wm_sm *sm, uint64_t start)
{
    sm->starts[sm->starts_head] = start;
    if (++sm->starts_head == params->config.sm.lsu_queue) {
        sm->starts_head = 0;
    }
}

/* Starts the head record at `start`; true when it is through at once. */
static bool lsu_open(const wm_params *params, wm_sm *sm,
                     const wm_lsu_entry *entry, uint64_t start)
{
    const wm_record *record = entry->record;
    lsu_note_start(params, sm, start);
    if (sm->rows != NULL && entry->slot < WM_SLOTS) {
        sm->warps[entry->warp].slot[entry->slot].static_id =
            (uint16_t)record->static_id;
    }
    if (record->kind >= WM_KIND_SHARED_LOAD) {
        const uint64_t free =
            start + wm_front_shared(params, sm, record, entry->lanes);
        lsu_close(sm, entry, start, free - 1 + params->config.shared.latency,
                  free);
        return true;
    }
    wm_front front =
        wm_front_memory(params, sm, entry->warp, record, entry->lanes);
    if (record->mask == 0) {
        lsu_close(sm, entry, start, start + 1, start + 1);
        return true;
    }
    sm->is_head_open = true;
    sm->next_entry = 0;
    sm->head_start = start;
    sm->head_cost = front.cost;
    sm->head_serial = (uint8_t)front.serial;
    sm->head_ready = 0;
    if (wm_kind_is_load((wm_kind)record->kind) &&
        lsu_is_cached(params, record)) {
        for (uint32_t i = 0; i < WM_LINES_AHEAD; i++) {
            lsu_look_ahead(sm, i);
        }
    }
    return false;
}

/* Sends the head record's lines; false when it has to wait. */
static bool lsu_work(const wm_params *params, wm_sm *sm,
                     const wm_lsu_entry *entry)
{
    const wm_kind kind = (wm_kind)entry->record->kind;
    const uint32_t n = sm->coalesced.n_entries;
    uint64_t cycle = sm->head_start;
    for (; sm->next_entry < n; sm->next_entry++) {
        uint64_t planned =
            sm->head_start + (sm->next_entry >> params->tag_shift);
        bool is_done = false;
        /* It may have stood here for windows, for want of an MSHR. */
        cycle = planned > sm->start ? planned : sm->start;
        if (kind == WM_KIND_GLOBAL_STORE || kind == WM_KIND_LOCAL_STORE) {
            is_done = lsu_store(params, sm, entry, sm->next_entry, &cycle);
        } else if (kind == WM_KIND_GLOBAL_ATOMIC ||
                   kind == WM_KIND_GLOBAL_REDUCTION) {
            is_done = lsu_atomic(params, sm, entry, sm->next_entry, &cycle);
        } else {
            is_done = sm->l1.kind.is_small
                          ? lsu_load(params, sm, entry, sm->next_entry, &cycle,
                                     SMALL_L1)
                          : lsu_load(params, sm, entry, sm->next_entry, &cycle,
                                     sm->l1.kind);
        }
        sm->head_start += cycle - planned;
        if (!is_done) {
            return false;
        }
    }
    uint64_t free = sm->head_start + sm->head_cost;
    lsu_close(sm, entry, entry->issue, sm->head_ready,
              free > cycle ? free : cycle + 1);
    return true;
}

void wm_lsu_fetch_record(const wm_params *params, const wm_sm *sm, uint32_t n)
{
    const unsigned char *record =
        (const unsigned char *)sm->queue[wm_lsu_place(params, sm, n)].record;
    __builtin_prefetch(record);
    __builtin_prefetch(record + sizeof(wm_record) - 1);
}

void wm_lsu_drain(const wm_params *params, wm_sm *sm)
{
    while (sm->n_queue != 0) {
        sm->queue_head = wm_lsu_place(params, sm, 0);
        const wm_lsu_entry entry = sm->queue[sm->queue_head];
        if (sm->n_queue > 2) {
            wm_lsu_fetch_record(params, sm, 2);
        }
        if (!sm->is_head_open) {
            uint64_t start =
                entry.issue > sm->lsu_free ? entry.issue : sm->lsu_free;
            if (start >= sm->end) {
                return;
            }
            bool is_through = lsu_open(params, sm, &entry, start);
            if (sm->n_parked != 0) {
                wm_lsu_call_parked(params, sm);
            }
            if (is_through) {
                continue;
            }
        }
        if (!lsu_work(params, sm, &entry)) {
            return;
        }
    }
}

/* --- the short way -------------------------------------------------------- */
/*
 * A record that finds the queue empty and asks for one whole line, or for
 * shared memory, is through at once unless it has to wait for something: the
 * same as queueing and draining it, without the queue.
 */
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
    const wm_lsu_entry entry = {.warp = warp,
                                .slot = state->n_loads % WM_SLOTS};
    quick_load(state, cycle, 0);
    state->outstanding |= 1u << entry.slot;
    lsu_fetch(params, sm, &entry, &ref, line, all, WM_OP_READ, *sent, l1);
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
