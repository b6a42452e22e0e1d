/*
 * spec.h -- a launch as its YAML file describes it: kernel, grid, block and
 * the arguments in the order of the kernel's parameters.  docs/TRACING.md
 * gives the keys.
 *
 *     kernel: saxpy
 *     source: saxpy.cl
 *     grid: [256]
 *     block: [256]
 *     args:
 *       n: 65536
 *       a: 2.0
 *       x: {type: float, count: 65536, fill: ramp 0 1}
 *
 * Ownership  wm_spec_fini frees all, after a failure too.
 * Errors     WM_ECONFIG "FILE:LINE:COLUMN: found, wanted", WM_EIO, WM_ENOMEM.
 */
#ifndef WM_TOOLS_SPEC_H
#define WM_TOOLS_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "config/yaml.h"

#define WM_SPEC_ARGS_MAX 64u

typedef enum wm_element {
    WM_ELEMENT_I8,
    WM_ELEMENT_U8,
    WM_ELEMENT_I16,
    WM_ELEMENT_U16,
    WM_ELEMENT_I32,
    WM_ELEMENT_U32,
    WM_ELEMENT_I64,
    WM_ELEMENT_U64,
    WM_ELEMENT_F32,
    WM_ELEMENT_F64
} wm_element;

uint32_t wm_element_bytes(wm_element element);

typedef enum wm_arg_kind {
    WM_ARG_SCALAR, /* a number, or one per launch */
    WM_ARG_BUFFER,
    WM_ARG_LOCAL /* OpenCL: work-group memory handed in by the host */
} wm_arg_kind;

typedef enum wm_fill {
    WM_FILL_NONE,   /* zeros, and no copy from the host */
    WM_FILL_RAMP,   /* a, a + b, a + 2 b ... up to limit */
    WM_FILL_RANDOM, /* integers (or reals) from a to b, both included */
    WM_FILL_RISING, /* 0, then each the one before plus random a to b */
    WM_FILL_VALUES, /* the list in `text` */
    WM_FILL_FILE    /* the bytes of the file named by `text` */
} wm_fill;

typedef struct wm_arg {
    char name[64];
    wm_arg_kind kind;
    uint32_t line, column;
    const char *text;    /* scalar: its values; or the fill's list or file */
    uint32_t n_launches; /* values of a scalar; 1 unless it is a list */
    wm_element element;
    wm_fill fill;
    bool is_copied; /* a filled buffer is a copy from the host */
    double a, b, limit;
    uint64_t seed;
    uint64_t n_bytes;
} wm_arg;

typedef struct wm_spec {
    const char *path; /* of the YAML file; the caller's */
    wm_yaml yaml;     /* holds the texts below */
    char *bytes;
    const char *kernel;
    uint32_t kernel_line, kernel_column;
    char *source;      /* path, resolved against the YAML file's folder */
    bool is_opencl;    /* else CUDA C++ */
    const char *flags; /* for the compiler, separated by ", " */
    uint32_t grid[3], block[3];
    uint32_t warp_size, sm_version, registers;
    uint64_t shared_bytes; /* dynamic */
    uint32_t n_launches;
    wm_arg args[WM_SPEC_ARGS_MAX];
    uint32_t n_args;
    uint32_t args_line, args_column;
} wm_spec;

/* source: NULL, or replaces the file's own `source`. */
wm_status wm_spec_load(const char *path, const char *source, wm_spec *out,
                       wm_error *err);
void wm_spec_fini(wm_spec *spec);

/* Shared memory that is not declared in the kernel: `shared`, then each
 * {local: ...} at a multiple of WM_SPEC_LOCAL_ALIGN. */
#define WM_SPEC_LOCAL_ALIGN 128u
uint64_t wm_spec_dynamic_bytes(const wm_spec *spec);

/* Value number i of a scalar's text, as a word; false when there is none. */
bool wm_spec_word(const char *text, uint32_t i, char *word, size_t n_word);

#endif
