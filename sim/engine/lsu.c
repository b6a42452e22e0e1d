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
#include "engine/lsu_parts_internal.h"

/* --- one line of the head record ------------------------------------------ */
/* Whether the head record looks its lines up. */
static bool lsu_is_cached(const wm_params *params, const wm_record *record)
{
    return params->is_l1_on && (record->flags & WM_FLAG_BYPASS_L1) == 0;
}

/* Pulls the set of line i of a load towards the processor. */
static inline void lsu_look_at(wm_sm *sm, uint32_t i)
{
    wm_ref *ref = &sm->head_set[i % WM_LINES_AHEAD];
    wm_cache_place(&sm->l1, sm->coalesced.line[i], ref);
    wm_cache_prefetch(ref->block);
}

/* What of the head record's lines was found. */
typedef struct lsu_found {
    uint32_t hit, pending, miss; /* sectors */
} lsu_found;

/* Load of one line at *cycle, which may move on.  False: wait for the next
 * window with nothing changed. */
WM_INLINE bool lsu_load(const wm_params *params, wm_sm *sm,
                        const wm_lsu_entry *entry, const lsu_asker *asker,
                        uint32_t i, uint64_t *cycle, lsu_found *found,
                        bool is_cached, wm_cache_kind l1)
{
    const uint32_t need = sm->coalesced.sectors[i];
    wm_ref ref = {.way = WM_NO_INDEX};
    uint32_t state = 0;
    uint32_t pending = 0;
    uint32_t hit = 0;
    uint32_t miss = need;
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
        if (pending != 0) {
            lsu_join(sm, &sm->l1.line[wm_cache_index(&sm->l1, &ref)], entry);
        }
        if (hit != 0) {
            /* From the record's start, the wait for this line included. */
            uint64_t ready = *cycle - (i >> params->tag_shift) + sm->head_cost -
                             1 + params->config.l1.latency;
            if (sm->head_ready < ready) {
                sm->head_ready = ready;
            }
        }
        found->hit += wm_popcount64(hit);
        found->pending += wm_popcount64(pending);
    }
    if (miss != 0) {
        if (is_cached && ref.way == WM_NO_INDEX) {
            (void)wm_cache_allocate_as(&sm->l1, &ref, NULL, l1);
        }
        lsu_fetch(params, sm, asker, &ref, sm->coalesced.line[i], miss, *cycle,
                  l1);
        found->miss += wm_popcount64(miss);
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
        const wm_ref nowhere = {.way = WM_NO_INDEX};
        const lsu_asker asker =
            lsu_asker_of(sm, entry->warp, entry->slot, WM_OP_ATOMIC);
        lsu_fetch(params, sm, &asker, &nowhere, sm->coalesced.line[i], sectors,
                  *cycle, sm->l1.kind);
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
        const uint32_t n = sm->coalesced.n_entries;
        for (uint32_t i = 0; i < n && i < WM_LINES_AHEAD; i++) {
            lsu_look_at(sm, i);
        }
    }
    return false;
}

/* When line i of the head record goes if it need not wait.  The record may have
 * stood here for windows, for want of an MSHR. */
static inline uint64_t lsu_planned(const wm_sm *sm, uint32_t i, uint32_t shift)
{
    return sm->head_start + (i >> shift);
}

/* Sends for the head record's lines, a load; false when it has to wait. */
WM_INLINE bool lsu_loads(const wm_params *params, wm_sm *sm,
                         const wm_lsu_entry *entry, uint64_t *cycle,
                         bool is_cached, wm_cache_kind l1)
{
    const uint32_t n = sm->coalesced.n_entries;
    const uint32_t shift = params->tag_shift;
    const uint64_t first = sm->start;
    const lsu_asker asker =
        lsu_asker_of(sm, entry->warp, entry->slot, WM_OP_READ);
    lsu_found found = {0, 0, 0};
    uint32_t i = sm->next_entry;
    for (; i < n; i++) {
        const uint64_t planned = lsu_planned(sm, i, shift);
        *cycle = planned > first ? planned : first;
        const bool is_done = lsu_load(params, sm, entry, &asker, i, cycle,
                                      &found, is_cached, l1);
        sm->head_start += *cycle - planned;
        if (!is_done) {
            break;
        }
        if (is_cached && i + WM_LINES_AHEAD < n) {
            lsu_look_at(sm, i + WM_LINES_AHEAD);
        }
    }
    sm->next_entry = i;
    wm_front_count(params, sm, entry->record, found.hit, found.pending,
                   found.miss);
    return i == n;
}

/* Stores, and atomics; the same. */
static bool lsu_others(const wm_params *params, wm_sm *sm,
                       const wm_lsu_entry *entry, uint64_t *cycle)
{
    const wm_kind kind = (wm_kind)entry->record->kind;
    const bool is_store =
        kind == WM_KIND_GLOBAL_STORE || kind == WM_KIND_LOCAL_STORE;
    const uint32_t n = sm->coalesced.n_entries;
    for (; sm->next_entry < n; sm->next_entry++) {
        const uint32_t i = sm->next_entry;
        const uint64_t planned = lsu_planned(sm, i, params->tag_shift);
        *cycle = planned > sm->start ? planned : sm->start;
        const bool is_done = is_store ? lsu_store(params, sm, entry, i, cycle)
                                      : lsu_atomic(params, sm, entry, i, cycle);
        sm->head_start += *cycle - planned;
        if (!is_done) {
            return false;
        }
    }
    return true;
}

/* Sends the head record's lines; false when it has to wait. */
static bool lsu_work(const wm_params *params, wm_sm *sm,
                     const wm_lsu_entry *entry)
{
    const wm_record *record = entry->record;
    uint64_t cycle = sm->head_start;
    bool is_done = false;
    if (!wm_kind_is_load((wm_kind)record->kind) ||
        record->kind == WM_KIND_GLOBAL_ATOMIC) {
        is_done = lsu_others(params, sm, entry, &cycle);
    } else if (sm->l1.kind.is_small && lsu_is_cached(params, record)) {
        is_done = lsu_loads(params, sm, entry, &cycle, true, SMALL_L1);
    } else {
        is_done = lsu_loads(params, sm, entry, &cycle,
                            lsu_is_cached(params, record), sm->l1.kind);
    }
    if (!is_done) {
        return false;
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
            const bool is_through =
                wm_lsu_plain_head(params, sm, &entry, start) ||
                lsu_open(params, sm, &entry, start);
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
