/*
 * test_mrc.c -- curves from one pass against caches simulated one by one.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/rng.h"
#include "study/mrc.h"

#define N_UNITS  3u
#define N_LINES  300u
#define N_EVENTS 20000u
#define REF      WM_TEST_DATA "/ref.yaml"

static wm_error err;

/* --- the obvious caches --------------------------------------------------- */

/* One fully associative unit: lines in the order of their use, newest first. */
typedef struct naive {
    uint64_t line[N_LINES];
    uint32_t valid[N_LINES];
    uint32_t n;
} naive;

static uint32_t naive_find(const naive *cache, uint64_t line)
{
    uint32_t i = 0;
    while (i < cache->n && cache->line[i] != line) {
        i++;
    }
    return i;
}

static void naive_drop(naive *cache, uint32_t i)
{
    cache->n--;
    memmove(&cache->line[i], &cache->line[i + 1],
            (cache->n - i) * sizeof(cache->line[0]));
    memmove(&cache->valid[i], &cache->valid[i + 1],
            (cache->n - i) * sizeof(cache->valid[0]));
}

/* The access of event o at `now`; victim(cache) chooses who leaves. */
static uint64_t naive_access(naive *cache, const wm_observation *o,
                             uint32_t capacity,
                             uint32_t (*victim)(const naive *, size_t),
                             size_t now)
{
    uint32_t valid = 0;
    uint32_t i = naive_find(cache, o->line);
    if (o->what == WM_OBSERVED_CLEAR) {
        cache->n = 0;
        return 0;
    }
    if (i < cache->n) {
        valid = cache->valid[i];
        naive_drop(cache, i);
    } else if (cache->n == capacity) {
        naive_drop(cache, victim(cache, now));
    }
    memmove(&cache->line[1], &cache->line[0], cache->n * sizeof(uint64_t));
    memmove(&cache->valid[1], &cache->valid[0], cache->n * sizeof(uint32_t));
    cache->n++;
    cache->line[0] = o->line;
    cache->valid[0] =
        valid | (o->what == WM_OBSERVED_WRITE ? o->full : o->sectors);
    return o->what == WM_OBSERVED_FILL ? 0 : wm_popcount64(o->sectors & ~valid);
}

static uint32_t victim_lru(const naive *cache, size_t now)
{
    (void)now;
    return cache->n - 1;
}

static wm_observation events[N_EVENTS];

/* The line of the unit that is used again latest before a clear. */
static uint32_t victim_optimal(const naive *cache, size_t now)
{
    uint32_t best = 0;
    size_t best_next = 0;
    for (uint32_t i = 0; i < cache->n; i++) {
        size_t next = now + 1;
        while (next < N_EVENTS && (events[next].unit != events[now].unit ||
                                   (events[next].what != WM_OBSERVED_CLEAR &&
                                    events[next].line != cache->line[i]))) {
            next++;
        }
        if (next < N_EVENTS && events[next].what == WM_OBSERVED_CLEAR) {
            next = N_EVENTS;
        }
        if (next > best_next) {
            best_next = next;
            best = i;
        }
    }
    return best;
}

/* --- streams -------------------------------------------------------------- */

static void make_events(uint64_t seed, bool is_plain)
{
    wm_rng rng = {seed};
    for (size_t i = 0; i < N_EVENTS; i++) {
        wm_observation *o = &events[i];
        const uint32_t dice = wm_rng_below(&rng, 1000);
        memset(o, 0, sizeof(*o));
        o->level = 2;
        o->unit = wm_rng_below(&rng, N_UNITS);
        /* Some lines are used much more often than others. */
        o->line = wm_rng_below(&rng, 1 + wm_rng_below(&rng, N_LINES));
        o->sectors = is_plain ? 15 : (uint8_t)(1 + wm_rng_below(&rng, 15));
        o->what = WM_OBSERVED_READ;
        if (!is_plain && dice < 200) {
            o->what = WM_OBSERVED_WRITE;
            o->full = o->sectors & (uint8_t)wm_rng_below(&rng, 16);
        } else if (!is_plain && dice < 230) {
            o->what = WM_OBSERVED_FILL;
        } else if (!is_plain && dice < 232) {
            o->what = WM_OBSERVED_CLEAR;
        }
    }
}

static wm_mrc *run_mrc(const wm_mrc_options *options)
{
    const char *sets[] = {"l2.slices=3", "l2.size=3MiB", "dram.channels=3"};
    wm_config_set *config = NULL;
    wm_mrc *mrc = NULL;
    cr_assert_eq(wm_config_load(REF, sets, 3, &config, &err), WM_OK, "%s",
                 err.text);
    cr_assert_eq(wm_mrc_new(wm_config_values(config), options, &mrc, &err),
                 WM_OK);
    for (size_t i = 0; i < N_EVENTS; i++) {
        wm_mrc_observe(&events[i], mrc);
    }
    wm_config_free(config);
    return mrc;
}

static double naive_ratio(uint32_t capacity,
                          uint32_t (*victim)(const naive *, size_t))
{
    static naive units[N_UNITS];
    uint64_t n_misses = 0;
    uint64_t n = 0;
    memset(units, 0, sizeof(units));
    for (size_t i = 0; i < N_EVENTS; i++) {
        n_misses += naive_access(&units[events[i].unit], &events[i], capacity,
                                 victim, i);
        n += events[i].what <= WM_OBSERVED_WRITE
                 ? wm_popcount64(events[i].sectors)
                 : 0;
    }
    return (double)n_misses / (double)n;
}

