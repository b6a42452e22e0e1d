/*
 * stream.c -- one buffer of decompressed bytes, refilled in place.
 *
 * Plain files are read in blocks rather than mapped: a mapped file that
 * somebody cuts short kills the reader with SIGBUS, and reading from the page
 * cache costs a tenth of scanning the text.
 */
#include "trace/stream.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <lzma.h>
#include <zlib.h>

/* A build for fuzzing makes them small, so that small inputs cross them. */
#ifndef WM_STREAM_BLOCK_BYTES
#define WM_STREAM_BLOCK_BYTES  ((size_t)1 << 20)
#define WM_STREAM_STORED_BYTES ((size_t)1 << 18)
#endif
#define BLOCK_BYTES       WM_STREAM_BLOCK_BYTES
#define STORED_BYTES      WM_STREAM_STORED_BYTES
#define LINE_BYTES_MAX    ((size_t)64 << 20)
#define XZ_MEMORY_MAX     (UINT64_C(512) << 20)
#define LFS_POINTER_START "version https://git-lfs.github.com/spec"

typedef enum codec { CODEC_NONE, CODEC_GZIP, CODEC_XZ } codec;

struct wm_stream {
    char *path;
    int file;
    uint64_t stored_size;
    wm_digest *digest;
    uint64_t *n_bytes_done;

    /* Stored bytes not yet decoded (gzip and xz). */
    uint8_t *stored;
    size_t stored_begin, stored_end;
    uint64_t stored_offset; /* file offset of stored_end (or of the buffer) */
    uint64_t n_fed;         /* bytes given to digest so far, over all passes */
    bool stored_ended;

    codec codec;
    bool has_decoder;
    bool member_open; /* gzip: inside a member */
    z_stream zlib;
    lzma_stream lzma;

    /* Decoded bytes; WM_STREAM_PAD bytes behind `end` are always there. */
    uint8_t *bytes;
    size_t capacity;
    size_t block; /* added at a time at most */
    size_t begin, end;
    uint64_t offset; /* decoded bytes before `begin` */
    uint64_t line_number;
    bool ended;
};

static wm_status stored_read(wm_stream *s, uint8_t *target, size_t n_wanted,
                             size_t *n_read, wm_error *err)
{
    ssize_t n;
    do {
        n = read(s->file, target, n_wanted);
    } while (n < 0 && errno == EINTR);
    if (n < 0) {
        return wm_fail(err, WM_EIO, "%s: %s", s->path, strerror(errno));
    }
    *n_read = (size_t)n;
    uint64_t end = s->stored_offset + *n_read;
    if (end > s->n_fed) {
        size_t n_new = (size_t)(end - s->n_fed);
        if (s->digest != NULL) {
            wm_digest_add(s->digest, target + (*n_read - n_new), n_new);
        }
        if (s->n_bytes_done != NULL) {
            *s->n_bytes_done += n_new;
        }
        s->n_fed = end;
    }
    s->stored_offset = end;
    return WM_OK;
}

static wm_status stored_fill(wm_stream *s, wm_error *err)
{
    size_t n = 0;
    if (s->stored_begin < s->stored_end || s->stored_ended) {
        return WM_OK;
    }
    s->stored_begin = s->stored_end = 0;
    wm_status status = stored_read(s, s->stored, STORED_BYTES, &n, err);
    s->stored_end = n;
    s->stored_ended = status == WM_OK && n == 0;
    return status;
}

/* Offset in the file of the next stored byte to decode. */
static uint64_t stored_position(const wm_stream *s)
{
    return s->stored_offset - (s->stored_end - s->stored_begin);
}

static wm_status fail_damaged(const wm_stream *s, const char *what,
                              wm_error *err)
{
    return wm_fail(err, WM_EFORMAT, "%s: byte %" PRIu64 ": %s", s->path,
                   stored_position(s), what);
}

