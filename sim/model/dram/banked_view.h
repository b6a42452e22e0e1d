/*
 * banked_view.h -- what the owner of a banked channel looks at between calls,
 * compiled into it: how far time is, which reads have their data.
 *
 * Units    ticks of the standard.
 * Threads  as the channel: one at a time.
 */
#ifndef WM_MODEL_DRAM_BANKED_VIEW_H
#define WM_MODEL_DRAM_BANKED_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/dram/banked_request.h"

typedef struct wm_banked wm_banked;

/* A read that was issued: when it has all its data. */
typedef struct wm_banked_done {
    int64_t tick;
    uint32_t token;
} wm_banked_done;

/* How every wm_banked begins. */
typedef struct wm_banked_view {
    int64_t next, now;    /* tick worth a look; looked at last */
    wm_banked_done *done; /* to be handed out, by tick, ring */
    size_t done_head, done_mask, n_done;
    wm_banked_request *offer; /* in front of the queues, ring */
    size_t offer_head, offer_mask, n_offers;
    uint64_t n_reads_open; /* pushed and not issued, offers aside */
} wm_banked_view;

static inline const wm_banked_view *wm_banked_look(const wm_banked *channel)
{
    return (const wm_banked_view *)(const void *)channel;
}

/* The last tick simulated. */
static inline uint64_t wm_banked_now(const wm_banked *channel)
{
    return (uint64_t)wm_banked_look(channel)->now;
}

/* The first tick after now at which a command may go or a request may be
 * admitted. */
static inline uint64_t wm_banked_next_step(const wm_banked *channel)
{
    return (uint64_t)wm_banked_look(channel)->next;
}

/* Reads known of that are yet to be handed out. */
static inline size_t wm_banked_n_done(const wm_banked *channel)
{
    return wm_banked_look(channel)->n_done;
}

/* The n-th of them, counted from 0; there is one. */
static inline const wm_banked_done *wm_banked_done_at(const wm_banked *channel,
                                                      size_t n)
{
    const wm_banked_view *view = wm_banked_look(channel);
    return &view->done[(view->done_head + n) & view->done_mask];
}

/* The tick at which the first of them has its data; else UINT64_MAX. */
static inline uint64_t wm_banked_next_done(const wm_banked *channel)
{
    return wm_banked_n_done(channel) == 0
               ? UINT64_MAX
               : (uint64_t)wm_banked_done_at(channel, 0)->tick;
}

/* Hands the first out; there is one. */
static inline wm_banked_done wm_banked_take(wm_banked *channel)
{
    wm_banked_view *view = (wm_banked_view *)(void *)channel;
    view->n_done--;
    return view->done[view->done_head++ & view->done_mask];
}

#endif
