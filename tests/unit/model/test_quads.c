/*
 * test_quads.c -- an L1 of four addresses a cycle: the strides published for
 * an MI210 (two halves of 32 lanes each), and what must not matter.
 */
#include <criterion/criterion.h>

#include "base/rng.h"
#include "model/coalescer/quads.h"
#include "random_access.h"

static const wm_quads mi210 = {4, 64};

static uint32_t affine(int64_t stride, uint32_t width)
{
    wm_access access = {.base = 0x10000,
                        .mask = UINT64_C(0xffffffffffffffff),
                        .stride = stride,
                        .width = width};
    return wm_quad_cycles(&mi210, &access);
}

Test(quads, neighbours_of_4_bytes_go_16_a_cycle)
{
    cr_assert_eq(affine(4, 4), 4);
    cr_assert_eq(affine(0, 4), 4);
}

Test(quads, a_stride_of_two_words_costs_more_than_one_of_three)
{
    /* gpu-benches: 16.1 and 8.1 cycles per 32 lanes. */
    cr_assert_eq(affine(8, 4), 32);
    cr_assert_eq(affine(12, 4), 16);
}

Test(quads, a_stride_of_four_words_goes_lane_by_lane)
{
    cr_assert_eq(affine(16, 4), 64);
    cr_assert_eq(affine(32, 4), 64);
}

Test(quads, eight_bytes_go_four_lanes_a_cycle_up_to_a_stride_of_a_line)
{
    cr_assert_eq(affine(8, 8), 16);
    cr_assert_eq(affine(24, 8), 16);
    cr_assert_eq(affine(32, 8), 32);
    cr_assert_eq(affine(64, 8), 64);
    cr_assert_eq(affine(72, 8), 16);
}

Test(quads, sixteen_bytes_side_by_side_fill_the_data_path)
{
    cr_assert_eq(affine(16, 16), 16);
}

Test(quads, no_active_lane_takes_no_cycle_and_one_takes_one)
{
    wm_access access = {.base = 0x1000, .stride = 4, .width = 4};
    cr_assert_eq(wm_quad_cycles(&mi210, &access), 0);
    access.mask = UINT64_C(1) << 37;
    cr_assert_eq(wm_quad_cycles(&mi210, &access), 1);
}

/* Moved by a multiple of all tag banks, the same lines meet. */
Test(quads, a_move_by_four_lines_changes_nothing)
{
    for (uint64_t seed = 1; seed <= 20000; seed++) {
        wm_rng rng = {seed};
        uint32_t lanes[2 * WM_ACCESS_LANES_MAX];
        wm_access access = {.base = wm_rng_below(&rng, 1u << 20),
                            .mask = random_mask(&rng),
                            .lanes = lanes,
                            .width = 1u << wm_rng_below(&rng, 5),
                            .form = WM_ACCESS_LIST32};
        for (uint32_t i = 0; i < WM_ACCESS_LANES_MAX; i++) {
            lanes[i] = wm_rng_below(&rng, seed % 2 == 0 ? 4096 : 64);
        }
        const uint32_t before = wm_quad_cycles(&mi210, &access);
        access.base += 256 * (1 + wm_rng_below(&rng, 1000));
        const uint32_t after = wm_quad_cycles(&mi210, &access);
        cr_assert_eq(after, before, "seed %llu: %u, then %u",
                     (unsigned long long)seed, before, after);
    }
}
