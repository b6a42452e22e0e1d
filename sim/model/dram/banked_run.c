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

/* Moves base up to tick. */
static RARE void run_rebase(wm_banked *channel, int64_t tick)
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

static uint64_t run_rows(const wm_banked *channel, int64_t tick)
{
    const uint32_t n = channel->timing->n_banks;
    const int16_t now = banked_lane_time(channel, tick);
    uint64_t ready = 0;
    if (channel->row_act != 0 && banked_is_rising(channel, tick)) {
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

/* --- page time-out -------------------------------------------------------- */
/* Open banks that nobody queued for or works in. */
static uint64_t run_forgotten(const wm_banked *channel)
{
    return channel->is_open & ~channel->is_active & ~channel->has_list[0] &
           ~channel->has_list[1] & ~channel->must_refresh;
}

static int64_t run_timeout_tick(const wm_banked *channel, uint32_t bank)
{
    return banked_later(channel->base + channel->pre_at[bank],
                        channel->last_column[bank] +
                            channel->params.page_timeout);
}

static RARE void run_timeout(wm_banked *channel, int64_t tick)
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
        tick = banked_earlier(
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
        if (tick != NEVER && !banked_is_rising(channel, tick)) {
            tick++;
        }
    }
    if (channel->row_pre != 0) {
        tick = banked_earlier(
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

/* The oldest ready candidate for a row command on a bus with HBM3 edges. */
static RARE uint32_t run_pick_row_on_edge(wm_banked *channel, int64_t tick)
{
    const uint64_t ready = run_rows(channel, tick);
    if (ready == 0) {
        channel->row_soon = run_soonest_row(channel);
        return WM_NO_LANE;
    }
    return wm_lanes_oldest(channel->row_age, channel->timing->n_banks, ready);
}

/* The bank of the oldest ready candidate for a row command, or WM_NO_LANE: for
 * ticks from row_soon on. */
static uint32_t run_look_for_row(wm_banked *channel, int64_t tick)
{
    const wm_lanes_two rows = {channel->act_at, channel->act_in,
                               channel->pre_at, channel->pre_in};
    const uint32_t n = channel->timing->n_banks;
    const uint32_t bank = wm_lanes_pick(&rows, channel->row_age, n,
                                        channel->row_act | channel->row_pre,
                                        banked_lane_time(channel, tick));
    if (bank == WM_NO_LANE) {
        channel->row_soon = run_lane_tick(channel, wm_lanes_soonest(&rows, n));
    }
    return bank;
}

static SPECIALISED uint32_t run_pick_row(wm_banked *channel, int64_t tick,
                                         bool is_usual)
{
    if (tick < channel->row_soon) {
        return WM_NO_LANE;
    }
    return !is_usual && channel->timing->has_hbm3_edges
               ? run_pick_row_on_edge(channel, tick)
               : run_look_for_row(channel, tick);
}

/* --- the slots of a tick -------------------------------------------------- */
static SPECIALISED void run_column_slot(wm_banked *channel, int64_t tick)
{
    uint64_t ready = run_ready_columns(channel, tick);
    const uint64_t active = ready & channel->is_active;
    if (active != 0) {
        wm_banked_column(channel, run_first_active(channel->active_age, active),
                         tick);
        /* Mostly nothing else is ready for long: no look in vain. */
        channel->col_soon = run_soonest_column(channel);
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

static SPECIALISED void run_row_slot(wm_banked *channel, int64_t tick,
                                     bool is_usual)
{
    if (channel->n_refresh != 0) {
        wm_banked_move_refresh(channel, tick);
        return;
    }
    (void)banked_turn(channel);
    if (channel->row_free > tick) {
        return;
    }
    if (channel->must_refresh != 0) {
        wm_banked_move_refp(channel, tick);
        if (channel->row_free > tick) {
            return;
        }
    }
    const uint32_t bank = run_pick_row(channel, tick, is_usual);
    if (bank != WM_NO_LANE) {
        run_row(channel, bank, tick);
    } else if (!is_usual && channel->params.page == WM_PAGE_TIMEOUT) {
        run_timeout(channel, tick);
    }
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
        wm_banked_move_refresh(channel, tick);
        return;
    }
    (void)banked_turn(channel);
    if (channel->must_refresh != 0) {
        wm_banked_move_refp(channel, tick);
        if (channel->row_free > tick) {
            return;
        }
    }
    columns = run_ready_columns(channel, tick) & ~channel->is_active;
    const uint32_t row = run_pick_row(channel, tick, false);
    if (columns != 0) {
        const uint32_t bank = run_oldest_hit(channel, columns);
        if (row == WM_NO_LANE ||
            channel->col_age[bank] < channel->row_age[row]) {
            wm_banked_column(channel, bank, tick);
            return;
        }
    }
    if (row != WM_NO_LANE) {
        run_row(channel, row, tick);
    } else if (channel->params.page == WM_PAGE_TIMEOUT) {
        run_timeout(channel, tick);
    }
}

/* --- the next tick -------------------------------------------------------- */
/* When a refresh or a page's time-out is the next to need the row slot, or
 * columns may only be those of active requests. */
static RARE int64_t run_next_column_of_active(const wm_banked *channel)
{
    const uint32_t n = channel->timing->n_banks;
    const uint64_t can = channel->is_active;
    return banked_earlier(
        run_lane_tick(channel,
                      wm_lanes_least(channel->rd_at, n, channel->col_rd & can)),
        run_lane_tick(
            channel, wm_lanes_least(channel->wr_at, n, channel->col_wr & can)));
}

static RARE int64_t run_next_other_row(const wm_banked *channel)
{
    int64_t tick = NEVER;
    for (uint64_t m = channel->must_refresh; m != 0; m &= m - 1) {
        tick = banked_earlier(tick,
                              wm_banked_refp_tick(channel, wm_lowest_bit(m)));
    }
    if (channel->params.page == WM_PAGE_TIMEOUT) {
        for (uint64_t m = run_forgotten(channel); m != 0; m &= m - 1) {
            tick = banked_earlier(
                tick,
                banked_later(channel->row_free,
                             run_timeout_tick(channel, wm_lowest_bit(m))));
        }
    }
    return tick;
}

static SPECIALISED int64_t run_next_column(const wm_banked *channel,
                                           bool has_refresh, bool is_usual)
{
    int64_t tick =
        has_refresh ? run_next_column_of_active(channel) : channel->col_soon;
    tick = banked_later(tick, channel->col_free);
    return is_usual || banked_is_rising(channel, tick) ? tick : tick + 1;
}

static SPECIALISED int64_t run_next_row(const wm_banked *channel,
                                        bool has_refresh, bool is_usual)
{
    if (has_refresh) {
        return wm_banked_refresh_tick(channel);
    }
    const int64_t tick = banked_later(channel->row_soon, channel->row_free);
    return channel->must_refresh != 0 ||
                   (!is_usual && channel->params.page == WM_PAGE_TIMEOUT)
               ? banked_earlier(tick, run_next_other_row(channel))
               : tick;
}

/* When the first offer can be admitted, were its queue to stay as it is. */
static int64_t run_next_offer(const wm_banked *channel)
{
    if (channel->view.n_offers == 0 || channel->is_blocked) {
        return NEVER;
    }
    return (int64_t)channel->view
               .offer[channel->view.offer_head & channel->view.offer_mask]
               .due +
           1;
}

static SPECIALISED int64_t run_next(const wm_banked *channel, int64_t now,
                                    bool is_usual)
{
    const bool has_refresh = channel->n_refresh != 0;
    if (channel->must_turn && !has_refresh) {
        return now + 1;
    }
    int64_t tick =
        banked_earlier(run_next_column(channel, has_refresh, is_usual),
                       run_next_row(channel, has_refresh, is_usual));
    tick = banked_earlier(tick, run_next_offer(channel));
    tick = banked_earlier(tick, channel->next_refresh);
    return banked_later(tick, now + 1);
}

/* is_usual, constant to the compiler: buses of their own for columns and rows
 * that take commands at every tick, no time-out of pages. */
static SPECIALISED void run_tick(wm_banked *channel, bool is_usual)
{
    const int64_t tick = channel->view.next;
    channel->view.now = tick;
    if (tick - channel->base > REBASE_AT) {
        run_rebase(channel, tick);
    }
    if (channel->view.n_offers != 0 && !channel->is_blocked) {
        wm_banked_admit(channel, tick);
    }
    if (tick >= channel->next_refresh) {
        wm_banked_ask_refresh(channel, tick);
    }
    if (!is_usual && channel->timing->is_single_bus) {
        run_single_slot(channel, tick);
    } else {
        if (is_usual || banked_is_rising(channel, tick)) {
            run_column_slot(channel, tick);
        }
        run_row_slot(channel, tick, is_usual);
    }
    channel->view.next = run_next(channel, tick, is_usual);
}

/* Simulates ticks up to `to`, or up to `ahead` after the first read that has
 * its data where must_stop; returns how far.  Less when fewer than `keep`
 * offers are left.  is_usual: see run_tick. */
static SPECIALISED int64_t run_to(wm_banked *channel, int64_t to, uint32_t keep,
                                  bool must_stop, int64_t ahead, bool is_usual)
{
    while (channel->view.next <= to) {
        if (channel->view.n_offers < keep) {
            return channel->view.now;
        }
        run_tick(channel, is_usual);
        /* A read that a queued write answers may come before the first. */
        if (must_stop && channel->view.n_done != 0) {
            const size_t at = channel->view.done_head & channel->view.done_mask;
            to = banked_earlier(to, channel->view.done[at].tick + ahead);
        }
    }
    if (to > channel->view.now && to < NEVER / 2) {
        channel->view.now = to;
    }
    return to;
}

bool wm_banked_run(wm_banked *channel, uint64_t until, uint32_t keep)
{
    const int64_t to = until < NEVER ? (int64_t)until : NEVER - 1;
    return (channel->is_usual
                ? run_to(channel, to, keep, false, 0, true)
                : run_to(channel, to, keep, false, 0, false)) == to;
}

uint64_t wm_banked_run_to_data(wm_banked *channel, uint64_t until,
                               uint64_t ahead)
{
    const uint64_t done = wm_banked_next_done(channel);
    uint64_t to = done < NEVER ? done + ahead : NEVER - 1;
    to = to < until ? to : until;
    return (uint64_t)(channel->is_usual ? run_to(channel, (int64_t)to, 0, true,
                                                 (int64_t)ahead, true)
                                        : run_to(channel, (int64_t)to, 0, true,
                                                 (int64_t)ahead, false));
}

static void run_once(wm_banked *channel)
{
    (void)wm_banked_run(channel, (uint64_t)channel->view.next, 0);
}

uint64_t wm_banked_finish_reads(wm_banked *channel)
{
    while (channel->view.n_offers != 0 || channel->view.n_reads_open != 0) {
        run_once(channel);
    }
    int64_t end = banked_later(channel->last_done, channel->last_admitted + 1);
    end = banked_later(end, 0);
    (void)wm_banked_run(channel, (uint64_t)end, 0);
    return (uint64_t)end;
}

uint64_t wm_banked_finish(wm_banked *channel)
{
    (void)wm_banked_finish_reads(channel);
    while (channel->n_queued[1] != 0 || channel->is_active != 0) {
        run_once(channel);
    }
    return (uint64_t)channel->view.now;
}
