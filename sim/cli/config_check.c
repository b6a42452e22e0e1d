/*
 * config_check.c -- `warpmem config check`: are configurations valid?
 *
 * The engine's own checks (policy names, geometry) are part of it: what is
 * said to be ok here, `run` accepts.
 */
#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "config/config.h"
#include "engine/engine.h"
#include "report/human.h"

wm_status wm_config_cmd_check(const wm_subcommand *self, int argc, char **argv,
                              wm_error *err);

static const wm_option_table check_table = {
    NULL, 0, 1, SIZE_MAX,
    "One line per valid configuration on stdout; errors on stderr.\n"
    "Exit 2 when a configuration is invalid."};

static wm_status check_one(const char *name, wm_error *err)
{
    const wm_engine_options options = {.mode = WM_MODE_COUNTS, .jobs = 1};
    wm_config_set *set = NULL;
    wm_engine *engine = NULL;
    wm_status status = wm_config_load(name, NULL, 0, &set, err);
    if (status == WM_OK) {
        status = wm_engine_new(wm_config_values(set), &options, &engine, err);
    }
    if (status == WM_OK) {
        char digest[WM_DIGEST_HEX];
        wm_buffer out;
        wm_buffer_init(&out);
        wm_config_digest(set, digest);
        wm_human_cut(&out, name, UINT32_MAX, false);
        wm_buffer_printf(&out, ": ok, digest %s\n", digest);
        status = wm_output_print(&out, err);
    }
    wm_engine_free(engine);
    wm_config_free(set);
    return status;
}

wm_status wm_config_cmd_check(const wm_subcommand *self, int argc, char **argv,
                              wm_error *err)
{
    wm_words names = {0};
    bool is_help = false;
    size_t n_bad = 0;
    wm_status worst = WM_OK;
    wm_status status = wm_options_parse(self, &check_table, argc, argv, NULL,
                                        &names, &is_help, err);
    for (size_t i = 0; status == WM_OK && !is_help && i < names.n; i++) {
        wm_status one = check_one(names.items[i], err);
        if (one != WM_OK && names.n > 1) {
            wm_print_error(err);
        }
        n_bad += one != WM_OK;
        worst = worst == WM_OK ? one : worst;
    }
    if (n_bad != 0 && names.n > 1) {
        status = wm_fail(err, worst, "invalid configurations: %zu of %zu",
                         n_bad, names.n);
    } else if (n_bad != 0) {
        status = worst;
    }
    wm_words_fini(&names);
    return status;
}
