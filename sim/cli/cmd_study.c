/*
 * cmd_study.c -- `warpmem study`: the group of study subcommands.
 */
#include "cli/command.h"

wm_status wm_cmd_study(const wm_subcommand *self, int argc, char **argv,
                       wm_error *err);

#define WM_STUDY(id, arguments, sentence)                                      \
    wm_status wm_study_cmd_##id(const wm_subcommand *self, int argc,           \
                                char **argv, wm_error *err);
#include "cli/study.def"
#undef WM_STUDY

static const wm_subcommand study_commands[] = {
#define WM_STUDY(id, arguments, sentence)                                      \
    {"study " #id, arguments, sentence, wm_study_cmd_##id},
#include "cli/study.def"
#undef WM_STUDY
};

wm_status wm_cmd_study(const wm_subcommand *self, int argc, char **argv,
                       wm_error *err)
{
    return wm_subcommand_dispatch(
        self, study_commands,
        sizeof(study_commands) / sizeof(study_commands[0]), argc, argv, err);
}
