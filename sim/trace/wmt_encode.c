/*
 * wmt_encode.c -- see wmt_encode.h.
 *
 * Shapes and templates are found by open addressing; two equal ones are never
 * stored twice within a chunk.
 */
#include "trace/wmt_encode.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "trace/record_check.h"
#include "trace/wmt_layout.h"
#include "trace/wmt_list.h"

#define SLOTS_FIRST 1024u

/* Finds items by hash: slot -> item number + 1, 0 when free. */
typedef struct index_table {
    uint32_t *slots;
    uint32_t n_slots;
    uint32_t n_items;
} index_table;

typedef struct template
{
    size_t first; /* in shape_ids and bases */
    size_t n_records;
    uint64_t hash;
}
template;

/* The last base and the last move of a static instruction in this chunk. */
typedef struct static_state {
    uint64_t base;
    uint64_t move;
} static_state;

struct wm_wmt_encoder {
    index_table shape_index;
    wm_record *shapes; /* base 0; u 0 when it is a list */
    size_t cap_shapes;
    index_table template_index;
    template *templates;
    size_t cap_templates;
    uint32_t *shape_ids; /* of all templates */
    uint64_t *bases;     /* of the last warp that followed the template */
    size_t n_ids, cap_ids, cap_bases;
    static_state *statics;
    size_t n_statics, cap_statics;
    wm_buffer column[WM_WMT_N_COLUMNS];
    uint32_t last_id[3];
    uint64_t last_work[WM_WMT_N_WORK];
    uint32_t n_ctas;
    size_t n_records;
};

wm_wmt_encoder *wm_wmt_encoder_new(void)
{
    wm_wmt_encoder *encoder = calloc(1, sizeof(*encoder));
    if (encoder == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < WM_WMT_N_COLUMNS; i++) {
        wm_buffer_init(&encoder->column[i]);
    }
    return encoder;
}

void wm_wmt_encoder_free(wm_wmt_encoder *encoder)
{
    if (encoder == NULL) {
        return;
    }
    free(encoder->shape_index.slots);
    free(encoder->shapes);
    free(encoder->template_index.slots);
    free(encoder->templates);
    free(encoder->shape_ids);
    free(encoder->bases);
    free(encoder->statics);
    for (size_t i = 0; i < WM_WMT_N_COLUMNS; i++) {
        wm_buffer_fini(&encoder->column[i]);
    }
    free(encoder);
}

static void index_clear(index_table *index)
{
    if (index->slots != NULL) {
        memset(index->slots, 0, index->n_slots * sizeof(*index->slots));
    }
    index->n_items = 0;
}

void wm_wmt_encoder_clear(wm_wmt_encoder *encoder)
{
    index_clear(&encoder->shape_index);
    index_clear(&encoder->template_index);
    encoder->n_ids = 0;
    encoder->n_statics = 0;
    for (size_t i = 0; i < WM_WMT_N_COLUMNS; i++) {
        wm_buffer_clear(&encoder->column[i]);
    }
    memset(encoder->last_id, 0, sizeof(encoder->last_id));
    memset(encoder->last_work, 0, sizeof(encoder->last_work));
    encoder->n_ctas = 0;
    encoder->n_records = 0;
}

/* Room for one more item at half load; hash_of() is asked on a rebuild. */
static bool index_reserve(index_table *index, const wm_wmt_encoder *encoder,
                          uint64_t (*hash_of)(const wm_wmt_encoder *, uint32_t))
{
    if (2 * ((size_t)index->n_items + 1) <= index->n_slots) {
        return true;
    }
    uint32_t n_slots = index->n_slots == 0 ? SLOTS_FIRST : index->n_slots * 2;
    uint32_t *slots = n_slots == 0 ? NULL : calloc(n_slots, sizeof(*slots));
    if (slots == NULL) {
        return false;
    }
    free(index->slots);
    index->slots = slots;
    index->n_slots = n_slots;
    for (uint32_t i = 0; i < index->n_items; i++) {
        uint32_t slot = (uint32_t)hash_of(encoder, i) & (n_slots - 1);
        while (slots[slot] != 0) {
            slot = (slot + 1) & (n_slots - 1);
        }
        slots[slot] = i + 1;
    }
    return true;
}

