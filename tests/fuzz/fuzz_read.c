/*
 * fuzz_read.c -- a trace read to its end in every way that callers have, and
 * through a small machine.
 */
#include <string.h>

#include "base/bits.h"
#include "engine/engine.h"
#include "fuzz.h"
#include "trace/writer.h"

/* --- what was delivered, as a digest ---------------------------------------
 */
static void add_u64(wm_digest *digest, uint64_t x)
{
    wm_digest_add(digest, &x, sizeof(x));
}

static void add_text(wm_digest *digest, const char *text)
{
    wm_digest_add(digest, text, strlen(text) + 1);
}

static void add_launch(wm_digest *digest, const wm_launch *l)
{
    const uint64_t n[] = {l->grid[0],    l->grid[1],      l->grid[2],
                          l->block[0],   l->block[1],     l->block[2],
                          l->warp_size,  l->shared_bytes, l->registers,
                          l->sm_version, l->stream,       l->shared_base,
                          l->local_base, l->n_ctas,       l->n_warps_per_cta};
    add_text(digest, "launch");
    wm_digest_add(digest, n, sizeof(n));
    add_text(digest, l->name);
}

static void add_statics(wm_digest *digest, const wm_launch *l)
{
    for (uint32_t i = 0; i < l->n_statics; i++) {
        const wm_static *s = &l->statics[i];
        const uint64_t n[] = {s->pc, s->line, s->kind, s->width, s->flags};
        wm_digest_add(digest, n, sizeof(n));
        add_text(digest, s->opcode);
    }
}

/* Lists by content: their places in the pool may move. */
static void add_record(wm_digest *digest, const wm_record *r,
                       const uint32_t *lanes)
{
    const uint64_t n[] = {r->base,        r->mask,        r->static_id,
                          r->wait,        r->head_cycles, r->head_slots,
                          r->tail_cycles, r->tail_slots,  r->kind,
                          r->width,       r->pattern,     r->flags};
    size_t n_words = wm_popcount64(r->mask);
    wm_digest_add(digest, n, sizeof(n));
    if (r->pattern == WM_PATTERN_AFFINE) {
        add_u64(digest, (uint64_t)(int64_t)r->u.stride);
    } else if (n_words != 0) {
        n_words *= r->pattern == WM_PATTERN_LIST64 ? 2 : 1;
        wm_digest_add(digest, lanes + r->u.list, n_words * sizeof(*lanes));
    }
}

static void add_cta(wm_digest *digest, const wm_cta *cta, fuzz_reading *reading)
{
    const uint64_t n[] = {
        cta->id[0],           cta->id[1],           cta->id[2],
        cta->n_warps,         cta->work.n_other,    cta->work.flops_fp16,
        cta->work.flops_fp32, cta->work.flops_fp64, cta->work.flops_tensor};
    wm_digest_add(digest, n, sizeof(n));
    for (uint32_t w = 0; w < cta->n_warps; w++) {
        add_u64(digest, cta->warps[w].n_records);
        for (uint32_t i = 0; i < cta->warps[w].n_records; i++) {
            add_record(digest, &cta->records[cta->warps[w].first + i],
                       cta->lanes);
        }
        reading->n_records += cta->warps[w].n_records;
    }
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

static void read_launch(wm_trace *trace, const copier *to, wm_digest *digest,
                        wm_cta *cta, fuzz_reading *reading)
{
    bool has_cta = true;
    uint32_t n = 0;
    while (reading->status == WM_OK && has_cta && n < FUZZ_CTAS_MAX) {
        reading->status =
            wm_trace_next_cta(trace, cta, &has_cta, &reading->err);
        if (reading->status == WM_OK && has_cta) {
            add_cta(digest, cta, reading);
            copy_cta(to, wm_trace_launch(trace), cta);
            reading->n_ctas++;
            n++;
        }
    }
    reading->has_more |= n == FUZZ_CTAS_MAX;
    /* A launch without CTAs keeps no statics in a copy. */
    if (reading->status == WM_OK && n > 0) {
        add_statics(digest, wm_trace_launch(trace));
    }
}

static void read_all(wm_trace *trace, const copier *to, wm_digest *digest,
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
            add_text(digest, "copy");
            add_u64(digest, command.copy.kind);
            add_u64(digest, command.copy.addr);
            add_u64(digest, command.copy.n_bytes);
        } else {
            add_launch(digest, &command.launch);
            reading->n_launches++;
            read_launch(trace, to, digest, &cta, reading);
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
    wm_digest digest;
    copier to = {NULL};
    wm_error err = {WM_OK, ""};
    memset(&reading, 0, sizeof(reading));
    wm_diag_init(&diag);
    wm_digest_init(&digest);
    reading.status = wm_trace_open(path, options, &diag, &trace, &reading.err);
    if (reading.status == WM_OK) {
        if (copy_format != NULL) {
            must(wm_trace_create(copy_format, copy_path, &to.writer, &err),
                 &err, "create");
        }
        read_all(trace, &to, &digest, &reading);
        reading.is_complete = wm_trace_is_complete(trace);
        if (to.writer != NULL) {
            must(wm_trace_finish(to.writer, &err), &err, "finish");
        }
    }
    if (reading.status != WM_OK && reading.err.text[0] == '\0') {
        fuzz_fail("failure %d without a sentence", (int)reading.status);
    }
    wm_trace_close(trace);
    wm_digest_hex(&digest, reading.hex);
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
