/*
 * test_writers.c -- each report format, on hand-made results.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

static wm_report report;
static wm_buffer out;

static void setup(void)
{
    wm_report_init(&report);
    wm_buffer_init(&out);
    strcpy(report.version, "1.2.3");
    report.is_complete = true;
}

static void teardown(void)
{
    wm_report_fini(&report);
    wm_buffer_fini(&out);
}

TestSuite(writers, .init = setup, .fini = teardown);

static void add_kernel(const char *name, uint64_t cycles)
{
    wm_error err;
    wm_report_kernel kernel = {.launch = report.n_kernels + 1,
                               .grid = {2, 1, 1},
                               .block = {64, 1, 1},
                               .is_complete = true};
    kernel.counters.value[WM_C_TIME_CYCLES] = cycles;
    kernel.counters.value[WM_C_TIME_NS] = cycles;
    report.total.value[WM_C_TIME_CYCLES] += cycles;
    cr_assert_eq(wm_report_add_kernel(&report, &kernel, name, &err), WM_OK);
}

static const char *write_as(const char *format)
{
    const wm_writer *writer = wm_writer_find(format);
    cr_assert_not_null(writer, "%s", format);
    wm_buffer_clear(&out);
    writer->write(&report, &out);
    cr_assert_not(out.is_failed);
    return out.bytes;
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;
    for (text = strstr(text, part); text != NULL;
         text = strstr(text + 1, part)) {
        n++;
    }
    return n;
}

Test(writers, unknown_formats_are_not_found)
{
    cr_assert_null(wm_writer_find("xml"));
    cr_assert_null(wm_writer_find(""));
}

Test(writers, json_says_format_1_and_complete)
{
    const char *text = write_as("json");
    cr_assert_not_null(strstr(text, "\"version\": \"1.2.3\""));
    cr_assert_not_null(strstr(text, "\"format\": 1"));
    cr_assert_not_null(strstr(text, "\"complete\": true"));
    cr_assert_not_null(strstr(text, "\"kernels\": []"));
    cr_assert_null(strstr(text, "\"host\""));
}

Test(writers, json_has_host_only_when_asked)
{
    report.has_host = true;
    report.host_seconds = 0;
    const char *text = write_as("json");
    cr_assert_not_null(strstr(text, "\"host\""));
    cr_assert_not_null(strstr(text, "\"records_per_second\": null"));
}

Test(writers, json_of_an_empty_kernel_has_null_ratios)
{
    add_kernel("k", 10);
    const char *text = write_as("json");
    cr_assert_eq(count(text, "\"ratio.l1_hit\": null"), 2);
    cr_assert_eq(count(text, "\"bound.name\": \"lsu\""), 2);
    cr_assert_null(strstr(text, "nan"));
}

Test(writers, json_has_instructions_only_when_asked)
{
    add_kernel("k", 10);
    cr_assert_null(strstr(write_as("json"), "\"instructions\""));
    report.has_instructions = true;
    cr_assert_not_null(strstr(write_as("json"), "\"instructions\": []"));
}

Test(writers, csv_has_a_header_and_one_row_per_launch)
{
    add_kernel("a", 1);
    add_kernel("b", 2);
    const char *text = write_as("csv");
    cr_assert_eq(strncmp(text, "launch,name,grid,block,complete,l1.", 35), 0);
    cr_assert_eq(count(text, "\n"), 3);
    cr_assert_not_null(strstr(text, "\n1,\"a\",2x1x1,64x1x1,true,"));
    cr_assert_not_null(strstr(text, "\n2,\"b\",2x1x1,64x1x1,true,"));
}

Test(writers, csv_rows_have_as_many_cells_as_the_header)
{
    add_kernel("k", 1);
    const char *text = write_as("csv");
    const char *row = strchr(text, '\n') + 1;
    size_t n_header = 0, n_row = 0;
    for (const char *c = text; c < row; c++) {
        n_header += *c == ',';
    }
    for (const char *c = row; *c != '\0'; c++) {
        n_row += *c == ',';
    }
    cr_assert_eq(n_header, n_row);
    cr_assert_eq(n_header, wm_n_metrics() + 4);
}

Test(writers, csv_quotes_names_and_defuses_formulas)
{
    add_kernel("f<a, b>(\"x\")", 1);
    add_kernel("=cmd|' /C calc'!A0", 1);
    add_kernel("two\r\nlines\xff", 1);
    const char *text = write_as("csv");
    cr_assert_not_null(strstr(text, "\n1,\"f<a, b>(\"\"x\"\")\","));
    cr_assert_not_null(strstr(text, "\n2,\"'=cmd|' /C calc'!A0\","));
    cr_assert_not_null(strstr(text, "\n3,\"two  lines\xef\xbf\xbd\","));
    cr_assert_eq(count(text, "\n"), 4);
}

Test(writers, csv_headers_can_be_nsight_names)
{
    report.use_nsight_names = true;
    const char *text = write_as("csv");
    cr_assert_not_null(strstr(text, ",dram__sectors_read.sum,"));
    cr_assert_null(strstr(text, ",dram.read.sectors,"));
    cr_assert_not_null(strstr(text, ",l2.dirty_bytes_left,"));
}

static void expect_80_columns(const char *text)
{
    size_t column = 0;
    for (const char *c = text; *c != '\0'; c++) {
        column = *c == '\n' ? 0 : column + 1;
        cr_assert_leq(column, 80, "%s", text);
    }
}

Test(writers, text_says_incomplete_before_and_after_the_numbers)
{
    report.is_complete = false;
    add_kernel("k", 1);
    cr_assert_eq(count(write_as("text"), "INCOMPLETE"), 2);
}

Test(writers, text_of_a_run_without_memory_says_so)
{
    add_kernel("k", 100);
    const char *text = write_as("text");
    cr_assert_not_null(strstr(text, "No memory instruction was executed."));
    cr_assert_null(strstr(text, "nan"));
    expect_80_columns(text);
}

Test(writers, text_of_no_kernel_says_so)
{
    cr_assert_not_null(strstr(write_as("text"), "No kernel was simulated."));
}

Test(writers, text_lists_the_20_longest_launches)
{
    for (uint64_t i = 0; i < 25; i++) {
        add_kernel(i == 7 ? "the_long_one" : "other", i == 7 ? 1000 : i);
    }
    const char *text = write_as("text");
    cr_assert_not_null(strstr(text, "... and 5 more"));
    cr_assert_lt(strstr(text, "the_long_one"), strstr(text, "other"));
    expect_80_columns(text);
}

Test(writers, text_fits_80_columns_with_large_numbers)
{
    for (size_t i = 0; i < WM_COUNTER_COUNT; i++) {
        report.total.value[i] = UINT64_MAX / 4;
    }
    wm_report_kernel kernel = {.launch = 1};
    kernel.counters = report.total;
    wm_error err;
    cr_assert_eq(wm_report_add_kernel(&report, &kernel, "a\033[2Jb", &err),
                 WM_OK);
    cr_assert_eq(wm_report_add_kernel(&report, &kernel, "b", &err), WM_OK);
    const char *text = write_as("text");
    expect_80_columns(text);
    cr_assert_null(strchr(text, '\033'));
}

Test(writers, instruction_rows_are_copied)
{
    wm_error err;
    wm_report_instruction *rows = calloc(1, sizeof(*rows));
    rows->pc = 0x1f0;
    rows->kind = "global_load";
    strcpy(rows->opcode, "LDG.E");
    rows->n_requests = 2;
    rows->n_sectors = 9;
    wm_report_kernel kernel = {
        .launch = 1, .instructions = rows, .n_instructions = 1};
    cr_assert_eq(wm_report_add_kernel(&report, &kernel, "k", &err), WM_OK);
    free(rows);
    report.has_instructions = true;
    const char *text = write_as("json");
    cr_assert_not_null(strstr(text, "\"pc\": 496"));
    cr_assert_not_null(strstr(text, "\"line\": null"));
    text = write_as("text");
    cr_assert_not_null(strstr(text, "LDG.E"));
    cr_assert_not_null(strstr(text, "4.50"));
    expect_80_columns(text);
}

Test(writers, html_lets_no_name_out_of_its_data)
{
    add_kernel("</script><script>alert(1)</script>", 10);
    add_kernel("<!-- \xff \"", 10);
    const char *text = write_as("html");
    /* The data, uPlot and our script end; nothing else does. */
    cr_assert_eq(count(text, "</script>"), 3);
    cr_assert_eq(count(text, "\\u003c/script>\\u003cscript>alert(1)"), 1);
    cr_assert_eq(count(text, "@DATA@"), 0);
    cr_assert_eq(count(text, "src=\"http"), 0);
    cr_assert_eq(count(text, "href=\"http"), 0);
}

Test(writers, html_is_the_same_twice)
{
    add_kernel("k", 10);
    const char *first = write_as("html");
    char *copy = malloc(strlen(first) + 1);
    strcpy(copy, first);
    cr_assert_str_eq(copy, write_as("html"));
    free(copy);
}
