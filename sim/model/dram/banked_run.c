/*
 * banked_run.c -- time: which command goes at a tick, and which tick is next.
 *
 * Between two events nothing can change, so that the next tick worth a look is
 * the least of: the ticks at which candidates become ready, the next arrival
 * with room in its queue, the next refresh.
 */
#include "model/dram/banked_internal.h"
#include "model/dram/lanes.h"

/* Bounds are kept within these ticks of base. */
#define REBASE_AT     8000
#define LANE_LONG_AGO (-16000)

static int64_t run_earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t run_later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Moves base up to tick. */
static void run_rebase(wm_banked *channel, int64_t tick)
{
    const int64_t all = tick - channel->base;
    const int32_t by = all < 40000 ? (int32_t)all : 40000;
    int16_t *const at[] = {channel->rd_at, channel->wr_at, channel->act_at,
                           channel->pre_at};
    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t b = 0; b < LANES; b++) {
            const int32_t v = at[i][b] - by;
            at[i][b] = (int16_t)(v < LANE_LONG_AGO ? LANE_LONG_AGO : v);
        }
    }
    channel->base = tick;
}

/* The oldest hit in mask, which is rarely more than a few. */
static uint32_t run_oldest_hit(const wm_banked *channel, uint64_t mask)
{
    uint32_t best = wm_lowest_bit(mask);
    uint32_t least = channel->col_age[best];
    for (mask &= mask - 1; mask != 0; mask &= mask - 1) {
        const uint32_t bank = wm_lowest_bit(mask);
        const uint32_t age = channel->col_age[bank];
        best = age < least ? bank : best;
        least = age < least ? age : least;
    }
    return best;
}

/* The active request in mask that arrived first. */
static uint32_t run_first_active(const uint64_t *age, uint64_t mask)
{
    uint32_t best = wm_lowest_bit(mask);
    uint64_t least = age[best];
    for (mask &= mask - 1; mask != 0; mask &= mask - 1) {
        const uint32_t b = wm_lowest_bit(mask);
        const uint64_t other = age[b];
        best = other < least ? b : best;
        least = other < least ? other : least;
    }
    return best;
}

/* --- what is ready -------------------------------------------------------- */
static uint64_t run_columns(const wm_banked *channel, int64_t tick)
{
    const uint32_t n = channel->timing->n_banks;
    const int16_t now = banked_lane_time(channel, tick);
    uint64_t ready = 0;
    if (channel->col_rd != 0) {
        ready = channel->col_rd & wm_lanes_due(channel->rd_at, n, now);
    }
    if (channel->col_wr != 0) {
        ready |= channel->col_wr & wm_lanes_due(channel->wr_at, n, now);
    }
    return ready;
}

/* Rising edges take every command, falling ones only PRE and PREA. */
static bool run_is_rising(const wm_banked *channel, int64_t tick)
{
    return !channel->timing->has_hbm3_edges || (tick & 1) != 0;
}

static uint64_t run_rows(const wm_banked *channel, int64_t tick)
{
    const uint32_t n = channel->timing->n_banks;
    const int16_t now = banked_lane_time(channel, tick);
    uint64_t ready = 0;
    if (channel->row_act != 0 && run_is_rising(channel, tick)) {
        ready = channel->row_act & wm_lanes_due(channel->act_at, n, now);
    }
    if (channel->row_pre != 0) {
        uint64_t pre = channel->row_pre & wm_lanes_due(channel->pre_at, n, now);
        if (channel->pair_tick == tick) {
            pre &= ~channel->pair_banks;
        }
        ready |= pre;
    }
    return ready;
}

static void run_row(wm_banked *channel, uint32_t bank, int64_t tick)
{
    if ((channel->row_act >> bank & 1) != 0) {
        wm_banked_activate(channel, bank, tick);
    } else {
        wm_banked_precharge(channel, bank, tick);
    }
}

/* --- refresh -------------------------------------------------------------- */
static void run_ask_refresh(wm_banked *channel, int64_t tick)
{
    const wm_dram_timing *t = channel->timing;
    if (channel->params.refresh == WM_REFRESH_ALL_BANK) {
        if (channel->n_refresh + t->n_pcs > sizeof(channel->refresh_pc)) {
            channel->next_refresh = tick + 1;
            return;
        }
        for (uint32_t pc = 0; pc < t->n_pcs; pc++) {
            channel->refresh_pc[(channel->refresh_head + channel->n_refresh++) %
                                sizeof(channel->refresh_pc)] = (uint8_t)pc;
            channel->refresh_asked[pc] = tick;
        }
        channel->next_refresh += t->refi;
        return;
    }
    for (uint32_t pc = 0; pc < t->n_pcs; pc++) {
        const uint32_t bank =
            (pc << t->pc_shift) + (uint32_t)channel->next_refp_bank;
        channel->must_refresh |= UINT64_C(1) << bank;
        wm_banked_choose(channel, bank);
    }
    channel->next_refp_bank =
        (channel->next_refp_bank + 1) & (t->banks_per_pc - 1);
    channel->next_refresh += t->refi_pb;
}

