/* trace_random.h -- random but well-formed traces, and a trace as plain bytes
 * so that two of them can be compared field by field. */
#ifndef WM_TESTS_TRACE_RANDOM_H
#define WM_TESTS_TRACE_RANDOM_H

#include "base/buffer.h"
#include "base/rng.h"
#include "trace/wmt.h"
#include "trace_files.h"

#define RANDOM_STATICS 40u

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

/* Reads a trace into plain bytes; the run tells how it ended. */
static inline test_run *dump_path(const char *path, bool keep_going,
                                  wm_buffer *out)
{
    test_run *run = calloc(1, sizeof(*run));
    wm_trace_options options = {.keep_going = keep_going};
    wm_trace *trace = NULL;
    wm_command command = {.kind = WM_COMMAND_COPY};
    wm_cta cta;
    cr_assert_not_null(run);
    wm_cta_init(&cta);
    wm_diag_init(&run->diag);
    run->status = wm_trace_open(path, &options, &run->diag, &trace, &run->err);
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
            } else if (run->status == WM_OK) {
                dump_statics(out, wm_trace_launch(trace));
            }
        }
    }
    if (trace != NULL) {
        run->is_complete = wm_trace_is_complete(trace);
        snprintf(run->format, sizeof(run->format), "%s",
                 wm_trace_format_name(trace));
    }
    wm_trace_close(trace);
    wm_cta_fini(&cta);
    return run;
}

static inline void random_addresses(wm_rng *rng, wm_cta *cta, wm_record *r)
{
    size_t n = wm_popcount64(r->mask);
    r->base = wm_rng_below(rng, 4) == 0
                  ? wm_rng_next(rng)
                  : UINT64_C(0xffffffffffff0000) + wm_rng_below(rng, 1 << 17);
    r->pattern = (uint8_t)wm_rng_below(rng, 3);
    if (r->pattern == WM_PATTERN_AFFINE) {
        r->u.stride = (int32_t)wm_rng_next(rng);
        return;
    }
    n *= r->pattern == WM_PATTERN_LIST64 ? 2 : 1;
    cr_assert(wm_grow(&cta->lanes, &cta->cap_lanes, cta->n_lanes + n + 3, 4));
    cta->n_lanes += wm_rng_below(rng, 3); /* a gap in the pool is allowed */
    r->u.list = (uint32_t)cta->n_lanes;
    for (size_t i = 0; i < n; i++) {
        cta->lanes[cta->n_lanes++] = (uint32_t)wm_rng_next(rng);
    }
}

static inline void random_record(wm_rng *rng, wm_cta *cta, wm_record *r,
                                 uint32_t warp_size)
{
    memset(r, 0, sizeof(*r));
    r->kind = (uint8_t)wm_rng_below(rng, WM_KIND_COUNT);
    r->static_id = wm_rng_below(rng, RANDOM_STATICS);
    if (r->kind == WM_KIND_GAP && wm_rng_below(rng, 2) == 0) {
        r->static_id = (uint32_t)wm_rng_next(rng);
    }
    r->mask = wm_rng_next(rng) & wm_rng_next(rng) & wm_low_mask(warp_size);
    r->mask = wm_rng_below(rng, 5) == 0 ? 0 : r->mask;
    r->width = (uint8_t)wm_rng_below(rng, WM_WIDTH_MAX + 1);
    r->flags = (uint8_t)wm_rng_next(rng);
    r->wait = (uint32_t)wm_rng_next(rng);
    r->head_slots = (uint16_t)wm_rng_next(rng);
    r->head_cycles = (uint16_t)(r->head_slots | wm_rng_next(rng));
    r->tail_slots = (uint16_t)wm_rng_next(rng);
    r->tail_cycles = (uint16_t)(r->tail_slots | wm_rng_next(rng));
    random_addresses(rng, cta, r);
}

static inline void random_cta(wm_rng *rng, wm_cta *cta, uint32_t warp_size)
{
    wm_cta_clear(cta);
    for (int i = 0; i < 3; i++) {
        cta->id[i] = (uint32_t)wm_rng_next(rng);
    }
    cta->work =
        (wm_work){wm_rng_next(rng), wm_rng_next(rng), 7, wm_rng_next(rng), 0};
    cta->n_warps = wm_rng_below(rng, 6);
    cr_assert(wm_grow(&cta->warps, &cta->cap_warps, 8, sizeof(*cta->warps)));
    for (uint32_t w = 0; w < cta->n_warps; w++) {
        uint32_t n = wm_rng_below(rng, 3) == 0 ? 0 : wm_rng_below(rng, 9);
        cr_assert(wm_grow(&cta->records, &cta->cap_records,
                          cta->n_records + n + 1, sizeof(wm_record)));
        cta->warps[w].first = (uint32_t)cta->n_records;
        cta->warps[w].n_records = n;
        for (uint32_t i = 0; i < n; i++) {
            random_record(rng, cta, &cta->records[cta->n_records++], warp_size);
        }
    }
}

