/*
 * cache.h -- the tags of one sectored cache: L1 of one SM, or one L2 slice.
 *
 * It knows which sectors of which lines are present, dirty or on their way,
 * and which line leaves.  What a miss means, what is sent where and when is
 * the caller's business; the calls below are the bricks:
 *
 *     ref = wm_cache_find(cache, line)          present? (no state changes)
 *     wm_cache_touch(cache, ref)                a use, for the policy
 *     wm_cache_allocate(cache, line, now, ..)   makes room, tells who left
 *
 * A set is one or two 64-byte blocks of the host for up to 16 ways: 32-bit
 * tags compared at once, then one byte of sector state per way (low half valid,
 * high half pending), for caches that are written back a byte of marks per way
 * (low half dirty, high half partial), and the policy's row.  What of a line
 * only fills need (time, outstanding requests) lies apart, so that a hit never
 * goes there.
 *
 * The 32-bit tag is exact: its top byte numbers the tag's upper bits through a
 * table of the cache.  A cache that sees more than 254 different upper parts
 * (each spans 2^24 x sets lines) compares full tags for the rest.
 *
 * Pending: a sector in the high half is also in the low half: it is
 * allocated, its data are on their way.  way->ready is when they arrive, in
 * the caller's time unit, as far as the caller knows; sectors of one line that
 * are pending together share that time.  Who clears the pending half is the
 * caller's choice: when the time comes, or wm_cache_settle at the next look.
 *
 * Not modelled  data; ports (the caller's); inclusion between levels.
 * Units         line numbers (address / line bytes, or a slice's local
 *               number); set, way: 0-based; time: the caller's, 64 bits.
 * Ownership     the arena's; the set blocks are 64-byte aligned.
 * Errors        wm_cache_init: WM_ENOMEM, WM_ECONFIG (policy's own limits).
 * Threads       one thread per cache.
 * Repeatable    same calls, same answers, on every host.
 * Cost          find: two neighbouring host cache lines; no allocation after
 *               init.  What every access calls is compiled into the caller
 *               (cache_inline.h).
 */
#ifndef WM_MODEL_CACHE_H
#define WM_MODEL_CACHE_H

#include "base/arena.h"
#include "base/status.h"
#include "model/cache/cache_inline.h"
#include "model/cache/cache_state.h"

/* Takes its memory from the arena; called once to add up and once for good. */
wm_status wm_cache_init(wm_cache *cache, const wm_cache_geometry *geometry,
                        wm_arena *arena, wm_error *err);

/* Empties the cache; policy rows start anew. */
void wm_cache_clear(wm_cache *cache);

/* Uses only the first n_sets (1 .. those of init) from now on and empties the
 * cache: the L1 shrinks when a kernel takes shared memory. */
void wm_cache_resize(wm_cache *cache, uint64_t n_sets);

static inline wm_ref wm_cache_find(wm_cache *cache, uint64_t line)
{
    return wm_cache_find_as(cache, line, cache->kind);
}

/* The first half of find: *ref gets the line's set, whose host cache lines
 * wm_cache_prefetch pulls towards the processor; wm_cache_match_as looks into
 * it, some other work later.  Written field by field: a struct that is copied
 * is read back only when the host has written all stores before. */
static inline void wm_cache_place(const wm_cache *cache, uint64_t line,
                                  wm_ref *ref)
{
    ref->set = wm_spread_place(&cache->spread, line, &ref->tag);
    ref->block = wm_cache_block(cache, ref->set, cache->kind);
    ref->way = WM_NO_INDEX;
}

/* The place (set, way), whatever lies there. */
wm_ref wm_cache_at(const wm_cache *cache, uint64_t set, uint32_t way);

/*
 * Finds a way for `ref` (absent, from find) and installs its tag without any
 * sector.  False when every way is locked: the caller goes without.  *evicted
 * says who left; NULL when nobody asks.
 */
static inline bool wm_cache_allocate(wm_cache *cache, wm_ref *ref,
                                     wm_evicted *evicted)
{
    return wm_cache_allocate_as(cache, ref, evicted, cache->kind);
}

/* Sectors marked dirty, over the whole cache. */
uint64_t wm_cache_n_dirty(const wm_cache *cache);

/* Forgets the line altogether. */
void wm_cache_drop(wm_cache *cache, const wm_ref *ref);

/* The line's sectors: low half valid, high half pending. */
static inline uint8_t *wm_cache_state(const wm_cache *cache, const wm_ref *ref)
{
    return wm_cache_state_as(cache, ref, cache->kind);
}

/* The same of a place. */
static inline uint8_t *wm_cache_state_at(const wm_cache *cache, uint64_t set,
                                         uint32_t way)
{
    return wm_cache_states(cache, wm_cache_block(cache, set, cache->kind),
                           cache->kind) +
           way;
}

/* Low half dirty, high half partial: of which only some bytes are present.
 * Only for caches with marks. */
static inline uint8_t *wm_cache_marks(const wm_cache *cache, const wm_ref *ref)
{
    return wm_cache_marks_as(cache, ref, cache->kind);
}

/* A use of the line, for the policy. */
static inline void wm_cache_touch(const wm_cache *cache, const wm_ref *ref)
{
    wm_cache_touch_as(cache, ref, cache->kind);
}

/* Turns pending sectors whose time has come into valid ones and returns the
 * state byte. */
static inline uint8_t wm_cache_settle_as(const wm_cache *cache,
                                         const wm_ref *ref, uint64_t now,
                                         wm_cache_kind kind)
{
    uint8_t *state = wm_cache_state_as(cache, ref, kind);
    if ((*state & 0xf0) != 0 &&
        cache->line[wm_cache_index(cache, ref)].ready <= now) {
        *state &= 0x0f;
    }
    return *state;
}

static inline uint8_t wm_cache_settle(const wm_cache *cache, const wm_ref *ref,
                                      uint64_t now)
{
    return wm_cache_settle_as(cache, ref, now, cache->kind);
}

#endif
