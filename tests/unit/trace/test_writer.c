/*
 * test_writer.c -- traces written in every format that can be written.
 */
#include <dirent.h>

#include "trace/writer.h"
#include "trace_dump.h"

/* Copies a trace into another format. */
static wm_status rewrite(const char *from, const char *format, const char *to,
                         wm_error *err)
{
    wm_trace_options options = {.keep_going = true};
    wm_trace_writer *writer = NULL;
    wm_trace *trace = NULL;
    wm_command command = {.kind = WM_COMMAND_COPY};
    wm_cta cta;
    wm_status status = wm_trace_create(format, to, &writer, err);
    if (status != WM_OK) {
        return status;
    }
    wm_cta_init(&cta);
    status = wm_trace_open(from, &options, NULL, &trace, err);
    while (status == WM_OK && command.kind != WM_COMMAND_END) {
        status = wm_trace_next_command(trace, &command, err);
        bool has_cta = status == WM_OK && command.kind == WM_COMMAND_LAUNCH;
        if (status == WM_OK && command.kind == WM_COMMAND_COPY) {
            status = wm_trace_write_copy(writer, &command.copy, err);
        } else if (has_cta) {
            status = wm_trace_write_launch(writer, &command.launch, err);
        }
        while (status == WM_OK && has_cta) {
            status = wm_trace_next_cta(trace, &cta, &has_cta, err);
            if (status == WM_OK && has_cta) {
                status = wm_trace_write_cta(writer, wm_trace_launch(trace),
                                            &cta, err);
            }
        }
    }
    wm_trace_close(trace);
    wm_cta_fini(&cta);
    if (status != WM_OK) {
        wm_trace_abort(writer);
        return status;
    }
    return wm_trace_finish(writer, err);
}

/* The folder of a test, and names in it. */
typedef struct place {
    test_files files;
    char from[160];
    char to[160];
} place;

static void place_init(place *p, const char *text, const char *to)
{
    files_init(&p->files);
    snprintf(p->from, sizeof(p->from), "%s",
             files_text(&p->files, "a.txt", text));
    snprintf(p->to, sizeof(p->to), "%s/%s", p->files.folder, to);
}

static int count_entries(const char *folder)
{
    int n = 0;
    DIR *entries = opendir(folder);
    cr_assert_not_null(entries);
    for (struct dirent *e = readdir(entries); e != NULL; e = readdir(entries)) {
        n += e->d_name[0] != '.';
    }
    closedir(entries);
    return n;
}

static void place_fini(place *p)
{
    char command[256];
    snprintf(command, sizeof(command), "rm -rf %s", p->files.folder);
    cr_assert_eq(system(command), 0);
}

#define LAUNCH                                                                 \
    "warpmem-trace 1\ncopy HtoD 0x7f0000000000 4096\n"                         \
    "launch grid 1,1,1 block 32,1,1 shared 16 regs 8 sm 80 stream 3 "          \
    "shared_base 0x7f1000000000 local_base 0x7f0ff0000000 name k(int)\n"

/* Each record is as this reader's own distillation would give it. */
#define EXACT                                                                  \
    LAUNCH                                                                     \
    "static 0 global_load pc 0x10 line 7 width 4 opcode LDG.E\n"               \
    "static 1 global_load pc 0x20 line 8 width 16 flags bypass_l1 opcode "     \
    "LDG.E.128.STRONG.GPU\n"                                                   \
    "static 2 global_load pc 0x28 line 8 width 4 opcode LD.E\n"                \
    "static 3 shared_store pc 0x30 line 9 width 4 opcode STS\n"                \
    "static 4 barrier pc 0x40 line 9 opcode BAR.SYNC\n"                        \
    "static 5 global_store pc 0x50 line 9 width 4 opcode STG.E\n"              \
    "static 6 exit pc 0x60 line 10 opcode EXIT\n"                              \
    "cta 0,0,0 warps 1 records 9 other 12 flops 0,100,0,0\n"                   \
    "warp 0\n"                                                                 \
    "  0 ffffffff 0x7f0000000000 +4 head 20/1 tail 22/4\n"                     \
    "  1 00000001 0x7f0000001000 head 1/1\n"                                   \
    "  2 00000001 0x7f0000001000 head 4/1\n"                                   \
    "  2 00000006 0x20 +4 kind shared_load flags continued\n"                  \
    "  3 0000000f list 0x0 +0 +4 +32 +8 wait 0xf tail 9/2\n"                   \
    "  4 ffffffff\n"                                                           \
    "  5 00000003 list64 0x7f0000000000 0x7f0000000000 0x1\n"                  \
    "  5 00000000\n"                                                           \
    "  6 00000000 head 3/3\n"

