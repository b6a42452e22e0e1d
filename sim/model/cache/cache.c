/*
 * cache.c -- tags, sector states, victims.
 *
 * Block of a set:  padded_ways 16-bit partial tags | padded_ways state bytes
 * | policy row | padded_ways marks, rounded up to 64 bytes.  A partial tag of
 * 0 marks an empty way; padding ways stay 0 and are masked out.
 */
#include "model/cache/cache.h"

#include <stdlib.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static uint16_t cache_partial(uint64_t tag)
{
    uint64_t folded = tag ^ (tag >> 16) ^ (tag >> 32) ^ (tag >> 48);
    uint16_t partial = (uint16_t)(folded & 0xffff);
    return partial != 0 ? partial : 1;
}

/* Bit w: the w-th of 16 partial tags equals partial. */
static uint32_t cache_match16(const unsigned char *tags, uint16_t partial)
{
#if defined(__SSE2__)
    const __m128i wanted = _mm_set1_epi16((short)partial);
    const __m128i low = _mm_load_si128((const __m128i *)(const void *)tags);
    const __m128i high =
        _mm_load_si128((const __m128i *)(const void *)(tags + 16));
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(
        _mm_cmpeq_epi16(low, wanted), _mm_cmpeq_epi16(high, wanted)));
#else
    uint32_t mask = 0;
    uint16_t tag[16];
    memcpy(tag, tags, sizeof(tag));
    for (uint32_t way = 0; way < 16; way++) {
        mask |= (uint32_t)(tag[way] == partial) << way;
    }
    return mask;
#endif
}

static unsigned char *cache_block(const wm_cache *cache, uint64_t set)
{
    return cache->blocks + set * cache->block_bytes;
}

static void cache_set_partial(unsigned char *block, uint32_t way,
                              uint16_t partial)
{
    memcpy(block + 2 * (size_t)way, &partial, sizeof(partial));
}

wm_status wm_cache_init(wm_cache *cache, const wm_cache_geometry *geometry,
                        wm_error *err)
{
    memset(cache, 0, sizeof(*cache));
    wm_status status = geometry->policy->check(geometry->ways, err);
    if (status != WM_OK) {
        return status;
    }
    cache->policy = geometry->policy;
    cache->seed = geometry->seed;
    cache->ways = geometry->ways;
    cache->n_sets = geometry->n_sets;
    cache->spread = wm_spread_of(geometry->n_sets, geometry->is_hashed);
    cache->padded_ways = (geometry->ways + 15u) & ~15u;
    cache->state_offset = 2 * cache->padded_ways;
    cache->policy_offset = 3 * cache->padded_ways;
    size_t bytes =
        cache->policy_offset + geometry->policy->row_bytes(geometry->ways);
    if (geometry->has_marks) {
        cache->marks_offset = (uint32_t)bytes;
        bytes += cache->padded_ways;
    }
    cache->block_bytes = (bytes + 63) & ~(size_t)63;
    if (geometry->n_sets > (SIZE_MAX / 2) / cache->block_bytes ||
        geometry->n_sets * geometry->ways > UINT32_MAX - 1) {
        return wm_fail_memory(err);
    }
    cache->blocks = aligned_alloc(64, geometry->n_sets * cache->block_bytes);
    cache->line = calloc(geometry->n_sets * geometry->ways, sizeof(wm_way));
    if (cache->blocks == NULL || cache->line == NULL) {
        wm_cache_fini(cache);
        return wm_fail_memory(err);
    }
    wm_cache_clear(cache);
    return WM_OK;
}

void wm_cache_fini(wm_cache *cache)
{
    free(cache->blocks);
    free(cache->line);
    memset(cache, 0, sizeof(*cache));
}

void wm_cache_clear(wm_cache *cache)
{
    memset(cache->blocks, 0, cache->n_sets * cache->block_bytes);
    for (uint64_t set = 0; set < cache->n_sets; set++) {
        cache->policy->init(cache_block(cache, set) + cache->policy_offset,
                            cache->ways, wm_mix64(cache->seed + set));
    }
}

void wm_cache_resize(wm_cache *cache, uint64_t n_sets)
{
    cache->n_sets = n_sets;
    cache->spread = wm_spread_of(n_sets, cache->spread.is_hashed);
    wm_cache_clear(cache);
}

wm_ref wm_cache_find(const wm_cache *cache, uint64_t line)
{
    wm_ref ref = {0, 0, WM_NO_INDEX, WM_NO_INDEX};
    ref.set = wm_spread_place(&cache->spread, line, &ref.tag);
    const unsigned char *block = cache_block(cache, ref.set);
    const uint16_t partial = cache_partial(ref.tag);
    const uint32_t first = (uint32_t)ref.set * cache->ways;
    for (uint32_t base = 0; base < cache->padded_ways; base += 16) {
        uint32_t mask = cache_match16(block + 2 * (size_t)base, partial);
        while (mask != 0) {
            uint32_t way = base + wm_lowest_bit(mask);
            if (cache->line[first + way].tag == ref.tag) {
                ref.way = way;
                ref.index = first + way;
                return ref;
            }
            mask &= mask - 1;
        }
    }
    return ref;
}

