/*
 * gen_parse.c -- text to operations, by recursive descent.
 *
 *     program   = [statement] {";" [statement]}
 *     statement = ACCESS value ["if" value]
 *               | "let" NAME "=" value | NAME "=" value
 *               | "for" NAME "in" value ".." value ["step" value] block
 *               | "if" value block ["else" (block | if statement)]
 *               | "barrier" | "wait" [value] | "work" value | "fma" value
 *     block     = "{" program "}"
 *     value     = C's operators but ++, --, =, &x, *x; rand(n), hash(n),
 *                 min(x,y), max(x,y)
 */
#include "trace/gen_parse_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_PC 0x100u
#define PC_STEP  0x10u

static void parse_program(wm_gen_parser *p);
static void parse_statement(wm_gen_parser *p);

static void parse_block(wm_gen_parser *p)
{
    if (++p->n_blocks > WM_GEN_DEPTH_MAX) {
        wm_gen_fault(p, "found more than 32 blocks in one another");
    }
    wm_gen_expect(p, "{");
    parse_program(p);
    wm_gen_expect(p, "}");
    p->n_blocks--;
}

/* Values that have to be the same in all lanes. */
static void parse_uniform(wm_gen_parser *p, wm_gen_code check)
{
    uint32_t at = wm_gen_offset(p);
    wm_gen_parse_value(p);
    (void)wm_gen_emit_at(p, check, 0, 0, at);
}

static void parse_for(wm_gen_parser *p)
{
    uint32_t name = wm_gen_declare(p);
    uint32_t end = wm_gen_declare_hidden(p);
    uint32_t step = wm_gen_declare_hidden(p);
    wm_gen_expect(p, "in");
    parse_uniform(p, WM_GEN_UNIFORM);
    (void)wm_gen_emit(p, WM_GEN_SET, name, -1);
    wm_gen_expect(p, "..");
    parse_uniform(p, WM_GEN_UNIFORM);
    (void)wm_gen_emit(p, WM_GEN_SET, end, -1);
    if (wm_gen_accept(p, "step")) {
        parse_uniform(p, WM_GEN_POSITIVE);
    } else {
        wm_gen_push(p, 1);
    }
    (void)wm_gen_emit(p, WM_GEN_SET, step, -1);
    size_t start = p->program->n_ops;
    (void)wm_gen_emit(p, WM_GEN_GET, name, 1);
    (void)wm_gen_emit(p, WM_GEN_GET, end, 1);
    (void)wm_gen_emit(p, WM_GEN_LT, 0, -1);
    size_t leave = wm_gen_emit(p, WM_GEN_UNTIL, 0, -1);
    parse_block(p);
    (void)wm_gen_emit(p, WM_GEN_GET, name, 1);
    (void)wm_gen_emit(p, WM_GEN_GET, step, 1);
    (void)wm_gen_emit(p, WM_GEN_ADD, 0, -1);
    (void)wm_gen_emit(p, WM_GEN_SET, name, -1);
    (void)wm_gen_emit(p, WM_GEN_JUMP, (uint32_t)start, 0);
    wm_gen_land(p, leave);
}

static void parse_if(wm_gen_parser *p)
{
    wm_gen_parse_value(p);
    wm_gen_narrow(p);
    size_t skip = wm_gen_emit(p, WM_GEN_SKIP, 0, 0);
    parse_block(p);
    wm_gen_land(p, skip);
    if (wm_gen_accept(p, "else")) {
        (void)wm_gen_emit(p, WM_GEN_OTHERS, 0, 0);
        skip = wm_gen_emit(p, WM_GEN_SKIP, 0, 0);
        if (wm_gen_accept(p, "if")) {
            parse_if(p);
        } else {
            parse_block(p);
        }
        wm_gen_land(p, skip);
    }
    wm_gen_widen(p);
}

static uint32_t add_static(wm_gen_parser *p, wm_kind kind, const char *opcode,
                           uint32_t width)
{
    wm_gen_program *program = p->program;
    uint32_t number = program->n_statics;
    wm_static *item = &program->statics[number];
    if (number >= WM_GEN_ACCESS_MAX) {
        wm_gen_fault(p, "found more than 512 access statements");
        return 0;
    }
    const char *format = width == 4 || width == 0 ? "%s"
                         : width < 4              ? "%s.U%" PRIu32
                                                  : "%s.%" PRIu32;
    (void)snprintf(program->opcodes[number], sizeof(program->opcodes[number]),
                   format, opcode, 8 * width);
    item->pc = FIRST_PC + (uint64_t)number * PC_STEP;
    item->kind = (uint8_t)kind;
    item->width = (uint8_t)width;
    item->opcode = program->opcodes[number];
    program->n_statics++;
    return number;
}

