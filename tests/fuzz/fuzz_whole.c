/*
 * fuzz_whole.c -- a legal configuration and a valid trace from the fuzzer's
 * bytes through the whole simulator.  No run may fail, and no run may differ
 * from the same in another way: other threads, shorter windows, with rows per
 * instruction, with samples, from text or from memory instead of a native file,
 * again on an engine that has run before.  What does not hang on time is equal
 * in timing and counts mode.  The conservation laws are the engine's own.
 *
 * An input is CONFIG_BYTES for the configuration, a byte of ways, one that says
 * which runs are made, and the rest for the trace, so that a change of one
 * moves nothing of the other.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "trace/tape.h"
#include "whole.h"

#define CONFIG_BYTES 256u
#define KERNELS_MAX  4u

#define WAY_JOBS        3u   /* threads - 1 */
#define WAY_WINDOW      4u   /* windows of at most 31 cycles */
#define WAY_INSTRUCTION 8u   /* rows per instruction */
#define WAY_SAMPLES     16u  /* every few cycles */
#define WAY_TEXT        32u  /* the trace as text */
#define WAY_TAPE        64u  /* the trace from memory */
#define WAY_AGAIN       128u /* on an engine that has run it before */
#define WAY_OBSERVED    256u /* with a listener at the caches and the CTAs */

typedef struct outcome {
    uint32_t n_kernels;
    wm_kernel_result kernel[KERNELS_MAX];
    wm_counters total;
    uint64_t n_warnings;
    wm_counters sampled; /* the last one */
} outcome;

static wm_status keep(const wm_kernel_result *result, void *context,
                      wm_error *err)
{
    outcome *kept = context;
    (void)err;
    if (kept->n_kernels == KERNELS_MAX) {
        fuzz_fail("more kernels than the trace has");
    }
    kept->kernel[kept->n_kernels++] = *result;
    return WM_OK;
}

static uint64_t sample(const wm_sample *taken, void *context)
{
    outcome *kept = context;
    kept->sampled = taken->counters;
    return 1000;
}

static void listen(const wm_observation *observation, void *context)
{
    uint64_t *n = context;
    *n += observation->sectors;
}

static void listen_cta(const wm_cta_span *span, void *context)
{
    (void)context;
    if (span->end_ns < span->begin_ns) {
        fuzz_fail("a CTA ends before it begins");
    }
}

/* False where memory is too slow to be simulated. */
static bool run_once(wm_engine *engine, const char *path, bool is_tape,
                     outcome *kept)
{
    wm_trace *trace = NULL;
    wm_tape *tape = NULL;
    wm_tape_facts facts;
    wm_error err;
    const wm_trace_options reading = {.keep_going = false};
    wm_status status =
        is_tape ? wm_tape_record(path, SIZE_MAX, NULL, &facts, &tape, &err)
                : WM_OK;
    if (status == WM_OK) {
        status = is_tape ? wm_tape_open(tape, &trace, &err)
                         : wm_trace_open(path, &reading, NULL, &trace, &err);
    }
    if (status == WM_OK) {
        kept->n_kernels = 0;
        status = wm_engine_run(engine, trace, keep, kept, &err);
    }
    const bool is_taken = status != WM_ECONFIG;
    if (status != WM_OK && is_taken) {
        fuzz_fail("a valid trace fails, kernels before it %" PRIu32 ": %s",
                  kept->n_kernels, err.text);
    }
    if (is_taken != wm_engine_is_complete(engine)) {
        fuzz_fail("a whole trace is not simulated whole");
    }
    wm_trace_close(trace);
    wm_tape_free(tape);
    return is_taken;
}

static void same_counters(const wm_counters *a, const wm_counters *b,
                          const char *what)
{
    for (uint32_t i = 0; i < WM_COUNTER_COUNT; i++) {
        if (a->value[i] != b->value[i]) {
            fuzz_fail("%s: %s %" PRIu64 " and %" PRIu64, what,
                      wm_counter_infos[i].id, a->value[i], b->value[i]);
        }
    }
}

/* False where the memory standard does not take the clock, or memory is too
 * slow. */
