/*
 * footprint.h -- which pages of memory a trace touches.
 *
 * Units      pages of WM_FOOTPRINT_PAGE bytes, the granule of the answer.
 * Ownership  all zero before use, fini after.
 * Errors     false when memory is short.
 * Cost       some ns per page and access; 16 bytes per page touched at most.
 */
#ifndef WM_CLI_FOOTPRINT_H
#define WM_CLI_FOOTPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WM_FOOTPRINT_PAGE UINT64_C(4096)

typedef struct wm_footprint {
    uint64_t *slots; /* page number + 1; 0 = free */
    size_t n_slots;  /* a power of two */
    uint64_t n_pages;
    uint64_t last; /* page number + 1 that was added last */
} wm_footprint;

/* The pages of the bytes first .. first + n_bytes - 1; n_bytes > 0. */
bool wm_footprint_add(wm_footprint *footprint, uint64_t first,
                      uint64_t n_bytes);
/* Adds every page of the other. */
bool wm_footprint_join(wm_footprint *footprint, const wm_footprint *other);
void wm_footprint_clear(wm_footprint *footprint);
void wm_footprint_fini(wm_footprint *footprint);

#endif
