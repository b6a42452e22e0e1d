/*
 * reuse.h -- LRU stack distances of one cache unit, by sector.
 *
 * A sectored LRU cache of C lines holds sector s of line L if and only if, at
 * each access to L since s was last made valid, fewer than C other lines had
 * been used since the access to L before.  So the *reach* of a sector is the
 * largest line distance over those accesses, and the access hits in every
 * cache of more lines than the reach: one pass serves all sizes (Mattson,
 * Gecsei, Slutz and Traiger, IBM Systems Journal 9(2), 1970).
 *
 * Line distances are counted with one bit per access time, set for the last
 * access of each line: a distance is the number of bits above a line's own.
 * Bits are summed by a Fenwick tree over blocks of 512.
 *
 * Units      distances in lines, 0 = the line used last.
 * Ownership  init/fini.
 * Errors     calls return false when memory is short.
 * Threads    one thread at a time.
 * Cost       O(log) per access with a small constant; 32 B per line at a load
 *            of at most 3/4, and 2 to 4 bits per line.
 */
#ifndef WM_STUDY_REUSE_H
#define WM_STUDY_REUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WM_REUSE_SECTORS 4u
#define WM_REUSE_NEVER   UINT32_MAX /* reach of a sector that is not valid */

typedef struct wm_reuse_line {
    uint64_t line;
    uint32_t position; /* of its bit */
    uint32_t is_used;  /* the place in the table is taken */
    uint32_t reach[WM_REUSE_SECTORS];
} wm_reuse_line;

typedef struct wm_reuse {
    wm_reuse_line *table;
    uint32_t mask; /* places - 1 */
    uint32_t n_lines;
    uint64_t *bits;
    uint32_t *sums; /* Fenwick tree over blocks */
    uint32_t n_blocks;
    uint32_t next; /* position of the next access */
} wm_reuse;

void wm_reuse_init(wm_reuse *reuse);
void wm_reuse_fini(wm_reuse *reuse);
/* Forgets every line, keeps the memory. */
void wm_reuse_clear(wm_reuse *reuse);

/* Whether the line has been touched since it was last cleared. */
bool wm_reuse_has(const wm_reuse *reuse, uint64_t line);

/*
 * Makes the line the last used one and raises the reach of its sectors by its
 * distance.  The place is valid until the next call; NULL when memory is
 * short.  What is made valid now gets reach 0 from the caller.
 */
wm_reuse_line *wm_reuse_touch(wm_reuse *reuse, uint64_t line);

#endif
