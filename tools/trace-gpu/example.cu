/*
 * example.cu -- saxpy and a histogram, traced on the GPU into example.wmt.
 *
 *     nvcc -std=c++17 -I tools/trace-gpu tools/trace-gpu/example.cu -o example
 *         -L build/release/lib -lwarpmem_drain -lz -llzma
 *     ./example && warpmem run --instructions example.wmt
 */
#include <cstdio>

#include "warpmem_trace.cuh"

__global__ void saxpy(int n, float a, warpmem::ptr<const float> x,
                      warpmem::ptr<float> y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}

__global__ void histogram(int n, warpmem::ptr<const float> x,
                          warpmem::ptr<unsigned> bins)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        bins.atomic_add(int(x.at(i)) % 64, 1);
    }
}

int main()
try {
    const int n = 100000;
    float *x, *y;
    unsigned *bins;
    warpmem::session trace("example.wmt");
    if (cudaMalloc(&x, n * sizeof(float)) != cudaSuccess ||
        cudaMalloc(&y, n * sizeof(float)) != cudaSuccess ||
        cudaMalloc(&bins, 64 * sizeof(unsigned)) != cudaSuccess ||
        cudaMemset(x, 0, n * sizeof(float)) != cudaSuccess ||
        cudaMemset(y, 0, n * sizeof(float)) != cudaSuccess ||
        cudaMemset(bins, 0, 64 * sizeof(unsigned)) != cudaSuccess) {
        std::fprintf(stderr, "example: no memory on the GPU\n");
        return 1;
    }
    dim3 block(256), grid((n + 255) / 256);
    trace.begin("saxpy", grid, block);
    saxpy<<<grid, block>>>(n, 2.0f, trace.wrap((const float *)x),
                           trace.wrap(y));
    trace.end();
    trace.begin("histogram", grid, block);
    histogram<<<grid, block>>>(n, trace.wrap((const float *)x),
                               trace.wrap(bins));
    trace.end();
    trace.close();
    return 0;
} catch (const std::exception &problem) {
    std::fprintf(stderr, "example: %s\n", problem.what());
    return 1;
}
