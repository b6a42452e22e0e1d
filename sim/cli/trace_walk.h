/*
 * trace_walk.h -- reads a trace to its end and hands on what it finds; the
 * common part of the trace subcommands.
 *
 * Ownership  what a sink is given is valid during the call.
 * Errors     those of the reader and of the sink, which end the walk.
 */
#ifndef WM_CLI_TRACE_WALK_H
#define WM_CLI_TRACE_WALK_H

#include <stdbool.h>

#include "base/diag.h"
#include "cli/select.h"
#include "trace/reader.h"

/* Any member may be NULL. */
typedef struct wm_trace_sink {
    wm_status (*copy)(void *context, const wm_copy *copy, wm_error *err);
    wm_status (*launch)(void *context, const wm_launch *launch, wm_error *err);
    /* launch has its statics as known by now. */
    wm_status (*cta)(void *context, const wm_launch *launch, const wm_cta *cta,
                     wm_error *err);
    /* After the launch's last CTA. */
    wm_status (*launch_end)(void *context, const wm_launch *launch,
                            wm_error *err);
} wm_trace_sink;

/* CTAs in file order, or warps of a CTA by number. */
typedef struct wm_cta_range {
    uint64_t n_skip;
    uint64_t n_count; /* UINT64_MAX = all that follow */
} wm_cta_range;

typedef struct wm_trace_walk {
    /* in */
    const char *path;
    bool keep_going;
    bool keep_all;            /* distil nothing: reader.h */
    bool may_seek;            /* what is not selected is passed over unread */
    bool counts_only;         /* of a CTA only n_records is looked at */
    uint32_t jobs;            /* threads that may decode; 0 is 1 */
    wm_select *select;        /* NULL = every launch */
    const wm_cta_range *ctas; /* of each launch; NULL = all */
    /* Of each CTA; NULL = all.  The others have no records; a CTA's work then
     * counts what the gaps of those that stay say, without operations. */
    const wm_cta_range *warps;
    wm_diag *diag; /* may be NULL */
    const wm_trace_sink *sink;
    void *context;
    /* out, also after an error */
    bool is_complete;
    char format[32];
    char digest[WM_DIGEST_HEX];
    uint64_t n_stored_bytes;
    bool is_written; /* by wm_trace_rewrite */
} wm_trace_walk;

wm_status wm_trace_walk_run(wm_trace_walk *walk, wm_error *err);

/* What of a trace `trace cat` and `trace slice` work on. */
typedef struct wm_part_options {
    wm_select_options select;
    wm_cta_range ctas;
    wm_cta_range warps;
} wm_part_options;

#define WM_PART_ALL                                                            \
    {                                                                          \
        {NULL, 0, UINT64_MAX}, {0, UINT64_MAX},                                \
        {                                                                      \
            0, UINT64_MAX                                                      \
        }                                                                      \
    }

/* The options for it, for an option table: VALUES has a wm_part_options. */
#define WM_PART_OPTIONS(VALUES, MEMBER)                                        \
    WM_SELECT_OPTIONS(VALUES, MEMBER.select),                                  \
        {WM_OPTION_NUMBER,                                                     \
         '\0',                                                                 \
         "cta-skip",                                                           \
         "N",                                                                  \
         "Skip the first N CTAs of each launch. [Default: 0]",                 \
         offsetof(VALUES, MEMBER.ctas.n_skip),                                 \
         0,                                                                    \
         UINT64_MAX},                                                          \
        {WM_OPTION_NUMBER,                                                     \
         '\0',                                                                 \
         "cta-count",                                                          \
         "N",                                                                  \
         "Then take at most N. [Default: all]",                                \
         offsetof(VALUES, MEMBER.ctas.n_count),                                \
         0,                                                                    \
         UINT64_MAX},                                                          \
        {WM_OPTION_NUMBER,                                                     \
         '\0',                                                                 \
         "warp-skip",                                                          \
         "N",                                                                  \
         "Leave out the first N warps of each CTA. [Default: 0]",              \
         offsetof(VALUES, MEMBER.warps.n_skip),                                \
         0,                                                                    \
         UINT64_MAX},                                                          \
    {                                                                          \
        WM_OPTION_NUMBER, '\0', "warp-count", "N",                             \
            "Then take at most N. [Default: all]",                             \
            offsetof(VALUES, MEMBER.warps.n_count), 0, UINT64_MAX              \
    }

/* A walk over a part of a trace, with its own selection and warnings. */
typedef struct wm_part_walk {
    wm_trace_walk walk;
    wm_select select;
    wm_diag diag;
} wm_part_walk;

/* options must outlive the walk.  What is not selected is passed over, and
 * not read where the trace has an index. */
wm_status wm_part_walk_init(wm_part_walk *part, const char *path,
                            const wm_part_options *options, bool keep_going,
                            wm_error *err);
/* Prints the warnings, unless is_quiet. */
void wm_part_walk_fini(wm_part_walk *part, bool is_quiet);

#endif
