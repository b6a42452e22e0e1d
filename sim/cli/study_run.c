/*
 * study_run.c -- `warpmem study run`: the points that are not finished, on this
 * machine; also what a cluster's task runs, with --chunk.
 */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/study_pool.h"

wm_status wm_study_cmd_run(const wm_subcommand *self, int argc, char **argv,
                           wm_error *err);

typedef struct study_run_options {
    const char *results;
    uint64_t jobs;
    uint64_t chunk, chunks;
    uint64_t memory;
    const char *progress;
    bool is_quiet;
} study_run_options;

#define RUN_OPTION(kind, letter, name, argument, sentence, field, min, max)    \
    {                                                                          \
        WM_OPTION_##kind, letter, name, argument, sentence,                    \
            offsetof(study_run_options, field), min, max                       \
    }

static const wm_option run_option_list[] = {
    WM_STUDY_FOLDER_OPTION(study_run_options, results),
    RUN_OPTION(NUMBER, 'j', "jobs", "N",
               "Points at a time, each a process. [Default: all cores]", jobs,
               1, 4096),
    RUN_OPTION(NUMBER, '\0', "chunk", "I",
               "Only part I (from 0) of --chunks equal parts.", chunk, 0,
               UINT32_MAX),
    RUN_OPTION(NUMBER, '\0', "chunks", "N", "[Default: 1]", chunks, 1,
               UINT32_MAX),
    RUN_OPTION(NUMBER, '\0', "memory", "BYTES",
               "For traces in memory; a larger one is read once per point. "
               "[Default: 1G]",
               memory, 0, UINT64_MAX),
    RUN_OPTION(CHOICE, '\0', "progress", "auto|always|never",
               "Progress on stderr. [Default: auto, on a terminal]", progress,
               0, 0),
    RUN_OPTION(FLAG, 'q', "quiet", NULL, "No progress, no summary.", is_quiet,
               0, 0),
};

static const wm_option_table run_table = {
    run_option_list, sizeof(run_option_list) / sizeof(run_option_list[0]), 1, 1,
    "A finished point is never run again. Kill it at any time; the same "
    "command\ncontinues.\nExit: 0 all points finished; 1 some failed or it was "
    "stopped; 2 bad study or\ncommand line; 3 out of memory, input or output "
    "failed."};

static wm_status run_points(const study_run_options *options, wm_study_job *job,
                            wm_error *err)
{
    const size_t n = job->points.n;
    const bool is_shown = strcmp(options->progress, "always") == 0 ||
                          (strcmp(options->progress, "auto") == 0 &&
                           wm_output_is_terminal(STDERR_FILENO));
    wm_study_pool pool = {.job = job,
                          .n_jobs = (uint32_t)options->jobs,
                          .first = n * options->chunk / options->chunks,
                          .last = n * (options->chunk + 1) / options->chunks,
                          .is_shown = is_shown && !options->is_quiet,
                          .is_quiet = options->is_quiet};
    wm_status status = wm_study_pool_run(&pool, err);
    if (status != WM_OK) {
        return status;
    }
    if (pool.is_stopped) {
        return wm_fail(err, WM_EFORMAT,
                       "stopped by a signal; the same command continues");
    }
    if (pool.n_failed != 0) {
        return wm_fail(err, WM_EFORMAT, "%" PRIu64 " of %zu points failed",
                       pool.n_failed, pool.last - pool.first);
    }
    if (!options->is_quiet) {
        wm_output_note("%" PRIu64 " of %zu points finished, %" PRIu64
                       " run now",
                       pool.n_finished, pool.last - pool.first, pool.n_run);
    }
    return WM_OK;
}

wm_status wm_study_cmd_run(const wm_subcommand *self, int argc, char **argv,
                           wm_error *err)
{
    study_run_options options = {
        .chunks = 1, .memory = UINT64_C(1) << 30, .progress = "auto"};
    wm_words paths = {0};
    wm_study_job job;
    bool is_help = false;
    wm_study_job_init(&job);
    wm_status status = wm_options_parse(self, &run_table, argc, argv, &options,
                                        &paths, &is_help, err);
    if (status == WM_OK && !is_help && options.chunk >= options.chunks) {
        status = wm_fail(err, WM_EUSAGE,
                         "study run: --chunk %" PRIu64 " of --chunks %" PRIu64
                         ", want a smaller one",
                         options.chunk, options.chunks);
    }
    if (status == WM_OK && !is_help) {
        wm_interrupt_init();
        status = wm_study_job_open(&job, paths.items[0], options.results,
                                   options.memory, err);
        if (status == WM_OK) {
            status = run_points(&options, &job, err);
        }
    }
    wm_study_job_fini(&job);
    wm_words_fini(&paths);
    return status;
}
