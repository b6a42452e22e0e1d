/*
 * test_engine.c -- the engine on small hand-written traces: latencies that
 * follow from the configuration, write policies, barriers, kernels in
 * sequence, thread counts.
 */
#include "engine_fixture.h"

/* --- latencies ------------------------------------------------------------ */
/* Cycles of a chain of n loads of one lane at the given distance, less the
 * cycles of one load, per further load. */
static double cycles_per_load(uint64_t first_lines, uint32_t n, uint64_t step,
                              uint64_t wrap)
{
    char *text = malloc(200 * (size_t)n + 4096);
    size_t used = (size_t)sprintf(text,
                                  HEAD LAUNCH("1", "32") STATICS
                                  "cta 0,0,0 warps 1 records %u other 0 flops "
                                  "0,0,0,0\nwarp 0\n",
                                  n + 1);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t address =
            UINT64_C(0x7f2000000000) + (first_lines + i * step % wrap) * 128;
        used += (size_t)sprintf(text + used, "  0 00000001 0x%llx +0%s\n",
                                (unsigned long long)address,
                                i != 0 ? " wait 0x1" : "");
    }
    sprintf(text + used, EXIT);
    run_result result = run_timing(text);
    free(text);
    return (double)get(&result.kernel[0], WM_C_TIME_CYCLES) / n;
}

Test(engine, a_chain_of_l1_hits_costs_the_l1_latency_each)
{
    double cycles = cycles_per_load(0, 2000, 1, 4);
    cr_assert_float_eq(cycles, 28 + 4 * (434 - 28) / 2000.0, 0.5, "%f", cycles);
}

Test(engine, a_chain_of_strided_l1_hits_adds_its_wavefronts_once)
{
    /* 32 lines a load, 8 tag wavefronts: 28 + 8 - 1 each. */
    uint64_t cycles[2];
    for (uint32_t i = 0; i < 2; i++) {
        char text[65536];
        const uint32_t n = i == 0 ? 10 : 110;
        size_t used = (size_t)sprintf(
            text,
            HEAD LAUNCH("1", "32") STATICS
            "cta 0,0,0 warps 1 records %u other 0 flops 0,0,0,0\nwarp 0\n",
            n + 1);
        for (uint32_t k = 0; k < n; k++) {
            used += (size_t)sprintf(text + used,
                                    "  0 ffffffff 0x7f2000000000 +132%s\n",
                                    k != 0 ? " wait 0x1" : "");
        }
        sprintf(text + used, EXIT);
        run_result result = run_timing(text);
        cycles[i] = get(&result.kernel[0], WM_C_TIME_CYCLES);
    }
    cr_assert_eq(cycles[1] - cycles[0], 100 * (28 + 8 - 1), "%llu",
                 (unsigned long long)(cycles[1] - cycles[0]));
}

Test(engine, a_chain_over_the_l2_costs_the_l2_latency_each)
{
    /* 1 MiB: beyond the L1, inside the L2; second half of the walk hits. */
    double cold = cycles_per_load(0, 8192, 1, 8192);
    double warm = cycles_per_load(0, 16384, 1, 8192);
    cr_assert_float_eq(2 * warm - cold, 212, 1.5, "%f", 2 * warm - cold);
}

Test(engine, a_chain_of_cold_loads_costs_l2_and_dram_latency_each)
{
    /* One line per row, so that every access opens one. */
    double cycles = cycles_per_load(0, 1000, 4099, UINT64_C(1) << 40);
    cr_assert_float_eq(cycles, 434, 6, "%f", cycles);
}

Test(engine, shared_loads_cost_the_shared_latency_and_their_conflicts)
{
    run_result clean = run_timing(ONE("  4 ffffffff 0x0 +4\n"));
    run_result worst = run_timing(ONE("  4 ffffffff 0x0 +128\n"));
    cr_assert_eq(get(&worst.kernel[0], WM_C_SHARED_LOAD_WAVEFRONTS), 32);
    cr_assert_eq(get(&worst.kernel[0], WM_C_TIME_CYCLES) -
                     get(&clean.kernel[0], WM_C_TIME_CYCLES),
                 31);
}

