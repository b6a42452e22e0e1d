/*
 * test_json.c -- JSON is well-formed whatever the strings hold.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "report/json.h"

static wm_buffer out;
static wm_json json;

static void setup(void)
{
    wm_buffer_init(&out);
    wm_json_init(&json, &out);
}

static void teardown(void)
{
    wm_buffer_fini(&out);
}

TestSuite(json, .init = setup, .fini = teardown);

static void expect(const char *want)
{
    cr_assert_str_eq(out.bytes, want, "got:\n%s\nwant:\n%s", out.bytes, want);
}

Test(json, empty_object_and_array_stay_on_one_line)
{
    wm_json_open(&json, '{');
    wm_json_key(&json, "a");
    wm_json_open(&json, '[');
    wm_json_close(&json, ']');
    wm_json_key(&json, "b");
    wm_json_open(&json, '{');
    wm_json_close(&json, '}');
    wm_json_close(&json, '}');
    expect("{\n  \"a\": [],\n  \"b\": {}\n}\n");
}

Test(json, members_are_separated_by_one_comma)
{
    wm_json_open(&json, '{');
    wm_json_key(&json, "row");
    wm_json_open_row(&json);
    wm_json_u64(&json, 1);
    wm_json_u64(&json, UINT64_MAX);
    wm_json_close(&json, ']');
    wm_json_key(&json, "list");
    wm_json_open(&json, '[');
    wm_json_bool(&json, true);
    wm_json_null(&json);
    wm_json_close(&json, ']');
    wm_json_close(&json, '}');
    expect("{\n  \"row\": [1, 18446744073709551615],\n"
           "  \"list\": [\n    true,\n    null\n  ]\n}\n");
}

Test(json, quotes_backslashes_and_controls_are_escaped)
{
    wm_json_string(&json, "a\"b\\c\n\t\x01\x7f");
    expect("\"a\\\"b\\\\c\\u000a\\u0009\\u0001\\u007f\"");
}

Test(json, valid_utf8_is_kept)
{
    wm_json_string(&json, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    expect("\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
}

Test(json, each_invalid_byte_becomes_the_replacement_character)
{
    /* stray continuation, overlong slash, surrogate, cut short at the end */
    wm_json_string(&json, "\x80|\xc0\xaf|\xed\xa0\x80|\xe2\x82");
    expect("\"\\ufffd|\\ufffd\\ufffd|\\ufffd\\ufffd\\ufffd|\\ufffd\\ufffd\"");
}

Test(json, utf8_beyond_the_last_code_point_is_invalid)
{
    cr_assert_eq(wm_utf8_length("\xf4\x90\x80\x80"), 0);
    cr_assert_eq(wm_utf8_length("\xf4\x8f\xbf\xbf"), 4);
    cr_assert_eq(wm_utf8_length("\xf0\x80\x80\x80"), 0);
    cr_assert_eq(wm_utf8_length("\xff"), 0);
}

Test(json, what_is_not_a_number_becomes_null)
{
    wm_json_open_row(&json);
    wm_json_double(&json, (double)NAN);
    wm_json_double(&json, (double)INFINITY);
    wm_json_double(&json, 0.5);
    wm_json_close(&json, ']');
    expect("[null, null, 0.5]\n");
}

Test(json, whole_numbers_are_printed_in_full_and_fractions_in_six_digits)
{
    wm_print_double(&out, 9007199254740991.0);
    wm_buffer_puts(&out, " ");
    wm_print_double(&out, 2.0 / 3.0);
    wm_buffer_puts(&out, " ");
    wm_print_double(&out, -0.0);
    expect("9007199254740991 0.666667 0");
}
