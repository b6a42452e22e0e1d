/*
 * The sum of 256 floats per block in shared memory.  Interleaved: thread i
 * adds at 2 s i, so neighbours drift apart and meet in few banks.  Sequential:
 * the lower half adds the upper half, neighbours stay neighbours.
 */
__global__ void reduce_interleaved(const float *in, float *out)
{
    extern __shared__ float s[];
    int tid = threadIdx.x;
    s[tid] = in[blockIdx.x * blockDim.x + tid];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        int i = 2 * step * tid;
        if (i < 256) {
            s[i] += s[i + step];
        }
        __syncthreads();
    }
    if (tid == 0) {
        out[blockIdx.x] = s[0];
    }
}

__global__ void reduce_sequential(const float *in, float *out)
{
    extern __shared__ float s[];
    int tid = threadIdx.x;
    s[tid] = in[blockIdx.x * blockDim.x + tid];
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (tid < half) {
            s[tid] += s[tid + half];
        }
        __syncthreads();
    }
    if (tid == 0) {
        out[blockIdx.x] = s[0];
    }
}
