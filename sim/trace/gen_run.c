/*
 * gen_run.c -- carries out a program for one warp.
 */
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "trace/gen_program_internal.h"
#include "trace/record_check.h"

#define FULL_MASK  UINT32_MAX
#define HEAD_SLOTS 2u /* address arithmetic before an access */
#define GAP_MAX    65535u

typedef struct machine {
    wm_gen_program *program;
    const wm_gen_place *place;
    wm_cta *cta;
    uint32_t n_values;
    uint32_t n_masks; /* narrowed, over the full one */
    uint64_t n_random;
    uint32_t n_loads; /* of the warp, so far */
    bool has_wait;
    uint32_t n_allowed; /* loads that the next record leaves in flight */
    uint64_t n_slots;   /* arithmetic before the next record */
    const wm_gen_op *op;
    wm_error *err;
} machine;

static wm_status fail(const machine *m, const char *sentence)
{
    return wm_gen_fail(m->program, m->op->at, sentence, m->err);
}

static uint64_t *top(machine *m, uint32_t below)
{
    return m->program->stack[m->n_values - 1 - below];
}

static uint32_t mask_of(const machine *m)
{
    return m->program->masks[m->n_masks];
}

/* --- values ----------------------------------------------------------------
 */

static void set_builtins(const machine *m)
{
    const wm_gen_place *place = m->place;
    const uint64_t values[WM_GEN_BUILTINS] = {
        [WM_GEN_NAME_WARP] = place->warp,
        [WM_GEN_NAME_CTA] = place->cta,
        [WM_GEN_NAME_WARPS] = place->n_warps,
        [WM_GEN_NAME_CTAS] = place->n_ctas,
        [WM_GEN_NAME_A] = place->base,
        [WM_GEN_NAME_B] = place->base + WM_GEN_ARRAY_BYTES,
        [WM_GEN_NAME_C] = place->base + 2 * WM_GEN_ARRAY_BYTES,
        [WM_GEN_NAME_D] = place->base + 3 * WM_GEN_ARRAY_BYTES,
    };
    for (uint32_t name = 0; name < WM_GEN_NAMES_MAX; name++) {
        for (uint32_t lane = 0; lane < WM_GEN_LANES; lane++) {
            uint64_t thread = (uint64_t)place->warp * WM_GEN_LANES + lane;
            uint64_t n_threads = (uint64_t)place->n_warps * WM_GEN_LANES;
            m->program->names[name][lane] =
                name == WM_GEN_NAME_LANE     ? lane
                : name == WM_GEN_NAME_THREAD ? thread
                : name == WM_GEN_NAME_GID    ? place->cta * n_threads + thread
                : name < WM_GEN_BUILTINS     ? values[name]
                                             : 0;
        }
    }
}

static uint64_t signed_less(uint64_t x, uint64_t y)
{
    return (int64_t)x < (int64_t)y;
}

/* y is neither 0 nor, for the least number, -1. */
static uint64_t divide(uint64_t x, uint64_t y, bool is_rest)
{
    if (y == UINT64_MAX) {
        return is_rest ? 0 : 0 - x;
    }
    int64_t a = (int64_t)x;
    int64_t b = (int64_t)y;
    return (uint64_t)(is_rest ? a % b : a / b);
}

static uint64_t combine(wm_gen_code code, uint64_t x, uint64_t y)
{
    switch (code) {
    case WM_GEN_ADD:
        return x + y;
    case WM_GEN_SUB:
        return x - y;
    case WM_GEN_MUL:
        return x * y;
    case WM_GEN_AND:
        return x & y;
    case WM_GEN_OR:
        return x | y;
    case WM_GEN_XOR:
        return x ^ y;
    case WM_GEN_EQ:
        return x == y;
    case WM_GEN_NE:
        return x != y;
    case WM_GEN_LT:
        return signed_less(x, y);
    case WM_GEN_LE:
        return !signed_less(y, x);
    case WM_GEN_GT:
        return signed_less(y, x);
    case WM_GEN_GE:
        return !signed_less(x, y);
    case WM_GEN_BOTH:
        return x != 0 && y != 0;
    case WM_GEN_EITHER:
        return x != 0 || y != 0;
    case WM_GEN_MIN:
        return signed_less(y, x) ? y : x;
    default: /* WM_GEN_MAX */
        return signed_less(x, y) ? y : x;
    }
}

