/*
 * wmt_decode.c -- see wmt_decode.h.
 */
#include "trace/wmt_decode.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "trace/record_check.h"
#include "trace/statics.h"
#include "trace/wmt_layout.h"
#include "trace/wmt_list.h"

typedef struct template
{
    size_t first;
    uint64_t n_lanes; /* words of its lists */
    uint32_t n_records;
    bool is_seen;
}
template;

typedef struct static_state {
    uint64_t base;
    uint64_t move;
} static_state;

struct wm_wmt_decoder {
    wm_record *shapes;
    size_t n_shapes, cap_shapes;
    template *templates;
    size_t n_templates, cap_templates;
    uint32_t *shape_ids;
    uint64_t *bases;
    size_t n_ids, cap_ids, cap_bases;
    static_state *statics; /* slot 0: records without a static instruction */
    size_t cap_statics;
    wm_wmt_cursor column[WM_WMT_N_COLUMNS];
    uint32_t last_id[3];
    uint64_t last_work[WM_WMT_N_WORK];
    uint32_t n_left;
    uint32_t version;
};

const char wm_wmt_no_memory[] = "out of memory";

wm_wmt_decoder *wm_wmt_decoder_new(void)
{
    return calloc(1, sizeof(wm_wmt_decoder));
}

void wm_wmt_decoder_free(wm_wmt_decoder *decoder)
{
    if (decoder == NULL) {
        return;
    }
    free(decoder->shapes);
    free(decoder->templates);
    free(decoder->shape_ids);
    free(decoder->bases);
    free(decoder->statics);
    free(decoder);
}

static bool read_head(wm_wmt_cursor *cursor, wm_wmt_chunk_head *head)
{
    return wm_wmt_get_u32_varint(cursor, UINT32_MAX, &head->launch) &&
           wm_wmt_get_varint(cursor, &head->first_cta) &&
           wm_wmt_get_u32_varint(cursor, UINT32_MAX, &head->n_ctas) &&
           wm_wmt_get_u32_varint(cursor, WM_STATICS_MAX, &head->n_statics);
}

static bool is_in_version(const wm_wmt_decoder *d, size_t column)
{
    return column != WM_WMT_COL_LISTS || d->version >= 2;
}

/* The column sizes, and from them the cursors; they must fill the payload.
 * Only the last column may be the tail, and then it is all of the tail. */
static const char *read_columns(wm_wmt_decoder *d, wm_wmt_cursor *cursor,
                                const wm_wmt_payload *payload)
{
    uint64_t size[WM_WMT_N_COLUMNS] = {0};
    for (size_t i = 0; i < WM_WMT_N_COLUMNS; i++) {
        if (is_in_version(d, i) && !wm_wmt_get_varint(cursor, &size[i])) {
            return "column sizes end early";
        }
    }
    for (size_t i = 0; i < WM_WMT_N_COLUMNS; i++) {
        bool is_tail = i == WM_WMT_COL_LANES && payload->tail != NULL;
        wm_wmt_cursor tail = {payload->tail, payload->tail};
        wm_wmt_cursor *from = is_tail ? &tail : cursor;
        if (is_tail) {
            tail.end += payload->n_tail;
        }
        if (size[i] > wm_wmt_left(from)) {
            return "column larger than the chunk";
        }
        d->column[i].at = from->at;
        d->column[i].end = from->at + size[i];
        from->at = d->column[i].end;
        if (wm_wmt_left(&tail) != 0 && is_tail) {
            return "bytes behind the last column";
        }
    }
    return wm_wmt_left(cursor) == 0 ? NULL : "bytes behind the last column";
}