/* load4, store8, ...: false when the token is none. */
static bool parse_access(wm_gen_parser *p)
{
    static const struct {
        const char *word;
        wm_kind kind;
        const char *opcode;
    } rows[] = {
        {"load", WM_KIND_GLOBAL_LOAD, "LDG.E"},
        {"store", WM_KIND_GLOBAL_STORE, "STG.E"},
        {"atom", WM_KIND_GLOBAL_ATOMIC, "ATOMG.E.ADD"},
        {"red", WM_KIND_GLOBAL_REDUCTION, "RED.E.ADD"},
        {"copy", WM_KIND_ASYNC_COPY, "LDGSTS.E"},
        {"ldl", WM_KIND_LOCAL_LOAD, "LDL"},
        {"stl", WM_KIND_LOCAL_STORE, "STL"},
        {"lds", WM_KIND_SHARED_LOAD, "LDS"},
        {"sts", WM_KIND_SHARED_STORE, "STS"},
        {"atoms", WM_KIND_SHARED_ATOMIC, "ATOMS.ADD"},
    };
    static const char *const widths[] = {"1", "2", "4", "8", "16", "32"};
    size_t n_word = 0;
    while (n_word < p->n_bytes && wm_gen_is_letter(p->at[n_word])) {
        n_word++;
    }
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strlen(rows[i].word) != n_word ||
            memcmp(p->at, rows[i].word, n_word) != 0) {
            continue;
        }
        for (uint32_t w = 0; w < 6; w++) {
            if (strlen(widths[w]) == p->n_bytes - n_word &&
                memcmp(p->at + n_word, widths[w], p->n_bytes - n_word) == 0) {
                uint32_t at = wm_gen_offset(p);
                uint32_t number =
                    add_static(p, rows[i].kind, rows[i].opcode, 1u << w);
                wm_gen_advance(p);
                wm_gen_parse_value(p);
                bool is_part = wm_gen_accept(p, "if");
                if (is_part) {
                    wm_gen_parse_value(p);
                    wm_gen_narrow(p);
                }
                (void)wm_gen_emit_at(p, WM_GEN_ACCESS, number, -1, at);
                if (is_part) {
                    wm_gen_widen(p);
                }
                return true;
            }
        }
        wm_gen_unexpected(
            p, "bytes per lane behind the word: load1, load2, load4, "
               "load8, load16 or load32");
        return true;
    }
    return false;
}

static void parse_assignment(wm_gen_parser *p)
{
    uint32_t name = wm_gen_declare(p);
    wm_gen_expect(p, "=");
    wm_gen_parse_value(p);
    (void)wm_gen_emit(p, WM_GEN_SET, name, -1);
}

static void parse_statement(wm_gen_parser *p)
{
    bool is_for = wm_gen_accept(p, "for");
    bool is_block = is_for || wm_gen_accept(p, "if");
    if (is_for) {
        parse_for(p);
    } else if (is_block) {
        parse_if(p);
    } else if (wm_gen_accept(p, "let")) {
        parse_assignment(p);
    } else if (wm_gen_accept(p, "barrier")) {
        (void)wm_gen_emit(p, WM_GEN_BARRIER,
                          add_static(p, WM_KIND_BARRIER, "BAR.SYNC", 0), 0);
    } else if (wm_gen_accept(p, "wait")) {
        if (p->n_bytes == 0 || wm_gen_is_token(p, ";") ||
            wm_gen_is_token(p, "}")) {
            wm_gen_push(p, 0);
        } else {
            parse_uniform(p, WM_GEN_UNIFORM);
        }
        (void)wm_gen_emit(p, WM_GEN_WAIT, 0, -1);
    } else if (wm_gen_accept(p, "work")) {
        parse_uniform(p, WM_GEN_UNIFORM);
        (void)wm_gen_emit(p, WM_GEN_WORK, 0, -1);
    } else if (wm_gen_accept(p, "fma")) {
        parse_uniform(p, WM_GEN_UNIFORM);
        (void)wm_gen_emit(p, WM_GEN_FMA, 0, -1);
    } else if (!parse_access(p)) {
        uint32_t number = wm_gen_find_name(p);
        if (number >= WM_GEN_BUILTINS && number < WM_GEN_NAMES_MAX) {
            parse_assignment(p);
        } else {
            wm_gen_unexpected(p,
                              "a statement: load4 ADDRESS, store4, red4, lds4, "
                              "..., let, for, if, barrier, wait, work or fma");
        }
    }
    p->is_block_end = is_block;
}

/* Up to the end of the text or a closing brace.  A block ends its statement,
 * so that no ';' is needed behind it. */
static void parse_program(wm_gen_parser *p)
{
    while (p->status == WM_OK && p->n_bytes != 0 && !wm_gen_is_token(p, "}")) {
        if (wm_gen_accept(p, ";")) {
            continue;
        }
        parse_statement(p);
        if (!p->is_block_end && p->n_bytes != 0 && !wm_gen_is_token(p, ";") &&
            !wm_gen_is_token(p, "}")) {
            wm_gen_unexpected(p, "';' or an operator");
        }
    }
}

wm_status wm_gen_compile(const char *text, wm_gen_program **out, wm_error *err)
{
    size_t n_text = strlen(text);
    *out = NULL;
    if (n_text > WM_GEN_TEXT_MAX) {
        return wm_fail(err, WM_EUSAGE, "-e: found %zu bytes, wanted at most %u",
                       n_text, WM_GEN_TEXT_MAX);
    }
    wm_gen_program *program = calloc(1, sizeof(*program));
    wm_gen_parser *p = calloc(1, sizeof(*p));
    if (program != NULL) {
        program->text = malloc(n_text + 1);
    }
    if (program == NULL || p == NULL || program->text == NULL) {
        wm_gen_program_free(program);
        free(p);
        return wm_fail_memory(err);
    }
    memcpy(program->text, text, n_text + 1);
    p->program = program;
    p->err = err;
    p->at = program->text;
    wm_gen_declare_builtins(p);
    wm_gen_advance(p);
    parse_program(p);
    if (p->status == WM_OK && p->n_bytes != 0) {
        wm_gen_unexpected(p, "a statement");
    }
    if (p->status == WM_OK && program->n_statics == 0) {
        wm_gen_fault(p, "found no access, wanted one as in load4 a + 4*gid");
    }
    (void)add_static(p, WM_KIND_EXIT, "EXIT", 0);
    wm_status status = p->status;
    free(p);
    if (status != WM_OK) {
        wm_gen_program_free(program);
        return status;
    }
    *out = program;
    return WM_OK;
}

void wm_gen_program_free(wm_gen_program *program)
{
    if (program != NULL) {
        free(program->text);
        free(program->ops);
        free(program);
    }
}