static bool run(const wm_config *config, const char *path, wm_mode mode,
                uint32_t ways, outcome *kept)
{
    wm_engine *engine = NULL;
    uint64_t n_observed = 0;
    wm_diag diag;
    wm_error err;
    wm_engine_options options;
    memset(&options, 0, sizeof(options));
    memset(kept, 0, sizeof(*kept));
    wm_diag_init(&diag);
    options.mode = mode;
    options.diag = &diag;
    options.jobs = 1 + (ways & WAY_JOBS);
    options.window_limit = (ways & WAY_WINDOW) != 0 ? 31 : 0;
    options.per_instruction = (ways & WAY_INSTRUCTION) != 0;
    if ((ways & WAY_SAMPLES) != 0) {
        options.interval_ns = 1000;
        options.sample = sample;
        options.sample_context = kept;
    }
    if ((ways & WAY_OBSERVED) != 0) {
        options.observe = mode == WM_MODE_COUNTS ? listen : NULL;
        options.observe_context = &n_observed;
        options.cta_span = mode == WM_MODE_TIMING ? listen_cta : NULL;
    }
    if (wm_engine_new(config, &options, &engine, &err) != WM_OK) {
        if (config->dram.model == WM_DRAM_BANKED && err.status == WM_ECONFIG) {
            return false;
        }
        fuzz_fail("a legal configuration is refused: %s", err.text);
    }
    if (!run_once(engine, path, (ways & WAY_TAPE) != 0, kept)) {
        wm_engine_free(engine);
        return false;
    }
    kept->total = *wm_engine_total(engine);
    if ((ways & WAY_SAMPLES) != 0) {
        same_counters(&kept->sampled,
                      &kept->kernel[kept->n_kernels - 1].counters,
                      "last sample and kernel");
    }
    kept->n_warnings = wm_diag_total(&diag);
    if ((ways & WAY_AGAIN) != 0) {
        (void)run_once(engine, path, false, kept);
    }
    wm_engine_free(engine);
    return true;
}

/* --- comparisons ------------------------------------------------------------
 */
static void same_outcome(const outcome *a, const outcome *b, uint32_t ways)
{
    char what[64];
    (void)snprintf(what, sizeof(what), "ways 0x%" PRIx32, ways);
    if (a->n_kernels != b->n_kernels || a->n_warnings != b->n_warnings) {
        fuzz_fail("%s: kernels or warnings differ", what);
    }
    for (uint32_t k = 0; k < a->n_kernels; k++) {
        same_counters(&a->kernel[k].counters, &b->kernel[k].counters, what);
        if (memcmp(a->kernel[k].busy_ppm, b->kernel[k].busy_ppm,
                   sizeof(a->kernel[k].busy_ppm)) != 0 ||
            a->kernel[k].bound != b->kernel[k].bound) {
            fuzz_fail("%s: bounds differ", what);
        }
    }
    same_counters(&a->total, &b->total, what);
}

/* The total is the sum of the kernels. */
static void check_total(const outcome *o)
{
    wm_counters sum;
    memset(&sum, 0, sizeof(sum));
    for (uint32_t k = 0; k < o->n_kernels; k++) {
        for (uint32_t i = 0; i < WM_COUNTER_COUNT; i++) {
            sum.value[i] = i == WM_C_L2_DIRTY_BYTES_LEFT
                               ? o->kernel[k].counters.value[i]
                               : sum.value[i] + o->kernel[k].counters.value[i];
        }
    }
    same_counters(&sum, &o->total, "total and sum of kernels");
}

/* Counters that do not hang on time, nor on what the L1 holds. */
static bool is_timeless(uint32_t i)
{
    const uint32_t of_l1 = i - WM_C_L1_GLOBAL_LOAD_REQUESTS; /* may wrap */
    if (of_l1 < WM_L1_KINDS * WM_L1_FIELDS) {
        const uint32_t field = of_l1 % WM_L1_FIELDS;
        const uint32_t kind = of_l1 / WM_L1_FIELDS;
        /* Where local memory lies hangs on when a CTA got its place. */
        if ((kind == WM_KIND_LOCAL_LOAD || kind == WM_KIND_LOCAL_STORE) &&
            field == WM_L1_TAG_WAVEFRONTS) {
            return false;
        }
        return field < WM_L1_HIT_SECTORS || field >= WM_L1_WAVEFRONTS;
    }
    return i < WM_C_L2_READ_REQUESTS || i == WM_C_L2_WRITE_REQUESTS ||
           i == WM_C_L2_WRITE_SECTORS || i == WM_C_L2_ATOMIC_REQUESTS ||
           i == WM_C_L2_ATOMIC_SECTORS || i == WM_C_LAUNCH_CTAS ||
           i == WM_C_LAUNCH_WARPS || i == WM_C_LAUNCH_RECORDS ||
           (i >= WM_C_FLOPS_FP16 && i <= WM_C_FLOPS_TENSOR);
}

