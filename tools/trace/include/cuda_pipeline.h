/*
 * cuda_pipeline.h -- asynchronous copies from global to shared memory
 * (LDGSTS): done at once, but recorded as copies in flight until a wait.
 */
#ifndef WARPMEM_CUDA_PIPELINE_H
#define WARPMEM_CUDA_PIPELINE_H

#include "warpmem_cuda.h"

extern "C" {
void wm_rt_async(unsigned long to, unsigned long from, unsigned n_bytes,
                 unsigned place);
void wm_rt_async_commit(void);
void wm_rt_async_wait(unsigned n_groups);
}

/* n_bytes: 4, 8 or 16. */
WM_INLINE void __pipeline_memcpy_async(void *to, const void *from,
                                       size_t n_bytes)
{
    wm_rt_async((unsigned long)to, (unsigned long)from, unsigned(n_bytes),
                WM_PLACE);
}

WM_INLINE void __pipeline_commit()
{
    wm_rt_async_commit();
}

WM_INLINE void __pipeline_wait_prior(unsigned n_groups)
{
    wm_rt_async_wait(n_groups);
}

#endif
