/*
 * test_stream.c -- the same lines through plain, gzip and xz, and clear words
 * for what cannot be read.
 */
#include "trace_files.h"

#include <lzma.h>
#include <zlib.h>

#include "trace/stream.h"

#define TEXT_MAX 4000000u

static size_t gzip(const char *text, size_t n, uint8_t *out)
{
    z_stream z;
    memset(&z, 0, sizeof(z));
    cr_assert_eq(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY),
                 Z_OK);
    z.next_in = (Bytef *)(uintptr_t)text;
    z.avail_in = (uInt)n;
    z.next_out = out;
    z.avail_out = TEXT_MAX;
    cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    cr_assert_eq(deflateEnd(&z), Z_OK);
    return TEXT_MAX - z.avail_out;
}

static size_t xz(const char *text, size_t n, uint8_t *out)
{
    size_t n_out = 0;
    cr_assert_eq(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL,
                                         (const uint8_t *)text, n, out, &n_out,
                                         TEXT_MAX),
                 LZMA_OK);
    return n_out;
}

/* Lines of every length up to some kilobytes, 3 MB in all. */
static char *make_text(size_t *n)
{
    char *text = malloc(TEXT_MAX);
    *n = 0;
    for (unsigned i = 0; *n < 3000000; i++) {
        unsigned length = i * 37 % 5000;
        *n += (size_t)sprintf(text + *n, "%u:", i);
        memset(text + *n, 'a' + (int)(i % 26), length);
        *n += length;
        text[(*n)++] = '\n';
    }
    return text;
}

/* Checks that the file gives make_text's lines, twice. */
static void check_lines(const char *path, unsigned n_times)
{
    wm_stream *stream = NULL;
    wm_error err;
    wm_digest digest;
    uint64_t n_done = 0;
    char first[WM_DIGEST_HEX], second[WM_DIGEST_HEX];
    wm_digest_init(&digest);
    cr_assert_eq(wm_stream_open(path, &digest, &n_done, &stream, &err), WM_OK,
                 "%s", err.text);
    for (int pass = 0; pass < 2; pass++) {
        const char *line = NULL;
        size_t n = 0;
        unsigned i = 0, n_lines = 0;
        size_t n_seen = 0;
        while (wm_stream_line(stream, &line, &n, &err) == WM_OK &&
               line != NULL) {
            char start[16];
            unsigned length = i * 37 % 5000;
            size_t n_start = (size_t)sprintf(start, "%u:", i);
            cr_assert_eq(n, n_start + length, "line %u", n_lines);
            cr_assert_eq(memcmp(line, start, n_start), 0);
            n_seen += n + 1;
            i = n_seen >= 3000000 ? 0 : i + 1;
            n_seen = i == 0 ? 0 : n_seen;
            cr_assert_eq(wm_stream_line_number(stream), ++n_lines);
        }
        cr_assert_null(line);
        cr_assert_gt(n_lines, 1000 * n_times);
        cr_assert_eq(i, 0);
        wm_digest_hex(&digest, pass == 0 ? first : second);
        cr_assert_eq(n_done, wm_stream_stored_bytes(stream));
        cr_assert_eq(wm_stream_rewind(stream, &err), WM_OK);
    }
    cr_assert_str_eq(first, second);
    wm_stream_close(stream);
}

Test(stream, plain_gzip_and_xz_give_the_same_lines)
{
    test_files files;
    size_t n_text = 0;
    char *text = make_text(&n_text);
    uint8_t *packed = malloc(TEXT_MAX);
    files_init(&files);
    check_lines(files_add(&files, "plain", text, n_text), 1);
    size_t n = gzip(text, n_text, packed);
    check_lines(files_add(&files, "gzip", packed, n), 1);
    n = xz(text, n_text, packed);
    check_lines(files_add(&files, "xz", packed, n), 1);
    files_fini(&files);
    free(packed);
    free(text);
}

Test(stream, concatenated_members_are_read_through)
{
    test_files files;
    size_t n_text = 0;
    char *text = make_text(&n_text);
    uint8_t *packed = malloc(2 * TEXT_MAX);
    files_init(&files);
    size_t n = gzip(text, n_text, packed);
    n += gzip(text, n_text, packed + n);
    memset(packed + n, 0, 100); /* padding, as tape archives leave */
    check_lines(files_add(&files, "gzip", packed, n + 100), 2);
    n = xz(text, n_text, packed);
    n += xz(text, n_text, packed + n);
    check_lines(files_add(&files, "xz", packed, n), 2);
    files_fini(&files);
    free(packed);
    free(text);
}