static void same_in_both_modes(const outcome *timing, const outcome *counts)
{
    for (uint32_t k = 0; k < timing->n_kernels; k++) {
        const uint64_t *a = timing->kernel[k].counters.value;
        const uint64_t *b = counts->kernel[k].counters.value;
        for (uint32_t i = 0; i < WM_COUNTER_COUNT; i++) {
            if (is_timeless(i) && a[i] != b[i]) {
                fuzz_fail("kernel %" PRIu32 ": %s %" PRIu64
                          " in timing mode, %" PRIu64 " in counts mode",
                          k, wm_counter_infos[i].id, a[i], b[i]);
            }
        }
    }
}

/* Which of the runs are made: all of them for every input would be half of the
 * inputs. */
static void compare(const wm_config *config, const char *path,
                    const char *other_path, uint32_t ways, uint32_t which)
{
    static outcome timing, counts, other;
    const bool has_both = which % 4 >= 2;
    if (which % 4 != 1) {
        if (!run(config, path, WM_MODE_TIMING, 0, &timing)) {
            return;
        }
        check_total(&timing);
    }
    if (which % 4 != 0) {
        if (!run(config, path, WM_MODE_COUNTS, 0, &counts)) {
            return;
        }
        check_total(&counts);
    }
    if (which % 4 == 0 || which % 4 == 3) {
        if (!run(config, other_path, WM_MODE_TIMING, ways, &other)) {
            return;
        }
        same_outcome(&timing, &other, ways);
    }
    if (which % 4 == 1) {
        (void)run(config, other_path, WM_MODE_COUNTS, ways & ~WAY_WINDOW,
                  &other);
        same_outcome(&counts, &other, ways);
    }
    if (has_both) {
        same_in_both_modes(&timing, &counts);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
    char path[FUZZ_PATH_BYTES], text[FUZZ_PATH_BYTES];
    bool is_wide = false;
    if (n_bytes <= CONFIG_BYTES + 2) {
        return 0;
    }
    whole_bytes from = {bytes, bytes + CONFIG_BYTES};
    const uint32_t which = bytes[CONFIG_BYTES + 1];
    const bool has_threads =
        which / 16 % 4 == 0 && getenv("FUZZ_ONE_THREAD") == NULL;
    const uint32_t ways =
        (bytes[CONFIG_BYTES] & (has_threads ? ~0u : ~WAY_JOBS)) |
        (which / 4 % 4 == 3 ? WAY_OBSERVED : 0);
    const whole_bytes rest = {bytes + CONFIG_BYTES + 2, bytes + n_bytes};
    wm_config_set *set = whole_config(&from, &is_wide);
    const wm_config *config = wm_config_values(set);
    /* Threads wait for one another at every window. */
    const whole_bounds bounds = is_wide       ? (whole_bounds){3, 2}
                                : has_threads ? (whole_bounds){2, 12}
                                              : (whole_bounds){8, 12};
    fuzz_put("whole.wmt", "", 0, path);
    fuzz_put("whole.txt", "", 0, text);
    from = rest;
    whole_trace(&from, config, bounds, "wmt", path);
    if ((ways & WAY_TEXT) != 0) {
        from = rest;
        whole_trace(&from, config, bounds, "text", text);
    }
    compare(config, path, (ways & WAY_TEXT) != 0 ? text : path, ways, which);
    wm_config_free(set);
    if (getenv("FUZZ_SHOW") == NULL) { /* else to be looked at */
        fuzz_clear();
    }
    return 0;
}
