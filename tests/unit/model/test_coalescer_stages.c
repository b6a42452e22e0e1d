/*
 * test_coalescer_stages.c -- what a load costs in the L1's tag and data
 * stages, against the table fitted to hardware counters.
 */
#include <criterion/criterion.h>

#include "base/rng.h"
#include "config/config.h"
#include "model/coalescer/banks.h"
#include "model/coalescer/coalescer.h"

#define FULL_WARP UINT64_C(0xffffffff)
#define BASE      UINT64_C(0x7f0000000000)

static const wm_banks banks = {32, 4};

static wm_coalesced out;

static const wm_coalesced *coalesced(const wm_access *access)
{
    wm_coalescer coalescer;
    cr_assert_eq(wm_coalescer_init(&coalescer, 128, 32, WM_COALESCE_SECTOR, 128,
                                   0, 4, NULL),
                 WM_OK);
    wm_coalesce(&coalescer, access, false, &out);
    return &out;
}

/*
 * Wavefronts of the data banks (D) and tag banks (T) and the cycles they
 * cost, max(D, T), as averages over the positions of gpu-benches' patterns
 * (A100, A40, H200 counters).
 */
typedef struct stage_row {
    uint32_t width; /* bytes of an element */
    uint32_t x;     /* stride in elements, or block width */
    double data, tags, cycles;
} stage_row;

static const stage_row stride_rows[] = {
    {4, 0, 1, 1, 1},
    {4, 1, 1, 1, 1},
    {4, 2, 2, 1, 2},
    {4, 3, 1, 1.438, 1.438},
    {4, 4, 4, 1.875, 4},
    {4, 5, 1, 2, 2},
    {4, 6, 2, 2.375, 2.375},
    {4, 7, 1, 2.5, 2.5},
    {4, 8, 8, 2.75, 8},
    {4, 9, 1, 3, 3},
    {4, 10, 2, 3.312, 3.312},
    {4, 12, 4, 3.625, 4},
    {4, 15, 1, 4.25, 4.25},
    {4, 16, 16, 4.5, 16},
    {4, 17, 1, 5, 5},
    {4, 20, 4, 5.375, 5.375},
    {4, 24, 8, 6.25, 8},
    {4, 31, 1, 8.5, 8.5},
    {4, 32, 32, 8, 32},
    {4, 33, 1, 8.812, 8.812},
    {4, 40, 8, 9.75, 9.75},
    {4, 48, 16, 10.25, 16},
    {4, 53, 1, 10.812, 10.812},
    {4, 64, 32, 8, 32},
    {8, 0, 2, 1, 2},
    {8, 1, 2, 1, 2},
    {8, 2, 4, 1.875, 4},
    {8, 3, 2, 2.375, 2.375},
    {8, 4, 8, 2.875, 8},
    {8, 5, 2, 3.25, 3.25},
    {8, 8, 16, 4.75, 16},
    {8, 9, 2, 5.125, 5.125},
    {8, 12, 8, 6.438, 8},
    {8, 15, 2, 8, 8},
    {8, 16, 32, 8.5, 32},
    {8, 24, 16, 10.375, 16},
    {8, 32, 32, 8, 32},
    {8, 40, 16, 13.125, 16},
    {8, 48, 32, 13.25, 32},
    {8, 64, 32, 8, 32},
};

static const stage_row block_rows[] = {
    {4, 1, 2, 9, 9},     {4, 2, 1, 4.875, 4.875}, {4, 4, 2, 3.188, 3.188},
    {4, 8, 4, 2.062, 4}, {4, 16, 2, 1.32, 2},     {4, 32, 1, 1, 1},
    {4, 64, 1, 1, 1},    {8, 1, 4, 9, 9},         {8, 2, 2, 4.875, 4.875},
    {8, 4, 4, 3.188, 4}, {8, 8, 4, 2.234, 4},     {8, 16, 2, 1.367, 2},
    {8, 32, 2, 1, 2},    {8, 64, 2, 1, 2},
};

typedef struct stage_sum {
    double data, tags, cycles;
    uint32_t n;
} stage_sum;

