/*
 * reader.h -- opens a trace of any known format and yields its commands, and
 * the CTAs of each launch, one at a time.
 *
 *     wm_trace_open(path)
 *     while wm_trace_next_command() gives LAUNCH or COPY:
 *         LAUNCH: wm_trace_next_cta() until *has_cta is false
 *                 (or straight to the next command: the rest is skipped)
 *     wm_trace_close()
 *
 * path is a trace file, a kernel list, or a directory that holds a
 * kernelslist.g or kernelslist.  The format is recognised by content, never
 * by name; gzip and xz are looked through.
 *
 * Not modelled  streams: launches are in file order.
 * Ownership     the trace owns every string and the statics array; names and
 *               statics stay valid until the next call of next_command.
 *               launch.statics / n_statics are updated by next_cta, the array
 *               may move then.
 * Errors        WM_EFORMAT: "FILE:LINE: found, wanted"; WM_EIO; WM_ENOMEM.
 *               With `keep_going` a kernel that cannot be read is skipped or
 *               cut short, wm_trace_is_complete() turns false and a warning
 *               says why.
 * Threads       one thread at a time per trace; helpers of its own where
 *               options.jobs allows them, which the caller never sees.
 * Repeatable    the same bytes give the same records.
 * Cost          memory: one CTA (grouped formats) or the CTAs interleaved in
 *               the file at one time (raw formats), whatever the file's size;
 *               with helpers some chunks of a native file more.
 */
#ifndef WM_TRACE_READER_H
#define WM_TRACE_READER_H

#include "base/diag.h"
#include "base/digest.h"
#include "base/status.h"
#include "trace/record.h"

typedef struct wm_trace wm_trace;

typedef struct wm_trace_options {
    bool keep_going;
    bool keep_all; /* formats with every instruction: one record for each,
                      nothing distilled */
    /* What nobody asks for may be left unread: it is not checked then, and
     * digest and position say nothing. */
    bool may_seek;
    /* Of a CTA, n_records is all that is asked for: the rest may be empty.
     * What is read is checked all the same. */
    bool counts_only;
    /* Threads that may decode, the caller included; 0 is 1.  The records, the
     * warnings and the errors do not depend on it.  (Only native files use
     * more than one.) */
    uint32_t jobs;
} wm_trace_options;

typedef enum wm_command_kind {
    WM_COMMAND_END,
    WM_COMMAND_COPY,
    WM_COMMAND_LAUNCH
} wm_command_kind;

typedef struct wm_command {
    wm_command_kind kind;
    wm_copy copy;     /* WM_COMMAND_COPY */
    wm_launch launch; /* WM_COMMAND_LAUNCH */
} wm_command;

/* diag receives the warnings and must outlive the trace; may be NULL. */
wm_status wm_trace_open(const char *path, const wm_trace_options *options,
                        wm_diag *diag, wm_trace **out, wm_error *err);
wm_status wm_trace_next_command(wm_trace *trace, wm_command *out,
                                wm_error *err);
/* Fills *cta (cleared first) with the launch's next CTA in file order. */
wm_status wm_trace_next_cta(wm_trace *trace, wm_cta *cta, bool *has_cta,
                            wm_error *err);
/* Passes over the launch's next n CTAs, or those there are; *cta is scratch.
 * A native file with an index and may_seek is not read for it. */
wm_status wm_trace_skip_ctas(wm_trace *trace, uint64_t n, wm_cta *cta,
                             wm_error *err);
/* The launch that next_cta reads, with its statics as known by now. */
const wm_launch *wm_trace_launch(const wm_trace *trace);
void wm_trace_close(wm_trace *trace); /* NULL is fine */

const char *wm_trace_format_name(const wm_trace *trace);
bool wm_trace_is_complete(const wm_trace *trace);
/* Digest over the stored bytes of every file read so far, in order. */
void wm_trace_digest(const wm_trace *trace, char hex[WM_DIGEST_HEX]);
/* Bytes of the stored files: total known and consumed, for progress. */
void wm_trace_position(const wm_trace *trace, uint64_t *n_done,
                       uint64_t *n_total);

#endif
