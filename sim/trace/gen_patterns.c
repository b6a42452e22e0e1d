/*
 * gen_patterns.c -- one function per pattern: the records of one warp.
 *
 * Static instruction numbers are places in the pattern's `statics` list.
 * Every record is preceded by two address instructions; arithmetic that uses
 * a load stands behind the stall, in the tail.
 */
#include "trace/gen_internal.h"

#include <assert.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/rng.h"

#define N_LANES      32u
#define FULL_MASK    UINT64_C(0xffffffff)
#define HEAD_SLOTS   2u
#define SHARED_BYTES 16384u
#define GEMM_UNROLL  4u

/* Appends a record of static instruction `id`; wait counts from the youngest
 * load: the low n_wait loads. */
static wm_record *emit(wm_gen_warp *g, uint32_t id, uint32_t n_wait,
                       uint32_t n_tail)
{
    wm_cta *cta = g->cta;
    const wm_static *item = &g->launch->statics[id];
    if (!wm_grow(&cta->records, &cta->cap_records, cta->n_records + 1,
                 sizeof(*cta->records))) {
        g->is_failed = true;
        return NULL;
    }
    n_wait = n_wait < g->n_loads ? n_wait : g->n_loads;
    wm_record *record = &cta->records[cta->n_records++];
    memset(record, 0, sizeof(*record));
    record->static_id = id;
    record->mask = FULL_MASK;
    record->kind = item->kind;
    record->width = item->width;
    record->flags = item->flags;
    record->head_cycles = record->head_slots = HEAD_SLOTS;
    record->tail_cycles = record->tail_slots = (uint16_t)n_tail;
    record->wait = (uint32_t)wm_low_mask(n_wait < 32 ? n_wait : 32);
    cta->work.n_other += HEAD_SLOTS + n_tail;
    if (wm_kind_is_load((wm_kind)item->kind)) {
        g->n_loads++;
    }
    return record;
}

static void emit_at(wm_gen_warp *g, uint32_t id, uint64_t address,
                    int32_t stride, uint32_t n_wait, uint32_t n_tail)
{
    wm_record *record = emit(g, id, n_wait, n_tail);
    if (record != NULL) {
        record->base = address;
        record->u.stride = stride;
    }
}

/* 32 random elements of the array at `array`. */
static void emit_random(wm_gen_warp *g, uint32_t id, uint64_t array,
                        wm_rng *rng, uint32_t n_wait)
{
    uint64_t addresses[N_LANES];
    uint64_t n_elements = g->params->span_bytes / g->params->width_bytes;
    wm_record *record = emit(g, id, n_wait, 0);
    for (uint32_t i = 0; i < N_LANES; i++) {
        uint64_t element = wm_mul_high(wm_rng_next(rng), n_elements);
        addresses[i] = array + element * g->params->width_bytes;
    }
    if (record != NULL && !wm_record_set_addresses(g->cta, record, addresses)) {
        g->is_failed = true;
    }
}

static void emit_exit(wm_gen_warp *g, uint32_t id)
{
    wm_record *record = emit(g, id, 32, 0);
    if (record != NULL) {
        record->head_cycles = record->head_slots = 0;
        g->cta->work.n_other -= HEAD_SLOTS;
        g->cta->work.n_other++; /* the exit itself */
    }
}

static wm_rng warp_rng(const wm_gen_warp *g)
{
    return (wm_rng){wm_mix64(g->params->seed ^ wm_mix64(g->number + 1))};
}

/* Round k of this warp in array a: neighbouring warps touch neighbouring
 * tiles, the grid strides through the span and starts over at its end. */
static uint64_t tile_at(const wm_gen_warp *g, uint32_t a, uint32_t k)
{
    int64_t stride = g->params->stride_bytes;
    uint64_t tile = N_LANES * (uint64_t)(stride < 0 ? -stride : stride);
    uint64_t n_tiles = g->params->span_bytes / tile;
    uint64_t i = ((uint64_t)k * g->n_total + g->number) % n_tiles;
    uint64_t address = g->params->base + a * g->array_bytes + i * tile;
    return stride < 0 ? address + tile + (uint64_t)stride : address;
}

static void emit_copy(wm_gen_warp *g)
{
    int32_t stride = g->params->stride_bytes;
    for (uint32_t k = 0; k < g->params->n_accesses; k++) {
        emit_at(g, 0, tile_at(g, 0, k), stride, g->params->is_dependent, 0);
        emit_at(g, 1, tile_at(g, 1, k), stride, 1, 0);
    }
    emit_exit(g, 2);
}

