/*
 * replay_fixture.h -- streams of traffic.h through channels of a standard.
 */
#ifndef WM_TESTS_REPLAY_FIXTURE_H
#define WM_TESTS_REPLAY_FIXTURE_H

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "engine/replay.h"
#include "model/dram/traffic.h"

typedef struct replay_source_state {
    wm_traffic stream;
    uint64_t n;
    uint64_t rate_q10; /* ticks per 1024 requests */
} replay_source_state;

static wm_status replay_next(void *context, wm_replay_request *requests,
                             size_t n_wanted, size_t *n_made, wm_error *err)
{
    replay_source_state *state = context;
    (void)err;
    for (*n_made = 0; *n_made < n_wanted && state->n != 0; ++*n_made) {
        wm_replay_request *request = &requests[*n_made];
        state->n--;
        request->due = state->stream.index * state->rate_q10 / 1024;
        const uint64_t record = wm_traffic_next(&state->stream);
        request->addr = record & ~UINT64_C(1);
        request->is_write = (record & 1) != 0;
    }
    return WM_OK;
}

/* 32 + 32 entries, watermarks 0.8 and 0.2, four offers per tick. */
static inline wm_banked_params replay_controller(void)
{
    wm_banked_params params = {.read_queue = 32,
                               .write_queue = 32,
                               .write_high = 25,
                               .write_low = 7,
                               .offers = 4,
                               .forward_ticks = 1};
    return params;
}

static inline wm_standard *replay_standard(const char *name)
{
    wm_error err;
    wm_standard *standard = malloc(sizeof(*standard));
    cr_assert_eq(wm_standard_load(name, standard, &err), WM_OK, "%s", err.text);
    return standard;
}

static inline wm_traffic_pattern replay_pattern(const char *name)
{
    size_t p = 0;
    while (strcmp(wm_traffic_name(p), name) != 0) {
        p++;
    }
    return (wm_traffic_pattern)p;
}

static inline wm_replay_result replay_run(const wm_replay_params *params,
                                          const char *pattern, uint64_t n,
                                          uint64_t rate_q10)
{
    replay_source_state state;
    wm_replay *replay = NULL;
    wm_replay_result result;
    wm_error err;
    state.n = n;
    state.rate_q10 = rate_q10;
    wm_traffic_init(&state.stream, replay_pattern(pattern),
                    params->request_bytes);
    cr_assert_eq(wm_replay_new(params, &replay, &err), WM_OK, "%s", err.text);
    cr_assert_eq(wm_replay_run(replay, replay_next, &state, &result, &err),
                 WM_OK, "%s", err.text);
    wm_replay_free(replay);
    return result;
}

#endif
