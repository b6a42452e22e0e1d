/*
 * dispatch.c -- CTAs onto SMs: occupancy, the first wave, and at every window
 * boundary the next CTAs in the places that fell free, in (time, SM) order.
 *
 * A place that falls free at t is taken again at t + kernel.cta_latency.  The
 * window is never longer than that, so no start lies in a window already run:
 * the window's length does not show in results.
 */
#include "engine/engine_internal.h"

#include <stdlib.h>
#include <string.h>

/* Registers are allocated per warp in units of 256 (CUDA occupancy rules,
 * compute capability 3 and later). */
#define REGISTER_UNIT 256u

/* --- occupancy ------------------------------------------------------------ */
static uint64_t dispatch_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void dispatch_needs(wm_engine *engine, const wm_launch *launch)
{
    const wm_config *config = &engine->params.config;
    engine->cta_warps = launch->n_warps_per_cta;
    engine->cta_threads = (uint64_t)launch->n_warps_per_cta * launch->warp_size;
    uint64_t per_warp = (uint64_t)launch->registers * launch->warp_size;
    per_warp = (per_warp + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
    engine->cta_registers = per_warp * launch->n_warps_per_cta;
    engine->cta_shared =
        (uint64_t)launch->shared_bytes +
        (launch->shared_bytes != 0 ? config->shared.reserved : 0);
}

/* CTAs that one SM holds; 0 when not even one fits. */
static uint64_t dispatch_places(const wm_engine *engine)
{
    const wm_config *config = &engine->params.config;
    uint64_t n = config->sm.max_ctas;
    n = dispatch_least(n, config->sm.max_warps / engine->cta_warps);
    n = dispatch_least(n, config->sm.max_threads / engine->cta_threads);
    if (engine->cta_registers != 0) {
        n = dispatch_least(n, config->sm.registers / engine->cta_registers);
    }
    if (engine->cta_shared != 0) {
        n = dispatch_least(n, config->shared.size / engine->cta_shared);
    }
    return n;
}

/* Sets of the L1 that the kernel leaves to the cache. */
static uint64_t dispatch_l1_sets(const wm_engine *engine, uint64_t places)
{
    const wm_config *config = &engine->params.config;
    const uint64_t all = engine->params.l1_sets;
    if (config->l1.unified == 0) {
        return all;
    }
    uint64_t need = places * engine->cta_shared;
    uint64_t carved = need;
    for (uint32_t i = config->shared.carveouts.n; i-- > 0;) {
        if (config->shared.carveouts.bytes[i] >= need) {
            carved = config->shared.carveouts.bytes[i];
        }
    }
    uint64_t left =
        config->l1.unified > carved ? config->l1.unified - carved : 0;
    left = dispatch_least(left, config->l1.size);
    uint64_t sets = left / (config->l1.line * config->l1.ways);
    return sets != 0 ? dispatch_least(sets, all) : 1;
}

static void dispatch_reset_l1(wm_engine *engine, uint64_t sets)
{
    const bool keep =
        engine->params.config.kernel.l1_between == WM_L1_BETWEEN_KEEP;
    for (uint32_t s = 0; s < engine->params.n_sms; s++) {
        wm_cache *l1 = &engine->sms[s].l1;
        if (l1->n_sets == sets && keep) {
            continue;
        }
        if (l1->n_sets != sets) {
            wm_cache_resize(l1, sets);
        } else {
            wm_cache_clear(l1);
        }
        if (engine->params.observe != NULL) {
            const wm_observation observation = {
                .level = 1, .what = WM_OBSERVED_CLEAR, .unit = s};
            engine->params.observe(&observation,
                                   engine->params.observe_context);
        }
    }
}

/* --- CTA objects ---------------------------------------------------------- */
static wm_cta *dispatch_take(wm_engine *engine)
{
    if (engine->n_spare != 0) {
        return engine->spare[--engine->n_spare];
    }
    wm_cta *cta = malloc(sizeof(*cta));
    if (cta != NULL) {
        wm_cta_init(cta);
    }
    return cta;
}

static void dispatch_give(wm_engine *engine, wm_cta *cta)
{
    if (!wm_grow(&engine->spare, &engine->cap_spare, engine->n_spare + 1,
                 sizeof(*engine->spare))) {
        wm_cta_fini(cta);
        free(cta);
        return;
    }
    engine->spare[engine->n_spare++] = cta;
}

void wm_dispatch_abandon(wm_engine *engine)
{
    engine->n_resident = 0;
    for (uint32_t s = 0; s < engine->params.n_sms; s++) {
        for (uint32_t i = 0; i < WM_WARPS_MAX; i++) {
            wm_cta *cta = engine->sms[s].ctas[i].cta;
            engine->sms[s].ctas[i].cta = NULL;
            if (cta != NULL) {
                dispatch_give(engine, cta);
            }
        }
    }
}

/* --- placing -------------------------------------------------------------- */
static wm_status dispatch_check(const wm_launch *launch, const wm_cta *cta,
                                wm_error *err)
{
    if (cta->n_warps > WM_WARPS_MAX) {
        return wm_fail(err, WM_EFORMAT,
                       "%s: CTA %u,%u,%u has %u warps, an SM holds at most %u",
                       launch->where, cta->id[0], cta->id[1], cta->id[2],
                       cta->n_warps, WM_WARPS_MAX);
    }
    for (uint32_t w = 0; w < cta->n_warps; w++) {
        const wm_warp_span *span = &cta->warps[w];
        if (span->n_records != 0 &&
            cta->records[span->first + span->n_records - 1].kind !=
                WM_KIND_EXIT) {
            return wm_fail(err, WM_EFORMAT,
                           "%s: CTA %u,%u,%u: warp %u does not end in an exit "
                           "record",
                           launch->where, cta->id[0], cta->id[1], cta->id[2],
                           w);
        }
    }
    return WM_OK;
}

static void dispatch_warp(wm_sm *sm, uint32_t warp, uint32_t place,
                          const wm_cta *cta, const wm_warp_span *span)
{
    wm_warp *state = &sm->warps[warp];
    memset(state, 0, sizeof(*state));
    state->next = cta->records + span->first;
    state->lanes = cta->lanes;
    state->cta = (uint8_t)place;
    sm->stats.n_warps++;
}

/* A free place and free warps for the CTA on the SM; false when there is
 * none. */
static bool dispatch_place(wm_engine *engine, wm_sm *sm, wm_cta *cta,
                           uint64_t cycle)
{
    uint32_t place = 0;
    while (place < WM_WARPS_MAX && sm->ctas[place].cta != NULL) {
        place++;
    }
    if (place == WM_WARPS_MAX || wm_popcount64(sm->free_warps) < cta->n_warps) {
        return false;
    }
    wm_resident *resident = &sm->ctas[place];
    memset(resident, 0, sizeof(*resident));
    resident->cta = cta;
    for (uint32_t w = 0; w < cta->n_warps; w++) {
        if (cta->warps[w].n_records == 0) {
            continue;
        }
        uint32_t warp = wm_lowest_bit(sm->free_warps);
        sm->free_warps &= sm->free_warps - 1;
        resident->warps |= UINT64_C(1) << warp;
        dispatch_warp(sm, warp, place, cta, &cta->warps[w]);
    }
    resident->alive = resident->warps;
    resident->n_running = wm_popcount64(resident->warps);
    engine->n_resident++;
    sm->stats.n_ctas++;
    sm->stats.n_other += cta->work.n_other;
    sm->stats.flops[0] += cta->work.flops_fp16;
    sm->stats.flops[1] += cta->work.flops_fp32;
    sm->stats.flops[2] += cta->work.flops_fp64;
    sm->stats.flops[3] += cta->work.flops_tensor;
    resident->start = cycle;
    sm->live |= resident->warps;
    if (resident->n_running == 0) {
        /* A CTA without records ends where it begins: an event like others, or
         * idle windows would be skipped beyond the next one's start. */
        resident->end = cycle;
        sm->finished[sm->n_finished++] = place;
        sm->next_event = cycle < sm->next_event ? cycle : sm->next_event;
    } else if (!engine->params.is_counts) {
        wm_sm_start(engine, sm, place, cycle);
    }
    return true;
}

/* Reads the next CTA and starts it on the SM. */
static wm_status dispatch_next(wm_engine *engine, wm_trace *trace, wm_sm *sm,
                               uint64_t cycle, wm_error *err)
{
    wm_cta *cta = dispatch_take(engine);
    if (cta == NULL) {
        return wm_fail_memory(err);
    }
    wm_status status =
        wm_trace_next_cta(trace, cta, &engine->has_more_ctas, err);
    if (status == WM_OK && engine->has_more_ctas) {
        const wm_launch *launch = wm_trace_launch(trace);
        status = dispatch_check(launch, cta, err);
        if (status == WM_OK && engine->options.ideal_kernel != NULL) {
            wm_ideal_cta(engine, sm, launch, cta);
        }
        if (status == WM_OK && engine->params.per_instruction) {
            status = wm_result_rows(engine, launch->n_statics, err);
        }
        if (status == WM_OK && !dispatch_place(engine, sm, cta, cycle)) {
            status = wm_fail(err, WM_EFORMAT,
                             "%s: CTA %u,%u,%u has %u warps, the launch "
                             "promised %u",
                             launch->where, cta->id[0], cta->id[1], cta->id[2],
                             cta->n_warps, engine->cta_warps);
        }
        if (status == WM_OK) {
            return WM_OK;
        }
    }
    dispatch_give(engine, cta);
    return status;
}

wm_status wm_dispatch_begin(wm_engine *engine, wm_trace *trace,
                            const wm_launch *launch, wm_error *err)
{
    dispatch_needs(engine, launch);
    uint64_t places = 0;
    if (engine->cta_warps != 0 && engine->cta_warps <= WM_WARPS_MAX) {
        places = dispatch_places(engine);
    }
    if (places == 0) {
        wm_warn(engine->options.diag, "cta-too-large", launch->where,
                "a CTA of %s needs more than an SM of this configuration has "
                "(%u warps, %llu registers, %llu B shared); simulated one at "
                "a time",
                launch->name, engine->cta_warps,
                (unsigned long long)engine->cta_registers,
                (unsigned long long)engine->cta_shared);
        places = 1;
    }
    engine->ctas_per_sm = places;
    const uint32_t n_sms = engine->params.n_sms;
    uint64_t used = (launch->n_ctas + n_sms - 1) / n_sms;
    dispatch_reset_l1(engine,
                      dispatch_l1_sets(engine, dispatch_least(places, used)));
    engine->has_more_ctas = true;
    for (uint64_t round = 0; round < places; round++) {
        for (uint32_t s = 0; s < n_sms && engine->has_more_ctas; s++) {
            wm_status status = dispatch_next(engine, trace, &engine->sms[s],
                                             engine->base, err);
            if (status != WM_OK) {
                return status;
            }
        }
    }
    return WM_OK;
}

/* --- boundary ------------------------------------------------------------- */
typedef struct dispatch_end {
    uint64_t cycle;
    uint32_t sm;
    uint32_t place;
} dispatch_end;

static int dispatch_compare(const void *left, const void *right)
{
    const dispatch_end *a = left;
    const dispatch_end *b = right;
    if (a->cycle != b->cycle) {
        return a->cycle < b->cycle ? -1 : 1;
    }
    if (a->sm != b->sm) {
        return a->sm < b->sm ? -1 : 1;
    }
    return a->place < b->place ? -1 : a->place > b->place;
}

/* Lists the places that end in this window; returns how many.  An end that is
 * known before its time, as of a CTA whose last load hits, waits for it, so
 * that places fall free in the order of time whatever the window. */
static size_t dispatch_collect(wm_engine *engine, bool *is_short)
{
    const uint64_t until = engine->params.is_counts
                               ? UINT64_MAX
                               : engine->now + engine->params.window;
    size_t n = 0;
    for (uint32_t s = 0; s < engine->params.n_sms; s++) {
        wm_sm *sm = &engine->sms[s];
        if (!wm_grow(&engine->finished, &engine->cap_finished,
                     n + sm->n_finished, sizeof(dispatch_end))) {
            *is_short = true;
            return n;
        }
        dispatch_end *ends = engine->finished;
        uint32_t kept = 0;
        for (uint32_t i = 0; i < sm->n_finished; i++) {
            const uint64_t end = sm->ctas[sm->finished[i]].end;
            if (end < until) {
                ends[n++] = (dispatch_end){end, s, sm->finished[i]};
            } else {
                sm->finished[kept++] = sm->finished[i];
                sm->next_event = end < sm->next_event ? end : sm->next_event;
            }
        }
        sm->n_finished = kept;
    }
    return n;
}

static void dispatch_span(const wm_engine *engine, const dispatch_end *end,
                          uint64_t start)
{
    const wm_cta_span span = {engine->n_launches, end->sm, end->place,
                              wm_result_time_ns(engine, start),
                              wm_result_time_ns(engine, end->cycle)};
    engine->options.cta_span(&span, engine->options.sample_context);
}

static void dispatch_empty(wm_engine *engine, const dispatch_end *end)
{
    wm_sm *sm = &engine->sms[end->sm];
    wm_resident *place = &sm->ctas[end->place];
    sm->free_warps |= place->warps;
    sm->stats.resident_cycles +=
        wm_popcount64(place->warps) * (end->cycle - place->start);
    engine->n_resident--;
    dispatch_give(engine, place->cta);
    place->cta = NULL;
    if (engine->options.cta_span != NULL && !engine->params.is_counts) {
        dispatch_span(engine, end, place->start);
    }
    if (end->cycle > engine->last_end) {
        engine->last_end = end->cycle;
    }
}

wm_status wm_dispatch_boundary(wm_engine *engine, wm_trace *trace,
                               wm_error *err)
{
    bool is_short = false;
    size_t n = dispatch_collect(engine, &is_short);
    if (is_short) {
        return wm_fail_memory(err);
    }
    dispatch_end *ends = engine->finished;
    if (n > 1) {
        qsort(ends, n, sizeof(*ends), dispatch_compare);
    }
    /* One by one, so that places are reused in the order they fell free,
     * whatever the window. */
    for (size_t i = 0; i < n; i++) {
        dispatch_empty(engine, &ends[i]);
        if (!engine->has_more_ctas) {
            continue;
        }
        wm_status status = dispatch_next(
            engine, trace, &engine->sms[ends[i].sm],
            ends[i].cycle + engine->params.config.kernel.cta_latency, err);
        if (status != WM_OK) {
            return status;
        }
    }
    return WM_OK;
}

bool wm_dispatch_is_done(const wm_engine *engine)
{
    return engine->n_resident == 0 && !engine->has_more_ctas;
}
