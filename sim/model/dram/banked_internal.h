/*
 * banked_internal.h -- the state of one banked channel, and what its files call
 * of one another: banked.c (new, push, statistics), banked_queue.c (admission,
 * candidates), banked_issue.c (commands), banked_refresh.c, banked_run.c
 * (time).
 *
 * Bounds of banks are 16-bit ticks relative to `base`, so that 16 banks are two
 * vector registers; base follows the clock (banked_run.c).  A set of banks is a
 * mask of 64 bits.
 */
#ifndef WM_MODEL_DRAM_BANKED_INTERNAL_H
#define WM_MODEL_DRAM_BANKED_INTERNAL_H

#include "base/bits.h"
#include "model/dram/banked_parts_internal.h"

struct wm_banked {
    wm_banked_view view; /* first: tick worth a look, looked at last; replies */
    /* bounds by bank: read, write, activate, precharge */
    int16_t rd_at[LANES], wr_at[LANES], act_at[LANES], pre_at[LANES];
    /* lanes of banks with a candidate for ACT, PRE: LANE_IN, else LANE_OUT */
    int16_t act_in[LANES], pre_in[LANES];
    /* candidates of the present mode */
    uint64_t col_rd, col_wr;   /* banks with a column candidate */
    uint64_t row_act, row_pre; /* banks with a row candidate */
    uint64_t is_active;        /* banks with an active request */
    uint64_t is_open;
    uint64_t has_list[2]; /* banks with queued reads, writes */
    int64_t base;         /* of the bounds */
    int64_t row_free, col_free;
    int64_t col_soon, row_soon; /* no candidate is ready before */
    bool is_blocked;            /* the first offer has no room as things are */
    bool is_writing;            /* the mode */
    bool must_turn;             /* it changes when it is evaluated next */
    bool is_usual;              /* run_tick: time-outs, buses */
    bool is_plain; /* open pages, first ready first come, no listener */
    uint32_t n_queued[2];
    uint32_t room[2]; /* of the queues */
    /* ages of the candidates in the queues, and of active requests: arrival,
     * then activation */
    uint16_t col_age[LANES], row_age[LANES];
    uint64_t active_age[WM_DRAM_BANKS];
    uint64_t row[WM_DRAM_BANKS]; /* open */
    uint16_t col_entry[WM_DRAM_BANKS], row_entry[WM_DRAM_BANKS];
    uint16_t active_entry[WM_DRAM_BANKS];
    banked_entry *entry;
    /* entries by bank and direction; from first_ring on a link per list, which
     * closes it to a ring, so that linking needs no decisions */
    banked_link *link;
    uint16_t first_ring;
    uint16_t free_entry; /* list by next */
    uint32_t next_age;
    banked_pc pc[WM_DRAM_PCS];
    /* refreshes asked for and not begun, in order */
    uint8_t refresh_pc[16];
    uint32_t refresh_head, n_refresh;
    int64_t next_refresh;
    int64_t refresh_asked[WM_DRAM_PCS];
    /* per-bank refresh */
    uint64_t must_refresh; /* banks that take no new row until then */
    uint64_t next_refp_bank;
    int64_t refp_at[WM_DRAM_BANKS];
    /* HBM3: the tick that pairs with the last rising row command */
    int64_t pair_tick;
    uint64_t pair_banks; /* that no PRE may name then */
    /* page policy */
    uint32_t n_columns[WM_DRAM_BANKS]; /* since ACT */
    int64_t last_column[WM_DRAM_BANKS];
    int64_t last_act[WM_DRAM_BANKS], last_pre[WM_DRAM_BANKS];
    /* queued writes by a hash of their place: a zero saves the search */
    uint16_t n_writes_at[WRITE_SLOTS];
    int64_t last_done;     /* of all reads so far */
    int64_t last_admitted; /* tick of the last admission */
    const wm_dram_timing *timing;
    wm_banked_params params;
    wm_banked_stats stats;
};

/* A tick as the bounds keep it. */
static inline int16_t banked_lane_time(const wm_banked *channel, int64_t tick)
{
    return (int16_t)(tick - channel->base);
}

static inline void banked_lane_raise(int16_t *at, int32_t time)
{
    /* Stored either way: which it is cannot be foreseen. */
    const int32_t old = *at;
    *at = (int16_t)(old < time ? time : old);
}

