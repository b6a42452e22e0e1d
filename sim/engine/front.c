/*
 * front.c -- what a memory record asks for: line requests, wavefronts, LSU
 * cycles, and the counters that do not depend on the caches.  Shared by both
 * modes.
 */
#include "engine/engine_internal.h"

#include <assert.h>
#include <string.h>

/* Per-thread local memory lies above all device addresses. */
#define LOCAL_REGION UINT64_C(0xf000000000000000)

/* Offset of a per-thread local address inside its thread's memory. */
static uint64_t front_local_offset(const wm_params *params, uint64_t address)
{
    /* Windows are 16 MiB (trace formats, generic windows). */
    if (params->local_base != 0 && address - params->local_base < 1u << 24) {
        return address - params->local_base;
    }
    return address;
}

/* Appends scratch's entries to coalesced. */
static void front_append(wm_sm *sm)
{
    wm_coalesced *to = &sm->coalesced;
    const wm_coalesced *from = &sm->scratch;
    const uint32_t n = from->n_entries;
    assert(to->n_entries + n <= WM_LINES_MAX);
    memcpy(to->line + to->n_entries, from->line, n * sizeof(from->line[0]));
    memcpy(to->sectors + to->n_entries, from->sectors, n);
    memcpy(to->full + to->n_entries, from->full, n);
    memcpy(to->bytes + to->n_entries, from->bytes, n * sizeof(from->bytes[0]));
    to->n_entries += n;
    to->n_sectors += from->n_sectors;
    to->n_lines += from->n_lines;
    to->n_transactions += from->n_transactions;
    to->n_tag_wavefronts += from->n_tag_wavefronts;
    to->is_partial |= from->is_partial;
}

/*
 * Local memory: word w of the thread in place p lies at (w * places + p) * 4,
 * so that lanes on one offset touch consecutive words.  Places are those of
 * the resident warps, as on hardware, so that later CTAs reuse the lines.  A
 * lane stays within its words: hardware has no access across them, and room is
 * for a word a lane only.
 */
static void front_local(const wm_params *params, wm_sm *sm, uint32_t warp,
                        const wm_access *access, bool is_store)
{
    const wm_coalescer *coalescer =
        is_store ? &params->store_coalescer : &params->coalescer;
    uint64_t address[WM_ACCESS_LANES_MAX];
    uint32_t split[2 * WM_ACCESS_LANES_MAX];
    const uint64_t place =
        ((uint64_t)sm->id * WM_WARPS_MAX + warp) * params->warp_size;
    const uint32_t words = access->width > 4 ? access->width / 4 : 1;
    const uint32_t width = access->width > 4 ? 4 : access->width;
    const uint64_t within =
        3u & ~(width - 1); /* bits of a lane's place in it */
    const uint32_t n = wm_access_expand(access, address);
    for (uint32_t word = 0; word < words; word++) {
        uint64_t mask = access->mask;
        for (uint32_t i = 0; i < n; i++, mask &= mask - 1) {
            uint64_t offset = front_local_offset(params, address[i]);
            uint64_t target =
                LOCAL_REGION + ((offset >> 2) + word) * params->local_pitch +
                (place + wm_lowest_bit(mask)) * 4 + (offset & within);
            split[2 * i] = (uint32_t)target;
            split[2 * i + 1] = (uint32_t)(target >> 32);
        }
        const wm_access part = {.mask = access->mask,
                                .lanes = split,
                                .width = width,
                                .form = WM_ACCESS_LIST64};
        if (word == 0) {
            wm_coalesce(coalescer, &part, is_store, &sm->coalesced);
        } else {
            wm_coalesce(coalescer, &part, is_store, &sm->scratch);
            front_append(sm);
        }
    }
}

static wm_instruction_row *front_row(const wm_params *params, wm_sm *sm,
                                     const wm_record *record)
{
    return params->per_instruction && record->static_id < sm->cap_rows
               ? &sm->rows[record->static_id]
               : NULL;
}

static uint32_t front_sector_bin(uint32_t n_sectors)
{
    if (n_sectors <= 2) {
        return n_sectors;
    }
    const uint32_t bin = wm_highest_bit(n_sectors - 1) + 2;
    return bin < WM_SECTOR_BINS ? bin : WM_SECTOR_BINS - 1;
}

