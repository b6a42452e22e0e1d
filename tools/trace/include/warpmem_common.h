/*
 * warpmem_common.h -- what the headers for OpenCL and CUDA share: the
 * operations that the tracer carries out itself.  Read by OpenCL C and C++.
 *
 * WM_PLACE becomes the number of the place in the kernel (ir.h).
 */
#ifndef WARPMEM_COMMON_H
#define WARPMEM_COMMON_H

#define WARPMEM_TRACE 1
#define WM_PLACE      305419896u

#define WM_ATOMIC_ADD      0u
#define WM_ATOMIC_SUB      1u
#define WM_ATOMIC_EXCHANGE 2u
#define WM_ATOMIC_MIN      3u
#define WM_ATOMIC_MAX      4u
#define WM_ATOMIC_UMIN     5u
#define WM_ATOMIC_UMAX     6u
#define WM_ATOMIC_AND      7u
#define WM_ATOMIC_OR       8u
#define WM_ATOMIC_XOR      9u
#define WM_ATOMIC_COMPARE  10u
#define WM_ATOMIC_INC      11u
#define WM_ATOMIC_DEC      12u
#define WM_ATOMIC_FADD     13u

#define WM_EXCHANGE_SYNC    0u
#define WM_EXCHANGE_SHUFFLE 1u
#define WM_EXCHANGE_BALLOT  2u
#define WM_EXCHANGE_ALL     3u
#define WM_EXCHANGE_UP      4u
#define WM_EXCHANGE_DOWN    5u
#define WM_EXCHANGE_XOR     6u

#endif
