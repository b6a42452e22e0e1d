/*
 * warpmem_opencl.h -- put before an OpenCL C source by warpmem-trace: barriers
 * and 32-bit atomics become calls of the tracer.
 */
#ifndef WARPMEM_OPENCL_H
#define WARPMEM_OPENCL_H

#include "warpmem_common.h"

void wm_rt_barrier(uint line, uint place) __attribute__((convergent));
uint wm_rt_atomic32(ulong address, uint op, uint value, uint compare,
                    uint place);

#define barrier(flags)            wm_rt_barrier(__LINE__, WM_PLACE)
#define work_group_barrier(flags) wm_rt_barrier(__LINE__, WM_PLACE)

#define wm_atomic(p, op, value, compare)                                       \
    wm_rt_atomic32((ulong)(p), (op), (uint)(value), (uint)(compare), WM_PLACE)
/* Signed or unsigned as what p points to. */
#define wm_is_signed(p) ((__typeof__(*(p)))-1 < (__typeof__(*(p)))1)

#define atomic_add(p, v)  wm_atomic(p, WM_ATOMIC_ADD, v, 0)
#define atomic_sub(p, v)  wm_atomic(p, WM_ATOMIC_SUB, v, 0)
#define atomic_inc(p)     wm_atomic(p, WM_ATOMIC_ADD, 1, 0)
#define atomic_dec(p)     wm_atomic(p, WM_ATOMIC_SUB, 1, 0)
#define atomic_xchg(p, v) wm_atomic(p, WM_ATOMIC_EXCHANGE, v, 0)
#define atomic_and(p, v)  wm_atomic(p, WM_ATOMIC_AND, v, 0)
#define atomic_or(p, v)   wm_atomic(p, WM_ATOMIC_OR, v, 0)
#define atomic_xor(p, v)  wm_atomic(p, WM_ATOMIC_XOR, v, 0)
#define atomic_min(p, v)                                                       \
    wm_atomic(p, wm_is_signed(p) ? WM_ATOMIC_MIN : WM_ATOMIC_UMIN, v, 0)
#define atomic_max(p, v)                                                       \
    wm_atomic(p, wm_is_signed(p) ? WM_ATOMIC_MAX : WM_ATOMIC_UMAX, v, 0)
#define atomic_cmpxchg(p, compare, v)                                          \
    wm_atomic(p, WM_ATOMIC_COMPARE, v, compare)

#define atom_add     atomic_add
#define atom_sub     atomic_sub
#define atom_inc     atomic_inc
#define atom_dec     atomic_dec
#define atom_xchg    atomic_xchg
#define atom_and     atomic_and
#define atom_or      atomic_or
#define atom_xor     atomic_xor
#define atom_min     atomic_min
#define atom_max     atomic_max
#define atom_cmpxchg atomic_cmpxchg

#endif
