/*
 * study_collect.c -- `warpmem study collect`: the table of all results.
 */
#include <stddef.h>
#include <string.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/study_job.h"
#include "study/table.h"

wm_status wm_study_cmd_collect(const wm_subcommand *self, int argc, char **argv,
                               wm_error *err);

typedef struct collect_options {
    const char *results;
    const char *format;
    const char *output;
    bool is_partial;
} collect_options;

static const wm_option collect_option_list[] = {
    WM_STUDY_FOLDER_OPTION(collect_options, results),
    {WM_OPTION_CHOICE, 'f', "format", "csv|jsonl|json|sqlite", "[Default: csv]",
     offsetof(collect_options, format), 0, 0},
    {WM_OPTION_TEXT, 'o', "output", "FILE",
     "Write there, - = stdout. [Default: -]", offsetof(collect_options, output),
     0, 0},
    {WM_OPTION_FLAG, '\0', "partial", NULL, "Missing points are no failure.",
     offsetof(collect_options, is_partial), 0, 0},
};

static const wm_option_table collect_table = {
    collect_option_list,
    sizeof(collect_option_list) / sizeof(collect_option_list[0]), 1, 1,
    "One row per trace, configuration and choice of values (rows: total), or\n"
    "per launch of it (rows: kernels). Exit: 0 complete; 1 points are "
    "missing."};

static wm_status collect_write(const collect_options *options,
                               const wm_table *table, wm_error *err)
{
    wm_buffer out;
    if (strcmp(options->format, "sqlite") == 0) {
        return strcmp(options->output, "-") == 0
                   ? wm_fail(err, WM_EUSAGE,
                             "study collect: --format sqlite: want a file, "
                             "-o FILE")
                   : wm_table_sqlite(table, options->output, err);
    }
    wm_buffer_init(&out);
    if (strcmp(options->format, "json") == 0) {
        wm_table_json(table, &out);
    } else if (strcmp(options->format, "jsonl") == 0) {
        wm_table_jsonl(table, &out);
    } else {
        wm_table_csv(table, &out);
    }
    return wm_output_write(&out, options->output, err);
}

static wm_status collect(const void *context, wm_study_job *job, wm_error *err)
{
    const collect_options *options = context;
    wm_table table;
    wm_table_init(&table, &job->study, &job->points);
    wm_status status = wm_output_check(options->output, err);
    if (status == WM_OK) {
        status = wm_table_make(&table, &job->store, err);
    }
    if (status == WM_OK) {
        status = collect_write(options, &table, err);
    }
    if (status == WM_OK && table.n_missing != 0 && !options->is_partial) {
        status = wm_fail(err, WM_EFORMAT,
                         "%zu of %zu points are missing from the table",
                         table.n_missing, job->points.n);
    }
    wm_table_fini(&table);
    return status;
}

wm_status wm_study_cmd_collect(const wm_subcommand *self, int argc, char **argv,
                               wm_error *err)
{
    collect_options options = {.format = "csv", .output = "-"};
    return wm_study_job_command(self, &collect_table, argc, argv, &options,
                                &options.results, collect, err);
}
