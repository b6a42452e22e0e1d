/* trace_random.h -- random but well-formed traces. */
#ifndef WM_TESTS_TRACE_RANDOM_H
#define WM_TESTS_TRACE_RANDOM_H

#include "base/rng.h"
#include "trace_dump.h"

#define RANDOM_STATICS 40u

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
    /* Of any size and alignment: what a file keeps depends on both. */
    uint32_t n_bits = wm_rng_below(rng, 33);
    uint32_t shift = wm_rng_below(rng, 33 - n_bits);
    for (size_t i = 0; i < n; i++) {
        uint64_t x = wm_rng_next(rng) & wm_low_mask(n_bits);
        cta->lanes[cta->n_lanes++] = (uint32_t)(x << shift);
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
    r->width |= wm_kind_is_memory((wm_kind)r->kind) && r->width == 0;
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

#endif