/* --- traffic -------------------------------------------------------------- */
Test(engine, a_fully_written_sector_is_never_fetched)
{
    run_result result = run_timing(ONE("  1 ffffffff 0x7f2000000000 +4\n"));
    const wm_counters *kernel = &result.kernel[0];
    cr_assert_eq(get(kernel, WM_C_L2_WRITE_SECTORS), 4);
    cr_assert_eq(get(kernel, WM_C_DRAM_READ_SECTORS), 0);
    cr_assert_eq(get(kernel, WM_C_L2_DIRTY_BYTES_LEFT), 128);
}

Test(engine, bytes_written_one_by_one_make_a_whole_sector)
{
    /* 32 lanes write 32 bytes in two halves, then a load reads them. */
    run_result result = run_timing(HEAD LAUNCH("1", "32") STATICS CTA(
        "4") "  8 0000ffff 0x7f2000000000 +1\n"
             "  8 ffff0000 0x7f2000000010 +1\n"
             "  0 000000ff 0x7f2000000000 +4 head 1000/0\n" EXIT);
    cr_assert_eq(get(&result.kernel[0], WM_C_L2_READ_HIT_SECTORS), 1);
    cr_assert_eq(get(&result.kernel[0], WM_C_DRAM_READ_SECTORS), 0);
}

Test(engine, a_partly_written_sector_is_fetched_when_it_is_read)
{
    run_result result = run_timing(HEAD LAUNCH("1", "32") STATICS CTA(
        "3") "  8 0000ffff 0x7f2000000000 +1\n"
             "  0 000000ff 0x7f2000000000 +4 head 1000/0\n" EXIT);
    cr_assert_eq(get(&result.kernel[0], WM_C_L2_READ_MISS_SECTORS), 1);
    cr_assert_eq(get(&result.kernel[0], WM_C_DRAM_READ_SECTORS), 1);
    cr_assert_eq(get(&result.kernel[0], WM_C_L2_DIRTY_BYTES_LEFT), 32);
}

Test(engine, write_through_leaves_nothing_dirty)
{
    const char *sets[] = {"l2.write=through"};
    run_result result = run(ONE("  1 ffffffff 0x7f2000000000 +4\n"),
                            WM_MODE_TIMING, 1, sets, 1);
    cr_assert_eq(get(&result.kernel[0], WM_C_DRAM_WRITE_SECTORS), 4);
    cr_assert_eq(get(&result.kernel[0], WM_C_L2_DIRTY_BYTES_LEFT), 0);
}

Test(engine, l2_fetch_of_four_brings_the_whole_line)
{
    const char *sets[] = {"l2.fetch=4"};
    run_result result = run(ONE("  0 00000001 0x7f2000000000 +0\n"),
                            WM_MODE_TIMING, 1, sets, 1);
    cr_assert_eq(get(&result.kernel[0], WM_C_L2_READ_SECTORS), 1);
    cr_assert_eq(get(&result.kernel[0], WM_C_DRAM_READ_SECTORS), 4);
}

Test(engine, atomics_pass_the_l1_and_are_grouped_per_sector)
{
    run_result same = run_timing(ONE("  6 ffffffff 0x7f2000000000 +0\n"));
    run_result spread = run_timing(ONE("  6 ffffffff 0x7f2000000000 +4\n"));
    cr_assert_eq(get(&same.kernel[0], WM_C_L2_ATOMIC_SECTORS), 1);
    cr_assert_eq(get(&spread.kernel[0], WM_C_L2_ATOMIC_SECTORS), 4);
    cr_assert_eq(get(&spread.kernel[0], WM_C_L2_ATOMIC_REQUESTS), 1);
    cr_assert_eq(get(&same.kernel[0], WM_C_L1_GLOBAL_REDUCTION_HIT_SECTORS), 0);
}

Test(engine, lanes_on_one_address_of_an_atomic_take_turns)
{
    run_result same = run_timing(ONE("  7 ffffffff 0x7f2000000000 +0\n"));
    run_result one = run_timing(ONE("  7 00000001 0x7f2000000000 +0\n"));
    cr_assert_eq(get(&same.kernel[0], WM_C_TIME_CYCLES) -
                     get(&one.kernel[0], WM_C_TIME_CYCLES),
                 31);
}

