/*
 * format.h -- what a trace format has to supply.  One format = one file
 * format_<id>.c and one line in formats.def.  Private to the trace floor.
 *
 * A format reads from a wm_stream (plain bytes, already looked through gzip
 * and xz).  sniff() sees up to WM_SNIFF_BYTES decompressed bytes from the
 * start of the file and answers 0 (no) to 100 (certain).
 */
#ifndef WM_TRACE_FORMAT_H
#define WM_TRACE_FORMAT_H

#include "trace/reader.h"

#define WM_SNIFF_BYTES 4096u

typedef struct wm_stream wm_stream;

typedef struct wm_reader wm_reader; /* each format defines its own */

/* What every reader of one trace shares. */
typedef struct wm_reader_context {
    const char *path; /* for messages; owned by the trace */
    wm_trace_options options;
    wm_diag *diag;           /* may be NULL */
    wm_digest *digest;       /* the trace's; streams add stored bytes to it */
    bool *is_complete;       /* set to false when something was lost */
    uint64_t *n_bytes_done;  /* stored bytes consumed, for progress */
    uint64_t *n_bytes_total; /* a format that opens further files adds theirs */
} wm_reader_context;

typedef struct wm_format {
    const char *name; /* "accelsim", "wmt", ... as shown in reports */
    const char *summary;
    int (*sniff)(const uint8_t *head, size_t n_bytes);
    /* Takes ownership of stream, also on failure. */
    wm_status (*open)(wm_stream *stream, const wm_reader_context *context,
                      wm_reader **out, wm_error *err);
    wm_status (*next_command)(wm_reader *reader, wm_command *out,
                              wm_error *err);
    wm_status (*next_cta)(wm_reader *reader, wm_cta *cta, bool *has_cta,
                          wm_error *err);
    /* Passes over the launch's next n CTAs, cta being scratch; NULL where
     * reading them is the only way. */
    wm_status (*skip_ctas)(wm_reader *reader, uint64_t n, wm_cta *cta,
                           wm_error *err);
    const wm_launch *(*launch)(const wm_reader *reader);
    void (*close)(wm_reader *reader);
} wm_format;

/* Every format, in the order of formats.def; ends in NULL. */
extern const wm_format *const wm_formats[];

/*
 * A trace over a reader that is open already, whose digest and completeness
 * are known (tape.c).  NULL when memory is short; else the reader is the
 * trace's.
 */
wm_trace *wm_trace_over(const wm_format *format, wm_reader *reader,
                        const wm_digest *digest, bool is_complete,
                        uint64_t n_stored_bytes);
/* The digest so far. */
const wm_digest *wm_trace_digest_state(const wm_trace *trace);

/*
 * At the end of a launch: fewer CTAs than promised make the trace incomplete
 * (ctas-missing), more are only warned of (ctas-extra).  The format says where:
 * "FILE:LINE" or as much.
 */
void wm_reader_check_ctas(const wm_reader_context *context, uint64_t n_read,
                          uint64_t n_promised, const char *place_format, ...)
    __attribute__((format(printf, 4, 5)));

/*
 * Opens path with the format its content shows, for formats that name other
 * files (kernel lists).  *format says which; close with (*format)->close.
 */
wm_status wm_format_open(const char *path, const wm_reader_context *context,
                         const wm_format **format, wm_reader **out,
                         wm_error *err);

#endif