/* read, write, stride: one access a round. */
static void emit_stream(wm_gen_warp *g)
{
    for (uint32_t k = 0; k < g->params->n_accesses; k++) {
        emit_at(g, 0, tile_at(g, 0, k), g->params->stride_bytes,
                g->params->is_dependent, 0);
    }
    emit_exit(g, 1);
}

static void emit_vecadd(wm_gen_warp *g)
{
    int32_t stride = g->params->stride_bytes;
    for (uint32_t k = 0; k < g->params->n_accesses; k++) {
        emit_at(g, 0, tile_at(g, 0, k), stride, g->params->is_dependent, 0);
        emit_at(g, 1, tile_at(g, 1, k), stride, 0, 0);
        emit_at(g, 2, tile_at(g, 2, k), stride, 2, 1);
        g->cta->work.flops_fp32 += N_LANES;
    }
    emit_exit(g, 3);
}

static void emit_gather(wm_gen_warp *g)
{
    wm_rng rng = warp_rng(g);
    for (uint32_t k = 0; k < g->params->n_accesses; k++) {
        emit_random(g, 0, g->params->base, &rng, g->params->is_dependent);
    }
    emit_exit(g, 1);
}

static void emit_broadcast(wm_gen_warp *g)
{
    uint64_t n = g->params->span_bytes / g->params->width_bytes;
    for (uint32_t k = 0; k < g->params->n_accesses; k++) {
        uint64_t i = ((uint64_t)k * g->n_total + g->number) % n;
        emit_at(g, 0, g->params->base + i * g->params->width_bytes, 0,
                g->params->is_dependent, 0);
    }
    emit_exit(g, 1);
}

/* The warps fill shared memory, meet, and read it at the stride asked for. */
static void emit_shared(wm_gen_warp *g)
{
    uint32_t width = g->params->width_bytes;
    uint64_t slot = g->number % g->params->n_warps;
    uint64_t own = slot * N_LANES * width % SHARED_BYTES;
    emit_at(g, 0, own, (int32_t)width, 0, 0);
    emit_at(g, 1, 0, 0, 0, 0);
    for (uint32_t k = 0; k < g->params->n_accesses; k++) {
        emit_at(g, 2, (uint64_t)k * width % 128, g->params->stride_bytes,
                g->params->is_dependent, 0);
    }
    emit_exit(g, 3);
}

static void emit_histogram(wm_gen_warp *g)
{
    wm_rng rng = warp_rng(g);
    uint32_t width = g->params->width_bytes;
    uint64_t tile = N_LANES * (uint64_t)width;
    uint64_t data = g->params->base + g->array_bytes;
    for (uint32_t k = 0; k < g->params->n_accesses; k++) {
        uint64_t i = (uint64_t)k * g->n_total + g->number;
        emit_at(g, 0, data + i * tile, (int32_t)width, g->params->is_dependent,
                0);
        emit_random(g, 1, g->params->base, &rng, 1);
    }
    emit_exit(g, 2);
}

/* One lane follows pointers: a full-period sequence over the footprint, so
 * that no element comes twice before all have come (Knuth, TAOCP 2, 3.2.1.2,
 * theorem A: odd step, multiplier 1 mod 4, modulus a power of two). */
static void emit_chase(wm_gen_warp *g)
{
    uint64_t step = (uint64_t)g->params->stride_bytes;
    uint64_t n = g->params->span_bytes / step;
    uint64_t mask = (UINT64_C(1) << wm_highest_bit(n)) - 1;
    uint64_t at = wm_mix64(g->params->seed ^ wm_mix64(g->number + 1));
    uint64_t increment = wm_mix64(g->params->seed) | 1;
    for (uint32_t k = 0; k < g->params->n_accesses; k++) {
        at = at * UINT64_C(0x5851f42d4c957f2d) + increment;
        uint64_t element = at & mask;
        wm_record *record = emit(g, 0, 1, 0);
        if (record != NULL) {
            record->mask = 1;
            record->base = g->params->base + element * step;
        }
    }
    emit_exit(g, 1);
}

/*
 * C = A B, one thread per element of C, without tiling.  A warp is 32 columns
 * of one row: A[row][k] is the same word for all lanes, B[k][col] is a line.
 * Four rounds of k are in flight at a time, as compilers unroll it.
 */
