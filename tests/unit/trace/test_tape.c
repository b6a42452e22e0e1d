/*
 * test_tape.c -- a tape yields what the file yields, again and again.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "trace/reader.h"
#include "trace/tape.h"
#include "trace/text_write.h"

#define TINY WM_TEST_DATA "/golden_tiny.txt"

static wm_error err;

/* The whole trace as text. */
static void dump(wm_trace *trace, wm_buffer *out)
{
    wm_cta cta;
    wm_cta_init(&cta);
    wm_buffer_init(out);
    wm_text_add_head(out);
    for (;;) {
        wm_command command;
        bool has_cta = true;
        cr_assert_eq(wm_trace_next_command(trace, &command, &err), WM_OK);
        if (command.kind == WM_COMMAND_END) {
            break;
        }
        if (command.kind == WM_COMMAND_COPY) {
            wm_text_add_copy(out, &command.copy);
            continue;
        }
        wm_text_add_launch(out, &command.launch);
        wm_buffer later;
        wm_buffer_init(&later);
        while (has_cta) {
            cr_assert_eq(wm_trace_next_cta(trace, &cta, &has_cta, &err), WM_OK);
            if (has_cta) {
                wm_text_add_cta(&later, wm_trace_launch(trace), &cta);
            }
        }
        wm_text_add_statics(out, wm_trace_launch(trace), 0);
        wm_buffer_add(out, later.bytes, later.n_bytes);
        wm_buffer_fini(&later);
    }
    wm_cta_fini(&cta);
}

Test(tape, yields_the_same_trace_each_time)
{
    const wm_trace_options options = {false};
    wm_tape_facts facts;
    wm_tape *tape = NULL;
    wm_trace *trace = NULL;
    wm_buffer wanted;
    char digest[WM_DIGEST_HEX];
    cr_assert_eq(wm_trace_open(TINY, &options, NULL, &trace, &err), WM_OK);
    dump(trace, &wanted);
    wm_trace_digest(trace, digest);
    wm_trace_close(trace);
    cr_assert_eq(wm_tape_record(TINY, UINT64_MAX, NULL, &facts, &tape, &err),
                 WM_OK);
    cr_assert_not_null(tape);
    cr_assert_eq(facts.n_launches, 2);
    cr_assert_eq(facts.n_records, 32);
    cr_assert_str_eq(facts.digest, digest);
    cr_assert_str_eq(facts.format, "text");
    for (int i = 0; i < 2; i++) {
        wm_buffer found;
        char again[WM_DIGEST_HEX];
        cr_assert_eq(wm_tape_open(tape, &trace, &err), WM_OK);
        dump(trace, &found);
        cr_assert_str_eq(found.bytes, wanted.bytes);
        wm_trace_digest(trace, again);
        cr_assert_str_eq(again, digest);
        cr_assert_str_eq(wm_trace_format_name(trace), "text");
        cr_assert(wm_trace_is_complete(trace));
        wm_trace_close(trace);
        wm_buffer_fini(&found);
    }
    wm_buffer_fini(&wanted);
    wm_tape_free(tape);
}

Test(tape, a_trace_over_the_limit_is_counted_and_not_kept)
{
    wm_tape_facts facts;
    wm_tape *tape = NULL;
    cr_assert_eq(wm_tape_record(TINY, 500, NULL, &facts, &tape, &err), WM_OK);
    cr_assert_null(tape);
    cr_assert_eq(facts.n_records, 32);
    cr_assert_eq(facts.n_launches, 2);
}

Test(tape, launches_can_be_skipped)
{
    wm_tape_facts facts;
    wm_tape *tape = NULL;
    wm_trace *trace = NULL;
    wm_command command;
    int n_launches = 0;
    cr_assert_eq(wm_tape_record(TINY, UINT64_MAX, NULL, &facts, &tape, &err),
                 WM_OK);
    cr_assert_eq(wm_tape_open(tape, &trace, &err), WM_OK);
    do {
        cr_assert_eq(wm_trace_next_command(trace, &command, &err), WM_OK);
        n_launches += command.kind == WM_COMMAND_LAUNCH;
    } while (command.kind != WM_COMMAND_END);
    cr_assert_eq(n_launches, 2);
    wm_trace_close(trace);
    wm_tape_free(tape);
}

Test(tape, a_broken_trace_is_an_error)
{
    wm_tape_facts facts;
    wm_tape *tape = NULL;
    cr_assert_eq(wm_tape_record(WM_TEST_DATA "/golden_cut.txt", UINT64_MAX,
                                NULL, &facts, &tape, &err),
                 WM_EFORMAT);
    cr_assert_null(tape);
}
