/*
 * memory.c -- fills in flight: parts pushed to banked channels, lines and
 * replies told when they are complete.
 */
#include "engine/engine_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Bits of a pending time that number the fill; the others count fills. */
#define FILL_BITS 20u
#define FILL_MASK ((UINT64_C(1) << FILL_BITS) - 1)

/* 64 bytes, aligned: many more are in flight than the host's caches hold, so
 * that a fill is one line there, with the reply of the request that asked for
 * it. */
typedef struct memory_fill {
    uint64_t pending;     /* its name as a time */
    uint64_t ready_ps;    /* the latest of its parts so far */
    uint64_t *line;       /* what the L2 line and the MSHR wait for: told the */
    uint64_t *mshr;       /* time when they still wait for this fill */
    uint64_t who;         /* is told, when is_asked */
    uint32_t after_ps;    /* so much after the data */
    uint32_t later;       /* fill of the same line that ends no earlier */
    uint32_t last_waiter; /* its next is the first */
    uint16_t n_open;      /* parts, and the line's fill before it */
    uint16_t is_asked;
    uint32_t unused[2];
} memory_fill;

/* A reply to another request than the one that asked. */
typedef struct memory_waiter {
    uint64_t who, floor_ps, after_ps;
    uint32_t next;
} memory_waiter;

/* What a deferred fill will push; by the fill's number.  Two are a line of the
 * host's cache. */
typedef struct memory_order {
    uint64_t line, t_ps;
    uint32_t channel, sectors;
    uint64_t unused;
} memory_order;

struct wm_memory {
    const wm_memory_model *model;
    wm_banked **channels;
    uint32_t n_channels;
    memory_fill *fill;
    size_t cap_fills, n_fills;
    uint32_t *free_fill; /* numbers, last in first out; room for all */
    size_t n_free, cap_free;
    memory_waiter *waiter;
    size_t cap_waiters, n_waiters;
    uint32_t free_waiter;
    memory_order *order;
    uint32_t *deferred; /* by fill: the one that waits for its MSHR */
    size_t cap_deferred;
    uint64_t n_named; /* fills so far */
    uint64_t newest;  /* pending time of the last one, nobody waits for it */
    uint64_t n_open, n_deferred;
    uint64_t next_tick;         /* nothing happens before */
    uint64_t n_read, n_written; /* sectors */
};

/* --- made ------------------------------------------------------------------
 */
static uint64_t memory_tick_up(const wm_memory_model *model, uint64_t ps)
{
    uint64_t rest = 0;
    return wm_divide(&model->tick_fs, ps * 1000 + model->tick_fs.d - 1, &rest);
}

static uint64_t memory_ps(const wm_memory_model *model, uint64_t tick)
{
    return tick * model->tick_ps + tick * model->tick_rest_fs / 1000 + 1;
}

wm_status wm_memory_new(const wm_memory_model *model, const wm_config *config,
                        uint32_t n_channels, wm_memory **out, wm_error *err)
{
    wm_memory *memory = calloc(1, sizeof(*memory));
    *out = memory;
    if (memory == NULL) {
        return wm_fail_memory(err);
    }
    static_assert(sizeof(memory_fill) == 64, "a line of the host's cache");
    memory->model = model;
    memory->n_channels = n_channels;
    memory->free_waiter = WM_NO_INDEX;
    memory->channels = calloc(n_channels, sizeof(*memory->channels));
    if (memory->channels == NULL) {
        return wm_fail_memory(err);
    }
    const wm_banked_params params = {
        .read_queue = (uint32_t)config->dram.read_queue,
        .write_queue = (uint32_t)config->dram.write_queue,
        .write_high = (uint32_t)config->dram.write_high,
        .write_low = (uint32_t)config->dram.write_low,
        .is_hit_first = config->dram.scheduler == WM_SCHEDULER_FRFCFS_ROWHIT,
        .page = (wm_dram_page)config->dram.page,
        .page_timeout =
            (uint32_t)memory_tick_up(model, config->dram.page_timeout),
        .hit_cap = (uint32_t)config->dram.hit_cap,
        .refresh = (wm_dram_refresh)config->dram.refresh,
        .forward_ticks = (uint32_t)model->timing.read_latency,
        .has_replies = true,
    };
    wm_status status = WM_OK;
    for (uint32_t c = 0; c < n_channels && status == WM_OK; c++) {
        status =
            wm_banked_new(&model->timing, &params, &memory->channels[c], err);
    }
    return status;
}

