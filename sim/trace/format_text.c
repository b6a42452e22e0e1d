/*
 * format_text.c -- reads the readable form of a trace, written by `warpmem
 * trace cat` or by hand: the order of its lines.  text_parse.h reads each.
 *
 * A CTA that holds fewer records than its line promises, or a launch that
 * holds fewer CTAs than its grid, was cut.  Memory is bounded by one CTA.
 */
#include "trace/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/stream.h"
#include "trace/text_parse.h"
#include "trace/text_write.h"

struct wm_reader {
    wm_stream *stream;
    wm_reader_context context;
    wm_text_line line; /* the line that waits */
    bool has_line;
    bool is_ended;
    wm_launch launch;
    char *name;
    bool is_in_launch;
    uint64_t n_ctas;
    wm_static_table statics;
};

/* Makes a line wait, blank lines and comments left out. */
static wm_status next_line(wm_reader *r, wm_error *err)
{
    while (!r->has_line && !r->is_ended) {
        const char *bytes = NULL;
        size_t n = 0;
        wm_text_line *line = &r->line;
        wm_status status = wm_stream_line(r->stream, &bytes, &n, err);
        if (status != WM_OK) {
            return status;
        }
        r->is_ended = bytes == NULL;
        if (r->is_ended) {
            return WM_OK;
        }
        line->number = wm_stream_line_number(r->stream);
        line->scan = wm_scan_line(bytes, n);
        r->has_line = wm_scan_word(&line->scan, &line->first) &&
                      line->first.text[0] != '#';
    }
    return WM_OK;
}

static bool line_is(const wm_reader *r, const char *word)
{
    return r->has_line && wm_word_is(&r->line.first, word);
}

/* With keep_going a malformed line costs the rest of its launch. */
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

/* The warps and records behind a cta line, up to a line of another kind. */
static wm_status read_warps(wm_reader *r, wm_cta *cta, wm_error *err)
{
    uint32_t warp = 0;
    bool has_warp = false;
    for (;;) {
        r->has_line = false;
        wm_status status = next_line(r, err);
        bool is_warp = line_is(r, "warp");
        bool is_record = r->has_line && r->line.first.text[0] >= '0' &&
                         r->line.first.text[0] <= '9';
        if (status != WM_OK || (!is_warp && !is_record)) {
            return status;
        }
        if (is_warp) {
            status = wm_text_parse_warp(&r->line, cta, &warp, err);
            has_warp = true;
        } else if (!has_warp) {
            status = wm_fail(err, WM_EFORMAT,
                             "%s:%" PRIu64 ": found a record, wanted the "
                             "warp it belongs to",
                             r->line.path, r->line.number);
        } else {
            status = wm_text_parse_record(&r->line, &r->launch, cta, err);
            cta->warps[warp].n_records++;
        }
        if (status != WM_OK) {
            return status;
        }
    }
}

static wm_status read_cta(wm_reader *r, wm_cta *cta, wm_error *err)
{
    uint64_t n_records = 0;
    uint64_t number = r->line.number;
    wm_status status =
        wm_text_parse_cta(&r->line, &r->launch, cta, &n_records, err);
    if (status == WM_OK) {
        status = read_warps(r, cta, err);
    }
    if (status == WM_OK && n_records != UINT64_MAX &&
        n_records != cta->n_records) {
        return wm_fail(err, WM_EFORMAT,
                       "%s:%" PRIu64 ": found %zu records in this CTA, "
                       "wanted %" PRIu64,
                       r->line.path, number, cta->n_records, n_records);
    }
    return status;
}

static void end_launch(wm_reader *r)
{
    wm_reader_check_ctas(&r->context, r->n_ctas, r->launch.n_ctas,
                         "%s:%" PRIu64, r->context.path, r->line.number);
    r->is_in_launch = false;
}