/* The tick at which the head of the refresh queue may move; NEVER while a
 * request of its pseudo-channel is active. */
static int64_t run_refresh_tick(const wm_banked *channel)
{
    const uint32_t pc = channel->refresh_pc[channel->refresh_head];
    const banked_pc *state = &channel->pc[pc];
    int64_t tick = 0;
    if ((channel->is_open & banked_pc_mask(channel, pc)) != 0) {
        if (state->n_active != 0) {
            return NEVER;
        }
        tick = run_later(channel->row_free, state->prea_at);
        if (channel->pair_tick == tick &&
            (channel->pair_banks & banked_pc_mask(channel, pc)) != 0) {
            tick++;
        }
        return tick;
    }
    tick = run_later(channel->row_free, state->refa_at);
    return run_is_rising(channel, tick) ? tick : tick + 1;
}

static void run_refresh(wm_banked *channel, int64_t tick)
{
    const uint32_t pc = channel->refresh_pc[channel->refresh_head];
    if (run_refresh_tick(channel) > tick) {
        return;
    }
    /* A bound that lies in the past may have been met on the wrong edge. */
    if ((channel->is_open & banked_pc_mask(channel, pc)) != 0) {
        if (channel->pair_tick != tick ||
            (channel->pair_banks & banked_pc_mask(channel, pc)) == 0) {
            wm_banked_precharge_all(channel, pc, tick);
        }
        return;
    }
    if (run_is_rising(channel, tick)) {
        channel->refresh_head =
            (channel->refresh_head + 1) % sizeof(channel->refresh_pc);
        channel->n_refresh--;
        wm_banked_refresh_all(channel, pc, tick);
    }
}

/* The earliest tick for the next command of a bank that must be refreshed;
 * NEVER while its request is active. */
static int64_t run_refp_tick(const wm_banked *channel, uint32_t bank)
{
    const wm_dram_timing *t = channel->timing;
    const uint64_t bit = UINT64_C(1) << bank;
    const banked_pc *pc = &channel->pc[bank >> t->pc_shift];
    if ((channel->is_active & bit) != 0) {
        return NEVER;
    }
    if ((channel->is_open & bit) != 0) {
        int64_t tick =
            run_later(channel->row_free, channel->base + channel->pre_at[bank]);
        return channel->pair_tick == tick && (channel->pair_banks & bit) != 0
                   ? tick + 1
                   : tick;
    }
    int64_t tick = run_later(channel->row_free, channel->refp_at[bank]);
    const int64_t last = pc->acts[(pc->acts_head + 3) & 3];
    tick = run_later(tick, last + t->act_refp_other);
    if (t->refp_is_act && t->faw != 0) {
        tick = run_later(tick, pc->acts[pc->acts_head] + t->faw_refp);
    }
    return run_is_rising(channel, tick) ? tick : tick + 1;
}

/* One command towards a per-bank refresh, if any can go. */
static void run_refp(wm_banked *channel, int64_t tick)
{
    for (uint64_t m = channel->must_refresh; m != 0; m &= m - 1) {
        const uint32_t bank = wm_lowest_bit(m);
        const uint64_t bit = UINT64_C(1) << bank;
        if (run_refp_tick(channel, bank) > tick) {
            continue;
        }
        if ((channel->is_open & bit) != 0) {
            if (channel->pair_tick == tick &&
                (channel->pair_banks & bit) != 0) {
                continue;
            }
            wm_banked_precharge(channel, bank, tick);
            return;
        }
        if (run_is_rising(channel, tick)) {
            wm_banked_refresh_bank(channel, bank, tick);
            return;
        }
    }
}

/* --- page time-out -------------------------------------------------------- */
/* Open banks that nobody queued for or works in. */
static uint64_t run_forgotten(const wm_banked *channel)
{
    return channel->is_open & ~channel->is_active & ~channel->has_list[0] &
           ~channel->has_list[1] & ~channel->must_refresh;
}

static int64_t run_timeout_tick(const wm_banked *channel, uint32_t bank)
{
    return run_later(channel->base + channel->pre_at[bank],
                     channel->last_column[bank] + channel->params.page_timeout);
}

static void run_timeout(wm_banked *channel, int64_t tick)
{
    for (uint64_t m = run_forgotten(channel); m != 0; m &= m - 1) {
        const uint32_t bank = wm_lowest_bit(m);
        if (run_timeout_tick(channel, bank) <= tick &&
            !(channel->pair_tick == tick &&
              (channel->pair_banks >> bank & 1) != 0)) {
            wm_banked_precharge(channel, bank, tick);
            return;
        }
    }
}

