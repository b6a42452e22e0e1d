/*
 * sm_internal.h -- the state of one SM: warps, CTA places, LSU, L1, ports.
 */
#ifndef WM_ENGINE_SM_INTERNAL_H
#define WM_ENGINE_SM_INTERNAL_H

#include "engine/engine.h"
#include "engine/message_internal.h"
#include "engine/port_internal.h"
#include "engine/scratch_internal.h"
#include "engine/shape_internal.h"
#include "model/cache/cache.h"
#include "model/coalescer/coalescer.h"
#include "trace/record.h"

/* What a load waits for. */
typedef struct wm_load_slot {
    uint32_t ready;     /* latest return so far, low 32 bits of the cycle */
    uint16_t pending;   /* returns to come, one guard included */
    uint16_t static_id; /* per instruction: of the load; else 0 */
} wm_load_slot;

/* What a warp's next event is about, as far as issue slots go. */
typedef enum wm_issue {
    WM_ISSUE_SHORT,   /* the record is ready: a short gap's turn */
    WM_ISSUE_GRANTED, /* it has its slots */
    WM_ISSUE_CLAIMED, /* it has claimed them all */
    WM_ISSUE_HEAD,    /* a long gap begins */
    WM_ISSUE_TAIL     /* its head is claimed: its tail begins */
} wm_issue;

/* The first host cache line holds what every event touches. */
typedef struct wm_warp {
    const wm_record *next;
    const uint32_t *lanes;
    uint64_t stall_base;  /* WAITING: earliest time by program order */
    uint64_t known;       /* WAITING: latest known return */
    uint64_t last_ready;  /* latest known return of any load or ack */
    uint32_t outstanding; /* load slots with returns to come */
    uint32_t waiting;     /* of those, the ones that hold the warp */
    uint32_t n_loads;     /* load-like records so far, modulo 2^32 */
    uint32_t n_acks;      /* stores not acknowledged */
    uint16_t tail_cycles; /* WAITING: of the next record */
    uint8_t cta;          /* index into wm_sm.ctas */
    uint8_t issue;        /* wm_issue */
    uint8_t has_ticket;   /* a place in the LSU queue is kept */
    uint8_t is_exiting;
    uint8_t is_far; /* counts mode: a load since the last wait missed */
    uint8_t has_load;
    wm_load_slot slot[WM_SLOTS];
} wm_warp;

typedef struct wm_resident {
    wm_cta *cta;    /* NULL = free place */
    uint64_t warps; /* mask of warp places */
    uint64_t alive; /* of those, the ones that have not met EXIT */
    uint64_t at_barrier;
    uint64_t start, end;
    uint32_t n_running; /* warps whose memory accesses are not all done */
} wm_resident;

/* Lines of a load between touching a set's host cache lines and needing
 * them. */
#define WM_LINES_AHEAD 8u

/* Who asked first is what the reply says (wm_reply.place). */
typedef struct wm_mshr {
    uint32_t line;          /* wm_cache_index; WM_NO_INDEX: not in the cache */
    uint32_t state;         /* of the line: bytes from the cache's blocks */
    uint32_t waiters;       /* first further waiter, WM_NO_INDEX = none */
    unsigned next : 17;     /* chain of the same line, or free list */
    unsigned sectors : 8;   /* asked for */
    unsigned is_shared : 1; /* others of the line were pending at some time */
} wm_mshr;

/* The end of a chain: there are at most 65,536. */
#define WM_NO_MSHR 0x1ffffu

/* A return whose time is known: frees an MSHR, and its sectors are valid. */
typedef struct wm_release {
    uint64_t cycle;
    uint32_t state;   /* as in the MSHR */
    uint32_t pending; /* sectors' bits in that byte; 0: not in the cache */
} wm_release;

typedef struct wm_waiter {
    uint32_t next;
    uint8_t warp;
    uint8_t slot;
    uint16_t unused;
} wm_waiter;

/* A record accepted by the LSU; whole words: it may be read back at once. */
typedef struct wm_lsu_entry {
    const wm_record *record;
    const uint32_t *lanes;
    uint64_t issue; /* cycle */
    uint32_t warp;
    uint32_t slot; /* load slot; WM_SLOTS for stores */
} wm_lsu_entry;

