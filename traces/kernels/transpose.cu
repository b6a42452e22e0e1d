/*
 * The matrix transpose, three times: straight from global memory, through a
 * tile of shared memory whose columns all lie in one bank, and through one
 * with a column of padding.  Blocks of 32 x 8 threads move tiles of 32 x 32.
 */
#define TILE 32
#define ROWS 8

__global__ void transpose_naive(const float *in, float *out, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS) {
        out[x * n + y + j] = in[(y + j) * n + x];
    }
}

template <int PAD> __global__ void transpose_tiled(const float *in, float *out,
                                                   int n)
{
    __shared__ float tile[TILE][TILE + PAD];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS) {
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    }
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS) {
        out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
    }
}
