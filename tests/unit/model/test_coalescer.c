/*
 * test_coalescer.c -- the textbook cases of coalescing.
 */
#include <criterion/criterion.h>

#include "config/config.h"
#include "model/coalescer/coalescer.h"

#define FULL_WARP UINT64_C(0xffffffff)
#define BASE      UINT64_C(0x7f0000000000)

static wm_coalesced out;

static wm_coalescer coalescer_of(uint32_t mode, uint64_t segment,
                                 uint32_t split)
{
    wm_coalescer coalescer;
    cr_assert_eq(
        wm_coalescer_init(&coalescer, 128, 32, mode, segment, split, 4, NULL),
        WM_OK);
    return coalescer;
}

static const wm_coalesced *run(uint32_t mode, uint64_t segment, uint32_t split,
                               const wm_access *access, bool is_store)
{
    wm_coalescer coalescer = coalescer_of(mode, segment, split);
    wm_coalesce(&coalescer, access, is_store, &out);
    return &out;
}

static const wm_coalesced *load(uint64_t base, int64_t stride, uint32_t width)
{
    wm_access access = {
        .base = base, .mask = FULL_WARP, .stride = stride, .width = width};
    return run(WM_COALESCE_SECTOR, 128, 0, &access, false);
}

static const wm_coalesced *load_lines(uint64_t base, int64_t stride)
{
    wm_access access = {
        .base = base, .mask = FULL_WARP, .stride = stride, .width = 4};
    return run(WM_COALESCE_LINE, 128, 0, &access, false);
}

static const wm_coalesced *store(uint64_t base, uint64_t mask, int64_t stride,
                                 uint32_t width)
{
    wm_access access = {
        .base = base, .mask = mask, .stride = stride, .width = width};
    return run(WM_COALESCE_SECTOR, 128, 0, &access, true);
}

Test(coalescer, consecutive_words_take_4_sectors_of_one_line)
{
    const wm_coalesced *c = load(BASE, 4, 4);
    cr_assert_eq(c->n_transactions, 4);
    cr_assert_eq(c->n_sectors, 4);
    cr_assert_eq(c->n_lines, 1);
    cr_assert_eq(c->n_lanes, 32);
    cr_assert_eq(c->n_tag_wavefronts, 1);
    cr_assert_eq(c->line[0], BASE / 128);
    cr_assert_eq(c->sectors[0], 0xf);
}

Test(coalescer, stride_of_8_bytes_takes_8_sectors)
{
    cr_assert_eq(load(BASE, 8, 4)->n_transactions, 8);
}

Test(coalescer, stride_of_16_bytes_takes_16_sectors)
{
    cr_assert_eq(load(BASE, 16, 4)->n_transactions, 16);
}

Test(coalescer, stride_of_32_bytes_gives_32_sectors)
{
    cr_assert_eq(load(BASE, 32, 4)->n_transactions, 32);
}

Test(coalescer, stride_of_4096_bytes_gives_32_sectors_in_32_lines)
{
    const wm_coalesced *c = load(BASE, 4096, 4);
    cr_assert_eq(c->n_transactions, 32);
    cr_assert_eq(c->n_lines, 32);
}

Test(coalescer, one_address_for_all_lanes_is_one_sector)
{
    cr_assert_eq(load(BASE, 0, 4)->n_transactions, 1);
}

Test(coalescer, consecutive_words_off_by_4_bytes_take_5_sectors)
{
    const wm_coalesced *c = load(BASE + 4, 4, 4);
    cr_assert_eq(c->n_transactions, 5);
    cr_assert_eq(c->n_lines, 2);
}

Test(coalescer, stride_of_s_words_takes_4_s_sectors_up_to_8_and_32_beyond)
{
    for (uint32_t s = 1; s <= 64; s++) {
        uint32_t wanted = s <= 8 ? 4 * s : 32;
        cr_assert_eq(load(BASE, 4 * (int64_t)s, 4)->n_transactions, wanted,
                     "stride of %u words", s);
    }
}

Test(coalescer, ideal_sectors_are_4_8_and_16_for_4_8_and_16_bytes)
{
    cr_assert_eq(load(BASE, 4, 4)->n_sectors, 4);
    cr_assert_eq(load(BASE, 8, 8)->n_sectors, 8);
    cr_assert_eq(load(BASE, 16, 16)->n_sectors, 16);
}

Test(coalescer, sixteen_bytes_per_lane_take_4_whole_lines)
{
    const wm_coalesced *c = load(BASE, 16, 16);
    cr_assert_eq(c->n_lines, 4);
    for (uint32_t i = 0; i < 4; i++) {
        cr_assert_eq(c->line[i], BASE / 128 + i);
        cr_assert_eq(c->sectors[i], 0xf);
    }
}

