/*
 * fuzz_wmt.c -- any chunks as a native trace file, of both formats, whose
 * checksums and sizes are made to fit: behind them is where a reader's own
 * checks begin.  Every way to read it gives the same; what is whole comes back
 * the same from a copy in either form; the conservation laws hold.
 *
 * An input is a byte of switches, one that says which comparison is made, and
 * chunks: 4 bytes type, a byte of how it is
 * stored (HOW_, and 4 times the length of a tail), 2 bytes of how long, and so
 * many bytes as they are before packing.
 * Offsets and counts of index and footer are set by the target where the
 * switches say so, for no mutation would find them.
 */
#include <string.h>

#include "base/buffer.h"
#include "fuzz.h"
#include "trace/wmt_layout.h"
#include "trace/wmt_pack.h"

#define SWITCH_FORMAT_1 1u
#define SWITCH_FOOT     2u /* make the footer */
#define SWITCH_INDEX    4u /* make the index */
#define SWITCH_CUT      8u /* leave off the end of the file */

#define HOW_STORED 0u
#define HOW_PACKED 1u
#define HOW_TAIL   2u /* packed up to the last column */
#define HOW_LIE    3u /* sizes as they are, CRC as it is not */
#define HOW_COUNT  4u

typedef struct builder {
    wm_buffer file;
    wm_buffer index; /* launches, in the form of INDX */
    wm_buffer rows;
    uint64_t n_launches, n_chunks, n_rows, last, launch_at;
} builder;

static void add_chunk(builder *b, uint32_t type, uint32_t how, size_t n_tail,
                      const uint8_t *raw, size_t n_raw)
{
    uint8_t head[WM_WMT_CHUNK_BYTES];
    uint8_t size[4] = {0};
    wm_buffer stored;
    wm_error err;
    uint32_t flags = WM_WMT_FLAG_STORED;
    wm_buffer_init(&stored);
    if (how == HOW_PACKED) {
        flags = 0;
        (void)wm_wmt_pack(raw, n_raw, false, &stored, &err);
    } else if (how == HOW_TAIL) {
        flags = WM_WMT_FLAG_TAIL;
        n_tail = n_tail < n_raw ? n_tail : n_raw;
        wm_buffer_add(&stored, size, sizeof(size));
        (void)wm_wmt_pack(raw, n_raw - n_tail, true, &stored, &err);
        wm_wmt_put_u32((uint8_t *)stored.bytes,
                       (uint32_t)(stored.n_bytes - sizeof(size)));
        wm_buffer_add(&stored, raw + (n_raw - n_tail), n_tail);
    } else {
        wm_buffer_add(&stored, raw, n_raw);
    }
    wm_wmt_put_u32(head, type);
    wm_wmt_put_u32(head + 4, flags);
    wm_wmt_put_u32(head + 8, (uint32_t)n_raw);
    wm_wmt_put_u32(head + 12, (uint32_t)stored.n_bytes);
    wm_wmt_put_u32(head + 16, wm_wmt_crc32(stored.bytes, stored.n_bytes) ^
                                  (how == HOW_LIE));
    wm_wmt_put_u32(head + 20, wm_wmt_crc32(head, 20));
    wm_buffer_add(&b->file, head, sizeof(head));
    wm_buffer_add(&b->file, stored.bytes, stored.n_bytes);
    wm_buffer_fini(&stored);
    b->n_chunks++;
}

/* Ends the index's rows of the launch before. */
static void end_launch(builder *b)
{
    if (b->launch_at != 0) {
        wm_wmt_put_varint(&b->index, b->launch_at);
        wm_wmt_put_varint(&b->index, b->n_rows);
        wm_wmt_put_varint(&b->index, b->n_rows);
        wm_buffer_add(&b->index, b->rows.bytes, b->rows.n_bytes);
    }
    b->launch_at = 0;
    b->n_rows = 0;
    wm_buffer_clear(&b->rows);
}

static void note(builder *b, uint32_t type)
{
    const uint64_t at = b->file.n_bytes;
    if (type == WM_WMT_LAUN || type == WM_WMT_GRUP) {
        end_launch(b);
        b->launch_at = b->last = at;
        b->n_launches++;
    } else if ((type == WM_WMT_STAT || type == WM_WMT_CTAS) &&
               b->launch_at != 0) {
        wm_wmt_put_varint(&b->rows, at - b->last);
        wm_wmt_put_varint(&b->rows, type == WM_WMT_CTAS);
        b->last = at;
        b->n_rows++;
    }
}

static void add_ends(builder *b, uint32_t switches)
{
    const uint64_t index_at = b->file.n_bytes;
    if ((switches & SWITCH_INDEX) != 0) {
        wm_buffer payload;
        wm_buffer_init(&payload);
        end_launch(b);
        wm_wmt_put_varint(&payload, b->n_launches);
        wm_buffer_add(&payload, b->index.bytes, b->index.n_bytes);
        add_chunk(b, WM_WMT_INDX, HOW_STORED, 0, (uint8_t *)payload.bytes,
                  payload.n_bytes);
        wm_buffer_fini(&payload);
    }
    if ((switches & SWITCH_FOOT) != 0) {
        uint8_t foot[WM_WMT_FOOT_BYTES];
        wm_wmt_put_u64(foot, index_at);
        wm_wmt_put_u64(foot + 8, b->n_launches);
        wm_wmt_put_u64(foot + 16, b->n_chunks);
        memcpy(foot + 24, WM_WMT_FOOT_MAGIC, 8);
        add_chunk(b, WM_WMT_FOOT, HOW_STORED, 0, foot, sizeof(foot));
    }
}

