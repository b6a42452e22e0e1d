/*
 * sink.c -- see sink.h.
 */
#include "trace/sink.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct wm_sink {
    FILE *file;
    char *path;
    char *temporary; /* NULL when written in place */
};

char *wm_sink_temporary(const char *path)
{
    size_t n = strlen(path) + 32;
    char *name = malloc(n);
    if (name != NULL) {
        (void)snprintf(name, n, "%s.tmp-%ld", path, (long)getpid());
    }
    return name;
}

static void sink_free(wm_sink *sink)
{
    free(sink->path);
    free(sink->temporary);
    free(sink);
}

wm_status wm_sink_open(const char *path, wm_sink **out, wm_error *err)
{
    struct stat info;
    *out = NULL;
    wm_sink *sink = calloc(1, sizeof(*sink));
    if (sink == NULL) {
        return wm_fail_memory(err);
    }
    size_t n = strlen(path) + 1;
    bool is_special = stat(path, &info) == 0 && !S_ISREG(info.st_mode);
    sink->path = malloc(n);
    sink->temporary = is_special ? NULL : wm_sink_temporary(path);
    if (sink->path == NULL || (!is_special && sink->temporary == NULL)) {
        sink_free(sink);
        return wm_fail_memory(err);
    }
    memcpy(sink->path, path, n);
    const char *name = is_special ? path : sink->temporary;
    sink->file = fopen(name, "wb");
    if (sink->file == NULL) {
        wm_status status =
            wm_fail(err, WM_EIO, "%s: %s", name, strerror(errno));
        sink_free(sink);
        return status;
    }
    *out = sink;
    return WM_OK;
}

wm_status wm_sink_add(wm_sink *sink, wm_buffer *buffer, wm_error *err)
{
    if (buffer->is_failed) {
        return wm_fail_memory(err);
    }
    if (buffer->n_bytes > 0 && fwrite(buffer->bytes, 1, buffer->n_bytes,
                                      sink->file) != buffer->n_bytes) {
        return wm_fail(err, WM_EIO, "%s: %s", sink->path, strerror(errno));
    }
    wm_buffer_clear(buffer);
    return WM_OK;
}

wm_status wm_sink_close(wm_sink *sink, wm_error *err)
{
    wm_status status = WM_OK;
    bool is_written = fclose(sink->file) == 0;
    if (!is_written ||
        (sink->temporary != NULL && rename(sink->temporary, sink->path) != 0)) {
        status = wm_fail(err, WM_EIO, "%s: %s", sink->path, strerror(errno));
        if (sink->temporary != NULL) {
            (void)unlink(sink->temporary);
        }
    }
    sink_free(sink);
    return status;
}

void wm_sink_abort(wm_sink *sink)
{
    if (sink != NULL) {
        (void)fclose(sink->file);
        if (sink->temporary != NULL) {
            (void)unlink(sink->temporary);
        }
        sink_free(sink);
    }
}
