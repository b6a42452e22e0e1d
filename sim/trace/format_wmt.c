/*
 * format_wmt.c -- reads native trace files.
 *
 * One chunk at a time: 24 bytes of header with a CRC-32 of its own, then the
 * payload with its CRC-32.  A header that fails its check says nothing about
 * where the next chunk lies, so reading ends there; behind a damaged payload
 * it can go on (keep_going).  A file that ends without its footer is a cut
 * file: whole chunks are delivered, then a warning says what is lost.
 *
 * Every chunk of a launch bears the launch's number, so that losing a chunk
 * never gives its CTAs to another launch.
 */
#include "trace/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "trace/static_table.h"
#include "trace/stream.h"
#include "trace/wmt_decode.h"
#include "trace/wmt_layout.h"
#include "trace/wmt_pack.h"
#include "trace/wmt_parse.h"

#define PIECE_BYTES ((size_t)1 << 20)

typedef struct chunk {
    uint64_t offset; /* of its header in the file */
    uint32_t type;
    uint32_t flags;
    uint32_t n_raw;
    uint32_t n_packed;
    uint32_t crc;
} chunk;

struct wm_reader {
    wm_stream *stream;
    wm_reader_context context;
    wm_wmt_unpacker *unpacker;
    wm_wmt_decoder *decoder;
    bool is_decoding; /* the decoder has CTAs left */
    chunk chunk;
    bool is_waiting; /* chunk is read, nobody has used it */
    bool is_ended;
    bool is_damaged;  /* something was lost: counts need not agree */
    uint8_t *payload; /* packed, then also unpacked */
    size_t n_payload, cap_payload;
    uint8_t *raw;
    size_t cap_raw;
    wm_launch launch;
    char *name;
    bool is_in_launch;
    uint32_t n_launches; /* LAUN chunks seen */
    uint64_t n_ctas;     /* delivered of this launch */
    uint64_t n_chunks;
    wm_static_table statics;
};

static const char *chunk_name(const chunk *c, char name[5])
{
    for (uint32_t i = 0; i < 4; i++) {
        uint8_t byte = (uint8_t)(c->type >> (8 * i));
        name[i] = byte >= 'A' && byte <= 'Z' ? (char)byte : '?';
    }
    name[4] = '\0';
    return name;
}

static void lose(wm_reader *r)
{
    r->is_damaged = true;
    *r->context.is_complete = false;
}

/* The end of a cut file: not an error, but never a complete trace. */
static void warn_cut(wm_reader *r, const char *what)
{
    uint64_t n_left =
        r->launch.n_ctas > r->n_ctas ? r->launch.n_ctas - r->n_ctas : 0;
    r->is_ended = true;
    lose(r);
    if (r->is_in_launch) {
        wm_warn(r->context.diag, "trace-cut", r->context.path,
                "%s: byte %" PRIu64 ": %s; lost: %" PRIu64 " of the %" PRIu64
                " CTAs of launch %" PRIu32 " and all that follows it",
                r->context.path, wm_stream_offset(r->stream), what, n_left,
                r->launch.n_ctas, r->n_launches);
    } else {
        wm_warn(r->context.diag, "trace-cut", r->context.path,
                "%s: byte %" PRIu64 ": %s; lost: all that follows launch "
                "%" PRIu32,
                r->context.path, wm_stream_offset(r->stream), what,
                r->n_launches);
    }
}

/* A chunk that cannot be used: an error, or with keep_going a loss. */
static wm_status bad_chunk(wm_reader *r, const char *what, wm_error *err)
{
    char name[5];
    if (what == wm_wmt_no_memory) {
        return wm_fail_memory(err);
    }
    if (!r->context.options.keep_going) {
        return wm_fail(err, WM_EFORMAT,
                       "%s: byte %" PRIu64 ": damaged %s chunk: %s",
                       r->context.path, r->chunk.offset,
                       chunk_name(&r->chunk, name), what);
    }
    wm_warn(r->context.diag, "chunk-damaged", r->context.path,
            "%s: byte %" PRIu64 ": damaged %s chunk skipped: %s",
            r->context.path, r->chunk.offset, chunk_name(&r->chunk, name),
            what);
    lose(r);
    return WM_OK;
}

