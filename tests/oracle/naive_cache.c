/*
 * naive_cache.c -- sets of ways that are searched one by one; each policy in
 * its own words.
 */
#include "naive.h"

#include <stdlib.h>
#include <string.h>

/* The bit mixer and the generator of the model (docs/MODEL.md, 7): what is
 * drawn must be the same. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
    x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ x >> 33;
}

static uint64_t draw(uint64_t *random, uint64_t n)
{
    *random += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t x = *random;
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    x ^= x >> 31;
    return (x >> 32) * n >> 32;
}

uint64_t naive_spread(uint64_t x, uint64_t n, bool is_hashed)
{
    __extension__ typedef unsigned __int128 wide;
    const uint64_t place = x % n;
    const uint64_t turn = mix(x / n);
    if (!is_hashed) {
        return place;
    }
    if ((n & (n - 1)) == 0) {
        return place ^ turn % n;
    }
    return (place + (uint64_t)((wide)turn * n >> 64)) % n;
}

bool naive_cache_init(naive_cache *cache, const case_cache *shape,
                      uint64_t seed)
{
    cache->shape = *shape;
    cache->seed = seed;
    cache->moment = 0;
    cache->set = calloc(shape->sets, sizeof(*cache->set));
    if (cache->set == NULL) {
        return false;
    }
    for (uint64_t s = 0; s < shape->sets; s++) {
        cache->set[s].random = mix(seed + s);
        cache->set[s].way = calloc(shape->ways, sizeof(naive_way));
        cache->set[s].tree = calloc(2 * shape->ways, sizeof(bool));
        if (cache->set[s].way == NULL || cache->set[s].tree == NULL) {
            return false;
        }
    }
    return true;
}

void naive_cache_fini(naive_cache *cache)
{
    for (uint64_t s = 0; cache->set != NULL && s < cache->shape.sets; s++) {
        free(cache->set[s].way);
        free(cache->set[s].tree);
    }
    free(cache->set);
    cache->set = NULL;
}

naive_set *naive_cache_set(naive_cache *cache, uint64_t number)
{
    return &cache->set[naive_spread(number, cache->shape.sets,
                                    cache->shape.is_hashed)];
}

naive_way *naive_find(naive_set *set, const naive_cache *cache, uint64_t line,
                      bool is_copy)
{
    for (uint64_t w = 0; w < cache->shape.ways; w++) {
        naive_way *way = &set->way[w];
        if (way->is_there && way->line == line && way->is_copy == is_copy) {
            return way;
        }
    }
    return NULL;
}

/* Every node above the way points to its other half. */
static void tree_touch(const naive_cache *cache, naive_set *set, uint64_t way)
{
    uint64_t first = 0;
    uint64_t node = 1;
    for (uint64_t n = cache->shape.ways; n > 1; n /= 2) {
        const bool is_high = way >= first + n / 2;
        set->tree[node] = !is_high;
        node = 2 * node + is_high;
        first += is_high ? n / 2 : 0;
    }
}

static uint64_t tree_victim(const naive_cache *cache, const naive_set *set)
{
    uint64_t first = 0;
    uint64_t node = 1;
    for (uint64_t n = cache->shape.ways; n > 1; n /= 2) {
        const bool is_high = set->tree[node];
        node = 2 * node + is_high;
        first += is_high ? n / 2 : 0;
    }
    return first;
}

void naive_touch(naive_cache *cache, naive_set *set, naive_way *way)
{
    way->used = ++cache->moment;
    way->interval = 0;
    tree_touch(cache, set, (uint64_t)(way - set->way));
}

/* The way of which n others were used (or filled) before. */
static uint64_t nth_oldest(const naive_cache *cache, const naive_set *set,
                           uint64_t n, bool by_fill)
{
    for (uint64_t w = 0; w < cache->shape.ways; w++) {
        uint64_t n_older = 0;
        for (uint64_t v = 0; v < cache->shape.ways; v++) {
            n_older += by_fill ? set->way[v].filled < set->way[w].filled
                               : set->way[v].used < set->way[w].used;
        }
        if (n_older == n) {
            return w;
        }
    }
    return 0;
}

static uint64_t srrip_victim(const naive_cache *cache, naive_set *set)
{
    for (;;) {
        for (uint64_t w = 0; w < cache->shape.ways; w++) {
            if (set->way[w].interval == 3) {
                return w;
            }
        }
        for (uint64_t w = 0; w < cache->shape.ways; w++) {
            set->way[w].interval++;
        }
    }
}

static uint64_t victim(const naive_cache *cache, naive_set *set)
{
    const uint64_t ways = cache->shape.ways;
    const uint64_t fifth = ways < 8 ? 1 : (ways + 2) / 5;
    switch (cache->shape.policy) {
    case FIFO:
        return nth_oldest(cache, set, 0, true);
    case PLRU:
        return tree_victim(cache, set);
    case SRRIP:
        return srrip_victim(cache, set);
    case RANDOM:
        return draw(&set->random, ways);
    case AGED:
        return nth_oldest(cache, set, fifth > 1 ? draw(&set->random, fifth) : 0,
                          false);
    case LRU:
    default:
        return nth_oldest(cache, set, 0, false);
    }
}

naive_way *naive_make_room(naive_cache *cache, naive_set *set, uint64_t line,
                           bool is_copy, naive_way *gone)
{
    uint64_t w = 0;
    while (w < cache->shape.ways && set->way[w].is_there) {
        w++;
    }
    if (w == cache->shape.ways) {
        w = victim(cache, set);
    }
    naive_way *way = &set->way[w];
    *gone = *way;
    memset(way, 0, sizeof(*way));
    way->is_there = true;
    way->is_copy = is_copy;
    way->line = line;
    naive_touch(cache, set, way);
    way->filled = cache->moment;
    way->interval = 2;
    return way;
}
