/*
 * banked.h -- one memory channel, model "banked": every command of an FR-FCFS
 * controller over the banks of a standard.
 *
 * Requests are pushed with the tick they are due at and admitted in that
 * order into a read and a write queue.  Per tick the controller may issue one
 * column and one row command (one command where the standard has one bus):
 * the oldest ready column of a request whose row was opened for it, else the
 * oldest ready row hit; and the oldest ready ACT or PRE.  Reads go first;
 * writes are drained between two fill levels.  These are the semantics of
 * Ramulator 2.1's controllers, reproduced to the tick (docs/MODEL.md).
 *
 * Time never ticks: wm_banked_run jumps from event to event, and gives the
 * same commands however its calls are cut.
 *
 * Not modelled  ECC, power-down, RFM, temperature, ranks, refresh postponed
 *               or pulled in.
 * Units         ticks of the standard (timing.h), from 0, 63 bits; atoms.
 * Ownership     new/free; standard and mapping are the caller's and outlive
 *               the channel.
 * Errors        WM_ECONFIG for queues, levels and intervals out of range;
 *               WM_ENOMEM of push: the request was not taken.
 * Threads       one thread per channel.
 * Repeatable    integers only.
 * Cost          20 to 120 ns per request, at any load; no allocation after
 *               new but for growth in push.
 */
#ifndef WM_MODEL_DRAM_BANKED_H
#define WM_MODEL_DRAM_BANKED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "model/dram/banked_request.h"
#include "model/dram/banked_view.h"
#include "model/dram/timing.h"

typedef enum wm_dram_page {
    WM_PAGE_OPEN,    /* until another row is wanted */
    WM_PAGE_CLOSED,  /* after the last queued hit, by auto-precharge */
    WM_PAGE_TIMEOUT, /* after page_timeout ticks without a column */
} wm_dram_page;

typedef enum wm_dram_refresh {
    WM_REFRESH_ALL_BANK,
    WM_REFRESH_PER_BANK,
    WM_REFRESH_NONE
} wm_dram_refresh;

typedef enum wm_dram_command_kind {
    WM_DRAM_ACT,
    WM_DRAM_PRE,
    WM_DRAM_PREA,
    WM_DRAM_RD,
    WM_DRAM_WR,
    WM_DRAM_RDA,
    WM_DRAM_WRA,
    WM_DRAM_REFA,
    WM_DRAM_REFP,
    WM_DRAM_COMMANDS
} wm_dram_command_kind;

/* One command, for traces; bank: of the channel, for PREA and REFA the first
 * of the pseudo-channel. */
typedef struct wm_dram_command {
    uint64_t tick;
    uint64_t row;
    uint32_t bank, column;
    wm_dram_command_kind kind;
} wm_dram_command;

typedef void (*wm_dram_command_fn)(const wm_dram_command *command,
                                   void *context);

typedef struct wm_banked_params {
    uint32_t read_queue, write_queue; /* entries: 1 .. 512 */
    uint32_t write_high; /* drain when more writes than this wait */
    uint32_t write_low;  /* read again when fewer wait */
    bool is_hit_first;   /* no PRE while an older hit to the row waits */
    wm_dram_page page;
    uint32_t page_timeout; /* ticks */
    uint32_t hit_cap;      /* columns of an open row while others wait; 0 = any
                              number */
    wm_dram_refresh refresh;
    uint32_t offers;            /* requests admitted per tick; 0 = any number */
    uint32_t forward_ticks;     /* from admission to the data of a read that a
                                   queued write answers */
    bool has_replies;           /* wm_banked_next is called for every read */
    wm_dram_command_fn command; /* NULL = nobody listens */
    void *command_context;
} wm_banked_params;

/* Where the data bus's time went, summed over pseudo-channels; all of them
 * together are the ticks simulated x pseudo-channels. */
