/*
 * half.c -- conversions between half and single precision, which clang before
 * 15 calls by these names where the processor has no instruction for it
 * (IEEE 754-2008 binary16, round to nearest, ties to even).
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "callbacks.h"

#define HALF_INFINITY 0x7c00u

WM_VISIBLE float __gnu_h2f_ieee(uint16_t half);
WM_VISIBLE uint16_t __gnu_f2h_ieee(float value);

float __gnu_h2f_ieee(uint16_t half)
{
    int exponent = half >> 10 & 0x1f;
    int fraction = half & 0x3ff;
    float size =
        exponent == 0x1f
            ? (fraction == 0 ? INFINITY : NAN)
            : ldexpf((float)(exponent == 0 ? fraction : fraction + 0x400),
                     exponent == 0 ? -24 : exponent - 25);
    return (half & 0x8000) != 0 ? -size : size;
}

uint16_t __gnu_f2h_ieee(float value)
{
    uint32_t sign = signbit(value) ? 0x8000u : 0;
    float size = fabsf(value);
    int exponent;
    if (isnan(value)) {
        return (uint16_t)(sign | 0x7e00u);
    }
    (void)frexpf(size, &exponent);
    /* In units of the last place of its binade, or of the subnormals. */
    int unit = (exponent < -13 ? -13 : exponent) - 11;
    if (size == 0) {
        return (uint16_t)sign;
    }
    if (isinf(value) || unit > 5) {
        return (uint16_t)(sign | HALF_INFINITY);
    }
    /* A carry out of the fraction rightly ends in the exponent. */
    uint32_t bits =
        (uint32_t)(unit + 24) * 0x400u + (uint32_t)rintf(ldexpf(size, -unit));
    return (uint16_t)(sign | (bits < HALF_INFINITY ? bits : HALF_INFINITY));
}
