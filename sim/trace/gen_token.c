/*
 * gen_token.c -- tokens, names and operations of the compiler.
 */
#include "trace/gen_parse_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"

static const char *const builtins[] = {
    "lane", "warp", "cta", "thread", "gid", "warps", "ctas", "a", "b", "c", "d",
};

wm_status wm_gen_fail(const wm_gen_program *program, uint32_t at,
                      const char *sentence, wm_error *err)
{
    uint32_t line = 1;
    uint32_t column = 1;
    for (uint32_t i = 0; i < at; i++) {
        bool is_newline = program->text[i] == '\n';
        line += is_newline;
        column = is_newline ? 1 : column + 1;
    }
    return wm_fail(err, WM_EUSAGE, "-e:%" PRIu32 ":%" PRIu32 ": %s", line,
                   column, sentence);
}

uint32_t wm_gen_offset(const wm_gen_parser *p)
{
    return (uint32_t)(p->at - p->program->text);
}

/* Only the first fault counts. */
void wm_gen_fault(wm_gen_parser *p, const char *sentence)
{
    if (p->status == WM_OK) {
        p->status = wm_gen_fail(p->program, wm_gen_offset(p), sentence, p->err);
    }
}

void wm_gen_unexpected(wm_gen_parser *p, const char *wanted)
{
    char sentence[160];
    int n = p->n_bytes < 24 ? (int)p->n_bytes : 24;
    if (n == 0) {
        (void)snprintf(sentence, sizeof(sentence), "found the end, wanted %s",
                       wanted);
    } else {
        (void)snprintf(sentence, sizeof(sentence), "found '%.*s', wanted %s", n,
                       p->at, wanted);
    }
    wm_gen_fault(p, sentence);
}

/* --- tokens ----------------------------------------------------------------
 */

bool wm_gen_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool wm_gen_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t token_bytes(const char *at)
{
    static const char *const pairs[] = {
        "..", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
    size_t n = 0;
    if (wm_gen_is_letter(*at) || wm_gen_is_digit(*at)) {
        while (wm_gen_is_letter(at[n]) || wm_gen_is_digit(at[n])) {
            n++;
        }
        return n;
    }
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        if (strncmp(at, pairs[i], 2) == 0) {
            return 2;
        }
    }
    return *at != '\0';
}

/* Moves to the next token, blanks and "# ..." left out. */
void wm_gen_advance(wm_gen_parser *p)
{
    p->at += p->n_bytes;
    for (;;) {
        while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' ||
               *p->at == '\r') {
            p->at++;
        }
        if (*p->at != '#') {
            break;
        }
        while (*p->at != '\0' && *p->at != '\n') {
            p->at++;
        }
    }
    p->n_bytes = token_bytes(p->at);
}

bool wm_gen_is_token(const wm_gen_parser *p, const char *text)
{
    return strlen(text) == p->n_bytes && memcmp(p->at, text, p->n_bytes) == 0;
}

bool wm_gen_accept(wm_gen_parser *p, const char *text)
{
    bool is_here = p->status == WM_OK && wm_gen_is_token(p, text);
    if (is_here) {
        wm_gen_advance(p);
    }
    return is_here;
}

void wm_gen_expect(wm_gen_parser *p, const char *text)
{
    if (!wm_gen_accept(p, text)) {
        char wanted[16];
        (void)snprintf(wanted, sizeof(wanted), "'%s'", text);
        wm_gen_unexpected(p, wanted);
    }
}

/* --- operations ------------------------------------------------------------
 */

/* Appends an operation; change: how many values it adds to the stack. */
size_t wm_gen_emit_at(wm_gen_parser *p, wm_gen_code code, uint32_t argument,
                      int change, uint32_t at)
{
    wm_gen_program *program = p->program;
    if (p->status != WM_OK) {
        return 0;
    }
    if (program->n_ops >= WM_GEN_OPS_MAX) {
        wm_gen_fault(
            p, "found more than 16384 operations, wanted a shorter program");
        return 0;
    }
    if (!wm_grow(&program->ops, &program->cap_ops, program->n_ops + 1,
                 sizeof(*program->ops))) {
        p->status = wm_fail_memory(p->err);
        return 0;
    }
    p->n_values += (uint32_t)change;
    if (p->n_values > WM_GEN_DEPTH_MAX) {
        wm_gen_fault(
            p, "found more than 32 values at once, wanted a simpler value");
        return 0;
    }
    program->ops[program->n_ops] = (wm_gen_op){(uint8_t)code, at, argument, 0};
    return program->n_ops++;
}

size_t wm_gen_emit(wm_gen_parser *p, wm_gen_code code, uint32_t argument,
                   int change)
{
    return wm_gen_emit_at(p, code, argument, change, wm_gen_offset(p));
}

void wm_gen_push(wm_gen_parser *p, uint64_t value)
{
    size_t op = wm_gen_emit(p, WM_GEN_PUSH, 0, 1);
    if (p->status == WM_OK) {
        p->program->ops[op].value = value;
    }
}

/* Lets an earlier jump lead here. */
void wm_gen_land(wm_gen_parser *p, size_t op)
{
    if (p->status == WM_OK) {
        p->program->ops[op].argument = (uint32_t)p->program->n_ops;
    }
}

void wm_gen_narrow(wm_gen_parser *p)
{
    if (++p->n_blocks > WM_GEN_DEPTH_MAX) {
        wm_gen_fault(p, "found more than 32 blocks in one another");
    }
    (void)wm_gen_emit(p, WM_GEN_NARROW, 0, -1);
}

void wm_gen_widen(wm_gen_parser *p)
{
    p->n_blocks--;
    (void)wm_gen_emit(p, WM_GEN_WIDEN, 0, 0);
}

/* --- names -----------------------------------------------------------------
 */

uint32_t wm_gen_find_name(const wm_gen_parser *p)
{
    for (uint32_t i = p->n_names; i > 0; i--) {
        if (wm_gen_is_token(p, p->names[i - 1])) {
            return i - 1;
        }
    }
    return WM_GEN_NAMES_MAX;
}

/* A name that is new, or one's own: builtins keep their meaning. */
uint32_t wm_gen_declare(wm_gen_parser *p)
{
    uint32_t number = wm_gen_find_name(p);
    if (p->n_bytes == 0 || !wm_gen_is_letter(*p->at) ||
        number < WM_GEN_BUILTINS) {
        wm_gen_unexpected(p, "a name of your own");
        return 0;
    }
    if (number == WM_GEN_NAMES_MAX) {
        if (p->n_names == WM_GEN_NAMES_MAX || p->n_bytes > 31) {
            wm_gen_fault(p, "found too long a name, or too many of them");
            return 0;
        }
        number = p->n_names++;
        memcpy(p->names[number], p->at, p->n_bytes);
        p->names[number][p->n_bytes] = '\0';
    }
    wm_gen_advance(p);
    return number;
}

/* A name that nobody can spell, for the loops' own values. */
uint32_t wm_gen_declare_hidden(wm_gen_parser *p)
{
    if (p->n_names == WM_GEN_NAMES_MAX) {
        wm_gen_fault(p, "found too many names");
        return 0;
    }
    p->names[p->n_names][0] = '\0';
    return p->n_names++;
}

void wm_gen_declare_builtins(wm_gen_parser *p)
{
    for (uint32_t i = 0; i < WM_GEN_BUILTINS; i++) {
        memcpy(p->names[i], builtins[i], strlen(builtins[i]) + 1);
    }
    p->n_names = WM_GEN_BUILTINS;
}