static uint64_t shape_hash(const wm_record *shape)
{
    uint64_t cycles = (uint64_t)shape->head_cycles << 48 |
                      (uint64_t)shape->head_slots << 32 |
                      (uint64_t)shape->tail_cycles << 16 | shape->tail_slots;
    uint64_t small = (uint64_t)shape->kind << 24 |
                     (uint64_t)shape->width << 16 |
                     (uint64_t)shape->pattern << 8 | shape->flags;
    uint64_t h = wm_mix64(shape->mask + (uint64_t)shape->static_id);
    h = wm_mix64(h ^ cycles);
    h ^= small << 32 | shape->wait;
    return wm_mix64(h + shape->u.list);
}

static uint64_t shape_hash_at(const wm_wmt_encoder *encoder, uint32_t i)
{
    return shape_hash(&encoder->shapes[i]);
}

static uint64_t template_hash_at(const wm_wmt_encoder *encoder, uint32_t i)
{
    return encoder->templates[i].hash;
}

static bool shape_equal(const wm_record *a, const wm_record *b)
{
    return a->mask == b->mask && a->static_id == b->static_id &&
           a->u.list == b->u.list && a->wait == b->wait &&
           a->head_cycles == b->head_cycles && a->head_slots == b->head_slots &&
           a->tail_cycles == b->tail_cycles && a->tail_slots == b->tail_slots &&
           a->kind == b->kind && a->width == b->width &&
           a->pattern == b->pattern && a->flags == b->flags;
}

static uint64_t shape_field(const wm_record *shape, wm_wmt_field field)
{
    switch (field) {
    case WM_WMT_SHAPE_STATIC:
        return shape->static_id;
    case WM_WMT_SHAPE_KIND:
        return shape->kind;
    case WM_WMT_SHAPE_WIDTH:
        return shape->width;
    case WM_WMT_SHAPE_PATTERN:
        return shape->pattern;
    case WM_WMT_SHAPE_FLAGS:
        return shape->flags;
    case WM_WMT_SHAPE_MASK:
        return shape->mask;
    case WM_WMT_SHAPE_STRIDE:
        return wm_wmt_zigzag((uint64_t)(int64_t)shape->u.stride);
    case WM_WMT_SHAPE_WAIT:
        return shape->wait;
    case WM_WMT_SHAPE_HEAD_CYCLES:
        return shape->head_cycles;
    case WM_WMT_SHAPE_HEAD_SLOTS:
        return shape->head_slots;
    case WM_WMT_SHAPE_TAIL_CYCLES:
        return shape->tail_cycles;
    case WM_WMT_SHAPE_TAIL_SLOTS:
    case WM_WMT_N_FIELDS:
        break;
    }
    return shape->tail_slots;
}

/* The number of the record's shape, added when it is new. */
static bool find_shape(wm_wmt_encoder *e, const wm_record *record, uint32_t *id)
{
    wm_record shape = *record;
    shape.base = 0;
    if (shape.pattern != WM_PATTERN_AFFINE) {
        shape.u.list = 0;
    }
    index_table *index = &e->shape_index;
    if (!index_reserve(index, e, shape_hash_at)) {
        return false;
    }
    uint32_t slot = (uint32_t)shape_hash(&shape) & (index->n_slots - 1);
    for (; index->slots[slot] != 0; slot = (slot + 1) & (index->n_slots - 1)) {
        *id = index->slots[slot] - 1;
        if (shape_equal(&e->shapes[*id], &shape)) {
            return true;
        }
    }
    if (!wm_grow(&e->shapes, &e->cap_shapes, (size_t)index->n_items + 1,
                 sizeof(*e->shapes))) {
        return false;
    }
    *id = index->n_items++;
    e->shapes[*id] = shape;
    index->slots[slot] = *id + 1;
    return true;
}

