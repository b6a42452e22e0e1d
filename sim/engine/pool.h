/*
 * pool.h -- threads that run the phases of a window side by side.
 *
 * Work is dealt statically: of n shares the t-th is the t-th contiguous part
 * of the items, the same in every window, so that an SM's or a slice's state
 * stays in one host core's cache.  There are as many threads as shares but no
 * more than processors: a thread has several neighbouring shares then, since
 * threads that take turns on a processor only cost switches.  The caller is the
 * first thread.
 *
 * Other programs may keep the processors busy.  Waiting threads spin a little,
 * then sleep; the caller does the part of a thread that does not begin it.  So
 * two threads on one busy core take little longer than one.
 *
 * Ownership  new/free.
 * Threads    wm_pool_run from the thread that made the pool.
 * Repeatable results must not depend on the shares; the engine's do not.
 */
#ifndef WM_ENGINE_POOL_H
#define WM_ENGINE_POOL_H

#include <stdint.h>

#include "base/status.h"

typedef struct wm_pool wm_pool;
typedef void (*wm_pool_fn)(void *context, uint32_t first, uint32_t last);

/* n_shares >= 1; 0 means one per processor (base/processors.h). */
wm_status wm_pool_new(uint32_t n_shares, wm_pool **out, wm_error *err);
void wm_pool_free(wm_pool *pool); /* NULL is fine */

uint32_t wm_pool_shares(const wm_pool *pool);
/* Threads that run them, the caller included. */
uint32_t wm_pool_threads(const wm_pool *pool);
/* The share of n_items that holds the item. */
uint32_t wm_pool_owner(const wm_pool *pool, uint32_t n_items, uint32_t item);

/* Calls fn(context, first, last) once for every share of 0..n_items-1 that is
 * not empty. */
void wm_pool_run(wm_pool *pool, wm_pool_fn fn, void *context, uint32_t n_items);

#endif
