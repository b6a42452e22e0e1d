/*
 * banked_issue.c -- what each command does: bounds raised, states changed, the
 * data bus accounted.
 */
#include "model/dram/banked_lists_internal.h"
#include "model/dram/lanes.h"

enum { OUTCOME_NONE, OUTCOME_HIT, OUTCOME_MISS, OUTCOME_CONFLICT };

static int64_t issue_later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void issue_emit(wm_banked *channel, wm_dram_command_kind kind,
                       uint32_t bank, uint64_t row, uint32_t column,
                       int64_t tick)
{
    channel->stats.n_commands[kind]++;
    if (channel->params.command != NULL) {
        const wm_dram_command command = {(uint64_t)tick, row, bank, column,
                                         kind};
        channel->params.command(&command, channel->params.command_context);
    }
}

/* The first command of a request says what it met. */
static void issue_outcome(wm_banked *channel, banked_entry *entry,
                          uint8_t outcome)
{
    if (entry->has_begun == OUTCOME_NONE) {
        entry->has_begun = outcome;
        channel->stats.n_hits += outcome == OUTCOME_HIT;
        channel->stats.n_misses += outcome == OUTCOME_MISS;
        channel->stats.n_conflicts += outcome == OUTCOME_CONFLICT;
    }
}

/* A row command at tick occupies its bus. */
static void issue_row_bus(wm_banked *channel, int64_t tick, int32_t length)
{
    channel->row_free = tick + length;
    if (channel->timing->is_single_bus) {
        channel->col_free = channel->row_free;
    }
}

/* HBM3: after a row command on a rising edge, its falling edge takes no PRE of
 * these banks. */
static void issue_pair(wm_banked *channel, int64_t tick, uint64_t banks,
                       bool is_act)
{
    if (channel->timing->has_hbm3_edges && (tick & 1) != 0) {
        channel->pair_tick = tick + (is_act ? 3 : 1);
        channel->pair_banks = banks;
    }
}

/* --- the data bus --------------------------------------------------------- */
/* Why the bus stood still until this column. */
static RARE wm_dram_loss issue_cause(const wm_banked *channel,
                                     const banked_pc *pc,
                                     const banked_entry *entry)
{
    const wm_dram_timing *timing = channel->timing;
    const int32_t open =
        wm_banked_is_write(&entry->request) ? timing->act_wr : timing->act_rd;
    if (entry->is_queued == 0 && entry->atoms == entry->all_atoms &&
        channel->last_act[wm_banked_bank_of(&entry->request)] + open >
            pc->data_end) {
        return (wm_dram_loss)entry->cause;
    }
    return pc->is_last_write != wm_banked_is_write(&entry->request)
               ? WM_LOSS_TURN
               : WM_LOSS_GROUP;
}

/* The data bus stood still for gap ticks before this column. */
static RARE void issue_gap(wm_banked *channel, banked_pc *pc,
                           const banked_entry *entry, int64_t tick, int64_t gap)
{
    uint64_t *lost = channel->stats.lost;
    const int64_t idle = pc->idle < gap ? pc->idle : gap;
    lost[WM_LOSS_IDLE] += (uint64_t)idle;
    gap -= idle;
    pc->idle = 0;
    if (pc->refresh_to > pc->data_end) {
        const int64_t from = issue_later(pc->data_end, pc->refresh_from);
        const int64_t to = pc->refresh_to < tick ? pc->refresh_to : tick;
        int64_t refresh = to > from ? to - from : 0;
        refresh = refresh < gap ? refresh : gap;
        lost[WM_LOSS_REFRESH] += (uint64_t)refresh;
        gap -= refresh;
    }
    lost[issue_cause(channel, pc, entry)] += (uint64_t)gap;
}

static SPECIALISED void issue_account(wm_banked *channel, banked_pc *pc,
                                      const banked_entry *entry, int64_t tick)
{
    const int64_t gap = tick - pc->data_end;
    if (gap > 0) {
        issue_gap(channel, pc, entry, tick, gap);
    } else {
        pc->idle = 0;
    }
    pc->data_end = issue_later(tick, pc->data_end) + channel->timing->slot;
    pc->is_last_write = wm_banked_is_write(&entry->request);
}

