/*
 * sink.h -- a file being written piece by piece, under PATH.tmp-PID until it
 * is whole.  Private to the trace floor.
 *
 * Ownership  open, then close or abort.
 * Errors     WM_EIO with path and reason; WM_ENOMEM, also for a buffer that
 *            has failed.
 */
#ifndef WM_TRACE_SINK_H
#define WM_TRACE_SINK_H

#include "base/buffer.h"
#include "base/status.h"

typedef struct wm_sink wm_sink;

/* A path that is no regular file (a pipe, /dev/stdout) is written in place. */
wm_status wm_sink_open(const char *path, wm_sink **out, wm_error *err);
/* Writes the buffer and empties it. */
wm_status wm_sink_add(wm_sink *sink, wm_buffer *buffer, wm_error *err);
/* Gives the file its name; frees the sink in any case. */
wm_status wm_sink_close(wm_sink *sink, wm_error *err);
void wm_sink_abort(wm_sink *sink); /* NULL is fine */

/* PATH.tmp-PID; NULL when memory is short. */
char *wm_sink_temporary(const char *path);

#endif