/* Keeps the n ids that lie behind the last template as a template of their
 * own, unless they are one already. */
static bool find_template(wm_wmt_encoder *e, size_t n, uint32_t *id,
                          bool *is_new)
{
    index_table *index = &e->template_index;
    const uint32_t *ids = e->shape_ids + e->n_ids;
    uint64_t hash = wm_mix64(n + 1);
    for (size_t i = 0; i < n; i++) {
        hash = wm_mix64(hash ^ ids[i]) + i;
    }
    if (!index_reserve(index, e, template_hash_at)) {
        return false;
    }
    uint32_t slot = (uint32_t)hash & (index->n_slots - 1);
    *is_new = false;
    for (; index->slots[slot] != 0; slot = (slot + 1) & (index->n_slots - 1)) {
        *id = index->slots[slot] - 1;
        const template *t = &e->templates[*id];
        if (t->hash == hash && t->n_records == n &&
            (n == 0 ||
             memcmp(e->shape_ids + t->first, ids, n * sizeof(*ids)) == 0)) {
            return true;
        }
    }
    if (!wm_grow(&e->templates, &e->cap_templates, (size_t)index->n_items + 1,
                 sizeof(*e->templates)) ||
        !wm_grow(&e->bases, &e->cap_bases, e->n_ids + n + 1,
                 sizeof(*e->bases))) {
        return false;
    }
    *id = index->n_items++;
    e->templates[*id] = (template){e->n_ids, n, hash};
    index->slots[slot] = *id + 1;
    e->n_ids += n;
    *is_new = true;
    return true;
}

/* Room for the chunk's statics, from slot 1 on; slot 0 serves the records
 * without a static instruction of their own. */
static bool reserve_statics(wm_wmt_encoder *e, uint32_t n_statics)
{
    size_t n = (size_t)n_statics + 1;
    if (!wm_grow(&e->statics, &e->cap_statics, n, sizeof(*e->statics))) {
        return false;
    }
    while (e->n_statics < n) {
        e->statics[e->n_statics++] = (static_state){0, 0};
    }
    return true;
}

static static_state *state_of(const wm_wmt_encoder *e, const wm_record *record)
{
    bool has_static = record->kind != WM_KIND_GAP;
    return &e->statics[has_static ? (size_t)record->static_id + 1 : 0];
}

static void add_moves(wm_wmt_encoder *e, const template *t, bool is_new,
                      const wm_record *records)
{
    wm_buffer *moves = &e->column[WM_WMT_COL_MOVES];
    for (size_t i = 0; i < t->n_records; i++) {
        static_state *state = state_of(e, &records[i]);
        uint64_t base = records[i].base;
        if (is_new) {
            wm_wmt_put_varint(moves, wm_wmt_zigzag(base - state->base));
        } else {
            uint64_t move = base - e->bases[t->first + i];
            wm_wmt_put_varint(moves, wm_wmt_zigzag(move - state->move));
            state->move = move;
        }
        state->base = base;
        e->bases[t->first + i] = base;
    }
}

/* True when every move is 0 and may be left out; advances the state if so. */
static bool is_quiet(wm_wmt_encoder *e, const template *t,
                     const wm_record *records)
{
    if (t->n_records > WM_WMT_QUIET_MAX) {
        return false;
    }
    for (size_t i = 0; i < t->n_records; i++) {
        uint64_t move = records[i].base - e->bases[t->first + i];
        if (move != state_of(e, &records[i])->move) {
            return false;
        }
    }
    for (size_t i = 0; i < t->n_records; i++) {
        e->bases[t->first + i] = records[i].base;
        state_of(e, &records[i])->base = records[i].base;
    }
    return true;
}

