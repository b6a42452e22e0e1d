/*
 * C = A B for square matrices of n x n floats, n a multiple of 32: one thread
 * per element of C, straight from global memory and through tiles of 32 x 32.
 * The loops are unrolled as nvcc unrolls them by itself.
 */
#define TILE 32

__global__ void sgemm_naive(const float *a, const float *b, float *c, int n)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
#pragma unroll 4
    for (int k = 0; k < n; k++) {
        float x = a[row * n + k];
        float y = b[k * n + col];
        sum += x * y;
    }
    c[row * n + col] = sum;
}

__global__ void sgemm_tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int col = blockIdx.x * TILE + x;
    int row = blockIdx.y * TILE + y;
    float sum = 0;
    for (int t = 0; t < n; t += TILE) {
        tile_a[y][x] = a[row * n + t + x];
        tile_b[y][x] = b[(t + y) * n + col];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++) {
            sum += tile_a[y][k] * tile_b[k][x];
        }
        __syncthreads();
    }
    c[row * n + col] = sum;
}
