/*
 * tag_banks.c -- entries in the fullest bank of the L1's tags.
 *
 * The XOR of all 2-bit groups is linear, so a line may be folded in any order
 * of halves.  With four banks the three sums of bit 0, bit 1 and both give
 * all four counts, eight lines at a time in a loop that compilers vectorise.
 */
#include "model/coalescer/coalescer_internal.h"

/* XOR of all 2-bit groups of the line number. */
static inline uint32_t fold_by_2(uint64_t line)
{
    uint32_t x = (uint32_t)(line ^ line >> 32);
    x ^= x >> 16;
    x ^= x >> 8;
    x ^= x >> 4;
    x ^= x >> 2;
    return x & 3;
}

/* Bits 0.., 8.., 16..: bank bit 0, bank bit 1, both. */
static inline uint32_t bank_bits(uint64_t line)
{
    uint32_t bank = fold_by_2(line);
    return (bank & 1) | (bank & 2) << 7 | (bank & bank >> 1) << 16;
}

/* l1.tag_banks goes no further (schema.def). */
#define TAG_BANKS_MAX 64u

static uint32_t four_banks(const uint64_t *lines, uint32_t n)
{
    uint32_t sums = 0;
    uint32_t i = 0;
    for (; i + 8 <= n; i += 8) {
        for (uint32_t k = 0; k < 8; k++) {
            sums += bank_bits(lines[i + k]);
        }
    }
    for (; i < n; i++) {
        sums += bank_bits(lines[i]);
    }
    uint32_t in_3 = sums >> 16;
    uint32_t in_2 = (sums >> 8 & 0xff) - in_3;
    uint32_t in_1 = (sums & 0xff) - in_3;
    uint32_t in_0 = n - in_1 - in_2 - in_3;
    uint32_t odd = in_1 > in_3 ? in_1 : in_3;
    uint32_t even = in_0 > in_2 ? in_0 : in_2;
    return odd > even ? odd : even;
}

static uint32_t any_banks(uint32_t tag_banks, const uint64_t *lines, uint32_t n)
{
    uint8_t in_bank[TAG_BANKS_MAX] = {0};
    bool is_folded = wm_is_power_of_two(tag_banks);
    uint32_t bits = wm_highest_bit(tag_banks);
    uint32_t most = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t bank = lines[i] % tag_banks;
        if (is_folded) {
            for (uint64_t x = lines[i] >> bits; x != 0; x >>= bits) {
                bank ^= x & (tag_banks - 1);
            }
        }
        uint32_t in_this = ++in_bank[bank];
        most = in_this > most ? in_this : most;
    }
    return most;
}

uint32_t wm_tag_wavefronts(uint32_t tag_banks, const uint64_t *lines,
                           uint32_t n)
{
    if (n == 1 || tag_banks == 1) {
        return n;
    }
    return tag_banks == 4 ? four_banks(lines, n)
                          : any_banks(tag_banks, lines, n);
}
