/*
 * study_submit.c -- `warpmem study submit`: the study as a job array on a
 * cluster.
 *
 * With --wait the command stays: it looks at the result files and at squeue,
 * submits what is missing again when the queue has forgotten the job, cancels
 * what is left in the queue when every file is there, and writes the table.
 */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/study_slurm.h"
#include "study/table.h"

wm_status wm_study_cmd_submit(const wm_subcommand *self, int argc, char **argv,
                              wm_error *err);

#define TASKS_MAX     1000u /* MaxArraySize of a Slurm that nobody changed */
#define POINTS_A_TASK 10u
#define STALLED_POLLS 3u /* files may come late over a network */

typedef struct submit_options {
    const char *results;
    bool is_slurm;
    uint64_t per_task;
    uint64_t array_limit;
    uint64_t cpus;
    const char *time, *memory, *partition, *account;
    wm_words lines;
    bool is_waiting;
    uint64_t retries;
    uint64_t poll_seconds;
    bool is_dry;
    const char *format;
    const char *output;
} submit_options;

#define SUBMIT_OPTION(kind, letter, name, argument, sentence, field, min, max) \
    {                                                                          \
        WM_OPTION_##kind, letter, name, argument, sentence,                    \
            offsetof(submit_options, field), min, max                          \
    }

static const wm_option submit_option_list[] = {
    WM_STUDY_FOLDER_OPTION(submit_options, results),
    SUBMIT_OPTION(FLAG, '\0', "slurm", NULL,
                  "To Slurm, the only batch system that it speaks to itself.",
                  is_slurm, 0, 0),
    SUBMIT_OPTION(NUMBER, '\0', "points-per-task", "N",
                  "[Default: 10, or what keeps it to 1000 tasks]", per_task, 1,
                  WM_STUDY_POINTS_MAX),
    SUBMIT_OPTION(NUMBER, '\0', "array-limit", "N",
                  "Tasks that run at a time. [Default: no limit]", array_limit,
                  1, 100000),
    SUBMIT_OPTION(NUMBER, '\0', "cpus", "N",
                  "Processors of a task: its -j. [Default: 1]", cpus, 1, 1024),
    SUBMIT_OPTION(TEXT, '\0', "time", "TIME", "As sbatch --time.", time, 0, 0),
    SUBMIT_OPTION(TEXT, '\0', "mem", "SIZE", "As sbatch --mem.", memory, 0, 0),
    SUBMIT_OPTION(TEXT, '\0', "partition", "NAME", "As sbatch --partition.",
                  partition, 0, 0),
    SUBMIT_OPTION(TEXT, '\0', "account", "NAME", "As sbatch --account.",
                  account, 0, 0),
    SUBMIT_OPTION(LIST, '\0', "sbatch", "LINE",
                  "A further #SBATCH line, as in --sbatch=--qos=long; may be "
                  "repeated.",
                  lines, 0, 0),
    SUBMIT_OPTION(FLAG, 'w', "wait", NULL,
                  "Stay until every point is finished; submit what got lost "
                  "again.",
                  is_waiting, 0, 0),
    SUBMIT_OPTION(NUMBER, '\0', "retries", "N",
                  "With --wait: further submissions. [Default: 3]", retries, 0,
                  1000),
    SUBMIT_OPTION(NUMBER, '\0', "poll", "SECONDS", "[Default: 10]",
                  poll_seconds, 1, 86400),
    SUBMIT_OPTION(FLAG, '\0', "dry-run", NULL,
                  "Write the scripts and submit nothing.", is_dry, 0, 0),
    SUBMIT_OPTION(CHOICE, 'f', "format", "csv|jsonl|json|sqlite",
                  "Of the table. [Default: csv]", format, 0, 0),
    SUBMIT_OPTION(TEXT, 'o', "output", "FILE",
                  "The table. [Default: table.FORMAT in the results]", output,
                  0, 0),
};

static const wm_option_table submit_table = {
    submit_option_list,
    sizeof(submit_option_list) / sizeof(submit_option_list[0]), 1, 1,
    "A task is `warpmem study run --chunk I --chunks N`, which GNU parallel, "
    "PBS and\nHTCondor run as well: docs/STUDIES.md. What is finished is "
    "decided by the\nresult files, never by the state of a job."};

static size_t count_missing(const wm_study_job *job)
{
    size_t n = 0;
    for (size_t i = 0; i < job->points.n; i++) {
        n += !wm_store_has(&job->store, job->points.items[i].digest);
    }
    return n;
}

static uint64_t count_chunks(const submit_options *options, size_t n_points)
{
    uint64_t per_task = options->per_task;
    if (per_task == 0) {
        per_task = (n_points + TASKS_MAX - 1) / TASKS_MAX;
        per_task = per_task < POINTS_A_TASK ? POINTS_A_TASK : per_task;
    }
    const uint64_t n = (n_points + per_task - 1) / per_task;
    return n != 0 ? n : 1;
}

static wm_status write_table(const wm_study_job *job,
                             const wm_slurm_request *request, wm_error *err)
{
    wm_table table;
    wm_buffer out;
    wm_table_init(&table, &job->study, &job->points);
    wm_buffer_init(&out);
    wm_status status = wm_table_make(&table, &job->store, err);
    if (status == WM_OK && strcmp(request->format, "sqlite") == 0) {
        status = wm_table_sqlite(&table, request->table, err);
    } else if (status == WM_OK) {
        if (strcmp(request->format, "json") == 0) {
            wm_table_json(&table, &out);
        } else if (strcmp(request->format, "jsonl") == 0) {
            wm_table_jsonl(&table, &out);
        } else {
            wm_table_csv(&table, &out);
        }
        status = wm_output_write(&out, request->table, err);
    }
    wm_table_fini(&table);
    return status;
}

