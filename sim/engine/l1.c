/*
 * l1.c -- the L1 of one SM apart from look-ups, stores and replies: sectors
 * whose time has come, room for those who wait.
 */
#include "engine/engine_internal.h"

#include <stdlib.h>
#include <string.h>

void wm_l1_pass(wm_sm *sm, uint64_t cycle)
{
    const wm_release *releases = sm->releases;
    uint32_t head = sm->release_head;
    uint32_t n = sm->n_releases;
    for (; n != 0 && releases[head].cycle <= cycle; n--) {
        const wm_release *release = &releases[head];
        if (release->pending != 0) {
            sm->l1.blocks[release->state] &= (uint8_t)~release->pending;
        }
        head = (head + 1) & sm->release_mask;
    }
    sm->n_releases = n;
    sm->release_head = n != 0 ? head : 0; /* the same host cache lines again */
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