/* What a record adds to its instruction's row besides plain counts. */
static void front_shape(const wm_params *params, wm_instruction_row *row,
                        const wm_access *access, uint32_t n_sectors)
{
    const wm_access_shape shape =
        wm_access_classify(access, n_sectors, params->sector_bytes);
    row->ideal_sectors += shape.ideal_sectors;
    row->unique_bytes += shape.unique_bytes;
    row->n_by_sectors[front_sector_bin(n_sectors)]++;
    if (shape.class == WM_CLASS_STRIDED) {
        const bool is_first = row->n_class[WM_CLASS_STRIDED] == 0;
        if (is_first || shape.stride < row->stride_least) {
            row->stride_least = shape.stride;
        }
        if (is_first || shape.stride > row->stride_most) {
            row->stride_most = shape.stride;
        }
    }
    if (shape.class != WM_CLASS_OFF) {
        if (row->address_most == 0 || shape.least < row->address_least) {
            row->address_least = shape.least;
        }
        if (shape.most > row->address_most) {
            row->address_most = shape.most;
        }
    }
    row->n_class[shape.class]++;
}

static wm_front front_plain(const wm_params *params, wm_sm *sm,
                            const wm_record *record)
{
    wm_coalesced *found = &sm->coalesced;
    found->n_entries = 1;
    found->line[0] = record->base >> 7;
    found->sectors[0] = 15;
    found->full[0] = 15;
    sm->stats.n_plain[record->kind]++;
    return (wm_front){params->plain_cost, 0};
}

void wm_front_settle(const wm_params *params, wm_sm *sm)
{
    for (uint32_t kind = 0; kind < WM_L1_KINDS; kind++) {
        const uint64_t n = sm->stats.n_plain[kind];
        uint64_t *count = sm->stats.l1[kind];
        sm->stats.n_plain[kind] = 0;
        count[WM_L1_REQUESTS] += n;
        count[WM_L1_ACTIVE_REQUESTS] += n;
        count[WM_L1_SECTORS] += 4 * n;
        count[WM_L1_LINES] += n;
        count[WM_L1_TRANSACTIONS] += 4 * n;
        count[WM_L1_LANES] += 32 * n;
        count[WM_L1_REQUESTED_BYTES] += 128 * n;
        count[WM_L1_WAVEFRONTS] += n;
        count[WM_L1_TAG_WAVEFRONTS] += n;
        sm->stats.l1_busy += n;
        sm->stats.lsu_busy += n * params->plain_cost;
    }
    for (uint32_t kind = 0; kind < 2; kind++) {
        const uint64_t n = sm->stats.n_plain_shared[kind];
        uint64_t *count = sm->stats.shared[kind];
        sm->stats.n_plain_shared[kind] = 0;
        count[WM_SH_REQUESTS] += n;
        count[WM_SH_ACTIVE_REQUESTS] += n;
        count[WM_SH_LANES] += 32 * n;
        count[WM_SH_REQUESTED_BYTES] += 128 * n;
        count[WM_SH_WAVEFRONTS] += n;
        count[WM_SH_IDEAL_WAVEFRONTS] += n;
        sm->stats.shared_busy += n;
        sm->stats.lsu_busy += n;
    }
}

/* --- shapes --------------------------------------------------------------- */
/* Bytes after which banks and sectors repeat: both are of lines of at most
 * that. */
#define SHAPE_PERIOD 128u

static bool front_is_shape(const wm_shape *shape, const wm_record *record)
{
    return shape->mask == record->mask && shape->stride == record->u.stride &&
           shape->width == record->width &&
           ((shape->base ^ record->base) & (SHAPE_PERIOD - 1)) == 0;
}

static void front_keep_shape(wm_shape *shape, const wm_record *record,
                             const wm_coalesced *found, uint32_t data)
{
    const uint32_t n = found->n_entries;
    shape->mask = 0;
    if (n > WM_SHAPE_LINES || found->is_partial) {
        return;
    }
    shape->mask = record->mask;
    shape->base = record->base;
    shape->stride = record->u.stride;
    shape->width = record->width;
    shape->n_entries = n;
    shape->n_sectors = found->n_sectors;
    shape->n_lines = found->n_lines;
    shape->n_transactions = found->n_transactions;
    shape->data = data;
    memcpy(shape->line, found->line, n * sizeof(found->line[0]));
    memcpy(shape->sectors, found->sectors, n);
    memcpy(shape->full, found->full, n);
}

