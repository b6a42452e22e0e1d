/*
 * warpmem_cuda_warp.h -- barriers, shuffles, votes.  Part of warpmem_cuda.h.
 */
#ifndef WARPMEM_CUDA_WARP_H
#define WARPMEM_CUDA_WARP_H

#define WM_ALL                 0xffffffffu
#define __syncthreads()        wm_rt_barrier(__LINE__, WM_PLACE)
#define __threadfence()        ((void)0)
#define __threadfence_block()  ((void)0)
#define __threadfence_system() ((void)0)

WM_INLINE void __syncwarp(unsigned mask = WM_ALL)
{
    wm_rt_exchange(WM_EXCHANGE_SYNC, mask, 0, 0, WM_PLACE);
}

template <class T>
WM_INLINE T wm_shuffle(unsigned op, unsigned mask, T value, int argument,
                       int width)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "4 or 8 bytes");
    unsigned long bits = 0;
    T result;
    __builtin_memcpy(&bits, &value, sizeof(T));
    bits = wm_rt_exchange(op, mask, bits,
                          (unsigned(argument) & 0xff) | unsigned(width) << 8,
                          WM_PLACE);
    __builtin_memcpy(&result, &bits, sizeof(T));
    return result;
}

#define WM_SHUFFLE(name, op)                                                   \
    template <class T>                                                         \
    WM_INLINE T name(unsigned mask, T value, int argument, int width = 32)     \
    {                                                                          \
        return wm_shuffle(op, mask, value, argument, width);                   \
    }
WM_SHUFFLE(__shfl_sync, WM_EXCHANGE_SHUFFLE)
WM_SHUFFLE(__shfl_up_sync, WM_EXCHANGE_UP)
WM_SHUFFLE(__shfl_down_sync, WM_EXCHANGE_DOWN)
WM_SHUFFLE(__shfl_xor_sync, WM_EXCHANGE_XOR)

WM_INLINE unsigned __ballot_sync(unsigned mask, int predicate)
{
    return unsigned(
        wm_rt_exchange(WM_EXCHANGE_BALLOT, mask, predicate != 0, 0, WM_PLACE));
}

WM_INLINE int __any_sync(unsigned mask, int predicate)
{
    return __ballot_sync(mask, predicate) != 0;
}

WM_INLINE int __all_sync(unsigned mask, int predicate)
{
    return int(
        wm_rt_exchange(WM_EXCHANGE_ALL, mask, predicate != 0, 0, WM_PLACE));
}

#endif
