/*
 * y = A x for a sparse matrix in CSR: one thread per row (scalar) and one warp
 * per row (vector).
 */
__global__ void spmv_scalar(const int *row, const int *col, const float *val,
                            const float *x, float *y, int n_rows)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < n_rows) {
        float sum = 0;
        int end = row[r + 1];
        for (int j = row[r]; j < end; j++) {
            sum += val[j] * x[col[j]];
        }
        y[r] = sum;
    }
}

__global__ void spmv_vector(const int *row, const int *col, const float *val,
                            const float *x, float *y, int n_rows)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (r < n_rows) {
        float sum = 0;
        int end = row[r + 1];
        for (int j = row[r] + lane; j < end; j += 32) {
            sum += val[j] * x[col[j]];
        }
        for (int d = 16; d > 0; d /= 2) {
            sum += __shfl_down_sync(0xffffffff, sum, d);
        }
        if (lane == 0) {
            y[r] = sum;
        }
    }
}
