/*
 * test_policy.c -- the contract that every replacement policy keeps, and the
 * exact order of those that have one.
 */
#include <criterion/criterion.h>

#include <stdalign.h>
#include <string.h>

#include "base/rng.h"
#include "model/cache/policy.h"

#define ROW_MAX 4096

typedef struct policy_row {
    alignas(16) unsigned char bytes[ROW_MAX];
} policy_row;

static policy_row row;

static const policy_row guard = {{0}};

/* A fresh row, zeroed as the cache does it. */
static const wm_policy *fresh(const char *name, uint32_t ways, uint64_t seed)
{
    const wm_policy *policy = wm_policy_find(name);
    cr_assert_not_null(policy);
    cr_assert_leq(policy->row_bytes(ways), (size_t)ROW_MAX);
    memcpy(&row, &guard, sizeof(row));
    policy->init(&row, ways, seed);
    return policy;
}

Test(policy, every_registered_name_finds_its_policy)
{
    uint32_t n = 0;
    for (const wm_policy *const *p = wm_policies; *p != NULL; p++, n++) {
        cr_assert_eq(wm_policy_find((*p)->name), *p);
        cr_assert_gt(strlen((*p)->summary), 10);
    }
    cr_assert_geq(n, 5);
    cr_assert_null(wm_policy_find("LRU"));
    cr_assert_null(wm_policy_find(""));
}

Test(policy, victims_are_ways_and_rows_keep_to_their_bytes)
{
    static const uint32_t counts[] = {1, 2, 3, 4, 16, 20, 64, 256, 257, 1024};
    for (const wm_policy *const *p = wm_policies; *p != NULL; p++) {
        for (size_t c = 0; c < sizeof(counts) / sizeof(*counts); c++) {
            uint32_t ways = counts[c];
            if ((*p)->check(ways, NULL) != WM_OK) {
                continue;
            }
            size_t n_bytes = (*p)->row_bytes(ways);
            memset(&row, 0xa5, sizeof(row));
            memset(&row, 0, n_bytes);
            (*p)->init(&row, ways, 7);
            wm_rng rng = {ways};
            for (uint32_t i = 0; i < 3000; i++) {
                if (wm_rng_below(&rng, 3) != 0) {
                    (*p)->touch(&row, ways, wm_rng_below(&rng, ways));
                    continue;
                }
                uint32_t way = (*p)->victim(&row, ways);
                cr_assert_lt(way, ways, "%s, %u ways", (*p)->name, ways);
                (*p)->insert(&row, ways, way);
            }
            for (size_t i = n_bytes; i < ROW_MAX; i++) {
                cr_assert_eq(row.bytes[i], 0xa5, "%s, %u ways, byte %zu",
                             (*p)->name, ways, i);
            }
        }
    }
}

Test(policy, same_seed_and_calls_give_same_victims)
{
    static policy_row other;
    for (const wm_policy *const *p = wm_policies; *p != NULL; p++) {
        memcpy(&row, &guard, sizeof(row));
        memcpy(&other, &guard, sizeof(other));
        (*p)->init(&row, 16, 42);
        (*p)->init(&other, 16, 42);
        for (uint32_t i = 0; i < 1000; i++) {
            uint32_t way = (*p)->victim(&row, 16);
            cr_assert_eq((*p)->victim(&other, 16), way);
            (*p)->insert(&row, 16, way);
            (*p)->insert(&other, 16, way);
            (*p)->touch(&row, 16, i * 7 % 16);
            (*p)->touch(&other, 16, i * 7 % 16);
        }
    }
}

Test(policy, impossible_numbers_of_ways_are_refused)
{
    wm_error err;
    for (const wm_policy *const *p = wm_policies; *p != NULL; p++) {
        cr_assert_eq((*p)->check(0, &err), WM_ECONFIG);
        cr_assert_eq((*p)->check(1025, &err), WM_ECONFIG);
        cr_assert_eq((*p)->check(16, &err), WM_OK);
    }
    cr_assert_eq(wm_policy_find("plru")->check(20, &err), WM_ECONFIG);
    cr_assert_str_eq(err.text, "policy plru: 20 ways, want a power of two");
    cr_assert_eq(wm_policy_find("lru")->check(0, &err), WM_ECONFIG);
    cr_assert_str_eq(err.text, "policy lru: 0 ways, want 1 to 1024");
}

Test(policy, refused_victims_lead_through_all_ways)
{
    static const char *const names[] = {"lru", "fifo", "plru", "random"};
    for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
        const wm_policy *policy = fresh(names[k], 16, 3);
        for (uint32_t way = 0; way < 16; way++) {
            policy->insert(&row, 16, way * 5 % 16);
        }
        uint32_t seen = 0;
        for (uint32_t i = 0; i < 16; i++) {
            uint32_t way = policy->victim(&row, 16);
            seen |= 1u << way;
            policy->touch(&row, 16, way);
        }
        cr_assert_eq(seen, 0xffff, "%s", names[k]);
    }
}

/* Ways from the least to the most recent. */
typedef struct naive_order {
    uint32_t n;
    uint32_t way[1024];
} naive_order;

