/*
 * format_wmt.c -- reads native trace files.
 *
 * Chunks come in file order from wmt_ahead.h, decoded by then where helper
 * threads were allowed.  Behind a damaged payload reading can go on
 * (keep_going).  A file that ends without its footer is a cut file: whole
 * chunks are delivered, then a warning says what is lost.
 *
 * Every chunk of a launch bears the launch's number, so that losing a chunk
 * never gives its CTAs to another launch.
 *
 * With may_seek the index serves to pass over CTAs that nobody asks for; what
 * is passed over is not checked.
 */
#include "trace/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "trace/static_table.h"
#include "trace/stream.h"
#include "trace/wmt_ahead.h"
#include "trace/wmt_index.h"
#include "trace/wmt_layout.h"
#include "trace/wmt_parse.h"

#define HELPERS_MAX 15u

struct wm_reader {
    wm_stream *stream;
    wm_reader_context context;
    wm_wmt_ahead *ahead;
    wm_wmt_index *index;     /* NULL: no seeking */
    size_t next_row;         /* of the index, not yet passed */
    uint32_t version;        /* of the file */
    const wm_wmt_slot *slot; /* a chunk of the file */
    wm_wmt_cursor group;     /* the rest of it when it is a group */
    uint32_t type;           /* of the chunk at hand, in a group or not */
    wm_wmt_cursor inner;     /* its payload in a group */
    bool is_inner;
    wm_wmt_chunk_head head; /* of a CTAS chunk */
    bool is_waiting;        /* it is checked, nobody has used it */
    bool is_decoding;       /* its CTAs are being delivered */
    bool is_ended;
    bool is_damaged; /* something was lost: counts need not agree */
    bool has_sought;
    wm_launch launch;
    char *name;
    bool is_in_launch;
    uint32_t n_launches; /* LAUN chunks seen */
    uint64_t n_ctas;     /* of this launch, delivered or passed over */
    uint64_t n_chunks;
    wm_static_table statics;
};

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
                r->context.path, r->slot->chunk.end, what, n_left,
                r->launch.n_ctas, r->n_launches);
    } else {
        wm_warn(r->context.diag, "trace-cut", r->context.path,
                "%s: byte %" PRIu64 ": %s; lost: all that follows launch "
                "%" PRIu32,
                r->context.path, r->slot->chunk.end, what, r->n_launches);
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
                       r->context.path, r->slot->chunk.offset,
                       wm_wmt_type_name(r->type, name), what);
    }
    wm_warn(r->context.diag, "chunk-damaged", r->context.path,
            "%s: byte %" PRIu64 ": damaged %s chunk skipped: %s",
            r->context.path, r->slot->chunk.offset,
            wm_wmt_type_name(r->type, name), what);
    lose(r);
    return WM_OK;
}

static wm_status bad_header(wm_reader *r, const char *what, wm_error *err)
{
    if (!r->context.options.keep_going) {
        return wm_fail(err, WM_EFORMAT,
                       "%s: byte %" PRIu64 ": damaged chunk header: %s",
                       r->context.path, r->slot->chunk.offset, what);
    }
    warn_cut(r, "damaged chunk header");
    return WM_OK;
}

/* The chunk of the file that comes next is at hand, or the end is. */
static wm_status next_of_file(wm_reader *r, wm_error *err)
{
    wm_status status = wm_wmt_ahead_next(r->ahead, &r->slot, err);
    if (status != WM_OK) {
        return status;
    }
    const wm_wmt_chunk *chunk = &r->slot->chunk;
    const wm_wmt_payload *payload = &r->slot->payload;
    if (chunk->ending == WM_WMT_CUT) {
        warn_cut(r, chunk->what);
        return WM_OK;
    }
    if (chunk->ending == WM_WMT_BAD_HEADER) {
        return bad_header(r, chunk->what, err);
    }
    r->n_chunks++;
    r->type = chunk->type;
    r->is_inner = false;
    const char *what = wm_wmt_ahead_check(r->ahead);
    r->is_waiting = what == NULL;
    if (what == NULL && r->type == WM_WMT_GRUP) {
        r->is_waiting = false;
        what = wm_wmt_ahead_open(r->ahead);
        if (what == NULL) {
            r->group = (wm_wmt_cursor){payload->bytes,
                                       payload->bytes + payload->n_bytes};
        }
    }
    return what == NULL ? WM_OK : bad_chunk(r, what, err);
}

