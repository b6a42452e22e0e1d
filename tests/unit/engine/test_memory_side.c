/*
 * test_memory_side.c -- the engine beyond the SM: two halves of the L2, copies,
 * split stores, DRAM that falls behind with writes.
 */
#include "engine_fixture.h"

/* --- two halves of the L2 ------------------------------------------------- */
/* SM 0 reads 64 lines one by one, in each of two kernels. */
static run_result two_reads(const char *const *sets, size_t n_sets)
{
    static char text[40000];
    size_t used = (size_t)sprintf(text, HEAD);
    for (int k = 0; k < 2; k++) {
        used += (size_t)sprintf(
            text + used,
            "%s%scta 0,0,0 warps 1 records 65 other 0 flops 0,0,0,0\nwarp 0\n",
            k == 0 ? LAUNCH("1", "32") STATICS : LAUNCH("1", "32") STATICS, "");
        for (int i = 0; i < 64; i++) {
            used +=
                (size_t)sprintf(text + used, "  0 00000001 0x%x +0 wait 0x1\n",
                                0x20000000 + i * 256);
        }
        used += (size_t)sprintf(text + used, EXIT);
    }
    return run(text, WM_MODE_TIMING, 1, sets, n_sets);
}

Test(engine, a_far_line_costs_the_way_once_and_is_near_from_then_on)
{
    const char *two[] = {"l2.partitions=2", "l2.far_latency=100"};
    const char *one[] = {"l2.partitions=1", "l2.far_latency=100"};
    run_result halves = two_reads(two, 2);
    run_result whole = two_reads(one, 2);
    /* half of the lines have their home in the other half */
    cr_expect_eq(get(&halves.kernel[0], WM_C_L2_CROSSED_SECTORS), 32);
    cr_expect_eq(get(&halves.kernel[1], WM_C_L2_CROSSED_SECTORS), 0);
    uint64_t more = get(&halves.kernel[0], WM_C_TIME_CYCLES) -
                    get(&whole.kernel[0], WM_C_TIME_CYCLES);
    cr_expect(more >= 32 * 99 && more <= 32 * 101, "%llu",
              (unsigned long long)more);
    cr_expect_eq(get(&halves.kernel[1], WM_C_TIME_CYCLES),
                 get(&whole.kernel[1], WM_C_TIME_CYCLES));
    for (int k = 0; k < 2; k++) {
        cr_expect_eq(get(&halves.kernel[k], WM_C_DRAM_READ_SECTORS),
                     get(&whole.kernel[k], WM_C_DRAM_READ_SECTORS));
        cr_expect_eq(get(&halves.kernel[k], WM_C_L2_READ_HIT_SECTORS),
                     k == 0 ? 0u : 64u);
    }
}

Test(engine, a_store_takes_the_near_copy_away)
{
    const char *sets[] = {"l2.partitions=2", "l2.far_latency=100",
                          "l2.slices=2", "dram.channels=1"};
    const char *text = HEAD LAUNCH("1", "32") STATICS CTA(
        "4") "  0 ffffffff 0x20000000 +256\n"
             "  1 ffffffff 0x20000000 +256 wait 0x1\n"
             "  0 ffffffff 0x20000000 +256 flags bypass_l1 head 3000/1\n" EXIT;
    run_result result = run(text, WM_MODE_TIMING, 1, sets, 4);
    cr_expect_eq(get(&result.kernel[0], WM_C_L2_CROSSED_SECTORS), 32);
    cr_expect_eq(get(&result.kernel[0], WM_C_DRAM_READ_SECTORS), 32);
}

Test(engine, copies_fill_no_more_than_their_share_the_last_ones)
{
    /* 64 KiB and 64 KiB into half of 128 KiB: the second stays. */
    const char *text =
        "warpmem-trace 1\n"
        "copy HtoD 0x20000000 65536\n"
        "copy HtoD 0x30000000 65536\n" LAUNCH("1", "32")
            STATICS CTA("3") "  0 ffffffff 0x20000000 +2048\n"
                             "  0 ffffffff 0x30000000 +2048\n" EXIT;
    const char *sets[] = {"memcpy.share=50", "l2.size=128KiB", "l2.slices=4",
                          "dram.channels=4"};
    run_result half = run(text, WM_MODE_TIMING, 1, sets, 4);
    cr_expect_eq(get(&half.kernel[0], WM_C_L2_READ_HIT_SECTORS), 32);
    cr_expect_eq(get(&half.kernel[0], WM_C_L2_COPIED_SECTORS), 2048);
    sets[0] = "memcpy.share=100";
    run_result all = run(text, WM_MODE_TIMING, 1, sets, 4);
    cr_expect_eq(get(&all.kernel[0], WM_C_L2_READ_HIT_SECTORS), 64);
}

Test(engine, stores_are_split_by_half_warps_where_asked)
{
    const char *sets[] = {"coalescer.store_split=16"};
    /* lanes 0-15 and 16-31 write the same 16 sectors */
    char text[4096];
    size_t used = (size_t)sprintf(text, HEAD LAUNCH("1", "32")
                                            STATICS CTA("3") "  1 ffffffff at");
    for (int lane = 0; lane < 32; lane++) {
        used += (size_t)sprintf(text + used, " 0x%x",
                                0x20000000 + lane % 16 * 128 + lane / 16 * 4);
    }
    sprintf(text + used, "\n  0 ffffffff 0x20000000 +128\n" EXIT);
    run_result split = run(text, WM_MODE_TIMING, 1, sets, 1);
    run_result whole = run(text, WM_MODE_TIMING, 1, NULL, 0);
    cr_expect_eq(get(&split.kernel[0], WM_C_L2_WRITE_SECTORS), 32);
    cr_expect_eq(get(&whole.kernel[0], WM_C_L2_WRITE_SECTORS), 16);
    cr_expect_eq(get(&split.kernel[0], WM_C_L1_GLOBAL_LOAD_SECTORS), 32);
}

Test(engine, a_stream_of_stores_is_as_fast_as_dram_takes_it)
{
    /* 400 CTAs of 4 warps write 4 KiB a warp over a 64 KiB L2. */
    char *text = many_ctas(400);
    const char *sets[] = {"l2.size=64KiB", "l2.slices=4", "dram.channels=4",
                          "dram.bandwidth=20GB/s", "dram.write_share=500"};
    run_result result = run(text, WM_MODE_TIMING, 1, sets, 5);
    uint64_t ns = get(&result.kernel[0], WM_C_TIME_NS);
    uint64_t written = get(&result.kernel[0], WM_C_DRAM_WRITE_BYTES);
    cr_assert_gt(written, 0u);
    cr_expect_leq(written, ns * 10 + 65536);
    free(text);
}
