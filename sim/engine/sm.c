/*
 * sm.c -- the SM phase of timing mode: warps, issue, barriers, CTA ends.
 *
 * Within a window events lie in one bucket per cycle, a bit per warp.  An
 * event means: this warp's next record may issue now.  Issue ports are
 * reservation servers that may use idle slots of the recent past for the
 * arithmetic a record stands for, where that is little; a long gap shares its
 * port with other warps in turns (port_internal.h), claimed in two parts when
 * its warp stops in between.
 */
#include "engine/engine_internal.h"

void wm_sm_schedule(wm_sm *sm, uint32_t warp, uint64_t cycle)
{
    const uint64_t bit = UINT64_C(1) << warp;
    sm->when[warp] = cycle;
    if (cycle >= sm->end) {
        sm->far |= bit;
        return;
    }
    uint64_t at = cycle > sm->start ? cycle - sm->start : 0;
    sm->work->bucket[at] |= bit;
    sm->work->bucket_busy[at / 64] |= UINT64_C(1) << (at % 64);
}

/* Books a stall of the warp to the load of `slot`.  Static ids above 65535,
 * of which the slot keeps the low half, are left out. */
static void sm_blame(wm_sm *sm, const wm_warp *state, uint32_t slot,
                     uint64_t cycles)
{
    const uint32_t id = state->slot[slot].static_id;
    if (sm->cap_rows <= 0x10000 && id < sm->cap_rows) {
        sm->rows[id].stall_cycles += cycles;
    }
}

/* The same when all returns were known: to the latest of those in `wait`. */
static void sm_blame_latest(wm_sm *sm, const wm_warp *state, uint32_t wait,
                            uint64_t ready)
{
    uint32_t latest = WM_SLOTS;
    for (; wait != 0; wait &= wait - 1) {
        const uint32_t age = wm_lowest_bit(wait) + 1;
        const uint32_t slot = (state->n_loads - age) % WM_SLOTS;
        if (age <= state->n_loads &&
            wm_widen(state->slot[slot].ready, ready) == state->known) {
            latest = slot;
        }
    }
    if (latest != WM_SLOTS) {
        sm_blame(sm, state, latest, state->known - ready);
    }
}

/* Works out when the warp's next record can issue, having issued its last at
 * `cycle` (so that the next slot is cycle itself), and schedules it, unless a
 * load it needs is still out. */
static void sm_prepare(wm_sm *sm, uint32_t warp, uint64_t cycle)
{
    wm_warp *state = &sm->warps[warp];
    const wm_record *record = state->next;
    uint64_t ready = cycle + record->head_cycles;
    uint32_t wait = record->wait;
    uint16_t tail_cycles = record->tail_cycles;
    if (wm_issue_is_long(record)) {
        wm_issue_head(sm, warp, record, cycle);
        tail_cycles = 0;
    }
    wm_front_fetch_lanes(record, state->lanes, 128);
    uint64_t known = 0;
    uint32_t waiting = 0;
    for (; wait != 0; wait &= wait - 1) {
        const uint32_t age = wm_lowest_bit(wait) + 1;
        const uint32_t slot = (state->n_loads - age) % WM_SLOTS;
        if (age > state->n_loads) {
            break; /* those that follow are older still */
        }
        if ((state->outstanding >> slot & 1) != 0) {
            waiting |= 1u << slot;
        } else {
            const uint64_t back = wm_widen(state->slot[slot].ready, cycle);
            known = back > known ? back : known;
        }
    }
    state->waiting = waiting;
    state->known = known;
    if (waiting != 0) {
        state->stall_base = ready;
        state->tail_cycles = tail_cycles;
        return;
    }
    if (known > ready) {
        if (sm->rows != NULL) {
            sm_blame_latest(sm, state, record->wait, ready);
        }
        ready = known;
    }
    wm_sm_schedule(sm, warp, ready + tail_cycles);
}

/* --- ends ----------------------------------------------------------------- */
/* A warp has come to the barrier, or ended, in this cycle: the others go on
 * after it. */
