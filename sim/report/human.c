/*
 * human.c -- numbers and texts as a person reads them.
 */
#include "report/human.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report/json.h"

/* Three digits and a unit; n is below 1000 or so. */
static const char *human_unit(char *text, double n, const char *unit)
{
    int decimals = n < 9.995 ? 2 : n < 99.95 ? 1 : 0;
    (void)snprintf(text, WM_HUMAN_BYTES, "%.*f %s", decimals, n, unit);
    return text;
}

const char *wm_human_bytes(char *text, double n_bytes)
{
    static const char *const units[] = {"B",   "KiB", "MiB", "GiB",
                                        "TiB", "PiB", "EiB"};
    size_t i = 0;
    if (n_bytes < 1024) {
        (void)snprintf(text, WM_HUMAN_BYTES, "%.0f B", n_bytes);
        return text;
    }
    while (n_bytes >= 1023.5 && i + 1 < sizeof(units) / sizeof(units[0])) {
        n_bytes /= 1024;
        i++;
    }
    return human_unit(text, n_bytes, units[i]);
}

const char *wm_human_count(char *text, uint64_t n)
{
    static const char *const units[] = {"", "k", "M", "G", "T", "P", "E"};
    double scaled = (double)n;
    size_t i = 0;
    if (n < 10000000) {
        (void)snprintf(text, WM_HUMAN_BYTES, "%" PRIu64, n);
        return text;
    }
    while (scaled >= 999.5 && i + 1 < sizeof(units) / sizeof(units[0])) {
        scaled /= 1000;
        i++;
    }
    return human_unit(text, scaled, units[i]);
}

const char *wm_human_time(char *text, double seconds)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    double scaled = seconds * 1e9;
    size_t i = 0;
    while (scaled >= 999.5 && i + 1 < sizeof(units) / sizeof(units[0])) {
        scaled /= 1000;
        i++;
    }
    if (i == 0) {
        (void)snprintf(text, WM_HUMAN_BYTES, "%.0f ns", scaled);
        return text;
    }
    if (scaled >= 99999) {
        (void)snprintf(text, WM_HUMAN_BYTES, "%.3g s", scaled);
        return text;
    }
    return human_unit(text, scaled, units[i]);
}

const char *wm_human_rate(char *text, double bytes_per_second)
{
    static const char *const units[] = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};
    size_t i = 0;
    while (bytes_per_second >= 9999.5 || (bytes_per_second >= 999.5 && i < 3)) {
        if (i + 1 == sizeof(units) / sizeof(units[0])) {
            break;
        }
        bytes_per_second /= 1000;
        i++;
    }
    return human_unit(text, bytes_per_second, units[i]);
}

const char *wm_human_percent(char *text, bool has_value, double fraction)
{
    if (has_value) {
        (void)snprintf(text, WM_HUMAN_BYTES, "%.1f %%", fraction * 100);
    } else {
        (void)snprintf(text, WM_HUMAN_BYTES, "-");
    }
    return text;
}

/* Appends one character made safe; returns the bytes it takes in text. */
static uint32_t human_character(wm_buffer *out, const char *text)
{
    uint32_t n_bytes = wm_utf8_length(text);
    unsigned char c = (unsigned char)*text;
    /* U+0080 to U+009F are controls too. */
    bool is_control =
        c < 0x20 || c == 0x7f ||
        (n_bytes == 2 && c == 0xc2 && (unsigned char)text[1] < 0xa0);
    if (n_bytes == 0 || is_control) {
        wm_buffer_puts(out, "?");
        return n_bytes == 0 ? 1 : n_bytes;
    }
    wm_buffer_add(out, text, n_bytes);
    return n_bytes;
}

static uint32_t human_columns(const char *text)
{
    uint32_t n = 0;
    while (*text != '\0') {
        uint32_t n_bytes = wm_utf8_length(text);
        text += n_bytes == 0 ? 1 : n_bytes;
        n++;
    }
    return n;
}

void wm_human_cut(wm_buffer *out, const char *text, uint32_t width,
                  bool is_padded)
{
    uint32_t n_columns = human_columns(text);
    bool is_cut = n_columns > width;
    uint32_t n_shown = is_cut ? (width > 3 ? width - 3 : 0) : n_columns;
    for (uint32_t i = 0; i < n_shown; i++) {
        text += human_character(out, text);
    }
    if (is_cut) {
        wm_buffer_puts(out, "...");
        n_shown = width;
    }
    while (is_padded && n_shown < width) {
        wm_buffer_puts(out, " ");
        n_shown++;
    }
}

void wm_human_cut_path(wm_buffer *out, const char *path, uint32_t width)
{
    uint32_t n_columns = human_columns(path);
    if (n_columns > width && width > 3) {
        wm_buffer_puts(out, "...");
        for (; n_columns > width - 3; n_columns--) {
            uint32_t n_bytes = wm_utf8_length(path);
            path += n_bytes == 0 ? 1 : n_bytes;
        }
    }
    wm_human_cut(out, path, width, false);
}

void wm_human_wrap(wm_buffer *out, const char *text, uint32_t column,
                   uint32_t indent)
{
    bool is_line_start = true;
    while (*text != '\0') {
        uint32_t n = (uint32_t)strcspn(text, " ");
        if (!is_line_start && column + 1 + n > 80) {
            wm_buffer_printf(out, "\n%*s", (int)indent, "");
            column = indent;
            is_line_start = true;
        }
        if (!is_line_start) {
            wm_buffer_puts(out, " ");
            column++;
        }
        wm_buffer_add(out, text, n);
        column += n;
        is_line_start = false;
        text += n;
        text += strspn(text, " ");
    }
    wm_buffer_puts(out, "\n");
}
