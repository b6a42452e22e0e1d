/*
 * wmt_write.c -- writes a native trace file, chunk by chunk.
 *
 * CTAs gather in an encoder until a chunk is full.  Static instructions are
 * encoded when they first show, because the reader that owns their texts
 * forgets them at its next command; their STAT chunk precedes the CTAS chunk.
 *
 * The chunks of a launch wait until it is known to be large, or ends.  Small
 * launches go whole into a group, for kernels repeat one another and a chunk's
 * header weighs as much as a small kernel.
 */
#include "trace/wmt.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "trace/record_check.h"
#include "trace/wmt_encode.h"
#include "trace/wmt_layout.h"
#include "trace/wmt_pack.h"

#define PROVENANCE "warpmem trace, format 2; docs/TRACE_FORMAT.md\n"

struct wm_wmt_writer {
    char *path;
    char *temporary;
    FILE *file;
    bool is_created;
    uint64_t offset;
    uint64_t n_chunks;
    wm_wmt_encoder *encoder;
    wm_buffer payload;
    wm_buffer packed;
    wm_buffer statics; /* rows of the next STAT chunk */
    uint32_t n_statics_waiting;
    uint32_t n_statics; /* of the launch, waiting ones included */
    uint32_t n_launches;
    bool is_in_launch;
    wm_buffer stat; /* payload of the launch's next STAT chunk */
    /* Chunks of the launch that wait, LAUN first, and the CTAs in each. */
    wm_buffer waiting;
    uint32_t waiting_ctas[WM_WMT_SMALL_CTAS];
    uint32_t n_waiting_ctas;
    wm_buffer group; /* small launches and copies, chunk behind chunk */
    size_t small_bytes;
    uint64_t launch_offset;
    uint64_t n_ctas;
    uint64_t last_chunk_offset;
    uint64_t n_launch_chunks;
    wm_buffer chunk_rows;  /* index rows of the launch being written */
    wm_buffer launch_rows; /* index rows of the launches before it */
};

static void writer_free(wm_wmt_writer *w)
{
    if (w->file != NULL) {
        (void)fclose(w->file);
    }
    if (w->is_created) {
        (void)unlink(w->temporary);
    }
    wm_wmt_encoder_free(w->encoder);
    wm_buffer_fini(&w->payload);
    wm_buffer_fini(&w->packed);
    wm_buffer_fini(&w->statics);
    wm_buffer_fini(&w->waiting);
    wm_buffer_fini(&w->stat);
    wm_buffer_fini(&w->group);
    wm_buffer_fini(&w->chunk_rows);
    wm_buffer_fini(&w->launch_rows);
    free(w->temporary);
    free(w->path);
    free(w);
}

static wm_status write_bytes(wm_wmt_writer *w, const void *bytes,
                             size_t n_bytes, wm_error *err)
{
    if (n_bytes > 0 && fwrite(bytes, 1, n_bytes, w->file) != n_bytes) {
        return wm_fail(err, WM_EIO, "%s: %s", w->temporary, strerror(errno));
    }
    w->offset += n_bytes;
    return WM_OK;
}

/* Lane lists of a payload, in bytes, and the share of it, from which on it is
 * packed as one of lists. */
#define LISTS_MIN   ((size_t)1 << 15)
#define LISTS_SHARE 4u

/*
 * Puts into w->packed what is to be stored of w->payload, if packing makes it
 * smaller; *flags says what was done.  The last n_tail bytes stay as they are
 * where they look like noise.
 */
static wm_status pack_payload(wm_wmt_writer *w, size_t n_tail, uint32_t *flags,
                              wm_error *err)
{
    uint8_t n_zlib[4] = {0};
    size_t n_raw = w->payload.n_bytes;
    const char *bytes = w->payload.bytes;
    bool has_tail =
        n_tail > 0 && !wm_wmt_is_packable(bytes + n_raw - n_tail, n_tail);
    size_t n_head = has_tail ? n_raw - n_tail : n_raw;
    wm_buffer_clear(&w->packed);
    if (has_tail) {
        wm_buffer_add(&w->packed, n_zlib, sizeof(n_zlib));
    }
    const bool is_lists = n_tail >= LISTS_MIN && n_tail >= n_raw / LISTS_SHARE;
    wm_status status = wm_wmt_pack(bytes, n_head, is_lists, &w->packed, err);
    if (status == WM_OK && has_tail) {
        wm_wmt_put_u32((uint8_t *)w->packed.bytes,
                       (uint32_t)(w->packed.n_bytes - sizeof(n_zlib)));
        wm_buffer_add(&w->packed, bytes + n_head, n_tail);
    }
    if (w->packed.is_failed) {
        return wm_fail_memory(err);
    }
    *flags = w->packed.n_bytes >= n_raw ? WM_WMT_FLAG_STORED
             : has_tail                 ? WM_WMT_FLAG_TAIL
                                        : 0;
    return status;
}

