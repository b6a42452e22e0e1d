/*
 * case.c -- a random trace for a random machine, and its text.
 */
#include "case.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* xorshift64*; it shares nothing with the simulator's generator. */
uint64_t case_below(oracle_case *c, uint64_t n)
{
    c->random ^= c->random >> 12;
    c->random ^= c->random << 25;
    c->random ^= c->random >> 27;
    return (c->random * UINT64_C(2685821657736338717) >> 16) % n;
}

/* --- accesses ------------------------------------------------------------- */
static case_record *record_new(oracle_case *c)
{
    if (c->n_records == c->cap_records) {
        const uint32_t cap = 2 * c->cap_records + 64;
        case_record *grown = realloc(c->records, cap * sizeof(*grown));
        if (grown == NULL) {
            return NULL;
        }
        c->records = grown;
        c->cap_records = cap;
    }
    case_record *record = &c->records[c->n_records++];
    memset(record, 0, sizeof(*record));
    return record;
}

/* Where an array may lie: usual places, and the ends of the address space. */
static uint64_t access_base(oracle_case *c, bool is_small)
{
    static const uint64_t bases[] = {0x7f2000000000,
                                     0x7f2000000000,
                                     0x7f2000000000,
                                     0x7f2040000000,
                                     0,
                                     UINT64_C(1) << 56,
                                     UINT64_C(1) << 57,
                                     UINT64_C(0) - 4096};
    static const uint64_t spans[] = {512, 4096, 4096, 65536};
    if (is_small) {
        return case_below(c, 4096);
    }
    uint64_t base = bases[case_below(c, 8)];
    if (case_below(c, 60) == 0) {
        base = case_below(c, UINT64_C(1) << 40) << case_below(c, 25);
    }
    return base + case_below(c, spans[case_below(c, 4)]);
}

static uint64_t access_mask(oracle_case *c, uint32_t warp_size)
{
    const uint64_t all =
        warp_size == 64 ? ~UINT64_C(0) : (UINT64_C(1) << warp_size) - 1;
    switch (case_below(c, 6)) {
    case 0:
        return case_below(c, UINT64_C(1) << 32) * UINT64_C(0x9e3779b97f4a7c15) &
               all;
    case 1:
        return all >> case_below(c, warp_size);
    case 2:
        return UINT64_C(1) << case_below(c, warp_size);
    case 3:
        return case_below(c, 10) == 0 ? 0 : all & UINT64_C(0x5555555555555555);
    default:
        return all;
    }
}

static void access_affine(oracle_case *c, case_record *r, uint64_t base)
{
    static const int64_t strides[] = {0,  1,  2,   3,   4,    8,    12,
                                      16, 32, 36,  64,  128,  132,  256,
                                      -4, -8, -16, -36, -128, 4096, -4096};
    r->form = FORM_AFFINE;
    r->stride = case_below(c, 2) != 0
                    ? (int64_t)r->width
                    : strides[case_below(c, sizeof(strides) / 8)];
    if (case_below(c, 30) == 0) {
        r->stride = (int64_t)case_below(c, UINT64_C(1) << 31);
    }
    uint64_t address = base;
    bool is_begun = false;
    for (uint32_t lane = 0; lane < CASE_LANES; lane++) {
        is_begun = is_begun || (r->mask >> lane & 1) != 0;
        r->address[lane] = address;
        address += is_begun ? (uint64_t)r->stride : 0;
    }
}

static void access_list(oracle_case *c, case_record *r, uint64_t base)
{
    static const uint64_t spans[] = {64, 256, 4096, 65536, 1u << 20};
    const uint64_t span = spans[case_below(c, 5)];
    const bool is_aligned = case_below(c, 4) != 0;
    static const case_form forms[] = {FORM_AT, FORM_LIST, FORM_LIST64};
    r->form = forms[case_below(c, 3)];
    for (uint32_t lane = 0; lane < CASE_LANES; lane++) {
        uint64_t offset = case_below(c, span);
        if (is_aligned) {
            offset -= offset % r->width;
        }
        r->address[lane] = base + offset;
    }
}

