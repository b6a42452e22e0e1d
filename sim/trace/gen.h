/*
 * gen.h -- launches of well-known access patterns, made CTA by CTA: inputs for
 * benchmarks, tests and the bundled sample, without a GPU.
 *
 *     wm_gen_params_init, set fields, wm_gen_open
 *     wm_gen_launch, then wm_gen_next_cta until *has_cta is false
 *     wm_gen_close
 *
 * Not modelled  instructions other than those that feed and use the accesses
 *               (two of address arithmetic before each).
 * Units         bytes; width per lane.
 * Ownership     open/close; launch and statics live until close.
 * Errors        WM_EUSAGE names the parameter, its value and its range;
 *               WM_ENOMEM.
 * Threads       one thread per generator; no shared state.
 * Repeatable    same parameters, same records, on every host.
 * Cost          memory: one CTA.
 */
#ifndef WM_TRACE_GEN_H
#define WM_TRACE_GEN_H

#include "base/status.h"
#include "trace/record.h"

#define WM_GEN_WARPS_MAX    32u
#define WM_GEN_ACCESSES_MAX (UINT32_C(1) << 20)

typedef struct wm_gen_params {
    const char *pattern;    /* one of wm_gen_pattern_name() */
    const char *expression; /* gen_program.h, instead of a pattern; or NULL:
                               then only CTAs, warps, base and seed count */
    uint64_t n_ctas;        /* gemm: ignored, size / 32 x size / n_warps */
    uint32_t n_warps;       /* per CTA */
    uint32_t n_accesses;    /* rounds of the pattern per warp; gemm: ignored */
    uint32_t width_bytes;
    int32_t stride_bytes; /* lane to lane; 0 = the pattern's own */
    uint64_t span_bytes;  /* of each array; 0 = as large as is touched, or
                             the pattern's own */
    uint64_t base;        /* address of the first array */
    uint64_t seed;        /* of the random patterns */
    bool is_dependent;    /* every load waits for the one before */
    uint32_t size;        /* gemm: rows and columns */
} wm_gen_params;

typedef struct wm_gen wm_gen;

/* 64 CTAs of 8 warps, 16 accesses of 4 bytes, base 0x7f0000000000, seed 1,
 * size 128; pattern "copy". */
void wm_gen_params_init(wm_gen_params *params);

/* Name and one sentence of pattern i; NULL behind the last. */
const char *wm_gen_pattern_name(size_t i);
const char *wm_gen_pattern_summary(size_t i);

wm_status wm_gen_open(const wm_gen_params *params, wm_gen **out, wm_error *err);
const wm_launch *wm_gen_launch(const wm_gen *gen);
/* Clears *cta first. */
wm_status wm_gen_next_cta(wm_gen *gen, wm_cta *cta, bool *has_cta,
                          wm_error *err);
void wm_gen_close(wm_gen *gen); /* NULL is fine */

#endif
