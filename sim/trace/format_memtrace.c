/*
 * format_memtrace.c -- reads the print-out of NVBit's mem_trace tool.
 *
 * Access lines come in arrival order, warps and CTAs mixed, after the line of
 * their launch; launch ids are not looked at, because the two kinds of line
 * count them differently.  access_reader.h brings them together.
 *
 * Not modelled  what access_reader.h leaves out; lanes at address 0 cannot be
 *               told from lanes that are off.
 *
 * The tool prints the hardware's warp slot, not the warp of the CTA: where the
 * slots of a CTA do not fit the block they are renumbered in rising order.
 *
 * Launches that hold nothing but 0xVALUE,0xADDRESS lines: each line is a lane;
 * 32 of them in a row are taken as one 4-byte global load (32-byte lanes when
 * the value has 64 digits), and the loads are dealt to the warps in order, the
 * same number to each.  Warned as memtrace-no-warps.
 */
#include <string.h>

#include "trace/access_reader.h"

static void read_access(wm_access_item *item, const char *text, size_t n,
                        bool is_counting)
{
    wm_memtrace_access *access = &item->access;
    item->kind = WM_ITEM_ACCESS;
    item->fault = wm_memtrace_access_line(text, n, true, access);
    if (item->fault == NULL && !is_counting) {
        item->has_place = true;
        item->fault = wm_memtrace_access_line(text, n, false, access);
    }
}

static void read_bare(wm_access_item *item, const char *text, size_t n)
{
    uint32_t width = 4;
    item->kind = WM_ITEM_BARE;
    item->access.addresses[0] = 0;
    item->fault = wm_memtrace_bare(text, n, &item->access.addresses[0], &width);
    item->access.n_traced = width;
}

static wm_status memtrace_next(wm_reader *r, bool is_counting, wm_error *err)
{
    wm_access_item *item = &r->item;
    wm_memtrace_kind kind = WM_MEMTRACE_OTHER;
    const char *text = NULL;
    size_t n = 0;
    while (kind == WM_MEMTRACE_OTHER || kind == WM_MEMTRACE_ALLOC) {
        wm_status status = wm_stream_line(r->stream, &text, &n, err);
        if (status != WM_OK || text == NULL) {
            item->kind = WM_ITEM_END;
            return status;
        }
        kind = wm_memtrace_classify(text, n);
    }
    item->line = wm_stream_line_number(r->stream);
    if (kind == WM_MEMTRACE_LAUNCH) {
        item->kind = WM_ITEM_LAUNCH;
        item->fault = wm_memtrace_launch(text, n, &item->launch, &item->name);
    } else if (kind == WM_MEMTRACE_ACCESS) {
        read_access(item, text, n, is_counting);
    } else {
        read_bare(item, text, n);
    }
    return WM_OK;
}

static const wm_access_dialect memtrace_dialect = {.next = memtrace_next};

static wm_status memtrace_open(wm_stream *stream,
                               const wm_reader_context *context,
                               wm_reader **out, wm_error *err)
{
    return wm_access_open(stream, context, &memtrace_dialect, out, err);
}

/* A MEMTRACE line, the tracer's banner, or value,address lines. */
static int memtrace_sniff(const uint8_t *head, size_t n_bytes)
{
    const char *at = (const char *)head;
    const char *end = at + n_bytes;
    int score = 0;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t n = (size_t)((stop == NULL ? end : stop) - at);
        wm_memtrace_kind kind = wm_memtrace_classify(at, n);
        if ((n >= 9 && memcmp(at, "MEMTRACE:", 9) == 0) ||
            kind == WM_MEMTRACE_LAUNCH) {
            return 90;
        }
        if (kind == WM_MEMTRACE_BARE) {
            score = score > 60 ? score : 60;
        } else if (n > 20 && memcmp(at, "------------- NVBit ", 20) == 0) {
            score = score > 50 ? score : 50;
        }
        at = stop == NULL ? end : stop + 1;
    }
    return score;
}

extern const wm_format wm_format_memtrace;
const wm_format wm_format_memtrace = {
    .name = "memtrace",
    .summary = "print-out of NVBit's mem_trace",
    .sniff = memtrace_sniff,
    .open = memtrace_open,
    .next_command = wm_access_next_command,
    .next_cta = wm_access_next_cta,
    .launch = wm_access_launch_of,
    .close = wm_access_close,
};