Test(coalescer, sixteen_bytes_every_32_take_32_sectors)
{
    cr_assert_eq(load(BASE, 32, 16)->n_sectors, 32);
}

Test(coalescer, upper_half_moved_by_256_bytes_still_takes_16_sectors)
{
    uint32_t lanes[32];
    for (uint32_t i = 0; i < 32; i++) {
        lanes[i] = 16 * i + (i >= 16 ? 256 : 0);
    }
    wm_access access = {.base = BASE,
                        .mask = FULL_WARP,
                        .lanes = lanes,
                        .width = 16,
                        .form = WM_ACCESS_LIST32};
    const wm_coalesced *c = run(WM_COALESCE_SECTOR, 128, 0, &access, false);
    cr_assert_eq(c->n_sectors, 16);
    cr_assert_eq(c->n_lines, 4);
}

Test(coalescer, permuted_lanes_coalesce_as_well_as_rising_ones)
{
    uint32_t lanes[32];
    for (uint32_t i = 0; i < 32; i++) {
        lanes[i] = 4 * (i * 13 % 32);
    }
    wm_access access = {.base = BASE,
                        .mask = FULL_WARP,
                        .lanes = lanes,
                        .width = 4,
                        .form = WM_ACCESS_LIST32};
    const wm_coalesced *c = run(WM_COALESCE_SECTOR, 128, 0, &access, false);
    cr_assert_eq(c->n_sectors, 4);
    cr_assert_eq(c->n_entries, 1);
}

Test(coalescer, inactive_lanes_add_nothing)
{
    wm_access access = {.base = BASE, .mask = 0xff, .stride = 4, .width = 4};
    const wm_coalesced *c = run(WM_COALESCE_SECTOR, 128, 0, &access, false);
    cr_assert_eq(c->n_sectors, 1);
    cr_assert_eq(c->n_lanes, 8);
}

Test(coalescer, no_active_lane_gives_zeros_after_a_full_warp)
{
    (void)load(BASE, 32, 4);
    wm_access access = {.base = BASE, .stride = 4, .width = 4};
    const wm_coalesced *c = run(WM_COALESCE_SECTOR, 128, 0, &access, true);
    cr_assert_eq(c->n_entries + c->n_sectors + c->n_lines + c->n_transactions +
                     c->n_tag_wavefronts + c->n_lanes,
                 0);
    cr_assert_not(c->is_partial);
}

Test(coalescer, falling_stride_gives_falling_lines)
{
    const wm_coalesced *c = load(BASE + 31 * 128, -128, 4);
    for (uint32_t i = 0; i < 32; i++) {
        cr_assert_eq(c->line[i], BASE / 128 + 31 - i);
    }
}

Test(coalescer, a_warp_wraps_at_the_end_of_memory)
{
    const wm_coalesced *c = load(0 - UINT64_C(64), 4, 4);
    cr_assert_eq(c->n_lines, 2);
    cr_assert_eq(c->line[0], UINT64_MAX >> 7);
    cr_assert_eq(c->sectors[0], 0xc);
    cr_assert_eq(c->line[1], 0);
    cr_assert_eq(c->sectors[1], 0x3);
}

Test(coalescer, wave64_of_words_takes_8_sectors_in_2_lines)
{
    wm_access access = {
        .base = BASE, .mask = ~UINT64_C(0), .stride = 4, .width = 4};
    const wm_coalesced *c = run(WM_COALESCE_SECTOR, 128, 0, &access, false);
    cr_assert_eq(c->n_sectors, 8);
    cr_assert_eq(c->n_lines, 2);
    cr_assert_eq(c->n_lanes, 64);
}

Test(coalescer, a_wide_lane_over_a_line_end_takes_both_lines)
{
    wm_access access = {.base = 0x1078, .mask = 1, .width = 16};
    const wm_coalesced *c = run(WM_COALESCE_SECTOR, 128, 0, &access, false);
    cr_assert_eq(c->n_sectors, 2);
    cr_assert_eq(c->n_lines, 2);
}

Test(coalescer, wide_lanes_off_by_8_bytes_take_17_sectors_in_5_lines)
{
    const wm_coalesced *c = load(0x1008, 16, 16);
    cr_assert_eq(c->n_sectors, 17);
    cr_assert_eq(c->n_lines, 5);
}

Test(coalescer, consecutive_bytes_are_one_sector)
{
    cr_assert_eq(load(0x1000, 1, 1)->n_sectors, 1);
}

Test(coalescer, addresses_4_gib_apart_do_not_alias)
{
    wm_access access = {.base = UINT64_C(0x7f2000000000),
                        .mask = 3,
                        .stride = INT64_C(0x100000000),
                        .width = 4};
    const wm_coalesced *c = run(WM_COALESCE_SECTOR, 128, 0, &access, false);
    cr_assert_eq(c->n_sectors, 2);
    cr_assert_eq(c->n_lines, 2);
}

