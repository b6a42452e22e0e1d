/*
 * cuda_runtime.h -- as much of CUDA's header as warpmem_trace.cuh and its
 * example name, so that clang can check their syntax where there is no CUDA:
 * clang -x cuda --cuda-host-only -nocudainc -nocudalib -fsyntax-only.
 */
#ifndef WM_CUDA_STUB_H
#define WM_CUDA_STUB_H

#include <stddef.h>
#include <stdlib.h>

#define __host__     __attribute__((host))
#define __device__   __attribute__((device))
#define __global__   __attribute__((global))
#define __constant__ __attribute__((constant))
#define __shared__   __attribute__((shared))

struct dim3 {
    unsigned x, y, z;
    __host__ __device__ dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1)
        : x(a), y(b), z(c)
    {
    }
};
struct uint3 {
    unsigned x, y, z;
};
extern const __device__ uint3 threadIdx, blockIdx;
extern const __device__ dim3 blockDim, gridDim;

typedef enum { cudaSuccess } cudaError_t;
enum { cudaHostAllocMapped = 2 };
enum {
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76
};
typedef void *cudaStream_t;

cudaError_t cudaMalloc(void **place, size_t n_bytes);
template <class T> cudaError_t cudaMalloc(T **place, size_t n_bytes);
cudaError_t cudaHostAlloc(void **place, size_t n_bytes, unsigned flags);
cudaError_t cudaFree(void *place);
cudaError_t cudaFreeHost(void *place);
cudaError_t cudaMemset(void *place, int value, size_t n_bytes);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaDeviceGetAttribute(int *value, int attribute, int device);
const char *cudaGetErrorString(cudaError_t error);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0,
                                     cudaStream_t stream = 0);
unsigned cudaConfigureCall(dim3 grid, dim3 block, size_t shared = 0,
                           cudaStream_t stream = 0);
cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block,
                             void **arguments, size_t shared,
                             cudaStream_t stream);

__device__ unsigned __activemask();
__device__ int __ffs(int bits);
template <class T> __device__ T __shfl_sync(unsigned mask, T value, int lane);
__device__ void __syncwarp(unsigned mask);
__device__ void __threadfence_system();
__device__ int atomicAdd(int *place, int value);
__device__ unsigned atomicAdd(unsigned *place, unsigned value);
__device__ unsigned long long atomicAdd(unsigned long long *place,
                                        unsigned long long value);
__device__ float atomicAdd(float *place, float value);

#endif