/* Writes w->payload as one chunk, packed where that makes it smaller. */
static wm_status write_chunk(wm_wmt_writer *w, uint32_t type, size_t n_tail,
                             wm_error *err)
{
    uint8_t head[WM_WMT_CHUNK_BYTES];
    size_t n_raw = w->payload.n_bytes;
    uint32_t flags = WM_WMT_FLAG_STORED;
    if (w->payload.is_failed) {
        return wm_fail_memory(err);
    }
    if (n_raw > WM_WMT_RAW_MAX) {
        return wm_fail(err, WM_EFORMAT,
                       "%s: a CTA of %zu bytes, the format ends at %" PRIu32,
                       w->path, n_raw, WM_WMT_RAW_MAX);
    }
    if (type != WM_WMT_FOOT && n_raw > 0) {
        wm_status status = pack_payload(w, n_tail, &flags, err);
        if (status != WM_OK) {
            return status;
        }
    }
    const wm_buffer *stored =
        flags == WM_WMT_FLAG_STORED ? &w->payload : &w->packed;
    wm_wmt_put_u32(head, type);
    wm_wmt_put_u32(head + 4, flags);
    wm_wmt_put_u32(head + 8, (uint32_t)n_raw);
    wm_wmt_put_u32(head + 12, (uint32_t)stored->n_bytes);
    wm_wmt_put_u32(head + 16, wm_wmt_crc32(stored->bytes, stored->n_bytes));
    wm_wmt_put_u32(head + 20, wm_wmt_crc32(head, 20));
    wm_status status = write_bytes(w, head, sizeof(head), err);
    if (status == WM_OK) {
        status = write_bytes(w, stored->bytes, stored->n_bytes, err);
    }
    w->n_chunks++;
    wm_buffer_clear(&w->payload);
    return status;
}

static wm_status write_file_head(wm_wmt_writer *w, wm_error *err)
{
    uint8_t head[WM_WMT_FILE_BYTES];
    memcpy(head, WM_WMT_MAGIC, WM_WMT_MAGIC_BYTES);
    wm_wmt_put_u32(head + 8, WM_WMT_VERSION);
    wm_wmt_put_u32(head + 12, wm_wmt_crc32(head, 12));
    wm_status status = write_bytes(w, head, sizeof(head), err);
    if (status == WM_OK) {
        wm_buffer_puts(&w->payload, PROVENANCE);
        status = write_chunk(w, WM_WMT_META, 0, err);
    }
    return status;
}

static char *join(const char *path, long number)
{
    size_t n = strlen(path) + 32;
    char *joined = malloc(n);
    if (joined != NULL) {
        (void)snprintf(joined, n, number < 0 ? "%s" : "%s.tmp-%ld", path,
                       number);
    }
    return joined;
}

wm_status wm_wmt_create(const char *path, wm_wmt_writer **out, wm_error *err)
{
    *out = NULL;
    wm_wmt_writer *w = calloc(1, sizeof(*w));
    if (w == NULL) {
        return wm_fail_memory(err);
    }
    wm_buffer_init(&w->payload);
    wm_buffer_init(&w->packed);
    wm_buffer_init(&w->statics);
    wm_buffer_init(&w->waiting);
    wm_buffer_init(&w->stat);
    wm_buffer_init(&w->group);
    w->small_bytes = WM_WMT_SMALL_BYTES;
    wm_buffer_init(&w->chunk_rows);
    wm_buffer_init(&w->launch_rows);
    w->path = join(path, -1);
    w->temporary = join(path, (long)getpid());
    w->encoder = wm_wmt_encoder_new();
    wm_status status = WM_OK;
    if (w->path == NULL || w->temporary == NULL || w->encoder == NULL) {
        status = wm_fail_memory(err);
    } else {
        w->file = fopen(w->temporary, "wb");
        w->is_created = w->file != NULL;
        status = w->file == NULL ? wm_fail(err, WM_EIO, "%s: %s", w->temporary,
                                           strerror(errno))
                                 : write_file_head(w, err);
    }
    if (status != WM_OK) {
        writer_free(w);
        return status;
    }
    *out = w;
    return WM_OK;
}

void wm_wmt_set_small(wm_wmt_writer *writer, size_t n_bytes)
{
    writer->small_bytes = n_bytes;
}

