/*
 * arena.h -- many zeroed arrays out of one allocation, so that pages nobody
 * touches need not be made: the state of a very large cache is mostly such.
 *
 * Take everything twice with the same calls: from an arena without memory,
 * which only adds up, and, after wm_arena_open, for good.
 *
 * Ownership  the arena owns all that was taken from it; wm_arena_close frees
 *            it.
 * Errors     wm_arena_open: WM_ENOMEM.
 * Cost       taking is an addition.  Up to 64 MiB large pages are asked for
 *            (2 MiB), so that one touch makes 512 small ones.
 */
#ifndef WM_BASE_ARENA_H
#define WM_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

#define WM_ARENA_ALIGN 64u /* every array starts a host cache line */

typedef struct wm_arena {
    unsigned char *base; /* NULL: adding up */
    size_t used;         /* bytes */
    bool is_too_large;   /* more than the host can address */
    void *memory;
    size_t n_bytes; /* of memory */
} wm_arena;

/* n_elements x n_bytes zeroed bytes; NULL while adding up. */
void *wm_arena_take(wm_arena *arena, size_t n_elements, size_t n_bytes);

/* Allocates what was added up. */
wm_status wm_arena_open(wm_arena *arena, wm_error *err);
void wm_arena_close(wm_arena *arena); /* a zeroed struct is fine */

#endif
