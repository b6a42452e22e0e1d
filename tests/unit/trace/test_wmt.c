/* The native trace file: what is written is read back, whatever it is; what
 * is damaged is never taken for whole. */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

#include "trace/gen.h"
#include "trace/wmt.h"
#include "trace/wmt_layout.h"
#include "trace/wmt_pack.h"
#include "trace_random.h"

static void wmt_sink_copy(void *user, const wm_copy *copy)
{
    wm_error err;
    cr_assert_eq(wm_wmt_copy(user, copy, &err), WM_OK);
}

static void wmt_sink_launch(void *user, const wm_launch *launch)
{
    wm_error err;
    cr_assert_eq(wm_wmt_launch(user, launch, &err), WM_OK);
}

static void wmt_sink_cta(void *user, const wm_launch *launch, const wm_cta *cta)
{
    wm_error err;
    wm_status status = wm_wmt_cta(user, launch, cta, &err);
    cr_assert_eq(status, WM_OK, "%s", err.text);
}

/* Writes a random trace to path and appends its dump. */
static void random_wmt(const char *path, uint64_t seed, uint32_t n_launches,
                       uint32_t n_ctas, wm_buffer *dump)
{
    wm_wmt_writer *writer = NULL;
    wm_error err;
    cr_assert_eq(wm_wmt_create(path, &writer, &err), WM_OK);
    random_sink sink = {writer, wmt_sink_copy, wmt_sink_launch, wmt_sink_cta};
    random_trace(seed, n_launches, n_ctas, &sink, dump);
    cr_assert_eq(wm_wmt_finish(writer, &err), WM_OK, "%s", err.text);
}

/* A path in the temporary folder for a file that the writer makes. */
static const char *new_path(test_files *files, const char *name)
{
    const char *path = files_text(files, name, "");
    cr_assert_eq(unlink(path), 0);
    return path;
}

static void write_pattern(const char *path, const wm_gen_params *params)
{
    wm_error err;
    wm_gen *gen = NULL;
    wm_wmt_writer *writer = NULL;
    wm_cta cta;
    bool has_cta = true;
    wm_cta_init(&cta);
    cr_assert_eq(wm_gen_open(params, &gen, &err), WM_OK, "%s", err.text);
    cr_assert_eq(wm_wmt_create(path, &writer, &err), WM_OK);
    cr_assert_eq(wm_wmt_launch(writer, wm_gen_launch(gen), &err), WM_OK);
    for (;;) {
        cr_assert_eq(wm_gen_next_cta(gen, &cta, &has_cta, &err), WM_OK);
        if (!has_cta) {
            break;
        }
        cr_assert_eq(wm_wmt_cta(writer, wm_gen_launch(gen), &cta, &err), WM_OK);
    }
    cr_assert_eq(wm_wmt_finish(writer, &err), WM_OK);
    wm_cta_fini(&cta);
    wm_gen_close(gen);
}

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

/* ---- damage ---- */

typedef struct damaged {
    test_files files;
    wm_buffer bytes; /* of the whole file */
    wm_buffer dump;
} damaged;

static void damaged_init(damaged *d, uint32_t n_launches, uint32_t n_ctas)
{
    files_init(&d->files);
    wm_buffer_init(&d->bytes);
    wm_buffer_init(&d->dump);
    const char *path = new_path(&d->files, "whole.wmt");
    random_wmt(path, 3, n_launches, n_ctas, &d->dump);
    slurp(path, &d->bytes);
    (void)unlink(path);
    d->files.n = 0;
}

static void damaged_fini(damaged *d)
{
    wm_buffer_fini(&d->bytes);
    wm_buffer_fini(&d->dump);
    files_fini(&d->files);
}

/* Reads the given bytes as a file. */
static test_run *read_bytes(damaged *d, const void *bytes, size_t n_bytes,
                            bool keep_going, wm_buffer *dump)
{
    const char *path = files_add(&d->files, "damaged.wmt", bytes, n_bytes);
    test_run *run = dump_path(path, keep_going, dump);
    d->files.n = 0;
    (void)unlink(path);
    return run;
}

static void assert_cut(damaged *d, size_t n_bytes)
{
    wm_buffer dump;
    wm_buffer_init(&dump);
    test_run *run = read_bytes(d, d->bytes.bytes, n_bytes, false, &dump);
    if (n_bytes < WM_WMT_FILE_BYTES) {
        cr_assert_eq(run->status, WM_EFORMAT, "cut at %zu", n_bytes);
    } else {
        cr_assert_eq(run->status, WM_OK, "cut at %zu: %s", n_bytes,
                     run->err.text);
        cr_assert_not(run->is_complete, "cut at %zu", n_bytes);
        cr_assert_not_null(test_run_warning(run, "trace-cut"));
        cr_assert_leq(dump.n_bytes, d->dump.n_bytes + 4096);
    }
    test_run_free(run);
    wm_buffer_fini(&dump);
}