static bool access_new(oracle_case *c, const case_step *step, bool is_first,
                       uint32_t n_loads)
{
    static const wm_kind kinds[] = {
        WM_KIND_GLOBAL_LOAD,   WM_KIND_GLOBAL_LOAD,
        WM_KIND_GLOBAL_LOAD,   WM_KIND_GLOBAL_STORE,
        WM_KIND_GLOBAL_STORE,  WM_KIND_GLOBAL_LOAD,
        WM_KIND_GLOBAL_ATOMIC, WM_KIND_GLOBAL_REDUCTION,
        WM_KIND_LOCAL_LOAD,    WM_KIND_LOCAL_STORE,
        WM_KIND_ASYNC_COPY,    WM_KIND_SHARED_LOAD,
        WM_KIND_SHARED_STORE,  WM_KIND_SHARED_ATOMIC,
        WM_KIND_BARRIER,       WM_KIND_GAP};
    case_record *r = record_new(c);
    if (r == NULL) {
        return false;
    }
    r->kind = kinds[case_below(c, 16)];
    if (case_below(c, 4) == 0 && n_loads != 0) {
        r->wait =
            (uint32_t)case_below(c, UINT64_C(1) << (n_loads < 8 ? n_loads : 8));
    }
    if (!wm_kind_is_memory(r->kind)) {
        r->mask = r->kind == WM_KIND_GAP ? 0 : access_mask(c, step->warp_size);
        return true;
    }
    const bool is_local =
        r->kind == WM_KIND_LOCAL_LOAD || r->kind == WM_KIND_LOCAL_STORE;
    r->width = 1u << case_below(c, 6);
    if (case_below(c, 2) != 0) {
        r->width = 4;
    }
    r->mask = access_mask(c, step->warp_size);
    r->is_bypass = case_below(c, 10) == 0;
    r->is_continued = !is_first && case_below(c, 20) == 0;
    uint64_t base = access_base(c, is_local || r->kind > WM_KIND_ASYNC_COPY);
    if (is_local && step->local_base != 0 && case_below(c, 4) != 0) {
        base += step->local_base;
    }
    if (case_below(c, 4) != 0) {
        base -= base % r->width;
    }
    if (case_below(c, 2) != 0) {
        access_affine(c, r, base);
    } else {
        access_list(c, r, base);
    }
    return true;
}

/* --- launches ------------------------------------------------------------- */
static bool warp_new(oracle_case *c, const case_step *step, case_warp *warp)
{
    uint32_t n_loads = 0;
    warp->first = c->n_records;
    const uint64_t n = case_below(c, 1 + case_below(c, 24));
    for (uint64_t i = 0; i < n; i++) {
        if (!access_new(c, step, i == 0, n_loads)) {
            return false;
        }
        n_loads += wm_kind_is_load(c->records[c->n_records - 1].kind);
    }
    case_record *end = record_new(c);
    if (end == NULL) {
        return false;
    }
    end->kind = WM_KIND_EXIT;
    end->mask = UINT64_C(0xffffffff);
    warp->n = c->n_records - warp->first;
    return true;
}

static bool launch_new(oracle_case *c, case_step *step)
{
    step->warp_size = case_below(c, 5) == 0 ? 64 : 32;
    step->n_warps = 1 + (uint32_t)case_below(c, 1 + case_below(c, CASE_WARPS));
    step->n_threads = step->n_warps * step->warp_size -
                      (uint32_t)case_below(c, step->warp_size);
    step->n_ctas = 1 + (uint32_t)case_below(c, 1 + case_below(c, CASE_CTAS));
    step->registers = (uint32_t)case_below(c, 2) * (uint32_t)case_below(c, 65);
    step->shared =
        (uint32_t)(case_below(c, 2) * case_below(c, c->machine.shared / 2 + 2));
    step->local_base = case_below(c, 2) << 24;
    for (uint32_t i = 0; i < step->n_ctas; i++) {
        case_cta *cta = &step->cta[i];
        cta->other = case_below(c, 100);
        for (uint32_t f = 0; f < 4; f++) {
            cta->flops[f] = case_below(c, 1000);
        }
        const uint64_t must = case_below(c, step->n_warps);
        for (uint32_t w = 0; w < step->n_warps; w++) {
            const bool is_absent = w != must && case_below(c, 20) == 0;
            if (!is_absent && !warp_new(c, step, &cta->warp[w])) {
                return false;
            }
        }
    }
    return true;
}

static void copy_new(oracle_case *c, case_step *step)
{
    step->is_copy = true;
    step->copy.kind = (wm_copy_kind)case_below(c, 4);
    step->copy.addr = access_base(c, false);
    step->copy.n_bytes = case_below(c, UINT64_C(1) << (1 + case_below(c, 16)));
}

oracle_case *case_new(uint64_t seed)
{
    oracle_case *c = calloc(1, sizeof(*c));
    if (c == NULL) {
        return NULL;
    }
    c->random = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
    case_machine_new(c);
    c->jobs = case_below(c, 20) == 0 ? 3 : 1;
    bool is_whole = true;
    const uint64_t n_launches = 1 + case_below(c, 1 + case_below(c, 3));
    for (uint64_t i = 0; i < n_launches && is_whole; i++) {
        if (case_below(c, 3) == 0) {
            copy_new(c, &c->step[c->n_steps++]);
        }
        is_whole = launch_new(c, &c->step[c->n_steps++]);
    }
    if (!is_whole) {
        case_free(c);
        return NULL;
    }
    return c;
}

