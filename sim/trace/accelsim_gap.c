/*
 * accelsim_gap.c -- slots and pauses as chains of instructions.
 */
#include "trace/accelsim_gap.h"

#include <inttypes.h>

#include "base/bits.h"

#define HMMA_FLOPS 4096u /* 16 x 8 x 16 */
/* Longer pauses are kept for where the gap has one (distil.h). */
#define PAUSE_MAX 7u
#define END_MIN   9u

/* An instruction, and how many lines on its result is read. */
typedef struct gap_link {
    uint32_t latency; /* 0: none */
    uint32_t distance;
} gap_link;

void wm_accelsim_begin_line(wm_accelsim_out *out, uint32_t mask, uint32_t dst,
                            const char *opcode, const wm_sources *from)
{
    wm_buffer *lines = &out->lines;
    out->n_lines++;
    if (out->has_source_line) {
        wm_buffer_printf(lines, "%" PRIu32 " ", out->source_line);
    }
    wm_buffer_printf(lines, "%04" PRIx64 " %08" PRIx32 " ", out->pc, mask);
    if (dst == 0) {
        wm_buffer_puts(lines, "0 ");
    } else {
        wm_buffer_printf(lines, "1 R%" PRIu32 " ", dst);
    }
    wm_buffer_printf(lines, "%s %" PRIu32 " ", opcode, from->n);
    for (uint32_t i = 0; i < from->n; i++) {
        wm_buffer_printf(lines, "R%u ", (unsigned)from->registers[i]);
    }
}

void wm_accelsim_read_chain(wm_accelsim_out *out, wm_sources *from)
{
    if (out->chain_distance != 0 && --out->chain_distance == 0) {
        wm_accelsim_read(from, WM_CHAIN_REGISTER);
    }
}

/* --- one instruction ------------------------------------------------------ */
/* Takes one instruction's share of the arithmetic that is left; its mask, or
 * 0 when there is none left. */
static uint32_t take_work(uint64_t *left, uint32_t n_each)
{
    uint64_t n = *left / n_each < 32 ? *left / n_each : 32;
    *left -= n * n_each;
    return (uint32_t)wm_low_mask((uint32_t)n);
}

/* An instruction of a gap; where it can it does some of the CTA's arithmetic.
 */
static void add_work(wm_accelsim_out *out, const wm_sources *from)
{
    const struct {
        const char *opcode;
        uint64_t *left;
        uint32_t n_each; /* operations per lane */
    } rows[] = {
        {"DFMA", &out->left.flops_fp64, 2},
        {"DADD", &out->left.flops_fp64, 1},
        {"FFMA", &out->left.flops_fp32, 2},
        {"FADD", &out->left.flops_fp32, 1},
        {"HFMA2", &out->left.flops_fp16, 4},
        {"HADD2", &out->left.flops_fp16, 2},
    };
    const char *opcode = "NOP";
    uint32_t mask = 0;
    if (out->left.flops_tensor >= HMMA_FLOPS) {
        out->left.flops_tensor -= HMMA_FLOPS;
        opcode = "HMMA.16816.F32";
        mask = WM_ACCELSIM_ALL_LANES;
    }
    for (size_t i = 0; mask == 0 && i < sizeof(rows) / sizeof(rows[0]); i++) {
        mask = take_work(rows[i].left, rows[i].n_each);
        opcode = mask != 0 ? rows[i].opcode : opcode;
    }
    wm_accelsim_begin_line(out, mask == 0 ? WM_ACCELSIM_ALL_LANES : mask, 0,
                           opcode, from);
    wm_buffer_puts(&out->lines, "0 0\n");
}

/* An instruction whose result a later one waits for. */
static void add_link(wm_accelsim_out *out, gap_link link,
                     const wm_sources *from)
{
    if (link.latency == 0) {
        add_work(out, from);
        return;
    }
    uint32_t mask = link.latency == 4   ? take_work(&out->left.flops_fp32, 2)
                    : link.latency == 8 ? take_work(&out->left.flops_fp64, 2)
                                        : 0;
    const char *opcode = link.latency == 20   ? "SHFL.IDX"
                         : link.latency == 16 ? "MUFU.RCP"
                         : link.latency == 8  ? (mask != 0 ? "DFMA" : "DMNMX")
                         : link.latency == 5  ? "IMAD"
                                              : (mask != 0 ? "FFMA" : "IADD3");
    wm_accelsim_begin_line(out, mask == 0 ? WM_ACCELSIM_ALL_LANES : mask,
                           WM_CHAIN_REGISTER, opcode, from);
    wm_buffer_puts(&out->lines, "0 0\n");
    out->chain_distance = link.distance;
}

/* --- pauses --------------------------------------------------------------- */
/* One and two cycles, and what leaves them, need instructions in between. */
static bool is_awkward(uint32_t n_idle)
{
    return n_idle == 1 || n_idle == 2 || n_idle == 5;
}

/* The link for a pause of n_idle cycles or the first part of one, read at most
 * `room` lines on. */
