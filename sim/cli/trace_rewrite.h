/*
 * trace_rewrite.h -- writes what a walk finds as a trace file: the common part
 * of `trace convert`, `slice` and `merge`.
 *
 * Errors  those of reader and writer; on failure no file is left.
 */
#ifndef WM_CLI_TRACE_REWRITE_H
#define WM_CLI_TRACE_REWRITE_H

#include "cli/trace_walk.h"

/* --to, for an option table: VALUES has a const char *, default "wmt". */
#define WM_TO_OPTION(VALUES, MEMBER)                                           \
    {                                                                          \
        WM_OPTION_CHOICE, '\0', "to", "wmt|text|accelsim",                     \
            "The format to write; accelsim makes a folder. [Default: wmt]",    \
            offsetof(VALUES, MEMBER), 0, 0                                     \
    }

/*
 * Reads walk->path (sink and context are set here), writes output.  Copies
 * are kept whatever the selection: they decide what the L2 holds.  An
 * incomplete trace is written with keep_going only, and is WM_EFORMAT all the
 * same.  is_quiet leaves out the sizes on stderr.
 */
wm_status wm_trace_rewrite(wm_trace_walk *walk, const char *to,
                           const char *output, bool is_quiet, wm_error *err);

/* The same for several traces, one behind the other into one output; walk->path
 * is set here, to that of the last trace read. */
wm_status wm_trace_rewrite_all(wm_trace_walk *walk, const char *const *paths,
                               size_t n_paths, const char *to,
                               const char *output, bool is_quiet,
                               wm_error *err);

#endif
