/*
 * cmd_compare.c -- `warpmem compare`: results side by side, or a result
 * against an export of Nsight Compute.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "report/result_read.h"
#include "study/compare.h"
#include "study/compare_write.h"

wm_status wm_cmd_compare(const wm_subcommand *self, int argc, char **argv,
                         wm_error *err);

#define LABEL_BYTES 96u

typedef struct compare_options {
    const char *ncu;
    wm_words metrics;
    bool all_metrics;
    bool only_total;
    const char *pattern;
    const char *threshold;
    bool only_over;
    const char *format;
    const char *output;
} compare_options;

#define COMPARE_OPTION(kind, letter, name, argument, sentence, field)          \
    {                                                                          \
        WM_OPTION_##kind, letter, name, argument, sentence,                    \
            offsetof(compare_options, field), 0, 0                             \
    }

static const wm_option compare_option_list[] = {
    COMPARE_OPTION(TEXT, '\0', "ncu", "FILE.csv",
                   "What Nsight Compute measured (ncu --csv, --page raw or "
                   "details), against one result.",
                   ncu),
    COMPARE_OPTION(LIST, '\0', "metric", "ID",
                   "A number to compare, by own or Nsight name; may be "
                   "repeated. [Default: time, traffic, hit rates; with --ncu "
                   "all that the file has]",
                   metrics),
    COMPARE_OPTION(FLAG, '\0', "all", NULL, "Every number that is not 0.",
                   all_metrics),
    COMPARE_OPTION(FLAG, '\0', "total", NULL, "Totals only, no launches.",
                   only_total),
    COMPARE_OPTION(TEXT, '\0', "kernel-name", "REGEX",
                   "Only launches whose name matches (POSIX extended).",
                   pattern),
    COMPARE_OPTION(TEXT, 't', "threshold", "PERCENT",
                   "Exit 1 when a number differs from the first by more.",
                   threshold),
    COMPARE_OPTION(FLAG, '\0', "over", NULL,
                   "Only rows that differ by more than --threshold.",
                   only_over),
    COMPARE_OPTION(CHOICE, 'f', "format", "text|csv|json", "[Default: text]",
                   format),
    COMPARE_OPTION(TEXT, 'o', "output", "FILE",
                   "Write there, - = stdout. [Default: -]", output),
};

static const wm_option_table compare_table = {
    compare_option_list,
    sizeof(compare_option_list) / sizeof(compare_option_list[0]), 1, 26,
    "A.json is a result of `warpmem run -f json`; ratios are to the first.\n"
    "Exit: 0 compared; 1 over the threshold, or no result; 2 bad command "
    "line;\n"
    "3 out of memory, input or output failed."};

typedef struct compare_job {
    compare_options options;
    wm_words paths;
    wm_loaded_result *results;
    const wm_report **reports;
    wm_compare_source *sources;
    char (*labels)[LABEL_BYTES];
    regex_t expression;
    bool has_expression;
    double threshold;
    wm_ncu ncu;
    wm_diag diag;
    wm_compare compare;
} compare_job;

static wm_status job_check(compare_job *job, wm_error *err)
{
    const compare_options *o = &job->options;
    job->threshold = -1;
    if (o->threshold != NULL) {
        char *end = NULL;
        job->threshold = strtod(o->threshold, &end) / 100;
        if (end == o->threshold || (*end != '\0' && strcmp(end, "%") != 0) ||
            !isfinite(job->threshold) || job->threshold < 0) {
            return wm_fail(err, WM_EUSAGE,
                           "compare: --threshold \"%.40s\": want a percentage "
                           "of 0 or more",
                           o->threshold);
        }
    }
    if (o->only_over && o->threshold == NULL) {
        return wm_fail(err, WM_EUSAGE,
                       "compare: --over shows rows over a threshold, want "
                       "--threshold too");
    }
    if (o->pattern != NULL) {
        const int code =
            regcomp(&job->expression, o->pattern, REG_EXTENDED | REG_NOSUB);
        if (code != 0) {
            char text[128];
            (void)regerror(code, &job->expression, text, sizeof(text));
            return wm_fail(err, WM_EUSAGE,
                           "compare: --kernel-name \"%.64s\": %s", o->pattern,
                           text);
        }
        job->has_expression = true;
    }
    if (o->ncu != NULL && job->paths.n != 1) {
        return wm_fail(err, WM_EUSAGE,
                       "compare: --ncu with %zu results, want one",
                       job->paths.n);
    }
    if (o->ncu == NULL && job->paths.n < 2) {
        return wm_fail(err, WM_EUSAGE,
                       "compare: one result, want two or more, or --ncu "
                       "FILE.csv");
    }
    return wm_output_check(o->output, err);
}

static wm_status job_load(compare_job *job, wm_error *err)
{
    const size_t n = job->paths.n;
    wm_status status = WM_OK;
    job->results = calloc(n, sizeof(*job->results));
    job->reports = calloc(n, sizeof(*job->reports));
    job->sources = calloc(n + 1, sizeof(*job->sources));
    job->labels = calloc(n + 1, sizeof(*job->labels));
    if (job->results == NULL || job->reports == NULL || job->sources == NULL ||
        job->labels == NULL) {
        return wm_fail_memory(err);
    }
    for (size_t i = 0; i < n && status == WM_OK; i++) {
        wm_loaded_result_init(&job->results[i]);
        status = wm_result_read(job->paths.items[i], &job->results[i], err);
        const wm_report *report = &job->results[i].report;
        job->reports[i] = report;
        if (status == WM_OK && !report->is_complete) {
            wm_warn(&job->diag, "result-incomplete", job->paths.items[i],
                    "an incomplete result");
        }
        (void)snprintf(job->labels[i], LABEL_BYTES, "%.60s, %s",
                       report->config != NULL ? wm_config_name(report->config)
                                              : "no configuration",
                       report->mode);
        job->sources[i].path = job->paths.items[i];
        job->sources[i].label = job->labels[i];
    }
    return status;
}

static wm_status job_compare(compare_job *job, wm_error *err)
{
    const compare_options *o = &job->options;
    const wm_compare_options options = {
        .metrics = o->metrics.items,
        .n_metrics = o->metrics.n,
        .all_metrics = o->all_metrics,
        .only_total = o->only_total,
        .only_over = o->only_over,
        .threshold = job->threshold,
        .select = job->has_expression ? &job->expression : NULL,
    };
    if (o->ncu == NULL) {
        return wm_compare_results(job->reports, job->paths.n, &options,
                                  &job->compare, err);
    }
    wm_status status = wm_ncu_read(o->ncu, &job->ncu, &job->diag, err);
    if (status == WM_OK) {
        job->sources[1] = job->sources[0];
        job->sources[0].path = o->ncu;
        job->sources[0].label = "Nsight Compute";
        status = wm_compare_ncu(&job->ncu, job->reports[0], &options,
                                &job->compare, &job->diag, err);
    }
    return status;
}

static wm_status job_write(const compare_job *job, wm_error *err)
{
    const wm_compare_view view = {&job->compare, job->sources, job->threshold,
                                  job->options.ncu != NULL};
    wm_buffer out;
    wm_buffer_init(&out);
    if (strcmp(job->options.format, "json") == 0) {
        wm_compare_json(&view, &out);
    } else if (strcmp(job->options.format, "csv") == 0) {
        wm_compare_csv(&view, &out);
    } else {
        wm_compare_text(&view, &out);
    }
    return wm_output_write(&out, job->options.output, err);
}

static wm_status job_run(compare_job *job, wm_error *err)
{
    wm_status status = job_check(job, err);
    if (status == WM_OK) {
        status = job_load(job, err);
    }
    if (status == WM_OK) {
        status = job_compare(job, err);
    }
    if (status == WM_OK) {
        status = job_write(job, err);
    }
    wm_output_warnings(&job->diag);
    if (status == WM_OK && job->compare.n_over != 0) {
        return wm_fail(
            err, WM_EFORMAT, "%zu of %zu numbers differ by more than %g %%",
            job->compare.n_over, job->compare.n_numbers, job->threshold * 100);
    }
    if (status == WM_OK && job->threshold >= 0 &&
        job->compare.n_unmatched != 0) {
        return wm_fail(err, WM_EFORMAT, "%zu launches that only one side has",
                       job->compare.n_unmatched);
    }
    return status;
}

static void job_free(compare_job *job)
{
    for (size_t i = 0; job->results != NULL && i < job->paths.n; i++) {
        wm_loaded_result_fini(&job->results[i]);
    }
    free(job->results);
    free(job->reports);
    free(job->sources);
    free(job->labels);
    if (job->has_expression) {
        regfree(&job->expression);
    }
    wm_ncu_fini(&job->ncu);
    wm_compare_fini(&job->compare);
    wm_words_fini(&job->paths);
    wm_words_fini(&job->options.metrics);
    free(job);
}

wm_status wm_cmd_compare(const wm_subcommand *self, int argc, char **argv,
                         wm_error *err)
{
    compare_job *job = calloc(1, sizeof(*job));
    bool is_help = false;
    if (job == NULL) {
        return wm_fail_memory(err);
    }
    wm_diag_init(&job->diag);
    wm_ncu_init(&job->ncu);
    wm_compare_init(&job->compare);
    job->options.format = "text";
    job->options.output = "-";
    wm_status status =
        wm_options_parse(self, &compare_table, argc, argv, &job->options,
                         &job->paths, &is_help, err);
    if (status == WM_OK && !is_help) {
        status = job_run(job, err);
    }
    job_free(job);
    return status;
}
