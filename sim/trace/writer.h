/*
 * writer.h -- writes a trace in any format that can be written.
 *
 *     wm_trace_create(format, path)
 *     in the trace's order: copy(), launch(), cta() of the launch ...
 *     finish(), or abort()
 *
 * Not modelled  what a format has no place for is lost; each output_<id>.c
 *               and docs/TRACE_FORMAT.md say what.
 * Ownership     finish and abort free the writer.
 * Errors        WM_EUSAGE for an unknown format; WM_EFORMAT for a trace that
 *               the format cannot hold; WM_EIO with path and reason; WM_ENOMEM.
 *               What is written bears a temporary name until finish.
 * Threads       one thread per writer.
 * Repeatable    the same calls write the same bytes.
 * Cost          memory: one CTA.
 */
#ifndef WM_TRACE_WRITER_H
#define WM_TRACE_WRITER_H

#include "base/status.h"
#include "trace/record.h"

/* What a format supplies; state is its own. */
typedef struct wm_trace_output {
    const char *name;    /* as readers call the format */
    const char *summary; /* one line */
    wm_status (*open)(const char *path, void **state, wm_error *err);
    wm_status (*copy)(void *state, const wm_copy *copy, wm_error *err);
    wm_status (*launch)(void *state, const wm_launch *launch, wm_error *err);
    /* launch: the same launch with its statics as known by now. */
    wm_status (*cta)(void *state, const wm_launch *launch, const wm_cta *cta,
                     wm_error *err);
    /* Both free the state, in any case. */
    wm_status (*finish)(void *state, wm_error *err);
    void (*drop)(void *state);
} wm_trace_output;

/* Every output, in the order of outputs.def; ends in NULL. */
extern const wm_trace_output *const wm_trace_outputs[];

typedef struct wm_trace_writer wm_trace_writer;

wm_status wm_trace_create(const char *format, const char *path,
                          wm_trace_writer **out, wm_error *err);
wm_status wm_trace_write_copy(wm_trace_writer *writer, const wm_copy *copy,
                              wm_error *err);
wm_status wm_trace_write_launch(wm_trace_writer *writer,
                                const wm_launch *launch, wm_error *err);
wm_status wm_trace_write_cta(wm_trace_writer *writer, const wm_launch *launch,
                             const wm_cta *cta, wm_error *err);
wm_status wm_trace_finish(wm_trace_writer *writer, wm_error *err);
void wm_trace_abort(wm_trace_writer *writer); /* NULL is fine */

#endif
