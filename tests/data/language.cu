/* What docs/TRACING.md promises of CUDA C++, checked by itself: a result that
 * is wrong stores out of bounds, which the tracer reports with its line. */
#include <cuda_fp16.h>

#define CHECK(holds) ((holds) ? (void)0 : (void)(bad[-1] = 0))

__constant__ int table[4] = {3, 1, 4, 1};
__device__ unsigned long long total;
__device__ int square(int x) { return x * x; }

template <class T, int N> __device__ T sum_of(const T *p)
{
    T sum = 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
        sum += p[i];
    }
    return sum;
}

extern "C" __global__ void __launch_bounds__(64)
    language(volatile int *bad, int *counts, const float4 *quads, double scale,
             bool flag, unsigned char small, short negative, long long wide)
{
    __shared__ int fixed[64];
    extern __shared__ float dynamic[];
    int i = threadIdx.x;
    int lane = i % warpSize;
    unsigned all = 0xffffffffu;

    CHECK(blockDim.x == 64 && blockDim.y == 1 && gridDim.x == 2);
    CHECK(flag && small == 200 && negative == -7 && wide == -(1ll << 40));
    CHECK(scale == 0.5 && table[i % 4] > 0 && square(i) == i * i);
    dim3 copy = blockIdx;
    CHECK(copy.x == blockIdx.x && copy.z == 0);

    fixed[i] = i;
    dynamic[i] = 2.0f * i;
    __syncthreads();
    CHECK(fixed[63 - i] == 63 - i && dynamic[63 - i] == 2.0f * (63 - i));
    CHECK((sum_of<int, 4>(fixed) == 6));

    CHECK(__shfl_sync(all, lane, 5) == 5);
    CHECK(__shfl_up_sync(all, lane, 3) == (lane < 3 ? lane : lane - 3));
    CHECK(__shfl_down_sync(all, lane, 3) == (lane > 28 ? lane : lane + 3));
    CHECK(__shfl_xor_sync(all, lane, 6) == (lane ^ 6));
    CHECK(__shfl_xor_sync(all, lane, 9, 8) ==
          ((lane ^ 9) < lane / 8 * 8 + 8 ? lane ^ 9 : lane));
    CHECK(__shfl_sync(all, lane, 1, 8) == lane / 8 * 8 + 1);
    CHECK(__shfl_sync(all, 1.5 * lane, 2) == 3.0);
    CHECK(__ballot_sync(all, lane & 1) == 0xaaaaaaaau);
    CHECK(__any_sync(all, lane == 9) && !__any_sync(all, lane == 40));
    CHECK(__all_sync(all, lane < 32) && !__all_sync(all, lane < 31));
    if (lane < 16) {
        CHECK(__shfl_xor_sync(0xffffu, lane, 1) == (lane ^ 1));
    }
    __syncwarp();

    float4 q = quads[i];
    CHECK(q.x == 4 * i && q.w == 4 * i + 3);
    float2 pair = make_float2(q.y, q.z);
    CHECK(pair.x + pair.y == 8 * i + 3);
    float4 other;
    other = q;
    other.x = 9;
    CHECK(other.x == 9 && q.x == 4 * i && other.y == q.y);

    __shared__ float4 tile[64];
    tile[i] = q;
    __syncthreads();
    CHECK(tile[63 - i].x == 4 * (63 - i));

    int *mine = counts + 16 * (i + 64 * blockIdx.x);
    mine[0] = 10;
    CHECK(atomicAdd(mine, 5) == 10 && mine[0] == 15);
    CHECK(atomicSub(mine, 5) == 15 && atomicExch(mine, -3) == 10);
    CHECK(atomicMin(mine, 4) == -3 && atomicMax(mine, 4) == -3);
    CHECK(mine[0] == 4 && atomicCAS(mine, 4, 6) == 4 && mine[0] == 6);
    CHECK(atomicCAS(mine, 4, 7) == 6 && mine[0] == 6);
    CHECK(atomicAnd(mine, 2) == 6 && atomicOr(mine, 8) == 2);
    CHECK(atomicXor(mine, 3) == 10 && mine[0] == 9);
    unsigned *u = (unsigned *)mine;
    CHECK(atomicMax(u, 0x80000000u) == 9 && atomicMin(u, 7u) == 0x80000000u);
    CHECK(atomicInc(u, 7u) == 7 && u[0] == 0 && atomicDec(u, 5u) == 0);
    float *f = (float *)(mine + 1);
    *f = 1.5f;
    CHECK(atomicAdd(f, 0.25f) == 1.5f && *f == 1.75f);
    double *d = (double *)(mine + 2);
    *d = 1.5;
    CHECK(atomicAdd(d, 0.25) == 1.5 && *d == 1.75);
    __syncthreads();
    atomicAdd(&total, 1ull);
    atomicAdd(&fixed[0], 1);
    __syncthreads();
    CHECK(fixed[0] == 64 && total == 64 * (blockIdx.x + 1));

    __half h = __float2half(0.5f);
    __half2 h2 = __floats2half2_rn(1.0f, 2.0f);
    CHECK(__half2float(h) == 0.5f && sizeof(h2) == 4);
    CHECK(__high2float(__hadd2(h2, h2)) == 4.0f);

    float x = 0.25f * (i + 1);
    CHECK(fabsf(expf(logf(x)) - x) < 1e-4f && fmaxf(x, 0.0f) == x);
    CHECK(fabsf(rsqrtf(x) * sqrtf(x) - 1) < 1e-5f);
    CHECK(min(3, 4) == 3 && max(3, 4) == 4 && __popc(0xffu) == 8);
    CHECK(__clz(1) == 31 && __ffs(8) == 4 && __ldg(&quads[i].y) == q.y);

    int kept[4] = {0, 0, 0, 0};
    for (int k = 0; k < 8; k++) {
        kept[(i + k) & 3] += k;
    }
    CHECK(kept[0] + kept[1] + kept[2] + kept[3] == 28);
}
