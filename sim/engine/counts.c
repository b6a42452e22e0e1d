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
#include "base/inline.h"
#include "engine/engine_internal.h"

/* A warp that never waits lets others in after so many records. */
#define TURN_RECORDS 8u

/* Lines whose sets are fetched before they are looked at. */
#define AT_ONCE 32u

/* What the compiler knows of a turn. */
typedef struct counts_how {
    bool is_observed; /* somebody listens */
    wm_cache_kind l1;
} counts_how;

/* What nearly every run is. */
#define SIMPLE ((counts_how){false, {true, false, false}})

/* --- ahead of time -------------------------------------------------------- */
/* Pulls in what the turn is about to touch: other SMs had their turns since
 * the last. */
static void counts_prefetch(const wm_sm *sm)
{
    for (uint64_t live = sm->live; live != 0; live &= live - 1) {
        const wm_warp *warp = &sm->warps[wm_lowest_bit(live)];
        __builtin_prefetch(warp, 1);
    }
}

/* The addresses of a record that comes soon. */
static inline void counts_fetch_lanes(const wm_record *record,
                                      const uint32_t *lanes)
{
    wm_front_fetch_lanes(record, lanes,
                         record->pattern == WM_PATTERN_LIST32 ? 192 : 320);
}

/* --- requests ------------------------------------------------------------- */
/* Asks for sectors of a line; they are written in full or in part (bytes)
 * where op says so. */
WM_INLINE void counts_send(wm_sm *sm, uint8_t op, uint64_t line,
                           uint32_t sectors, uint32_t full, uint32_t serial,
                           const uint64_t *bytes)
{
    const uint32_t n = sm->n_demands++;
    wm_demand *sent = &sm->demands[n];
    sent->line = line;
    sent->sectors = (uint8_t)sectors;
    sent->op = op;
    sent->full = (uint8_t)full;
    sent->serial = (uint8_t)serial;
    sent->payload = WM_NO_PAYLOAD;
    if (bytes != NULL) {
        sent->payload = (uint16_t)n;
        sm->payload[n][0] = bytes[0];
        sm->payload[n][1] = bytes[1];
    }
}

/* Finds the slices and sets of what was sent, the last four arguments being
 * constants. */
WM_INLINE void counts_route_as(const wm_engine *engine, wm_sm *sm,
                               bool is_chunk_power, wm_spread_kind slices,
                               wm_spread_kind sets, size_t set_bytes)
{
    const wm_params *params = &engine->params;
    /* The slices' blocks lie at equal distances. */
    const wm_cache *tags = &engine->slices[0].tags;
    const size_t slice_bytes = engine->slice_distance;
    unsigned char *blocks = tags->blocks;
    const wm_divisor chunks = params->chunk_div; /* in registers */
    const wm_spread slice_spread = params->slice_spread;
    const wm_spread set_spread = tags->spread;
    wm_demand *end = sm->demands + sm->n_demands;
    for (wm_demand *demand = sm->demands; demand != end; demand++) {
        uint64_t within = 0;
        uint64_t rank = 0;
        uint64_t tag = 0;
        const uint64_t chunk =
            wm_divide_as(&chunks, demand->line, &within, is_chunk_power);
        const uint64_t slice =
            wm_spread_place_as(&slice_spread, chunk, &rank, slices);
        const uint64_t line = rank * chunks.d + within;
        const uint64_t set = wm_spread_place_as(
            sets.is_drawn ? &engine->slices[slice].tags.spread : &set_spread,
            line, &tag, sets);
        demand->slice = (uint16_t)slice;
        demand->line = line;
        demand->block = blocks + slice * slice_bytes + set * set_bytes;
        demand->tag = tag;
    }
}

static void counts_route(const wm_engine *engine, wm_sm *sm)
{
    const wm_params *params = &engine->params;
    const wm_spread_kind power = {true, true, false};
    const wm_spread_kind other = {false, true, false};
    const wm_spread_kind slices = wm_spread_kind_of(&params->slice_spread);
    const wm_cache *tags = &engine->slices[0].tags;
    const wm_spread_kind sets = wm_spread_kind_of(&tags->spread);
    const bool is_chunk_power = params->chunk_div.reciprocal == 0;
    if (!is_chunk_power || !slices.is_hashed || !sets.is_hashed ||
        !tags->kind.is_small) {
        counts_route_as(engine, sm, is_chunk_power, slices, sets,
                        tags->block_bytes);
    } else if (slices.is_power && sets.is_power) {
        counts_route_as(engine, sm, true, power, power, WM_SMALL_BYTES);
    } else if (slices.is_power) {
        counts_route_as(engine, sm, true, power, other, WM_SMALL_BYTES);
    } else if (sets.is_power) {
        counts_route_as(engine, sm, true, other, power, WM_SMALL_BYTES);
    } else {
        counts_route_as(engine, sm, true, other, other, WM_SMALL_BYTES);
    }
}

/* L1 look-up of one line of a load, in its set; returns the sectors that
 * miss. */