/* The shape's lines where the record has them. */
static void front_apply_shape(const wm_coalescer *coalescer,
                              const wm_shape *shape, const wm_record *record,
                              wm_coalesced *found)
{
    const uint32_t shift = coalescer->line_shift;
    const uint64_t last_line = ~UINT64_C(0) >> shift;
    const uint64_t moved = (record->base >> shift) - (shape->base >> shift);
    const uint32_t n = shape->n_entries;
    for (uint32_t i = 0; i < n; i++) {
        found->line[i] = (shape->line[i] + moved) & last_line;
    }
    memcpy(found->sectors, shape->sectors, sizeof(shape->sectors));
    memcpy(found->full, shape->full, sizeof(shape->full));
    found->n_entries = n;
    found->n_sectors = shape->n_sectors;
    found->n_lines = shape->n_lines;
    found->n_transactions = shape->n_transactions;
    found->is_partial = false;
    found->n_tag_wavefronts =
        coalescer->split == 0
            ? wm_tag_wavefronts_sorted(coalescer->tag_banks, found->line, n)
            : wm_tag_wavefronts(coalescer->tag_banks, found->line, n);
}

/* Coalesces a record that is not local; returns its data wavefronts. */
static uint32_t front_coalesce(const wm_params *params, wm_sm *sm,
                               const wm_record *record, bool is_store,
                               wm_access *access)
{
    const wm_coalescer *coalescer =
        is_store ? &params->store_coalescer : &params->coalescer;
    wm_coalesced *found = &sm->coalesced;
    wm_shape *shape = &sm->shapes[is_store];
    const bool is_ideal = record->static_id == params->ideal_static;
    /* What quads cost repeats after several lines only. */
    const bool is_kept =
        access->form == WM_ACCESS_AFFINE && !is_ideal && !params->has_quads;
    if (is_kept && front_is_shape(shape, record) && record->mask != 0) {
        front_apply_shape(coalescer, shape, record, found);
        return shape->data;
    }
    wm_coalesce(coalescer, access, is_store, found);
    if (is_ideal) {
        wm_ideal_coalesce(params, sm, record, is_store, access);
    }
    if (params->has_quads) {
        const uint32_t cycles = wm_quad_cycles(&params->l1_quads, access);
        if (!is_ideal) {
            found->n_tag_wavefronts = cycles;
        }
        return cycles;
    }
    access->is_scattered = found->n_entries == found->n_lanes && !is_ideal &&
                           coalescer->split == 0;
    const uint32_t data = wm_bank_wavefronts(&params->l1_banks, access, NULL);
    if (is_kept) {
        front_keep_shape(shape, record, found, data);
    }
    return data;
}

wm_front wm_front_memory(const wm_params *params, wm_sm *sm, uint32_t warp,
                         const wm_record *record, const uint32_t *lanes)
{
    if (wm_front_is_plain(params, record)) {
        return front_plain(params, sm, record);
    }
    const wm_kind kind = (wm_kind)record->kind;
    const bool is_store =
        kind == WM_KIND_GLOBAL_STORE || kind == WM_KIND_LOCAL_STORE;
    uint64_t address[WM_ACCESS_LANES_MAX];
    wm_access access = wm_front_access(record, lanes);
    wm_coalesced *found = &sm->coalesced;
    uint32_t data = 0;
    if (access.form != WM_ACCESS_AFFINE) { /* once for all that look at it */
        (void)wm_access_expand(&access, address);
        access.addresses = address;
        access.form = WM_ACCESS_WRITTEN;
    }
    if (kind == WM_KIND_LOCAL_LOAD || kind == WM_KIND_LOCAL_STORE) {
        front_local(params, sm, warp, &access, is_store);
        data = access.mask != 0 ? (access.width + 3u) / 4u : 0;
    } else {
        data = front_coalesce(params, sm, record, is_store, &access);
    }
    const uint64_t n_lanes = wm_popcount64(record->mask);
    uint64_t *count = sm->stats.l1[kind];
    count[WM_L1_ACTIVE_REQUESTS] += record->mask != 0;
    count[WM_L1_SECTORS] += found->n_sectors;
    count[WM_L1_LINES] += found->n_lines;
    count[WM_L1_TRANSACTIONS] += found->n_transactions;
    count[WM_L1_LANES] += n_lanes;
    count[WM_L1_REQUESTED_BYTES] += n_lanes * record->width;
    count[WM_L1_WAVEFRONTS] += data;
    count[WM_L1_TAG_WAVEFRONTS] += found->n_tag_wavefronts;
    if ((record->flags & WM_FLAG_CONTINUED) == 0) {
        count[WM_L1_REQUESTS]++;
    }
    wm_front front = {1, 0};
    if (kind == WM_KIND_GLOBAL_ATOMIC || kind == WM_KIND_GLOBAL_REDUCTION) {
        front.serial = wm_same_address_lanes(&access);
    }
    uint64_t rest = 0;
    uint32_t issue = (uint32_t)wm_divide(
        &params->lanes_div, n_lanes + params->lanes_div.d - 1, &rest);
    front.cost =
        data > found->n_tag_wavefronts ? data : found->n_tag_wavefronts;
    sm->stats.l1_busy += front.cost;
    if (front.cost < issue) {
        front.cost = issue;
    }
    if (front.cost == 0) {
        front.cost = 1;
    }
    sm->stats.lsu_busy += front.cost;
    wm_instruction_row *row = front_row(params, sm, record);
    if (row != NULL) {
        row->n_requests += (record->flags & WM_FLAG_CONTINUED) == 0;
        row->n_sectors += found->n_sectors;
        row->n_lines += found->n_lines;
        row->n_lanes += n_lanes;
        row->requested_bytes += n_lanes * record->width;
        row->wavefronts += data;
        row->ideal_wavefronts +=
            (n_lanes * record->width + 127) / 128; /* 128 B per wavefront */
        row->lsu_cycles += front.cost;
        front_shape(params, row, &access, found->n_sectors);
    }
    return front;
}

