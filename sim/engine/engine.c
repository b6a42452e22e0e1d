/*
 * engine.c -- the launch loop: windows of SM phase, partition phase and
 * boundary, until the kernel's CTAs are through.
 */
#include "engine/engine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/engine_internal.h"

#define POLL_NS UINT64_C(100000000) /* host time between progress calls */
/* Resident CTAs from which on windows are worth several threads. */
#define PARALLEL_CTAS 8u

wm_status wm_engine_new(const wm_config *config,
                        const wm_engine_options *options, wm_engine **out,
                        wm_error *err)
{
    wm_engine *engine = calloc(1, sizeof(*engine));
    if (engine == NULL) {
        return wm_fail_memory(err);
    }
    engine->options = *options;
    if (options->observe != NULL) {
        engine->options.jobs = 1;
    }
    engine->is_complete = true;
    wm_status status = wm_params_init(&engine->params, config, options, err);
    if (status == WM_OK) {
        status = wm_build(engine, err);
    }
    if (status != WM_OK) {
        wm_engine_free(engine);
        return status;
    }
    *out = engine;
    return WM_OK;
}

void wm_engine_free(wm_engine *engine)
{
    if (engine == NULL) {
        return;
    }
    if (engine->sms != NULL) {
        wm_dispatch_abandon(engine);
    }
    wm_unbuild(engine);
    free(engine->memory);
    free(engine);
}

/* --- windows -------------------------------------------------------------- */
static void engine_sm_phase(void *context, uint32_t first, uint32_t last)
{
    wm_engine *engine = context;
    wm_scratch *scratch = &engine->scratch[wm_pool_owner(
        engine->pool, engine->params.n_sms, first)];
    for (uint32_t s = first; s < last; s++) {
        if (s + 3 < last) {
            wm_sm_fetch(&engine->sms[s + 3]);
        }
        if (s + 2 < last) {
            wm_sm_fetch_work(engine, &engine->sms[s + 2]);
        }
        if (s + 1 < last) {
            wm_sm_fetch_records(engine, &engine->sms[s + 1]);
        }
        wm_sm_window(engine, &engine->sms[s], scratch);
    }
}

static void engine_partition_phase(void *context, uint32_t first, uint32_t last)
{
    wm_engine *engine = context;
    wm_scratch *scratch = &engine->scratch[wm_pool_owner(
        engine->pool, engine->params.n_partitions, first)];
    for (uint32_t p = first; p < last; p++) {
        wm_partition_window(engine, p, scratch);
    }
}

static void engine_counts_sms(void *context, uint32_t first, uint32_t last)
{
    wm_engine *engine = context;
    for (uint32_t s = first; s < last; s++) {
        wm_counts_window(engine, &engine->sms[s]);
    }
}

static void engine_counts_partitions(void *context, uint32_t first,
                                     uint32_t last)
{
    wm_engine *engine = context;
    for (uint32_t s = 0; s < engine->params.n_sms; s++) {
        wm_counts_serve(engine, &engine->sms[s], first, last);
    }
}

static wm_status engine_check(const wm_engine *engine, wm_error *err)
{
    for (uint32_t s = 0; s < engine->params.n_sms; s++) {
        if (engine->sms[s].status != WM_OK) {
            return wm_fail_memory(err);
        }
    }
    for (uint32_t p = 0; p < engine->params.n_partitions; p++) {
        if (engine->partitions[p].status == WM_ECONFIG) {
            return wm_fail(
                err, WM_ECONFIG,
                "dram.bandwidth: %" PRIu64 " B/s are too few for this chip: "
                "a reply would come over %" PRIu64 " cycles after its request",
                engine->params.config.dram.bandwidth, (uint64_t)WM_REPLY_MAX);
        }
        if (engine->partitions[p].status != WM_OK) {
            return wm_fail_memory(err);
        }
    }
    return WM_OK;
}

/* The first bit from `from` on, in a ring of them; 64: none is set. */
static uint32_t engine_first_bit(uint64_t bits, uint64_t from)
{
    const uint32_t turn = (uint32_t)(from % WM_CALENDAR);
    const uint64_t ahead =
        turn == 0 ? bits : bits >> turn | bits << (WM_CALENDAR - turn);
    return ahead == 0 ? WM_CALENDAR : wm_lowest_bit(ahead);
}

/* The partition's first window with a reply, those of the next window being
 * posted, or one before that; UINT64_MAX: there is none. */
static uint64_t engine_filed(const wm_partition *partition, uint64_t index)
{
    const uint64_t block = index / WM_CALENDAR_BLOCK;
    uint64_t first = partition->far.n != 0 ? partition->far_window : UINT64_MAX;
    uint32_t ahead = engine_first_bit(partition->blocks.filed, block + 2);
    if (ahead != WM_CALENDAR) {
        const uint64_t start = (block + 2 + ahead) * WM_CALENDAR_BLOCK;
        first = start < first ? start : first;
    }
    ahead = engine_first_bit(partition->windows.filed, index + 2);
    if (ahead != WM_CALENDAR) {
        const uint64_t start = index + 2 + ahead;
        first = start < first ? start : first;
    }
    return first;
}

