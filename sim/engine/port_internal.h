/*
 * port_internal.h -- the issue port of one scheduler: which warp issues when.
 *
 * A record stands for the arithmetic before it, too.  Gaps of up to
 * WM_SHORT_SLOTS issue in one go when their turn comes, first come, first
 * served.  Longer ones are claims: the port deals its slots out to them in
 * turns, one each, as a scheduler does with single instructions, and whatever
 * comes meanwhile takes turns with them.
 *
 * The turns are reckoned, not played.  The ring holds the warps in order of
 * turns; a round gives a slot to each.  A warp that wants n slots is through n
 * rounds later, so the time of the next to be through is one product, and until
 * a warp is through each other has had as many slots as it, or all it wanted.
 * What comes is put behind those that have had no turn for the longest time.
 *
 * Not modelled  pauses within a claim: see wm_port_rest().
 * Units         cycles of the SM; slots are cycles of the port.
 * Cost          constant, but for each claim that comes or ends a pass over the
 *               ring's bytes.
 */
#ifndef WM_ENGINE_PORT_INTERNAL_H
#define WM_ENGINE_PORT_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/message_internal.h"

#define WM_SHORT_SLOTS 8u
/* Between arithmetic and what needs its result: 4 cycles of latency, less the
 * slot itself. */
#define WM_PAUSE_CYCLES 3u
#define WM_PORTS_MAX    16u

/* What a warp wants of its port. */
typedef struct wm_claim {
    uint64_t end; /* the round it is through after; then, the cycle */
    uint64_t due; /* cycle it would have had its slots by, alone */
    uint32_t n_slots;
    uint32_t n_pause; /* cycles its warp pauses between them */
} wm_claim;

typedef struct wm_port {
    uint64_t now;   /* slots before it are dealt out */
    uint64_t round; /* rounds done */
    uint32_t n;     /* in the ring */
    uint32_t at;    /* whose turn it is; those before have had theirs */
    uint32_t first; /* the next to be through */
    uint8_t ring[WM_WARPS_MAX];
} wm_port;

/* The ports of one SM. */
typedef struct wm_ports {
    uint64_t claimed;              /* warps with a claim, of all ports */
    uint64_t free[WM_PORTS_MAX];   /* without claims: cycle from which slots
                                      are left */
    uint8_t of_warp[WM_WARPS_MAX]; /* index of its port */
    wm_port port[WM_PORTS_MAX];
    wm_claim claim[WM_WARPS_MAX];
} wm_ports;

/* The warp wants n_slots of its claim from `cycle` on, on top of what it may
 * still be waiting for. */
void wm_port_claim(wm_ports *ports, uint32_t warp, uint64_t cycle);
/* Deals out the slots before `cycle`; there are claims and slots. */
void wm_port_deal_out(wm_ports *ports, uint32_t index, uint64_t cycle);
/* When a claim is fulfilled if nothing else comes. */
uint64_t wm_port_expect(const wm_ports *ports, uint32_t warp);

static inline void wm_port_deal(wm_ports *ports, uint32_t index, uint64_t cycle)
{
    if (ports->port[index].n != 0 && cycle > ports->port[index].now) {
        wm_port_deal_out(ports, index, cycle);
    }
}

/* The cycle by which the warp has its slots, as known at `cycle`. */
static inline uint64_t wm_port_end(wm_ports *ports, uint32_t warp,
                                   uint64_t cycle)
{
    wm_port_deal(ports, ports->of_warp[warp], cycle);
    return (ports->claimed >> warp & 1) == 0 ? ports->claim[warp].end
                                             : wm_port_expect(ports, warp);
}

/*
 * The pauses that are left when a claim has had its slots at `end`.  Among n
 * claims a turn comes every n cycles, which hides n - 1 cycles of a pause.
 * Pauses are taken as WM_PAUSE_CYCLES long each, as longer ones where there
 * are not slots enough between them.
 */
static inline uint64_t wm_port_rest(const wm_claim *claim, uint64_t end)
{
    const uint64_t n_lost = end > claim->due ? end - claim->due : 0;
    const uint64_t n_pause = claim->n_pause;
    if (n_lost == 0 || n_pause == 0) {
        return n_pause;
    }
    const uint64_t n_most = (uint64_t)claim->n_slots * WM_PAUSE_CYCLES;
    const uint64_t n_hidden =
        n_pause * n_lost / (n_pause > n_most ? n_pause : n_most);
    return n_hidden < n_pause ? n_pause - n_hidden : 0;
}

#endif
