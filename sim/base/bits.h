/*
 * bits.h -- small integer helpers that the compiler turns into one or a few
 * instructions.  Portable C11 plus the gcc/clang builtins.
 */
#ifndef WM_BASE_BITS_H
#define WM_BASE_BITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static inline uint32_t wm_popcount64(uint64_t x)
{
    return (uint32_t)__builtin_popcountll(x);
}

/* Index of the lowest set bit; x != 0. */
static inline uint32_t wm_lowest_bit(uint64_t x)
{
    return (uint32_t)__builtin_ctzll(x);
}

/* Index of the highest set bit; x != 0. */
static inline uint32_t wm_highest_bit(uint64_t x)
{
    return 63u - (uint32_t)__builtin_clzll(x);
}

static inline bool wm_is_power_of_two(uint64_t x)
{
    return x != 0 && (x & (x - 1)) == 0;
}

/* Eight bytes, the first one lowest, on any host. */
static inline uint64_t wm_load_le64(const void *bytes)
{
    uint64_t x;
    memcpy(&x, bytes, sizeof(x));
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    return x;
}

/* The n lowest bits set; 0 <= n <= 64. */
static inline uint64_t wm_low_mask(uint32_t n)
{
    return n >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
}

/* Sixteen zero bytes: in place of a small memset, for which compilers choose a
 * string instruction that takes long to start.  They do for a loop of these,
 * too, unless they lose sight of where it goes. */
static inline void wm_clear16(void *bytes)
{
#if defined(__SSE2__)
    __asm__("" : "+r"(bytes));
    _mm_storeu_si128((__m128i *)bytes, _mm_setzero_si128());
#else
    memset(bytes, 0, 16);
#endif
}

/* High 64 bits of the 128-bit product. */
static inline uint64_t wm_mul_high(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wm_u128;
    return (uint64_t)(((wm_u128)a * b) >> 64);
}

/* floor(a * b / c) without overflow of the product; c != 0, result < 2^64. */
static inline uint64_t wm_mul_div(uint64_t a, uint64_t b, uint64_t c)
{
    __extension__ typedef unsigned __int128 wm_u128;
    return (uint64_t)((wm_u128)a * b / c);
}

/* A bijective mixer (finaliser of MurmurHash3, Appleby, public domain). */
static inline uint64_t wm_mix64(uint64_t x)
{
    x ^= x >> 33;
    x *= UINT64_C(0xff51afd7ed558ccd);
    x ^= x >> 33;
    x *= UINT64_C(0xc4ceb9fe1a85ec53);
    x ^= x >> 33;
    return x;
}

/*
 * Exact division of a 64-bit number by a divisor fixed at set-up, without a
 * divide instruction on the hot path.  Power-of-two divisors shift; others
 * use a 64-bit reciprocal with one correction step (Granlund & Montgomery,
 * PLDI 1994): m = floor(2^64 / d) gives a quotient at most 1 too small.
 */
typedef struct wm_divisor {
    uint64_t d;
    uint64_t reciprocal; /* 0 when d is a power of two */
    uint32_t shift;
} wm_divisor;

static inline wm_divisor wm_divisor_of(uint64_t d)
{
    wm_divisor r = {d, 0, 0};
    if (wm_is_power_of_two(d)) {
        r.shift = wm_lowest_bit(d);
    } else {
        r.reciprocal = ~UINT64_C(0) / d;
    }
    return r;
}

/* floor(x / d) and, in *rest, x mod d.  is_power: whether d is a power of two,
 * where the compiler knows it. */
static inline uint64_t wm_divide_as(const wm_divisor *div, uint64_t x,
                                    uint64_t *rest, bool is_power)
{
    if (is_power) {
        *rest = x & (div->d - 1);
        return x >> div->shift;
    }
    uint64_t q = wm_mul_high(x, div->reciprocal);
    uint64_t r = x - q * div->d;
    if (r >= div->d) {
        q++;
        r -= div->d;
    }
    *rest = r;
    return q;
}

static inline uint64_t wm_divide(const wm_divisor *div, uint64_t x,
                                 uint64_t *rest)
{
    return wm_divide_as(div, x, rest, div->reciprocal == 0);
}

#endif