/* The chunk of the group that comes next is at hand. */
static wm_status next_of_group(wm_reader *r, wm_error *err)
{
    wm_wmt_cursor *group = &r->group;
    uint64_t n = 0;
    uint32_t type = wm_wmt_left(group) < 4 ? 0 : wm_wmt_get_u32(group->at);
    group->at += wm_wmt_left(group) < 4 ? 0 : 4;
    if (type == 0 || type == WM_WMT_GRUP || type == WM_WMT_FOOT ||
        !wm_wmt_get_varint(group, &n) || n > wm_wmt_left(group)) {
        group->at = group->end;
        return bad_chunk(r, "what is in it is not a chunk", err);
    }
    r->type = type;
    r->inner = (wm_wmt_cursor){group->at, group->at + n};
    r->is_inner = true;
    r->is_waiting = true;
    group->at += n;
    return WM_OK;
}

/* Takes the next chunk that is as it was written.  Afterwards is_waiting is
 * true, or is_ended is. */
static wm_status next_chunk(wm_reader *r, wm_error *err)
{
    wm_status status = WM_OK;
    while (status == WM_OK && !r->is_waiting && !r->is_ended) {
        status = wm_wmt_left(&r->group) > 0 ? next_of_group(r, err)
                                            : next_of_file(r, err);
    }
    return status;
}

/* The waiting chunk's payload, unpacked, and a CTAS chunk opened; *what names
 * a fault. */
