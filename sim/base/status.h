/*
 * status.h -- how a function in this program says that it failed.
 *
 * A function that can fail returns a wm_status and takes a wm_error as its
 * last argument; WM_OK is 0.  On failure the error holds one sentence for
 * the person at the keyboard, naming the file, the line or key, the value
 * found and the value wanted.  Only sim/cli prints it, and only sim/cli
 * exits.
 *
 * Ownership  the caller owns the wm_error (usually one, on main's stack).
 * Threads    no shared state.
 */
#ifndef WM_BASE_STATUS_H
#define WM_BASE_STATUS_H

#define WM_STATUS_LIST(X)                                                      \
    X(OK, "no error")                                                          \
    X(ENOMEM, "out of memory")                                                 \
    X(EIO, "input or output failed")                                           \
    X(EFORMAT, "malformed input")                                              \
    X(ECONFIG, "invalid configuration")                                        \
    X(EUSAGE, "wrong command line")                                            \
    X(EINTERNAL, "a conservation law does not hold: a bug in this program")

typedef enum wm_status {
#define X(name, text) WM_##name,
    WM_STATUS_LIST(X)
#undef X
} wm_status;

typedef struct wm_error {
    wm_status status;
    char text[768]; /* one sentence, no newline, always NUL-terminated */
} wm_error;

/* Short fixed text for a status; never NULL. */
const char *wm_status_text(wm_status status);

/*
 * Fills *err and returns status, so that a failing line reads
 *     return wm_fail(err, WM_ECONFIG, "l2.ways: %u is not a power of 2", w);
 * err may be NULL when only the status matters.  Text too long is cut; bytes
 * that could steer a terminal (controls) are shown as '?'.
 */
wm_status wm_fail(wm_error *err, wm_status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The one way to report a failed allocation. */
wm_status wm_fail_memory(wm_error *err);

#endif
