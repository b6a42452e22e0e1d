/*
 * test_kernelslist.c -- kernel lists: copies, files, and what is ignored.
 */
#include "trace_files.h"

#include <zlib.h>

#define KERNEL                                                                 \
    "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n"           \
    "-accelsim tracer version = 3\n\n#BEGIN_TB\n\nthread block = 0,0,0\n\n"    \
    "warp = 0\ninsts = 1\n0000 ffffffff 1 R1 LDG.E 1 R2 4 1 0x1000 4\n\n"      \
    "#END_TB\n"

static test_run *run_list(test_files *files, const char *list, bool keep_going)
{
    return test_run_path(files_text(files, "kernelslist.g", list), keep_going);
}

Test(kernelslist, copies_and_kernels_come_in_the_order_of_the_file)
{
    test_files files;
    wm_trace *trace = NULL;
    wm_error err;
    wm_command command;
    uint64_t n_done = 0, n_total = 0;
    files_init(&files);
    files_text(&files, "kernel-1.traceg", KERNEL);
    files_text(&files, "kernelslist.g",
               "MemcpyHtoD,0x00007f2000000000,4096\n\nkernel-1.traceg\n"
               "MemcpyHtoD,0x10,1,dump.bin\nkernel-1.traceg");
    cr_assert_eq(wm_trace_open(files.folder, NULL, NULL, &trace, &err), WM_OK,
                 "%s", err.text);
    cr_assert_str_eq(wm_trace_format_name(trace), "kernelslist");
    wm_trace_next_command(trace, &command, &err);
    cr_assert_eq(command.kind, WM_COMMAND_COPY);
    cr_assert_eq(command.copy.kind, WM_COPY_HOST_TO_DEVICE);
    cr_assert_eq(command.copy.addr, 0x7f2000000000);
    cr_assert_eq(command.copy.n_bytes, 4096);
    wm_trace_next_command(trace, &command, &err);
    cr_assert_eq(command.kind, WM_COMMAND_LAUNCH);
    cr_assert_str_eq(command.launch.name, "k");
    wm_trace_next_command(trace, &command, &err); /* skips the CTAs */
    cr_assert_eq(command.copy.n_bytes, 1);
    wm_trace_next_command(trace, &command, &err);
    cr_assert_eq(command.kind, WM_COMMAND_LAUNCH);
    wm_trace_next_command(trace, &command, &err);
    cr_assert_eq(command.kind, WM_COMMAND_END);
    wm_trace_position(trace, &n_done, &n_total);
    cr_assert_eq(n_done, n_total);
    wm_trace_close(trace);
    files_fini(&files);
}

