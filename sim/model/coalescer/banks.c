/*
 * banks.c -- conflicts between the words of a phase.
 *
 * Two closed forms for affine accesses.  A phase whose bytes span at most
 * n_banks words cannot conflict, whatever its mask.  And where every lane
 * stands in a unit of its own (a word, or the aligned words of a wide lane)
 * the unit's bank repeats with a period P that is a power of two, so that a
 * phase takes the largest number of active lanes with one lane mod P.
 * Everything else is counted word by word.
 */
#include "model/coalescer/banks.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/bits.h"

#define BANKS_MAX 64u
/* A phase has at most n_banks + 2 * 32 words, the lanes' bytes and the words
 * they lean into at both ends: four slots for each. */
#define SLOT_BITS 9u
#define N_SLOTS   (1u << SLOT_BITS)

/* One access in terms of units: what one lane reads from one bank, or from
 * several neighbouring banks at once. */
typedef struct unit_banks {
    uint32_t unit_shift;
    uint32_t n_banks; /* of unit size */
} unit_banks;

/* Words seen in one phase.  The first word of a bank sits in the bank's own
 * place; only further ones, conflicts, go through the table. */
typedef struct bank_count {
    uint64_t is_used; /* bit per bank */
    uint64_t first[BANKS_MAX];
    uint32_t n_words[BANKS_MAX];
    uint64_t slot_used[N_SLOTS / 64];
    uint64_t slot[N_SLOTS];
    uint32_t most;
} bank_count;

static uint32_t lanes_per_phase(const wm_banks *banks, uint32_t width_bytes)
{
    uint32_t n_lanes = banks->n_banks * banks->width_bytes / width_bytes;
    if (n_lanes > 32) {
        n_lanes = 32;
    }
    return n_lanes == 0 ? 1 : n_lanes;
}

static uint64_t phase_lanes(uint32_t first, uint32_t n_lanes)
{
    return first >= 64 ? 0 : wm_low_mask(n_lanes) << first;
}

/* Phases with an active lane. */
static uint32_t count_phases(uint64_t mask, uint32_t per_phase)
{
    uint32_t n_phases = 0;
    for (uint32_t first = 0; first < 64 && mask >> first != 0;
         first += per_phase) {
        n_phases += (mask & phase_lanes(first, per_phase)) != 0;
    }
    return n_phases;
}

/* The largest number of bits of mask whose positions are equal mod period, a
 * power of two below 64. */
static uint32_t most_in_step(uint64_t mask, uint32_t period)
{
    static const uint64_t every[6] = {
        ~UINT64_C(0),
        UINT64_C(0x5555555555555555),
        UINT64_C(0x1111111111111111),
        UINT64_C(0x0101010101010101),
        UINT64_C(0x0001000100010001),
        UINT64_C(0x0000000100000001),
    };
    mask >>= wm_lowest_bit(mask);
    if ((mask & (mask + 1)) == 0) {
        return (wm_highest_bit(mask) + period) >> wm_lowest_bit(period);
    }
    uint64_t step = every[wm_lowest_bit(period)];
    uint32_t most = 0;
    for (uint32_t k = 0; k < period; k++) {
        uint32_t n = wm_popcount64(mask >> k & step);
        most = n > most ? n : most;
    }
    return most;
}

/* Lanes in units of their own, one whole number of units apart. */
static uint32_t units_in_step(const unit_banks *units, uint64_t stride,
                              uint64_t mask, uint32_t per_phase)
{
    uint64_t step = stride >> units->unit_shift & (units->n_banks - 1);
    uint32_t period = step == 0 ? 1 : units->n_banks >> wm_lowest_bit(step);
    if (period >= 32) {
        return count_phases(mask, per_phase);
    }
    uint32_t n_wavefronts = 0;
    for (uint32_t first = 0; first < 64 && mask >> first != 0;
         first += per_phase) {
        uint64_t phase = mask & phase_lanes(first, per_phase);
        if (phase != 0) {
            n_wavefronts += most_in_step(phase, period);
        }
    }
    return n_wavefronts;
}

/* Does every phase span at most n_banks words?  distance is below 2^31. */
static bool is_narrow(const wm_banks *banks, const wm_access *access,
                      uint64_t distance, uint32_t per_phase)
{
    uint64_t word = banks->width_bytes;
    uint64_t span = (per_phase - 1) * distance + access->width;
    /* A multiple of the word apart: every lane lies alike in its word. */
    uint64_t slack =
        distance % word == 0 ? (access->base & (word - 1)) : word - 1;
    return span + slack <= banks->n_banks * word;
}

static void count_clear(bank_count *count)
{
    count->is_used = 0;
    memset(count->slot_used, 0, sizeof(count->slot_used));
    count->most = 0;
}

