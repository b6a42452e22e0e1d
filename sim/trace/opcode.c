/*
 * opcode.c -- SASS mnemonics, by table.
 *
 * Latencies: 4, 5, 6 and 8 cycles for the fixed-latency pipes are Volta's as
 * measured by Jia et al. (arXiv 1804.06826, table of instruction latencies);
 * the rest are estimated.  They matter only where a chain of arithmetic is
 * longer than the issue slots it takes.
 */
#include "trace/opcode.h"

#include <string.h>

#define LATENCY_DEFAULT 4u

typedef struct memory_row {
    const char *base;
    uint8_t kind;
    bool is_generic;
} memory_row;

static const memory_row memory_rows[] = {
    {"LDG", WM_KIND_GLOBAL_LOAD, false},
    {"LD", WM_KIND_GLOBAL_LOAD, true},
    {"STG", WM_KIND_GLOBAL_STORE, false},
    {"ST", WM_KIND_GLOBAL_STORE, true},
    {"LDGSTS", WM_KIND_ASYNC_COPY, false},
    {"LDL", WM_KIND_LOCAL_LOAD, false},
    {"STL", WM_KIND_LOCAL_STORE, false},
    {"ATOM", WM_KIND_GLOBAL_ATOMIC, true},
    {"ATOMG", WM_KIND_GLOBAL_ATOMIC, false},
    {"RED", WM_KIND_GLOBAL_REDUCTION, false},
    {"REDG", WM_KIND_GLOBAL_REDUCTION, false},
    {"LDS", WM_KIND_SHARED_LOAD, false},
    {"LDSM", WM_KIND_SHARED_LOAD, false},
    {"STS", WM_KIND_SHARED_STORE, false},
    {"STSM", WM_KIND_SHARED_STORE, false},
    {"ATOMS", WM_KIND_SHARED_ATOMIC, false},
};

typedef struct arithmetic_row {
    const char *base;
    uint8_t latency_cycles;
    uint8_t n_regs; /* of each operand */
    uint8_t precision;
    uint8_t flops_per_lane;
} arithmetic_row;

static const arithmetic_row arithmetic_rows[] = {
    {"FADD", 4, 1, WM_PRECISION_FP32, 1},
    {"FADD32I", 4, 1, WM_PRECISION_FP32, 1},
    {"FMUL", 4, 1, WM_PRECISION_FP32, 1},
    {"FMUL32I", 4, 1, WM_PRECISION_FP32, 1},
    {"FFMA", 4, 1, WM_PRECISION_FP32, 2},
    {"FFMA32I", 4, 1, WM_PRECISION_FP32, 2},
    {"DADD", 8, 2, WM_PRECISION_FP64, 1},
    {"DMUL", 8, 2, WM_PRECISION_FP64, 1},
    {"DFMA", 8, 2, WM_PRECISION_FP64, 2},
    {"DSETP", 8, 2, WM_PRECISION_NONE, 0},
    {"DMNMX", 8, 2, WM_PRECISION_NONE, 0},
    {"HADD2", 6, 1, WM_PRECISION_FP16, 2},
    {"HADD2_32I", 6, 1, WM_PRECISION_FP16, 2},
    {"HMUL2", 6, 1, WM_PRECISION_FP16, 2},
    {"HMUL2_32I", 6, 1, WM_PRECISION_FP16, 2},
    {"HFMA2", 6, 1, WM_PRECISION_FP16, 4},
    {"HFMA2_32I", 6, 1, WM_PRECISION_FP16, 4},
    {"IMAD", 5, 1, WM_PRECISION_NONE, 0},
    {"MUFU", 16, 1, WM_PRECISION_NONE, 0},  /* estimated */
    {"POPC", 16, 1, WM_PRECISION_NONE, 0},  /* estimated */
    {"FLO", 16, 1, WM_PRECISION_NONE, 0},   /* estimated */
    {"I2F", 16, 1, WM_PRECISION_NONE, 0},   /* estimated */
    {"F2I", 16, 1, WM_PRECISION_NONE, 0},   /* estimated */
    {"F2F", 16, 1, WM_PRECISION_NONE, 0},   /* estimated */
    {"SHFL", 20, 1, WM_PRECISION_NONE, 0},  /* estimated */
    {"S2R", 20, 1, WM_PRECISION_NONE, 0},   /* estimated */
    {"S2UR", 20, 1, WM_PRECISION_NONE, 0},  /* estimated */
    {"LDC", 20, 1, WM_PRECISION_NONE, 0},   /* estimated */
    {"HMMA", 16, 1, WM_PRECISION_NONE, 0},  /* estimated */
    {"IMMA", 16, 1, WM_PRECISION_NONE, 0},  /* estimated */
    {"DMMA", 16, 2, WM_PRECISION_NONE, 0},  /* estimated */
    {"R2UR", 8, 1, WM_PRECISION_NONE, 0},   /* estimated */
    {"REDUX", 20, 1, WM_PRECISION_NONE, 0}, /* estimated */
};

