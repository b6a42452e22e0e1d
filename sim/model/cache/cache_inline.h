/*
 * cache_inline.h -- what every access calls of cache.h, compiled into the
 * caller; rare cases (more than 16 ways, other policies than LRU, regions
 * without a number, locked victims) are calls into cache.c.
 */
#ifndef WM_MODEL_CACHE_INLINE_H
#define WM_MODEL_CACHE_INLINE_H

#include "base/rng.h"
#include "model/cache/cache.h"
#include "model/cache/lru16.h"

#define WM_TAG_BITS       24u
#define WM_TAG_UNNUMBERED WM_CACHE_REGIONS /* number of further regions */

/* --- cache.c, for this header only ---------------------------------------- */
/* Sets last_upper and last_number. */
void wm_cache_recall(wm_cache *cache, uint64_t upper);
/* The line's way where the cache is not small or its region has no number. */
uint32_t wm_cache_search(const wm_cache *cache, const wm_ref *ref);
/* An empty way or the policy's choice among those not locked; WM_NO_INDEX:
 * none. */
uint32_t wm_cache_choose(wm_cache *cache, unsigned char *block);
/* Gives the line's region a number while there are some, else keeps the full
 * tag apart. */
void wm_cache_number(wm_cache *cache, wm_ref *ref, uint32_t way);

static inline uint32_t wm_short_tag(uint64_t tag, uint32_t number)
{
    return (number + 1) << WM_TAG_BITS |
           (uint32_t)(tag & ((UINT32_C(1) << WM_TAG_BITS) - 1));
}

/* The line's set, and nothing else yet. */
static inline wm_ref wm_cache_set_of(const wm_cache *cache, uint64_t line)
{
    wm_ref ref;
    ref.set = wm_spread_place(&cache->spread, line, &ref.tag);
    ref.block = cache->blocks + ref.set * cache->block_bytes;
    ref.short_tag = 0;
    ref.way = WM_NO_INDEX;
    ref.index = WM_NO_INDEX;
    return ref;
}

static inline wm_ref wm_cache_place(const wm_cache *cache, uint64_t line)
{
    wm_ref ref = wm_cache_set_of(cache, line);
    __builtin_prefetch(ref.block, 1);
    __builtin_prefetch(ref.block + 64, 1);
    return ref;
}

static inline void wm_cache_match(wm_cache *cache, wm_ref *ref)
{
    if (ref->tag >> WM_TAG_BITS != cache->last_upper) {
        wm_cache_recall(cache, ref->tag >> WM_TAG_BITS);
    }
    ref->short_tag = wm_short_tag(ref->tag, cache->last_number);
    if (cache->is_small && cache->last_number != WM_TAG_UNNUMBERED) {
        const uint32_t mask = wm_match16x32(ref->block, ref->short_tag);
        ref->way = mask != 0 ? wm_lowest_bit(mask) : WM_NO_INDEX;
    } else {
        ref->way = wm_cache_search(cache, ref);
    }
    if (ref->way != WM_NO_INDEX) {
        ref->index = (uint32_t)ref->set * cache->ways + ref->way;
    }
}

static inline wm_ref wm_cache_find(wm_cache *cache, uint64_t line)
{
    wm_ref ref = wm_cache_set_of(cache, line);
    wm_cache_match(cache, &ref);
    return ref;
}

/* Small caches without holes: an empty way, or the policy's choice;
 * WM_NO_INDEX where that is locked. */
static inline uint32_t wm_cache_oldest(const wm_cache *cache,
                                       unsigned char *block)
{
    const uint8_t *rank = block + cache->rank_offset;
    const uint8_t *state = block + cache->state_offset;
    const uint8_t most = cache->is_locking ? 0x0f : 0xff;
    uint32_t way = wm_lru16_way(rank, cache->ways - 1);
    uint32_t tag = 0;
    memcpy(&tag, block + sizeof(tag) * (size_t)way, sizeof(tag));
    if (cache->n_choice == 1 || tag == 0) {
        return state[way] <= most ? way : WM_NO_INDEX;
    }
    wm_rng *kept = (wm_rng *)(void *)(block + cache->policy_offset);
    wm_rng rng = *kept; /* wm_cache_choose draws anew */
    way = wm_lru16_way(rank,
                       cache->ways - 1 - wm_rng_below(&rng, cache->n_choice));
    if (state[way] > most) {
        return WM_NO_INDEX;
    }
    *kept = rng;
    return way;
}

static inline bool wm_cache_allocate(wm_cache *cache, wm_ref *ref,
                                     wm_evicted *evicted)
{
    unsigned char *block = ref->block;
    const uint8_t *state = block + cache->state_offset;
    uint32_t way = WM_NO_INDEX;
    if (cache->is_small && !cache->has_holes) {
        way = wm_cache_oldest(cache, block);
    }
    if (way == WM_NO_INDEX) {
        way = wm_cache_choose(cache, block);
        if (way == WM_NO_INDEX) {
            return false;
        }
    }
    uint8_t *marks =
        cache->marks_offset != 0 ? block + cache->marks_offset + way : NULL;
    if (evicted != NULL) {
        uint32_t old_tag = 0;
        memcpy(&old_tag, block + sizeof(old_tag) * (size_t)way,
               sizeof(old_tag));
        evicted->is_line = old_tag != 0;
        evicted->valid = state[way] & 0x0f;
        evicted->dirty = marks != NULL ? *marks & 0x0f : 0;
        evicted->line =
            evicted->dirty != 0 ? wm_cache_line_at(cache, ref->set, way) : 0;
    }
    cache->n_clean = 0;
    if (ref->short_tag >> WM_TAG_BITS == WM_TAG_UNNUMBERED + 1) {
        wm_cache_number(cache, ref, way);
    }
    memcpy(block + sizeof(ref->short_tag) * (size_t)way, &ref->short_tag,
           sizeof(ref->short_tag));
    block[cache->state_offset + way] = 0;
    if (marks != NULL) {
        *marks = 0;
    }
    ref->way = way;
    ref->index = (uint32_t)ref->set * cache->ways + way;
    if (cache->is_small) {
        wm_lru16_touch(block + cache->rank_offset, way);
    } else {
        cache->policy->insert(block + cache->policy_offset, cache->ways, way);
    }
    return true;
}

static inline uint8_t *wm_cache_state(const wm_cache *cache, const wm_ref *ref)
{
    return ref->block + cache->state_offset + ref->way;
}

static inline uint8_t *wm_cache_marks(const wm_cache *cache, const wm_ref *ref)
{
    return ref->block + cache->marks_offset + ref->way;
}

static inline void wm_cache_touch(const wm_cache *cache, const wm_ref *ref)
{
    if (cache->is_small) {
        wm_lru16_touch(ref->block + cache->rank_offset, ref->way);
    } else {
        cache->policy->touch(ref->block + cache->policy_offset, cache->ways,
                             ref->way);
    }
}

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