/* Opens and reads to the end; the first error. */
static wm_status read_all(const char *path, wm_error *err)
{
    wm_stream *stream = NULL;
    const char *line = "";
    size_t n = 0;
    wm_status status = wm_stream_open(path, NULL, NULL, &stream, err);
    while (status == WM_OK && line != NULL) {
        status = wm_stream_line(stream, &line, &n, err);
    }
    wm_stream_close(stream);
    return status;
}

static void check_error(const char *path, const char *wanted)
{
    wm_error err = {0};
    cr_assert_eq(read_all(path, &err), WM_EFORMAT, "%s", wanted);
    cr_assert_not_null(strstr(err.text, path), "no path in: %s", err.text);
    cr_assert_not_null(strstr(err.text, wanted), "got: %s", err.text);
}

Test(stream, cut_and_damaged_data_name_path_and_byte)
{
    test_files files;
    size_t n_text = 0;
    char *text = make_text(&n_text);
    uint8_t *packed = malloc(TEXT_MAX);
    files_init(&files);
    size_t n = gzip(text, n_text, packed);
    check_error(files_add(&files, "cut.gz", packed, n - 9), "ends early");
    memset(packed + n / 2, 0xff, 100);
    check_error(files_add(&files, "bad.gz", packed, n), ": byte ");
    memcpy(packed + n, "text behind", 11);
    n = xz(text, n_text, packed);
    check_error(files_add(&files, "cut.xz", packed, n - 9), "ends early");
    packed[n / 2] ^= 0x55;
    check_error(files_add(&files, "bad.xz", packed, n), "damaged xz");
    n = gzip("line\n", 5, packed);
    memcpy(packed + n, "garbage", 7);
    check_error(files_add(&files, "tail.gz", packed, n + 7), "damaged gzip");
    files_fini(&files);
    free(packed);
    free(text);
}

Test(stream, what_is_no_trace_is_said_in_words)
{
    test_files files;
    files_init(&files);
    check_error("/nonexistent/t.traceg", "No such file or directory");
    check_error(files_text(&files, "empty", ""), "empty file, wanted a trace");
    check_error(files_text(&files, "lfs",
                           "version https://git-lfs.github.com/spec/v1\n"
                           "oid sha256:12\nsize 123\n"),
                ":1: this is a Git LFS pointer, run git lfs pull");
    check_error(files_add(&files, "zstd", "\x28\xb5\x2f\xfd\x04\x00", 6),
                "decompress it first");
    wm_error err;
    cr_assert_eq(read_all("/tmp", &err), WM_EIO);
    files_fini(&files);
}

Test(stream, byte_order_mark_crlf_and_missing_newline_are_tolerated)
{
    test_files files;
    wm_stream *stream = NULL;
    wm_error err;
    const char *line = NULL;
    size_t n = 0;
    files_init(&files);
    const char *path = files_text(&files, "t",
                                  "\xef\xbb\xbf"
                                  "12\r\n\r\n345");
    cr_assert_eq(wm_stream_open(path, NULL, NULL, &stream, &err), WM_OK);
    cr_assert_eq(wm_stream_line(stream, &line, &n, &err), WM_OK);
    cr_assert(n == 2 && memcmp(line, "12", 2) == 0);
    cr_assert_eq(wm_stream_line(stream, &line, &n, &err), WM_OK);
    cr_assert(line != NULL && n == 0);
    cr_assert_eq(wm_stream_line(stream, &line, &n, &err), WM_OK);
    cr_assert(n == 3 && memcmp(line, "345", 3) == 0);
    cr_assert(line[3] < '0' || line[3] > '9', "a sentinel must follow");
    cr_assert_eq(wm_stream_line(stream, &line, &n, &err), WM_OK);
    cr_assert_null(line);
    wm_stream_close(stream);
    files_fini(&files);
}

Test(stream, peek_shows_without_consuming)
{
    test_files files;
    wm_stream *stream = NULL;
    wm_error err;
    const uint8_t *bytes = NULL;
    size_t n = 0;
    files_init(&files);
    const char *path = files_text(&files, "t", "abcdef");
    cr_assert_eq(wm_stream_open(path, NULL, NULL, &stream, &err), WM_OK);
    cr_assert_eq(wm_stream_peek(stream, 3, &bytes, &n, &err), WM_OK);
    cr_assert(n >= 3 && memcmp(bytes, "abc", 3) == 0);
    wm_stream_consume(stream, 2);
    cr_assert_eq(wm_stream_peek(stream, 100, &bytes, &n, &err), WM_OK);
    cr_assert(n == 4 && memcmp(bytes, "cdef", 4) == 0);
    cr_assert_eq(wm_stream_offset(stream), 2);
    wm_stream_close(stream);
    files_fini(&files);
}
