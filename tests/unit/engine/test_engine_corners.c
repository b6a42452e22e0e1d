/*
 * test_engine_corners.c -- what random machines found (tests/oracle), made
 * small: warps that end late, wide local words, the two halves of the L2.
 */
#include "engine_fixture.h"

Test(engine_corners, a_warp_that_ends_late_lets_others_past_a_barrier,
     .timeout = 60)
{
    /* Warp 0 stands at the barrier for windows while warp 1 goes through a
     * chain of loads and ends without coming to it. */
    char text[65536];
    size_t used = (size_t)sprintf(
        text, HEAD LAUNCH("1", "64") STATICS
        "cta 0,0,0 warps 2 records 24 other 0 flops 0,0,0,0\n"
        "warp 0\n  3 ffffffff\n  4 ffffffff 0x0 +4\n" EXIT "warp 1\n");
    for (uint32_t i = 0; i < 20; i++) {
        used += (size_t)sprintf(text + used, "  0 00000001 0x%x +0 wait 0x1\n",
                                0x100000 + 4096 * i);
    }
    sprintf(text + used, EXIT);
    for (uint32_t limit = 0; limit <= 100; limit += 50) {
        run_result result = run_window(text, WM_MODE_TIMING, 1, NULL, 0, limit);
        cr_assert_eq(get(&result.total, WM_C_INSTRUCTIONS_SHARED_LOAD), 1);
        cr_assert_gt(get(&result.total, WM_C_TIME_CYCLES), 20 * 400);
    }
}

/* A CTA of one warp that goes through a chain of 40 loads. */
static size_t put_chain(char *text, uint32_t cta)
{
    size_t used = (size_t)sprintf(
        text, "cta %u,0,0 warps 1 records 41 other 0 flops 0,0,0,0\nwarp 0\n",
        cta);
    for (uint32_t i = 0; i < 40; i++) {
        used += (size_t)sprintf(text + used, "  0 00000001 0x%x +0 wait 0x1\n",
                                0x100000 * (cta + 1) + 4096 * i);
    }
    return used + (size_t)sprintf(text + used, EXIT);
}

Test(engine_corners, a_store_that_waits_ends_its_warp_when_it_starts,
     .timeout = 60)
{
    /* The shared store of CTA 3, on SM 1, stands behind loads that one MSHR
     * serves one by one; its warp has met its end long before.  CTA 5 takes
     * its place, while SM 0 is busy all the time. */
    static const char *const sets[] = {"sm.count=2", "sm.max_ctas=2",
                                       "l1.mshrs=1"};
    char text[32768];
    size_t used =
        (size_t)sprintf(text, HEAD LAUNCH("6", "32") STATICS
                        "static 11 shared_store pc 0xb0 width 4 opcode STS\n");
    used += put_chain(text + used, 0);
    used += (size_t)sprintf(
        text + used,
        "cta 1,0,0 warps 1 records 2 other 0 flops 0,0,0,0\nwarp 0\n"
        "  0 ffffffff 0x7f2000000000 +4096\n" EXIT);
    used += put_chain(text + used, 2);
    used += (size_t)sprintf(
        text + used,
        "cta 3,0,0 warps 1 records 2 other 0 flops 0,0,0,0\nwarp 0\n"
        "  11 ffffffff 0x0 +4 head 9/9\n" EXIT);
    for (uint32_t cta = 4; cta < 6; cta++) {
        used += put_chain(text + used, cta);
    }
    run_result result = run(text, WM_MODE_TIMING, 1, sets, 3);
    cr_assert_eq(get(&result.total, WM_C_LAUNCH_CTAS), 6);
    cr_assert_eq(get(&result.total, WM_C_INSTRUCTIONS_GLOBAL_LOAD), 4 * 40 + 1);
}