/* --- columns -------------------------------------------------------------- */
static SPECIALISED void issue_read_bounds(wm_banked *channel, banked_pc *pc,
                                          uint32_t bank, int64_t tick)
{
    const wm_dram_timing *t = channel->timing;
    const uint32_t first = banked_first_of(t, bank);
    const uint32_t n = t->banks_per_pc;
    const int16_t now = banked_lane_time(channel, tick);
    wm_lanes_raise(channel->rd_at + first,
                   t->rd_to_rd[bank >> t->group_shift].lane, n, now);
    wm_lanes_raise(channel->wr_at + first, t->rd_to_wr.lane, n, now);
    banked_lane_raise(&channel->pre_at[bank], now + t->rd_pre);
    pc->prea_at = issue_later(pc->prea_at, tick + t->rd_prea);
}

static SPECIALISED void issue_write_bounds(wm_banked *channel, banked_pc *pc,
                                           uint32_t bank, int64_t tick)
{
    const wm_dram_timing *t = channel->timing;
    const uint32_t first = banked_first_of(t, bank);
    const uint32_t n = t->banks_per_pc;
    const int16_t now = banked_lane_time(channel, tick);
    wm_lanes_raise(channel->wr_at + first,
                   t->wr_to_wr[bank >> t->group_shift].lane, n, now);
    wm_lanes_raise(channel->rd_at + first,
                   t->wr_to_rd[bank >> t->group_shift].lane, n, now);
    banked_lane_raise(&channel->pre_at[bank], now + t->wr_pre);
    pc->prea_at = issue_later(pc->prea_at, tick + t->wr_prea);
}

/* Whether a queued request other than index wants the bank's open row. */
static RARE bool issue_is_wanted(const wm_banked *channel, uint32_t bank,
                                 uint16_t index)
{
    for (uint32_t list = 0; list < 2; list++) {
        const uint16_t ring = banked_ring(channel, list, bank);
        for (uint16_t i = channel->link[ring].next; i != ring;
             i = channel->link[i].next) {
            if (i != index &&
                channel->entry[i].request.row == channel->row[bank]) {
                return true;
            }
        }
    }
    return false;
}

/* The bank closes by itself after a column. */
static RARE void issue_auto_precharge(wm_banked *channel, uint32_t bank,
                                      bool is_write, int64_t tick)
{
    const wm_dram_timing *t = channel->timing;
    banked_pc *pc = &channel->pc[banked_pc_of(channel, bank)];
    const int64_t opened = channel->last_act[bank];
    /* tRAS holds for the hidden precharge too. */
    const int64_t act = issue_later(tick + (is_write ? t->wra_act : t->rda_act),
                                    opened + t->act_pre + t->pre_act);
    const int64_t refa =
        issue_later(tick + (is_write ? t->wra_refa : t->rda_refa),
                    opened + t->act_pre + t->pre_refa);
    channel->is_open &= ~(UINT64_C(1) << bank);
    banked_lane_raise(&channel->act_at[bank], (int32_t)(act - channel->base));
    pc->refa_at = issue_later(pc->refa_at, refa);
    channel->refp_at[bank] = issue_later(channel->refp_at[bank], refa);
    channel->last_pre[bank] = tick;
}

/* The request has all its data: its place is free. */
static SPECIALISED void issue_retire(wm_banked *channel, banked_pc *pc,
                                     banked_entry *entry, uint16_t index,
                                     int64_t tick, bool is_write)
{
    if (entry->is_queued != 0) {
        banked_unlink(channel, entry, is_write, index);
    } else {
        channel->is_active &=
            ~(UINT64_C(1) << wm_banked_bank_of(&entry->request));
        pc->n_active--;
    }
    if (--pc->n_entries == 0) {
        pc->empty_since = tick;
    }
    if (!is_write) {
        channel->view.n_reads_open--;
        banked_complete(channel, wm_banked_token_of(&entry->request),
                        entry->arrive, (int64_t)entry->request.due,
                        tick + channel->timing->read_latency);
    }
    channel->link[index].next = channel->free_entry;
    channel->free_entry = index;
}

