/*
 * trace_rewrite.c -- writes what a walk finds as a trace file.
 */
#include "cli/trace_rewrite.h"

#include <string.h>
#include <sys/stat.h>

#include "cli/output.h"
#include "cli/progress.h"
#include "report/human.h"
#include "trace/writer.h"

static wm_status rewrite_copy(void *context, const wm_copy *copy, wm_error *err)
{
    return wm_trace_write_copy(context, copy, err);
}

static wm_status rewrite_launch(void *context, const wm_launch *launch,
                                wm_error *err)
{
    return wm_trace_write_launch(context, launch, err);
}

static wm_status rewrite_cta(void *context, const wm_launch *launch,
                             const wm_cta *cta, wm_error *err)
{
    return wm_trace_write_cta(context, launch, cta, err);
}

static const wm_trace_sink rewrite_sink = {rewrite_copy, rewrite_launch,
                                           rewrite_cta, NULL};

static void rewrite_note(const wm_trace_walk *walk, uint64_t n_stored_bytes,
                         size_t n_paths, const char *output)
{
    struct stat info;
    char in[WM_HUMAN_BYTES], out[WM_HUMAN_BYTES];
    if (stat(output, &info) != 0 || S_ISDIR(info.st_mode) ||
        info.st_size <= 0) {
        return;
    }
    double n_in = (double)n_stored_bytes;
    double n_out = (double)info.st_size;
    wm_output_note("%s: %s of %s became %s (ratio %.2f)", output,
                   wm_human_bytes(in, n_in),
                   n_paths == 1 ? walk->format : "traces",
                   wm_human_bytes(out, n_out), n_in / n_out);
}

/* Reads every trace; *incomplete is the last that is. */
static wm_status rewrite_walks(wm_trace_walk *walk, const char *const *paths,
                               size_t n_paths, uint64_t *n_stored_bytes,
                               const char **incomplete, wm_error *err)
{
    wm_status status = WM_OK;
    for (size_t i = 0; status == WM_OK && i < n_paths; i++) {
        walk->path = paths[i];
        status = wm_trace_walk_run(walk, err);
        *n_stored_bytes += walk->n_stored_bytes;
        if (status == WM_OK && !walk->is_complete) {
            *incomplete = paths[i];
            if (!walk->keep_going) {
                status = wm_fail(err, WM_EFORMAT,
                                 "%s: the trace is incomplete; --keep-going "
                                 "converts what there is",
                                 walk->path);
            }
        }
    }
    return status;
}

wm_status wm_trace_rewrite_all(wm_trace_walk *walk, const char *const *paths,
                               size_t n_paths, const char *to,
                               const char *output, bool is_quiet, wm_error *err)
{
    wm_trace_writer *writer = NULL;
    const char *incomplete = NULL;
    uint64_t n_stored_bytes = 0;
    if (output == NULL || strcmp(output, "-") == 0) {
        return wm_fail(err, WM_EUSAGE,
                       "--output: want a name: a trace cannot be written "
                       "to a pipe");
    }
    wm_status status = wm_output_check(output, err);
    if (status == WM_OK) {
        status = wm_trace_create(to, output, &writer, err);
    }
    if (status != WM_OK) {
        return status;
    }
    wm_interrupt_init(); /* a signal leaves no file behind */
    walk->sink = &rewrite_sink;
    walk->context = writer;
    status =
        rewrite_walks(walk, paths, n_paths, &n_stored_bytes, &incomplete, err);
    if (status != WM_OK) {
        wm_trace_abort(writer);
        return status;
    }
    status = wm_trace_finish(writer, err);
    walk->is_written = status == WM_OK;
    if (status == WM_OK && !is_quiet) {
        rewrite_note(walk, n_stored_bytes, n_paths, output);
    }
    if (status == WM_OK && incomplete != NULL) {
        status = wm_fail(err, WM_EFORMAT,
                         "%s: the trace is incomplete; what there is was "
                         "written",
                         incomplete);
    }
    return status;
}

wm_status wm_trace_rewrite(wm_trace_walk *walk, const char *to,
                           const char *output, bool is_quiet, wm_error *err)
{
    const char *path = walk->path;
    return wm_trace_rewrite_all(walk, &path, 1, to, output, is_quiet, err);
}
