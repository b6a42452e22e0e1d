/*
 * wmt_layout.h -- the bytes of a native trace file: constants, chunk headers,
 * little-endian numbers and varints.  docs/TRACE_FORMAT.md is the text of it.
 * Private to the trace floor.
 *
 * Every number is written and read byte by byte, so that the host's byte
 * order never shows.
 */
#ifndef WM_TRACE_WMT_LAYOUT_H
#define WM_TRACE_WMT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buffer.h"

/* As PNG's: a high bit, then line ends that a text-mode copy would change. */
#define WM_WMT_MAGIC        "\x89WMT\r\n\x1a\n"
#define WM_WMT_MAGIC_BYTES  8u
#define WM_WMT_VERSION      2u  /* that is written */
#define WM_WMT_VERSION_MIN  1u  /* that is read: format 1 had lists unpacked */
#define WM_WMT_FILE_BYTES   16u /* magic, version, CRC-32 of these twelve */
#define WM_WMT_CHUNK_BYTES  24u /* type, flags, raw, packed, CRC, header CRC */
#define WM_WMT_FOOT_BYTES   32u /* payload of FOOT */
#define WM_WMT_FOOT_MAGIC   "WMT-END\n"
#define WM_WMT_FLAG_STORED  1u /* the payload is not packed */
#define WM_WMT_FLAG_TAIL    2u /* its last column is not; from format 2 on */
#define WM_WMT_RAW_MAX      (UINT32_C(256) << 20)
#define WM_WMT_QUIET_MAX    4096u /* records of a warp stored without moves */
#define WM_WMT_DEFLATE_GAIN 1032u /* no deflate stream expands further */
#define WM_WMT_N_WORK       5u

/* A chunk is closed when it holds this much. */
#define WM_WMT_CHUNK_RAW_BYTES ((size_t)1 << 19)
#define WM_WMT_CHUNK_RECORDS   ((size_t)1 << 14)

/* A launch of no more bytes and CTAS chunks shares a chunk of the file with its
 * neighbours, which is closed when it holds GROUP_BYTES. */
#define WM_WMT_SMALL_BYTES ((size_t)1 << 15)
#define WM_WMT_SMALL_CTAS  4u
#define WM_WMT_GROUP_BYTES ((size_t)1 << 18)

#define WM_WMT_TYPE(a, b, c, d)                                                \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 |                \
     (uint32_t)(d) << 24)
#define WM_WMT_META WM_WMT_TYPE('M', 'E', 'T', 'A')
#define WM_WMT_COPY WM_WMT_TYPE('C', 'O', 'P', 'Y')
#define WM_WMT_LAUN WM_WMT_TYPE('L', 'A', 'U', 'N')
#define WM_WMT_STAT WM_WMT_TYPE('S', 'T', 'A', 'T')
#define WM_WMT_CTAS WM_WMT_TYPE('C', 'T', 'A', 'S')
#define WM_WMT_GRUP WM_WMT_TYPE('G', 'R', 'U', 'P')
#define WM_WMT_INDX WM_WMT_TYPE('I', 'N', 'D', 'X')
#define WM_WMT_FOOT WM_WMT_TYPE('F', 'O', 'O', 'T')

/* Columns of a CTAS chunk, in file order. */
typedef enum wm_wmt_column {
    WM_WMT_COL_SHAPES,
    WM_WMT_COL_TEMPLATES,
    WM_WMT_COL_CTAS,
    WM_WMT_COL_WARPS,
    WM_WMT_COL_MOVES,
    WM_WMT_COL_LISTS, /* from format 2 on */
    WM_WMT_COL_LANES,
    WM_WMT_N_COLUMNS
} wm_wmt_column;

/* Fields of a record shape, each a column of varints. */
typedef enum wm_wmt_field {
    WM_WMT_SHAPE_STATIC,
    WM_WMT_SHAPE_KIND,
    WM_WMT_SHAPE_WIDTH,
    WM_WMT_SHAPE_PATTERN,
    WM_WMT_SHAPE_FLAGS,
    WM_WMT_SHAPE_MASK,
    WM_WMT_SHAPE_STRIDE,
    WM_WMT_SHAPE_WAIT,
    WM_WMT_SHAPE_HEAD_CYCLES,
    WM_WMT_SHAPE_HEAD_SLOTS,
    WM_WMT_SHAPE_TAIL_CYCLES,
    WM_WMT_SHAPE_TAIL_SLOTS,
    WM_WMT_N_FIELDS
} wm_wmt_field;

static inline void wm_wmt_put_u32(uint8_t *at, uint32_t x)
{
    for (int i = 0; i < 4; i++) {
        at[i] = (uint8_t)(x >> (8 * i));
    }
}

static inline uint32_t wm_wmt_get_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
           (uint32_t)at[3] << 24;
}

static inline void wm_wmt_put_u64(uint8_t *at, uint64_t x)
{
    wm_wmt_put_u32(at, (uint32_t)x);
    wm_wmt_put_u32(at + 4, (uint32_t)(x >> 32));
}

static inline uint64_t wm_wmt_get_u64(const uint8_t *at)
{
    return wm_wmt_get_u32(at) | (uint64_t)wm_wmt_get_u32(at + 4) << 32;
}

/* Small differences of either sign become small numbers. */
static inline uint64_t wm_wmt_zigzag(uint64_t difference)
{
    return difference << 1 ^ (0 - (difference >> 63));
}

static inline uint64_t wm_wmt_unzigzag(uint64_t x)
{
    return x >> 1 ^ (0 - (x & 1));
}

/* Seven bits a byte, the lowest first, the top bit says "more". */
static inline void wm_wmt_put_varint(wm_buffer *buffer, uint64_t x)
{
    uint8_t bytes[10];
    size_t n = 0;
    while (x >= 0x80) {
        bytes[n++] = (uint8_t)(x | 0x80);
        x >>= 7;
    }
    bytes[n++] = (uint8_t)x;
    wm_buffer_add(buffer, bytes, n);
}

typedef struct wm_wmt_cursor {
    const uint8_t *at;
    const uint8_t *end;
} wm_wmt_cursor;

static inline size_t wm_wmt_left(const wm_wmt_cursor *cursor)
{
    return (size_t)(cursor->end - cursor->at);
}

bool wm_wmt_get_long_varint(wm_wmt_cursor *cursor, uint64_t *x);

/* False when the bytes end, or the number needs over 64 bits. */
static inline bool wm_wmt_get_varint(wm_wmt_cursor *cursor, uint64_t *x)
{
    if (cursor->at < cursor->end && *cursor->at < 0x80) {
        *x = *cursor->at++;
        return true;
    }
    return wm_wmt_get_long_varint(cursor, x);
}

/* As above, and false when the number is over max. */
static inline bool wm_wmt_get_u32_varint(wm_wmt_cursor *cursor, uint32_t max,
                                         uint32_t *x)
{
    uint64_t wide = 0;
    if (!wm_wmt_get_varint(cursor, &wide) || wide > max) {
        return false;
    }
    *x = (uint32_t)wide;
    return true;
}

#endif
