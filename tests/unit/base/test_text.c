/*
 * test_text.c -- numbers with units are exact, and names have distances.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/rng.h"
#include "base/text.h"

static uint64_t parsed(const char *text, const wm_unit *units)
{
    uint64_t value = 0;
    cr_assert_eq(wm_text_parse_quantity(text, units, &value), WM_TEXT_OK, "%s",
                 text);
    return value;
}

static wm_text_result result_of(const char *text, const wm_unit *units)
{
    uint64_t value = 0;
    return wm_text_parse_quantity(text, units, &value);
}

Test(text, sizes_are_powers_of_two_in_every_spelling)
{
    static const char *const kib[] = {"1 KiB", "1 KB", "1 kB", "1 K", "1k"};
    for (size_t i = 0; i < sizeof(kib) / sizeof(kib[0]); i++) {
        cr_expect_eq(parsed(kib[i], wm_units_size), 1024u, "%s", kib[i]);
    }
    cr_expect_eq(parsed("6MiB", wm_units_size), 6u << 20);
    cr_expect_eq(parsed(" 3 GB ", wm_units_size), UINT64_C(3) << 30);
    cr_expect_eq(parsed("2 TiB", wm_units_size), UINT64_C(2) << 40);
    cr_expect_eq(parsed("7 B", wm_units_size), 7u);
}

Test(text, rates_clocks_and_times_are_powers_of_ten)
{
    cr_expect_eq(parsed("1.5 kB/s", wm_units_rate), 1500u);
    cr_expect_eq(parsed("898 GB/s", wm_units_rate), UINT64_C(898000000000));
    cr_expect_eq(parsed("1.755 GHz", wm_units_clock), 1755000000u);
    cr_expect_eq(parsed("160 ns", wm_units_time), 160000u);
    cr_expect_eq(parsed("0.5 B/clk", wm_units_per_clk), 500u);
    cr_expect_eq(parsed("28", wm_units_cycles), 28u);
    cr_expect_eq(parsed("28 cycles", wm_units_cycles), 28u);
}

Test(text, a_fraction_must_be_whole_in_the_base_unit)
{
    cr_expect_eq(parsed("0.0009765625 KiB", wm_units_size), 1u);
    cr_expect_eq(parsed("1.50000000000000000000000 KiB", wm_units_size), 1536u);
    cr_expect_eq(result_of("1.1 KiB", wm_units_size), WM_TEXT_NOT_WHOLE);
    cr_expect_eq(result_of("0.5 ps", wm_units_time), WM_TEXT_NOT_WHOLE);
    cr_expect_eq(result_of("0.1234567890123456789 s", wm_units_time),
                 WM_TEXT_NOT_WHOLE);
    char tiny[100] = "0.";
    memset(tiny + 2, '0', 70);
    memcpy(tiny + 72, "1 s", 4);
    cr_expect_eq(result_of(tiny, wm_units_time), WM_TEXT_NOT_WHOLE);
}

Test(text, each_kind_of_bad_number_has_its_own_result)
{
    cr_expect_eq(result_of("", wm_units_size), WM_TEXT_EMPTY);
    cr_expect_eq(result_of(" \t", wm_units_size), WM_TEXT_EMPTY);
    cr_expect_eq(result_of("big", wm_units_size), WM_TEXT_NOT_NUMBER);
    cr_expect_eq(result_of(".5 KiB", wm_units_size), WM_TEXT_NOT_NUMBER);
    cr_expect_eq(result_of("5. KiB", wm_units_size), WM_TEXT_NOT_NUMBER);
    cr_expect_eq(result_of("-", wm_units_size), WM_TEXT_NOT_NUMBER);
    cr_expect_eq(result_of("-5 KiB", wm_units_size), WM_TEXT_NEGATIVE);
    cr_expect_eq(result_of("128", wm_units_size), WM_TEXT_NO_UNIT);
    cr_expect_eq(result_of("128 MHz", wm_units_size), WM_TEXT_WRONG_UNIT);
    cr_expect_eq(result_of("8 Gb/s", wm_units_rate), WM_TEXT_WRONG_UNIT);
    cr_expect_eq(result_of("1e3 B", wm_units_size), WM_TEXT_WRONG_UNIT);
    cr_expect_eq(result_of("0x10", wm_units_none), WM_TEXT_WRONG_UNIT);
}

Test(text, zero_needs_no_unit_but_no_wrong_one_either)
{
    cr_expect_eq(parsed("0", wm_units_size), 0u);
    cr_expect_eq(result_of("0 ns", wm_units_size), WM_TEXT_WRONG_UNIT);
    cr_expect_eq(result_of("0.5", wm_units_size), WM_TEXT_NO_UNIT);
}

Test(text, the_largest_number_is_two_to_the_64_less_one)
{
    cr_expect_eq(parsed("18446744073709551615", wm_units_none), UINT64_MAX);
    cr_expect_eq(result_of("18446744073709551616", wm_units_none),
                 WM_TEXT_TOO_LARGE);
    cr_expect_eq(parsed("16777215 TiB", wm_units_size), UINT64_C(16777215)
                                                            << 40);
    cr_expect_eq(result_of("16777216 TiB", wm_units_size), WM_TEXT_TOO_LARGE);
    cr_expect_eq(result_of("99999999999999999999999 B", wm_units_size),
                 WM_TEXT_TOO_LARGE);
    /* The whole part and the fraction fit, their sum does not. */
    cr_expect_eq(result_of("18446744073709551.616 ns", wm_units_time),
                 WM_TEXT_TOO_LARGE);
}

