/*
 * warpmem_drain.h -- per-warp accesses, as warpmem_trace.cuh sends them from a
 * GPU, into a .wmt file.  C and C++; needs no CUDA, so it is tested without.
 *
 * The ring: the GPU writes slots in the order of its tickets, the host reads
 * them in that order.  A slot is whole once its sequence is its ticket + 1.
 *
 *     wm_drain_open
 *         wm_drain_launch, wm_drain_add ..., wm_drain_launch_end   per launch
 *     wm_drain_close
 *
 * Not modelled  instructions between accesses: a trace gives counts, and the
 *               time that bandwidth allows; each warp ends with an exit that
 *               waits for its loads.
 * Ownership     open/close; texts are copied.
 * Errors        0 is success; anything else failed, wm_drain_message says why.
 *               After a failure only close is of use; it leaves no file.
 * Threads       one thread at a time per drain.
 * Repeatable    the same slots in the same order give the same bytes; a GPU's
 *               order of warps is not the same twice, which only changes the
 *               file where lanes of one warp part.
 * Cost          memory: about 56 bytes a record of the launch, 184 where its
 *               addresses have no stride.
 */
#ifndef WARPMEM_DRAIN_H
#define WARPMEM_DRAIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WM_DRAIN_LANES 32

enum { WM_DRAIN_LOAD, WM_DRAIN_STORE, WM_DRAIN_ATOMIC, WM_DRAIN_REDUCTION };

typedef struct wm_drain_slot {
    uint64_t sequence; /* ticket + 1; written last */
    uint64_t block;    /* x + grid.x * (y + grid.y * z) */
    uint32_t warp;     /* of the block */
    uint32_t mask;     /* lanes that take part */
    uint32_t line;     /* of the source */
    uint8_t op;        /* WM_DRAIN_... */
    uint8_t width;     /* bytes per lane: 1, 2, 4, 8, 16 or 32 */
    uint16_t pointer;  /* number of the wrapped pointer */
    uint64_t address[WM_DRAIN_LANES];
} wm_drain_slot; /* 288 bytes */

typedef struct wm_drain_launch_info {
    const char *name;
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;
    uint32_t registers;  /* per thread; 0 = unknown */
    uint32_t sm_version; /* 75, 80, 90 ...; 0 = unknown */
} wm_drain_launch_info;

typedef struct wm_drain wm_drain;

/* NULL when memory is short; other failures show at the first call. */
wm_drain *wm_drain_open(const char *path);
int wm_drain_copy(wm_drain *drain, uint64_t address, uint64_t n_bytes);
int wm_drain_launch(wm_drain *drain, const wm_drain_launch_info *info);
int wm_drain_add(wm_drain *drain, const wm_drain_slot *slot);
int wm_drain_launch_end(wm_drain *drain);
/* Writes the file's end and frees the drain.  message (may be NULL) receives
 * the reason of a failure. */
int wm_drain_close(wm_drain *drain, char *message, unsigned n_message);
/* The reason of the failure; "" while there is none. */
const char *wm_drain_message(const wm_drain *drain);

#ifdef __cplusplus
}
#endif

#endif
