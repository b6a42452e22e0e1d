/*
 * wmt_list.h -- lane lists as differences of the fewest bits.  Private to the
 * trace floor; docs/TRACE_FORMAT.md section 1.1 is the text of it.
 *
 * A list is the values v of a record's active lanes: offsets modulo 2^32
 * (LIST32), or addresses less the record's base modulo 2^64 (LIST64).  Kept
 * are the differences v[i] - v[i-1], less the low zero bits that all of them
 * share, in zig-zag form, each in as many bits as the largest needs.  Random
 * addresses come close to their entropy that way, without any packing.
 *
 * Ownership  buffers and pools are the caller's.
 * Errors     false when the columns end early or say what cannot be.
 * Threads    no shared state.
 * Repeatable the same list gives the same bytes.
 * Cost       about 1 ns per lane to read.
 */
#ifndef WM_TRACE_WMT_LIST_H
#define WM_TRACE_WMT_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "trace/record.h"
#include "trace/wmt_layout.h"

/* Readable bytes that must follow a lanes column in memory. */
#define WM_WMT_LIST_SLACK 16u

/* Adds the list of a record with a LIST pattern and n > 0 active lanes: two
 * bytes to lists, the differences to lanes. */
void wm_wmt_list_write(wm_buffer *lists, wm_buffer *lanes,
                       const wm_record *record, const uint32_t *pool,
                       uint32_t n);

/* Reads it back into pool: n words for LIST32, 2 n for LIST64. */
bool wm_wmt_list_read(wm_wmt_cursor *lists, wm_wmt_cursor *lanes,
                      const wm_record *record, uint32_t *pool, uint32_t n);

#endif