Test(engine, local_words_of_a_warp_lie_side_by_side)
{
    run_result result = run_timing(ONE("  5 ffffffff 0x7f0000000010 +0\n"));
    cr_assert_eq(get(&result.kernel[0], WM_C_L1_LOCAL_LOAD_SECTORS), 4);
    cr_assert_eq(get(&result.kernel[0], WM_C_L1_LOCAL_LOAD_LINES), 1);
}

Test(engine, every_word_of_scattered_local_accesses_is_a_sector_of_its_own)
{
    const char *warp32 = HEAD LAUNCH("1", "32")
        STATICS CTA("3") "  9 ffffffff 0x7f0000000000 +2368\n"
                         "  10 ffffffff 0x7f0000000000 +2368\n" EXIT;
    for (int mode = WM_MODE_TIMING; mode <= WM_MODE_COUNTS; mode++) {
        run_result result = run(warp32, (wm_mode)mode, 1, NULL, 0);
        const wm_counters *kernel = &result.kernel[0];
        cr_assert_eq(get(kernel, WM_C_L1_LOCAL_LOAD_SECTORS), 256);
        cr_assert_eq(get(kernel, WM_C_L1_LOCAL_LOAD_LINES), 256);
        cr_assert_eq(get(kernel, WM_C_L1_LOCAL_STORE_SECTORS), 256);
        cr_assert_eq(get(kernel, WM_C_L2_WRITE_SECTORS), 256);
    }
}

Test(engine, a_lane_of_a_local_access_stays_within_its_words)
{
    const char *warp64[2] = {
        HEAD "launch grid 1,1,1 block 64,1,1 warp 64 sm 90 "
             "local_base 0x7f0000000000 name k\n" STATICS CTA(
                 "3") "  9 ffffffffffffffff 0x7f0000000000 +2368\n"
                      "  10 ffffffffffffffff 0x7f0000000000 +2368\n" EXIT,
        HEAD "launch grid 1,1,1 block 64,1,1 warp 64 sm 90 "
             "local_base 0x7f0000000000 name k\n" STATICS CTA(
                 "3") "  9 ffffffffffffffff 0x7f0000000003 +2368\n"
                      "  10 ffffffffffffffff 0x7f0000000003 +2368\n" EXIT};
    const char *sets[] = {"l1.line=32B", "l2.line=32B"};
    for (int mode = WM_MODE_TIMING; mode <= WM_MODE_COUNTS; mode++) {
        run_result aligned = run(warp64[0], (wm_mode)mode, 1, sets, 2);
        run_result odd = run(warp64[1], (wm_mode)mode, 1, sets, 2);
        cr_assert_eq(get(&aligned.kernel[0], WM_C_L1_LOCAL_LOAD_LINES), 512);
        cr_assert_arr_eq(&odd.kernel[0], &aligned.kernel[0],
                         sizeof(wm_counters));
    }
}

Test(engine, a_record_without_active_lanes_touches_nothing)
{
    run_result result = run_timing(ONE("  0 00000000 0x0 +0\n"));
    const wm_counters *kernel = &result.kernel[0];
    cr_assert_eq(get(kernel, WM_C_INSTRUCTIONS_GLOBAL_LOAD), 1);
    cr_assert_eq(get(kernel, WM_C_L1_GLOBAL_LOAD_REQUESTS), 1);
    cr_assert_eq(get(kernel, WM_C_L1_GLOBAL_LOAD_ACTIVE_REQUESTS), 0);
    cr_assert_eq(get(kernel, WM_C_L1_GLOBAL_LOAD_SECTORS), 0);
    cr_assert_eq(get(kernel, WM_C_DRAM_READ_SECTORS), 0);
}

/* --- order and kernels ---------------------------------------------------- */
Test(engine, a_barrier_holds_every_warp_until_the_last_arrives)
{
    run_result result =
        run_timing(HEAD LAUNCH("1", "64") STATICS
                   "cta 0,0,0 warps 2 records 4 other 0 flops 0,0,0,0\n"
                   "warp 0\n  3 ffffffff\n" EXIT
                   "warp 1\n  3 ffffffff head 5000/0\n" EXIT);
    cr_assert_geq(get(&result.kernel[0], WM_C_TIME_CYCLES), 5000);
    cr_assert_leq(get(&result.kernel[0], WM_C_TIME_CYCLES), 5010);
    cr_assert_eq(get(&result.kernel[0], WM_C_INSTRUCTIONS_BARRIER), 2);
}

