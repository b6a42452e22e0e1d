/*
 * record.h -- the logical trace: what a launch, a CTA and a warp's record are,
 * whatever file they came from.  ARCHITECTURE 4.1.
 *
 * A trace is a list of commands in order: memory copies and kernel launches.
 * A launch holds CTAs, a CTA holds warps, a warp is a run of records.  The
 * trace is *distilled*: instructions that touch no memory are not kept one by
 * one; what timing needs of them is in the small numbers of the next record.
 *
 * Execution of one record by the engine, in program order per warp:
 *     1. head_cycles pass (head_slots of them occupy the sub-core's issue port)
 *     2. the warp stalls until every load named in `wait` has returned; where
 *        none is named, cycles without a slot in the head are one pause here
 *        if there is a tail, else spread
 *     3. tail_cycles pass (tail_slots occupy the issue port)
 *     4. the record's own instruction issues (one slot; WM_KIND_GAP: none)
 * `wait` bit i names the (i+1)-th youngest load-like record before this one in
 * the same warp: kinds for which wm_kind_is_load() is true.
 *
 * Not modelled  instruction fetch, register bank conflicts, predicate and
 *               uniform registers (tracers do not record them).
 * Units         addresses in bytes, 64 bits, wrapping; cycles of the SM clock.
 * Ownership     see each struct.
 */
#ifndef WM_TRACE_RECORD_H
#define WM_TRACE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WM_LANES_MAX 64u /* AMD wave64; NVIDIA warps have 32 */
#define WM_WIDTH_MAX 32u /* bytes per lane (256-bit loads) */

/* Kinds of record.  The first seven go through the L1's memory pipeline, in
 * the order of the metric families l1.KIND.*; do not reorder. */
typedef enum wm_kind {
    WM_KIND_GLOBAL_LOAD,
    WM_KIND_GLOBAL_STORE,
    WM_KIND_GLOBAL_ATOMIC,    /* returns a value: ATOM, ATOMG */
    WM_KIND_GLOBAL_REDUCTION, /* returns nothing: RED */
    WM_KIND_LOCAL_LOAD,       /* addresses are per-thread, not interleaved */
    WM_KIND_LOCAL_STORE,
    WM_KIND_ASYNC_COPY, /* LDGSTS: the global side */
    WM_KIND_SHARED_LOAD,
    WM_KIND_SHARED_STORE,
    WM_KIND_SHARED_ATOMIC,
    WM_KIND_BARRIER, /* CTA-wide */
    WM_KIND_EXIT,    /* the warp's last record */
    WM_KIND_GAP,     /* no instruction: only head, wait, tail */
    WM_KIND_COUNT
} wm_kind;

#define WM_L1_KINDS 7u /* GLOBAL_LOAD .. ASYNC_COPY */

static inline bool wm_kind_is_load(wm_kind kind)
{
    return kind == WM_KIND_GLOBAL_LOAD || kind == WM_KIND_GLOBAL_ATOMIC ||
           kind == WM_KIND_LOCAL_LOAD || kind == WM_KIND_ASYNC_COPY ||
           kind == WM_KIND_SHARED_LOAD || kind == WM_KIND_SHARED_ATOMIC;
}

static inline bool wm_kind_is_memory(wm_kind kind)
{
    return kind <= WM_KIND_SHARED_ATOMIC;
}

/* The word used in metric ids and text traces: "global_load", "barrier"... */
const char *wm_kind_name(wm_kind kind);

/* How a record's lane addresses are stored. */
typedef enum wm_pattern {
    WM_PATTERN_AFFINE, /* lane i: base + (i - lowest active lane) * stride */
    WM_PATTERN_LIST32, /* n-th active lane: base + (int32_t)lanes[list + n] */
    WM_PATTERN_LIST64  /* n-th active lane: lanes[list + 2n] low half and
                          lanes[list + 2n + 1] high half of the address */
} wm_pattern;

/* Record flags. */
#define WM_FLAG_BYPASS_L1 1u /* .cg, .STRONG.GPU, .STRONG.SYS, .BYPASS */
#define WM_FLAG_CONTINUED                                                      \
    2u /* further part of a split generic access: same                         \
          instruction as the record before it */
#define WM_FLAG_EVICT_FIRST 4u

