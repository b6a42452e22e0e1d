/*
 * human.h -- numbers and texts as a person reads them, in few columns.
 *
 * Units      bytes in powers of 2 (KiB), times and rates in powers of 10.
 * Ownership  the caller's buffer receives the text.
 * Repeatable same input, same text, on every host.
 */
#ifndef WM_REPORT_HUMAN_H
#define WM_REPORT_HUMAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

#define WM_HUMAN_BYTES 16u

/* Each fills text (at least WM_HUMAN_BYTES) and returns it. */
const char *wm_human_bytes(char *text, double n_bytes); /* "1.50 MiB" */
const char *wm_human_count(char *text, uint64_t n);     /* "12.3 M" over 10^7 */
const char *wm_human_time(char *text, double seconds);  /* "3.21 us" */
const char *wm_human_rate(char *text, double bytes_per_second); /* "898 GB/s" */
/* "12.5 %", or "-" when there is no value. */
const char *wm_human_percent(char *text, bool has_value, double fraction);

/*
 * Appends text cut to `width` columns ("..." at the cut), padded with blanks
 * when is_padded.  Control bytes and invalid UTF-8 are shown as '?'.
 */
void wm_human_cut(wm_buffer *out, const char *text, uint32_t width,
                  bool is_padded);

/* The same for a path, whose end says most: "..." and its last columns. */
void wm_human_cut_path(wm_buffer *out, const char *path, uint32_t width);

/*
 * Appends text broken at blanks so that no line passes 80 columns where words
 * allow it.  column says where the first line starts; further lines are
 * indented by `indent`.  Ends with a newline.
 */
void wm_human_wrap(wm_buffer *out, const char *text, uint32_t column,
                   uint32_t indent);

#endif
