/* What docs/TRACING.md promises of OpenCL C, checked by itself: a result that
 * is wrong stores out of bounds, which the tracer reports with its line. */
#define CHECK(holds) ((holds) ? (void)0 : (void)(bad[-1] = 0))

__constant int table[4] = {3, 1, 4, 1};

int square(int x)
{
    return x * x;
}

__kernel void language(volatile __global int *bad, __global int *counts,
                       __local int *handed, __local float *second,
                       __global const float4 *quads, ulong wide, char small)
{
    __local int fixed[64];
    int i = get_local_id(0);
    int g = get_global_id(0);

    CHECK(get_local_size(0) == 64 && get_num_groups(0) == 2);
    CHECK(get_global_size(0) == 128 && get_group_id(0) * 64 + i == g);
    CHECK(get_work_dim() == 1 && get_local_size(1) == 1);
    CHECK(wide == 1ul << 40 && small == -3);
    CHECK(table[i % 4] > 0 && square(i) == i * i);

    fixed[i] = i;
    handed[i] = 2 * i;
    second[i] = 3.0f * i;
    barrier(CLK_LOCAL_MEM_FENCE);
    CHECK(fixed[63 - i] == 63 - i && handed[63 - i] == 2 * (63 - i));
    CHECK(second[63 - i] == 3.0f * (63 - i));

    float4 q = quads[i];
    CHECK(q.x == 4 * i && q.w == 4 * i + 3 && (q.xy + q.zw).x == 8 * i + 2);

    volatile __global int *mine = counts + g;
    *mine = 10;
    CHECK(atomic_add(mine, 5) == 10 && atomic_sub(mine, 5) == 15);
    CHECK(atomic_inc(mine) == 10 && atomic_dec(mine) == 11);
    CHECK(atomic_xchg(mine, -3) == 10 && atomic_min(mine, 4) == -3);
    CHECK(atomic_max(mine, 4) == -3 && atomic_cmpxchg(mine, 4, 6) == 4);
    CHECK(atomic_and(mine, 2) == 6 && atomic_or(mine, 8) == 2);
    CHECK(atomic_xor(mine, 3) == 10 && *mine == 9);
    volatile __global uint *u = (volatile __global uint *)mine;
    CHECK(atomic_max(u, 0x80000000u) == 9 && atom_min(u, 7u) == 0x80000000u);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&fixed[0], 1);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    CHECK(fixed[0] == 64);

    float x = 0.25f * (i + 1);
    CHECK(fabs(exp(log(x)) - x) < 1e-4f && fmax(x, 0.0f) == x);
    CHECK(fabs(rsqrt(x) * sqrt(x) - 1) < 1e-5f && mad(x, 2.0f, 1.0f) > x);
    CHECK(min(i, 3) <= 3 && max(i, 3) >= 3 && clamp(i, 2, 5) >= 2);
    CHECK(abs(-i) == i && mul24(i, 3) == 3 * i);
    CHECK(native_divide(x, x) == 1.0f && pow(2.0f, 3.0f) == 8.0f);
}