void wm_cache_prefetch(const wm_cache *cache, uint64_t line)
{
    uint64_t tag = 0;
    uint64_t set = wm_spread_place(&cache->spread, line, &tag);
    __builtin_prefetch(cache_block(cache, set), 1);
    if (cache->marks_offset >= 64) {
        __builtin_prefetch(cache_block(cache, set) + cache->marks_offset, 1);
    }
}

/* An empty way of the set, or WM_NO_INDEX. */
static uint32_t cache_empty_way(const wm_cache *cache,
                                const unsigned char *block)
{
    for (uint32_t base = 0; base < cache->ways; base += 16) {
        uint32_t mask = cache_match16(block + 2 * (size_t)base, 0);
        if (mask != 0) {
            uint32_t way = base + wm_lowest_bit(mask);
            return way < cache->ways ? way : WM_NO_INDEX;
        }
    }
    return WM_NO_INDEX;
}

static bool cache_is_locked(const wm_cache *cache, const wm_ref *ref,
                            uint64_t now)
{
    return (wm_cache_settle(cache, ref, now) & 0xf0) != 0;
}

/* The policy's choice among the ways that wait for nothing. */
static uint32_t cache_victim(const wm_cache *cache, wm_ref ref, uint64_t now)
{
    void *row = cache_block(cache, ref.set) + cache->policy_offset;
    const uint32_t first = (uint32_t)ref.set * cache->ways;
    for (uint32_t tries = 0; tries < cache->ways; tries++) {
        ref.way = cache->policy->victim(row, cache->ways);
        ref.index = first + ref.way;
        if (!cache_is_locked(cache, &ref, now)) {
            return ref.way;
        }
        cache->policy->touch(row, cache->ways, ref.way);
    }
    /* A policy may repeat itself: any way that is free will do. */
    for (ref.way = 0; ref.way < cache->ways; ref.way++) {
        ref.index = first + ref.way;
        if (!cache_is_locked(cache, &ref, now)) {
            return ref.way;
        }
    }
    return WM_NO_INDEX;
}

bool wm_cache_allocate(wm_cache *cache, wm_ref *ref, uint64_t now,
                       wm_evicted *evicted)
{
    unsigned char *block = cache_block(cache, ref->set);
    uint32_t way = cache_empty_way(cache, block);
    const bool is_full = way == WM_NO_INDEX;
    if (is_full) {
        way = cache_victim(cache, *ref, now);
        if (way == WM_NO_INDEX) {
            return false;
        }
    }
    const uint32_t index = (uint32_t)ref->set * cache->ways + way;
    wm_way *line = &cache->line[index];
    uint8_t *state = block + cache->state_offset + way;
    if (evicted != NULL) {
        evicted->is_line = is_full;
        evicted->line = 0;
        evicted->valid = is_full ? *state & 0x0f : 0;
        evicted->dirty = 0;
        if (is_full && cache->marks_offset != 0) {
            evicted->dirty = block[cache->marks_offset + way] & 0x0f;
        }
        if (is_full && evicted->dirty != 0) {
            evicted->line = wm_cache_line_at(cache, ref->set, line->tag);
        }
    }
    cache_set_partial(block, way, cache_partial(ref->tag));
    *state = 0;
    line->tag = ref->tag;
    line->ready = 0;
    line->chain = WM_NO_INDEX;
    if (cache->marks_offset != 0) {
        block[cache->marks_offset + way] = 0;
    }
    ref->way = way;
    ref->index = index;
    cache->policy->insert(block + cache->policy_offset, cache->ways, way);
    return true;
}

void wm_cache_drop(wm_cache *cache, const wm_ref *ref)
{
    unsigned char *block = cache_block(cache, ref->set);
    cache_set_partial(block, ref->way, 0);
    block[cache->state_offset + ref->way] = 0;
    if (cache->marks_offset != 0) {
        block[cache->marks_offset + ref->way] = 0;
    }
}

uint64_t wm_cache_n_dirty(const wm_cache *cache)
{
    uint64_t n = 0;
    for (uint64_t set = 0; set < cache->n_sets; set++) {
        const unsigned char *marks =
            cache_block(cache, set) + cache->marks_offset;
        for (uint32_t way = 0; way < cache->ways; way++) {
            n += wm_popcount64(marks[way] & 0x0fu);
        }
    }
    return n;
}

uint64_t wm_cache_line_at(const wm_cache *cache, uint64_t set, uint64_t tag)
{
    return wm_spread_number(&cache->spread, set, tag);
}