/* False when the value does not fit the field. */
static bool shape_set(wm_record *shape, wm_wmt_field field, uint64_t x)
{
    int64_t stride = (int64_t)wm_wmt_unzigzag(x);
    switch (field) {
    case WM_WMT_SHAPE_STATIC:
        shape->static_id = (uint32_t)x;
        return x <= UINT32_MAX;
    case WM_WMT_SHAPE_KIND:
        shape->kind = (uint8_t)x;
        return x <= UINT8_MAX;
    case WM_WMT_SHAPE_WIDTH:
        shape->width = (uint8_t)x;
        return x <= UINT8_MAX;
    case WM_WMT_SHAPE_PATTERN:
        shape->pattern = (uint8_t)x;
        return x <= UINT8_MAX;
    case WM_WMT_SHAPE_FLAGS:
        shape->flags = (uint8_t)x;
        return x <= UINT8_MAX;
    case WM_WMT_SHAPE_MASK:
        shape->mask = x;
        return true;
    case WM_WMT_SHAPE_STRIDE:
        shape->u.stride = (int32_t)stride;
        return stride >= INT32_MIN && stride <= INT32_MAX;
    case WM_WMT_SHAPE_WAIT:
        shape->wait = (uint32_t)x;
        return x <= UINT32_MAX;
    case WM_WMT_SHAPE_HEAD_CYCLES:
        shape->head_cycles = (uint16_t)x;
        return x <= UINT16_MAX;
    case WM_WMT_SHAPE_HEAD_SLOTS:
        shape->head_slots = (uint16_t)x;
        return x <= UINT16_MAX;
    case WM_WMT_SHAPE_TAIL_CYCLES:
        shape->tail_cycles = (uint16_t)x;
        return x <= UINT16_MAX;
    case WM_WMT_SHAPE_TAIL_SLOTS:
    case WM_WMT_N_FIELDS:
        break;
    }
    shape->tail_slots = (uint16_t)x;
    return x <= UINT16_MAX;
}

static const char *read_shapes(wm_wmt_decoder *d, wm_wmt_chunk_head *head)
{
    wm_wmt_cursor *column = &d->column[WM_WMT_COL_SHAPES];
    if (d->n_shapes > wm_wmt_left(column) / WM_WMT_N_FIELDS) {
        return "more record shapes than bytes for them";
    }
    if (!wm_grow(&d->shapes, &d->cap_shapes, d->n_shapes + 1,
                 sizeof(*d->shapes))) {
        return wm_wmt_no_memory;
    }
    memset(d->shapes, 0, d->n_shapes * sizeof(*d->shapes));
    for (int field = 0; field < WM_WMT_N_FIELDS; field++) {
        for (size_t i = 0; i < d->n_shapes; i++) {
            uint64_t x = 0;
            if (!wm_wmt_get_varint(column, &x) ||
                !shape_set(&d->shapes[i], (wm_wmt_field)field, x)) {
                return "shapes column ends early or is out of range";
            }
        }
    }
    for (size_t i = 0; i < d->n_shapes; i++) {
        if (d->shapes[i].pattern != WM_PATTERN_AFFINE) {
            d->shapes[i].u.list = 0; /* whatever stands for the stride */
        }
        const char *fault =
            wm_record_fault(&d->shapes[i], head->n_statics, WM_LANES_MAX);
        if (fault != NULL) {
            return fault;
        }
        head->lane_mask |= d->shapes[i].mask;
    }
    return wm_wmt_left(column) == 0 ? NULL : "bytes behind the record shapes";
}

static const char *read_template_lengths(wm_wmt_decoder *d)
{
    wm_wmt_cursor *column = &d->column[WM_WMT_COL_TEMPLATES];
    if (d->n_templates > wm_wmt_left(column)) {
        return "more templates than bytes for them";
    }
    if (!wm_grow(&d->templates, &d->cap_templates, d->n_templates + 1,
                 sizeof(*d->templates))) {
        return wm_wmt_no_memory;
    }
    d->n_ids = 0;
    for (size_t i = 0; i < d->n_templates; i++) {
        uint32_t n = 0;
        if (!wm_wmt_get_u32_varint(column, (uint32_t)WM_RECORDS_PER_CTA_MAX,
                                   &n)) {
            return "template lengths end early or are out of range";
        }
        d->templates[i] = (template){d->n_ids, 0, n, false};
        d->n_ids += n;
    }
    return d->n_ids <= wm_wmt_left(column)
               ? NULL
               : "more records in templates than bytes for them";
}