/* Division and shifts, which not every second value suits. */
static wm_status combine_checked(machine *m, wm_gen_code code)
{
    uint64_t *x = top(m, 1);
    const uint64_t *y = top(m, 0);
    uint32_t mask = mask_of(m);
    bool is_shift = code == WM_GEN_SHL || code == WM_GEN_SHR;
    for (uint32_t lane = 0; lane < WM_GEN_LANES; lane++) {
        bool is_bad = is_shift ? y[lane] > 63 : y[lane] == 0;
        if (is_bad && (mask >> lane & 1) != 0) {
            return fail(m, is_shift ? "found a shift by less than 0 or over 63"
                                    : "found a division by 0");
        }
        x[lane] = is_bad               ? 0
                  : code == WM_GEN_SHL ? x[lane] << y[lane]
                  : code == WM_GEN_SHR
                      ? (uint64_t)((int64_t)x[lane] >> y[lane])
                      : divide(x[lane], y[lane], code == WM_GEN_MOD);
    }
    m->n_values--;
    return WM_OK;
}

static wm_status randomise(machine *m)
{
    uint64_t *x = top(m, 0);
    uint32_t mask = mask_of(m);
    const wm_gen_place *place = m->place;
    uint64_t warp = place->cta * place->n_warps + place->warp;
    uint64_t draw = wm_mix64(place->seed ^ wm_mix64(warp + 1)) + m->n_random++;
    for (uint32_t lane = 0; lane < WM_GEN_LANES; lane++) {
        if ((int64_t)x[lane] <= 0 && (mask >> lane & 1) != 0) {
            return fail(m, "found rand(n) with n below 1");
        }
        x[lane] = wm_mul_high(wm_mix64(wm_mix64(draw) + lane), x[lane]);
    }
    return WM_OK;
}

static void change(machine *m, wm_gen_code code)
{
    uint64_t *x = top(m, 0);
    for (uint32_t lane = 0; lane < WM_GEN_LANES; lane++) {
        x[lane] = code == WM_GEN_NEGATE   ? 0 - x[lane]
                  : code == WM_GEN_INVERT ? ~x[lane]
                  : code == WM_GEN_NOT
                      ? x[lane] == 0
                      : wm_mix64(x[lane] + UINT64_C(0x9e3779b97f4a7c15)) >> 1;
    }
}

static wm_status check_uniform(machine *m, bool is_positive)
{
    const uint64_t *x = top(m, 0);
    uint32_t mask = mask_of(m);
    uint32_t first = mask == 0 ? 0 : wm_lowest_bit(mask);
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        if (x[wm_lowest_bit(rest)] != x[first]) {
            return fail(m, "found a value that differs between lanes, wanted "
                           "the same in all");
        }
    }
    return is_positive && (int64_t)x[first] < 1
               ? fail(m, "found a step below 1")
               : WM_OK;
}

static void set_name(machine *m)
{
    uint64_t *name = m->program->names[m->op->argument];
    const uint64_t *x = top(m, 0);
    uint32_t mask = mask_of(m);
    for (uint32_t lane = 0; lane < WM_GEN_LANES; lane++) {
        name[lane] = (mask >> lane & 1) != 0 ? x[lane] : name[lane];
    }
    m->n_values--;
}

/* --- records ---------------------------------------------------------------
 */

static wm_record *append(machine *m)
{
    wm_cta *cta = m->cta;
    if (cta->n_records >= WM_RECORDS_PER_CTA_MAX ||
        !wm_grow(&cta->records, &cta->cap_records, cta->n_records + 1,
                 sizeof(*cta->records))) {
        return NULL;
    }
    wm_record *record = &cta->records[cta->n_records++];
    memset(record, 0, sizeof(*record));
    return record;
}