Test(engine, a_warp_that_has_exited_does_not_hold_a_barrier)
{
    run_result result =
        run_timing(HEAD LAUNCH("1", "64") STATICS
                   "cta 0,0,0 warps 2 records 3 other 0 flops 0,0,0,0\n"
                   "warp 0\n" EXIT "warp 1\n  3 ffffffff\n" EXIT);
    cr_assert_lt(get(&result.kernel[0], WM_C_TIME_CYCLES), 50);
}

#define KERNEL                                                                 \
    LAUNCH("1", "32") STATICS CTA("2") "  0 ffffffff 0x7f2000000000 +4\n" EXIT
Test(engine, a_second_kernel_starts_with_a_cold_l1_and_a_warm_l2)
{
    run_result result = run_timing(HEAD KERNEL KERNEL);
    cr_assert_eq(result.n_kernels, 2);
    cr_assert_eq(get(&result.kernel[1], WM_C_L1_GLOBAL_LOAD_MISS_SECTORS), 4);
    cr_assert_eq(get(&result.kernel[1], WM_C_L2_READ_HIT_SECTORS), 4);
    cr_assert_eq(get(&result.kernel[1], WM_C_DRAM_READ_SECTORS), 0);
    cr_assert_eq(get(&result.total, WM_C_L2_READ_SECTORS), 8);
}

Test(engine, a_copy_fills_the_l2_unless_told_not_to)
{
    const char *text = HEAD "copy HtoD 0x7f2000000000 4096\n" KERNEL;
    const char *sets[] = {"memcpy.l2=ignore"};
    run_result fill = run(text, WM_MODE_TIMING, 1, NULL, 0);
    run_result ignore = run(text, WM_MODE_TIMING, 1, sets, 1);
    cr_assert_eq(get(&fill.kernel[0], WM_C_DRAM_READ_SECTORS), 0);
    cr_assert_eq(get(&fill.kernel[0], WM_C_L2_COPIED_SECTORS), 128);
    cr_assert_eq(get(&ignore.kernel[0], WM_C_DRAM_READ_SECTORS), 4);
}

Test(engine, a_copy_behind_the_last_kernel_may_push_out_what_it_wrote)
{
    const char *sets[] = {"l2.size=8KiB", "l2.slices=1"};
    for (int mode = WM_MODE_TIMING; mode <= WM_MODE_COUNTS; mode++) {
        run_result result = run(
            ONE("  1 ffffffff 0x7f2000000000 +4\n") "copy HtoD 0x7f3000000000 "
                                                    "65536\n",
            (wm_mode)mode, 1, sets, 2);
        cr_assert_eq(get(&result.kernel[0], WM_C_L2_DIRTY_BYTES_LEFT), 128);
    }
}

Test(engine, an_l2_flush_writes_dirty_sectors_back_and_forgets_all)
{
    const char *sets[] = {"kernel.l2_between=flush"};
    run_result result =
        run(HEAD LAUNCH("1", "32")
                STATICS CTA("2") "  1 ffffffff 0x7f2000000000 +4\n" EXIT KERNEL,
            WM_MODE_TIMING, 1, sets, 1);
    cr_assert_eq(get(&result.kernel[0], WM_C_DRAM_WRITE_SECTORS), 4);
    cr_assert_eq(get(&result.kernel[0], WM_C_L2_DIRTY_BYTES_LEFT), 0);
    cr_assert_eq(get(&result.kernel[1], WM_C_DRAM_READ_SECTORS), 4);
}

/* Local memory lies above all addresses, and a slice keeps copies of what the
 * other half of the L2 holds above all lines of its own. */
Test(engine, two_l2_partitions_do_not_mistake_local_memory_for_copies)
{
    const char *sets[] = {"l1.line=32B", "l2.line=32B",       "l2.partitions=2",
                          "l2.slices=2", "l2.interleave=32B", "l2.size=48KiB"};
    const char *text = HEAD LAUNCH("1", "32")
        STATICS CTA("3") "  10 ffffffff 0x7f0000013800 +0\n"
                         "  10 ffffffff 0x7f0000013800 +0\n" EXIT;
    for (int mode = WM_MODE_TIMING; mode <= WM_MODE_COUNTS; mode++) {
        run_result result = run(text, (wm_mode)mode, 1, sets, 6);
        cr_assert_eq(get(&result.kernel[0], WM_C_L2_WRITE_HIT_SECTORS), 32);
        cr_assert_eq(get(&result.kernel[0], WM_C_L2_DIRTY_BYTES_LEFT), 1024);
    }
}

