/*
 * json_scan.c -- see json_scan.h.
 */
#include "trace/json_scan.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip(wm_word *word, size_t n)
{
    word->text += n;
    word->n_bytes -= n;
}

static void skip_blanks(wm_word *word)
{
    while (word->n_bytes > 0 && is_blank(*word->text)) {
        skip(word, 1);
    }
}

/* The string whose quote is at text, both quotes included; 0: no end. */
static size_t string_bytes(const char *text, size_t n_bytes)
{
    for (size_t i = 1; i < n_bytes; i++) {
        if (text[i] == '\\') {
            i++;
        } else if (text[i] == '"') {
            return i + 1;
        }
    }
    return 0;
}

size_t wm_json_value_bytes(const char *text, size_t n_bytes)
{
    size_t depth = 0;
    size_t i = 0;
    while (i < n_bytes) {
        char c = text[i];
        if (c == '"') {
            size_t n = string_bytes(text + i, n_bytes - i);
            if (n == 0) {
                return 0;
            }
            i += n;
        } else if (c == '{' || c == '[') {
            depth++;
            i++;
        } else if (c == '}' || c == ']') {
            if (depth == 0) {
                return i; /* of what is around the value */
            }
            depth--;
            i++;
        } else if (depth == 0 && (c == ',' || is_blank(c))) {
            return i;
        } else {
            i++;
            continue;
        }
        if (depth == 0) {
            return i;
        }
    }
    return 0;
}

wm_word wm_json_inside(const wm_word *value)
{
    return value->n_bytes >= 2 ? (wm_word){value->text + 1, value->n_bytes - 1}
                               : (wm_word){value->text, 0};
}

bool wm_json_next(wm_word *left, wm_word *key, wm_word *value)
{
    skip_blanks(left);
    if (left->n_bytes > 0 && *left->text == ',') {
        skip(left, 1);
        skip_blanks(left);
    }
    if (left->n_bytes > 0 && (*left->text == '}' || *left->text == ']')) {
        left->n_bytes = 0;
        return false;
    }
    *key = (wm_word){left->text, 0};
    for (int part = 0; part < 2; part++) {
        size_t n = left->n_bytes == 0
                       ? 0
                       : wm_json_value_bytes(left->text, left->n_bytes);
        if (n == 0) {
            left->n_bytes = left->n_bytes == 0 ? 1 : left->n_bytes;
            return false;
        }
        bool is_string = *left->text == '"';
        *value = is_string ? (wm_word){left->text + 1, n - 2}
                           : (wm_word){left->text, n};
        skip(left, n);
        skip_blanks(left);
        if (part == 1 || !is_string || left->n_bytes == 0 ||
            *left->text != ':') {
            return true;
        }
        *key = *value;
        skip(left, 1);
        skip_blanks(left);
    }
    return true;
}
