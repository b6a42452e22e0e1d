/*
 * whole_trace.c -- a valid trace from the fuzzer's bytes: launches, each with a
 * program of a few instructions that its warps run on data of their own, and
 * copies between them.
 */
#include <string.h>

#include "base/bits.h"
#include "base/rng.h"
#include "trace/writer.h"
#include "whole.h"

#define PROGRAM_MAX 8u
#define STATICS_MAX (PROGRAM_MAX + 1u) /* and the exit */

/* One instruction of the program. */
typedef struct step {
    wm_record record;               /* what all warps have in common */
    uint64_t warp_bytes, cta_bytes; /* from warp to warp, CTA to CTA */
    uint32_t mask_kind, address_kind;
    uint32_t only; /* warps of this number mod 4, or all from 4 on */
    uint64_t seed, spread;
} step;

typedef struct program {
    wm_launch launch;
    wm_static statics[STATICS_MAX];
    step steps[PROGRAM_MAX];
    uint32_t n_steps;
    uint32_t n_warps; /* of a CTA */
} program;

static uint64_t make_mask(const step *s, wm_rng *rng, uint32_t warp_size)
{
    const uint64_t all = wm_low_mask(warp_size);
    switch (s->mask_kind) {
    case 0:
    case 1:
    case 2:
        return all;
    case 3:
        return 0;
    case 4:
        return all & s->seed;
    case 5:
        return UINT64_C(1) << wm_rng_below(rng, warp_size);
    case 6:
        return wm_low_mask(wm_rng_below(rng, warp_size + 1));
    default:
        return all & wm_rng_next(rng);
    }
}

static void read_step(whole_bytes *from, step *s, uint32_t number)
{
    static const uint8_t kinds[] = {WM_KIND_GLOBAL_LOAD,
                                    WM_KIND_GLOBAL_STORE,
                                    WM_KIND_GLOBAL_LOAD,
                                    WM_KIND_GLOBAL_ATOMIC,
                                    WM_KIND_GLOBAL_REDUCTION,
                                    WM_KIND_LOCAL_LOAD,
                                    WM_KIND_LOCAL_STORE,
                                    WM_KIND_ASYNC_COPY,
                                    WM_KIND_SHARED_LOAD,
                                    WM_KIND_SHARED_STORE,
                                    WM_KIND_SHARED_ATOMIC,
                                    WM_KIND_BARRIER,
                                    WM_KIND_GAP};
    static const uint8_t widths[] = {4, 1, 2, 8, 16, 32, 3, 12};
    wm_record *r = &s->record;
    memset(s, 0, sizeof(*s));
    r->kind = kinds[whole_below(from, sizeof(kinds))];
    r->static_id = r->kind == WM_KIND_GAP ? 0 : number;
    const uint32_t shape = whole_byte(from);
    r->width = wm_kind_is_memory((wm_kind)r->kind) ? widths[shape % 8] : 0;
    s->mask_kind = shape / 8 % 8;
    s->address_kind = shape / 64;
    const uint32_t flags = whole_byte(from);
    r->flags = (uint8_t)((flags % 4 == 1 ? WM_FLAG_BYPASS_L1 : 0) |
                         (flags % 8 == 6 ? WM_FLAG_EVICT_FIRST : 0));
    s->only = r->kind == WM_KIND_BARRIER ? 4 : flags / 32;
    r->wait = (uint32_t)whole_range(from, 0, UINT32_MAX);
    r->head_slots = (uint16_t)whole_range(from, 0, 200);
    r->head_cycles = (uint16_t)(r->head_slots + whole_range(from, 0, 60000));
    r->tail_slots = (uint16_t)(flags / 8 % 4);
    r->tail_cycles = (uint16_t)(r->tail_slots + flags % 4);
    r->u.stride =
        (int32_t)(whole_below(from, 2) == 0 ? r->width
                                            : whole_range(from, 0, UINT32_MAX));
    r->base = whole_range(from, 0, UINT64_MAX);
    if (whole_below(from, 2) == 0) { /* a whole line for a warp */
        r->base &= ~UINT64_C(127);
        r->width = r->width != 0 ? 4 : 0;
        r->u.stride = r->width;
        s->address_kind = 0;
        s->mask_kind %= 4;
    }
    s->warp_bytes = whole_range(from, 0, 1 << 13) * whole_below(from, 129);
    s->cta_bytes = whole_range(from, 0, 1 << 13) * whole_below(from, 129);
    s->seed = whole_long(from);
    s->spread = whole_range(from, 1, UINT64_C(1) << 40);
}

/* The lanes' addresses: a stride, or drawn within the spread. */
static void make_addresses(const step *s, wm_rng *rng, wm_cta *cta,
                           wm_record *r, uint64_t base)
{
    uint64_t addresses[WM_LANES_MAX];
    const uint32_t n = wm_popcount64(r->mask);
    r->base = base;
    r->pattern = WM_PATTERN_AFFINE;
    if (s->address_kind == 0 || n == 0) {
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        addresses[i] = base + wm_rng_next(rng) % s->spread;
        if (s->address_kind == 1 && r->width != 0) {
            addresses[i] -= addresses[i] % r->width;
        }
    }
    if (!wm_record_set_addresses(cta, r, addresses)) {
        fuzz_fail("no memory");
    }
}

static void add_record(wm_cta *cta, const wm_record *r)
{
    if (!wm_grow(&cta->records, &cta->cap_records, cta->n_records + 1,
                 sizeof(*cta->records))) {
        fuzz_fail("no memory");
    }
    cta->records[cta->n_records++] = *r;
}