static wm_status add_lanes(wm_wmt_encoder *e, const wm_cta *cta,
                           const wm_record *record, wm_error *err)
{
    uint32_t n_active = wm_popcount64(record->mask);
    size_t n =
        record->pattern == WM_PATTERN_LIST64 ? 2 * (size_t)n_active : n_active;
    if (record->u.list > cta->n_lanes || cta->n_lanes - record->u.list < n) {
        return wm_fail(err, WM_EFORMAT,
                       "CTA %" PRIu32 ",%" PRIu32 ",%" PRIu32
                       ": lane list outside the CTA's pool",
                       cta->id[0], cta->id[1], cta->id[2]);
    }
    if (n == 0) {
        return WM_OK;
    }
    wm_wmt_list_write(&e->column[WM_WMT_COL_LISTS],
                      &e->column[WM_WMT_COL_LANES], record, cta->lanes,
                      n_active);
    return WM_OK;
}

static wm_status add_warp(wm_wmt_encoder *e, const wm_launch *launch,
                          const wm_cta *cta, const wm_warp_span *span,
                          wm_error *err)
{
    const wm_record *records = NULL;
    uint32_t id = 0;
    bool is_new = false;
    if (span->n_records > 0) {
        records = cta->records + span->first;
    }
    if (!wm_grow(&e->shape_ids, &e->cap_ids, e->n_ids + span->n_records + 1,
                 sizeof(*e->shape_ids))) {
        return wm_fail_memory(err);
    }
    for (uint32_t i = 0; i < span->n_records; i++) {
        const char *fault =
            wm_record_fault(&records[i], launch->n_statics, launch->warp_size);
        if (fault != NULL) {
            return wm_fail(err, WM_EFORMAT,
                           "%s: CTA %" PRIu32 ",%" PRIu32 ",%" PRIu32
                           ": record %" PRIu32 " of a warp: %s",
                           launch->where == NULL ? "trace" : launch->where,
                           cta->id[0], cta->id[1], cta->id[2], i, fault);
        }
        if (!find_shape(e, &records[i], &e->shape_ids[e->n_ids + i])) {
            return wm_fail_memory(err);
        }
        if (records[i].pattern != WM_PATTERN_AFFINE) {
            wm_status status = add_lanes(e, cta, &records[i], err);
            if (status != WM_OK) {
                return status;
            }
        }
    }
    if (!find_template(e, span->n_records, &id, &is_new)) {
        return wm_fail_memory(err);
    }
    const template *t = &e->templates[id];
    bool has_moves = is_new ? t->n_records > 0 : !is_quiet(e, t, records);
    if (has_moves) {
        add_moves(e, t, is_new, records);
    }
    wm_wmt_put_varint(&e->column[WM_WMT_COL_WARPS],
                      (uint64_t)id << 1 | has_moves);
    return WM_OK;
}

static void add_cta_head(wm_wmt_encoder *e, const wm_cta *cta)
{
    wm_buffer *column = &e->column[WM_WMT_COL_CTAS];
    const uint64_t work[WM_WMT_N_WORK] = {
        cta->work.n_other, cta->work.flops_fp16, cta->work.flops_fp32,
        cta->work.flops_fp64, cta->work.flops_tensor};
    for (size_t i = 0; i < 3; i++) {
        uint64_t step = (uint64_t)cta->id[i] - e->last_id[i];
        wm_wmt_put_varint(column, wm_wmt_zigzag(step));
        e->last_id[i] = cta->id[i];
    }
    wm_wmt_put_varint(column, cta->n_warps);
    for (size_t i = 0; i < WM_WMT_N_WORK; i++) {
        wm_wmt_put_varint(column, wm_wmt_zigzag(work[i] - e->last_work[i]));
        e->last_work[i] = work[i];
    }
}