static gap_link choose_link(uint32_t n_idle, uint32_t room)
{
    static const uint32_t latencies[] = {20, 16, 8, 5, 4};
    gap_link link = {0, 1};
    if (room == 0 || n_idle == 0) {
        return link;
    }
    const uint32_t n_apart = n_idle == 2 ? 2 : 3;
    if (is_awkward(n_idle) && n_apart <= room) {
        return (gap_link){n_idle + n_apart, n_apart};
    }
    /* Short ones where there is room for them: they can do FP32 work. */
    const bool is_spread = n_idle <= 3 * room;
    const uint32_t first = n_idle <= PAUSE_MAX * room ? 2 : 0;
    for (uint32_t i = first; i < 5; i++) {
        const uint32_t latency = latencies[is_spread ? 4 + first - i : i];
        const uint32_t pause = latency - 1;
        if (pause <= n_idle && !is_awkward(n_idle - pause)) {
            link.latency = latency;
            return link;
        }
        if (pause <= n_idle && link.latency == 0) {
            link.latency = latency;
        }
    }
    return link;
}

/* The pause at the end of a gap of n_slots: all of n_idle if it can be. */
static gap_link choose_end(uint32_t n_idle, uint32_t n_slots)
{
    gap_link link = {0, 1};
    if (n_idle < END_MIN || n_slots == 0) {
        return link;
    }
    for (uint32_t latency = 16; latency <= 20; latency += 4) {
        if (latency > n_idle && latency - n_idle <= n_slots) {
            return (gap_link){latency, latency - n_idle};
        }
    }
    link.latency = n_idle >= 19 ? 20 : n_idle >= 15 ? 16 : 0;
    return link;
}

/* The link of the next slot, and what it leaves of *n_idle. */
static gap_link next_link(uint32_t *n_idle, uint32_t room)
{
    const gap_link link = choose_link(*n_idle, room);
    *n_idle -= link.latency == 0 ? 0 : link.latency - link.distance;
    return link;
}

/* Cycles that add_slots() cannot make. */
static uint32_t left_over(uint32_t n_slots, uint32_t n_idle, uint32_t beyond)
{
    for (uint32_t i = 0; i < n_slots;) {
        const gap_link link = next_link(&n_idle, n_slots - i - 1 + beyond);
        i += link.distance;
    }
    return n_idle;
}

/* A link for the next record's gap, which cannot make its cycles alone; this
 * slot is followed by n_after lines before that gap. */
static gap_link choose_ahead(const wm_accelsim_ahead *ahead, uint32_t n_after)
{
    static const uint32_t latencies[] = {4, 5, 8, 16, 20};
    for (size_t i = 0; i < sizeof(latencies) / 4 && ahead->n_idle != 0; i++) {
        const uint32_t distance = latencies[i] - ahead->n_idle;
        if (latencies[i] > ahead->n_idle &&
            distance >= n_after + 1 + ahead->first &&
            distance <= n_after + 1 + ahead->last) {
            return (gap_link){latencies[i], distance};
        }
    }
    return (gap_link){0, 1};
}

void wm_accelsim_add_slot(wm_accelsim_out *out, const wm_sources *from,
                          uint32_t *n_idle)
{
    add_link(out, next_link(n_idle, 1), from);
}

/* The last of them is read at most `beyond` lines behind the gap. */
static void add_slots(wm_accelsim_out *out, uint32_t n_slots, uint32_t n_idle,
                      uint32_t beyond)
{
    for (uint32_t i = 0; i < n_slots; i++) {
        wm_sources from = {0, {0}};
        gap_link link = {0, 1};
        wm_accelsim_read_chain(out, &from);
        if (out->chain_distance == 0) {
            link = next_link(&n_idle, n_slots - i - 1 + beyond);
        }
        if (out->chain_distance == 0 && link.latency == 0) {
            link = choose_ahead(&out->ahead, n_slots - i);
            if (link.latency != 0) {
                out->n_made_ahead = out->ahead.n_idle;
                out->ahead.n_idle = 0;
            }
        }
        add_link(out, link, &from);
    }
}

void wm_accelsim_look_ahead(wm_accelsim_out *out, uint32_t n_slots,
                            uint32_t n_idle, wm_accelsim_idle where,
                            uint32_t n_between)
{
    const uint32_t beyond = where != WM_IDLE_WITHIN;
    const gap_link end = choose_end(n_idle, n_slots);
    out->ahead.n_idle = 0;
    if (where == WM_IDLE_AT_END && n_idle >= END_MIN) {
        const bool is_made = end.latency - end.distance == n_idle;
        out->ahead = (wm_accelsim_ahead){
            is_made ? 0 : n_idle, n_between + n_slots, n_between + n_slots};
    } else if (n_slots + beyond != 0 &&
               left_over(n_slots, n_idle, beyond) != 0) {
        out->ahead = (wm_accelsim_ahead){n_idle, n_between,
                                         n_between + n_slots + beyond - 1};
    }
}

void wm_accelsim_add_gap(wm_accelsim_out *out, uint32_t n_slots,
                         uint32_t n_idle, wm_accelsim_idle where)
{
    gap_link end = {0, 1};
    if (out->n_made_ahead <= n_idle) {
        n_idle -= out->n_made_ahead;
        out->n_made_ahead = 0;
    }
    if (where == WM_IDLE_AT_END) {
        end = choose_end(n_idle, n_slots);
    }
    if (end.latency == 0) {
        add_slots(out, n_slots, n_idle, where != WM_IDLE_WITHIN);
        return;
    }
    wm_sources from = {0, {0}};
    add_slots(out, n_slots - end.distance,
              n_idle - (end.latency - end.distance), 1);
    wm_accelsim_read_chain(out, &from);
    add_link(out, end, &from);
    add_slots(out, end.distance - 1, 0, 0);
}