static void sm_release_barrier(wm_sm *sm, wm_resident *place, uint64_t cycle)
{
    if (place->at_barrier == 0 || place->at_barrier != place->alive) {
        return;
    }
    uint64_t released = place->at_barrier;
    place->at_barrier = 0;
    while (released != 0) {
        uint32_t warp = wm_lowest_bit(released);
        released &= released - 1;
        sm_prepare(sm, warp, cycle + 1);
    }
}

static void sm_end_warp(wm_sm *sm, uint32_t warp, uint64_t cycle)
{
    wm_resident *place = &sm->ctas[sm->warps[warp].cta];
    sm->warps[warp].is_exiting = 0;
    place->end = cycle > place->end ? cycle : place->end;
    if (--place->n_running == 0) {
        sm->finished[sm->n_finished++] = sm->warps[warp].cta;
    }
}

static void sm_exit(wm_sm *sm, uint32_t warp, uint64_t cycle)
{
    wm_warp *state = &sm->warps[warp];
    wm_resident *place = &sm->ctas[state->cta];
    place->alive &= ~(UINT64_C(1) << warp);
    sm_release_barrier(sm, place, cycle);
    if (state->last_ready < cycle) {
        state->last_ready = cycle;
    }
    if (state->outstanding != 0 || state->n_acks != 0) {
        state->is_exiting = 1;
        return;
    }
    sm_end_warp(sm, warp, state->last_ready);
}

void wm_warp_end(wm_sm *sm, uint32_t warp)
{
    sm_end_warp(sm, warp, sm->warps[warp].last_ready);
}

void wm_warp_complete(wm_sm *sm, uint32_t warp, uint32_t slot, uint64_t ready)
{
    wm_warp *state = &sm->warps[warp];
    const uint32_t bit = 1u << slot;
    state->outstanding &= ~bit;
    state->last_ready = ready > state->last_ready ? ready : state->last_ready;
    if ((state->waiting & bit) != 0) {
        state->waiting &= ~bit;
        state->known = ready > state->known ? ready : state->known;
        if (state->waiting == 0) {
            uint64_t from = state->known > state->stall_base
                                ? state->known
                                : state->stall_base;
            if (sm->rows != NULL) {
                sm_blame(sm, state, slot, from - state->stall_base);
            }
            wm_sm_schedule(sm, warp, from + state->tail_cycles);
        }
    } else if (state->is_exiting && state->outstanding == 0 &&
               state->n_acks == 0) {
        wm_warp_end(sm, warp);
    }
}

/* --- issue ---------------------------------------------------------------- */
/* True when the record has its issue slot at `cycle`; else the warp comes
 * back when it does. */
static bool sm_take_slot(wm_sm *sm, wm_warp *state, uint32_t warp,
                         const wm_record *record, uint64_t cycle)
{
    if (state->issue == WM_ISSUE_GRANTED) {
        state->issue = WM_ISSUE_SHORT;
        return true;
    }
    if (state->issue != WM_ISSUE_SHORT || sm->ports.claimed != 0) {
        return wm_issue_turn(sm, warp, record, cycle);
    }
    return wm_issue_short(sm, warp, record, cycle);
}

/* True when the LSU takes the record now; else the warp is parked or comes
 * back, its issue slot kept. */
static bool sm_offer(const wm_params *params, wm_sm *sm, wm_warp *state,
                     uint32_t warp, const wm_record *record, uint64_t cycle)
{
    const uint32_t slot = state->n_loads % WM_SLOTS;
    if (wm_kind_is_load((wm_kind)record->kind) &&
        (state->outstanding >> slot & 1) != 0) {
        /* WM_SLOTS loads in flight: wait for the oldest. */
        state->issue = WM_ISSUE_GRANTED;
        state->waiting = 1u << slot;
        state->known = 0;
        state->stall_base = cycle;
        state->tail_cycles = 0; /* the gap is behind it */
        return false;
    }
    if (wm_lsu_enter(params, sm, warp, cycle)) {
        return true;
    }
    state->issue = WM_ISSUE_GRANTED;
    return false;
}