typedef struct wm_sm_stats {
    uint64_t l1[WM_L1_KINDS][WM_L1_FIELDS];
    uint64_t n_plain[WM_L1_KINDS]; /* whole lines: not yet in l1, lsu_busy and
                                      l1_busy (wm_front_settle) */
    uint64_t shared[3][WM_SH_FIELDS];
    uint64_t n_plain_shared[2]; /* loads, stores: not yet in shared,
                                   shared_busy and lsu_busy */
    uint64_t n_instructions[WM_KIND_COUNT];
    uint64_t n_other;
    uint64_t flops[4];        /* fp16, fp32, fp64, tensor */
    uint64_t resident_cycles; /* of warps whose CTA has ended */
    uint64_t n_records;
    uint64_t n_warps, n_ctas;
    uint64_t lsu_busy;    /* cycles */
    uint64_t l1_busy;     /* cycles: max(data, tag) of global and local */
    uint64_t shared_busy; /* cycles */
    uint64_t reply_sectors;
    uint64_t warp_cycles; /* counts mode: gaps and L1 waits of all warps */
    uint64_t n_far_waits; /* counts mode: waits for the L2 or beyond */
} wm_sm_stats;

typedef struct wm_sm {
    uint32_t id;
    uint64_t start, end; /* cycles of the present window: [start, end) */
    wm_scratch *work;    /* of the thread at work: events of the window */
    uint64_t far;        /* warps with an event after the window */
    uint64_t next_event; /* earliest cycle with anything to do */
    uint32_t turn;       /* round-robin start */
    wm_ports ports;
    /* LSU */
    wm_lsu_entry *queue; /* ring of lsu_queue + 1 */
    uint32_t queue_head, n_queue;
    uint64_t *starts; /* ring: start cycle of the last lsu_queue records */
    uint32_t starts_head;
    uint32_t n_tickets; /* warps that come back when their place is free */
    uint8_t parked[WM_WARPS_MAX]; /* ring: warps whose place's time is not
                                     known yet, first come first */
    uint32_t parked_head, n_parked;
    uint64_t lsu_free;
    bool is_head_open;   /* head record coalesced, next_entry valid */
    uint32_t next_entry; /* of the head record */
    uint64_t head_start; /* cycle of its first entry */
    uint32_t head_cost;
    uint8_t head_serial;
    uint64_t head_ready;             /* latest L1 hit of the head record */
    wm_ref head_set[WM_LINES_AHEAD]; /* a load's: of the lines to come */
    /* L1 */
    wm_cache l1;
    wm_mshr *mshrs;
    uint32_t mshr_free_list;
    uint32_t n_in_flight; /* MSHRs whose reply is not known yet */
    wm_release *releases; /* ring, times rising */
    uint32_t release_head, n_releases, release_mask;
    wm_waiter *waiters;       /* the arena's, or those below */
    wm_waiter *grown_waiters; /* malloced when more were needed, or NULL */
    uint32_t waiter_free_list;
    uint32_t n_waiters, n_waiters_free;
    /* ports: 1/256 cycles */
    uint64_t request_free_q8;
    uint64_t reply_free_q8;
    /* mailbox out */
    wm_spread_memo slice_memo[2]; /* of reads, of writes */
    wm_request *fifo; /* timing: those of later windows, send times rising */
    uint64_t (*payload)[2];
    uint32_t n_fifo;
    wm_demand *demands; /* counts mode: [WM_COUNTS_BOX] in place of fifo */
    uint32_t n_demands;
    uint32_t n_payload; /* running number */
    uint32_t n_sent;    /* requests posted in this window, and in fifo */
    uint64_t replied;   /* warps with loads that come back in this window */
    /* residents */
    wm_warp *warps;              /* WM_WARPS_MAX, 64-byte aligned */
    uint64_t when[WM_WARPS_MAX]; /* each warp's next event */
    wm_resident ctas[WM_WARPS_MAX];
    uint64_t free_warps; /* mask */
    uint64_t used_threads, used_registers, used_shared;
    uint32_t *finished; /* CTA places that ended in this window */
    uint32_t n_finished;
    uint64_t live;         /* counts mode: warps that can run */
    uint32_t n_turn_lines; /* counts mode: looked up in this turn */
    bool has_lists;        /* counts mode: the last record that was not plain */
    wm_status status;      /* WM_ENOMEM when an array could not grow */
    wm_coalesced coalesced; /* of the head record */
    wm_coalesced scratch;   /* local memory, words beyond the first */
    wm_shape shapes[2];     /* of the last load, of the last store */
    wm_sm_stats stats;
    wm_instruction_row *rows; /* per static instruction, shared by the SMs of
                                 one thread; NULL unless asked for */
    size_t cap_rows;
} wm_sm;

/* Twice as many places for those who wait for a line on its way.  They are no
 * resource of the machine: to stall for one, and until when, would hang on the
 * window.  False, and sm->status, when memory is short. */
bool wm_l1_grow_waiters(wm_sm *sm);

#endif
