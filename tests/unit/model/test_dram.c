/*
 * test_dram.c -- the simple channel: idle latencies, peak, and each limit.
 */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "model/dram/dram.h"
#include "model/spread.h"

/* 28.07 GB/s a channel: V100 over 32. */
static const wm_dram_params v100 = {
    .sector_time_fs = 1140313,
    .write_time_fs = 1140313,
    .latency_ps = 160000,
    .row_miss_ps = 28000,
    .bank_cycle_ps = 47000,
    .activate_interval_ps = 3500,
    .turnaround_ps = 15000,
    .write_batch = 32,
    .n_banks = 16,
    .lines_per_row = 8,
};

static wm_dram *dram_of(const wm_dram_params *params)
{
    wm_dram *dram = NULL;
    wm_error err;
    cr_assert_eq(wm_dram_new(params, &dram, &err), WM_OK);
    return dram;
}

Test(dram, idle_closed_row_takes_the_latency_and_the_transfer)
{
    wm_dram *dram = dram_of(&v100);
    cr_assert_eq(wm_dram_read(dram, 1000000, 5, 4), 1000000 + 160000 + 4561);
    cr_assert_eq(wm_dram_get_stats(dram)->n_row_misses, 1);
    cr_assert_eq(wm_dram_get_stats(dram)->n_row_hits, 3);
    cr_assert_eq(wm_dram_get_stats(dram)->n_activates, 1);
    wm_dram_free(dram);
}

Test(dram, idle_open_row_takes_a_row_miss_less)
{
    wm_dram *dram = dram_of(&v100);
    (void)wm_dram_read(dram, 0, 0, 1);
    cr_assert_eq(wm_dram_read(dram, 1000000, 7, 1),
                 1000000 + 160000 - 28000 + 1140);
    cr_assert_eq(wm_dram_get_stats(dram)->n_row_hits, 1);
    wm_dram_free(dram);
}

Test(dram, two_reads_of_one_opening_row_follow_each_other_on_the_bus)
{
    wm_dram *dram = dram_of(&v100);
    uint64_t first = wm_dram_read(dram, 0, 0, 1);
    uint64_t second = wm_dram_read(dram, 0, 1, 1);
    cr_assert_eq(first, 161140);
    cr_assert_geq(second, first);
    cr_assert_leq(second, first + 1141);
    wm_dram_free(dram);
}

Test(dram, streaming_reaches_the_peak_within_half_a_percent)
{
    wm_dram *dram = dram_of(&v100);
    const uint64_t n = 100000;
    uint64_t end = 0;
    for (uint64_t line = 0; line < n; line++) {
        uint64_t t = wm_dram_read(dram, line * 4000, line, 4);
        end = t > end ? t : end;
    }
    double ideal = (double)n * 4 * 1140.313;
    cr_assert_lt(fabs((double)end / ideal - 1), 0.005, "%f",
                 (double)end / ideal);
    cr_assert_eq(wm_dram_get_stats(dram)->n_activates, n / 8);
    wm_dram_free(dram);
}

Test(dram, bus_time_is_kept_to_the_femtosecond)
{
    wm_dram *dram = dram_of(&v100);
    for (uint64_t line = 0; line < 1000; line++) {
        (void)wm_dram_read(dram, 0, line, 1);
    }
    cr_assert_eq(wm_dram_get_stats(dram)->busy_ps, 1140313);
    cr_assert_eq(wm_dram_drain(dram, 0), 1140313);
    wm_dram_free(dram);
}

/* The k-th line, in order, that lies in bank 0, each in a row of its own. */
static uint64_t line_of_bank_0(uint64_t k)
{
    wm_spread spread = wm_spread_of(v100.n_banks, true);
    return wm_spread_number(&spread, 0, k) * v100.lines_per_row;
}

Test(dram, rows_of_one_bank_come_one_bank_cycle_apart)
{
    wm_dram *dram = dram_of(&v100);
    uint64_t last = wm_dram_read(dram, 0, line_of_bank_0(0), 1);
    for (uint64_t k = 1; k < 200; k++) {
        uint64_t t = wm_dram_read(dram, 0, line_of_bank_0(k), 1);
        cr_assert_eq(t - last, 47000, "row %llu", (unsigned long long)k);
        last = t;
    }
    wm_dram_free(dram);
}

Test(dram, a_slow_bank_does_not_hold_up_the_others)
{
    wm_dram *dram = dram_of(&v100);
    for (uint64_t k = 0; k < 8; k++) {
        (void)wm_dram_read(dram, 0, line_of_bank_0(k), 1);
    }
    wm_spread spread = wm_spread_of(v100.n_banks, true);
    uint64_t other = wm_spread_number(&spread, 1, 0) * v100.lines_per_row;
    /* Eight activates and eight sectors before it, no bank wait. */
    cr_assert_eq(wm_dram_read(dram, 0, other, 1), 8 * 3500 + 160000 + 1140);
    wm_dram_free(dram);
}

