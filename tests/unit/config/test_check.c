/*
 * test_check.c -- values that are fine alone and wrong together.
 */
#include "config_fixture.h"

static void accepts(const char *a, const char *b)
{
    wm_config_free(fixture_preset("v100", a, b));
}

Test(check, both_fabric_latencies_fit_into_the_l2_latency)
{
    fixture_preset_refuses(
        "v100", "l2.latency=160", "",
        "--set l2.latency=160: fabric.request_latency 80 + "
        "fabric.response_latency 80 = 160 cycles, wanted below l2.latency, "
        "160 cycles, which includes both");
    accepts("l2.latency=161", "");
}

Test(check, the_l2_is_not_faster_than_the_l1)
{
    fixture_preset_refuses("v100", "l1.latency=213", "",
                           "--set l1.latency=213: l1.latency 213 cycles is "
                           "over l2.latency 212 cycles, wanted an L1 at "
                           "least as fast as the L2");
    accepts("l1.latency=212", "");
}

Test(check, a_row_miss_is_part_of_the_dram_latency)
{
    fixture_preset_refuses("v100", "dram.latency=27ns", "",
                           "--set dram.latency=27ns: dram.row_miss 28 ns is "
                           "over dram.latency 27 ns, wanted at most the "
                           "latency, which includes it");
    accepts("dram.latency=28ns", "");
}

Test(check, fetch_is_1_2_or_4_sectors_within_a_line)
{
    fixture_preset_refuses("v100", "l2.fetch=3", "",
                           "--set l2.fetch=3: l2.fetch 3 is not allowed, "
                           "wanted 1, 2 or 4");
    fixture_preset_refuses("v100", "l2.fetch=0", "",
                           "--set l2.fetch=0: '0' is out of range, wanted a "
                           "number, 1 to 4");
    accepts("l2.fetch=4", "");
    const char *sets[] = {"l1.line=64B", "l2.line=64B", "l2.fetch=4"};
    wm_config_set *set = NULL;
    wm_error err = {WM_OK, ""};
    cr_expect_eq(wm_config_load("v100", sets, 3, &set, &err), WM_ECONFIG);
    cr_expect_str_eq(err.text,
                     "--set l2.fetch=4: l2.fetch 4 sectors are over l2.line "
                     "64 B, wanted fetch x l2.sector within a line");
}

Test(check, interleave_and_rows_are_whole_lines)
{
    fixture_preset_refuses("v100", "l2.interleave=96B", "",
                           "--set l2.interleave=96B: l2.interleave 96 B is "
                           "not a multiple of l2.line 128 B, wanted whole "
                           "lines");
    fixture_preset_refuses("v100", "dram.row=100B", "",
                           "--set dram.row=100B: dram.row 100 B is not a "
                           "multiple of l2.line 128 B, wanted whole lines");
    accepts("l2.interleave=384B", "dram.row=768B");
}

Test(check, lines_of_both_caches_are_equal)
{
    fixture_preset_refuses("v100", "l1.line=64 B", "",
                           "--set l1.line=64 B: l1.line 64 B differs from "
                           "l2.line 128 B, wanted equal: lines of two sizes "
                           "are not modelled yet");
}

Test(check, a_sector_is_at_most_a_line)
{
    const char *sets[] = {"l1.line=32B", "l2.line=32B", "l1.sector=64B",
                          "l2.sector=64B"};
    wm_config_set *set = NULL;
    wm_error err = {WM_OK, ""};
    cr_expect_eq(wm_config_load("v100", sets, 4, &set, &err), WM_ECONFIG);
    cr_expect_str_eq(err.text, "--set l1.sector=64B: l1.sector 64 B is over "
                               "l1.line 32 B, wanted at most the line");
}

Test(check, the_unified_array_holds_l1_shared_and_carveouts)
{
    fixture_preset_refuses("v100", "l1.size=256KiB", "",
                           "--set l1.size=256KiB: l1.size 256 KiB is over "
                           "l1.unified 128 KiB, wanted at most the unified "
                           "array (or l1.unified 0)");
    accepts("l1.size=256KiB", "l1.unified=0");
    accepts("l1.size=256KiB", "l1.unified=256KiB");
    fixture_preset_refuses("v100", "shared.size=160KiB", "",
                           "--set shared.size=160KiB: shared.size 160 KiB is "
                           "over l1.unified 128 KiB, wanted at most the "
                           "unified array (or l1.unified 0)");
    fixture_preset_refuses("v100", "shared.carveouts=0 96 160 KiB", "",
                           "--set shared.carveouts=0 96 160 KiB: "
                           "shared.carveouts 0 96 160 KiB go over l1.unified "
                           "128 KiB, wanted sizes within the unified array");
    fixture_preset_refuses("v100", "shared.size=100KiB", "",
                           "--set shared.size=100KiB: shared.size 100 KiB is "
                           "over the largest of shared.carveouts 0 8 16 32 "
                           "64 96 KiB, wanted a carve-out that holds it");
    accepts("shared.size=100KiB", "shared.carveouts=any");
    accepts("shared.size=48KiB", "");
}

Test(check, segments_lie_between_sector_and_line_in_segment_mode)
{
    accepts("coalescer.mode=segment", "coalescer.segment=32B");
    fixture_preset_refuses("v100", "coalescer.segment=48B", "",
                           "--set coalescer.segment=48B: coalescer.segment "
                           "48 B is not allowed, wanted 32 B, 64 B or 128 B");
    const char *sets[] = {"l1.sector=64B", "l2.sector=64B",
                          "coalescer.mode=segment", "coalescer.segment=32B"};
    wm_config_set *set = NULL;
    wm_error err = {WM_OK, ""};
    cr_expect_eq(wm_config_load("v100", sets, 4, &set, &err), WM_ECONFIG);
    cr_expect_str_eq(err.text,
                     "--set coalescer.segment=32B: coalescer.segment 32 B is "
                     "below l1.sector 64 B, wanted at least a sector");
}

Test(check, splits_are_powers_of_two_up_to_a_warp)
{
    static const char *const good[] = {
        "coalescer.split=0", "coalescer.split=2",  "coalescer.split=4",
        "coalescer.split=8", "coalescer.split=16", "coalescer.split=32"};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        accepts(good[i], "");
    }
    fixture_preset_refuses("v100", "coalescer.split=12", "",
                           "--set coalescer.split=12: coalescer.split 12 is "
                           "not allowed, wanted 0, 2, 4, 8, 16 or 32");
}

Test(check, a_thread_limit_that_no_trace_reaches_is_refused)
{
    fixture_preset_refuses("t4", "sm.max_threads=4096", "",
                           "--set sm.max_threads=4096: sm.max_threads 4096 "
                           "cannot be reached with sm.max_warps 32, wanted "
                           "at most 64 threads for each warp");
    accepts("sm.max_warps=8", "");
}

Test(check, a_lowered_warp_limit_reads_back_as_it_was_shown)
{
    accepts("sm.max_warps=28", "sm.max_threads=2048");
}

Test(check, two_l2_partitions_are_accepted)
{
    accepts("l2.partitions=2", "");
    const char *sets[] = {"l2.partitions=2", "l2.slices=3"};
    wm_config_set *set = NULL;
    wm_error err = {WM_OK, ""};
    cr_expect_eq(wm_config_load("v100", sets, 2, &set, &err), WM_ECONFIG);
    cr_expect_str_eq(err.text,
                     "--set l2.slices=3: l2.slices 3 are not shared evenly by "
                     "l2.partitions 2, wanted as many slices in each");
}
