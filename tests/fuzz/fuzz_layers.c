/*
 * fuzz_layers.c -- what lies between a file and its reader: gzip, xz, blocks,
 * lines.  The fuzzer's bytes are a file as it is, or the recipe of a compressed
 * one: members, options, padding, damage.  Peeks, lines, seeks and rewinds, in
 * an order of the fuzzer's too, must give what a decoder that sees all at once
 * gives, and end in an error where it does; without damage, what was put in.
 */
#include <string.h>

#include "layers.h"
#include "trace/stream.h"

typedef struct reading {
    wm_stream *stream;
    const char *bytes; /* wanted, the byte order mark left out */
    size_t n, at;
    size_t n_mark;
    uint64_t n_lines;
    bool has_sought;
    bool may_fail; /* what is wanted ends in damage */
    wm_error err;
} reading;

/* A failure is right only where the file is damaged; then the end. */
static bool ends(reading *r, wm_status status)
{
    if (status == WM_OK) {
        return false;
    }
    if (!r->may_fail || r->err.text[0] == '\0') {
        fuzz_fail("read %zu of %zu: %s", r->at, r->n, r->err.text);
    }
    return true;
}

static void check_place(const reading *r)
{
    if (wm_stream_offset(r->stream) != r->at + r->n_mark ||
        wm_stream_line_number(r->stream) != r->n_lines) {
        fuzz_fail("place %zu, line %zu", r->at, (size_t)r->n_lines);
    }
}

/* True at the end. */
static bool read_line(reading *r)
{
    const char *line = NULL;
    size_t n = 0;
    const wm_status status = wm_stream_line(r->stream, &line, &n, &r->err);
    if (ends(r, status)) {
        return true;
    }
    if (line == NULL) {
        if (r->at != r->n || r->may_fail) {
            fuzz_fail("ends at %zu of %zu", r->at, r->n);
        }
        return true;
    }
    const char *wanted = r->bytes + r->at;
    const char *newline = memchr(wanted, '\n', r->n - r->at);
    size_t n_wanted =
        newline != NULL ? (size_t)(newline - wanted) : r->n - r->at;
    r->at += n_wanted + (newline != NULL);
    n_wanted -= n_wanted > 0 && wanted[n_wanted - 1] == '\r';
    if (r->at > r->n || n != n_wanted || memcmp(line, wanted, n) != 0 ||
        (unsigned char)line[n] >= ' ') {
        fuzz_fail("line %zu differs", (size_t)r->n_lines);
    }
    r->n_lines++;
    return false;
}

static bool peek(reading *r, whole_bytes *from)
{
    const uint8_t *bytes = NULL;
    size_t n = 0;
    const size_t n_wanted = (size_t)whole_range(from, 0, 20000);
    const wm_status status =
        wm_stream_peek(r->stream, n_wanted, &bytes, &n, &r->err);
    if (ends(r, status)) {
        return true;
    }
    if (n > r->n - r->at || (n < n_wanted && n != r->n - r->at) ||
        (n > 0 && memcmp(bytes, r->bytes + r->at, n) != 0)) {
        fuzz_fail("peek of %zu at %zu gives %zu", n_wanted, r->at, n);
    }
    n = (size_t)whole_range(from, 0, n);
    wm_stream_consume(r->stream, n);
    r->at += n;
    return false;
}

static bool rewind_it(reading *r)
{
    if (ends(r, wm_stream_rewind(r->stream, &r->err))) {
        return true;
    }
    r->at = 0;
    r->n_lines = 0;
    return false;
}

static bool seek(reading *r, whole_bytes *from)
{
    if (!wm_stream_can_seek(r->stream)) {
        return false;
    }
    r->at += (size_t)whole_range(from, 0, r->n - r->at);
    r->has_sought = true;
    return ends(r, wm_stream_seek(r->stream, r->at + r->n_mark, &r->err));
}

