/*
 * formats.c -- the registry of trace formats, and opening one by content.
 */
#include "trace/format.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/buffer.h"
#include "trace/stream.h"

#define WM_FORMAT(id) extern const wm_format wm_format_##id;
#include "trace/formats.def"
#undef WM_FORMAT

const wm_format *const wm_formats[] = {
#define WM_FORMAT(id) &wm_format_##id,
#include "trace/formats.def"
#undef WM_FORMAT
    NULL,
};

void wm_reader_check_ctas(const wm_reader_context *context, uint64_t n_read,
                          uint64_t n_promised, const char *place_format, ...)
{
    char place[512];
    va_list arguments;
    bool is_missing = n_read < n_promised;
    if (n_read == n_promised) {
        return;
    }
    va_start(arguments, place_format);
    (void)vsnprintf(place, sizeof(place), place_format, arguments);
    va_end(arguments);
    wm_warn(context->diag, is_missing ? "ctas-missing" : "ctas-extra", place,
            "%" PRIu64 " thread blocks, and the grid has %" PRIu64 "%s", n_read,
            n_promised, is_missing ? ": the kernel is not complete" : "");
    if (is_missing) {
        *context->is_complete = false;
    }
}

/* "PATH: not a known trace format (...), wanted one of: ...". */
static wm_status fail_unknown(const char *path, const uint8_t *head,
                              size_t n_bytes, wm_error *err)
{
    wm_buffer text;
    wm_buffer_init(&text);
    wm_buffer_printf(&text, "%s: not a known trace format (first bytes \"",
                     path);
    for (size_t i = 0; i < n_bytes && i < 24; i++) {
        bool is_shown = head[i] >= 0x20 && head[i] < 0x7f;
        wm_buffer_printf(&text, is_shown ? "%c" : "\\x%02x", head[i]);
    }
    wm_buffer_puts(&text, "\"), wanted one of: ");
    for (size_t i = 0; wm_formats[i] != NULL; i++) {
        wm_buffer_puts(&text, i == 0 ? "" : ", ");
        wm_buffer_puts(&text, wm_formats[i]->name);
    }
    wm_status status = text.is_failed
                           ? wm_fail_memory(err)
                           : wm_fail(err, WM_EFORMAT, "%s", text.bytes);
    wm_buffer_fini(&text);
    return status;
}

wm_status wm_format_open(const char *path, const wm_reader_context *context,
                         const wm_format **format, wm_reader **out,
                         wm_error *err)
{
    wm_stream *stream = NULL;
    const uint8_t *head = NULL;
    size_t n_bytes = 0;
    wm_status status = wm_stream_open(path, context->digest,
                                      context->n_bytes_done, &stream, err);
    if (status != WM_OK) {
        return status;
    }
    status = wm_stream_peek(stream, WM_SNIFF_BYTES, &head, &n_bytes, err);
    if (status != WM_OK) {
        wm_stream_close(stream);
        return status;
    }
    size_t n_seen = n_bytes < WM_SNIFF_BYTES ? n_bytes : WM_SNIFF_BYTES;
    const wm_format *best = NULL;
    int best_score = 0;
    for (size_t i = 0; wm_formats[i] != NULL; i++) {
        int score = wm_formats[i]->sniff(head, n_seen);
        if (score > best_score) {
            best = wm_formats[i];
            best_score = score;
        }
    }
    if (best == NULL) {
        status = fail_unknown(path, head, n_seen, err);
        wm_stream_close(stream);
        return status;
    }
    *format = best;
    return best->open(stream, context, out, err);
}