/* Writes a buffer as one chunk and empties it. */
static wm_status write_buffer(wm_wmt_writer *w, uint32_t type,
                              wm_buffer *buffer, wm_error *err)
{
    if (buffer->is_failed) {
        return wm_fail_memory(err);
    }
    wm_buffer_clear(&w->payload);
    wm_buffer_add(&w->payload, buffer->bytes, buffer->n_bytes);
    wm_buffer_clear(buffer);
    return write_chunk(w, type, 0, err);
}

/* Moves a buffer behind others: type, size, and the bytes. */
static void append(wm_buffer *to, uint32_t type, wm_buffer *buffer)
{
    uint8_t bytes[4];
    to->is_failed |= buffer->is_failed;
    if (buffer->n_bytes > 0) {
        wm_wmt_put_u32(bytes, type);
        wm_buffer_add(to, bytes, sizeof(bytes));
        wm_wmt_put_varint(to, buffer->n_bytes);
        wm_buffer_add(to, buffer->bytes, buffer->n_bytes);
        wm_buffer_clear(buffer);
    }
}

static wm_status flush_group(wm_wmt_writer *w, wm_error *err)
{
    return w->group.n_bytes == 0 && !w->group.is_failed
               ? WM_OK
               : write_buffer(w, WM_WMT_GRUP, &w->group, err);
}

static wm_status flush_full_group(wm_wmt_writer *w, wm_error *err)
{
    return w->group.n_bytes < WM_WMT_GROUP_BYTES && !w->group.is_failed
               ? WM_OK
               : flush_group(w, err);
}

/* Indexes the chunk that is about to be written. */
static void add_row(wm_wmt_writer *w, uint32_t n_ctas)
{
    wm_wmt_put_varint(&w->chunk_rows, w->offset - w->last_chunk_offset);
    wm_wmt_put_varint(&w->chunk_rows, n_ctas);
    w->last_chunk_offset = w->offset;
    w->n_launch_chunks++;
}

/* The statics and CTAs gathered so far become w->stat and w->payload. */
static wm_status make_chunks(wm_wmt_writer *w, size_t *n_tail, wm_error *err)
{
    *n_tail = 0;
    if (w->n_statics_waiting > 0) {
        wm_wmt_put_varint(&w->stat, w->n_launches - 1);
        wm_wmt_put_varint(&w->stat, w->n_statics - w->n_statics_waiting);
        wm_wmt_put_varint(&w->stat, w->n_statics_waiting);
        wm_buffer_add(&w->stat, w->statics.bytes, w->statics.n_bytes);
        w->stat.is_failed |= w->statics.is_failed;
        wm_buffer_clear(&w->statics);
        w->n_statics_waiting = 0;
    }
    return wm_wmt_encoder_write(w->encoder, w->n_launches - 1, w->n_ctas,
                                w->n_statics, &w->payload, n_tail, err);
}

/* Writes a chunk of the launch to the file; n_ctas is 0 for a STAT chunk. */
static wm_status write_indexed(wm_wmt_writer *w, uint32_t type, uint32_t n_ctas,
                               wm_buffer *buffer, wm_error *err)
{
    add_row(w, n_ctas);
    return write_buffer(w, type, buffer, err);
}

/* The launch is not small: its chunks that wait become chunks of the file. */
static wm_status write_waiting(wm_wmt_writer *w, wm_error *err)
{
    const uint8_t *bytes = (const uint8_t *)w->waiting.bytes;
    wm_wmt_cursor cursor = {bytes, bytes + w->waiting.n_bytes};
    wm_buffer one;
    uint32_t n_seen = 0;
    wm_buffer_init(&one);
    wm_status status =
        w->waiting.is_failed ? wm_fail_memory(err) : flush_group(w, err);
    w->launch_offset = w->offset;
    w->last_chunk_offset = w->offset;
    while (status == WM_OK && wm_wmt_left(&cursor) > 0) {
        uint32_t type = wm_wmt_get_u32(cursor.at);
        uint64_t n = 0;
        cursor.at += 4;
        (void)wm_wmt_get_varint(&cursor, &n);
        wm_buffer_add(&one, cursor.at, (size_t)n);
        cursor.at += n;
        if (type == WM_WMT_LAUN) {
            status = write_buffer(w, type, &one, err);
        } else {
            uint32_t n_ctas =
                type == WM_WMT_CTAS ? w->waiting_ctas[n_seen++] : 0;
            status = write_indexed(w, type, n_ctas, &one, err);
        }
    }
    wm_buffer_fini(&one);
    wm_buffer_clear(&w->waiting);
    return status;
}

