/*
 * run.h -- runs a compiled kernel over its grid, one CTA at a time, and turns
 * what its lanes report into the records of its warps.
 *
 * Within a CTA the lanes of warp 0 run one after the other until each waits at
 * a barrier or has ended, then those of warp 1, and so on; then the barrier
 * opens.  Lanes that meet in a warp-wide operation go on together.  So racy
 * kernels are repeatable: lower lanes come first.
 *
 * A lane's reports are kept until its warp's turn is over, then regroup.c
 * makes warp records of them.
 *
 * Not modelled  the interleaving of warps (the simulator makes its own);
 *               constant memory and functions outside the source (they count
 *               as instructions, not as accesses).
 * Units         bytes; slots: issue slots of a warp.
 * Ownership     init/fini; the events, the arena and the spec are borrowed.
 * Errors        WM_EFORMAT "FILE:LINE: ..." for an access out of bounds or
 *               lanes that part at a barrier; WM_ENOMEM.
 * Threads       one run at a time in a process: the kernel's calls carry no
 *               context (callbacks.c).
 * Repeatable    the same module and launch give the same records.
 * Cost          memory: 32 bytes per access of one warp between two barriers
 *               or operations of the whole warp.
 */
#ifndef WM_TOOLS_RUN_H
#define WM_TOOLS_RUN_H

#include "arena.h"
#include "base/status.h"
#include "events.h"
#include "fibre.h"
#include "ir.h"
#include "report.h"
#include "spec.h"
#include "trace/record.h"
#include "trace/wmt.h"

#define WM_LANE_ENTRIES_MAX ((size_t)1 << 20)
#define WM_RECENT_LOADS     32u
#define WM_RECENT_COPY      0x80u /* an asynchronous copy among them */
#define WM_COPY_GROUPS      16u

typedef enum wm_lane_state {
    WM_LANE_READY,
    WM_LANE_AT_BARRIER,
    WM_LANE_AT_EXCHANGE,
    WM_LANE_ENDED
} wm_lane_state;

struct wm_run;

/* What a report or a turn needs comes first, in one line of the host's cache.
 */
typedef struct wm_lane {
    wm_log *log; /* of its place in a warp: a warp has its turn alone */
    wm_open open;
    wm_fibre *fibre;
    uint32_t number; /* in the CTA */
    uint32_t event;  /* where it waits or waited last; UINT32_MAX: nowhere */
    uint8_t state;
    uint32_t thread[3];
    uint32_t n_copies;                  /* asynchronous ones so far */
    uint32_t committed[WM_COPY_GROUPS]; /* a ring: copies at each commit */
    uint32_t n_commits;
    /* A warp-wide operation: what it gives, what it gets. */
    uint32_t exchange_op, exchange_mask, exchange_argument;
    uint64_t exchange_value;
} __attribute__((aligned(64))) wm_lane;

typedef struct wm_warp {
    wm_record *records;
    size_t n_records, capacity;
    /* Load bits, or WM_RECENT_COPY: a ring. */
    uint8_t recent[WM_RECENT_LOADS];
    uint32_t n_loads;
} wm_warp;

typedef struct wm_module {
    void (*entry)(uint64_t arguments);
    uint64_t image[WM_IMAGE_COUNT];
} wm_module;

typedef struct wm_run {
    const wm_spec *spec;
    const wm_ir_kernel *kernel;
    const wm_events *events;
    const wm_arena *arena;
    wm_module module;
    wm_error *err;
    wm_status status; /* of the first report that failed */
    /* A CTA being run. */
    uint32_t block[3];
    wm_lane *lanes;
    uint32_t n_lanes;
    wm_fibre_home home;
    wm_fibre *fibres;
    uint32_t n_fibres;
    wm_warp *warps;
    uint32_t n_warps;
    wm_lane *lane;      /* running now */
    uint32_t n_waiting; /* lanes at a barrier */
    uint32_t barrier;   /* the last of them came to */
    bool is_parted;     /* not all of them are at the same */
    wm_lane *turn_end;  /* behind the warp's last lane */
    wm_log logs[WM_LANES_MAX];
    wm_step *steps; /* per event */
    wm_cta cta;
    /* The launch. */
    wm_launch launch;
    wm_static *statics;
    char (*opcodes)[16];
    uint32_t *static_of; /* event x space; UINT32_MAX = none yet */
    uint32_t exit_static;
    uint32_t launch_number;
    uint8_t arguments[WM_IR_PARAMS_MAX * WM_IR_ARG_BYTES];
    uint8_t crash_stack[65536]; /* where a crash of the kernel is noticed */
    uint64_t n_records;         /* of all launches */
    uint64_t n_accesses;
} wm_run;

wm_status wm_run_init(wm_run *run, const wm_spec *spec,
                      const wm_ir_kernel *kernel, const wm_events *events,
                      const wm_arena *arena, const wm_module *module,
                      wm_error *err);
void wm_run_fini(wm_run *run);
/* Every launch of the spec into the writer. */
wm_status wm_run_all(wm_run *run, wm_wmt_writer *writer, wm_error *err);

/* --- between the parts --------------------------------------------------- */

/* arguments.c: the kernel's arguments for launch number run->launch_number. */
wm_status wm_run_set_arguments(wm_run *run, wm_error *err);
/* regroup.c: what the lanes of warp w reported becomes its records. */
bool wm_regroup_warp(wm_run *run, uint32_t w);
/* The same for the rest, and the exit record. */
bool wm_regroup_finish(wm_run *run, uint32_t w);
/* From inside a lane: the next of its warp that is ready has its turn. */
void wm_run_pass(wm_run *run);
/* callbacks.c: reports go to this run; NULL to none. */
void wm_callbacks_set(wm_run *run);
/* The first failure of a report; the lane does not go on. */
void wm_run_fail(wm_run *run, wm_status status, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* "FILE:LINE" of an event. */
const char *wm_run_file(const wm_run *run, uint32_t event);
/* exchange.c: lets the lanes of warp w that meet go on; false when none can.
 */
bool wm_exchange_resolve(wm_run *run, uint32_t w);

#endif