static void make_warp(const program *p, wm_cta *cta, uint32_t number,
                      uint32_t warp)
{
    const uint32_t warp_size = p->launch.warp_size;
    wm_record end = {.kind = WM_KIND_EXIT,
                     .static_id = p->n_steps,
                     .mask = wm_low_mask(warp_size),
                     .wait = UINT32_MAX};
    cta->warps[warp].first = (uint32_t)cta->n_records;
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const step *s = &p->steps[i];
        wm_record r = s->record;
        wm_rng rng = {s->seed ^ (number * UINT64_C(131) + warp)};
        if (s->only < 4 && warp % 4 != s->only) {
            continue;
        }
        r.mask = make_mask(s, &rng, warp_size);
        if (wm_kind_is_memory((wm_kind)r.kind)) {
            make_addresses(s, &rng, cta, &r,
                           s->record.base + warp * s->warp_bytes +
                               number * s->cta_bytes);
        }
        add_record(cta, &r);
    }
    add_record(cta, &end);
    cta->warps[warp].n_records =
        (uint32_t)cta->n_records - cta->warps[warp].first;
}

static void make_cta(whole_bytes *from, const program *p, wm_cta *cta,
                     uint32_t number)
{
    wm_cta_clear(cta);
    cta->id[0] = number;
    cta->n_warps = p->n_warps;
    if (!wm_grow(&cta->warps, &cta->cap_warps, p->n_warps,
                 sizeof(*cta->warps))) {
        fuzz_fail("no memory");
    }
    cta->work = (wm_work){whole_range(from, 0, 1 << 20), 1, 2, 3, number};
    const uint32_t absent = whole_byte(from); /* a warp without records */
    for (uint32_t w = 0; w < p->n_warps; w++) {
        if (w + 1 == absent) {
            cta->warps[w] = (wm_warp_span){(uint32_t)cta->n_records, 0};
        } else {
            make_warp(p, cta, number, w);
        }
    }
}

static void read_program(whole_bytes *from, const wm_config *config,
                         whole_bounds bounds, program *p)
{
    memset(p, 0, sizeof(*p));
    const uint32_t warps_max =
        config->sm.max_warps < 3 ? (uint32_t)config->sm.max_warps : 3;
    const uint32_t many = whole_byte(from);
    const bool is_full = many >= 250 && bounds.n_steps > 3;
    p->n_warps =
        is_full ? (uint32_t)config->sm.max_warps : 1 + many % warps_max;
    p->n_steps = whole_below(from, bounds.n_steps + 1);
    p->launch = (wm_launch){
        .name = "k",
        .grid = {1 + whole_below(from, is_full ? 2 : bounds.n_ctas), 1, 1},
        .warp_size = whole_below(from, 4) == 3 ? 64 : 32,
        .shared_bytes = (uint32_t)whole_range(from, 0, 1 << 17),
        .registers = whole_below(from, 256),
        .sm_version = 70 + whole_below(from, 30),
        .stream = whole_below(from, 3),
        .shared_base = UINT64_C(0x7f0000000000),
        .local_base = UINT64_C(0x7e0000000000),
        .statics = p->statics,
        .n_statics = p->n_steps + 1,
        .where = "whole"};
    p->launch.block[0] = p->n_warps * p->launch.warp_size;
    p->launch.block[1] = p->launch.block[2] = 1;
    p->launch.n_ctas = p->launch.grid[0];
    p->launch.n_warps_per_cta = p->n_warps;
    for (uint32_t i = 0; i < p->n_steps; i++) {
        read_step(from, &p->steps[i], i);
        p->statics[i] = (wm_static){.pc = 16 * (uint64_t)i,
                                    .kind = p->steps[i].record.kind,
                                    .width = p->steps[i].record.width,
                                    .opcode = "X"};
    }
    p->statics[p->n_steps] = (wm_static){.pc = 16 * (uint64_t)p->n_steps,
                                         .kind = WM_KIND_EXIT,
                                         .opcode = "EXIT"};
}

static void must(wm_status status, const wm_error *err)
{
    if (status != WM_OK) {
        fuzz_fail("a valid trace is not written: %s", err->text);
    }
}

void whole_trace(whole_bytes *from, const wm_config *config,
                 whole_bounds bounds, const char *format, const char *path)
{
    static program p;
    wm_trace_writer *writer = NULL;
    wm_error err;
    wm_cta cta;
    wm_cta_init(&cta);
    must(wm_trace_create(format, path, &writer, &err), &err);
    const uint32_t n_launches = 1 + whole_below(from, 3);
    for (uint32_t i = 0; i <= n_launches; i++) {
        if (whole_below(from, 3) == 1) {
            const wm_copy copy = {(wm_copy_kind)whole_below(from, 4),
                                  whole_range(from, 0, UINT64_MAX),
                                  whole_range(from, 0, UINT64_MAX)};
            must(wm_trace_write_copy(writer, &copy, &err), &err);
        }
        if (i == n_launches) {
            break; /* the copy was the last */
        }
        read_program(from, config, bounds, &p);
        must(wm_trace_write_launch(writer, &p.launch, &err), &err);
        for (uint32_t c = 0; c < p.launch.grid[0]; c++) {
            make_cta(from, &p, &cta, c);
            must(wm_trace_write_cta(writer, &p.launch, &cta, &err), &err);
        }
    }
    must(wm_trace_finish(writer, &err), &err);
    wm_cta_fini(&cta);
}
