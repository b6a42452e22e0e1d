/*
 * policy_random.c -- any way with equal chance, from a generator per set.
 *
 * A touch between victim() and insert() says that the victim cannot leave;
 * the next way after it is then named instead, so that asking again goes
 * through all ways.
 */
#include "model/cache/policy_internal.h"

#include "base/rng.h"

enum { RANDOM_IDLE, RANDOM_ASKED, RANDOM_REFUSED };

typedef struct random_row {
    wm_rng rng;
    uint32_t last;  /* the way named last */
    uint32_t state; /* RANDOM_* */
} random_row;

static wm_status random_check(uint32_t ways, wm_error *err)
{
    return wm_policy_check_ways("random", ways, err);
}

static size_t random_row_bytes(uint32_t ways)
{
    (void)ways;
    return sizeof(random_row);
}

static void random_init(void *row, uint32_t ways, uint64_t seed)
{
    random_row *set = row;
    (void)ways;
    set->rng.state = seed;
    set->last = 0;
    set->state = RANDOM_IDLE;
}

static void random_touch(void *row, uint32_t ways, uint32_t way)
{
    random_row *set = row;
    (void)ways;
    if (set->state == RANDOM_ASKED) {
        set->state = way == set->last ? RANDOM_REFUSED : RANDOM_IDLE;
    }
}

static void random_insert(void *row, uint32_t ways, uint32_t way)
{
    random_row *set = row;
    (void)ways;
    (void)way;
    set->state = RANDOM_IDLE;
}

static uint32_t random_victim(void *row, uint32_t ways)
{
    random_row *set = row;
    if (set->state == RANDOM_REFUSED) {
        set->last = set->last + 1 == ways ? 0 : set->last + 1;
    } else {
        set->last = wm_rng_below(&set->rng, ways);
    }
    set->state = RANDOM_ASKED;
    return set->last;
}

extern const wm_policy wm_policy_random;
const wm_policy wm_policy_random = {
    .name = "random",
    .summary = "evict any way with equal chance (seeded, repeatable)",
    .check = random_check,
    .row_bytes = random_row_bytes,
    .init = random_init,
    .touch = random_touch,
    .insert = random_insert,
    .victim = random_victim,
};
