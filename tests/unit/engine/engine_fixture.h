/*
 * engine_fixture.h -- traces in a string, run on the v100 preset with changes.
 */
#ifndef WM_TEST_ENGINE_FIXTURE_H
#define WM_TEST_ENGINE_FIXTURE_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/engine.h"

/* --- a run of a text trace ------------------------------------------------ */
typedef struct run_result {
    uint32_t n_kernels;
    wm_counters kernel[16];
    wm_counters total;
    wm_bound bound[16];
} run_result;

static inline wm_status keep(const wm_kernel_result *result, void *context,
                             wm_error *err)
{
    run_result *kept = context;
    (void)err;
    cr_assert_lt(kept->n_kernels, 16);
    kept->bound[kept->n_kernels] = result->bound;
    kept->kernel[kept->n_kernels++] = result->counters;
    return WM_OK;
}

static inline run_result run_window(const char *text, wm_mode mode,
                                    uint32_t jobs, const char *const *sets,
                                    size_t n_sets, uint32_t window_limit)
{
    run_result kept;
    wm_error err;
    wm_config_set *config = NULL;
    wm_engine *engine = NULL;
    wm_trace *trace = NULL;
    char path[] = "/tmp/wm_test_engine_XXXXXX";
    int file = mkstemp(path);
    memset(&kept, 0, sizeof(kept));
    cr_assert_geq(file, 0);
    cr_assert_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    cr_assert_eq(wm_config_load("v100", sets, n_sets, &config, &err), WM_OK,
                 "%s", err.text);
    wm_engine_options options;
    wm_trace_options reading = {.keep_going = false};
    memset(&options, 0, sizeof(options));
    options.mode = mode;
    options.jobs = jobs;
    options.window_limit = window_limit;
    cr_assert_eq(
        wm_engine_new(wm_config_values(config), &options, &engine, &err), WM_OK,
        "%s", err.text);
    cr_assert_eq(wm_trace_open(path, &reading, NULL, &trace, &err), WM_OK, "%s",
                 err.text);
    cr_assert_eq(wm_engine_run(engine, trace, keep, &kept, &err), WM_OK, "%s",
                 err.text);
    kept.total = *wm_engine_total(engine);
    cr_assert(wm_engine_is_complete(engine));
    wm_trace_close(trace);
    wm_engine_free(engine);
    wm_config_free(config);
    unlink(path);
    return kept;
}

static inline run_result run(const char *text, wm_mode mode, uint32_t jobs,
                             const char *const *sets, size_t n_sets)
{
    return run_window(text, mode, jobs, sets, n_sets, 0);
}

static inline run_result run_timing(const char *text)
{
    return run(text, WM_MODE_TIMING, 1, NULL, 0);
}

#define HEAD "warpmem-trace 1\n"
#define LAUNCH(grid, block)                                                    \
    "launch grid " grid ",1,1 block " block ",1,1 shared 0 regs 16 warp 32 "   \
    "sm 70 stream 0 shared_base 0x0 local_base 0x7f0000000000 name k\n"
#define STATICS                                                                \
    "static 0 global_load pc 0x0 width 4 opcode LDG.E\n"                       \
    "static 1 global_store pc 0x10 width 4 opcode STG.E\n"                     \
    "static 2 exit pc 0x20 opcode EXIT\n"                                      \
    "static 3 barrier pc 0x30 opcode BAR.SYNC\n"                               \
    "static 4 shared_load pc 0x40 width 4 opcode LDS\n"                        \
    "static 5 local_load pc 0x50 width 4 opcode LDL\n"                         \
    "static 6 global_reduction pc 0x60 width 4 opcode RED.E\n"                 \
    "static 7 global_atomic pc 0x70 width 4 opcode ATOMG.E\n"                  \
    "static 8 global_store pc 0x80 width 1 opcode STG.E.U8\n"                  \
    "static 9 local_load pc 0x90 width 32 opcode LDL.256\n"                    \
    "static 10 local_store pc 0xa0 width 32 opcode STL.256\n"
#define CTA(records)                                                           \
    "cta 0,0,0 warps 1 records " records " other 0 flops 0,0,0,0\nwarp 0\n"
#define EXIT        "  2 ffffffff wait 0xffffffff\n"
#define ONE(record) HEAD LAUNCH("1", "32") STATICS CTA("2") record EXIT

static inline uint64_t get(const wm_counters *counters, wm_counter_id id)
{
    return counters->value[id];
}

/* n CTAs of 4 warps with loads, stores and a gather-like stride. */
static inline char *many_ctas(uint32_t n)
{
    char *text = malloc(800 * (size_t)n + 4096);
    size_t used = (size_t)sprintf(
        text,
        HEAD "launch grid %u,1,1 block 128,1,1 shared 0 regs 16 warp 32 sm 70 "
             "stream 0 shared_base 0x0 local_base 0x0 name k\n" STATICS,
        n);
    for (uint32_t c = 0; c < n; c++) {
        used += (size_t)sprintf(
            text + used,
            "cta %u,0,0 warps 4 records 16 other 0 flops 0,0,0,0\n", c);
        for (uint32_t w = 0; w < 4; w++) {
            unsigned long long at = 0x7f2000000000ull + (c * 4 + w) * 4096ull;
            used += (size_t)sprintf(
                text + used,
                "warp %u\n  0 ffffffff 0x%llx +128 head 3/3\n"
                "  0 ffffffff 0x%llx +4\n"
                "  1 ffffffff 0x%llx +4 wait 0x3 tail 2/2\n" EXIT,
                w, at, at % 0x40000 + 0x7f3000000000ull, at + 0x100000000ull);
        }
    }
    return text;
}

#endif
