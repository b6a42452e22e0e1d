/*
 * memory.c -- a partition's banked channels made and run: how far they may go
 * before someone has to be told, reads handed out when they have their data.
 *
 * Channels are run as late as can be, many ticks at a time: a read has its data
 * the standard's read latency after its command, so that a channel that is so
 * far behind has told all that is due.
 */
#include "engine/memory_parts_internal.h"

#include <stdlib.h>

/* --- made ----------------------------------------------------------------- */
wm_status wm_memory_new(const wm_memory_model *model, const wm_config *config,
                        wm_slice *slices, uint32_t n_channels, wm_memory **out,
                        wm_error *err)
{
    wm_memory *memory = calloc(1, sizeof(*memory));
    *out = memory;
    if (memory == NULL) {
        return wm_fail_memory(err);
    }
    memory->model = model;
    memory->slices = slices;
    memory->n_channels = n_channels;
    memory->free_waiter = WM_NO_INDEX;
    memory->channels = calloc(n_channels, sizeof(*memory->channels));
    memory->n_near = calloc(n_channels, sizeof(*memory->n_near));
    if (memory->channels == NULL || memory->n_near == NULL) {
        return wm_fail_memory(err);
    }
    const wm_banked_params params = {
        .read_queue = (uint32_t)config->dram.read_queue,
        .write_queue = (uint32_t)config->dram.write_queue,
        .write_high = (uint32_t)config->dram.write_high,
        .write_low = (uint32_t)config->dram.write_low,
        .is_hit_first = config->dram.scheduler == WM_SCHEDULER_FRFCFS_ROWHIT,
        .page = (wm_dram_page)config->dram.page,
        .page_timeout =
            (uint32_t)memory_tick_up(model, config->dram.page_timeout),
        .hit_cap = (uint32_t)config->dram.hit_cap,
        .refresh = (wm_dram_refresh)config->dram.refresh,
        .forward_ticks = (uint32_t)model->timing.read_latency,
        .has_replies = true,
    };
    wm_status status = WM_OK;
    for (uint32_t c = 0; c < n_channels && status == WM_OK; c++) {
        status =
            wm_banked_new(&model->timing, &params, &memory->channels[c], err);
    }
    return status;
}

void wm_memory_free(wm_memory *memory)
{
    if (memory == NULL) {
        return;
    }
    for (uint32_t c = 0; memory->channels != NULL && c < memory->n_channels;
         c++) {
        wm_banked_free(memory->channels[c]);
    }
    free(memory->channels);
    free(memory->n_near);
    free(memory->fill);
    free(memory->free_fill);
    free(memory->deferred);
    free(memory->waiter);
    free(memory);
}

/* --- run ------------------------------------------------------------------ */
/* Pulls towards the processor what completions to come will touch, of fills
 * that were fetched some time ago. */
static void memory_prefetch_near(const wm_memory *memory, uint32_t c)
{
    const wm_banked *banked = memory->channels[c];
    const size_t n = wm_banked_n_done(banked);
    for (size_t i = memory->n_near[c]; i < n; i++) {
        const uint32_t index = wm_banked_done_at(banked, i)->token;
        const uint32_t deferred = memory->deferred[index];
        const memory_fill *fill = &memory->fill[index];
        const wm_slice *slice = &memory->slices[fill->slice];
        if (fill->line != WM_NO_INDEX) {
            __builtin_prefetch(&slice->tags.line[fill->line].ready, 1);
        }
        __builtin_prefetch(&slice->misses[fill->mshr], 1);
        if (deferred != WM_NO_INDEX) {
            __builtin_prefetch(&memory->fill[deferred], 1);
        }
    }
    memory->n_near[c] = n;
}

/* And the fills of reads issued just now: the first `known` were there
 * before. */
static void memory_prefetch_fills(const wm_memory *memory,
                                  const wm_banked *banked, size_t known)
{
    const size_t n = wm_banked_n_done(banked);
    for (size_t i = known; i < n; i++) {
        __builtin_prefetch(&memory->fill[wm_banked_done_at(banked, i)->token],
                           1);
    }
}

/* How far all channels may run before a read that has its data on the way lets
 * another one go: that one is due extra_ticks later at the earliest. */
static uint64_t memory_sight(const wm_memory *memory, uint64_t tick)
{
    const wm_memory_model *model = memory->model;
    uint64_t step = tick;
    for (uint32_t c = 0; c < memory->n_channels; c++) {
        const wm_banked *banked = memory->channels[c];
        const uint64_t done = wm_banked_next_done(banked);
        const uint64_t sight =
            wm_banked_now(banked) + (uint64_t)model->timing.read_latency;
        const uint64_t first = done < sight ? done : sight;
        if (first < step && step - first > model->extra_ticks) {
            step = first + model->extra_ticks;
        }
    }
    return step;
}

/* Runs the channels to tick, or as far as they may; returns where they are. */
static uint64_t memory_step(wm_memory *memory, uint64_t tick)
{
    const bool is_held = memory->n_deferred != 0;
    uint64_t step = tick;
    if (memory->n_channels == 1) {
        wm_banked *banked = memory->channels[0];
        const size_t known = wm_banked_n_done(banked);
        if (is_held) {
            step =
                wm_banked_run_to_data(banked, tick, memory->model->extra_ticks);
        } else {
            (void)wm_banked_run(banked, tick, 0);
        }
        memory_prefetch_fills(memory, banked, known);
        return step;
    }
    if (is_held) {
        step = memory_sight(memory, tick);
    }
    for (uint32_t c = 0; c < memory->n_channels; c++) {
        wm_banked *banked = memory->channels[c];
        const size_t known = wm_banked_n_done(banked);
        (void)wm_banked_run(banked, step, 0);
        memory_prefetch_fills(memory, banked, known);
    }
    return step;
}

