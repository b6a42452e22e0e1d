/*
 * test_banks.c -- shared-memory bank conflicts: the textbook cases, and any
 * access against counting words one by one.
 */
#include <criterion/criterion.h>

#include "base/rng.h"
#include "model/coalescer/banks.h"
#include "random_access.h"

#define FULL_WARP UINT64_C(0xffffffff)

static const wm_banks volta = {32, 4};
static const wm_banks kepler = {32, 8};

static uint32_t affine(const wm_banks *banks, int64_t stride, uint32_t width)
{
    wm_access access = {
        .base = 0x1000, .mask = FULL_WARP, .stride = stride, .width = width};
    return wm_bank_wavefronts(banks, &access, NULL);
}

static uint32_t listed(const wm_banks *banks, const uint32_t *lanes, uint32_t n,
                       uint32_t width)
{
    wm_access access = {.mask = (UINT64_C(1) << n) - 1,
                        .lanes = lanes,
                        .width = width,
                        .form = WM_ACCESS_LIST32};
    return wm_bank_wavefronts(banks, &access, NULL);
}

Test(banks, byte_address_70_lies_in_bank_17)
{
    for (uint32_t bank = 0; bank < 32; bank++) {
        const uint32_t lanes[2] = {70, 128 + 4 * bank};
        cr_assert_eq(listed(&volta, lanes, 2, 2), bank == 17 ? 2 : 1, "bank %u",
                     bank);
    }
}

Test(banks, k_distinct_words_in_one_bank_take_k_wavefronts)
{
    uint32_t lanes[32];
    for (uint32_t k = 1; k <= 32; k++) {
        for (uint32_t i = 0; i < 32; i++) {
            lanes[i] = i % k * 128 + 20;
        }
        cr_assert_eq(listed(&volta, lanes, 32, 4), k);
    }
}

Test(banks, one_word_for_all_lanes_is_one_broadcast)
{
    cr_assert_eq(affine(&volta, 0, 4), 1);
}

Test(banks, several_broadcasts_merge_into_one_wavefront)
{
    uint32_t lanes[32];
    for (uint32_t i = 0; i < 32; i++) {
        lanes[i] = i / 8 * 4;
    }
    cr_assert_eq(listed(&volta, lanes, 32, 4), 1);
}

Test(banks, five_loads_of_a_column_study_take_1_2_32_1_1)
{
    cr_assert_eq(affine(&volta, 4, 4), 1);    /* a row */
    cr_assert_eq(affine(&volta, 8, 4), 2);    /* every second word */
    cr_assert_eq(affine(&volta, 128, 4), 32); /* a column, pitch 32 */
    cr_assert_eq(affine(&volta, 132, 4), 1);  /* a column, pitch 33 */
    cr_assert_eq(affine(&volta, 0, 4), 1);    /* one word */
}

Test(banks, stride_of_s_words_takes_gcd_of_s_and_32)
{
    for (uint32_t s = 1; s <= 64; s++) {
        uint32_t gcd = s & (0 - s);
        cr_assert_eq(affine(&volta, 4 * (int64_t)s, 4), gcd > 32 ? 32 : gcd,
                     "stride of %u words", s);
        cr_assert_eq(affine(&volta, -4 * (int64_t)s, 4), gcd > 32 ? 32 : gcd,
                     "stride of -%u words", s);
    }
}

Test(banks, bytes_and_halves_of_one_word_never_conflict)
{
    cr_assert_eq(affine(&volta, 1, 1), 1);
    cr_assert_eq(affine(&volta, 2, 2), 1);
}

Test(banks, eight_bytes_go_in_two_half_warps_and_16_in_four_quarters)
{
    cr_assert_eq(affine(&volta, 8, 8), 2);
    cr_assert_eq(affine(&volta, 16, 16), 4);
    cr_assert_eq(affine(&volta, 32, 32), 8);
    cr_assert_eq(affine(&volta, 0, 8), 2);
    cr_assert_eq(affine(&volta, 0, 16), 4);
}

Test(banks, conflicts_of_wide_lanes_add_over_the_phases)
{
    cr_assert_eq(affine(&volta, 16, 8), 4);
    cr_assert_eq(affine(&volta, 128, 8), 32);
    cr_assert_eq(affine(&volta, 32, 16), 8);
    cr_assert_eq(affine(&volta, 128, 16), 32);
}

