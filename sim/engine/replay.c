/*
 * replay.c -- pieces of the stream dealt to channels, channels run side by
 * side.
 */
#include "engine/replay.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "engine/pool.h"
#include "model/spread.h"

/* Requests held at a time, for each channel and in all: few stay in the host's
 * caches, many keep threads from waiting for one another. */
#define PIECE     4096u
#define PIECE_MAX 65536u
/* Pushed and not admitted: so many are kept in front of a channel, that it
 * never looks at a tick without knowing who is due. */
#define KEEP 16u

typedef struct replay_channel {
    wm_banked *banked;
    wm_replay_request *request; /* addresses of the channel's own */
    size_t n, cap;
    bool is_failed;
} replay_channel;

struct wm_replay {
    wm_replay_params params;
    wm_mapping mapping;
    wm_dram_timing timing;
    wm_spread spread;
    wm_divisor chunk;
    uint32_t n_parts; /* of a request: runs of atoms that lie in one row */
    uint64_t part_bytes;
    uint32_t part_atoms; /* a mask */
    wm_pool *pool;
    replay_channel *channels;
    wm_replay_request *piece;
    size_t n_piece; /* room in it */
    bool is_ended;
};

static wm_status replay_check(const wm_replay_params *params, wm_error *err)
{
    const uint64_t atom = params->standard->atom_bytes;
    const uint64_t bytes = params->request_bytes;
    if (bytes < atom || bytes > 8 * atom || !wm_is_power_of_two(bytes)) {
        return wm_fail(err, WM_EUSAGE,
                       "requests of %llu B, wanted 1, 2, 4 or 8 atoms of %llu "
                       "B",
                       (unsigned long long)bytes, (unsigned long long)atom);
    }
    if (params->interleave_bytes < bytes ||
        !wm_is_power_of_two(params->interleave_bytes)) {
        return wm_fail(err, WM_EUSAGE,
                       "channels change every %llu B, wanted a power of two, "
                       "at least one request",
                       (unsigned long long)params->interleave_bytes);
    }
    return WM_OK;
}

/* Into how many parts requests are dealt. */
static void replay_cut(wm_replay *replay)
{
    const uint64_t atom = replay->params.standard->atom_bytes;
    const uint64_t n = replay->params.request_bytes / atom;
    const uint64_t run =
        n < replay->mapping.run_atoms ? n : replay->mapping.run_atoms;
    replay->n_parts = run != 0 ? (uint32_t)(n / run) : 0;
    replay->part_bytes = run * atom;
    replay->part_atoms = (uint32_t)wm_low_mask((uint32_t)run);
}

static wm_status replay_build(wm_replay *replay, wm_error *err)
{
    const wm_replay_params *params = &replay->params;
    wm_status status =
        wm_dram_timing_init(&replay->timing, params->standard, err);
    if (status == WM_OK) {
        status = wm_mapping_init(&replay->mapping, params->standard,
                                 params->mapping, "mapping", err);
    }
    if (status == WM_OK) {
        status = wm_pool_new(params->jobs, &replay->pool, err);
    }
    replay_cut(replay);
    replay->channels = calloc(params->n_channels, sizeof(*replay->channels));
    if (status == WM_OK && replay->channels == NULL) {
        status = wm_fail_memory(err);
    }
    const uint64_t n_piece = (uint64_t)PIECE * params->n_channels;
    replay->n_piece = n_piece < PIECE_MAX ? (size_t)n_piece : PIECE_MAX;
    replay->piece = malloc(replay->n_piece * sizeof(*replay->piece));
    if (status == WM_OK && replay->piece == NULL) {
        status = wm_fail_memory(err);
    }
    for (uint32_t c = 0; c < params->n_channels && status == WM_OK; c++) {
        wm_banked_params controller = params->controller;
        controller.command_context =
            (char *)params->command_context + c * params->command_stride;
        status = wm_banked_new(&replay->timing, &controller,
                               &replay->channels[c].banked, err);
    }
    return status;
}

wm_status wm_replay_new(const wm_replay_params *params, wm_replay **out,
                        wm_error *err)
{
    *out = NULL;
    wm_status status = replay_check(params, err);
    if (status != WM_OK) {
        return status;
    }
    wm_replay *replay = calloc(1, sizeof(*replay));
    if (replay == NULL) {
        return wm_fail_memory(err);
    }
    replay->params = *params;
    replay->spread = wm_spread_of(params->n_channels, params->is_hashed);
    replay->chunk = wm_divisor_of(params->interleave_bytes);
    status = replay_build(replay, err);
    if (status != WM_OK) {
        wm_replay_free(replay);
        return status;
    }
    *out = replay;
    return WM_OK;
}