typedef enum wm_dram_loss {
    WM_LOSS_BUSY,     /* data, tCCD_S per atom */
    WM_LOSS_REFRESH,  /* waiting for, and under, refresh */
    WM_LOSS_TURN,     /* between reads and writes */
    WM_LOSS_ROW_MISS, /* opening a row in a closed bank */
    WM_LOSS_CONFLICT, /* closing another row first; tRC, tRAS */
    WM_LOSS_ACT_RATE, /* tFAW, tRRD */
    WM_LOSS_GROUP,    /* tCCD_L, and the command bus */
    WM_LOSS_IDLE,     /* no request for this pseudo-channel */
    WM_LOSS_COUNT
} wm_dram_loss;

#define WM_LATENCY_BUCKETS 256u /* 8 per power of two */

typedef struct wm_banked_stats {
    uint64_t n_reads, n_writes; /* requests accepted */
    uint64_t n_read_atoms, n_write_atoms;
    uint64_t n_forwarded, n_merged;
    uint64_t n_hits, n_misses, n_conflicts; /* requests, by first command */
    uint64_t n_commands[WM_DRAM_COMMANDS];
    uint64_t sum_latency; /* of reads: from admission */
    uint64_t sum_due;     /* of reads: from the tick they were due */
    uint64_t n_completed; /* reads */
    uint64_t lost[WM_LOSS_COUNT];
    uint64_t latency[WM_LATENCY_BUCKETS]; /* of reads, from admission */
} wm_banked_stats;

wm_status wm_banked_new(const wm_dram_timing *timing,
                        const wm_banked_params *params, wm_banked **out,
                        wm_error *err);
void wm_banked_free(wm_banked *channel); /* NULL is fine */

/* The request is taken after those due no later; due: a tick not before
 * wm_banked_now.  False when memory is short. */
bool wm_banked_push(wm_banked *channel, const wm_banked_request *request);
/* The same, the usual way compiled into the caller. */
static inline bool wm_banked_offer(wm_banked *channel,
                                   const wm_banked_request *request)
{
    wm_banked_view *view = (wm_banked_view *)(void *)channel;
    const size_t n = view->n_offers;
    const size_t mask = view->offer_mask;
    const size_t at = view->offer_head + n;
    if (n == 0 || n > mask ||
        view->n_done + view->n_reads_open + n >= view->done_mask ||
        view->offer[(at - 1) & mask].due > request->due) {
        return wm_banked_push(channel, request);
    }
    view->offer[at & mask] = *request;
    view->n_offers = n + 1;
    return true;
}

/* Simulates ticks up to `until`.  Stops earlier when fewer than `keep` pushed
 * requests are left in front of the queues, and before a tick at which one
 * that is yet to be pushed could have been admitted: true when it got there.
 */
bool wm_banked_run(wm_banked *channel, uint64_t until, uint32_t keep);

/* Simulates ticks up to `until`, or up to `ahead` after the first at which a
 * read that is yet to be handed out has its data; returns how far.  Needs
 * has_replies. */
uint64_t wm_banked_run_to_data(wm_banked *channel, uint64_t until,
                               uint64_t ahead);

/* Simulates until every request was admitted and every read has its data;
 * returns the tick of that. */
uint64_t wm_banked_finish_reads(wm_banked *channel);
/* And until every write was issued. */
uint64_t wm_banked_finish(wm_banked *channel);

/* Requests pushed and not admitted. */
uint32_t wm_banked_n_waiting(const wm_banked *channel);
/* Counts up to now; the loss shares are completed to now. */
const wm_banked_stats *wm_banked_get_stats(wm_banked *channel);
void wm_banked_clear_stats(wm_banked *channel);
void wm_banked_stats_add(wm_banked_stats *sum, const wm_banked_stats *stats);

/* Reads of fewer ticks, to 1/8 of that. */
uint64_t wm_banked_n_below(const wm_banked_stats *stats, uint64_t ticks);

/* The latency below which `ppm` millionths of the reads lie, to 1/8 of its
 * size. */
uint64_t wm_banked_percentile(const wm_banked_stats *stats, uint32_t ppm);

#endif