/* Reads the packed payload; memory grows with the bytes that are there. */
static wm_status read_payload(wm_reader *r, bool *is_whole, wm_error *err)
{
    *is_whole = false;
    r->n_payload = 0;
    while (r->n_payload < r->chunk.n_packed) {
        const uint8_t *bytes = NULL;
        size_t n = 0;
        size_t n_wanted = r->chunk.n_packed - r->n_payload;
        n_wanted = n_wanted < PIECE_BYTES ? n_wanted : PIECE_BYTES;
        wm_status status = wm_stream_peek(r->stream, n_wanted, &bytes, &n, err);
        if (status != WM_OK) {
            return status;
        }
        n = n < n_wanted ? n : n_wanted;
        if (!wm_grow(&r->payload, &r->cap_payload, r->n_payload + n + 1, 1)) {
            return wm_fail_memory(err);
        }
        memcpy(r->payload + r->n_payload, bytes, n);
        r->n_payload += n;
        wm_stream_consume(r->stream, n);
        if (n < n_wanted) {
            return WM_OK;
        }
    }
    *is_whole = true;
    return WM_OK;
}

static wm_status bad_header(wm_reader *r, const char *what, wm_error *err)
{
    if (!r->context.options.keep_going) {
        return wm_fail(err, WM_EFORMAT,
                       "%s: byte %" PRIu64 ": damaged chunk header: %s",
                       r->context.path, r->chunk.offset, what);
    }
    warn_cut(r, "damaged chunk header");
    return WM_OK;
}

/* Sizes that no writer gives: refused before memory is taken for them. */
static const char *size_fault(const chunk *c)
{
    bool is_stored = (c->flags & WM_WMT_FLAG_STORED) != 0;
    if ((c->flags & ~WM_WMT_FLAG_STORED) != 0) {
        return "unknown flags";
    }
    if (c->n_raw > WM_WMT_RAW_MAX || c->n_packed > WM_WMT_RAW_MAX) {
        return "over 256 MiB";
    }
    if (is_stored ? c->n_packed != c->n_raw
                  : c->n_raw / WM_WMT_DEFLATE_GAIN > c->n_packed) {
        return "sizes that cannot belong to each other";
    }
    return NULL;
}

/*
 * Reads the next chunk's header and payload into the reader and checks both.
 * Afterwards is_waiting is true, or is_ended is.
 */
static wm_status next_chunk(wm_reader *r, wm_error *err)
{
    chunk *c = &r->chunk;
    while (!r->is_waiting && !r->is_ended) {
        const uint8_t *head = NULL;
        size_t n = 0;
        bool is_whole = false;
        c->offset = wm_stream_offset(r->stream);
        wm_status status =
            wm_stream_peek(r->stream, WM_WMT_CHUNK_BYTES, &head, &n, err);
        if (status != WM_OK) {
            return status;
        }
        if (n < WM_WMT_CHUNK_BYTES) {
            warn_cut(r, "the file ends without its footer");
            return WM_OK;
        }
        c->type = wm_wmt_get_u32(head);
        c->flags = wm_wmt_get_u32(head + 4);
        c->n_raw = wm_wmt_get_u32(head + 8);
        c->n_packed = wm_wmt_get_u32(head + 12);
        c->crc = wm_wmt_get_u32(head + 16);
        if (wm_wmt_crc32(head, 20) != wm_wmt_get_u32(head + 20)) {
            return bad_header(r, "its CRC-32 does not fit", err);
        }
        if (size_fault(c) != NULL) {
            return bad_header(r, size_fault(c), err);
        }
        wm_stream_consume(r->stream, WM_WMT_CHUNK_BYTES);
        status = read_payload(r, &is_whole, err);
        if (status != WM_OK) {
            return status;
        }
        if (!is_whole) {
            warn_cut(r, "the file ends within a chunk");
            return WM_OK;
        }
        r->n_chunks++;
        if (wm_wmt_crc32(r->payload, r->n_payload) == c->crc) {
            r->is_waiting = true;
        } else {
            status = bad_chunk(r, "its CRC-32 does not fit", err);
            if (status != WM_OK) {
                return status;
            }
        }
    }
    return WM_OK;
}

