/*
 * test_access.c -- lane addresses of every form.
 */
#include <criterion/criterion.h>

#include "model/access.h"

Test(access, affine_counts_strides_from_the_lowest_active_lane)
{
    uint64_t at[WM_ACCESS_LANES_MAX];
    wm_access access = {.base = 0x1000, .mask = 0xb0, .stride = 16, .width = 4};
    cr_assert_eq(wm_access_expand(&access, at), 3);
    cr_assert_eq(at[0], 0x1000);
    cr_assert_eq(at[1], 0x1010);
    cr_assert_eq(at[2], 0x1030);
}

Test(access, affine_over_64_lanes_falls_and_wraps)
{
    uint64_t at[WM_ACCESS_LANES_MAX];
    wm_access access = {
        .base = 8, .mask = ~UINT64_C(0), .stride = -4, .width = 4};
    cr_assert_eq(wm_access_expand(&access, at), 64);
    cr_assert_eq(at[2], 0);
    cr_assert_eq(at[3], UINT64_MAX - 3);
    cr_assert_eq(at[63], UINT64_MAX - 243);
}

Test(access, list32_offsets_are_signed)
{
    uint64_t at[WM_ACCESS_LANES_MAX];
    const uint32_t lanes[2] = {5, UINT32_C(0xffffffff)};
    wm_access access = {.base = 0x100000000,
                        .mask = 0x11,
                        .lanes = lanes,
                        .width = 4,
                        .form = WM_ACCESS_LIST32};
    cr_assert_eq(wm_access_expand(&access, at), 2);
    cr_assert_eq(at[0], 0x100000005);
    cr_assert_eq(at[1], 0xffffffff);
}

Test(access, list64_joins_low_and_high_halves)
{
    uint64_t at[WM_ACCESS_LANES_MAX];
    const uint32_t lanes[4] = {1, 2, 3, UINT32_C(0x80000000)};
    wm_access access = {
        .mask = 0x3, .lanes = lanes, .width = 8, .form = WM_ACCESS_LIST64};
    cr_assert_eq(wm_access_expand(&access, at), 2);
    cr_assert_eq(at[0], 0x200000001);
    cr_assert_eq(at[1], 0x8000000000000003);
}

Test(access, empty_mask_has_no_lanes)
{
    uint64_t at[WM_ACCESS_LANES_MAX];
    wm_access access = {.base = 1, .stride = 4, .width = 4};
    cr_assert_eq(wm_access_expand(&access, at), 0);
}
