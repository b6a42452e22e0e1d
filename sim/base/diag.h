/*
 * diag.h -- warnings, gathered and counted; the library never prints.
 *
 * A warning has a short code ("opcode-unknown") that scripts may test, a
 * count, and the sentence and place of its first occurrence.  The command
 * line prints them at the end, once each; the result JSON lists them.
 *
 * Not modelled  more than WM_DIAG_MAX different codes: further ones are
 *               counted together under "other".
 * Ownership     the caller owns the struct; wm_diag_init() before use.
 * Threads       one thread at a time; each reader has its own, merged later.
 * Repeatable    the order is that of the first occurrence.
 */
#ifndef WM_BASE_DIAG_H
#define WM_BASE_DIAG_H

#include <stdint.h>

#define WM_DIAG_MAX 48u

typedef struct wm_warning {
    char code[32];
    uint64_t n_times;
    char text[256];  /* sentence of the first occurrence */
    char first[256]; /* "file:line" of the first occurrence, or "" */
} wm_warning;

typedef struct wm_diag {
    uint32_t n_warnings;
    wm_warning warning[WM_DIAG_MAX];
} wm_diag;

void wm_diag_init(wm_diag *diag);

/*
 * Counts one warning.  where is "file:line" or NULL.  diag may be NULL.
 * The sentence is formatted only at the first occurrence of code.
 */
void wm_warn(wm_diag *diag, const char *code, const char *where,
             const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Adds from's warnings to into, codes joined. */
void wm_diag_merge(wm_diag *into, const wm_diag *from);

/* Warnings so far, all codes. */
uint64_t wm_diag_total(const wm_diag *diag);

#endif