void wm_memory_free(wm_memory *memory)
{
    if (memory == NULL) {
        return;
    }
    for (uint32_t c = 0; memory->channels != NULL && c < memory->n_channels;
         c++) {
        wm_banked_free(memory->channels[c]);
    }
    free(memory->channels);
    free(memory->fill);
    free(memory->free_fill);
    free(memory->waiter);
    free(memory->order);
    free(memory->deferred);
    free(memory);
}

/* --- pushing -------------------------------------------------------------- */
/* Atoms of the line that its sectors lie in. */
static uint32_t memory_atoms(const wm_memory_model *model, uint32_t sectors)
{
    if (model->sector_shift == model->atom_shift) {
        return sectors;
    }
    uint32_t atoms = 0;
    for (; sectors != 0; sectors &= sectors - 1) {
        const uint64_t first = (uint64_t)wm_lowest_bit(sectors)
                               << model->sector_shift;
        const uint64_t last = first + (UINT64_C(1) << model->sector_shift) - 1;
        for (uint64_t a = first >> model->atom_shift;
             a <= last >> model->atom_shift; a++) {
            atoms |= 1u << a;
        }
    }
    return atoms;
}

/* Pushes the atoms, a part per run that lies in one row; *n_parts of them. */
static bool memory_push(wm_memory *memory, uint32_t channel, uint64_t line,
                        uint32_t sectors, uint64_t t_ps, bool is_write,
                        uint32_t token, uint32_t *n_parts)
{
    const wm_memory_model *model = memory->model;
    wm_banked *banked = memory->channels[channel];
    const uint32_t atoms = memory_atoms(model, sectors);
    const uint32_t run = model->run_atoms;
    const uint64_t now = wm_banked_now(banked);
    uint64_t due = memory_tick_up(model, t_ps);
    due = due > now ? due : now;
    *n_parts = 0;
    for (uint32_t i = 0; i < model->atoms_per_line; i += run) {
        const uint32_t part = (atoms >> i) & (uint32_t)wm_low_mask(run);
        if (part == 0) {
            continue;
        }
        const wm_dram_place place = wm_mapping_place(
            &model->mapping,
            (line << model->line_shift) + ((uint64_t)i << model->atom_shift));
        const wm_banked_request request =
            wm_banked_request_of(&place, due, part, is_write, token);
        if (!wm_banked_push(banked, &request)) {
            return false;
        }
        ++*n_parts;
    }
    const uint64_t next = wm_banked_next_tick(banked);
    memory->next_tick = memory->next_tick < next ? memory->next_tick : next;
    return true;
}

bool wm_memory_write(wm_memory *memory, uint32_t channel, uint64_t line,
                     uint32_t sectors, uint64_t t_ps)
{
    uint32_t n_parts = 0;
    memory->n_written += wm_popcount64(sectors);
    return memory_push(memory, channel, line, sectors, t_ps, true, 0, &n_parts);
}

/* An array of n_new items in whole lines of the host's cache, with the n_old
 * first ones of *array, which is freed. */
static bool memory_enlarge(void *array_address, size_t n_old, size_t n_new,
                           size_t n_each)
{
    void **array = array_address;
    void *larger = aligned_alloc(64, n_new * n_each);
    if (larger == NULL) {
        return false;
    }
    if (n_old != 0) {
        memcpy(larger, *array, n_old * n_each);
    }
    free(*array);
    *array = larger;
    return true;
}

/* Room for twice the fills. */
static bool memory_grow_fills(wm_memory *memory)
{
    const size_t n = memory->n_fills;
    const size_t cap = n != 0 ? 2 * n : 64;
    if (!memory_enlarge(&memory->fill, n, cap, sizeof(*memory->fill)) ||
        !memory_enlarge(&memory->order, n, cap, sizeof(*memory->order)) ||
        !wm_grow(&memory->deferred, &memory->cap_deferred, cap,
                 sizeof(*memory->deferred)) ||
        !wm_grow(&memory->free_fill, &memory->cap_free, cap,
                 sizeof(*memory->free_fill))) {
        return false;
    }
    memory->cap_fills = cap;
    return true;
}

/* Fills ahead that are pulled towards the processor. */
#define FILLS_AHEAD 3u

