/*
 * test_policy_papers.c -- the examples and properties that the papers behind
 * the policies state.
 */
#include <criterion/criterion.h>

#include <stdalign.h>
#include <stdbool.h>
#include <string.h>

#include "base/rng.h"
#include "model/cache/policy.h"

#define WAYS_MAX 64u

/* One set: whole lines named by number, 0 = empty. */
typedef struct small_set {
    const wm_policy *policy;
    uint32_t ways;
    uint32_t line[WAYS_MAX];
    alignas(16) unsigned char row[4096];
} small_set;

static void set_init(small_set *set, const char *name, uint32_t ways)
{
    memset(set, 0, sizeof(*set));
    set->policy = wm_policy_find(name);
    set->ways = ways;
    set->policy->init(set->row, ways, 1);
}

static bool set_access(small_set *set, uint32_t line)
{
    uint32_t way = 0;
    while (way < set->ways && set->line[way] != line) {
        way++;
    }
    if (way < set->ways) {
        set->policy->touch(set->row, set->ways, way);
        return true;
    }
    way = 0;
    while (way < set->ways && set->line[way] != 0) {
        way++;
    }
    if (way == set->ways) {
        way = set->policy->victim(set->row, set->ways);
    }
    set->line[way] = line;
    set->policy->insert(set->row, set->ways, way);
    return false;
}

static void expect_lines(const small_set *set, const char *lines,
                         const char *rrpvs, uint32_t step)
{
    for (uint32_t way = 0; way < 4; way++) {
        uint32_t line = lines[way] == '-' ? 0 : (uint32_t)(lines[way] - '0');
        cr_assert_eq(set->line[way], line, "step %u, way %u", step, way);
        cr_assert_eq(set->row[way], rrpvs[way] - '0', "step %u, way %u", step,
                     way);
    }
}

/*
 * Jaleel et al., ISCA 2010: the mixed access pattern a1 a2 a2 a1 b1 b2 b3 b4
 * a1 a2 in a set of 4 under 2-bit SRRIP with hit priority; a1 = 1, a2 = 2,
 * b1..b4 = 3..6.  The scan evicts neither a1 nor a2.  The states follow from
 * the paper's rules, step by step.
 */
Test(policy_papers, srrip_keeps_the_working_set_through_the_papers_scan)
{
    static const struct {
        uint32_t line;
        bool is_hit;
        const char *lines, *rrpvs; /* after the access */
    } steps[] = {
        {1, false, "1---", "2333"}, {2, false, "12--", "2233"},
        {2, true, "12--", "2033"},  {1, true, "12--", "0033"},
        {3, false, "123-", "0023"}, {4, false, "1234", "0022"},
        {5, false, "1254", "1123"}, {6, false, "1256", "1122"},
        {1, true, "1256", "0122"},  {2, true, "1256", "0022"},
    };
    small_set set;
    set_init(&set, "srrip", 4);
    for (uint32_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
        cr_assert_eq(set_access(&set, steps[i].line), steps[i].is_hit,
                     "step %u", i);
        expect_lines(&set, steps[i].lines, steps[i].rrpvs, i);
    }
}

Test(policy_papers, lru_loses_the_working_set_in_the_same_scan)
{
    static const uint32_t stream[] = {1, 2, 2, 1, 3, 4, 5, 6, 1, 2};
    small_set set;
    uint32_t n_hits = 0;
    set_init(&set, "lru", 4);
    for (uint32_t i = 0; i < 10; i++) {
        n_hits += set_access(&set, stream[i]);
    }
    cr_assert_eq(n_hits, 2);
}

/* Mattson et al., IBM Systems Journal 1970: at any time the content of a
 * smaller LRU memory is contained in that of a larger one. */
Test(policy_papers, lru_is_a_stack_algorithm)
{
    static small_set small;
    static small_set large;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        wm_rng rng = {seed};
        set_init(&small, "lru", 1 + wm_rng_below(&rng, 20));
        set_init(&large, "lru", small.ways + 1 + wm_rng_below(&rng, 20));
        for (uint32_t i = 0; i < 3000; i++) {
            uint32_t line = 1 + wm_rng_below(&rng, 60);
            bool is_small_hit = set_access(&small, line);
            bool is_large_hit = set_access(&large, line);
            cr_assert(is_large_hit || !is_small_hit, "seed %llu, access %u",
                      (unsigned long long)seed, i);
        }
    }
}

/* Belady, Nelson, Shedler, CACM 1969: FIFO may miss more with more room. */
Test(policy_papers, fifo_shows_beladys_anomaly)
{
    static const uint32_t stream[] = {1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5};
    static small_set set;
    uint32_t n_misses[2] = {0, 0};
    for (uint32_t k = 0; k < 2; k++) {
        set_init(&set, "fifo", 3 + k);
        for (uint32_t i = 0; i < 12; i++) {
            n_misses[k] += !set_access(&set, stream[i]);
        }
    }
    cr_assert_eq(n_misses[0], 9);
    cr_assert_eq(n_misses[1], 10);
}

Test(policy_papers, plru_tree_of_4_follows_its_bits)
{
    small_set set;
    set_init(&set, "plru", 4);
    for (uint32_t line = 1; line <= 4; line++) {
        (void)set_access(&set, line);
    }
    cr_assert_eq(set.policy->victim(set.row, 4), 0);
    (void)set_access(&set, 1); /* way 0: the root points right, to way 2 */
    cr_assert_eq(set.policy->victim(set.row, 4), 2);
    (void)set_access(&set, 3); /* way 2: back to the left, to way 1 */
    cr_assert_eq(set.policy->victim(set.row, 4), 1);
    (void)set_access(&set, 2);
    cr_assert_eq(set.policy->victim(set.row, 4), 3);
}

Test(policy_papers, plru_equals_lru_with_two_ways)
{
    static small_set plru;
    static small_set lru;
    wm_rng rng = {5};
    set_init(&plru, "plru", 2);
    set_init(&lru, "lru", 2);
    for (uint32_t i = 0; i < 10000; i++) {
        uint32_t line = 1 + wm_rng_below(&rng, 4);
        cr_assert_eq(set_access(&plru, line), set_access(&lru, line));
    }
}
