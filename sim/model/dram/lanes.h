/*
 * lanes.h -- vectors of one 16-bit value per bank: which are due, the least,
 * raise all.  With SSE4.1 where the compiler has it, else in plain C; both
 * give the same bits.
 *
 * Arrays have room for whole vectors of 16 lanes; n is rounded up to that.
 */
#ifndef WM_MODEL_DRAM_LANES_H
#define WM_MODEL_DRAM_LANES_H

#include <stdint.h>

#include "base/bits.h"

#if defined(__SSE4_1__) && !defined(WM_PLAIN_LANES)
#include <smmintrin.h>
#define WM_LANES_SSE 1
#else
#define WM_LANES_SSE 0
#endif

#if WM_LANES_SSE

static inline __m128i wm_lanes_load(const int16_t *at)
{
    return _mm_loadu_si128((const __m128i *)(const void *)at);
}

static inline uint64_t lanes_due(const int16_t *at, uint32_t n, int16_t now)
{
    const __m128i limit = _mm_set1_epi16(now);
    uint64_t late = 0;
    for (uint32_t i = 0; i < n; i += 16) {
        __m128i a = _mm_cmpgt_epi16(wm_lanes_load(at + i), limit);
        __m128i b = _mm_cmpgt_epi16(wm_lanes_load(at + i + 8), limit);
        uint32_t bits = (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(a, b));
        late |= (uint64_t)bits << i;
    }
    return ~late & wm_low_mask(n);
}

static inline void lanes_raise(int16_t *at, const int16_t *row, uint32_t n,
                               int16_t now)
{
    const __m128i add = _mm_set1_epi16(now);
    for (uint32_t i = 0; i < n; i += 8) {
        __m128i to = _mm_adds_epi16(wm_lanes_load(row + i), add);
        __m128i *place = (__m128i *)(void *)(at + i);
        _mm_storeu_si128(place, _mm_max_epi16(_mm_loadu_si128(place), to));
    }
}

/* Ones in the lanes of a vector, 16 bits to a word of the mask, that the mask
 * leaves out: of the lower 8 lanes of the word, or the upper. */
static inline __m128i lanes_out(uint64_t mask, uint32_t i)
{
    const __m128i low = _mm_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128);
    const __m128i word = _mm_set1_epi16((int16_t)(mask >> (i & 48u)));
    const __m128i bits = (i & 8) == 0 ? low : _mm_slli_epi16(low, 8);
    return _mm_cmpeq_epi16(_mm_and_si128(word, bits), _mm_setzero_si128());
}

static inline int16_t lanes_least(const int16_t *at, uint32_t n, uint64_t mask)
{
    /* With their signs turned, numbers are ordered as unsigned ones. */
    const __m128i sign = _mm_set1_epi16(INT16_MIN);
    __m128i least = _mm_set1_epi16(-1);
    for (uint32_t i = 0; i < n; i += 8) {
        const __m128i v = _mm_xor_si128(wm_lanes_load(at + i), sign);
        least = _mm_min_epu16(least, _mm_or_si128(v, lanes_out(mask, i)));
    }
    least = _mm_xor_si128(_mm_minpos_epu16(least), sign);
    return (int16_t)_mm_extract_epi16(least, 0);
}

static inline __m128i lanes_ages(const uint16_t *age, uint64_t mask, uint32_t i)
{
    const __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(age + i));
    return _mm_or_si128(v, lanes_out(mask, i));
}

static inline uint32_t lanes_oldest(const uint16_t *age, uint32_t n,
                                    uint64_t mask)
{
    if ((mask & (mask - 1)) == 0) {
        return wm_lowest_bit(mask);
    }
    __m128i least = lanes_ages(age, mask, 0);
    for (uint32_t i = 8; i < n; i += 8) {
        least = _mm_min_epu16(least, lanes_ages(age, mask, i));
    }
    least = _mm_minpos_epu16(least);
    least = _mm_set1_epi16((int16_t)_mm_cvtsi128_si32(least));
    uint64_t same = 0;
    for (uint32_t i = 0; i < n; i += 16) {
        const __m128i *at = (const __m128i *)(const void *)(age + i);
        const __m128i a = _mm_cmpeq_epi16(_mm_loadu_si128(at), least);
        const __m128i b = _mm_cmpeq_epi16(_mm_loadu_si128(at + 1), least);
        const uint32_t bits =
            (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(a, b));
        same |= (uint64_t)bits << i;
    }
    return wm_lowest_bit(same & mask);
}

#else

static inline uint32_t lanes_oldest(const uint16_t *age, uint32_t n,
                                    uint64_t mask)
{
    uint32_t best = wm_lowest_bit(mask);
    (void)n;
    for (mask &= mask - 1; mask != 0; mask &= mask - 1) {
        const uint32_t lane = wm_lowest_bit(mask);
        best = age[lane] < age[best] ? lane : best;
    }
    return best;
}

static inline uint64_t lanes_due(const int16_t *at, uint32_t n, int16_t now)
{
    uint64_t due = 0;
    for (uint32_t i = 0; i < n; i++) {
        due |= (uint64_t)(at[i] <= now) << i;
    }
    return due;
}

static inline void lanes_raise(int16_t *at, const int16_t *row, uint32_t n,
                               int16_t now)
{
    for (uint32_t i = 0; i < n; i++) {
        int32_t to = row[i] + now;
        to = to < INT16_MIN ? INT16_MIN : to;
        at[i] = at[i] < to ? (int16_t)to : at[i];
    }
}

static inline int16_t lanes_least(const int16_t *at, uint32_t n, uint64_t mask)
{
    int16_t least = INT16_MAX;
    (void)n;
    for (; mask != 0; mask &= mask - 1) {
        int16_t v = at[wm_lowest_bit(mask)];
        least = v < least ? v : least;
    }
    return least;
}

#endif

/* The usual numbers of lanes are constants to the compiler. */

/* Lanes of the first n at most `now`, as a mask. */
static inline uint64_t wm_lanes_due(const int16_t *at, uint32_t n, int16_t now)
{
    return n == 32 ? lanes_due(at, 32, now) : lanes_due(at, n, now);
}

/* at[k] = max(at[k], now + row[k]) for n lanes, 8 at a time; lanes beyond n
 * have rows that leave them alone. */
static inline void wm_lanes_raise(int16_t *at, const int16_t *row, uint32_t n,
                                  int16_t now)
{
    if (n == 16) {
        lanes_raise(at, row, 16, now);
    } else {
        lanes_raise(at, row, n, now);
    }
}

/* The least of the lanes in mask; INT16_MAX when there are none. */
static inline int16_t wm_lanes_least(const int16_t *at, uint32_t n,
                                     uint64_t mask)
{
    return n == 32 ? lanes_least(at, 32, mask) : lanes_least(at, n, mask);
}

/* The lane in mask with the least age; ages differ, mask is not 0. */
static inline uint32_t wm_lanes_oldest(const uint16_t *age, uint32_t n,
                                       uint64_t mask)
{
    return n == 32 ? lanes_oldest(age, 32, mask) : lanes_oldest(age, n, mask);
}

#endif