static void sm_issue(const wm_params *params, wm_sm *sm, uint32_t warp,
                     uint64_t cycle)
{
    wm_warp *state = &sm->warps[warp];
    const wm_record *record = state->next;
    if (!sm_take_slot(sm, state, warp, record, cycle)) {
        return;
    }
    if (wm_kind_is_memory((wm_kind)record->kind)) {
        if (!sm_offer(params, sm, state, warp, record, cycle)) {
            return;
        }
        wm_lsu_accept(params, sm, warp, record, cycle);
    }
    sm->stats.n_records++;
    if ((record->flags & WM_FLAG_CONTINUED) == 0) {
        sm->stats.n_instructions[record->kind]++;
    }
    if (record->kind == WM_KIND_EXIT) {
        sm_exit(sm, warp, cycle);
        return;
    }
    state->next++;
    /* All of the record behind it: its last byte, as the one before lies on
     * the line of its first. */
    __builtin_prefetch((const unsigned char *)(state->next + 2) - 1);
    if (record->kind == WM_KIND_BARRIER) {
        wm_resident *place = &sm->ctas[state->cta];
        place->at_barrier |= UINT64_C(1) << warp;
        sm_release_barrier(sm, place, cycle);
        return;
    }
    sm_prepare(sm, warp, cycle + (record->kind != WM_KIND_GAP));
}

static void sm_run_events(const wm_params *params, wm_sm *sm)
{
    wm_scratch *scratch = sm->work;
    const uint32_t words = (params->window + 63) / 64;
    for (uint32_t word = 0; word < words; word++) {
        while (scratch->bucket_busy[word] != 0) {
            uint32_t at = word * 64 + wm_lowest_bit(scratch->bucket_busy[word]);
            uint64_t ready = scratch->bucket[at];
            uint64_t later = ready & ~wm_low_mask(sm->turn);
            uint32_t warp = wm_lowest_bit(later != 0 ? later : ready);
            ready &= ~(UINT64_C(1) << warp);
            scratch->bucket[at] = ready;
            if (ready == 0) {
                scratch->bucket_busy[word] &= scratch->bucket_busy[word] - 1;
            }
            sm->turn = (warp + 1) % WM_WARPS_MAX;
            sm_issue(params, sm, warp, sm->start + at);
        }
    }
}

/* --- ahead of time -------------------------------------------------------- */
/* Warps that wait for a time before `end`. */
static uint64_t sm_due(const wm_sm *sm, uint64_t end)
{
    uint64_t due = 0;
    for (uint64_t far = sm->far; far != 0; far &= far - 1) {
        due |= sm->when[wm_lowest_bit(far)] < end ? far & (0 - far) : 0;
    }
    return due;
}

/*
 * The SMs' states are more than a core's caches hold: each window reads them
 * anew.  What an SM will touch is pulled in while others run: first its own
 * fields, which say what its work will be, then the warps and MSHRs of that
 * work, at last the records of those warps.
 */
void wm_sm_fetch(const wm_sm *sm)
{
    __builtin_prefetch(sm, 1);
    __builtin_prefetch(&sm->queue, 1);
    __builtin_prefetch(&sm->n_parked, 1);
    __builtin_prefetch(&sm->l1);
    __builtin_prefetch(&sm->mshrs, 1);
    __builtin_prefetch(&sm->request_free_q8, 1);
    for (size_t w = 0; w < WM_WARPS_MAX; w += 8) {
        __builtin_prefetch(&sm->when[w], 1);
    }
}

void wm_sm_fetch_work(const wm_engine *engine, wm_sm *sm)
{
    const uint64_t end = engine->now + engine->params.window;
    uint64_t acknowledged = 0;
    uint64_t replied = 0;
    for (uint32_t t = 0; t < engine->n_shares; t++) {
        const wm_reply_box *box = &engine->scratch[t].to_sm[sm->id];
        for (size_t k = 0; k < box->n; k++) {
            const wm_reply *reply = &box->reply[k];
            const uint32_t w = reply->place % WM_WARPS_MAX;
            if (reply->is_ack) {
                acknowledged |= UINT64_C(1) << w;
                continue;
            }
            replied |= UINT64_C(1) << w;
            __builtin_prefetch(&sm->mshrs[reply->tag], 1);
            __builtin_prefetch(&sm->warps[w].slot[reply->place >> 8], 1);
        }
    }
    sm->replied = replied;
    uint64_t due = sm_due(sm, end) | replied | acknowledged;
    for (; due != 0; due &= due - 1) {
        __builtin_prefetch(&sm->warps[wm_lowest_bit(due)], 1);
    }
    if (sm->n_queue != 0) {
        __builtin_prefetch(&sm->queue[sm->queue_head]);
    }
}

