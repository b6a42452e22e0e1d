/*
 * config_list.c -- `warpmem config list`: the presets.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "config/config.h"
#include "report/human.h"

wm_status wm_config_cmd_list(const wm_subcommand *self, int argc, char **argv,
                             wm_error *err);

static const wm_option_table list_table = {
    NULL, 0, 0, 0,
    "$WARPMEM_CONFIG_PATH, separated by colons, is searched "
    "first."};

static wm_status list_print(wm_error *err)
{
    char **names = NULL;
    wm_buffer out;
    wm_status status = wm_config_list(&names, err);
    if (status != WM_OK) {
        return status;
    }
    wm_buffer_init(&out);
    for (size_t i = 0; names[i] != NULL; i++) {
        char *summary = wm_config_summary(names[i]);
        wm_buffer_printf(&out, "%-12s ", names[i]);
        wm_human_wrap(&out, summary != NULL ? summary : "", 13, 13);
        free(summary);
    }
    wm_config_free_list(names);
    return wm_output_print(&out, err);
}

wm_status wm_config_cmd_list(const wm_subcommand *self, int argc, char **argv,
                             wm_error *err)
{
    wm_words arguments = {0};
    bool is_help = false;
    wm_status status = wm_options_parse(self, &list_table, argc, argv, NULL,
                                        &arguments, &is_help, err);
    if (status == WM_OK && !is_help) {
        status = list_print(err);
    }
    wm_words_fini(&arguments);
    return status;
}
