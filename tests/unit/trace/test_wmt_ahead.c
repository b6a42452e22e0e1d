/* Reading ahead, seeking: what is delivered does not depend on them. */
#include <criterion/criterion.h>
#include <string.h>

#include "trace_wmt.h"

/* Everything that may not depend on the number of threads. */
static void assert_same_run(const test_run *a, const test_run *b,
                            const wm_buffer *dump_a, const wm_buffer *dump_b,
                            uint64_t seed)
{
    unsigned long long s = seed;
    cr_assert_eq(a->status, b->status, "seed %llu: %s / %s", s, a->err.text,
                 b->err.text);
    cr_assert(a->status == WM_OK || strcmp(a->err.text, b->err.text) == 0,
              "seed %llu: %s / %s", s, a->err.text, b->err.text);
    cr_assert_eq(a->is_complete, b->is_complete, "seed %llu", s);
    cr_assert_str_eq(a->digest, b->digest, "seed %llu", s);
    cr_assert_eq(a->diag.n_warnings, b->diag.n_warnings, "seed %llu", s);
    for (uint32_t i = 0; i < a->diag.n_warnings; i++) {
        cr_assert_str_eq(a->diag.warning[i].text, b->diag.warning[i].text);
        cr_assert_eq(a->diag.warning[i].n_times, b->diag.warning[i].n_times);
    }
    assert_same_dump(dump_a, dump_b, seed);
}

static void assert_jobs_agree(const char *path, bool keep_going, uint64_t seed)
{
    static const uint32_t jobs[] = {1, 2, 3, 6};
    test_run *run[4];
    wm_buffer dump[4];
    for (size_t i = 0; i < 4; i++) {
        const wm_trace_options options = {.keep_going = keep_going,
                                          .jobs = jobs[i]};
        wm_buffer_init(&dump[i]);
        run[i] = dump_with(path, &options, true, &dump[i]);
        assert_same_run(run[0], run[i], &dump[0], &dump[i], seed);
    }
    for (size_t i = 0; i < 4; i++) {
        test_run_free(run[i]);
        wm_buffer_fini(&dump[i]);
    }
}

/* A random trace of several chunks a launch. */
static const char *large_wmt(test_files *files, uint64_t seed, wm_buffer *bytes)
{
    wm_buffer dump;
    const char *path = new_path(files, "large.wmt");
    wm_buffer_init(&dump);
    wm_buffer_init(bytes);
    random_wmt(path, seed, 3, 3000, &dump);
    slurp(path, bytes);
    wm_buffer_fini(&dump);
    return path;
}

Test(wmt_ahead, any_number_of_threads_gives_the_same)
{
    test_files files;
    wm_buffer bytes;
    files_init(&files);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        const char *path = large_wmt(&files, seed, &bytes);
        assert_jobs_agree(path, false, seed);
        wm_buffer_fini(&bytes);
        (void)unlink(path);
        files.n = 0;
    }
    files_fini(&files);
}

Test(wmt_ahead, damage_is_met_in_the_same_place_by_any_number_of_threads,
     .timeout = 120)
{
    test_files files;
    wm_buffer bytes;
    files_init(&files);
    (void)large_wmt(&files, 21, &bytes);
    for (uint64_t seed = 1; seed <= 12; seed++) {
        wm_rng rng = {seed};
        size_t place = wm_rng_below(&rng, (uint32_t)bytes.n_bytes);
        size_t n = seed % 3 == 0 ? place + 1 : bytes.n_bytes;
        bytes.bytes[place] = (char)(bytes.bytes[place] ^ 0x55);
        const char *path = files_add(&files, "bad.wmt", bytes.bytes, n);
        assert_jobs_agree(path, seed % 2 == 0, seed);
        bytes.bytes[place] = (char)(bytes.bytes[place] ^ 0x55);
        files.n--;
        (void)unlink(path);
    }
    wm_buffer_fini(&bytes);
    files_fini(&files);
}

/* What a caller sees that looks at each CTA's number of records only. */
static wm_status count_records(const char *path, bool counts_only,
                               uint32_t jobs, wm_buffer *counts, wm_error *err)
{
    const wm_trace_options options = {.jobs = jobs, .counts_only = counts_only};
    wm_trace *trace = NULL;
    wm_command command = {.kind = WM_COMMAND_COPY};
    wm_cta cta;
    wm_cta_init(&cta);
    wm_status status = wm_trace_open(path, &options, NULL, &trace, err);
    while (status == WM_OK && command.kind != WM_COMMAND_END) {
        bool has_cta = true;
        status = wm_trace_next_command(trace, &command, err);
        while (status == WM_OK && command.kind == WM_COMMAND_LAUNCH &&
               has_cta) {
            status = wm_trace_next_cta(trace, &cta, &has_cta, err);
            wm_buffer_printf(counts, "%zu ",
                             status == WM_OK && has_cta ? cta.n_records : 0);
        }
    }
    wm_trace_close(trace);
    wm_cta_fini(&cta);
    return status;
}