Test(text, u64_wants_digits_only)
{
    uint64_t value = 7;
    cr_expect_eq(wm_text_parse_u64("", 0, &value), WM_TEXT_EMPTY);
    cr_expect_eq(wm_text_parse_u64("12a", 3, &value), WM_TEXT_NOT_NUMBER);
    cr_expect_eq(wm_text_parse_u64("-1", 2, &value), WM_TEXT_NEGATIVE);
    cr_expect_eq(value, 7u, "untouched after a failure");
    cr_expect_eq(wm_text_parse_u64("12a", 2, &value), WM_TEXT_OK);
    cr_expect_eq(value, 12u);
}

static void expect_format(uint64_t value, const wm_unit *units,
                          const char *wanted)
{
    wm_buffer out;
    wm_buffer_init(&out);
    wm_text_format_quantity(value, units, &out);
    cr_expect_str_eq(out.bytes, wanted);
    wm_buffer_fini(&out);
}

Test(text, values_are_written_in_the_largest_unit_that_is_exact)
{
    expect_format(6u << 20, wm_units_size, "6 MiB");
    expect_format((6u << 20) + 1024, wm_units_size, "6145 KiB");
    expect_format(117761, wm_units_size, "117761 B");
    expect_format(0, wm_units_size, "0 B");
    expect_format(1380000000, wm_units_clock, "1380 MHz");
    expect_format(2000000000, wm_units_clock, "2 GHz");
    expect_format(UINT64_C(898000000000), wm_units_rate, "898 GB/s");
    expect_format(3500, wm_units_time, "3500 ps");
    expect_format(28, wm_units_cycles, "28 cycles");
    expect_format(32000, wm_units_per_clk, "32 B/clk");
    expect_format(1050, wm_units_per_clk, "1.05 B/clk");
    expect_format(1, wm_units_per_clk, "0.001 B/clk");
    expect_format(80, wm_units_none, "80");
}

