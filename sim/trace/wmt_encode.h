/*
 * wmt_encode.h -- CTAs into the columns of one CTAS chunk.  Private to the
 * trace floor.
 *
 * What the records of a kernel have in common is stored once per chunk:
 *
 *     shape     all of a record but its base and its lane list
 *     template  a warp's sequence of shapes
 *     warp      the template it follows, and its moves
 *     move      how far a record's base moved since the last warp with the
 *               same template, less the last such move of the same static
 *               instruction; for a template's first warp, the base less the
 *               static instruction's previous base
 *
 * In regular kernels the moves are all 0 and are left out: such a warp costs
 * two or three bytes whatever its length.
 *
 * Ownership  the caller owns the encoder's memory: new/free.
 * Errors     WM_ENOMEM; WM_EFORMAT for a record or CTA out of bounds.
 * Repeatable the same CTAs give the same bytes.
 * Cost       memory: the chunk being built, bounded as in wmt_layout.h (one
 *            CTA may be larger).
 */
#ifndef WM_TRACE_WMT_ENCODE_H
#define WM_TRACE_WMT_ENCODE_H

#include "base/buffer.h"
#include "base/status.h"
#include "trace/record.h"

typedef struct wm_wmt_encoder wm_wmt_encoder;

wm_wmt_encoder *wm_wmt_encoder_new(void); /* NULL when memory is short */
void wm_wmt_encoder_free(wm_wmt_encoder *encoder);

/* Empties the encoder for the next chunk. */
void wm_wmt_encoder_clear(wm_wmt_encoder *encoder);
/* launch: its statics as known by now, and its warp size. */
wm_status wm_wmt_encoder_add(wm_wmt_encoder *encoder, const wm_launch *launch,
                             const wm_cta *cta, wm_error *err);
uint32_t wm_wmt_encoder_n_ctas(const wm_wmt_encoder *encoder);
/* True when the chunk should be closed before more is added. */
bool wm_wmt_encoder_is_full(const wm_wmt_encoder *encoder);
/* Appends the payload of the chunk to out; its last n_tail bytes are the
 * lanes, which may not be worth packing. */
wm_status wm_wmt_encoder_write(const wm_wmt_encoder *encoder, uint32_t launch,
                               uint64_t first_cta, uint32_t n_statics,
                               wm_buffer *out, size_t *n_tail, wm_error *err);

#endif