/* Shape words of warp-wide matrix instructions: one m x n x k product, and
 * the registers of its operands A and B. */
typedef struct shape_row {
    const char *word;
    uint32_t m, n, k;
    uint8_t n_a_regs, n_b_regs;
} shape_row;

static const shape_row shape_rows[] = {
    {"884", 8, 8, 4, 2, 2},     {"1684", 16, 8, 4, 2, 1},
    {"1688", 16, 8, 8, 2, 1},   {"16816", 16, 8, 16, 4, 2},
    {"16832", 16, 8, 32, 4, 2}, {"16864", 16, 8, 64, 4, 2},
    {"8816", 8, 8, 16, 1, 1},   {"8832", 8, 8, 32, 1, 1},
};

typedef struct word {
    const char *text;
    size_t n_bytes;
} word;

static bool word_is(word w, const char *text)
{
    return strlen(text) == w.n_bytes && memcmp(w.text, text, w.n_bytes) == 0;
}

static bool word_starts(word w, const char *text)
{
    size_t n = strlen(text);
    return w.n_bytes >= n && memcmp(w.text, text, n) == 0;
}

static bool word_ends(word w, const char *text)
{
    size_t n = strlen(text);
    return w.n_bytes >= n && memcmp(w.text + w.n_bytes - n, text, n) == 0;
}

/* Cuts the next dotted word off *rest; false when nothing is left. */
static bool next_word(word *rest, word *out)
{
    if (rest->n_bytes == 0) {
        return false;
    }
    const char *dot = memchr(rest->text, '.', rest->n_bytes);
    out->text = rest->text;
    out->n_bytes = dot != NULL ? (size_t)(dot - rest->text) : rest->n_bytes;
    size_t n_used = out->n_bytes + (dot != NULL ? 1 : 0);
    rest->text += n_used;
    rest->n_bytes -= n_used;
    return true;
}

/* "64", "U8", "S16", "F64", "F16x2", "BF16x2": bytes; 0 = not a width. */
static uint8_t width_of(word w)
{
    static const uint32_t bits_known[] = {8, 16, 32, 64, 128, 256};
    size_t i = 0;
    uint32_t bits = 0;
    if (word_starts(w, "BF")) {
        i = 2;
    } else if (w.n_bytes > 0 && strchr("USFB", w.text[0]) != NULL) {
        i = 1;
    }
    size_t first = i;
    while (i < w.n_bytes && i < first + 3 && w.text[i] >= '0' &&
           w.text[i] <= '9') {
        bits = bits * 10 + (uint32_t)(w.text[i++] - '0');
    }
    uint32_t n_packed = 1;
    word tail = {w.text + i, w.n_bytes - i};
    if (word_is(tail, "x2") || word_is(tail, "X2") || word_is(tail, "_V2")) {
        n_packed = 2;
    } else if (word_is(tail, "x4") || word_is(tail, "X4")) {
        n_packed = 4;
    } else if (tail.n_bytes != 0) {
        return 0;
    }
    for (size_t k = 0; k < sizeof(bits_known) / sizeof(bits_known[0]); k++) {
        if (bits == bits_known[k] && bits / 8 * n_packed <= WM_WIDTH_MAX) {
            return (uint8_t)(bits / 8 * n_packed);
        }
    }
    return 0;
}

/* Width and cache operator from the suffixes of a memory opcode. */
static void parse_memory_suffixes(word rest, wm_opcode *out)
{
    word w;
    bool is_strong = false;
    while (next_word(&rest, &w)) {
        uint8_t width = width_of(w);
        if (width != 0) {
            out->width = width;
        } else if (word_is(w, "STRONG")) {
            is_strong = true;
        } else if (word_is(w, "BYPASS") || word_is(w, "CG") ||
                   (is_strong && (word_is(w, "GPU") || word_is(w, "SYS")))) {
            out->flags |= WM_FLAG_BYPASS_L1;
        } else if (word_is(w, "EF")) {
            out->flags |= WM_FLAG_EVICT_FIRST;
        }
    }
}

/* LDSM, STSM: 8, 16 or 32 lanes name a row of 16 bytes each, by the number of
 * matrices (PTX ISA, ldmatrix); ".16" is the element. */
