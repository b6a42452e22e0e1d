/*
 * scratch_internal.h -- what one thread works with: lists of one window, which
 * serve all its SMs and partitions in turn from the same host cache lines, and
 * the boxes with what its SMs send and its partitions answer.
 *
 * Threads hold rising shares of SMs and partitions and fill their boxes in that
 * order; who empties a box goes through the threads in order: the order of
 * messages does not depend on the number of threads.
 */
#ifndef WM_ENGINE_SCRATCH_INTERNAL_H
#define WM_ENGINE_SCRATCH_INTERNAL_H

#include "base/bits.h"
#include "engine/message_internal.h"
#include "model/cache/cache_state.h"

#define WM_WINDOW_WORDS (WM_WINDOW_MAX / 64)

typedef struct wm_scratch {
    /* events of the SM at work: a mask of warps per cycle */
    uint64_t bucket[WM_WINDOW_MAX];
    uint64_t bucket_busy[WM_WINDOW_WORDS];
    /* the SM's replies, or the partition's requests, in lists by cycle */
    const wm_reply **reply;
    const wm_request **request;
    wm_ref *place;  /* of each request's line at its slice */
    uint32_t *link; /* next of the same cycle */
    size_t n_items; /* that there is room for in all of these */
    size_t cap_reply, cap_request, cap_place, cap_link;
    uint32_t head[WM_WINDOW_MAX], tail[WM_WINDOW_MAX];
    uint64_t busy[WM_WINDOW_WORDS];
    /* filled in one phase, emptied in the next */
    wm_request_box *to_partition; /* [n_partitions] */
    wm_reply_box *to_sm;          /* [n_sms] */
} wm_scratch;

/* Appends item n to the list of a cycle of the window. */
static inline void wm_scratch_list(wm_scratch *scratch, uint32_t at, uint32_t n)
{
    const uint64_t bit = UINT64_C(1) << (at % 64);
    scratch->link[n] = WM_NO_ITEM;
    if ((scratch->busy[at / 64] & bit) == 0) {
        scratch->busy[at / 64] |= bit;
        scratch->head[at] = n;
    } else {
        scratch->link[scratch->tail[at]] = n;
    }
    scratch->tail[at] = n;
}

/* Room for n replies or requests; false: no memory. */
bool wm_scratch_grow(wm_scratch *scratch, size_t n);

static inline bool wm_scratch_room(wm_scratch *scratch, size_t n)
{
    return n <= scratch->n_items || wm_scratch_grow(scratch, n);
}

#endif
