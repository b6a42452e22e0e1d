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

#include "base/bits.h"
#include "base/inline.h"

#define BANKS_MAX  64u
#define WORD_SHIFT 2u /* the common banks: 32 of 4 bytes */
#define WORD_BANKS 32u
/* A phase has at most n_banks + 2 * 32 words: the lanes' bytes and the words
 * they lean into at both ends. */
#define WORDS_MAX (BANKS_MAX + 64u)

/* One access in terms of units: what one lane reads from one bank, or from
 * several neighbouring banks at once. */
typedef struct unit_banks {
    uint32_t unit_shift;
    uint32_t n_banks; /* of unit size */
} unit_banks;

/* Words seen in one phase, in a chain for each bank, the latest first: with
 * few words to a bank that is the quickest look-up. */
typedef struct bank_count {
    uint64_t word[WORDS_MAX];
    uint8_t next[WORDS_MAX];  /* number + 1 in the chain; 0 = the first came */
    uint8_t depth[WORDS_MAX]; /* words of the bank up to this one */
    uint8_t chain[BANKS_MAX]; /* number + 1 of the bank's latest word */
    uint32_t n_words;
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

static inline void count_word(bank_count *count, uint64_t word, uint32_t bank)
{
    const uint32_t latest = count->chain[bank];
    for (uint32_t k = latest; k != 0; k = count->next[k - 1]) {
        if (count->word[k - 1] == word) {
            return;
        }
    }
    const uint32_t n = count->n_words++;
    const uint32_t depth = latest != 0 ? count->depth[latest - 1] + 1u : 1u;
    count->word[n] = word;
    count->next[n] = (uint8_t)latest;
    count->depth[n] = (uint8_t)depth;
    count->chain[bank] = (uint8_t)(n + 1);
    count->most = depth > count->most ? depth : count->most;
}

/* Wavefronts of one phase of n lanes, each in one unit where they are
 * aligned. */
WM_INLINE uint32_t count_phase(unit_banks units, const uint64_t *addresses,
                               uint32_t n_lanes, uint32_t width_bytes,
                               bool is_aligned)
{
    const uint32_t shift = units.unit_shift;
    const uint32_t n_banks = units.n_banks;
    const bool is_folded = wm_is_power_of_two(n_banks);
    const uint64_t last_unit = ~UINT64_C(0) >> shift;
    bank_count count;
    count.n_words = 0;
    count.most = 0;
    for (uint32_t i = 0; i < BANKS_MAX; i += 16) {
        wm_clear16(count.chain + i);
    }
    for (uint32_t i = 0; i < n_lanes; i++) {
        const uint64_t unit = addresses[i] >> shift;
        const uint64_t in_unit = addresses[i] & ((UINT64_C(1) << shift) - 1);
        const uint64_t n_more =
            is_aligned ? 0 : (in_unit + width_bytes - 1) >> shift;
        for (uint64_t k = 0; k <= n_more; k++) {
            const uint64_t word = (unit + k) & last_unit;
            const uint64_t bank =
                is_folded ? word & (n_banks - 1) : word % n_banks;
            count_word(&count, word, (uint32_t)bank);
        }
    }
    return count.most;
}

/* Lanes in words of their own: the fullest bank, without a branch. */
static uint32_t count_scattered(const uint64_t *addresses, uint32_t n_lanes)
{
    uint8_t in_bank[WORD_BANKS];
    wm_clear16(in_bank);
    wm_clear16(in_bank + 16);
    for (uint32_t i = 0; i < n_lanes; i++) {
        in_bank[addresses[i] >> WORD_SHIFT & (WORD_BANKS - 1)]++;
    }
    uint8_t most = 0;
    for (uint32_t i = 0; i < WORD_BANKS; i++) {
        most = in_bank[i] > most ? in_bank[i] : most;
    }
    return most;
}

/* As count_phase, compiled for what is common. */
static inline uint32_t count_lanes(unit_banks units, const uint64_t *addresses,
                                   uint32_t n_lanes, uint32_t width_bytes,
                                   bool is_aligned, bool is_scattered)
{
    static const unit_banks words = {WORD_SHIFT, WORD_BANKS};
    if (!is_aligned) {
        return count_phase(units, addresses, n_lanes, width_bytes, false);
    }
    if (units.unit_shift == WORD_SHIFT && units.n_banks == WORD_BANKS) {
        return is_scattered
                   ? count_scattered(addresses, n_lanes)
                   : count_phase(words, addresses, n_lanes, width_bytes, true);
    }
    return count_phase(units, addresses, n_lanes, width_bytes, true);
}

static uint32_t count_all(const wm_banks *banks, unit_banks units,
                          const wm_access *access, uint32_t per_phase)
{
    uint64_t room[WM_ACCESS_LANES_MAX];
    uint32_t n_lanes = 0;
    const uint64_t *addresses = wm_access_addresses(access, room, &n_lanes);
    uint64_t low_bits = 0;
    for (uint32_t i = 0; i < n_lanes; i++) {
        low_bits |= addresses[i];
    }
    if ((low_bits & (access->width - 1)) != 0) {
        units.unit_shift = wm_lowest_bit(banks->width_bytes);
        units.n_banks = banks->n_banks;
    }
    /* No lane leaves its unit. */
    const bool is_aligned = wm_is_power_of_two(access->width) &&
                            (low_bits & (access->width - 1)) == 0 &&
                            access->width <= 1u << units.unit_shift;
    uint32_t n_wavefronts = 0;
    uint32_t done = 0;
    for (uint32_t first = 0; done < n_lanes; first += per_phase) {
        uint64_t phase = access->mask & phase_lanes(first, per_phase);
        if (phase != 0) {
            const uint32_t n = wm_popcount64(phase);
            n_wavefronts +=
                count_lanes(units, addresses + done, n, access->width,
                            is_aligned, access->is_scattered);
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
