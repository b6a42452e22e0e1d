/*
 * trace_bytes.h -- what a reader delivers as plain bytes, so that two
 * deliveries can be compared field by field: for unit tests and fuzz targets.
 *
 * Lists go by content, because their places in the pool may move.
 */
#ifndef WM_TESTS_TRACE_BYTES_H
#define WM_TESTS_TRACE_BYTES_H

#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "trace/reader.h"

static inline void dump_u64(wm_buffer *out, uint64_t x)
{
    wm_buffer_add(out, &x, sizeof(x));
}

static inline void dump_text(wm_buffer *out, const char *text)
{
    wm_buffer_add(out, text, strlen(text) + 1);
}

static inline void dump_copy(wm_buffer *out, const wm_copy *copy)
{
    dump_text(out, "copy");
    dump_u64(out, copy->kind);
    dump_u64(out, copy->addr);
    dump_u64(out, copy->n_bytes);
}

static inline void dump_launch(wm_buffer *out, const wm_launch *l)
{
    const uint64_t n[] = {l->grid[0],    l->grid[1],      l->grid[2],
                          l->block[0],   l->block[1],     l->block[2],
                          l->warp_size,  l->shared_bytes, l->registers,
                          l->sm_version, l->stream,       l->shared_base,
                          l->local_base, l->n_ctas,       l->n_warps_per_cta};
    dump_text(out, "launch");
    wm_buffer_add(out, n, sizeof(n));
    dump_text(out, l->name);
}

static inline void dump_statics(wm_buffer *out, const wm_launch *l)
{
    for (uint32_t i = 0; i < l->n_statics; i++) {
        const wm_static *s = &l->statics[i];
        const uint64_t n[] = {s->pc, s->line, s->kind, s->width, s->flags};
        wm_buffer_add(out, n, sizeof(n));
        dump_text(out, s->opcode);
    }
}

static inline void dump_record(wm_buffer *out, const wm_record *r,
                               const uint32_t *lanes)
{
    const uint64_t n[] = {r->base,        r->mask,        r->static_id,
                          r->wait,        r->head_cycles, r->head_slots,
                          r->tail_cycles, r->tail_slots,  r->kind,
                          r->width,       r->pattern,     r->flags};
    size_t n_words = wm_popcount64(r->mask);
    wm_buffer_add(out, n, sizeof(n));
    if (r->pattern == WM_PATTERN_AFFINE) {
        dump_u64(out, (uint64_t)(int64_t)r->u.stride);
    } else if (n_words != 0) {
        n_words *= r->pattern == WM_PATTERN_LIST64 ? 2 : 1;
        wm_buffer_add(out, lanes + r->u.list, n_words * sizeof(*lanes));
    }
}

static inline void dump_cta(wm_buffer *out, const wm_cta *cta)
{
    const uint64_t n[] = {
        cta->id[0],           cta->id[1],           cta->id[2],
        cta->n_warps,         cta->work.n_other,    cta->work.flops_fp16,
        cta->work.flops_fp32, cta->work.flops_fp64, cta->work.flops_tensor};
    wm_buffer_add(out, n, sizeof(n));
    for (uint32_t w = 0; w < cta->n_warps; w++) {
        dump_u64(out, cta->warps[w].n_records);
        for (uint32_t i = 0; i < cta->warps[w].n_records; i++) {
            dump_record(out, &cta->records[cta->warps[w].first + i],
                        cta->lanes);
        }
    }
}

#endif
