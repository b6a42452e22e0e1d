/*
 * test_port.c -- an issue port's slots in turns: reckoned by rounds as dealt
 * out one by one.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "engine/port_internal.h"

#define N_WARPS 16u

/* One queue; each cycle its first warp has a slot and goes to the back. */
typedef struct naive {
    uint32_t queue[N_WARPS];
    uint32_t n;
    uint64_t left[N_WARPS];
    uint64_t end[N_WARPS];
    uint64_t now;
} naive;

static void naive_run(naive *port, uint64_t cycle)
{
    for (; port->now < cycle; port->now++) {
        if (port->n == 0) {
            continue;
        }
        const uint32_t warp = port->queue[0];
        memmove(port->queue, port->queue + 1,
                --port->n * sizeof(port->queue[0]));
        if (--port->left[warp] != 0) {
            port->queue[port->n++] = warp;
        } else {
            port->end[warp] = port->now + 1;
        }
    }
}

static void naive_claim(naive *port, uint32_t warp, uint64_t n_slots)
{
    if (port->left[warp] == 0) {
        port->queue[port->n++] = warp;
    }
    port->left[warp] += n_slots;
}

static wm_ports *ports_new(void)
{
    return calloc(1, sizeof(wm_ports)); /* all warps at port 0 */
}

static void claim(wm_ports *ports, uint32_t warp, uint32_t n_slots,
                  uint64_t cycle)
{
    ports->claim[warp].n_slots = n_slots;
    ports->claim[warp].n_pause = 0;
    wm_port_claim(ports, warp, cycle);
}

Test(port, turns_are_as_dealt_out_one_by_one)
{
    for (uint64_t seed = 0; seed < 2000; seed++) {
        wm_ports *ports = ports_new();
        naive other = {0};
        uint64_t x = wm_mix64(seed + 1);
        uint64_t cycle = 0;
        for (uint32_t step = 0; step < 60; step++) {
            x = wm_mix64(x);
            const uint32_t warp = x % N_WARPS;
            const uint32_t n_slots = 1 + (x >> 8) % 40;
            cycle += (x >> 16) % 3 == 0 ? (x >> 20) % 50 : 0;
            naive_run(&other, cycle);
            claim(ports, warp, n_slots, cycle);
            naive_claim(&other, warp, n_slots);
        }
        naive expected = other;
        naive_run(&expected, cycle + 10000);
        for (uint32_t warp = 0; warp < N_WARPS; warp++) {
            cr_assert_eq(wm_port_end(ports, warp, cycle), expected.end[warp],
                         "seed %llu, warp %u: %llu, one by one %llu",
                         (unsigned long long)seed, warp,
                         (unsigned long long)wm_port_end(ports, warp, cycle),
                         (unsigned long long)expected.end[warp]);
        }
        wm_port_deal(ports, 0, cycle + 10000);
        cr_assert_eq(ports->claimed, 0);
        free(ports);
    }
}

Test(port, how_often_slots_are_dealt_out_changes_nothing)
{
    wm_ports *one = ports_new(), *other = ports_new();
    for (uint32_t warp = 0; warp < 5; warp++) {
        claim(one, warp, 10 + 7 * warp, warp);
        claim(other, warp, 10 + 7 * warp, warp);
    }
    for (uint64_t cycle = 5; cycle < 200; cycle++) {
        wm_port_deal(one, 0, cycle);
    }
    wm_port_deal(other, 0, 199);
    for (uint32_t warp = 0; warp < 5; warp++) {
        cr_assert_eq(one->claim[warp].end, other->claim[warp].end);
    }
    cr_assert_eq(one->free[0], other->free[0]);
    free(one);
    free(other);
}

Test(port, a_claim_that_is_alone_has_every_slot)
{
    wm_ports *ports = ports_new();
    claim(ports, 3, 20, 100);
    cr_assert_eq(wm_port_end(ports, 3, 100), 120);
    cr_assert_eq(wm_port_end(ports, 3, 130), 120);
    cr_assert_eq(ports->free[0], 120);
    free(ports);
}

Test(port, pauses_are_hidden_by_the_turns_of_others)
{
    /* 20 slots with 30 cycles of pauses, due at 20: alone all of them are
     * left, of two warps' turns a third is hidden, of four warps' all. */
    const wm_claim claim = {.due = 20, .n_slots = 20, .n_pause = 30};
    cr_assert_eq(wm_port_rest(&claim, 20), 30);
    cr_assert_eq(wm_port_rest(&claim, 40), 20);
    cr_assert_eq(wm_port_rest(&claim, 80), 0);
}