static void read_all(reading *r, whole_bytes *from)
{
    bool is_ended = false;
    uint32_t n_rewinds = 0;
    while (!is_ended) {
        switch (from->at < from->end ? whole_below(from, 6) : 0) {
        case 4:
            is_ended = peek(r, from);
            break;
        case 5:
            is_ended = n_rewinds++ < 3 ? rewind_it(r) : seek(r, from);
            break;
        default:
            is_ended = read_line(r);
            break;
        }
        if (!is_ended) {
            check_place(r);
        }
    }
}

/* All of it was read: the digest is that of the file. */
static void check_digest(const wm_digest *digest, uint64_t n_done,
                         const wm_buffer *stored)
{
    char a[WM_DIGEST_HEX], b[WM_DIGEST_HEX];
    wm_digest whole;
    wm_digest_init(&whole);
    wm_digest_add(&whole, stored->bytes, stored->n_bytes);
    wm_digest_hex(&whole, a);
    wm_digest_hex(digest, b);
    if (n_done != stored->n_bytes || strcmp(a, b) != 0) {
        fuzz_fail("digest of %zu bytes", (size_t)n_done);
    }
}

static void check_file(whole_bytes *from, const wm_buffer *stored,
                       const wm_buffer *wanted, bool may_fail)
{
    static const char pointer[] = "version https://git-lfs.github.com/spec";
    char path[FUZZ_PATH_BYTES];
    reading r = {.bytes = wanted->bytes, .n = wanted->n_bytes};
    wm_digest digest;
    uint64_t n_done = 0;
    wm_digest_init(&digest);
    if (r.n >= 3 && memcmp(r.bytes, "\xef\xbb\xbf", 3) == 0) {
        r.n_mark = 3;
        r.bytes += 3;
        r.n -= 3;
    }
    const bool is_refused =
        r.n == 0 || (r.n >= sizeof(pointer) - 1 &&
                     memcmp(r.bytes, pointer, sizeof(pointer) - 1) == 0);
    r.may_fail = may_fail || is_refused;
    fuzz_put("layers", stored->bytes, stored->n_bytes, path);
    if (!ends(&r, wm_stream_open(path, &digest, &n_done, &r.stream, &r.err))) {
        if (is_refused) {
            fuzz_fail("an empty file or a pointer is read");
        }
        read_all(&r, from);
        if (!may_fail && !r.has_sought) {
            check_digest(&digest, n_done, stored);
        }
    }
    wm_stream_close(r.stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
    whole_bytes from = {bytes, bytes + n_bytes};
    wm_buffer content, stored, decoded;
    wm_buffer_init(&content);
    wm_buffer_init(&stored);
    wm_buffer_init(&decoded);
    wm_buffer_puts(&content, "");
    wm_buffer_puts(&stored, "");
    bool is_as_put = false;
    const uint32_t kind = whole_below(&from, 4);
    if (kind == 0) { /* a file as it is; ways to read it in front */
        const size_t n_ways = whole_below(&from, 16);
        whole_bytes ways = from;
        from.at += n_ways < (size_t)(from.end - from.at)
                       ? n_ways
                       : (size_t)(from.end - from.at);
        ways.end = from.at;
        wm_buffer_add(&stored, from.at, (size_t)(from.end - from.at));
        from = ways;
    } else {
        is_as_put = layers_build(&from, &content, &stored);
    }
    const layers_verdict verdict = layers_decode(&stored, &decoded);
    if (is_as_put &&
        (verdict == LAYERS_DAMAGED ||
         (verdict == LAYERS_WHOLE &&
          (decoded.n_bytes != content.n_bytes ||
           memcmp(decoded.bytes, content.bytes, content.n_bytes) != 0)))) {
        fuzz_fail("the other decoder is wrong");
    }
    if (verdict != LAYERS_TOO_LARGE) {
        check_file(&from, &stored, &decoded, verdict == LAYERS_DAMAGED);
    }
    wm_buffer_fini(&content);
    wm_buffer_fini(&stored);
    wm_buffer_fini(&decoded);
    fuzz_clear();
    return 0;
}
