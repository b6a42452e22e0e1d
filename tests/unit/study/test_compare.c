/*
 * test_compare.c -- which launches and numbers are set side by side.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "study/compare.h"

static wm_report a;
static wm_report b;
static wm_compare compare;
static wm_ncu ncu;
static wm_diag diag;
static wm_error err;
static const char *const metrics[] = {"time.ns", "dram.read.bytes"};
static wm_compare_options options;

static void setup(void)
{
    wm_report_init(&a);
    wm_report_init(&b);
    wm_compare_init(&compare);
    wm_ncu_init(&ncu);
    wm_diag_init(&diag);
    options = (wm_compare_options){
        .metrics = metrics, .n_metrics = 2, .threshold = -1};
}

static void teardown(void)
{
    wm_compare_fini(&compare);
    wm_report_fini(&a);
    wm_report_fini(&b);
    wm_ncu_fini(&ncu);
}

TestSuite(compare, .init = setup, .fini = teardown);

static void add(wm_report *report, uint64_t launch, const char *name,
                uint64_t ns)
{
    wm_report_kernel kernel = {.launch = launch, .is_complete = true};
    kernel.counters.value[WM_C_TIME_NS] = ns;
    report->total.value[WM_C_TIME_NS] += ns;
    cr_assert_eq(wm_report_add_kernel(report, &kernel, name, &err), WM_OK);
}

static void run(void)
{
    const wm_report *const reports[] = {&a, &b};
    cr_assert_eq(wm_compare_results(reports, 2, &options, &compare, &err),
                 WM_OK, "%s", err.text);
}

static const wm_compare_row *row_of(uint64_t launch, const char *label)
{
    for (size_t i = 0; i < compare.n_rows; i++) {
        if (compare.rows[i].launch == launch &&
            strcmp(compare.rows[i].label, label) == 0) {
            return &compare.rows[i];
        }
    }
    cr_assert(false, "no row %s of launch %llu", label,
              (unsigned long long)launch);
    return NULL;
}

static void export_of(const char *text)
{
    cr_assert_eq(wm_ncu_parse("x.csv", text, strlen(text), &ncu, &diag, &err),
                 WM_OK, "%s", err.text);
}

Test(compare, launches_are_joined_by_number_and_bare_name)
{
    add(&a, 1, "_Z3addPi", 100);
    add(&a, 3, "_Z3mulPi", 200);
    add(&b, 1, "add(int *)", 110);
    add(&b, 3, "other(int *)", 210);
    run();
    cr_assert_eq(row_of(1, "time.ns")->values[1], 110);
    cr_assert(isnan(row_of(3, "time.ns")->values[1]));
    cr_assert_eq(row_of(0, "time.ns")->values[0], 300);
    cr_assert_geq(compare.n_unmatched, 1);
}

Test(compare, a_number_beyond_the_threshold_is_over_and_one_on_it_is_not)
{
    options.threshold = 0.1;
    options.only_total = true;
    add(&a, 1, "k", 100);
    add(&b, 1, "k", 110);
    run();
    cr_assert_eq(compare.n_over, 0);
    wm_compare_fini(&compare);
    b.total.value[WM_C_TIME_NS] = 111;
    run();
    cr_assert_eq(compare.n_over, 1);
    cr_assert_eq(compare.n_numbers, 2);
}

Test(compare, nothing_against_something_is_over_any_threshold)
{
    options.threshold = 10;
    a.total.value[WM_C_DRAM_READ_BYTES] = 0;
    b.total.value[WM_C_DRAM_READ_BYTES] = 1;
    run();
    cr_assert(row_of(0, "dram.read.bytes")->is_over);
    cr_assert_not(row_of(0, "time.ns")->is_over);
}

Test(compare, an_unknown_metric_is_refused_with_the_nearest)
{
    static const char *const wrong[] = {"time.nss"};
    const wm_report *const reports[] = {&a, &b};
    options.metrics = wrong;
    options.n_metrics = 1;
    cr_assert_eq(wm_compare_results(reports, 2, &options, &compare, &err),
                 WM_EUSAGE);
    cr_assert_not_null(strstr(err.text, "time.ns"), "%s", err.text);
}

Test(compare, an_export_is_joined_by_name_in_order)
{
    add(&a, 1, "_Z3addPi", 100);
    add(&a, 2, "_Z3mulPi", 200);
    add(&a, 3, "_Z3addPi", 300);
    export_of("ID,Kernel Name,gpu__time_duration.sum\n"
              "0,mul(int *),210\n1,add(int *),90\n2,add(int *),310\n");
    options.n_metrics = 0;
    cr_assert_eq(wm_compare_ncu(&ncu, &a, &options, &compare, &diag, &err),
                 WM_OK, "%s", err.text);
    cr_assert_eq(row_of(2, "gpu__time_duration.sum")->values[0], 210);
    cr_assert_eq(row_of(1, "gpu__time_duration.sum")->values[0], 90);
    cr_assert_eq(row_of(3, "gpu__time_duration.sum")->values[1], 300);
    cr_assert_eq(compare.n_unmatched, 0);
    cr_assert_eq(diag.n_warnings, 0);
}

Test(compare, names_that_all_differ_are_joined_by_position_with_a_warning)
{
    add(&a, 1, "x", 100);
    add(&a, 2, "y", 200);
    export_of("ID,Kernel Name,gpu__time_duration.sum\n0,p,1\n1,q,2\n");
    options.n_metrics = 0;
    cr_assert_eq(wm_compare_ncu(&ncu, &a, &options, &compare, &diag, &err),
                 WM_OK);
    cr_assert_eq(row_of(2, "gpu__time_duration.sum")->values[0], 2);
    cr_assert_str_eq(diag.warning[0].code, "compare-by-position");
}

Test(compare, an_export_of_something_else_is_refused)
{
    add(&a, 1, "x", 100);
    export_of("ID,Kernel Name,gpu__time_duration.sum\n0,p,1\n1,q,2\n");
    options.n_metrics = 0;
    cr_assert_eq(wm_compare_ncu(&ncu, &a, &options, &compare, &diag, &err),
                 WM_EFORMAT);
    wm_compare_fini(&compare);
    wm_ncu_fini(&ncu);
    export_of("ID,Kernel Name,sm__nobody_knows.sum\n0,x,1\n");
    cr_assert_eq(wm_compare_ncu(&ncu, &a, &options, &compare, &diag, &err),
                 WM_EFORMAT);
    cr_assert_not_null(strstr(err.text, "no metric"), "%s", err.text);
}
