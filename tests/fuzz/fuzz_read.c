/*
 * fuzz_read.c -- a trace read to its end in every way that callers have, and
 * through a small machine.
 */
#include <string.h>

#include "engine/engine.h"
#include "fuzz.h"
#include "trace/writer.h"
#include "trace_bytes.h"

/* What was delivered, as a digest, piece by piece. */
typedef struct delivery {
    wm_digest digest;
    wm_buffer piece;
} delivery;

static void settle(delivery *all)
{
    if (all->piece.is_failed) {
        fuzz_fail("out of memory");
    }
    wm_digest_add(&all->digest, all->piece.bytes, all->piece.n_bytes);
    wm_buffer_clear(&all->piece);
}

/* --- reading ----------------------------------------------------------------
 */
/* Where a copy goes; does nothing without a writer. */
typedef struct copier {
    wm_trace_writer *writer;
} copier;

static void must(wm_status status, const wm_error *err, const char *what)
{
    if (status != WM_OK) {
        fuzz_fail("%s: %s", what, err->text);
    }
}

static void copy_cta(const copier *to, const wm_launch *launch,
                     const wm_cta *cta)
{
    wm_error err = {WM_OK, ""};
    if (to->writer != NULL) {
        must(wm_trace_write_cta(to->writer, launch, cta, &err), &err,
             "a CTA that was read cannot be written");
    }
}

static void copy_command(const copier *to, const wm_command *command)
{
    wm_error err = {WM_OK, ""};
    if (to->writer != NULL && command->kind == WM_COMMAND_COPY) {
        must(wm_trace_write_copy(to->writer, &command->copy, &err), &err,
             "a copy that was read cannot be written");
    } else if (to->writer != NULL) {
        must(wm_trace_write_launch(to->writer, &command->launch, &err), &err,
             "a launch that was read cannot be written");
    }
}

static void read_launch(wm_trace *trace, const copier *to, delivery *all,
                        wm_cta *cta, fuzz_reading *reading)
{
    bool has_cta = true;
    uint32_t n = 0;
    while (reading->status == WM_OK && has_cta && n < FUZZ_CTAS_MAX) {
        reading->status =
            wm_trace_next_cta(trace, cta, &has_cta, &reading->err);
        if (reading->status == WM_OK && has_cta) {
            dump_cta(&all->piece, cta);
            settle(all);
            for (uint32_t w = 0; w < cta->n_warps; w++) {
                reading->n_records += cta->warps[w].n_records;
            }
            copy_cta(to, wm_trace_launch(trace), cta);
            reading->n_ctas++;
            n++;
        }
    }
    reading->has_more |= n == FUZZ_CTAS_MAX;
    /* A launch without CTAs keeps no statics in a copy. */
    if (reading->status == WM_OK && n > 0) {
        dump_statics(&all->piece, wm_trace_launch(trace));
        settle(all);
    }
}

static void read_all(wm_trace *trace, const copier *to, delivery *all,
                     fuzz_reading *reading)
{
    wm_command command = {.kind = WM_COMMAND_COPY};
    wm_cta cta;
    uint32_t n = 0;
    wm_cta_init(&cta);
    for (; n < FUZZ_COMMANDS_MAX && reading->status == WM_OK; n++) {
        reading->status = wm_trace_next_command(trace, &command, &reading->err);
        if (reading->status != WM_OK || command.kind == WM_COMMAND_END) {
            break;
        }
        copy_command(to, &command);
        if (command.kind == WM_COMMAND_COPY) {
            dump_copy(&all->piece, &command.copy);
            settle(all);
        } else {
            dump_launch(&all->piece, &command.launch);
            settle(all);
            reading->n_launches++;
            read_launch(trace, to, all, &cta, reading);
        }
    }
    reading->has_more |= n == FUZZ_COMMANDS_MAX;
    wm_cta_fini(&cta);
}

