/*
 * trace_slice.c -- `warpmem trace slice`: some launches or CTAs of a trace.
 */
#include <stddef.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/trace_rewrite.h"

wm_status wm_trace_cmd_slice(const wm_subcommand *self, int argc, char **argv,
                             wm_error *err);

typedef struct slice_options {
    const char *output;
    const char *to;
    wm_part_options part;
    bool keep_going;
    bool is_quiet;
} slice_options;

static const wm_option slice_option_list[] = {
    {WM_OPTION_TEXT, 'o', "output", "OUT", "The file to write.",
     offsetof(slice_options, output), 0, 0},
    WM_TO_OPTION(slice_options, to),
    WM_PART_OPTIONS(slice_options, part),
    {WM_OPTION_FLAG, '\0', "keep-going", NULL,
     "Go on after a damaged kernel; exit 1 then.",
     offsetof(slice_options, keep_going), 0, 0},
    {WM_OPTION_FLAG, 'q', "quiet", NULL, "No warnings, no sizes.",
     offsetof(slice_options, is_quiet), 0, 0},
};

static const wm_option_table slice_table = {
    slice_option_list, sizeof(slice_option_list) / sizeof(slice_option_list[0]),
    1, 1,
    "CTAs are in the order of the file.  Memory copies are all kept: they "
    "decide what\nthe L2 holds."};

static wm_status slice_run(const slice_options *options, const char *path,
                           wm_error *err)
{
    wm_part_walk part;
    wm_status status = wm_part_walk_init(&part, path, &options->part,
                                         options->keep_going, err);
    if (status != WM_OK) {
        return status;
    }
    status = wm_trace_rewrite(&part.walk, options->to, options->output,
                              options->is_quiet, err);
    wm_part_walk_fini(&part, options->is_quiet);
    return status;
}

wm_status wm_trace_cmd_slice(const wm_subcommand *self, int argc, char **argv,
                             wm_error *err)
{
    slice_options options = {.to = "wmt", .part = WM_PART_ALL};
    wm_words arguments = {0};
    bool is_help = false;
    wm_status status = wm_options_parse(self, &slice_table, argc, argv,
                                        &options, &arguments, &is_help, err);
    if (status == WM_OK && !is_help) {
        status = slice_run(&options, arguments.items[0], err);
    }
    wm_words_fini(&arguments);
    return status;
}
