/*
 * reader.c -- the trace as callers see it: opening by content, and what every
 * format shares.
 */
#include "trace/reader.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "trace/format.h"

struct wm_trace {
    const wm_format *format;
    wm_reader *reader;
    wm_buffer path;
    wm_digest digest;
    bool is_complete;
    uint64_t n_bytes_done;
    uint64_t n_bytes_total;
};

/* Bytes of a regular file; 0 for what has no size. */
static bool find_file(const char *path, uint64_t *n_bytes)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        return false;
    }
    *n_bytes = S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0;
    return true;
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Puts into trace->path the file to open: path, or the list in a folder. */
static wm_status find_path(wm_trace *trace, const char *path, wm_error *err)
{
    static const char *const lists[] = {"kernelslist.g", "kernelslist"};
    wm_buffer_puts(&trace->path, path);
    if (is_folder(path)) {
        size_t n = strlen(path);
        const char *slash = n > 0 && path[n - 1] == '/' ? "" : "/";
        bool is_found = false;
        for (size_t i = 0; i < 2 && !is_found; i++) {
            wm_buffer_clear(&trace->path);
            wm_buffer_printf(&trace->path, "%s%s%s", path, slash, lists[i]);
            is_found = !trace->path.is_failed &&
                       find_file(trace->path.bytes, &trace->n_bytes_total);
        }
        if (!is_found && !trace->path.is_failed) {
            return wm_fail(err, WM_EFORMAT,
                           "%s: a folder without kernelslist.g or kernelslist, "
                           "wanted one of them",
                           path);
        }
    }
    if (trace->path.is_failed) {
        return wm_fail_memory(err);
    }
    (void)find_file(trace->path.bytes, &trace->n_bytes_total);
    return WM_OK;
}

wm_status wm_trace_open(const char *path, const wm_trace_options *options,
                        wm_diag *diag, wm_trace **out, wm_error *err)
{
    *out = NULL;
    wm_trace *trace = calloc(1, sizeof(*trace));
    if (trace == NULL) {
        return wm_fail_memory(err);
    }
    trace->is_complete = true;
    wm_buffer_init(&trace->path);
    wm_digest_init(&trace->digest);
    wm_status status = find_path(trace, path, err);
    if (status == WM_OK) {
        wm_reader_context context = {
            .path = trace->path.bytes,
            .diag = diag,
            .digest = &trace->digest,
            .is_complete = &trace->is_complete,
            .n_bytes_done = &trace->n_bytes_done,
            .n_bytes_total = &trace->n_bytes_total,
        };
        if (options != NULL) {
            context.options = *options;
        }
        status = wm_format_open(trace->path.bytes, &context, &trace->format,
                                &trace->reader, err);
    }
    if (status != WM_OK) {
        trace->reader = NULL; /* a failing open has closed it */
        wm_trace_close(trace);
        return status;
    }
    *out = trace;
    return WM_OK;
}

wm_trace *wm_trace_over(const wm_format *format, wm_reader *reader,
                        const wm_digest *digest, bool is_complete,
                        uint64_t n_stored_bytes)
{
    wm_trace *trace = calloc(1, sizeof(*trace));
    if (trace != NULL) {
        wm_buffer_init(&trace->path);
        trace->format = format;
        trace->reader = reader;
        trace->digest = *digest;
        trace->is_complete = is_complete;
        trace->n_bytes_done = trace->n_bytes_total = n_stored_bytes;
    }
    return trace;
}

const wm_digest *wm_trace_digest_state(const wm_trace *trace)
{
    return &trace->digest;
}

wm_status wm_trace_next_command(wm_trace *trace, wm_command *out, wm_error *err)
{
    return trace->format->next_command(trace->reader, out, err);
}

wm_status wm_trace_next_cta(wm_trace *trace, wm_cta *cta, bool *has_cta,
                            wm_error *err)
{
    *has_cta = false;
    wm_cta_clear(cta);
    return trace->format->next_cta(trace->reader, cta, has_cta, err);
}

wm_status wm_trace_skip_ctas(wm_trace *trace, uint64_t n, wm_cta *cta,
                             wm_error *err)
{
    bool has_cta = true;
    wm_status status = WM_OK;
    if (trace->format->skip_ctas != NULL) {
        return trace->format->skip_ctas(trace->reader, n, cta, err);
    }
    for (; status == WM_OK && n > 0 && has_cta; n--) {
        status = wm_trace_next_cta(trace, cta, &has_cta, err);
    }
    return status;
}

const wm_launch *wm_trace_launch(const wm_trace *trace)
{
    return trace->format->launch(trace->reader);
}

void wm_trace_close(wm_trace *trace)
{
    if (trace == NULL) {
        return;
    }
    if (trace->reader != NULL) {
        trace->format->close(trace->reader);
    }
    wm_buffer_fini(&trace->path);
    free(trace);
}

const char *wm_trace_format_name(const wm_trace *trace)
{
    return trace->format->name;
}

bool wm_trace_is_complete(const wm_trace *trace)
{
    return trace->is_complete;
}

void wm_trace_digest(const wm_trace *trace, char hex[WM_DIGEST_HEX])
{
    wm_digest_hex(&trace->digest, hex);
}

void wm_trace_position(const wm_trace *trace, uint64_t *n_done,
                       uint64_t *n_total)
{
    *n_done = trace->n_bytes_done;
    *n_total = trace->n_bytes_total;
}