WM_INLINE uint32_t counts_load(wm_sm *sm, const wm_ref *place, uint32_t need,
                               wm_cache_kind kind)
{
    wm_ref ref = *place;
    wm_cache_match_as(&sm->l1, &ref, kind);
    if (ref.way != WM_NO_INDEX) {
        wm_cache_touch_as(&sm->l1, &ref, kind);
    } else {
        (void)wm_cache_allocate_as(&sm->l1, &ref, NULL, kind);
    }
    uint8_t *state = wm_cache_state_as(&sm->l1, &ref, kind);
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
WM_INLINE uint32_t counts_store(const wm_params *params, wm_sm *sm,
                                uint64_t line, uint32_t sectors, uint32_t full,
                                const uint64_t *bytes, counts_how how)
{
    if (how.is_observed) {
        counts_observe_store(params, sm, line, sectors, full);
    }
    const uint32_t hit = wm_l1_store(params, sm, line, sectors, full, how.l1);
    counts_send(sm, WM_OP_WRITE, line, sectors, full, 0,
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
WM_INLINE uint32_t counts_read(const wm_params *params, wm_sm *sm,
                               bool is_cached, uint8_t op, uint64_t line,
                               uint32_t sectors, uint32_t serial,
                               counts_how how)
{
    if (how.is_observed && op == WM_OP_READ) {
        counts_observe_load(params, sm, is_cached, line, sectors);
    }
    uint32_t miss = sectors;
    if (is_cached) {
        const wm_ref place = wm_cache_place_as(&sm->l1, line, how.l1);
        miss = counts_load(sm, &place, sectors, how.l1);
    }
    if (miss != 0) {
        counts_send(sm, op, line, miss, 0, serial, NULL);
    }
    return wm_popcount64(sectors & ~miss);
}

/* --- records -------------------------------------------------------------- */
static inline bool counts_is_cached(const wm_params *params,
                                    const wm_record *record)
{
    return params->is_l1_on && (record->flags & WM_FLAG_BYPASS_L1) == 0;
}

/* Loads of several lines: all their sets are on the way to the processor
 * before the first is looked at.  Returns the sectors that the L1 held. */
WM_INLINE uint32_t counts_loads(const wm_params *params, wm_sm *sm,
                                const wm_coalesced *found, counts_how how)
{
    wm_ref ref[AT_ONCE];
    uint32_t hits = 0;
    for (uint32_t first = 0; first < found->n_entries; first += AT_ONCE) {
        const uint32_t left = found->n_entries - first;
        const uint32_t n = left < AT_ONCE ? left : AT_ONCE;
        const uint64_t *line = found->line + first;
        const uint8_t *sectors = found->sectors + first;
        const wm_spread spread = sm->l1.spread; /* in registers */
        for (uint32_t i = 0; i < n; i++) {
            ref[i].set = wm_spread_place(&spread, line[i], &ref[i].tag);
            ref[i].block = wm_cache_block(&sm->l1, ref[i].set, how.l1);
            wm_cache_prefetch(ref[i].block);
        }
        for (uint32_t i = 0; i < n; i++) {
            if (how.is_observed) {
                counts_observe_load(params, sm, true, line[i], sectors[i]);
            }
            const uint32_t miss = counts_load(sm, &ref[i], sectors[i], how.l1);
            if (miss != 0) {
                counts_send(sm, WM_OP_READ, line[i], miss, 0, 0, NULL);
            }
            hits += wm_popcount64(sectors[i] & ~miss);
        }
    }
    return hits;
}

/* All lines that the front end found for the record; returns the sectors that
 * the L1 held. */
WM_INLINE uint32_t counts_lines(const wm_params *params, wm_sm *sm,
                                const wm_record *record, uint32_t serial,
                                counts_how how)
{
    const wm_kind kind = (wm_kind)record->kind;
    const wm_coalesced *found = &sm->coalesced;
    const uint32_t n = found->n_entries;
    uint32_t hits = 0;
    sm->n_turn_lines += n;
    if (kind == WM_KIND_GLOBAL_STORE || kind == WM_KIND_LOCAL_STORE) {
        for (uint32_t i = 0; i < n; i++) {
            hits += counts_store(params, sm, found->line[i], found->sectors[i],
                                 found->full[i], found->bytes[i], how);
        }
    } else if (kind == WM_KIND_GLOBAL_ATOMIC ||
               kind == WM_KIND_GLOBAL_REDUCTION) {
        for (uint32_t i = 0; i < n; i++) {
            (void)counts_read(params, sm, false, WM_OP_ATOMIC, found->line[i],
                              found->sectors[i], serial, how);
        }
    } else if (counts_is_cached(params, record)) {
        hits = counts_loads(params, sm, found, how);
    } else {
        for (uint32_t i = 0; i < n; i++) {
            (void)counts_read(params, sm, false, WM_OP_READ, found->line[i],
                              found->sectors[i], 0, how);
        }
    }
    return hits;
}

/* A record that is not plain. */
static uint32_t counts_any(const wm_params *params, wm_sm *sm, uint32_t warp,
                           const wm_record *record)
{
    const uint32_t *lanes = sm->warps[warp].lanes;
    sm->has_lists = record->pattern != WM_PATTERN_AFFINE;
    counts_fetch_lanes(record + 1, lanes);
    const wm_front front = wm_front_memory(params, sm, warp, record, lanes);
    if (record->mask == 0) {
        wm_front_count(params, sm, record, 0, 0, 0);
        return 0;
    }
    const counts_how how = {params->observe != NULL, sm->l1.kind};
    const uint32_t hits =
        !how.is_observed && how.l1.is_small
            ? counts_lines(params, sm, record, front.serial, SIMPLE)
            : counts_lines(params, sm, record, front.serial, how);
    const uint32_t missed = sm->coalesced.n_sectors - hits;
    wm_front_count(params, sm, record, hits, 0, missed);
    return missed;
}

/* Returns the sectors that the L1 did not hold. */
WM_INLINE uint32_t counts_memory(const wm_params *params, wm_sm *sm,
                                 uint32_t warp, const wm_record *record,
                                 counts_how how)
{
    if (!wm_front_is_plain(params, record)) {
        return counts_any(params, sm, warp, record);
    }
    const uint64_t line = record->base >> 7;
    uint64_t *count = sm->stats.l1[record->kind];
    sm->stats.n_plain[record->kind]++;
    sm->n_turn_lines++;
    const uint32_t hits =
        record->kind == WM_KIND_GLOBAL_STORE
            ? counts_store(params, sm, line, 15, 15, NULL, how)
            : counts_read(params, sm, counts_is_cached(params, record),
                          WM_OP_READ, line, 15, 0, how);
    count[WM_L1_HIT_SECTORS] += hits;
    count[WM_L1_MISS_SECTORS] += 4 - hits;
    return 4 - hits;
}

static void counts_barrier(wm_sm *sm, wm_resident *place)
{
    if (place->at_barrier != 0 && place->at_barrier == place->alive) {
        sm->live |= place->at_barrier;
        place->at_barrier = 0;
    }
}

/* What the warp's own time would be, for the latency bound. */
WM_INLINE void counts_latency(const wm_params *params, wm_sm *sm,
                              wm_warp *state, const wm_record *record)
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
WM_INLINE uint32_t counts_turn(const wm_params *params, wm_sm *sm,
                               uint32_t warp, uint64_t now, counts_how how)
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
            const uint32_t missed =
                counts_memory(params, sm, warp, record, how);
            if (wm_kind_is_load(kind)) {
                state->has_load = 1;
                state->is_far |= missed != 0;
            }
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

/* The warp whose turn is next: the first live one from `turn` on. */
static inline uint32_t counts_next(const wm_sm *sm, uint32_t turn)
{
    const uint64_t later = sm->live & ~wm_low_mask(turn);
    return wm_lowest_bit(later != 0 ? later : sm->live);
}

WM_INLINE void counts_window(wm_engine *engine, wm_sm *sm, counts_how how)
{
    const wm_params *params = &engine->params;
    counts_prefetch(sm);
    uint64_t n = 0;
    while (n < params->window && sm->live != 0 &&
           sm->n_turn_lines + WM_LINES_MAX <= WM_COUNTS_BOX) {
        const uint32_t warp = counts_next(sm, sm->turn);
        sm->turn = (warp + 1) % WM_WARPS_MAX;
        const uint32_t second = counts_next(sm, sm->turn);
        const uint32_t third = counts_next(sm, (second + 1) % WM_WARPS_MAX);
        if (sm->has_lists) {
            counts_fetch_lanes(sm->warps[second].next, sm->warps[second].lanes);
        }
        wm_fetch_ahead((uintptr_t)sm->warps[third].next,
                       TURN_RECORDS * sizeof(wm_record));
        n += counts_turn(params, sm, warp, engine->now + n, how);
    }
    sm->stats.n_records += n;
    counts_route(engine, sm);
}

void wm_counts_window(wm_engine *engine, wm_sm *sm)
{
    sm->n_demands = 0;
    sm->n_turn_lines = 0;
    if (sm->live == 0) {
        return;
    }
    const counts_how how = {engine->params.observe != NULL, sm->l1.kind};
    if (!how.is_observed && how.l1.is_small) {
        counts_window(engine, sm, SIMPLE);
    } else {
        counts_window(engine, sm, how);
    }
}

void wm_counts_serve(wm_engine *engine, const wm_sm *sm, uint32_t first,
                     uint32_t last)
{
    if (last - first == engine->params.n_partitions) {
        wm_l2_count(engine, sm, NULL, sm->n_demands);
        return;
    }
    const uint32_t per_partition = engine->params.slices_per_partition;
    const uint32_t from = first * per_partition;
    const uint32_t n_slices = (last - first) * per_partition;
    uint16_t mine[WM_COUNTS_BOX];
    uint32_t n = 0;
    for (uint32_t i = 0; i < sm->n_demands; i++) {
        mine[n] = (uint16_t)i;
        n += sm->demands[i].slice - from < n_slices;
    }
    wm_l2_count(engine, sm, mine, n);
}
