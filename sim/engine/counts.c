/*
 * counts.c -- counts mode: fills are at once, so nothing is ever pending and no
 * reply travels.
 *
 * The SMs take turns of params.window records, or of as many lines as the
 * mailbox holds (so that no hit changes the order of accesses); in it the SM's
 * live warps take turns, each going on until it needs a load it made, as a
 * greedy scheduler would let it.  The L2 sees a turn's requests in order, then
 * those of the next SM: with one thread at once, while they are in the host's
 * cache, with several once all SMs have had their turns.  A slice sees the same
 * order either way.
 */
#include "engine/engine_internal.h"

/* A warp that never waits lets others in after so many records. */
#define TURN_RECORDS 8u

/* Sends n_sectors of a line, written in full or in part (bytes). */
static void counts_send(const wm_params *params, wm_sm *sm, uint8_t op,
                        uint64_t line, uint32_t sectors, uint32_t full,
                        uint32_t serial, const uint64_t *bytes)
{
    const wm_route route = wm_route_of(params, line);
    wm_request *sent = &sm->fifo[sm->n_fifo++];
    sent->line = route.local;
    sent->partition = (uint16_t)route.partition;
    sent->slice = (uint16_t)route.slice;
    sent->op = op;
    sent->sectors = (uint8_t)sectors;
    sent->full = (uint8_t)full;
    sent->serial = (uint8_t)serial;
    sent->payload = WM_NO_PAYLOAD;
    if (bytes != NULL) {
        sent->payload = (uint16_t)(sm->n_fifo - 1);
        sm->payload[sent->payload][0] = bytes[0];
        sm->payload[sent->payload][1] = bytes[1];
    }
}

/* L1 look-up of one line of a load; returns the sectors that miss. */
static uint32_t counts_load(wm_sm *sm, uint64_t line, uint32_t need)
{
    wm_ref ref = wm_cache_find(&sm->l1, line);
    if (ref.way != WM_NO_INDEX) {
        wm_cache_touch(&sm->l1, &ref);
    } else {
        (void)wm_cache_allocate(&sm->l1, &ref, NULL);
    }
    uint8_t *state = wm_cache_state(&sm->l1, &ref);
    uint32_t miss = need & ~(uint32_t)*state;
    *state |= (uint8_t)miss;
    return miss;
}

/* Stores that move a line of the L1, or bring it in. */
static void counts_observe_store(const wm_params *params, const wm_sm *sm,
                                 uint64_t line, uint32_t sectors, uint32_t full)
{
    const uint64_t policy = params->config.l1.write;
    const wm_observation observation = {
        .level = 1,
        .what = WM_OBSERVED_WRITE,
        .sectors = (uint8_t)sectors,
        .full = policy == WM_L1_WRITE_ALLOCATE ? (uint8_t)full : 0,
        .unit = sm->id,
        .line = line};
    if (params->is_l1_on && policy != WM_L1_WRITE_EVICT) {
        params->observe(&observation, params->observe_context);
    }
}

/* One line of a store; returns how many sectors the L1 held. */
static uint32_t counts_store(const wm_params *params, wm_sm *sm, uint64_t line,
                             uint32_t sectors, uint32_t full,
                             const uint64_t *bytes)
{
    if (params->observe != NULL) {
        counts_observe_store(params, sm, line, sectors, full);
    }
    const uint32_t hit = wm_l1_store(params, sm, line, sectors, full);
    counts_send(params, sm, WM_OP_WRITE, line, sectors, full, 0,
                full != sectors ? bytes : NULL);
    return wm_popcount64(hit);
}

/* Loads that the L1 looks up, and those that pass it by. */
static void counts_observe_load(const wm_params *params, const wm_sm *sm,
                                bool is_cached, uint64_t line, uint32_t sectors)
{
    const wm_observation observation = {.level = 1,
                                        .what = is_cached ? WM_OBSERVED_READ
                                                          : WM_OBSERVED_BYPASS,
                                        .sectors = (uint8_t)sectors,
                                        .unit = sm->id,
                                        .line = line};
    params->observe(&observation, params->observe_context);
}

