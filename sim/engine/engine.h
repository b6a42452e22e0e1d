/*
 * engine.h -- replays a trace on a configured GPU memory system.
 *
 *     wm_engine_new(config, options)
 *     wm_engine_run(engine, trace, sink)    for each trace, in order
 *     wm_engine_total(engine)
 *     wm_engine_free(engine)
 *
 * The scheme (docs/ARCHITECTURE.md, "Windows"): conservative parallel
 * simulation in windows no longer than the shortest way from an SM to the L2
 * and back, and no longer than kernel.cta_latency.  SM phase, partition
 * phase, boundary; the result is the same bytes for any number of threads.
 *
 * timing mode  every latency, port and queue; time.cycles is simulated.
 * counts mode  the same caches with instruction steps for time: transactions
 *              and hit rates only, several times faster; pending sectors
 *              count as hits; time is estimated from the busiest resource.
 *
 * Not modelled  docs/DEVIATIONS.md.
 * Units         SM cycles and picoseconds, integers.
 * Ownership     the engine owns all it allocates; nothing is allocated inside
 *               the loop but growth at window boundaries.
 * Errors        those of the trace; WM_ENOMEM; WM_EINTERNAL when a
 *               conservation law fails at the end of a kernel.
 * Threads       wm_engine_run uses options.jobs threads inside.
 */
#ifndef WM_ENGINE_ENGINE_H
#define WM_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/status.h"
#include "config/config.h"
#include "model/coalescer/pattern.h"
#include "model/counters.h"
#include "trace/reader.h"

typedef enum wm_mode { WM_MODE_TIMING, WM_MODE_COUNTS } wm_mode;

/* Called between windows, about every 100 ms of host time at most. Returning
 * false stops the run: it ends incomplete, with what was simulated. */
typedef struct wm_progress {
    uint64_t n_kernels;    /* finished */
    uint64_t n_records;    /* simulated, all kernels */
    uint64_t time_ns;      /* simulated, all kernels */
    uint64_t n_bytes_done; /* of the trace files */
    uint64_t n_bytes_total;
} wm_progress;
typedef bool (*wm_progress_fn)(const wm_progress *progress, void *context);

/* The counters of a launch at a moment of it; timing mode, and every mode at
 * the launch's end.  Valid during the call. */
typedef struct wm_sample {
    uint64_t launch;      /* 1-based, as in wm_kernel_result */
    uint64_t time_ns;     /* simulated, all kernels */
    wm_counters counters; /* since the launch began */
} wm_sample;
/* Returns the simulated time to pass before the next call, in ns. */
typedef uint64_t (*wm_sample_fn)(const wm_sample *sample, void *context);

/* A CTA's stay on its SM. */
typedef struct wm_cta_span {
    uint64_t launch;
    uint32_t sm;
    uint32_t place;            /* one at a time is in a place */
    uint64_t begin_ns, end_ns; /* simulated, all kernels */
} wm_cta_span;
typedef void (*wm_cta_span_fn)(const wm_cta_span *span, void *context);

/* Decides whether a launch is simulated; NULL simulates all.  index counts
 * the launches of the whole run from 0. */
typedef bool (*wm_select_fn)(const wm_launch *launch, uint64_t index,
                             void *context);

/* What happens at a cache, for those who study the stream of accesses. */
typedef enum wm_observed {
    WM_OBSERVED_READ,   /* looked up; what misses is fetched */
    WM_OBSERVED_WRITE,  /* L2: looked up; `full` sectors are valid after it.
                           L1: a line found moves to the front; one not found
                           comes in when `full` is not 0 */
    WM_OBSERVED_BYPASS, /* L1: not looked up */
    WM_OBSERVED_FILL,   /* L2: a memory copy made the sectors valid */
    WM_OBSERVED_CLEAR   /* the unit is empty now */
} wm_observed;

typedef struct wm_observation {
    uint8_t level; /* 1 or 2 */
    uint8_t what;  /* wm_observed */
    uint8_t sectors, full;
    uint32_t unit; /* SM, or slice of the whole chip */
    uint64_t line; /* number of the line inside its unit */
} wm_observation;
typedef void (*wm_observe_fn)(const wm_observation *observation, void *context);

