/*
 * text_write.h -- a trace as text that a person reads and format_text.c reads
 * back: exactly the same records.  docs/TRACE_FORMAT.md gives the grammar.
 *
 *     wm_text_add_head
 *     per copy    wm_text_add_copy
 *     per launch  wm_text_add_launch
 *         per CTA wm_text_add_statics (those that are new), wm_text_add_cta
 *
 * Ownership  the caller owns the buffer, and may empty it between calls.
 * Errors     the buffer's is_failed.
 * Repeatable same input, same text.
 */
#ifndef WM_TRACE_TEXT_WRITE_H
#define WM_TRACE_TEXT_WRITE_H

#include "base/buffer.h"
#include "trace/record.h"

#define WM_TEXT_HEAD "warpmem-trace 1"

void wm_text_add_head(wm_buffer *buffer);
void wm_text_add_copy(wm_buffer *buffer, const wm_copy *copy);
void wm_text_add_launch(wm_buffer *buffer, const wm_launch *launch);
/* Statics first .. launch->n_statics - 1. */
void wm_text_add_statics(wm_buffer *buffer, const wm_launch *launch,
                         uint32_t first);
void wm_text_add_cta(wm_buffer *buffer, const wm_launch *launch,
                     const wm_cta *cta);

/* "HtoD", "DtoH", "DtoD", "set". */
const char *wm_text_copy_name(wm_copy_kind kind);
/* The word for flag bit 0, 1, 2; NULL for the others. */
const char *wm_text_flag_name(uint32_t bit);

#endif
