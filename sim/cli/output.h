/*
 * output.h -- reports to stdout or to a file, warnings to stderr.
 *
 * A file is written under FILE.tmp-PID and renamed when whole, so that no
 * half-written report bears the final name; what is no regular file (a pipe,
 * /dev/null) is written in place.
 *
 * Errors  WM_EIO with the path and the reason, or with an empty text when
 *         whoever read stdout has gone; WM_ENOMEM when the buffer had failed.
 */
#ifndef WM_CLI_OUTPUT_H
#define WM_CLI_OUTPUT_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/diag.h"
#include "base/status.h"

/* A report being written piece by piece. */
typedef struct wm_output {
    int descriptor;
    char *path;      /* the final name; NULL = stdout */
    char *temporary; /* NULL when written in place */
} wm_output;

/* path "-" or NULL: stdout. */
wm_status wm_output_open(wm_output *output, const char *path, wm_error *err);
/* Writes the buffer and empties it. */
wm_status wm_output_add(wm_output *output, wm_buffer *out, wm_error *err);
/* Gives the file its name.  The output is closed in any case. */
wm_status wm_output_close(wm_output *output, wm_error *err);
/* Leaves no file behind. */
void wm_output_abort(wm_output *output);

/* Writes the buffer to stdout and frees it. */
wm_status wm_output_print(wm_buffer *out, wm_error *err);

/* Writes the buffer to path ("-" or NULL: stdout) and frees it. */
wm_status wm_output_write(wm_buffer *out, const char *path, wm_error *err);

/* Fails now if a later wm_output_write to path surely would. */
wm_status wm_output_check(const char *path, wm_error *err);

bool wm_output_is_terminal(int descriptor);

/* One line per warning on stderr. */
void wm_output_warnings(const wm_diag *diag);

/* One line on stderr, prefixed like an error: what was done, not a report. */
void wm_output_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
