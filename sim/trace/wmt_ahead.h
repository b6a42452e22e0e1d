/*
 * wmt_ahead.h -- the chunks of a native trace file in order, read and decoded
 * ahead of their use by helper threads where the caller allows any.  Private
 * to the trace floor.
 *
 * Chunks lie in a ring of slots.  Reading is one thread's at a time, in file
 * order; checking, unpacking and decoding a chunk is its reader's, while others
 * read on.  The caller takes the slots in file order, and rather than wait for
 * a helper it reads and decodes a chunk itself.
 *
 * What helpers touch is the stream and the slots, never what the caller sees
 * otherwise: a chunk's faults stay in its slot until the caller comes to it,
 * statics are parsed by the caller, digest and position are copied when a slot
 * is taken.  So warnings, errors, digests and records are the same, in the
 * same order, with any number of helpers.
 *
 * A caller that only counts gets no records from helpers: they are decoded and
 * checked in memory that stays in the helper's cache, where handing them over
 * costs up to a third of decoding regular ones.
 *
 * Ownership  new/free; a slot is the caller's until the next call of next.
 * Errors     those of the stream, when the caller comes to them.
 * Threads    one caller; n_helpers threads of its own, started when the second
 *            CTAS chunk is taken, so that small traces start none.
 * Repeatable yes, see above.
 * Cost       memory: n_helpers + 2 slots, each a chunk's stored, unpacked and
 *            decoded bytes (about 2 MiB as written by warpmem); for a caller
 *            that counts 3 n_helpers + 3, of which those that wait to be
 *            counted have few, and a chunk and a CTA per thread.  A chunk
 *            that is much larger is not decoded ahead, nor is one read behind
 *            it.
 */
#ifndef WM_TRACE_WMT_AHEAD_H
#define WM_TRACE_WMT_AHEAD_H

#include "base/digest.h"
#include "trace/wmt_chunk.h"

typedef struct wm_wmt_slot {
    wm_wmt_chunk chunk;
    wm_wmt_payload payload; /* of an opened chunk */
    wm_wmt_chunk_head head; /* of an opened CTAS chunk */
    bool has_more;          /* bytes follow this chunk */
} wm_wmt_slot;

typedef struct wm_wmt_ahead wm_wmt_ahead;

/* The stream stays the caller's and must outlive the ring; digest and
 * n_bytes_done receive what it consumed up to the slot taken last.
 * is_counting: of a CTA decoded by a helper only n_records is filled in. */
wm_status wm_wmt_ahead_new(wm_stream *stream, uint32_t version,
                           uint32_t n_helpers, bool is_counting,
                           wm_digest *digest, uint64_t *n_bytes_done,
                           wm_wmt_ahead **out, wm_error *err);
void wm_wmt_ahead_free(wm_wmt_ahead *ahead); /* NULL is fine */

/* The next chunk of the file; the last one again when there is none. */
wm_status wm_wmt_ahead_next(wm_wmt_ahead *ahead, const wm_wmt_slot **slot,
                            wm_error *err);
/* While true, helpers leave CTAS chunks packed: the caller passes them over. */
void wm_wmt_ahead_set_skipping(wm_wmt_ahead *ahead, bool is_skipping);
/* Goes on at offset, which must lie ahead.  Only without helpers. */
wm_status wm_wmt_ahead_seek(wm_wmt_ahead *ahead, uint64_t offset,
                            wm_error *err);

/* Of the slot taken last; each gives NULL or a fault. */
const char *wm_wmt_ahead_check(wm_wmt_ahead *ahead);
/* Unpacks it; of a CTAS chunk also reads head and tables. */
const char *wm_wmt_ahead_open(wm_wmt_ahead *ahead);
/* Reads head and tables of a CTAS chunk within the slot's group. */
const char *wm_wmt_ahead_open_inner(wm_wmt_ahead *ahead,
                                    const wm_wmt_payload *payload,
                                    wm_wmt_chunk_head *head);
/* The next CTA of the CTAS chunk opened last; *has_cta is false behind the
 * last. */
const char *wm_wmt_ahead_next_cta(wm_wmt_ahead *ahead, wm_cta *cta,
                                  bool *has_cta);

#endif
