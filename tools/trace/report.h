/*
 * report.h -- what the lanes of a kernel report, as callbacks.c writes it down
 * and regroup.c reads it.
 *
 * Ownership  that of wm_run, which holds all of it.
 */
#ifndef WM_TOOLS_REPORT_H
#define WM_TOOLS_REPORT_H

#include <stdint.h>

typedef enum wm_space {
    WM_SPACE_GLOBAL,
    WM_SPACE_SHARED,
    WM_SPACE_LOCAL,
    WM_SPACE_COUNT,
    WM_SPACE_NONE = WM_SPACE_COUNT /* constant data: no record */
} wm_space;

/* Space and width of an access in one byte. */
#define WM_PLACE(space, width) ((uint8_t)((uint32_t)(space) << 6 | (width)))
#define WM_PLACE_SPACE(place)  ((wm_space)((place) >> 6))
#define WM_PLACE_WIDTH(place)  ((uint8_t)((place)&63u))

/*
 * One report of one lane, in as few stores as can be.  slots: those before the
 * first use of a load, and from bit 32 on those behind it.  label: the event in
 * 32 bits; how many of the youngest asynchronous copies it does not wait for
 * in 16; WM_PLACE in 8; WM_LABEL_WAITS if it waits for the others.
 */
typedef struct wm_entry {
    uint64_t address; /* the trace's */
    uint64_t uses;    /* loads used since the entry before, by bit */
    uint64_t slots;
    uint64_t label;
} wm_entry;

#define WM_LABEL_KEPT_SHIFT  32u
#define WM_LABEL_PLACE_SHIFT 48u
#define WM_LABEL_WAITS       (UINT64_C(1) << 56)

static inline uint32_t wm_entry_event(const wm_entry *entry)
{
    return (uint32_t)entry->label;
}

static inline uint8_t wm_entry_place(const wm_entry *entry)
{
    return (uint8_t)(entry->label >> WM_LABEL_PLACE_SHIFT);
}

/* What has been summed up for the next entry. */
typedef struct wm_open {
    uint64_t uses, slots; /* as in an entry */
    uint64_t copies;      /* the label's bits of what is waited for */
    uint64_t is_stalled;  /* 0 or 1 */
} wm_open;

/* The reports of one lane since its warp's turn began. */
typedef struct wm_log {
    wm_entry *entries, *next, *end; /* next: the first that is free */
} wm_log;

/* A segment as it is added up: to one that has not stalled, and to one that
 * has. */
typedef struct wm_step_part {
    uint64_t uses;
    uint64_t slots[2];
} wm_step_part;

/* What every report of an event needs, side by side. */
typedef struct wm_step {
    /* Where its last access was: from host on, n_starts addresses lie in the
     * same space or buffer; the trace's are greater by delta. */
    uint64_t host, n_starts, delta;
    uint64_t label;
    uint64_t n_executed; /* by lanes, in this CTA */
    wm_step_part pre, post;
} wm_step;

#endif
