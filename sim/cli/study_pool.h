/*
 * study_pool.h -- runs points of a study in processes of their own.
 *
 * A trace is decoded once, by the parent; each point is a fork that shares it,
 * simulates, and leaves a result file.  A child that crashes costs its point
 * and nothing else; a parent that is killed leaves children that finish theirs.
 * While the last points of a trace run, the next trace is decoded.
 *
 * Errors     WM_EFORMAT when points failed; those of the traces.
 * Repeatable results do not depend on the number of processes.
 */
#ifndef WM_CLI_STUDY_POOL_H
#define WM_CLI_STUDY_POOL_H

#include "cli/study_job.h"

typedef struct wm_study_pool {
    wm_study_job *job;
    uint32_t n_jobs;     /* processes at a time; 0 = one per processor */
    size_t first, last;  /* points [first, last) */
    bool is_shown;       /* progress on stderr */
    bool is_quiet;       /* no list of failures */
    uint64_t n_finished; /* out: found finished or finished now */
    uint64_t n_run;      /* out: of those, simulated now */
    uint64_t n_failed;
    bool is_stopped; /* by a signal */
} wm_study_pool;

wm_status wm_study_pool_run(wm_study_pool *pool, wm_error *err);

#endif
