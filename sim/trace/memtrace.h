/*
 * memtrace.h -- the lines of NVBit mem_trace print-outs.  Private to the trace
 * floor; format_memtrace.c puts them together.
 *
 * Ownership  words are views into the line.
 * Errors     a sentence without a place ("found ..., wanted ..."), or NULL.
 */
#ifndef WM_TRACE_MEMTRACE_H
#define WM_TRACE_MEMTRACE_H

#include "trace/record.h"
#include "trace/text_scan.h"

#define WM_MEMTRACE_LANES 32u

typedef enum wm_memtrace_kind {
    WM_MEMTRACE_OTHER, /* banner, program output: skipped */
    WM_MEMTRACE_LAUNCH,
    WM_MEMTRACE_ACCESS,
    WM_MEMTRACE_BARE, /* 0xDATA,0xADDRESS */
    WM_MEMTRACE_ALLOC /* alloc address : D, Size : D */
} wm_memtrace_kind;

typedef struct wm_memtrace_access {
    uint32_t cta[3];
    uint32_t warp;
    uint64_t pc;
    uint64_t n_traced; /* bytes per lane the tracer gave; 0 = none */
    wm_word opcode;
    uint32_t mask;
    uint64_t addresses[WM_MEMTRACE_LANES]; /* of the active lanes, in order */
} wm_memtrace_access;

wm_memtrace_kind wm_memtrace_classify(const char *line, size_t n_bytes);

/* Fills the numbers of a launch (its n_ctas and warps included); *name is a
 * view of the demangled name. */
const char *wm_memtrace_launch(const char *line, size_t n_bytes,
                               wm_launch *launch, wm_word *name);
/* place_only: only cta and warp, for counting. */
const char *wm_memtrace_access_line(const char *line, size_t n_bytes,
                                    bool place_only,
                                    wm_memtrace_access *access);
/* The address of a bare line, and the bytes its value has (4 or 32). */
const char *wm_memtrace_bare(const char *line, size_t n_bytes,
                             uint64_t *address, uint32_t *width_bytes);

#endif
