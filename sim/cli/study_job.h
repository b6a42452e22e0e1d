/*
 * study_job.h -- what every study subcommand starts from: the study, the
 * folder of its results, what its traces hold, its points.
 *
 * A trace that the folder does not know yet is read to its end once; with a
 * budget it is kept in memory for the runs that follow.
 *
 * Ownership  init/fini.
 * Errors     those of the study, the traces and the folder.
 */
#ifndef WM_CLI_STUDY_JOB_H
#define WM_CLI_STUDY_JOB_H

#include "base/diag.h"
#include "cli/command.h"
#include "cli/options.h"
#include "study/points.h"
#include "study/store.h"
#include "study/study.h"
#include "trace/tape.h"

#define WM_STUDY_FOLDER_OPTION(VALUES, MEMBER)                                 \
    {                                                                          \
        WM_OPTION_TEXT, 'd', "results", "DIR",                                 \
            "Where results lie; studies may share one. [Default: "             \
            "STUDY.results]",                                                  \
            offsetof(VALUES, MEMBER), 0, 0                                     \
    }

typedef struct wm_study_trace {
    wm_tape *tape; /* NULL = not in memory */
    wm_diag diag;  /* the reader's warnings, with the tape */
} wm_study_trace;

typedef struct wm_study_job {
    wm_study study;
    wm_store store;
    wm_tape_facts *facts;   /* by trace */
    wm_study_trace *traces; /* by trace */
    wm_points points;
    uint64_t budget_bytes; /* for tapes, what is left of it */
} wm_study_job;

void wm_study_job_init(wm_study_job *job);
void wm_study_job_fini(wm_study_job *job);

/* Reads the study at path. folder NULL = beside the study. */
wm_status wm_study_job_open(wm_study_job *job, const char *path,
                            const char *folder, uint64_t budget_bytes,
                            wm_error *err);
/*
 * A whole subcommand of one STUDY.yaml: parses argv into *options, opens the
 * study (with the folder that is in *folder by then) and calls action.
 */
typedef wm_status (*wm_study_action_fn)(const void *options, wm_study_job *job,
                                        wm_error *err);
wm_status wm_study_job_command(const wm_subcommand *self,
                               const wm_option_table *table, int argc,
                               char **argv, void *options,
                               const char *const *folder,
                               wm_study_action_fn action, wm_error *err);

/* The rest of it, for a study that is not from a file. */
wm_status wm_study_job_prepare(wm_study_job *job, const char *folder,
                               uint64_t budget_bytes, wm_error *err);

/* Puts trace t on tape, if the budget allows. */
wm_status wm_study_job_load(wm_study_job *job, uint32_t t, wm_error *err);
void wm_study_job_unload(wm_study_job *job, uint32_t t);

/* Records that a point replays. */
uint64_t wm_study_job_records(const wm_study_job *job, const wm_point *point);

#endif