/* Pulls in the record that a warp is about to issue, and the one behind it. */
static void sm_prefetch_record(const wm_warp *warp)
{
    const unsigned char *record = (const unsigned char *)warp->next;
    __builtin_prefetch(record);
    __builtin_prefetch(record + sizeof(*warp->next) - 1);
    __builtin_prefetch(record + 2 * sizeof(*warp->next) - 1);
}

/* The records of the warps that wake or get a reply, and of the LSU's queue. */
void wm_sm_fetch_records(const wm_engine *engine, const wm_sm *sm)
{
    const uint64_t end = engine->now + engine->params.window;
    uint64_t due = sm_due(sm, end) | sm->replied;
    for (; due != 0; due &= due - 1) {
        sm_prefetch_record(&sm->warps[wm_lowest_bit(due)]);
    }
    for (uint32_t n = 0; n < sm->n_queue && n < 2; n++) {
        wm_lsu_fetch_record(&engine->params, sm, n);
    }
}

/* --- the window ----------------------------------------------------------- */
/* Puts warps whose time has come into the window's buckets. */
static void sm_wake(wm_sm *sm)
{
    uint64_t due = sm_due(sm, sm->end);
    sm->far &= ~due;
    for (; due != 0; due &= due - 1) {
        const uint32_t warp = wm_lowest_bit(due);
        const wm_warp *state = &sm->warps[warp];
        __builtin_prefetch(&state->slot[state->n_loads % WM_SLOTS], 1);
        wm_sm_schedule(sm, warp, sm->when[warp]);
    }
}

/* The earliest cycle at which anything happens that no reply brings about.
 * Parked warps wait for the LSU's queue or for warps that have tickets. */
static uint64_t sm_next_event(const wm_params *params, const wm_sm *sm)
{
    uint64_t next = wm_lsu_next(params, sm);
    if (sm->n_fifo != 0) {
        const uint64_t sent = wm_widen(sm->fifo[0].cycle, sm->end);
        next = sent < next ? sent : next;
    }
    for (uint64_t far = sm->far; far != 0; far &= far - 1) {
        uint64_t when = sm->when[wm_lowest_bit(far)];
        next = when < next ? when : next;
    }
    return next;
}

void wm_sm_window(wm_engine *engine, wm_sm *sm, wm_scratch *scratch)
{
    const wm_params *params = &engine->params;
    sm->work = scratch;
    sm->start = engine->now;
    sm->end = engine->now + params->window;
    wm_mailbox_open(sm);
    if (sm->start != 0) {
        wm_lsu_pass(sm, sm->start - 1);
    }
    if (wm_receive(engine, sm) == 0 && sm->next_event >= sm->end) {
        return;
    }
    wm_lsu_drain(params, sm);
    sm_wake(sm);
    sm_run_events(params, sm);
    sm->next_event = sm_next_event(params, sm);
}

void wm_sm_start(wm_engine *engine, wm_sm *sm, uint32_t place, uint64_t cycle)
{
    wm_resident *resident = &sm->ctas[place];
    sm->start = engine->now;
    sm->end = engine->now;
    for (uint64_t warps = resident->warps; warps != 0; warps &= warps - 1) {
        uint32_t warp = wm_lowest_bit(warps);
        if (wm_issue_is_long(sm->warps[warp].next)) {
            sm->warps[warp].issue = WM_ISSUE_HEAD; /* at its time */
            wm_sm_schedule(sm, warp, cycle);
        } else {
            sm_prepare(sm, warp, cycle);
        }
    }
    sm->next_event = cycle < sm->next_event ? cycle : sm->next_event;
}
