/*
 * tape.h -- a trace held in memory, to be replayed any number of times: what
 * studies use so that a trace is decoded once and not once per configuration.
 *
 *     wm_tape_record(path)     reads the trace to its end
 *     wm_tape_open(tape)       a wm_trace that yields the same again
 *
 * Not modelled  the growth of a launch's statics: all are known at once.
 * Ownership     the tape owns all it holds and must outlive the traces opened
 *               on it; those are closed with wm_trace_close.
 * Errors        those of reader.h.  A trace of over max_bytes in memory is no
 *               error: *out is NULL, and the caller reads it each time.
 * Threads       a finished tape is only read: any number of traces on it, in
 *               any threads or forked processes.
 * Cost          48 B per record, 4 B per lane of a list; a CTA is handed out
 *               by copying it.
 */
#ifndef WM_TRACE_TAPE_H
#define WM_TRACE_TAPE_H

#include "trace/reader.h"

typedef struct wm_tape wm_tape;

/* What a trace holds, known also when it does not fit. */
typedef struct wm_tape_facts {
    char format[32];
    char digest[WM_DIGEST_HEX];
    uint64_t n_launches;
    uint64_t n_records;
    uint64_t n_stored_bytes;
    bool is_complete;
} wm_tape_facts;

/* diag receives the reader's warnings; may be NULL. */
wm_status wm_tape_record(const char *path, uint64_t max_bytes, wm_diag *diag,
                         wm_tape_facts *facts, wm_tape **out, wm_error *err);
void wm_tape_free(wm_tape *tape); /* NULL is fine */
uint64_t wm_tape_bytes(const wm_tape *tape);

wm_status wm_tape_open(const wm_tape *tape, wm_trace **out, wm_error *err);

#endif
