/* The readable form of a trace. */
#include <criterion/criterion.h>
#include <string.h>

#include "trace/text_write.h"
#include "trace_random.h"

static void text_sink_copy(void *user, const wm_copy *copy)
{
    wm_text_add_copy(user, copy);
}

static void text_sink_launch(void *user, const wm_launch *launch)
{
    wm_text_add_launch(user, launch);
    if (launch->n_ctas > 0) {
        wm_text_add_statics(user, launch, 0);
    }
}

static void text_sink_cta(void *user, const wm_launch *launch,
                          const wm_cta *cta)
{
    wm_text_add_cta(user, launch, cta);
}

Test(text, any_well_formed_trace_comes_back_bit_for_bit)
{
    test_files files;
    files_init(&files);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        wm_buffer text;
        wm_buffer written;
        wm_buffer read;
        wm_buffer_init(&text);
        wm_buffer_init(&written);
        wm_buffer_init(&read);
        random_sink sink = {&text, text_sink_copy, text_sink_launch,
                            text_sink_cta};
        wm_text_add_head(&text);
        random_trace(seed, 4, 8, &sink, &written);
        files.n = 0;
        const char *path = files_add(&files, "a.txt", text.bytes, text.n_bytes);
        test_run *run = dump_path(path, false, &read);
        cr_assert_eq(run->status, WM_OK, "seed %llu: %s",
                     (unsigned long long)seed, run->err.text);
        cr_assert(run->is_complete);
        cr_assert_str_eq(run->format, "text");
        assert_same_dump(&written, &read, seed);
        test_run_free(run);
        wm_buffer_fini(&text);
        wm_buffer_fini(&written);
        wm_buffer_fini(&read);
    }
    files_fini(&files);
}

#define HEAD                                                                   \
    "warpmem-trace 1\n"                                                        \
    "# a comment\n"                                                            \
    "copy HtoD 0x7fb0fc400000 200000\n"                                        \
    "\n"                                                                       \
    "launch grid 1,1,1 block 64,1,1 regs 12 sm 80 name add(int, int)\n"        \
    "static 0 global_load width 4 pc 0x90 opcode LDG.E\n"                      \
    "static 1 exit pc 0xa0 opcode EXIT\n"                                      \
    "cta 0,0,0\n"                                                              \
    "warp 1\n"

static test_run *run_text(test_files *files, const char *text, bool keep_going)
{
    files_init(files);
    return test_run_path(files_text(files, "t.txt", text), keep_going);
}

Test(text, a_trace_written_by_hand_needs_only_what_differs)
{
    test_files files;
    test_run *run = run_text(&files,
                             HEAD "  0 ffffffff 0x1000 +4\n"
                                  "  0 0000000f at 0x100 0x108 0x200 0x300\n"
                                  "  0 3 list 0x40 +0 -16\n"
                                  "  1 ffffffff head 6/5 wait 0x7\n",
                             false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_expect(run->is_complete);
    cr_expect_eq(run->n_copies, 1);
    cr_expect_str_eq(run->name, "add(int, int)");
    const wm_cta *cta = &run->last;
    cr_assert_eq(cta->n_warps, 2);
    cr_assert_eq(cta->warps[0].n_records, 0);
    cr_assert_eq(cta->warps[1].n_records, 4);
    const wm_record *r = cta->records + cta->warps[1].first;
    cr_expect_eq(wm_record_address(&r[0], cta->lanes, 31), 0x1000 + 31 * 4);
    cr_expect_eq(wm_record_address(&r[1], cta->lanes, 3), 0x300);
    cr_expect_eq(wm_record_address(&r[2], cta->lanes, 1), 0x30);
    cr_expect_eq(r[3].kind, WM_KIND_EXIT);
    cr_expect_eq(r[3].head_cycles, 6);
    cr_expect_eq(r[3].head_slots, 5);
    cr_expect_eq(r[3].wait, 7);
    test_run_free(run);
    files_fini(&files);
}

Test(text, line_ends_of_other_systems_change_nothing)
{
    static const char text[] = HEAD "  0 ffffffff 0x1000 +4\n  1 ffffffff\n";
    char crlf[1024];
    size_t n = 0;
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '\n') {
            crlf[n++] = '\r';
        }
        crlf[n++] = *c;
    }
    crlf[n] = '\0';
    test_files files[2];
    wm_buffer dump[2];
    const char *const texts[2] = {text, crlf};
    for (int i = 0; i < 2; i++) {
        files_init(&files[i]);
        wm_buffer_init(&dump[i]);
        test_run *run = dump_path(files_text(&files[i], "t.txt", texts[i]),
                                  false, &dump[i]);
        cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
        test_run_free(run);
    }
    assert_same_dump(&dump[0], &dump[1], 0);
    for (int i = 0; i < 2; i++) {
        wm_buffer_fini(&dump[i]);
        files_fini(&files[i]);
    }
}