static wm_status plain_decode(wm_stream *s, wm_error *err)
{
    size_t n = 0;
    if (s->stored_begin < s->stored_end) {
        n = s->stored_end - s->stored_begin;
        size_t room = s->capacity - s->end;
        n = n < room ? n : room;
        memcpy(s->bytes + s->end, s->stored + s->stored_begin, n);
        s->stored_begin += n;
    } else {
        size_t room = s->capacity - s->end;
        wm_status status = stored_read(
            s, s->bytes + s->end, room < s->block ? room : s->block, &n, err);
        if (status != WM_OK) {
            return status;
        }
        s->ended = n == 0;
    }
    s->end += n;
    return WM_OK;
}

/* Between two gzip members: zero padding may follow the last one. */
static wm_status gzip_next_member(wm_stream *s, wm_error *err)
{
    for (;;) {
        wm_status status = stored_fill(s, err);
        if (status != WM_OK) {
            return status;
        }
        if (s->stored_begin == s->stored_end) {
            s->ended = true;
            return WM_OK;
        }
        if (s->stored[s->stored_begin] != 0) {
            break;
        }
        s->stored_begin++;
    }
    (void)inflateReset(&s->zlib);
    s->member_open = true;
    return WM_OK;
}

static wm_status gzip_decode(wm_stream *s, wm_error *err)
{
    wm_status status = WM_OK;
    if (!s->member_open) {
        status = gzip_next_member(s, err);
        if (status != WM_OK || s->ended) {
            return status;
        }
    }
    status = stored_fill(s, err);
    if (status != WM_OK) {
        return status;
    }
    if (s->stored_begin == s->stored_end) {
        return fail_damaged(s, "gzip data ends early", err);
    }
    s->zlib.next_in = s->stored + s->stored_begin;
    s->zlib.avail_in = (uInt)(s->stored_end - s->stored_begin);
    s->zlib.next_out = s->bytes + s->end;
    s->zlib.avail_out = (uInt)(s->capacity - s->end);
    int result = inflate(&s->zlib, Z_NO_FLUSH);
    s->stored_begin = s->stored_end - s->zlib.avail_in;
    s->end = s->capacity - s->zlib.avail_out;
    if (result == Z_STREAM_END) {
        s->member_open = false;
    } else if (result == Z_MEM_ERROR) {
        return wm_fail_memory(err);
    } else if (result != Z_OK) {
        return fail_damaged(s, "damaged gzip data", err);
    }
    return WM_OK;
}

static const char *xz_damage(lzma_ret result)
{
    switch (result) {
    case LZMA_BUF_ERROR:
        return "xz data ends early";
    case LZMA_MEMLIMIT_ERROR:
        return "xz data needs more than 512 MiB to decompress";
    case LZMA_OPTIONS_ERROR:
        return "xz data uses options that liblzma does not know";
    case LZMA_FORMAT_ERROR:
        return "not xz data";
    default:
        return "damaged xz data";
    }
}

static wm_status xz_decode(wm_stream *s, wm_error *err)
{
    wm_status status = stored_fill(s, err);
    if (status != WM_OK) {
        return status;
    }
    s->lzma.next_in = s->stored + s->stored_begin;
    s->lzma.avail_in = s->stored_end - s->stored_begin;
    s->lzma.next_out = s->bytes + s->end;
    s->lzma.avail_out = s->capacity - s->end;
    lzma_ret result =
        lzma_code(&s->lzma, s->stored_ended ? LZMA_FINISH : LZMA_RUN);
    s->stored_begin = s->stored_end - s->lzma.avail_in;
    s->end = s->capacity - s->lzma.avail_out;
    if (result == LZMA_STREAM_END) {
        s->ended = true;
    } else if (result == LZMA_MEM_ERROR) {
        return wm_fail_memory(err);
    } else if (result != LZMA_OK) {
        return fail_damaged(s, xz_damage(result), err);
    }
    return WM_OK;
}

static void decoder_close(wm_stream *s)
{
    if (s->has_decoder && s->codec == CODEC_GZIP) {
        (void)inflateEnd(&s->zlib);
    } else if (s->has_decoder && s->codec == CODEC_XZ) {
        lzma_end(&s->lzma);
    }
    s->has_decoder = false;
}