/* The waiting chunk's payload, unpacked; *what names a fault. */
static void unpack(wm_reader *r, wm_wmt_cursor *out, const char **what)
{
    const chunk *c = &r->chunk;
    *what = NULL;
    r->is_waiting = false;
    *out = (wm_wmt_cursor){r->payload, r->payload + r->n_payload};
    if ((c->flags & WM_WMT_FLAG_STORED) != 0) {
        return;
    }
    if (!wm_grow(&r->raw, &r->cap_raw, c->n_raw + (size_t)1, 1)) {
        *what = wm_wmt_no_memory;
    } else if (!wm_wmt_unpack(r->unpacker, r->payload, r->n_payload, r->raw,
                              c->n_raw)) {
        *what = "it does not unpack to the size it names";
    }
    *out = (wm_wmt_cursor){r->raw, r->raw + c->n_raw};
}

static const char *use_launch(wm_reader *r, wm_wmt_cursor *cursor)
{
    wm_launch launch;
    uint32_t number = 0;
    const char *name = NULL;
    size_t n_name = 0;
    wm_static_table_clear(&r->statics);
    memset(&r->launch, 0, sizeof(r->launch));
    r->launch.name = "";
    r->launch.where = r->context.path;
    const char *fault =
        wm_wmt_parse_launch(cursor, &launch, &number, &name, &n_name);
    if (fault != NULL) {
        return fault;
    }
    if (number < r->n_launches || (number > r->n_launches && !r->is_damaged)) {
        return "launches out of order";
    }
    char *kept = malloc(n_name + 1);
    if (kept == NULL) {
        return wm_wmt_no_memory;
    }
    memcpy(kept, name, n_name);
    kept[n_name] = '\0';
    free(r->name);
    r->name = kept;
    r->launch = launch;
    r->launch.name = kept;
    r->launch.where = r->context.path;
    r->n_launches = number + 1;
    r->n_ctas = 0;
    r->is_in_launch = true;
    return NULL;
}

static const char *use_statics(wm_reader *r, wm_wmt_cursor *cursor)
{
    const char *fault =
        wm_wmt_parse_statics(cursor, r->n_launches, &r->statics);
    r->launch.statics = r->statics.items;
    r->launch.n_statics = r->statics.n_items;
    return fault;
}

static const char *open_ctas(wm_reader *r, wm_wmt_cursor *cursor)
{
    wm_wmt_chunk_head head = {0, 0, 0, 0};
    size_t n = wm_wmt_left(cursor);
    const char *fault = wm_wmt_decoder_head(cursor->at, n, &head);
    if (fault != NULL) {
        return fault;
    }
    if (head.launch + UINT64_C(1) != r->n_launches) {
        return "CTAs of a launch that is not there";
    }
    if (head.first_cta < r->n_ctas ||
        (head.first_cta > r->n_ctas && !r->is_damaged)) {
        return "CTAs out of order";
    }
    return wm_wmt_decoder_open(r->decoder, &r->launch, cursor->at, n);
}

