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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"
#include "model/cache/policy.h"
#include "model/spread.h"

#define WM_NO_INDEX UINT32_MAX

/* What of a line only fills need; means something only while sectors are
 * pending, and is the caller's to set. */
typedef struct wm_way {
    uint64_t ready; /* when pending sectors arrive */
    uint32_t chain; /* outstanding requests of this line */
    uint32_t unused;
} wm_way;

typedef struct wm_cache_geometry {
    uint64_t n_sets;
    uint32_t ways;
    bool is_hashed;
    bool has_marks;  /* keeps dirty and partial sectors */
    bool is_locking; /* lines with pending sectors are not evicted */
    const wm_policy *policy;
    uint64_t seed; /* for policies that draw */
} wm_cache_geometry;

#define WM_CACHE_REGIONS 254u /* numbered upper parts of tags */
#define WM_CACHE_MEMO    512u /* slots of the table that finds them */

typedef struct wm_cache {
    unsigned char *blocks; /* set blocks: layout in cache.c */
    wm_way *line;          /* n_sets * ways */
    uint64_t *full_tag;    /* likewise; read where the 32-bit tag says so */
    wm_spread spread;
    size_t block_bytes;
    uint32_t state_offset;  /* of the sector bytes in a block */
    uint32_t marks_offset;  /* of the marks; 0 = none kept */
    uint32_t policy_offset; /* of the policy's row */
    uint32_t rank_offset;   /* small: of its ranks */
    uint32_t n_choice;      /* small: oldest ways of which one leaves */
    uint32_t ways;
    uint32_t padded_ways; /* multiple of 16 */
    uint32_t n_regions;
    uint64_t last_upper; /* of the last look-up, and its number */
    uint32_t last_number;
    bool is_locking;
    bool is_small;    /* at most 16 ways, lru or aged: the short way */
    bool has_holes;   /* a line was dropped since init or clear */
    uint64_t n_clean; /* leading sets that nothing was put into since init or
                         clear: clearing again costs nothing */
    uint64_t n_sets;
    const wm_policy *policy;
    uint64_t seed;
    uint64_t *regions; /* upper part by number, then the memo */
    uint8_t *memo;     /* number + 1 by hash of the upper part */
} wm_cache;

/* A line's place: valid until the next allocate in its set. */
typedef struct wm_ref {
    unsigned char *block; /* of the set */
    uint64_t set;
    uint64_t tag;
    uint32_t short_tag;
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

/* Takes its memory from the arena; called once to add up and once for good. */
wm_status wm_cache_init(wm_cache *cache, const wm_cache_geometry *geometry,
                        wm_arena *arena, wm_error *err);

/* Empties the cache; policy rows start anew. */
void wm_cache_clear(wm_cache *cache);

/* Uses only the first n_sets (1 .. those of init) from now on and empties the
 * cache: the L1 shrinks when a kernel takes shared memory. */
void wm_cache_resize(wm_cache *cache, uint64_t n_sets);

static inline wm_ref wm_cache_find(wm_cache *cache, uint64_t line);

/* The two halves of find: the line's set, whose host cache lines are pulled
 * towards the processor, and, some other work later, the look into it. */
static inline wm_ref wm_cache_place(const wm_cache *cache, uint64_t line);
static inline void wm_cache_match(wm_cache *cache, wm_ref *ref);

/* The place (set, way), whatever lies there. */
wm_ref wm_cache_at(const wm_cache *cache, uint64_t set, uint32_t way);

/*
 * Finds a way for `ref` (absent, from find) and installs its tag without any
 * sector.  False when every way is locked: the caller goes without.  *evicted
 * says who left; NULL when nobody asks.
 */
static inline bool wm_cache_allocate(wm_cache *cache, wm_ref *ref,
                                     wm_evicted *evicted);

/* Sectors marked dirty, over the whole cache. */
uint64_t wm_cache_n_dirty(const wm_cache *cache);

/* Forgets the line altogether. */
void wm_cache_drop(wm_cache *cache, const wm_ref *ref);

/* The number of the line that lies in a way that is not empty. */
uint64_t wm_cache_line_at(const wm_cache *cache, uint64_t set, uint32_t way);

/* The line's sectors: low half valid, high half pending. */
static inline uint8_t *wm_cache_state(const wm_cache *cache, const wm_ref *ref);

/* Low half dirty, high half partial: of which only some bytes are present.
 * Only for caches with marks. */
static inline uint8_t *wm_cache_marks(const wm_cache *cache, const wm_ref *ref);

/* A use of the line, for the policy. */
static inline void wm_cache_touch(const wm_cache *cache, const wm_ref *ref);

/* Turns pending sectors whose time has come into valid ones and returns the
 * state byte. */
static inline uint8_t wm_cache_settle(const wm_cache *cache, const wm_ref *ref,
                                      uint64_t now);

#include "model/cache/cache_inline.h"

#endif
