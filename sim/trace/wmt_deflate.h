/*
 * wmt_deflate.h -- packs the payload of a chunk that is mostly lane lists, as a
 * zlib stream.  Private to the trace floor.
 *
 * zlib looks for repeats at every byte and spends most of tracing a gather on
 * it.  Lists repeat as a whole or from their start (arrays that are read at the
 * same indices), and what does not repeat is noise: within the lists, repeats
 * are looked for at their starts only.
 *
 * Ownership  new/free.
 * Errors     false when memory is short.
 * Repeatable the same bytes and marks give the same stream on every machine.
 * Cost       memory: 0.4 MiB and a buffer as large as the payload.
 */
#ifndef WM_TRACE_WMT_DEFLATE_H
#define WM_TRACE_WMT_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

typedef struct wm_wmt_deflater wm_wmt_deflater;

wm_wmt_deflater *wm_wmt_deflater_new(void); /* NULL when memory is short */
void wm_wmt_deflater_free(wm_wmt_deflater *deflater);

/* Appends the packed n bytes to out.  From byte n_head on they are lists, which
 * begin at the n_lists offsets from there, in rising order. */
bool wm_wmt_deflate(wm_wmt_deflater *deflater, const uint8_t *bytes, size_t n,
                    size_t n_head, const uint32_t *lists, size_t n_lists,
                    wm_buffer *out);

#endif
