/*
 * tag_banks.c -- entries in the fullest bank of the L1's tags.
 *
 * The XOR of all 2-bit groups is linear, so a line may be folded in any order
 * of halves.  With four banks the last fold and the counting are one look-up:
 * a byte for each bank, all four in one number.
 */
#include "model/coalescer/coalescer_internal.h"

/* l1.tag_banks goes no further (schema.def). */
#define TAG_BANKS_MAX 64u

/* XOR of all 4-bit groups of the line number, folded to 2 bits by count_of. */
static inline uint32_t fold_by_4(uint64_t line)
{
    uint32_t x = (uint32_t)(line ^ line >> 32);
    x ^= x >> 16;
    x ^= x >> 8;
    x ^= x >> 4;
    return x & 15;
}

static uint32_t four_banks(const uint64_t *lines, uint32_t n)
{
    /* One in the byte of the bank: at most 128 lines. */
    static const uint32_t one[16] = {1u,       1u << 8,  1u << 16, 1u << 24,
                                     1u << 8,  1u,       1u << 24, 1u << 16,
                                     1u << 16, 1u << 24, 1u,       1u << 8,
                                     1u << 24, 1u << 16, 1u << 8,  1u};
    uint32_t sums = 0;
    for (uint32_t i = 0; i < n; i++) {
        sums += one[fold_by_4(lines[i])];
    }
    const uint32_t in_0 = sums & 0xff;
    const uint32_t in_1 = sums >> 8 & 0xff;
    const uint32_t in_2 = sums >> 16 & 0xff;
    const uint32_t in_3 = sums >> 24;
    const uint32_t odd = in_1 > in_3 ? in_1 : in_3;
    const uint32_t even = in_0 > in_2 ? in_0 : in_2;
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

/* XOR of all 2-bit groups. */
static uint32_t fold_by_2(uint64_t line)
{
    const uint32_t x = fold_by_4(line);
    return (x ^ x >> 2) & 3;
}

/* Do two sets of low bits meet in a bank?  turn: the XOR of what is folded
 * into them. */
static bool is_meeting(uint32_t some, uint32_t others, uint32_t turn)
{
    if ((turn & 1) != 0) {
        others = (others & 5) << 1 | (others >> 1 & 5);
    }
    if ((turn & 2) != 0) {
        others = (others & 3) << 2 | others >> 2;
    }
    return (some & others) != 0;
}

/* Each four lines that differ in the low bits only are in four banks; what is
 * left at the ends is in banks of its own at each end. */
static uint32_t run_in_four_banks(uint64_t first, uint32_t n)
{
    const uint64_t end = first + n;
    if (first >> 2 == (end - 1) >> 2) {
        return 1;
    }
    const uint32_t before = (uint32_t)first & 3;
    const uint32_t after = (uint32_t)end & 3;
    const uint32_t n_whole = (uint32_t)((end >> 2) - ((first + 3) >> 2));
    if (before == 0 || after == 0) {
        return n_whole + (before + after != 0);
    }
    return n_whole + 1 +
           is_meeting(15u << before & 15u, (1u << after) - 1,
                      fold_by_2(first >> 2) ^ fold_by_2(end >> 2));
}

uint32_t wm_tag_wavefronts_sorted(uint32_t tag_banks, const uint64_t *lines,
                                  uint32_t n)
{
    const uint64_t span = lines[n - 1] - lines[0];
    if (tag_banks == 4 && span == n - 1u) {
        return run_in_four_banks(lines[0], n);
    }
    if (tag_banks == 4 && span == 1u - (uint64_t)n) {
        return run_in_four_banks(lines[n - 1], n);
    }
    return wm_tag_wavefronts(tag_banks, lines, n);
}