/* Windows from now on in which nothing happens, less one: the last empty one
 * is run, so that replies for the next are posted. */
static uint64_t engine_idle_windows(const wm_engine *engine)
{
    const wm_params *params = &engine->params;
    const uint64_t after = engine->now + params->window;
    uint64_t next = UINT64_MAX;
    for (uint32_t s = 0; s < params->n_sms; s++) {
        next =
            engine->sms[s].next_event < next ? engine->sms[s].next_event : next;
        if (next < after + params->window) {
            return 0;
        }
    }
    uint64_t rest = 0;
    uint64_t windows =
        next == UINT64_MAX
            ? UINT64_MAX
            : wm_divide(&params->window_div, next - engine->now, &rest);
    for (uint32_t p = 0; p < params->n_partitions; p++) {
        const wm_partition *partition = &engine->partitions[p];
        if (partition->n_posted != 0 ||
            (partition->memory != NULL &&
             wm_memory_is_busy(partition->memory))) {
            return 0;
        }
        const uint64_t filed = engine_filed(partition, engine->index);
        if (filed != UINT64_MAX) {
            const uint64_t ahead = filed - engine->index;
            windows = ahead < windows ? ahead : windows;
        }
    }
    if (windows == UINT64_MAX) {
        return 0; /* the launch is about to end */
    }
    return windows > 2 ? windows - 2 : 0;
}

