/*
 * wmt_index.c -- see wmt_index.h.
 */
#include "trace/wmt_index.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "trace/stream.h"
#include "trace/wmt_chunk.h"
#include "trace/wmt_layout.h"

#define FOOT_BYTES (WM_WMT_CHUNK_BYTES + WM_WMT_FOOT_BYTES)

/* Where the index lies, as the file's last bytes say; 0 when they do not. */
static uint64_t find_index(const char *path)
{
    uint8_t foot[FOOT_BYTES];
    uint64_t offset = 0;
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return 0;
    }
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
        info.st_size > (off_t)(FOOT_BYTES + WM_WMT_FILE_BYTES) &&
        pread(file, foot, sizeof(foot), info.st_size - (off_t)sizeof(foot)) ==
            (ssize_t)sizeof(foot) &&
        wm_wmt_get_u32(foot) == WM_WMT_FOOT &&
        wm_wmt_get_u32(foot + 20) == wm_wmt_crc32(foot, 20) &&
        wm_wmt_get_u32(foot + 16) ==
            wm_wmt_crc32(foot + WM_WMT_CHUNK_BYTES, WM_WMT_FOOT_BYTES) &&
        wm_wmt_get_u64(foot + WM_WMT_CHUNK_BYTES) <
            (uint64_t)info.st_size - FOOT_BYTES) {
        offset = wm_wmt_get_u64(foot + WM_WMT_CHUNK_BYTES);
    }
    (void)close(file);
    return offset;
}

/* Offsets must rise, and stay below the index itself. */
static bool get_launch(wm_wmt_index *index, wm_wmt_cursor *cursor,
                       uint64_t *last, uint64_t limit)
{
    uint64_t n_rows = 0;
    wm_wmt_index_launch *launch = &index->launches[index->n_launches];
    if (!wm_wmt_get_varint(cursor, &launch->offset) ||
        !wm_wmt_get_varint(cursor, &launch->n_ctas) ||
        !wm_wmt_get_varint(cursor, &n_rows) || launch->offset < *last ||
        launch->offset >= limit || n_rows > wm_wmt_left(cursor) / 2 ||
        !wm_grow(&index->rows, &index->cap_rows, index->n_rows + (size_t)n_rows,
                 sizeof(*index->rows))) {
        return false;
    }
    launch->first_row = index->n_rows;
    launch->n_rows = (size_t)n_rows;
    *last = launch->offset;
    for (size_t i = 0; i < launch->n_rows; i++) {
        wm_wmt_index_row *row = &index->rows[index->n_rows++];
        uint64_t step = 0;
        if (!wm_wmt_get_varint(cursor, &step) ||
            !wm_wmt_get_varint(cursor, &row->n_ctas) || step == 0 ||
            step >= limit - *last) {
            return false;
        }
        *last += step;
        row->offset = *last;
    }
    return true;
}

static bool parse(wm_wmt_index *index, const wm_wmt_payload *payload,
                  uint64_t limit)
{
    wm_wmt_cursor cursor = {payload->bytes, payload->bytes + payload->n_bytes};
    uint64_t n_launches = 0;
    uint64_t last = 0;
    if (!wm_wmt_get_varint(&cursor, &n_launches) ||
        n_launches > wm_wmt_left(&cursor) / 3 ||
        !wm_grow(&index->launches, &index->cap_launches, (size_t)n_launches,
                 sizeof(*index->launches))) {
        return false;
    }
    for (; index->n_launches < n_launches; index->n_launches++) {
        if (!get_launch(index, &cursor, &last, limit)) {
            return false;
        }
    }
    return wm_wmt_left(&cursor) == 0;
}

/* The INDX chunk at offset; false where it is none. */
static wm_status read_index(wm_wmt_index *index, wm_stream *stream,
                            uint64_t offset, bool *is_good, wm_error *err)
{
    wm_wmt_chunk chunk;
    wm_wmt_payload payload;
    const uint8_t *head = NULL;
    size_t n = 0;
    *is_good = false;
    wm_status status =
        wm_stream_peek(stream, WM_WMT_FILE_BYTES, &head, &n, err);
    if (status != WM_OK || n < WM_WMT_FILE_BYTES ||
        !wm_stream_can_seek(stream) || wm_wmt_get_u32(head + 8) < 2) {
        return status; /* format 1 does not say where statics lie */
    }
    wm_wmt_chunk_init(&chunk);
    wm_wmt_unpacker *unpacker = wm_wmt_unpacker_new();
    status = unpacker == NULL ? wm_fail_memory(err)
                              : wm_stream_seek(stream, offset, err);
    if (status == WM_OK) {
        status = wm_wmt_chunk_read(&chunk, stream, WM_WMT_VERSION, err);
    }
    *is_good =
        status == WM_OK && chunk.ending == WM_WMT_WHOLE &&
        chunk.type == WM_WMT_INDX && wm_wmt_chunk_check(&chunk) == NULL &&
        wm_wmt_chunk_unpack(&chunk, WM_WMT_VERSION, unpacker, &payload) ==
            NULL &&
        parse(index, &payload, offset);
    wm_wmt_unpacker_free(unpacker);
    wm_wmt_chunk_fini(&chunk);
    return status;
}

wm_status wm_wmt_index_load(const char *path, wm_wmt_index **out, wm_error *err)
{
    *out = NULL;
    wm_stream *stream = NULL;
    bool is_good = false;
    uint64_t offset = find_index(path);
    if (offset == 0) {
        return WM_OK;
    }
    wm_wmt_index *index = calloc(1, sizeof(*index));
    wm_status status = index == NULL
                           ? wm_fail_memory(err)
                           : wm_stream_open(path, NULL, NULL, &stream, err);
    if (status == WM_OK) {
        status = read_index(index, stream, offset, &is_good, err);
    }
    wm_stream_close(stream);
    if (status != WM_OK || !is_good) {
        wm_wmt_index_free(index);
        return status;
    }
    *out = index;
    return WM_OK;
}

void wm_wmt_index_free(wm_wmt_index *index)
{
    if (index != NULL) {
        free(index->launches);
        free(index->rows);
        free(index);
    }
}
