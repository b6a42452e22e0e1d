/*
 * test_record.c -- lane addresses survive every pattern.
 */
#include "trace_files.h"

#include "base/rng.h"

static wm_record stored(wm_cta *cta, uint64_t mask, const uint64_t *addresses)
{
    wm_record record = {.mask = mask, .kind = WM_KIND_GLOBAL_LOAD, .width = 4};
    cr_assert(wm_record_set_addresses(cta, &record, addresses));
    return record;
}

static void check_back(const wm_cta *cta, const wm_record *record,
                       const uint64_t *addresses)
{
    uint32_t n = 0;
    for (uint32_t lane = 0; lane < WM_LANES_MAX; lane++) {
        if ((record->mask >> lane & 1) != 0) {
            cr_assert_eq(wm_record_address(record, cta->lanes, lane),
                         addresses[n], "lane %u", lane);
            n++;
        }
    }
}

Test(record, equally_spaced_lanes_are_affine)
{
    wm_cta cta;
    uint64_t addresses[32];
    wm_cta_init(&cta);
    for (uint32_t i = 0; i < 32; i++) {
        addresses[i] = 0x7f0000000000 - 12 * i;
    }
    wm_record record = stored(&cta, 0xffffffff, addresses);
    cr_assert_eq(record.pattern, WM_PATTERN_AFFINE);
    cr_assert_eq(record.u.stride, -12);
    cr_assert_eq(cta.n_lanes, 0);
    check_back(&cta, &record, addresses);
    wm_cta_fini(&cta);
}

Test(record, holes_in_the_mask_keep_the_stride_by_lane_number)
{
    wm_cta cta;
    const uint64_t fitting[] = {100, 108, 132};
    const uint64_t other[] = {100, 108, 116};
    wm_cta_init(&cta);
    wm_record record = stored(&cta, 0x26, fitting); /* lanes 1, 2, 5 */
    cr_assert_eq(record.pattern, WM_PATTERN_AFFINE);
    cr_assert_eq(record.u.stride, 8);
    check_back(&cta, &record, fitting);
    record = stored(&cta, 0x26, other);
    cr_assert_eq(record.pattern, WM_PATTERN_LIST32);
    check_back(&cta, &record, other);
    wm_cta_fini(&cta);
}

Test(record, lanes_4_gib_apart_do_not_alias)
{
    wm_cta cta;
    const uint64_t addresses[] = {0x7f2000000000, 0x7f2100000000};
    wm_cta_init(&cta);
    wm_record record = stored(&cta, 3, addresses);
    cr_assert_eq(record.pattern, WM_PATTERN_LIST64);
    check_back(&cta, &record, addresses);
    wm_cta_fini(&cta);
}

Test(record, one_lane_or_none_is_affine)
{
    wm_cta cta;
    const uint64_t addresses[] = {UINT64_MAX - 3};
    wm_cta_init(&cta);
    wm_record record = stored(&cta, UINT64_C(1) << 63, addresses);
    cr_assert_eq(record.pattern, WM_PATTERN_AFFINE);
    check_back(&cta, &record, addresses);
    record = stored(&cta, 0, NULL);
    cr_assert_eq(record.pattern, WM_PATTERN_AFFINE);
    cr_assert_eq(record.base, 0);
    wm_cta_fini(&cta);
}

Test(record, any_addresses_survive)
{
    const uint64_t seed = 20240917;
    wm_rng rng = {seed};
    wm_cta cta;
    wm_cta_init(&cta);
    for (int round = 0; round < 20000; round++) {
        uint64_t addresses[64];
        uint64_t mask = wm_rng_next(&rng) >> wm_rng_below(&rng, 64);
        uint32_t span = wm_rng_below(&rng, 65);
        uint64_t step = wm_rng_next(&rng) >> wm_rng_below(&rng, 64);
        uint64_t base = wm_rng_next(&rng);
        uint32_t n = 0;
        for (uint32_t lane = 0; lane < 64; lane++) {
            if ((mask >> lane & 1) != 0) {
                uint64_t jitter = wm_rng_next(&rng) & wm_low_mask(span);
                addresses[n++] = base + (round % 3 == 0 ? lane * step : jitter);
            }
        }
        wm_cta_clear(&cta);
        wm_record record = stored(&cta, mask, addresses);
        uint32_t i = 0;
        for (uint32_t lane = 0; lane < 64; lane++) {
            if ((mask >> lane & 1) != 0) {
                cr_assert_eq(wm_record_address(&record, cta.lanes, lane),
                             addresses[i], "seed %llu round %d lane %u",
                             (unsigned long long)seed, round, lane);
                i++;
            }
        }
    }
    wm_cta_fini(&cta);
}
