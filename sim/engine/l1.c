/*
 * l1.c -- the L1 of one SM apart from look-ups: stores, replies that fill it,
 * sectors whose time has come.
 */
#include "engine/engine_internal.h"

#include <stdlib.h>
#include <string.h>

/* --- fills ---------------------------------------------------------------- */
/* Drops the eldest known return; its sectors are pending no more. */
static void l1_pass_one(wm_sm *sm)
{
    const wm_release *release = &sm->releases[sm->release_head];
    if (release->way != WM_NO_WAY) {
        *wm_cache_state_at(&sm->l1, release->set, release->way) &=
            (uint8_t) ~(release->sectors << 4);
    }
    sm->release_head = (sm->release_head + 1) & sm->release_mask;
    if (--sm->n_releases == 0) {
        sm->release_head = 0; /* the same host cache lines again */
    }
}

void wm_l1_pass(wm_sm *sm, uint64_t cycle)
{
    while (sm->n_releases != 0 &&
           sm->releases[sm->release_head].cycle <= cycle) {
        l1_pass_one(sm);
    }
}

/* The line's sectors of this request come at `cycle`. */
static void l1_settle_line(wm_sm *sm, const wm_mshr *mshr, uint32_t tag,
                           uint64_t cycle)
{
    wm_way *line = &sm->l1.line[(uint64_t)mshr->set * sm->l1.ways + mshr->way];
    if (!mshr->is_shared) {
        line->chain = WM_NO_INDEX;
        line->ready = cycle;
        return;
    }
    uint32_t *link = &line->chain;
    while (*link != tag) {
        link = &sm->mshrs[*link].next;
    }
    *link = mshr->next;
    line->ready = line->ready > cycle ? line->ready : cycle;
}

bool wm_l1_grow_waiters(wm_sm *sm)
{
    const uint32_t n = sm->n_waiters;
    wm_waiter *more = malloc(2 * (size_t)n * sizeof(*more));
    if (more == NULL) {
        sm->status = WM_ENOMEM;
        return false;
    }
    memcpy(more, sm->waiters, n * sizeof(*more));
    for (uint32_t i = n; i < 2 * n; i++) {
        more[i].next = i + 1;
    }
    more[2 * n - 1].next = sm->waiter_free_list;
    sm->waiter_free_list = n;
    free(sm->grown_waiters);
    sm->waiters = sm->grown_waiters = more;
    sm->n_waiters = 2 * n;
    sm->n_waiters_free += n;
    return true;
}

void wm_l1_reply(wm_sm *sm, const wm_reply *reply, uint64_t cycle)
{
    if (reply->is_ack) {
        wm_warp_acknowledge(sm, reply->tag, cycle);
        return;
    }
    wm_mshr *mshr = &sm->mshrs[reply->tag];
    wm_warp_return(sm, mshr->warp, mshr->slot, cycle);
    for (uint32_t w = mshr->waiters; w != WM_NO_INDEX;) {
        wm_waiter *waiter = &sm->waiters[w];
        uint32_t next = waiter->next;
        wm_warp_return(sm, waiter->warp, waiter->slot, cycle);
        waiter->next = sm->waiter_free_list;
        sm->waiter_free_list = w;
        sm->n_waiters_free++;
        w = next;
    }
    if (mshr->way != WM_NO_WAY) {
        /* wm_l1_pass will write it. */
        __builtin_prefetch(wm_cache_state_at(&sm->l1, mshr->set, mshr->way), 1);
        l1_settle_line(sm, mshr, reply->tag, cycle);
    }
    const wm_release released = {cycle, mshr->set, mshr->way, mshr->sectors, 0};
    mshr->next = sm->mshr_free_list;
    sm->mshr_free_list = reply->tag;
    sm->n_in_flight--;
    sm->releases[(sm->release_head + sm->n_releases) & sm->release_mask] =
        released;
    sm->n_releases++;
}
