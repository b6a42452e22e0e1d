/*
 * text.c -- numbers, units and nearest names.
 */
#include "base/text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

const wm_unit wm_units_none[] = {{"", 1, true}, {NULL, 0, false}};

const wm_unit wm_units_size[] = {
    {"TiB", UINT64_C(1) << 40, true},
    {"TB", UINT64_C(1) << 40, false},
    {"T", UINT64_C(1) << 40, false},
    {"GiB", UINT64_C(1) << 30, true},
    {"GB", UINT64_C(1) << 30, false},
    {"G", UINT64_C(1) << 30, false},
    {"MiB", UINT64_C(1) << 20, true},
    {"MB", UINT64_C(1) << 20, false},
    {"M", UINT64_C(1) << 20, false},
    {"KiB", UINT64_C(1) << 10, true},
    {"KB", UINT64_C(1) << 10, false},
    {"kB", UINT64_C(1) << 10, false},
    {"K", UINT64_C(1) << 10, false},
    {"k", UINT64_C(1) << 10, false},
    {"B", 1, true},
    {NULL, 0, false},
};

const wm_unit wm_units_clock[] = {
    {"GHz", 1000000000, true}, {"MHz", 1000000, true}, {"kHz", 1000, true},
    {"KHz", 1000, false},      {"Hz", 1, true},        {NULL, 0, false},
};

const wm_unit wm_units_time[] = {
    {"s", UINT64_C(1000000000000), true},
    {"ms", 1000000000, true},
    {"us", 1000000, true},
    {"ns", 1000, true},
    {"ps", 1, true},
    {NULL, 0, false},
};

const wm_unit wm_units_rate[] = {
    {"TB/s", UINT64_C(1000000000000), true},
    {"GB/s", 1000000000, true},
    {"MB/s", 1000000, true},
    {"kB/s", 1000, true},
    {"KB/s", 1000, false},
    {"B/s", 1, true},
    {NULL, 0, false},
};

const wm_unit wm_units_per_clk[] = {
    {"B/clk", 1000, true},
    {"B/cycle", 1000, false},
    {NULL, 0, false},
};

const wm_unit wm_units_cycles[] = {
    {"cycles", 1, true}, {"cycle", 1, false}, {"clk", 1, false},
    {"", 1, false},      {NULL, 0, false},
};

static bool text_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool text_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

void wm_text_trim(const char **text, size_t *n_text)
{
    while (*n_text != 0 && text_is_blank((*text)[0])) {
        (*text)++;
        (*n_text)--;
    }
    while (*n_text != 0 && text_is_blank((*text)[*n_text - 1])) {
        (*n_text)--;
    }
}

char *wm_text_copy_n(const char *text, size_t n)
{
    char *copy = malloc(n + 1);
    if (copy != NULL) {
        memcpy(copy, text, n);
        copy[n] = '\0';
    }
    return copy;
}

char *wm_text_copy(const char *text)
{
    return wm_text_copy_n(text, strlen(text));
}

bool wm_text_ends_with(const char *text, const char *suffix)
{
    size_t n_text = strlen(text);
    size_t n_suffix = strlen(suffix);
    return n_text >= n_suffix && strcmp(text + n_text - n_suffix, suffix) == 0;
}

wm_text_result wm_text_parse_u64(const char *text, size_t n_text,
                                 uint64_t *value)
{
    uint64_t sum = 0;
    if (n_text == 0) {
        return WM_TEXT_EMPTY;
    }
    for (size_t i = 0; i < n_text; i++) {
        if (!text_is_digit(text[i])) {
            return text[0] == '-' ? WM_TEXT_NEGATIVE : WM_TEXT_NOT_NUMBER;
        }
    }
    for (size_t i = 0; i < n_text; i++) {
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (sum > (UINT64_MAX - digit) / 10) {
            return WM_TEXT_TOO_LARGE;
        }
        sum = sum * 10 + digit;
    }
    *value = sum;
    return WM_TEXT_OK;
}

/* whole * scale + 0.digits * scale, exactly. */
static wm_text_result text_scale(uint64_t whole, const char *digits,
                                 size_t n_digits, uint64_t scale,
                                 uint64_t *value)
{
    uint64_t fraction = 0;
    uint64_t power = 1;
    while (n_digits != 0 && digits[n_digits - 1] == '0') {
        n_digits--;
    }
    if (n_digits > 18) {
        return WM_TEXT_NOT_WHOLE;
    }
    for (size_t i = 0; i < n_digits; i++) {
        fraction = fraction * 10 + (uint64_t)(digits[i] - '0');
        power *= 10;
    }
    uint64_t part = wm_mul_div(fraction, scale, power);
    /* Below power, so the low 64 bits of the products are enough. */
    if (fraction * scale - part * power != 0) {
        return WM_TEXT_NOT_WHOLE;
    }
    if (wm_mul_high(whole, scale) != 0 || whole * scale > UINT64_MAX - part) {
        return WM_TEXT_TOO_LARGE;
    }
    *value = whole * scale + part;
    return WM_TEXT_OK;
}

static const wm_unit *text_find_unit(const wm_unit *units, const char *name,
                                     size_t n_name)
{
    for (; units->name != NULL; units++) {
        if (strlen(units->name) == n_name &&
            memcmp(units->name, name, n_name) == 0) {
            return units;
        }
    }
    return NULL;
}

/* The three parts of "12.5 KiB"; lengths may be 0. */
typedef struct text_parts {
    const char *whole;
    size_t n_whole;
    const char *fraction;
    size_t n_fraction;
    const char *unit;
    size_t n_unit;
} text_parts;