void wm_replay_free(wm_replay *replay)
{
    if (replay == NULL) {
        return;
    }
    for (uint32_t c = 0;
         replay->channels != NULL && c < replay->params.n_channels; c++) {
        wm_banked_free(replay->channels[c].banked);
        if (replay->channels[c].request != replay->piece) {
            free(replay->channels[c].request);
        }
    }
    free(replay->piece);
    free(replay->channels);
    wm_pool_free(replay->pool);
    free(replay);
}

/* The channel of an address, and the address within it. */
static uint32_t replay_route(const wm_replay *replay, uint64_t addr,
                             uint64_t *local)
{
    uint64_t within = 0;
    uint64_t rank = 0;
    if (replay->params.n_channels == 1) {
        *local = addr;
        return 0;
    }
    const uint64_t chunk = wm_divide(&replay->chunk, addr, &within);
    const uint64_t channel = wm_spread_place(&replay->spread, chunk, &rank);
    *local = rank * replay->chunk.d + within;
    return (uint32_t)channel;
}

/* Deals the piece to the channels; one channel takes it as it is.  False when
 * memory is short. */
static bool replay_deal(wm_replay *replay, size_t n)
{
    if (replay->params.n_channels == 1) {
        replay->channels[0].request = replay->piece;
        replay->channels[0].n = n;
        return true;
    }
    for (size_t i = 0; i < n; i++) {
        const wm_replay_request *request = &replay->piece[i];
        uint64_t local = 0;
        replay_channel *channel =
            &replay->channels[replay_route(replay, request->addr, &local)];
        if (channel->n == channel->cap &&
            !wm_grow(&channel->request, &channel->cap, channel->n + 1,
                     sizeof(*channel->request))) {
            return false;
        }
        channel->request[channel->n++] =
            (wm_replay_request){local, request->due, request->is_write};
    }
    return true;
}

/* Pushes a request: a part per run of atoms that lie in one row. */
static void replay_push(const wm_replay *replay, replay_channel *channel,
                        const wm_replay_request *request)
{
    const uint64_t first = request->addr & ~(replay->params.request_bytes - 1);
    for (uint32_t i = 0; i < replay->n_parts; i++) {
        const wm_dram_place place =
            wm_mapping_place(&replay->mapping, first + i * replay->part_bytes);
        const wm_banked_request part = wm_banked_request_of(
            &place, request->due, replay->part_atoms, request->is_write, 0);
        if (!wm_banked_push(channel->banked, &part)) {
            channel->is_failed = true;
        }
    }
}

static void replay_channel_run(wm_replay *replay, replay_channel *channel)
{
    wm_banked *banked = channel->banked;
    for (size_t i = 0; i < channel->n && !channel->is_failed; i++) {
        replay_push(replay, channel, &channel->request[i]);
        if (wm_banked_n_waiting(banked) >= 8 * KEEP) {
            (void)wm_banked_run(banked, INT64_MAX - 1, KEEP);
        }
    }
    channel->n = 0;
    if (replay->is_ended) {
        (void)wm_banked_finish_reads(banked);
    }
}

static void replay_phase(void *context, uint32_t first, uint32_t last)
{
    wm_replay *replay = context;
    for (uint32_t c = first; c < last; c++) {
        replay_channel_run(replay, &replay->channels[c]);
    }
}

static wm_status replay_piece(wm_replay *replay, wm_replay_source source,
                              void *context, uint64_t *n_requests,
                              wm_error *err)
{
    size_t n = 0;
    wm_status status = source(context, replay->piece, replay->n_piece, &n, err);
    if (status != WM_OK) {
        return status;
    }
    if (!replay_deal(replay, n)) {
        return wm_fail_memory(err);
    }
    *n_requests += n;
    replay->is_ended = n < replay->n_piece;
    wm_pool_run(replay->pool, replay_phase, replay, replay->params.n_channels);
    for (uint32_t c = 0; c < replay->params.n_channels; c++) {
        if (replay->channels[c].is_failed) {
            return wm_fail_memory(err);
        }
    }
    return replay->params.pause != NULL
               ? replay->params.pause(replay->params.pause_context, err)
               : WM_OK;
}

static void replay_sum(wm_replay *replay, wm_replay_result *result)
{
    for (uint32_t c = 0; c < replay->params.n_channels; c++) {
        wm_banked *banked = replay->channels[c].banked;
        const wm_banked_stats *stats = wm_banked_get_stats(banked);
        const uint64_t ticks = wm_banked_now(banked);
        wm_banked_stats_add(&result->stats, stats);
        result->ticks = result->ticks > ticks ? result->ticks : ticks;
    }
}

wm_status wm_replay_run(wm_replay *replay, wm_replay_source source,
                        void *context, wm_replay_result *result, wm_error *err)
{
    wm_status status = WM_OK;
    memset(result, 0, sizeof(*result));
    while (status == WM_OK && !replay->is_ended) {
        status =
            replay_piece(replay, source, context, &result->n_requests, err);
    }
    if (status == WM_OK) {
        replay_sum(replay, result);
    }
    return status;
}