Test(banks, a_phase_without_active_lanes_takes_none)
{
    uint32_t ideal = 99;
    wm_access access = {.mask = 0xff00, .stride = 16, .width = 16};
    cr_assert_eq(wm_bank_wavefronts(&volta, &access, &ideal), 1);
    cr_assert_eq(ideal, 1);
    access.mask = 0x01000001;
    cr_assert_eq(wm_bank_wavefronts(&volta, &access, &ideal), 2);
    cr_assert_eq(ideal, 2);
    access.mask = 0;
    cr_assert_eq(wm_bank_wavefronts(&volta, &access, &ideal), 0);
    cr_assert_eq(ideal, 0);
}

Test(banks, ideal_leaves_conflicts_out)
{
    uint32_t ideal = 0;
    wm_access access = {.mask = FULL_WARP, .stride = 128, .width = 8};
    cr_assert_eq(wm_bank_wavefronts(&volta, &access, &ideal), 32);
    cr_assert_eq(ideal, 2);
}

Test(banks, kepler_takes_8_bytes_in_one_phase)
{
    cr_assert_eq(affine(&kepler, 8, 8), 1);
    cr_assert_eq(affine(&kepler, 16, 16), 2);
    cr_assert_eq(affine(&kepler, 8, 4), 1);
    cr_assert_eq(affine(&kepler, 16, 4), 2);
}

Test(banks, wave64_takes_two_phases_of_words)
{
    wm_access access = {.mask = ~UINT64_C(0), .stride = 4, .width = 4};
    cr_assert_eq(wm_bank_wavefronts(&volta, &access, NULL), 2);
}

static uint32_t naive_phase(const wm_banks *banks, const uint64_t *words,
                            uint32_t n)
{
    uint32_t n_in_bank[64] = {0};
    uint32_t most = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t is_new = 1;
        for (uint32_t k = 0; k < i; k++) {
            is_new = words[k] == words[i] ? 0 : is_new;
        }
        uint32_t n_here = n_in_bank[words[i] % banks->n_banks] += is_new;
        most = n_here > most ? n_here : most;
    }
    return most;
}

static uint32_t naive_wavefronts(const wm_banks *banks, const wm_access *access,
                                 uint32_t *ideal)
{
    uint32_t per_phase = banks->n_banks * banks->width_bytes / access->width;
    per_phase = per_phase > 32 ? 32 : per_phase == 0 ? 1 : per_phase;
    uint32_t total = 0;
    uint32_t n_before = 0;
    *ideal = 0;
    for (uint32_t first = 0; first < 64; first += per_phase) {
        uint64_t words[32 * 33];
        uint32_t n = 0;
        for (uint32_t lane = first; lane < first + per_phase && lane < 64;
             lane++) {
            if ((access->mask >> lane & 1) == 0) {
                continue;
            }
            uint64_t at = naive_address(access, lane, n_before++);
            for (uint32_t b = 0; b < access->width; b++) {
                uint64_t word = (at + b) / banks->width_bytes;
                if (b == 0 || words[n - 1] != word) {
                    words[n++] = word;
                }
            }
        }
        total += naive_phase(banks, words, n);
        *ideal += n != 0;
    }
    return total;
}

Test(banks, equals_counting_words_on_random_warps)
{
    static const wm_banks kinds[] = {{32, 4}, {32, 4}, {32, 8}, {16, 4},
                                     {64, 4}, {12, 4}, {1, 4},  {64, 8},
                                     {2, 8},  {32, 4}};
    static uint32_t lanes[128];
    for (uint64_t seed = 1; seed <= 600000; seed++) {
        wm_rng rng = {seed};
        wm_access access = random_access(&rng, lanes);
        const wm_banks *banks = &kinds[wm_rng_below(&rng, 10)];
        uint32_t ideal = 0;
        uint32_t naive_ideal = 0;
        uint32_t n = wm_bank_wavefronts(banks, &access, &ideal);
        uint32_t wanted = naive_wavefronts(banks, &access, &naive_ideal);
        cr_assert(n == wanted && ideal == naive_ideal,
                  "seed %llu: %u of %u, want %u of %u; banks %u x %u, form %u "
                  "base %llx mask %llx stride %lld width %u",
                  (unsigned long long)seed, n, ideal, wanted, naive_ideal,
                  banks->n_banks, banks->width_bytes, access.form,
                  (unsigned long long)access.base,
                  (unsigned long long)access.mask, (long long)access.stride,
                  access.width);
    }
}
