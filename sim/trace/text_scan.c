/*
 * text_scan.c -- see text_scan.h.
 */
#include "trace/text_scan.h"

#include <string.h>

#include "trace/text_digits.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

wm_scan wm_scan_line(const char *line, size_t n_bytes)
{
    return (wm_scan){line, line, line + n_bytes};
}

bool wm_scan_peek(const wm_scan *scan, wm_word *word)
{
    const char *at = scan->at;
    while (at < scan->end && is_blank(*at)) {
        at++;
    }
    word->text = at;
    while (at < scan->end && !is_blank(*at)) {
        at++;
    }
    word->n_bytes = (size_t)(at - word->text);
    return word->n_bytes > 0;
}

bool wm_scan_word(wm_scan *scan, wm_word *word)
{
    bool has_word = wm_scan_peek(scan, word);
    scan->at = word->text + word->n_bytes;
    return has_word;
}

wm_word wm_scan_rest(wm_scan *scan)
{
    const char *begin = scan->at;
    const char *end = scan->end;
    while (begin < end && is_blank(*begin)) {
        begin++;
    }
    while (end > begin && is_blank(end[-1])) {
        end--;
    }
    scan->at = scan->end;
    return (wm_word){begin, (size_t)(end - begin)};
}

size_t wm_scan_column(const wm_scan *scan, const wm_word *word)
{
    return (size_t)(word->text - scan->start) + 1;
}

bool wm_word_is(const wm_word *word, const char *text)
{
    size_t n = strlen(text);
    return word->n_bytes == n && memcmp(word->text, text, n) == 0;
}

bool wm_word_part(wm_word *word, char separator, wm_word *part)
{
    if (word->n_bytes == 0) {
        return false;
    }
    const char *cut = memchr(word->text, separator, word->n_bytes);
    *part = *word;
    if (cut == NULL) {
        word->text += word->n_bytes;
        word->n_bytes = 0;
        return true;
    }
    part->n_bytes = (size_t)(cut - word->text);
    word->text = cut + 1;
    word->n_bytes -= part->n_bytes + 1;
    return true;
}

static uint64_t digit_value(char c)
{
    if (c >= '0' && c <= '9') {
        return (uint64_t)(c - '0');
    }
    if (c >= 'a' && c <= 'f') {
        return (uint64_t)(c - 'a') + 10;
    }
    if (c >= 'A' && c <= 'F') {
        return (uint64_t)(c - 'A') + 10;
    }
    return 16;
}

static bool read_digits(const char *text, size_t n_bytes, uint64_t radix,
                        uint64_t max, uint64_t *x)
{
    uint64_t sum = 0;
    size_t i = 0;
    for (; radix == 16 && i + 8 <= n_bytes && sum >> 32 == 0; i += 8) {
        uint64_t x8 = wm_load_le64(text + i);
        if (wm_hex_bytes(x8) != WM_EACH_BYTE(0x80)) {
            break;
        }
        sum = sum << 32 | wm_hex_sum(x8, 8);
    }
    for (; i < n_bytes; i++) {
        uint64_t digit = digit_value(text[i]);
        if (digit >= radix || sum > (UINT64_MAX - digit) / radix) {
            return false;
        }
        sum = sum * radix + digit;
    }
    *x = sum;
    return n_bytes > 0 && sum <= max;
}

static bool has_hex_mark(const wm_word *word)
{
    return word->n_bytes > 2 && word->text[0] == '0' &&
           (word->text[1] == 'x' || word->text[1] == 'X');
}

bool wm_word_number(const wm_word *word, uint64_t max, uint64_t *x)
{
    if (has_hex_mark(word)) {
        return read_digits(word->text + 2, word->n_bytes - 2, 16, max, x);
    }
    return read_digits(word->text, word->n_bytes, 10, max, x);
}

bool wm_word_hex(const wm_word *word, uint64_t *x)
{
    size_t n_mark = has_hex_mark(word) ? 2 : 0;
    return read_digits(word->text + n_mark, word->n_bytes - n_mark, 16,
                       UINT64_MAX, x);
}

bool wm_word_signed(const wm_word *word, int64_t *x)
{
    wm_word digits = *word;
    uint64_t size = 0;
    bool is_negative = word->n_bytes > 0 && word->text[0] == '-';
    if (word->n_bytes > 0 && (is_negative || word->text[0] == '+')) {
        digits.text++;
        digits.n_bytes--;
    }
    uint64_t max = (uint64_t)INT64_MAX + is_negative;
    if (!wm_word_number(&digits, max, &size)) {
        return false;
    }
    *x = (int64_t)(is_negative ? 0 - size : size);
    return true;
}
