/*
 * memory_parts_internal.h -- what a partition's banked memory is made of, and
 * what its files call of one another: memory.c (made, run), memory_fill.c
 * (fills asked for, pushed, complete).
 *
 * Thousands of fills are in flight, more than the host's inner caches hold: a
 * fill is one line there, whatever it waits for, and is fetched before it is
 * needed.
 */
#ifndef WM_ENGINE_MEMORY_PARTS_INTERNAL_H
#define WM_ENGINE_MEMORY_PARTS_INTERNAL_H

#include "engine/engine_internal.h"

/* Bits of a pending time that number the fill; the others count fills. */
#define FILL_BITS 20u
#define FILL_MASK ((UINT64_C(1) << FILL_BITS) - 1)

typedef struct memory_fill {
    uint64_t ready_ps; /* the latest of its parts so far */
    uint64_t who;      /* the request that asked is told, when is_asked */
    /* deferred: what will be pushed, and not before when */
    uint64_t order_line, order_ps;
    /* The L2 line (WM_NO_INDEX: none) and the MSHR of its slice are told the
     * time when they still wait for this fill. */
    uint32_t line, mshr;
    uint32_t after_ps;    /* so much after the data, the one that asked */
    uint32_t last_waiter; /* its next is the first */
    uint32_t later;       /* fill of the same line that ends no earlier */
    uint32_t unused;
    uint16_t slice;   /* of the partition */
    uint16_t channel; /* of the partition */
    uint8_t sectors;  /* that will be pushed */
    uint8_t n_open;   /* parts, and the line's fill before it */
    uint8_t is_asked;
    uint8_t unused_byte;
} memory_fill;

/* A reply to another request than the one that asked. */
typedef struct memory_waiter {
    uint64_t who, floor_ps, after_ps;
    uint32_t next;
} memory_waiter;

struct wm_memory {
    const wm_memory_model *model;
    wm_slice *slices;
    wm_banked **channels;
    size_t *n_near; /* by channel: reads to be handed out whose fills' lines,
                       MSHRs and so on were fetched */
    uint32_t n_channels;
    memory_fill *fill;
    size_t cap_fills, n_fills;
    uint32_t *free_fill; /* numbers, last in first out; room for all */
    size_t n_free, cap_free;
    uint32_t *deferred; /* by fill: the one that waits for its MSHR.  Apart, as
                           it is written when other fills are asked for */
    size_t cap_deferred;
    memory_waiter *waiter;
    size_t cap_waiters, n_waiters;
    uint32_t free_waiter;
    uint64_t n_named; /* fills so far */
    uint64_t newest;  /* pending time of the last one, nobody waits for it */
    uint64_t n_open, n_deferred;
    /* No read has its data before `quiet`, whether it was issued or not. */
    uint64_t quiet;
    uint64_t asked;             /* tick up to which all is told */
    uint64_t n_read, n_written; /* sectors */
};

/* Who is told of replies. */
typedef struct memory_listener {
    wm_memory_reply reply; /* NULL = nobody */
    void *context;
} memory_listener;

static inline uint64_t memory_tick_up(const wm_memory_model *model, uint64_t ps)
{
    uint64_t rest = 0;
    return wm_divide(&model->tick_fs, ps * 1000 + model->tick_fs.d - 1, &rest);
}

static inline uint64_t memory_ps(const wm_memory_model *model, uint64_t tick)
{
    return tick * model->tick_ps + tick * model->tick_rest_fs / 1000 + 1;
}

/* The channel need not be run before this tick: a read that its next step
 * issues, or answers from a queued write, has its data `lag` ticks and more
 * later. */
static inline uint64_t memory_behind(const wm_memory *memory,
                                     const wm_banked *banked)
{
    return wm_banked_next_step(banked) + memory->model->lag;
}

/* Nor is a read to be handed out before this one. */
static inline uint64_t memory_quiet(const wm_memory *memory,
                                    const wm_banked *banked)
{
    const uint64_t done = wm_banked_next_done(banked);
    const uint64_t behind = memory_behind(memory, banked);
    return done < behind ? done : behind;
}

/* --- memory_fill.c -------------------------------------------------------- */
/* The reads with data by tick, in order of time, then channel: their fills are
 * told. */
bool wm_memory_deliver(wm_memory *memory, uint64_t tick,
                       const memory_listener *listener);

#endif
