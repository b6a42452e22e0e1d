/*
 * study_job.c -- what every study subcommand starts from.
 */
#include "cli/study_job.h"

#include <stdlib.h>
#include <string.h>

void wm_study_job_init(wm_study_job *job)
{
    memset(job, 0, sizeof(*job));
    wm_study_init(&job->study);
    wm_points_init(&job->points);
}

void wm_study_job_fini(wm_study_job *job)
{
    for (uint32_t t = 0; job->traces != NULL && t < job->study.traces.n; t++) {
        wm_tape_free(job->traces[t].tape);
    }
    free(job->traces);
    free(job->facts);
    wm_points_fini(&job->points);
    wm_store_fini(&job->store);
    wm_study_fini(&job->study);
}

/* Reads the trace to its end; keeps it when the budget allows. */
static wm_status record(wm_study_job *job, uint32_t t, wm_error *err)
{
    const char *path = job->study.traces.items[t];
    wm_study_trace *trace = &job->traces[t];
    wm_diag_init(&trace->diag);
    wm_status status = wm_tape_record(path, job->budget_bytes, &trace->diag,
                                      &job->facts[t], &trace->tape, err);
    if (status != WM_OK) {
        return status;
    }
    if (!job->facts[t].is_complete) {
        return wm_fail(err, WM_EFORMAT,
                       "%s: the trace is incomplete, wanted whole ones", path);
    }
    if (trace->tape != NULL) {
        job->budget_bytes -= wm_tape_bytes(trace->tape);
    }
    wm_store_keep_trace(&job->store, path, &job->facts[t]);
    return WM_OK;
}

/* What is known to be too large is not read in vain. */
static bool can_fit(const wm_study_job *job, uint32_t t)
{
    return job->facts[t].n_records <=
           job->budget_bytes / (uint64_t)sizeof(wm_record);
}

wm_status wm_study_job_load(wm_study_job *job, uint32_t t, wm_error *err)
{
    return job->traces[t].tape != NULL || !can_fit(job, t)
               ? WM_OK
               : record(job, t, err);
}

void wm_study_job_unload(wm_study_job *job, uint32_t t)
{
    if (job->traces[t].tape != NULL) {
        job->budget_bytes += wm_tape_bytes(job->traces[t].tape);
        wm_tape_free(job->traces[t].tape);
        job->traces[t].tape = NULL;
    }
}

wm_status wm_study_job_prepare(wm_study_job *job, const char *folder,
                               uint64_t budget_bytes, wm_error *err)
{
    const size_t n = job->study.traces.n;
    job->budget_bytes = budget_bytes;
    job->facts = calloc(n, sizeof(*job->facts));
    job->traces = calloc(n, sizeof(*job->traces));
    wm_status status =
        job->facts != NULL && job->traces != NULL ? WM_OK : wm_fail_memory(err);
    /* The grid once with traces that are not known yet, so that a wrong
     * configuration is said before anything is read or written. */
    if (status == WM_OK) {
        status = wm_points_make(&job->study, job->facts, &job->points, err);
        wm_points_fini(&job->points);
    }
    if (status == WM_OK) {
        status = wm_store_open(folder, false, &job->store, err);
    }
    for (uint32_t t = 0; t < n && status == WM_OK; t++) {
        if (!wm_store_find_trace(&job->store, job->study.traces.items[t],
                                 &job->facts[t])) {
            status = record(job, t, err);
        }
    }
    if (status == WM_OK) {
        status = wm_points_make(&job->study, job->facts, &job->points, err);
    }
    return status;
}

wm_status wm_study_job_open(wm_study_job *job, const char *path,
                            const char *folder, uint64_t budget_bytes,
                            wm_error *err)
{
    wm_buffer beside;
    wm_status status = wm_study_read(path, &job->study, err);
    if (status != WM_OK) {
        return status;
    }
    const char *dot = strrchr(path, '.');
    const char *slash = strrchr(path, '/');
    const bool has_ending = dot != NULL && (slash == NULL || dot > slash + 1);
    wm_buffer_init(&beside);
    wm_buffer_add(&beside, path,
                  has_ending ? (size_t)(dot - path) : strlen(path));
    wm_buffer_puts(&beside, ".results");
    status =
        beside.is_failed
            ? wm_fail_memory(err)
            : wm_study_job_prepare(job, folder != NULL ? folder : beside.bytes,
                                   budget_bytes, err);
    wm_buffer_fini(&beside);
    return status;
}

uint64_t wm_study_job_records(const wm_study_job *job, const wm_point *point)
{
    const wm_tape_facts *facts = &job->facts[point->trace];
    if (point->first_launch == 0 || facts->n_launches == 0) {
        return facts->n_records;
    }
    uint64_t warmup = job->study.warmup;
    if (warmup > point->first_launch - 1) {
        warmup = point->first_launch - 1;
    }
    return facts->n_records / facts->n_launches * (point->n_launches + warmup);
}

wm_status wm_study_job_command(const wm_subcommand *self,
                               const wm_option_table *table, int argc,
                               char **argv, void *options,
                               const char *const *folder,
                               wm_study_action_fn action, wm_error *err)
{
    wm_words paths = {0};
    wm_study_job job;
    bool is_help = false;
    wm_study_job_init(&job);
    wm_status status = wm_options_parse(self, table, argc, argv, options,
                                        &paths, &is_help, err);
    if (status == WM_OK && !is_help) {
        status = wm_study_job_open(&job, paths.items[0], *folder, 0, err);
        if (status == WM_OK) {
            status = action(options, &job, err);
        }
    }
    wm_study_job_fini(&job);
    wm_words_fini(&paths);
    return status;
}
