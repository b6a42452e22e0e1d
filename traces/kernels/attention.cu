/*
 * Attention of one new token over a cache of keys and values (decoding): a
 * block per head, 128 threads, head size 128.  A warp takes a key at a time,
 * 4 floats per lane; then a thread takes a column of the values (unrolled as
 * nvcc unrolls it by itself).
 */
#define HEAD 128
#define WARPS 4
#define TOKENS_MAX 1024

__global__ void attention_decode(const float4 *query, const float4 *keys,
                                 const float *values, float *out, int n_tokens)
{
    __shared__ float score[TOKENS_MAX];
    int lane = threadIdx.x % 32;
    int head = blockIdx.x;
    float4 q = query[head * (HEAD / 4) + lane];
    for (int t = threadIdx.x / 32; t < n_tokens; t += WARPS) {
        float4 k = keys[(head * n_tokens + t) * (HEAD / 4) + lane];
        float s = q.x * k.x + q.y * k.y + q.z * k.z + q.w * k.w;
        for (int d = 16; d > 0; d /= 2) {
            s += __shfl_xor_sync(0xffffffff, s, d);
        }
        if (lane == 0) {
            score[t] = s;
        }
    }
    __syncthreads();
    float sum = 0;
    float value = 0;
#pragma unroll 4
    for (int t = 0; t < n_tokens; t++) {
        float weight = expf(score[t]);
        sum += weight;
        value += weight * values[(head * n_tokens + t) * HEAD + threadIdx.x];
    }
    out[head * HEAD + threadIdx.x] = value / sum;
}
