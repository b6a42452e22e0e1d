/*
 * l2_between.c -- the L2 between kernels: what copies leave in it, and what
 * kernel.l2_between does to it.
 */
#include "engine/engine_internal.h"

/* Installs the sectors of one line that a copy covers. */
static void l2_copy_line(wm_engine *engine, uint64_t line, uint32_t sectors)
{
    const wm_params *params = &engine->params;
    wm_spread_memo memo = {0, 0};
    wm_route route = wm_route_of(params, line, &memo);
    wm_partition *partition = &engine->partitions[route.partition];
    wm_slice *slice = &partition->slices[route.slice];
    const uint64_t now = wm_clock_ps(&params->clock, engine->base);
    if (params->observe != NULL) {
        const wm_observation observation = {
            .level = 2,
            .what = WM_OBSERVED_FILL,
            .sectors = (uint8_t)sectors,
            .unit =
                route.partition * params->slices_per_partition + route.slice,
            .line = route.local};
        params->observe(&observation, params->observe_context);
    }
    wm_ref ref = wm_cache_find(&slice->tags, route.local);
    if (ref.way != WM_NO_INDEX) {
        wm_cache_touch(&slice->tags, &ref);
    } else if (!wm_l2_allocate(params, partition, slice, &ref, now)) {
        return;
    }
    uint8_t *state = wm_cache_state(&slice->tags, &ref);
    *state |= (uint8_t)sectors;
    *wm_cache_marks(&slice->tags, &ref) &= (uint8_t) ~(sectors << 4);
    slice->stats.n_copied += wm_popcount64(sectors);
}

static void l2_copy_span(wm_engine *engine, uint64_t first, uint64_t last)
{
    const wm_config *config = &engine->params.config;
    const uint64_t sector = config->l2.sector;
    const uint64_t per_line = config->l2.line / sector;
    for (uint64_t s = first / sector; s <= last / sector;) {
        uint64_t line = s / per_line;
        uint32_t sectors = 0;
        for (; s / per_line == line && s <= last / sector; s++) {
            sectors |= 1u << (s % per_line);
        }
        l2_copy_line(engine, line, sectors);
    }
}

bool wm_l2_copy(wm_engine *engine, const wm_copy *copy)
{
    const wm_config *config = &engine->params.config;
    if (config->memcpy.l2 != WM_MEMCPY_FILL || copy->n_bytes == 0 ||
        copy->kind == WM_COPY_DEVICE_TO_HOST) {
        return true;
    }
    wm_span span = {copy->addr, copy->addr + (copy->n_bytes - 1)};
    if (span.last < span.first) {
        span.last = UINT64_MAX;
    }
    /* Twice the L2's size pushes out all there was; what came before that
     * leaves no trace. */
    if (span.last - span.first > 2 * config->l2.size) {
        span.first = span.last - 2 * config->l2.size + 1;
    }
    if (config->memcpy.share == 100) {
        l2_copy_span(engine, span.first, span.last);
        return true;
    }
    if (!wm_grow(&engine->copies, &engine->cap_copies, engine->n_copies + 1,
                 sizeof(*engine->copies))) {
        return false;
    }
    engine->copies[engine->n_copies++] = span;
    return true;
}

void wm_l2_copies_done(wm_engine *engine)
{
    const wm_config *config = &engine->params.config;
    uint64_t room = config->l2.size * config->memcpy.share / 100;
    size_t first = engine->n_copies;
    while (first != 0 && room != 0) {
        wm_span *span = &engine->copies[--first];
        if (span->last - span->first >= room) {
            span->first = span->last - room + 1;
        }
        room -= span->last - span->first + 1;
    }
    for (; first < engine->n_copies; first++) {
        l2_copy_span(engine, engine->copies[first].first,
                     engine->copies[first].last);
    }
    engine->n_copies = 0;
}

static void l2_clean_slice(wm_engine *engine, wm_partition *partition,
                           wm_slice *slice, bool is_written)
{
    const wm_params *params = &engine->params;
    /* When the kernel ended, not its last window. */
    const uint64_t end = wm_clock_ps(&params->clock, engine->last_end);
    const uint64_t now =
        partition->memory != NULL ? wm_last_horizon(params, end) : end;
    for (uint64_t set = 0; set < slice->tags.n_sets; set++) {
        for (uint32_t way = 0; way < slice->tags.ways; way++) {
            const wm_ref ref = wm_cache_at(&slice->tags, set, way);
            const uint32_t dirty = *wm_cache_marks(&slice->tags, &ref) & 0x0fu;
            slice->stats.n_cleaned += wm_popcount64(dirty);
            if (is_written && dirty != 0) {
                wm_l2_write_dram(params, partition, slice,
                                 wm_cache_line_at(&slice->tags, &ref), dirty,
                                 now);
            }
        }
    }
}

void wm_l2_between(wm_engine *engine)
{
    const wm_params *params = &engine->params;
    const uint64_t rule = params->config.kernel.l2_between;
    if (rule == WM_L2_BETWEEN_KEEP) {
        return;
    }
    for (uint32_t p = 0; p < params->n_partitions; p++) {
        wm_partition *partition = &engine->partitions[p];
        for (uint32_t s = 0; s < params->slices_per_partition; s++) {
            wm_slice *slice = &partition->slices[s];
            l2_clean_slice(engine, partition, slice,
                           rule == WM_L2_BETWEEN_FLUSH);
            wm_cache_clear(&slice->tags);
            if (params->observe != NULL) {
                const wm_observation observation = {
                    .level = 2,
                    .what = WM_OBSERVED_CLEAR,
                    .unit = p * params->slices_per_partition + s};
                params->observe(&observation, params->observe_context);
            }
        }
    }
}

uint64_t wm_l2_dirty_sectors(const wm_engine *engine)
{
    const wm_params *params = &engine->params;
    uint64_t n = 0;
    for (uint32_t p = 0; p < params->n_partitions; p++) {
        for (uint32_t s = 0; s < params->slices_per_partition; s++) {
            n += wm_cache_n_dirty(&engine->partitions[p].slices[s].tags);
        }
    }
    return n;
}
