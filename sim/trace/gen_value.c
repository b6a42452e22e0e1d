/*
 * gen_value.c -- values: numbers, names, functions, operators.
 */
#include "trace/gen_parse_internal.h"

#include <string.h>

/* 12, 0x1f, 64K, 1M, 2G. */
static void parse_number(wm_gen_parser *p)
{
    bool is_hex = p->n_bytes > 2 && p->at[0] == '0' && (p->at[1] | 32) == 'x';
    uint64_t radix = is_hex ? 16 : 10;
    uint64_t sum = 0;
    uint32_t shift = 0;
    size_t i = is_hex ? 2 : 0;
    for (; i < p->n_bytes; i++) {
        char c = (char)(p->at[i] | 32);
        uint64_t digit = wm_gen_is_digit(c)     ? (uint64_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint64_t)(c - 'a') + 10
                                                : 16;
        if (digit >= radix) {
            break;
        }
        if (sum > (UINT64_MAX - digit) / radix) {
            wm_gen_fault(p, "found a number over 64 bits");
            return;
        }
        sum = sum * radix + digit;
    }
    if (i + 1 == p->n_bytes && strchr("KMG", p->at[i]) != NULL) {
        shift = p->at[i] == 'K' ? 10 : p->at[i] == 'M' ? 20 : 30;
        i++;
    }
    if (i != p->n_bytes || sum > UINT64_MAX >> shift) {
        wm_gen_unexpected(p, "a number as in 12, 0x1f, 64K, 1M or 2G");
        return;
    }
    wm_gen_push(p, sum << shift);
    wm_gen_advance(p);
}

/* rand(n), hash(n), min(x, y), max(x, y); false when it is no function. */
static bool parse_function(wm_gen_parser *p)
{
    static const struct {
        const char *name;
        wm_gen_code code;
        int n;
    } rows[] = {{"rand", WM_GEN_RAND, 1},
                {"hash", WM_GEN_HASH, 1},
                {"min", WM_GEN_MIN, 2},
                {"max", WM_GEN_MAX, 2}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (wm_gen_is_token(p, rows[i].name)) {
            uint32_t at = wm_gen_offset(p);
            wm_gen_advance(p);
            wm_gen_expect(p, "(");
            wm_gen_parse_value(p);
            if (rows[i].n == 2) {
                wm_gen_expect(p, ",");
                wm_gen_parse_value(p);
            }
            wm_gen_expect(p, ")");
            (void)wm_gen_emit_at(p, rows[i].code, 0, 1 - rows[i].n, at);
            return true;
        }
    }
    return false;
}

static void parse_primary(wm_gen_parser *p)
{
    if (wm_gen_accept(p, "(")) {
        wm_gen_parse_value(p);
        wm_gen_expect(p, ")");
    } else if (wm_gen_is_digit(*p->at)) {
        parse_number(p);
    } else if (!parse_function(p)) {
        uint32_t number = wm_gen_find_name(p);
        if (p->n_bytes == 0 || !wm_gen_is_letter(*p->at)) {
            wm_gen_unexpected(p, "a value");
        } else if (number == WM_GEN_NAMES_MAX) {
            wm_gen_unexpected(
                p, "a known name: lane, warp, cta, thread, gid, warps, "
                   "ctas, arrays a to d, or one set before");
        } else {
            (void)wm_gen_emit(p, WM_GEN_GET, number, 1);
            wm_gen_advance(p);
        }
    }
}

static void parse_unary(wm_gen_parser *p)
{
    static const struct {
        const char *text;
        wm_gen_code code;
    } rows[] = {{"-", WM_GEN_NEGATE}, {"~", WM_GEN_INVERT}, {"!", WM_GEN_NOT}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (wm_gen_accept(p, rows[i].text)) {
            if (++p->n_nested > WM_GEN_NESTED_MAX) {
                wm_gen_fault(p, "found too many operators in a row");
                return;
            }
            parse_unary(p);
            p->n_nested--;
            (void)wm_gen_emit(p, rows[i].code, 0, 0);
            return;
        }
    }
    parse_primary(p);
}

typedef struct operator_row {
    const char *text;
    uint8_t level; /* higher binds closer */
    wm_gen_code code;
} operator_row;

static const operator_row operators[] = {
    {"||", 1, WM_GEN_EITHER}, {"&&", 2, WM_GEN_BOTH}, {"|", 3, WM_GEN_OR},
    {"^", 4, WM_GEN_XOR},     {"&", 5, WM_GEN_AND},   {"==", 6, WM_GEN_EQ},
    {"!=", 6, WM_GEN_NE},     {"<", 7, WM_GEN_LT},    {"<=", 7, WM_GEN_LE},
    {">", 7, WM_GEN_GT},      {">=", 7, WM_GEN_GE},   {"<<", 8, WM_GEN_SHL},
    {">>", 8, WM_GEN_SHR},    {"+", 9, WM_GEN_ADD},   {"-", 9, WM_GEN_SUB},
    {"*", 10, WM_GEN_MUL},    {"/", 10, WM_GEN_DIV},  {"%", 10, WM_GEN_MOD},
};

static const operator_row *find_operator(const wm_gen_parser *p)
{
    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
        if (wm_gen_is_token(p, operators[i].text)) {
            return &operators[i];
        }
    }
    return NULL;
}

/* Operators of at least this level, from left to right. */
static void parse_binary(wm_gen_parser *p, uint8_t level)
{
    parse_unary(p);
    for (;;) {
        const operator_row *row = find_operator(p);
        if (p->status != WM_OK || row == NULL || row->level < level) {
            return;
        }
        uint32_t at = wm_gen_offset(p);
        wm_gen_advance(p);
        parse_binary(p, (uint8_t)(row->level + 1));
        (void)wm_gen_emit_at(p, row->code, 0, -1, at);
    }
}

/* condition ? x : y; each arm is worked out for its lanes only. */
void wm_gen_parse_value(wm_gen_parser *p)
{
    if (++p->n_nested > WM_GEN_NESTED_MAX) {
        wm_gen_fault(p, "found too many parentheses in one another");
        return;
    }
    parse_binary(p, 1);
    if (wm_gen_accept(p, "?")) {
        (void)wm_gen_emit(p, WM_GEN_COPY, 0, 1);
        wm_gen_narrow(p);
        wm_gen_parse_value(p);
        (void)wm_gen_emit(p, WM_GEN_OTHERS, 0, 0);
        wm_gen_expect(p, ":");
        wm_gen_parse_value(p);
        wm_gen_widen(p);
        (void)wm_gen_emit(p, WM_GEN_SELECT, 0, -2);
    }
    p->n_nested--;
}