static memory_fill *memory_take_fill(wm_memory *memory, uint32_t *index)
{
    if (memory->n_free > FILLS_AHEAD) {
        const uint32_t soon =
            memory->free_fill[memory->n_free - 1 - FILLS_AHEAD];
        __builtin_prefetch(&memory->fill[soon], 1);
        __builtin_prefetch(&memory->order[soon], 1);
    }
    if (memory->n_free != 0) {
        *index = memory->free_fill[--memory->n_free];
        return &memory->fill[*index];
    }
    if (memory->n_fills > FILL_MASK ||
        (memory->n_fills == memory->cap_fills && !memory_grow_fills(memory))) {
        return NULL;
    }
    *index = (uint32_t)memory->n_fills++;
    return &memory->fill[*index];
}

/* The fill that a pending time names. */
static memory_fill *memory_named(wm_memory *memory, uint64_t pending)
{
    return &memory->fill[pending & FILL_MASK];
}

/* Keeps an order until its MSHR is free. */
static void memory_defer(wm_memory *memory, uint32_t index,
                         const wm_fill_order *order)
{
    memory->order[index] = (memory_order){order->line, order->t_ps,
                                          order->channel, order->sectors, 0};
    memory->deferred[*order->mshr & FILL_MASK] = index;
    memory->n_deferred++;
}

uint64_t wm_memory_read(wm_memory *memory, const wm_fill_order *order)
{
    uint32_t index = 0;
    uint32_t n_parts = 1;
    memory_fill *fill = memory_take_fill(memory, &index);
    if (fill == NULL) {
        return 0;
    }
    const uint64_t pending =
        WM_PENDING | memory->n_named++ << FILL_BITS | index;
    fill->pending = pending;
    fill->ready_ps = 0;
    fill->line = order->index != WM_NO_INDEX
                     ? &order->slice->tags.line[order->index].ready
                     : NULL;
    fill->mshr = order->mshr;
    fill->is_asked = false;
    fill->n_open = 0;
    fill->later = WM_NO_INDEX;
    memory->deferred[index] = WM_NO_INDEX;
    fill->last_waiter = WM_NO_INDEX;
    memory->n_open++;
    memory->n_read += wm_popcount64(order->sectors);
    if (wm_is_pending(order->before)) {
        memory_named(memory, order->before)->later = index;
        fill->n_open++;
    } else {
        fill->ready_ps = order->before;
    }
    /* A deferred fill's parts are not known yet: one stands for them. */
    if (wm_is_pending(*order->mshr)) {
        memory_defer(memory, index, order);
    } else if (!memory_push(memory, order->channel, order->line, order->sectors,
                            order->t_ps, false, index, &n_parts)) {
        return 0;
    }
    fill->n_open = (uint16_t)(fill->n_open + n_parts);
    *order->mshr = pending;
    memory->newest = pending;
    return pending;
}

bool wm_memory_wait(wm_memory *memory, uint64_t pending, uint64_t who,
                    uint64_t floor_ps, uint64_t after_ps)
{
    memory_fill *fill = memory_named(memory, pending);
    /* The request that asked: its data come after its start, so that the
     * floor says nothing.  The fill was written just now and is not read. */
    if (pending == memory->newest && after_ps <= UINT32_MAX) {
        memory->newest = 0;
        fill->who = who;
        fill->after_ps = (uint32_t)after_ps;
        fill->is_asked = true;
        return true;
    }
    memory->newest = 0;
    uint32_t index = memory->free_waiter;
    if (index != WM_NO_INDEX) {
        memory->free_waiter = memory->waiter[index].next;
    } else if (wm_grow(&memory->waiter, &memory->cap_waiters,
                       memory->n_waiters + 1, sizeof(*memory->waiter))) {
        index = (uint32_t)memory->n_waiters++;
    } else {
        return false;
    }
    memory_waiter *waiter = &memory->waiter[index];
    *waiter = (memory_waiter){who, floor_ps, after_ps, index};
    if (fill->last_waiter != WM_NO_INDEX) {
        memory_waiter *last = &memory->waiter[fill->last_waiter];
        waiter->next = last->next;
        last->next = index;
    }
    fill->last_waiter = index;
    return true;
}

/* --- completion ----------------------------------------------------------- */
/* Who is told of replies. */
typedef struct memory_listener {
    wm_memory_reply reply; /* NULL = nobody */
    void *context;
} memory_listener;

