/*
 * cmd_config.c -- `warpmem config`: the group of config subcommands.
 */
#include "cli/command.h"

wm_status wm_cmd_config(const wm_subcommand *self, int argc, char **argv,
                        wm_error *err);

#define WM_CONFIG(id, arguments, sentence)                                     \
    wm_status wm_config_cmd_##id(const wm_subcommand *self, int argc,          \
                                 char **argv, wm_error *err);
#include "cli/config.def"
#undef WM_CONFIG

static const wm_subcommand config_commands[] = {
#define WM_CONFIG(id, arguments, sentence)                                     \
    {"config " #id, arguments, sentence, wm_config_cmd_##id},
#include "cli/config.def"
#undef WM_CONFIG
};

wm_status wm_cmd_config(const wm_subcommand *self, int argc, char **argv,
                        wm_error *err)
{
    return wm_subcommand_dispatch(
        self, config_commands,
        sizeof(config_commands) / sizeof(config_commands[0]), argc, argv, err);
}