Test(wmt_ahead, counting_finds_the_same_records_and_damage_on_many_threads)
{
    test_files files;
    wm_buffer bytes;
    files_init(&files);
    (void)large_wmt(&files, 61, &bytes);
    for (uint32_t seed = 0; seed < 4; seed++) {
        wm_buffer counts[4];
        wm_error err[4];
        wm_status status[4];
        size_t place = bytes.n_bytes / 4 * (4 - seed) - 64;
        /* Whole, then damaged nearer and nearer to the start. */
        bytes.bytes[place] = (char)(bytes.bytes[place] ^ (seed == 0 ? 0 : 4));
        const char *path =
            files_add(&files, "counted.wmt", bytes.bytes, bytes.n_bytes);
        for (uint32_t i = 0; i < 4; i++) {
            wm_buffer_init(&counts[i]);
            status[i] =
                count_records(path, i > 0, i < 2 ? 1 : i, &counts[i], &err[i]);
            cr_assert_eq(status[i], seed == 0 ? WM_OK : WM_EFORMAT);
            cr_assert_str_eq(counts[i].bytes, counts[0].bytes);
            cr_assert(seed == 0 || strcmp(err[i].text, err[0].text) == 0);
        }
        for (uint32_t i = 0; i < 4; i++) {
            wm_buffer_fini(&counts[i]);
        }
        files.n--;
        (void)unlink(path);
    }
    wm_buffer_fini(&bytes);
    files_fini(&files);
}

/* Some CTAs of each launch, then on to the next: by seed. */
static void dump_parts(const char *path, uint64_t seed, uint32_t jobs,
                       wm_buffer *dump, char digest[WM_DIGEST_HEX])
{
    const wm_trace_options options = {.jobs = jobs};
    wm_rng rng = {seed};
    wm_trace *trace = NULL;
    wm_command command = {.kind = WM_COMMAND_COPY};
    wm_error err;
    wm_cta cta;
    wm_cta_init(&cta);
    cr_assert_eq(wm_trace_open(path, &options, NULL, &trace, &err), WM_OK);
    while (command.kind != WM_COMMAND_END) {
        cr_assert_eq(wm_trace_next_command(trace, &command, &err), WM_OK);
        uint32_t n = wm_rng_below(&rng, 2) * wm_rng_below(&rng, 3000);
        bool has_cta = command.kind == WM_COMMAND_LAUNCH;
        while (has_cta && n-- > 0) {
            cr_assert_eq(wm_trace_next_cta(trace, &cta, &has_cta, &err), WM_OK);
            if (has_cta) {
                dump_cta(dump, &cta);
            }
        }
    }
    wm_trace_digest(trace, digest);
    wm_trace_close(trace);
    wm_cta_fini(&cta);
}

Test(wmt_ahead, launches_left_early_do_not_disturb_the_next)
{
    test_files files;
    wm_buffer bytes;
    files_init(&files);
    const char *path = large_wmt(&files, 31, &bytes);
    for (uint64_t seed = 1; seed <= 10; seed++) {
        wm_buffer dump[2];
        char digest[2][WM_DIGEST_HEX];
        for (uint32_t i = 0; i < 2; i++) {
            wm_buffer_init(&dump[i]);
            dump_parts(path, seed, 1 + 2 * i, &dump[i], digest[i]);
        }
        assert_same_dump(&dump[0], &dump[1], seed);
        cr_assert_str_eq(digest[0], digest[1]);
        wm_buffer_fini(&dump[0]);
        wm_buffer_fini(&dump[1]);
    }
    wm_buffer_fini(&bytes);
    files_fini(&files);
}

