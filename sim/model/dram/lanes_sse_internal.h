/*
 * lanes_sse_internal.h -- lanes.h with SSE4.1; included by it alone.
 */
#ifndef WM_MODEL_DRAM_LANES_SSE_INTERNAL_H
#define WM_MODEL_DRAM_LANES_SSE_INTERNAL_H

#include <smmintrin.h>

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

/* The earliest of two bounds of a lane, each for what is a candidate. */
static inline __m128i lanes_either(const wm_lanes_two *two, uint32_t i)
{
    const __m128i a =
        _mm_max_epi16(wm_lanes_load(two->a + i), wm_lanes_load(two->a_in + i));
    const __m128i b =
        _mm_max_epi16(wm_lanes_load(two->b + i), wm_lanes_load(two->b_in + i));
    return _mm_min_epi16(a, b);
}

static inline uint32_t lanes_pick(const wm_lanes_two *two, const uint16_t *age,
                                  uint32_t n, uint64_t mask, int16_t now)
{
    const __m128i limit = _mm_set1_epi16(now);
    __m128i least = _mm_set1_epi16(-1);
    for (uint32_t i = 0; i < n; i += 8) {
        const __m128i late = _mm_cmpgt_epi16(lanes_either(two, i), limit);
        const __m128i *at = (const __m128i *)(const void *)(age + i);
        least = _mm_min_epu16(least, _mm_or_si128(late, _mm_loadu_si128(at)));
    }
    least = _mm_minpos_epu16(least);
    const uint32_t best = (uint32_t)_mm_cvtsi128_si32(least) & UINT16_MAX;
    if (best == UINT16_MAX) {
        return WM_NO_LANE;
    }
    least = _mm_set1_epi16((int16_t)best);
    uint64_t same = 0;
    for (uint32_t i = 0; i < n; i += 16) {
        const __m128i *at = (const __m128i *)(const void *)(age + i);
        const __m128i a = _mm_cmpeq_epi16(_mm_loadu_si128(at), least);
        const __m128i b = _mm_cmpeq_epi16(_mm_loadu_si128(at + 1), least);
        same |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_packs_epi16(a, b))
                << i;
    }
    return wm_lowest_bit(same & mask);
}

static inline int16_t lanes_soonest(const wm_lanes_two *two, uint32_t n)
{
    /* With their signs turned, numbers are ordered as unsigned ones. */
    const __m128i sign = _mm_set1_epi16(INT16_MIN);
    __m128i least = _mm_set1_epi16(INT16_MAX);
    for (uint32_t i = 0; i < n; i += 8) {
        least = _mm_min_epi16(least, lanes_either(two, i));
    }
    least = _mm_minpos_epu16(_mm_xor_si128(least, sign));
    return (int16_t)(_mm_cvtsi128_si32(least) ^ INT16_MIN);
}

#endif
