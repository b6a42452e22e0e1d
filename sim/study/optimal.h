/*
 * optimal.h -- what a cache unit would miss if it knew the future.
 *
 * The line that leaves is the one used again latest (Belady, IBM Systems
 * Journal 5(2), 1966); every line that misses comes in.  By line no
 * replacement misses less; sectors that a resident line lacks miss as in any
 * sectored cache.
 *
 * Units      capacity in lines; misses in sectors.
 * Ownership  init/fini.
 * Errors     false when memory is short or the record is full.
 * Cost       14 bytes per recorded access; O(log capacity) per access and
 *            size.
 */
#ifndef WM_STUDY_OPTIMAL_H
#define WM_STUDY_OPTIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum wm_optimal_what {
    WM_OPTIMAL_READ,
    WM_OPTIMAL_WRITE, /* only `full` sectors become valid */
    WM_OPTIMAL_FILL,  /* not counted */
    WM_OPTIMAL_CLEAR
} wm_optimal_what;

typedef struct wm_optimal_access {
    uint32_t line; /* number by first appearance */
    uint8_t what;
    uint8_t sectors, full;
} wm_optimal_access;

typedef struct wm_optimal {
    wm_optimal_access *access;
    uint32_t *next; /* index of the next access to the line; made by finish */
    size_t n_accesses, cap_accesses;
    uint32_t n_lines;
    uint64_t *key; /* lines by number, hashed: line + 1, 0 = free */
    uint32_t *number;
    uint32_t mask;
} wm_optimal;

void wm_optimal_init(wm_optimal *optimal);
void wm_optimal_fini(wm_optimal *optimal);
/* line must be below 2^64 - 1. */
bool wm_optimal_add(wm_optimal *optimal, wm_optimal_what what, uint64_t line,
                    uint32_t sectors, uint32_t full);
/* After the last access: looks ahead. */
bool wm_optimal_finish(wm_optimal *optimal);
/* Sectors that a unit of n_lines lines misses, added to *n_misses. */
bool wm_optimal_misses(const wm_optimal *optimal, uint32_t n_lines,
                       uint64_t *n_misses);

#endif