static void count_word(bank_count *count, uint64_t word, uint32_t bank)
{
    if ((count->is_used >> bank & 1) == 0) {
        count->is_used |= UINT64_C(1) << bank;
        count->first[bank] = word;
        count->n_words[bank] = 1;
        count->most = count->most == 0 ? 1 : count->most;
        return;
    }
    if (count->first[bank] == word) {
        return;
    }
    uint32_t slot =
        (uint32_t)((word * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - SLOT_BITS));
    while ((count->slot_used[slot / 64] >> (slot % 64) & 1) != 0) {
        if (count->slot[slot] == word) {
            return;
        }
        slot = (slot + 1) % N_SLOTS;
    }
    count->slot_used[slot / 64] |= UINT64_C(1) << (slot % 64);
    count->slot[slot] = word;
    uint32_t n_words = ++count->n_words[bank];
    count->most = n_words > count->most ? n_words : count->most;
}

/* Wavefronts of one phase of n lanes. */
static uint32_t count_phase(const unit_banks *units, const uint64_t *addresses,
                            uint32_t n_lanes, uint32_t width_bytes,
                            bank_count *count)
{
    bool is_folded = wm_is_power_of_two(units->n_banks);
    uint64_t last_unit = ~UINT64_C(0) >> units->unit_shift;
    count_clear(count);
    for (uint32_t i = 0; i < n_lanes; i++) {
        uint64_t unit = addresses[i] >> units->unit_shift;
        uint64_t in_unit =
            addresses[i] & ((UINT64_C(1) << units->unit_shift) - 1);
        uint64_t n_more = (in_unit + width_bytes - 1) >> units->unit_shift;
        for (uint64_t k = 0; k <= n_more; k++) {
            uint64_t word = (unit + k) & last_unit;
            uint64_t bank =
                is_folded ? word & (units->n_banks - 1) : word % units->n_banks;
            count_word(count, word, (uint32_t)bank);
        }
    }
    return count->most;
}

static uint32_t count_all(const wm_banks *banks, unit_banks units,
                          const wm_access *access, uint32_t per_phase)
{
    uint64_t addresses[WM_ACCESS_LANES_MAX];
    bank_count count;
    uint32_t n_lanes = wm_access_expand(access, addresses);
    uint64_t low_bits = 0;
    for (uint32_t i = 0; i < n_lanes; i++) {
        low_bits |= addresses[i];
    }
    if ((low_bits & (access->width - 1)) != 0) {
        units.unit_shift = wm_lowest_bit(banks->width_bytes);
        units.n_banks = banks->n_banks;
    }
    uint32_t n_wavefronts = 0;
    uint32_t done = 0;
    for (uint32_t first = 0; done < n_lanes; first += per_phase) {
        uint64_t phase = access->mask & phase_lanes(first, per_phase);
        if (phase != 0) {
            uint32_t n = wm_popcount64(phase);
            n_wavefronts +=
                count_phase(&units, addresses + done, n, access->width, &count);
            done += n;
        }
    }
    return n_wavefronts;
}

/* Units as wide as the lanes where banks divide into them evenly. */
static unit_banks units_of(const wm_banks *banks, uint32_t width_bytes)
{
    unit_banks units = {wm_lowest_bit(banks->width_bytes), banks->n_banks};
    uint32_t per_unit = width_bytes / banks->width_bytes;
    if (per_unit > 1 && wm_is_power_of_two(width_bytes) &&
        banks->n_banks % per_unit == 0) {
        units.unit_shift = wm_lowest_bit(width_bytes);
        units.n_banks = banks->n_banks / per_unit;
    }
    return units;
}

uint32_t wm_bank_wavefronts(const wm_banks *banks, const wm_access *access,
                            uint32_t *ideal)
{
    uint32_t per_phase = lanes_per_phase(banks, access->width);
    uint32_t n_phases = count_phases(access->mask, per_phase);
    if (ideal != NULL) {
        *ideal = n_phases;
    }
    if (access->mask == 0) {
        return 0;
    }
    unit_banks units = units_of(banks, access->width);
    uint64_t distance = access->stride < 0 ? 0 - (uint64_t)access->stride
                                           : (uint64_t)access->stride;
    if (access->form != WM_ACCESS_AFFINE || distance >> 31 != 0 ||
        !wm_is_power_of_two(banks->n_banks)) {
        return count_all(banks, units, access, per_phase);
    }
    if (is_narrow(banks, access, distance, per_phase)) {
        return n_phases;
    }
    uint64_t in_unit = (UINT64_C(1) << units.unit_shift) - 1;
    bool is_in_step = distance != 0 && (distance & in_unit) == 0 &&
                      (access->base & in_unit) + access->width <= in_unit + 1;
    return is_in_step ? units_in_step(&units, distance, access->mask, per_phase)
                      : count_all(banks, units, access, per_phase);
}
