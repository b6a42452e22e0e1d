/*
 * test_analysis.c -- sentences follow from the numbers.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "report/analysis.h"

static wm_report report;
static wm_buffer out;

static void setup(void)
{
    wm_report_init(&report);
    wm_buffer_init(&out);
    report.total.value[WM_C_TIME_CYCLES] = 1000;
}

static void teardown(void)
{
    wm_report_fini(&report);
    wm_buffer_fini(&out);
}

TestSuite(analysis, .init = setup, .fini = teardown);

static bool says(const char *part)
{
    return out.bytes != NULL && strstr(out.bytes, part) != NULL;
}

static wm_report_instruction row_of(const char *kind, wm_access_class class,
                                    uint64_t n_sectors, uint64_t ideal)
{
    wm_report_instruction row;
    memset(&row, 0, sizeof(row));
    row.kind = kind;
    row.n_requests = 1;
    row.n_class[class] = 1;
    row.n_sectors = n_sectors;
    row.ideal_sectors = ideal;
    return row;
}

Test(analysis, no_time_no_diagnosis)
{
    report.total.value[WM_C_TIME_CYCLES] = 0;
    wm_report_diagnose(&report, NULL, &out);
    cr_assert_null(out.bytes);
}

Test(analysis, bank_conflicts_are_evidence_of_shared_memory)
{
    report.total_bound = 2;
    report.total_busy_ppm[2] = 900000;
    report.total.value[WM_C_SHARED_LOAD_WAVEFRONTS] = 32;
    report.total.value[WM_C_SHARED_LOAD_IDEAL_WAVEFRONTS] = 1;
    wm_report_diagnose(&report, NULL, &out);
    cr_expect(says("Shared-memory-bound"), "%s", out.bytes);
    cr_expect(says("busy 90.0 % of the time"), "%s", out.bytes);
    cr_expect(says("96.9 % of their passes are bank conflicts"), "%s",
              out.bytes);
}

Test(analysis, bytes_nobody_asked_for_are_evidence)
{
    report.total_bound = 4;
    report.total_busy_ppm[4] = 700000;
    report.total.value[WM_C_L1_GLOBAL_LOAD_SECTORS] = 100;
    report.total.value[WM_C_L1_GLOBAL_LOAD_REQUESTED_BYTES] = 832;
    wm_config_set *config = NULL;
    wm_error err;
    cr_assert_eq(wm_config_load("a100", NULL, 0, &config, &err), WM_OK);
    report.config = config;
    wm_report_diagnose(&report, NULL, &out);
    cr_expect(says("L2-bound"), "%s", out.bytes);
    cr_expect(says("74.0 % of the bytes moved were not asked for"), "%s",
              out.bytes);
    wm_config_free(config);
}

Test(analysis, a_row_names_its_stride_and_what_to_do)
{
    wm_report_instruction row = row_of("global_store", WM_CLASS_STRIDED, 32, 4);
    row.stride_least = row.stride_most = 4096;
    wm_row_pattern(&row, &out);
    cr_expect_str_eq(out.bytes, "strided by 4096 B");
    wm_buffer_clear(&out);
    wm_row_advice(&row, &out);
    cr_expect(says("turn the tile in shared memory"));
    cr_expect_eq(wm_row_excess(&row), 8);
}

Test(analysis, nothing_is_advised_where_nothing_can_be_gained)
{
    const wm_report_instruction row =
        row_of("global_load", WM_CLASS_COALESCED, 4, 4);
    wm_row_advice(&row, &out);
    cr_expect_null(out.bytes);
    cr_expect_eq(wm_row_excess(&row), 1);
}

Test(analysis, shares_are_of_what_limits_the_kernel)
{
    wm_report_instruction rows[2];
    rows[0] = row_of("global_load", WM_CLASS_COALESCED, 4, 4);
    rows[1] = row_of("shared_load", WM_CLASS_COALESCED, 0, 0);
    rows[0].stall_cycles = 300;
    rows[1].stall_cycles = 100;
    rows[0].miss_sectors = 4;
    rows[1].wavefronts = 7;
    wm_report_kernel kernel = {.instructions = rows, .n_instructions = 2};
    kernel.bound = 6; /* latency */
    wm_row_shares shares = wm_row_shares_of(&kernel);
    cr_expect_eq(wm_row_share(&shares, &rows[0]), 0.75);
    kernel.bound = 5; /* dram */
    shares = wm_row_shares_of(&kernel);
    cr_expect_eq(wm_row_share(&shares, &rows[0]), 1);
    kernel.bound = 2; /* shared */
    shares = wm_row_shares_of(&kernel);
    cr_expect_eq(wm_row_share(&shares, &rows[1]), 1);
}

Test(analysis, copied_ranges_are_disjoint_and_in_order)
{
    wm_report_add_range(&report, 0x3000, 0x1000);
    wm_report_add_range(&report, 0x1000, 0x1000);
    wm_report_add_range(&report, 0x6000, 0);
    wm_report_add_range(&report, UINT64_MAX - 1, 16); /* wraps: left out */
    cr_assert_eq(report.n_ranges, 2);
    cr_expect_eq(report.ranges[0].begin, 0x1000);
    cr_expect_eq(report.ranges[1].begin, 0x3000);
    wm_report_add_range(&report, 0x1800, 0x2000); /* joins both */
    cr_assert_eq(report.n_ranges, 1);
    cr_expect_eq(report.ranges[0].begin, 0x1000);
    cr_expect_eq(report.ranges[0].n_bytes, 0x3000);
    for (uint64_t i = 0; i < 2 * WM_REPORT_RANGES; i++) {
        wm_report_add_range(&report, 0x100000 + i * 0x1000, 16);
    }
    cr_expect_eq(report.n_ranges, WM_REPORT_RANGES);
}
