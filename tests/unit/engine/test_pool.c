/* test_pool.c -- shares of a pool, whatever the number of its threads. */
#include <criterion/criterion.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/processors.h"
#include "engine/pool.h"

#define N_ITEMS_MAX 1000u

typedef struct tally {
    wm_pool *pool;
    uint32_t n_items;
    _Atomic uint32_t n_calls;
    _Atomic uint32_t n_wrong; /* ranges that are not a share's */
    _Atomic uint32_t seen[N_ITEMS_MAX];
} tally;

static void count(void *context, uint32_t first, uint32_t last)
{
    tally *t = context;
    atomic_fetch_add(&t->n_calls, 1);
    const uint32_t owner = wm_pool_owner(t->pool, t->n_items, first);
    for (uint32_t i = first; i < last; i++) {
        atomic_fetch_add(&t->seen[i], 1);
        if (wm_pool_owner(t->pool, t->n_items, i) != owner) {
            atomic_fetch_add(&t->n_wrong, 1);
        }
    }
}

static void check_rounds(uint32_t n_shares, uint32_t n_items)
{
    static tally t;
    wm_error err = {.status = WM_OK};
    cr_assert_eq(wm_pool_new(n_shares, &t.pool, &err), WM_OK);
    cr_assert_eq(wm_pool_shares(t.pool), n_shares);
    t.n_items = n_items;
    for (uint32_t round = 0; round < 50; round++) {
        t.n_calls = t.n_wrong = 0;
        for (uint32_t i = 0; i < n_items; i++) {
            t.seen[i] = 0;
        }
        wm_pool_run(t.pool, count, &t, n_items);
        const uint32_t n_full = n_shares < n_items ? n_shares : n_items;
        cr_assert_eq(t.n_calls, n_full, "%u calls", t.n_calls);
        cr_assert_eq(t.n_wrong, 0);
        for (uint32_t i = 0; i < n_items; i++) {
            cr_assert_eq(t.seen[i], 1, "item %u", i);
        }
    }
    wm_pool_free(t.pool);
}

Test(pool, every_item_is_worked_on_once_and_each_share_in_one_call)
{
    static const uint32_t shares[] = {1, 2, 3, 8, 64};
    static const uint32_t items[] = {0, 1, 2, 7, 80, N_ITEMS_MAX};
    for (size_t s = 0; s < sizeof(shares) / sizeof(shares[0]); s++) {
        for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
            check_rounds(shares[s], items[i]);
        }
    }
}

Test(pool, there_are_no_more_threads_than_processors_or_shares)
{
    const uint32_t n = wm_processors();
    for (uint32_t n_shares = 1; n_shares <= 2 * n; n_shares++) {
        wm_pool *pool = NULL;
        wm_error err = {.status = WM_OK};
        cr_assert_eq(wm_pool_new(n_shares, &pool, &err), WM_OK);
        cr_assert_eq(wm_pool_threads(pool), n_shares < n ? n_shares : n);
        wm_pool_free(pool);
    }
}

Test(pool, zero_means_a_share_for_each_processor)
{
    wm_pool *pool = NULL;
    wm_error err = {.status = WM_OK};
    cr_assert_eq(wm_pool_new(0, &pool, &err), WM_OK);
    cr_assert_eq(wm_pool_shares(pool), wm_processors());
    wm_pool_free(pool);
}