static void naive_use(naive_order *order, uint32_t way)
{
    uint32_t i = 0;
    while (i < order->n && order->way[i] != way) {
        i++;
    }
    if (i == order->n) {
        order->n++;
    }
    for (; i + 1 < order->n; i++) {
        order->way[i] = order->way[i + 1];
    }
    order->way[order->n - 1] = way;
}

static void compare_lru(uint32_t ways, uint32_t n_steps)
{
    static naive_order order;
    const wm_policy *lru = fresh("lru", ways, 0);
    wm_rng rng = {ways};
    order.n = 0;
    for (uint32_t way = 0; way < ways; way++) {
        naive_use(&order, way);
        lru->insert(&row, ways, way);
    }
    for (uint32_t i = 0; i < n_steps; i++) {
        if (wm_rng_below(&rng, 4) == 0) {
            uint32_t way = lru->victim(&row, ways);
            cr_assert_eq(way, order.way[0], "%u ways, step %u", ways, i);
            lru->insert(&row, ways, way);
            naive_use(&order, way);
        } else {
            uint32_t way = wm_rng_below(&rng, ways);
            lru->touch(&row, ways, way);
            naive_use(&order, way);
        }
    }
}

Test(policy_lru, equals_a_list_of_ways_in_order_of_use)
{
    static const uint32_t counts[] = {1,  2,  3,   4,   8,   15,  16,
                                      20, 64, 255, 256, 257, 1024};
    for (size_t c = 0; c < sizeof(counts) / sizeof(*counts); c++) {
        compare_lru(counts[c], 20000);
    }
}

Test(policy_fifo, hits_change_nothing)
{
    const wm_policy *fifo = fresh("fifo", 4, 0);
    for (uint32_t way = 0; way < 4; way++) {
        fifo->insert(&row, 4, way);
    }
    for (uint32_t i = 0; i < 100; i++) {
        fifo->touch(&row, 4, i % 4);
        uint32_t way = fifo->victim(&row, 4);
        cr_assert_eq(way, i % 4);
        fifo->insert(&row, 4, way);
        fifo->touch(&row, 4, way);
    }
}

Test(policy_fifo, refilling_from_way_0_starts_the_order_anew)
{
    const wm_policy *fifo = fresh("fifo", 4, 0);
    for (uint32_t way = 0; way < 4; way++) {
        fifo->insert(&row, 4, way);
    }
    fifo->insert(&row, 4, fifo->victim(&row, 4)); /* way 0 */
    for (uint32_t way = 0; way < 4; way++) {
        fifo->insert(&row, 4, way);
    }
    cr_assert_eq(fifo->victim(&row, 4), 0);
}

Test(policy_fifo, a_way_filled_out_of_turn_waits_its_turn)
{
    static const uint32_t order[] = {0, 2, 3, 1};
    const wm_policy *fifo = fresh("fifo", 4, 0);
    for (uint32_t way = 0; way < 4; way++) {
        fifo->insert(&row, 4, way);
    }
    fifo->insert(&row, 4, 1); /* its line was dropped */
    for (uint32_t i = 0; i < 4; i++) {
        cr_assert_eq(fifo->victim(&row, 4), order[i]);
        fifo->insert(&row, 4, order[i]);
    }
}

Test(policy_random, every_way_has_its_share)
{
    const wm_policy *policy = fresh("random", 12, 99);
    uint32_t count[12] = {0};
    for (uint32_t i = 0; i < 120000; i++) {
        uint32_t way = policy->victim(&row, 12);
        count[way]++;
        policy->insert(&row, 12, way);
    }
    for (uint32_t way = 0; way < 12; way++) {
        /* 10000 expected, standard deviation 96 */
        cr_assert(count[way] > 9500 && count[way] < 10500, "way %u: %u", way,
                  count[way]);
    }
}

Test(policy_random, different_seeds_give_different_victims)
{
    static policy_row other;
    const wm_policy *policy = fresh("random", 16, 1);
    policy->init(&other, 16, 2);
    uint32_t n_equal = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        n_equal += policy->victim(&row, 16) == policy->victim(&other, 16);
    }
    cr_assert_lt(n_equal, 120);
}

Test(policy_aged, one_of_the_oldest_fifth_leaves_each_in_its_turn)
{
    const wm_policy *policy = fresh("aged", 16, 7);
    uint32_t count[16] = {0};
    for (uint32_t i = 0; i < 30000; i++) {
        /* Ways 0 to 15 from the oldest to the youngest. */
        for (uint32_t way = 0; way < 16; way++) {
            policy->touch(&row, 16, way);
        }
        count[policy->victim(&row, 16)]++;
    }
    for (uint32_t way = 0; way < 16; way++) {
        /* 10000 expected of the oldest 3, standard deviation 82 */
        cr_expect(way < 3 ? count[way] > 9600 && count[way] < 10400
                          : count[way] == 0,
                  "way %u: %u", way, count[way]);
    }
}

Test(policy_aged, is_exact_lru_with_few_ways)
{
    const wm_policy *aged = fresh("aged", 4, 1);
    for (uint32_t way = 0; way < 4; way++) {
        aged->insert(&row, 4, way);
    }
    aged->touch(&row, 4, 0);
    for (uint32_t i = 0; i < 100; i++) {
        cr_assert_eq(aged->victim(&row, 4), 1);
    }
}
