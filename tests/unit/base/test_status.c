/*
 * test_status.c -- an error is one clean sentence.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "base/status.h"

Test(status, every_status_has_its_text)
{
    cr_expect_str_eq(wm_status_text(WM_OK), "no error");
    cr_expect_str_eq(wm_status_text(WM_ECONFIG), "invalid configuration");
    cr_expect_str_eq(wm_status_text((wm_status)99), "unknown status");
}

Test(status, fail_fills_the_error_and_returns_the_status)
{
    wm_error err = {WM_OK, ""};
    cr_expect_eq(wm_fail(&err, WM_EIO, "%s:%d: bad", "f", 3), WM_EIO);
    cr_expect_eq(err.status, WM_EIO);
    cr_expect_str_eq(err.text, "f:3: bad");
    cr_expect_eq(wm_fail_memory(&err), WM_ENOMEM);
    cr_expect_eq(err.status, WM_ENOMEM);
}

Test(status, fail_without_an_error_is_fine)
{
    cr_expect_eq(wm_fail(NULL, WM_EFORMAT, "text"), WM_EFORMAT);
}

Test(status, bytes_that_steer_a_terminal_are_shown_as_question_marks)
{
    wm_error err = {WM_OK, ""};
    (void)wm_fail(&err, WM_EFORMAT, "a%sb", "\x1b[2J\n\r\t\x7f");
    cr_expect_str_eq(err.text, "a?[2J????b");
}

Test(status, a_long_text_is_cut_not_overrun)
{
    char text[5000];
    wm_error err = {WM_OK, ""};
    memset(text, 'x', sizeof(text));
    text[4999] = '\0';
    (void)wm_fail(&err, WM_EFORMAT, "%s", text);
    cr_expect_eq(strlen(err.text), sizeof(err.text) - 1);
}