static void pause_for(uint64_t seconds)
{
    const struct timespec pause = {(time_t)seconds, 0};
    (void)nanosleep(&pause, NULL);
}

/* Until every point is finished, or the queue knows the job no more. */
static wm_status wait_for(const submit_options *options,
                          const wm_study_job *job, const wm_slurm_job *array,
                          size_t *n_missing, wm_error *err)
{
    uint32_t n_gone = 0;
    for (;;) {
        wm_slurm_state state = WM_SLURM_QUEUED;
        *n_missing = count_missing(job);
        if (*n_missing == 0) {
            wm_slurm_cancel(array->array);
            wm_slurm_cancel(array->collector);
            return WM_OK;
        }
        wm_status status = wm_slurm_ask(array->array, &state, err);
        if (status != WM_OK) {
            return status;
        }
        n_gone = state == WM_SLURM_GONE ? n_gone + 1 : 0;
        if (n_gone == STALLED_POLLS) {
            wm_slurm_cancel(array->collector);
            wm_slurm_cancel(array->array);
            return WM_OK;
        }
        if (wm_interrupt_is_wanted()) {
            return wm_fail(err, WM_EFORMAT,
                           "stopped by a signal; job %s goes on", array->array);
        }
        pause_for(options->poll_seconds);
    }
}

static wm_status submit_once(const wm_study_job *job,
                             const wm_slurm_request *request,
                             wm_slurm_job *array, wm_error *err)
{
    wm_status status = wm_slurm_submit(job, request, array, err);
    if (status == WM_OK) {
        wm_output_note("submitted job %s for %zu points, and %s to collect "
                       "them",
                       array->array, count_missing(job), array->collector);
    }
    return status;
}

static wm_status submit_and_wait(const submit_options *options,
                                 const wm_study_job *job,
                                 const wm_slurm_request *request, wm_error *err)
{
    wm_slurm_job array;
    size_t n_missing = count_missing(job);
    wm_status status = WM_OK;
    for (uint64_t i = 0; i <= options->retries && n_missing != 0; i++) {
        status = submit_once(job, request, &array, err);
        if (status == WM_OK) {
            status = wait_for(options, job, &array, &n_missing, err);
        }
        if (status != WM_OK) {
            return status;
        }
    }
    status = write_table(job, request, err);
    if (status == WM_OK && n_missing != 0) {
        return wm_fail(err, WM_EFORMAT,
                       "%zu of %zu points are missing after %" PRIu64
                       " submissions; `warpmem study status` says why",
                       n_missing, job->points.n, options->retries + 1);
    }
    if (status == WM_OK) {
        wm_output_note("%zu points finished: %s", job->points.n,
                       request->table);
    }
    return status;
}

static wm_status submit_request(const submit_options *options,
                                const wm_study_job *job,
                                wm_slurm_request *request, wm_error *err)
{
    wm_status status = wm_slurm_write(job, request, err);
    if (status != WM_OK || options->is_dry) {
        if (status == WM_OK) {
            wm_output_note("wrote %s/slurm/task.sh and collect.sh: %" PRIu64
                           " tasks",
                           job->store.folder, request->n_chunks);
        }
        return status;
    }
    if (options->is_waiting) {
        wm_interrupt_init();
        return submit_and_wait(options, job, request, err);
    }
    if (count_missing(job) == 0) {
        return write_table(job, request, err);
    }
    wm_slurm_job array;
    return submit_once(job, request, &array, err);
}

static wm_status submit(const submit_options *options, const char *path,
                        const wm_study_job *job, wm_error *err)
{
    wm_buffer table;
    wm_buffer_init(&table);
    wm_buffer_printf(&table, "%s/table.%s", job->store.folder, options->format);
    if (table.is_failed) {
        return wm_fail_memory(err);
    }
    wm_slurm_request request = {
        .study_path = path,
        .n_chunks = count_chunks(options, job->points.n),
        .array_limit = options->array_limit,
        .cpus = options->cpus,
        .time = options->time,
        .memory = options->memory,
        .partition = options->partition,
        .account = options->account,
        .lines = &options->lines,
        .format = options->format,
        .table = options->output != NULL ? options->output : table.bytes,
    };
    wm_status status = submit_request(options, job, &request, err);
    wm_buffer_fini(&table);
    return status;
}

wm_status wm_study_cmd_submit(const wm_subcommand *self, int argc, char **argv,
                              wm_error *err)
{
    submit_options options = {
        .cpus = 1, .retries = 3, .poll_seconds = 10, .format = "csv"};
    wm_words paths = {0};
    wm_study_job job;
    bool is_help = false;
    wm_study_job_init(&job);
    wm_status status = wm_options_parse(self, &submit_table, argc, argv,
                                        &options, &paths, &is_help, err);
    if (status == WM_OK && !is_help && !options.is_slurm) {
        status = wm_fail(err, WM_EUSAGE,
                         "study submit: no batch system named, want --slurm");
    }
    if (status == WM_OK && !is_help) {
        status =
            wm_study_job_open(&job, paths.items[0], options.results, 0, err);
        if (status == WM_OK) {
            status = submit(&options, paths.items[0], &job, err);
        }
    }
    wm_study_job_fini(&job);
    wm_words_fini(&options.lines);
    wm_words_fini(&paths);
    return status;
}
