/*
 * cmd_trace.c -- `warpmem trace`: the group of trace subcommands.
 */
#include "cli/command.h"

wm_status wm_cmd_trace(const wm_subcommand *self, int argc, char **argv,
                       wm_error *err);

#define WM_TRACE(id, arguments, sentence)                                      \
    wm_status wm_trace_cmd_##id(const wm_subcommand *self, int argc,           \
                                char **argv, wm_error *err);
#include "cli/trace.def"
#undef WM_TRACE

static const wm_subcommand trace_commands[] = {
#define WM_TRACE(id, arguments, sentence)                                      \
    {"trace " #id, arguments, sentence, wm_trace_cmd_##id},
#include "cli/trace.def"
#undef WM_TRACE
};

wm_status wm_cmd_trace(const wm_subcommand *self, int argc, char **argv,
                       wm_error *err)
{
    return wm_subcommand_dispatch(
        self, trace_commands,
        sizeof(trace_commands) / sizeof(trace_commands[0]), argc, argv, err);
}
