/*
 * auto_config.c -- the configuration that a command works with.
 */
#include "cli/auto_config.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "trace/reader.h"

/* Looking for the SM version takes the first bytes of a pipe for good. */
static wm_status check_peek(const wm_config_request *request, wm_error *err)
{
    struct stat info;
    if (stat(request->trace, &info) == 0 && !S_ISREG(info.st_mode) &&
        !S_ISDIR(info.st_mode)) {
        return wm_fail(err, WM_EUSAGE,
                       "%s: %s is no file that can be read twice, as "
                       "--config auto does; name a configuration",
                       request->command, request->trace);
    }
    return WM_OK;
}

/* The SM version of the trace's first launch, 0 when there is none. */
static wm_status peek(const wm_config_request *request, uint32_t *sm_version,
                      wm_error *err)
{
    const wm_trace_options options = {.keep_going = request->keep_going};
    wm_trace *trace = NULL;
    wm_command command;
    *sm_version = 0;
    wm_status status =
        wm_trace_open(request->trace, &options, NULL, &trace, err);
    while (status == WM_OK) {
        status = wm_trace_next_command(trace, &command, err);
        if (status != WM_OK || command.kind == WM_COMMAND_END) {
            break;
        }
        if (command.kind == WM_COMMAND_LAUNCH) {
            *sm_version = command.launch.sm_version;
            break;
        }
    }
    wm_trace_close(trace);
    return status;
}

wm_status wm_auto_config(const wm_config_request *request,
                         char note[WM_CONFIG_NOTE], wm_config_set **out,
                         wm_error *err)
{
    const char *name = request->name;
    *out = NULL;
    note[0] = '\0';
    if (strcmp(name, "auto") == 0) {
        uint32_t sm_version = 0;
        wm_status status = check_peek(request, err);
        if (status == WM_OK) {
            status = peek(request, &sm_version, err);
        }
        if (status != WM_OK) {
            return status;
        }
        name = wm_config_for_sm_version(sm_version);
        if (sm_version != 0) {
            (void)snprintf(note, WM_CONFIG_NOTE, "auto, sm_%u", sm_version);
        } else {
            (void)snprintf(note, WM_CONFIG_NOTE, "auto, SM version unknown");
        }
    }
    return wm_config_load(name, request->sets, request->n_sets, out, err);
}
