/*
 * format_macsim.c -- MacSim traces made by its NVBit tracer: a list of kernels
 * (kernel_config.txt), a list of warps per kernel (trace.txt), and a file of
 * 64-byte records per warp (trace_<warp>.raw, gzip), which macsim.h reads.
 *
 *     kernel_config.txt   nvbit 14 -1  PATH/trace.txt ...
 *     trace.txt           nvbit 14 BLOCKS_PER_CORE WARPS  ID START  ID START
 * ...
 *
 * Either text can be opened; a trace.txt is one launch.  A warp's id is its
 * block's number times 65,536 plus its own.  Paths that are not there as
 * written are looked for beside the list, by their last folder and name.
 *
 * Not modelled  the older traces of Ocelot (type newptx); local, shared and
 *               generic addresses are taken as the opcode says; copies; names,
 *               grids and registers of kernels: a launch has the name of its
 *               folder and one dimension.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "trace/format.h"
#include "trace/macsim.h"
#include "trace/record_check.h"
#include "trace/stream.h"
#include "trace/text_scan.h"

#define WARP_BITS 16u

struct wm_reader {
    wm_reader_context context;
    wm_buffer kernels; /* paths of trace.txt, each with its NUL */
    size_t at_kernel;  /* offset of the next one */
    wm_buffer path;    /* of the launch being read */
    wm_buffer name;
    uint64_t *warps; /* ids of the launch, rising */
    size_t n_warps, cap_warps;
    size_t next; /* of warps */
    wm_launch launch;
    wm_statics statics;
    wm_macsim_warp warp;
    bool is_in_launch;
};

/* The next word of a text of many lines; false at its end. */
static wm_status next_word(wm_stream *stream, wm_scan *scan, wm_word *word,
                           bool *has_word, wm_error *err)
{
    *has_word = wm_scan_word(scan, word);
    while (!*has_word) {
        const char *line = NULL;
        size_t n = 0;
        wm_status status = wm_stream_line(stream, &line, &n, err);
        if (status != WM_OK || line == NULL) {
            return status;
        }
        *scan = wm_scan_line(line, n);
        *has_word = wm_scan_word(scan, word);
    }
    return WM_OK;
}

static wm_status next_number(wm_stream *stream, wm_scan *scan, uint64_t max,
                             uint64_t *x, bool *has_number, wm_error *err)
{
    wm_word word;
    wm_status status = next_word(stream, scan, &word, has_number, err);
    if (status == WM_OK && *has_number && !wm_word_number(&word, max, x)) {
        int n = word.n_bytes < 40 ? (int)word.n_bytes : 40;
        return wm_fail(err, WM_EFORMAT,
                       "%s:%" PRIu64 ": found '%.*s', wanted a number up to "
                       "%" PRIu64,
                       wm_stream_path(stream), wm_stream_line_number(stream), n,
                       word.text, max);
    }
    return status;
}

static wm_status fail_end(const wm_stream *stream, const char *wanted,
                          wm_error *err)
{
    return wm_fail(err, WM_EFORMAT, "%s: found the end of the file, wanted %s",
                   wm_stream_path(stream), wanted);
}

/* --- the warps of a kernel -------------------------------------------------
 */

static int compare_ids(const void *a, const void *b)
{
    const uint64_t *x = a;
    const uint64_t *y = b;
    return (*x > *y) - (*x < *y);
}

/* The launch as large as its warps need it. */
static void set_launch(wm_reader *r)
{
    uint64_t n_warps = 1;
    uint64_t n_ctas = 0;
    for (size_t i = 0; i < r->n_warps; i++) {
        uint64_t warp = r->warps[i] & ((1u << WARP_BITS) - 1);
        n_warps = warp + 1 > n_warps ? warp + 1 : n_warps;
        n_ctas +=
            i == 0 || r->warps[i] >> WARP_BITS != r->warps[i - 1] >> WARP_BITS;
    }
    wm_launch *launch = &r->launch;
    memset(launch, 0, sizeof(*launch));
    uint64_t last = r->n_warps == 0 ? 0 : r->warps[r->n_warps - 1];
    launch->grid[0] = (uint32_t)(last >> WARP_BITS) + 1;
    launch->block[0] = (uint32_t)n_warps * 32;
    launch->grid[1] = launch->grid[2] = 1;
    launch->block[1] = launch->block[2] = 1;
    launch->warp_size = 32;
    launch->n_ctas = n_ctas;
    launch->n_warps_per_cta = (uint32_t)n_warps;
    launch->name = r->name.bytes;
    launch->where = r->path.bytes;
}

