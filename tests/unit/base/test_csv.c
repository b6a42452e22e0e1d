/*
 * test_csv.c -- RFC 4180 texts.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/csv.h"

static wm_csv csv;

static void start(const char *text)
{
    wm_csv_init(&csv, text, strlen(text));
}

TestSuite(csv);

Test(csv, quotes_hold_commas_line_ends_and_quotes)
{
    start("a,\"b,\"\"c\"\"\nd\",e\r\nf\n");
    cr_assert(wm_csv_next(&csv));
    cr_assert_eq(csv.n_fields, 3);
    cr_assert_str_eq(wm_csv_field(&csv, 1), "b,\"c\"\nd");
    cr_assert_str_eq(wm_csv_field(&csv, 2), "e");
    cr_assert(wm_csv_next(&csv));
    cr_assert_eq(csv.record_line, 3);
    cr_assert_str_eq(wm_csv_field(&csv, 0), "f");
    cr_assert_str_eq(wm_csv_field(&csv, 7), "");
    cr_assert_not(wm_csv_next(&csv));
    wm_csv_fini(&csv);
}

Test(csv, empty_fields_count_also_at_the_end)
{
    start(",,\n\nx,\n");
    cr_assert(wm_csv_next(&csv));
    cr_assert_eq(csv.n_fields, 3);
    cr_assert(wm_csv_next(&csv));
    cr_assert_eq(csv.n_fields, 0);
    cr_assert(wm_csv_next(&csv));
    cr_assert_eq(csv.n_fields, 2);
    wm_csv_fini(&csv);
}

Test(csv, an_open_quote_ends_with_the_text)
{
    start("\"abc");
    cr_assert(wm_csv_next(&csv));
    cr_assert_str_eq(wm_csv_field(&csv, 0), "abc");
    cr_assert_not(wm_csv_next(&csv));
    wm_csv_fini(&csv);
}

Test(csv, what_is_quoted_reads_back)
{
    wm_buffer out;
    wm_buffer_init(&out);
    wm_csv_quote(&out, "a \"b\", c");
    start(out.bytes);
    cr_assert(wm_csv_next(&csv));
    cr_assert_str_eq(wm_csv_field(&csv, 0), "a \"b\", c");
    wm_csv_fini(&csv);
    wm_buffer_clear(&out);
    wm_csv_quote(&out, "=1+1");
    cr_assert_str_eq(out.bytes, "\"'=1+1\"");
    wm_buffer_fini(&out);
}
