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
 * A set is one 64-byte block of the host for up to 16 ways: 16-bit partial
 * tags compared at once, one byte of sector state per way (low half valid,
 * high half pending), the policy's row; caches that are written back have a
 * second one with a byte of marks per way (low half dirty, high half partial).
 * The rest of a line (full tag, time of its last fill) lies apart, is read
 * only when a partial tag matches, and is only written when a line comes.
 *
 * Pending: a sector in the high half is also in the low half: it is
 * allocated, its data arrive at way->ready (in the caller's time unit), or at
 * a time not known yet (WM_READY_UNKNOWN).  Sectors of one line that are
 * pending together become valid together, at the latest of their times.
 * A line with pending sectors is never evicted.
 *
 * Not modelled  data; ports (the caller's); inclusion between levels.
 * Units         line numbers (address / line bytes, or a slice's local
 *               number); set, way: 0-based; time: the caller's, 64 bits.
 * Ownership     wm_cache_init/fini; two allocations, 64-byte aligned.
 * Errors        wm_cache_init: WM_ENOMEM, WM_ECONFIG (policy's own limits).
 * Threads       one thread per cache.
 * Repeatable    same calls, same answers, on every host.
 * Cost          find: one or two host cache lines; no allocation after init.
 */
#ifndef WM_MODEL_CACHE_H
#define WM_MODEL_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/cache/policy.h"
#include "model/spread.h"

#define WM_READY_UNKNOWN UINT64_MAX
#define WM_NO_INDEX      UINT32_MAX

/* What of a line the tag match does not need. */
typedef struct wm_way {
    uint64_t tag;    /* full: line number div sets */
    uint64_t ready;  /* when pending sectors arrive */
    uint32_t chain;  /* the caller's: outstanding requests of this line */
    uint8_t dirty;   /* sectors */
    uint8_t partial; /* sectors of which only some bytes are present */
    uint8_t unused[2];
} wm_way;

typedef struct wm_cache_geometry {
    uint64_t n_sets;
    uint32_t ways;
    bool is_hashed;
    bool has_marks; /* keeps dirty and partial sectors */
    const wm_policy *policy;
    uint64_t seed; /* for policies that draw */
} wm_cache_geometry;

typedef struct wm_cache {
    unsigned char *blocks; /* set blocks: see cache_internal layout below */
    wm_way *line;          /* n_sets * ways */
    wm_spread spread;
    size_t block_bytes;
    uint32_t state_offset;  /* of the sector bytes in a block */
    uint32_t policy_offset; /* of the policy's row */
    uint32_t marks_offset;  /* of the marks; 0 = none kept */
    uint32_t ways;
    uint32_t padded_ways; /* multiple of 16 */
    uint64_t n_sets;
    const wm_policy *policy;
    uint64_t seed;
} wm_cache;

/* A line's place: valid until the next allocate in its set. */
typedef struct wm_ref {
    uint64_t set;
    uint64_t tag;
    uint32_t way;   /* WM_NO_INDEX when absent */
    uint32_t index; /* set * ways + way: into cache->line */
} wm_ref;

/* A line that allocate pushed out. */
typedef struct wm_evicted {
    bool is_line;  /* false: an empty way was taken, nothing left */
    uint64_t line; /* its line number, when it has dirty sectors */
    uint8_t valid; /* sectors it held */
    uint8_t dirty; /* sectors with bytes that DRAM has not */
} wm_evicted;

wm_status wm_cache_init(wm_cache *cache, const wm_cache_geometry *geometry,
                        wm_error *err);
void wm_cache_fini(wm_cache *cache); /* a zeroed struct is fine */

/* Empties the cache; policy rows start anew. */
void wm_cache_clear(wm_cache *cache);

/* Uses only the first n_sets (1 .. those of init) from now on and empties the
 * cache: the L1 shrinks when a kernel takes shared memory. */
void wm_cache_resize(wm_cache *cache, uint64_t n_sets);

wm_ref wm_cache_find(const wm_cache *cache, uint64_t line);

/* Pulls the host's cache line of the set towards the processor. */
void wm_cache_prefetch(const wm_cache *cache, uint64_t line);

/*
 * Finds a way for `ref` (absent, from find) and installs its tag without any
 * sector.  False when every way waits for data: the caller goes without.
 * now decides which pending sectors have arrived.  *evicted says who left;
 * NULL when nobody asks (nothing of the old line is read then).
 */
bool wm_cache_allocate(wm_cache *cache, wm_ref *ref, uint64_t now,
                       wm_evicted *evicted);

/* Sectors marked dirty, over the whole cache. */
uint64_t wm_cache_n_dirty(const wm_cache *cache);

/* Forgets the line altogether. */
void wm_cache_drop(wm_cache *cache, const wm_ref *ref);

/* The line number that lies at (set, way index). */
uint64_t wm_cache_line_at(const wm_cache *cache, uint64_t set, uint64_t tag);

static inline uint8_t *wm_cache_state(const wm_cache *cache, const wm_ref *ref)
{
    return cache->blocks + ref->set * cache->block_bytes + cache->state_offset +
           ref->way;
}

/* Low half dirty, high half partial: of which only some bytes are present.
 * Only for caches with marks. */
static inline uint8_t *wm_cache_marks(const wm_cache *cache, const wm_ref *ref)
{
    return cache->blocks + ref->set * cache->block_bytes + cache->marks_offset +
           ref->way;
}

static inline void wm_cache_touch(const wm_cache *cache, const wm_ref *ref)
{
    cache->policy->touch(cache->blocks + ref->set * cache->block_bytes +
                             cache->policy_offset,
                         cache->ways, ref->way);
}

/* Turns pending sectors whose time has come into valid ones and returns the
 * state byte. */
static inline uint8_t wm_cache_settle(const wm_cache *cache, const wm_ref *ref,
                                      uint64_t now)
{
    uint8_t *state = wm_cache_state(cache, ref);
    if ((*state & 0xf0) != 0 && cache->line[ref->index].ready <= now) {
        *state &= 0x0f;
    }
    return *state;
}

#endif