/* Words of the record's list in a CTA's pool. */
static size_t list_words(const wm_record *record)
{
    size_t n = wm_popcount64(record->mask);
    return record->pattern == WM_PATTERN_AFFINE   ? 0
           : record->pattern == WM_PATTERN_LIST64 ? 2 * n
                                                  : n;
}

static const char *read_templates(wm_wmt_decoder *d)
{
    wm_wmt_cursor *column = &d->column[WM_WMT_COL_TEMPLATES];
    uint64_t id = 0;
    const char *fault = read_template_lengths(d);
    if (fault != NULL) {
        return fault;
    }
    if (!wm_grow(&d->shape_ids, &d->cap_ids, d->n_ids + 1,
                 sizeof(*d->shape_ids)) ||
        !wm_grow(&d->bases, &d->cap_bases, d->n_ids + 1, sizeof(*d->bases))) {
        return wm_wmt_no_memory;
    }
    for (size_t t = 0; t < d->n_templates; t++) {
        template *made = &d->templates[t];
        for (size_t i = 0; i < made->n_records; i++) {
            uint64_t step = 0;
            if (!wm_wmt_get_varint(column, &step)) {
                return "templates column ends early";
            }
            id += wm_wmt_unzigzag(step);
            if (id >= d->n_shapes) {
                return "template with a record shape that does not exist";
            }
            d->shape_ids[made->first + i] = (uint32_t)id;
            made->n_lanes += list_words(&d->shapes[id]);
        }
    }
    return wm_wmt_left(column) == 0 ? NULL : "bytes behind the templates";
}

const char *wm_wmt_decoder_open(wm_wmt_decoder *decoder,
                                const wm_wmt_payload *payload,
                                wm_wmt_chunk_head *head)
{
    wm_wmt_decoder *d = decoder;
    wm_wmt_cursor cursor = {payload->bytes, payload->bytes + payload->n_bytes};
    uint32_t n_shapes = 0;
    uint32_t n_templates = 0;
    d->version = payload->version;
    d->n_left = 0;
    memset(head, 0, sizeof(*head));
    if (!read_head(&cursor, head) ||
        !wm_wmt_get_u32_varint(&cursor, UINT32_MAX, &n_shapes) ||
        !wm_wmt_get_u32_varint(&cursor, UINT32_MAX, &n_templates)) {
        return "head ends early or is out of range";
    }
    d->n_shapes = n_shapes;
    d->n_templates = n_templates;
    const char *fault = read_columns(d, &cursor, payload);
    if (fault == NULL) {
        fault = read_shapes(d, head);
    }
    if (fault == NULL) {
        fault = read_templates(d);
    }
    if (fault != NULL) {
        return fault;
    }
    size_t n_slots = (size_t)head->n_statics + 1;
    if (!wm_grow(&d->statics, &d->cap_statics, n_slots, sizeof(*d->statics))) {
        return wm_wmt_no_memory;
    }
    memset(d->statics, 0, n_slots * sizeof(*d->statics));
    memset(d->last_id, 0, sizeof(d->last_id));
    memset(d->last_work, 0, sizeof(d->last_work));
    d->n_left = head->n_ctas;
    return NULL;
}

void wm_wmt_decoder_measure(const wm_wmt_decoder *decoder, uint64_t *n_records,
                            uint64_t *n_lanes)
{
    wm_wmt_cursor warps = decoder->column[WM_WMT_COL_WARPS];
    uint64_t x = 0;
    *n_records = 0;
    *n_lanes = 0;
    while (wm_wmt_get_varint(&warps, &x) && x >> 1 < decoder->n_templates) {
        *n_records += decoder->templates[x >> 1].n_records;
        *n_lanes += decoder->templates[x >> 1].n_lanes;
    }
}

