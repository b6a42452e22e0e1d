/*
 * test_series.c -- counters over time stay bounded and lose nothing.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "report/series.h"
#include "report/timeline.h"

static wm_series series;

static void teardown(void)
{
    wm_series_fini(&series);
}

TestSuite(series, .fini = teardown);

static uint64_t add(uint64_t launch, uint64_t time_ns, uint64_t n_ctas)
{
    wm_counters counters;
    memset(&counters, 0, sizeof(counters));
    counters.value[WM_C_LAUNCH_CTAS] = n_ctas;
    return wm_series_add(&series, launch, time_ns, &counters);
}

Test(series, samples_hold_what_was_added_since_the_one_before)
{
    series.interval_ns = 10;
    add(1, 10, 3);
    add(1, 20, 8);
    add(2, 30, 4); /* a new launch counts from 0 */
    cr_assert_eq(series.n_samples, 3);
    cr_expect_eq(series.samples[0].counters.value[WM_C_LAUNCH_CTAS], 3);
    cr_expect_eq(series.samples[1].counters.value[WM_C_LAUNCH_CTAS], 5);
    cr_expect_eq(series.samples[2].counters.value[WM_C_LAUNCH_CTAS], 4);
    cr_expect_eq(series.samples[2].launch, 2);
}

Test(series, launches_shorter_than_the_interval_share_a_sample)
{
    series.interval_ns = 100;
    for (uint64_t launch = 1; launch <= 50; launch++) {
        add(launch, launch * 10, 1);
    }
    cr_expect_leq(series.n_samples, 6);
    uint64_t sum = 0;
    for (size_t i = 0; i < series.n_samples; i++) {
        sum += series.samples[i].counters.value[WM_C_LAUNCH_CTAS];
    }
    cr_expect_eq(sum, 50);
}

Test(series, a_long_run_is_bounded_and_its_sum_kept)
{
    uint64_t interval = 1;
    series.interval_ns = interval;
    for (uint64_t t = 1; t <= 100000; t++) {
        interval = add(1, t, t);
    }
    cr_expect_leq(series.n_samples, WM_SERIES_MAX);
    cr_expect_geq(series.n_samples, WM_SERIES_MAX / 4);
    cr_expect_eq(interval, 128, "%d", (int)interval);
    uint64_t sum = 0, last = 0;
    for (size_t i = 0; i < series.n_samples; i++) {
        sum += series.samples[i].counters.value[WM_C_LAUNCH_CTAS];
        cr_assert_gt(series.samples[i].end_ns, last);
        last = series.samples[i].end_ns;
    }
    cr_expect_eq(sum, 100000);
    cr_expect_eq(last, 100000);
}

Test(series, a_timeline_of_too_many_ctas_says_how_many_it_leaves_out)
{
    wm_timeline timeline;
    wm_report report;
    wm_buffer out;
    const wm_timeline_cta cta = {1, 5, 10, 3, 1};
    wm_timeline_init(&timeline);
    wm_report_init(&report);
    wm_buffer_init(&out);
    for (uint32_t i = 0; i < WM_TIMELINE_CTAS + 7; i++) {
        wm_timeline_add(&timeline, &cta);
    }
    cr_expect_eq(timeline.n_ctas, WM_TIMELINE_CTAS);
    timeline.n_ctas = 1;
    wm_timeline_write(&timeline, &report, &out);
    cr_assert_not(out.is_failed);
    cr_expect_not_null(strstr(out.bytes, "\"ctas_left_out\":7"));
    cr_expect_not_null(strstr(out.bytes, "\"name\":\"SM 3 place 1\""));
    cr_expect_not_null(strstr(out.bytes, "\"ts\":0.005,\"dur\":0.005"));
    wm_timeline_fini(&timeline);
    wm_report_fini(&report);
    wm_buffer_fini(&out);
}
