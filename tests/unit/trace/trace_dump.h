/* trace_dump.h -- a trace as plain bytes, so that two of them can be compared
 * field by field. */
#ifndef WM_TESTS_TRACE_DUMP_H
#define WM_TESTS_TRACE_DUMP_H

#include "base/buffer.h"
#include "trace_files.h"

static inline void dump_u64(wm_buffer *out, uint64_t x)
{
    wm_buffer_add(out, &x, sizeof(x));
}

static inline void dump_text(wm_buffer *out, const char *text)
{
    wm_buffer_add(out, text, strlen(text) + 1);
}

static inline void dump_launch(wm_buffer *out, const wm_launch *l)
{
    const uint64_t n[] = {l->grid[0],    l->grid[1],      l->grid[2],
                          l->block[0],   l->block[1],     l->block[2],
                          l->warp_size,  l->shared_bytes, l->registers,
                          l->sm_version, l->stream,       l->shared_base,
                          l->local_base, l->n_ctas,       l->n_warps_per_cta};
    dump_text(out, "launch");
    for (size_t i = 0; i < sizeof(n) / sizeof(n[0]); i++) {
        dump_u64(out, n[i]);
    }
    dump_text(out, l->name);
}

static inline void dump_statics(wm_buffer *out, const wm_launch *l)
{
    for (uint32_t i = 0; i < l->n_statics; i++) {
        const wm_static *s = &l->statics[i];
        dump_u64(out, s->pc);
        dump_u64(out, s->line);
        dump_u64(out, s->kind);
        dump_u64(out, s->width);
        dump_u64(out, s->flags);
        dump_text(out, s->opcode);
    }
}

/* Every field; lists by content, because their places in the pool may move. */
static inline void dump_record(wm_buffer *out, const wm_record *r,
                               const uint32_t *lanes)
{
    const uint64_t n[] = {r->base,        r->mask,        r->static_id,
                          r->wait,        r->head_cycles, r->head_slots,
                          r->tail_cycles, r->tail_slots,  r->kind,
                          r->width,       r->pattern,     r->flags};
    size_t n_lanes = wm_popcount64(r->mask);
    for (size_t i = 0; i < sizeof(n) / sizeof(n[0]); i++) {
        dump_u64(out, n[i]);
    }
    if (r->pattern == WM_PATTERN_AFFINE) {
        dump_u64(out, (uint64_t)(int64_t)r->u.stride);
    } else {
        n_lanes *= r->pattern == WM_PATTERN_LIST64 ? 2 : 1;
        for (size_t i = 0; i < n_lanes; i++) {
            dump_u64(out, lanes[r->u.list + i]);
        }
    }
}

static inline void dump_cta(wm_buffer *out, const wm_cta *cta)
{
    const uint64_t n[] = {
        cta->id[0],           cta->id[1],           cta->id[2],
        cta->n_warps,         cta->work.n_other,    cta->work.flops_fp16,
        cta->work.flops_fp32, cta->work.flops_fp64, cta->work.flops_tensor};
    for (size_t i = 0; i < sizeof(n) / sizeof(n[0]); i++) {
        dump_u64(out, n[i]);
    }
    for (uint32_t w = 0; w < cta->n_warps; w++) {
        dump_u64(out, cta->warps[w].n_records);
        for (uint32_t i = 0; i < cta->warps[w].n_records; i++) {
            dump_record(out, &cta->records[cta->warps[w].first + i],
                        cta->lanes);
        }
    }
}

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
            dump_text(out, "copy");
            dump_u64(out, command.copy.kind);
            dump_u64(out, command.copy.addr);
            dump_u64(out, command.copy.n_bytes);
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
