/*
 * wmt_parse.c -- see wmt_parse.h.
 */
#include "trace/wmt_parse.h"

#include <string.h>

#include "trace/record_check.h"
#include "trace/wmt_decode.h"

/* A length and so many bytes, none of them NUL. */
static bool get_text(wm_wmt_cursor *cursor, const char **text, size_t *n_bytes)
{
    uint64_t n = 0;
    if (!wm_wmt_get_varint(cursor, &n) || n > wm_wmt_left(cursor)) {
        return false;
    }
    *text = (const char *)cursor->at;
    *n_bytes = (size_t)n;
    cursor->at += n;
    return memchr(*text, '\0', *n_bytes) == NULL;
}

const char *wm_wmt_parse_copy(wm_wmt_cursor *cursor, wm_copy *copy)
{
    uint32_t kind = 0;
    if (!wm_wmt_get_u32_varint(cursor, WM_COPY_SET, &kind) ||
        !wm_wmt_get_varint(cursor, &copy->addr) ||
        !wm_wmt_get_varint(cursor, &copy->n_bytes) ||
        wm_wmt_left(cursor) != 0) {
        return "not a copy";
    }
    copy->kind = (wm_copy_kind)kind;
    return NULL;
}

/* The 32-bit numbers of a LAUN chunk, in file order. */
static bool get_dimensions(wm_wmt_cursor *cursor, wm_launch *launch)
{
    uint32_t *const small[] = {&launch->grid[0],      &launch->grid[1],
                               &launch->grid[2],      &launch->block[0],
                               &launch->block[1],     &launch->block[2],
                               &launch->shared_bytes, &launch->registers,
                               &launch->warp_size,    &launch->sm_version};
    for (size_t i = 0; i < sizeof(small) / sizeof(small[0]); i++) {
        if (!wm_wmt_get_u32_varint(cursor, UINT32_MAX, small[i])) {
            return false;
        }
    }
    return true;
}

const char *wm_wmt_parse_launch(wm_wmt_cursor *cursor, wm_launch *launch,
                                uint32_t *number, const char **name,
                                size_t *n_name)
{
    memset(launch, 0, sizeof(*launch));
    if (!wm_wmt_get_u32_varint(cursor, UINT32_MAX - 1, number) ||
        !get_dimensions(cursor, launch) ||
        !wm_wmt_get_varint(cursor, &launch->stream) ||
        !wm_wmt_get_varint(cursor, &launch->shared_base) ||
        !wm_wmt_get_varint(cursor, &launch->local_base) ||
        !wm_wmt_get_varint(cursor, &launch->n_ctas) ||
        !wm_wmt_get_u32_varint(cursor, UINT32_MAX, &launch->n_warps_per_cta) ||
        !get_text(cursor, name, n_name) || wm_wmt_left(cursor) != 0) {
        return "not a launch";
    }
    return wm_launch_fault(launch);
}

static const char *parse_static(wm_wmt_cursor *cursor, wm_static_table *table)
{
    wm_static item;
    const char *opcode = NULL;
    size_t n_opcode = 0;
    uint32_t kind = 0;
    uint32_t width = 0;
    uint32_t flags = 0;
    memset(&item, 0, sizeof(item));
    if (!wm_wmt_get_varint(cursor, &item.pc) ||
        !wm_wmt_get_u32_varint(cursor, UINT32_MAX, &item.line) ||
        !wm_wmt_get_u32_varint(cursor, WM_KIND_COUNT - 1, &kind) ||
        !wm_wmt_get_u32_varint(cursor, WM_WIDTH_MAX, &width) ||
        !wm_wmt_get_u32_varint(cursor, UINT8_MAX, &flags) ||
        !get_text(cursor, &opcode, &n_opcode)) {
        return "static instruction ends early or is out of range";
    }
    item.kind = (uint8_t)kind;
    item.width = (uint8_t)width;
    item.flags = (uint8_t)flags;
    if (table->n_items >= WM_STATICS_MAX) {
        return "too many static instructions";
    }
    return wm_static_table_add(table, &item, opcode, n_opcode)
               ? NULL
               : wm_wmt_no_memory;
}

const char *wm_wmt_parse_statics(wm_wmt_cursor *cursor, uint32_t n_launches,
                                 wm_static_table *table)
{
    uint32_t launch = 0;
    uint32_t first = 0;
    uint32_t n = 0;
    const char *fault = NULL;
    if (!wm_wmt_get_u32_varint(cursor, UINT32_MAX, &launch) ||
        !wm_wmt_get_u32_varint(cursor, UINT32_MAX, &first) ||
        !wm_wmt_get_u32_varint(cursor, UINT32_MAX, &n)) {
        return "head ends early";
    }
    if (launch + UINT64_C(1) != n_launches || first != table->n_items) {
        return "static instructions out of order";
    }
    for (uint32_t i = 0; i < n && fault == NULL; i++) {
        fault = parse_static(cursor, table);
    }
    if (fault == NULL && wm_wmt_left(cursor) != 0) {
        fault = "bytes behind the last static instruction";
    }
    return fault;
}
