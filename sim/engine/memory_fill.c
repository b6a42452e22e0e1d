/*
 * memory_fill.c -- fills in flight: asked for, pushed to their channels in
 * parts, complete: lines, MSHRs and replies are told, the fill that waited for
 * the MSHR goes.
 */
#include "base/inline.h"
#include "engine/memory_parts_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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

/* Pushes the atoms, a part per run that lies in one row: so many of them, 0
 * when memory is short. */
WM_APART uint32_t memory_push_parts(const wm_memory_model *model,
                                    wm_banked *banked, uint64_t line,
                                    uint32_t atoms, uint64_t due, bool is_write,
                                    uint32_t token)
{
    const uint32_t run = model->run_atoms;
    uint32_t n_parts = 0;
    while (atoms != 0) {
        const uint32_t i = wm_lowest_bit(atoms) & ~(run - 1);
        const uint32_t part = atoms >> i & (uint32_t)wm_low_mask(run);
        const wm_dram_place place = wm_mapping_place(
            &model->mapping,
            (line << model->line_shift) + ((uint64_t)i << model->atom_shift));
        const wm_banked_request request =
            wm_banked_request_of(&place, due, part, is_write, token);
        if (!wm_banked_push(banked, &request)) {
            return 0;
        }
        atoms ^= part << i;
        n_parts++;
    }
    return n_parts;
}

/* Sectors of a line that are due at t_ps; as above. */
static inline uint32_t memory_push(wm_memory *memory, uint32_t channel,
                                   uint64_t line, uint32_t sectors,
                                   uint64_t t_ps, bool is_write, uint32_t token)
{
    const wm_memory_model *model = memory->model;
    wm_banked *banked = memory->channels[channel];
    const uint64_t now = wm_banked_now(banked);
    const uint64_t next = wm_banked_next_step(banked);
    const uint32_t atoms = model->sector_shift == model->atom_shift
                               ? sectors
                               : memory_atoms(model, sectors);
    uint64_t due = memory_tick_up(model, t_ps);
    uint32_t n_parts = 1;
    due = due > now ? due : now;
    if (model->run_atoms == model->atoms_per_line) {
        const wm_dram_place place =
            wm_mapping_place(&model->mapping, line << model->line_shift);
        const wm_banked_request request =
            wm_banked_request_of(&place, due, atoms, is_write, token);
        n_parts = wm_banked_offer(banked, &request);
    } else {
        n_parts =
            memory_push_parts(model, banked, line, atoms, due, is_write, token);
    }
    if (wm_banked_next_step(banked) != next) {
        const uint64_t behind = memory_behind(memory, banked);
        memory->quiet = memory->quiet < behind ? memory->quiet : behind;
    }
    return n_parts;
}

bool wm_memory_write(wm_memory *memory, uint32_t channel, uint64_t line,
                     uint32_t sectors, uint64_t t_ps)
{
    memory->n_written += wm_popcount64(sectors);
    return memory_push(memory, channel, line, sectors, t_ps, true, 0) != 0;
}

/* Room for twice the fills, in whole lines of the host's cache. */
static bool memory_grow_fills(wm_memory *memory)
{
    static_assert(sizeof(memory_fill) == 64, "a line of the host's cache");
    const size_t n = memory->n_fills;
    const size_t cap = n != 0 ? 2 * n : 64;
    memory_fill *larger = aligned_alloc(64, cap * sizeof(*larger));
    if (larger == NULL ||
        !wm_grow(&memory->free_fill, &memory->cap_free, cap,
                 sizeof(*memory->free_fill)) ||
        !wm_grow(&memory->deferred, &memory->cap_deferred, cap,
                 sizeof(*memory->deferred))) {
        free(larger);
        return false;
    }
    if (n != 0) {
        memcpy(larger, memory->fill, n * sizeof(*larger));
    }
    free(memory->fill);
    memory->fill = larger;
    memory->cap_fills = cap;
    return true;
}

/* Fills ahead that are pulled towards the processor. */
#define FILLS_AHEAD 3u

