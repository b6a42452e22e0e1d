/*
 * issue_internal.h -- when a record gets its issue slots.  Gaps of a few slots
 * go the short way, here; the others are in issue.c.
 */
#ifndef WM_ENGINE_ISSUE_INTERNAL_H
#define WM_ENGINE_ISSUE_INTERNAL_H

#include "engine/sm_internal.h"

/* The warp's next event is at `cycle` (sm.c). */
void wm_sm_schedule(wm_sm *sm, uint32_t warp, uint64_t cycle);

/* Slots of the record's own instruction. */
static inline uint32_t wm_issue_own(const wm_record *record)
{
    return record->kind != WM_KIND_GAP;
}

/* True when the gap before the record is claimed: wm_issue_head() when it
 * begins. */
static inline bool wm_issue_is_long(const wm_record *record)
{
    return (uint32_t)record->head_slots + record->tail_slots > WM_SHORT_SLOTS;
}

/* A long gap begins at `cycle`.  The warp's next event is to be when its head
 * is over at the earliest, and what it waits for has come. */
void wm_issue_head(wm_sm *sm, uint32_t warp, const wm_record *record,
                   uint64_t cycle);

/* True when the record issues at `cycle`; else the warp comes back.  For any
 * gap, whatever the port does. */
bool wm_issue_turn(wm_sm *sm, uint32_t warp, const wm_record *record,
                   uint64_t cycle);

/* The same where the port has no claims: the gap may have had idle slots of the
 * recent past. */
static inline bool wm_issue_short(wm_sm *sm, uint32_t warp,
                                  const wm_record *record, uint64_t cycle)
{
    uint64_t *free = &sm->ports.free[sm->ports.of_warp[warp]];
    const uint64_t slots =
        (uint64_t)record->head_slots + (uint64_t)record->tail_slots;
    uint64_t start = cycle > slots ? cycle - slots : 0;
    start = (*free > start ? *free : start) + slots;
    uint64_t issue = start > cycle ? start : cycle;
    *free = issue + wm_issue_own(record);
    if (issue > cycle) {
        sm->warps[warp].issue = WM_ISSUE_GRANTED;
        wm_sm_schedule(sm, warp, issue);
        return false;
    }
    return true;
}

#endif
