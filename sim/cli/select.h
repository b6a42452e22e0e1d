/*
 * select.h -- which launches of a trace a command works on.
 *
 * A launch is taken when its name matches the expression and, among those
 * that match, it comes after the first n_skip and within the n_count that
 * follow: the order in which Nsight Compute applies the same options.
 *
 * Ownership  init/fini; the pattern's text must outlive the struct.
 * Errors     WM_EUSAGE for a bad expression.
 */
#ifndef WM_CLI_SELECT_H
#define WM_CLI_SELECT_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "trace/record.h"

typedef struct wm_select_options {
    const char *pattern; /* POSIX extended; NULL = every name */
    uint64_t n_skip;
    uint64_t n_count; /* UINT64_MAX = all that follow */
} wm_select_options;

typedef struct wm_select {
    wm_select_options options;
    regex_t expression;
    uint64_t n_seen;
    uint64_t n_matched;
    uint64_t n_taken;
} wm_select;

/* The three options, for an option table: VALUES has a wm_select_options. */
#define WM_SELECT_OPTIONS(VALUES, MEMBER)                                      \
    {WM_OPTION_TEXT,                                                           \
     '\0',                                                                     \
     "kernel-name",                                                            \
     "REGEX",                                                                  \
     "Only launches whose name matches (POSIX extended).",                     \
     offsetof(VALUES, MEMBER.pattern),                                         \
     0,                                                                        \
     0},                                                                       \
        {WM_OPTION_NUMBER,                                                     \
         '\0',                                                                 \
         "launch-skip",                                                        \
         "N",                                                                  \
         "Skip the first N launches that match. [Default: 0]",                 \
         offsetof(VALUES, MEMBER.n_skip),                                      \
         0,                                                                    \
         UINT64_MAX},                                                          \
    {                                                                          \
        WM_OPTION_NUMBER, '\0', "launch-count", "N",                           \
            "Then take at most N. [Default: all]",                             \
            offsetof(VALUES, MEMBER.n_count), 0, UINT64_MAX                    \
    }

wm_status wm_select_init(wm_select *select, const wm_select_options *options,
                         wm_error *err);
void wm_select_fini(wm_select *select);

/* Counts the launch; true when it is taken. */
bool wm_select_takes(wm_select *select, const wm_launch *launch);

/* "--kernel-name X --launch-skip 3" as given, or "" for all launches. */
void wm_select_text(const wm_select *select, char *text, size_t n_bytes);

/* Warns when a trace had launches and none was taken. */
void wm_select_warn_none(const wm_select *select, wm_diag *diag);

#endif