/* Writes w->stat and w->payload to the file, behind what waits. */
static wm_status write_chunks(wm_wmt_writer *w, uint32_t n_ctas, size_t n_tail,
                              wm_error *err)
{
    wm_status status = WM_OK;
    wm_buffer ctas = w->payload;
    wm_buffer_init(&w->payload);
    if (w->waiting.n_bytes > 0) {
        status = write_waiting(w, err);
    }
    if (status == WM_OK && w->stat.n_bytes > 0) {
        status = write_indexed(w, WM_WMT_STAT, 0, &w->stat, err);
    }
    wm_buffer_fini(&w->payload);
    w->payload = ctas;
    if (status == WM_OK && n_ctas > 0) {
        add_row(w, n_ctas);
        status = write_chunk(w, WM_WMT_CTAS, n_tail, err);
    }
    wm_buffer_clear(&w->payload);
    return status;
}

static wm_status flush_ctas(wm_wmt_writer *w, wm_error *err)
{
    size_t n_tail = 0;
    uint32_t n_ctas = wm_wmt_encoder_n_ctas(w->encoder);
    wm_status status = n_ctas == 0 ? WM_OK : make_chunks(w, &n_tail, err);
    if (status != WM_OK) {
        return status;
    }
    size_t n_bytes = w->waiting.n_bytes + w->stat.n_bytes + w->payload.n_bytes;
    if (w->waiting.n_bytes > 0 && n_bytes <= w->small_bytes &&
        w->n_waiting_ctas < WM_WMT_SMALL_CTAS) {
        append(&w->waiting, WM_WMT_STAT, &w->stat);
        append(&w->waiting, WM_WMT_CTAS, &w->payload);
        w->waiting_ctas[w->n_waiting_ctas++] = n_ctas;
    } else {
        status = write_chunks(w, n_ctas, n_tail, err);
    }
    w->n_ctas += n_ctas;
    wm_wmt_encoder_clear(w->encoder);
    return status;
}

/* An add that failed leaves a buffer short, maybe empty: nothing may then be
 * written from what it holds. */
static wm_status check_memory(const wm_wmt_writer *w, wm_error *err)
{
    const bool is_short = w->payload.is_failed || w->statics.is_failed ||
                          w->waiting.is_failed || w->stat.is_failed ||
                          w->group.is_failed || w->chunk_rows.is_failed ||
                          w->launch_rows.is_failed;
    return is_short ? wm_fail_memory(err) : WM_OK;
}

static wm_status end_launch(wm_wmt_writer *w, wm_error *err)
{
    if (!w->is_in_launch) {
        return check_memory(w, err);
    }
    wm_status status = flush_ctas(w, err);
    w->is_in_launch = false;
    if (status == WM_OK) {
        status = check_memory(w, err);
    }
    if (status == WM_OK && w->waiting.n_bytes > 0) {
        w->launch_offset = w->offset; /* where the group will be */
        wm_buffer_add(&w->group, w->waiting.bytes, w->waiting.n_bytes);
        w->group.is_failed |= w->waiting.is_failed;
        wm_buffer_clear(&w->waiting);
    }
    wm_wmt_put_varint(&w->launch_rows, w->launch_offset);
    wm_wmt_put_varint(&w->launch_rows, w->n_ctas);
    wm_wmt_put_varint(&w->launch_rows, w->n_launch_chunks);
    if (w->chunk_rows.n_bytes > 0) {
        wm_buffer_add(&w->launch_rows, w->chunk_rows.bytes,
                      w->chunk_rows.n_bytes);
    }
    if (w->chunk_rows.is_failed) {
        return wm_fail_memory(err);
    }
    wm_buffer_clear(&w->chunk_rows);
    return status == WM_OK ? flush_full_group(w, err) : status;
}

wm_status wm_wmt_copy(wm_wmt_writer *writer, const wm_copy *copy, wm_error *err)
{
    wm_status status = end_launch(writer, err);
    if (status != WM_OK) {
        return status;
    }
    wm_wmt_put_varint(&writer->payload, (uint64_t)copy->kind);
    wm_wmt_put_varint(&writer->payload, copy->addr);
    wm_wmt_put_varint(&writer->payload, copy->n_bytes);
    if (writer->small_bytes == 0) {
        return write_chunk(writer, WM_WMT_COPY, 0, err);
    }
    append(&writer->group, WM_WMT_COPY, &writer->payload);
    return flush_full_group(writer, err);
}

static void put_text(wm_buffer *buffer, const char *text)
{
    size_t n = strlen(text);
    wm_wmt_put_varint(buffer, n);
    wm_buffer_add(buffer, text, n);
}

