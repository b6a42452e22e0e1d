/*
 * port.c -- slots in turns, a round at a time.
 */
#include "engine/port_internal.h"

#include <string.h>

static void port_find_first(wm_ports *ports, wm_port *port)
{
    const wm_claim *claims = ports->claim;
    uint32_t first = 0;
    for (uint32_t i = 1; i < port->n; i++) {
        if (claims[port->ring[i]].end < claims[port->ring[first]].end) {
            first = i;
        }
    }
    port->first = first;
}

/* The first is through at `cycle`. */
static void port_take_off(wm_ports *ports, wm_port *port, uint64_t cycle)
{
    const uint32_t warp = port->ring[port->first];
    port->round = ports->claim[warp].end - 1;
    port->at = port->first;
    ports->claim[warp].end = cycle;
    ports->claimed &= ~(UINT64_C(1) << warp);
    port->n--;
    memmove(port->ring + port->at, port->ring + port->at + 1,
            port->n - port->at);
    if (port->at == port->n) {
        port->at = 0;
        port->round++;
    }
    port_find_first(ports, port);
}

void wm_port_deal_out(wm_ports *ports, uint32_t index, uint64_t cycle)
{
    wm_port *port = &ports->port[index];
    uint64_t n_slots = cycle - port->now;
    port->now = cycle;
    while (port->n != 0) {
        const uint64_t n_rounds =
            ports->claim[port->ring[port->first]].end - 1 - port->round;
        const uint64_t n_first =
            n_rounds * port->n + port->first + 1 - port->at;
        if (n_slots < n_first) {
            const uint64_t n = port->at + n_slots;
            port->round += n / port->n;
            port->at = (uint32_t)(n % port->n);
            return;
        }
        n_slots -= n_first;
        port_take_off(ports, port, cycle - n_slots);
    }
    ports->free[index] = cycle - n_slots;
}

static uint32_t port_place(const wm_port *port, uint32_t warp)
{
    const uint8_t *place = memchr(port->ring, (int)warp, port->n);
    return (uint32_t)(place - port->ring);
}

void wm_port_claim(wm_ports *ports, uint32_t warp, uint64_t cycle)
{
    const uint32_t index = ports->of_warp[warp];
    wm_port *port = &ports->port[index];
    wm_claim *claim = &ports->claim[warp];
    wm_port_deal(ports, index, cycle);
    claim->due = cycle + claim->n_slots;
    if ((ports->claimed >> warp & 1) != 0) {
        claim->end += claim->n_slots;
        port_find_first(ports, port);
        return;
    }
    if (port->n == 0) {
        port->now = ports->free[index] > cycle ? ports->free[index] : cycle;
        port->round = 0;
        port->at = 0;
    }
    memmove(port->ring + port->at + 1, port->ring + port->at,
            port->n - port->at);
    port->ring[port->at++] = (uint8_t)warp;
    port->n++;
    ports->claimed |= UINT64_C(1) << warp;
    claim->end = port->round + 1 + claim->n_slots;
    if (port->n == 1) {
        port->at = 0;
        port->round++;
        port->first = 0;
        return;
    }
    const uint32_t place = port->at - 1;
    port->first += port->first >= place;
    const uint64_t first = ports->claim[port->ring[port->first]].end;
    if (claim->end < first || (claim->end == first && place < port->first)) {
        port->first = place;
    }
}

uint64_t wm_port_expect(const wm_ports *ports, uint32_t warp)
{
    const wm_port *port = &ports->port[ports->of_warp[warp]];
    const uint64_t end = ports->claim[warp].end;
    const uint32_t place = port_place(port, warp);
    uint64_t n_slots = 0;
    for (uint32_t i = 0; i < port->n; i++) {
        const uint64_t other = ports->claim[port->ring[i]].end;
        const uint64_t last = end - (i > place);
        n_slots += (other < last ? other : last) - port->round - (i < port->at);
    }
    return port->now + n_slots;
}
