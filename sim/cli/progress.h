/*
 * progress.h -- the line on a terminal that says how far a run is, and the
 * wish of a user to stop it.
 *
 * On a terminal one line is redrawn twice a second and erased at the end;
 * elsewhere (--progress always) a line is added every five seconds.
 *
 * The first SIGINT or SIGTERM asks the run to stop at its next progress call;
 * the second ends the program at once, as without a handler.
 *
 * Threads  one thread.
 */
#ifndef WM_CLI_PROGRESS_H
#define WM_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/engine.h"

typedef struct wm_progress_line {
    bool is_shown;
    bool is_terminal;
    bool is_drawn;
    double start_seconds;
    double last_seconds;
    size_t trace, n_traces; /* "trace 2/5" when there are several */
} wm_progress_line;

/* Seconds of the host's monotonic clock. */
double wm_host_seconds(void);

void wm_progress_init(wm_progress_line *line, bool is_shown);
/* A wm_progress_fn whose context is the wm_progress_line. */
bool wm_progress_draw(const wm_progress *progress, void *line);
void wm_progress_erase(wm_progress_line *line);

/* Installs the handlers. */
void wm_interrupt_init(void);
bool wm_interrupt_is_wanted(void);

#endif
