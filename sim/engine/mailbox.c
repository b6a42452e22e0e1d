/*
 * mailbox.c -- what an SM sends: requests into the partitions' boxes in the
 * order of their send times, or kept until the window that holds that time.
 *
 * The request port is a reservation server in 1/256 cycles.  Only what lies
 * beyond the window waits with the SM; it leaves at the front and the rest
 * moves up, so that the same host cache lines serve every window.
 */
#include <string.h>

#include "engine/engine_internal.h"

bool wm_mailbox_is_full(const wm_params *params, const wm_sm *sm)
{
    return sm->n_window + sm->n_fifo > params->fifo_mask;
}

/* Puts a request of the present window into its partition's box. */
static void mailbox_post(wm_sm *sm, const wm_request *request)
{
    wm_request_box *box = &sm->work->to_partition[request->partition];
    if (box->n == box->cap &&
        !wm_grow(&box->request, &box->cap, box->n + 1, sizeof(*box->request))) {
        sm->status = WM_ENOMEM;
        return;
    }
    wm_request *posted = &box->request[box->n++];
    *posted = *request;
    posted->sm = (uint16_t)sm->id;
    sm->n_window++;
}

void wm_mailbox_send(const wm_params *params, wm_sm *sm,
                     const wm_request *request, uint64_t cycle, uint64_t line,
                     const uint64_t *bytes)
{
    const wm_route route =
        wm_route_of(params, line, &sm->slice_memo[request->op == WM_OP_WRITE]);
    wm_request sent = *request;
    sent.line = route.local;
    sent.partition = (uint16_t)route.partition;
    sent.slice = (uint16_t)route.slice;
    sent.payload = WM_NO_PAYLOAD;
    if (bytes != NULL) {
        sent.payload = (uint16_t)(sm->n_payload++ & params->fifo_mask);
        sm->payload[sent.payload][0] = bytes[0];
        sm->payload[sent.payload][1] = bytes[1];
    }
    uint64_t start = cycle << 8;
    if (start < sm->request_free_q8) {
        start = sm->request_free_q8;
    }
    sm->request_free_q8 =
        start + (request->op == WM_OP_WRITE
                     ? params->store_cost_q8 * wm_popcount64(request->sectors)
                     : params->request_cost_q8);
    sent.cycle = (uint32_t)(start >> 8);
    if (start >> 8 < sm->end) {
        mailbox_post(sm, &sent);
    } else {
        sm->fifo[sm->n_fifo++] = sent;
    }
}

void wm_mailbox_open(wm_sm *sm)
{
    uint32_t n = 0;
    sm->n_window = 0;
    while (n < sm->n_fifo &&
           (int32_t)(sm->fifo[n].cycle - (uint32_t)sm->end) < 0) {
        mailbox_post(sm, &sm->fifo[n++]);
    }
    sm->n_fifo -= n;
    if (sm->n_fifo != 0) {
        memmove(sm->fifo, sm->fifo + n, sm->n_fifo * sizeof(*sm->fifo));
    } else if (n == 0) {
        sm->n_payload = 0;
    }
}