static const char *check_foot(const wm_reader *r, const wm_wmt_cursor *cursor)
{
    if (wm_wmt_left(cursor) != WM_WMT_FOOT_BYTES ||
        memcmp(cursor->at + 24, WM_WMT_FOOT_MAGIC, 8) != 0) {
        return "not a footer";
    }
    if (!r->is_damaged &&
        (wm_wmt_get_u64(cursor->at + 8) != r->n_launches ||
         wm_wmt_get_u64(cursor->at + 16) + 1 != r->n_chunks)) {
        return "launches or chunks are missing";
    }
    return NULL;
}

static wm_status read_foot(wm_reader *r, wm_error *err)
{
    const uint8_t *bytes = NULL;
    const char *what = NULL;
    size_t n = 0;
    wm_wmt_cursor cursor;
    r->is_ended = true;
    unpack(r, &cursor, &what);
    if (what == NULL) {
        what = check_foot(r, &cursor);
    }
    wm_status status = wm_stream_peek(r->stream, 1, &bytes, &n, err);
    if (status == WM_OK && what == NULL && n > 0) {
        what = "bytes behind the footer";
    }
    return status == WM_OK && what != NULL ? bad_chunk(r, what, err) : status;
}

/* Fewer CTAs than the grid: the kernel was not traced whole. */
static void check_cta_count(wm_reader *r)
{
    if (r->is_in_launch && !r->is_damaged && r->n_ctas < r->launch.n_ctas) {
        wm_warn(r->context.diag, "ctas-missing", r->context.path,
                "%s: launch %" PRIu32 " holds %" PRIu64
                " CTAs, its grid has %" PRIu64,
                r->context.path, r->n_launches, r->n_ctas, r->launch.n_ctas);
        *r->context.is_complete = false;
    }
}

static wm_status wmt_next_cta(wm_reader *r, wm_cta *cta, bool *has_cta,
                              wm_error *err)
{
    *has_cta = false;
    while (r->is_in_launch) {
        const char *what = NULL;
        wm_wmt_cursor cursor;
        if (r->is_decoding) {
            what = wm_wmt_decoder_next(r->decoder, cta);
            r->is_decoding =
                what == NULL && wm_wmt_decoder_n_left(r->decoder) > 0;
            if (what == NULL) {
                r->n_ctas++;
                *has_cta = true;
                return WM_OK;
            }
        } else {
            wm_status status = next_chunk(r, err);
            if (status != WM_OK) {
                return status;
            }
            if (r->is_ended || (r->chunk.type != WM_WMT_STAT &&
                                r->chunk.type != WM_WMT_CTAS)) {
                check_cta_count(r);
                r->is_in_launch = false;
                return WM_OK;
            }
            unpack(r, &cursor, &what);
            if (what == NULL && r->chunk.type == WM_WMT_STAT) {
                what = use_statics(r, &cursor);
            } else if (what == NULL) {
                what = open_ctas(r, &cursor);
                r->is_decoding =
                    what == NULL && wm_wmt_decoder_n_left(r->decoder) > 0;
            }
        }
        if (what != NULL) {
            wm_status status = bad_chunk(r, what, err);
            if (status != WM_OK) {
                return status;
            }
        }
    }
    return WM_OK;
}

/* A launch or a copy from the waiting chunk; other types pass by. */
static wm_status use_command(wm_reader *r, wm_command *out, wm_error *err)
{
    const char *what = NULL;
    wm_wmt_cursor cursor;
    uint32_t type = r->chunk.type;
    if (type == WM_WMT_FOOT) {
        return read_foot(r, err);
    }
    if (type != WM_WMT_LAUN && type != WM_WMT_COPY) {
        r->is_waiting = false;
        return WM_OK;
    }
    unpack(r, &cursor, &what);
    if (what == NULL && type == WM_WMT_COPY) {
        what = wm_wmt_parse_copy(&cursor, &out->copy);
    } else if (what == NULL) {
        what = use_launch(r, &cursor);
    }
    if (what != NULL) {
        return bad_chunk(r, what, err);
    }
    if (type == WM_WMT_LAUN) {
        out->launch = r->launch;
    }
    out->kind = type == WM_WMT_COPY ? WM_COMMAND_COPY : WM_COMMAND_LAUNCH;
    return WM_OK;
}

