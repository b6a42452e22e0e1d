/* trace_dump.h -- a whole trace file as plain bytes (trace_bytes.h). */
#ifndef WM_TESTS_TRACE_DUMP_H
#define WM_TESTS_TRACE_DUMP_H

#include "base/buffer.h"
#include "trace_bytes.h"
#include "trace_files.h"

/* Reads a trace into plain bytes; the run tells how it ended.  Statics follow
 * their launch where has_statics says so: without them, what a part of the
 * file gives is the beginning of what all of it gives. */
static inline test_run *dump_with(const char *path,
                                  const wm_trace_options *options,
                                  bool has_statics, wm_buffer *out)
{
    test_run *run = calloc(1, sizeof(*run));
    wm_trace *trace = NULL;
    wm_command command = {.kind = WM_COMMAND_COPY};
    wm_cta cta;
    cr_assert_not_null(run);
    wm_cta_init(&cta);
    wm_diag_init(&run->diag);
    run->status = wm_trace_open(path, options, &run->diag, &trace, &run->err);
    while (run->status == WM_OK && command.kind != WM_COMMAND_END) {
        run->status = wm_trace_next_command(trace, &command, &run->err);
        bool has_cta =
            run->status == WM_OK && command.kind == WM_COMMAND_LAUNCH;
        if (run->status == WM_OK && command.kind == WM_COMMAND_COPY) {
            dump_copy(out, &command.copy);
            run->n_copies++;
        }
        if (has_cta) {
            dump_launch(out, &command.launch);
            run->n_launches++;
        }
        while (has_cta) {
            run->status = wm_trace_next_cta(trace, &cta, &has_cta, &run->err);
            has_cta &= run->status == WM_OK;
            if (has_cta) {
                dump_cta(out, &cta);
                run->n_ctas++;
            } else if (run->status == WM_OK && has_statics) {
                dump_statics(out, wm_trace_launch(trace));
            }
        }
    }
    if (trace != NULL) {
        run->is_complete = wm_trace_is_complete(trace);
        snprintf(run->format, sizeof(run->format), "%s",
                 wm_trace_format_name(trace));
        wm_trace_digest(trace, run->digest);
    }
    wm_trace_close(trace);
    wm_cta_fini(&cta);
    return run;
}

static inline test_run *dump_path(const char *path, bool keep_going,
                                  wm_buffer *out)
{
    wm_trace_options options = {.keep_going = keep_going};
    return dump_with(path, &options, true, out);
}

static inline void assert_same_dump(const wm_buffer *a, const wm_buffer *b,
                                    uint64_t seed)
{
    cr_assert_eq(a->n_bytes, b->n_bytes, "seed %llu", (unsigned long long)seed);
    cr_assert(a->n_bytes == 0 || memcmp(a->bytes, b->bytes, a->n_bytes) == 0,
              "seed %llu", (unsigned long long)seed);
}

/* The bytes of a file. */
static inline void slurp(const char *path, wm_buffer *out)
{
    char block[4096];
    size_t n = 0;
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file);
    while ((n = fread(block, 1, sizeof(block), file)) > 0) {
        wm_buffer_add(out, block, n);
    }
    fclose(file);
}

#endif
