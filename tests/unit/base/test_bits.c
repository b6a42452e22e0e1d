/*
 * test_bits.c -- integer helpers against plain arithmetic.
 */
#include <criterion/criterion.h>

#include "base/bits.h"
#include "base/rng.h"

Test(bits, counts_and_positions)
{
    cr_expect_eq(wm_popcount64(0), 0u);
    cr_expect_eq(wm_popcount64(UINT64_MAX), 64u);
    cr_expect_eq(wm_lowest_bit(UINT64_C(1) << 63), 63u);
    cr_expect_eq(wm_lowest_bit(0x50), 4u);
    cr_expect_eq(wm_highest_bit(0x50), 6u);
    cr_expect_eq(wm_low_mask(0), 0u);
    cr_expect_eq(wm_low_mask(5), 31u);
    cr_expect_eq(wm_low_mask(64), UINT64_MAX);
}

Test(bits, powers_of_two_are_recognised)
{
    cr_expect_not(wm_is_power_of_two(0));
    cr_expect_not(wm_is_power_of_two(3));
    for (unsigned i = 0; i < 64; i++) {
        cr_expect(wm_is_power_of_two(UINT64_C(1) << i));
    }
}

Test(bits, mul_div_keeps_the_whole_product)
{
    cr_expect_eq(wm_mul_div(UINT64_MAX, UINT64_MAX, UINT64_MAX), UINT64_MAX);
    cr_expect_eq(wm_mul_div(7, 3, 2), 10u);
    cr_expect_eq(wm_mul_high(UINT64_C(1) << 63, 6), 3u);
}

static void check_divisor(uint64_t d, uint64_t x, uint64_t seed)
{
    wm_divisor div = wm_divisor_of(d);
    uint64_t rest = 0;
    uint64_t q = wm_divide(&div, x, &rest);
    cr_assert_eq(q, x / d, "seed %llu: %llu / %llu", (unsigned long long)seed,
                 (unsigned long long)x, (unsigned long long)d);
    cr_assert_eq(rest, x % d, "seed %llu: %llu mod %llu",
                 (unsigned long long)seed, (unsigned long long)x,
                 (unsigned long long)d);
}

Test(bits, divisor_equals_division)
{
    const uint64_t seed = 99;
    wm_rng rng = {seed};
    for (uint64_t d = 1; d < 300; d++) {
        check_divisor(d, 0, 0);
        check_divisor(d, d - 1, 0);
        check_divisor(d, d, 0);
        check_divisor(d, UINT64_MAX, 0);
        check_divisor(d, UINT64_MAX - d, 0);
    }
    check_divisor(UINT64_MAX, UINT64_MAX, 0);
    check_divisor(UINT64_C(1) << 63, UINT64_MAX, 0);
    for (int i = 0; i < 200000; i++) {
        uint64_t d = wm_rng_next(&rng) >> wm_rng_below(&rng, 64);
        uint64_t x = wm_rng_next(&rng) >> wm_rng_below(&rng, 64);
        check_divisor(d != 0 ? d : 1, x, seed);
    }
}

Test(bits, mix_is_a_bijection_on_a_sample)
{
    enum { N = 4096 };
    uint64_t seen[N];
    for (uint64_t i = 0; i < N; i++) {
        seen[i] = wm_mix64(i);
        for (uint64_t j = 0; j < i; j++) {
            cr_assert_neq(seen[i], seen[j]);
        }
    }
}

Test(rng, equals_the_published_splitmix64_sequence)
{
    wm_rng rng = {1234567};
    cr_expect_eq(wm_rng_next(&rng), UINT64_C(6457827717110365317));
    cr_expect_eq(wm_rng_next(&rng), UINT64_C(3203168211198807973));
    cr_expect_eq(wm_rng_next(&rng), UINT64_C(9817491932198370423));
}

Test(rng, below_stays_below)
{
    wm_rng rng = {5};
    for (uint32_t bound = 1; bound < 2000; bound++) {
        cr_expect_lt(wm_rng_below(&rng, bound), bound);
    }
}
