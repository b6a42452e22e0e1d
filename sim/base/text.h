/*
 * text.h -- reading and writing small texts: numbers, quantities with units,
 * nearest names.
 *
 * A quantity is a decimal number, with or without a fraction, and a unit from
 * a table: "6 MiB", "1.755 GHz", "0.5 B/clk".  Arithmetic is exact; a value
 * that is not whole in the table's base unit is refused, never rounded.
 *
 * Not modelled  signs, exponents, digit groups, hexadecimal.
 * Units         each table says what scale 1 is.
 * Ownership     texts stay the caller's.
 * Errors        a wm_text_result; the caller knows the place and the wording.
 * Threads       no state.
 * Repeatable    integers only; independent of the locale.
 */
#ifndef WM_BASE_TEXT_H
#define WM_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

typedef enum wm_text_result {
    WM_TEXT_OK,
    WM_TEXT_EMPTY,
    WM_TEXT_NOT_NUMBER,
    WM_TEXT_NEGATIVE,
    WM_TEXT_NO_UNIT,    /* a unit is needed and missing */
    WM_TEXT_WRONG_UNIT, /* a unit that the table does not hold */
    WM_TEXT_NOT_WHOLE,  /* a fraction of the base unit */
    WM_TEXT_TOO_LARGE   /* over 2^64 - 1 base units */
} wm_text_result;

/* One unit; a table of them ends with name NULL and has falling scales. */
typedef struct wm_unit {
    const char *name; /* "" = a bare number is allowed */
    uint64_t scale;   /* base units in one of this */
    bool is_written;  /* used for output; others are only read */
} wm_unit;

extern const wm_unit wm_units_none[];    /* bare numbers */
extern const wm_unit wm_units_size[];    /* bytes; K, KB, KiB = 1024 */
extern const wm_unit wm_units_clock[];   /* Hz */
extern const wm_unit wm_units_time[];    /* ps */
extern const wm_unit wm_units_rate[];    /* bytes per second; decimal */
extern const wm_unit wm_units_per_clk[]; /* 1/1000 bytes per cycle */
extern const wm_unit wm_units_cycles[];  /* cycles; bare numbers too */

/* The n_text bytes at text as a decimal number; digits only. */
wm_text_result wm_text_parse_u64(const char *text, size_t n_text,
                                 uint64_t *value);

/*
 * text as a number and one unit of the table, blanks around both allowed.
 * Zero needs no unit.
 */
wm_text_result wm_text_parse_quantity(const char *text, const wm_unit *units,
                                      uint64_t *value);

/*
 * Appends value in the largest written unit that holds it as a whole number;
 * "0 B" for nothing.  Reading it back with the same table gives value.
 */
void wm_text_format_quantity(uint64_t value, const wm_unit *units,
                             wm_buffer *out);

/* The largest written unit of which value is a whole number; never NULL for
 * the tables above.  Zero gives the smallest. */
const wm_unit *wm_text_unit_for(uint64_t value, const wm_unit *units);

/* Appends the words of a blank-separated list as "a, b or c". */
void wm_text_list_words(const char *words, wm_buffer *out);

/*
 * Insertions, deletions, replacements and swaps of neighbours that turn a
 * into b, over at most the first 63 bytes of each.
 */
uint32_t wm_text_edit_distance(const char *a, const char *b);

/* Narrows *text and *n_text to leave out blanks, tabs and line ends at both
 * ends. */
void wm_text_trim(const char **text, size_t *n_text);

/* The first n bytes of text, or all of it, in memory of the caller's; NULL when
 * there is none. */
char *wm_text_copy_n(const char *text, size_t n);
char *wm_text_copy(const char *text);

/* Whether text ends in suffix. */
bool wm_text_ends_with(const char *text, const char *suffix);

/* Whether byte i of text is a C1 control, which terminals obey like an escape:
 * U+0080 to U+009F, or such a byte by itself. */
bool wm_text_is_c1(const char *text, size_t i);

#endif