/* trace.txt behind its first word. */
static wm_status read_warps(wm_reader *r, wm_stream *stream, wm_scan *scan,
                            wm_error *err)
{
    uint64_t head[3] = {0, 0, 0}; /* version, blocks per core, warps */
    bool has_number = true;
    wm_status status = WM_OK;
    r->n_warps = 0;
    for (int i = 0; i < 3 && status == WM_OK && has_number; i++) {
        status =
            next_number(stream, scan, UINT32_MAX, &head[i], &has_number, err);
    }
    while (status == WM_OK && has_number && r->n_warps < head[2]) {
        uint64_t id = 0;
        uint64_t start = 0;
        status = next_number(stream, scan, (UINT64_C(1) << 48) - 1, &id,
                             &has_number, err);
        if (status == WM_OK && has_number) {
            status =
                next_number(stream, scan, UINT64_MAX, &start, &has_number, err);
        }
        if (status == WM_OK && has_number) {
            if ((id & ((1u << WARP_BITS) - 1)) >= WM_WARPS_PER_CTA_MAX ||
                id >> WARP_BITS >= UINT32_MAX) {
                return wm_fail(err, WM_EFORMAT,
                               "%s:%" PRIu64 ": found warp %" PRIu64
                               ", wanted block x 65536 + a warp below 1024",
                               wm_stream_path(stream),
                               wm_stream_line_number(stream), id);
            }
            if (!wm_grow(&r->warps, &r->cap_warps, r->n_warps + 1,
                         sizeof(*r->warps))) {
                return wm_fail_memory(err);
            }
            r->warps[r->n_warps++] = id;
        }
    }
    if (status == WM_OK && (!has_number || r->n_warps < head[2])) {
        return fail_end(stream, "the warps it promises", err);
    }
    if (status == WM_OK && r->n_warps > 0) {
        qsort(r->warps, r->n_warps, sizeof(*r->warps), compare_ids);
    }
    return status;
}

/* --- paths -----------------------------------------------------------------
 */

