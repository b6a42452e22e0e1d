/*
 * distil.c -- the scoreboard, and the gaps it leaves.
 */
#include "trace/distil.h"

#include <assert.h>
#include <string.h>

#include "base/buffer.h"

/* Longer than any fixed latency: what was issued before a stall is ready. */
#define STALL_CYCLES 64u
#define GAP_MAX      65535u

void wm_distil_init(wm_distil *distil)
{
    memset(distil, 0, sizeof(*distil));
}

void wm_distil_start(wm_distil *distil)
{
    memset(distil->registers, 0,
           distil->n_touched * sizeof(distil->registers[0]));
    distil->n_touched = 0;
    distil->clock = 0;
    distil->n_loads = 0;
    distil->in_flight = 0;
    memset(distil->copies, 0, sizeof(distil->copies));
    distil->has_copies = false;
    distil->wait = 0;
    distil->is_stalled = false;
    distil->pause = 0;
    distil->head_cycles = distil->head_slots = 0;
    distil->tail_cycles = distil->tail_slots = 0;
}

static bool append(wm_cta *cta, const wm_record *record)
{
    if (cta->n_records >= UINT32_MAX ||
        !wm_grow(&cta->records, &cta->cap_records, cta->n_records + 1,
                 sizeof(*cta->records))) {
        return false;
    }
    cta->records[cta->n_records++] = *record;
    return true;
}

static uint16_t take(uint64_t *amount)
{
    uint64_t n = *amount < GAP_MAX ? *amount : GAP_MAX;
    *amount -= n;
    return (uint16_t)n;
}

/* Moves as much of the gap as fits into the record. */
static void take_gap(wm_distil *d, wm_record *record)
{
    record->head_cycles = take(&d->head_cycles);
    record->head_slots = take(&d->head_slots);
    record->wait = d->head_cycles == 0 ? d->wait : 0;
    record->tail_cycles = 0;
    record->tail_slots = 0;
    if (d->head_cycles == 0) {
        record->tail_cycles = take(&d->tail_cycles);
        record->tail_slots = take(&d->tail_slots);
        d->wait = 0;
    }
}

/* Emits GAP records until the rest of the gap is at most n_max cycles. */
static bool drain_gap(wm_distil *d, wm_cta *cta, uint64_t n_max)
{
    while (d->head_cycles > n_max || d->tail_cycles > n_max ||
           (n_max == 0 && d->wait != 0)) {
        wm_record gap;
        memset(&gap, 0, sizeof(gap));
        gap.kind = WM_KIND_GAP;
        gap.static_id = d->static_id;
        take_gap(d, &gap);
        if (!append(cta, &gap)) {
            return false;
        }
    }
    return true;
}

/* The loads in flight that write this register, as a wait mask. */
static uint32_t awaited(const wm_distil *d, const wm_register_state *reg)
{
    uint32_t age = d->n_loads - reg->load;
    if (age > 31) {
        return UINT32_C(1) << 31;
    }
    uint32_t parts = (UINT32_C(1) << reg->n_parts) - 1;
    return parts << age;
}

/* Looks at one run of registers: loads to wait for, latest fixed result. */
static void look(wm_distil *d, wm_register_run run, uint32_t *needed,
                 uint64_t *ready)
{
    uint32_t end = (uint32_t)run.first + run.n;
    end = end < d->n_touched ? end : d->n_touched;
    for (uint32_t r = run.first; r < end; r++) {
        wm_register_state *reg = &d->registers[r];
        if (reg->load != 0) {
            *needed |= awaited(d, reg);
            reg->load = 0;
        }
        if (reg->ready > *ready) {
            *ready = reg->ready;
        }
    }
}

/* The gap so far is all head again. */
static void forget_pause(wm_distil *d)
{
    if (d->pause != 0) {
        d->head_cycles += d->tail_cycles;
        d->head_slots += d->tail_slots;
        d->tail_cycles = d->tail_slots = 0;
        d->pause = 0;
        d->is_stalled = false;
    }
}

/* No slot is taken for n_cycles: the tail begins behind the longest pause. */
static void idle(wm_distil *d, uint64_t n_cycles)
{
    const bool can_cut = (!d->is_stalled || d->pause != 0) && !d->keeps_all;
    if (can_cut && n_cycles > WM_DISTIL_PAUSE_CYCLES && n_cycles > d->pause) {
        forget_pause(d);
        d->head_cycles += n_cycles;
        d->pause = n_cycles;
        d->is_stalled = true;
    } else if (d->is_stalled) {
        d->tail_cycles += n_cycles;
    } else {
        d->head_cycles += n_cycles;
    }
}

static bool stall(wm_distil *d, wm_cta *cta, uint32_t needed)
{
    forget_pause(d);
    if (d->is_stalled && d->tail_slots > WM_DISTIL_JOIN_SLOTS) {
        if (!drain_gap(d, cta, 0)) {
            return false;
        }
    }
    d->is_stalled = true;
    d->wait |= needed;
    d->in_flight &= ~needed;
    d->clock += STALL_CYCLES;
    return true;
}

