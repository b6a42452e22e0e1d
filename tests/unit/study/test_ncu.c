/*
 * test_ncu.c -- exports of Nsight Compute in the layouts and locales in which
 * they come.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "study/ncu.h"

static wm_ncu ncu;
static wm_diag diag;
static wm_error err;

static void setup(void)
{
    wm_ncu_init(&ncu);
    wm_diag_init(&diag);
    err.text[0] = '\0';
}

static void teardown(void)
{
    wm_ncu_fini(&ncu);
}

TestSuite(ncu, .init = setup, .fini = teardown);

static wm_status parse(const char *text)
{
    return wm_ncu_parse("x.csv", text, strlen(text), &ncu, &diag, &err);
}

static double value_of(size_t kernel, const char *name)
{
    cr_assert_lt(kernel, ncu.n_kernels);
    const wm_ncu_value *value = wm_ncu_find(&ncu.kernels[kernel], name);
    cr_assert_not_null(value, "%s", name);
    cr_assert(value->has_value, "%s", name);
    return value->value;
}

#define LONG_HEAD                                                              \
    "\"ID\",\"Process ID\",\"Kernel Name\",\"CC\",\"Section Name\","           \
    "\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"

Test(ncu, numbers_come_with_the_separators_of_any_locale)
{
    const struct {
        const char *text;
        bool is_comma;
        double value;
    } cases[] = {
        {"1,234,567", false, 1234567},
        {"1,234.5", false, 1234.5},
        {"1.234.567,8", true, 1234567.8},
        {"12,5", true, 12.5},
        {"1\xc2\xa0"
         "234,5",
         true, 1234.5},
        {"1\xe2\x80\xaf"
         "234",
         true, 1234},
        {"1'234'567", false, 1234567},
        {"1.2e+06", false, 1.2e6},
        {"-3", false, -3},
        {" 7 ", false, 7},
        {"20 (4; 8; 8)", false, 20},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        double value = 0;
        cr_assert(wm_ncu_number(cases[i].text, cases[i].is_comma, &value), "%s",
                  cases[i].text);
        cr_assert_float_eq(value, cases[i].value, 1e-6, "%s", cases[i].text);
    }
}

Test(ncu, what_is_no_number_is_not_taken_for_one)
{
    const char *const texts[] = {"",    "n/a",       "(!) n/a", "nan",  "inf",
                                 "abc", "12 apples", "-",       "1e999"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        double value = 0;
        cr_assert_not(wm_ncu_number(texts[i], false, &value), "%s", texts[i]);
    }
}

Test(ncu, units_are_scaled_to_bytes_nanoseconds_and_fractions)
{
    cr_assert_eq(wm_ncu_scale("Mbyte"), 1e6);
    cr_assert_eq(wm_ncu_scale("Gbyte/second"), 1e9);
    cr_assert_eq(wm_ncu_scale("Gbyte/s"), 1e9);
    cr_assert_eq(wm_ncu_scale("Kbyte"), 1e3);
    cr_assert_eq(wm_ncu_scale("usecond"), 1e3);
    cr_assert_eq(wm_ncu_scale("msecond"), 1e6);
    cr_assert_eq(wm_ncu_scale("ms"), 1e6);
    cr_assert_eq(wm_ncu_scale("%"), 0.01);
    cr_assert_eq(wm_ncu_scale("Mhz"), 1e6);
    cr_assert_eq(wm_ncu_scale("cycle"), 1);
    cr_assert_eq(wm_ncu_scale("byte/block"), 1);
    cr_assert_eq(wm_ncu_scale("Kbyte/block"), 1e3);
    cr_assert_eq(wm_ncu_scale("register/thread"), 1);
}

Test(ncu, base_names_agree_whatever_the_spelling)
{
    const char *const names[] = {"add",
                                 "add(int *)",
                                 "void add<int>(int *, T1)",
                                 "void ns::add<float, 4>(T1 *)",
                                 "void (anonymous namespace)::add(int)",
                                 "void ns::box<int>::add(int *)",
                                 "_Z3addPi",
                                 "_ZN2ns3addIiEEvPT_"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char base[64];
        wm_ncu_base_name(names[i], base, sizeof(base));
        cr_assert_str_eq(base, "add", "%s gives %s", names[i], base);
    }
}

Test(ncu, wide_layout_takes_units_from_the_row_under_the_header)
{
    const wm_status status = parse(
        "==PROF== Connected to process 1\n"
        "Hello, \"world\n"
        "\"ID\",\"Kernel Name\",\"Grid Size\",\"CC\",\"dram__bytes_read.sum\","
        "\"gpu__time_duration.sum\"\r\n"
        "\"\",\"\",\"\",\"\",\"Mbyte\",\"usecond\"\r\n"
        "\"0\",\"a(int, int)\",\"(1, 1, 1)\",\"8.0\",\"1,234.5\",\"2.5\"\r\n"
        "\"1\",\"a(int, int)\",\"(1, 1, 1)\",\"8.0\",\"n/a\",\"\"\r\n"
        "==PROF== Disconnected from process 1\n");
    cr_assert_eq(status, WM_OK, "%s", err.text);
    cr_assert_eq(ncu.n_kernels, 2);
    cr_assert_str_eq(ncu.kernels[0].name, "a(int, int)");
    cr_assert_float_eq(value_of(0, "dram__bytes_read.sum"), 1234.5e6, 1);
    cr_assert_float_eq(value_of(0, "gpu__time_duration.sum"), 2500, 1e-6);
    cr_assert_null(wm_ncu_find(&ncu.kernels[0], "Grid Size"));
    cr_assert_not(
        wm_ncu_find(&ncu.kernels[1], "dram__bytes_read.sum")->has_value);
}

Test(ncu, wide_layout_without_units_is_in_base_units)
{
    cr_assert_eq(parse("ID,Kernel Name,dram__bytes_read.sum\n0,k,64\n"), WM_OK);
    cr_assert_eq(value_of(0, "dram__bytes_read.sum"), 64);
}

Test(ncu, long_layout_joins_rows_of_one_launch)
{
    const wm_status status =
        parse(LONG_HEAD
              "\"0\",\"9\",\"k\",\"8.0\",\"S\",\"Duration\",\"us\",\"3\"\n"
              "\"0\",\"9\",\"k\",\"8.0\",\"S\",\"L2 Hit Rate\",\"%\",\"50\"\n"
              "\"1\",\"9\",\"k\",\"8.0\",\"S\",\"Duration\",\"us\",\"4\"\n");
    cr_assert_eq(status, WM_OK, "%s", err.text);
    cr_assert_eq(ncu.n_kernels, 2);
    cr_assert_eq(value_of(0, "Duration"), 3000);
    cr_assert_eq(value_of(0, "L2 Hit Rate"), 0.5);
    cr_assert_eq(value_of(1, "Duration"), 4000);
}

Test(ncu, the_whole_file_tells_which_mark_is_the_decimal_one)
{
    cr_assert_eq(
        parse(LONG_HEAD
              "\"0\",\"9\",\"k\",\"8.0\",\"S\",\"a__x\",\"\",\"1.234\"\n"
              "\"0\",\"9\",\"k\",\"8.0\",\"S\",\"b__x\",\"\",\"12,5\"\n"),
        WM_OK);
    cr_assert_eq(value_of(0, "a__x"), 1234);
    cr_assert_eq(value_of(0, "b__x"), 12.5);
}

Test(ncu, a_number_beyond_all_numbers_is_none)
{
    cr_assert_eq(parse("ID,Kernel Name,a__b\n,,Tbyte\n0,k,1e308\n"), WM_OK);
    cr_assert_not(wm_ncu_find(&ncu.kernels[0], "a__b")->has_value);
}

Test(ncu, a_short_record_is_skipped_with_a_warning)
{
    cr_assert_eq(parse(LONG_HEAD
                       "\"0\",\"9\",\"k\"\n"
                       "\"0\",\"9\",\"k\",\"8.0\",\"S\",\"a__x\",\"\",\"1\"\n"),
                 WM_OK);
    cr_assert_eq(diag.n_warnings, 1);
    cr_assert_str_eq(diag.warning[0].first, "x.csv:2");
}

Test(ncu, a_file_without_header_says_what_was_wanted)
{
    cr_assert_eq(parse("==ERROR== no permission\n"), WM_EFORMAT);
    cr_assert_not_null(
        strstr(err.text, "x.csv:2: no header with \"Kernel Name\""), "%s",
        err.text);
}

Test(ncu, a_header_without_launches_or_metrics_is_refused)
{
    cr_assert_eq(parse(LONG_HEAD), WM_EFORMAT);
    cr_assert_eq(parse("ID,Kernel Name,Grid Size\n0,k,1\n"), WM_EFORMAT);
    cr_assert_not_null(strstr(err.text, "x.csv:1: neither"), "%s", err.text);
}

Test(ncu, a_summary_is_refused)
{
    cr_assert_eq(
        parse("\"Process ID\",\"Kernel Name\",\"Invocations\",\"Section "
              "Name\",\"Metric Name\",\"Metric Unit\",\"Minimum\"\n"),
        WM_EFORMAT);
}
