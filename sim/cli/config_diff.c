/*
 * config_diff.c -- `warpmem config diff`: the keys whose values differ.
 */
#include <string.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "config/config.h"
#include "report/human.h"

wm_status wm_config_cmd_diff(const wm_subcommand *self, int argc, char **argv,
                             wm_error *err);

static const wm_option_table diff_table = {
    NULL, 0, 2, 2, "Prints nothing when all values are the same."};

static void diff_write(const wm_config_set *left, const wm_config_set *right,
                       wm_buffer *out)
{
    wm_buffer a, b;
    wm_buffer_init(&a);
    wm_buffer_init(&b);
    for (size_t i = 0; i < wm_n_keys; i++) {
        wm_buffer_clear(&a);
        wm_buffer_clear(&b);
        wm_key_format(&wm_keys[i], wm_config_values(left), &a);
        wm_key_format(&wm_keys[i], wm_config_values(right), &b);
        const char *from = a.bytes != NULL ? a.bytes : "";
        const char *to = b.bytes != NULL ? b.bytes : "";
        if (strcmp(from, to) != 0) {
            wm_buffer_printf(out, "%-25s %-24s -> %s\n", wm_keys[i].name,
                             *from != '\0' ? from : "(empty)",
                             *to != '\0' ? to : "(empty)");
        }
    }
    out->is_failed = out->is_failed || a.is_failed || b.is_failed;
    wm_buffer_fini(&a);
    wm_buffer_fini(&b);
}

wm_status wm_config_cmd_diff(const wm_subcommand *self, int argc, char **argv,
                             wm_error *err)
{
    wm_words names = {0};
    wm_config_set *left = NULL, *right = NULL;
    bool is_help = false;
    wm_status status = wm_options_parse(self, &diff_table, argc, argv, NULL,
                                        &names, &is_help, err);
    if (status == WM_OK && !is_help) {
        status = wm_config_load(names.items[0], NULL, 0, &left, err);
    }
    if (status == WM_OK && !is_help) {
        status = wm_config_load(names.items[1], NULL, 0, &right, err);
    }
    if (status == WM_OK && !is_help) {
        wm_buffer out;
        wm_buffer_init(&out);
        diff_write(left, right, &out);
        status = wm_output_print(&out, err);
    }
    wm_config_free(left);
    wm_config_free(right);
    wm_words_fini(&names);
    return status;
}
