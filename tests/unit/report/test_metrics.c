/*
 * test_metrics.c -- every metric has one id, and formulas compute what they
 * say.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "report/report.h"

static wm_report report;
static wm_config_set *config;

/* A configuration with round numbers: 1 GHz, 32 GB/s, 32 B sectors. */
static void setup(void)
{
    char path[] = "/tmp/warpmem-metrics-XXXXXX";
    char name[64];
    int descriptor = mkstemp(path);
    cr_assert_geq(descriptor, 0);
    static const char text[] =
        "sm: {clock: 1000 MHz, fp32_lanes: 64}\ndram: {bandwidth: 32 GB/s}\n";
    cr_assert_eq(write(descriptor, text, sizeof(text) - 1),
                 (ssize_t)(sizeof(text) - 1));
    close(descriptor);
    (void)snprintf(name, sizeof(name), "%s.yaml", path);
    cr_assert_eq(rename(path, name), 0);
    wm_error err;
    wm_status status = wm_config_load(name, NULL, 0, &config, &err);
    (void)unlink(name);
    cr_assert_eq(status, WM_OK, "%s", err.text);
    wm_report_init(&report);
    report.config = config;
}

static void teardown(void)
{
    wm_report_fini(&report);
    wm_config_free(config);
    config = NULL;
}

TestSuite(metrics, .init = setup, .fini = teardown);

static bool value_of(const char *id, double *value)
{
    for (size_t i = 0; i < wm_n_metrics(); i++) {
        if (strcmp(wm_metric_at(i)->id, id) == 0) {
            return wm_metric_value(&report, NULL, i, value);
        }
    }
    cr_assert_fail("no metric %s", id);
    return false;
}

static void expect(const char *id, double want)
{
    double value = 0;
    cr_assert(value_of(id, &value), "%s is null", id);
    cr_assert_float_eq(value, want, 1e-12, "%s: %g, want %g", id, value, want);
}

Test(metrics, ids_are_unique)
{
    for (size_t i = 0; i < wm_n_metrics(); i++) {
        for (size_t j = 0; j < i; j++) {
            cr_assert_str_neq(wm_metric_at(i)->id, wm_metric_at(j)->id);
        }
    }
}

Test(metrics, nsight_names_are_unique)
{
    for (size_t i = 0; i < wm_n_metrics(); i++) {
        const char *name = wm_metric_at(i)->nsight;
        for (size_t j = 0; j < i && *name != '\0'; j++) {
            cr_assert_str_neq(name, wm_metric_at(j)->nsight, "%s: %s and %s",
                              name, wm_metric_at(i)->id, wm_metric_at(j)->id);
        }
    }
}

Test(metrics, each_has_a_unit_and_a_sentence)
{
    for (size_t i = 0; i < wm_n_metrics(); i++) {
        const wm_metric *metric = wm_metric_at(i);
        cr_assert_neq(metric->unit[0], '\0', "%s", metric->id);
        cr_assert_neq(metric->sentence[0], '\0', "%s", metric->id);
        cr_assert_eq(metric->formula[0] != '\0',
                     metric->kind == WM_METRIC_FORMULA, "%s", metric->id);
    }
}

Test(metrics, are_found_by_own_and_by_nsight_name)
{
    const wm_metric *own = wm_metric_find("dram.read.sectors");
    cr_assert_not_null(own);
    cr_assert_eq(wm_metric_find("dram__sectors_read.sum"), own);
    cr_assert_null(wm_metric_find(""));
    cr_assert_null(wm_metric_find("dram.read.sector"));
}

Test(metrics, every_formula_names_only_what_exists)
{
    /* With every counter at 1 no denominator is 0, so null means that a name
     * is unknown. */
    for (size_t i = 0; i < WM_COUNTER_COUNT; i++) {
        report.total.value[i] = 1;
    }
    for (size_t i = 0; i < wm_n_metrics(); i++) {
        double value = 0;
        if (wm_metric_at(i)->kind == WM_METRIC_FORMULA) {
            cr_assert(wm_metric_value(&report, NULL, i, &value), "%s",
                      wm_metric_at(i)->id);
        }
    }
}

Test(metrics, nothing_divided_by_nothing_is_null)
{
    double value = 0;
    cr_assert_not(value_of("ratio.l1_hit", &value));
    cr_assert_not(value_of("ratio.l2_hit", &value));
    cr_assert_not(value_of("ratio.global_load_efficiency", &value));
    cr_assert_not(value_of("ratio.sectors_per_request.global_load", &value));
    cr_assert_not(value_of("ratio.dram_utilization", &value));
    cr_assert_not(value_of("bandwidth.dram", &value));
}

