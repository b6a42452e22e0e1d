/*
 * distil.h -- turns the instruction stream of one warp into records that carry
 * head, wait and tail (record.h): a scoreboard at import.
 *
 * Warps issue in order, one slot per instruction, and stall on use: an
 * instruction that reads or overwrites the register of a load in flight waits
 * for it, whether it touches memory or not.  Results of fixed-latency
 * instructions are ready after their latency, so a chain takes more cycles
 * than slots.
 *
 *     start a warp
 *     each instruction:  pass()   touches no memory
 *                        record() a memory access or barrier
 *     end of the warp:   finish() with the exit record
 *
 * A gap without a stall is cut in head and tail all the same at its longest
 * pause, if that is over WM_DISTIL_PAUSE_CYCLES: warps that share an issue port
 * come apart there (short pauses are hidden by what other warps issue).
 *
 * Several stalls before one record are joined to the first when they come
 * within WM_DISTIL_JOIN_SLOTS of it (4: against 32, files grow by 1 % at most
 * and an attention kernel's time is off by 0.1 % instead of 1.5); otherwise a
 * GAP record carries the first. With keeps_all nothing is joined: every
 * instruction is a record, of kind GAP when it touches no memory.
 *
 * Not modelled  predicate and uniform registers; a load more than 32 loads old
 *               is taken for the 32nd; after a stall, fixed-latency results
 *               are taken as ready.
 * Errors        false when memory is short.
 * Cost          some 10 ns per instruction, no allocation but the records.
 */
#ifndef WM_TRACE_DISTIL_H
#define WM_TRACE_DISTIL_H

#include "trace/record.h"

#define WM_DISTIL_JOIN_SLOTS   4u
#define WM_DISTIL_PAUSE_CYCLES 8u
#define WM_REGISTERS           256u /* R255 reads as zero: not tracked */
#define WM_USE_READS_MAX       16u
#define WM_USE_WRITES_MAX      4u
#define WM_PARTS_MAX           3u
#define WM_COPY_GROUPS         8u
#define WM_COPIES_NONE         255u

typedef struct wm_register_run {
    uint16_t first;
    uint16_t n; /* runs past R254 are cut there */
} wm_register_run;

/* What one instruction does to the registers. */
typedef struct wm_use {
    wm_register_run reads[WM_USE_READS_MAX];
    wm_register_run writes[WM_USE_WRITES_MAX];
    uint8_t n_reads, n_writes;
    uint8_t latency_cycles;
    uint8_t awaits_copies; /* until so many groups of ASYNC_COPY are in
                              flight (DEPBAR.LE); 0: none at all, not even
                              outside a group; WM_COPIES_NONE: does not wait */
    bool is_off;           /* no active lane: issues, waits, writes nothing */
} wm_use;

typedef struct wm_register_state {
    uint64_t ready; /* clock when a fixed-latency result can be read */
    uint32_t load;  /* number of the youngest load writing it; 0 = none */
    uint32_t n_parts;
} wm_register_state;

typedef struct wm_distil {
    uint64_t clock;     /* of the next issue slot, load returns not counted */
    uint32_t n_loads;   /* load-like records so far */
    uint32_t in_flight; /* bit i: the (i+1)-th youngest load is awaited */
    /* bit i: it is an ASYNC_COPY of [0] no group yet, [1] the youngest
     * group, ... the last: that group and all older ones. */
    uint32_t copies[WM_COPY_GROUPS];
    bool has_copies;
    uint32_t wait;
    bool keeps_all;     /* a record per instruction: set it behind init */
    uint32_t static_id; /* of pass()'s records when keeps_all */
    bool is_stalled;    /* past the stall point: cycles go to the tail */
    uint64_t pause;     /* that ends the head, if not a stall does; 0: none */
    uint64_t head_cycles, head_slots, tail_cycles, tail_slots;
    uint32_t n_touched; /* registers 0 .. n_touched-1 may be non-zero */
    wm_register_state registers[WM_REGISTERS];
} wm_distil;

void wm_distil_init(wm_distil *distil);
void wm_distil_start(wm_distil *distil);
bool wm_distil_pass(wm_distil *distil, wm_cta *cta, const wm_use *use);
/* The ASYNC_COPY records since the last call are a group (LDGDEPBAR). */
void wm_distil_commit(wm_distil *distil);
/*
 * Appends parts[0 .. n_parts-1], parts of one instruction, to cta->records;
 * the first carries the gap.  1 <= n_parts <= WM_PARTS_MAX.
 */
bool wm_distil_record(wm_distil *distil, wm_cta *cta, const wm_use *use,
                      wm_record *parts, uint32_t n_parts);
/* Appends the exit record with what is left over. */
bool wm_distil_finish(wm_distil *distil, wm_cta *cta, uint32_t static_id);

#endif
