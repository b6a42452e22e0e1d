/*
 * output_accelsim.c -- a folder of Accel-Sim text: kernelslist.g and a
 * kernel-N.traceg per launch.  accelsim_write.h says what of a record such a
 * text can hold.
 *
 * Not modelled  copies other than MemcpyHtoD are written, but simulators pass
 *               over them; control bytes in kernel names become blanks.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/accelsim_write.h"
#include "trace/sink.h"
#include "trace/writer.h"

typedef struct accelsim_output {
    char *path;
    char *temporary; /* the folder until it is whole */
    wm_buffer list;
    wm_sink *sink; /* of the kernel being written */
    uint64_t n_launches;
    bool has_head;    /* of that kernel */
    wm_launch launch; /* without statics */
    char *name;       /* its own */
    wm_accelsim_out text;
} accelsim_output;

static void file_name(const accelsim_output *out, uint64_t number,
                      wm_buffer *name)
{
    wm_buffer_printf(name, "%s/", out->temporary);
    if (number == 0) {
        wm_buffer_puts(name, "kernelslist.g");
    } else {
        wm_buffer_printf(name, "kernel-%" PRIu64 ".traceg", number);
    }
}

static void output_free(accelsim_output *out)
{
    wm_buffer_fini(&out->list);
    wm_accelsim_out_fini(&out->text);
    free(out->path);
    free(out->temporary);
    free(out->name);
    free(out);
}

static wm_status open_folder(const char *path, void **state, wm_error *err)
{
    size_t n = strlen(path) + 1;
    struct stat info;
    *state = NULL;
    if (stat(path, &info) == 0) {
        return wm_fail(err, WM_EIO,
                       "%s: exists; Accel-Sim text is a new folder", path);
    }
    accelsim_output *out = calloc(1, sizeof(*out));
    if (out == NULL) {
        return wm_fail_memory(err);
    }
    wm_buffer_init(&out->list);
    wm_accelsim_out_init(&out->text);
    out->path = malloc(n);
    out->temporary = wm_sink_temporary(path);
    if (out->path == NULL || out->temporary == NULL) {
        output_free(out);
        return wm_fail_memory(err);
    }
    memcpy(out->path, path, n);
    if (mkdir(out->temporary, 0777) != 0) {
        wm_status status =
            wm_fail(err, WM_EIO, "%s: %s", out->temporary, strerror(errno));
        output_free(out);
        return status;
    }
    *state = out;
    return WM_OK;
}

static void drop(void *state)
{
    accelsim_output *out = state;
    wm_sink_abort(out->sink);
    for (uint64_t i = 0; i <= out->n_launches; i++) {
        wm_buffer name;
        wm_buffer_init(&name);
        file_name(out, i, &name);
        if (!name.is_failed) {
            (void)unlink(name.bytes);
        }
        wm_buffer_fini(&name);
    }
    (void)rmdir(out->temporary);
    output_free(out);
}

static wm_status end_launch(accelsim_output *out, wm_error *err)
{
    wm_status status = WM_OK;
    if (out->sink == NULL) {
        return WM_OK;
    }
    if (!out->has_head) { /* a launch without CTAs */
        status = wm_accelsim_out_head(&out->text, &out->launch, out->n_launches,
                                      err);
    }
    if (status == WM_OK) {
        status = wm_sink_add(out->sink, &out->text.text, err);
    }
    if (status != WM_OK) {
        return status;
    }
    wm_sink *sink = out->sink;
    out->sink = NULL;
    return wm_sink_close(sink, err);
}

static wm_status open_file(accelsim_output *out, uint64_t number, wm_error *err)
{
    wm_buffer name;
    wm_buffer_init(&name);
    file_name(out, number, &name);
    wm_status status = name.is_failed
                           ? wm_fail_memory(err)
                           : wm_sink_open(name.bytes, &out->sink, err);
    wm_buffer_fini(&name);
    return status;
}

static wm_status add_copy(void *state, const wm_copy *copy, wm_error *err)
{
    static const char *const names[] = {
        [WM_COPY_HOST_TO_DEVICE] = "MemcpyHtoD",
        [WM_COPY_DEVICE_TO_HOST] = "MemcpyDtoH",
        [WM_COPY_DEVICE_TO_DEVICE] = "MemcpyDtoD",
        [WM_COPY_SET] = "Memset",
    };
    accelsim_output *out = state;
    wm_buffer_printf(&out->list, "%s,0x%016" PRIx64 ",%" PRIu64 "\n",
                     names[copy->kind], copy->addr, copy->n_bytes);
    return end_launch(out, err);
}

static wm_status add_launch(void *state, const wm_launch *launch, wm_error *err)
{
    accelsim_output *out = state;
    wm_status status = end_launch(out, err);
    if (status != WM_OK) {
        return status;
    }
    size_t n_name = strlen(launch->name) + 1;
    free(out->name);
    out->name = malloc(n_name);
    if (out->name == NULL) {
        return wm_fail_memory(err);
    }
    memcpy(out->name, launch->name, n_name);
    out->launch = *launch;
    out->launch.n_statics = 0;
    out->launch.name = out->name;
    out->launch.where = out->path;
    out->has_head = false;
    out->n_launches++;
    wm_buffer_printf(&out->list, "kernel-%" PRIu64 ".traceg\n",
                     out->n_launches);
    return open_file(out, out->n_launches, err);
}

static wm_status add_cta(void *state, const wm_launch *launch,
                         const wm_cta *cta, wm_error *err)
{
    accelsim_output *out = state;
    wm_status status = WM_OK;
    if (!out->has_head) { /* now that some static instructions are known */
        status = wm_accelsim_out_head(&out->text, launch, out->n_launches, err);
        out->has_head = true;
    }
    if (status == WM_OK) {
        status = wm_accelsim_out_cta(&out->text, launch, cta, err);
    }
    return status == WM_OK ? wm_sink_add(out->sink, &out->text.text, err)
                           : status;
}

static wm_status write_list(accelsim_output *out, wm_error *err)
{
    wm_status status = end_launch(out, err);
    out->has_head = true; /* the list has none */
    if (status == WM_OK) {
        status = open_file(out, 0, err);
    }
    if (status == WM_OK) {
        status = wm_sink_add(out->sink, &out->list, err);
    }
    return status == WM_OK ? end_launch(out, err) : status;
}

static wm_status finish(void *state, wm_error *err)
{
    accelsim_output *out = state;
    wm_status status = write_list(out, err);
    if (status == WM_OK && rename(out->temporary, out->path) != 0) {
        status = wm_fail(err, WM_EIO, "%s: %s", out->path, strerror(errno));
    }
    if (status != WM_OK) {
        drop(out);
        return status;
    }
    output_free(out);
    return WM_OK;
}

extern const wm_trace_output wm_output_accelsim;
const wm_trace_output wm_output_accelsim = {
    .name = "accelsim",
    .summary = "a folder of Accel-Sim text: kernelslist.g, kernel-N.traceg",
    .open = open_folder,
    .copy = add_copy,
    .launch = add_launch,
    .cta = add_cta,
    .finish = finish,
    .drop = drop,
};
