/*
 * oracle.c -- the simulator against the naive model, case by case.
 *
 *     oracle [CASES [SEED]]     cases SEED, SEED + 1, ...
 *     oracle show SEED          prints a case's configuration and trace
 *
 * Counts mode must give every counter of every launch that the naive model
 * gives.  Timing mode, on the same case, must give those that do not depend on
 * time; its own conservation laws must hold; and every fourth case is repeated
 * with three threads, every other fourth in windows of at most 31 cycles, which
 * must change nothing.  Ends with a
 * line of how many cases were equal; the exit code is 1 when one was not.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/config.h"
#include "engine/engine.h"
#include "naive.h"
#include "trace/reader.h"

#define FIRST_SEED 20261130u

/* --- the simulator's side ------------------------------------------------- */
static wm_status keep_launch(const wm_kernel_result *result, void *context,
                             wm_error *err)
{
    naive_result *kept = context;
    if (kept->n_launches == CASE_STEPS) {
        return wm_fail(err, WM_EINTERNAL, "more launches than the case has");
    }
    kept->launch[kept->n_launches++] = result->counters;
    return WM_OK;
}

static wm_status replay(const wm_config_set *config, wm_mode mode,
                        uint32_t jobs, uint32_t window_limit, const char *path,
                        naive_result *result, wm_error *err)
{
    wm_engine_options options;
    wm_trace_options how;
    wm_engine *engine = NULL;
    wm_trace *trace = NULL;
    memset(&options, 0, sizeof(options));
    memset(&how, 0, sizeof(how));
    memset(result, 0, sizeof(*result));
    options.mode = mode;
    options.jobs = jobs;
    options.window_limit = window_limit;
    wm_status status =
        wm_engine_new(wm_config_values(config), &options, &engine, err);
    if (status == WM_OK) {
        status = wm_trace_open(path, &how, NULL, &trace, err);
    }
    if (status == WM_OK) {
        status = wm_engine_run(engine, trace, keep_launch, result, err);
    }
    if (status == WM_OK && !wm_engine_is_complete(engine)) {
        status = wm_fail(err, WM_EINTERNAL, "the result is incomplete");
    }
    wm_trace_close(trace);
    wm_engine_free(engine);
    return status;
}

/* --- comparison ----------------------------------------------------------- */
static bool starts_with(const char *text, const char *head)
{
    return strncmp(text, head, strlen(head)) == 0;
}

static bool ends_with(const char *text, const char *tail)
{
    const size_t n = strlen(text);
    return n >= strlen(tail) && strcmp(text + n - strlen(tail), tail) == 0;
}

/* Estimates of time, rows and buses of DRAM: the naive model has none
 * (tests/dram and unit.model hold them to models of their own). */
static bool is_of_time(const char *id)
{
    return starts_with(id, "time.") || ends_with(id, "warp_cycles") ||
           (starts_with(id, "dram.") && strcmp(id, "dram.read.sectors") != 0 &&
            strcmp(id, "dram.read.bytes") != 0 &&
            !starts_with(id, "dram.write."));
}

/* In timing mode what the caches hold depends on when fills arrive, and where
 * a warp's local memory lies on when its CTA started. */
static bool is_of_caches(const char *id)
{
    return starts_with(id, "dram.") || starts_with(id, "l2.") ||
           ends_with(id, ".hit_sectors") || ends_with(id, ".pending_sectors") ||
           ends_with(id, ".miss_sectors") ||
           (starts_with(id, "l1.local_") && ends_with(id, ".tag_wavefronts"));
}

static bool compare(uint64_t seed, wm_mode mode, const naive_result *ours,
                    const naive_result *naive)
{
    bool is_equal = ours->n_launches == naive->n_launches;
    for (uint32_t l = 0; is_equal && l < naive->n_launches; l++) {
        for (uint32_t i = 0; i < WM_COUNTER_COUNT; i++) {
            const char *id = wm_counter_infos[i].id;
            const uint64_t a = ours->launch[l].value[i];
            const uint64_t b = naive->launch[l].value[i];
            if (a != b && !is_of_time(id) &&
                !(mode == WM_MODE_TIMING && is_of_caches(id))) {
                printf("seed %" PRIu64 ", %s mode, launch %u: %s is %" PRIu64
                       ", the naive model says %" PRIu64 "\n",
                       seed, mode == WM_MODE_TIMING ? "timing" : "counts",
                       l + 1, id, a, b);
                is_equal = false;
            }
        }
    }
    return is_equal;
}

