/*
 * runs.c -- many runs in one process, through the library: what the process
 * holds after all of them is what it held after the first hundred.
 *
 *     runs [N]     default 10,000; a multiple of 100
 *
 * A run loads a configuration, builds an engine, replays a trace, writes the
 * report in each form and frees it all.  A hundred different runs make a round:
 * ten traces (two of which are bad, one absent) under ten configurations (one
 * of which is wrong), in both modes, with one thread and with two.  Counted
 * are bytes from malloc, open files, mappings and threads.
 */
#include <dirent.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "report/report.h"
#include "study/simulate.h"

#define ROUND 100u

static const char *const paths[] = {
    SOAK_DATA "/golden_tiny.txt",         SOAK_DATA "/golden_table.csv",
    SOAK_DATA "/golden_macsim/trace.txt", SOAK_DATA "/golden_nvbit_rs.json",
    SOAK_DATA "/golden_ppt_block_0.mem",  SOAK_DATA "/golden_copies.txt",
    SOAK_DATA "/golden_shared.txt",       SOAK_WMT,
    SOAK_DATA "/golden_cut.txt",          SOAK_DATA "/absent",
};

static const char *const sets[][2] = {
    {"l1.policy=lru", "l1.write=through"},
    {"l1.policy=random", "l1.write=evict"},
    {"l1.policy=plru", "l1.write=allocate"},
    {"dram.model=banked", "dram.refresh=all_bank"},
    {"dram.model=banked", "dram.page=closed"},
    {"l2.policy=aged", "kernel.l2_between=flush"},
    {"l2.policy=fifo", "coalescer.mode=line"},
    {"l2.policy=srrip", "sm.count=7"},
    {"tlb.reach=1 MiB", "tlb.latency=70"},
    {"l2.policy=none", "sm.count=0"},
};

/* --- one run -------------------------------------------------------------- */
static wm_status replay(const wm_config_set *config, const char *path,
                        uint64_t n, wm_report *report, wm_error *err)
{
    const wm_engine_options options = {.mode = n / 2 % 2 == 0 ? WM_MODE_TIMING
                                                              : WM_MODE_COUNTS,
                                       .jobs = n % 8 == 0 ? 2 : 1,
                                       .per_instruction = n % 3 == 0,
                                       .diag = &report->diag};
    const wm_trace_options how = {.jobs = options.jobs};
    wm_engine *engine = NULL;
    wm_trace *trace = NULL;
    wm_status status =
        wm_engine_new(wm_config_values(config), &options, &engine, err);
    if (status == WM_OK) {
        status = wm_trace_open(path, &how, &report->diag, &trace, err);
    }
    if (status == WM_OK) {
        status = wm_engine_run(engine, trace, wm_gather_kernel, report, err);
        report->is_complete = wm_engine_is_complete(engine);
        report->total = *wm_engine_total(engine);
    }
    wm_trace_close(trace);
    wm_engine_free(engine);
    return status;
}

/* Returns whether the run ended well. */
static bool run(uint64_t n)
{
    wm_error err;
    wm_config_set *config = NULL;
    wm_status status = wm_config_load(SOAK_DATA "/ref.yaml", sets[n / 10 % 10],
                                      2, &config, &err);
    if (status != WM_OK) {
        return false;
    }
    wm_report report;
    wm_report_init(&report);
    report.mode = "timing";
    report.config = config;
    status = replay(config, paths[n % 10], n, &report, &err);
    for (size_t i = 0; status == WM_OK && wm_writers[i] != NULL; i++) {
        wm_buffer out;
        wm_buffer_init(&out);
        wm_writers[i]->write(&report, &out);
        status = out.is_failed ? WM_ENOMEM : WM_OK;
        wm_buffer_fini(&out);
    }
    wm_report_fini(&report);
    wm_config_free(config);
    return status == WM_OK;
}

/* --- what the process holds ----------------------------------------------- */
typedef struct held {
    uint64_t bytes, files, mappings, threads;
} held;

static uint64_t n_entries(const char *path)
{
    uint64_t n = 0;
    DIR *folder = opendir(path);
    if (folder == NULL) {
        return 0;
    }
    while (readdir(folder) != NULL) {
        n++;
    }
    (void)closedir(folder);
    return n;
}

static uint64_t n_lines(const char *path)
{
    uint64_t n = 0;
    FILE *file = fopen(path, "r");
    for (int c = 0; file != NULL && (c = getc(file)) != EOF;) {
        n += c == '\n';
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return n;
}

static held look(uint64_t n, uint64_t n_good)
{
    const struct mallinfo2 info = mallinfo2();
    const held now = {.bytes = info.uordblks + info.hblkhd,
                      .files = n_entries("/proc/self/fd"),
                      .mappings = n_lines("/proc/self/maps"),
                      .threads = n_entries("/proc/self/task")};
    printf("after %6" PRIu64 " runs, %" PRIu64 " of them good: %" PRIu64
           " bytes, %" PRIu64 " files, %" PRIu64 " mappings, %" PRIu64
           " threads\n",
           n, n_good, now.bytes, now.files - 2, now.mappings, now.threads - 2);
    (void)fflush(stdout);
    return now;
}

int main(int argc, char **argv)
{
    const uint64_t n_runs = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000;
    uint64_t n_good = 0;
    held first = {0, 0, 0, 0};
    static char printed[BUFSIZ]; /* else stdout takes its buffer in between */
    (void)setvbuf(stdout, printed, _IOLBF, sizeof(printed));
    for (uint64_t n = 1; n <= n_runs; n++) {
        n_good += run(n);
        if (n == ROUND) {
            first = look(n, n_good);
        }
    }
    const held last = look(n_runs, n_good);
    return memcmp(&first, &last, sizeof(first)) == 0 && n_good != 0 ? 0 : 1;
}
