/*
 * wmt_chunk.c -- see wmt_chunk.h.
 */
#include "trace/wmt_chunk.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "trace/wmt_layout.h"
#include "trace/wmt_list.h"

#define PIECE_BYTES ((size_t)1 << 20)

const char *wm_wmt_type_name(uint32_t type, char name[5])
{
    for (uint32_t i = 0; i < 4; i++) {
        uint8_t byte = (uint8_t)(type >> (8 * i));
        name[i] = byte >= 'A' && byte <= 'Z' ? (char)byte : '?';
    }
    name[4] = '\0';
    return name;
}

void wm_wmt_chunk_init(wm_wmt_chunk *chunk)
{
    memset(chunk, 0, sizeof(*chunk));
}

void wm_wmt_chunk_fini(wm_wmt_chunk *chunk)
{
    free(chunk->payload);
    free(chunk->raw);
    wm_wmt_chunk_init(chunk);
}

static void end_as(wm_wmt_chunk *chunk, wm_wmt_ending ending, const char *what)
{
    chunk->ending = ending;
    chunk->what = what;
}

/* Sizes that no writer gives: refused before memory is taken for them. */
static const char *size_fault(const wm_wmt_chunk *chunk, uint32_t version)
{
    bool is_known = chunk->flags == 0 || chunk->flags == WM_WMT_FLAG_STORED ||
                    (chunk->flags == WM_WMT_FLAG_TAIL && version >= 2);
    if (!is_known) {
        return "unknown flags";
    }
    if (chunk->n_raw > WM_WMT_RAW_MAX || chunk->n_packed > WM_WMT_RAW_MAX) {
        return "over 256 MiB";
    }
    if (chunk->flags == WM_WMT_FLAG_STORED
            ? chunk->n_packed != chunk->n_raw
            : chunk->n_raw / WM_WMT_DEFLATE_GAIN > chunk->n_packed) {
        return "sizes that cannot belong to each other";
    }
    return NULL;
}

/* Up to n_wanted bytes, none only at the file's end: what the buffer holds,
 * then past it. */
static wm_status read_some(wm_stream *stream, uint8_t *target, size_t n_wanted,
                           size_t *n_read, wm_error *err)
{
    const uint8_t *bytes = NULL;
    size_t n = 0;
    wm_status status = wm_stream_read(stream, target, n_wanted, n_read, err);
    if (status != WM_OK || *n_read > 0) {
        return status;
    }
    status = wm_stream_peek(stream, 1, &bytes, &n, err);
    if (status == WM_OK) {
        *n_read = n < n_wanted ? n : n_wanted;
        memcpy(target, bytes, *n_read);
        wm_stream_consume(stream, *n_read);
    }
    return status;
}

/* The payload as stored; memory grows with the bytes that are there. */
static wm_status read_payload(wm_wmt_chunk *chunk, wm_stream *stream,
                              wm_error *err)
{
    chunk->n_payload = 0;
    /* An empty payload is a place in memory, too. */
    if (!wm_grow(&chunk->payload, &chunk->cap_payload, WM_WMT_LIST_SLACK, 1)) {
        return wm_fail_memory(err);
    }
    while (chunk->n_payload < chunk->n_packed) {
        size_t n = chunk->n_packed - chunk->n_payload;
        n = n < PIECE_BYTES ? n : PIECE_BYTES;
        if (!wm_grow(&chunk->payload, &chunk->cap_payload,
                     chunk->n_payload + n + WM_WMT_LIST_SLACK, 1)) {
            return wm_fail_memory(err);
        }
        wm_status status =
            read_some(stream, chunk->payload + chunk->n_payload, n, &n, err);
        if (status != WM_OK) {
            return status;
        }
        if (n == 0) {
            end_as(chunk, WM_WMT_CUT, "the file ends within a chunk");
            return WM_OK;
        }
        chunk->n_payload += n;
    }
    return WM_OK;
}

