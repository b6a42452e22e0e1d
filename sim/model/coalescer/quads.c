/*
 * quads.c -- four addresses a cycle.
 */
#include "model/coalescer/quads.h"

#include <stdbool.h>

#include "base/bits.h"

#define GROUP      16u /* lanes that go together */
#define QUAD       4u
#define DATA_BANKS 16u
#define WORD_SHIFT 2u
/* Four accesses of 32 bytes, each leaning into one more word. */
#define WORDS_MAX (QUAD * 9u)

/* What one step asks for. */
typedef struct quad_step {
    uint32_t n;
    uint64_t first[QUAD], last[QUAD]; /* bytes of each address */
} quad_step;

static void step_add(quad_step *step, uint64_t first, uint64_t last)
{
    step->first[step->n] = first;
    step->last[step->n] = last;
    step->n++;
}

/* The largest number of distinct units (of 1 << shift bytes) in one of n_banks
 * banks. */
static uint32_t step_most(const quad_step *step, uint32_t shift,
                          uint32_t n_banks)
{
    uint64_t unit[WORDS_MAX];
    uint32_t in_bank[64] = {0};
    uint32_t n = 0;
    uint32_t most = 0;
    for (uint32_t i = 0; i < step->n; i++) {
        const uint64_t last = step->last[i] >> shift;
        for (uint64_t at = step->first[i] >> shift; at <= last; at++) {
            bool is_new = n < WORDS_MAX;
            for (uint32_t k = 0; k < n && is_new; k++) {
                is_new = unit[k] != at;
            }
            if (is_new) {
                unit[n++] = at;
                const uint32_t count = ++in_bank[at % n_banks];
                most = count > most ? count : most;
            }
        }
    }
    return most;
}

static uint32_t step_cycles(const wm_quads *quads, const quad_step *step)
{
    const uint32_t tags =
        step_most(step, wm_highest_bit(quads->line_bytes), quads->n_tags);
    const uint32_t words = step_most(step, WORD_SHIFT, DATA_BANKS);
    return tags > words ? tags : words;
}

/* One address for the active lanes of a quad, if they are side by side or all
 * on one. */
static bool quad_is_one(const uint64_t *address, uint32_t mask, uint32_t width,
                        quad_step *step)
{
    if (mask == 0) {
        return true;
    }
    const uint32_t first = wm_lowest_bit(mask);
    const uint64_t start = address[first];
    bool is_same = true;
    bool is_run = true;
    uint64_t last = start;
    for (uint32_t i = first; i < QUAD; i++) {
        if ((mask >> i & 1) != 0) {
            is_same = is_same && address[i] == start;
            is_run = is_run && address[i] == start + (i - first) * width;
            last = address[i];
        }
    }
    step_add(step, start, last + width - 1);
    return is_same || is_run;
}

/* Up to 16 lanes of up to 4 bytes. */
static uint32_t narrow_cycles(const wm_quads *quads, const uint64_t *address,
                              uint32_t mask, uint32_t width)
{
    quad_step step = {0};
    bool is_one = true;
    for (uint32_t i = 0; i < GROUP && is_one; i += QUAD) {
        is_one = quad_is_one(address + i, mask >> i & 15, width, &step);
    }
    if (is_one) {
        return step_cycles(quads, &step);
    }
    uint32_t n_cycles = 0;
    for (uint32_t k = 0; k < QUAD; k++) {
        step.n = 0;
        for (uint32_t i = k; i < GROUP; i += QUAD) {
            if ((mask >> i & 1) != 0) {
                step_add(&step, address[i], address[i] + width - 1);
            }
        }
        n_cycles += step_cycles(quads, &step);
    }
    return n_cycles;
}

static uint32_t wide_cycles(const wm_quads *quads, const uint64_t *address,
                            uint32_t mask, uint32_t width)
{
    uint32_t n_cycles = 0;
    for (uint32_t i = 0; i < GROUP; i += QUAD) {
        quad_step step = {0};
        for (uint32_t k = i; k < i + QUAD; k++) {
            if ((mask >> k & 1) != 0) {
                step_add(&step, address[k], address[k] + width - 1);
            }
        }
        n_cycles += step_cycles(quads, &step);
    }
    return n_cycles;
}

uint32_t wm_quad_cycles(const wm_quads *quads, const wm_access *access)
{
    uint64_t listed[WM_ACCESS_LANES_MAX];
    uint64_t address[WM_ACCESS_LANES_MAX] = {0};
    uint32_t next = 0;
    (void)wm_access_expand(access, listed);
    for (uint64_t rest = access->mask; rest != 0; rest &= rest - 1) {
        address[wm_lowest_bit(rest)] = listed[next++];
    }
    uint32_t n_cycles = 0;
    for (uint32_t i = 0; i < WM_ACCESS_LANES_MAX; i += GROUP) {
        const uint32_t mask = (uint32_t)(access->mask >> i & 0xffff);
        if (mask != 0) {
            n_cycles +=
                access->width <= 4
                    ? narrow_cycles(quads, address + i, mask, access->width)
                    : wide_cycles(quads, address + i, mask, access->width);
        }
    }
    return n_cycles;
}
