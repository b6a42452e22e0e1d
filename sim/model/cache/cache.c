/*
 * cache.c -- tags, sector states, victims.
 *
 * Block of a set:  padded_ways 32-bit tags | padded_ways state bytes |
 * padded_ways marks, if kept | policy row, rounded up to 64 bytes; small sets:
 * cache_inline.h.  A tag of 0
 * marks an empty way; padding ways stay 0 and are masked out.  A tag is its
 * region's number + 1 above 24 bits of the tag proper; number OVERFLOW means
 * that the full tag must be compared too.
 */
#include "model/cache/cache.h"

#include <stdlib.h>
#include <string.h>

#define OVERFLOW WM_TAG_UNNUMBERED

/* --- regions -------------------------------------------------------------- */
static uint32_t cache_memo_slot(uint64_t upper)
{
    return (uint32_t)(wm_mix64(upper) % WM_CACHE_MEMO);
}

void wm_cache_recall(wm_cache *cache, uint64_t upper)
{
    uint32_t slot = cache_memo_slot(upper);
    uint32_t number = OVERFLOW;
    while (cache->memo[slot] != 0) {
        if (cache->regions[cache->memo[slot] - 1] == upper) {
            number = cache->memo[slot] - 1u;
            break;
        }
        slot = (slot + 1) % WM_CACHE_MEMO;
    }
    cache->last_upper = upper;
    cache->last_top = (number + 1) << WM_TAG_BITS;
}

uint32_t wm_cache_number(wm_cache *cache, uint64_t set, uint64_t tag,
                         uint32_t way)
{
    const uint64_t upper = tag >> WM_TAG_BITS;
    wm_cache_recall(cache, upper); /* others may have come in between */
    if (cache->last_top == WM_TAG_NO_TOP &&
        cache->n_regions != WM_CACHE_REGIONS) {
        uint32_t slot = cache_memo_slot(upper);
        while (cache->memo[slot] != 0) {
            slot = (slot + 1) % WM_CACHE_MEMO;
        }
        const uint32_t number = cache->n_regions++;
        cache->regions[number] = upper;
        cache->memo[slot] = (uint8_t)(number + 1);
        cache->last_top = (number + 1) << WM_TAG_BITS;
    }
    cache->full_tag[set * cache->ways + way] = tag;
    return cache->last_top | ((uint32_t)tag & WM_TAG_MASK);
}

/* --- blocks --------------------------------------------------------------- */
static unsigned char *cache_block(const wm_cache *cache, uint64_t set)
{
    return wm_cache_block(cache, set, cache->kind);
}

static void cache_set_tag(unsigned char *block, uint32_t way, uint32_t tag)
{
    memcpy(block + sizeof(tag) * (size_t)way, &tag, sizeof(tag));
}

static void cache_take(wm_cache *cache, wm_arena *arena)
{
    const size_t n_lines = (size_t)cache->n_sets * cache->ways;
    cache->blocks = wm_arena_take(arena, cache->n_sets, cache->block_bytes);
    cache->line = wm_arena_take(arena, n_lines, sizeof(*cache->line));
    cache->full_tag = wm_arena_take(arena, n_lines, sizeof(*cache->full_tag));
    cache->regions =
        wm_arena_take(arena, WM_CACHE_REGIONS, sizeof(*cache->regions));
    cache->memo = wm_arena_take(arena, WM_CACHE_MEMO, sizeof(*cache->memo));
}

/* Small sets have fixed places for all parts, kept or not. */
static void cache_lay_out(wm_cache *cache, const wm_cache_geometry *geometry)
{
    const bool is_aged = geometry->policy == wm_policy_find("aged");
    const bool is_small =
        geometry->ways <= WM_LRU16_WAYS &&
        (is_aged || geometry->policy == wm_policy_find("lru"));
    cache->kind =
        (wm_cache_kind){is_small, geometry->is_locking, geometry->has_marks};
    cache->n_choice = is_aged ? wm_aged_choice(geometry->ways) : 1;
    cache->padded_ways = (geometry->ways + 15u) & ~15u;
    cache->state_offset = 4 * cache->padded_ways;
    cache->marks_offset = cache->state_offset + cache->padded_ways;
    cache->policy_offset =
        cache->marks_offset +
        (is_small || geometry->has_marks ? cache->padded_ways : 0);
    const size_t bytes =
        cache->policy_offset + geometry->policy->row_bytes(geometry->ways);
    cache->block_bytes = is_small ? WM_SMALL_BYTES : (bytes + 63) & ~(size_t)63;
}