/* --- claims --------------------------------------------------------------- */

TestSuite(mrc);

Test(mrc, every_size_equals_a_simulation_of_that_size)
{
    const uint32_t sizes[] = {1, 2, 3, 5, 8, 13, 40, 100, 180, 299};
    for (uint64_t seed = 1; seed <= 8; seed++) {
        const wm_mrc_options options = {.level = 2, .lines_max = 1u << 20};
        make_events(seed, seed % 2 == 0);
        wm_mrc *mrc = run_mrc(&options);
        cr_assert_eq(wm_mrc_finish(mrc, &err), WM_OK);
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            wm_mrc_point point;
            const uint64_t bytes = (uint64_t)sizes[i] * 128 * N_UNITS;
            cr_assert_eq(wm_mrc_point_at(mrc, bytes, &point, &err), WM_OK);
            cr_assert_eq(point.unit_lines, sizes[i]);
            cr_assert_eq(point.lru, naive_ratio(sizes[i], victim_lru),
                         "seed %llu, %u lines", (unsigned long long)seed,
                         sizes[i]);
            cr_assert_eq(point.lru_error, 0);
        }
        wm_mrc_free(mrc);
    }
}

Test(mrc, optimal_replacement_equals_a_search_for_the_latest_next_use)
{
    const uint32_t sizes[] = {1, 4, 37, 120};
    for (uint64_t seed = 1; seed <= 2; seed++) {
        const wm_mrc_options options = {.level = 2,
                                        .lines_max = 1u << 20,
                                        .has_optimal = true,
                                        .accesses_max = 1u << 20};
        /* With whole lines ties do not matter: both are optimal. */
        make_events(seed, true);
        wm_mrc *mrc = run_mrc(&options);
        cr_assert_eq(wm_mrc_finish(mrc, &err), WM_OK);
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            wm_mrc_point point;
            const uint64_t bytes = (uint64_t)sizes[i] * 128 * N_UNITS;
            cr_assert_eq(wm_mrc_point_at(mrc, bytes, &point, &err), WM_OK);
            cr_assert(point.has_optimal);
            cr_assert_eq(point.optimal, naive_ratio(sizes[i], victim_optimal),
                         "seed %llu, %u lines", (unsigned long long)seed,
                         sizes[i]);
            cr_assert_leq(point.optimal, point.lru);
        }
        wm_mrc_free(mrc);
    }
}

Test(mrc, a_sample_is_within_the_error_that_it_states)
{
    /* Many lines, so that one in eight of them is enough to go by. */
    for (uint64_t seed = 1; seed <= 5; seed++) {
        wm_rng rng = {seed};
        for (size_t i = 0; i < N_EVENTS; i++) {
            memset(&events[i], 0, sizeof(events[i]));
            events[i].level = 2;
            events[i].sectors = 15;
            events[i].line = wm_rng_below(&rng, 1 + wm_rng_below(&rng, 4096));
        }
        const wm_mrc_options all = {.level = 2, .lines_max = 1u << 20};
        const wm_mrc_options some = {
            .level = 2, .lines_max = 1u << 20, .sample_shift = 3};
        wm_mrc *exact = run_mrc(&all);
        wm_mrc *sampled = run_mrc(&some);
        cr_assert_eq(wm_mrc_finish(exact, &err), WM_OK);
        cr_assert_eq(wm_mrc_finish(sampled, &err), WM_OK);
        for (uint64_t lines = 64; lines <= 4096; lines *= 2) {
            wm_mrc_point a;
            wm_mrc_point b;
            cr_assert_eq(wm_mrc_point_at(exact, lines * 384, &a, &err), WM_OK);
            cr_assert_eq(wm_mrc_point_at(sampled, lines * 384, &b, &err),
                         WM_OK);
            cr_assert_gt(b.lru_error, 0);
            cr_assert_leq(b.lru - b.lru_error, a.lru, "seed %llu, %llu lines",
                          (unsigned long long)seed, (unsigned long long)lines);
            cr_assert_geq(b.lru + b.lru_error, a.lru, "seed %llu, %llu lines",
                          (unsigned long long)seed, (unsigned long long)lines);
        }
        wm_mrc_free(exact);
        wm_mrc_free(sampled);
    }
}

Test(mrc, too_many_lines_are_said_at_once)
{
    const wm_mrc_options options = {.level = 2, .lines_max = 10};
    make_events(1, true);
    wm_mrc *mrc = run_mrc(&options);
    cr_assert(wm_mrc_is_full(mrc));
    cr_assert_eq(wm_mrc_finish(mrc, &err), WM_EUSAGE);
    wm_mrc_free(mrc);
}

Test(mrc, nothing_seen_is_no_miss)
{
    const wm_mrc_options options = {.level = 1, .lines_max = 10};
    wm_mrc_point point;
    uint64_t sizes[4];
    memset(events, 0, sizeof(events)); /* of no level */
    wm_mrc *mrc = run_mrc(&options);
    cr_assert_eq(wm_mrc_finish(mrc, &err), WM_OK);
    cr_assert_eq(wm_mrc_point_at(mrc, 4096, &point, &err), WM_OK);
    cr_assert_eq(point.lru, 0);
    cr_assert_eq(wm_mrc_sizes(mrc, 1, sizes, 4), 1);
    wm_mrc_free(mrc);
}
