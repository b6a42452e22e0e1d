/*
 * banked_parts_internal.h -- what a banked channel holds many of: requests,
 * their links, those in front of the queues, finished reads, pseudo-channels.
 */
#ifndef WM_MODEL_DRAM_BANKED_PARTS_INTERNAL_H
#define WM_MODEL_DRAM_BANKED_PARTS_INTERNAL_H

#include <stddef.h>

#include "model/dram/banked.h"

/* SPECIALISED: compiled anew for each constant among its arguments.  RARE: kept
 * out of the callers, which save fewer registers for it. */
#if defined(__GNUC__)
#define SPECIALISED inline __attribute__((always_inline))
#define RARE        __attribute__((noinline))
#else
#define SPECIALISED inline
#define RARE
#endif

#define NO_ENTRY        UINT16_MAX
#define NEVER           (INT64_MAX / 4) /* an interval later is no earlier */
#define LANES           (WM_DRAM_BANKS + 16u) /* room for whole vectors */
#define LANE_NEVER      INT16_MAX
#define LANE_IN         INT16_MIN /* raises no bound */
#define LANE_OUT        INT16_MAX /* raises all to never */
#define WRITE_SLOT_BITS 8u
#define WRITE_SLOTS     (1u << WRITE_SLOT_BITS)

/* A request in a queue, or active: its row was opened for it. */
typedef struct banked_entry {
    wm_banked_request request;
    int64_t arrive;    /* admitted at */
    uint16_t age;      /* order of admission among those queued */
    uint8_t atoms;     /* yet to be moved */
    uint8_t all_atoms; /* as admitted */
    uint8_t has_begun; /* its first command was issued */
    uint8_t cause;     /* wm_dram_loss of the wait for its row */
    uint8_t is_queued; /* not active */
    uint8_t unused;
} banked_entry;

/* Its neighbours in its bank's list. */
typedef struct banked_link {
    uint16_t next, previous;
} banked_link;

/* What a pseudo-channel as a whole waits for, absolute ticks. */
typedef struct banked_pc {
    int64_t prea_at, refa_at;
    int64_t acts[4]; /* ring of the last ACTs */
    uint32_t acts_head;
    uint32_t n_active;
    /* for the loss shares */
    uint32_t n_entries;   /* queued and active */
    int64_t data_end;     /* accounted up to here */
    int64_t empty_since;  /* meaningful while n_entries is 0 */
    int64_t idle;         /* ticks without entries since data_end */
    int64_t refresh_from; /* of the last refresh: when it was asked for */
    int64_t refresh_to;   /* and until when it blocks */
    bool is_last_write;
    char unused[16]; /* to 128 bytes: indexed by a shift */
} banked_pc;

#endif
