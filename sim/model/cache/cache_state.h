/*
 * cache_state.h -- what cache.h keeps: the tags of a cache, a line's place, a
 * line that left.
 */
#ifndef WM_MODEL_CACHE_STATE_H
#define WM_MODEL_CACHE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    bool is_drawn; /* sets by a hash of groups of 1 << group_shift lines */
    uint32_t group_shift;
    bool has_marks;  /* keeps dirty and partial sectors */
    bool is_locking; /* lines with pending sectors are not evicted */
    const wm_policy *policy;
    uint64_t seed; /* for policies that draw */
} wm_cache_geometry;

#define WM_CACHE_REGIONS 254u /* numbered upper parts of tags */
#define WM_CACHE_MEMO    512u /* slots of the table that finds them */

#define WM_TAG_BITS       24u
#define WM_TAG_MASK       ((UINT32_C(1) << WM_TAG_BITS) - 1)
#define WM_TAG_UNNUMBERED WM_CACHE_REGIONS /* number of further regions */
#define WM_TAG_NO_TOP     ((WM_TAG_UNNUMBERED + 1) << WM_TAG_BITS)

/* The block of a small set: where the parts lie is known to the compiler.
 * The policy's row is the ranks and, for policy aged, the generator. */
#define WM_SMALL_STATE 64u
#define WM_SMALL_MARKS 80u
#define WM_SMALL_ROW   96u
#define WM_SMALL_RNG   112u
#define WM_SMALL_BYTES 128u

/*
 * What of a cache decides which code an access runs.  Callers that know it at
 * compile time hand it to the calls ending in _as and pay for nothing else;
 * the others ask the cache.
 */
typedef struct wm_cache_kind {
    bool is_small;   /* at most 16 ways, lru or aged: the short way */
    bool is_locking; /* lines with pending sectors are not evicted */
    bool has_marks;  /* keeps dirty and partial sectors */
} wm_cache_kind;

/* The first host cache line holds what every access reads. */
typedef struct wm_cache {
    unsigned char *blocks; /* set blocks: layout in cache.c */
    uint64_t last_upper;   /* of the last look-up, and its number + 1 as the */
    uint32_t last_top;     /* top byte of a 32-bit tag */
    uint32_t ways;
    wm_spread spread;
    wm_cache_kind kind;
    bool has_holes;         /* a line was dropped since init or clear */
    uint32_t n_choice;      /* small: oldest ways of which one leaves */
    uint32_t state_offset;  /* of the sector bytes in a block */
    uint32_t marks_offset;  /* of the marks */
    uint32_t policy_offset; /* of the policy's row */
    uint32_t padded_ways;   /* multiple of 16 */
    size_t block_bytes;
    uint64_t n_clean; /* leading sets that nothing was put into since init or
                         clear: clearing again costs nothing */
    uint64_t n_sets;
    bool is_hashed;
    wm_way *line;       /* n_sets * ways */
    uint64_t *full_tag; /* likewise; read where the 32-bit tag says so */
    uint64_t *regions;  /* upper part by number, then the memo */
    uint8_t *memo;      /* number + 1 by hash of the upper part */
    uint32_t n_regions;
    const wm_policy *policy;
    uint64_t seed;
} wm_cache;

/* A line's place: valid until the next allocate in its set. */
typedef struct wm_ref {
    unsigned char *block; /* of the set */
    uint64_t set;
    uint64_t tag;
    uint32_t short_tag;
    uint32_t way; /* WM_NO_INDEX when absent */
} wm_ref;

/* A line that allocate pushed out. */
typedef struct wm_evicted {
    bool is_line;  /* false: an empty way was taken, nothing left */
    uint64_t line; /* its line number, when it has dirty sectors */
    uint8_t valid; /* sectors it held */
    uint8_t dirty; /* sectors with bytes that DRAM has not */
} wm_evicted;

#endif