wm_status wm_wmt_chunk_read(wm_wmt_chunk *chunk, wm_stream *stream,
                            uint32_t version, wm_error *err)
{
    const uint8_t *head = NULL;
    size_t n = 0;
    chunk->offset = wm_stream_offset(stream);
    chunk->end = chunk->offset;
    wm_status status =
        wm_stream_peek(stream, WM_WMT_CHUNK_BYTES, &head, &n, err);
    if (status != WM_OK) {
        return status;
    }
    if (n < WM_WMT_CHUNK_BYTES) {
        end_as(chunk, WM_WMT_CUT, "the file ends without its footer");
        return WM_OK;
    }
    chunk->type = wm_wmt_get_u32(head);
    chunk->flags = wm_wmt_get_u32(head + 4);
    chunk->n_raw = wm_wmt_get_u32(head + 8);
    chunk->n_packed = wm_wmt_get_u32(head + 12);
    chunk->crc = wm_wmt_get_u32(head + 16);
    if (wm_wmt_crc32(head, 20) != wm_wmt_get_u32(head + 20)) {
        end_as(chunk, WM_WMT_BAD_HEADER, "its CRC-32 does not fit");
        return WM_OK;
    }
    if (size_fault(chunk, version) != NULL) {
        end_as(chunk, WM_WMT_BAD_HEADER, size_fault(chunk, version));
        return WM_OK;
    }
    wm_stream_consume(stream, WM_WMT_CHUNK_BYTES);
    end_as(chunk, WM_WMT_WHOLE, NULL);
    status = read_payload(chunk, stream, err);
    chunk->end = wm_stream_offset(stream);
    return status;
}

const char *wm_wmt_chunk_check(const wm_wmt_chunk *chunk)
{
    return wm_wmt_crc32(chunk->payload, chunk->n_payload) == chunk->crc
               ? NULL
               : "its CRC-32 does not fit";
}

/* Where the packed part of the payload lies, and the tail behind it. */
static const char *find_tail(const wm_wmt_chunk *chunk, wm_wmt_cursor *packed,
                             wm_wmt_payload *out)
{
    size_t n = chunk->n_payload;
    *packed = (wm_wmt_cursor){chunk->payload, chunk->payload + n};
    if (chunk->flags != WM_WMT_FLAG_TAIL) {
        return NULL;
    }
    if (chunk->type != WM_WMT_CTAS) {
        return "a tail where none can be";
    }
    if (n < 4 || wm_wmt_get_u32(chunk->payload) > n - 4) {
        return "a packed part larger than the chunk";
    }
    packed->at += 4;
    packed->end = packed->at + wm_wmt_get_u32(chunk->payload);
    out->tail = packed->end;
    out->n_tail = (size_t)(chunk->payload + n - packed->end);
    return out->n_tail <= chunk->n_raw ? NULL : "a tail larger than the chunk";
}

const char *wm_wmt_chunk_unpack(wm_wmt_chunk *chunk, uint32_t version,
                                wm_wmt_unpacker *unpacker, wm_wmt_payload *out)
{
    wm_wmt_cursor packed;
    *out = (wm_wmt_payload){.version = version};
    const char *fault = find_tail(chunk, &packed, out);
    if (fault != NULL) {
        return fault;
    }
    out->n_bytes = chunk->n_raw - out->n_tail;
    if (chunk->flags == WM_WMT_FLAG_STORED) {
        out->bytes = chunk->payload;
        return NULL;
    }
    if (!wm_grow(&chunk->raw, &chunk->cap_raw, out->n_bytes + WM_WMT_LIST_SLACK,
                 1)) {
        return wm_wmt_no_memory;
    }
    out->bytes = chunk->raw;
    return wm_wmt_unpack(unpacker, packed.at, wm_wmt_left(&packed), chunk->raw,
                         out->n_bytes)
               ? NULL
               : "it does not unpack to the size it names";
}
