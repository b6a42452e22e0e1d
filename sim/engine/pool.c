/*
 * pool.c -- threads, barriers that spin and then sleep, and parts that the
 * caller does itself when their thread does not come.
 */
#include "engine/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/processors.h"

/* Rounds of looking, some 2 ns each.  A waiting thread sleeps after SPINS: on a
 * machine of its own it is called before that, and where others want its
 * processor it does not use up its share of the time.  It never yields: on a
 * busy machine that costs milliseconds each time. */
#define SPINS    100000u
#define PATIENCE 2000u /* before the caller does a thread's part */

typedef struct pool_thread {
    /* The last round whose part was begun, by the thread or by the caller. */
    _Alignas(64) _Atomic uint32_t begun;
    pthread_t thread;
    wm_pool *pool;
    uint32_t number;
} pool_thread;

struct wm_pool {
    uint32_t n_shares;
    uint32_t n_threads;
    pool_thread *threads;    /* n_threads - 1 started ones */
    _Atomic uint32_t round;  /* rises once per run */
    _Atomic uint32_t n_busy; /* parts of this round not finished */
    _Atomic uint32_t n_asleep;
    _Atomic uint32_t is_awaited; /* the caller sleeps until n_busy is 0 */
    _Atomic uint32_t is_over;
    pthread_mutex_t mutex;
    pthread_cond_t wake, done;
    wm_pool_fn fn;
    void *context;
    uint32_t n_items;
};

/* First item of a share. */
static uint32_t pool_first(const wm_pool *pool, uint64_t n_items,
                           uint32_t share)
{
    return (uint32_t)(n_items * share / pool->n_shares);
}

uint32_t wm_pool_shares(const wm_pool *pool)
{
    return pool->n_shares;
}

uint32_t wm_pool_threads(const wm_pool *pool)
{
    return pool->n_threads;
}

uint32_t wm_pool_owner(const wm_pool *pool, uint32_t n_items, uint32_t item)
{
    uint32_t owner = 0;
    while (owner + 1 < pool->n_shares &&
           pool_first(pool, n_items, owner + 1) <= item) {
        owner++;
    }
    return owner;
}

/* The shares of a thread, one after the other. */
static void pool_part(const wm_pool *pool, uint64_t number)
{
    const uint64_t n = pool->n_shares;
    uint32_t share = (uint32_t)(n * number / pool->n_threads);
    const uint32_t end = (uint32_t)(n * (number + 1) / pool->n_threads);
    for (; share < end; share++) {
        const uint32_t first = pool_first(pool, pool->n_items, share);
        const uint32_t last = pool_first(pool, pool->n_items, share + 1);
        if (first < last) {
            pool->fn(pool->context, first, last);
        }
    }
}

/* A part is finished; the last one wakes a caller that sleeps. */
static void pool_end(wm_pool *pool)
{
    if (atomic_fetch_sub(&pool->n_busy, 1) == 1 &&
        atomic_load(&pool->is_awaited) != 0) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_signal(&pool->done);
        pthread_mutex_unlock(&pool->mutex);
    }
}

/* Does the thread's part of a round, unless that has been begun.  Rounds are
 * counted one by one, so a thread that comes too late finds a later one. */
static void pool_take(pool_thread *thread, uint32_t round)
{
    uint32_t before = round - 1;
    if (atomic_compare_exchange_strong(&thread->begun, &before, round)) {
        pool_part(thread->pool, thread->number);
        pool_end(thread->pool);
    }
}

/* Sleeps until the round changes. */
static void pool_sleep(wm_pool *pool, uint32_t seen)
{
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->n_asleep, 1);
    while (atomic_load(&pool->round) == seen) {
        pthread_cond_wait(&pool->wake, &pool->mutex);
    }
    atomic_fetch_sub(&pool->n_asleep, 1);
    pthread_mutex_unlock(&pool->mutex);
}

static void *pool_main(void *argument)
{
    pool_thread *self = argument;
    wm_pool *pool = self->pool;
    uint32_t seen = 0;
    for (;;) {
        uint32_t tries = 0;
        uint32_t round;
        while ((round = atomic_load_explicit(&pool->round,
                                             memory_order_acquire)) == seen) {
            if (++tries > SPINS) {
                pool_sleep(pool, seen);
            }
        }
        seen = round;
        if (atomic_load(&pool->is_over) != 0) {
            return NULL;
        }
        pool_take(self, round);
    }
}