Test(coalescer, rotated_lanes_with_repeats_take_3_sectors_of_2_lines)
{
    uint32_t lanes[32];
    for (uint32_t i = 0; i < 32; i++) {
        lanes[i] = 0x850 + (64 + 4 * i) % 80;
    }
    wm_access access = {.base = UINT64_C(0x7ff412a00000),
                        .mask = FULL_WARP,
                        .lanes = lanes,
                        .width = 4,
                        .form = WM_ACCESS_LIST32};
    const wm_coalesced *c = run(WM_COALESCE_SECTOR, 128, 0, &access, false);
    cr_assert_eq(c->n_sectors, 3);
    cr_assert_eq(c->n_lines, 2);
}

Test(coalescer_line, consecutive_words_are_one_128_byte_transaction)
{
    const wm_coalesced *c = load_lines(BASE, 4);
    cr_assert_eq(c->n_transactions, 1);
    cr_assert_eq(c->n_sectors, 4);
}

Test(coalescer_line, misaligned_consecutive_words_are_two)
{
    const wm_coalesced *c = load_lines(BASE + 4, 4);
    cr_assert_eq(c->n_transactions, 2);
    cr_assert_eq(c->n_sectors, 8);
}

Test(coalescer_line, stride_of_a_line_gives_32)
{
    const wm_coalesced *c = load_lines(BASE, 128);
    cr_assert_eq(c->n_transactions, 32);
    cr_assert_eq(c->n_sectors, 128);
}

static uint32_t segments(uint64_t base, int64_t stride, uint64_t segment)
{
    wm_access access = {
        .base = base, .mask = FULL_WARP, .stride = stride, .width = 4};
    return run(WM_COALESCE_SEGMENT, segment, 0, &access, false)->n_transactions;
}

Test(coalescer_segment, consecutive_words_take_128_over_the_segment_size)
{
    cr_assert_eq(segments(BASE, 4, 32), 4);
    cr_assert_eq(segments(BASE, 4, 64), 2);
    cr_assert_eq(segments(BASE, 4, 128), 1);
}

Test(coalescer_segment, misaligned_words_take_one_segment_more)
{
    cr_assert_eq(segments(BASE + 4, 4, 32), 5);
    cr_assert_eq(segments(BASE + 4, 4, 64), 3);
    cr_assert_eq(segments(BASE + 4, 4, 128), 2);
}

Test(coalescer_segment, one_word_in_64_byte_segments_fetches_two_sectors)
{
    wm_access access = {.base = BASE + 68, .mask = 1, .width = 4};
    const wm_coalesced *c = run(WM_COALESCE_SEGMENT, 64, 0, &access, false);
    cr_assert_eq(c->n_transactions, 1);
    cr_assert_eq(c->n_sectors, 2);
    cr_assert_eq(c->sectors[0], 0xc);
}

Test(coalescer_split, half_warps_of_consecutive_words_do_not_merge)
{
    wm_access access = {
        .base = BASE, .mask = FULL_WARP, .stride = 4, .width = 4};
    const wm_coalesced *c = run(WM_COALESCE_SECTOR, 128, 16, &access, false);
    cr_assert_eq(c->n_entries, 2);
    cr_assert_eq(c->n_lines, 1);
    cr_assert_eq(c->n_sectors, 4);
    cr_assert_eq(c->sectors[0], 0x3);
    cr_assert_eq(c->sectors[1], 0xc);
    cr_assert_eq(c->n_tag_wavefronts, 2);
}

Test(coalescer_split, half_warp_lines_of_fermi_doubles_are_two)
{
    wm_access access = {
        .base = BASE, .mask = FULL_WARP, .stride = 8, .width = 8};
    const wm_coalesced *c = run(WM_COALESCE_LINE, 128, 16, &access, false);
    cr_assert_eq(c->n_transactions, 2);
}

/* out[x * 1024 + y] from a 16 x 16 block: a warp writes 16 columns of two
 * neighbouring words each, 32 sectors on TITAN X (Pascal), where stores are
 * split by half-warps, and 16 on V100 (gpucachesim; public V100 notes). */
static const wm_coalesced *transpose_store(uint32_t split)
{
    uint32_t lanes[32];
    for (uint32_t i = 0; i < 32; i++) {
        lanes[i] = (i % 16 * 1024 + i / 16) * 4;
    }
    wm_access access = {.base = BASE,
                        .mask = FULL_WARP,
                        .lanes = lanes,
                        .width = 4,
                        .form = WM_ACCESS_LIST32};
    return run(WM_COALESCE_SECTOR, 128, split, &access, true);
}

