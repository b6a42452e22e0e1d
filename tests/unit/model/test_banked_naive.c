/*
 * test_banked_naive.c -- random requests, queues and policies on random
 * standards: the event-driven channel issues the commands of the tick-by-tick
 * one, however its run is cut.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "naive_dram.h"

typedef struct heard {
    wm_dram_command *command;
    size_t n, cap;
} heard;

static void hear(const wm_dram_command *command, void *context)
{
    heard *h = context;
    if (h->n == h->cap) {
        h->cap = 2 * h->cap + 1024;
        h->command = realloc(h->command, h->cap * sizeof(*h->command));
    }
    h->command[h->n++] = *command;
}

static wm_banked_params random_params(wm_rng *rng)
{
    wm_banked_params p = {.read_queue = 1 + wm_rng_below(rng, 40),
                          .write_queue = 1 + wm_rng_below(rng, 40),
                          .is_hit_first = wm_rng_below(rng, 2) != 0,
                          .hit_cap = wm_rng_below(rng, 3) * 2,
                          .refresh = wm_rng_below(rng, 4) != 0
                                         ? WM_REFRESH_ALL_BANK
                                         : WM_REFRESH_NONE,
                          .offers = 1 + wm_rng_below(rng, 5),
                          .forward_ticks = 1};
    p.write_high = 1 + wm_rng_below(rng, p.write_queue);
    p.write_low = 1 + wm_rng_below(rng, p.write_high);
    return p;
}

/* Few rows and few banks, that hits, conflicts and merges all happen. */
static void random_request(wm_rng *rng, const wm_standard *standard,
                           uint32_t spread, uint32_t gap, naive_dram *naive)
{
    naive_request *r = &naive->request[naive->n_requests];
    r->due =
        naive->n_requests == 0 ? 0 : naive->request[naive->n_requests - 1].due;
    r->due += gap == 0 ? 0 : (int64_t)wm_rng_below(rng, gap);
    r->bank = wm_rng_below(rng, wm_standard_n_banks(standard));
    r->bank &= wm_rng_below(rng, 2) != 0 ? ~0u : spread;
    r->row = wm_rng_below(rng, 3);
    r->column = 4 * wm_rng_below(rng, 4);
    r->atoms = wm_rng_below(rng, 2) != 0 ? 1 : 1 + wm_rng_below(rng, 15);
    r->is_write = wm_rng_below(rng, 5) < 2;
    naive->n_requests++;
}

static void compare(const char *name, uint64_t seed)
{
    wm_rng rng = {seed};
    wm_error err;
    wm_standard *standard = malloc(sizeof(*standard));
    wm_dram_timing *timing = malloc(sizeof(*timing));
    wm_banked *channel = NULL;
    heard h = {NULL, 0, 0};
    cr_assert_eq(wm_standard_load(name, standard, &err), WM_OK, "%s", err.text);
    cr_assert_eq(wm_dram_timing_init(timing, standard, &err), WM_OK);
    wm_banked_params params = random_params(&rng);
    params.command = hear;
    params.command_context = &h;
    cr_assert_eq(wm_banked_new(timing, &params, &channel, &err), WM_OK);
    naive_dram *naive = naive_new(standard, &params);
    const uint32_t n = 60 + wm_rng_below(&rng, 200);
    const uint32_t gap = wm_rng_below(&rng, 3) * (1 + wm_rng_below(&rng, 60));
    const uint32_t spread = wm_rng_below(&rng, 64);
    for (uint32_t i = 0; i < n; i++) {
        random_request(&rng, standard, spread, gap, naive);
        const naive_request *r = &naive->request[i];
        const wm_dram_place place = {r->row, r->bank, r->column};
        const wm_banked_request request = wm_banked_request_of(
            &place, (uint64_t)r->due, r->atoms, r->is_write, i);
        cr_assert(wm_banked_push(channel, &request));
    }
    const int64_t end =
        naive->request[n - 1].due + 3 * (int64_t)standard->ticks[WM_T_REFI] / 2;
    for (int64_t t = 1; t <= end; t++) {
        naive_tick(naive, t);
    }
    for (uint64_t t = 0; t < (uint64_t)end;) {
        t += 1 + wm_rng_below(&rng, 500);
        (void)wm_banked_run(channel, t < (uint64_t)end ? t : (uint64_t)end, 0);
    }
    cr_assert_eq(h.n, naive->n_out, "%s, seed %llu: %zu commands, want %zu",
                 name, (unsigned long long)seed, h.n, naive->n_out);
    for (size_t i = 0; i < h.n; i++) {
        const wm_dram_command *a = &h.command[i];
        const wm_dram_command *b = &naive->out[i];
        cr_assert(a->tick == b->tick && a->kind == b->kind &&
                      a->bank == b->bank && a->row == b->row &&
                      a->column == b->column,
                  "%s, seed %llu, command %zu: kind %d bank %u at %llu, want "
                  "kind %d bank %u at %llu",
                  name, (unsigned long long)seed, i, a->kind, a->bank,
                  (unsigned long long)a->tick, b->kind, b->bank,
                  (unsigned long long)b->tick);
    }
    wm_banked_free(channel);
    free(h.command);
    free(naive->out);
    free(naive);
    free(timing);
    free(standard);
}

Test(banked_naive, hbm2_issues_the_commands_of_the_slow_model)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        compare("hbm2", seed);
    }
}

Test(banked_naive, hbm3_with_its_edges_and_stacks_too)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        compare("hbm3", seed);
    }
}

Test(banked_naive, gddr6_with_its_single_bus_too)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        compare("gddr6", seed);
    }
}

Test(banked_naive, and_so_do_the_other_standards)
{
    static const char *const names[] = {"gddr5", "lpddr5", "ddr4", "ddr5"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        for (uint64_t seed = 1; seed <= 5; seed++) {
            compare(names[i], seed);
        }
    }
}