/* --- when candidates are ready -------------------------------------------- */
static int64_t run_lane_tick(const wm_banked *channel, int16_t least)
{
    return least == LANE_NEVER ? NEVER : channel->base + least;
}

/* The first tick at which a column candidate is ready, its bus aside. */
static int64_t run_soonest_column(const wm_banked *channel)
{
    const uint32_t n = channel->timing->n_banks;
    int64_t tick = NEVER;
    if (channel->col_rd != 0) {
        tick = run_lane_tick(
            channel, wm_lanes_least(channel->rd_at, n, channel->col_rd));
    }
    if (channel->col_wr != 0) {
        tick = run_earlier(
            tick, run_lane_tick(channel, wm_lanes_least(channel->wr_at, n,
                                                        channel->col_wr)));
    }
    return tick;
}

static int64_t run_soonest_row(const wm_banked *channel)
{
    const uint32_t n = channel->timing->n_banks;
    int64_t tick = NEVER;
    if (channel->row_act != 0) {
        tick = run_lane_tick(
            channel, wm_lanes_least(channel->act_at, n, channel->row_act));
        if (tick != NEVER && !run_is_rising(channel, tick)) {
            tick++;
        }
    }
    if (channel->row_pre != 0) {
        tick = run_earlier(
            tick, run_lane_tick(channel, wm_lanes_least(channel->pre_at, n,
                                                        channel->row_pre)));
    }
    return tick;
}

/* Banks whose column, or row, candidate is ready; none are looked for before
 * it can be.  Bounds only rise and each new candidate lowers `soon`, so that
 * what was found stays a lower bound. */
static uint64_t run_ready_columns(wm_banked *channel, int64_t tick)
{
    if (tick < channel->col_soon || tick < channel->col_free) {
        return 0;
    }
    const uint64_t ready = run_columns(channel, tick);
    if (ready == 0) {
        channel->col_soon = run_soonest_column(channel);
    }
    return ready;
}

static uint64_t run_ready_rows(wm_banked *channel, int64_t tick)
{
    if (tick < channel->row_soon) {
        return 0;
    }
    const uint64_t ready = run_rows(channel, tick);
    if (ready == 0) {
        channel->row_soon = run_soonest_row(channel);
    }
    return ready;
}

/* --- the slots of a tick -------------------------------------------------- */
static void run_column_slot(wm_banked *channel, int64_t tick)
{
    uint64_t ready = run_ready_columns(channel, tick);
    const uint64_t active = ready & channel->is_active;
    if (active != 0) {
        wm_banked_column(channel, run_first_active(channel->active_age, active),
                         tick);
        return;
    }
    if (channel->n_refresh != 0) {
        return;
    }
    if (banked_turn(channel)) {
        ready = run_ready_columns(channel, tick) & ~channel->is_active;
    }
    if (ready != 0) {
        wm_banked_column(channel, run_oldest_hit(channel, ready), tick);
    }
}

static void run_row_slot(wm_banked *channel, int64_t tick)
{
    if (channel->n_refresh != 0) {
        run_refresh(channel, tick);
        return;
    }
    (void)banked_turn(channel);
    if (channel->row_free > tick) {
        return;
    }
    if (channel->must_refresh != 0) {
        run_refp(channel, tick);
        if (channel->row_free > tick) {
            return;
        }
    }
    const uint64_t ready = run_ready_rows(channel, tick);
    if (ready != 0) {
        run_row(
            channel,
            wm_lanes_oldest(channel->row_age, channel->timing->n_banks, ready),
            tick);
    } else if (channel->params.page == WM_PAGE_TIMEOUT) {
        run_timeout(channel, tick);
    }
    return;
}

/* One bus for all: an active column, a refresh, else the oldest ready request
 * of the mode's queue, whatever its command. */
static void run_single_slot(wm_banked *channel, int64_t tick)
{
    if (channel->row_free > tick) {
        if (channel->n_refresh == 0) {
            (void)banked_turn(channel);
        }
        return;
    }
    uint64_t columns = run_ready_columns(channel, tick);
    const uint64_t active = columns & channel->is_active;
    if (active != 0) {
        wm_banked_column(channel, run_first_active(channel->active_age, active),
                         tick);
        return;
    }
    if (channel->n_refresh != 0) {
        run_refresh(channel, tick);
        return;
    }
    (void)banked_turn(channel);
    if (channel->must_refresh != 0) {
        run_refp(channel, tick);
        if (channel->row_free > tick) {
            return;
        }
    }
    columns = run_ready_columns(channel, tick) & ~channel->is_active;
    const uint64_t rows = run_ready_rows(channel, tick);
    if (columns != 0) {
        const uint32_t n = channel->timing->n_banks;
        const uint32_t bank = run_oldest_hit(channel, columns);
        if (rows == 0 ||
            channel->col_age[bank] <
                channel->row_age[wm_lanes_oldest(channel->row_age, n, rows)]) {
            wm_banked_column(channel, bank, tick);
            return;
        }
    }
    if (rows != 0) {
        run_row(
            channel,
            wm_lanes_oldest(channel->row_age, channel->timing->n_banks, rows),
            tick);
    } else if (channel->params.page == WM_PAGE_TIMEOUT) {
        run_timeout(channel, tick);
    }
    return;
}