/* Through Accel-Sim text and back: the same. */
static void check_kept(const char *text)
{
    place p;
    wm_error err;
    wm_buffer wanted, found;
    place_init(&p, text, "folder");
    wm_buffer_init(&wanted);
    wm_buffer_init(&found);
    cr_assert_eq(rewrite(p.from, "accelsim", p.to, &err), WM_OK, "%s",
                 err.text);
    test_run_free(dump_path(p.from, false, &wanted));
    test_run *run = dump_path(p.to, false, &found);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_assert(run->is_complete);
    cr_assert_str_eq(run->format, "kernelslist");
    assert_same_dump(&wanted, &found, 0);
    test_run_free(run);
    wm_buffer_fini(&wanted);
    wm_buffer_fini(&found);
    place_fini(&p);
}

Test(writer, accelsim_text_keeps_what_it_can_say)
{
    check_kept(EXACT);
}

#define COPIES                                                                 \
    LAUNCH                                                                     \
    "static 0 async_copy pc 0x10 width 16 flags bypass_l1 opcode "             \
    "LDGSTS.E.BYPASS.128\n"                                                    \
    "static 1 shared_store pc 0x30 width 4 opcode STS\n"                       \
    "static 2 exit pc 0x60 opcode EXIT\n"
#define COPY "  0 ffffffff 0x7f0000000000 +16"

Test(writer, waits_for_groups_of_copies_come_back_from_accelsim_text)
{
    check_kept(COPIES "cta 0,0,0 warps 1 records 7 other 7 flops 0,0,0,0\n"
                      "warp 0\n" COPY "\n" COPY "\n" COPY " head 1/1\n" COPY
                      "\n"
                      "  1 ffffffff 0x0 +4 head 1/1 wait 0xc tail 1/1\n"
                      "  1 ffffffff 0x0 +4 wait 0x3 tail 3/3\n"
                      "  2 00000000 head 1/1\n");
}

Test(writer, copies_waited_for_out_of_turn_come_back_from_accelsim_text)
{
    check_kept(COPIES "cta 0,0,0 warps 1 records 5 other 2 flops 0,0,0,0\n"
                      "warp 0\n" COPY "\n" COPY "\n"
                      "  1 ffffffff 0x0 +4 wait 0x1 tail 1/1\n"
                      "  1 ffffffff 0x0 +4 wait 0x2\n"
                      "  2 00000000 head 1/1\n");
}

Test(writer, short_pauses_come_back_from_accelsim_text)
{
    check_kept(LAUNCH
               "static 0 shared_store pc 0x30 width 4 opcode STS\n"
               "static 1 exit pc 0x60 opcode EXIT\n"
               "cta 0,0,0 warps 1 records 6 other 19 flops 0,0,0,0\n"
               "warp 0\n"
               "  0 ffffffff 0x0 +4 head 7/5\n" /* 2 cycles */
               "  0 ffffffff 0x0 +4 head 3/3\n"
               "  0 ffffffff 0x0 +4\n"
               "  0 ffffffff 0x0 +4 head 3/1\n" /* made by those before */
               "  0 ffffffff 0x0 +4 head 16/4 tail 4/4\n"
               "  1 00000000 head 2/2\n");
}

