/*
 * test_banked_view.c -- what the owner of a banked channel relies on when it
 * runs it late: how far ahead the next reads are known, and that requests which
 * a completion lets go may be pushed after the run has gone on.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/rng.h"
#include "model/dram/banked.h"

#define N_FIRST 40u  /* requests at first */
#define N_ALL   400u /* with those that completions let go */
#define AHEAD   90u  /* ticks from a completion to the request it lets go */
#define END     90000u

typedef struct outcome {
    uint32_t n;
    uint64_t tick[N_ALL];
    uint32_t token[N_ALL];
} outcome;

typedef struct fixture {
    wm_standard standard;
    wm_dram_timing timing;
    wm_banked *channel;
    uint32_t n_pushed;
} fixture;

static fixture *fixture_new(uint64_t seed)
{
    fixture *f = calloc(1, sizeof(*f));
    wm_error err;
    cr_assert_eq(
        wm_standard_load(seed % 2 != 0 ? "hbm2" : "gddr6", &f->standard, &err),
        WM_OK, "%s", err.text);
    cr_assert_eq(wm_dram_timing_init(&f->timing, &f->standard, &err), WM_OK);
    const wm_banked_params params = {.read_queue = 8,
                                     .write_queue = 8,
                                     .write_high = 6,
                                     .write_low = 2,
                                     .refresh = WM_REFRESH_ALL_BANK,
                                     .forward_ticks =
                                         (uint32_t)f->timing.read_latency,
                                     .has_replies = true};
    cr_assert_eq(wm_banked_new(&f->timing, &params, &f->channel, &err), WM_OK);
    return f;
}

static void fixture_free(fixture *f)
{
    wm_banked_free(f->channel);
    free(f);
}

/* The n-th request is the same whenever it is pushed; a fifth are writes, some
 * of them to what is read later. */
static void push(fixture *f, uint64_t seed, uint64_t due)
{
    wm_rng rng = {seed * 1000 + f->n_pushed};
    const wm_dram_place place = {wm_rng_below(&rng, 3), wm_rng_below(&rng, 8),
                                 4 * wm_rng_below(&rng, 2)};
    const bool is_write = wm_rng_below(&rng, 5) == 0;
    const wm_banked_request request =
        wm_banked_request_of(&place, due, 1, is_write, f->n_pushed++);
    cr_assert(wm_banked_offer(f->channel, &request));
}

/* Each read lets another request go `AHEAD` ticks after its data; the channel
 * is run up to `ahead` beyond the first data before that is pushed. */
static void chain(uint64_t seed, uint64_t ahead, outcome *out)
{
    fixture *f = fixture_new(seed);
    out->n = 0;
    for (uint32_t i = 0; i < N_FIRST; i++) {
        push(f, seed, i);
    }
    for (uint64_t tick = 0; tick < END;) {
        tick = wm_banked_run_to_data(f->channel, END, ahead);
        while (wm_banked_next_done(f->channel) <= tick) {
            const wm_banked_done done = wm_banked_take(f->channel);
            out->tick[out->n] = (uint64_t)done.tick;
            out->token[out->n++] = done.token;
            if (f->n_pushed < N_ALL) {
                push(f, seed, (uint64_t)done.tick + AHEAD);
            }
        }
    }
    fixture_free(f);
}

Test(banked_view, requests_let_go_later_may_be_pushed_after_the_run_has_gone_on)
{
    static outcome want;
    static outcome got;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        chain(seed, 0, &want);
        cr_assert_gt(want.n, N_FIRST);
        for (uint64_t ahead = AHEAD; ahead != 0; ahead /= 3) {
            chain(seed, ahead, &got);
            cr_assert_eq(got.n, want.n, "seed %llu", (unsigned long long)seed);
            for (uint32_t i = 0; i < want.n; i++) {
                cr_assert(got.tick[i] == want.tick[i] &&
                              got.token[i] == want.token[i],
                          "seed %llu, %llu ahead, read %u: %u at %llu, want %u "
                          "at %llu",
                          (unsigned long long)seed, (unsigned long long)ahead,
                          i, got.token[i], (unsigned long long)got.tick[i],
                          want.token[i], (unsigned long long)want.tick[i]);
            }
        }
    }
}