/* --- many CTAs ------------------------------------------------------------ */
Test(engine, the_result_is_the_same_for_any_number_of_threads)
{
    char *text = many_ctas(600);
    for (int mode = 0; mode < 2; mode++) {
        run_result one = run(text, (wm_mode)mode, 1, NULL, 0);
        const uint32_t jobs[] = {2, 3, 8};
        for (size_t i = 0; i < 3; i++) {
            run_result many = run(text, (wm_mode)mode, jobs[i], NULL, 0);
            cr_assert_arr_eq(&many.kernel[0], &one.kernel[0],
                             sizeof(wm_counters));
        }
    }
    free(text);
}

Test(engine, the_length_of_the_window_does_not_show_in_results)
{
    char *text = many_ctas(400);
    const char *shapes[][4] = {
        {"l1.mshrs=512", "sm.lsu_queue=16", "sm.count=80", "l2.size=6MiB"},
        {"l1.mshrs=8", "sm.lsu_queue=2", "sm.count=5", "l2.size=256KiB"},
        {"l1.mshrs=3", "sm.lsu_queue=1", "sm.count=2", "dram.banks=1"},
        {"l1.size=2KiB", "l1.write=allocate", "sm.count=3", "l2.mshrs=2"},
        {"l2.partitions=2", "l2.far_latency=150", "sm.count=6",
         "l2.size=256KiB"},
        {"tlb.reach=64KiB", "tlb.page=4KiB", "tlb.latency=99", "sm.count=6"},
        {"dram.model=banked", "sm.count=80", "l2.size=6MiB", "l2.fetch=4"},
        {"dram.model=banked", "sm.count=5", "l2.size=256KiB", "l2.mshrs=2"},
        {"dram.model=banked", "l2.slices=6", "dram.channels=4", "l2.mshrs=1"},
        {"dram.model=banked", "dram.page=closed", "dram.refresh=per_bank",
         "l2.write=through"},
        {"dram.model=banked", "dram.page=timeout", "dram.read_queue=1",
         "dram.mapping=mop4clxor"},
        {"dram.model=banked", "sm.count=5", "l2.size=256KiB",
         "kernel.l2_between=flush"},
        {"dram.model=banked", "dram.page=timeout", "dram.page_timeout=0ps",
         "kernel.l2_between=flush"},
    };
    for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++) {
        run_result whole = run_window(text, WM_MODE_TIMING, 1, shapes[s], 4, 0);
        const uint32_t limits[] = {128, 37, 4, 1};
        for (size_t i = 0; i < 4; i++) {
            run_result cut =
                run_window(text, WM_MODE_TIMING, 1, shapes[s], 4, limits[i]);
            for (uint32_t c = 0; c < WM_COUNTER_COUNT; c++) {
                cr_assert_eq(cut.kernel[0].value[c], whole.kernel[0].value[c],
                             "shape %zu, window %u, %s: %llu, want %llu", s,
                             limits[i], wm_counter_infos[c].id,
                             (unsigned long long)cut.kernel[0].value[c],
                             (unsigned long long)whole.kernel[0].value[c]);
            }
        }
    }
    free(text);
}

Test(engine, any_number_of_loads_wait_for_a_line_on_its_way)
{
    const char *sets[] = {"l1.mshrs=6", "coalescer.split=2"};
    const char *text = HEAD LAUNCH("1", "32")
        STATICS CTA("9") "  0 ffffffff 0x0 +4\n  0 ffffffff 0x0 +4\n"
                         "  0 ffffffff 0x0 +4\n  0 ffffffff 0x0 +4\n"
                         "  0 ffffffff 0x0 +4\n  0 ffffffff 0x0 +4\n"
                         "  0 ffffffff 0x0 +4\n  0 ffffffff 0x0 +4\n" EXIT;
    const run_result whole = run_window(text, WM_MODE_TIMING, 1, sets, 2, 0);
    /* Four sectors are fetched; whoever comes before them waits. */
    cr_assert_eq(get(&whole.kernel[0], WM_C_L1_GLOBAL_LOAD_MISS_SECTORS), 4);
    cr_assert_eq(get(&whole.kernel[0], WM_C_L1_GLOBAL_LOAD_PENDING_SECTORS),
                 8 * 16 - 4);
    const run_result cut = run_window(text, WM_MODE_TIMING, 1, sets, 2, 31);
    cr_assert_arr_eq(&cut.kernel[0], &whole.kernel[0], sizeof(wm_counters));
}