/* Adds one warp load of the element indices. */
static void sum_load(stage_sum *sum, const uint32_t *index, uint32_t width)
{
    uint32_t lanes[32];
    for (uint32_t t = 0; t < 32; t++) {
        lanes[t] = index[t] * width;
    }
    wm_access access = {.base = BASE,
                        .mask = FULL_WARP,
                        .lanes = lanes,
                        .width = width,
                        .form = WM_ACCESS_LIST32};
    double tags = coalesced(&access)->n_tag_wavefronts;
    double data = wm_bank_wavefronts(&banks, &access, NULL);
    sum->data += data;
    sum->tags += tags;
    sum->cycles += data > tags ? data : tags;
    sum->n++;
}

static void expect_row(const stage_row *row, const stage_sum *sum)
{
    cr_assert_float_eq(sum->data / sum->n, row->data, 1e-9,
                       "data wavefronts of %u B, x %u: %f", row->width, row->x,
                       sum->data / sum->n);
    cr_assert_float_eq(sum->tags / sum->n, row->tags, 6e-4,
                       "tag wavefronts of %u B, x %u: %f", row->width, row->x,
                       sum->tags / sum->n);
    cr_assert_float_eq(sum->cycles / sum->n, row->cycles, 6e-4,
                       "cycles of %u B, x %u: %f", row->width, row->x,
                       sum->cycles / sum->n);
}

Test(coalescer_stages, strides_cost_what_the_hardware_table_says)
{
    for (size_t r = 0; r < sizeof(stride_rows) / sizeof(*stride_rows); r++) {
        stage_sum sum = {0, 0, 0, 0};
        for (uint32_t k = 0; k < 16; k++) {
            uint32_t index[32];
            for (uint32_t t = 0; t < 32; t++) {
                index[t] = (k / 8 * 32 + t) % 64 * stride_rows[r].x + k % 8 * 4;
            }
            sum_load(&sum, index, stride_rows[r].width);
        }
        expect_row(&stride_rows[r], &sum);
    }
}

Test(coalescer_stages, blocks_cost_what_the_hardware_table_says)
{
    for (size_t r = 0; r < sizeof(block_rows) / sizeof(*block_rows); r++) {
        stage_sum sum = {0, 0, 0, 0};
        for (uint32_t k = 0; k < 256; k++) {
            uint32_t index[32];
            for (uint32_t t = 0; t < 32; t++) {
                uint32_t lin = k / 8 * 32 + t;
                index[t] = lin % block_rows[r].x % 64 +
                           lin / block_rows[r].x % 32 * 4098 + 4098 + k % 8 * 4;
            }
            sum_load(&sum, index, block_rows[r].width);
        }
        expect_row(&block_rows[r], &sum);
    }
}

Test(coalescer_stages, stride_9_is_cheaper_than_stride_8_for_equal_sectors)
{
    wm_access access = {
        .base = BASE, .mask = FULL_WARP, .stride = 32, .width = 4};
    cr_assert_eq(coalesced(&access)->n_sectors, 32);
    cr_assert_eq(wm_bank_wavefronts(&banks, &access, NULL), 8);
    access.stride = 36;
    cr_assert_eq(coalesced(&access)->n_sectors, 32);
    cr_assert_eq(wm_bank_wavefronts(&banks, &access, NULL), 1);
    cr_assert_eq(out.n_tag_wavefronts, 3);
}

Test(coalescer, runs_of_lines_fill_the_tag_banks_as_their_lines_do)
{
    const uint64_t seed = 3;
    wm_rng rng = {seed};
    for (uint32_t i = 0; i < 50000; i++) {
        uint64_t lines[64];
        const uint32_t n = 1 + wm_rng_below(&rng, 64);
        const uint64_t first = wm_rng_next(&rng) >> (8 + i % 56);
        const bool is_falling = wm_rng_below(&rng, 2) != 0;
        const uint32_t step = wm_rng_below(&rng, 8) == 0 ? 3 : 1;
        for (uint32_t k = 0; k < n; k++) {
            lines[k] = first + step * (uint64_t)(is_falling ? n - 1 - k : k);
        }
        cr_assert_eq(wm_tag_wavefronts_sorted(4, lines, n),
                     wm_tag_wavefronts(4, lines, n), "seed %llu, run %u",
                     (unsigned long long)seed, i);
    }
}
