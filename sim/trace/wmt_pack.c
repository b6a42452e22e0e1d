/*
 * wmt_pack.c -- see wmt_pack.h.
 */
#include "trace/wmt_pack.h"

#include <stdlib.h>

#include <zlib.h>
#ifdef WM_HAVE_LIBDEFLATE
#include <libdeflate.h>
#endif

#include "trace/wmt_layout.h"

#define PACK_LEVEL  6
#define LISTS_LEVEL 1
/* Bytes from the middle that speak for all of them, and the share that packing
 * them must save: deflated noise costs ten times the time to write and read. */
#define SAMPLE_BYTES ((size_t)1 << 14)
#define SAMPLE_LEVEL 1
#define SAMPLE_GAIN  16u

struct wm_wmt_unpacker {
#ifdef WM_HAVE_LIBDEFLATE
    struct libdeflate_decompressor *decompressor;
#else
    z_stream zlib;
#endif
};

#ifdef WM_HAVE_LIBDEFLATE

wm_wmt_unpacker *wm_wmt_unpacker_new(void)
{
    wm_wmt_unpacker *unpacker = malloc(sizeof(*unpacker));
    if (unpacker == NULL) {
        return NULL;
    }
    unpacker->decompressor = libdeflate_alloc_decompressor();
    if (unpacker->decompressor == NULL) {
        free(unpacker);
        return NULL;
    }
    return unpacker;
}

void wm_wmt_unpacker_free(wm_wmt_unpacker *unpacker)
{
    if (unpacker != NULL) {
        libdeflate_free_decompressor(unpacker->decompressor);
        free(unpacker);
    }
}

bool wm_wmt_unpack(wm_wmt_unpacker *unpacker, const uint8_t *packed,
                   size_t n_packed, uint8_t *raw, size_t n_raw)
{
    size_t n_used = 0;
    return libdeflate_zlib_decompress_ex(unpacker->decompressor, packed,
                                         n_packed, raw, n_raw, &n_used,
                                         NULL) == LIBDEFLATE_SUCCESS &&
           n_used == n_packed;
}

uint32_t wm_wmt_crc32(const void *bytes, size_t n_bytes)
{
    return libdeflate_crc32(0, bytes, n_bytes);
}

#else

wm_wmt_unpacker *wm_wmt_unpacker_new(void)
{
    wm_wmt_unpacker *unpacker = calloc(1, sizeof(*unpacker));
    if (unpacker == NULL) {
        return NULL;
    }
    if (inflateInit(&unpacker->zlib) != Z_OK) {
        free(unpacker);
        return NULL;
    }
    return unpacker;
}

void wm_wmt_unpacker_free(wm_wmt_unpacker *unpacker)
{
    if (unpacker != NULL) {
        (void)inflateEnd(&unpacker->zlib);
        free(unpacker);
    }
}

bool wm_wmt_unpack(wm_wmt_unpacker *unpacker, const uint8_t *packed,
                   size_t n_packed, uint8_t *raw, size_t n_raw)
{
    /* zlib's next_in is not const in every build, though never written. */
    union {
        const uint8_t *kept;
        uint8_t *plain;
    } source = {packed};
    z_stream *zlib = &unpacker->zlib;
    (void)inflateReset(zlib);
    zlib->next_in = source.plain;
    zlib->avail_in = (uInt)n_packed;
    zlib->next_out = raw;
    zlib->avail_out = (uInt)n_raw;
    return inflate(zlib, Z_FINISH) == Z_STREAM_END && zlib->avail_in == 0 &&
           zlib->avail_out == 0;
}

uint32_t wm_wmt_crc32(const void *bytes, size_t n_bytes)
{
    return (uint32_t)crc32_z(0, bytes, n_bytes);
}

#endif

bool wm_wmt_is_packable(const void *raw, size_t n_raw)
{
    uint8_t packed[SAMPLE_BYTES + SAMPLE_BYTES / 8];
    uLongf n_packed = sizeof(packed);
    const uint8_t *bytes = raw;
    if (n_raw <= SAMPLE_BYTES) {
        return true;
    }
    return compress2(packed, &n_packed, bytes + (n_raw - SAMPLE_BYTES) / 2,
                     SAMPLE_BYTES, SAMPLE_LEVEL) != Z_OK ||
           n_packed <= SAMPLE_BYTES - SAMPLE_BYTES / SAMPLE_GAIN;
}

wm_status wm_wmt_pack(const void *raw, size_t n_raw, bool is_lists,
                      wm_buffer *out, wm_error *err)
{
    uLongf n_packed = compressBound((uLong)n_raw);
    uint8_t *packed = malloc(n_packed);
    if (packed == NULL) {
        return wm_fail_memory(err);
    }
    int result = compress2(packed, &n_packed, raw, (uLong)n_raw,
                           is_lists ? LISTS_LEVEL : PACK_LEVEL);
    if (result == Z_OK) {
        wm_buffer_add(out, packed, n_packed);
    }
    free(packed);
    return result == Z_OK && !out->is_failed ? WM_OK : wm_fail_memory(err);
}

bool wm_wmt_get_long_varint(wm_wmt_cursor *cursor, uint64_t *x)
{
    uint64_t sum = 0;
    for (uint32_t shift = 0; shift < 70; shift += 7) {
        if (cursor->at == cursor->end) {
            return false;
        }
        uint8_t byte = *cursor->at++;
        if (shift == 63 && byte > 1) {
            return false;
        }
        sum |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *x = sum;
            return true;
        }
    }
    return false;
}
