/*
 * wmt.h -- the native trace file: writer, and what `trace info|check|slice`
 * need beyond the reader.  The layout is docs/TRACE_FORMAT.md.
 *
 * Ownership  open/close.  A file is written under PATH.tmp-PID and renamed at
 *            a successful close: no half-written file bears the final name.
 * Errors     WM_EIO with path and errno; WM_ENOMEM.
 * Threads    one thread per writer.
 * Repeatable the same calls write the same bytes (zlib level fixed; libdeflate
 *            is used for reading only, so builds with and without it agree).
 */
#ifndef WM_TRACE_WMT_H
#define WM_TRACE_WMT_H

#include "base/status.h"
#include "trace/record.h"

typedef struct wm_wmt_writer wm_wmt_writer;

wm_status wm_wmt_create(const char *path, wm_wmt_writer **out, wm_error *err);
/* Launches of up to n_bytes of columns are gathered in common chunks, by
 * default 32 KiB; 0: every launch has chunks of its own, larger and sooner
 * safe on disk. */
void wm_wmt_set_small(wm_wmt_writer *writer, size_t n_bytes);
wm_status wm_wmt_copy(wm_wmt_writer *writer, const wm_copy *copy,
                      wm_error *err);
/* Begins a launch; its statics are taken from what add_cta is given later. */
wm_status wm_wmt_launch(wm_wmt_writer *writer, const wm_launch *launch,
                        wm_error *err);
/* launch: the same launch with its statics as known by now. */
wm_status wm_wmt_cta(wm_wmt_writer *writer, const wm_launch *launch,
                     const wm_cta *cta, wm_error *err);
/* Writes index and footer, renames.  Frees the writer in any case. */
wm_status wm_wmt_finish(wm_wmt_writer *writer, wm_error *err);
/* Removes the temporary file and frees the writer; NULL is fine. */
void wm_wmt_abort(wm_wmt_writer *writer);

#endif