static wm_status wmt_next_command(wm_reader *r, wm_command *out, wm_error *err)
{
    memset(out, 0, sizeof(*out));
    out->kind = WM_COMMAND_END;
    r->is_in_launch = false;
    r->is_decoding = false;
    while (out->kind == WM_COMMAND_END && !r->is_ended) {
        wm_status status = next_chunk(r, err);
        if (status == WM_OK && r->is_waiting) {
            status = use_command(r, out, err);
        }
        if (status != WM_OK) {
            return status;
        }
    }
    return WM_OK;
}

static const wm_launch *wmt_launch(const wm_reader *reader)
{
    return &reader->launch;
}

static void wmt_close(wm_reader *reader)
{
    if (reader == NULL) {
        return;
    }
    wm_stream_close(reader->stream);
    wm_wmt_unpacker_free(reader->unpacker);
    wm_wmt_decoder_free(reader->decoder);
    wm_static_table_fini(&reader->statics);
    free(reader->payload);
    free(reader->raw);
    free(reader->name);
    free(reader);
}

static wm_status read_file_head(wm_reader *r, wm_error *err)
{
    const uint8_t *head = NULL;
    size_t n = 0;
    wm_status status =
        wm_stream_peek(r->stream, WM_WMT_FILE_BYTES, &head, &n, err);
    if (status != WM_OK) {
        return status;
    }
    if (n < WM_WMT_FILE_BYTES ||
        memcmp(head, WM_WMT_MAGIC, WM_WMT_MAGIC_BYTES) != 0 ||
        wm_wmt_crc32(head, 12) != wm_wmt_get_u32(head + 12)) {
        return wm_fail(err, WM_EFORMAT,
                       "%s: byte 0: damaged head of a warpmem trace (cut, or "
                       "copied as text?)",
                       r->context.path);
    }
    if (wm_wmt_get_u32(head + 8) != WM_WMT_VERSION) {
        return wm_fail(
            err, WM_EFORMAT,
            "%s: trace format %" PRIu32 ", this program reads format %u",
            r->context.path, wm_wmt_get_u32(head + 8), WM_WMT_VERSION);
    }
    wm_stream_consume(r->stream, WM_WMT_FILE_BYTES);
    return WM_OK;
}

static wm_status wmt_open(wm_stream *stream, const wm_reader_context *context,
                          wm_reader **out, wm_error *err)
{
    *out = NULL;
    wm_reader *r = calloc(1, sizeof(*r));
    if (r == NULL) {
        wm_stream_close(stream);
        return wm_fail_memory(err);
    }
    r->stream = stream;
    r->context = *context;
    r->launch.name = "";
    r->launch.where = context->path;
    wm_static_table_init(&r->statics);
    r->unpacker = wm_wmt_unpacker_new();
    r->decoder = wm_wmt_decoder_new();
    wm_status status = WM_OK;
    if (r->unpacker == NULL || r->decoder == NULL) {
        status = wm_fail_memory(err);
    } else {
        status = read_file_head(r, err);
    }
    if (status != WM_OK) {
        wmt_close(r);
        return status;
    }
    *out = r;
    return WM_OK;
}

static int wmt_sniff(const uint8_t *head, size_t n_bytes)
{
    return n_bytes >= 4 && memcmp(head, WM_WMT_MAGIC, 4) == 0 ? 100 : 0;
}

extern const wm_format wm_format_wmt;
const wm_format wm_format_wmt = {
    .name = "wmt",
    .summary = "warpmem's own: packed columns, read fastest",
    .sniff = wmt_sniff,
    .open = wmt_open,
    .next_command = wmt_next_command,
    .next_cta = wmt_next_cta,
    .launch = wmt_launch,
    .close = wmt_close,
};