static void memory_note_quiet(wm_memory *memory)
{
    memory->quiet = UINT64_MAX;
    for (uint32_t c = 0; c < memory->n_channels; c++) {
        const uint64_t quiet = memory_quiet(memory, memory->channels[c]);
        memory->quiet = quiet < memory->quiet ? quiet : memory->quiet;
    }
}

/* Whether a channel has to be run to know the reads with data by tick, or some
 * time before that. */
static bool memory_is_behind(const wm_memory *memory, uint64_t tick)
{
    for (uint32_t c = 0; c < memory->n_channels; c++) {
        if (memory_behind(memory, memory->channels[c]) <= tick) {
            return true;
        }
    }
    return false;
}

static bool memory_run(wm_memory *memory, uint64_t tick,
                       const memory_listener *listener)
{
    bool is_good = true;
    uint64_t step = 0;
    do {
        step = memory_step(memory, tick);
        is_good = wm_memory_deliver(memory, step, listener) && is_good;
    } while (step < tick);
    memory_note_quiet(memory);
    return is_good;
}

bool wm_memory_advance(wm_memory *memory, uint64_t t_ps, wm_memory_reply reply,
                       void *context)
{
    const uint64_t tick = memory_tick_up(memory->model, t_ps);
    memory->asked = tick > memory->asked ? tick : memory->asked;
    if (tick < memory->quiet) {
        return true;
    }
    const memory_listener listener = {reply, context};
    for (uint32_t c = 0; c < memory->n_channels; c++) {
        memory_prefetch_near(memory, c);
    }
    if (memory_is_behind(memory, tick)) {
        return memory_run(memory, tick, &listener);
    }
    const bool is_good = wm_memory_deliver(memory, tick, &listener);
    memory_note_quiet(memory);
    /* A fill that one of them let go may have its data by tick, too. */
    return tick < memory->quiet
               ? is_good
               : memory_run(memory, tick, &listener) && is_good;
}

/* Runs the channels to tick where something happens by then. */
static bool memory_catch_up(wm_memory *memory, uint64_t tick,
                            const memory_listener *listener)
{
    bool is_behind = tick >= memory->quiet;
    for (uint32_t c = 0; c < memory->n_channels; c++) {
        is_behind =
            is_behind || wm_banked_next_step(memory->channels[c]) <= tick;
    }
    return !is_behind || memory_run(memory, tick, listener);
}

bool wm_memory_horizon(wm_memory *memory, uint64_t t_ps, wm_memory_reply reply,
                       void *context)
{
    const memory_listener listener = {reply, context};
    const bool is_good = memory_catch_up(memory, memory->asked, &listener);
    memory->asked = memory_tick_up(memory->model, t_ps);
    return memory_catch_up(memory, memory->asked, &listener) && is_good;
}

/* The first tick at which any channel does something or has a read's data. */
static uint64_t memory_next_tick(const wm_memory *memory)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t c = 0; c < memory->n_channels; c++) {
        const wm_banked *banked = memory->channels[c];
        const uint64_t step = wm_banked_next_step(banked);
        const uint64_t done = wm_banked_next_done(banked);
        const uint64_t first = step < done ? step : done;
        next = first < next ? first : next;
    }
    return next;
}

bool wm_memory_finish(wm_memory *memory, uint64_t t_ps)
{
    const memory_listener nobody = {NULL, NULL};
    const uint64_t tick = memory_tick_up(memory->model, t_ps);
    bool is_good = true;
    /* Tick by tick: how far a channel was behind is not to show. */
    while (memory->n_open != 0) {
        is_good =
            memory_run(memory, memory_next_tick(memory), &nobody) && is_good;
    }
    for (uint32_t c = 0; c < memory->n_channels; c++) {
        (void)wm_banked_finish(memory->channels[c]);
        (void)wm_banked_run(memory->channels[c], tick, 0);
    }
    memory_note_quiet(memory);
    return is_good;
}

void wm_memory_wake(const wm_memory *memory)
{
    for (uint32_t c = 0; c < memory->n_channels; c++) {
        memory_prefetch_fills(memory, memory->channels[c], 0);
        memory->n_near[c] = 0;
    }
}

bool wm_memory_is_busy(const wm_memory *memory)
{
    return memory->n_open != 0;
}

void wm_memory_count(const wm_memory *memory, uint64_t *n_read,
                     uint64_t *n_written)
{
    *n_read += memory->n_read;
    *n_written += memory->n_written;
}

void wm_memory_clear_stats(wm_memory *memory)
{
    memory->n_read = 0;
    memory->n_written = 0;
    for (uint32_t c = 0; c < memory->n_channels; c++) {
        wm_banked_clear_stats(memory->channels[c]);
    }
}

wm_banked *wm_memory_channel(wm_memory *memory, uint32_t channel)
{
    return memory->channels[channel];
}