Test(banked_view, a_step_gives_no_read_its_data_before_the_read_latency)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        fixture *f = fixture_new(seed);
        uint64_t least = UINT64_MAX;
        for (uint32_t i = 0; i < 120; i++) {
            push(f, seed, 3 * i);
        }
        while (wm_banked_next_step(f->channel) < END) {
            const uint64_t step = wm_banked_next_step(f->channel);
            const uint64_t latency = (uint64_t)f->timing.read_latency;
            const size_t known = wm_banked_n_done(f->channel);
            (void)wm_banked_run(f->channel, step, 0);
            cr_assert_eq(wm_banked_now(f->channel), step);
            for (size_t i = 0; i < wm_banked_n_done(f->channel) &&
                               wm_banked_n_done(f->channel) > known;
                 i++) {
                const uint64_t done =
                    (uint64_t)wm_banked_done_at(f->channel, i)->tick;
                least = done - step < least ? done - step : least;
                cr_assert_geq(done, step - 1 + latency,
                              "seed %llu: data at %llu, run at %llu",
                              (unsigned long long)seed,
                              (unsigned long long)done,
                              (unsigned long long)step);
            }
            while (wm_banked_n_done(f->channel) != 0) {
                (void)wm_banked_take(f->channel);
            }
        }
        cr_assert_lt(least, UINT64_MAX);
        fixture_free(f);
    }
}

/* Requests numbered from 0, of which n are pushed: due at any tick, many of
 * them at the same. */
static uint64_t any_due(uint64_t seed, uint32_t number)
{
    wm_rng rng = {seed * 1000003 + number};
    return wm_rng_below(&rng, 300);
}

static void push_number(fixture *f, uint64_t seed, uint32_t number)
{
    f->n_pushed = number;
    push(f, seed, any_due(seed, number));
}

static void collect(fixture *f, outcome *out)
{
    (void)wm_banked_run(f->channel, END, 0);
    for (out->n = 0; wm_banked_n_done(f->channel) != 0; out->n++) {
        const wm_banked_done done = wm_banked_take(f->channel);
        out->tick[out->n] = (uint64_t)done.tick;
        out->token[out->n] = done.token;
    }
}

Test(banked_view, requests_are_taken_by_due_then_push_whatever_their_order)
{
    static outcome want;
    static outcome got;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        fixture *in_order = fixture_new(seed);
        fixture *as_made = fixture_new(seed);
        for (uint64_t due = 0; due < 300; due++) {
            for (uint32_t i = 0; i < N_ALL; i++) {
                if (any_due(seed, i) == due) {
                    push_number(in_order, seed, i);
                }
            }
        }
        for (uint32_t i = 0; i < N_ALL; i++) {
            push_number(as_made, seed, i);
        }
        collect(in_order, &want);
        collect(as_made, &got);
        cr_assert_eq(got.n, want.n);
        cr_assert_arr_eq(got.tick, want.tick, got.n * sizeof(*got.tick));
        cr_assert_arr_eq(got.token, want.token, got.n * sizeof(*got.token));
        fixture_free(in_order);
        fixture_free(as_made);
    }
}

/* Moving all writes for each read takes minutes. */
Test(banked_view, reads_before_many_waiting_writes_cost_no_more_for_them,
     .timeout = 60)
{
    fixture *f = fixture_new(1);
    const wm_dram_place place = {0, 0, 0};
    for (uint32_t i = 0; i < 200000; i++) {
        const wm_banked_request write =
            wm_banked_request_of(&place, 1000000 + i, 1, true, 0);
        cr_assert(wm_banked_push(f->channel, &write));
    }
    for (uint32_t i = 0; i < 200000; i++) {
        const wm_banked_request read =
            wm_banked_request_of(&place, 200000 - i, 1, false, 0);
        cr_assert(wm_banked_push(f->channel, &read));
    }
    cr_assert_eq(wm_banked_n_waiting(f->channel), 400000);
    fixture_free(f);
}
