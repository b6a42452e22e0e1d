/*
 * select.c -- which launches of a trace a command works on.
 */
#include "cli/select.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

wm_status wm_select_init(wm_select *select, const wm_select_options *options,
                         wm_error *err)
{
    memset(select, 0, sizeof(*select));
    select->options = *options;
    if (options->pattern != NULL) {
        int code = regcomp(&select->expression, options->pattern,
                           REG_EXTENDED | REG_NOSUB);
        if (code != 0) {
            char reason[128];
            (void)regerror(code, &select->expression, reason, sizeof(reason));
            select->options.pattern = NULL;
            return wm_fail(err, WM_EUSAGE,
                           "--kernel-name \"%.128s\": %s, want a POSIX "
                           "extended regular expression",
                           options->pattern, reason);
        }
    }
    return WM_OK;
}

void wm_select_fini(wm_select *select)
{
    if (select->options.pattern != NULL) {
        regfree(&select->expression);
        select->options.pattern = NULL;
    }
}

bool wm_select_takes(wm_select *select, const wm_launch *launch)
{
    const wm_select_options *options = &select->options;
    select->n_seen++;
    if (options->pattern != NULL &&
        regexec(&select->expression, launch->name, 0, NULL, 0) != 0) {
        return false;
    }
    uint64_t index = select->n_matched++;
    if (index < options->n_skip || select->n_taken >= options->n_count) {
        return false;
    }
    select->n_taken++;
    return true;
}

void wm_select_text(const wm_select *select, char *text, size_t n_bytes)
{
    const wm_select_options *options = &select->options;
    char skip[48] = "", count[48] = "";
    if (options->n_skip != 0) {
        (void)snprintf(skip, sizeof(skip), " --launch-skip %" PRIu64,
                       options->n_skip);
    }
    if (options->n_count != UINT64_MAX) {
        (void)snprintf(count, sizeof(count), " --launch-count %" PRIu64,
                       options->n_count);
    }
    char both[256];
    (void)snprintf(both, sizeof(both), "%s%.128s%s%s",
                   options->pattern != NULL ? " --kernel-name " : "",
                   options->pattern != NULL ? options->pattern : "", skip,
                   count);
    (void)snprintf(text, n_bytes, "%s", both[0] == ' ' ? both + 1 : both);
}

void wm_select_warn_none(const wm_select *select, wm_diag *diag)
{
    char text[256];
    if (select->n_seen != 0 && select->n_taken == 0) {
        wm_select_text(select, text, sizeof(text));
        wm_warn(diag, "nothing-selected", NULL,
                "none of %" PRIu64 " launches is selected by %s",
                select->n_seen, text);
    }
}
