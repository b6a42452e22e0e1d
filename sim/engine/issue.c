/*
 * issue.c -- issue slots for the gaps that share their port in turns.
 *
 * A long gap is claimed when it begins.  Where its warp stops in between, for
 * loads or a long pause, the head is claimed first and the tail when that is
 * over, with the record's own slot.  Nothing is polled: a warp comes back when
 * its claim is fulfilled if nothing else comes, and then knows better.
 */
#include "engine/engine_internal.h"

static void issue_claim(wm_sm *sm, uint32_t warp, uint32_t n_slots,
                        uint32_t n_pause, uint64_t cycle)
{
    wm_claim *claim = &sm->ports.claim[warp];
    claim->n_slots = n_slots;
    claim->n_pause = n_pause;
    wm_port_claim(&sm->ports, warp, cycle);
}

void wm_issue_head(wm_sm *sm, uint32_t warp, const wm_record *record,
                   uint64_t cycle)
{
    uint32_t n_slots = record->head_slots;
    uint32_t n_pause = (uint32_t)record->head_cycles - n_slots;
    sm->warps[warp].issue = WM_ISSUE_TAIL;
    if (record->wait == 0 && record->tail_cycles == 0) {
        sm->warps[warp].issue = WM_ISSUE_CLAIMED;
        n_slots += wm_issue_own(record);
    } else if (record->wait == 0) {
        n_pause = 0; /* it ends the head: issue_head_end() */
    }
    if (n_slots != 0) {
        issue_claim(sm, warp, n_slots, n_pause, cycle);
    }
}

/* When the warp is through with what it has claimed, pauses included. */
static uint64_t issue_end(wm_sm *sm, uint32_t warp, uint64_t cycle)
{
    const uint64_t end = wm_port_end(&sm->ports, warp, cycle);
    return end + wm_port_rest(&sm->ports.claim[warp], end);
}

/* When the head is over, with the pause that ends it where no load is awaited;
 * at most `cycle` when that has been. */
static uint64_t issue_head_end(wm_sm *sm, uint32_t warp,
                               const wm_record *record, uint64_t cycle)
{
    if (record->head_slots == 0) {
        return cycle;
    }
    const uint32_t n_pause = (uint32_t)record->head_cycles - record->head_slots;
    return issue_end(sm, warp, cycle) + (record->wait == 0 ? n_pause : 0);
}

/* Claims what the record still needs. */
static void issue_claim_rest(wm_sm *sm, uint32_t warp, uint32_t n_slots,
                             uint32_t n_pause, uint64_t cycle)
{
    sm->warps[warp].issue = WM_ISSUE_GRANTED;
    if (n_slots != 0) {
        sm->warps[warp].issue = WM_ISSUE_CLAIMED;
        issue_claim(sm, warp, n_slots, n_pause, cycle);
    }
}

/* The earliest cycle at which the record can issue, as known at `cycle`. */
static uint64_t issue_due(wm_sm *sm, uint32_t warp, const wm_record *record,
                          uint64_t cycle)
{
    wm_warp *state = &sm->warps[warp];
    const uint32_t own = wm_issue_own(record);
    uint64_t due = cycle;
    if (state->issue == WM_ISSUE_HEAD) {
        wm_issue_head(sm, warp, record, cycle);
        due = cycle + record->head_cycles;
    } else if (state->issue == WM_ISSUE_TAIL) {
        due = issue_head_end(sm, warp, record, cycle);
        if (due <= cycle) {
            issue_claim_rest(sm, warp, record->tail_slots + own,
                             (uint32_t)record->tail_cycles - record->tail_slots,
                             cycle);
            due = cycle + record->tail_cycles;
        }
    } else if (state->issue == WM_ISSUE_SHORT) {
        issue_claim_rest(
            sm, warp, record->head_slots + record->tail_slots + own, 0, cycle);
    }
    if (state->issue == WM_ISSUE_CLAIMED && due <= cycle) {
        due = issue_end(sm, warp, cycle) - own;
    }
    return due;
}

bool wm_issue_turn(wm_sm *sm, uint32_t warp, const wm_record *record,
                   uint64_t cycle)
{
    wm_warp *state = &sm->warps[warp];
    const uint32_t port = sm->ports.of_warp[warp];
    wm_port_deal(&sm->ports, port, cycle);
    if (state->issue == WM_ISSUE_SHORT && sm->ports.port[port].n == 0) {
        return wm_issue_short(sm, warp, record, cycle);
    }
    const uint64_t due = issue_due(sm, warp, record, cycle);
    if (due > cycle) {
        wm_sm_schedule(sm, warp, due);
        return false;
    }
    state->issue = WM_ISSUE_SHORT;
    return true;
}
