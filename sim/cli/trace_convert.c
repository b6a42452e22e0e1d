/*
 * trace_convert.c -- `warpmem trace convert`: any format to another.
 */
#include <stddef.h>
#include <string.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/trace_rewrite.h"

wm_status wm_trace_cmd_convert(const wm_subcommand *self, int argc, char **argv,
                               wm_error *err);

typedef struct convert_options {
    const char *output;
    const char *to;
    const char *distil;
    bool keep_going;
    bool is_quiet;
} convert_options;

static const wm_option convert_option_list[] = {
    {WM_OPTION_TEXT, 'o', "output", "OUT", "The file to write.",
     offsetof(convert_options, output), 0, 0},
    WM_TO_OPTION(convert_options, to),
    {WM_OPTION_CHOICE, '\0', "distil", "memory|none",
     "Fold the instructions that touch no memory into the records, or keep a "
     "record for each. [Default: memory]",
     offsetof(convert_options, distil), 0, 0},
    {WM_OPTION_FLAG, '\0', "keep-going", NULL,
     "Convert what there is of a damaged trace; exit 1 then.",
     offsetof(convert_options, keep_going), 0, 0},
    {WM_OPTION_FLAG, 'q', "quiet", NULL, "No warnings, no sizes.",
     offsetof(convert_options, is_quiet), 0, 0},
};

static const wm_option_table convert_table = {
    convert_option_list,
    sizeof(convert_option_list) / sizeof(convert_option_list[0]), 1, 1,
    "Sizes and their ratio are printed on stderr.  In wmt and text the "
    "records\nsurvive bit for bit."};

wm_status wm_trace_cmd_convert(const wm_subcommand *self, int argc, char **argv,
                               wm_error *err)
{
    convert_options options = {.to = "wmt", .distil = "memory"};
    wm_words arguments = {0};
    bool is_help = false;
    wm_diag diag;
    wm_diag_init(&diag);
    wm_status status = wm_options_parse(self, &convert_table, argc, argv,
                                        &options, &arguments, &is_help, err);
    if (status == WM_OK && !is_help) {
        wm_trace_walk walk = {.path = arguments.items[0],
                              .keep_going = options.keep_going,
                              .keep_all = strcmp(options.distil, "none") == 0,
                              .diag = &diag};
        status = wm_trace_rewrite(&walk, options.to, options.output,
                                  options.is_quiet, err);
    }
    if (!options.is_quiet) {
        wm_output_warnings(&diag);
    }
    wm_words_fini(&arguments);
    return status;
}
