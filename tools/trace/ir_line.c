/*
 * ir_line.c -- the little of LLVM's assembly that has to be understood: one
 * instruction a line, brackets balance, names start with '%'.
 */
#include <string.h>

#include "ir_internal.h"

bool wm_view_is(wm_view view, const char *text)
{
    return view.n == strlen(text) && memcmp(view.s, text, view.n) == 0;
}

bool wm_view_starts(wm_view view, const char *text)
{
    size_t n = strlen(text);
    return view.n >= n && memcmp(view.s, text, n) == 0;
}

size_t wm_view_find(wm_view view, const char *text)
{
    size_t n = strlen(text);
    for (size_t i = 0; i + n <= view.n; i++) {
        if (view.s[i] == text[0] && memcmp(view.s + i, text, n) == 0) {
            return i;
        }
    }
    return view.n;
}

wm_view wm_view_after(wm_view view, size_t n)
{
    n = n < view.n ? n : view.n;
    return (wm_view){view.s + n, view.n - n};
}

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-' ||
           c == '$';
}

static size_t word_length(wm_view text)
{
    size_t n = 0;
    while (n < text.n && text.s[n] != ' ') {
        n++;
    }
    return n;
}

static wm_view skip_word(wm_view text)
{
    text = wm_view_after(text, word_length(text));
    return wm_view_after(text, 1);
}

wm_view wm_ir_next_name(wm_view text, size_t *at)
{
    while (*at < text.n && text.s[*at] != '%') {
        (*at)++;
    }
    size_t start = *at;
    if (*at < text.n) {
        (*at)++;
        while (*at < text.n && is_name_byte(text.s[*at])) {
            (*at)++;
        }
    }
    return (wm_view){text.s + start, *at - start};
}

wm_ir_line wm_ir_line_parse(wm_view line)
{
    wm_ir_line parsed = {0};
    while (line.n > 0 && line.s[0] == ' ') {
        line = wm_view_after(line, 1);
    }
    line.n = wm_view_find(line, ", !");
    if (line.n > 0 && line.s[0] == '%') {
        size_t at = 0;
        parsed.result = wm_ir_next_name(line, &at);
        line = wm_view_after(line, at + strlen(" = "));
    }
    while (wm_view_starts(line, "tail ") || wm_view_starts(line, "musttail ") ||
           wm_view_starts(line, "notail ")) {
        line = skip_word(line);
    }
    parsed.opcode = (wm_view){line.s, word_length(line)};
    parsed.rest = skip_word(line);
    return parsed;
}

size_t wm_ir_bracket_length(wm_view text)
{
    size_t depth = 0;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.s[i];
        depth += c == '(' || c == '[' || c == '{' || c == '<';
        if (c == ')' || c == ']' || c == '}' || c == '>') {
            depth--;
            if (depth == 0) {
                return i + 1;
            }
        }
    }
    return text.n;
}

size_t wm_ir_operand_length(wm_view text)
{
    size_t i = 0;
    while (i < text.n && text.s[i] != ',') {
        char c = text.s[i];
        bool opens = c == '(' || c == '[' || c == '{' || c == '<';
        i += opens ? wm_ir_bracket_length(wm_view_after(text, i)) : 1;
    }
    return i;
}

size_t wm_ir_type_length(wm_view text)
{
    size_t i = 0;
    if (text.n > 0 &&
        (text.s[0] == '[' || text.s[0] == '<' || text.s[0] == '{')) {
        i = wm_ir_bracket_length(text);
    } else {
        while (i < text.n && (is_name_byte(text.s[i]) || text.s[i] == '%')) {
            i++;
        }
    }
    for (;;) {
        wm_view rest = wm_view_after(text, i);
        if (wm_view_starts(rest, "*")) {
            i++;
        } else if (wm_view_starts(rest, " (") ||
                   wm_view_starts(rest, " addrspace(")) {
            size_t open = wm_view_find(rest, "(");
            i += open + wm_ir_bracket_length(wm_view_after(rest, open));
        } else {
            return i;
        }
    }
}

static uint32_t number_at(wm_view text, size_t *n_digits)
{
    uint32_t value = 0;
    size_t i = 0;
    while (i < text.n && text.s[i] >= '0' && text.s[i] <= '9' && i < 9) {
        value = value * 10 + (uint32_t)(text.s[i++] - '0');
    }
    *n_digits = i;
    return value;
}

uint32_t wm_ir_type_bytes(wm_view type)
{
    static const struct {
        const char *name;
        uint32_t n_bytes;
    } plain[] = {
        {"float", 4}, {"double", 8}, {"half", 2}, {"bfloat", 2}, {"ptr", 8}};
    size_t n_digits;
    if (type.n == 0) {
        return 0;
    }
    if (type.s[type.n - 1] == '*' || wm_view_starts(type, "ptr")) {
        return 8;
    }
    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
        if (wm_view_is(type, plain[i].name)) {
            return plain[i].n_bytes;
        }
    }
    if (type.s[0] == 'i') {
        return (number_at(wm_view_after(type, 1), &n_digits) + 7) / 8;
    }
    if (type.s[0] == '<' || type.s[0] == '[') {
        wm_view inner = wm_view_after(type, 1);
        uint32_t n = number_at(inner, &n_digits);
        inner = wm_view_after(inner, n_digits);
        if (n_digits != 0 && wm_view_starts(inner, " x ")) {
            inner = wm_view_after(inner, 3);
            inner.n -= inner.n > 0;
            return n * wm_ir_type_bytes(inner);
        }
    }
    return 0;
}
