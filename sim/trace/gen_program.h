/*
 * gen_program.h -- a kernel's accesses from a line of text, for `trace gen -e`:
 *
 *     load4 a + 4*gid; store4 b + 4*gid
 *     for i in 0..16 { load4 a + 4*rand(1M); fma 2 }
 *     if lane < 16 { lds8 8*lane } else { wait; red4 c }
 *
 * Each warp runs the program, its 32 lanes in step: values are 64-bit signed
 * numbers per lane, `if` takes the lanes for which it holds.  The text is
 * compiled to a list of operations on a stack.  docs/TRACE_FORMAT.md has the
 * grammar.
 *
 * Not modelled  what loads return: values never come from memory.  A store,
 *               atomic or reduction waits for the loads before it, a load only
 *               behind `wait`.
 * Units         addresses and widths in bytes.
 * Ownership     compile and free; statics belong to the program.
 * Errors        WM_EUSAGE "-e:LINE:COLUMN: found X, wanted Y", at compile time,
 *               or at run time (division by zero, bounds of a loop that differ
 *               between lanes); WM_ENOMEM.
 * Threads       one thread per program.
 * Repeatable    the same text, place and seed give the same records.
 * Cost          some 10 ns per operation and warp.  Text, operations, nesting
 *               and steps are bounded (WM_GEN_*_MAX).
 */
#ifndef WM_TRACE_GEN_PROGRAM_H
#define WM_TRACE_GEN_PROGRAM_H

#include "base/status.h"
#include "trace/record.h"

#define WM_GEN_LANES       32u
#define WM_GEN_TEXT_MAX    65536u
#define WM_GEN_OPS_MAX     16384u
#define WM_GEN_DEPTH_MAX   32u /* values on the stack, nested blocks */
#define WM_GEN_NAMES_MAX   64u
#define WM_GEN_STEPS_MAX   (UINT64_C(1) << 26) /* operations of one warp */
#define WM_GEN_ACCESS_MAX  512u                /* access statements */
#define WM_GEN_ARRAY_BYTES (UINT64_C(1) << 32) /* from array a to b, c, d */

typedef struct wm_gen_program wm_gen_program;

/* Where a warp stands. */
typedef struct wm_gen_place {
    uint64_t cta;
    uint32_t warp; /* of the CTA */
    uint64_t n_ctas;
    uint32_t n_warps;
    uint64_t base; /* of array a */
    uint64_t seed;
} wm_gen_place;

wm_status wm_gen_compile(const char *text, wm_gen_program **out, wm_error *err);
void wm_gen_program_free(wm_gen_program *program); /* NULL is fine */

/* The access statements in order, barriers and the exit last. */
const wm_static *wm_gen_program_statics(const wm_gen_program *program,
                                        uint32_t *n);

/* Appends the warp's records, the exit included, and its work. */
wm_status wm_gen_program_run(wm_gen_program *program, const wm_gen_place *place,
                             wm_cta *cta, wm_error *err);

#endif
