/*
 * mailbox.c -- what an SM sends: requests into the partitions' boxes in the
 * order of their send times, or kept until the window that holds that time.
 *
 * The request port is a reservation server in 1/256 cycles.  Only what lies
 * beyond the window waits with the SM; it leaves at the front and the rest
 * moves up, so that the same host cache lines serve every window.
 */
#include <string.h>

#include "base/inline.h"
#include "engine/engine_internal.h"

/* Room for a request of the present window in its partition's box; NULL, with
 * the SM's status set, when there is no memory. */
static wm_request *mailbox_room(wm_sm *sm, uint32_t partition)
{
    wm_request_box *box = &sm->work->to_partition[partition];
    if (box->n == box->cap &&
        !wm_grow(&box->request, &box->cap, box->n + 1, sizeof(*box->request))) {
        sm->status = WM_ENOMEM;
        return NULL;
    }
    return &box->request[box->n++];
}

/* The word with where the bytes of a partial store are kept. */
static uint64_t mailbox_keep(const wm_params *params, wm_sm *sm, uint64_t word,
                             const uint64_t *bytes)
{
    const uint64_t payload = sm->n_payload++ & params->fifo_mask;
    sm->payload[payload][0] = bytes[0];
    sm->payload[payload][1] = bytes[1];
    return (word & ~UINT64_C(0xffff0000)) | payload << 16;
}

/* cost: the time the port takes for it. */
WM_INLINE void mailbox_send(const wm_params *params, wm_sm *sm, uint64_t word,
                            uint64_t cycle, uint64_t line, wm_spread_memo *memo,
                            uint64_t cost)
{
    const wm_route route = wm_route_of(params, line, memo);
    uint64_t start = cycle << 8;
    if (start < sm->request_free_q8) {
        start = sm->request_free_q8;
    }
    sm->request_free_q8 = start + cost;
    sm->n_sent++;
    wm_request *sent = NULL;
    uint32_t where = sm->id;
    if (start >> 8 < sm->end) {
        sent = mailbox_room(sm, route.partition);
        if (sent == NULL) {
            return;
        }
    } else {
        sent = &sm->fifo[sm->n_fifo++];
        where = route.partition;
    }
    sent->line = route.local;
    sent->word = word;
    sent->cycle = (uint32_t)(start >> 8);
    sent->sm = (uint16_t)where;
    sent->slice = (uint16_t)route.slice;
}

void wm_mailbox_ask(const wm_params *params, wm_sm *sm, uint64_t word,
                    uint64_t cycle, uint64_t line)
{
    mailbox_send(params, sm, word, cycle, line, &sm->slice_memo[0],
                 params->request_cost_q8);
}

void wm_mailbox_store(const wm_params *params, wm_sm *sm, uint64_t word,
                      uint64_t cycle, uint64_t line, const uint64_t *bytes)
{
    const uint64_t cost =
        params->store_cost_q8 * wm_popcount64((uint8_t)(word >> 40));
    if (bytes != NULL) {
        word = mailbox_keep(params, sm, word, bytes);
    }
    mailbox_send(params, sm, word, cycle, line, &sm->slice_memo[1], cost);
}

void wm_mailbox_open(wm_sm *sm)
{
    uint32_t n = 0;
    sm->n_sent = sm->n_fifo;
    while (n < sm->n_fifo &&
           (int32_t)(sm->fifo[n].cycle - (uint32_t)sm->end) < 0) {
        const wm_request *request = &sm->fifo[n++];
        wm_request *posted = mailbox_room(sm, request->partition);
        if (posted != NULL) {
            *posted = *request;
            posted->sm = (uint16_t)sm->id;
        }
    }
    sm->n_fifo -= n;
    if (sm->n_fifo != 0) {
        memmove(sm->fifo, sm->fifo + n, sm->n_fifo * sizeof(*sm->fifo));
    } else if (n == 0) {
        sm->n_payload = 0;
    }
}
