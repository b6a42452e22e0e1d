/*
 * test_human.c -- numbers and texts fit their columns and lose no sense.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "report/human.h"

Test(human, bytes_use_powers_of_two)
{
    char text[WM_HUMAN_BYTES];
    cr_assert_str_eq(wm_human_bytes(text, 0), "0 B");
    cr_assert_str_eq(wm_human_bytes(text, 1023), "1023 B");
    cr_assert_str_eq(wm_human_bytes(text, 1024), "1.00 KiB");
    cr_assert_str_eq(wm_human_bytes(text, 6.0 * 1024 * 1024), "6.00 MiB");
    cr_assert_str_eq(wm_human_bytes(text, 18446744073709551615.0), "16.0 EiB");
}

Test(human, counts_are_whole_below_ten_million)
{
    char text[WM_HUMAN_BYTES];
    cr_assert_str_eq(wm_human_count(text, 9999999), "9999999");
    cr_assert_str_eq(wm_human_count(text, 12345678), "12.3 M");
    cr_assert_str_eq(wm_human_count(text, UINT64_MAX), "18.4 E");
}

Test(human, rounding_never_shows_a_thousand_of_a_unit)
{
    char text[WM_HUMAN_BYTES];
    cr_assert_str_eq(wm_human_time(text, 999.6e-9), "1.00 us");
    cr_assert_str_eq(wm_human_time(text, 12e-9), "12 ns");
    cr_assert_str_eq(wm_human_bytes(text, 1023.9 * 1024), "1.00 MiB");
    cr_assert_str_eq(wm_human_rate(text, 898e9), "898 GB/s");
    cr_assert_str_eq(wm_human_rate(text, 3.35e12), "3350 GB/s");
}

Test(human, no_value_is_a_dash)
{
    char text[WM_HUMAN_BYTES];
    cr_assert_str_eq(wm_human_percent(text, false, 0), "-");
    cr_assert_str_eq(wm_human_percent(text, true, 0.125), "12.5 %");
}

static void expect_cut(const char *text, uint32_t width, bool is_padded,
                       const char *want)
{
    wm_buffer out;
    wm_buffer_init(&out);
    wm_buffer_puts(&out, "");
    wm_human_cut(&out, text, width, is_padded);
    cr_assert_str_eq(out.bytes, want);
    wm_buffer_fini(&out);
}

Test(human, a_long_path_keeps_its_end)
{
    wm_buffer out;
    wm_buffer_init(&out);
    wm_human_cut_path(&out, "some/folder/k\x1b.wmt", 10);
    cr_assert_str_eq(out.bytes, ".../k?.wmt");
    wm_buffer_clear(&out);
    wm_human_cut_path(&out, "k.wmt", 5);
    cr_assert_str_eq(out.bytes, "k.wmt");
    wm_buffer_fini(&out);
}

Test(human, long_names_are_cut_and_short_ones_padded)
{
    expect_cut("abcdefgh", 6, true, "abc...");
    expect_cut("abc", 6, true, "abc   ");
    expect_cut("abcdef", 6, true, "abcdef");
    expect_cut("", 3, true, "   ");
}

Test(human, columns_are_characters_not_bytes)
{
    expect_cut("\xc3\xa9\xc3\xa9\xc3\xa9", 4, true,
               "\xc3\xa9\xc3\xa9\xc3\xa9 ");
}

Test(human, bytes_that_steer_a_terminal_are_not_let_through)
{
    expect_cut("a\033[31mb\r\n\x9b\xc2\x9b", 40, false, "a?[31mb????");
}

Test(human, wrapped_lines_stay_within_80_columns)
{
    wm_buffer out;
    wm_buffer_init(&out);
    for (int i = 0; i < 60; i++) {
        wm_buffer_puts(&out, i == 0 ? "word" : " word");
    }
    wm_buffer wrapped;
    wm_buffer_init(&wrapped);
    wm_human_wrap(&wrapped, out.bytes, 10, 10);
    size_t column = 10;
    for (const char *c = wrapped.bytes; *c != '\0'; c++) {
        column = *c == '\n' ? 0 : column + 1;
        cr_assert_leq(column, 80);
    }
    wm_buffer_fini(&out);
    wm_buffer_fini(&wrapped);
}
