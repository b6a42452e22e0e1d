/*
 * text_digits.h -- numbers of eight characters at a time: for readers whose
 * time is spent on digits.  Private to the trace floor.
 *
 * Eight bytes are taken as one word and classified, cut at the first that is
 * no digit, and summed by shifts or multiplications, without a branch per
 * digit (the method is Lemire's, "Quickly parsing eight digits", 2018).
 *
 * Units   numbers are unsigned, 64 bits.
 * Errors  a run of no digits, or of more than WM_DIGITS_MAX, has length 0 or
 *         more than WM_DIGITS_MAX; the value is then not to be used.
 * Threads no state.
 * Cost    WM_DIGITS_PAD bytes behind the text must be readable.
 */
#ifndef WM_TRACE_TEXT_DIGITS_H
#define WM_TRACE_TEXT_DIGITS_H

#include "base/bits.h"

#define WM_DIGITS_PAD     8u
#define WM_HEX_DIGITS_MAX 16u /* 64 bits */
#define WM_DECIMALS_MAX   19u /* cannot overflow 64 bits */

#define WM_EACH_BYTE(x) (UINT64_C(0x0101010101010101) * (x))

/* The top bit of each byte that is a decimal digit; x as wm_load_le64. */
static inline uint64_t wm_decimal_bytes(uint64_t x)
{
    uint64_t low = x & WM_EACH_BYTE(0x7f);
    uint64_t is_digit =
        (low + WM_EACH_BYTE(0x80 - '0')) & ~(low + WM_EACH_BYTE(0x7f - '9'));
    return is_digit & ~x & WM_EACH_BYTE(0x80);
}

static inline uint64_t wm_hex_bytes(uint64_t x)
{
    uint64_t low = (x | WM_EACH_BYTE(0x20)) & WM_EACH_BYTE(0x7f);
    uint64_t is_letter =
        (low + WM_EACH_BYTE(0x80 - 'a')) & ~(low + WM_EACH_BYTE(0x7f - 'f'));
    return (is_letter & ~x & WM_EACH_BYTE(0x80)) | wm_decimal_bytes(x);
}

/* How many bytes from the first on are marked, 0 to 8. */
static inline uint32_t wm_marked_run(uint64_t marks)
{
    uint64_t others = ~marks & WM_EACH_BYTE(0x80);
    return others == 0 ? 8 : wm_lowest_bit(others) / 8;
}

/* The first n of 8 hexadecimal digits, 1 <= n <= 8. */
static inline uint64_t wm_hex_sum(uint64_t x, uint32_t n)
{
    uint64_t letters = x >> 6 & WM_EACH_BYTE(1);
    x = (x & WM_EACH_BYTE(0x0f)) + letters * 9;
    x <<= 8 * (8 - n);
    x = (x << 4 | x >> 8) & UINT64_C(0x00ff00ff00ff00ff);
    x = (x << 8 | x >> 16) & UINT64_C(0x0000ffff0000ffff);
    return (x << 16 | x >> 32) & UINT64_C(0xffffffff);
}

/* The first n of 8 decimal digits, 1 <= n <= 8. */
static inline uint64_t wm_decimal_sum(uint64_t x, uint32_t n)
{
    x = (x & WM_EACH_BYTE(0x0f)) << (8 * (8 - n));
    x = (x * 10 + (x >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    x = (x * 100 + (x >> 16)) & UINT64_C(0x0000ffff0000ffff);
    return (x * 10000 + (x >> 32)) & UINT64_C(0xffffffff);
}

/* A run of hexadecimal digits at text: how many, 0 to 24. */
static inline uint32_t wm_hex_run(const char *text, uint64_t *value)
{
    uint64_t x = wm_load_le64(text);
    uint32_t n = wm_marked_run(wm_hex_bytes(x));
    if (n == 0) {
        return 0;
    }
    *value = wm_hex_sum(x, n);
    uint32_t n_all = n;
    while (n == 8 && n_all <= WM_HEX_DIGITS_MAX) {
        x = wm_load_le64(text + n_all);
        n = wm_marked_run(wm_hex_bytes(x));
        if (n != 0) {
            *value = *value << (4 * n) | wm_hex_sum(x, n);
        }
        n_all += n;
    }
    return n_all;
}

/* A run of decimal digits at text: how many, 0 to 24. */
static inline uint32_t wm_decimal_run(const char *text, uint64_t *value)
{
    static const uint32_t tens[9] = {1,      10,      100,      1000,     10000,
                                     100000, 1000000, 10000000, 100000000};
    uint64_t x = wm_load_le64(text);
    uint32_t n = wm_marked_run(wm_decimal_bytes(x));
    if (n == 0) {
        return 0;
    }
    *value = wm_decimal_sum(x, n);
    uint32_t n_all = n;
    while (n == 8 && n_all <= WM_DECIMALS_MAX) {
        x = wm_load_le64(text + n_all);
        n = wm_marked_run(wm_decimal_bytes(x));
        if (n != 0) {
            *value = *value * tens[n] + wm_decimal_sum(x, n);
        }
        n_all += n;
    }
    return n_all;
}

#endif
