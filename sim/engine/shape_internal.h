/*
 * shape_internal.h -- what the front end remembers of an affine record
 * (front.c).
 */
#ifndef WM_ENGINE_SHAPE_INTERNAL_H
#define WM_ENGINE_SHAPE_INTERNAL_H

#include <stdint.h>

#define WM_SHAPE_LINES 32u

/* What the front end found for an affine record.  The next that differs by
 * whole lines only finds the same, at other lines. */
typedef struct wm_shape {
    uint64_t mask; /* 0: nothing is kept */
    uint64_t base;
    int32_t stride;
    uint32_t width;
    uint32_t n_entries, n_sectors, n_lines, n_transactions;
    uint32_t data; /* wavefronts */
    uint64_t line[WM_SHAPE_LINES];
    uint8_t sectors[WM_SHAPE_LINES];
    uint8_t full[WM_SHAPE_LINES];
} wm_shape;

#endif
