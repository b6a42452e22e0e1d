/*
 * trace_walk.h -- reads a trace to its end and hands on what it finds; the
 * common part of the trace subcommands.
 *
 * Ownership  what a sink is given is valid during the call.
 * Errors     those of the reader and of the sink, which end the walk.
 */
#ifndef WM_CLI_TRACE_WALK_H
#define WM_CLI_TRACE_WALK_H

#include <stdbool.h>

#include "base/diag.h"
#include "cli/select.h"
#include "trace/reader.h"

/* Any member may be NULL. */
typedef struct wm_trace_sink {
    wm_status (*copy)(void *context, const wm_copy *copy, wm_error *err);
    wm_status (*launch)(void *context, const wm_launch *launch, wm_error *err);
    /* launch has its statics as known by now. */
    wm_status (*cta)(void *context, const wm_launch *launch, const wm_cta *cta,
                     wm_error *err);
    /* After the launch's last CTA. */
    wm_status (*launch_end)(void *context, const wm_launch *launch,
                            wm_error *err);
} wm_trace_sink;

typedef struct wm_trace_walk {
    /* in */
    const char *path;
    bool keep_going;
    bool may_seek;     /* what is not selected is passed over unread */
    uint32_t jobs;     /* threads that may decode; 0 is 1 */
    wm_select *select; /* NULL = every launch */
    wm_diag *diag;     /* may be NULL */
    const wm_trace_sink *sink;
    void *context;
    /* out, also after an error */
    bool is_complete;
    char format[32];
    char digest[WM_DIGEST_HEX];
    uint64_t n_stored_bytes;
} wm_trace_walk;

wm_status wm_trace_walk_run(wm_trace_walk *walk, wm_error *err);

#endif
