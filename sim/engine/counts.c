/*
 * counts.c -- the SM phase of counts mode: the live warps of an SM take turns,
 * one record a turn.  Fills are at once, so nothing is ever pending and no
 * reply travels; requests still pass the mailboxes, in turn order, so that the
 * L2 sees SMs interleaved.
 */
#include "engine/engine_internal.h"

/* L1 look-up of one line of a load; returns the sectors that miss. */
static uint32_t counts_load(wm_sm *sm, uint32_t i, bool is_cached)
{
    const uint32_t need = sm->coalesced.sectors[i];
    if (!is_cached) {
        return need;
    }
    wm_ref ref = wm_cache_find(&sm->l1, sm->coalesced.line[i]);
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

/* Loads that the L1 looks up, and those that pass it by. */
static void counts_observe(const wm_params *params, const wm_sm *sm, uint32_t i,
                           bool is_cached)
{
    const wm_observation observation = {.level = 1,
                                        .what = is_cached ? WM_OBSERVED_READ
                                                          : WM_OBSERVED_BYPASS,
                                        .sectors = sm->coalesced.sectors[i],
                                        .unit = sm->id,
                                        .line = sm->coalesced.line[i]};
    params->observe(&observation, params->observe_context);
}

static void counts_memory(const wm_params *params, wm_sm *sm, uint32_t warp,
                          const wm_record *record, uint64_t step)
{
    wm_warp *state = &sm->warps[warp];
    const wm_kind kind = (wm_kind)record->kind;
    wm_front front = wm_front_memory(params, sm, warp, record, state->lanes);
    const bool is_store =
        kind == WM_KIND_GLOBAL_STORE || kind == WM_KIND_LOCAL_STORE;
    const bool is_atomic =
        kind == WM_KIND_GLOBAL_ATOMIC || kind == WM_KIND_GLOBAL_REDUCTION;
    const bool is_cached =
        params->is_l1_on && (record->flags & WM_FLAG_BYPASS_L1) == 0;
    uint32_t hits = 0;
    uint32_t misses = 0;
    for (uint32_t i = 0; record->mask != 0 && i < sm->coalesced.n_entries;
         i++) {
        const uint64_t line = sm->coalesced.line[i];
        const uint32_t sectors = sm->coalesced.sectors[i];
        const uint32_t full = is_store ? sm->coalesced.full[i] : 0;
        uint32_t sent = sectors;
        uint32_t hit = 0;
        if (is_store) {
            hit = wm_l1_store(params, sm, line, sectors, full);
        } else if (!is_atomic) {
            if (params->observe != NULL) {
                counts_observe(params, sm, i, is_cached);
            }
            sent = counts_load(sm, i, is_cached);
            hit = sectors & ~sent;
        }
        hits += wm_popcount64(hit);
        misses += wm_popcount64(sectors & ~hit);
        if (sent == 0) {
            continue;
        }
        wm_request request = {.op = is_store    ? WM_OP_WRITE
                                    : is_atomic ? WM_OP_ATOMIC
                                                : WM_OP_READ,
                              .sectors = (uint8_t)sent,
                              .full = (uint8_t)full,
                              .serial = (uint8_t)front.serial};
        wm_mailbox_send(params, sm, &request, step, line,
                        is_store && full != sectors ? sm->coalesced.bytes[i]
                                                    : NULL);
    }
    wm_front_count(params, sm, record, hits, 0, misses);
    if (wm_kind_is_load(kind)) {
        state->has_load = 1;
        state->is_far |= misses != 0;
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

static void counts_step(const wm_params *params, wm_sm *sm, uint32_t warp,
                        uint64_t step)
{
    wm_warp *state = &sm->warps[warp];
    const wm_record *record = state->next++;
    __builtin_prefetch(state->next); /* its turn comes dozens of steps later */
    wm_resident *place = &sm->ctas[state->cta];
    const uint64_t bit = UINT64_C(1) << warp;
    sm->stats.n_records++;
    if ((record->flags & WM_FLAG_CONTINUED) == 0) {
        sm->stats.n_instructions[record->kind]++;
    }
    counts_latency(params, sm, state, record);
    if (record->kind < WM_KIND_SHARED_LOAD) {
        counts_memory(params, sm, warp, record, step);
    } else if (record->kind <= WM_KIND_SHARED_ATOMIC) {
        (void)wm_front_shared(params, sm, record, state->lanes);
        state->has_load = 1;
    } else if (record->kind == WM_KIND_BARRIER) {
        sm->live &= ~bit;
        place->at_barrier |= bit;
        counts_barrier(sm, place);
    } else if (record->kind == WM_KIND_EXIT) {
        sm->live &= ~bit;
        place->alive &= ~bit;
        counts_barrier(sm, place);
        if (--place->n_running == 0) {
            place->end = step;
            sm->finished[sm->n_finished++] = state->cta;
        }
    }
}

void wm_counts_window(wm_engine *engine, wm_sm *sm)
{
    const wm_params *params = &engine->params;
    wm_mailbox_release(sm);
    sm->start = engine->now;
    sm->end = engine->now + params->window;
    if (sm->live == 0) {
        return;
    }
    for (uint64_t step = sm->start; step < sm->end && sm->live != 0; step++) {
        if (sm->n_fifo + WM_LINES_MAX > params->fifo_mask) {
            break;
        }
        uint64_t later = sm->live & ~wm_low_mask(sm->turn);
        uint32_t warp = wm_lowest_bit(later != 0 ? later : sm->live);
        sm->turn = (warp + 1) % WM_WARPS_MAX;
        counts_step(params, sm, warp, step);
    }
    wm_mailbox_post(params, sm);
}
