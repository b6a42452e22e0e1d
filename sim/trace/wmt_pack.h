/*
 * wmt_pack.h -- packing, unpacking and CRC-32 of chunk payloads.  Private to
 * the trace floor.
 *
 * Packing is always zlib, so that builds write the same bytes: level 6, and 1
 * where there are many lane lists, which are noise or repeat as a whole:
 * several times as fast.  Unpacking uses libdeflate where the build found it
 * (two to three times as fast on the same format).
 *
 * Ownership  the caller owns the unpacker; one per reader.
 * Threads    one thread at a time per unpacker.
 */
#ifndef WM_TRACE_WMT_PACK_H
#define WM_TRACE_WMT_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/status.h"

typedef struct wm_wmt_unpacker wm_wmt_unpacker;

wm_wmt_unpacker *wm_wmt_unpacker_new(void); /* NULL when memory is short */
void wm_wmt_unpacker_free(wm_wmt_unpacker *unpacker);
/* True when packed is exactly one zlib stream of exactly n_raw bytes. */
bool wm_wmt_unpack(wm_wmt_unpacker *unpacker, const uint8_t *packed,
                   size_t n_packed, uint8_t *raw, size_t n_raw);

/* False when a sample says that packing would gain next to nothing. */
bool wm_wmt_is_packable(const void *raw, size_t n_raw);
/* Appends the packed bytes to out.  is_lists: of a payload with many lists. */
wm_status wm_wmt_pack(const void *raw, size_t n_raw, bool is_lists,
                      wm_buffer *out, wm_error *err);

uint32_t wm_wmt_crc32(const void *bytes, size_t n_bytes);

#endif
