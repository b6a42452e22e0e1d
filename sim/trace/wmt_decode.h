/*
 * wmt_decode.h -- the columns of one CTAS chunk back into CTAs.  The inverse
 * of wmt_encode.h.  Private to the trace floor.
 *
 * Nothing in the payload is trusted: every count is checked against the bytes
 * that remain before memory is taken, every shape against record_check.h, and
 * the columns must be used up exactly by the last CTA.
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

/* What the payload says about its place in the file. */
typedef struct wm_wmt_chunk_head {
    uint32_t launch; /* number of the launch in the file, from 0 */
    uint32_t n_statics;
    uint64_t first_cta;
    uint32_t n_ctas;
} wm_wmt_chunk_head;

/* The one fault that is not the file's; compare by address. */
extern const char wm_wmt_no_memory[];

wm_wmt_decoder *wm_wmt_decoder_new(void); /* NULL when memory is short */
void wm_wmt_decoder_free(wm_wmt_decoder *decoder);

/* Reads only the head. */
const char *wm_wmt_decoder_head(const uint8_t *payload, size_t n_bytes,
                                wm_wmt_chunk_head *head);
/* Reads the tables; launch gives warp size and statics read so far. */
const char *wm_wmt_decoder_open(wm_wmt_decoder *decoder,
                                const wm_launch *launch, const uint8_t *payload,
                                size_t n_bytes);
uint32_t wm_wmt_decoder_n_left(const wm_wmt_decoder *decoder);
/* The next CTA; n_left must not be 0. */
const char *wm_wmt_decoder_next(wm_wmt_decoder *decoder, wm_cta *cta);

#endif
