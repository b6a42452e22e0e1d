/*
 * accelsim_write.h -- records back into Accel-Sim instruction lines: one warp
 * at a time, tracer version 5.
 *
 * A record is a memory instruction, a barrier or an exit; the gap before it is
 * made of instructions that take as many issue slots.  Loads write registers
 * in turn, and what waits for a load reads its register.  Read back, such a
 * text gives the records it was made of: addresses, masks, kinds and widths
 * exactly, waits and slots where the text can say them.
 *
 * Not modelled  cycles that no chain of instructions in the gap can explain;
 *               waits that need more registers than the gap has instructions
 *               take further instructions; a local or shared part of a generic
 *               access keeps its instruction only with the launch's windows.
 * Ownership     wm_accelsim_out holds two buffers: init, fini.
 * Errors        WM_EFORMAT for what the text cannot hold: 64 lanes, widths
 *               that are no power of two; WM_ENOMEM.
 * Cost          some 100 ns per line.
 */
#ifndef WM_TRACE_ACCELSIM_WRITE_H
#define WM_TRACE_ACCELSIM_WRITE_H

#include "base/buffer.h"
#include "base/status.h"
#include "trace/record.h"

/* Cycles that the next record's gap cannot make: a pause before one of its
 * lines, the first to the last. */
typedef struct wm_accelsim_ahead {
    uint32_t n_idle, first, last;
} wm_accelsim_ahead;

/* Asynchronous copies of the warp being made (accelsim_groups.h). */
typedef struct wm_accelsim_groups {
    bool *ends; /* by record: a group ends behind this copy */
    size_t cap_ends;
    bool is_used;         /* else copies write registers, like loads */
    bool is_due;          /* the end of a group is to be written */
    uint32_t n_ended;     /* groups so far */
    uint32_t n_open;      /* copies behind the last of them */
    uint32_t of_load[32]; /* of the youngest 32 loads, by number % 32 */
} wm_accelsim_groups;

typedef struct wm_accelsim_out {
    wm_buffer text;  /* what is to be written; the caller empties it */
    wm_buffer lines; /* of the warp being made */
    uint64_t n_lines;
    bool has_source_line;
    const wm_launch *launch;
    const wm_cta *cta;
    wm_work left;              /* work of the CTA not yet put into lines */
    uint32_t number;           /* in its warp, of the record being made */
    const wm_record *next;     /* in its warp */
    const wm_record *end;      /* of the warp */
    uint64_t pc;               /* its own */
    uint32_t source_line;      /* its own */
    uint32_t n_loads;          /* load-like records of the warp so far */
    uint32_t n_writes;         /* registers given to them */
    uint8_t load_register[32]; /* of the youngest 32 loads, by number % 32;
                                  0: a copy in a group */
    uint32_t chain_distance;   /* so many lines on the chain's register is
                                  read; 0: nothing is in it */
    wm_accelsim_ahead ahead;   /* for which there is no instruction yet */
    uint32_t n_made_ahead;     /* cycles of the next gap that have one */
    wm_accelsim_groups groups;
} wm_accelsim_out;

void wm_accelsim_out_init(wm_accelsim_out *out);
void wm_accelsim_out_fini(wm_accelsim_out *out);

/* The header of a kernel file; number from 1. */
wm_status wm_accelsim_out_head(wm_accelsim_out *out, const wm_launch *launch,
                               uint64_t number, wm_error *err);
/* A thread block. */
wm_status wm_accelsim_out_cta(wm_accelsim_out *out, const wm_launch *launch,
                              const wm_cta *cta, wm_error *err);

#endif
