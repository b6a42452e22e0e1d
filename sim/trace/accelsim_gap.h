/*
 * accelsim_gap.h -- instructions for the gap before a record: so many issue
 * slots, so many cycles in which none is taken.
 *
 * A cycle without a slot comes of an instruction that reads a result before it
 * is there: `latency` less the distance of the two.  The latencies are those
 * the reader knows (opcode.c).
 */
#ifndef WM_TRACE_ACCELSIM_GAP_H
#define WM_TRACE_ACCELSIM_GAP_H

#include "trace/accelsim_write.h"

#define WM_ACCELSIM_ALL_LANES UINT32_MAX
#define WM_CHAIN_REGISTER     6u

/* Registers that a line reads. */
typedef struct wm_sources {
    uint32_t n;
    uint8_t registers[33];
} wm_sources;

static inline void wm_accelsim_read(wm_sources *from, uint32_t number)
{
    from->registers[from->n++] = (uint8_t)number;
}

/* The chain's register, if it is this line that waits for it.  To be called
 * once for each line. */
void wm_accelsim_read_chain(wm_accelsim_out *out, wm_sources *from);

/* "[line] PC mask n [Rd] OPCODE n [Rs].." -- up to the width. */
void wm_accelsim_begin_line(wm_accelsim_out *out, uint32_t mask, uint32_t dst,
                            const char *opcode, const wm_sources *from);

/* How the cycles without a slot lie in a gap. */
typedef enum wm_accelsim_idle {
    WM_IDLE_WITHIN,   /* before its own slots only */
    WM_IDLE_ANYWHERE, /* before its slots and what comes next */
    WM_IDLE_AT_END    /* the longest pause before what comes next */
} wm_accelsim_idle;

/* n_slots instructions and n_idle further cycles, as far as chains can make
 * them. */
void wm_accelsim_add_gap(wm_accelsim_out *out, uint32_t n_slots,
                         uint32_t n_idle, wm_accelsim_idle where);
/* No result is longer under way. */
#define WM_ACCELSIM_AHEAD_MAX 16u
/* Announces the gap behind the record whose own gap is added next, and behind
 * n_between others: one that is too short for its cycles has them made now. */
void wm_accelsim_look_ahead(wm_accelsim_out *out, uint32_t n_slots,
                            uint32_t n_idle, wm_accelsim_idle where,
                            uint32_t n_between);
/* The same as wm_accelsim_add_gap() for one instruction that reads `from`;
 * takes off what it makes of *n_idle for the next line. */
void wm_accelsim_add_slot(wm_accelsim_out *out, const wm_sources *from,
                          uint32_t *n_idle);

#endif