typedef struct wm_engine_options {
    wm_mode mode;
    uint32_t jobs; /* 0 = one per online processor */
    bool per_instruction;
    const char *ideal_kernel; /* launches of this name ... */
    uint64_t ideal_pc;        /* ... run this instruction as if coalesced and
                                 free of bank conflicts (ideal.c); NULL: none */
    uint32_t window_limit;    /* longest window in cycles; 0 = as long as is
                                 exact.  Results do not depend on it: a test
                                 holds that. */
    wm_progress_fn progress;
    void *progress_context;
    uint64_t interval_ns; /* simulated time between samples; 0 = none */
    wm_sample_fn sample;
    wm_cta_span_fn cta_span; /* NULL: not asked for; timing mode only */
    void *sample_context;
    void (*copy)(const wm_copy *copy, void *context); /* NULL: not told */
    void *copy_context;
    wm_select_fn select;
    void *select_context;
    wm_diag *diag;
    wm_observe_fn observe; /* counts mode only, and then one thread; each
                              unit's observations come in its own order */
    void *observe_context;
} wm_engine_options;

/* Requests by the sectors they touch: 0, 1, 2, 3-4, 5-8, 9-16, 17-32, more. */
#define WM_SECTOR_BINS 8u

/* One static instruction's share of a launch. */
typedef struct wm_instruction_row {
    uint64_t pc;
    uint32_t line;
    uint8_t kind; /* wm_kind */
    uint8_t width;
    char opcode[48];
    uint64_t n_requests, n_sectors, n_lines, n_lanes, requested_bytes;
    uint64_t hit_sectors, pending_sectors, miss_sectors;
    uint64_t wavefronts, ideal_wavefronts;
    uint64_t ideal_sectors, unique_bytes;
    uint64_t n_class[WM_CLASSES];
    uint64_t n_by_sectors[WM_SECTOR_BINS];
    int64_t stride_least, stride_most;    /* of the n_class[STRIDED] */
    uint64_t address_least, address_most; /* bytes; 0, 0 when none */
    uint64_t lsu_cycles;
    uint64_t stall_cycles; /* of warps that waited for it, timing mode */
} wm_instruction_row;

/* Busy time of each resource in a launch, as parts of one million of
 * time.cycles, for bound.*: that of the busiest SM, slice or channel. */
typedef enum wm_bound {
    WM_BOUND_LSU,
    WM_BOUND_L1,
    WM_BOUND_SHARED,
    WM_BOUND_FABRIC,
    WM_BOUND_L2,
    WM_BOUND_DRAM,
    WM_BOUND_LATENCY,
    WM_BOUND_LAUNCH,
    WM_BOUND_COUNT
} wm_bound;

/* What one launch gave.  Strings and rows are owned by the engine and valid
 * only during the sink call. */
typedef struct wm_kernel_result {
    uint64_t launch; /* 1-based, over the run, skipped launches included */
    const char *name;
    uint32_t grid[3];
    uint32_t block[3];
    bool is_complete;
    wm_counters counters;
    uint32_t busy_ppm[WM_BOUND_COUNT];
    wm_bound bound;                         /* the one that limits the kernel */
    const wm_instruction_row *instructions; /* NULL unless asked for */
    uint32_t n_instructions;
} wm_kernel_result;

typedef wm_status (*wm_sink_fn)(const wm_kernel_result *result, void *context,
                                wm_error *err);

typedef struct wm_engine wm_engine;

/* Checks what only the model can check (policy names, geometry against the
 * window scheme) and builds the system.  config is copied. */
wm_status wm_engine_new(const wm_config *config,
                        const wm_engine_options *options, wm_engine **out,
                        wm_error *err);
void wm_engine_free(wm_engine *engine); /* NULL is fine */

/* Replays the trace to its end.  sink is called once per simulated launch, in
 * order.  Each trace starts on a chip that has run nothing, as in a process of
 * its own; launches of one trace follow each other. */
wm_status wm_engine_run(wm_engine *engine, wm_trace *trace, wm_sink_fn sink,
                        void *sink_context, wm_error *err);

/* Sum over launches so far; dirty_bytes_left is the present one. */
const wm_counters *wm_engine_total(const wm_engine *engine);
/* Time-weighted busy parts and the bound of the whole run. */
void wm_engine_total_bound(const wm_engine *engine,
                           uint32_t busy_ppm[WM_BOUND_COUNT], wm_bound *bound);
/* False when anything was skipped, cut short or stopped. */
bool wm_engine_is_complete(const wm_engine *engine);

#endif
