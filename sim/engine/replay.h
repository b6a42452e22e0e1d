/*
 * replay.h -- a plain stream of requests through banked DRAM channels, without
 * caches or SMs, so that the model can be checked alone.
 *
 * Each channel takes its requests in order: per tick up to `offers` of those
 * that are due, the first refusal ending the tick.  Channels are independent
 * of each other and run on as many threads as asked for.
 *
 * Units       bytes; ticks of the standard.
 * Ownership   new/free; what the source hands out is copied.
 * Errors      those of the source; WM_ECONFIG; WM_ENOMEM.
 * Threads     wm_replay_run uses `jobs` threads inside; the command listener is
 *             called on any of them, but for one channel on one at a time.
 * Repeatable  any number of threads gives the same results.
 * Cost        4,096 requests per channel, 65,536 at most, are held at a time.
 */
#ifndef WM_ENGINE_REPLAY_H
#define WM_ENGINE_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/dram/banked.h"

typedef struct wm_replay_request {
    uint64_t addr;
    uint64_t due; /* not before this tick; rising */
    bool is_write;
} wm_replay_request;

/* Hands out the next n_wanted requests; fewer at the end. */
typedef wm_status (*wm_replay_source)(void *context,
                                      wm_replay_request *requests,
                                      size_t n_wanted, size_t *n_made,
                                      wm_error *err);

/* Called between pieces and at the end, on the caller's thread. */
typedef wm_status (*wm_replay_pause)(void *context, wm_error *err);

typedef struct wm_replay_params {
    const wm_standard *standard;
    const char *mapping; /* as wm_mapping_init's */
    wm_banked_params controller;
    uint32_t n_channels;
    uint64_t interleave_bytes; /* consecutive bytes of one channel */
    bool is_hashed;            /* channels permuted by higher bits */
    uint64_t request_bytes;    /* of one request: 1 .. 8 atoms */
    uint32_t jobs;
    /* Listener of each channel's commands: context + channel x stride. */
    void *command_context;
    size_t command_stride;
    wm_replay_pause pause; /* or NULL */
    void *pause_context;
} wm_replay_params;

typedef struct wm_replay_result {
    wm_banked_stats stats; /* summed over channels */
    uint64_t n_requests;
    uint64_t ticks; /* until the last read had its data */
} wm_replay_result;

typedef struct wm_replay wm_replay;

wm_status wm_replay_new(const wm_replay_params *params, wm_replay **out,
                        wm_error *err);
void wm_replay_free(wm_replay *replay); /* NULL is fine */

/* Replays the source to its end; once. */
wm_status wm_replay_run(wm_replay *replay, wm_replay_source source,
                        void *context, wm_replay_result *result, wm_error *err);

#endif