/* The fill that waited for an MSHR that is free at ps goes to its channel. */
static bool memory_release(wm_memory *memory, uint32_t index, uint64_t ps)
{
    const memory_order *order = &memory->order[index];
    uint32_t n_parts = 0;
    const bool is_pushed = memory_push(
        memory, order->channel, order->line, order->sectors,
        order->t_ps > ps ? order->t_ps : ps, false, index, &n_parts);
    if (n_parts != 1) {
        memory_fill *fill = &memory->fill[index];
        fill->n_open = (uint16_t)(fill->n_open + n_parts - 1);
    }
    memory->n_deferred--;
    return is_pushed;
}

/* The replies that the fill held back: it has its data. */
static void memory_reply_all(wm_memory *memory, const memory_fill *fill,
                             const memory_listener *listener)
{
    const uint64_t ps = fill->ready_ps;
    if (fill->is_asked && listener->reply != NULL) {
        listener->reply(listener->context, fill->who, ps + fill->after_ps);
    }
    if (fill->last_waiter == WM_NO_INDEX) {
        return;
    }
    const uint32_t first = memory->waiter[fill->last_waiter].next;
    for (uint32_t w = first;; w = memory->waiter[w].next) {
        const memory_waiter *waiter = &memory->waiter[w];
        if (listener->reply != NULL) {
            const uint64_t leaves =
                ps > waiter->floor_ps ? ps : waiter->floor_ps;
            listener->reply(listener->context, waiter->who,
                            leaves + waiter->after_ps);
        }
        if (w == fill->last_waiter) {
            break;
        }
    }
    memory->waiter[fill->last_waiter].next = memory->free_waiter;
    memory->free_waiter = first;
}

/* One thing that the fill waited for is there at ps. */
static bool memory_arrive(wm_memory *memory, uint32_t index, uint64_t ps,
                          const memory_listener *listener)
{
    bool is_good = true;
    while (index != WM_NO_INDEX) {
        memory_fill *fill = &memory->fill[index];
        fill->ready_ps = ps > fill->ready_ps ? ps : fill->ready_ps;
        if (--fill->n_open != 0) {
            return is_good;
        }
        ps = fill->ready_ps;
        if (fill->line != NULL && *fill->line == fill->pending) {
            *fill->line = ps;
        }
        if (*fill->mshr == fill->pending) {
            *fill->mshr = ps;
        }
        memory_reply_all(memory, fill, listener);
        const uint32_t deferred = memory->deferred[index];
        if (deferred != WM_NO_INDEX) {
            is_good = memory_release(memory, deferred, ps) && is_good;
        }
        const uint32_t later = fill->later;
        memory->free_fill[memory->n_free++] = index;
        memory->n_open--;
        index = later;
    }
    return is_good;
}

/* Pulls the fills of reads issued just now towards the processor: the first
 * `known` were there before. */
static void memory_prefetch_fills(const wm_memory *memory,
                                  const wm_banked *banked, uint32_t known)
{
    for (uint32_t i = known;; i++) {
        const uint32_t token = wm_banked_peek(banked, i);
        if (token == UINT32_MAX) {
            return;
        }
        __builtin_prefetch(&memory->fill[token], 1);
    }
}

/* And what the completion after this one will touch. */
static void memory_prefetch(const wm_memory *memory, const wm_banked *banked)
{
    const uint32_t near = wm_banked_peek(banked, 1);
    if (near != UINT32_MAX) {
        const memory_fill *fill = &memory->fill[near];
        __builtin_prefetch(fill->line, 1);
        __builtin_prefetch(fill->mshr, 1);
        const uint32_t deferred = memory->deferred[near];
        if (deferred != WM_NO_INDEX) {
            __builtin_prefetch(&memory->order[deferred]);
        }
    }
}

/* The channel of the next read with data by tick, in order of time, then
 * channel; NULL when there is none. */
static const wm_banked *memory_next(wm_memory *memory, uint64_t by,
                                    uint32_t *token, uint64_t *tick)
{
    uint32_t best = 0;
    uint64_t first = UINT64_MAX;
    for (uint32_t c = 0; c < memory->n_channels && memory->n_channels > 1;
         c++) {
        const uint64_t done = wm_banked_next_done(memory->channels[c]);
        if (done < first) {
            first = done;
            best = c;
        }
    }
    wm_banked *banked = memory->channels[best];
    return wm_banked_next(banked, by, token, tick) ? banked : NULL;
}

