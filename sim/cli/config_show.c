/*
 * config_show.c -- `warpmem config show`: the effective configuration.
 *
 * What is printed can be loaded again and gives the same digest.
 */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "config/config.h"
#include "report/human.h"

wm_status wm_config_cmd_show(const wm_subcommand *self, int argc, char **argv,
                             wm_error *err);

typedef struct show_options {
    wm_words sets;
} show_options;

static const wm_option show_option_list[] = {
    {WM_OPTION_LIST, 's', "set", "KEY=VALUE",
     "Override one key; may be repeated.", offsetof(show_options, sets), 0, 0},
};

static const wm_option_table show_table = {
    show_option_list, sizeof(show_option_list) / sizeof(show_option_list[0]), 1,
    1, "The output is a configuration file that gives the same values."};

static void show_key(const wm_config_set *set, const wm_key *key,
                     wm_buffer *value, wm_buffer *out)
{
    const char *origin = wm_config_origin(set, key);
    wm_buffer_clear(value);
    wm_key_format(key, wm_config_values(set), value);
    const char *text = value->bytes != NULL ? value->bytes : "";
    if (*text == '\0') {
        wm_buffer_printf(out, "  # %s is empty", key->field);
    } else {
        char pair[128];
        (void)snprintf(pair, sizeof(pair), "%s: %s", key->field, text);
        wm_buffer_printf(out, "  %-36s # %s", pair, origin);
    }
    wm_buffer_puts(out, "\n");
}

/* Sums that a reader would else work out by hand. */
static void show_derived(const wm_config *config, wm_buffer *out)
{
    char text[WM_HUMAN_BYTES], other[WM_HUMAN_BYTES];
    double clock = (double)config->sm.clock;
    double l2_rate =
        (double)config->l2.slices * (double)config->l2.bandwidth / 1000 * clock;
    wm_buffer_printf(out, "\n# L1 of all SMs   %s\n",
                     wm_human_bytes(text, (double)config->sm.count *
                                              (double)config->l1.size));
    wm_buffer_printf(out, "# L2 peak         %s\n",
                     wm_human_rate(text, l2_rate));
    wm_buffer_printf(out, "# DRAM peak       %s, %s per channel\n",
                     wm_human_rate(text, (double)config->dram.bandwidth),
                     wm_human_rate(other, (double)config->dram.bandwidth /
                                              (double)config->dram.channels));
}

static void show_write(const wm_config_set *set, wm_buffer *out)
{
    char digest[WM_DIGEST_HEX];
    const char *section = "";
    wm_buffer value;
    wm_buffer_init(&value);
    wm_config_digest(set, digest);
    wm_buffer_puts(out, "# ");
    wm_human_cut(out, wm_config_name(set), UINT32_MAX, false);
    wm_buffer_printf(out, ", digest %s\n", digest);
    for (size_t i = 0; i < wm_n_keys; i++) {
        if (strcmp(section, wm_keys[i].section) != 0) {
            section = wm_keys[i].section;
            wm_buffer_printf(out, "\n%s:\n", section);
        }
        show_key(set, &wm_keys[i], &value, out);
    }
    show_derived(wm_config_values(set), out);
    out->is_failed = out->is_failed || value.is_failed;
    wm_buffer_fini(&value);
}

wm_status wm_config_cmd_show(const wm_subcommand *self, int argc, char **argv,
                             wm_error *err)
{
    show_options options = {{0}};
    wm_words arguments = {0};
    wm_config_set *set = NULL;
    bool is_help = false;
    wm_status status = wm_options_parse(self, &show_table, argc, argv, &options,
                                        &arguments, &is_help, err);
    if (status == WM_OK && !is_help) {
        status = wm_config_load(arguments.items[0], options.sets.items,
                                options.sets.n, &set, err);
    }
    if (status == WM_OK && !is_help) {
        wm_buffer out;
        wm_buffer_init(&out);
        show_write(set, &out);
        status = wm_output_print(&out, err);
    }
    wm_config_free(set);
    wm_words_fini(&options.sets);
    wm_words_fini(&arguments);
    return status;
}