/* What the next record waits for, as a mask over the loads in flight. */
static uint32_t take_wait(machine *m, uint8_t kind)
{
    bool is_user =
        kind == WM_KIND_GLOBAL_STORE || kind == WM_KIND_LOCAL_STORE ||
        kind == WM_KIND_SHARED_STORE || kind == WM_KIND_EXIT ||
        kind == WM_KIND_GLOBAL_ATOMIC || kind == WM_KIND_GLOBAL_REDUCTION ||
        kind == WM_KIND_SHARED_ATOMIC;
    uint32_t n = m->n_loads < 32 ? m->n_loads : 32;
    uint32_t allowed = m->has_wait ? m->n_allowed : is_user ? 0 : n;
    m->has_wait = false;
    return (uint32_t)(wm_low_mask(n) & ~wm_low_mask(allowed < n ? allowed : n));
}

/* The next record, with the arithmetic and the wait before it. */
static wm_record *begin(machine *m, uint32_t static_id)
{
    const wm_static *item = &m->program->statics[static_id];
    while (m->n_slots > GAP_MAX) {
        wm_record *gap = append(m);
        if (gap == NULL) {
            return NULL;
        }
        gap->kind = WM_KIND_GAP;
        gap->head_cycles = gap->head_slots = GAP_MAX;
        m->n_slots -= GAP_MAX;
    }
    wm_record *record = append(m);
    if (record != NULL) {
        uint16_t n_slots = (uint16_t)m->n_slots;
        record->static_id = static_id;
        record->kind = item->kind;
        record->width = item->width;
        record->mask = mask_of(m);
        record->wait = take_wait(m, item->kind);
        if (record->wait != 0) { /* what was loaded is worked on */
            record->tail_cycles = record->tail_slots = n_slots;
        } else {
            record->head_cycles = record->head_slots = n_slots;
        }
        m->n_slots = 0;
    }
    return record;
}

static wm_status add_access(machine *m)
{
    uint64_t addresses[WM_GEN_LANES];
    const uint64_t *x = top(m, 0);
    uint32_t n = 0;
    m->n_slots += HEAD_SLOTS;
    m->cta->work.n_other += HEAD_SLOTS;
    wm_record *record = begin(m, m->op->argument);
    if (record == NULL) {
        return wm_fail_memory(m->err);
    }
    for (uint32_t rest = mask_of(m); rest != 0; rest &= rest - 1) {
        addresses[n++] = x[wm_lowest_bit(rest)];
    }
    m->n_values--;
    m->n_loads += wm_kind_is_load((wm_kind)record->kind);
    return wm_record_set_addresses(m->cta, record, addresses)
               ? WM_OK
               : wm_fail_memory(m->err);
}

/* work, fma, wait: a number that is the same in all lanes. */
static wm_status add_number(machine *m)
{
    uint32_t mask = mask_of(m);
    uint64_t n = top(m, 0)[mask == 0 ? 0 : wm_lowest_bit(mask)];
    m->n_values--;
    if ((int64_t)n < 0 || n > UINT32_MAX) {
        return fail(m, "found a number below 0 or over 32 bits");
    }
    if (m->op->code == WM_GEN_WAIT) {
        m->has_wait = true;
        m->n_allowed = (uint32_t)n;
        return WM_OK;
    }
    m->n_slots += n;
    m->cta->work.n_other += n;
    if (m->op->code == WM_GEN_FMA) {
        m->cta->work.flops_fp32 += n * 2 * wm_popcount64(mask);
    }
    return WM_OK;
}

/* --- control ---------------------------------------------------------------
 */

static void narrow(machine *m)
{
    wm_gen_program *program = m->program;
    const uint64_t *x = top(m, 0);
    uint32_t taken = 0;
    for (uint32_t lane = 0; lane < WM_GEN_LANES; lane++) {
        taken |= (uint32_t)(x[lane] != 0) << lane;
    }
    m->n_values--;
    taken &= mask_of(m);
    program->masks[++m->n_masks] = taken;
    program->narrowed[m->n_masks] = taken;
}

/* True when the operation jumps. */
static bool jumps(machine *m)
{
    if (m->op->code == WM_GEN_UNTIL) {
        uint32_t mask = mask_of(m);
        const uint64_t *x = top(m, 0);
        m->n_values--;
        return mask == 0 || x[wm_lowest_bit(mask)] == 0;
    }
    return m->op->code == WM_GEN_JUMP || mask_of(m) == 0;
}