static void check_refused(const char *text, const char *wanted)
{
    place p;
    wm_error err;
    place_init(&p, text, "folder");
    cr_assert_eq(rewrite(p.from, "accelsim", p.to, &err), WM_EFORMAT);
    cr_assert_not_null(strstr(err.text, wanted), "%s", err.text);
    cr_assert_eq(count_entries(p.files.folder), 1, "something is left");
    place_fini(&p);
}

Test(writer, accelsim_text_refuses_what_it_cannot_say)
{
    check_refused("warpmem-trace 1\nlaunch warp 64 name k\n"
                  "static 0 exit opcode EXIT\ncta 0,0,0\nwarp 0\n  0 1\n",
                  "64 lanes");
    check_refused(LAUNCH "static 0 global_load width 12 opcode LDG\n"
                         "cta 0,0,0\nwarp 0\n  0 1 0x100\n",
                  "12 bytes a lane");
}

Test(writer, an_opcode_that_says_something_else_is_replaced)
{
    place p;
    wm_error err;
    wm_buffer found;
    place_init(&p,
               LAUNCH "static 0 shared_store width 16 opcode my store\n"
                      "cta 0,0,0 warps 1\nwarp 0\n  0 3 0x100 +16\n",
               "folder");
    cr_assert_eq(rewrite(p.from, "accelsim", p.to, &err), WM_OK, "%s",
                 err.text);
    wm_buffer_init(&found);
    test_run *run = test_run_path(p.to, false);
    cr_assert_eq(run->kind[WM_KIND_SHARED_STORE].n_requests, 1);
    cr_assert_eq(run->kind[WM_KIND_SHARED_STORE].n_bytes, 32);
    test_run_free(run);
    place_fini(&p);
}

Test(writer, accelsim_text_never_goes_into_a_folder_that_exists)
{
    place p;
    wm_error err;
    place_init(&p, EXACT, ".");
    cr_assert_eq(rewrite(p.from, "accelsim", p.to, &err), WM_EIO);
    cr_assert_not_null(strstr(err.text, "exists"));
    place_fini(&p);
}

Test(writer, text_and_wmt_keep_everything)
{
    static const char *const formats[] = {"text", "wmt"};
    for (size_t i = 0; i < 2; i++) {
        place p;
        wm_error err;
        wm_buffer wanted, found;
        place_init(&p, EXACT, "b");
        wm_buffer_init(&wanted);
        wm_buffer_init(&found);
        cr_assert_eq(rewrite(p.from, formats[i], p.to, &err), WM_OK);
        test_run_free(dump_path(p.from, false, &wanted));
        test_run *run = dump_path(p.to, false, &found);
        cr_assert_str_eq(run->format, formats[i]);
        assert_same_dump(&wanted, &found, i);
        test_run_free(run);
        wm_buffer_fini(&wanted);
        wm_buffer_fini(&found);
        place_fini(&p);
    }
}

Test(writer, an_aborted_file_is_gone)
{
    for (size_t i = 0; wm_trace_outputs[i] != NULL; i++) {
        place p;
        wm_error err;
        wm_trace_writer *writer = NULL;
        place_init(&p, EXACT, "b");
        cr_assert_eq(
            wm_trace_create(wm_trace_outputs[i]->name, p.to, &writer, &err),
            WM_OK);
        wm_trace_abort(writer);
        cr_assert_eq(count_entries(p.files.folder), 1);
        place_fini(&p);
    }
}

Test(writer, an_unknown_format_names_the_known_ones)
{
    wm_error err;
    wm_trace_writer *writer = NULL;
    cr_assert_eq(wm_trace_create("elf", "x", &writer, &err), WM_EUSAGE);
    cr_assert_not_null(strstr(err.text, "'elf'"));
    cr_assert_not_null(strstr(err.text, "wmt, text, accelsim"));
    cr_assert_null(writer);
}