Test(kernelslist, other_commands_are_counted_by_name)
{
    test_files files;
    files_init(&files);
    files_text(&files, "kernel-1-ctx_0x21440c40.traceg", KERNEL);
    test_run *run = run_list(&files,
                             "cudaMalloc,0x00007fb50a800000,8000000\n"
                             "MemcpyHtoD,0x00007fb50a800000,8000000\n\n"
                             "kernel-1-ctx_0x21440c40.traceg\n"
                             "cudaMemcpyAsyncHtoD,0x00007f227a000000\n"
                             "MemcpyDtoH,0x00007fb50a800000,8000000",
                             false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_assert_eq(run->n_launches, 1);
    cr_assert_eq(run->n_copies, 1);
    cr_assert(run->is_complete);
    cr_assert_eq(test_run_warning(run, "ignored-cudaMalloc")->n_times, 1);
    cr_assert_eq(test_run_warning(run, "ignored-cudaMemcpyAsyncHtoD")->n_times,
                 1);
    cr_assert_eq(test_run_warning(run, "ignored-MemcpyDtoH")->n_times, 1);
    const wm_warning *bad = test_run_warning(run, "list-command-malformed");
    cr_assert_eq(bad->n_times, 1);
    cr_assert_not_null(strstr(bad->first, "kernelslist.g:5"));
    test_run_free(run);
    files_fini(&files);
}

Test(kernelslist, a_missing_file_is_an_error_at_open_with_its_line)
{
    test_files files;
    files_init(&files);
    files_text(&files, "kernel-1.traceg", KERNEL);
    const char *list = "kernel-1.traceg\nkernel-2.traceg\n";
    test_run *run = run_list(&files, list, false);
    cr_assert_eq(run->status, WM_EFORMAT);
    cr_assert_eq(run->n_launches, 0);
    cr_assert_not_null(strstr(run->err.text,
                              "kernelslist.g:2: kernel-2.traceg: No such file "
                              "or directory"),
                       "got: %s", run->err.text);
    test_run_free(run);
    run = run_list(&files, list, true);
    cr_assert_eq(run->status, WM_OK);
    cr_assert_eq(run->n_launches, 1);
    cr_assert_not(run->is_complete);
    cr_assert_eq(test_run_warning(run, "kernel-skipped")->n_times, 1);
    test_run_free(run);
    files_fini(&files);
}

Test(kernelslist, a_fake_or_foreign_kernel_is_named)
{
    static const struct {
        const char *content, *wanted;
    } rows[] = {
        {"version https://git-lfs.github.com/spec/v1\noid sha256:1\n",
         "kernel-3.traceg:1: this is a Git LFS pointer, run git lfs pull"},
        {"[{\"json\": 1}]\n", "not a known trace format"},
        {"kernel-3.traceg\n", "a kernel list in a kernel list"},
        {"", "kernel-3.traceg: empty file"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        test_files files;
        files_init(&files);
        files_text(&files, "kernel-3.traceg", rows[i].content);
        test_run *run = run_list(&files, "kernel-3.traceg\n", false);
        cr_assert_eq(run->status, WM_EFORMAT);
        cr_assert_not_null(strstr(run->err.text, rows[i].wanted), "got: %s",
                           run->err.text);
        test_run_free(run);
        run = run_list(&files, "kernel-3.traceg\n", true);
        cr_assert_eq(run->status, WM_OK);
        cr_assert_not(run->is_complete);
        test_run_free(run);
        files_fini(&files);
    }
}

Test(kernelslist, compressed_and_plain_names_stand_for_each_other)
{
    test_files files;
    files_init(&files);
    const char *path = files_text(&files, "kernel-1.traceg.gz", "");
    gzFile packed = gzopen(path, "wb");
    gzputs(packed, KERNEL);
    gzclose(packed);
    files_text(&files, "kernel-2.traceg", KERNEL);
    test_run *run = run_list(&files,
                             "kernel-1.traceg\nkernel-1.traceg.xz\n"
                             "kernel-2.traceg.xz\nkernel-2.traceg.gz\n",
                             false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_assert_eq(run->n_launches, 4);
    cr_assert_eq(run->n_ctas, 4);
    test_run_free(run);
    files_fini(&files);
}

Test(kernelslist, a_malformed_copy_is_an_error)
{
    static const char *const lists[] = {
        "MemcpyHtoD,0x12\n", "MemcpyHtoD,0x12,\n", "MemcpyHtoD,0xzz,4\n",
        "MemcpyHtoD,0x12,-4\n", "MemcpyHtoD,0x12,99999999999999999999\n"};
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        test_files files;
        files_init(&files);
        test_run *run = run_list(&files, lists[i], false);
        cr_assert_eq(run->status, WM_EFORMAT, "%s", lists[i]);
        cr_assert_not_null(strstr(run->err.text, "kernelslist.g:1: found"),
                           "got: %s", run->err.text);
        test_run_free(run);
        files_fini(&files);
    }
}

Test(kernelslist, carriage_returns_change_nothing)
{
    test_files files;
    files_init(&files);
    files_text(&files, "kernel-1.traceg", KERNEL);
    test_run *run = run_list(
        &files, "\xef\xbb\xbfMemcpyHtoD,0x10,4096\r\nkernel-1.traceg\r\n",
        false);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    cr_assert_eq(run->n_launches, 1);
    cr_assert_eq(run->n_copies, 1);
    test_run_free(run);
    files_fini(&files);
}

Test(kernelslist, a_folder_without_a_list_says_what_was_looked_for)
{
    test_files files;
    files_init(&files);
    test_run *run = test_run_path(files.folder, false);
    cr_assert_eq(run->status, WM_EFORMAT);
    cr_assert_not_null(
        strstr(run->err.text, "without kernelslist.g or kernelslist"));
    test_run_free(run);
    files_fini(&files);
}