/* The column of the bank's candidate at tick.  Constant to the compiler:
 * is_write, and is_plain: rows stay open, hits have no cap and no right of way,
 * nobody listens. */
static SPECIALISED void issue_column(wm_banked *channel, uint32_t bank,
                                     int64_t tick, banked_entry *entry,
                                     bool is_write, bool is_plain)
{
    const wm_dram_timing *t = channel->timing;
    const uint16_t index = channel->col_entry[bank];
    banked_pc *pc = &channel->pc[bank >> t->pc_shift];
    const bool is_last = (entry->atoms & (entry->atoms - 1)) == 0;
    issue_account(channel, pc, entry, tick);
    if (is_write) {
        issue_write_bounds(channel, pc, bank, tick);
    } else {
        issue_read_bounds(channel, pc, bank, tick);
    }
    channel->col_free = tick + t->len_col;
    if (t->is_single_bus) {
        channel->row_free = channel->col_free;
    }
    issue_outcome(channel, entry, OUTCOME_HIT);
    bool is_auto = false;
    if (is_plain) {
        channel->stats.n_commands[is_write ? WM_DRAM_WR : WM_DRAM_RD]++;
    } else {
        channel->last_column[bank] = tick;
        channel->n_columns[bank]++;
        is_auto = is_last && channel->params.page == WM_PAGE_CLOSED &&
                  !issue_is_wanted(channel, bank, index);
        issue_emit(channel,
                   is_write ? (is_auto ? WM_DRAM_WRA : WM_DRAM_WR)
                            : (is_auto ? WM_DRAM_RDA : WM_DRAM_RD),
                   bank, entry->request.row,
                   wm_banked_column_of(&entry->request) +
                       wm_lowest_bit(entry->atoms),
                   tick);
    }
    entry->atoms &= (uint8_t)(entry->atoms - 1);
    const bool is_queued = entry->is_queued != 0;
    const uint16_t next = is_last ? channel->link[index].next : index;
    if (is_last) {
        issue_retire(channel, pc, entry, index, tick, is_write);
    }
    if (is_auto) {
        issue_auto_precharge(channel, bank, is_write, tick);
    }
    if (is_plain && is_queued) {
        wm_banked_choose_hit(channel, bank, next);
    } else {
        wm_banked_choose(channel, bank);
    }
}

static RARE void issue_other_column(wm_banked *channel, uint32_t bank,
                                    int64_t tick, banked_entry *entry)
{
    if (wm_banked_is_write(&entry->request)) {
        issue_column(channel, bank, tick, entry, true, false);
    } else {
        issue_column(channel, bank, tick, entry, false, false);
    }
}

void wm_banked_column(wm_banked *channel, uint32_t bank, int64_t tick)
{
    banked_entry *entry = &channel->entry[channel->col_entry[bank]];
    if (!channel->is_plain) {
        issue_other_column(channel, bank, tick, entry);
    } else if (wm_banked_is_write(&entry->request)) {
        issue_column(channel, bank, tick, entry, true, true);
    } else {
        issue_column(channel, bank, tick, entry, false, true);
    }
}

/* --- rows ----------------------------------------------------------------- */
/* The rate of activates of a pseudo-channel: ACT, or a REFP that counts; that
 * one is kept as the ACT that would end with it. */
static void issue_act_rate(wm_banked *channel, uint32_t bank, int64_t tick,
                           int32_t length)
{
    const wm_dram_timing *t = channel->timing;
    banked_pc *pc = &channel->pc[bank >> t->pc_shift];
    const uint32_t first = bank >> t->pc_shift << t->pc_shift;
    pc->acts[pc->acts_head] = tick + length - t->len_act;
    pc->acts_head = (pc->acts_head + 1) & 3;
    const int64_t faw = pc->acts[pc->acts_head] + t->faw;
    if (t->faw != 0 && faw > tick) {
        wm_lanes_raise(channel->act_at + first, t->none.lane, t->banks_per_pc,
                       banked_lane_time(channel, faw));
    }
}