Test(coalescer_split, pascal_transpose_store_writes_32_sectors)
{
    cr_assert_eq(transpose_store(16)->n_sectors, 32);
}

Test(coalescer_split, volta_transpose_store_writes_16_sectors)
{
    cr_assert_eq(transpose_store(0)->n_sectors, 16);
}

Test(coalescer_store, whole_sectors_are_full)
{
    const wm_coalesced *c = store(BASE, FULL_WARP, 4, 4);
    cr_assert_eq(c->full[0], 0xf);
    cr_assert_not(c->is_partial);
}

Test(coalescer_store, a_misaligned_store_is_partial_at_both_ends)
{
    const wm_coalesced *c = store(BASE + 4, FULL_WARP, 4, 4);
    cr_assert(c->is_partial);
    cr_assert_eq(c->full[0], 0xe);
    cr_assert_eq(c->full[1], 0);
    cr_assert_eq(c->bytes[0][0], ~UINT64_C(0xf));
    cr_assert_eq(c->bytes[0][1], ~UINT64_C(0));
    cr_assert_eq(c->bytes[1][0], 0xf);
    cr_assert_eq(c->bytes[1][1], 0);
}

Test(coalescer_store, a_missing_lane_leaves_its_bytes_out)
{
    const wm_coalesced *c = store(BASE, FULL_WARP & ~UINT64_C(0x10), 4, 4);
    cr_assert(c->is_partial);
    cr_assert_eq(c->full[0], 0xe);
    cr_assert_eq(c->bytes[0][0], ~UINT64_C(0xf0000));
}

Test(coalescer_store, strided_words_fill_no_sector)
{
    const wm_coalesced *c = store(BASE, FULL_WARP, 32, 4);
    cr_assert_eq(c->n_sectors, 32);
    cr_assert(c->is_partial);
    for (uint32_t i = 0; i < c->n_entries; i++) {
        cr_assert_eq(c->full[i], 0);
        cr_assert_eq(c->bytes[i][0], 0x0000000f0000000f);
    }
}

Test(coalescer_atomic, one_address_serialises_every_lane)
{
    wm_access access = {.base = BASE, .mask = 0xffff0f, .width = 4};
    cr_assert_eq(wm_same_address_lanes(&access), 20);
}

Test(coalescer_atomic, distinct_addresses_do_not_serialise)
{
    wm_access access = {
        .base = BASE, .mask = FULL_WARP, .stride = 4, .width = 4};
    cr_assert_eq(wm_same_address_lanes(&access), 1);
}

Test(coalescer_atomic, a_histogram_serialises_by_its_fullest_bin)
{
    const uint32_t lanes[8] = {0, 4, 8, 4, 4, 12, 0, 4};
    wm_access access = {.base = BASE,
                        .mask = 0xff,
                        .lanes = lanes,
                        .width = 4,
                        .form = WM_ACCESS_LIST32};
    cr_assert_eq(wm_same_address_lanes(&access), 4);
}

Test(coalescer_atomic, no_lane_gives_0)
{
    wm_access access = {.base = BASE, .width = 4};
    cr_assert_eq(wm_same_address_lanes(&access), 0);
}

static void expect_refused(uint64_t line, uint64_t sector, uint32_t mode,
                           uint64_t segment, uint32_t split, uint32_t banks,
                           const char *text)
{
    wm_coalescer coalescer;
    wm_error err;
    cr_assert_eq(wm_coalescer_init(&coalescer, line, sector, mode, segment,
                                   split, banks, &err),
                 WM_ECONFIG);
    cr_assert_str_eq(err.text, text);
}

Test(coalescer, impossible_geometries_are_refused_with_their_key)
{
    uint32_t mode = WM_COALESCE_SEGMENT;
    expect_refused(96, 32, mode, 128, 0, 4,
                   "l1.line: 96 B, want 32 B, 64 B or 128 B to coalesce");
    expect_refused(256, 32, mode, 128, 0, 4,
                   "l1.line: 256 B, want 32 B, 64 B or 128 B to coalesce");
    expect_refused(128, 16, mode, 128, 0, 4,
                   "l1.sector: 16 B, want 32 B, 64 B or 128 B to coalesce");
    expect_refused(64, 128, mode, 64, 0, 4,
                   "l1.sector: 128 B, want at most l1.line (64 B)");
    expect_refused(64, 32, mode, 128, 0, 4,
                   "coalescer.segment: 128 B, want at most l1.line (64 B)");
    expect_refused(128, 32, 3, 128, 0, 4,
                   "coalescer.mode: number 3, want 0 to 2");
    expect_refused(128, 32, mode, 128, 65, 4,
                   "coalescer.split: 65, want 0 to 64");
    expect_refused(128, 32, mode, 128, 0, 0, "l1.tag_banks: 0, want 1 to 64");
}