static void parse_matrix_suffixes(word rest, wm_opcode *out)
{
    word w;
    uint8_t n_matrices = 1;
    while (next_word(&rest, &w)) {
        if (word_is(w, "4") || word_is(w, "2")) {
            n_matrices = (uint8_t)(w.text[0] - '0');
        }
    }
    out->width = 16;
    out->n_lanes_used = (uint8_t)(8 * n_matrices);
}

static bool parse_memory(word base, word rest, wm_opcode *out)
{
    for (size_t i = 0; i < sizeof(memory_rows) / sizeof(memory_rows[0]); i++) {
        if (word_is(base, memory_rows[i].base)) {
            out->kind = memory_rows[i].kind;
            out->is_generic = memory_rows[i].is_generic;
            if (word_ends(base, "SM")) {
                parse_matrix_suffixes(rest, out);
            } else {
                parse_memory_suffixes(rest, out);
            }
            return true;
        }
    }
    return false;
}

static void parse_shape(word base, word rest, wm_opcode *out)
{
    word w;
    bool is_fp32 = false;
    const shape_row *shape = NULL;
    while (next_word(&rest, &w)) {
        is_fp32 |= word_is(w, "F32");
        for (size_t i = 0; i < sizeof(shape_rows) / sizeof(shape_rows[0]);
             i++) {
            if (word_is(w, shape_rows[i].word)) {
                shape = &shape_rows[i];
            }
        }
    }
    if (shape == NULL) {
        return;
    }
    out->flops_tensor = 2 * shape->m * shape->n * shape->k;
    if (word_is(base, "HMMA") && shape->m == 8 && !is_fp32) {
        /* Volta issues a product with half results in two steps, not four. */
        out->flops_tensor *= 2;
    }
    if (!word_is(base, "DMMA")) {
        bool is_step = shape->m == 8;
        out->n_src_regs[0] = shape->n_a_regs;
        out->n_src_regs[1] = shape->n_b_regs;
        out->n_src_regs[2] = is_fp32 && !is_step ? 4 : 2;
        out->n_dst_regs = out->n_src_regs[2];
    }
}

static void parse_arithmetic(word base, word rest, wm_opcode *out)
{
    for (size_t i = 0; i < sizeof(arithmetic_rows) / sizeof(arithmetic_rows[0]);
         i++) {
        const arithmetic_row *row = &arithmetic_rows[i];
        if (word_is(base, row->base)) {
            out->latency_cycles = row->latency_cycles;
            memset(out->n_src_regs, row->n_regs, sizeof(out->n_src_regs));
            out->n_dst_regs = row->n_regs;
            out->precision = row->precision;
            out->flops_per_lane = row->flops_per_lane;
        }
    }
    if (word_ends(base, "MMA") && !word_is(base, "HGMMA")) {
        parse_shape(base, rest, out);
    }
    word w;
    while (next_word(&rest, &w)) {
        /* IMAD.WIDE, LDC.64, CS2R.64: the result is a register pair. */
        if (word_is(w, "WIDE") || word_is(w, "64")) {
            out->n_dst_regs = 2;
        }
    }
}

static uint8_t guess_kind(word base)
{
    return word_starts(base, "ST")     ? WM_KIND_GLOBAL_STORE
           : word_starts(base, "ATOM") ? WM_KIND_GLOBAL_ATOMIC
           : word_starts(base, "RED")  ? WM_KIND_GLOBAL_REDUCTION
                                       : WM_KIND_GLOBAL_LOAD;
}

void wm_opcode_parse(const char *text, size_t n_bytes, wm_opcode *out)
{
    word rest = {text, n_bytes};
    word base = {text, 0};
    memset(out, 0, sizeof(*out));
    (void)next_word(&rest, &base);
    out->kind = WM_KIND_GAP;
    out->guess = guess_kind(base);
    out->n_lanes_used = 32;
    out->latency_cycles = LATENCY_DEFAULT;
    if (parse_memory(base, rest, out)) {
        return;
    }
    memset(out->n_src_regs, 1, sizeof(out->n_src_regs));
    out->n_dst_regs = 1;
    if (word_is(base, "EXIT")) {
        out->kind = WM_KIND_EXIT;
    } else if (word_is(base, "BAR") && !word_starts(rest, "ARV")) {
        out->kind = WM_KIND_BARRIER;
    } else if (word_is(base, "DEPBAR")) {
        out->waits_for_copies = true;
    } else if (word_is(base, "LDGDEPBAR")) {
        out->commits_copies = true;
    } else if (word_starts(base, "UTMA") || word_starts(base, "UBLK")) {
        out->is_tma = true;
    } else {
        parse_arithmetic(base, rest, out);
        /* In case the tracer gives an unknown opcode a width. */
        parse_memory_suffixes(rest, out);
    }
}
