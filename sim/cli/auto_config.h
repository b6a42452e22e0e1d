/*
 * auto_config.h -- the configuration that a command works with: a preset, a
 * file, or "auto", the preset for the SM version of the trace's first launch.
 *
 * Ownership  the configuration is the caller's to free.
 * Errors     WM_ECONFIG; WM_EUSAGE for auto on what cannot be read twice; those
 *            of the trace.
 */
#ifndef WM_CLI_AUTO_CONFIG_H
#define WM_CLI_AUTO_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "config/config.h"

#define WM_CONFIG_NOTE 64u

typedef struct wm_config_request {
    const char *command;     /* for messages: "run" */
    const char *name;        /* preset, file or "auto" */
    const char *const *sets; /* KEY=VALUE */
    size_t n_sets;
    const char *trace; /* where auto looks */
    bool keep_going;
} wm_config_request;

/* note: how auto chose, "" when it did not. */
wm_status wm_auto_config(const wm_config_request *request,
                         char note[WM_CONFIG_NOTE], wm_config_set **out,
                         wm_error *err);

#endif