/* 32 words side by side: one wavefront, no conflict. */
static bool front_is_plain_shared(const wm_params *params,
                                  const wm_record *record)
{
    return record->mask == 0xffffffffu && record->width == 4 &&
           record->u.stride == 4 && (record->base & 3) == 0 &&
           record->pattern == WM_PATTERN_AFFINE && params->has_plain_shared &&
           (record->flags & WM_FLAG_CONTINUED) == 0 &&
           record->kind != WM_KIND_SHARED_ATOMIC;
}

uint32_t wm_front_shared(const wm_params *params, wm_sm *sm,
                         const wm_record *record, const uint32_t *lanes)
{
    if (front_is_plain_shared(params, record)) {
        sm->stats.n_plain_shared[record->kind - WM_KIND_SHARED_LOAD]++;
        return 1;
    }
    wm_access access = wm_front_access(record, lanes);
    uint32_t ideal = 0;
    uint32_t wavefronts =
        wm_bank_wavefronts(&params->shared_banks, &access, &ideal);
    if (record->kind == WM_KIND_SHARED_ATOMIC && record->mask != 0) {
        /* Lanes on one word take turns. */
        uint32_t serial = wm_same_address_lanes(&access);
        wavefronts = wavefronts > serial ? wavefronts : serial;
    }
    if (record->static_id == params->ideal_static) {
        wavefronts = ideal;
    }
    const uint64_t n_lanes = wm_popcount64(record->mask);
    uint64_t *count = sm->stats.shared[record->kind - WM_KIND_SHARED_LOAD];
    count[WM_SH_REQUESTS] += (record->flags & WM_FLAG_CONTINUED) == 0;
    count[WM_SH_ACTIVE_REQUESTS] += record->mask != 0;
    count[WM_SH_LANES] += n_lanes;
    count[WM_SH_REQUESTED_BYTES] += n_lanes * record->width;
    count[WM_SH_WAVEFRONTS] += wavefronts;
    count[WM_SH_IDEAL_WAVEFRONTS] += ideal;
    wm_instruction_row *row = front_row(params, sm, record);
    if (row != NULL) {
        row->n_requests += (record->flags & WM_FLAG_CONTINUED) == 0;
        row->n_lanes += n_lanes;
        row->requested_bytes += n_lanes * record->width;
        row->wavefronts += wavefronts;
        row->ideal_wavefronts += ideal;
        row->lsu_cycles += wavefronts > 0 ? wavefronts : 1;
        front_shape(params, row, &access, 0);
    }
    uint32_t cost = wavefronts > 0 ? wavefronts : 1;
    sm->stats.shared_busy += cost;
    sm->stats.lsu_busy += cost;
    return cost;
}

void wm_front_count(const wm_params *params, wm_sm *sm, const wm_record *record,
                    uint32_t hit, uint32_t pending, uint32_t miss)
{
    uint64_t *count = sm->stats.l1[record->kind];
    count[WM_L1_HIT_SECTORS] += hit;
    count[WM_L1_PENDING_SECTORS] += pending;
    count[WM_L1_MISS_SECTORS] += miss;
    wm_instruction_row *row = front_row(params, sm, record);
    if (row != NULL) {
        row->hit_sectors += hit;
        row->pending_sectors += pending;
        row->miss_sectors += miss;
    }
}