Test(engine_corners, a_local_word_off_its_place_stays_in_one_line)
{
    /* 64 lanes far apart, 8 words each: as many lines as a record may have. */
    uint64_t n_lines[2];
    for (uint32_t off = 0; off < 2; off++) {
        char text[8192];
        size_t used = (size_t)sprintf(
            text,
            HEAD "launch grid 1,1,1 block 64,1,1 shared 0 regs 16 warp 64 sm "
                 "70 stream 0 shared_base 0x0 local_base 0x0 name k\n" STATICS
                 "cta 0,0,0 warps 1 records 2 other 0 flops 0,0,0,0\nwarp 0\n"
                 "  9 ffffffffffffffff at");
        for (uint32_t lane = 0; lane < 64; lane++) {
            used += (size_t)sprintf(text + used, " 0x%x",
                                    lane * lane * 64 + 3 * off);
        }
        sprintf(text + used, "\n" EXIT);
        run_result result = run_timing(text);
        n_lines[off] = get(&result.total, WM_C_L1_LOCAL_LOAD_LINES);
        result = run(text, WM_MODE_COUNTS, 1, NULL, 0);
        cr_assert_eq(get(&result.total, WM_C_L1_LOCAL_LOAD_LINES),
                     n_lines[off]);
    }
    cr_assert_eq(n_lines[0], 512);
    cr_assert_eq(n_lines[1], 512);
}

Test(engine_corners, a_line_crosses_for_the_sms_of_the_other_half_only)
{
    static const char *const sets[] = {"sm.count=2", "l2.slices=2",
                                       "l2.partitions=2", "l2.size=64KiB",
                                       "dram.channels=1"};
    static const char text[] = HEAD LAUNCH("2", "32") STATICS
        "cta 0,0,0 warps 1 records 2 other 0 flops 0,0,0,0\nwarp 0\n"
        "  0 ffffffff 0x7f2000000000 +4\n" EXIT
        "cta 1,0,0 warps 1 records 2 other 0 flops 0,0,0,0\nwarp 0\n"
        "  0 ffffffff 0x7f2000000000 +4\n" EXIT;
    for (int mode = WM_MODE_TIMING; mode <= WM_MODE_COUNTS; mode++) {
        run_result result = run(text, (wm_mode)mode, 1, sets, 5);
        cr_assert_eq(get(&result.total, WM_C_L2_CROSSED_SECTORS), 4);
    }
}

Test(engine_corners, copies_of_the_other_half_are_no_lines_of_their_own)
{
    /* With lines of 32 B bit 56 of a line's number is part of it. */
    static const char *const sets[] = {"sm.count=2",      "l2.slices=2",
                                       "l2.partitions=2", "l2.hash=none",
                                       "l1.line=32 B",    "l2.line=32 B",
                                       "l2.sets=1",       "l2.interleave=32 B",
                                       "dram.channels=1", "dram.row=1 KiB"};
    /* SM 0 reads a line of the other half; SM 1 then one of the first half
     * with the same number there. */
    static const char text[] = HEAD LAUNCH("1", "32") STATICS
        "cta 0,0,0 warps 1 records 3 other 0 flops 0,0,0,0\nwarp 0\n"
        "  0 00000001 0x4000000000000020\n"
        "  0 00000001 0x4000000000000000 wait 0x1\n" EXIT;
    for (int mode = WM_MODE_TIMING; mode <= WM_MODE_COUNTS; mode++) {
        run_result result = run(text, (wm_mode)mode, 1, sets, 10);
        cr_assert_eq(get(&result.total, WM_C_DRAM_READ_SECTORS), 2);
        cr_assert_eq(get(&result.total, WM_C_L2_READ_HIT_SECTORS), 0);
    }
}

Test(engine_corners, a_cta_without_records_takes_no_more_time_than_an_exit)
{
    /* CTA 2 of 5, one after another on one SM, has nothing to do. */
    uint64_t cycles[2] = {0, 0};
    const char *sets[] = {"sm.count=1", "sm.max_ctas=1"};
    for (uint32_t is_empty = 0; is_empty < 2; is_empty++) {
        char text[4096];
        size_t used = (size_t)sprintf(text, HEAD LAUNCH("5", "32") STATICS);
        for (uint32_t cta = 0; cta < 5; cta++) {
            const bool has_none = is_empty && cta == 2;
            used += (size_t)sprintf(
                text + used,
                "cta %u,0,0 warps 1 records %u other 0 flops 0,0,0,0\n%s", cta,
                has_none ? 0 : 1, has_none ? "" : "warp 0\n" EXIT);
        }
        for (uint32_t limit = 0; limit <= 60; limit += 30) {
            run_result result =
                run_window(text, WM_MODE_TIMING, 1, sets, 2, limit);
            const uint64_t found = get(&result.total, WM_C_TIME_CYCLES);
            cycles[is_empty] = limit == 0 ? found : cycles[is_empty];
            cr_expect_eq(found, cycles[is_empty], "window %u: %llu", limit,
                         (unsigned long long)found);
        }
    }
    cr_assert_eq(cycles[1], cycles[0]);
}
