/*
 * pool.c -- threads, spinning barriers that yield.
 */
#include "engine/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

/* Rounds of looking before giving the processor away: about 2 us. */
#define SPINS 1000u
/* After that many yields a waiting thread sleeps until it is called. */
#define YIELDS 200u

typedef struct pool_thread {
    pthread_t thread;
    wm_pool *pool;
    uint32_t number;
} pool_thread;

struct wm_pool {
    uint32_t n_threads;
    pool_thread *threads; /* n_threads - 1 started ones */
    uint32_t n_started;
    _Atomic uint32_t round;  /* rises once per run */
    _Atomic uint32_t n_busy; /* helpers not finished with this round */
    _Atomic uint32_t n_asleep;
    _Atomic uint32_t is_over;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    wm_pool_fn fn;
    void *context;
    uint32_t n_items;
};

/* First item of a thread's share. */
static uint32_t pool_first(const wm_pool *pool, uint64_t n_items,
                           uint32_t number)
{
    return (uint32_t)(n_items * number / pool->n_threads);
}

uint32_t wm_pool_threads(const wm_pool *pool)
{
    return pool->n_threads;
}

uint32_t wm_pool_owner(const wm_pool *pool, uint32_t n_items, uint32_t item)
{
    uint32_t owner = 0;
    while (owner + 1 < pool->n_threads &&
           pool_first(pool, n_items, owner + 1) <= item) {
        owner++;
    }
    return owner;
}

static void pool_share(const wm_pool *pool, uint32_t number)
{
    uint32_t first = pool_first(pool, pool->n_items, number);
    uint32_t last = pool_first(pool, pool->n_items, number + 1);
    if (first < last) {
        pool->fn(pool->context, first, last);
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
        while (atomic_load_explicit(&pool->round, memory_order_acquire) ==
               seen) {
            if (++tries <= SPINS) {
                continue;
            }
            if (tries <= SPINS + YIELDS) {
                (void)sched_yield();
            } else {
                pool_sleep(pool, seen);
            }
        }
        seen++;
        if (atomic_load(&pool->is_over) != 0) {
            return NULL;
        }
        pool_share(pool, self->number);
        atomic_fetch_sub_explicit(&pool->n_busy, 1, memory_order_release);
    }
}

/* Starts the next round and wakes who sleeps. */
static void pool_call(wm_pool *pool)
{
    atomic_store(&pool->n_busy, pool->n_started);
    atomic_fetch_add(&pool->round, 1);
    if (atomic_load(&pool->n_asleep) != 0) {
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->mutex);
    }
}

wm_status wm_pool_new(uint32_t n_threads, wm_pool **out, wm_error *err)
{
    if (n_threads == 0) {
        long online = sysconf(_SC_NPROCESSORS_ONLN);
        n_threads = online > 0 ? (uint32_t)online : 1;
    }
    wm_pool *pool = calloc(1, sizeof(*pool));
    if (pool == NULL) {
        return wm_fail_memory(err);
    }
    pool->n_threads = n_threads;
    pool->threads = calloc(n_threads, sizeof(*pool->threads));
    if (pool->threads == NULL) {
        free(pool);
        return wm_fail_memory(err);
    }
    (void)pthread_mutex_init(&pool->mutex, NULL);
    (void)pthread_cond_init(&pool->wake, NULL);
    for (uint32_t i = 0; i + 1 < n_threads; i++) {
        pool->threads[i].pool = pool;
        pool->threads[i].number = i + 1;
        if (pthread_create(&pool->threads[i].thread, NULL, pool_main,
                           &pool->threads[i]) != 0) {
            break; /* fewer threads: slower, same result */
        }
        pool->n_started++;
    }
    pool->n_threads = pool->n_started + 1;
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
    for (uint32_t i = 0; i < pool->n_started; i++) {
        (void)pthread_join(pool->threads[i].thread, NULL);
    }
    (void)pthread_cond_destroy(&pool->wake);
    (void)pthread_mutex_destroy(&pool->mutex);
    free(pool->threads);
    free(pool);
}

void wm_pool_run(wm_pool *pool, wm_pool_fn fn, void *context, uint32_t n_items)
{
    pool->fn = fn;
    pool->context = context;
    pool->n_items = n_items;
    if (pool->n_started == 0) {
        pool_share(pool, 0);
        return;
    }
    pool_call(pool);
    pool_share(pool, 0);
    uint32_t tries = 0;
    while (atomic_load_explicit(&pool->n_busy, memory_order_acquire) != 0) {
        if (++tries > SPINS) {
            (void)sched_yield();
        }
    }
}
