/*
 * quads.h -- cycles of an L1 that looks up four addresses at a time (AMD
 * CDNA), where others take a warp at once (tag_banks.c, banks.h).
 *
 * Rule: 16 lanes of up to 4 bytes are four quads of neighbours.  When the lanes
 * of each quad stand side by side, or on one address, a quad is one address and
 * the 16 lanes are one step.  Otherwise they are four steps, of lane k of every
 * quad.  Wider lanes go by fours of neighbours.  A step takes as many cycles
 * as one of n_tags tag banks (line mod n_tags) has distinct lines, or one of
 * the 16 data banks of 4 bytes has distinct words, whichever is more.  Steps
 * add; one without an active lane takes none.
 *
 * From the strides and blocks of gpu-benches on an MI210 (docs/MODEL.md).
 *
 * Cost  O(lanes), no allocation.
 */
#ifndef WM_MODEL_QUADS_H
#define WM_MODEL_QUADS_H

#include "model/access.h"

typedef struct wm_quads {
    uint32_t n_tags;     /* 1..64 */
    uint32_t line_bytes; /* a power of two, what one tag covers */
} wm_quads;

/* L1 cycles of the access; 0 for mask 0. */
uint32_t wm_quad_cycles(const wm_quads *quads, const wm_access *access);

#endif