/* One line of a load or atomic; returns how many sectors the L1 held. */
static uint32_t counts_read(const wm_params *params, wm_sm *sm, bool is_cached,
                            uint8_t op, uint64_t line, uint32_t sectors,
                            uint32_t serial)
{
    if (params->observe != NULL && op == WM_OP_READ) {
        counts_observe_load(params, sm, is_cached, line, sectors);
    }
    const uint32_t miss = is_cached ? counts_load(sm, line, sectors) : sectors;
    if (miss != 0) {
        counts_send(params, sm, op, line, miss, 0, serial, NULL);
    }
    return wm_popcount64(sectors & ~miss);
}

/* Returns the sectors that the L1 held; *n_sectors: all of the record. */
static uint32_t counts_lines(const wm_params *params, wm_sm *sm, uint32_t warp,
                             const wm_record *record, uint32_t *n_sectors)
{
    const wm_kind kind = (wm_kind)record->kind;
    const bool is_store =
        kind == WM_KIND_GLOBAL_STORE || kind == WM_KIND_LOCAL_STORE;
    const bool is_atomic =
        kind == WM_KIND_GLOBAL_ATOMIC || kind == WM_KIND_GLOBAL_REDUCTION;
    const bool is_cached = !is_atomic && params->is_l1_on &&
                           (record->flags & WM_FLAG_BYPASS_L1) == 0;
    const uint8_t op = is_atomic ? WM_OP_ATOMIC : WM_OP_READ;
    if (wm_front_is_plain(params, record)) {
        const uint64_t line = record->base >> 7;
        sm->stats.n_plain[kind]++;
        sm->n_turn_lines++;
        *n_sectors = 4;
        return is_store ? counts_store(params, sm, line, 15, 15, NULL)
                        : counts_read(params, sm, is_cached, op, line, 15, 0);
    }
    const wm_front front =
        wm_front_memory(params, sm, warp, record, sm->warps[warp].lanes);
    const wm_coalesced *found = &sm->coalesced;
    uint32_t hits = 0;
    if (record->mask == 0) {
        return 0;
    }
    *n_sectors = found->n_sectors;
    sm->n_turn_lines += found->n_entries;
    for (uint32_t i = 0; i < found->n_entries; i++) {
        hits +=
            is_store
                ? counts_store(params, sm, found->line[i], found->sectors[i],
                               found->full[i], found->bytes[i])
                : counts_read(params, sm, is_cached, op, found->line[i],
                              found->sectors[i], front.serial);
    }
    return hits;
}

static void counts_memory(const wm_params *params, wm_sm *sm, uint32_t warp,
                          const wm_record *record)
{
    wm_warp *state = &sm->warps[warp];
    uint32_t n_sectors = 0;
    const uint32_t hits = counts_lines(params, sm, warp, record, &n_sectors);
    wm_front_count(params, sm, record, hits, 0, n_sectors - hits);
    if (wm_kind_is_load((wm_kind)record->kind)) {
        state->has_load = 1;
        state->is_far |= hits != n_sectors;
    }
}

static void counts_barrier(wm_sm *sm, wm_resident *place)
{
    if (place->at_barrier != 0 && place->at_barrier == place->alive) {
        sm->live |= place->at_barrier;
        place->at_barrier = 0;
    }
}

/* What the warp's own time would be, for the latency bound. */
static void counts_latency(const wm_params *params, wm_sm *sm, wm_warp *state,
                           const wm_record *record)
{
    uint64_t cycles =
        1 + (uint64_t)record->head_cycles + (uint64_t)record->tail_cycles;
    if (record->wait != 0 && state->has_load) {
        if (state->is_far) {
            sm->stats.n_far_waits++;
        } else {
            cycles += params->config.l1.latency;
        }
        state->has_load = 0;
        state->is_far = 0;
    }
    sm->stats.warp_cycles += cycles;
}

/* The warp is not live any more: at a barrier or at its end. */
static void counts_halt(wm_sm *sm, wm_warp *state, uint32_t warp, bool is_exit,
                        uint64_t now)
{
    wm_resident *place = &sm->ctas[state->cta];
    const uint64_t bit = UINT64_C(1) << warp;
    sm->live &= ~bit;
    if (!is_exit) {
        place->at_barrier |= bit;
        counts_barrier(sm, place);
        return;
    }
    place->alive &= ~bit;
    counts_barrier(sm, place);
    if (--place->n_running == 0) {
        place->end = now;
        sm->finished[sm->n_finished++] = state->cta;
    }
}

/* The warp goes on until it waits for a load, stops, or has had its turn;
 * returns how many records it took. */
