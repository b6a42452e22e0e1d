/*
 * ir_event.c -- which instructions are events, and what they access.
 */
#include "ir_event.h"

#include <string.h>

/* Calls that the headers in include/ make. */
static const struct {
    const char *call;
    wm_event_op op;
    uint8_t width;
} known_calls[] = {
    {"@wm_rt_barrier(", WM_EVENT_BARRIER, 0},
    {"@wm_rt_atomic32(", WM_EVENT_ATOMIC, 4},
    {"@wm_rt_atomic64(", WM_EVENT_ATOMIC, 8},
    {"@wm_rt_async(", WM_EVENT_ASYNC, 0},
    {"@wm_rt_exchange(", WM_EVENT_WARP, 0},
};

static wm_view skip_qualifiers(wm_view rest)
{
    while (wm_view_starts(rest, "volatile ") ||
           wm_view_starts(rest, "atomic ") || wm_view_starts(rest, "weak ")) {
        rest = wm_view_after(rest, wm_view_find(rest, " ") + 1);
    }
    return rest;
}

/* "TYPE VALUE": both. */
static wm_ir_operand split_operand(wm_view text)
{
    wm_ir_operand operand = {.type = {text.s, wm_ir_type_length(text)}};
    operand.value = wm_view_after(text, operand.type.n + 1);
    return operand;
}

/* The pointer at the start of text, as "T* %x" or "ptr %x", up to a comma. */
static wm_ir_operand pointer_operand(wm_view text)
{
    return split_operand((wm_view){text.s, wm_ir_operand_length(text)});
}

static bool find_load(const wm_ir_line *line, wm_ir_access *access)
{
    wm_view rest = skip_qualifiers(line->rest);
    wm_view type = {rest.s, wm_ir_operand_length(rest)};
    rest = wm_view_after(rest, type.n + 2);
    access->op = WM_EVENT_LOAD;
    access->width = wm_ir_type_bytes(type);
    access->pointer = pointer_operand(rest);
    return true;
}

static bool find_store(const wm_ir_line *line, wm_ir_access *access)
{
    wm_view rest = skip_qualifiers(line->rest);
    wm_view value = {rest.s, wm_ir_operand_length(rest)};
    access->op = WM_EVENT_STORE;
    access->width = wm_ir_type_bytes(split_operand(value).type);
    access->pointer = pointer_operand(wm_view_after(rest, value.n + 2));
    return true;
}

/* atomicrmw OP PTR, TYPE VALUE ...; cmpxchg PTR, TYPE OLD, ... */
static bool find_atomic(const wm_ir_line *line, bool has_op,
                        wm_ir_access *access)
{
    wm_view rest = skip_qualifiers(line->rest);
    if (has_op) {
        rest = wm_view_after(rest, wm_view_find(rest, " ") + 1);
    }
    access->op = WM_EVENT_ATOMIC;
    access->pointer = pointer_operand(rest);
    rest = wm_view_after(rest, wm_ir_operand_length(rest) + 2);
    access->width = wm_ir_type_bytes(split_operand(rest).type);
    return true;
}

/* An argument of an intrinsic without its attributes; *align is what they
 * say. */
static wm_ir_operand argument(wm_view text, uint32_t *align)
{
    wm_ir_operand operand = split_operand(text);
    size_t at = wm_view_find(text, " align ");
    *align = 1;
    if (at != text.n) {
        wm_view digits = wm_view_after(text, at + strlen(" align "));
        *align = 0;
        for (size_t i = 0; i < digits.n && digits.s[i] >= '0' &&
                           digits.s[i] <= '9' && *align < 4096;
             i++) {
            *align = *align * 10 + (uint32_t)(digits.s[i] - '0');
        }
    }
    static const char *const attributes[] = {
        "noundef ",   "nonnull ",  "align ",     "dereferenceable",
        "nocapture ", "readonly ", "writeonly ", "noalias "};
    for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]);) {
        if (wm_view_starts(operand.value, attributes[i])) {
            size_t n_words = strcmp(attributes[i], "align ") == 0 ? 2 : 1;
            for (; n_words > 0; n_words--) {
                operand.value = wm_view_after(
                    operand.value, wm_view_find(operand.value, " ") + 1);
            }
            i = 0;
        } else {
            i++;
        }
    }
    return operand;
}

/* Block copies: the load, then the store; at most two accesses. */
static uint32_t find_copy(const wm_ir_line *line, wm_ir_access access[2])
{
    bool is_set = wm_view_find(line->rest, "@llvm.memset.") != line->rest.n;
    if (!is_set && wm_view_find(line->rest, "@llvm.memcpy.") == line->rest.n &&
        wm_view_find(line->rest, "@llvm.memmove.") == line->rest.n) {
        return 0;
    }
    wm_view rest = wm_view_after(line->rest, wm_view_find(line->rest, "(") + 1);
    wm_ir_operand part[3];
    uint32_t align[3];
    for (uint32_t i = 0; i < 3; i++) {
        wm_view text = {rest.s, wm_ir_operand_length(rest)};
        part[i] = argument(text, &align[i]);
        rest = wm_view_after(rest, text.n + 2);
    }
    uint32_t n = 0;
    if (!is_set) {
        access[n++] =
            (wm_ir_access){WM_EVENT_LOAD, align[1] < 16 ? align[1] : 16,
                           part[1], part[2].value};
    }
    access[n++] = (wm_ir_access){WM_EVENT_STORE, align[0] < 16 ? align[0] : 16,
                                 part[0], part[2].value};
    return n;
}

uint32_t wm_ir_event_find(const wm_ir_line *line, wm_ir_access access[2])
{
    memset(access, 0, 2 * sizeof(*access));
    if (wm_view_is(line->opcode, "load")) {
        return find_load(line, access);
    }
    if (wm_view_is(line->opcode, "store")) {
        return find_store(line, access);
    }
    if (wm_view_is(line->opcode, "atomicrmw") ||
        wm_view_is(line->opcode, "cmpxchg")) {
        return find_atomic(line, line->opcode.s[0] == 'a', access);
    }
    if (!wm_view_is(line->opcode, "call")) {
        return 0;
    }
    for (size_t i = 0; i < sizeof(known_calls) / sizeof(known_calls[0]); i++) {
        if (wm_view_find(line->rest, known_calls[i].call) != line->rest.n) {
            access->op = known_calls[i].op;
            access->width = known_calls[i].width;
            return 1;
        }
    }
    return find_copy(line, access);
}