static inline uint32_t banked_pc_of(const wm_banked *channel, uint32_t bank)
{
    return bank >> channel->timing->pc_shift;
}

static inline int64_t banked_earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t banked_later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Rising edges take every command, falling ones only PRE and PREA. */
static inline bool banked_is_rising(const wm_banked *channel, int64_t tick)
{
    return !channel->timing->has_hbm3_edges || (tick & 1) != 0;
}

/* Where n_writes_at counts the place; by the golden ratio (Knuth, TAOCP 3,
 * 6.4). */
static inline uint32_t banked_write_slot(const wm_banked_request *request)
{
    const uint64_t place = request->row << 22 ^
                           (uint64_t)wm_banked_column_of(request) << 6 ^
                           wm_banked_bank_of(request);
    return (uint32_t)(place * UINT64_C(0x9e3779b97f4a7c15) >>
                      (64 - WRITE_SLOT_BITS));
}

/* The link that closes the list of a bank: of reads, or of writes. */
static inline uint16_t banked_ring(const wm_banked *channel, uint32_t list,
                                   uint32_t bank)
{
    return (uint16_t)(channel->first_ring + list * WM_DRAM_BANKS + bank);
}

/* The first bank of a bank's pseudo-channel. */
static inline uint32_t banked_first_of(const wm_dram_timing *timing,
                                       uint32_t bank)
{
    return bank & ~(timing->banks_per_pc - 1);
}

/* All banks of a pseudo-channel. */
static inline uint64_t banked_pc_mask(const wm_banked *channel, uint32_t pc)
{
    const uint32_t n = channel->timing->banks_per_pc;
    return wm_low_mask(n) << (pc * n);
}

/* --- banked.c ------------------------------------------------------------- */
/* Numbers those queued anew, in their order, when the numbers run out. */
void wm_banked_renumber(wm_banked *channel);

/* --- banked_queue.c ------------------------------------------------------ */
/* Takes offers due before tick, while their queues have room. */
void wm_banked_admit(wm_banked *channel, int64_t tick);
/* Looks for the bank's candidates anew. */
void wm_banked_choose(wm_banked *channel, uint32_t bank);
/* The bank's candidate is its active request. */
void wm_banked_choose_active(wm_banked *channel, uint32_t bank);
/* A hit of the bank has gone and its row is still open: the next hit, looked
 * for from an entry on; its other candidate stays. */
void wm_banked_choose_hit(wm_banked *channel, uint32_t bank, uint16_t from);
/* Those of all banks. */
void wm_banked_choose_all(wm_banked *channel);
/* From reads to writes or back. */
void wm_banked_change_mode(wm_banked *channel);
/* Evaluates the mode; true when it changed. */
static inline bool banked_turn(wm_banked *channel)
{
    const bool must = channel->must_turn;
    if (must) {
        wm_banked_change_mode(channel);
    }
    return must;
}

/* --- banked_issue.c ------------------------------------------------------ */
void wm_banked_column(wm_banked *channel, uint32_t bank, int64_t tick);
void wm_banked_activate(wm_banked *channel, uint32_t bank, int64_t tick);
void wm_banked_precharge(wm_banked *channel, uint32_t bank, int64_t tick);
void wm_banked_precharge_all(wm_banked *channel, uint32_t pc, int64_t tick);
void wm_banked_refresh_all(wm_banked *channel, uint32_t pc, int64_t tick);
void wm_banked_refresh_bank(wm_banked *channel, uint32_t bank, int64_t tick);

/* --- banked_refresh.c ---------------------------------------------------- */
void wm_banked_ask_refresh(wm_banked *channel, int64_t tick);
/* The tick at which the head of the refresh queue may move; NEVER while a
 * request of its pseudo-channel is active. */
int64_t wm_banked_refresh_tick(const wm_banked *channel);
/* One command towards the head's refresh, if it can go. */
void wm_banked_move_refresh(wm_banked *channel, int64_t tick);
/* The earliest tick for the next command of a bank that must be refreshed;
 * NEVER while its request is active. */
int64_t wm_banked_refp_tick(const wm_banked *channel, uint32_t bank);
/* One command towards a per-bank refresh, if any can go. */
void wm_banked_move_refp(wm_banked *channel, int64_t tick);

#endif