/* Looks at the first stored bytes and starts the decoder they ask for. */
static wm_status decoder_open(wm_stream *s, wm_error *err)
{
    static const uint8_t gzip_magic[] = {0x1f, 0x8b};
    static const uint8_t xz_magic[] = {0xfd, '7', 'z', 'X', 'Z', 0};
    static const uint8_t zstd_magic[] = {0x28, 0xb5, 0x2f, 0xfd};
    size_t n = s->stored_end - s->stored_begin;
    const uint8_t *head = s->stored + s->stored_begin;
    s->codec = CODEC_NONE;
    if (n >= sizeof(zstd_magic) &&
        memcmp(head, zstd_magic, sizeof(zstd_magic)) == 0) {
        return wm_fail(err, WM_EFORMAT,
                       "%s: zstd data, which this build does not read, wanted "
                       "plain, gzip or xz: decompress it first (zstd -d)",
                       s->path);
    }
    if (n >= sizeof(gzip_magic) &&
        memcmp(head, gzip_magic, sizeof(gzip_magic)) == 0) {
        s->codec = CODEC_GZIP;
        memset(&s->zlib, 0, sizeof(s->zlib));
        s->member_open = true;
        if (inflateInit2(&s->zlib, 15 + 16) != Z_OK) {
            return wm_fail_memory(err);
        }
        s->has_decoder = true;
    } else if (n >= sizeof(xz_magic) &&
               memcmp(head, xz_magic, sizeof(xz_magic)) == 0) {
        static const lzma_stream fresh = LZMA_STREAM_INIT;
        s->codec = CODEC_XZ;
        s->lzma = fresh;
        if (lzma_stream_decoder(&s->lzma, XZ_MEMORY_MAX, LZMA_CONCATENATED) !=
            LZMA_OK) {
            return wm_fail_memory(err);
        }
        s->has_decoder = true;
    }
    return WM_OK;
}

/* Adds at least one byte behind `end` unless the file has ended. */
static wm_status decode_more(wm_stream *s, wm_error *err)
{
    size_t before = s->end;
    while (s->end == before && !s->ended) {
        wm_status status = s->codec == CODEC_NONE   ? plain_decode(s, err)
                           : s->codec == CODEC_GZIP ? gzip_decode(s, err)
                                                    : xz_decode(s, err);
        if (status != WM_OK) {
            return status;
        }
    }
    return WM_OK;
}

/* Makes room for n_wanted bytes from `begin` on. */
static wm_status make_room(wm_stream *s, size_t n_wanted, wm_error *err)
{
    if (s->begin > 0 && s->begin + n_wanted > s->capacity) {
        memmove(s->bytes, s->bytes + s->begin, s->end - s->begin);
        s->end -= s->begin;
        s->begin = 0;
    }
    if (n_wanted > s->capacity) {
        size_t capacity = s->capacity;
        while (capacity < n_wanted) {
            capacity *= 2;
        }
        uint8_t *bytes = realloc(s->bytes, capacity + WM_STREAM_PAD);
        if (bytes == NULL) {
            return wm_fail_memory(err);
        }
        s->bytes = bytes;
        s->capacity = capacity;
    }
    return WM_OK;
}

static wm_status ensure(wm_stream *s, size_t n_wanted, wm_error *err)
{
    while (s->end - s->begin < n_wanted && !s->ended) {
        wm_status status = make_room(s, n_wanted, err);
        if (status == WM_OK) {
            status = decode_more(s, err);
        }
        if (status != WM_OK) {
            return status;
        }
    }
    return WM_OK;
}

/* First bytes of a pass: start the decoder, drop a byte order mark. */
static wm_status start_pass(wm_stream *s, wm_error *err)
{
    static const uint8_t mark[] = {0xef, 0xbb, 0xbf};
    s->begin = s->end = 0;
    s->stored_begin = s->stored_end = 0;
    s->stored_offset = 0;
    s->stored_ended = s->ended = false;
    s->offset = 0;
    s->line_number = 0;
    wm_status status = stored_fill(s, err);
    if (status == WM_OK) {
        status = decoder_open(s, err);
    }
    if (status == WM_OK) {
        status = ensure(s, sizeof(mark), err);
    }
    if (status == WM_OK && s->end >= sizeof(mark) &&
        memcmp(s->bytes, mark, sizeof(mark)) == 0) {
        wm_stream_consume(s, sizeof(mark));
    }
    return status;
}

