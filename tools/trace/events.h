/*
 * events.h -- the places of a kernel that the traced program reports to the
 * run time: memory accesses, barriers, warp-wide operations, and what lies
 * between them.
 *
 * An event's number is its place in an order of the kernel's code in which
 * every block stands before the blocks it can reach, loops stand together and
 * their exits behind them (flow.h).  Lanes of a warp are kept together by
 * always advancing those with the lowest number, so a higher number waits
 * where paths meet again.
 *
 * Straight-line code between events is summed up in segments: `pre` runs up
 * to the event, `post` from the block's last event to its end.
 *
 * Units      slots: issue slots, estimated from IR instructions (ir_cost.c).
 * Ownership  wm_events_fini frees all, file names included.
 */
#ifndef WM_TOOLS_EVENTS_H
#define WM_TOOLS_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WM_LOAD_BIT_NONE 0xffu
#define WM_LOAD_BIT_LAST 63u /* shared by all loads after the 63rd */

typedef enum wm_event_op {
    WM_EVENT_LOAD,
    WM_EVENT_STORE,
    WM_EVENT_ATOMIC,    /* its result is used */
    WM_EVENT_REDUCTION, /* it is not */
    WM_EVENT_ASYNC,     /* copy from global to shared memory */
    WM_EVENT_BARRIER,
    WM_EVENT_WARP, /* shuffle, vote: lanes of a warp meet, no record */
    WM_EVENT_MARK, /* a loop's next round: lanes meet, no record */
    WM_EVENT_BLOCK /* a block without events of its own: only a segment */
} wm_event_op;

typedef struct wm_segment {
    uint64_t uses;   /* loads (by bit) whose values are first used here */
    uint32_t slots;  /* in all */
    uint32_t before; /* of them before the first such use */
    uint32_t flops_fp16, flops_fp32, flops_fp64; /* per lane; FMA counts 2 */
} wm_segment;

typedef struct wm_event {
    uint8_t op;
    uint8_t width;    /* bytes per lane; 0 for block copies, which say */
    uint8_t load_bit; /* of the value it makes */
    uint32_t line;    /* 0 = unknown */
    uint32_t file;    /* into wm_events.files */
    wm_segment pre, post;
} wm_event;

typedef struct wm_events {
    wm_event *items;
    size_t n, capacity;
    char **files;
    size_t n_files, cap_files;
    bool has_meetings;    /* some event makes lanes wait for each other */
    uint32_t stack_bytes; /* of per-thread arrays left in memory */
} wm_events;

#endif
