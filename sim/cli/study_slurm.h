/*
 * study_slurm.h -- a study as a Slurm job array: scripts, submission, state.
 *
 * A task of the array is `warpmem study run --chunk I --chunks N`.  Tasks may
 * fail, be requeued or run twice at once: what is finished is decided by the
 * result files alone.
 *
 * Ownership  texts in the request are the caller's.
 * Errors     WM_EIO with what sbatch or squeue said.
 */
#ifndef WM_CLI_STUDY_SLURM_H
#define WM_CLI_STUDY_SLURM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "cli/options.h"
#include "cli/study_job.h"

typedef struct wm_slurm_request {
    const char *study_path;
    uint64_t n_chunks;
    uint64_t array_limit; /* tasks at a time; 0 = as the cluster likes */
    uint64_t cpus;        /* of a task */
    const char *time, *memory, *partition, *account; /* NULL = the default */
    const wm_words *lines;                           /* further #SBATCH lines */
    const char *format;                              /* of the table */
    const char *table; /* where the collector writes it; absolute */
} wm_slurm_request;

typedef struct wm_slurm_job {
    char array[32];     /* job ids */
    char collector[32]; /* "" = none */
} wm_slurm_job;

/* Writes FOLDER/slurm/task.sh and collect.sh. */
wm_status wm_slurm_write(const wm_study_job *job,
                         const wm_slurm_request *request, wm_error *err);

/* Submits the chunks with unfinished points, and the collector after them. */
wm_status wm_slurm_submit(const wm_study_job *job,
                          const wm_slurm_request *request, wm_slurm_job *out,
                          wm_error *err);

/* What squeue says of a job. Silence of the controller is no answer. */
typedef enum wm_slurm_state {
    WM_SLURM_QUEUED, /* pending, running, or nobody answers */
    WM_SLURM_GONE
} wm_slurm_state;
wm_status wm_slurm_ask(const char *job_id, wm_slurm_state *state,
                       wm_error *err);

void wm_slurm_cancel(const char *job_id);

#endif
