/*
 * wmt_decode.h -- the columns of one CTAS chunk back into CTAs.  The inverse
 * of wmt_encode.h.  Private to the trace floor.
 *
 * Nothing in the payload is trusted: every count is checked against the bytes
 * that remain before memory is taken, every shape against record_check.h, and
 * the columns must be used up exactly by the last CTA.  What the launch says
 * is not looked at, so that a chunk can be decoded before its launch is known
 * to the reader: the reader holds head and lane_mask against it.
 *
 * Ownership  new/free; the payload belongs to the caller and must outlive the
 *            decoding of its CTAs.
 * Errors     a sentence without a place ("moves column ends early"), or
 *            wm_wmt_no_memory; NULL is success.
 * Threads    one thread per decoder; chunks do not depend on each other.
 * Cost       a record of a regular kernel is a 48-byte copy and two additions.
 */
#ifndef WM_TRACE_WMT_DECODE_H
#define WM_TRACE_WMT_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/record.h"

typedef struct wm_wmt_decoder wm_wmt_decoder;

/* An unpacked CTAS payload: bytes, and the tail that was never packed.  Both
 * are followed by WM_WMT_LIST_SLACK readable bytes. */
typedef struct wm_wmt_payload {
    uint32_t version; /* of the file */
    const uint8_t *bytes;
    size_t n_bytes;
    const uint8_t *tail;
    size_t n_tail;
} wm_wmt_payload;

/* What the payload says about its place in the file. */
typedef struct wm_wmt_chunk_head {
    uint32_t launch; /* number of the launch in the file, from 0 */
    uint32_t n_statics;
    uint64_t first_cta;
    uint32_t n_ctas;
    uint64_t lane_mask; /* lanes that any record uses */
} wm_wmt_chunk_head;

/* The one fault that is not the file's; compare by address. */
extern const char wm_wmt_no_memory[];

wm_wmt_decoder *wm_wmt_decoder_new(void); /* NULL when memory is short */
void wm_wmt_decoder_free(wm_wmt_decoder *decoder);

/* Reads head and tables. */
const char *wm_wmt_decoder_open(wm_wmt_decoder *decoder,
                                const wm_wmt_payload *payload,
                                wm_wmt_chunk_head *head);
/* Records and lane words of all CTAs, from the warps column as it stands. */
void wm_wmt_decoder_measure(const wm_wmt_decoder *decoder, uint64_t *n_records,
                            uint64_t *n_lanes);
/* Whether they are no more than these; cheaper. */
bool wm_wmt_decoder_is_within(const wm_wmt_decoder *decoder, uint64_t n_records,
                              uint64_t n_lanes);
uint32_t wm_wmt_decoder_n_left(const wm_wmt_decoder *decoder);
/* The next CTA; n_left must not be 0. */
const char *wm_wmt_decoder_next(wm_wmt_decoder *decoder, wm_cta *cta);

#endif