static void unpack(wm_reader *r, wm_wmt_cursor *out, const char **what)
{
    const wm_wmt_payload *payload = &r->slot->payload;
    *what = NULL;
    r->is_waiting = false;
    *out = r->inner;
    if (r->is_inner && r->type == WM_WMT_CTAS) {
        const wm_wmt_payload inner = {.version = r->version,
                                      .bytes = r->inner.at,
                                      .n_bytes = wm_wmt_left(&r->inner)};
        *what = wm_wmt_ahead_open_inner(r->ahead, &inner, &r->head);
    } else if (!r->is_inner) {
        *what = wm_wmt_ahead_open(r->ahead);
        *out = (wm_wmt_cursor){NULL, NULL};
        r->head = r->slot->head;
        if (*what == NULL) {
            *out = (wm_wmt_cursor){payload->bytes,
                                   payload->bytes + payload->n_bytes};
        }
    }
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
    r->next_row = 0;
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

/* Holds the head of an opened CTAS chunk against its launch. */
static const char *check_ctas(const wm_reader *r)
{
    const wm_wmt_chunk_head *head = &r->head;
    if (head->launch + UINT64_C(1) != r->n_launches) {
        return "CTAs of a launch that is not there";
    }
    if (head->first_cta < r->n_ctas ||
        (head->first_cta > r->n_ctas && !r->is_damaged)) {
        return "CTAs out of order";
    }
    if (head->n_statics > r->launch.n_statics) {
        return "static instructions that no chunk before it gave";
    }
    return (head->lane_mask & ~wm_low_mask(r->launch.warp_size)) == 0
               ? NULL
               : "active lanes beyond the warp size";
}

static const char *check_foot(const wm_reader *r, const wm_wmt_cursor *cursor)
{
    if (wm_wmt_left(cursor) != WM_WMT_FOOT_BYTES ||
        memcmp(cursor->at + 24, WM_WMT_FOOT_MAGIC, 8) != 0) {
        return "not a footer";
    }
    bool is_counted = !r->is_damaged && !r->has_sought;
    if (is_counted && (wm_wmt_get_u64(cursor->at + 8) != r->n_launches ||
                       wm_wmt_get_u64(cursor->at + 16) + 1 != r->n_chunks)) {
        return "launches or chunks are missing";
    }
    return r->slot->has_more ? "bytes behind the footer" : NULL;
}

static wm_status read_foot(wm_reader *r, wm_error *err)
{
    const char *what = NULL;
    wm_wmt_cursor cursor;
    r->is_ended = true;
    unpack(r, &cursor, &what);
    if (what == NULL) {
        what = check_foot(r, &cursor);
    }
    return what == NULL ? WM_OK : bad_chunk(r, what, err);
}

/* --- passing over what nobody asks for ------------------------------------ */

static const wm_wmt_index_launch *indexed_launch(const wm_reader *r)
{
    bool is_there = r->index != NULL && r->is_in_launch && !r->is_damaged &&
                    r->n_launches <= r->index->n_launches;
    return is_there ? &r->index->launches[r->n_launches - 1] : NULL;
}

static wm_status seek_row(wm_reader *r, size_t row, wm_error *err)
{
    const wm_wmt_index_launch *launch = indexed_launch(r);
    uint64_t offset = r->index->rows[launch->first_row + row].offset;
    r->next_row = row;
    if (offset <= r->slot->chunk.end) {
        return WM_OK;
    }
    r->has_sought = true;
    return wm_wmt_ahead_seek(r->ahead, offset, err);
}

/* Behind the CTAS chunks that hold no more than the next *n CTAs; stops at
 * each STAT chunk, and at the launch's last chunk. */
static wm_status pass_chunks(wm_reader *r, uint64_t *n, wm_error *err)
{
    const wm_wmt_index_launch *launch = indexed_launch(r);
    if (*n == 0 || launch == NULL || r->is_waiting || launch->n_rows == 0) {
        return WM_OK;
    }
    const wm_wmt_index_row *rows = r->index->rows + launch->first_row;
    size_t row = r->next_row;
    while (row < launch->n_rows && rows[row].offset < r->slot->chunk.end) {
        row++;
    }
    while (row + 1 < launch->n_rows && rows[row].n_ctas != 0 &&
           rows[row].n_ctas <= *n) {
        *n -= rows[row].n_ctas;
        r->n_ctas += rows[row].n_ctas;
        row++;
    }
    return row < launch->n_rows ? seek_row(r, row, err) : WM_OK;
}

/* To the last chunk of the launch: behind it lies what comes next. */
static wm_status pass_launch(wm_reader *r, wm_error *err)
{
    const wm_wmt_index_launch *launch = indexed_launch(r);
    if (launch == NULL || r->is_waiting || launch->n_rows == 0) {
        return WM_OK;
    }
    return seek_row(r, launch->n_rows - 1, err);
}

/* --- the reader ----------------------------------------------------------- */

/* The next chunk of the launch: statics are taken in, CTAs made ready. */
static wm_status next_launch_chunk(wm_reader *r, const char **what,
                                   wm_error *err)
{
    wm_wmt_cursor cursor;
    *what = NULL;
    wm_status status = next_chunk(r, err);
    if (status != WM_OK) {
        return status;
    }
    uint32_t type = r->type;
    if (r->is_ended || (type != WM_WMT_STAT && type != WM_WMT_CTAS)) {
        if (r->is_in_launch && !r->is_damaged) {
            wm_reader_check_ctas(&r->context, r->n_ctas, r->launch.n_ctas,
                                 "%s: launch %" PRIu32, r->context.path,
                                 r->n_launches);
        }
        r->is_in_launch = false;
        return WM_OK;
    }
    unpack(r, &cursor, what);
    if (*what == NULL && type == WM_WMT_STAT) {
        *what = use_statics(r, &cursor);
    } else if (*what == NULL) {
        *what = check_ctas(r);
        r->is_decoding = *what == NULL;
    }
    return WM_OK;
}

/* The next CTA, or one of the *n_skip behind it: *n_skip falls by as many as
 * were passed over. */
static wm_status find_cta(wm_reader *r, wm_cta *cta, bool *has_cta,
                          uint64_t *n_skip, wm_error *err)
{
    *has_cta = false;
    while (r->is_in_launch) {
        const char *what = NULL;
        wm_status status = WM_OK;
        if (r->is_decoding) {
            what = wm_wmt_ahead_next_cta(r->ahead, cta, has_cta);
            r->is_decoding = *has_cta;
            r->n_ctas += *has_cta;
            if (*has_cta) {
                return WM_OK;
            }
        } else {
            status = pass_chunks(r, n_skip, err);
            if (status == WM_OK) {
                status = next_launch_chunk(r, &what, err);
            }
        }
        if (status == WM_OK && what != NULL) {
            status = bad_chunk(r, what, err);
        }
        if (status != WM_OK) {
            return status;
        }
    }
    return WM_OK;
}

static wm_status wmt_next_cta(wm_reader *r, wm_cta *cta, bool *has_cta,
                              wm_error *err)
{
    uint64_t n_skip = 0;
    wm_wmt_ahead_set_skipping(r->ahead, false);
    return find_cta(r, cta, has_cta, &n_skip, err);
}

static wm_status wmt_skip_ctas(wm_reader *r, uint64_t n, wm_cta *cta,
                               wm_error *err)
{
    bool has_cta = true;
    wm_status status = WM_OK;
    while (status == WM_OK && n > 0 && has_cta) {
        n--;
        status = find_cta(r, cta, &has_cta, &n, err);
    }
    return status;
}

/* A launch or a copy from the waiting chunk; other types pass by. */
static wm_status use_command(wm_reader *r, wm_command *out, wm_error *err)
{
    const char *what = NULL;
    wm_wmt_cursor cursor;
    uint32_t type = r->type;
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
    wm_status status = pass_launch(r, err);
    if (r->is_in_launch) {
        wm_wmt_ahead_set_skipping(r->ahead, true);
    }
    r->is_in_launch = false;
    r->is_decoding = false;
    while (status == WM_OK && out->kind == WM_COMMAND_END && !r->is_ended) {
        status = next_chunk(r, err);
        if (status == WM_OK && r->is_waiting) {
            status = use_command(r, out, err);
        }
    }
    return status;
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
    wm_wmt_ahead_free(reader->ahead);
    wm_stream_close(reader->stream);
    wm_wmt_index_free(reader->index);
    wm_static_table_fini(&reader->statics);
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
    r->version = wm_wmt_get_u32(head + 8);
    if (r->version < WM_WMT_VERSION_MIN || r->version > WM_WMT_VERSION) {
        return wm_fail(err, WM_EFORMAT,
                       "%s: byte 8: found trace format %" PRIu32
                       ", wanted %u to %u: another version of warpmem wrote it",
                       r->context.path, r->version, WM_WMT_VERSION_MIN,
                       WM_WMT_VERSION);
    }
    wm_stream_consume(r->stream, WM_WMT_FILE_BYTES);
    return WM_OK;
}

static wm_status start(wm_reader *r, wm_error *err)
{
    const wm_trace_options *options = &r->context.options;
    uint32_t n_helpers = 0;
    wm_status status = read_file_head(r, err);
    if (status == WM_OK && options->may_seek) {
        status = wm_wmt_index_load(r->context.path, &r->index, err);
    }
    if (r->index == NULL && options->jobs > 1) {
        n_helpers = options->jobs - 1;
        n_helpers = n_helpers < HELPERS_MAX ? n_helpers : HELPERS_MAX;
    }
    if (status == WM_OK) {
        status = wm_wmt_ahead_new(r->stream, r->version, n_helpers,
                                  options->counts_only, r->context.digest,
                                  r->context.n_bytes_done, &r->ahead, err);
    }
    return status;
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
    wm_status status = start(r, err);
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
    .skip_ctas = wmt_skip_ctas,
    .launch = wmt_launch,
    .close = wmt_close,
};