static wm_status text_next_cta(wm_reader *r, wm_cta *cta, bool *has_cta,
                               wm_error *err)
{
    wm_status status = WM_OK;
    *has_cta = false;
    while (status == WM_OK && r->is_in_launch && !*has_cta) {
        status = next_line(r, err);
        if (status != WM_OK) {
            break;
        }
        if (line_is(r, "static")) {
            r->has_line = false;
            status = wm_text_parse_static(&r->line, &r->statics, err);
            r->launch.statics = r->statics.items;
            r->launch.n_statics = r->statics.n_items;
        } else if (line_is(r, "cta")) {
            status = read_cta(r, cta, err);
            *has_cta = status == WM_OK;
            r->n_ctas += *has_cta;
        } else if (!r->has_line || line_is(r, "launch") || line_is(r, "copy")) {
            end_launch(r);
        } else {
            status = wm_text_fail_line(
                &r->line, "static, cta, warp, launch, copy or a record", err);
        }
    }
    return forgive(r, status, err);
}

static wm_status use_launch(wm_reader *r, wm_error *err)
{
    char *name = NULL;
    wm_static_table_clear(&r->statics);
    wm_status status = wm_text_parse_launch(&r->line, &r->launch, &name, err);
    free(r->name);
    r->name = name;
    r->launch.name = name == NULL ? "" : name;
    r->launch.where = r->context.path;
    r->n_ctas = 0;
    r->is_in_launch = status == WM_OK;
    return status;
}

static bool is_known(const wm_reader *r)
{
    return line_is(r, "static") || line_is(r, "cta") || line_is(r, "warp") ||
           (r->line.first.text[0] >= '0' && r->line.first.text[0] <= '9');
}

static wm_status text_next_command(wm_reader *r, wm_command *out, wm_error *err)
{
    memset(out, 0, sizeof(*out));
    out->kind = WM_COMMAND_END;
    r->is_in_launch = false;
    for (;;) {
        wm_status status = next_line(r, err);
        if (status != WM_OK || !r->has_line) {
            return status;
        }
        if (line_is(r, "copy")) {
            status = wm_text_parse_copy(&r->line, &out->copy, err);
            out->kind = status == WM_OK ? WM_COMMAND_COPY : WM_COMMAND_END;
        } else if (line_is(r, "launch")) {
            status = use_launch(r, err);
            out->launch = r->launch;
            out->kind = status == WM_OK ? WM_COMMAND_LAUNCH : WM_COMMAND_END;
        } else if (!is_known(r)) {
            status = wm_text_fail_line(&r->line, "copy or launch", err);
        }
        r->has_line = false;
        status = forgive(r, status, err);
        if (status != WM_OK || out->kind != WM_COMMAND_END) {
            return status;
        }
    }
}

static const wm_launch *text_launch(const wm_reader *reader)
{
    return &reader->launch;
}

static void text_close(wm_reader *reader)
{
    if (reader == NULL) {
        return;
    }
    wm_stream_close(reader->stream);
    wm_static_table_fini(&reader->statics);
    free(reader->name);
    free(reader);
}

static wm_status read_head(wm_reader *r, wm_error *err)
{
    wm_word word;
    wm_status status = next_line(r, err);
    if (status != WM_OK) {
        return status;
    }
    if (!line_is(r, "warpmem-trace") || !wm_scan_word(&r->line.scan, &word) ||
        !wm_word_is(&word, "1")) {
        return wm_fail(err, WM_EFORMAT, "%s:%" PRIu64 ": wanted '%s' first",
                       r->context.path, r->line.number, WM_TEXT_HEAD);
    }
    r->has_line = false;
    return WM_OK;
}

static wm_status text_open(wm_stream *stream, const wm_reader_context *context,
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
    r->line.path = context->path;
    r->launch.name = "";
    r->launch.where = context->path;
    wm_static_table_init(&r->statics);
    wm_status status = read_head(r, err);
    if (status != WM_OK) {
        text_close(r);
        return status;
    }
    *out = r;
    return WM_OK;
}

static int text_sniff(const uint8_t *head, size_t n_bytes)
{
    static const char word[] = "warpmem-trace";
    return n_bytes >= sizeof(word) - 1 &&
                   memcmp(head, word, sizeof(word) - 1) == 0
               ? 100
               : 0;
}

extern const wm_format wm_format_text;
const wm_format wm_format_text = {
    .name = "text",
    .summary = "readable form, one record a line",
    .sniff = text_sniff,
    .open = text_open,
    .next_command = text_next_command,
    .next_cta = text_next_cta,
    .launch = text_launch,
    .close = text_close,
};