/* A text that is refused, and the place and reason that must be named. */
static void refuse(const char *text, const char *wanted)
{
    test_files files;
    test_run *run = run_text(&files, text, false);
    cr_expect_eq(run->status, WM_EFORMAT, "%s", text);
    cr_expect_not_null(strstr(run->err.text, wanted), "'%s' lacks '%s'",
                       run->err.text, wanted);
    test_run_free(run);
    files_fini(&files);
}

Test(text, faults_are_named_by_line_and_column)
{
    refuse("warpmem-trace 2\n", "t.txt:1: ");
    refuse("warpmem-trace 1\nfoo\n", "t.txt:2:1: found 'foo', wanted copy");
    refuse("warpmem-trace 1\ncopy XtoD 1 2\n", "t.txt:2:6: found 'XtoD'");
    refuse("warpmem-trace 1\ncopy HtoD 0xzz 2\n", "t.txt:2:11: found '0xzz'");
    refuse("warpmem-trace 1\ncopy HtoD 1\n", "the end of the line");
    refuse("warpmem-trace 1\nlaunch grid 1,1 name k\n",
           "t.txt:2:13: found '1,1', wanted 3");
    refuse("warpmem-trace 1\nlaunch warp 31 name k\n", "neither 32 nor 64");
    refuse("warpmem-trace 1\nlaunch name a\\x0\n", "wanted \\xNN");
    refuse(HEAD "  9 ffffffff 0x0 kind global_load\n",
           "t.txt:10: found a record with: static instruction");
    refuse(HEAD "  0 fffffffff 0x1000\n", "beyond the warp size");
    refuse(HEAD "  0 3 list 0x40 +0\n", "one 32-bit offset per active lane");
    refuse(HEAD "  0 3 at 0x40\n", "one address per active lane");
    refuse(HEAD "  0 3 0x40 +4 +8\n", "found '+8'");
    refuse(HEAD "  0 1 0x40 head 1/2\n", "more issue slots than cycles");
    refuse(HEAD "  0 1 0x40 width 33\n", "found '33'");
    refuse(HEAD "  0 1 0x40 width 0\n", "memory access of 0 bytes per lane");
    refuse(HEAD "  0 1 0x40 flags fast\n", "found 'fast'");
    refuse(HEAD "warp 2\n", "t.txt:10:6: found '2'");
    refuse(HEAD "static 3 exit opcode EXIT\n", "found '3'");
    refuse("warpmem-trace 1\nlaunch name k\ncta 0,0,0\n1 1\n",
           "wanted the warp it belongs to");
    refuse("warpmem-trace 1\nlaunch name k\ncta 0,0,0 records 2\n"
           "static 0 exit opcode EXIT\n",
           "t.txt:3: found 0 records in this CTA, wanted 2");
}

Test(text, keep_going_gives_up_the_kernel_and_reads_the_next)
{
    test_files files;
    test_run *run = run_text(&files,
                             HEAD "  0 xyz\n"
                                  "launch name second\ncta 0,0,0\n",
                             true);
    cr_expect_eq(run->status, WM_OK, "%s", run->err.text);
    cr_expect_not(run->is_complete);
    cr_expect_eq(run->n_launches, 2);
    cr_expect_eq(run->n_ctas, 1);
    cr_expect_str_eq(run->name, "second");
    cr_expect_not_null(test_run_warning(run, "kernel-cut"));
    test_run_free(run);
    files_fini(&files);
}

Test(text, fewer_ctas_than_the_grid_make_it_incomplete)
{
    test_files files;
    test_run *run = run_text(
        &files, "warpmem-trace 1\nlaunch grid 2,1,1 name k\ncta 0,0,0\n",
        false);
    cr_expect_eq(run->status, WM_OK);
    cr_expect_not(run->is_complete);
    cr_expect_not_null(test_run_warning(run, "ctas-missing"));
    test_run_free(run);
    files_fini(&files);
}

Test(text, no_line_of_random_words_does_harm)
{
    static const char *const words[] = {
        "launch",   "cta",         "warp",
        "static",   "0",           "1",
        "ffffffff", "0x10",        "+4",
        "-",        "list",        "list64",
        "at",       "head",        "6/6",
        "wait",     "kind",        "exit",
        "name",     "\\x41",       "0,0,0",
        "flags",    "width",       "copy",
        "HtoD",     "opcode",      "gap",
        "records",  "\n",          "\n",
        "\n",       "global_load", "99999999999999"};
    wm_rng rng = {21};
    test_files files;
    files_init(&files);
    for (int i = 0; i < 2000; i++) {
        wm_buffer text;
        wm_buffer_init(&text);
        wm_buffer_puts(&text, HEAD);
        for (int n = 0; n < 30; n++) {
            wm_buffer_puts(&text, words[wm_rng_below(&rng, 33)]);
            wm_buffer_puts(&text, " ");
        }
        files.n = 0;
        test_run *run = test_run_path(
            files_add(&files, "t.txt", text.bytes, text.n_bytes), i % 2 == 0);
        cr_assert(run->status == WM_OK || run->status == WM_EFORMAT);
        test_run_free(run);
        wm_buffer_fini(&text);
    }
    files_fini(&files);
}
