/*
 * pool.h -- threads that run the phases of a window side by side.
 *
 * Work is dealt statically: thread t of n gets the t-th contiguous share of
 * the items, the same share in every window, so that an SM's or a slice's
 * state stays in one host core's cache.  The caller is thread 0.  Waiting
 * threads spin a little, then yield, so that more threads than cores only
 * cost switches.
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

/* n_threads >= 1; 0 means one per online processor. */
wm_status wm_pool_new(uint32_t n_threads, wm_pool **out, wm_error *err);
void wm_pool_free(wm_pool *pool); /* NULL is fine */

/* Threads in the pool, the caller included. */
uint32_t wm_pool_threads(const wm_pool *pool);
/* The thread whose share of n_items holds the item. */
uint32_t wm_pool_owner(const wm_pool *pool, uint32_t n_items, uint32_t item);

/* Calls fn(context, first, last) for every share of 0..n_items-1. */
void wm_pool_run(wm_pool *pool, wm_pool_fn fn, void *context, uint32_t n_items);

#endif
