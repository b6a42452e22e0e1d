/*
 * ir_cost.c -- how many issue slots and floating-point operations an LLVM
 * instruction stands for on a GPU.  Slots are estimated: 1 for what is one
 * SASS instruction, 0 for what only renames a value or folds into another
 * instruction, more for what is a sequence there (divisions, square roots,
 * transcendental functions).  Operations are exact.
 */
#include <stdlib.h>
#include <string.h>

#include "ir_internal.h"

typedef struct ir_cost {
    const char *word;
    uint32_t slots;
    uint32_t flops;
} ir_cost;

static const ir_cost opcodes[] = {
    {"phi", 0, 0},           {"bitcast", 0, 0},       {"inttoptr", 0, 0},
    {"ptrtoint", 0, 0},      {"alloca", 0, 0},        {"freeze", 0, 0},
    {"zext", 0, 0},          {"sext", 0, 0},          {"trunc", 0, 0},
    {"fadd", 1, 1},          {"fsub", 1, 1},          {"fmul", 1, 1},
    {"fneg", 0, 0},          {"fdiv", 8, 1},          {"frem", 16, 1},
    {"udiv", 16, 0},         {"sdiv", 16, 0},         {"urem", 16, 0},
    {"srem", 16, 0},         {"unreachable", 0, 0},   {"extractelement", 0, 0},
    {"insertelement", 0, 0}, {"shufflevector", 0, 0}, {"extractvalue", 0, 0},
    {"insertvalue", 0, 0},   {"addrspacecast", 0, 0},
};

/* Parts of names of called functions. */
static const ir_cost calls[] = {
    {"llvm.dbg.", 0, 0},         {"llvm.lifetime.", 0, 0},
    {"llvm.assume", 0, 0},       {"llvm.fmuladd.", 1, 2},
    {"llvm.fma.", 1, 2},         {"llvm.fabs.", 0, 0},
    {"llvm.minnum.", 1, 1},      {"llvm.maxnum.", 1, 1},
    {"llvm.sqrt.", 8, 1},        {"llvm.mem", 0, 0},
    {"llvm.threadlocal.", 0, 0}, {"llvm.", 1, 0},
    {"get_local_id", 1, 0},      {"get_global_id", 1, 0},
    {"get_group_id", 1, 0},      {"get_local_size", 0, 0},
    {"get_global_size", 0, 0},   {"get_num_groups", 0, 0},
    {"wm_rt_index", 1, 0},       {"wm_rt_", 0, 0},
};

#define CALL_SLOTS 8u /* a library function */

static const ir_cost *find_cost(const wm_ir_line *line)
{
    if (wm_view_is(line->opcode, "call")) {
        for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
            if (wm_view_find(line->rest, calls[i].word) != line->rest.n) {
                return &calls[i];
            }
        }
        static const ir_cost library = {"", CALL_SLOTS, 1};
        return &library;
    }
    for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
        if (wm_view_is(line->opcode, opcodes[i].word)) {
            return &opcodes[i];
        }
    }
    static const ir_cost other = {"", 1, 0};
    return &other;
}

/* Elements of the first vector type named; 1 for scalars. */
static uint32_t n_elements(wm_view text)
{
    size_t at = wm_view_find(text, "<");
    uint32_t n = 0;
    for (at++; at < text.n && text.s[at] >= '0' && text.s[at] <= '9' && n < 99;
         at++) {
        n = n * 10 + (uint32_t)(text.s[at] - '0');
    }
    return n != 0 ? n : 1;
}

bool wm_ir_cost_add(const wm_ir_line *line, wm_segment *segment)
{
    bool is_branch = wm_view_is(line->opcode, "br");
    if ((is_branch && wm_view_starts(line->rest, "label")) ||
        wm_view_is(line->opcode, "ret") || line->opcode.n == 0 ||
        line->opcode.s[0] == '#') {
        return true; /* falls through, or is the exit, which is a record */
    }
    const ir_cost *cost = find_cost(line);
    uint32_t n = n_elements(line->rest);
    uint32_t n_flops = n * cost->flops;
    segment->slots += cost->slots * (cost->flops != 0 ? n : 1);
    if (wm_view_find(line->rest, "double") != line->rest.n) {
        segment->flops_fp64 += n_flops;
    } else if (wm_view_find(line->rest, "half") != line->rest.n) {
        segment->flops_fp16 += n_flops;
    } else if (wm_view_find(line->rest, "float") != line->rest.n) {
        segment->flops_fp32 += n_flops;
    }
    return cost->slots != 0 || wm_view_is(line->opcode, "call");
}