static void emit_gemm(wm_gen_warp *g)
{
    uint64_t n = g->params->size;
    uint64_t row_bytes = n * g->params->width_bytes;
    uint64_t row = (uint64_t)g->cta->id[1] * g->params->n_warps +
                   g->number % g->params->n_warps;
    uint64_t col_bytes =
        (uint64_t)g->cta->id[0] * N_LANES * g->params->width_bytes;
    uint64_t a = g->params->base + row * row_bytes;
    uint64_t b = g->params->base + g->array_bytes + col_bytes;
    uint64_t c = g->params->base + 2 * g->array_bytes + row * row_bytes;
    int32_t width = (int32_t)g->params->width_bytes;
    for (uint64_t k = 0; k < n; k++) {
        bool is_round = k > 0 && k % GEMM_UNROLL == 0;
        uint32_t n_wait = is_round ? 2 * GEMM_UNROLL : 0;
        uint32_t n_ffma = is_round ? GEMM_UNROLL : 0;
        emit_at(g, 0, a + k * g->params->width_bytes, 0, n_wait, n_ffma);
        emit_at(g, 1, b + k * row_bytes, width, 0, 0);
    }
    emit_at(g, 2, c + col_bytes, width, 2 * GEMM_UNROLL, GEMM_UNROLL);
    g->cta->work.flops_fp32 += 2 * n * N_LANES;
    emit_exit(g, 3);
}

/* clang-format off */
#define LOAD  {WM_KIND_GLOBAL_LOAD, "LDG.E"}
#define STORE {WM_KIND_GLOBAL_STORE, "STG.E"}
#define EXIT  {WM_KIND_EXIT, "EXIT"}
/* clang-format on */

const wm_gen_pattern wm_gen_patterns[] = {
    {.name = "copy",
     .summary = "load a tile, store it to another array",
     .kernel_name = "copy",
     .statics = {LOAD, STORE, EXIT},
     .emit = emit_copy},
    {.name = "read",
     .summary = "independent coalesced loads",
     .kernel_name = "read",
     .statics = {LOAD, EXIT},
     .emit = emit_stream},
    {.name = "write",
     .summary = "coalesced stores",
     .kernel_name = "write",
     .statics = {STORE, EXIT},
     .emit = emit_stream},
    {.name = "stride",
     .summary = "loads whose lanes lie a stride apart",
     .kernel_name = "stride",
     .stride_bytes = 128,
     .statics = {LOAD, EXIT},
     .emit = emit_stream},
    {.name = "gather",
     .summary = "loads of random elements of a span",
     .kernel_name = "gather",
     .span_bytes = 64u << 20,
     .statics = {LOAD, EXIT},
     .emit = emit_gather},
    {.name = "broadcast",
     .summary = "all lanes load the same element",
     .kernel_name = "broadcast",
     .span_bytes = 1u << 20,
     .statics = {LOAD, EXIT},
     .emit = emit_broadcast},
    {.name = "shared",
     .summary = "shared loads at a stride: bank conflicts",
     .kernel_name = "shared",
     .is_forward = true,
     .span_bytes = SHARED_BYTES,
     .statics = {{WM_KIND_SHARED_STORE, "STS"},
                 {WM_KIND_BARRIER, "BAR.SYNC"},
                 {WM_KIND_SHARED_LOAD, "LDS"},
                 EXIT},
     .emit = emit_shared},
    {.name = "histogram",
     .summary = "coalesced loads, then reductions into random bins",
     .kernel_name = "histogram",
     .span_bytes = 4096,
     .statics = {LOAD, {WM_KIND_GLOBAL_REDUCTION, "RED.E.ADD"}, EXIT},
     .emit = emit_histogram},
    {.name = "chase",
     .summary = "one lane follows pointers through a footprint",
     .kernel_name = "chase",
     .is_forward = true,
     .stride_bytes = 128,
     .span_bytes = 16u << 20,
     .statics = {LOAD, EXIT},
     .emit = emit_chase},
    {.name = "vecadd",
     .summary = "c[i] = a[i] + b[i]",
     .kernel_name = "vecadd",
     .statics = {LOAD, LOAD, STORE, EXIT},
     .emit = emit_vecadd},
    {.name = "gemm",
     .summary = "untiled matrix multiply of size x size",
     .kernel_name = "sgemm_naive",
     .is_square = true,
     .statics = {LOAD, LOAD, STORE, EXIT},
     .emit = emit_gemm},
};

const size_t wm_gen_n_patterns =
    sizeof(wm_gen_patterns) / sizeof(wm_gen_patterns[0]);
