/*
 * layers_build.c -- compressed files of several members or streams, damaged or
 * not; see layers.h.
 */
#include <lzma.h>
#include <string.h>
#include <zlib.h>

#include "layers.h"

/* --- what goes in -----------------------------------------------------------
 */
/* So many of the fuzzer's bytes, so many times. */
static void add_content(whole_bytes *from, wm_buffer *piece)
{
    const size_t left = (size_t)(from->end - from->at);
    size_t n = whole_byte(from) + (size_t)256 * whole_below(from, 8);
    const uint32_t times = 1 + (uint32_t)whole_range(from, 0, 200);
    n = n < left ? n : left;
    n = n < (size_t)(from->end - from->at) ? n : (size_t)(from->end - from->at);
    for (uint32_t i = 0; i < times; i++) {
        wm_buffer_add(piece, from->at, n);
    }
    from->at += n;
}

/* --- gzip -------------------------------------------------------------------
 */
static void add_gzip(whole_bytes *from, const wm_buffer *piece,
                     wm_buffer *stored)
{
    z_stream zlib;
    gz_header header;
    uint8_t block[4096];
    uint8_t extra[3] = {1, 2, 3};
    uint8_t text[] = "name";
    const uint32_t how = whole_byte(from);
    const uint32_t parts = whole_byte(from);
    memset(&zlib, 0, sizeof(zlib));
    memset(&header, 0, sizeof(header));
    if (deflateInit2(&zlib, (int)(how % 10), Z_DEFLATED, 15 + 16,
                     (int)(1 + how / 10 % 9), (int)(parts % 5)) != Z_OK) {
        fuzz_fail("deflate");
    }
    header.name = parts / 8 % 2 != 0 ? text : NULL;
    header.comment = parts / 16 % 2 != 0 ? text : NULL;
    header.extra = parts / 32 % 2 != 0 ? extra : NULL;
    header.extra_len = sizeof(extra);
    header.hcrc = (int)(parts / 64 % 2);
    (void)deflateSetHeader(&zlib, &header);
    zlib.next_in = (uint8_t *)piece->bytes;
    zlib.avail_in = (uInt)piece->n_bytes;
    int result = Z_OK;
    while (result != Z_STREAM_END) {
        zlib.next_out = block;
        zlib.avail_out = sizeof(block);
        result = deflate(&zlib, Z_FINISH);
        if (result != Z_OK && result != Z_STREAM_END) {
            fuzz_fail("deflate");
        }
        wm_buffer_add(stored, block, sizeof(block) - zlib.avail_out);
    }
    (void)deflateEnd(&zlib);
}

/* --- xz ---------------------------------------------------------------------
 */
static void code_xz(lzma_stream *lzma, lzma_action action, wm_buffer *stored)
{
    uint8_t block[4096];
    lzma_ret result = LZMA_OK;
    do {
        lzma->next_out = block;
        lzma->avail_out = sizeof(block);
        result = lzma_code(lzma, action);
        wm_buffer_add(stored, block, sizeof(block) - lzma->avail_out);
    } while (result == LZMA_OK && (action != LZMA_RUN || lzma->avail_in != 0));
    if (result != LZMA_OK && result != LZMA_STREAM_END) {
        fuzz_fail("lzma %d", (int)result);
    }
}

/* In two blocks where the piece is long enough.  Damage is found by the check,
 * so there is always one. */
static void add_xz(whole_bytes *from, const wm_buffer *piece, wm_buffer *stored)
{
    static const lzma_check checks[] = {LZMA_CHECK_CRC32, LZMA_CHECK_CRC64,
                                        LZMA_CHECK_SHA256};
    static const lzma_stream fresh = LZMA_STREAM_INIT;
    lzma_stream lzma = fresh;
    lzma_options_lzma options;
    lzma_options_delta delta = {.type = LZMA_DELTA_TYPE_BYTE, .dist = 4};
    const uint32_t how = whole_byte(from);
    lzma_filter filters[3] = {{LZMA_FILTER_DELTA, &delta},
                              {LZMA_FILTER_LZMA2, &options},
                              {LZMA_VLI_UNKNOWN, NULL}};
    (void)lzma_lzma_preset(&options, 0);
    options.dict_size = 4096u << how % 4;
    if (lzma_stream_encoder(&lzma, filters + (how / 4 % 2),
                            checks[how / 8 % 3]) != LZMA_OK) {
        fuzz_fail("lzma");
    }
    const size_t first = how / 32 % 2 != 0 ? piece->n_bytes / 2 : 0;
    lzma.next_in = (const uint8_t *)piece->bytes;
    if (first != 0) {
        lzma.avail_in = first;
        code_xz(&lzma, LZMA_FULL_FLUSH, stored);
    }
    lzma.avail_in = piece->n_bytes - first;
    code_xz(&lzma, LZMA_FINISH, stored);
    lzma_end(&lzma);
}

/* --- files ------------------------------------------------------------------
 */
