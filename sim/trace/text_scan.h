/*
 * text_scan.h -- words and numbers of one line of text.  Private to the trace
 * floor.
 *
 * Ownership  a scan is a view; words are views into the same line.
 * Errors     a function that finds nothing of its kind returns false.
 * Threads    no shared state.
 */
#ifndef WM_TRACE_TEXT_SCAN_H
#define WM_TRACE_TEXT_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wm_word {
    const char *text;
    size_t n_bytes;
} wm_word;

typedef struct wm_scan {
    const char *start;
    const char *at;
    const char *end;
} wm_scan;

wm_scan wm_scan_line(const char *line, size_t n_bytes);

/* The next word between blanks; false at the end of the line. */
bool wm_scan_word(wm_scan *scan, wm_word *word);
/* As above, without moving on. */
bool wm_scan_peek(const wm_scan *scan, wm_word *word);
/* What is left, without blanks around it; may be empty. */
wm_word wm_scan_rest(wm_scan *scan);
/* 1-based column of a word. */
size_t wm_scan_column(const wm_scan *scan, const wm_word *word);

bool wm_word_is(const wm_word *word, const char *text);
/* Cuts the part before the separator off the front of word; the last part
 * has no separator behind it.  False when nothing is left. */
bool wm_word_part(wm_word *word, char separator, wm_word *part);
/* The whole word as a number: decimal, or hexadecimal after 0x. */
bool wm_word_number(const wm_word *word, uint64_t max, uint64_t *x);
/* Hexadecimal with or without 0x. */
bool wm_word_hex(const wm_word *word, uint64_t *x);
/* A sign, which may be missing, and a number of at most 2^63 - 1 (or -2^63). */
bool wm_word_signed(const wm_word *word, int64_t *x);

#endif