Test(wmt, a_file_cut_at_any_chunk_gives_its_whole_chunks_and_a_warning)
{
    damaged d;
    damaged_init(&d, 5, 12);
    const uint8_t *at = (const uint8_t *)d.bytes.bytes;
    size_t offset = WM_WMT_FILE_BYTES;
    uint32_t n_chunks = 0;
    while (offset < d.bytes.n_bytes) {
        assert_cut(&d, offset);
        offset += WM_WMT_CHUNK_BYTES + wm_wmt_get_u32(at + offset + 12);
        n_chunks++;
    }
    cr_expect_eq(offset, d.bytes.n_bytes);
    cr_expect_gt(n_chunks, 10);
    damaged_fini(&d);
}

Test(wmt, a_file_cut_anywhere_is_never_taken_for_whole)
{
    damaged d;
    wm_rng rng = {11};
    damaged_init(&d, 5, 12);
    for (int i = 0; i < 50; i++) {
        assert_cut(&d, 1 + wm_rng_below(&rng, (uint32_t)d.bytes.n_bytes - 1));
    }
    damaged_fini(&d);
}

Test(wmt, every_single_changed_byte_is_noticed, .timeout = 120)
{
    damaged d;
    damaged_init(&d, 2, 2);
    cr_assert_lt(d.bytes.n_bytes, 8000);
    for (size_t i = 0; i < d.bytes.n_bytes; i++) {
        wm_buffer dump;
        wm_buffer_init(&dump);
        d.bytes.bytes[i] = (char)(d.bytes.bytes[i] ^ (1 + (i * 37) % 255));
        test_run *run =
            read_bytes(&d, d.bytes.bytes, d.bytes.n_bytes, i % 2 == 0, &dump);
        cr_assert(run->status != WM_OK || !run->is_complete, "byte %zu", i);
        test_run_free(run);
        wm_buffer_fini(&dump);
        d.bytes.bytes[i] = (char)(d.bytes.bytes[i] ^ (1 + (i * 37) % 255));
    }
    damaged_fini(&d);
}

/* Damage that a CRC-32 cannot show: the payload is changed, then sealed
 * again.  Nothing may crash, and memory must stay within bounds. */
Test(wmt, hostile_payloads_do_no_harm, .timeout = 120)
{
    damaged d;
    wm_rng rng = {13};
    wm_wmt_unpacker *unpacker = wm_wmt_unpacker_new();
    damaged_init(&d, 2, 3);
    const uint8_t *bytes = (const uint8_t *)d.bytes.bytes;
    for (int i = 0; i < 3000; i++) {
        wm_buffer file;
        wm_buffer dump;
        wm_buffer_init(&file);
        wm_buffer_init(&dump);
        wm_buffer_add(&file, bytes, WM_WMT_FILE_BYTES);
        for (size_t at = WM_WMT_FILE_BYTES; at < d.bytes.n_bytes;) {
            uint8_t head[WM_WMT_CHUNK_BYTES];
            uint8_t raw[65536];
            memcpy(head, bytes + at, sizeof(head));
            uint32_t n_raw = wm_wmt_get_u32(head + 8);
            uint32_t n_packed = wm_wmt_get_u32(head + 12);
            const uint8_t *packed = bytes + at + WM_WMT_CHUNK_BYTES;
            cr_assert_leq(n_raw, sizeof(raw));
            if (wm_wmt_get_u32(head + 4) == 0) {
                cr_assert(
                    wm_wmt_unpack(unpacker, packed, n_packed, raw, n_raw));
            } else {
                memcpy(raw, packed, n_raw);
            }
            if (n_raw > 0 && wm_rng_below(&rng, 3) == 0) {
                uint32_t place = wm_rng_below(&rng, n_raw < 40 ? n_raw : 40);
                place = wm_rng_below(&rng, 2) == 0 ? place
                                                   : wm_rng_below(&rng, n_raw);
                raw[place] = (uint8_t)wm_rng_next(&rng);
            }
            wm_wmt_put_u32(head + 4, WM_WMT_FLAG_STORED);
            wm_wmt_put_u32(head + 12, n_raw);
            wm_wmt_put_u32(head + 16, wm_wmt_crc32(raw, n_raw));
            wm_wmt_put_u32(head + 20, wm_wmt_crc32(head, 20));
            wm_buffer_add(&file, head, sizeof(head));
            wm_buffer_add(&file, raw, n_raw);
            at += WM_WMT_CHUNK_BYTES + n_packed;
        }
        test_run *run =
            read_bytes(&d, file.bytes, file.n_bytes, i % 2 == 0, &dump);
        cr_assert(run->status == WM_OK || run->status == WM_EFORMAT, "%s",
                  run->err.text);
        cr_assert_lt(dump.n_bytes, 1 << 22);
        test_run_free(run);
        wm_buffer_fini(&file);
        wm_buffer_fini(&dump);
    }
    wm_wmt_unpacker_free(unpacker);
    damaged_fini(&d);
}

