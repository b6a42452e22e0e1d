/*
 * access.h -- one warp-level memory access, as the coalescer and the banks
 * see it: the addresses of the active lanes, in closed form where possible.
 *
 * Units      bytes; addresses are 64 bits and wrap.
 * Ownership  a view: lanes belongs to the trace.
 */
#ifndef WM_MODEL_ACCESS_H
#define WM_MODEL_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#define WM_ACCESS_LANES_MAX 64u

typedef enum wm_access_form {
    WM_ACCESS_AFFINE, /* lane i: base + (i - lowest active lane) * stride */
    WM_ACCESS_LIST32, /* n-th active lane: base + (int32_t)lanes[n] */
    WM_ACCESS_LIST64, /* n-th active lane: lanes[2n] | lanes[2n + 1] << 32 */
    WM_ACCESS_WRITTEN /* n-th active lane: addresses[n] */
} wm_access_form;

typedef struct wm_access {
    uint64_t base;
    uint64_t mask; /* active lanes */
    int64_t stride;
    union {
        const uint32_t *lanes;     /* LIST forms */
        const uint64_t *addresses; /* WRITTEN */
    };
    uint32_t width;    /* bytes per lane, 1 to 32 */
    uint32_t form;     /* wm_access_form */
    bool is_scattered; /* known: every lane begins in a line of its own */
} wm_access;

/* Writes the active lanes' addresses in lane order; returns how many. */
uint32_t wm_access_expand(const wm_access *access,
                          uint64_t addresses[WM_ACCESS_LANES_MAX]);

/* The same where they may already be written: the active lanes' addresses, in
 * `room` if need be; *n of them. */
const uint64_t *wm_access_addresses(const wm_access *access,
                                    uint64_t room[WM_ACCESS_LANES_MAX],
                                    uint32_t *n);

#endif