Test(text, what_is_written_reads_back_as_the_same_value)
{
    static const wm_unit *const tables[] = {
        wm_units_none, wm_units_size,    wm_units_clock, wm_units_time,
        wm_units_rate, wm_units_per_clk, wm_units_cycles};
    const uint64_t seed = 20240601;
    wm_rng rng = {seed};
    wm_buffer out;
    wm_buffer_init(&out);
    for (int i = 0; i < 20000; i++) {
        const wm_unit *units = tables[i % 7];
        uint64_t value = wm_rng_next(&rng) >> wm_rng_below(&rng, 64);
        value -= value % (UINT64_C(1) << wm_rng_below(&rng, 20));
        uint64_t back = 0;
        wm_buffer_clear(&out);
        wm_text_format_quantity(value, units, &out);
        cr_assert_eq(wm_text_parse_quantity(out.bytes, units, &back),
                     WM_TEXT_OK, "seed %llu: %s", (unsigned long long)seed,
                     out.bytes);
        cr_assert_eq(back, value, "seed %llu: %s", (unsigned long long)seed,
                     out.bytes);
    }
    wm_buffer_fini(&out);
}

Test(text, edit_distance_counts_single_slips)
{
    cr_expect_eq(wm_text_edit_distance("l2.size", "l2.size"), 0u);
    cr_expect_eq(wm_text_edit_distance("l2.sise", "l2.size"), 1u);
    cr_expect_eq(wm_text_edit_distance("l2.szie", "l2.size"), 1u, "a swap");
    cr_expect_eq(wm_text_edit_distance("l2.siz", "l2.size"), 1u);
    cr_expect_eq(wm_text_edit_distance("l2.sizes", "l2.size"), 1u);
    cr_expect_eq(wm_text_edit_distance("", "abc"), 3u);
    cr_expect_eq(wm_text_edit_distance("kitten", "sitting"), 3u);
}

Test(text, edit_distance_is_symmetric_and_bounded_on_long_texts)
{
    char a[1000];
    char b[1000];
    memset(a, 'a', sizeof(a));
    memset(b, 'b', sizeof(b));
    a[999] = '\0';
    b[999] = '\0';
    cr_expect_eq(wm_text_edit_distance(a, b), 63u);
    cr_expect_eq(wm_text_edit_distance(a, "xyz"),
                 wm_text_edit_distance("xyz", a));
}

Test(text, lists_read_as_a_sentence_part)
{
    wm_buffer out;
    wm_buffer_init(&out);
    wm_text_list_words("through", &out);
    wm_buffer_puts(&out, "; ");
    wm_text_list_words("back through", &out);
    wm_buffer_puts(&out, "; ");
    wm_text_list_words("a b c", &out);
    cr_expect_str_eq(out.bytes, "through; back or through; a, b or c");
    wm_buffer_fini(&out);
}

Test(text, trim_leaves_the_middle_alone)
{
    const char *text = " \ta b\r\n";
    size_t n = strlen(text);
    wm_text_trim(&text, &n);
    cr_expect_eq(n, 3u);
    cr_expect_eq(memcmp(text, "a b", 3), 0);
    text = " \n";
    n = 2;
    wm_text_trim(&text, &n);
    cr_expect_eq(n, 0u);
}

Test(text, ends_with_compares_the_tail)
{
    cr_expect(wm_text_ends_with("a.yaml", ".yaml"));
    cr_expect_not(wm_text_ends_with("yaml", ".yaml"));
    cr_expect_not(wm_text_ends_with("a.yaml.gz", ".yaml"));
}

Test(text, c1_controls_are_found_and_letters_are_not)
{
    cr_expect(wm_text_is_c1("\x9b", 0));
    cr_expect(wm_text_is_c1("a\x9b", 1));
    cr_expect(wm_text_is_c1("\xc2\x9b", 1));
    cr_expect_not(wm_text_is_c1("\xc2\x9b", 0));
    cr_expect_not(wm_text_is_c1("\xc2\xa9", 1));     /* (c) */
    cr_expect_not(wm_text_is_c1("\xc3\x9b", 1));     /* U^ */
    cr_expect_not(wm_text_is_c1("\xe2\x80\x9b", 1)); /* a quotation mark */
    cr_expect_not(wm_text_is_c1("\xe2\x80\x9b", 2));
}
