/*
 * wmt_chunk.h -- one chunk of a native trace file: read from a stream,
 * checked, unpacked.  Private to the trace floor.
 *
 * A header that fails its CRC-32 says nothing about where the next chunk lies,
 * so reading ends there; behind a damaged payload it can go on.
 *
 * Ownership  init/fini; the buffers are reused from chunk to chunk.
 * Errors     those of the stream; what the file is to blame for comes as a
 *            sentence without a place, or wm_wmt_no_memory.
 * Threads    one thread at a time per chunk.
 * Cost       memory: the payload as stored and unpacked, and never more than
 *            the file's bytes justify.
 */
#ifndef WM_TRACE_WMT_CHUNK_H
#define WM_TRACE_WMT_CHUNK_H

#include "trace/stream.h"
#include "trace/wmt_decode.h"
#include "trace/wmt_pack.h"

typedef enum wm_wmt_ending {
    WM_WMT_WHOLE,     /* a chunk was read */
    WM_WMT_CUT,       /* the file ends before or within the next chunk */
    WM_WMT_BAD_HEADER /* what is there is not a chunk */
} wm_wmt_ending;

typedef struct wm_wmt_chunk {
    uint64_t offset; /* of its header in the file */
    uint64_t end;    /* of what was read of it */
    uint32_t type;
    uint32_t flags;
    uint32_t n_raw;
    uint32_t n_packed;
    uint32_t crc;
    wm_wmt_ending ending;
    const char *what; /* of an ending that is not WHOLE */
    uint8_t *payload; /* as stored */
    size_t n_payload, cap_payload;
    uint8_t *raw; /* unpacked */
    size_t cap_raw;
} wm_wmt_chunk;

/* The four letters of a type, ? for what is none. */
const char *wm_wmt_type_name(uint32_t type, char name[5]);

void wm_wmt_chunk_init(wm_wmt_chunk *chunk);
void wm_wmt_chunk_fini(wm_wmt_chunk *chunk);

/* Reads the next chunk, header and payload; chunk->ending says how it went. */
wm_status wm_wmt_chunk_read(wm_wmt_chunk *chunk, wm_stream *stream,
                            uint32_t version, wm_error *err);
/* NULL when the payload is as it was written. */
const char *wm_wmt_chunk_check(const wm_wmt_chunk *chunk);
/* Unpacks it; *out is a view that the chunk owns. */
const char *wm_wmt_chunk_unpack(wm_wmt_chunk *chunk, uint32_t version,
                                wm_wmt_unpacker *unpacker, wm_wmt_payload *out);

#endif
