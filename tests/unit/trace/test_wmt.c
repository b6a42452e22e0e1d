/* The native trace file: what is written is read back, whatever it is. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "trace_wmt.h"

Test(wmt, any_well_formed_trace_comes_back_bit_for_bit)
{
    test_files files;
    files_init(&files);
    const char *path = new_path(&files, "a.wmt");
    for (uint64_t seed = 1; seed <= 60; seed++) {
        wm_buffer written;
        wm_buffer read;
        wm_buffer_init(&written);
        wm_buffer_init(&read);
        random_wmt(path, seed, 4, 12, &written);
        test_run *run = dump_path(path, false, &read);
        cr_assert_eq(run->status, WM_OK, "seed %llu: %s",
                     (unsigned long long)seed, run->err.text);
        cr_assert(run->is_complete, "seed %llu", (unsigned long long)seed);
        cr_assert_eq(wm_diag_total(&run->diag), 0);
        assert_same_dump(&written, &read, seed);
        test_run_free(run);
        wm_buffer_fini(&written);
        wm_buffer_fini(&read);
    }
    files_fini(&files);
}

/* Many small launches: groups of several chunks, large launches between. */
Test(wmt, small_launches_in_common_chunks_come_back_in_order)
{
    test_files files;
    files_init(&files);
    const char *path = new_path(&files, "a.wmt");
    for (uint64_t seed = 1; seed <= 4; seed++) {
        wm_buffer written;
        wm_buffer read[2];
        wm_buffer_init(&written);
        random_wmt(path, seed, 60, 200, &written);
        for (uint32_t jobs = 1; jobs <= 2; jobs++) {
            const wm_trace_options options = {.jobs = jobs};
            wm_buffer_init(&read[jobs - 1]);
            test_run *run = dump_with(path, &options, true, &read[jobs - 1]);
            cr_assert_eq(run->status, WM_OK, "seed %llu: %s",
                         (unsigned long long)seed, run->err.text);
            cr_assert(run->is_complete);
            assert_same_dump(&written, &read[jobs - 1], seed);
            test_run_free(run);
            wm_buffer_fini(&read[jobs - 1]);
        }
        wm_buffer_fini(&written);
    }
    files_fini(&files);
}

Test(wmt, a_launch_of_many_chunks_comes_back_in_order)
{
    test_files files;
    files_init(&files);
    const char *path = new_path(&files, "a.wmt");
    wm_buffer written;
    wm_buffer read;
    wm_buffer_init(&written);
    wm_buffer_init(&read);
    random_wmt(path, 77, 2, 6000, &written);
    test_run *run = dump_path(path, false, &read);
    cr_assert_eq(run->status, WM_OK, "%s", run->err.text);
    assert_same_dump(&written, &read, 77);
    test_run_free(run);
    wm_buffer_fini(&written);
    wm_buffer_fini(&read);
    files_fini(&files);
}

Test(wmt, the_same_calls_write_the_same_bytes)
{
    test_files files;
    wm_buffer dump;
    wm_buffer bytes[2];
    files_init(&files);
    wm_buffer_init(&dump);
    const char *path[2] = {new_path(&files, "a.wmt"),
                           new_path(&files, "b.wmt")};
    for (int i = 0; i < 2; i++) {
        wm_buffer_init(&bytes[i]);
        random_wmt(path[i], 5, 3, 20, &dump);
        slurp(path[i], &bytes[i]);
    }
    assert_same_dump(&bytes[0], &bytes[1], 5);
    wm_buffer_fini(&bytes[0]);
    wm_buffer_fini(&bytes[1]);
    wm_buffer_fini(&dump);
    files_fini(&files);
}

Test(wmt, an_empty_trace_is_a_whole_file)
{
    test_files files;
    files_init(&files);
    const char *path = new_path(&files, "a.wmt");
    wm_wmt_writer *writer = NULL;
    wm_error err;
    cr_assert_eq(wm_wmt_create(path, &writer, &err), WM_OK);
    cr_assert_eq(wm_wmt_finish(writer, &err), WM_OK);
    test_run *run = test_run_path(path, false);
    cr_assert_eq(run->status, WM_OK);
    cr_assert(run->is_complete);
    cr_assert_eq(run->n_launches, 0);
    test_run_free(run);
    files_fini(&files);
}