Test(engine, a_cta_larger_than_an_sm_still_runs_alone)
{
    const char *sets[] = {"sm.max_warps=2"};
    char *text = many_ctas(6); /* 4 warps each */
    run_result result = run(text, WM_MODE_TIMING, 1, sets, 1);
    cr_assert_eq(get(&result.kernel[0], WM_C_LAUNCH_CTAS), 6);
    free(text);
}

Test(engine, both_modes_see_the_same_l1_accesses)
{
    char *text = many_ctas(300);
    run_result timing = run(text, WM_MODE_TIMING, 1, NULL, 0);
    run_result counts = run(text, WM_MODE_COUNTS, 1, NULL, 0);
    for (uint32_t k = 0; k < WM_L1_KINDS; k++) {
        for (uint32_t f = 0; f < WM_L1_FIELDS; f++) {
            uint32_t id = WM_C_L1_GLOBAL_LOAD_REQUESTS + k * WM_L1_FIELDS + f;
            if (f < WM_L1_HIT_SECTORS || f > WM_L1_MISS_SECTORS) {
                cr_assert_eq(timing.kernel[0].value[id],
                             counts.kernel[0].value[id], "%s",
                             wm_counter_infos[id].id);
            }
        }
    }
    free(text);
}

Test(engine, geometry_of_any_numbers_keeps_the_conservation_laws)
{
    char *text = many_ctas(200);
    const char *shapes[][6] = {
        {"sm.count=1", "l2.slices=1", "dram.channels=1", "l2.size=64KiB",
         "l1.mshrs=1", "sm.lsu_queue=1"},
        {"sm.count=7", "l2.slices=9", "dram.channels=6", "l2.size=1152KiB",
         "l1.mshrs=3", "l2.mshrs=1"},
        {"sm.count=13", "l2.slices=5", "dram.channels=7", "l2.size=320KiB",
         "l2.fetch=4", "l1.enabled=false"},
        {"sm.count=132", "l2.slices=96", "dram.channels=96", "l2.ways=12",
         "l2.sets=5", "l2.hash=none"},
        {"sm.count=3", "l1.write=allocate", "l1.policy=srrip",
         "l2.policy=random", "l2.latency=30", "fabric.request_latency=5"},
    };
    for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++) {
        const char *sets[8];
        memcpy(sets, shapes[s], sizeof(shapes[s]));
        sets[6] = "fabric.response_latency=5";
        run_result timing = run(text, WM_MODE_TIMING, 2, sets, 7);
        run_result counts = run(text, WM_MODE_COUNTS, 2, sets, 7);
        cr_assert_eq(timing.kernel[0].value[WM_C_LAUNCH_CTAS], 200);
        cr_assert_eq(counts.kernel[0].value[WM_C_LAUNCH_CTAS], 200);
    }
    free(text);
}

Test(engine, latencies_of_one_cycle_and_of_a_million_both_end)
{
    char *text = many_ctas(20);
    const char *tiny[] = {"l1.latency=1", "l2.latency=3",
                          "fabric.request_latency=1",
                          "fabric.response_latency=1", "kernel.cta_latency=1"};
    const char *huge[] = {"l2.latency=1000000", "dram.latency=1ms"};
    run_result fast = run(text, WM_MODE_TIMING, 1, tiny, 5);
    run_result slow = run(text, WM_MODE_TIMING, 2, huge, 2);
    cr_assert_gt(get(&slow.kernel[0], WM_C_TIME_CYCLES), 1000000);
    cr_assert_lt(get(&fast.kernel[0], WM_C_TIME_CYCLES), 100000);
    free(text);
}