static uint64_t engine_host_ns(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Tells the caller how far the run is; false when it wants to stop. */
static bool engine_poll(wm_engine *engine, const wm_trace *trace)
{
    if (engine->options.progress == NULL) {
        return true;
    }
    uint64_t host = engine_host_ns();
    if (host < engine->next_poll_ns) {
        return true;
    }
    engine->next_poll_ns = host + POLL_NS;
    wm_progress progress;
    progress.n_kernels = engine->n_kernels;
    progress.n_records = engine->n_records;
    for (uint32_t s = 0; s < engine->params.n_sms; s++) {
        progress.n_records += engine->sms[s].stats.n_records;
    }
    progress.time_ns =
        engine->time_ns_total +
        (engine->params.is_counts
             ? 0
             : wm_clock_ps(&engine->params.clock, engine->now - engine->begin) /
                   1000);
    wm_trace_position(trace, &progress.n_bytes_done, &progress.n_bytes_total);
    return engine->options.progress(&progress,
                                    engine->options.progress_context);
}

static bool engine_is_deserted(const wm_engine *engine)
{
    uint64_t n_ended = 0;
    for (uint32_t s = 0; s < engine->params.n_sms; s++) {
        n_ended += engine->sms[s].n_finished;
    }
    return n_ended == engine->n_resident;
}

/* Runs both phases, on one thread where a barrier would cost more than it
 * gains. */
static void engine_phases(wm_engine *engine)
{
    const wm_params *params = &engine->params;
    if (engine->n_resident < PARALLEL_CTAS) {
        engine_sm_phase(engine, 0, params->n_sms);
        engine->is_deserted = engine_is_deserted(engine);
        engine_partition_phase(engine, 0, params->n_partitions);
        return;
    }
    wm_pool_run(engine->pool, engine_sm_phase, engine, params->n_sms);
    engine->is_deserted = engine_is_deserted(engine);
    wm_pool_run(engine->pool, engine_partition_phase, engine,
                params->n_partitions);
}

static void engine_counts_phases(wm_engine *engine)
{
    const wm_params *params = &engine->params;
    if (engine->n_resident < PARALLEL_CTAS ||
        wm_pool_threads(engine->pool) == 1) {
        for (uint32_t s = 0; s < params->n_sms; s++) {
            wm_counts_window(engine, &engine->sms[s]);
            wm_counts_serve(engine, &engine->sms[s], 0, params->n_partitions);
        }
        return;
    }
    wm_pool_run(engine->pool, engine_counts_sms, engine, params->n_sms);
    wm_pool_run(engine->pool, engine_counts_partitions, engine,
                params->n_partitions);
}

static wm_status engine_windows(wm_engine *engine, wm_trace *trace,
                                wm_error *err)
{
    wm_status status = WM_OK;
    while (!wm_dispatch_is_done(engine)) {
        if (engine->params.is_counts) {
            engine_counts_phases(engine);
        } else {
            engine_phases(engine);
        }
        status = engine_check(engine, err);
        if (status == WM_OK) {
            status = wm_dispatch_boundary(engine, trace, err);
        }
        if (status != WM_OK) {
            return status;
        }
        if (engine->now >= engine->next_sample &&
            !wm_dispatch_is_done(engine)) {
            wm_result_sample(engine, engine->now + engine->params.window);
        }
        if (!engine_poll(engine, trace)) {
            engine->is_stopped = true;
            engine->last_end = engine->now;
            return WM_OK;
        }
        uint64_t windows = 1;
        if (!engine->params.is_counts) {
            windows += engine_idle_windows(engine);
        }
        engine->now += windows * engine->params.window;
        engine->index += windows;
    }
    return WM_OK;
}

/* --- launches ------------------------------------------------------------- */
static void engine_settle(wm_engine *engine)
{
    for (uint32_t s = 0; s < engine->params.n_sms; s++) {
        wm_lsu_pass(&engine->sms[s], UINT64_MAX);
        engine->sms[s].live = 0;
    }
}

static void engine_prepare(wm_engine *engine, const wm_launch *launch)
{
    engine->begin = engine->last_end;
    engine->base = engine->begin + engine->params.config.kernel.launch_latency;
    engine->now = engine->base;
    engine->index = 0;
    engine->last_end = engine->base;
    engine->next_sample = UINT64_MAX;
    if (engine->options.interval_ns != 0 && !engine->params.is_counts) {
        engine->next_sample = engine->begin;
    }
    engine->params.warp_size = launch->warp_size;
    engine->params.ideal_static = WM_NO_INDEX;
    engine->params.local_base = launch->local_base;
    engine->params.local_pitch =
        (uint64_t)engine->params.n_sms * WM_WARPS_MAX * launch->warp_size * 4;
}

static wm_status engine_launch(wm_engine *engine, wm_trace *trace,
                               const wm_launch *launch, wm_sink_fn sink,
                               void *sink_context, wm_error *err)
{
    wm_kernel_result result;
    memset(&result, 0, sizeof(result));
    engine_prepare(engine, launch);
    wm_l2_copies_done(engine);
    wm_status status = wm_dispatch_begin(engine, trace, launch, err);
    if (status == WM_OK) {
        status = engine_windows(engine, trace, err);
    }
    if (status != WM_OK) {
        engine->is_complete = false;
        return status;
    }
    engine_settle(engine);
    wm_l2_between(engine);
    const wm_launch *read = wm_trace_launch(trace);
    status = wm_result_gather(engine, read, &result, err);
    if (status != WM_OK) {
        engine->is_complete = false;
        return status;
    }
    engine->n_kernels++;
    engine->n_records += result.counters.value[WM_C_LAUNCH_RECORDS];
    engine->time_ns_total += result.counters.value[WM_C_TIME_NS];
    wm_result_sample_end(engine, &result);
    result.launch = engine->n_launches;
    result.name = read->name;
    memcpy(result.grid, read->grid, sizeof(result.grid));
    memcpy(result.block, read->block, sizeof(result.block));
    result.is_complete =
        !engine->is_stopped &&
        result.counters.value[WM_C_LAUNCH_CTAS] == read->n_ctas;
    engine->is_complete = engine->is_complete && result.is_complete;
    status = sink(&result, sink_context, err);
    wm_result_clear(engine);
    return status;
}

/* Back to a chip that has run nothing; totals and launch numbers stay. */
static wm_status engine_reset(wm_engine *engine, wm_error *err)
{
    wm_dispatch_abandon(engine);
    wm_unbuild(engine);
    engine->last_end = 0;
    engine->n_dirty_sectors = 0;
    engine->n_copies = 0;
    return wm_build(engine, err);
}

wm_status wm_engine_run(wm_engine *engine, wm_trace *trace, wm_sink_fn sink,
                        void *sink_context, wm_error *err)
{
    if (engine->is_used) {
        wm_status status = engine_reset(engine, err);
        if (status != WM_OK) {
            return status;
        }
    }
    engine->is_used = true;
    for (;;) {
        wm_command command;
        wm_status status = wm_trace_next_command(trace, &command, err);
        if (status != WM_OK) {
            engine->is_complete = false;
            return status;
        }
        if (command.kind == WM_COMMAND_END) {
            break;
        }
        if (command.kind == WM_COMMAND_COPY) {
            if (!wm_l2_copy(engine, &command.copy)) {
                engine->is_complete = false;
                return wm_fail_memory(err);
            }
            if (engine->options.copy != NULL) {
                engine->options.copy(&command.copy,
                                     engine->options.copy_context);
            }
            continue;
        }
        uint64_t index = engine->n_launches++;
        if (engine->options.select != NULL &&
            !engine->options.select(&command.launch, index,
                                    engine->options.select_context)) {
            continue;
        }
        status = engine_launch(engine, trace, &command.launch, sink,
                               sink_context, err);
        if (status != WM_OK) {
            return status;
        }
        if (engine->is_stopped) {
            engine->is_complete = false;
            return WM_OK;
        }
    }
    engine->is_complete = engine->is_complete && wm_trace_is_complete(trace);
    return wm_result_check_dirty(engine, err);
}

const wm_counters *wm_engine_total(const wm_engine *engine)
{
    return &engine->total;
}

bool wm_engine_is_complete(const wm_engine *engine)
{
    return engine->is_complete;
}
