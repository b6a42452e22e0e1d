/*
 * flow.h -- an order of a function's blocks in which lanes that part meet
 * again: every block stands before those it leads to, but for a loop's way
 * back; a loop's blocks stand together, its exits behind them.
 *
 * This is the weak topological order of Bourdoncle, "Efficient chaotic
 * iteration strategies with widenings" (FMPA 1993), figure 4.
 *
 * Ownership  the caller's arrays.
 * Errors     false when memory is short.
 * Cost       linear for reducible code, times the depth of the loops.
 */
#ifndef WM_TOOLS_FLOW_H
#define WM_TOOLS_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wm_flow {
    size_t n_blocks;
    const uint32_t *first; /* n_blocks + 1: block b leads to */
    const uint32_t *to;    /*     to[first[b] .. first[b + 1] - 1] */
} wm_flow;

#define WM_FLOW_MARK UINT32_C(0x80000000)

/*
 * Fills sequence, of 2 * n_blocks places, and *n: block numbers in order, and
 * header | WM_FLOW_MARK behind the last block of each loop that has more than
 * one.  Block 0 is the entry; what it does not reach is left out.
 */
bool wm_flow_order(const wm_flow *flow, uint32_t *sequence, size_t *n);

#endif