static void select_arm(machine *m)
{
    uint64_t *condition = top(m, 2);
    const uint64_t *yes = top(m, 1);
    const uint64_t *no = top(m, 0);
    for (uint32_t lane = 0; lane < WM_GEN_LANES; lane++) {
        condition[lane] = condition[lane] != 0 ? yes[lane] : no[lane];
    }
    m->n_values -= 2;
}

static void push(machine *m, const uint64_t *from, uint64_t value)
{
    uint64_t *x = m->program->stack[m->n_values++];
    for (uint32_t lane = 0; lane < WM_GEN_LANES; lane++) {
        x[lane] = from != NULL ? from[lane] : value;
    }
}

static wm_status step(machine *m)
{
    wm_gen_program *program = m->program;
    wm_gen_code code = (wm_gen_code)m->op->code;
    switch (code) {
    case WM_GEN_DIV:
    case WM_GEN_MOD:
    case WM_GEN_SHL:
    case WM_GEN_SHR:
        return combine_checked(m, code);
    case WM_GEN_RAND:
        return randomise(m);
    case WM_GEN_NEGATE:
    case WM_GEN_INVERT:
    case WM_GEN_NOT:
    case WM_GEN_HASH:
        change(m, code);
        return WM_OK;
    case WM_GEN_UNIFORM:
    case WM_GEN_POSITIVE:
        return check_uniform(m, code == WM_GEN_POSITIVE);
    case WM_GEN_PUSH:
        push(m, NULL, m->op->value);
        return WM_OK;
    case WM_GEN_GET:
        push(m, program->names[m->op->argument], 0);
        return WM_OK;
    case WM_GEN_COPY:
        push(m, top(m, 0), 0);
        return WM_OK;
    case WM_GEN_SET:
        set_name(m);
        return WM_OK;
    case WM_GEN_SELECT:
        select_arm(m);
        return WM_OK;
    case WM_GEN_NARROW:
        narrow(m);
        return WM_OK;
    case WM_GEN_OTHERS:
        program->masks[m->n_masks] =
            program->masks[m->n_masks - 1] & ~program->narrowed[m->n_masks];
        return WM_OK;
    case WM_GEN_WIDEN:
        m->n_masks--;
        return WM_OK;
    case WM_GEN_ACCESS:
        return add_access(m);
    case WM_GEN_BARRIER:
        return begin(m, m->op->argument) == NULL ? wm_fail_memory(m->err)
                                                 : WM_OK;
    case WM_GEN_WAIT:
    case WM_GEN_WORK:
    case WM_GEN_FMA:
        return add_number(m);
    default: {
        uint64_t *x = top(m, 1);
        const uint64_t *y = top(m, 0);
        for (uint32_t lane = 0; lane < WM_GEN_LANES; lane++) {
            x[lane] = combine(code, x[lane], y[lane]);
        }
        m->n_values--;
        return WM_OK;
    }
    }
}

wm_status wm_gen_program_run(wm_gen_program *program, const wm_gen_place *place,
                             wm_cta *cta, wm_error *err)
{
    machine m = {.program = program, .place = place, .cta = cta, .err = err};
    wm_status status = WM_OK;
    uint64_t n_steps = 0;
    size_t at = 0;
    program->masks[0] = FULL_MASK;
    set_builtins(&m);
    while (status == WM_OK && at < program->n_ops) {
        m.op = &program->ops[at++];
        if (++n_steps > WM_GEN_STEPS_MAX) {
            return fail(&m, "found a warp of over 67,108,864 steps");
        }
        if (m.op->code >= WM_GEN_JUMP && m.op->code <= WM_GEN_UNTIL) {
            at = jumps(&m) ? m.op->argument : at;
        } else {
            status = step(&m);
        }
    }
    if (status != WM_OK) {
        return status;
    }
    cta->work.n_other++; /* the exit */
    return begin(&m, program->n_statics - 1) == NULL ? wm_fail_memory(err)
                                                     : WM_OK;
}

const wm_static *wm_gen_program_statics(const wm_gen_program *program,
                                        uint32_t *n)
{
    *n = program->n_statics;
    return program->statics;
}
