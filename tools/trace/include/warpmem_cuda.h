/*
 * warpmem_cuda.h -- put before a CUDA C++ source by warpmem-trace: the part of
 * the CUDA language that kernels use, as plain C++.
 *
 * Supplied: threadIdx and its kin, __shared__ (static and extern), __constant__
 * and __device__ variables, barriers, 32- and 64-bit atomics, shuffles, votes,
 * __ldg and the cache-hint loads and stores, vector types, common
 * mathematical functions.
 * Not supplied: textures, cooperative groups, dynamic parallelism, tensor
 * cores, inline PTX, host code (<<<>>>, cudaMalloc): keep kernels in a file of
 * their own.
 *
 * Functions here are nodebug and inline, so their accesses belong to the
 * source line that calls them.
 */
#ifndef WARPMEM_CUDA_H
#define WARPMEM_CUDA_H

#include "warpmem_common.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>

/* inline: kernels that are not asked for are not compiled, their shared memory
 * does not count. */
#define __global__ inline
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__
#define __launch_bounds__(...)
#define __restrict__ __restrict
/* thread_local becomes the section of shared memory; known to need no
 * initialisation, so that extern arrays are used directly. */
#define WM_CONSTINIT __attribute__((require_constant_initialization))
#define __shared__   WM_CONSTINIT thread_local
#define __constant__ __attribute__((section("wm_constant")))
#define __align__(n) __attribute__((aligned(n)))

#define WM_INLINE static inline __attribute__((always_inline, nodebug))

extern "C" {
__attribute__((const)) unsigned wm_rt_index(unsigned which);
void wm_rt_barrier(unsigned line, unsigned place) __attribute__((convergent));
unsigned long wm_rt_exchange(unsigned op, unsigned mask, unsigned long value,
                             unsigned argument, unsigned place)
    __attribute__((convergent));
unsigned wm_rt_atomic32(unsigned long address, unsigned op, unsigned value,
                        unsigned compare, unsigned place);
unsigned long wm_rt_atomic64(unsigned long address, unsigned op,
                             unsigned long value, unsigned long compare,
                             unsigned place);
}

#include "warpmem_cuda_types.h"

/* --- where a thread is ---------------------------------------------------- */

#define WM_INDEX(type, first)                                                  \
    struct type {                                                              \
        __declspec(property(get = get_x)) unsigned x;                          \
        __declspec(property(get = get_y)) unsigned y;                          \
        __declspec(property(get = get_z)) unsigned z;                          \
        WM_INLINE unsigned get_x()                                             \
        {                                                                      \
            return wm_rt_index(first);                                         \
        }                                                                      \
        WM_INLINE unsigned get_y()                                             \
        {                                                                      \
            return wm_rt_index(first + 1);                                     \
        }                                                                      \
        WM_INLINE unsigned get_z()                                             \
        {                                                                      \
            return wm_rt_index(first + 2);                                     \
        }                                                                      \
        operator dim3() const                                                  \
        {                                                                      \
            return dim3(get_x(), get_y(), get_z());                            \
        }                                                                      \
        operator uint3() const                                                 \
        {                                                                      \
            return {get_x(), get_y(), get_z()};                                \
        }                                                                      \
    };
WM_INDEX(wm_thread_index, 0)
WM_INDEX(wm_block_index, 3)
WM_INDEX(wm_block_extent, 6)
WM_INDEX(wm_grid_extent, 9)
static const wm_thread_index threadIdx = {};
static const wm_block_index blockIdx = {};
static const wm_block_extent blockDim = {};
static const wm_grid_extent gridDim = {};
#define warpSize (int(wm_rt_index(12)))

/* --- loads and stores with hints ------------------------------------------ */

#define WM_LOAD_HINT(name)                                                     \
    template <class T> WM_INLINE T name(const T *place)                        \
    {                                                                          \
        return *place;                                                         \
    }
WM_LOAD_HINT(__ldg)
WM_LOAD_HINT(__ldca)
WM_LOAD_HINT(__ldcg)
WM_LOAD_HINT(__ldcs)
#define WM_STORE_HINT(name)                                                    \
    template <class T> WM_INLINE void name(T *place, T value)                  \
    {                                                                          \
        *place = value;                                                        \
    }
WM_STORE_HINT(__stcg)
WM_STORE_HINT(__stcs)
WM_STORE_HINT(__stwb)

/* --- arithmetic ----------------------------------------------------------- */

template <class T> WM_INLINE T min(T a, T b)
{
    return b < a ? b : a;
}
template <class T> WM_INLINE T max(T a, T b)
{
    return a < b ? b : a;
}
#define __expf(x)    expf(x) /* glibc's header has functions of these names */
#define __logf(x)    logf(x)
#define __powf(x, y) powf(x, y)
#define __sinf(x)    sinf(x)
#define __cosf(x)    cosf(x)
WM_INLINE float __fdividef(float a, float b)
{
    return a / b;
}
WM_INLINE float __fmaf_rn(float a, float b, float c)
{
    return a * b + c;
}
WM_INLINE float rsqrtf(float x)
{
    return 1.0f / sqrtf(x);
}
WM_INLINE double rsqrt(double x)
{
    return 1.0 / sqrt(x);
}
WM_INLINE int __mul24(int a, int b)
{
    return a * b;
}
WM_INLINE int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
WM_INLINE int __clz(int x)
{
    return x ? __builtin_clz(unsigned(x)) : 32;
}
WM_INLINE int __ffs(int x)
{
    return __builtin_ffs(x);
}

#include "warpmem_cuda_atomic.h"
#include "warpmem_cuda_warp.h"

#endif
