/*
 * 256 bins, counted with atomics: straight in global memory, and in a copy per
 * block in shared memory that is added up at the end.
 */
__global__ void histogram_global(const unsigned *in, unsigned *bins, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&bins[in[i] % 256], 1u);
    }
}

__global__ void histogram_shared(const unsigned *in, unsigned *bins, int n)
{
    __shared__ unsigned local[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    local[threadIdx.x] = 0;
    __syncthreads();
    for (; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&local[in[i] % 256], 1u);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