static wm_status check_content(wm_stream *s, wm_error *err)
{
    static const char pointer[] = LFS_POINTER_START;
    wm_status status = ensure(s, sizeof(pointer), err);
    if (status != WM_OK) {
        return status;
    }
    size_t n = s->end - s->begin;
    if (n == 0) {
        return wm_fail(err, WM_EFORMAT, "%s: empty file, wanted a trace",
                       s->path);
    }
    if (n >= sizeof(pointer) - 1 &&
        memcmp(s->bytes + s->begin, pointer, sizeof(pointer) - 1) == 0) {
        return wm_fail(err, WM_EFORMAT,
                       "%s:1: this is a Git LFS pointer, run git lfs pull",
                       s->path);
    }
    return WM_OK;
}

static wm_status open_file(wm_stream *s, wm_error *err)
{
    struct stat info;
    s->file = open(s->path, O_RDONLY | O_CLOEXEC);
    if (s->file < 0) {
        bool is_missing = errno == ENOENT || errno == ENOTDIR;
        if (is_missing && strcmp(s->path, "-") == 0) {
            return wm_fail(err, WM_EFORMAT,
                           "-: not taken for standard input, wanted a file's "
                           "name (or /dev/stdin)");
        }
        return wm_fail(err, is_missing ? WM_EFORMAT : WM_EIO, "%s: %s", s->path,
                       strerror(errno));
    }
    if (fstat(s->file, &info) != 0) {
        return wm_fail(err, WM_EIO, "%s: %s", s->path, strerror(errno));
    }
    if (S_ISDIR(info.st_mode)) {
        return wm_fail(err, WM_EIO, "%s: a directory, wanted a file", s->path);
    }
    s->stored_size = S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0;
    return WM_OK;
}

wm_status wm_stream_open(const char *path, wm_digest *digest,
                         uint64_t *n_bytes_done, wm_stream **out, wm_error *err)
{
    *out = NULL;
    wm_stream *s = calloc(1, sizeof(*s));
    if (s == NULL) {
        return wm_fail_memory(err);
    }
    s->file = -1;
    s->digest = digest;
    s->n_bytes_done = n_bytes_done;
    s->path = malloc(strlen(path) + 1);
    s->stored = malloc(STORED_BYTES);
    s->bytes = malloc(BLOCK_BYTES + WM_STREAM_PAD);
    s->capacity = BLOCK_BYTES;
    s->block = SIZE_MAX;
    wm_status status = WM_OK;
    if (s->path == NULL || s->stored == NULL || s->bytes == NULL) {
        status = wm_fail_memory(err);
    } else {
        memcpy(s->path, path, strlen(path) + 1);
        status = open_file(s, err);
    }
    if (status == WM_OK) {
        status = start_pass(s, err);
    }
    if (status == WM_OK) {
        status = check_content(s, err);
    }
    if (status != WM_OK) {
        wm_stream_close(s);
        return status;
    }
    *out = s;
    return WM_OK;
}

void wm_stream_close(wm_stream *stream)
{
    if (stream == NULL) {
        return;
    }
    decoder_close(stream);
    if (stream->file >= 0) {
        (void)close(stream->file);
    }
    free(stream->path);
    free(stream->stored);
    free(stream->bytes);
    free(stream);
}

void wm_stream_set_account(wm_stream *stream, wm_digest *digest,
                           uint64_t *n_bytes_done, size_t block)
{
    stream->digest = digest;
    stream->n_bytes_done = n_bytes_done;
    stream->block = block;
}

bool wm_stream_can_seek(const wm_stream *stream)
{
    return stream->codec == CODEC_NONE && stream->stored_size > 0;
}