void case_free(oracle_case *c)
{
    if (c != NULL) {
        free(c->records);
        free(c);
    }
}

/* --- text ----------------------------------------------------------------- */
static void write_addresses(const case_record *r, FILE *out)
{
    static const char *const words[] = {"", " at", " list", " list64"};
    uint32_t lane = 0;
    while (lane < CASE_LANES && (r->mask >> lane & 1) == 0) {
        lane++;
    }
    (void)fputs(words[r->form], out);
    const uint64_t base = lane < CASE_LANES ? r->address[lane] : 0;
    if (r->form != FORM_AT) {
        (void)fprintf(out, " 0x%" PRIx64, base);
    }
    if (r->form == FORM_AFFINE) {
        (void)fprintf(out, " %+" PRId64, r->stride);
        return;
    }
    for (; lane < CASE_LANES; lane++) {
        if ((r->mask >> lane & 1) == 0) {
            continue;
        }
        if (r->form == FORM_LIST) {
            (void)fprintf(out, " %+" PRId64,
                          (int64_t)(r->address[lane] - base));
        } else {
            (void)fprintf(out, " 0x%" PRIx64, r->address[lane]);
        }
    }
}

static void write_record(const case_record *r, FILE *out)
{
    if (r->kind == WM_KIND_GAP) {
        (void)fprintf(out, "  0 0 kind gap width 0 head 3/2");
    } else {
        (void)fprintf(out, "  %u %" PRIx64, (unsigned)r->kind, r->mask);
        if (wm_kind_is_memory(r->kind)) {
            if (r->mask != 0) {
                write_addresses(r, out);
            }
            (void)fprintf(out, " width %u", r->width);
        }
        if (r->is_bypass || r->is_continued) {
            (void)fprintf(out, " flags %s%s%s", r->is_bypass ? "bypass_l1" : "",
                          r->is_bypass && r->is_continued ? "," : "",
                          r->is_continued ? "continued" : "");
        }
    }
    if (r->wait != 0) {
        (void)fprintf(out, " wait 0x%x", r->wait);
    }
    (void)fputc('\n', out);
}

static void write_launch(const oracle_case *c, const case_step *step, FILE *out)
{
    (void)fprintf(out,
                  "launch grid %u,1,1 block %u,1,1 shared %u regs %u warp %u "
                  "sm 70 stream 0 shared_base 0x0 local_base 0x%" PRIx64
                  " name oracle\n",
                  step->n_ctas, step->n_threads, step->shared, step->registers,
                  step->warp_size, step->local_base);
    for (wm_kind k = WM_KIND_GLOBAL_LOAD; k <= WM_KIND_EXIT; k++) {
        (void)fprintf(out, "static %u %s%s pc 0x%x opcode X\n", (unsigned)k,
                      wm_kind_name(k), wm_kind_is_memory(k) ? " width 4" : "",
                      16 * (unsigned)k);
    }
    for (uint32_t i = 0; i < step->n_ctas; i++) {
        const case_cta *cta = &step->cta[i];
        (void)fprintf(out,
                      "cta %u,0,0 warps %u other %" PRIu64 " flops %" PRIu64
                      ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
                      i, step->n_warps, cta->other, cta->flops[0],
                      cta->flops[1], cta->flops[2], cta->flops[3]);
        for (uint32_t w = 0; w < step->n_warps; w++) {
            const case_warp *warp = &cta->warp[w];
            if (warp->n != 0) {
                (void)fprintf(out, "warp %u\n", w);
            }
            for (uint32_t r = 0; r < warp->n; r++) {
                write_record(&c->records[warp->first + r], out);
            }
        }
    }
}

bool case_write(const oracle_case *c, FILE *out)
{
    static const char *const words[] = {"HtoD", "DtoH", "DtoD", "set"};
    (void)fputs("warpmem-trace 1\n", out);
    for (uint32_t i = 0; i < c->n_steps; i++) {
        const case_step *step = &c->step[i];
        if (step->is_copy) {
            (void)fprintf(out, "copy %s 0x%" PRIx64 " %" PRIu64 "\n",
                          words[step->copy.kind], step->copy.addr,
                          step->copy.n_bytes);
        } else {
            write_launch(c, step, out);
        }
    }
    return fflush(out) == 0 && ferror(out) == 0;
}