Test(metrics, no_metric_of_an_empty_run_prints_nan_or_inf)
{
    wm_buffer out;
    wm_buffer_init(&out);
    for (size_t i = 0; i < wm_n_metrics(); i++) {
        wm_buffer_clear(&out);
        wm_buffer_puts(&out, "");
        (void)wm_metric_print(&report, NULL, i, &out);
        cr_assert_null(strstr(out.bytes, "nan"), "%s", wm_metric_at(i)->id);
        cr_assert_null(strstr(out.bytes, "inf"), "%s", wm_metric_at(i)->id);
    }
    wm_buffer_fini(&out);
}

Test(metrics, l1_hit_rate_counts_loads_and_pending_sectors_and_not_stores)
{
    report.total.value[WM_C_L1_GLOBAL_LOAD_HIT_SECTORS] = 30;
    report.total.value[WM_C_L1_GLOBAL_LOAD_PENDING_SECTORS] = 10;
    report.total.value[WM_C_L1_LOCAL_LOAD_MISS_SECTORS] = 60;
    report.total.value[WM_C_L1_GLOBAL_STORE_HIT_SECTORS] = 1000;
    expect("ratio.l1_hit", 0.4);
}

Test(metrics, efficiency_is_bytes_asked_for_over_bytes_moved)
{
    /* 32 lanes of 4 bytes, stride 32 bytes: 32 sectors of 32 bytes. */
    report.total.value[WM_C_L1_GLOBAL_LOAD_REQUESTED_BYTES] = 128;
    report.total.value[WM_C_L1_GLOBAL_LOAD_SECTORS] = 32;
    report.total.value[WM_C_L1_GLOBAL_LOAD_REQUESTS] = 1;
    expect("ratio.global_load_efficiency", 0.125);
    expect("ratio.sectors_per_request.global_load", 32);
}

Test(metrics, requests_without_lanes_give_0_sectors_per_request)
{
    report.total.value[WM_C_L1_GLOBAL_LOAD_REQUESTS] = 1;
    expect("ratio.sectors_per_request.global_load", 0);
}

Test(metrics, dram_utilization_is_bytes_over_peak_times_time)
{
    /* 1000 cycles of 1 GHz = 1 us, in which 32 GB/s move 32,000 bytes. */
    report.total.value[WM_C_TIME_CYCLES] = 1000;
    report.total.value[WM_C_DRAM_READ_BYTES] = 6000;
    report.total.value[WM_C_DRAM_WRITE_BYTES] = 2000;
    expect("ratio.dram_utilization", 0.25);
    expect("bandwidth.dram", 8e9);
    expect("dram.bytes", 8000);
}

Test(metrics, conflicts_are_wavefronts_beyond_the_ideal)
{
    report.total.value[WM_C_SHARED_LOAD_WAVEFRONTS] = 37;
    report.total.value[WM_C_SHARED_LOAD_IDEAL_WAVEFRONTS] = 5;
    expect("shared.load.conflicts", 32);
}

Test(metrics, counters_above_two_to_the_53_are_printed_exactly)
{
    wm_buffer out;
    wm_buffer_init(&out);
    report.total.value[WM_C_DRAM_READ_BYTES] = UINT64_MAX - 1;
    cr_assert(wm_metric_print(&report, NULL, WM_C_DRAM_READ_BYTES, &out));
    cr_assert_str_eq(out.bytes, "18446744073709551614");
    wm_buffer_fini(&out);
}

Test(metrics, bound_parts_come_from_the_kernel_asked_for)
{
    wm_report_kernel kernel = {0};
    size_t first = wm_n_metrics() - WM_REPORT_BOUNDS;
    double value = 0;
    kernel.busy_ppm[5] = 250000;
    report.total_busy_ppm[5] = 500000;
    cr_assert_str_eq(wm_metric_at(first + 5)->id, "bound.dram");
    cr_assert(wm_metric_value(&report, &kernel, first + 5, &value));
    cr_assert_float_eq(value, 0.25, 1e-12);
    cr_assert(wm_metric_value(&report, NULL, first + 5, &value));
    cr_assert_float_eq(value, 0.5, 1e-12);
}

Test(metrics, bound_name_is_null_when_no_time_passed)
{
    wm_buffer out;
    wm_buffer_init(&out);
    size_t index = wm_n_metrics() - WM_REPORT_BOUNDS - 1;
    cr_assert_str_eq(wm_metric_at(index)->id, "bound.name");
    cr_assert_not(wm_metric_print(&report, NULL, index, &out));
    report.total.value[WM_C_TIME_CYCLES] = 1;
    report.total_bound = 5;
    cr_assert(wm_metric_print(&report, NULL, index, &out));
    cr_assert_str_eq(out.bytes, "dram");
    wm_buffer_fini(&out);
}
