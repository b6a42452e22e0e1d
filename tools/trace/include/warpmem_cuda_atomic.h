/*
 * warpmem_cuda_atomic.h -- atomics of 4 and 8 bytes.  Part of warpmem_cuda.h.
 */
#ifndef WARPMEM_CUDA_ATOMIC_H
#define WARPMEM_CUDA_ATOMIC_H

template <class T>
WM_INLINE T wm_atomic(T *place, unsigned op, T value, T compare = T())
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "4 or 8 bytes");
    unsigned long bits = 0, other = 0;
    T old;
    __builtin_memcpy(&bits, &value, sizeof(T));
    __builtin_memcpy(&other, &compare, sizeof(T));
    if (sizeof(T) == 4) {
        bits = wm_rt_atomic32((unsigned long)place, op, unsigned(bits),
                              unsigned(other), WM_PLACE);
    } else {
        bits = wm_rt_atomic64((unsigned long)place, op, bits, other, WM_PLACE);
    }
    __builtin_memcpy(&old, &bits, sizeof(T));
    return old;
}

#define WM_ATOMIC(name, T, op)                                                 \
    WM_INLINE T name(T *place, T value)                                        \
    {                                                                          \
        return wm_atomic(place, op, value);                                    \
    }
#define WM_ATOMIC_INTEGERS(name, op_signed, op_unsigned)                       \
    WM_ATOMIC(name, int, op_signed)                                            \
    WM_ATOMIC(name, long long, op_signed)                                      \
    WM_ATOMIC(name, unsigned, op_unsigned)                                     \
    WM_ATOMIC(name, unsigned long long, op_unsigned)
WM_ATOMIC_INTEGERS(atomicAdd, WM_ATOMIC_ADD, WM_ATOMIC_ADD)
WM_ATOMIC_INTEGERS(atomicSub, WM_ATOMIC_SUB, WM_ATOMIC_SUB)
WM_ATOMIC_INTEGERS(atomicExch, WM_ATOMIC_EXCHANGE, WM_ATOMIC_EXCHANGE)
WM_ATOMIC_INTEGERS(atomicMin, WM_ATOMIC_MIN, WM_ATOMIC_UMIN)
WM_ATOMIC_INTEGERS(atomicMax, WM_ATOMIC_MAX, WM_ATOMIC_UMAX)
WM_ATOMIC_INTEGERS(atomicAnd, WM_ATOMIC_AND, WM_ATOMIC_AND)
WM_ATOMIC_INTEGERS(atomicOr, WM_ATOMIC_OR, WM_ATOMIC_OR)
WM_ATOMIC_INTEGERS(atomicXor, WM_ATOMIC_XOR, WM_ATOMIC_XOR)
WM_ATOMIC(atomicAdd, float, WM_ATOMIC_FADD)
WM_ATOMIC(atomicAdd, double, WM_ATOMIC_FADD)
WM_ATOMIC(atomicExch, float, WM_ATOMIC_EXCHANGE)
WM_ATOMIC(atomicInc, unsigned, WM_ATOMIC_INC)
WM_ATOMIC(atomicDec, unsigned, WM_ATOMIC_DEC)

template <class T> WM_INLINE T atomicCAS(T *place, T compare, T value)
{
    return wm_atomic(place, WM_ATOMIC_COMPARE, value, compare);
}

#endif