Test(wmt, skipped_launches_do_not_disturb_the_next)
{
    test_files files;
    files_init(&files);
    const char *path = new_path(&files, "a.wmt");
    wm_buffer dump;
    wm_buffer_init(&dump);
    random_wmt(path, 9, 6, 30, &dump);
    wm_trace *trace = NULL;
    wm_error err;
    wm_diag diag;
    wm_command command;
    uint32_t n_launches = 0;
    wm_trace_options options = {.keep_going = false};
    wm_diag_init(&diag);
    cr_assert_eq(wm_trace_open(path, &options, &diag, &trace, &err), WM_OK);
    do {
        cr_assert_eq(wm_trace_next_command(trace, &command, &err), WM_OK);
        n_launches += command.kind == WM_COMMAND_LAUNCH;
    } while (command.kind != WM_COMMAND_END);
    cr_assert_eq(n_launches, 6);
    cr_assert(wm_trace_is_complete(trace));
    wm_trace_close(trace);
    wm_buffer_fini(&dump);
    files_fini(&files);
}

Test(wmt, regular_kernels_take_next_to_no_space)
{
    test_files files;
    files_init(&files);
    const char *path = new_path(&files, "a.wmt");
    wm_gen_params params;
    wm_buffer bytes;
    wm_buffer_init(&bytes);
    wm_gen_params_init(&params);
    params.pattern = "vecadd";
    params.n_ctas = 16384;
    params.n_accesses = 1; /* 524,288 records with the exits */
    write_pattern(path, &params);
    slurp(path, &bytes);
    cr_assert_lt(bytes.n_bytes, 20000, "%zu bytes", bytes.n_bytes);
    wm_buffer_fini(&bytes);
    files_fini(&files);
}

Test(wmt, a_record_out_of_bounds_is_refused_when_written)
{
    test_files files;
    files_init(&files);
    const char *path = new_path(&files, "a.wmt");
    wm_wmt_writer *writer = NULL;
    wm_error err;
    wm_static item = {.opcode = "LDG"};
    wm_launch launch = {.name = "k",
                        .warp_size = 32,
                        .statics = &item,
                        .n_statics = 1,
                        .n_ctas = 1};
    wm_record record = {.mask = UINT64_C(1) << 40, .width = 4};
    wm_warp_span span = {0, 1};
    wm_cta cta = {
        .n_warps = 1, .warps = &span, .records = &record, .n_records = 1};
    cr_assert_eq(wm_wmt_create(path, &writer, &err), WM_OK);
    cr_assert_eq(wm_wmt_launch(writer, &launch, &err), WM_OK);
    cr_expect_eq(wm_wmt_cta(writer, &launch, &cta, &err), WM_EFORMAT);
    cr_expect_not_null(strstr(err.text, "beyond the warp size"));
    wm_wmt_abort(writer);
    files_fini(&files);
}

Test(wmt, an_aborted_file_leaves_nothing_behind)
{
    test_files files;
    char temporary[160];
    files_init(&files);
    const char *path = new_path(&files, "a.wmt");
    wm_wmt_writer *writer = NULL;
    wm_error err;
    cr_assert_eq(wm_wmt_create(path, &writer, &err), WM_OK);
    snprintf(temporary, sizeof(temporary), "%s.tmp-%ld", path, (long)getpid());
    cr_expect_eq(access(temporary, F_OK), 0);
    cr_expect_neq(access(path, F_OK), 0, "the final name comes last");
    wm_wmt_abort(writer);
    cr_expect_neq(access(temporary, F_OK), 0);
    cr_expect_neq(access(path, F_OK), 0);
    files_fini(&files);
}

Test(wmt, a_path_that_cannot_be_written_is_named)
{
    wm_wmt_writer *writer = NULL;
    wm_error err;
    cr_assert_eq(wm_wmt_create("/nowhere/x.wmt", &writer, &err), WM_EIO);
    cr_expect_not_null(strstr(err.text, "/nowhere/x.wmt"));
    cr_expect_not_null(strstr(err.text, "No such file"));
}

Test(wmt, a_launch_with_fewer_ctas_than_its_grid_is_incomplete)
{
    test_files files;
    files_init(&files);
    const char *path = new_path(&files, "a.wmt");
    wm_wmt_writer *writer = NULL;
    wm_error err;
    wm_launch launch = {.name = "k", .warp_size = 32, .n_ctas = 3};
    wm_cta cta = {.n_warps = 0};
    cr_assert_eq(wm_wmt_create(path, &writer, &err), WM_OK);
    cr_assert_eq(wm_wmt_launch(writer, &launch, &err), WM_OK);
    cr_assert_eq(wm_wmt_cta(writer, &launch, &cta, &err), WM_OK);
    cr_assert_eq(wm_wmt_finish(writer, &err), WM_OK);
    test_run *run = test_run_path(path, false);
    cr_expect_eq(run->status, WM_OK);
    cr_expect_not(run->is_complete);
    cr_expect_not_null(test_run_warning(run, "ctas-missing"));
    test_run_free(run);
    files_fini(&files);
}