static memory_fill *memory_take_fill(wm_memory *memory, uint32_t *index)
{
    if (memory->n_free > FILLS_AHEAD) {
        __builtin_prefetch(
            &memory->fill[memory->free_fill[memory->n_free - 1 - FILLS_AHEAD]],
            1);
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

/* Whether the time is that of a fill under way: ends of fills are written
 * wherever their pending times are, so that none outlives its fill. */
static inline bool memory_is_of(uint64_t ps, uint32_t index)
{
    return (ps & (WM_PENDING | FILL_MASK)) == (WM_PENDING | index);
}

uint64_t wm_memory_read(wm_memory *memory, const wm_fill_order *order)
{
    uint32_t index = 0;
    uint32_t n_parts = 1;
    memory_fill *fill = memory_take_fill(memory, &index);
    if (fill == NULL) {
        return 0;
    }
    uint64_t *mshr = &order->slice->misses[order->mshr];
    const uint64_t pending =
        WM_PENDING | memory->n_named++ << FILL_BITS | index;
    fill->ready_ps = 0;
    fill->line = order->index;
    fill->mshr = order->mshr;
    fill->last_waiter = WM_NO_INDEX;
    fill->later = WM_NO_INDEX;
    memory->deferred[index] = WM_NO_INDEX;
    fill->slice = (uint16_t)order->slice->local;
    fill->is_asked = 0;
    memory->n_open++;
    memory->n_read += wm_popcount64(order->sectors);
    uint32_t n_open = 0;
    if (wm_is_pending(order->before)) {
        memory->fill[order->before & FILL_MASK].later = index;
        n_open++;
    } else {
        fill->ready_ps = order->before;
    }
    if (wm_is_pending(*mshr)) {
        /* Its parts are not known yet: one stands for them. */
        fill->order_line = order->line;
        fill->order_ps = order->t_ps;
        fill->channel = (uint16_t)order->channel;
        fill->sectors = (uint8_t)order->sectors;
        memory->deferred[*mshr & FILL_MASK] = index;
        memory->n_deferred++;
    } else {
        n_parts = memory_push(memory, order->channel, order->line,
                              order->sectors, order->t_ps, false, index);
        if (n_parts == 0) {
            return 0;
        }
    }
    fill->n_open = (uint8_t)(n_open + n_parts);
    *mshr = pending;
    memory->newest = pending;
    return pending;
}

bool wm_memory_wait(wm_memory *memory, uint64_t pending, uint64_t who,
                    uint64_t floor_ps, uint64_t after_ps)
{
    memory_fill *fill = &memory->fill[pending & FILL_MASK];
    /* The request that asked: its data come after its start, so that the
     * floor says nothing.  The fill was written just now and is not read. */
    if (pending == memory->newest && after_ps <= UINT32_MAX) {
        memory->newest = 0;
        fill->who = who;
        fill->after_ps = (uint32_t)after_ps;
        fill->is_asked = 1;
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
/* The replies to others that asked for the line of a fill that is there. */
WM_APART void memory_reply_others(wm_memory *memory, uint32_t last, uint64_t ps,
                                  const memory_listener *listener)
{
    const uint32_t first = memory->waiter[last].next;
    for (uint32_t w = first;; w = memory->waiter[w].next) {
        const memory_waiter *waiter = &memory->waiter[w];
        if (listener->reply != NULL) {
            const uint64_t leaves =
                ps > waiter->floor_ps ? ps : waiter->floor_ps;
            listener->reply(listener->context, waiter->who,
                            leaves + waiter->after_ps);
        }
        if (w == last) {
            break;
        }
    }
    memory->waiter[last].next = memory->free_waiter;
    memory->free_waiter = first;
}

/* The fill that waited for an MSHR that is free at ps goes to its channel. */
WM_APART bool memory_release(wm_memory *memory, uint32_t index, uint64_t ps)
{
    memory_fill *fill = &memory->fill[index];
    const uint64_t t_ps = fill->order_ps > ps ? fill->order_ps : ps;
    const uint32_t n_parts =
        memory_push(memory, fill->channel, fill->order_line, fill->sectors,
                    t_ps, false, index);
    fill->n_open = (uint8_t)(fill->n_open + n_parts - 1);
    memory->n_deferred--;
    return n_parts != 0;
}

/* A read of the fill has its data, told at ps. */
WM_INLINE bool memory_arrive(wm_memory *memory, uint32_t index, uint64_t ps,
                             const memory_listener *listener)
{
    bool is_good = true;
    while (index != WM_NO_INDEX) {
        memory_fill *fill = &memory->fill[index];
        ps = ps > fill->ready_ps ? ps : fill->ready_ps;
        if (--fill->n_open != 0) {
            fill->ready_ps = ps;
            return is_good;
        }
        const wm_slice *slice = &memory->slices[fill->slice];
        if (fill->line != WM_NO_INDEX) {
            uint64_t *ready = &slice->tags.line[fill->line].ready;
            *ready = memory_is_of(*ready, index) ? ps : *ready;
        }
        if (fill->is_asked != 0 && listener->reply != NULL) {
            listener->reply(listener->context, fill->who, ps + fill->after_ps);
        }
        if (fill->last_waiter != WM_NO_INDEX) {
            memory_reply_others(memory, fill->last_waiter, ps, listener);
        }
        uint64_t *mshr = &slice->misses[fill->mshr];
        if (memory_is_of(*mshr, index)) {
            *mshr = ps;
        } else {
            is_good =
                memory_release(memory, memory->deferred[index], ps) && is_good;
        }
        memory->free_fill[memory->n_free++] = index;
        memory->n_open--;
        index = fill->later;
    }
    return is_good;
}

/* The channel whose next read has its data first, of equal ones the first. */
static uint32_t memory_first(const wm_memory *memory)
{
    uint32_t first = 0;
    for (uint32_t c = 1; c < memory->n_channels; c++) {
        if (wm_banked_next_done(memory->channels[c]) <
            wm_banked_next_done(memory->channels[first])) {
            first = c;
        }
    }
    return first;
}

/* is_one, constant to the compiler: there is one channel. */
WM_INLINE bool memory_deliver(wm_memory *memory, uint64_t tick,
                              const memory_listener *listener, bool is_one)
{
    const wm_memory_model *model = memory->model;
    bool is_good = true;
    for (;;) {
        const uint32_t c = is_one ? 0 : memory_first(memory);
        wm_banked *banked = memory->channels[c];
        if (wm_banked_next_done(banked) > tick) {
            return is_good;
        }
        memory->n_near[c] -= memory->n_near[c] != 0;
        const wm_banked_done done = wm_banked_take(banked);
        is_good = memory_arrive(memory, done.token,
                                memory_ps(model, (uint64_t)done.tick) +
                                    model->extra_ps,
                                listener) &&
                  is_good;
    }
}

bool wm_memory_deliver(wm_memory *memory, uint64_t tick,
                       const memory_listener *listener)
{
    return memory->n_channels == 1
               ? memory_deliver(memory, tick, listener, true)
               : memory_deliver(memory, tick, listener, false);
}