Test(dram, random_sectors_are_bound_by_the_activate_rate)
{
    wm_dram_params params = v100;
    params.n_banks = 64;
    params.activate_interval_ps = 5000;
    wm_dram *dram = dram_of(&params);
    wm_rng rng = {11};
    const uint64_t n = 50000;
    uint64_t end = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t line = wm_rng_below(&rng, 1u << 24);
        uint64_t t = wm_dram_read(dram, i * 5000, line, 1);
        end = t > end ? t : end;
    }
    uint64_t n_activates = wm_dram_get_stats(dram)->n_activates;
    cr_assert_gt(n_activates, n * 99 / 100);
    double ratio = (double)end / ((double)n_activates * 5000);
    cr_assert(ratio > 0.999 && ratio < 1.02, "%f", ratio);
    wm_dram_free(dram);
}

Test(dram, random_sectors_are_bound_by_few_banks)
{
    wm_dram_params params = v100;
    params.n_banks = 4;
    wm_dram *dram = dram_of(&params);
    wm_rng rng = {12};
    const uint64_t n = 50000;
    uint64_t end = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t t = wm_dram_read(dram, 0, wm_rng_below(&rng, 1u << 24), 1);
        end = t > end ? t : end;
    }
    double ratio = (double)end / ((double)n * 47000 / 4);
    cr_assert(ratio > 0.99 && ratio < 1.05, "%f", ratio);
    wm_dram_free(dram);
}

Test(dram, writes_below_a_batch_leave_the_bus_alone)
{
    wm_dram *dram = dram_of(&v100);
    for (uint64_t line = 0; line < 7; line++) {
        wm_dram_write(dram, 0, line, 4);
    }
    cr_assert_eq(wm_dram_get_stats(dram)->busy_ps, 0);
    cr_assert_eq(wm_dram_read(dram, 0, 800, 1), 161140);
    wm_dram_free(dram);
}

Test(dram, a_write_batch_costs_its_sectors_and_the_next_read_one_turnaround)
{
    wm_dram *dram = dram_of(&v100);
    for (uint64_t line = 0; line < 8; line++) {
        wm_dram_write(dram, 0, line, 4);
    }
    const wm_dram_stats *stats = wm_dram_get_stats(dram);
    cr_assert_eq(stats->n_write_sectors, 32);
    cr_assert_eq(stats->busy_ps, 36490);
    cr_assert_eq(stats->n_activates, 1);
    cr_assert_eq(stats->n_row_misses + stats->n_row_hits, 32);
    /* The next read of an open row waits for the bus. */
    cr_assert_eq(wm_dram_read(dram, 0, 3, 1), 51490 + 1140 + 132000);
    wm_dram_free(dram);
}

Test(dram, scattered_writes_take_as_long_as_their_activates)
{
    wm_dram_params params = v100;
    params.n_banks = 64;
    wm_dram *dram = dram_of(&params);
    for (uint64_t line = 0; line < 32 * 8; line += 8) {
        wm_dram_write(dram, 0, line, 1);
    }
    const wm_dram_stats *stats = wm_dram_get_stats(dram);
    cr_assert_eq(stats->n_activates, 32);
    cr_assert_eq(stats->busy_ps, 36490);
    /* A row opened by the batch: no activate, only the bus. */
    cr_assert_eq(wm_dram_read(dram, 0, 0, 1),
                 15000 + 32 * 3500 + 1140 + 132000);
    wm_dram_free(dram);
}

Test(dram, a_bank_opens_its_next_row_after_the_columns_of_the_last)
{
    wm_dram_params params = v100;
    params.bank_cycle_ps = 0;
    wm_dram *dram = dram_of(&params);
    cr_assert_eq(wm_dram_read(dram, 0, line_of_bank_0(0), 4), 160000 + 4561);
    cr_assert_eq(wm_dram_read(dram, 0, line_of_bank_0(1), 4),
                 32561 + 160000 + 4561);
    wm_dram_free(dram);
}

Test(dram, writes_alone_pay_no_turnaround)
{
    wm_dram *dram = dram_of(&v100);
    for (uint64_t line = 0; line < 8000; line++) {
        wm_dram_write(dram, 0, line, 4);
    }
    cr_assert_eq(wm_dram_get_stats(dram)->busy_ps, 32000 * 1140313ull / 1000);
    wm_dram_free(dram);
}

