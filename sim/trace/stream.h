/*
 * stream.h -- sequential bytes of a file, seen through gzip or xz.
 *
 * Recognised by magic number, never by name.  Concatenated gzip members and
 * xz streams are read through.  Private to the trace floor.
 *
 * Ownership  open/close; views returned by peek and line stay valid until the
 *            next call on the stream.
 * Errors     WM_EFORMAT when the file does not exist (a missing trace is a bad
 *            trace), for damaged or truncated compressed data (text names path
 *            and byte offset), zstd, Git LFS pointers, empty files; WM_EIO for
 *            any other failure to open or read (text names path and errno).
 * Cost       files are read in 1 MiB blocks; memory bounded.
 */
#ifndef WM_TRACE_STREAM_H
#define WM_TRACE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/status.h"

/* Bytes behind a line that may be read (not what they hold). */
#define WM_STREAM_PAD 32u

typedef struct wm_stream wm_stream;

/* digest (may be NULL) receives the stored bytes as they are consumed,
 * n_bytes_done (may be NULL) their count. */
wm_status wm_stream_open(const char *path, wm_digest *digest,
                         uint64_t *n_bytes_done, wm_stream **out,
                         wm_error *err);
void wm_stream_close(wm_stream *stream); /* NULL is fine */
/* From now on these receive stored bytes and their count, and a plain file
 * fills the buffer by no more than block bytes at a time. */
void wm_stream_set_account(wm_stream *stream, wm_digest *digest,
                           uint64_t *n_bytes_done, size_t block);
/* True for a plain regular file, in which seek works. */
bool wm_stream_can_seek(const wm_stream *stream);
/* Goes on at offset, which must not lie behind; what is passed over is not
 * read, and the digest says nothing from then on. */
wm_status wm_stream_seek(wm_stream *stream, uint64_t offset, wm_error *err);

/* At least n_wanted bytes unless the file ends before; *bytes is a view.
 * n_wanted <= 64 MiB. Does not consume. */
wm_status wm_stream_peek(wm_stream *stream, size_t n_wanted,
                         const uint8_t **bytes, size_t *n_bytes, wm_error *err);
void wm_stream_consume(wm_stream *stream, size_t n_bytes);
/* Takes up to n_wanted bytes of a plain file to target, past the buffer; none
 * where there are bytes in the buffer, or the file is not plain, or ended. */
wm_status wm_stream_read(wm_stream *stream, uint8_t *target, size_t n_wanted,
                         size_t *n_bytes, wm_error *err);

/*
 * The next line without its "\n" or "\r\n"; *line is NULL at the end of the
 * file.  The view is followed by a byte below ' ', so that scanners stop, and
 * by WM_STREAM_PAD readable bytes in all.  Lines longer than 64 MiB are
 * WM_EFORMAT.
 */
wm_status wm_stream_line(wm_stream *stream, const char **line, size_t *n_bytes,
                         wm_error *err);
uint64_t
wm_stream_line_number(const wm_stream *stream); /* 1-based, last read */
/* Back to the start (second pass of the raw formats); the digest is not fed
 * again. */
wm_status wm_stream_rewind(wm_stream *stream, wm_error *err);
const char *wm_stream_path(const wm_stream *stream);
uint64_t wm_stream_offset(const wm_stream *stream); /* decompressed bytes */
/* Stored size of the file in bytes. */
uint64_t wm_stream_stored_bytes(const wm_stream *stream);

#endif