static void damage(whole_bytes *from, wm_buffer *stored)
{
    const uint32_t how = whole_below(from, 4);
    const size_t at = (size_t)whole_range(from, 0, stored->n_bytes - 1);
    const uint8_t byte = (uint8_t)whole_byte(from);
    switch (how) {
    case 0:
        stored->n_bytes = at;
        break;
    case 1:
        stored->bytes[at] = (char)(stored->bytes[at] ^ byte);
        break;
    case 2: /* behind the end */
        wm_buffer_add(stored, &byte, 1);
        break;
    default: { /* the last bytes twice */
        uint8_t twice[256];
        size_t n = stored->n_bytes - at;
        n = n < byte ? n : byte;
        memcpy(twice, stored->bytes + at, n);
        wm_buffer_add(stored, twice, n);
        break;
    }
    }
}

bool layers_build(whole_bytes *from, wm_buffer *content, wm_buffer *stored)
{
    static const uint8_t zeros[64] = {0};
    const uint32_t how = whole_byte(from);
    const bool is_xz = how % 2 == 1;
    const uint32_t n_members = 1 + how / 2 % 4;
    for (uint32_t i = 0; i < n_members; i++) {
        wm_buffer piece;
        wm_buffer_init(&piece);
        wm_buffer_puts(&piece, "");
        if (is_xz) {
            whole_bytes options = *from;
            from->at += from->at < from->end;
            add_content(from, &piece);
            add_xz(&options, &piece, stored);
        } else {
            whole_bytes options = *from;
            (void)whole_byte(from);
            (void)whole_byte(from);
            add_content(from, &piece);
            add_gzip(&options, &piece, stored);
        }
        wm_buffer_add(content, piece.bytes, piece.n_bytes);
        wm_buffer_fini(&piece);
        const size_t n_zeros = whole_below(from, 16);
        wm_buffer_add(stored, zeros, is_xz ? n_zeros / 4 * 4 : n_zeros);
    }
    if (how / 8 % 2 == 1) {
        damage(from, stored);
        return false;
    }
    return true;
}

/* --- the other decoder ------------------------------------------------------
 */
static layers_verdict decode_gzip(const wm_buffer *stored, wm_buffer *out)
{
    static uint8_t block[65536];
    z_stream zlib;
    int result = Z_OK;
    memset(&zlib, 0, sizeof(zlib));
    if (inflateInit2(&zlib, 15 + 16) != Z_OK) {
        fuzz_fail("inflate");
    }
    zlib.next_in = (uint8_t *)stored->bytes;
    zlib.avail_in = (uInt)stored->n_bytes;
    while ((result == Z_OK || zlib.avail_in > 0) &&
           out->n_bytes <= LAYERS_BYTES_MAX) {
        zlib.next_out = block;
        zlib.avail_out = sizeof(block);
        result = inflate(&zlib, Z_NO_FLUSH);
        wm_buffer_add(out, block, sizeof(block) - zlib.avail_out);
        if (result == Z_STREAM_END) {
            while (zlib.avail_in > 0 && *zlib.next_in == 0) {
                zlib.next_in++;
                zlib.avail_in--;
            }
            if (zlib.avail_in > 0) {
                (void)inflateReset(&zlib);
            }
        } else if (result != Z_OK) {
            break;
        }
    }
    (void)inflateEnd(&zlib);
    return out->n_bytes > LAYERS_BYTES_MAX ? LAYERS_TOO_LARGE
           : result == Z_STREAM_END        ? LAYERS_WHOLE
                                           : LAYERS_DAMAGED;
}

static layers_verdict decode_xz(const wm_buffer *stored, wm_buffer *out)
{
    static uint8_t block[65536];
    static const lzma_stream fresh = LZMA_STREAM_INIT;
    lzma_stream lzma = fresh;
    lzma_ret result = LZMA_OK;
    if (lzma_stream_decoder(&lzma, UINT64_C(512) << 20, LZMA_CONCATENATED) !=
        LZMA_OK) {
        fuzz_fail("lzma");
    }
    lzma.next_in = (const uint8_t *)stored->bytes;
    lzma.avail_in = stored->n_bytes;
    while (result == LZMA_OK && out->n_bytes <= LAYERS_BYTES_MAX) {
        lzma.next_out = block;
        lzma.avail_out = sizeof(block);
        result = lzma_code(&lzma, LZMA_FINISH);
        wm_buffer_add(out, block, sizeof(block) - lzma.avail_out);
    }
    lzma_end(&lzma);
    return out->n_bytes > LAYERS_BYTES_MAX ? LAYERS_TOO_LARGE
           : result == LZMA_STREAM_END     ? LAYERS_WHOLE
                                           : LAYERS_DAMAGED;
}

layers_verdict layers_decode(const wm_buffer *stored, wm_buffer *out)
{
    const size_t n = stored->n_bytes;
    wm_buffer_puts(out, "");
    if (n >= 4 && memcmp(stored->bytes, "\x28\xb5\x2f\xfd", 4) == 0) {
        return LAYERS_DAMAGED; /* zstd: refused */
    }
    if (n >= 2 && memcmp(stored->bytes, "\x1f\x8b", 2) == 0) {
        return decode_gzip(stored, out);
    }
    if (n >= 6 && memcmp(stored->bytes,
                         "\xfd"
                         "7zXZ\0",
                         6) == 0) {
        return decode_xz(stored, out);
    }
    wm_buffer_add(out, stored->bytes, n);
    return LAYERS_WHOLE;
}