bool wm_wmt_decoder_is_within(const wm_wmt_decoder *decoder, uint64_t n_records,
                              uint64_t n_lanes)
{
    const wm_wmt_decoder *d = decoder;
    uint64_t n_warps = wm_wmt_left(&d->column[WM_WMT_COL_WARPS]); /* at most */
    uint64_t n_records_all = 0;
    uint64_t n_lanes_all = 0;
    bool is_within = true;
    for (size_t t = 0; t < d->n_templates; t++) {
        is_within &= n_warps * d->templates[t].n_records <= n_records &&
                     n_warps * d->templates[t].n_lanes <= n_lanes;
    }
    if (!is_within) {
        wm_wmt_decoder_measure(d, &n_records_all, &n_lanes_all);
        is_within = n_records_all <= n_records && n_lanes_all <= n_lanes;
    }
    return is_within;
}

uint32_t wm_wmt_decoder_n_left(const wm_wmt_decoder *decoder)
{
    return decoder->n_left;
}

static const char *read_cta_head(wm_wmt_decoder *d, wm_cta *cta)
{
    static const char fault[] = "CTAs column ends early or is out of range";
    wm_wmt_cursor *column = &d->column[WM_WMT_COL_CTAS];
    uint64_t x = 0;
    for (size_t i = 0; i < 3; i++) {
        if (!wm_wmt_get_varint(column, &x)) {
            return fault;
        }
        uint64_t id = d->last_id[i] + wm_wmt_unzigzag(x);
        if (id > UINT32_MAX) {
            return fault;
        }
        cta->id[i] = d->last_id[i] = (uint32_t)id;
    }
    if (!wm_wmt_get_u32_varint(column, WM_WARPS_PER_CTA_MAX, &cta->n_warps)) {
        return fault;
    }
    for (size_t i = 0; i < WM_WMT_N_WORK; i++) {
        if (!wm_wmt_get_varint(column, &x)) {
            return fault;
        }
        d->last_work[i] += wm_wmt_unzigzag(x);
    }
    cta->work = (wm_work){d->last_work[0], d->last_work[1], d->last_work[2],
                          d->last_work[3], d->last_work[4]};
    return NULL;
}

static static_state *state_of(wm_wmt_decoder *d, const wm_record *record)
{
    bool has_static = record->kind != WM_KIND_GAP;
    return &d->statics[has_static ? (size_t)record->static_id + 1 : 0];
}

/* A template's warp with all moves 0: the fast path of regular kernels. */
static void copy_quiet(wm_wmt_decoder *d, const template *t, wm_record *out)
{
    const uint32_t *ids = d->shape_ids + t->first;
    uint64_t *bases = d->bases + t->first;
    for (size_t i = 0; i < t->n_records; i++) {
        out[i] = d->shapes[ids[i]];
        static_state *state = state_of(d, &out[i]);
        bases[i] += state->move;
        state->base = bases[i];
        out[i].base = bases[i];
    }
}

static bool copy_moved(wm_wmt_decoder *d, template *t, wm_record *out)
{
    wm_wmt_cursor *column = &d->column[WM_WMT_COL_MOVES];
    const uint32_t *ids = d->shape_ids + t->first;
    uint64_t *bases = d->bases + t->first;
    for (size_t i = 0; i < t->n_records; i++) {
        uint64_t x = 0;
        if (!wm_wmt_get_varint(column, &x)) {
            return false;
        }
        out[i] = d->shapes[ids[i]];
        static_state *state = state_of(d, &out[i]);
        if (t->is_seen) {
            state->move += wm_wmt_unzigzag(x);
            bases[i] += state->move;
        } else {
            bases[i] = state->base + wm_wmt_unzigzag(x);
        }
        state->base = bases[i];
        out[i].base = bases[i];
    }
    t->is_seen = true;
    return true;
}

