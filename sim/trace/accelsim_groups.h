/*
 * accelsim_groups.h -- waits for asynchronous copies in Accel-Sim text: copies
 * are put into groups (LDGDEPBAR), and an instruction waits until so many
 * groups are left in flight (DEPBAR.LE).
 *
 * A group ends behind each copy that is the youngest of a wait.  A wait that
 * leaves out older copies cannot be said so; in such a warp copies write
 * registers, like loads.
 *
 * Limits  a wait leaves at most six groups in flight (the reader tells eight
 *         apart): a wait that leaves more waits for some of them too.
 */
#ifndef WM_TRACE_ACCELSIM_GROUPS_H
#define WM_TRACE_ACCELSIM_GROUPS_H

#include "trace/accelsim_gap.h"

/* Looks through the records of a warp before they are written.  False: out of
 * memory. */
bool wm_accelsim_groups_plan(wm_accelsim_out *out, const wm_record *records,
                             uint32_t n_records);
/* Whether a group's end has to be written in the gap before this record, which
 * has n_slots before what it waits for.  is_due: now, slots or not. */
bool wm_accelsim_groups_end(wm_accelsim_out *out, const wm_record *record,
                            uint32_t n_slots);
/* The end of a group, and the wait for the copies in `wait`; returns how many
 * instructions these are. */
void wm_accelsim_add_commit(wm_accelsim_out *out);
uint32_t wm_accelsim_add_await(wm_accelsim_out *out, uint32_t wait);
/* A copy was written: number `number` of the warp's records. */
void wm_accelsim_groups_copy(wm_accelsim_out *out, uint32_t number);

#endif