/* --- cases ---------------------------------------------------------------- */
static bool write_trace(const oracle_case *c, const char *path)
{
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        return false;
    }
    const bool is_whole = case_write(c, out);
    return fclose(out) == 0 && is_whole;
}

/* Timing mode once more: another number of threads, or other windows. */
static bool repeat_case(uint64_t seed, const wm_config_set *config,
                        const char *path, const naive_result *first,
                        wm_status *status, wm_error *err)
{
    static naive_result again;
    const bool has_threads = seed % 4 == 0;
    *status = replay(config, WM_MODE_TIMING, has_threads ? 3 : 1,
                     has_threads ? 0 : 31, path, &again, err);
    if (*status != WM_OK) {
        return false;
    }
    for (uint32_t l = 0; l < first->n_launches; l++) {
        for (uint32_t i = 0; i < WM_COUNTER_COUNT; i++) {
            const uint64_t a = first->launch[l].value[i];
            const uint64_t b = again.launch[l].value[i];
            if (a != b) {
                printf("seed %" PRIu64 ", launch %u: %s is %" PRIu64
                       ", with %s %" PRIu64 "\n",
                       seed, l + 1, wm_counter_infos[i].id, a,
                       has_threads ? "three threads" : "short windows", b);
                return false;
            }
        }
    }
    return true;
}

static bool run_case(uint64_t seed, const char *path)
{
    static naive_result naive, ours;
    wm_config_set *config = NULL;
    wm_error err;
    oracle_case *c = case_new(seed);
    if (c == NULL || !naive_run(c, &naive) || !write_trace(c, path)) {
        printf("seed %" PRIu64 ": no memory, or no place for a trace\n", seed);
        case_free(c);
        return false;
    }
    wm_status status =
        wm_config_load(ORACLE_MACHINE, c->set, c->n_sets, &config, &err);
    bool is_equal = status == WM_OK;
    for (int mode = WM_MODE_TIMING; mode <= WM_MODE_COUNTS && is_equal;
         mode++) {
        status = replay(config, (wm_mode)mode, c->jobs, 0, path, &ours, &err);
        is_equal =
            status == WM_OK && compare(seed, (wm_mode)mode, &ours, &naive);
        if (is_equal && mode == WM_MODE_TIMING && seed % 2 == 0) {
            is_equal = repeat_case(seed, config, path, &ours, &status, &err);
        }
    }
    if (status != WM_OK) {
        printf("seed %" PRIu64 ": %s\n", seed, err.text);
    }
    wm_config_free(config);
    case_free(c);
    return is_equal;
}

static int show(uint64_t seed)
{
    oracle_case *c = case_new(seed);
    if (c == NULL) {
        return 1;
    }
    for (uint32_t i = 0; i < c->n_sets; i++) {
        printf("# -s '%s'\n", c->set[i]);
    }
    printf("# -j %u\n", c->jobs);
    const bool is_whole = case_write(c, stdout);
    case_free(c);
    return is_whole ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "show") == 0) {
        return show(strtoull(argv[2], NULL, 10));
    }
    const uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
    const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : FIRST_SEED;
    char path[] = "/tmp/oracle-XXXXXX";
    const int file = mkstemp(path);
    if (file < 0 || close(file) != 0) {
        perror(path);
        return 1;
    }
    uint64_t n_equal = 0;
    for (uint64_t i = 0; i < n; i++) {
        n_equal += run_case(first + i, path);
    }
    (void)remove(path);
    printf("%" PRIu64 " of %" PRIu64 " cases equal, seeds %" PRIu64
           " to %" PRIu64 "\n",
           n_equal, n, first, first + n - 1);
    return n_equal == n ? 0 : 1;
}