static inline void random_statics(wm_rng *rng, wm_static *statics)
{
    static const char *const names[] = {"", "LDG.E", " odd\\ \x01 name ",
                                        "ST\n#G", "EXIT"};
    memset(statics, 0, RANDOM_STATICS * sizeof(*statics));
    for (uint32_t i = 0; i < RANDOM_STATICS; i++) {
        statics[i].pc = wm_rng_next(rng);
        statics[i].line = wm_rng_below(rng, 3);
        statics[i].kind = (uint8_t)wm_rng_below(rng, WM_KIND_COUNT);
        statics[i].width = (uint8_t)wm_rng_below(rng, WM_WIDTH_MAX + 1);
        statics[i].flags = (uint8_t)wm_rng_below(rng, 256);
        statics[i].opcode = names[wm_rng_below(rng, 5)];
    }
}

static inline wm_launch random_launch(wm_rng *rng, const wm_static *statics,
                                      uint64_t n_ctas)
{
    static const char *const names[] = {"", "k", "void f<int, 3>(a const*)",
                                        " \r\x7f\\x41\xc3\xa9# "};
    wm_launch l = {.name = names[wm_rng_below(rng, 4)],
                   .grid = {(uint32_t)n_ctas, 1, 1},
                   .block = {(uint32_t)wm_rng_next(rng), 3, 1},
                   .shared_bytes = (uint32_t)wm_rng_next(rng),
                   .registers = wm_rng_below(rng, 256),
                   .warp_size = wm_rng_below(rng, 2) == 0 ? 32 : 64,
                   .sm_version = 90,
                   .stream = wm_rng_next(rng),
                   .shared_base = wm_rng_next(rng),
                   .local_base = wm_rng_next(rng),
                   .n_ctas = n_ctas,
                   .n_warps_per_cta = wm_rng_below(rng, 40),
                   .statics = statics,
                   .n_statics = RANDOM_STATICS,
                   .where = "random"};
    return l;
}

/* Where a random trace goes besides its dump. */
typedef struct random_sink {
    void *user;
    void (*copy)(void *user, const wm_copy *copy);
    void (*launch)(void *user, const wm_launch *launch);
    void (*cta)(void *user, const wm_launch *launch, const wm_cta *cta);
} random_sink;

/* n_launches launches of up to n_ctas CTAs, copies between them. */
static inline void random_trace(uint64_t seed, uint32_t n_launches,
                                uint32_t n_ctas, const random_sink *sink,
                                wm_buffer *dump)
{
    wm_rng rng = {seed};
    wm_static statics[RANDOM_STATICS];
    wm_cta cta;
    wm_cta_init(&cta);
    for (uint32_t i = 0; i < n_launches; i++) {
        uint32_t n = wm_rng_below(&rng, n_ctas + 1);
        random_statics(&rng, statics);
        wm_launch l = random_launch(&rng, statics, n);
        if (wm_rng_below(&rng, 2) == 0) {
            wm_copy copy = {(wm_copy_kind)wm_rng_below(&rng, 4),
                            wm_rng_next(&rng), wm_rng_next(&rng)};
            sink->copy(sink->user, &copy);
            dump_text(dump, "copy");
            dump_u64(dump, copy.kind);
            dump_u64(dump, copy.addr);
            dump_u64(dump, copy.n_bytes);
        }
        sink->launch(sink->user, &l);
        dump_launch(dump, &l);
        for (uint32_t c = 0; c < n; c++) {
            random_cta(&rng, &cta, l.warp_size);
            sink->cta(sink->user, &l, &cta);
            dump_cta(dump, &cta);
        }
        if (n > 0) {
            dump_statics(dump, &l);
        }
    }
    wm_cta_fini(&cta);
}

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

/* Writes a random trace to path and appends its dump. */
static inline void random_wmt(const char *path, uint64_t seed,
                              uint32_t n_launches, uint32_t n_ctas,
                              wm_buffer *dump)
{
    wm_wmt_writer *writer = NULL;
    wm_error err;
    cr_assert_eq(wm_wmt_create(path, &writer, &err), WM_OK);
    random_sink sink = {writer, wmt_sink_copy, wmt_sink_launch, wmt_sink_cta};
    random_trace(seed, n_launches, n_ctas, &sink, dump);
    cr_assert_eq(wm_wmt_finish(writer, &err), WM_OK, "%s", err.text);
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