wm_status wm_wmt_encoder_add(wm_wmt_encoder *encoder, const wm_launch *launch,
                             const wm_cta *cta, wm_error *err)
{
    if (cta->n_warps > WM_WARPS_PER_CTA_MAX ||
        cta->n_records > WM_RECORDS_PER_CTA_MAX ||
        cta->n_lanes > WM_LANES_PER_CTA_MAX) {
        return wm_fail(err, WM_EFORMAT,
                       "CTA %" PRIu32 ",%" PRIu32 ",%" PRIu32 ": %" PRIu32
                       " warps with %zu records and %zu lanes in lists, "
                       "wanted at most %u, %zu and %zu",
                       cta->id[0], cta->id[1], cta->id[2], cta->n_warps,
                       cta->n_records, cta->n_lanes, WM_WARPS_PER_CTA_MAX,
                       WM_RECORDS_PER_CTA_MAX, WM_LANES_PER_CTA_MAX);
    }
    if (!reserve_statics(encoder, launch->n_statics)) {
        return wm_fail_memory(err);
    }
    add_cta_head(encoder, cta);
    for (uint32_t w = 0; w < cta->n_warps; w++) {
        wm_status status = add_warp(encoder, launch, cta, &cta->warps[w], err);
        if (status != WM_OK) {
            return status;
        }
        encoder->n_records += cta->warps[w].n_records;
    }
    encoder->n_ctas++;
    return WM_OK;
}

uint32_t wm_wmt_encoder_n_ctas(const wm_wmt_encoder *encoder)
{
    return encoder->n_ctas;
}

bool wm_wmt_encoder_is_full(const wm_wmt_encoder *encoder)
{
    /* A shape takes about 20 bytes, an id in a template about 2. */
    size_t n_bytes =
        20 * (size_t)encoder->shape_index.n_items + 2 * encoder->n_ids;
    for (size_t i = 0; i < WM_WMT_N_COLUMNS; i++) {
        n_bytes += encoder->column[i].n_bytes;
    }
    return n_bytes >= WM_WMT_CHUNK_RAW_BYTES ||
           encoder->n_records >= WM_WMT_CHUNK_RECORDS;
}

static void write_shapes(const wm_wmt_encoder *e, wm_buffer *out)
{
    for (int field = 0; field < WM_WMT_N_FIELDS; field++) {
        for (uint32_t i = 0; i < e->shape_index.n_items; i++) {
            wm_wmt_put_varint(out,
                              shape_field(&e->shapes[i], (wm_wmt_field)field));
        }
    }
}

/* Lengths first, then the ids, each as the step from the one before. */
static void write_templates(const wm_wmt_encoder *e, wm_buffer *out)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < e->template_index.n_items; i++) {
        wm_wmt_put_varint(out, e->templates[i].n_records);
    }
    for (size_t i = 0; i < e->n_ids; i++) {
        wm_wmt_put_varint(out, wm_wmt_zigzag(e->shape_ids[i] - last));
        last = e->shape_ids[i];
    }
}

wm_status wm_wmt_encoder_write(const wm_wmt_encoder *encoder, uint32_t launch,
                               uint64_t first_cta, uint32_t n_statics,
                               wm_buffer *out, size_t *n_tail, wm_error *err)
{
    wm_buffer made[2]; /* shapes and templates */
    wm_buffer_init(&made[0]);
    wm_buffer_init(&made[1]);
    write_shapes(encoder, &made[0]);
    write_templates(encoder, &made[1]);
    wm_wmt_put_varint(out, launch);
    wm_wmt_put_varint(out, first_cta);
    wm_wmt_put_varint(out, encoder->n_ctas);
    wm_wmt_put_varint(out, n_statics);
    wm_wmt_put_varint(out, encoder->shape_index.n_items);
    wm_wmt_put_varint(out, encoder->template_index.n_items);
    bool is_failed = false;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < WM_WMT_N_COLUMNS; i++) {
            const wm_buffer *column =
                i <= WM_WMT_COL_TEMPLATES ? &made[i] : &encoder->column[i];
            is_failed |= column->is_failed;
            if (pass == 0) {
                wm_wmt_put_varint(out, column->n_bytes);
            } else if (column->n_bytes > 0) {
                wm_buffer_add(out, column->bytes, column->n_bytes);
            }
        }
    }
    *n_tail = encoder->column[WM_WMT_COL_LANES].n_bytes;
    wm_buffer_fini(&made[0]);
    wm_buffer_fini(&made[1]);
    return is_failed || out->is_failed ? wm_fail_memory(err) : WM_OK;
}