wm_status wm_cache_init(wm_cache *cache, const wm_cache_geometry *geometry,
                        wm_arena *arena, wm_error *err)
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
    cache->is_hashed = geometry->is_hashed;
    cache->spread = geometry->is_drawn
                        ? wm_spread_drawn(geometry->n_sets,
                                          geometry->group_shift, geometry->seed)
                        : wm_spread_of(geometry->n_sets, geometry->is_hashed);
    cache_lay_out(cache, geometry);
    if (geometry->n_sets * geometry->ways > UINT32_MAX - 1) {
        return wm_fail_memory(err);
    }
    cache_take(cache, arena);
    if (arena->base != NULL) {
        wm_cache_clear(cache);
    }
    return WM_OK;
}

void wm_cache_clear(wm_cache *cache)
{
    if (cache->n_clean >= cache->n_sets) {
        return;
    }
    cache->n_clean = cache->n_sets;
    memset(cache->memo, 0, WM_CACHE_MEMO * sizeof(*cache->memo));
    cache->n_regions = 0;
    cache->has_holes = false;
    cache->last_upper = UINT64_MAX; /* no tag has such an upper part */
    cache->last_top = WM_TAG_NO_TOP;
    memset(cache->blocks, 0, cache->n_sets * cache->block_bytes);
    for (uint64_t set = 0; set < cache->n_sets; set++) {
        cache->policy->init(cache_block(cache, set) + cache->policy_offset,
                            cache->ways, wm_mix64(cache->seed + set));
    }
}

void wm_cache_resize(wm_cache *cache, uint64_t n_sets)
{
    cache->n_sets = n_sets;
    cache->spread = wm_spread_of(n_sets, cache->is_hashed);
    wm_cache_clear(cache);
}

uint32_t wm_cache_search(const wm_cache *cache, const unsigned char *block,
                         uint64_t set, uint64_t tag, uint32_t short_tag)
{
    const uint64_t *full_tag = cache->full_tag + set * cache->ways;
    const bool is_exact = short_tag >> WM_TAG_BITS != OVERFLOW + 1;
    for (uint32_t base = 0; base < cache->padded_ways; base += 16) {
        uint32_t mask = wm_match16x32(block + 4 * (size_t)base, short_tag);
        for (; mask != 0; mask &= mask - 1) {
            uint32_t way = base + wm_lowest_bit(mask);
            if (is_exact || full_tag[way] == tag) {
                return way;
            }
        }
    }
    return WM_NO_INDEX;
}

wm_ref wm_cache_at(const wm_cache *cache, uint64_t set, uint32_t way)
{
    wm_ref ref;
    ref.block = cache_block(cache, set);
    ref.set = set;
    ref.tag = 0;
    ref.short_tag = 0;
    ref.way = way;
    return ref;
}

/* An empty way of the set, or WM_NO_INDEX. */
static uint32_t cache_empty_way(const wm_cache *cache,
                                const unsigned char *block)
{
    for (uint32_t base = 0; base < cache->ways; base += 16) {
        uint32_t mask = wm_match16x32(block + 4 * (size_t)base, 0);
        if (mask != 0) {
            uint32_t way = base + wm_lowest_bit(mask);
            return way < cache->ways ? way : WM_NO_INDEX;
        }
    }
    return WM_NO_INDEX;
}

/* The policy's choice among the ways that are not locked. */
static uint32_t cache_victim(const wm_cache *cache, unsigned char *block)
{
    void *row = block + cache->policy_offset;
    const uint8_t *state = block + cache->state_offset;
    for (uint32_t tries = 0; tries < cache->ways; tries++) {
        uint32_t way = cache->policy->victim(row, cache->ways);
        if (!cache->kind.is_locking || (state[way] & 0xf0) == 0) {
            return way;
        }
        cache->policy->touch(row, cache->ways, way);
    }
    /* A policy may repeat itself: any way that is free will do. */
    for (uint32_t way = 0; way < cache->ways; way++) {
        if ((state[way] & 0xf0) == 0) {
            return way;
        }
    }
    return WM_NO_INDEX;
}

uint32_t wm_cache_choose(wm_cache *cache, unsigned char *block)
{
    const uint32_t way = cache_empty_way(cache, block);
    return way != WM_NO_INDEX ? way : cache_victim(cache, block);
}

void wm_cache_drop(wm_cache *cache, const wm_ref *ref)
{
    unsigned char *block = ref->block;
    cache->has_holes = true;
    cache_set_tag(block, ref->way, 0);
    block[cache->state_offset + ref->way] = 0;
    if (cache->kind.has_marks) {
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
