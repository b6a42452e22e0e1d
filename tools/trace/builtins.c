/*
 * builtins.c -- the mathematical functions that OpenCL kernels call, from the C
 * library.  clang names them after the C++ rules: exp(float) is _Z3expf.
 * Results may differ from a GPU's in the last digits, which no address
 * depends on in a sane kernel.
 */
#include <math.h>
#include <stdint.h>

#include "callbacks.h"

/* A function's prototype, then the function: they have no header, since only
 * the loader looks for them. */
#define DEFINE(type, name, parameters, value)                                  \
    WM_VISIBLE type name parameters;                                           \
    type name parameters                                                       \
    {                                                                          \
        return (type)(value);                                                  \
    }

#define WM_MATH1(name, function)                                               \
    DEFINE(float, _Z##name##f, (float a), function((double)a))                 \
    DEFINE(double, _Z##name##d, (double a), function(a))
#define WM_MATH2(name, function)                                               \
    DEFINE(float, _Z##name##ff, (float a, float b),                            \
           function((double)a, (double)b))                                     \
    DEFINE(double, _Z##name##dd, (double a, double b), function(a, b))
#define WM_FORMULA1(name, value)                                               \
    DEFINE(float, _Z##name##f, (float a), value)                               \
    DEFINE(double, _Z##name##d, (double a), value)
#define WM_FORMULA2(name, value)                                               \
    DEFINE(float, _Z##name##ff, (float a, float b), value)                     \
    DEFINE(double, _Z##name##dd, (double a, double b), value)
#define WM_FORMULA3(name, value)                                               \
    DEFINE(float, _Z##name##fff, (float a, float b, float c), value)           \
    DEFINE(double, _Z##name##ddd, (double a, double b, double c), value)
#define WM_INTEGER2(name, value)                                               \
    DEFINE(int32_t, _Z##name##ii, (int32_t a, int32_t b), value)               \
    DEFINE(uint32_t, _Z##name##jj, (uint32_t a, uint32_t b), value)            \
    DEFINE(int64_t, _Z##name##ll, (int64_t a, int64_t b), value)               \
    DEFINE(uint64_t, _Z##name##mm, (uint64_t a, uint64_t b), value)
#define WM_INTEGER3(name, value)                                               \
    DEFINE(int32_t, _Z##name##iii, (int32_t a, int32_t b, int32_t c), value)   \
    DEFINE(uint32_t, _Z##name##jjj, (uint32_t a, uint32_t b, uint32_t c),      \
           value)                                                              \
    DEFINE(int64_t, _Z##name##lll, (int64_t a, int64_t b, int64_t c), value)   \
    DEFINE(uint64_t, _Z##name##mmm, (uint64_t a, uint64_t b, uint64_t c), value)
#include "builtins.def"

DEFINE(uint32_t, _Z3absi, (int32_t a), a < 0 ? 0u - (uint32_t)a : (uint32_t)a)
DEFINE(uint64_t, _Z3absl, (int64_t a), a < 0 ? 0u - (uint64_t)a : (uint64_t)a)
