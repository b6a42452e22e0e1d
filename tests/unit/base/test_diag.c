/*
 * test_diag.c -- warnings are counted by code and keep their first sentence.
 */
#include <criterion/criterion.h>
#include <stdio.h>

#include "base/diag.h"

Test(diag, repeats_are_counted_and_the_first_sentence_is_kept)
{
    wm_diag diag;
    wm_diag_init(&diag);
    wm_warn(&diag, "opcode-unknown", "k.traceg:3", "opcode %s", "FOO");
    wm_warn(&diag, "address-misaligned", NULL, "misaligned");
    wm_warn(&diag, "opcode-unknown", "k.traceg:9", "opcode %s", "BAR");
    cr_assert_eq(diag.n_warnings, 2u);
    cr_expect_str_eq(diag.warning[0].code, "opcode-unknown");
    cr_expect_eq(diag.warning[0].n_times, 2u);
    cr_expect_str_eq(diag.warning[0].text, "opcode FOO");
    cr_expect_str_eq(diag.warning[0].first, "k.traceg:3");
    cr_expect_str_eq(diag.warning[1].first, "");
    cr_expect_eq(wm_diag_total(&diag), 3u);
}

Test(diag, no_diag_is_fine)
{
    wm_warn(NULL, "code", NULL, "text");
}

Test(diag, codes_beyond_the_last_place_are_counted_together)
{
    wm_diag diag;
    wm_diag_init(&diag);
    for (unsigned i = 0; i < WM_DIAG_MAX + 10; i++) {
        char code[16];
        (void)snprintf(code, sizeof(code), "code-%u", i);
        wm_warn(&diag, code, NULL, "text");
    }
    cr_expect_eq(diag.n_warnings, WM_DIAG_MAX);
    cr_expect_str_eq(diag.warning[WM_DIAG_MAX - 1].code, "other");
    cr_expect_eq(diag.warning[WM_DIAG_MAX - 1].n_times, 11u);
    cr_expect_eq(wm_diag_total(&diag), WM_DIAG_MAX + 10u);
}

Test(diag, merge_adds_counts_and_keeps_the_order)
{
    wm_diag a;
    wm_diag b;
    wm_diag_init(&a);
    wm_diag_init(&b);
    wm_warn(&a, "one", "a:1", "first");
    wm_warn(&b, "two", "b:1", "second");
    wm_warn(&b, "one", "b:2", "third");
    wm_diag_merge(&a, &b);
    cr_assert_eq(a.n_warnings, 2u);
    cr_expect_eq(a.warning[0].n_times, 2u);
    cr_expect_str_eq(a.warning[0].first, "a:1");
    cr_expect_str_eq(a.warning[1].code, "two");
    cr_expect_str_eq(a.warning[1].first, "b:1");
}
