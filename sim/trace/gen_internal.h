/*
 * gen_internal.h -- what gen.c and the patterns share.
 */
#ifndef WM_TRACE_GEN_INTERNAL_H
#define WM_TRACE_GEN_INTERNAL_H

#include "trace/gen.h"

#define WM_GEN_STATICS_MAX 6u

/* A warp being made. */
typedef struct wm_gen_warp {
    const wm_gen_params *params; /* every default resolved */
    wm_cta *cta;
    const wm_launch *launch;
    uint64_t number; /* in the launch: CTA x warps + warp */
    uint64_t n_total;
    uint64_t array_bytes; /* distance from one array to the next */
    uint32_t n_loads;     /* so far */
    bool is_failed;       /* memory was short */
} wm_gen_warp;

typedef struct wm_gen_pattern {
    const char *name;
    const char *summary;
    const char *kernel_name;
    bool is_square;       /* gemm: the grid comes from the size */
    bool is_forward;      /* the stride must be positive */
    int32_t stride_bytes; /* lane to lane; 0 = the width */
    uint64_t span_bytes;  /* 0 = what is touched */
    /* Kinds and base mnemonics of the static instructions; the last is EXIT. */
    struct {
        wm_kind kind;
        const char *opcode;
    } statics[WM_GEN_STATICS_MAX];
    void (*emit)(wm_gen_warp *warp);
} wm_gen_pattern;

extern const wm_gen_pattern wm_gen_patterns[];
extern const size_t wm_gen_n_patterns;

#endif