fuzz_reading fuzz_read(const char *path, const wm_trace_options *options,
                       const char *copy_format, const char *copy_path)
{
    fuzz_reading reading;
    wm_trace *trace = NULL;
    wm_diag diag;
    delivery all;
    copier to = {NULL};
    wm_error err = {WM_OK, ""};
    memset(&reading, 0, sizeof(reading));
    wm_diag_init(&diag);
    wm_digest_init(&all.digest);
    wm_buffer_init(&all.piece);
    reading.status = wm_trace_open(path, options, &diag, &trace, &reading.err);
    if (reading.status == WM_OK) {
        if (copy_format != NULL) {
            must(wm_trace_create(copy_format, copy_path, &to.writer, &err),
                 &err, "create");
        }
        read_all(trace, &to, &all, &reading);
        reading.is_complete = wm_trace_is_complete(trace);
        if (to.writer != NULL) {
            must(wm_trace_finish(to.writer, &err), &err, "finish");
        }
    }
    if (reading.status != WM_OK && reading.err.text[0] == '\0') {
        fuzz_fail("failure %d without a sentence", (int)reading.status);
    }
    wm_trace_close(trace);
    wm_buffer_fini(&all.piece);
    wm_digest_hex(&all.digest, reading.hex);
    return reading;
}

void fuzz_skip(const char *path, const wm_trace_options *options, uint64_t n)
{
    wm_trace *trace = NULL;
    wm_command command;
    wm_error err = {WM_OK, ""};
    wm_cta cta;
    wm_cta_init(&cta);
    wm_status status = wm_trace_open(path, options, NULL, &trace, &err);
    for (uint32_t i = 0; status == WM_OK && i < FUZZ_COMMANDS_MAX; i++) {
        bool has_cta = false;
        status = wm_trace_next_command(trace, &command, &err);
        if (status != WM_OK || command.kind == WM_COMMAND_END) {
            break;
        }
        if (command.kind == WM_COMMAND_LAUNCH) {
            status = wm_trace_skip_ctas(trace, n, &cta, &err);
            if (status == WM_OK) {
                status = wm_trace_next_cta(trace, &cta, &has_cta, &err);
            }
        }
    }
    if (status != WM_OK && err.text[0] == '\0') {
        fuzz_fail("failure %d without a sentence", (int)status);
    }
    wm_cta_fini(&cta);
    wm_trace_close(trace);
}

/* --- simulating -------------------------------------------------------------
 */
static wm_status drop(const wm_kernel_result *result, void *context,
                      wm_error *err)
{
    (void)result;
    (void)context;
    (void)err;
    return WM_OK;
}

void fuzz_simulate(const char *path, bool is_timing)
{
    static const char *const sets[] = {
        "sm.count=2", "l2.size=64KiB",   "l2.slices=2", "l1.size=8KiB",
        "l1.ways=4",  "dram.channels=1", "l1.unified=0"};
    static wm_config_set *config; /* always the same: read once */
    wm_engine *engine = NULL;
    wm_trace *trace = NULL;
    wm_engine_options options;
    wm_trace_options reading = {.keep_going = true};
    wm_error err;
    memset(&options, 0, sizeof(options));
    options.mode = is_timing ? WM_MODE_TIMING : WM_MODE_COUNTS;
    options.jobs = 1;
    if ((config == NULL &&
         wm_config_load("v100", sets, sizeof(sets) / sizeof(sets[0]), &config,
                        &err) != WM_OK) ||
        wm_engine_new(wm_config_values(config), &options, &engine, &err) !=
            WM_OK) {
        fuzz_fail("%s", err.text);
    }
    if (wm_trace_open(path, &reading, NULL, &trace, &err) == WM_OK &&
        wm_engine_run(engine, trace, drop, NULL, &err) == WM_EINTERNAL) {
        fuzz_fail("%s", err.text);
    }
    wm_trace_close(trace);
    wm_engine_free(engine);
}