Test(dram, drain_writes_what_is_gathered_and_says_when_it_is_idle)
{
    wm_dram *dram = dram_of(&v100);
    cr_assert_eq(wm_dram_drain(dram, 77), 77);
    wm_dram_write(dram, 1000, 0, 2);
    cr_assert_eq(wm_dram_get_stats(dram)->busy_ps, 0);
    cr_assert_eq(wm_dram_drain(dram, 2000), 2000 + 28000 + 2280);
    cr_assert_eq(wm_dram_get_stats(dram)->busy_ps, 2280);
    cr_assert_eq(wm_dram_drain(dram, 1000000), 1000000);
    wm_dram_free(dram);
}

Test(dram, every_sector_is_a_row_hit_or_a_row_miss)
{
    wm_dram *dram = dram_of(&v100);
    wm_rng rng = {3};
    for (uint32_t i = 0; i < 20000; i++) {
        uint64_t line = wm_rng_below(&rng, 4096);
        uint32_t n = 1 + wm_rng_below(&rng, 4);
        if (wm_rng_below(&rng, 3) == 0) {
            wm_dram_write(dram, i * 2000ull, line, n);
        } else {
            cr_assert_geq(wm_dram_read(dram, i * 2000ull, line, n),
                          i * 2000ull + 132000);
        }
    }
    (void)wm_dram_drain(dram, 0);
    const wm_dram_stats *stats = wm_dram_get_stats(dram);
    cr_assert_eq(stats->n_row_hits + stats->n_row_misses,
                 stats->n_read_sectors + stats->n_write_sectors);
    cr_assert_eq(stats->n_row_misses, stats->n_activates);
    wm_dram_clear_stats(dram);
    cr_assert_eq(stats->n_read_sectors + stats->busy_ps, 0);
    wm_dram_free(dram);
}

Test(dram, impossible_parameters_are_refused)
{
    wm_dram_params params = v100;
    wm_dram *dram = NULL;
    wm_error err;
    params.row_miss_ps = 200000;
    cr_assert_eq(wm_dram_new(&params, &dram, &err), WM_ECONFIG);
    cr_assert_str_eq(
        err.text,
        "dram.row_miss: 200000 ps, want at most dram.latency (160000 ps)");
    cr_assert_null(dram);
    params = v100;
    params.n_banks = 0;
    cr_assert_eq(wm_dram_new(&params, &dram, &err), WM_ECONFIG);
    wm_dram_free(NULL);
}

Test(dram, a_row_asked_for_again_within_the_window_is_open)
{
    const uint32_t windows[] = {0, 2, 8};
    const uint64_t activates[] = {12, 12, 3};
    for (size_t i = 0; i < 3; i++) {
        wm_dram_params params = v100;
        params.row_window = windows[i];
        wm_dram *dram = dram_of(&params);
        for (uint32_t k = 0; k < 12; k++) {
            (void)wm_dram_read(dram, 0, line_of_bank_0(k % 3), 1);
        }
        cr_expect_eq(wm_dram_get_stats(dram)->n_activates, activates[i],
                     "window %u", windows[i]);
        wm_dram_free(dram);
    }
}

Test(dram, writes_take_their_own_time_and_say_until_when)
{
    wm_dram_params params = v100;
    params.write_time_fs = 2 * params.sector_time_fs;
    wm_dram *dram = dram_of(&params);
    uint64_t until = 0;
    for (uint64_t line = 0; line < 8; line++) {
        until = wm_dram_write(dram, 0, line, 4);
    }
    /* 32 sectors at 2.280626 ns each */
    cr_expect_eq(until, 72980u);
    wm_dram_free(dram);
}

Test(dram, counting_finds_the_rows_and_sectors_that_timing_finds)
{
    const uint64_t seed = 11;
    wm_rng rng = {seed};
    wm_dram_params params = v100;
    params.row_window = 16;
    wm_dram *timed = dram_of(&params);
    wm_dram *counted = dram_of(&params);
    for (uint32_t i = 0; i < 50000; i++) {
        const uint64_t line = wm_rng_below(&rng, 1u << wm_rng_below(&rng, 16));
        const uint32_t n = 1 + wm_rng_below(&rng, 4);
        if (wm_rng_below(&rng, 3) == 0) {
            (void)wm_dram_write(timed, i * 100ull, line, n);
            wm_dram_count_write(counted, line, n);
        } else {
            (void)wm_dram_read(timed, i * 100ull, line, n);
            wm_dram_count_read(counted, line, n);
        }
    }
    (void)wm_dram_drain(timed, 0);
    (void)wm_dram_drain(counted, 0);
    cr_assert_eq(memcmp(wm_dram_get_stats(timed), wm_dram_get_stats(counted),
                        sizeof(wm_dram_stats)),
                 0, "seed %llu", (unsigned long long)seed);
    wm_dram_free(timed);
    wm_dram_free(counted);
}
