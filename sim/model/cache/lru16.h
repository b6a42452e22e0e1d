/*
 * lru16.h -- the order of use of up to 16 ways, compiled into the caller.
 *
 * The ranks of ranks.h (policies lru and aged) where they are at most 16 bytes:
 * one per way, 0 = most recent, a permutation of
 * 0..ways-1 with padding of 0xff.  Way 0 is the oldest at first, so that a set
 * without holes fills from way 0 up by asking for the oldest, without a look
 * for empty ways.
 */
#ifndef WM_MODEL_LRU16_H
#define WM_MODEL_LRU16_H

#include <stdint.h>
#include <string.h>

#include "base/bits.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define WM_LRU16_WAYS 16u

static inline void wm_lru16_touch(uint8_t *rank, uint32_t way)
{
    const uint8_t old = rank[way];
    if (old == 0) {
        return;
    }
#if defined(__SSE2__)
    __m128i *all = (__m128i *)(void *)rank;
    const __m128i ranks = _mm_loadu_si128(all);
    /* -1 where a rank is not below the old one, which stays as it is. */
    const __m128i stays =
        _mm_cmpeq_epi8(_mm_max_epu8(ranks, _mm_set1_epi8((char)old)), ranks);
    _mm_storeu_si128(
        all, _mm_add_epi8(_mm_add_epi8(ranks, _mm_set1_epi8(1)), stays));
#else
    for (uint32_t i = 0; i < WM_LRU16_WAYS; i++) {
        rank[i] = (uint8_t)(rank[i] + (rank[i] < old));
    }
#endif
    rank[way] = 0;
}

/* Bit w: byte w of 16 equals wanted. */
static inline uint32_t wm_match16x8(const uint8_t *bytes, uint8_t wanted)
{
#if defined(__SSE2__)
    const __m128i all = _mm_loadu_si128((const __m128i *)(const void *)bytes);
    return (uint32_t)_mm_movemask_epi8(
        _mm_cmpeq_epi8(all, _mm_set1_epi8((char)wanted)));
#else
    uint32_t mask = 0;
    for (uint32_t i = 0; i < 16; i++) {
        mask |= (uint32_t)(bytes[i] == wanted) << i;
    }
    return mask;
#endif
}

/* Bit w: the w-th of 16 numbers equals wanted; aligned to 16 bytes. */
static inline uint32_t wm_match16x32(const unsigned char *numbers,
                                     uint32_t wanted)
{
#if defined(__SSE2__)
    const __m128i *four = (const __m128i *)(const void *)numbers;
    const __m128i all = _mm_set1_epi32((int)wanted);
    const __m128i low =
        _mm_packs_epi32(_mm_cmpeq_epi32(_mm_load_si128(four), all),
                        _mm_cmpeq_epi32(_mm_load_si128(four + 1), all));
    const __m128i high =
        _mm_packs_epi32(_mm_cmpeq_epi32(_mm_load_si128(four + 2), all),
                        _mm_cmpeq_epi32(_mm_load_si128(four + 3), all));
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high));
#else
    uint32_t mask = 0;
    uint32_t number[16];
    memcpy(number, numbers, sizeof(number));
    for (uint32_t i = 0; i < 16; i++) {
        mask |= (uint32_t)(number[i] == wanted) << i;
    }
    return mask;
#endif
}

/* Policy "aged": how many of the oldest ways may leave: a fifth of them, to the
 * nearest, and at least one. */
static inline uint32_t wm_aged_choice(uint32_t ways)
{
    const uint32_t fifth = (ways + 2) / 5;
    return fifth != 0 ? fifth : 1;
}

/* The way of that rank. */
static inline uint32_t wm_lru16_way(const uint8_t *rank, uint32_t wanted)
{
    const uint32_t found = wm_match16x8(rank, (uint8_t)wanted);
    return wm_lowest_bit(found | UINT32_C(1) << 16) % WM_LRU16_WAYS;
}

#endif