static size_t text_count_digits(const char *text, size_t n_text)
{
    size_t n = 0;
    while (n < n_text && text_is_digit(text[n])) {
        n++;
    }
    return n;
}

static wm_text_result text_split(const char *text, text_parts *parts)
{
    size_t n_text = strlen(text);
    wm_text_trim(&text, &n_text);
    if (n_text == 0) {
        return WM_TEXT_EMPTY;
    }
    if (n_text > 1 && text[0] == '-' && text_is_digit(text[1])) {
        return WM_TEXT_NEGATIVE;
    }
    size_t at = text_count_digits(text, n_text);
    parts->whole = text;
    parts->n_whole = at;
    parts->n_fraction = 0;
    bool has_point = at < n_text && text[at] == '.';
    if (has_point) {
        at++;
        parts->n_fraction = text_count_digits(text + at, n_text - at);
    }
    if (parts->n_whole == 0 || (has_point && parts->n_fraction == 0)) {
        return WM_TEXT_NOT_NUMBER;
    }
    parts->fraction = text + at;
    parts->unit = parts->fraction + parts->n_fraction;
    parts->n_unit = n_text - at - parts->n_fraction;
    wm_text_trim(&parts->unit, &parts->n_unit);
    return WM_TEXT_OK;
}

wm_text_result wm_text_parse_quantity(const char *text, const wm_unit *units,
                                      uint64_t *value)
{
    text_parts parts;
    uint64_t whole = 0;
    wm_text_result result = text_split(text, &parts);
    if (result != WM_TEXT_OK) {
        return result;
    }
    result = wm_text_parse_u64(parts.whole, parts.n_whole, &whole);
    const wm_unit *unit = text_find_unit(units, parts.unit, parts.n_unit);
    bool is_zero = result == WM_TEXT_OK && whole == 0 && parts.n_fraction == 0;
    if (unit == NULL && !(is_zero && parts.n_unit == 0)) {
        return parts.n_unit == 0 ? WM_TEXT_NO_UNIT : WM_TEXT_WRONG_UNIT;
    }
    if (result != WM_TEXT_OK) {
        return result;
    }
    return text_scale(whole, parts.fraction, parts.n_fraction,
                      unit != NULL ? unit->scale : 1, value);
}

const wm_unit *wm_text_unit_for(uint64_t value, const wm_unit *units)
{
    const wm_unit *smallest = NULL;
    for (; units->name != NULL; units++) {
        if (!units->is_written) {
            continue;
        }
        if (value != 0 && value % units->scale == 0) {
            return units;
        }
        smallest = units;
    }
    return smallest;
}

void wm_text_format_quantity(uint64_t value, const wm_unit *units,
                             wm_buffer *out)
{
    const wm_unit *unit = wm_text_unit_for(value, units);
    assert(unit != NULL);
    uint64_t rest = value % unit->scale;
    wm_buffer_printf(out, "%" PRIu64, value / unit->scale);
    if (rest != 0) {
        /* Only a table whose smallest unit is a power of ten comes here. */
        char digits[24];
        size_t n = 0;
        for (uint64_t scale = unit->scale / 10; rest != 0; scale /= 10) {
            digits[n++] = (char)('0' + rest / scale);
            rest %= scale;
        }
        wm_buffer_puts(out, ".");
        wm_buffer_add(out, digits, n);
    }
    if (unit->name[0] != '\0') {
        wm_buffer_printf(out, " %s", unit->name);
    }
}

void wm_text_list_words(const char *words, wm_buffer *out)
{
    const char *rest = words;
    bool is_first = true;
    while (*rest != '\0') {
        size_t n = strcspn(rest, " ");
        bool is_last = rest[n] == '\0';
        if (!is_first) {
            wm_buffer_puts(out, is_last ? " or " : ", ");
        }
        wm_buffer_add(out, rest, n);
        is_first = false;
        rest += n + (is_last ? 0 : 1);
    }
}

static uint32_t text_min(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

uint32_t wm_text_edit_distance(const char *a, const char *b)
{
    enum { LIMIT = 64 };
    /* Three rows of the optimal string alignment table, used in turn. */
    uint32_t row[3][LIMIT + 1];
    size_t n_a = strlen(a) < LIMIT ? strlen(a) : LIMIT - 1;
    size_t n_b = strlen(b) < LIMIT ? strlen(b) : LIMIT - 1;
    for (size_t j = 0; j <= n_b; j++) {
        row[0][j] = (uint32_t)j;
    }
    for (size_t i = 1; i <= n_a; i++) {
        uint32_t *now = row[i % 3];
        const uint32_t *above = row[(i + 2) % 3];
        const uint32_t *above2 = row[(i + 1) % 3];
        now[0] = (uint32_t)i;
        for (size_t j = 1; j <= n_b; j++) {
            uint32_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
            now[j] = text_min(above[j] + 1, now[j - 1] + 1);
            now[j] = text_min(now[j], above[j - 1] + cost);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
                a[i - 2] == b[j - 1]) {
                now[j] = text_min(now[j], above2[j - 2] + 1);
            }
        }
    }
    return row[n_a % 3][n_b];
}

bool wm_text_is_c1(const char *text, size_t i)
{
    const unsigned char c = (unsigned char)text[i];
    const unsigned char before = i == 0 ? 0 : (unsigned char)text[i - 1];
    return c >= 0x80 && c < 0xa0 && (before < 0x80 || before == 0xc2);
}