typedef struct wm_record {
    uint64_t base;
    uint64_t mask;      /* active lanes; 0 = all predicated off */
    uint32_t static_id; /* index into wm_launch.statics; WM_KIND_GAP: 0 */
    union {
        int32_t stride; /* WM_PATTERN_AFFINE */
        uint32_t list;  /* otherwise: index into wm_cta.lanes */
    } u;
    uint32_t wait;
    uint16_t head_cycles; /* >= head_slots */
    uint16_t head_slots;
    uint16_t tail_cycles;
    uint16_t tail_slots;
    uint8_t kind;    /* wm_kind */
    uint8_t width;   /* bytes per lane; 0 for barrier, exit, gap */
    uint8_t pattern; /* wm_pattern */
    uint8_t flags;
} wm_record; /* 40 bytes + padding; a gap over 65,535 takes GAP records */

/* One static instruction of a kernel, in order of first appearance. */
typedef struct wm_static {
    uint64_t pc;
    uint32_t line; /* source line; 0 = unknown */
    uint8_t kind;  /* wm_kind */
    uint8_t width;
    uint8_t flags;
    const char *opcode; /* owned by the reader until the next command */
} wm_static;

/* Executed instructions that are not records, and arithmetic, per CTA. */
typedef struct wm_work {
    uint64_t n_other;    /* warp instructions that are neither memory,
                            barrier nor exit... and exits themselves */
    uint64_t flops_fp16; /* lane operations; FMA counts 2 */
    uint64_t flops_fp32;
    uint64_t flops_fp64;
    uint64_t flops_tensor; /* 0 where the trace cannot tell */
} wm_work;

typedef struct wm_warp_span {
    uint32_t first; /* index into wm_cta.records */
    uint32_t n_records;
} wm_warp_span;

/*
 * One CTA.  The caller owns it; a reader fills it and may grow its arrays.
 * warps[w] is warp w of the CTA; a warp absent from the file has 0 records.
 */
typedef struct wm_cta {
    uint32_t id[3];
    uint32_t n_warps;
    wm_warp_span *warps;
    wm_record *records;
    uint32_t *lanes; /* pool for the LIST patterns */
    size_t n_records;
    size_t n_lanes;
    size_t cap_warps, cap_records, cap_lanes;
    wm_work work;
} wm_cta;

void wm_cta_init(wm_cta *cta);
void wm_cta_fini(wm_cta *cta);
void wm_cta_clear(wm_cta *cta); /* keeps the memory */

/* Address of active lane `lane` (bit set in record->mask).  Not for hot loops:
 * LIST costs a popcount. */
uint64_t wm_record_address(const wm_record *record, const uint32_t *lanes,
                           uint32_t lane);

/*
 * Stores the active lanes' addresses into the record in the smallest pattern:
 * AFFINE when the active lanes are equally spaced by lane number and the
 * stride fits 32 bits, LIST32 when every difference to the first does, else
 * LIST64.  addresses[n] belongs to the n-th active lane; mask and cta->lanes
 * must be set.  Returns false when memory is short.
 */
bool wm_record_set_addresses(wm_cta *cta, wm_record *record,
                             const uint64_t *addresses);

typedef struct wm_launch {
    const char *name; /* as in the file, any bytes; never NULL */
    uint32_t grid[3];
    uint32_t block[3];
    uint32_t shared_bytes; /* static + dynamic, per CTA */
    uint32_t registers;    /* per thread; 0 = unknown */
    uint32_t warp_size;    /* 32 or 64 */
    uint32_t sm_version;   /* 70, 80, 90 ...; 0 = unknown */
    uint64_t stream;
    uint64_t shared_base; /* generic-address windows; 0 = none */
    uint64_t local_base;
    uint64_t n_ctas;          /* grid product: what the header promises */
    uint32_t n_warps_per_cta; /* ceil(block product / warp_size) */
    const wm_static *statics; /* grows while CTAs are read: see reader.h */
    uint32_t n_statics;
    const char *where; /* file that holds the launch, for messages */
} wm_launch;

typedef enum wm_copy_kind {
    WM_COPY_HOST_TO_DEVICE,
    WM_COPY_DEVICE_TO_HOST,
    WM_COPY_DEVICE_TO_DEVICE,
    WM_COPY_SET
} wm_copy_kind;

typedef struct wm_copy {
    wm_copy_kind kind;
    uint64_t addr;
    uint64_t n_bytes;
} wm_copy;

#endif