wm_status wm_wmt_launch(wm_wmt_writer *writer, const wm_launch *launch,
                        wm_error *err)
{
    wm_wmt_writer *w = writer;
    const char *fault = wm_launch_fault(launch);
    if (fault != NULL) {
        return wm_fail(err, WM_EFORMAT, "%s: launch: %s", w->path, fault);
    }
    wm_status status = end_launch(w, err);
    if (status != WM_OK) {
        return status;
    }
    const uint64_t numbers[] = {
        w->n_launches,          launch->grid[0],      launch->grid[1],
        launch->grid[2],        launch->block[0],     launch->block[1],
        launch->block[2],       launch->shared_bytes, launch->registers,
        launch->warp_size,      launch->sm_version,   launch->stream,
        launch->shared_base,    launch->local_base,   launch->n_ctas,
        launch->n_warps_per_cta};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        wm_wmt_put_varint(&w->payload, numbers[i]);
    }
    put_text(&w->payload, launch->name);
    append(&w->waiting, WM_WMT_LAUN, &w->payload);
    w->n_waiting_ctas = 0;
    w->n_launches++;
    w->is_in_launch = true;
    w->n_ctas = 0;
    w->n_launch_chunks = 0;
    w->n_statics = 0;
    w->n_statics_waiting = 0;
    wm_buffer_clear(&w->statics);
    wm_wmt_encoder_clear(w->encoder);
    return WM_OK;
}

static void gather_statics(wm_wmt_writer *w, const wm_launch *launch)
{
    for (; w->n_statics < launch->n_statics; w->n_statics++) {
        const wm_static *item = &launch->statics[w->n_statics];
        wm_wmt_put_varint(&w->statics, item->pc);
        wm_wmt_put_varint(&w->statics, item->line);
        wm_wmt_put_varint(&w->statics, item->kind);
        wm_wmt_put_varint(&w->statics, item->width);
        wm_wmt_put_varint(&w->statics, item->flags);
        put_text(&w->statics, item->opcode == NULL ? "" : item->opcode);
        w->n_statics_waiting++;
    }
}

wm_status wm_wmt_cta(wm_wmt_writer *writer, const wm_launch *launch,
                     const wm_cta *cta, wm_error *err)
{
    gather_statics(writer, launch);
    wm_status status = wm_wmt_encoder_add(writer->encoder, launch, cta, err);
    if (status == WM_OK && wm_wmt_encoder_is_full(writer->encoder)) {
        status = flush_ctas(writer, err);
    }
    return status;
}

static wm_status write_end(wm_wmt_writer *w, wm_error *err)
{
    uint8_t foot[WM_WMT_FOOT_BYTES];
    uint64_t index_offset = w->offset;
    wm_wmt_put_varint(&w->payload, w->n_launches);
    if (w->launch_rows.n_bytes > 0) {
        wm_buffer_add(&w->payload, w->launch_rows.bytes,
                      w->launch_rows.n_bytes);
    }
    if (w->launch_rows.is_failed) {
        return wm_fail_memory(err);
    }
    wm_status status = write_chunk(w, WM_WMT_INDX, 0, err);
    if (status != WM_OK) {
        return status;
    }
    wm_wmt_put_u64(foot, index_offset);
    wm_wmt_put_u64(foot + 8, w->n_launches);
    wm_wmt_put_u64(foot + 16, w->n_chunks);
    memcpy(foot + 24, WM_WMT_FOOT_MAGIC, 8);
    wm_buffer_add(&w->payload, foot, sizeof(foot));
    return write_chunk(w, WM_WMT_FOOT, 0, err);
}

wm_status wm_wmt_finish(wm_wmt_writer *writer, wm_error *err)
{
    wm_wmt_writer *w = writer;
    wm_status status = end_launch(w, err);
    if (status == WM_OK) {
        status = flush_group(w, err);
    }
    if (status == WM_OK) {
        status = write_end(w, err);
    }
    if (status == WM_OK) {
        FILE *file = w->file;
        w->file = NULL;
        if (fclose(file) != 0) {
            status =
                wm_fail(err, WM_EIO, "%s: %s", w->temporary, strerror(errno));
        } else if (rename(w->temporary, w->path) != 0) {
            status = wm_fail(err, WM_EIO, "%s: %s", w->path, strerror(errno));
        } else {
            w->is_created = false;
        }
    }
    writer_free(w);
    return status;
}

void wm_wmt_abort(wm_wmt_writer *writer)
{
    if (writer != NULL) {
        writer_free(writer);
    }
}