/* The reads with data by tick. */
static bool memory_deliver(wm_memory *memory, uint64_t tick,
                           const memory_listener *listener)
{
    const wm_memory_model *model = memory->model;
    bool is_good = true;
    uint32_t token = 0;
    uint64_t at = 0;
    const wm_banked *banked = NULL;
    while ((banked = memory_next(memory, tick, &token, &at)) != NULL) {
        memory_prefetch(memory, banked);
        is_good =
            memory_arrive(memory, token, memory_ps(model, at) + model->extra_ps,
                          listener) &&
            is_good;
    }
    return is_good;
}

/* How far all channels may run before a read that completes on the way could
 * let another one go: deferred fills are pushed in time. */
static uint64_t memory_sight(const wm_memory *memory, uint64_t tick)
{
    uint64_t step = tick;
    for (uint32_t c = 0; c < memory->n_channels; c++) {
        const wm_banked *banked = memory->channels[c];
        const uint64_t done = wm_banked_next_done(banked);
        const uint64_t sight = wm_banked_now(banked) +
                               (uint64_t)memory->model->timing.read_latency;
        step = done < step ? done : step;
        step = sight < step ? sight : step;
    }
    return step;
}

/* Runs the channels to tick, or as far as they may; returns where they are. */
static uint64_t memory_step(const wm_memory *memory, uint64_t tick)
{
    if (memory->n_deferred != 0 && memory->n_channels == 1) {
        wm_banked *banked = memory->channels[0];
        const uint32_t known = wm_banked_n_done(banked);
        const uint64_t to = wm_banked_run_to_data(banked, tick);
        memory_prefetch_fills(memory, banked, known);
        return to;
    }
    const uint64_t step =
        memory->n_deferred != 0 ? memory_sight(memory, tick) : tick;
    for (uint32_t c = 0; c < memory->n_channels; c++) {
        (void)wm_banked_run(memory->channels[c], step, 0);
    }
    return step;
}

static void memory_note_next(wm_memory *memory)
{
    memory->next_tick = UINT64_MAX;
    for (uint32_t c = 0; c < memory->n_channels; c++) {
        const uint64_t next = wm_banked_next_tick(memory->channels[c]);
        memory->next_tick = next < memory->next_tick ? next : memory->next_tick;
    }
}

static bool memory_run(wm_memory *memory, uint64_t tick,
                       const memory_listener *listener)
{
    bool is_good = true;
    uint64_t step = 0;
    do {
        step = memory_step(memory, tick);
        is_good = memory_deliver(memory, step, listener) && is_good;
    } while (step < tick);
    memory_note_next(memory);
    return is_good;
}

bool wm_memory_advance(wm_memory *memory, uint64_t t_ps, wm_memory_reply reply,
                       void *context)
{
    const memory_listener listener = {reply, context};
    const uint64_t tick = memory_tick_up(memory->model, t_ps);
    return tick < memory->next_tick || memory_run(memory, tick, &listener);
}

bool wm_memory_finish(wm_memory *memory, uint64_t t_ps)
{
    const memory_listener nobody = {NULL, NULL};
    const uint64_t tick = memory_tick_up(memory->model, t_ps);
    bool is_good = true;
    while (memory->n_open != 0) {
        is_good = memory_run(memory, memory->next_tick, &nobody) && is_good;
    }
    for (uint32_t c = 0; c < memory->n_channels; c++) {
        (void)wm_banked_finish(memory->channels[c]);
        (void)wm_banked_run(memory->channels[c], tick, 0);
    }
    memory_note_next(memory);
    return is_good;
}

bool wm_memory_is_busy(const wm_memory *memory)
{
    return memory->n_open != 0;
}

void wm_memory_count(const wm_memory *memory, uint64_t *n_read,
                     uint64_t *n_written)
{
    *n_read += memory->n_read;
    *n_written += memory->n_written;
}

void wm_memory_clear_stats(wm_memory *memory)
{
    memory->n_read = 0;
    memory->n_written = 0;
    for (uint32_t c = 0; c < memory->n_channels; c++) {
        wm_banked_clear_stats(memory->channels[c]);
    }
}

wm_banked *wm_memory_channel(wm_memory *memory, uint32_t channel)
{
    return memory->channels[channel];
}
