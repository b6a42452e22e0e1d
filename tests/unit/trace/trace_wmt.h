/* trace_wmt.h -- native trace files for tests: random ones, patterns, damaged
 * ones. */
#ifndef WM_TESTS_TRACE_WMT_H
#define WM_TESTS_TRACE_WMT_H

#include "trace/gen.h"
#include "trace/wmt.h"
#include "trace/wmt_layout.h"
#include "trace/wmt_pack.h"
#include "trace_random.h"

static inline void wmt_sink_copy(void *user, const wm_copy *copy)
{
    wm_error err;
    cr_assert_eq(wm_wmt_copy(user, copy, &err), WM_OK);
}

static inline void wmt_sink_launch(void *user, const wm_launch *launch)
{
    wm_error err;
    cr_assert_eq(wm_wmt_launch(user, launch, &err), WM_OK);
}

static inline void wmt_sink_cta(void *user, const wm_launch *launch,
                                const wm_cta *cta)
{
    wm_error err;
    wm_status status = wm_wmt_cta(user, launch, cta, &err);
    cr_assert_eq(status, WM_OK, "%s", err.text);
}

#define TEST_SMALL_BYTES ((size_t)1 << 15) /* as the writer has it */

/* Writes a random trace to path and appends its dump; launches of up to
 * small_bytes share chunks. */
static inline void random_wmt_of(const char *path, uint64_t seed,
                                 uint32_t n_launches, uint32_t n_ctas,
                                 size_t small_bytes, wm_buffer *dump)
{
    wm_wmt_writer *writer = NULL;
    wm_error err;
    cr_assert_eq(wm_wmt_create(path, &writer, &err), WM_OK);
    wm_wmt_set_small(writer, small_bytes);
    random_sink sink = {writer, wmt_sink_copy, wmt_sink_launch, wmt_sink_cta};
    random_trace(seed, n_launches, n_ctas, &sink, dump);
    cr_assert_eq(wm_wmt_finish(writer, &err), WM_OK, "%s", err.text);
}

static inline void random_wmt(const char *path, uint64_t seed,
                              uint32_t n_launches, uint32_t n_ctas,
                              wm_buffer *dump)
{
    random_wmt_of(path, seed, n_launches, n_ctas, TEST_SMALL_BYTES, dump);
}

/* A path in the temporary folder for a file that the writer makes. */
static inline const char *new_path(test_files *files, const char *name)
{
    const char *path = files_text(files, name, "");
    cr_assert_eq(unlink(path), 0);
    return path;
}

static inline void write_pattern(const char *path, const wm_gen_params *params)
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

typedef struct damaged {
    test_files files;
    wm_buffer bytes; /* of the whole file */
    wm_buffer dump;  /* of its records, without statics */
} damaged;

/* Reads the given bytes as a file. */
static inline test_run *read_bytes(damaged *d, const void *bytes,
                                   size_t n_bytes, bool keep_going,
                                   wm_buffer *dump)
{
    const char *path = files_add(&d->files, "damaged.wmt", bytes, n_bytes);
    const wm_trace_options options = {.keep_going = keep_going};
    test_run *run = dump_with(path, &options, false, dump);
    d->files.n = 0;
    (void)unlink(path);
    return run;
}

static inline void damaged_init(damaged *d, uint32_t n_launches,
                                uint32_t n_ctas, size_t small_bytes)
{
    files_init(&d->files);
    wm_buffer_init(&d->bytes);
    wm_buffer_init(&d->dump);
    const char *path = new_path(&d->files, "whole.wmt");
    random_wmt_of(path, 3, n_launches, n_ctas, small_bytes, &d->dump);
    slurp(path, &d->bytes);
    (void)unlink(path);
    d->files.n = 0;
    wm_buffer_clear(&d->dump);
    test_run_free(
        read_bytes(d, d->bytes.bytes, d->bytes.n_bytes, false, &d->dump));
}

static inline void damaged_fini(damaged *d)
{
    wm_buffer_fini(&d->bytes);
    wm_buffer_fini(&d->dump);
    files_fini(&d->files);
}

#endif
