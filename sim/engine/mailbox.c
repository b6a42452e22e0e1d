/*
 * mailbox.c -- what an SM sends: requests in the order of their send times,
 * kept until the window that holds that time is over, and dealt to the
 * partitions at its end.
 *
 * The request port is a reservation server in 1/256 cycles.  The box is an
 * array from which the window's requests leave at the front; the few that stay
 * move up, so that the same host cache lines serve every window.
 */
#include <string.h>

#include "engine/engine_internal.h"

bool wm_mailbox_is_full(const wm_params *params, const wm_sm *sm)
{
    return sm->n_fifo > params->fifo_mask;
}

void wm_mailbox_send(const wm_params *params, wm_sm *sm,
                     const wm_request *request, uint64_t cycle, uint64_t line,
                     const uint64_t *bytes)
{
    wm_route route = wm_route_of(params, line);
    wm_request *sent = &sm->fifo[sm->n_fifo];
    *sent = *request;
    sent->line = route.local;
    sent->partition = (uint16_t)route.partition;
    sent->slice = (uint16_t)route.slice;
    sent->payload = WM_NO_PAYLOAD;
    sent->cycle = (uint32_t)cycle;
    sm->n_fifo++;
    if (bytes != NULL) {
        sent->payload = (uint16_t)(sm->n_payload++ & params->fifo_mask);
        sm->payload[sent->payload][0] = bytes[0];
        sm->payload[sent->payload][1] = bytes[1];
    }
    if (params->is_counts) {
        return;
    }
    uint64_t start = cycle << 8;
    if (start < sm->request_free_q8) {
        start = sm->request_free_q8;
    }
    uint32_t cost =
        request->op == WM_OP_WRITE
            ? params->store_cost_q8 * wm_popcount64(request->sectors)
            : params->request_cost_q8;
    sent->cycle = (uint32_t)(start >> 8);
    sm->request_free_q8 = start + cost;
}

void wm_mailbox_post(const wm_params *params, wm_sm *sm)
{
    uint32_t n = 0;
    while (n < sm->n_fifo &&
           (int32_t)(sm->fifo[n].cycle - (uint32_t)sm->end) < 0) {
        n++;
    }
    sm->n_window = n;
    if (n == 0) {
        return;
    }
    for (uint32_t p = 0; p <= params->n_partitions; p++) {
        sm->first[p] = 0;
    }
    for (uint32_t k = 0; k < n; k++) {
        const wm_request *request = &sm->fifo[k];
        sm->first[request->partition + 1]++;
    }
    for (uint32_t p = 0; p < params->n_partitions; p++) {
        sm->first[p + 1] = (uint16_t)(sm->first[p + 1] + sm->first[p]);
    }
    /* first[p] runs ahead to first[p + 1] while placing, then is set back. */
    for (uint32_t k = 0; k < n; k++) {
        sm->order[sm->first[sm->fifo[k].partition]++] = (uint16_t)k;
    }
    for (uint32_t p = params->n_partitions; p > 0; p--) {
        sm->first[p] = sm->first[p - 1];
    }
    sm->first[0] = 0;
}

void wm_mailbox_release(wm_sm *sm)
{
    /* What stays moves to the front, so that the same few host cache lines
     * serve every window. */
    sm->n_fifo -= sm->n_window;
    if (sm->n_fifo != 0) {
        memmove(sm->fifo, sm->fifo + sm->n_window,
                sm->n_fifo * sizeof(*sm->fifo));
    } else {
        sm->n_payload = 0;
    }
    sm->n_window = 0;
}
