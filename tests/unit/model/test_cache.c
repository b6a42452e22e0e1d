/*
 * test_cache.c -- the sectored tag store against its contract and against a
 * naive list.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "model/cache/cache.h"

/* The memory of the test's one cache. */
static wm_arena arena;

static void free_cache(void)
{
    wm_arena_close(&arena);
}

static wm_cache make_cache(uint64_t sets, uint32_t ways, const char *policy,
                           bool is_hashed)
{
    wm_cache cache;
    wm_error err;
    wm_cache_geometry geometry = {.n_sets = sets,
                                  .ways = ways,
                                  .is_hashed = is_hashed,
                                  .has_marks = true,
                                  .is_locking = true,
                                  .policy = wm_policy_find(policy),
                                  .seed = 7};
    free_cache();
    cr_assert_eq(wm_cache_init(&cache, &geometry, &arena, &err), WM_OK);
    cr_assert_eq(wm_arena_open(&arena, &err), WM_OK);
    cr_assert_eq(wm_cache_init(&cache, &geometry, &arena, &err), WM_OK);
    return cache;
}

/* Allocates the line with the given sectors valid; returns who left. */
static wm_evicted fill(wm_cache *cache, uint64_t line, uint8_t sectors)
{
    wm_evicted evicted;
    wm_ref ref = wm_cache_find(cache, line);
    memset(&evicted, 0, sizeof(evicted));
    if (ref.way == WM_NO_INDEX) {
        cr_assert(wm_cache_allocate(cache, &ref, &evicted));
    } else {
        wm_cache_touch(cache, &ref);
    }
    *wm_cache_state(cache, &ref) |= sectors;
    *wm_cache_marks(cache, &ref) |= sectors;
    return evicted;
}

Test(cache, an_empty_cache_holds_no_line)
{
    wm_cache cache = make_cache(64, 16, "lru", true);
    for (uint64_t line = 0; line < 5000; line++) {
        cr_assert_eq(wm_cache_find(&cache, line).way, WM_NO_INDEX);
    }
    free_cache();
}

Test(cache, every_aligned_run_of_lines_fills_the_whole_capacity)
{
    const uint64_t shapes[][2] = {{64, 16}, {48, 16}, {7, 3}, {1, 20}, {5, 33}};
    for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++) {
        for (int hashed = 0; hashed < 2; hashed++) {
            uint64_t sets = shapes[s][0];
            uint32_t ways = (uint32_t)shapes[s][1];
            wm_cache cache = make_cache(sets, ways, "lru", hashed != 0);
            for (uint64_t line = 0; line < sets * ways; line++) {
                cr_assert_not(fill(&cache, 1000 * sets + line, 1).is_line,
                              "%llu sets %u ways: line %llu evicts",
                              (unsigned long long)sets, ways,
                              (unsigned long long)line);
            }
            cr_assert(fill(&cache, 1000 * sets + sets * ways, 1).is_line);
            free_cache();
        }
    }
}

Test(cache, an_evicted_line_is_named_by_the_number_it_was_filled_with)
{
    for (int hashed = 0; hashed < 2; hashed++) {
        wm_cache cache = make_cache(48, 4, "lru", hashed != 0);
        uint64_t line[4096];
        for (uint64_t i = 0; i < 4096; i++) {
            line[i] = wm_mix64(i) >> 7;
            wm_evicted evicted = fill(&cache, line[i], 5);
            if (evicted.is_line) {
                bool is_known = false;
                for (uint64_t k = 0; k < i; k++) {
                    is_known |= line[k] == evicted.line;
                }
                cr_assert(is_known);
                cr_assert_eq(evicted.valid, 5);
            }
        }
        free_cache();
    }
}

Test(cache, lines_four_gib_apart_do_not_alias)
{
    wm_cache cache = make_cache(64, 16, "lru", true);
    fill(&cache, UINT64_C(0x7f2000000000) >> 7, 15);
    cr_assert_eq(wm_cache_find(&cache, UINT64_C(0x7f2100000000) >> 7).way,
                 WM_NO_INDEX);
    free_cache();
}

Test(cache, a_line_with_pending_sectors_is_never_evicted)
{
    wm_cache cache = make_cache(1, 4, "lru", false);
    for (uint64_t line = 0; line < 4; line++) {
        fill(&cache, line, 1);
    }
    wm_ref ref = wm_cache_find(&cache, 0);
    *wm_cache_state(&cache, &ref) |= 0x22; /* sector 1 on its way */
    for (uint64_t line = 10; line < 30; line++) {
        wm_evicted evicted = fill(&cache, line, 1);
        cr_assert(evicted.is_line);
        cr_assert_neq(evicted.line, 0);
    }
    cr_assert_neq(wm_cache_find(&cache, 0).way, WM_NO_INDEX);
    free_cache();
}

