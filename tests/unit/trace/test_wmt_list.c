/* Lane lists: any values come back, and random ones take their entropy. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/bits.h"
#include "base/rng.h"
#include "trace/wmt_list.h"

typedef struct columns {
    wm_buffer lists, lanes;
} columns;

static void columns_init(columns *c)
{
    wm_buffer_init(&c->lists);
    wm_buffer_init(&c->lanes);
}

static void columns_fini(columns *c)
{
    wm_buffer_fini(&c->lists);
    wm_buffer_fini(&c->lanes);
}

static wm_wmt_cursor all_of(const wm_buffer *buffer, size_t n_bytes)
{
    const uint8_t *bytes = (const uint8_t *)buffer->bytes;
    return (wm_wmt_cursor){bytes, bytes + n_bytes};
}

/* Writes the list and returns what is read back; slack is added last. */
static bool there_and_back(columns *c, const wm_record *record,
                           const uint32_t *pool, uint32_t n, uint32_t *back)
{
    static const uint8_t slack[WM_WMT_LIST_SLACK] = {0xff, 0xff, 0xff};
    wm_wmt_list_write(&c->lists, &c->lanes, record, pool, n);
    size_t n_lists = c->lists.n_bytes;
    size_t n_lanes = c->lanes.n_bytes;
    wm_buffer_add(&c->lanes, slack, sizeof(slack));
    wm_wmt_cursor lists = all_of(&c->lists, n_lists);
    wm_wmt_cursor lanes = all_of(&c->lanes, n_lanes);
    bool is_read = wm_wmt_list_read(&lists, &lanes, record, back, n);
    return is_read && lists.at == lists.end && lanes.at == lanes.end;
}

/* n words with a step of random size and alignment between them. */
static void random_values(wm_rng *rng, const wm_record *record, uint32_t *pool,
                          uint32_t n)
{
    uint32_t n_bits = wm_rng_below(rng, 65);
    uint32_t shift = wm_rng_below(rng, 64 - (n_bits < 63 ? n_bits : 63));
    uint64_t value = wm_rng_below(rng, 2) == 0 ? 0 : wm_rng_next(rng);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t step = wm_rng_next(rng) & wm_low_mask(n_bits);
        value +=
            wm_rng_below(rng, 2) == 0 ? step << shift : 0 - (step << shift);
        if (record->pattern == WM_PATTERN_LIST32) {
            pool[i] = (uint32_t)value;
        } else {
            pool[2 * i] = (uint32_t)(record->base + value);
            pool[2 * i + 1] = (uint32_t)((record->base + value) >> 32);
        }
    }
}

Test(wmt_list, any_values_come_back_bit_for_bit)
{
    for (uint64_t seed = 1; seed <= 20000; seed++) {
        wm_rng rng = {seed};
        uint32_t pool[2 * WM_LANES_MAX];
        uint32_t back[2 * WM_LANES_MAX];
        columns c;
        uint32_t n = 1 + wm_rng_below(&rng, WM_LANES_MAX);
        wm_record record = {.base = wm_rng_next(&rng)};
        record.pattern =
            wm_rng_below(&rng, 2) == 0 ? WM_PATTERN_LIST32 : WM_PATTERN_LIST64;
        random_values(&rng, &record, pool, n);
        columns_init(&c);
        cr_assert(there_and_back(&c, &record, pool, n, back), "seed %llu",
                  (unsigned long long)seed);
        n *= record.pattern == WM_PATTERN_LIST32 ? 1 : 2;
        cr_assert_eq(memcmp(pool, back, n * sizeof(*pool)), 0, "seed %llu",
                     (unsigned long long)seed);
        columns_fini(&c);
    }
}

Test(wmt_list, random_words_of_64_mib_take_at_most_26_bits_a_lane)
{
    wm_rng rng = {7};
    uint32_t pool[32] = {0};
    uint32_t back[32];
    columns c;
    wm_record record = {.pattern = WM_PATTERN_LIST32};
    columns_init(&c);
    for (uint32_t i = 1; i < 32; i++) {
        pool[i] = 4 * wm_rng_below(&rng, 1 << 24) - 4 * (1u << 23);
    }
    cr_assert(there_and_back(&c, &record, pool, 32, back));
    cr_expect_eq(c.lists.n_bytes, 2);
    cr_expect_leq(c.lanes.n_bytes - WM_WMT_LIST_SLACK, (31 * 26 + 7) / 8);
    columns_fini(&c);
}

Test(wmt_list, columns_that_end_early_are_refused)
{
    uint32_t pool[4] = {0, 12, 8, 300};
    uint32_t back[4];
    columns c;
    wm_record record = {.pattern = WM_PATTERN_LIST32};
    columns_init(&c);
    cr_assert(there_and_back(&c, &record, pool, 4, back));
    size_t n_lanes = c.lanes.n_bytes - WM_WMT_LIST_SLACK;
    for (size_t cut = 1; cut <= 2; cut++) {
        wm_wmt_cursor lists = all_of(&c.lists, cut == 1 ? 1 : 2);
        wm_wmt_cursor lanes = all_of(&c.lanes, n_lanes - (cut == 2));
        cr_expect_not(wm_wmt_list_read(&lists, &lanes, &record, back, 4));
    }
    columns_fini(&c);
}

Test(wmt_list, widths_and_shifts_that_cannot_be_are_refused)
{
    static const uint8_t bad[][2] = {{33, 0}, {255, 0}, {8, 128}};
    uint8_t bytes[64 + WM_WMT_LIST_SLACK] = {0};
    uint32_t back[4];
    wm_record record = {.pattern = WM_PATTERN_LIST32};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        wm_wmt_cursor lists = {bad[i], bad[i] + 2};
        wm_wmt_cursor lanes = {bytes, bytes + 64};
        cr_expect_not(wm_wmt_list_read(&lists, &lanes, &record, back, 4));
    }
}
