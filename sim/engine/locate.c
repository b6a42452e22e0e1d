/*
 * locate.c -- the way of one address, without an engine.
 */
#include "engine/locate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine_internal.h"

/* The text of the mapping, a rule written out. */
static wm_status locate_mapping(const wm_memory_model *model,
                                const char *mapping, wm_location *out,
                                wm_error *err)
{
    wm_buffer text;
    wm_buffer_init(&text);
    if (wm_mapping_rule(mapping, &model->standard, &text) != WM_OK) {
        wm_buffer_puts(&text, strcmp(mapping, "standard") == 0
                                  ? model->standard.mapping
                                  : mapping);
    }
    if (text.is_failed) {
        wm_buffer_fini(&text);
        return wm_fail_memory(err);
    }
    (void)snprintf(out->mapping, sizeof(out->mapping), "%s", text.bytes);
    wm_buffer_fini(&text);
    return WM_OK;
}

static void locate_fill(const wm_params *params, const wm_memory_model *model,
                        uint64_t addr, wm_location *out)
{
    const uint64_t line_bytes = params->config.l2.line;
    wm_spread_memo memo = {0, 0};
    const wm_route route = wm_route_of(params, addr / line_bytes, &memo);
    uint64_t within = 0;
    uint64_t rank = 0;
    const uint64_t chunk = wm_divide(&params->chunk_div, route.local, &within) *
                               params->slices_per_partition +
                           route.slice;
    const uint64_t channel =
        wm_spread_place(&params->channel_spread, chunk, &rank);
    const wm_standard *s = &model->standard;
    out->slice = route.partition * params->slices_per_partition + route.slice;
    out->channel =
        route.partition * params->channels_per_partition + (uint32_t)channel;
    out->channel_addr =
        (rank * params->chunk_div.d + within) * line_bytes + addr % line_bytes;
    const wm_dram_place place =
        wm_mapping_place(&model->mapping, out->channel_addr);
    out->bank = place.bank % s->banks;
    out->group = place.bank / s->banks % s->bank_groups;
    out->sid = place.bank / (s->banks * s->bank_groups) % s->stack_ids;
    out->pc = place.bank / (s->banks * s->bank_groups * s->stack_ids);
    out->row = place.row;
    out->column = place.column;
}

wm_status wm_engine_locate(const wm_config *config, uint64_t addr,
                           wm_location *out, wm_error *err)
{
    const wm_engine_options options = {.mode = WM_MODE_TIMING, .jobs = 1};
    wm_params *params = calloc(1, sizeof(*params));
    wm_memory_model *model = calloc(1, sizeof(*model));
    wm_status status = params == NULL || model == NULL
                           ? wm_fail_memory(err)
                           : wm_params_init(params, config, &options, err);
    if (status == WM_OK) {
        status = wm_memory_model_init(model, config, err);
    }
    if (status == WM_OK) {
        status = locate_mapping(model, config->dram.mapping, out, err);
    }
    if (status == WM_OK) {
        locate_fill(params, model, addr, out);
    }
    free(params);
    free(model);
    return status;
}
