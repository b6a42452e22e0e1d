/*
 * gen_program_internal.h -- the operations that gen_parse.c makes of a text
 * and gen_run.c carries out.
 *
 * Values live on a stack of vectors, one number per lane.  Masks live on a
 * stack of their own: the top one says which lanes take part.
 */
#ifndef WM_TRACE_GEN_PROGRAM_INTERNAL_H
#define WM_TRACE_GEN_PROGRAM_INTERNAL_H

#include "trace/gen_program.h"

typedef enum wm_gen_code {
    /* Two values become one. */
    WM_GEN_ADD,
    WM_GEN_SUB,
    WM_GEN_MUL,
    WM_GEN_DIV,
    WM_GEN_MOD,
    WM_GEN_SHL,
    WM_GEN_SHR,
    WM_GEN_AND,
    WM_GEN_OR,
    WM_GEN_XOR,
    WM_GEN_EQ,
    WM_GEN_NE,
    WM_GEN_LT,
    WM_GEN_LE,
    WM_GEN_GT,
    WM_GEN_GE,
    WM_GEN_BOTH,   /* && */
    WM_GEN_EITHER, /* || */
    WM_GEN_MIN,
    WM_GEN_MAX,
    /* One value becomes another. */
    WM_GEN_NEGATE,
    WM_GEN_INVERT,
    WM_GEN_NOT,
    WM_GEN_RAND,
    WM_GEN_HASH,
    WM_GEN_UNIFORM,  /* fails unless equal in all lanes that take part */
    WM_GEN_POSITIVE, /* ... and over 0 */
    /* Others. */
    WM_GEN_PUSH,    /* value */
    WM_GEN_GET,     /* a name's value: argument is its number */
    WM_GEN_SET,     /* pops; lanes that take part only */
    WM_GEN_SELECT,  /* pops b, a, condition; pushes condition ? a : b */
    WM_GEN_COPY,    /* pushes the top once more */
    WM_GEN_NARROW,  /* pops; the lanes where it is not 0 take part */
    WM_GEN_OTHERS,  /* the lanes that the last NARROW left out */
    WM_GEN_WIDEN,   /* back to the lanes before NARROW */
    WM_GEN_JUMP,    /* argument: to that operation */
    WM_GEN_SKIP,    /* jumps when no lane takes part */
    WM_GEN_UNTIL,   /* pops; jumps when it is 0 in a lane that takes part */
    WM_GEN_ACCESS,  /* pops the addresses; argument: static instruction */
    WM_GEN_BARRIER, /* argument: static instruction */
    WM_GEN_WAIT,    /* pops how many loads may stay in flight */
    WM_GEN_WORK,    /* pops how many instructions */
    WM_GEN_FMA      /* the same, of two operations per lane each */
} wm_gen_code;

typedef struct wm_gen_op {
    uint8_t code;
    uint32_t at; /* offset in the text, for messages */
    uint32_t argument;
    uint64_t value;
} wm_gen_op;

/* Names with a value of their own; gen_run.c sets them. */
typedef enum wm_gen_builtin {
    WM_GEN_NAME_LANE,
    WM_GEN_NAME_WARP,
    WM_GEN_NAME_CTA,
    WM_GEN_NAME_THREAD,
    WM_GEN_NAME_GID,
    WM_GEN_NAME_WARPS,
    WM_GEN_NAME_CTAS,
    WM_GEN_NAME_A,
    WM_GEN_NAME_B,
    WM_GEN_NAME_C,
    WM_GEN_NAME_D,
    WM_GEN_BUILTINS
} wm_gen_builtin;

typedef uint64_t wm_gen_vector[WM_GEN_LANES];

struct wm_gen_program {
    char *text;
    wm_gen_op *ops;
    size_t n_ops, cap_ops;
    wm_static statics[WM_GEN_ACCESS_MAX];
    char opcodes[WM_GEN_ACCESS_MAX][16];
    uint32_t n_statics;
    wm_gen_vector stack[WM_GEN_DEPTH_MAX];
    wm_gen_vector names[WM_GEN_NAMES_MAX];
    uint32_t masks[WM_GEN_DEPTH_MAX + 1u];
    uint32_t narrowed[WM_GEN_DEPTH_MAX + 1u]; /* taken by each NARROW */
};

/* "-e:LINE:COLUMN: sentence". */
wm_status wm_gen_fail(const wm_gen_program *program, uint32_t at,
                      const char *sentence, wm_error *err);

#endif
