/*
 * study_plan.c -- `warpmem study plan`: the points, and what they cost.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/study_job.h"
#include "report/human.h"

wm_status wm_study_cmd_plan(const wm_subcommand *self, int argc, char **argv,
                            wm_error *err);

/* Records per second and process where nothing has run yet: assumed. */
#define ASSUMED_TIMING 500000.0
#define ASSUMED_COUNTS 1500000.0

typedef struct plan_options {
    const char *results;
    uint64_t jobs;
    bool is_list;
} plan_options;

static const wm_option plan_option_list[] = {
    WM_STUDY_FOLDER_OPTION(plan_options, results),
    {WM_OPTION_NUMBER, 'j', "jobs", "N",
     "Processes to estimate for. [Default: 1]", offsetof(plan_options, jobs), 1,
     1000000},
    {WM_OPTION_FLAG, 'l', "list", NULL, "Print every point, as CSV.",
     offsetof(plan_options, is_list), 0, 0},
};

static const wm_option_table plan_table = {
    plan_option_list, sizeof(plan_option_list) / sizeof(plan_option_list[0]), 1,
    1,
    "Checks every configuration of the study. The estimate goes by the points "
    "that\nran before, else by an assumed rate."};

/* Records per second of the points that ran in this folder. */
static double plan_rate(const wm_study_job *job, bool *is_measured)
{
    const char *mode = job->study.is_counts ? "counts" : "timing";
    char line[1024];
    double records = 0;
    double seconds = 0;
    wm_buffer path;
    wm_buffer_init(&path);
    wm_buffer_printf(&path, "%s/journal.jsonl", job->store.folder);
    FILE *stream = path.is_failed ? NULL : fopen(path.bytes, "rb");
    wm_buffer_fini(&path);
    while (stream != NULL && fgets(line, sizeof(line), stream) != NULL) {
        uint64_t n = 0;
        double took = 0;
        char found[16];
        const char *at = strstr(line, "\"mode\": \"");
        if (at != NULL &&
            sscanf(at,
                   "\"mode\": \"%15[a-z]\", \"records\": %" SCNu64
                   ", \"seconds\": %lf",
                   found, &n, &took) == 3 &&
            strcmp(found, mode) == 0) {
            records += (double)n;
            seconds += took;
        }
    }
    if (stream != NULL) {
        (void)fclose(stream);
    }
    *is_measured = seconds > 0 && records > 0;
    if (*is_measured) {
        return records / seconds;
    }
    return job->study.is_counts ? ASSUMED_COUNTS : ASSUMED_TIMING;
}

static void plan_list(const wm_study_job *job, wm_buffer *out)
{
    const wm_study *study = &job->study;
    wm_buffer_puts(out, "point,finished,trace,config,first_launch");
    for (uint32_t a = 0; a < study->n_axes; a++) {
        wm_buffer_printf(out, ",%s", study->axes[a].key->name);
    }
    wm_buffer_puts(out, "\n");
    for (size_t i = 0; i < job->points.n; i++) {
        const wm_point *point = &job->points.items[i];
        wm_buffer_printf(
            out, "%s,%s,\"%s\",\"%s\",%" PRIu64, point->digest,
            wm_store_has(&job->store, point->digest) ? "true" : "false",
            study->traces.items[point->trace],
            study->configs.items[point->config], point->first_launch);
        for (uint32_t a = 0; a < study->n_axes; a++) {
            wm_buffer_printf(out, ",\"%s\"", wm_point_value(study, point, a));
        }
        wm_buffer_puts(out, "\n");
    }
}

static void plan_axes(const wm_study *study, wm_buffer *out)
{
    for (uint32_t a = 0; a < study->n_axes; a++) {
        const wm_study_axis *axis = &study->axes[a];
        wm_buffer line;
        wm_buffer_init(&line);
        wm_buffer_printf(&line, "%s:", axis->key->name);
        for (size_t v = 0; v < axis->values.n; v++) {
            wm_buffer_printf(&line, "%s %s", v != 0 ? "," : "",
                             axis->values.items[v]);
        }
        wm_buffer_puts(out, a == 0 ? "axes      " : "          ");
        wm_human_wrap(out, line.bytes != NULL ? line.bytes : "", 10, 14);
        out->is_failed = out->is_failed || line.is_failed;
        wm_buffer_fini(&line);
    }
    for (uint32_t g = 0; g < study->n_groups; g++) {
        const wm_study_group *group = &study->groups[g];
        if (group->condition != NULL) {
            wm_buffer_printf(out, "          %s only where %s\n",
                             study->axes[group->first_axis].key->name,
                             group->condition);
        }
    }
}

static void plan_summary(const plan_options *options, const wm_study_job *job,
                         wm_buffer *out)
{
    const wm_study *study = &job->study;
    size_t n_finished = 0;
    uint64_t left = 0;
    uint64_t largest = 0;
    bool is_measured = false;
    char text[3][WM_HUMAN_BYTES];
    for (size_t i = 0; i < job->points.n; i++) {
        const uint64_t n = wm_study_job_records(job, &job->points.items[i]);
        if (wm_store_has(&job->store, job->points.items[i].digest)) {
            n_finished++;
            continue;
        }
        left += n;
        largest = n > largest ? n : largest;
    }
    const double rate = plan_rate(job, &is_measured);
    double seconds = (double)left / rate / (double)options->jobs;
    if (seconds < (double)largest / rate) {
        seconds = (double)largest / rate;
    }
    wm_buffer_printf(out, "study     %s, %s mode, %s\n", study->name,
                     study->is_counts ? "counts" : "timing",
                     study->is_by_kernel ? "a row per launch"
                                         : "a row per trace");
    wm_buffer_printf(out, "traces    %zu, configurations %zu\n",
                     study->traces.n, study->configs.n);
    plan_axes(study, out);
    wm_buffer_printf(out, "points    %zu, finished %zu, to run %zu\n",
                     job->points.n, n_finished, job->points.n - n_finished);
    wm_buffer_printf(
        out,
        "cost      %s records; about %s with %" PRIu64 " process%s\n"
        "          (%s records/s each, %s)\n",
        wm_human_count(text[0], left), wm_human_time(text[1], seconds),
        options->jobs, options->jobs == 1 ? "" : "es",
        wm_human_count(text[2], (uint64_t)rate),
        is_measured ? "measured here" : "assumed");
}

static wm_status plan(const void *context, wm_study_job *job, wm_error *err)
{
    const plan_options *options = context;
    wm_buffer out;
    wm_buffer_init(&out);
    if (options->is_list) {
        plan_list(job, &out);
    } else {
        plan_summary(options, job, &out);
    }
    return wm_output_print(&out, err);
}

wm_status wm_study_cmd_plan(const wm_subcommand *self, int argc, char **argv,
                            wm_error *err)
{
    plan_options options = {.jobs = 1};
    return wm_study_job_command(self, &plan_table, argc, argv, &options,
                                &options.results, plan, err);
}
