/*
 * test_hash.c -- dealing numbers to places.
 */
#include <criterion/criterion.h>

#include "base/rng.h"
#include "model/spread.h"

static const uint64_t place_counts[] = {1,  2,  3,  5,  8,   12,
                                        32, 40, 48, 96, 1024};
#define N_COUNTS (sizeof(place_counts) / sizeof(*place_counts))

Test(hash, every_aligned_run_covers_all_places_once)
{
    for (size_t c = 0; c < N_COUNTS; c++) {
        uint64_t n = place_counts[c];
        wm_spread spread = wm_spread_of(n, true);
        for (uint64_t run = 0; run < 200; run++) {
            uint8_t seen[1024] = {0};
            for (uint64_t i = 0; i < n; i++) {
                uint64_t rank = 0;
                uint64_t place = wm_spread_place(&spread, run * n + i, &rank);
                cr_assert_lt(place, n);
                cr_assert_eq(rank, run);
                cr_assert_eq(seen[place]++, 0, "n %llu run %llu",
                             (unsigned long long)n, (unsigned long long)run);
            }
        }
    }
}

Test(hash, number_is_the_inverse_of_place)
{
    wm_rng rng = {1};
    for (uint32_t i = 0; i < 100000; i++) {
        uint64_t n = place_counts[wm_rng_below(&rng, N_COUNTS)];
        wm_spread spread = wm_spread_of(n, i % 2 != 0);
        uint64_t x = wm_rng_next(&rng) >> wm_rng_below(&rng, 64);
        uint64_t rank = 0;
        uint64_t place = wm_spread_place(&spread, x, &rank);
        cr_assert_eq(wm_spread_number(&spread, place, rank), x);
    }
}

Test(hash, unhashed_places_are_the_remainder)
{
    wm_spread spread = wm_spread_of(48, false);
    for (uint64_t x = 0; x < 1000; x++) {
        uint64_t rank = 0;
        cr_assert_eq(wm_spread_place(&spread, x, &rank), x % 48);
        cr_assert_eq(rank, x / 48);
    }
}

Test(hash, a_remembered_rank_gives_the_same_place)
{
    const uint64_t seed = 5;
    wm_rng rng = {seed};
    for (size_t c = 0; c < N_COUNTS; c++) {
        const wm_spread spread = wm_spread_of(place_counts[c], true);
        wm_spread_memo memo = {0, 0};
        for (uint32_t i = 0; i < 20000; i++) {
            const uint64_t x = wm_rng_below(&rng, 4 * 1024);
            uint64_t rank = 0;
            uint64_t recalled = 0;
            const uint64_t place = wm_spread_place(&spread, x, &rank);
            cr_assert_eq(wm_spread_recall(&spread, x, &recalled, &memo), place,
                         "seed %llu", (unsigned long long)seed);
            cr_assert_eq(recalled, rank);
        }
    }
}

Test(hash, a_drawn_place_and_its_group_give_the_number_back)
{
    wm_rng rng = {1};
    for (uint32_t i = 0; i < 100000; i++) {
        const uint64_t n = 4 * place_counts[wm_rng_below(&rng, N_COUNTS)];
        const uint32_t shift = wm_rng_below(&rng, 3);
        wm_spread spread = wm_spread_drawn(n, shift, i % 7);
        uint64_t x = wm_rng_next(&rng) >> wm_rng_below(&rng, 64);
        uint64_t rank = 0;
        uint64_t place = wm_spread_place(&spread, x, &rank);
        cr_assert_lt(place, n);
        cr_assert_eq(rank, x >> shift);
        cr_assert_eq(wm_spread_number(&spread, place, rank), x);
    }
}

/* Balls in bins: of 16 n numbers half of the places get 16 or fewer. */
Test(hash, drawn_places_are_as_uneven_as_chance)
{
    enum { N = 4096 };
    static uint32_t count[N];
    wm_spread spread = wm_spread_drawn(N, 1, 3);
    for (uint64_t x = 0; x < UINT64_C(16) * N; x++) {
        uint64_t rank = 0;
        count[wm_spread_place(&spread, x, &rank)]++;
    }
    uint32_t n_within = 0;
    for (uint32_t i = 0; i < N; i++) {
        n_within += count[i] <= 16;
    }
    cr_assert_gt(n_within, N * 50 / 100);
    cr_assert_lt(n_within, N * 63 / 100);
}

/* Numbers in the fullest place over the mean, for 64 n numbers. */
static double crowding(uint64_t n, uint64_t stride, bool is_hashed)
{
    wm_spread spread = wm_spread_of(n, is_hashed);
    uint32_t count[1024] = {0};
    uint32_t most = 0;
    for (uint64_t i = 0; i < 64 * n; i++) {
        uint64_t rank = 0;
        uint32_t in_place =
            ++count[wm_spread_place(&spread, i * stride, &rank)];
        most = in_place > most ? in_place : most;
    }
    return most / 64.0;
}

Test(hash, strides_of_any_power_of_two_are_spread)
{
    for (size_t c = 2; c < N_COUNTS; c++) {
        for (uint32_t bit = 0; bit < 24; bit++) {
            double most = crowding(place_counts[c], UINT64_C(1) << bit, true);
            cr_assert_lt(most, 1.75, "%llu places, stride 2^%u: %f",
                         (unsigned long long)place_counts[c], bit, most);
        }
    }
}

Test(hash, without_hashing_a_stride_of_n_camps_on_one_place)
{
    cr_assert_eq(crowding(32, 32, false), 32.0);
    cr_assert_lt(crowding(32, 32, true), 1.75);
}