static uint32_t counts_turn(const wm_params *params, wm_sm *sm, uint32_t warp,
                            uint64_t now)
{
    wm_warp *state = &sm->warps[warp];
    const wm_record *record = state->next;
    uint32_t n = 0;
    for (;;) {
        const wm_kind kind = (wm_kind)record->kind;
        n++;
        sm->stats.n_instructions[kind] +=
            (record->flags & WM_FLAG_CONTINUED) == 0;
        counts_latency(params, sm, state, record);
        if (kind < WM_KIND_SHARED_LOAD) {
            counts_memory(params, sm, warp, record);
        } else if (kind <= WM_KIND_SHARED_ATOMIC) {
            (void)wm_front_shared(params, sm, record, state->lanes);
            state->has_load = 1;
        } else if (kind != WM_KIND_GAP) {
            state->next = record + 1;
            counts_halt(sm, state, warp, kind == WM_KIND_EXIT, now);
            return n;
        }
        record++;
        if (record->wait != 0 || n == TURN_RECORDS ||
            sm->n_turn_lines + WM_LINES_MAX > WM_COUNTS_BOX) {
            state->next = record;
            __builtin_prefetch(record);
            return n;
        }
    }
}

/* Pulls in what the turn is about to touch: other SMs had their turns since
 * the last. */
static void counts_prefetch(const wm_sm *sm)
{
    for (uint64_t live = sm->live; live != 0; live &= live - 1) {
        const wm_warp *warp = &sm->warps[wm_lowest_bit(live)];
        __builtin_prefetch(warp, 1);
    }
    for (uint64_t live = sm->live; live != 0; live &= live - 1) {
        __builtin_prefetch(sm->warps[wm_lowest_bit(live)].next);
    }
}

void wm_counts_window(wm_engine *engine, wm_sm *sm)
{
    const wm_params *params = &engine->params;
    sm->n_fifo = 0;
    sm->n_turn_lines = 0;
    if (sm->live == 0) {
        return;
    }
    counts_prefetch(sm);
    uint64_t n = 0;
    while (n < params->window && sm->live != 0 &&
           sm->n_turn_lines + WM_LINES_MAX <= WM_COUNTS_BOX) {
        uint64_t later = sm->live & ~wm_low_mask(sm->turn);
        uint32_t warp = wm_lowest_bit(later != 0 ? later : sm->live);
        sm->turn = (warp + 1) % WM_WARPS_MAX;
        n += counts_turn(params, sm, warp, engine->now + n);
    }
    sm->stats.n_records += n;
}

static void counts_observe_request(const wm_params *params,
                                   const wm_request *request)
{
    const wm_observation observation = {
        .level = 2,
        .what =
            request->op == WM_OP_WRITE ? WM_OBSERVED_WRITE : WM_OBSERVED_READ,
        .sectors = request->sectors,
        .full = request->full,
        .unit = (uint32_t)request->partition * params->slices_per_partition +
                request->slice,
        .line = request->line};
    params->observe(&observation, params->observe_context);
}

static void counts_serve(wm_engine *engine, const wm_sm *sm,
                         const wm_request *request, wm_ref *place)
{
    if (engine->params.observe != NULL) {
        counts_observe_request(&engine->params, request);
    }
    wm_partition *partition = &engine->partitions[request->partition];
    wm_l2_count(&engine->params, partition, &partition->slices[request->slice],
                request, place,
                request->payload != WM_NO_PAYLOAD
                    ? sm->payload[request->payload]
                    : NULL);
}

void wm_counts_serve(wm_engine *engine, const wm_sm *sm, uint32_t first,
                     uint32_t last)
{
    uint16_t mine[WM_COUNTS_BOX];
    wm_ref place[WM_AHEAD];
    uint32_t n = 0;
    for (uint32_t i = 0; i < sm->n_fifo; i++) {
        mine[n] = (uint16_t)i;
        n += (uint32_t)sm->fifo[i].partition - first < last - first;
    }
    for (uint32_t i = 0; i < n + WM_AHEAD; i++) {
        wm_ref *at = &place[i % WM_AHEAD];
        if (i >= WM_AHEAD) {
            counts_serve(engine, sm, &sm->fifo[mine[i - WM_AHEAD]], at);
        }
        if (i < n) {
            const wm_request *request = &sm->fifo[mine[i]];
            const wm_partition *partition =
                &engine->partitions[request->partition];
            *at = wm_cache_place(&partition->slices[request->slice].tags,
                                 request->line);
        }
    }
}
