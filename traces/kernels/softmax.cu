/* Softmax of rows of n floats, a block of 128 threads per row, three passes;
 * warps reduce with shuffles, their results meet in shared memory. */
#define WARPS 4

__device__ float reduce_max(float value)
{
    for (int d = 16; d > 0; d /= 2) {
        value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, d));
    }
    return value;
}

__device__ float reduce_sum(float value)
{
    for (int d = 16; d > 0; d /= 2) {
        value += __shfl_xor_sync(0xffffffff, value, d);
    }
    return value;
}

__global__ void softmax(const float *in, float *out, int n)
{
    __shared__ float part[WARPS];
    const float *row = in + blockIdx.x * n;
    int warp = threadIdx.x / 32;
    float high = -INFINITY;
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        high = fmaxf(high, row[i]);
    }
    high = reduce_max(high);
    if (threadIdx.x % 32 == 0) {
        part[warp] = high;
    }
    __syncthreads();
    high = reduce_max(part[threadIdx.x % WARPS]);
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        sum += expf(row[i] - high);
    }
    sum = reduce_sum(sum);
    if (threadIdx.x % 32 == 0) {
        part[warp] = sum;
    }
    __syncthreads();
    sum = 0;
    for (int w = 0; w < WARPS; w++) {
        sum += part[w];
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        out[blockIdx.x * n + i] = expf(row[i] - high) / sum;
    }
}