Test(cache, allocation_fails_when_every_way_waits_for_data)
{
    wm_cache cache = make_cache(1, 2, "lru", false);
    for (uint64_t line = 0; line < 2; line++) {
        fill(&cache, line, 1);
        wm_ref ref = wm_cache_find(&cache, line);
        *wm_cache_state(&cache, &ref) |= 0x11;
    }
    wm_evicted evicted;
    wm_ref ref = wm_cache_find(&cache, 9);
    cr_assert_not(wm_cache_allocate(&cache, &ref, &evicted));
    wm_ref first = wm_cache_find(&cache, 0);
    *wm_cache_state(&cache, &first) &= 0x0f;
    cr_assert(wm_cache_allocate(&cache, &ref, &evicted));
    cr_assert_eq(evicted.line, 0);
    free_cache();
}

Test(cache, pending_sectors_become_valid_when_their_time_comes)
{
    wm_cache cache = make_cache(1, 2, "lru", false);
    fill(&cache, 3, 1);
    wm_ref ref = wm_cache_find(&cache, 3);
    *wm_cache_state(&cache, &ref) |= 0x44;
    cache.line[wm_cache_index(&cache, &ref)].ready = 10;
    cr_assert_eq(wm_cache_settle(&cache, &ref, 9), 0x45);
    cr_assert_eq(wm_cache_settle(&cache, &ref, 10), 0x05);
    free_cache();
}

Test(cache, dropping_a_line_frees_its_way)
{
    wm_cache cache = make_cache(1, 2, "lru", false);
    fill(&cache, 1, 1);
    fill(&cache, 2, 1);
    wm_ref ref = wm_cache_find(&cache, 1);
    wm_cache_drop(&cache, &ref);
    cr_assert_eq(wm_cache_find(&cache, 1).way, WM_NO_INDEX);
    cr_assert_not(fill(&cache, 3, 1).is_line);
    free_cache();
}

Test(cache, a_resized_cache_is_empty_and_holds_what_its_sets_hold)
{
    wm_cache cache = make_cache(64, 4, "lru", true);
    fill(&cache, 1, 1);
    wm_cache_resize(&cache, 24);
    cr_assert_eq(wm_cache_find(&cache, 1).way, WM_NO_INDEX);
    for (uint64_t line = 0; line < 96; line++) {
        cr_assert_not(fill(&cache, line, 1).is_line);
    }
    cr_assert(fill(&cache, 96, 1).is_line);
    free_cache();
}

/* Lines of more regions than the cache numbers, and some far apart. */
Test(cache, lines_of_a_thousand_distant_regions_are_told_apart)
{
    wm_cache cache = make_cache(16, 16, "lru", true);
    for (uint64_t round = 0; round < 20; round++) {
        for (uint64_t region = 0; region < 1000; region++) {
            uint64_t line = (region << 34) + 5;
            wm_ref ref = wm_cache_find(&cache, line);
            wm_evicted evicted = fill(&cache, line, 1);
            if (ref.way == WM_NO_INDEX && evicted.is_line) {
                cr_assert_eq(evicted.line & ((UINT64_C(1) << 34) - 1), 5);
                cr_assert_lt(evicted.line >> 34, 1000);
                cr_assert_eq(wm_cache_find(&cache, evicted.line).way,
                             WM_NO_INDEX);
            }
            cr_assert_neq(wm_cache_find(&cache, line).way, WM_NO_INDEX);
            cr_assert_eq(wm_cache_find(&cache, line + 1).way, WM_NO_INDEX);
        }
    }
    free_cache();
}

/* A naive fully ordered model of one LRU set per place. */
Test(cache, lru_hits_equal_a_naive_list_over_random_lines)
{
    const uint64_t seed = 20261130;
    enum { SETS = 12, WAYS = 5 };
    wm_cache cache = make_cache(SETS, WAYS, "lru", true);
    uint64_t list[SETS][WAYS];
    uint32_t n[SETS] = {0};
    wm_rng rng = {seed};
    for (uint32_t i = 0; i < 200000; i++) {
        uint64_t line = wm_rng_below(&rng, 150);
        uint64_t rank = 0;
        uint64_t set = wm_spread_place(&cache.spread, line, &rank);
        uint32_t at = 0;
        while (at < n[set] && list[set][at] != line) {
            at++;
        }
        bool is_hit = at < n[set];
        cr_assert_eq(wm_cache_find(&cache, line).way != WM_NO_INDEX, is_hit,
                     "seed %llu, access %u", (unsigned long long)seed, i);
        fill(&cache, line, 1);
        if (!is_hit) {
            at = n[set] < WAYS ? n[set]++ : WAYS - 1;
        }
        memmove(&list[set][1], &list[set][0], at * sizeof(list[0][0]));
        list[set][0] = line;
    }
    free_cache();
}