/* Length of the folder in front of a name, the slash included. */
static size_t folder_bytes(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

/* Where a kernel's list lies: as written, beside the list, or beside it by its
 * last folder and name. */
static void resolve(const wm_reader *r, const char *path, wm_buffer *out)
{
    const char *list = r->context.path;
    size_t n_list = folder_bytes(list);
    const char *tail = path + folder_bytes(path);
    if (tail > path) {
        tail--;
        while (tail > path && tail[-1] != '/') {
            tail--;
        }
    }
    const char *const tries[] = {path, path, tail};
    for (size_t i = 0; i < 3; i++) {
        wm_buffer_clear(out);
        if (i > 0) {
            wm_buffer_add(out, list, n_list);
        }
        wm_buffer_puts(out, tries[i]);
        if (out->is_failed || access(out->bytes, F_OK) == 0) {
            return;
        }
    }
    wm_buffer_clear(out);
    wm_buffer_puts(out, path);
}

/* The name of the folder that a file lies in. */
static void folder_name(const char *path, wm_buffer *out)
{
    size_t end = folder_bytes(path);
    wm_buffer_clear(out);
    if (end > 0) {
        size_t begin = --end;
        while (begin > 0 && path[begin - 1] != '/') {
            begin--;
        }
        wm_buffer_add(out, path + begin, end - begin);
    }
    wm_buffer_puts(out, ""); /* never NULL */
}

/* --- records ---------------------------------------------------------------
 */

/* All records of one warp. */
static wm_status read_warp(wm_reader *r, uint64_t id, wm_cta *cta,
                           wm_error *err)
{
    wm_buffer path;
    wm_stream *stream = NULL;
    wm_buffer_init(&path);
    wm_buffer_add(&path, r->path.bytes, folder_bytes(r->path.bytes));
    wm_buffer_printf(&path, "trace_%" PRIu64 ".raw", id);
    wm_status status =
        path.is_failed ? wm_fail_memory(err)
                       : wm_stream_open(path.bytes, r->context.digest,
                                        r->context.n_bytes_done, &stream, err);
    wm_macsim_warp_start(&r->warp);
    while (status == WM_OK) {
        const uint8_t *bytes = NULL;
        size_t n = 0;
        wm_macsim_record record;
        status =
            wm_stream_peek(stream, WM_MACSIM_RECORD_BYTES, &bytes, &n, err);
        if (status != WM_OK || n == 0) {
            break;
        }
        if (n < WM_MACSIM_RECORD_BYTES) {
            status = wm_fail(err, WM_EFORMAT,
                             "%s: byte %" PRIu64 ": found %zu bytes, wanted a "
                             "record of 64",
                             path.bytes, wm_stream_offset(stream), n);
            break;
        }
        wm_macsim_decode(bytes, &record);
        wm_stream_consume(stream, WM_MACSIM_RECORD_BYTES);
        if (!wm_macsim_feed(&r->warp, &r->statics, cta, &record)) {
            status = wm_fail_memory(err);
        }
    }
    wm_stream_close(stream);
    wm_buffer_fini(&path);
    bool is_ended =
        status != WM_OK || wm_macsim_finish(&r->warp, &r->statics, cta);
    return is_ended ? status : wm_fail_memory(err);
}

static wm_status read_cta(wm_reader *r, wm_cta *cta, wm_error *err)
{
    uint64_t block = r->warps[r->next] >> WARP_BITS;
    uint32_t n_warps = r->launch.n_warps_per_cta;
    wm_cta_clear(cta);
    cta->id[0] = (uint32_t)block;
    if (!wm_grow(&cta->warps, &cta->cap_warps, n_warps, sizeof(*cta->warps))) {
        return wm_fail_memory(err);
    }
    memset(cta->warps, 0, n_warps * sizeof(*cta->warps));
    cta->n_warps = n_warps;
    while (r->next < r->n_warps && r->warps[r->next] >> WARP_BITS == block) {
        uint64_t id = r->warps[r->next++];
        wm_warp_span *span = &cta->warps[id & ((1u << WARP_BITS) - 1)];
        span->first = (uint32_t)cta->n_records;
        wm_status status = read_warp(r, id, cta, err);
        if (status != WM_OK) {
            return status;
        }
        span->n_records = (uint32_t)cta->n_records - span->first;
    }
    return WM_OK;
}

/* --- the format ------------------------------------------------------------
 */

/* With keep_going what cannot be read costs its kernel. */
static wm_status forgive(wm_reader *r, wm_status status, wm_error *err)
{
    if (status != WM_EFORMAT || !r->context.options.keep_going) {
        return status;
    }
    wm_warn(r->context.diag, "kernel-cut", r->context.path,
            "%s; the rest of the kernel is skipped", err->text);
    *r->context.is_complete = false;
    r->is_in_launch = false;
    return WM_OK;
}

static wm_status open_kernel(wm_reader *r, const char *path, wm_error *err)
{
    wm_stream *stream = NULL;
    wm_scan scan = wm_scan_line("", 0);
    wm_word word;
    bool has_word = false;
    resolve(r, path, &r->path);
    folder_name(r->path.bytes, &r->name);
    if (r->path.is_failed || r->name.is_failed) {
        return wm_fail_memory(err);
    }
    wm_status status = wm_stream_open(r->path.bytes, r->context.digest,
                                      r->context.n_bytes_done, &stream, err);
    if (status == WM_OK) {
        status = next_word(stream, &scan, &word, &has_word, err);
    }
    if (status == WM_OK && (!has_word || !wm_word_is(&word, "nvbit"))) {
        status = wm_fail(err, WM_EFORMAT,
                         "%s:1: found another type of trace, wanted nvbit",
                         r->path.bytes);
    }
    if (status == WM_OK) {
        status = read_warps(r, stream, &scan, err);
    }
    wm_stream_close(stream);
    return status;
}

static wm_status macsim_next_command(wm_reader *r, wm_command *out,
                                     wm_error *err)
{
    memset(out, 0, sizeof(*out));
    out->kind = WM_COMMAND_END;
    r->is_in_launch = false;
    while (r->at_kernel < r->kernels.n_bytes) {
        const char *path = r->kernels.bytes + r->at_kernel;
        r->at_kernel += strlen(path) + 1;
        r->is_in_launch = true;
        wm_status status = forgive(r, open_kernel(r, path, err), err);
        if (status != WM_OK || r->is_in_launch) {
            wm_statics_clear(&r->statics);
            set_launch(r);
            r->next = 0;
            out->kind = status == WM_OK ? WM_COMMAND_LAUNCH : WM_COMMAND_END;
            out->launch = r->launch;
            return status;
        }
    }
    return WM_OK;
}

static wm_status macsim_next_cta(wm_reader *r, wm_cta *cta, bool *has_cta,
                                 wm_error *err)
{
    *has_cta = false;
    if (!r->is_in_launch || r->next == r->n_warps) {
        return WM_OK;
    }
    wm_status status = read_cta(r, cta, err);
    *has_cta = status == WM_OK;
    r->launch.statics = r->statics.list;
    r->launch.n_statics = r->statics.n_listed;
    return forgive(r, status, err);
}

static const wm_launch *macsim_launch(const wm_reader *reader)
{
    return &reader->launch;
}

static void macsim_close(wm_reader *reader)
{
    if (reader == NULL) {
        return;
    }
    wm_buffer_fini(&reader->kernels);
    wm_buffer_fini(&reader->path);
    wm_buffer_fini(&reader->name);
    wm_statics_fini(&reader->statics);
    free(reader->warps);
    free(reader);
}

/* The kernels that a list names; of a trace.txt, itself. */
static wm_status read_list(wm_reader *r, wm_stream *stream, wm_error *err)
{
    wm_scan scan = wm_scan_line("", 0);
    wm_word word;
    bool has_word = false;
    wm_status status = WM_OK;
    for (int i = 0; i < 3 && status == WM_OK; i++) { /* nvbit, version, third */
        status = next_word(stream, &scan, &word, &has_word, err);
    }
    if (status != WM_OK) {
        return status;
    }
    if (!has_word) {
        return fail_end(stream, "nvbit, a version and a number", err);
    }
    if (!wm_word_is(&word, "-1")) {
        wm_buffer_add(&r->kernels, r->context.path,
                      strlen(r->context.path) + 1);
        return r->kernels.is_failed ? wm_fail_memory(err) : WM_OK;
    }
    for (;;) {
        status = next_word(stream, &scan, &word, &has_word, err);
        if (status != WM_OK || !has_word) {
            break;
        }
        wm_buffer_add(&r->kernels, word.text, word.n_bytes);
        wm_buffer_add(&r->kernels, "", 1);
    }
    return status == WM_OK && r->kernels.is_failed ? wm_fail_memory(err)
                                                   : status;
}

static wm_status macsim_open(wm_stream *stream,
                             const wm_reader_context *context, wm_reader **out,
                             wm_error *err)
{
    *out = NULL;
    wm_reader *r = calloc(1, sizeof(*r));
    if (r == NULL) {
        wm_stream_close(stream);
        return wm_fail_memory(err);
    }
    r->context = *context;
    r->launch.name = "";
    r->launch.where = context->path;
    wm_buffer_init(&r->kernels);
    wm_buffer_init(&r->path);
    wm_buffer_init(&r->name);
    wm_statics_init(&r->statics);
    wm_distil_init(&r->warp.distil);
    r->warp.distil.keeps_all = context->options.keep_all;
    wm_status status = read_list(r, stream, err);
    wm_stream_close(stream);
    if (status != WM_OK) {
        macsim_close(r);
        return status;
    }
    *out = r;
    return WM_OK;
}

/* "nvbit" and a number. */
static int macsim_sniff(const uint8_t *head, size_t n_bytes)
{
    static const char word[] = "nvbit";
    size_t i = sizeof(word) - 1;
    if (n_bytes < i + 2 || memcmp(head, word, i) != 0 || head[i] > ' ') {
        return 0;
    }
    while (i < n_bytes && head[i] <= ' ') {
        i++;
    }
    return i < n_bytes && head[i] >= '0' && head[i] <= '9' ? 85 : 0;
}

extern const wm_format wm_format_macsim;
const wm_format wm_format_macsim = {
    .name = "macsim",
    .summary =
        "MacSim trace of its NVBit tracer (kernel_config.txt, trace.txt)",
    .sniff = macsim_sniff,
    .open = macsim_open,
    .next_command = macsim_next_command,
    .next_cta = macsim_next_cta,
    .launch = macsim_launch,
    .close = macsim_close,
};