/* What held this ACT back the longest. */
static wm_dram_loss issue_act_cause(const wm_banked *channel, uint32_t bank,
                                    const banked_entry *entry, int64_t tick)
{
    const wm_dram_timing *t = channel->timing;
    const banked_pc *pc = &channel->pc[bank >> t->pc_shift];
    const int64_t last = pc->acts[(pc->acts_head + 3) & 3];
    const int64_t rate =
        issue_later(pc->acts[pc->acts_head] + t->faw, last + t->act_refp_other);
    const int64_t own = issue_later(channel->last_pre[bank] + t->pre_act,
                                    channel->last_act[bank] + t->act_act);
    if (rate >= tick && rate >= own) {
        return WM_LOSS_ACT_RATE;
    }
    return entry->has_begun == OUTCOME_MISS ? WM_LOSS_ROW_MISS
                                            : WM_LOSS_CONFLICT;
}

void wm_banked_activate(wm_banked *channel, uint32_t bank, int64_t tick)
{
    const wm_dram_timing *t = channel->timing;
    const uint16_t index = channel->row_entry[bank];
    banked_entry *entry = &channel->entry[index];
    banked_pc *pc = &channel->pc[bank >> t->pc_shift];
    const int16_t now = banked_lane_time(channel, tick);
    issue_outcome(channel, entry, OUTCOME_MISS);
    entry->cause = (uint8_t)issue_act_cause(channel, bank, entry, tick);
    banked_unlink(channel, entry, wm_banked_is_write(&entry->request), index);
    channel->is_open |= UINT64_C(1) << bank;
    channel->is_active |= UINT64_C(1) << bank;
    channel->active_entry[bank] = index;
    channel->row[bank] = entry->request.row;
    channel->n_columns[bank] = 0;
    channel->last_act[bank] = tick;
    channel->last_column[bank] = tick;
    pc->n_active++;
    wm_lanes_raise(channel->act_at + (bank >> t->pc_shift << t->pc_shift),
                   t->act_to_act[bank >> t->group_shift].lane, t->banks_per_pc,
                   now);
    issue_act_rate(channel, bank, tick, t->len_act);
    banked_lane_raise(&channel->act_at[bank], now + t->act_act);
    banked_lane_raise(&channel->rd_at[bank], now + t->act_rd);
    banked_lane_raise(&channel->wr_at[bank], now + t->act_wr);
    banked_lane_raise(&channel->pre_at[bank], now + t->act_pre);
    pc->prea_at = issue_later(pc->prea_at, tick + t->act_prea);
    pc->refa_at = issue_later(pc->refa_at, tick + t->act_refa);
    channel->refp_at[bank] =
        issue_later(channel->refp_at[bank], tick + t->act_refp);
    issue_row_bus(channel, tick, t->len_act);
    issue_pair(channel, tick, UINT64_C(1) << bank, true);
    issue_emit(channel, WM_DRAM_ACT, bank, entry->request.row, 0, tick);
    wm_banked_choose_active(channel, bank);
}

/* PRE to PRE of a pseudo-channel. */
static void issue_ppd(wm_banked *channel, uint32_t pc, int64_t tick)
{
    const wm_dram_timing *t = channel->timing;
    if (t->ppd != 0) {
        wm_lanes_raise(channel->pre_at + (pc << t->pc_shift), t->none.lane,
                       t->banks_per_pc,
                       banked_lane_time(channel, tick + t->ppd));
        channel->pc[pc].prea_at =
            issue_later(channel->pc[pc].prea_at, tick + t->ppd);
    }
}

