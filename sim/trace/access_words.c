/*
 * access_words.c -- see access_words.h.
 */
#include "trace/access_words.h"

#include <string.h>

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

static bool word_matches(const wm_word *word, const char *text)
{
    size_t n = strlen(text);
    for (size_t i = 0; i < word->n_bytes && i < n; i++) {
        if (lower(word->text[i]) != text[i]) {
            return false;
        }
    }
    return word->n_bytes == n;
}

static bool is_one_of(const wm_word *word, const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (word_matches(word, texts[i])) {
            return true;
        }
    }
    return false;
}

wm_word wm_access_opcode(const wm_word *operation, const wm_word *space)
{
    static const char *const loads[] = {"", "load", "ld", "read", "r", "l"};
    static const char *const stores[] = {"store", "st", "write", "w", "s"};
    static const char *const atomics[] = {"atomic", "atom", "a"};
    static const char *const reductions[] = {"reduction", "reduce", "red"};
    /* By operation: global, shared, local. */
    static const char *const opcodes[4][3] = {{"LDG", "LDS", "LDL"},
                                              {"STG", "STS", "STL"},
                                              {"ATOMG", "ATOMS", "ATOMG"},
                                              {"RED", "ATOMS", "RED"}};
    size_t row = is_one_of(operation, loads, 6)        ? 0
                 : is_one_of(operation, stores, 5)     ? 1
                 : is_one_of(operation, atomics, 3)    ? 2
                 : is_one_of(operation, reductions, 3) ? 3
                                                       : 4;
    if (row == 4) {
        return *operation;
    }
    size_t column = word_matches(space, "shared")  ? 1
                    : word_matches(space, "local") ? 2
                                                   : 0;
    const char *opcode = opcodes[row][column];
    return (wm_word){opcode, strlen(opcode)};
}
