/*
 * cache_inline.h -- what every access calls of cache.h, compiled into the
 * caller; rare cases (more than 16 ways, other policies than LRU, regions
 * without a number, locked victims) are calls into cache.c.
 */
#ifndef WM_MODEL_CACHE_INLINE_H
#define WM_MODEL_CACHE_INLINE_H

#include "base/inline.h"
#include "base/rng.h"
#include "model/cache/cache_state.h"
#include "model/cache/lru16.h"

/* --- cache.c, for this header only ---------------------------------------- */
/* Sets last_upper and last_top. */
void wm_cache_recall(wm_cache *cache, uint64_t upper);
/* The line's way where the cache is not small or its region has no number. */
uint32_t wm_cache_search(const wm_cache *cache, const unsigned char *block,
                         uint64_t set, uint64_t tag, uint32_t short_tag);
/* An empty way or the policy's choice of those not locked, or WM_NO_INDEX. */
uint32_t wm_cache_choose(wm_cache *cache, unsigned char *block);
/* Gives the tag's region a number while there are some, else keeps the full
 * tag apart; returns the 32-bit tag. */
uint32_t wm_cache_number(wm_cache *cache, uint64_t set, uint64_t tag,
                         uint32_t way);

/* --- places --------------------------------------------------------------- */
WM_INLINE unsigned char *wm_cache_block(const wm_cache *cache, uint64_t set,
                                        wm_cache_kind kind)
{
    return cache->blocks +
           set * (kind.is_small ? WM_SMALL_BYTES : cache->block_bytes);
}

WM_INLINE uint8_t *wm_cache_states(const wm_cache *cache, unsigned char *block,
                                   wm_cache_kind kind)
{
    return block + (kind.is_small ? WM_SMALL_STATE : cache->state_offset);
}

WM_INLINE uint8_t *wm_cache_marks_as(const wm_cache *cache, const wm_ref *ref,
                                     wm_cache_kind kind)
{
    return ref->block + ref->way +
           (kind.is_small ? WM_SMALL_MARKS : cache->marks_offset);
}

WM_INLINE uint8_t *wm_cache_state_as(const wm_cache *cache, const wm_ref *ref,
                                     wm_cache_kind kind)
{
    return wm_cache_states(cache, ref->block, kind) + ref->way;
}

WM_INLINE uint32_t wm_cache_index(const wm_cache *cache, const wm_ref *ref)
{
    return (uint32_t)ref->set * cache->ways + ref->way;
}

WM_INLINE wm_ref wm_cache_place_as(const wm_cache *cache, uint64_t line,
                                   wm_cache_kind kind)
{
    wm_ref ref = {.way = WM_NO_INDEX};
    ref.set = wm_spread_place(&cache->spread, line, &ref.tag);
    ref.block = wm_cache_block(cache, ref.set, kind);
    return ref;
}

WM_INLINE void wm_cache_prefetch(const unsigned char *block)
{
    __builtin_prefetch(block, 1);
    __builtin_prefetch(block + 64, 1);
}

WM_INLINE uint32_t wm_cache_tag_at(const unsigned char *block, uint32_t way)
{
    uint32_t tag = 0;
    memcpy(&tag, block + sizeof(tag) * (size_t)way, sizeof(tag));
    return tag;
}

/* The number of the line that lies in a way that is not empty. */
WM_INLINE uint64_t wm_cache_line_at(const wm_cache *cache, const wm_ref *ref)
{
    const uint32_t tag = wm_cache_tag_at(ref->block, ref->way);
    const uint32_t top = tag & ~WM_TAG_MASK;
    uint64_t full = 0;
    if (top == WM_TAG_NO_TOP) {
        full = cache->full_tag[wm_cache_index(cache, ref)];
    } else {
        /* The last look-up's is at hand, and mostly the one. */
        const uint64_t upper = top == cache->last_top
                                   ? cache->last_upper
                                   : cache->regions[(top >> WM_TAG_BITS) - 1];
        full = upper << WM_TAG_BITS | (tag & WM_TAG_MASK);
    }
    return wm_spread_number(&cache->spread, ref->set, full);
}