void wm_banked_precharge(wm_banked *channel, uint32_t bank, int64_t tick)
{
    const wm_dram_timing *t = channel->timing;
    const uint64_t bit = UINT64_C(1) << bank;
    banked_pc *pc = &channel->pc[bank >> t->pc_shift];
    if ((channel->row_pre & bit) != 0) {
        issue_outcome(channel, &channel->entry[channel->row_entry[bank]],
                      OUTCOME_CONFLICT);
    }
    channel->is_open &= ~bit;
    channel->last_pre[bank] = tick;
    banked_lane_raise(&channel->act_at[bank],
                      banked_lane_time(channel, tick) + t->pre_act);
    pc->refa_at = issue_later(pc->refa_at, tick + t->pre_refa);
    channel->refp_at[bank] =
        issue_later(channel->refp_at[bank], tick + t->pre_refp);
    issue_ppd(channel, bank >> t->pc_shift, tick);
    issue_row_bus(channel, tick, t->len_pre);
    issue_pair(channel, tick, bit, false);
    issue_emit(channel, WM_DRAM_PRE, bank, 0, 0, tick);
    wm_banked_choose(channel, bank);
}

/* --- refresh -------------------------------------------------------------- */
/* No bank of the pseudo-channel activates, refreshes before. */
static void issue_hold_pc(wm_banked *channel, uint32_t pc, int64_t act,
                          int64_t refp)
{
    const wm_dram_timing *t = channel->timing;
    const uint32_t first = pc << t->pc_shift;
    wm_lanes_raise(channel->act_at + first, t->none.lane, t->banks_per_pc,
                   banked_lane_time(channel, act));
    for (uint32_t b = first; b < first + t->banks_per_pc; b++) {
        channel->refp_at[b] = issue_later(channel->refp_at[b], refp);
    }
}

void wm_banked_precharge_all(wm_banked *channel, uint32_t pc, int64_t tick)
{
    const wm_dram_timing *t = channel->timing;
    const uint64_t banks = banked_pc_mask(channel, pc);
    channel->is_open &= ~banks;
    channel->pc[pc].refa_at =
        issue_later(channel->pc[pc].refa_at, tick + t->prea_refa);
    issue_hold_pc(channel, pc, tick + t->prea_act, tick + t->prea_refp);
    issue_ppd(channel, pc, tick);
    issue_row_bus(channel, tick, t->len_pre);
    issue_pair(channel, tick, banks, false);
    issue_emit(channel, WM_DRAM_PREA, pc << t->pc_shift, 0, 0, tick);
    wm_banked_choose_all(channel);
}

void wm_banked_refresh_all(wm_banked *channel, uint32_t pc, int64_t tick)
{
    const wm_dram_timing *t = channel->timing;
    banked_pc *state = &channel->pc[pc];
    state->refa_at = issue_later(state->refa_at, tick + t->refa_refa);
    state->prea_at = issue_later(state->prea_at, tick + t->refa_pre);
    issue_hold_pc(channel, pc, tick + t->refa_act, tick + t->refa_refp);
    state->refresh_from = channel->refresh_asked[pc];
    state->refresh_to = tick + t->refa_act;
    issue_row_bus(channel, tick, t->len_ref);
    issue_pair(channel, tick, banked_pc_mask(channel, pc), false);
    issue_emit(channel, WM_DRAM_REFA, pc << t->pc_shift, 0, 0, tick);
    wm_banked_choose_all(channel);
}

void wm_banked_refresh_bank(wm_banked *channel, uint32_t bank, int64_t tick)
{
    const wm_dram_timing *t = channel->timing;
    const uint32_t pc = bank >> t->pc_shift;
    banked_pc *state = &channel->pc[pc];
    issue_hold_pc(channel, pc, tick + t->refp_act_other, tick + t->refp_other);
    banked_lane_raise(&channel->act_at[bank],
                      banked_lane_time(channel, tick) + t->refp_act);
    channel->refp_at[bank] =
        issue_later(channel->refp_at[bank], tick + t->refp_refp);
    state->refa_at = issue_later(state->refa_at, tick + t->refp_refa);
    if (t->refp_is_act) {
        issue_act_rate(channel, bank, tick, t->len_ref);
    }
    channel->must_refresh &= ~(UINT64_C(1) << bank);
    issue_row_bus(channel, tick, t->len_ref);
    issue_pair(channel, tick, banked_pc_mask(channel, pc), false);
    issue_emit(channel, WM_DRAM_REFP, bank, 0, 0, tick);
    wm_banked_choose(channel, bank);
}
