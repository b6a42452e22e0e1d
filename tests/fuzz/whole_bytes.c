/*
 * whole_bytes.c -- numbers from the fuzzer's bytes.
 */
#include "base/bits.h"
#include "whole.h"

uint64_t whole_long(whole_bytes *from)
{
    uint64_t x = 0;
    for (uint32_t i = 0; i < 5; i++) {
        x = x << 8 | whole_byte(from);
    }
    return x;
}

uint64_t whole_range(whole_bytes *from, uint64_t least, uint64_t most)
{
    const uint64_t span = most - least;
    const uint32_t n_bits = span == 0 ? 0 : wm_highest_bit(span) + 1;
    const uint32_t take = whole_below(from, n_bits + 2);
    if (take > n_bits) {
        return most;
    }
    uint64_t x = take == 0 ? 0 : whole_byte(from);
    if (take > 8) {
        x = x << (take - 8) | whole_byte(from);
    }
    x &= wm_low_mask(take);
    return least + (x < span ? x : span);
}
