/*
 * opcode.h -- what a SASS mnemonic says: space and kind of a memory access,
 * bytes per lane, cache operator, registers touched, floating-point work.
 *
 *     LDG.E.128.STRONG.GPU  ->  global load, 16 bytes, bypasses L1
 *     ^base ^suffixes
 *
 * Not modelled  texture and surface accesses, constant loads, TMA bulk copies:
 *               tracers record no lane addresses for them.
 * Units         width in bytes per lane; latency in SM cycles.
 * Threads       no state.
 */
#ifndef WM_TRACE_OPCODE_H
#define WM_TRACE_OPCODE_H

#include "trace/record.h"

typedef enum wm_precision {
    WM_PRECISION_NONE,
    WM_PRECISION_FP16,
    WM_PRECISION_FP32,
    WM_PRECISION_FP64
} wm_precision;

typedef struct wm_opcode {
    /* Memory kinds for known memory opcodes, BARRIER, EXIT; GAP for all
     * others. */
    uint8_t kind;
    uint8_t guess; /* memory kind to take when an unknown opcode has a width */
    uint8_t width; /* named by the suffixes; 0 = they name none */
    uint8_t flags; /* WM_FLAG_BYPASS_L1, WM_FLAG_EVICT_FIRST */
    bool is_generic;        /* LD, ST, ATOM: space by address */
    bool is_tma;            /* bulk copy: no lane addresses */
    bool waits_for_copies;  /* DEPBAR */
    bool commits_copies;    /* LDGDEPBAR */
    uint8_t n_lanes_used;   /* LDSM reads 8 addresses per matrix; else 32 */
    uint8_t latency_cycles; /* of the result of an instruction of fixed
                               latency */
    uint8_t n_dst_regs;     /* consecutive registers written; memory: 0 */
    uint8_t n_src_regs[3];  /* read from each source; memory: 0 */
    uint8_t precision;      /* wm_precision */
    uint8_t flops_per_lane;
    uint32_t flops_tensor; /* per warp instruction */
} wm_opcode;

/* Never fails: an unknown mnemonic is an instruction without memory. */
void wm_opcode_parse(const char *text, size_t n_bytes, wm_opcode *out);

/* Bytes per lane: the suffix's, else n_traced when it is a possible width,
 * else 4.  (Tracers guess; facts differ for LDSM, .S8, .F64.) */
static inline uint8_t wm_opcode_width(const wm_opcode *opcode,
                                      uint64_t n_traced)
{
    bool is_width = n_traced != 0 && n_traced <= WM_WIDTH_MAX &&
                    (n_traced & (n_traced - 1)) == 0;
    return opcode->width != 0 ? opcode->width
                              : (is_width ? (uint8_t)n_traced : 4);
}

#endif
