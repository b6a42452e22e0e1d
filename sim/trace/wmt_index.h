/*
 * wmt_index.h -- the index of a native trace file: where its launches, their
 * statics and their CTAs lie.  Private to the trace floor.
 *
 * Ownership  load/free.
 * Errors     none but short memory: a file whose index cannot be used is read
 *            without one, and what is wrong with it shows there.
 * Threads    read-only once loaded.
 * Cost       the last 56 bytes, then the index: some 4 bytes a chunk in the
 *            file, 16 in memory.
 */
#ifndef WM_TRACE_WMT_INDEX_H
#define WM_TRACE_WMT_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct wm_wmt_index_row {
    uint64_t offset; /* of the chunk */
    uint64_t n_ctas; /* in it; 0 for a STAT chunk */
} wm_wmt_index_row;

typedef struct wm_wmt_index_launch {
    uint64_t offset; /* of its LAUN chunk, or of the group that holds it */
    uint64_t n_ctas; /* in the file */
    size_t first_row;
    size_t n_rows; /* STAT and CTAS chunks in file order; 0 in a group */
} wm_wmt_index_launch;

typedef struct wm_wmt_index {
    wm_wmt_index_launch *launches;
    wm_wmt_index_row *rows;
    size_t n_launches, n_rows;
    size_t cap_launches, cap_rows;
} wm_wmt_index;

/* *out is NULL when the file has no index that can be used. */
wm_status wm_wmt_index_load(const char *path, wm_wmt_index **out,
                            wm_error *err);
void wm_wmt_index_free(wm_wmt_index *index); /* NULL is fine */

#endif
