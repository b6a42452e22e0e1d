/*
 * diag.c -- warnings, gathered and counted.
 */
#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void wm_diag_init(wm_diag *diag)
{
    diag->n_warnings = 0;
}

/* The entry of code, new if need be; *is_new says which. */
static wm_warning *diag_entry(wm_diag *diag, const char *code, int *is_new)
{
    *is_new = 0;
    for (uint32_t i = 0; i < diag->n_warnings; i++) {
        if (strcmp(diag->warning[i].code, code) == 0) {
            return &diag->warning[i];
        }
    }
    if (diag->n_warnings == WM_DIAG_MAX) {
        return &diag->warning[WM_DIAG_MAX - 1];
    }
    wm_warning *fresh = &diag->warning[diag->n_warnings];
    if (++diag->n_warnings == WM_DIAG_MAX) {
        code = "other";
    }
    memset(fresh, 0, sizeof(*fresh));
    (void)snprintf(fresh->code, sizeof(fresh->code), "%s", code);
    *is_new = 1;
    return fresh;
}

void wm_warn(wm_diag *diag, const char *code, const char *where,
             const char *fmt, ...)
{
    if (diag == NULL) {
        return;
    }
    int is_new = 0;
    wm_warning *warning = diag_entry(diag, code, &is_new);
    warning->n_times++;
    if (is_new) {
        va_list args;
        va_start(args, fmt);
        (void)vsnprintf(warning->text, sizeof(warning->text), fmt, args);
        va_end(args);
        (void)snprintf(warning->first, sizeof(warning->first), "%s",
                       where != NULL ? where : "");
    }
}

void wm_diag_merge(wm_diag *into, const wm_diag *from)
{
    for (uint32_t i = 0; i < from->n_warnings; i++) {
        const wm_warning *source = &from->warning[i];
        int is_new = 0;
        wm_warning *target = diag_entry(into, source->code, &is_new);
        target->n_times += source->n_times;
        if (is_new) {
            memcpy(target->text, source->text, sizeof(target->text));
            memcpy(target->first, source->first, sizeof(target->first));
        }
    }
}

uint64_t wm_diag_total(const wm_diag *diag)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < diag->n_warnings; i++) {
        total += diag->warning[i].n_times;
    }
    return total;
}
