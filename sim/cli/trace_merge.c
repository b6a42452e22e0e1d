/*
 * trace_merge.c -- `warpmem trace merge`: several traces as one.
 */
#include <stddef.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/trace_rewrite.h"

wm_status wm_trace_cmd_merge(const wm_subcommand *self, int argc, char **argv,
                             wm_error *err);

typedef struct merge_options {
    const char *output;
    const char *to;
    bool keep_going;
    bool is_quiet;
} merge_options;

static const wm_option merge_option_list[] = {
    {WM_OPTION_TEXT, 'o', "output", "OUT", "The file to write.",
     offsetof(merge_options, output), 0, 0},
    WM_TO_OPTION(merge_options, to),
    {WM_OPTION_FLAG, '\0', "keep-going", NULL,
     "Merge what there is of damaged traces; exit 1 then.",
     offsetof(merge_options, keep_going), 0, 0},
    {WM_OPTION_FLAG, 'q', "quiet", NULL, "No warnings, no sizes.",
     offsetof(merge_options, is_quiet), 0, 0},
};

static const wm_option_table merge_table = {
    merge_option_list, sizeof(merge_option_list) / sizeof(merge_option_list[0]),
    1, SIZE_MAX,
    "Copies and launches follow one another in the order of the traces: what "
    "one leaves\nin the L2 is there for the next, where `run` starts each "
    "trace "
    "on a cold chip."};

wm_status wm_trace_cmd_merge(const wm_subcommand *self, int argc, char **argv,
                             wm_error *err)
{
    merge_options options = {.to = "wmt"};
    wm_words paths = {0};
    bool is_help = false;
    wm_diag diag;
    wm_diag_init(&diag);
    wm_status status = wm_options_parse(self, &merge_table, argc, argv,
                                        &options, &paths, &is_help, err);
    if (status == WM_OK && !is_help) {
        wm_trace_walk walk = {.keep_going = options.keep_going, .diag = &diag};
        status = wm_trace_rewrite_all(&walk, (const char *const *)paths.items,
                                      paths.n, options.to, options.output,
                                      options.is_quiet, err);
    }
    if (!options.is_quiet) {
        wm_output_warnings(&diag);
    }
    wm_words_fini(&paths);
    return status;
}
