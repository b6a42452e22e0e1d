/*
 * child.h -- runs another program and takes what it prints.
 *
 * Errors  WM_EIO when it cannot be started; its own exit code is the caller's
 *         to judge.
 */
#ifndef WM_CLI_CHILD_H
#define WM_CLI_CHILD_H

#include "base/buffer.h"
#include "base/status.h"

/*
 * Runs argv[0], found on the path, with stdin from /dev/null.  stdout is added
 * to out, stderr to errors (may be the same).  *exit_code is 127 when there is
 * no such program, 128 + signal when it was killed.
 */
wm_status wm_child_run(const char *const *argv, wm_buffer *out,
                       wm_buffer *errors, int *exit_code, wm_error *err);

#endif