Test(wmt_ahead, a_trace_closed_early_ends_its_threads)
{
    test_files files;
    wm_buffer bytes;
    files_init(&files);
    const char *path = large_wmt(&files, 41, &bytes);
    for (uint32_t n = 0; n < 40; n++) {
        const wm_trace_options options = {.jobs = 4};
        wm_trace *trace = NULL;
        wm_command command = {.kind = WM_COMMAND_COPY};
        wm_error err;
        wm_cta cta;
        bool has_cta = true;
        wm_cta_init(&cta);
        cr_assert_eq(wm_trace_open(path, &options, NULL, &trace, &err), WM_OK);
        while (command.kind == WM_COMMAND_COPY) {
            cr_assert_eq(wm_trace_next_command(trace, &command, &err), WM_OK);
        }
        for (uint32_t i = 0; i < 30 * n && has_cta; i++) {
            cr_assert_eq(wm_trace_next_cta(trace, &cta, &has_cta, &err), WM_OK);
        }
        wm_trace_close(trace);
        wm_cta_fini(&cta);
    }
    wm_buffer_fini(&bytes);
    files_fini(&files);
}

/* ---- seeking ---- */

/* The n-th CTA of the launch-th launch, and the bytes read for it. */
static uint64_t dump_one(const char *path, bool may_seek, uint32_t launch,
                         uint64_t n, wm_buffer *dump)
{
    const wm_trace_options options = {.may_seek = may_seek};
    wm_trace *trace = NULL;
    wm_command command = {.kind = WM_COMMAND_COPY};
    wm_error err;
    wm_cta cta;
    bool has_cta = false;
    uint64_t n_done = 0;
    uint64_t n_total = 0;
    wm_cta_init(&cta);
    cr_assert_eq(wm_trace_open(path, &options, NULL, &trace, &err), WM_OK);
    for (uint32_t seen = 0; seen <= launch;) {
        cr_assert_eq(wm_trace_next_command(trace, &command, &err), WM_OK);
        cr_assert_neq(command.kind, WM_COMMAND_END);
        seen += command.kind == WM_COMMAND_LAUNCH;
        if (command.kind == WM_COMMAND_COPY) {
            dump_u64(dump, command.copy.addr);
        }
    }
    wm_status status = wm_trace_skip_ctas(trace, n, &cta, &err);
    cr_assert_eq(status, WM_OK, "%s", err.text);
    status = wm_trace_next_cta(trace, &cta, &has_cta, &err);
    cr_assert_eq(status, WM_OK, "%s", err.text);
    if (has_cta) {
        dump_cta(dump, &cta);
    }
    dump_statics(dump, wm_trace_launch(trace));
    wm_trace_position(trace, &n_done, &n_total);
    do {
        cr_assert_eq(wm_trace_next_command(trace, &command, &err), WM_OK);
        if (command.kind == WM_COMMAND_COPY) {
            dump_u64(dump, command.copy.addr);
        }
    } while (command.kind != WM_COMMAND_END);
    cr_assert(wm_trace_is_complete(trace));
    wm_trace_close(trace);
    wm_cta_fini(&cta);
    return n_done;
}

Test(wmt_ahead, seeking_finds_the_same_ctas_statics_and_copies)
{
    test_files files;
    wm_buffer bytes;
    files_init(&files);
    const char *path = large_wmt(&files, 51, &bytes);
    for (uint64_t seed = 1; seed <= 40; seed++) {
        wm_rng rng = {seed};
        wm_buffer dump[2];
        uint32_t launch = wm_rng_below(&rng, 3);
        uint64_t n = wm_rng_below(&rng, 3200);
        for (uint32_t i = 0; i < 2; i++) {
            wm_buffer_init(&dump[i]);
            (void)dump_one(path, i == 1, launch, n, &dump[i]);
        }
        assert_same_dump(&dump[0], &dump[1], seed);
        wm_buffer_fini(&dump[0]);
        wm_buffer_fini(&dump[1]);
    }
    wm_buffer_fini(&bytes);
    files_fini(&files);
}

Test(wmt_ahead, the_last_cta_of_a_large_file_costs_a_small_part_of_it)
{
    test_files files;
    wm_gen_params params;
    wm_buffer dump[2];
    uint64_t n_read[2];
    files_init(&files);
    const char *path = new_path(&files, "a.wmt");
    wm_gen_params_init(&params);
    params.pattern = "gather";
    params.span_bytes = 64 << 20;
    params.n_ctas = 1600; /* about 20 MB */
    write_pattern(path, &params);
    for (uint32_t i = 0; i < 2; i++) {
        wm_buffer_init(&dump[i]);
        n_read[i] = dump_one(path, i == 1, 0, 1599, &dump[i]);
    }
    assert_same_dump(&dump[0], &dump[1], 0);
    cr_expect_gt(n_read[0], 18u << 20);
    cr_expect_lt(n_read[1], 4u << 20, "%llu bytes",
                 (unsigned long long)n_read[1]);
    wm_buffer_fini(&dump[0]);
    wm_buffer_fini(&dump[1]);
    files_fini(&files);
}
