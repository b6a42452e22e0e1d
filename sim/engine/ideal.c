/*
 * ideal.c -- what-if runs: finds the instruction that is to be ideal, and
 * makes its warps pay for the way through shared memory that its repair needs.
 *
 * Where better code hands data from lane to lane (wm_access_needs_staging), it
 * takes a shared store and a shared load more per request.  Each takes an issue
 * slot and, in the LSU, the wavefronts its words need without conflicts; the
 * round trip is paid where the warp waits anyway: at a store that waits for its
 * operands, and at the first record that waits for a staged load.
 *
 * Not modelled  the barrier, address arithmetic, occupancy lost to the tile.
 * Cost          nothing but in what-if runs; there, a pass over each CTA.
 */
#include "engine/engine_internal.h"

#include <string.h>

/* Instructions that hand one request over: a shared store and a load. */
#define STAGE_INSTRUCTIONS 2u

static wm_access_shape ideal_classify(const wm_params *params, wm_sm *sm,
                                      const wm_access *access)
{
    wm_coalesce(&params->coalescer, access, false, &sm->scratch);
    return wm_access_classify(access, sm->scratch.n_sectors,
                              params->sector_bytes);
}

/* Atomics cannot be handed over; asynchronous copies end in shared memory
 * anyway. */
static bool ideal_is_staged(const wm_params *params, const wm_record *record,
                            const wm_access_shape *shape)
{
    return record->kind <= WM_KIND_GLOBAL_STORE &&
           wm_access_needs_staging(shape, 1u << params->coalescer.line_shift);
}

/* --- the LSU -------------------------------------------------------------- */
void wm_ideal_coalesce(const wm_params *params, wm_sm *sm,
                       const wm_record *record, bool is_store,
                       wm_access *access)
{
    wm_coalesced *found = &sm->coalesced;
    const wm_access_shape shape = ideal_classify(params, sm, access);
    wm_access_idealize(access, &shape, 1u << params->coalescer.line_shift);
    wm_coalesce(is_store ? &params->store_coalescer : &params->coalescer,
                access, is_store, found);
    if (ideal_is_staged(params, record, &shape)) {
        /* The way through shared memory, in and out, lasts behind the tags. */
        const uint32_t data =
            wm_bank_wavefronts(&params->l1_banks, access, NULL);
        if (found->n_tag_wavefronts < data) {
            found->n_tag_wavefronts = data;
        }
        found->n_tag_wavefronts +=
            STAGE_INSTRUCTIONS *
            wm_bank_wavefronts(&params->shared_banks, access, NULL);
    }
}

/* --- the warps ------------------------------------------------------------ */
/* Adds to the gap behind the wait, as far as a record can tell. */
static void ideal_delay(wm_record *record, uint64_t cycles, uint32_t slots)
{
    const uint64_t cycle = record->tail_cycles + cycles;
    const uint32_t slot = record->tail_slots + slots;
    record->tail_cycles = (uint16_t)(cycle < UINT16_MAX ? cycle : UINT16_MAX);
    record->tail_slots = (uint16_t)(slot < UINT16_MAX ? slot : UINT16_MAX);
}

static bool ideal_delays(const wm_params *params, wm_sm *sm,
                         const wm_record *record, const uint32_t *lanes)
{
    if (record->static_id != params->ideal_static ||
        record->kind > WM_KIND_GLOBAL_STORE) {
        return false; /* a gap's index is 0, whatever that names */
    }
    const wm_access access = wm_front_access(record, lanes);
    const wm_access_shape shape = ideal_classify(params, sm, &access);
    return ideal_is_staged(params, record, &shape);
}

static void ideal_warp(const wm_params *params, wm_sm *sm, wm_record *records,
                       uint32_t n_records, const uint32_t *lanes)
{
    const uint64_t latency = params->config.shared.latency;
    uint32_t staged = 0; /* bit i: the (i+1)-th youngest load, not awaited */
    for (uint32_t i = 0; i < n_records; i++) {
        wm_record *record = &records[i];
        const bool is_staged = ideal_delays(params, sm, record, lanes);
        if ((record->wait & staged) != 0) {
            ideal_delay(record, latency, 0);
            staged &= ~record->wait;
        }
        if (is_staged) {
            const bool is_delayed =
                record->kind == WM_KIND_GLOBAL_STORE && record->wait != 0;
            ideal_delay(record, STAGE_INSTRUCTIONS + (is_delayed ? latency : 0),
                        STAGE_INSTRUCTIONS);
        }
        if (wm_kind_is_load((wm_kind)record->kind)) {
            staged = staged << 1 | (is_staged ? 1u : 0u);
        }
    }
}

/* The index of the instruction, once the trace has shown it. */
static uint32_t ideal_find(const wm_engine_options *options,
                           const wm_launch *launch)
{
    if (strcmp(launch->name, options->ideal_kernel) == 0) {
        for (uint32_t i = 0; i < launch->n_statics; i++) {
            if (launch->statics[i].pc == options->ideal_pc) {
                return i;
            }
        }
    }
    return WM_NO_INDEX;
}

void wm_ideal_cta(wm_engine *engine, wm_sm *sm, const wm_launch *launch,
                  wm_cta *cta)
{
    wm_params *params = &engine->params;
    if (params->ideal_static == WM_NO_INDEX) {
        params->ideal_static = ideal_find(&engine->options, launch);
    }
    if (params->ideal_static == WM_NO_INDEX) {
        return;
    }
    for (uint32_t w = 0; w < cta->n_warps; w++) {
        ideal_warp(params, sm, cta->records + cta->warps[w].first,
                   cta->warps[w].n_records, cta->lanes);
    }
}