/* Starts the next round and wakes who sleeps. */
static void pool_call(wm_pool *pool)
{
    atomic_store(&pool->n_busy, pool->n_threads - 1);
    atomic_fetch_add(&pool->round, 1);
    if (atomic_load(&pool->n_asleep) != 0) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->mutex);
    }
}

/* How many of the pool's threads run; the rest could not be had. */
static uint32_t pool_start(wm_pool *pool, uint32_t n_threads)
{
    for (uint32_t i = 0; i + 1 < n_threads; i++) {
        pool->threads[i].pool = pool;
        pool->threads[i].number = i + 1;
        if (pthread_create(&pool->threads[i].thread, NULL, pool_main,
                           &pool->threads[i]) != 0) {
            return i + 1;
        }
    }
    return n_threads;
}

/* A thread that is awake begins at once: it shall have its part, the state of
 * which lies in its core's cache. */
static void pool_expect(const pool_thread *thread, uint32_t round)
{
    for (uint32_t tries = 0; tries < PATIENCE; tries++) {
        if (atomic_load_explicit(&thread->begun, memory_order_relaxed) ==
            round) {
            return;
        }
    }
}

/* Until every part is finished. */
static void pool_await(wm_pool *pool)
{
    for (uint32_t tries = 0; tries < SPINS; tries++) {
        if (atomic_load_explicit(&pool->n_busy, memory_order_acquire) == 0) {
            return;
        }
    }
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->is_awaited, 1);
    while (atomic_load(&pool->n_busy) != 0) {
        pthread_cond_wait(&pool->done, &pool->mutex);
    }
    atomic_store(&pool->is_awaited, 0);
    pthread_mutex_unlock(&pool->mutex);
}

wm_status wm_pool_new(uint32_t n_shares, wm_pool **out, wm_error *err)
{
    const uint32_t n_processors = wm_processors();
    n_shares = n_shares != 0 ? n_shares : n_processors;
    const uint32_t n_threads =
        n_shares < n_processors ? n_shares : n_processors;
    wm_pool *pool = calloc(1, sizeof(*pool));
    if (pool == NULL) {
        return wm_fail_memory(err);
    }
    pool->n_shares = n_shares;
    pool->threads = aligned_alloc(_Alignof(pool_thread),
                                  n_threads * sizeof(*pool->threads));
    if (pool->threads == NULL) {
        free(pool);
        return wm_fail_memory(err);
    }
    memset(pool->threads, 0, n_threads * sizeof(*pool->threads));
    (void)pthread_mutex_init(&pool->mutex, NULL);
    (void)pthread_cond_init(&pool->wake, NULL);
    (void)pthread_cond_init(&pool->done, NULL);
    pool->n_threads = pool_start(pool, n_threads);
    *out = pool;
    return WM_OK;
}

void wm_pool_free(wm_pool *pool)
{
    if (pool == NULL) {
        return;
    }
    atomic_store(&pool->is_over, 1);
    pool_call(pool);
    for (uint32_t i = 0; i + 1 < pool->n_threads; i++) {
        (void)pthread_join(pool->threads[i].thread, NULL);
    }
    (void)pthread_cond_destroy(&pool->wake);
    (void)pthread_cond_destroy(&pool->done);
    (void)pthread_mutex_destroy(&pool->mutex);
    free(pool->threads);
    free(pool);
}

void wm_pool_run(wm_pool *pool, wm_pool_fn fn, void *context, uint32_t n_items)
{
    pool->fn = fn;
    pool->context = context;
    pool->n_items = n_items;
    if (pool->n_threads == 1) {
        pool_part(pool, 0);
        return;
    }
    pool_call(pool);
    pool_part(pool, 0);
    /* On a busy machine a thread may wait for a processor for milliseconds:
     * its part is done here then. */
    const uint32_t round = atomic_load(&pool->round);
    for (uint32_t i = 0; i + 1 < pool->n_threads; i++) {
        pool_expect(&pool->threads[i], round);
        pool_take(&pool->threads[i], round);
    }
    pool_await(pool);
}