static void build(builder *b, const uint8_t *bytes, size_t n_bytes)
{
    uint8_t head[WM_WMT_FILE_BYTES];
    const uint8_t *end = bytes + n_bytes;
    const uint32_t switches = bytes[0];
    memset(b, 0, sizeof(*b));
    memcpy(head, WM_WMT_MAGIC, WM_WMT_MAGIC_BYTES);
    wm_wmt_put_u32(head + 8, (switches & SWITCH_FORMAT_1) != 0 ? 1 : 2);
    wm_wmt_put_u32(head + 12, wm_wmt_crc32(head, 12));
    wm_buffer_add(&b->file, head, sizeof(head));
    for (bytes += 2; end - bytes >= 7;) {
        const uint32_t type = wm_wmt_get_u32(bytes);
        const uint32_t how = bytes[4];
        size_t n = (size_t)bytes[5] | (size_t)bytes[6] << 8;
        bytes += 7;
        n = n < (size_t)(end - bytes) ? n : (size_t)(end - bytes);
        note(b, type);
        add_chunk(b, type, how % HOW_COUNT, how / HOW_COUNT, bytes, n);
        bytes += n;
    }
    add_ends(b, switches);
    if ((switches & SWITCH_CUT) != 0) {
        b->file.n_bytes -= (size_t)(switches >> 4);
    }
}

static void release(builder *b)
{
    wm_buffer_fini(&b->file);
    wm_buffer_fini(&b->index);
    wm_buffer_fini(&b->rows);
}

static void compare(const fuzz_reading *a, const fuzz_reading *b,
                    const char *what)
{
    if (a->status != b->status || strcmp(a->hex, b->hex) != 0 ||
        a->is_complete != b->is_complete) {
        fuzz_fail("%s: %d %s and %d %s", what, (int)a->status, a->err.text,
                  (int)b->status, b->err.text);
    }
}

/* What was read whole is the same when written and read again. */
static void copy(const char *path, const char *format)
{
    char copied[FUZZ_PATH_BYTES];
    wm_trace_options options = {.keep_going = true};
    fuzz_put("copy", "", 0, copied);
    const fuzz_reading from = fuzz_read(path, &options, format, copied);
    if (from.status == WM_OK && !from.has_more) {
        options.keep_going = false;
        const fuzz_reading again = fuzz_read(copied, &options, NULL, NULL);
        if (again.status != WM_OK || strcmp(from.hex, again.hex) != 0) {
            fuzz_fail("a copy as %s differs: %s", format,
                      again.status != WM_OK ? again.err.text : "records");
        }
    }
}

static void seek(const char *path, bool keep_going)
{
    const wm_trace_options options = {.keep_going = keep_going,
                                      .may_seek = true};
    for (uint64_t n = 0; n < 3; n++) {
        fuzz_skip(path, &options, n);
    }
    fuzz_skip(path, &options, UINT64_MAX);
}

static void strict_too(const char *path, const fuzz_reading *lenient)
{
    const wm_trace_options options = {.keep_going = false};
    const fuzz_reading strict = fuzz_read(path, &options, NULL, NULL);
    if (strict.status == WM_OK) {
        compare(&strict, lenient, "a good trace with keep_going");
    }
}

static void threads_too(const char *path, const fuzz_reading *lenient)
{
    const wm_trace_options options = {.keep_going = true, .jobs = 3};
    const fuzz_reading threads = fuzz_read(path, &options, NULL, NULL);
    compare(lenient, &threads, "3 threads read differently");
}

/* All of them for every input would be a tenth of the inputs. */
static void check_more(const char *path, uint8_t which,
                       const fuzz_reading *lenient)
{
    switch (which % 8) {
    case 0:
        strict_too(path, lenient);
        break;
    case 1:
        threads_too(path, lenient);
        break;
    case 2:
        copy(path, "wmt");
        break;
    case 3:
        copy(path, "text");
        break;
    case 4:
    case 5:
        fuzz_simulate(path, which % 8 == 5);
        break;
    default:
        seek(path, which % 8 == 6);
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
    builder b;
    char path[FUZZ_PATH_BYTES];
    const wm_trace_options options = {.keep_going = true};
    if (n_bytes < 2) {
        return 0;
    }
    build(&b, bytes, n_bytes);
    fuzz_put("input.wmt", b.file.bytes, b.file.n_bytes, path);
    release(&b);
    const fuzz_reading lenient = fuzz_read(path, &options, NULL, NULL);
    check_more(path, bytes[1], &lenient);
    fuzz_clear();
    return 0;
}