/* Changes one byte in the payload of the first chunk of the given type. */
static size_t damage_chunk(damaged *d, uint32_t type)
{
    uint8_t *bytes = (uint8_t *)d->bytes.bytes;
    size_t at = WM_WMT_FILE_BYTES;
    while (wm_wmt_get_u32(bytes + at) != type) {
        at += WM_WMT_CHUNK_BYTES + wm_wmt_get_u32(bytes + at + 12);
        cr_assert_lt(at, d->bytes.n_bytes);
    }
    bytes[at + WM_WMT_CHUNK_BYTES + 3] ^= 0x10;
    return at;
}

Test(wmt, a_damaged_chunk_is_named_by_path_and_byte)
{
    damaged d;
    char place[64];
    wm_buffer dump;
    damaged_init(&d, 3, 12);
    wm_buffer_init(&dump);
    snprintf(place, sizeof(place), "damaged.wmt: byte %zu: damaged CTAS chunk",
             damage_chunk(&d, WM_WMT_CTAS));
    test_run *run =
        read_bytes(&d, d.bytes.bytes, d.bytes.n_bytes, false, &dump);
    cr_expect_eq(run->status, WM_EFORMAT);
    cr_expect_not_null(strstr(run->err.text, place), "%s", run->err.text);
    test_run_free(run);
    wm_buffer_fini(&dump);
    damaged_fini(&d);
}

Test(wmt, keep_going_skips_the_damaged_chunk_only)
{
    static const uint32_t types[] = {WM_WMT_CTAS, WM_WMT_STAT, WM_WMT_LAUN,
                                     WM_WMT_META, WM_WMT_INDX};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        damaged d;
        wm_buffer dump;
        damaged_init(&d, 3, 12);
        wm_buffer_init(&dump);
        (void)damage_chunk(&d, types[i]);
        test_run *run =
            read_bytes(&d, d.bytes.bytes, d.bytes.n_bytes, true, &dump);
        cr_expect_eq(run->status, WM_OK, "%s", run->err.text);
        cr_expect_not(run->is_complete);
        cr_expect_not_null(test_run_warning(run, "chunk-damaged"));
        cr_expect_null(test_run_warning(run, "trace-cut"));
        cr_expect_eq(run->n_launches, types[i] == WM_WMT_LAUN ? 2 : 3);
        test_run_free(run);
        wm_buffer_fini(&dump);
        damaged_fini(&d);
    }
}

static void assert_refused(damaged *d, const char *wanted)
{
    wm_buffer dump;
    wm_buffer_init(&dump);
    test_run *run =
        read_bytes(d, d->bytes.bytes, d->bytes.n_bytes, false, &dump);
    cr_expect_eq(run->status, WM_EFORMAT);
    cr_expect_not_null(strstr(run->err.text, wanted), "%s", run->err.text);
    test_run_free(run);
    wm_buffer_fini(&dump);
}

Test(wmt, a_newer_version_is_refused_by_number)
{
    damaged d;
    damaged_init(&d, 1, 1);
    uint8_t *bytes = (uint8_t *)d.bytes.bytes;
    wm_wmt_put_u32(bytes + 8, WM_WMT_VERSION + 1);
    wm_wmt_put_u32(bytes + 12, wm_wmt_crc32(bytes, 12));
    assert_refused(&d, "byte 8: found trace format 3, wanted 1 to 2");
    damaged_fini(&d);
}

Test(wmt, bytes_behind_the_footer_are_refused)
{
    damaged d;
    damaged_init(&d, 1, 1);
    wm_buffer_puts(&d.bytes, "x");
    assert_refused(&d, "bytes behind the footer");
    damaged_fini(&d);
}

Test(wmt, sizes_that_the_bytes_cannot_justify_take_no_memory)
{
    damaged d;
    damaged_init(&d, 1, 1);
    uint8_t *head = (uint8_t *)d.bytes.bytes + WM_WMT_FILE_BYTES;
    wm_wmt_put_u32(head + 4, 0);
    wm_wmt_put_u32(head + 8, WM_WMT_RAW_MAX);
    wm_wmt_put_u32(head + 20, wm_wmt_crc32(head, 20));
    assert_refused(&d, "sizes that cannot belong to each other");
    damaged_fini(&d);
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