/* --- the next tick -------------------------------------------------------- */
/* Later of a candidate's tick and its bus. */
static int64_t run_on_bus(int64_t tick, int64_t bus)
{
    return tick == NEVER ? NEVER : run_later(tick, bus);
}

/* While a refresh waits, only active requests may use the columns. */
static int64_t run_next_column(const wm_banked *channel)
{
    int64_t tick = channel->col_soon;
    if (channel->n_refresh != 0) {
        const uint32_t n = channel->timing->n_banks;
        const uint64_t can = channel->is_active;
        tick = run_earlier(
            run_lane_tick(channel, wm_lanes_least(channel->rd_at, n,
                                                  channel->col_rd & can)),
            run_lane_tick(channel, wm_lanes_least(channel->wr_at, n,
                                                  channel->col_wr & can)));
    }
    tick = run_on_bus(tick, channel->col_free);
    return tick != NEVER && !run_is_rising(channel, tick) ? tick + 1 : tick;
}

static int64_t run_next_row(const wm_banked *channel)
{
    if (channel->n_refresh != 0) {
        return run_refresh_tick(channel);
    }
    int64_t tick = run_on_bus(channel->row_soon, channel->row_free);
    for (uint64_t m = channel->must_refresh; m != 0; m &= m - 1) {
        tick = run_earlier(tick, run_refp_tick(channel, wm_lowest_bit(m)));
    }
    if (channel->params.page == WM_PAGE_TIMEOUT) {
        for (uint64_t m = run_forgotten(channel); m != 0; m &= m - 1) {
            tick = run_earlier(
                tick, run_later(channel->row_free,
                                run_timeout_tick(channel, wm_lowest_bit(m))));
        }
    }
    return tick;
}

/* When the first offer can be admitted, were its queue to stay as it is. */
static int64_t run_next_offer(const wm_banked *channel)
{
    if (channel->n_offers == 0 || channel->is_blocked) {
        return NEVER;
    }
    return channel->offer[channel->offer_head & channel->offer_mask].due + 1;
}

static int64_t run_next(const wm_banked *channel)
{
    if (channel->n_refresh == 0 && channel->must_turn) {
        return channel->now + 1;
    }
    int64_t tick = run_earlier(run_next_column(channel), run_next_row(channel));
    tick = run_earlier(tick, run_next_offer(channel));
    tick = run_earlier(tick, channel->next_refresh);
    return run_later(tick, channel->now + 1);
}

static void run_tick(wm_banked *channel, int64_t tick)
{
    channel->now = tick;
    if (tick - channel->base > REBASE_AT) {
        run_rebase(channel, tick);
    }
    if (channel->n_offers != 0 && !channel->is_blocked) {
        wm_banked_admit(channel, tick);
    }
    if (tick >= channel->next_refresh) {
        run_ask_refresh(channel, tick);
    }
    if (channel->timing->is_single_bus) {
        run_single_slot(channel, tick);
    } else {
        if (run_is_rising(channel, tick)) {
            run_column_slot(channel, tick);
        }
        run_row_slot(channel, tick);
    }
    channel->next = run_next(channel);
}

bool wm_banked_run(wm_banked *channel, uint64_t until, uint32_t keep)
{
    while ((uint64_t)channel->next <= until) {
        if (channel->n_offers < keep) {
            return false;
        }
        run_tick(channel, channel->next);
    }
    if ((int64_t)until > channel->now && until < NEVER / 2) {
        channel->now = (int64_t)until;
    }
    return true;
}

uint64_t wm_banked_finish_reads(wm_banked *channel)
{
    while (channel->n_offers != 0 || channel->n_reads_open != 0) {
        run_tick(channel, channel->next);
    }
    int64_t end = run_later(channel->last_done, channel->last_admitted + 1);
    end = run_later(end, 0);
    (void)wm_banked_run(channel, (uint64_t)end, 0);
    return (uint64_t)end;
}

uint64_t wm_banked_finish(wm_banked *channel)
{
    (void)wm_banked_finish_reads(channel);
    while (channel->n_queued[1] != 0 || channel->is_active != 0) {
        run_tick(channel, channel->next);
    }
    return (uint64_t)channel->now;
}