/* A list of format 1: words as they are. */
static bool copy_words(wm_wmt_cursor *column, uint32_t *pool, size_t n)
{
    if (n > wm_wmt_left(column) / 4) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        pool[i] = wm_wmt_get_u32(column->at + 4 * i);
    }
    column->at += 4 * n;
    return true;
}

/* The lists of a warp's n records; the pool has room for all of them. */
static const char *read_lists(wm_wmt_decoder *d, wm_cta *cta,
                              wm_record *records, size_t n)
{
    wm_wmt_cursor *lanes = &d->column[WM_WMT_COL_LANES];
    for (size_t i = 0; i < n; i++) {
        wm_record *record = &records[i];
        size_t n_words = list_words(record);
        if (n_words == 0) {
            continue;
        }
        uint32_t *pool = cta->lanes + cta->n_lanes;
        bool is_read =
            d->version >= 2
                ? wm_wmt_list_read(&d->column[WM_WMT_COL_LISTS], lanes, record,
                                   pool, wm_popcount64(record->mask))
                : copy_words(lanes, pool, n_words);
        if (!is_read) {
            return "lanes column ends early or is out of range";
        }
        record->u.list = (uint32_t)cta->n_lanes;
        cta->n_lanes += n_words;
    }
    return NULL;
}

static const char *read_warp(wm_wmt_decoder *d, wm_cta *cta, uint32_t w)
{
    uint64_t x = 0;
    if (!wm_wmt_get_varint(&d->column[WM_WMT_COL_WARPS], &x)) {
        return "warps column ends early";
    }
    bool has_moves = (x & 1) != 0;
    if (x >> 1 >= d->n_templates) {
        return "warp with a template that does not exist";
    }
    template *t = &d->templates[x >> 1];
    if (!has_moves && t->n_records > 0 &&
        (!t->is_seen || t->n_records > WM_WMT_QUIET_MAX)) {
        return "warp without moves where it needs them";
    }
    if (t->n_records > WM_RECORDS_PER_CTA_MAX - cta->n_records) {
        return "CTA with too many records";
    }
    if (t->n_lanes > WM_LANES_PER_CTA_MAX - cta->n_lanes) {
        return "CTA with too many lanes in lists";
    }
    if (!wm_grow(&cta->records, &cta->cap_records,
                 cta->n_records + t->n_records + 1, sizeof(*cta->records)) ||
        !wm_grow(&cta->lanes, &cta->cap_lanes,
                 cta->n_lanes + (size_t)t->n_lanes + 1, sizeof(*cta->lanes))) {
        return wm_wmt_no_memory;
    }
    wm_record *out = cta->records + cta->n_records;
    cta->warps[w].first = (uint32_t)cta->n_records;
    cta->warps[w].n_records = t->n_records;
    cta->n_records += t->n_records;
    if (!has_moves) {
        copy_quiet(d, t, out);
    } else if (!copy_moved(d, t, out)) {
        return "moves column ends early";
    }
    return t->n_lanes == 0 ? NULL : read_lists(d, cta, out, t->n_records);
}

const char *wm_wmt_decoder_next(wm_wmt_decoder *decoder, wm_cta *cta)
{
    wm_wmt_decoder *d = decoder;
    assert(d->n_left > 0);
    wm_cta_clear(cta);
    const char *fault = read_cta_head(d, cta);
    if (fault != NULL) {
        return fault;
    }
    if (!wm_grow(&cta->warps, &cta->cap_warps, cta->n_warps + (size_t)1,
                 sizeof(*cta->warps))) {
        return wm_wmt_no_memory;
    }
    for (uint32_t w = 0; w < cta->n_warps; w++) {
        fault = read_warp(d, cta, w);
        if (fault != NULL) {
            return fault;
        }
    }
    d->n_left--;
    for (size_t i = 0; d->n_left == 0 && i < WM_WMT_N_COLUMNS; i++) {
        if (wm_wmt_left(&d->column[i]) != 0) {
            return "bytes behind the last CTA";
        }
    }
    return NULL;
}
