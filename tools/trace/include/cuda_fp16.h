/*
 * cuda_fp16.h -- __half and __half2 for traced kernels: 2 and 4 bytes in
 * memory, arithmetic in float (and counted as such).
 */
#ifndef WARPMEM_CUDA_FP16_H
#define WARPMEM_CUDA_FP16_H

#include "warpmem_cuda.h"

struct __half {
    __fp16 value;
    __half() = default;
    WM_MEMBER __half(float x) : value(x)
    {
    }
    WM_MEMBER operator float() const
    {
        return value;
    }
};
typedef __half half;

/* Copied as a whole: one access of 4 bytes. */
struct __align__(4) __half2
{
    typedef unsigned short whole __attribute__((ext_vector_type(2)));
    union {
        struct {
            __half x, y;
        };
        whole all;
    };
    __half2() = default;
    WM_MEMBER __half2(__half a, __half b) : x(a), y(b)
    {
    }
    WM_MEMBER __half2(const __half2 &other) : all(other.all)
    {
    }
    WM_MEMBER __half2 &operator=(const __half2 &other)
    {
        all = other.all;
        return *this;
    }
};
typedef __half2 half2;

#define WM_HALF_BINARY(name, op)                                               \
    WM_INLINE __half __h##name(__half a, __half b)                             \
    {                                                                          \
        return float(a) op float(b);                                           \
    }                                                                          \
    WM_INLINE __half2 __h##name##2(__half2 a, __half2 b)                       \
    {                                                                          \
        return __half2(float(a.x) op float(b.x), float(a.y) op float(b.y));    \
    }
WM_HALF_BINARY(add, +)
WM_HALF_BINARY(sub, -)
WM_HALF_BINARY(mul, *)

WM_INLINE float __half2float(__half x)
{
    return x;
}
WM_INLINE __half __float2half(float x)
{
    return x;
}
WM_INLINE __half __float2half_rn(float x)
{
    return x;
}
WM_INLINE float __low2float(__half2 v)
{
    return v.x;
}
WM_INLINE float __high2float(__half2 v)
{
    return v.y;
}
WM_INLINE float2 __half22float2(__half2 v)
{
    return float2(v.x, v.y);
}
WM_INLINE __half2 __floats2half2_rn(float a, float b)
{
    return __half2(a, b);
}
WM_INLINE __half2 __float22half2_rn(float2 v)
{
    return __half2(v.x, v.y);
}
WM_INLINE __half2 __halves2half2(__half a, __half b)
{
    return __half2(a, b);
}
WM_INLINE __half __hfma(__half a, __half b, __half c)
{
    return float(a) * float(b) + float(c);
}
WM_INLINE __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
    return __half2(float(a.x) * float(b.x) + float(c.x),
                   float(a.y) * float(b.y) + float(c.y));
}

#endif