/* --- looking up ----------------------------------------------------------- */
WM_INLINE void wm_cache_match_as(wm_cache *cache, wm_ref *ref,
                                 wm_cache_kind kind)
{
    if (ref->tag >> WM_TAG_BITS != cache->last_upper) {
        wm_cache_recall(cache, ref->tag >> WM_TAG_BITS);
    }
    ref->short_tag = cache->last_top | ((uint32_t)ref->tag & WM_TAG_MASK);
    if (kind.is_small && cache->last_top != WM_TAG_NO_TOP) {
        const uint32_t mask = wm_match16x32(ref->block, ref->short_tag);
        ref->way = mask != 0 ? wm_lowest_bit(mask) : WM_NO_INDEX;
    } else {
        ref->way = wm_cache_search(cache, ref->block, ref->set, ref->tag,
                                   ref->short_tag);
    }
}

WM_INLINE wm_ref wm_cache_find_as(wm_cache *cache, uint64_t line,
                                  wm_cache_kind kind)
{
    wm_ref ref = wm_cache_place_as(cache, line, kind);
    wm_cache_match_as(cache, &ref, kind);
    return ref;
}

WM_INLINE void wm_cache_touch_as(const wm_cache *cache, const wm_ref *ref,
                                 wm_cache_kind kind)
{
    if (kind.is_small) {
        wm_lru16_touch(ref->block + WM_SMALL_ROW, ref->way);
    } else {
        cache->policy->touch(ref->block + cache->policy_offset, cache->ways,
                             ref->way);
    }
}

/* --- making room ---------------------------------------------------------- */
/* Small caches without holes: an empty way, or the policy's choice;
 * WM_NO_INDEX where that is locked.  Ways are filled from 0 up. */
WM_INLINE uint32_t wm_cache_oldest(const wm_cache *cache, unsigned char *block,
                                   wm_cache_kind kind)
{
    const uint32_t last = cache->ways - 1;
    uint32_t rank = last;
    if (cache->n_choice != 1 && wm_cache_tag_at(block, last) != 0) {
        wm_rng *kept = (wm_rng *)(void *)(block + WM_SMALL_RNG);
        wm_rng rng = *kept; /* wm_cache_choose draws anew */
        rank -= wm_rng_below(&rng, cache->n_choice);
        const uint32_t way = wm_lru16_way(block + WM_SMALL_ROW, rank);
        if (kind.is_locking && block[WM_SMALL_STATE + way] > 0x0f) {
            return WM_NO_INDEX;
        }
        *kept = rng;
        return way;
    }
    const uint32_t way = wm_lru16_way(block + WM_SMALL_ROW, rank);
    return kind.is_locking && block[WM_SMALL_STATE + way] > 0x0f ? WM_NO_INDEX
                                                                 : way;
}

WM_INLINE bool wm_cache_allocate_as(wm_cache *cache, wm_ref *ref,
                                    wm_evicted *evicted, wm_cache_kind kind)
{
    unsigned char *block = ref->block;
    uint32_t way = WM_NO_INDEX;
    if (kind.is_small && !cache->has_holes) {
        way = wm_cache_oldest(cache, block, kind);
    }
    if (way == WM_NO_INDEX) {
        way = wm_cache_choose(cache, block);
        if (way == WM_NO_INDEX) {
            return false;
        }
    }
    ref->way = way;
    uint8_t *state = wm_cache_state_as(cache, ref, kind);
    if (evicted != NULL) {
        evicted->is_line = wm_cache_tag_at(block, way) != 0;
        evicted->valid = *state & 0x0f;
        evicted->dirty =
            kind.has_marks ? *wm_cache_marks_as(cache, ref, kind) & 0x0f : 0;
        evicted->line = evicted->dirty != 0 ? wm_cache_line_at(cache, ref) : 0;
    }
    cache->n_clean = 0;
    if (ref->short_tag >> WM_TAG_BITS == WM_TAG_UNNUMBERED + 1) {
        ref->short_tag = wm_cache_number(cache, ref->set, ref->tag, way);
    }
    memcpy(block + sizeof(ref->short_tag) * (size_t)way, &ref->short_tag,
           sizeof(ref->short_tag));
    *state = 0;
    if (kind.has_marks) {
        *wm_cache_marks_as(cache, ref, kind) = 0;
    }
    if (kind.is_small) {
        wm_lru16_touch(block + WM_SMALL_ROW, way);
    } else {
        cache->policy->insert(block + cache->policy_offset, cache->ways, way);
    }
    return true;
}

#endif
