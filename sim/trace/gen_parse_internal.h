/*
 * gen_parse_internal.h -- what the parts of the compiler share: tokens, names
 * and operations (gen_token.c), values (gen_value.c), statements
 * (gen_parse.c, which has the grammar).
 *
 * Only the first fault counts: behind it nothing is accepted or emitted.
 */
#ifndef WM_TRACE_GEN_PARSE_INTERNAL_H
#define WM_TRACE_GEN_PARSE_INTERNAL_H

#include "trace/gen_program_internal.h"

#define WM_GEN_NESTED_MAX 256u

typedef struct wm_gen_parser {
    wm_gen_program *program;
    const char *at; /* the token's start */
    size_t n_bytes; /* its length; 0 at the end of the text */
    char names[WM_GEN_NAMES_MAX][32];
    uint32_t n_names;
    uint32_t n_values; /* on the stack at this point */
    uint32_t n_blocks; /* nested */
    uint32_t n_nested; /* calls of parse_value */
    bool is_block_end; /* the last statement ended with a block */
    wm_error *err;
    wm_status status;
} wm_gen_parser;

/* "found X, wanted Y" at the token, or another sentence. */
void wm_gen_unexpected(wm_gen_parser *p, const char *wanted);
void wm_gen_fault(wm_gen_parser *p, const char *sentence);

/* Moves to the next token, blanks and "# ..." left out. */
void wm_gen_advance(wm_gen_parser *p);
bool wm_gen_is_token(const wm_gen_parser *p, const char *text);
/* Moves on when the token is this one. */
bool wm_gen_accept(wm_gen_parser *p, const char *text);
void wm_gen_expect(wm_gen_parser *p, const char *text);
uint32_t wm_gen_offset(const wm_gen_parser *p);
bool wm_gen_is_letter(char c);
bool wm_gen_is_digit(char c);

/* Appends an operation; change: how many values it adds to the stack. */
size_t wm_gen_emit_at(wm_gen_parser *p, wm_gen_code code, uint32_t argument,
                      int change, uint32_t at);
size_t wm_gen_emit(wm_gen_parser *p, wm_gen_code code, uint32_t argument,
                   int change);
void wm_gen_push(wm_gen_parser *p, uint64_t value);
/* Lets an earlier jump lead here. */
void wm_gen_land(wm_gen_parser *p, size_t op);
void wm_gen_narrow(wm_gen_parser *p);
void wm_gen_widen(wm_gen_parser *p);

/* The number of the name at the token; WM_GEN_NAMES_MAX when it is unknown. */
uint32_t wm_gen_find_name(const wm_gen_parser *p);
/* A name that is new, or one's own: builtins keep their meaning. */
uint32_t wm_gen_declare(wm_gen_parser *p);
/* A name that nobody can spell, for the loops' own values. */
uint32_t wm_gen_declare_hidden(wm_gen_parser *p);
/* The builtins' names, in the order of wm_gen_builtin. */
void wm_gen_declare_builtins(wm_gen_parser *p);

void wm_gen_parse_value(wm_gen_parser *p);

#endif
