/*
 * test_pattern.c -- what kind of access is made, and what it would be ideally.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "model/coalescer/coalescer.h"
#include "model/coalescer/pattern.h"

static wm_coalescer coalescer;

static void setup(void)
{
    wm_error err;
    cr_assert_eq(wm_coalescer_init(&coalescer, 128, 32, 0, 32, 0, 4, &err),
                 WM_OK);
}

TestSuite(pattern, .init = setup);

static uint32_t sectors_of(const wm_access *access)
{
    static wm_coalesced found;
    wm_coalesce(&coalescer, access, false, &found);
    return found.n_sectors;
}

static wm_access_shape shape_of(const wm_access *access)
{
    return wm_access_classify(access, sectors_of(access), 32);
}

static wm_access affine(uint64_t base, int64_t stride, uint64_t mask)
{
    return (wm_access){
        .base = base, .mask = mask, .stride = stride, .width = 4};
}

static void expect(const wm_access *access, const char *class, uint32_t ideal)
{
    const wm_access_shape shape = shape_of(access);
    cr_expect_str_eq(wm_access_class_name(shape.class), class);
    cr_expect_eq(shape.ideal_sectors, ideal, "%s: %u", class,
                 shape.ideal_sectors);
}

Test(pattern, affine_accesses_have_the_class_of_their_step)
{
    const wm_access off = affine(0x1000, 4, 0);
    const wm_access one = affine(0x1000, 4, 0x100);
    const wm_access same = affine(0x1000, 0, 0xffffffff);
    const wm_access whole = affine(0x1000, 4, 0xffffffff);
    const wm_access falling = affine(0x107c, -4, 0xffffffff);
    const wm_access shifted = affine(0x1004, 4, 0xffffffff);
    const wm_access pairs = affine(0x1000, 8, 0xffffffff);
    const wm_access column = affine(0x1000, 4096, 0xffffffff);
    expect(&off, "off", 0);
    expect(&one, "one lane", 1);
    expect(&same, "broadcast", 1);
    expect(&whole, "coalesced", 4);
    expect(&falling, "coalesced", 4);
    expect(&shifted, "misaligned", 4);
    expect(&pairs, "strided", 4);
    expect(&column, "strided", 4);
    cr_expect_eq(shape_of(&pairs).stride, 8);
    cr_expect_eq(shape_of(&column).stride, 4096);
}

Test(pattern, lists_are_gathers_unless_they_fill_their_sectors)
{
    uint32_t order[32], far[32];
    for (uint32_t i = 0; i < 32; i++) {
        order[i] = (i ^ 5) * 4;
        far[i] = (i * i) * 64;
    }
    const wm_access permuted = {.base = 0x1000,
                                .mask = 0xffffffff,
                                .lanes = order,
                                .width = 4,
                                .form = WM_ACCESS_LIST32};
    const wm_access scattered = {.base = 0x1000,
                                 .mask = 0xffffffff,
                                 .lanes = far,
                                 .width = 4,
                                 .form = WM_ACCESS_LIST32};
    expect(&permuted, "coalesced", 4);
    expect(&scattered, "gather", 4);
}

Test(pattern, duplicates_count_once)
{
    uint32_t twice[32];
    for (uint32_t i = 0; i < 32; i++) {
        twice[i] = i / 2 * 4;
    }
    const wm_access access = {.base = 0x1000,
                              .mask = 0xffffffff,
                              .lanes = twice,
                              .width = 4,
                              .form = WM_ACCESS_LIST32};
    cr_expect_eq(shape_of(&access).unique_bytes, 64);
    expect(&access, "coalesced", 2);
}

Test(pattern, an_idealized_access_touches_the_ideal_number_of_sectors)
{
    const int64_t steps[] = {8, 12, 64, 128, 4096, 5000, -4096, 4};
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        wm_access access = affine(0x100004, steps[i], 0xffffffff);
        const wm_access_shape shape = shape_of(&access);
        wm_access_idealize(&access, &shape, 128);
        cr_expect_eq(sectors_of(&access), shape.ideal_sectors, "step %d",
                     (int)steps[i]);
    }
}

Test(pattern, a_turned_tile_covers_what_the_columns_covered)
{
    /* 32 warps, each down one column of a tile of 32 rows of 4096 bytes:
     * turned, every row of the tile is taken once. */
    uint64_t seen = 0;
    for (uint64_t column = 0; column < 32; column++) {
        wm_access access = affine(0x100080 + column * 4, 4096, 0xffffffff);
        const wm_access_shape shape = shape_of(&access);
        wm_access_idealize(&access, &shape, 128);
        cr_expect_eq((access.base - 0x100080) % 4096, 0);
        seen |= UINT64_C(1) << (access.base - 0x100080) / 4096;
    }
    cr_expect_eq(seen, 0xffffffff);
}

Test(pattern, only_what_changes_lanes_needs_staging)
{
    const int64_t steps[] = {0, 4, 8, 124, 128, 4096, -4096, -8};
    const bool wanted[] = {false, false, false, false, true, true, true, false};
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        const wm_access access = affine(0x1000, steps[i], 0xffffffff);
        const wm_access_shape shape = shape_of(&access);
        cr_expect_eq(wm_access_needs_staging(&shape, 128), wanted[i], "step %d",
                     (int)steps[i]);
    }
    const wm_access shifted = affine(0x1004, 4, 0xffffffff);
    const wm_access_shape misaligned = shape_of(&shifted);
    cr_expect_not(wm_access_needs_staging(&misaligned, 128));
    uint32_t far[32];
    for (uint32_t i = 0; i < 32; i++) {
        far[i] = (i * i) * 64;
    }
    const wm_access scattered = {.base = 0x1000,
                                 .mask = 0xffffffff,
                                 .lanes = far,
                                 .width = 4,
                                 .form = WM_ACCESS_LIST32};
    const wm_access_shape gather = shape_of(&scattered);
    cr_expect(wm_access_needs_staging(&gather, 128));
}
