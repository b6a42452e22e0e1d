/*
 * study_status.c -- `warpmem study status`: what is done, failed, missing.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/study_job.h"
#include "report/json.h"

wm_status wm_study_cmd_status(const wm_subcommand *self, int argc, char **argv,
                              wm_error *err);

typedef struct status_options {
    const char *results;
    const char *format;
    bool is_long;
} status_options;

static const wm_option status_option_list[] = {
    WM_STUDY_FOLDER_OPTION(status_options, results),
    {WM_OPTION_FLAG, 'l', "long", NULL, "List every point that is missing.",
     offsetof(status_options, is_long), 0, 0},
    {WM_OPTION_CHOICE, 'f', "format", "text|json", "[Default: text]",
     offsetof(status_options, format), 0, 0},
};

static const wm_option_table status_table = {
    status_option_list,
    sizeof(status_option_list) / sizeof(status_option_list[0]), 1, 1,
    "A point is finished when its result file is there, whatever a batch "
    "system\nsays. Exit: 0 all are; 1 some are missing."};

typedef struct status_counts {
    size_t n_finished, n_failed, n_missing;
} status_counts;

static void status_point(const wm_study_job *job, const wm_point *point,
                         const char *state, const char *reason, wm_buffer *out)
{
    const wm_study *study = &job->study;
    wm_buffer_printf(out, "  %-7s %.8s %s %s", state, point->digest,
                     study->traces.items[point->trace],
                     study->configs.items[point->config]);
    for (uint32_t a = 0; a < study->n_axes; a++) {
        if (point->value[a] != WM_STUDY_UNSET) {
            wm_buffer_printf(out, " %s=%s", study->axes[a].key->name,
                             wm_point_value(study, point, a));
        }
    }
    if (point->first_launch != 0) {
        wm_buffer_printf(out, " launch %llu",
                         (unsigned long long)point->first_launch);
    }
    wm_buffer_printf(out, "%s%s\n", reason != NULL ? ": " : "",
                     reason != NULL ? reason : "");
}

static void status_count(const wm_study_job *job, bool is_long,
                         status_counts *counts, wm_buffer *list)
{
    for (size_t i = 0; i < job->points.n; i++) {
        const wm_point *point = &job->points.items[i];
        if (wm_store_has(&job->store, point->digest)) {
            counts->n_finished++;
            continue;
        }
        char *reason = wm_store_failure(&job->store, point->digest);
        counts->n_failed += reason != NULL;
        counts->n_missing += reason == NULL;
        if (reason != NULL || is_long) {
            status_point(job, point, reason != NULL ? "failed" : "missing",
                         reason, list);
        }
        free(reason);
    }
}

static void status_json(const wm_study_job *job, const status_counts *counts,
                        wm_buffer *out)
{
    wm_json json;
    wm_json_init(&json, out);
    wm_json_open(&json, '{');
    wm_json_put_string(&json, "name", job->study.name);
    wm_json_put_u64(&json, "points", job->points.n);
    wm_json_put_u64(&json, "finished", counts->n_finished);
    wm_json_put_u64(&json, "failed", counts->n_failed);
    wm_json_put_u64(&json, "missing", counts->n_missing);
    wm_json_close(&json, '}');
}

static wm_status status_print(const void *context, wm_study_job *job,
                              wm_error *err)
{
    const status_options *options = context;
    status_counts counts = {0, 0, 0};
    wm_buffer out;
    wm_buffer list;
    wm_buffer_init(&out);
    wm_buffer_init(&list);
    status_count(job, options->is_long, &counts, &list);
    if (strcmp(options->format, "json") == 0) {
        status_json(job, &counts, &out);
    } else {
        wm_buffer_printf(&out,
                         "%s: %zu of %zu points finished, %zu failed, %zu "
                         "missing\n",
                         job->study.name, counts.n_finished, job->points.n,
                         counts.n_failed, counts.n_missing);
        wm_buffer_add(&out, list.bytes, list.n_bytes);
    }
    out.is_failed = out.is_failed || list.is_failed;
    wm_buffer_fini(&list);
    wm_status status = wm_output_print(&out, err);
    if (status == WM_OK && counts.n_finished != job->points.n) {
        return wm_fail(err, WM_EFORMAT, "%zu points are not finished",
                       job->points.n - counts.n_finished);
    }
    return status;
}

wm_status wm_study_cmd_status(const wm_subcommand *self, int argc, char **argv,
                              wm_error *err)
{
    status_options options = {.format = "text"};
    return wm_study_job_command(self, &status_table, argc, argv, &options,
                                &options.results, status_print, err);
}