void wm_distil_commit(wm_distil *distil)
{
    uint32_t *copies = distil->copies;
    copies[WM_COPY_GROUPS - 1] |= copies[WM_COPY_GROUPS - 2];
    memmove(copies + 1, copies, (WM_COPY_GROUPS - 2) * sizeof(*copies));
    copies[0] = 0;
}

/* The copies of all groups but the n_allowed youngest. */
static uint32_t awaited_copies(const wm_distil *d, uint32_t n_allowed)
{
    uint32_t needed = 0;
    uint32_t group = n_allowed == 0 ? 0 : n_allowed + 1;
    for (; group < WM_COPY_GROUPS; group++) {
        needed |= d->copies[group];
    }
    return needed;
}

/* A load was added: every mask moves up by one. */
static void age_copies(wm_distil *d, bool is_copy)
{
    d->has_copies |= is_copy;
    for (uint32_t i = 0; d->has_copies && i < WM_COPY_GROUPS; i++) {
        d->copies[i] <<= 1;
    }
    d->copies[0] |= is_copy;
}

/* Advances to the cycle in which the instruction can issue. */
static bool await_operands(wm_distil *d, wm_cta *cta, const wm_use *use)
{
    uint32_t needed = use->awaits_copies == WM_COPIES_NONE
                          ? 0
                          : awaited_copies(d, use->awaits_copies);
    uint64_t ready = d->clock;
    uint64_t overwritten = 0;
    for (uint32_t i = 0; i < use->n_reads; i++) {
        look(d, use->reads[i], &needed, &ready);
    }
    for (uint32_t i = 0; i < use->n_writes; i++) {
        look(d, use->writes[i], &needed, &overwritten);
    }
    needed &= d->in_flight;
    if (needed != 0) {
        return stall(d, cta, needed);
    }
    idle(d, ready - d->clock);
    d->clock = ready;
    return true;
}

static void write_registers(wm_distil *d, const wm_use *use, uint64_t ready,
                            uint32_t load, uint32_t n_parts)
{
    if (use->is_off) {
        return;
    }
    for (uint32_t i = 0; i < use->n_writes; i++) {
        wm_register_run run = use->writes[i];
        uint32_t end = (uint32_t)run.first + run.n;
        end = end < WM_REGISTERS - 1 ? end : WM_REGISTERS - 1;
        for (uint32_t r = run.first; r < end; r++) {
            d->registers[r].ready = ready;
            d->registers[r].load = load;
            d->registers[r].n_parts = n_parts;
        }
        if (end > d->n_touched && run.first < end) {
            d->n_touched = end;
        }
    }
}

bool wm_distil_pass(wm_distil *distil, wm_cta *cta, const wm_use *use)
{
    if (!await_operands(distil, cta, use)) {
        return false;
    }
    if (distil->is_stalled) {
        distil->tail_cycles++;
        distil->tail_slots++;
    } else {
        distil->head_cycles++;
        distil->head_slots++;
    }
    write_registers(distil, use, distil->clock + use->latency_cycles, 0, 0);
    distil->clock++;
    if (distil->keeps_all) {
        distil->is_stalled = false;
        return drain_gap(distil, cta, 0);
    }
    return true;
}

bool wm_distil_record(wm_distil *distil, wm_cta *cta, const wm_use *use,
                      wm_record *parts, uint32_t n_parts)
{
    assert(n_parts >= 1 && n_parts <= WM_PARTS_MAX);
    uint32_t n_loads = 0;
    if (!await_operands(distil, cta, use) || !drain_gap(distil, cta, GAP_MAX)) {
        return false;
    }
    take_gap(distil, &parts[0]);
    distil->is_stalled = false;
    distil->pause = 0;
    for (uint32_t i = 0; i < n_parts; i++) {
        if (!append(cta, &parts[i])) {
            return false;
        }
        if (wm_kind_is_load((wm_kind)parts[i].kind)) {
            n_loads++;
            distil->n_loads++;
            distil->in_flight = distil->in_flight << 1 | (parts[i].mask != 0);
            age_copies(distil, parts[i].kind == WM_KIND_ASYNC_COPY);
        }
    }
    if (n_loads > 0) {
        write_registers(distil, use, 0, distil->n_loads, n_loads);
    } else {
        write_registers(distil, use, distil->clock + use->latency_cycles, 0, 0);
    }
    distil->clock++;
    return true;
}

bool wm_distil_finish(wm_distil *distil, wm_cta *cta, uint32_t static_id)
{
    wm_record exit_record;
    memset(&exit_record, 0, sizeof(exit_record));
    exit_record.kind = WM_KIND_EXIT;
    exit_record.static_id = static_id;
    if (!drain_gap(distil, cta, GAP_MAX)) {
        return false;
    }
    take_gap(distil, &exit_record);
    return append(cta, &exit_record);
}