wm_status wm_stream_seek(wm_stream *stream, uint64_t offset, wm_error *err)
{
    wm_stream *s = stream;
    assert(offset >= s->offset && wm_stream_can_seek(s));
    if (offset - s->offset <= s->end - s->begin) {
        wm_stream_consume(s, (size_t)(offset - s->offset));
        return WM_OK;
    }
    if (lseek(s->file, (off_t)offset, SEEK_SET) < 0) {
        return wm_fail(err, WM_EIO, "%s: %s", s->path, strerror(errno));
    }
    s->digest = NULL;
    s->begin = s->end = 0;
    s->stored_begin = s->stored_end = 0;
    s->stored_offset = offset;
    s->n_fed = offset;
    s->stored_ended = s->ended = false;
    s->offset = offset;
    return WM_OK;
}

wm_status wm_stream_peek(wm_stream *stream, size_t n_wanted,
                         const uint8_t **bytes, size_t *n_bytes, wm_error *err)
{
    assert(n_wanted <= LINE_BYTES_MAX);
    wm_status status = ensure(stream, n_wanted, err);
    *bytes = stream->bytes + stream->begin;
    *n_bytes = stream->end - stream->begin;
    return status;
}

void wm_stream_consume(wm_stream *stream, size_t n_bytes)
{
    assert(n_bytes <= stream->end - stream->begin);
    stream->begin += n_bytes;
    stream->offset += n_bytes;
}

wm_status wm_stream_read(wm_stream *stream, uint8_t *target, size_t n_wanted,
                         size_t *n_bytes, wm_error *err)
{
    wm_status status = WM_OK;
    *n_bytes = 0;
    if (stream->codec == CODEC_NONE && stream->begin == stream->end &&
        stream->stored_begin == stream->stored_end && !stream->ended) {
        status = stored_read(stream, target, n_wanted, n_bytes, err);
        stream->offset += *n_bytes;
    }
    return status;
}

/* Finds the line's end, decoding as much as it takes; NULL: the file ends. */
static wm_status find_newline(wm_stream *s, const uint8_t **newline,
                              wm_error *err)
{
    for (size_t n_seen = 0;;) {
        size_t n = s->end - s->begin;
        *newline = memchr(s->bytes + s->begin + n_seen, '\n', n - n_seen);
        if (*newline != NULL || s->ended) {
            return WM_OK;
        }
        if (n > LINE_BYTES_MAX) {
            return wm_fail(err, WM_EFORMAT,
                           "%s:%" PRIu64 ": line over 64 MiB, wanted a trace",
                           s->path, s->line_number + 1);
        }
        n_seen = n;
        wm_status status = ensure(s, n + 1, err);
        if (status != WM_OK) {
            return status;
        }
    }
}

wm_status wm_stream_line(wm_stream *stream, const char **line, size_t *n_bytes,
                         wm_error *err)
{
    const uint8_t *newline = NULL;
    *line = NULL;
    *n_bytes = 0;
    wm_status status = find_newline(stream, &newline, err);
    size_t n_left = stream->end - stream->begin;
    if (status != WM_OK || (newline == NULL && n_left == 0)) {
        return status;
    }
    const uint8_t *start = stream->bytes + stream->begin;
    size_t n = n_left;
    if (newline != NULL) {
        n = (size_t)(newline - start);
        wm_stream_consume(stream, n + 1);
    } else {
        stream->bytes[stream->end] = '\0';
        wm_stream_consume(stream, n);
    }
    if (n > 0 && start[n - 1] == '\r') {
        n--;
    }
    stream->line_number++;
    *line = (const char *)start;
    *n_bytes = n;
    return WM_OK;
}

uint64_t wm_stream_line_number(const wm_stream *stream)
{
    return stream->line_number;
}

wm_status wm_stream_rewind(wm_stream *stream, wm_error *err)
{
    if (lseek(stream->file, 0, SEEK_SET) != 0) {
        return wm_fail(err, WM_EIO, "%s: cannot be read twice (%s)",
                       stream->path, strerror(errno));
    }
    decoder_close(stream);
    return start_pass(stream, err);
}

const char *wm_stream_path(const wm_stream *stream)
{
    return stream->path;
}

uint64_t wm_stream_offset(const wm_stream *stream)
{
    return stream->offset;
}

uint64_t wm_stream_stored_bytes(const wm_stream *stream)
{
    return stream->stored_size;
}
