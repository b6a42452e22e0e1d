/*
 * ideal.c -- what-if runs: finds the instruction that is to be ideal, and
 * makes its warps pay for the way through shared memory that its repair needs.
 *
 * An access whose lanes keep the places of their data but not the lanes
 * themselves (WM_CLASS_GATHER; strides of a line and more, whose tile is
 * turned) is repaired by handing the data over in shared memory: a store and a
 * load more per request.  The LSU's part is front.c's (wm_front_memory); here
 * are the two issue slots, and the round trip through shared memory, paid
 * where the warp waits: at a store that waits for its operands, and at the
 * first record that waits for a staged load.
 *
 * Not modelled  the barrier, address arithmetic, occupancy lost to the tile.
 * Cost          nothing but in what-if runs; there, a pass over each CTA.
 */
#include "engine/engine_internal.h"

#include <string.h>

/* Instructions that hand one request over: a shared store and a load. */
#define STAGE_INSTRUCTIONS 2u

/* Adds to the gap behind the wait, as far as a record can tell. */
static void ideal_delay(wm_record *record, uint64_t cycles, uint32_t slots)
{
    const uint64_t cycle = record->tail_cycles + cycles;
    const uint32_t slot = record->tail_slots + slots;
    record->tail_cycles = (uint16_t)(cycle < UINT16_MAX ? cycle : UINT16_MAX);
    record->tail_slots = (uint16_t)(slot < UINT16_MAX ? slot : UINT16_MAX);
}

static void ideal_warp(const wm_params *params, wm_sm *sm, wm_record *records,
                       uint32_t n_records, const uint32_t *lanes)
{
    const uint64_t latency = params->config.shared.latency;
    uint32_t staged = 0; /* bit i: the (i+1)-th youngest load, not awaited */
    for (uint32_t i = 0; i < n_records; i++) {
        wm_record *record = &records[i];
        const bool is_staged = record->static_id == params->ideal_static &&
                               wm_front_is_staged(params, sm, record, lanes);
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
