/*
 * warpmem_cuda_types.h -- float4 and its kin, dim3.  Part of warpmem_cuda.h.
 */
#ifndef WARPMEM_CUDA_TYPES_H
#define WARPMEM_CUDA_TYPES_H

/* Types of 2 and 4 up to 16 bytes are copied as a whole, one access each, as
 * a GPU does; the members are accesses of their own. */
#define WM_WHOLE(T, name, n, members, parameters, list)                        \
    struct __align__(n * sizeof(T)) name                                       \
    {                                                                          \
        typedef T whole __attribute__((ext_vector_type(n)));                   \
        union {                                                                \
            struct {                                                           \
                T members;                                                     \
            };                                                                 \
            whole all;                                                         \
        };                                                                     \
        name() = default;                                                      \
        WM_MEMBER name(parameters) : all{list}                                 \
        {                                                                      \
        }                                                                      \
        WM_MEMBER name(const name &other) : all(other.all)                     \
        {                                                                      \
        }                                                                      \
        WM_MEMBER name &operator=(const name &other)                           \
        {                                                                      \
            all = other.all;                                                   \
            return *this;                                                      \
        }                                                                      \
    };                                                                         \
    WM_INLINE name make_##name(parameters)                                     \
    {                                                                          \
        return name(list);                                                     \
    }
#define WM_MEMBER    inline __attribute__((always_inline, nodebug))
#define WM_LIST(...) __VA_ARGS__
#define WM_VECTORS(T, name)                                                    \
    struct name##1                                                             \
    {                                                                          \
        T x;                                                                   \
    };                                                                         \
    struct name##3                                                             \
    {                                                                          \
        T x, y, z;                                                             \
    };                                                                         \
    WM_INLINE name##3 make_##name##3(T x, T y, T z)                            \
    {                                                                          \
        return {x, y, z};                                                      \
    }                                                                          \
    WM_WHOLE(T, name##2, 2, WM_LIST(x, y), WM_LIST(T x, T y), WM_LIST(x, y))
#define WM_VECTORS4(T, name)                                                   \
    WM_VECTORS(T, name)                                                        \
    WM_WHOLE(T, name##4, 4, WM_LIST(x, y, z, w), WM_LIST(T x, T y, T z, T w),  \
             WM_LIST(x, y, z, w))
#define WM_VECTORS_WIDE(T, name)                                               \
    WM_VECTORS(T, name)                                                        \
    struct __align__(16) name##4                                               \
    {                                                                          \
        T x, y, z, w;                                                          \
    };                                                                         \
    WM_INLINE name##4 make_##name##4(T x, T y, T z, T w)                       \
    {                                                                          \
        return {x, y, z, w};                                                   \
    }

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef unsigned long long ulonglong;
typedef long long longlong;

WM_VECTORS4(signed char, char)
WM_VECTORS4(unsigned char, uchar)
WM_VECTORS4(short, short)
WM_VECTORS4(unsigned short, ushort)
WM_VECTORS4(int, int)
WM_VECTORS4(unsigned, uint)
WM_VECTORS4(float, float)
WM_VECTORS_WIDE(long long, longlong)
WM_VECTORS_WIDE(double, double)

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1)
        : x(a), y(b), z(c)
    {
    }
};

#endif
