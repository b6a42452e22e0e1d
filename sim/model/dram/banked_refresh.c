/*
 * banked_refresh.c -- refreshes asked for, and the commands that lead to them.
 */
#include "model/dram/banked_internal.h"

void wm_banked_ask_refresh(wm_banked *channel, int64_t tick)
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

int64_t wm_banked_refresh_tick(const wm_banked *channel)
{
    const uint32_t pc = channel->refresh_pc[channel->refresh_head];
    const banked_pc *state = &channel->pc[pc];
    int64_t tick = 0;
    if ((channel->is_open & banked_pc_mask(channel, pc)) != 0) {
        if (state->n_active != 0) {
            return NEVER;
        }
        tick = banked_later(channel->row_free, state->prea_at);
        if (channel->pair_tick == tick &&
            (channel->pair_banks & banked_pc_mask(channel, pc)) != 0) {
            tick++;
        }
        return tick;
    }
    tick = banked_later(channel->row_free, state->refa_at);
    return banked_is_rising(channel, tick) ? tick : tick + 1;
}

void wm_banked_move_refresh(wm_banked *channel, int64_t tick)
{
    const uint32_t pc = channel->refresh_pc[channel->refresh_head];
    if (wm_banked_refresh_tick(channel) > tick) {
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
    if (banked_is_rising(channel, tick)) {
        channel->refresh_head =
            (channel->refresh_head + 1) % sizeof(channel->refresh_pc);
        channel->n_refresh--;
        wm_banked_refresh_all(channel, pc, tick);
    }
}

int64_t wm_banked_refp_tick(const wm_banked *channel, uint32_t bank)
{
    const wm_dram_timing *t = channel->timing;
    const uint64_t bit = UINT64_C(1) << bank;
    const banked_pc *pc = &channel->pc[bank >> t->pc_shift];
    if ((channel->is_active & bit) != 0) {
        return NEVER;
    }
    if ((channel->is_open & bit) != 0) {
        int64_t tick = banked_later(channel->row_free,
                                    channel->base + channel->pre_at[bank]);
        return channel->pair_tick == tick && (channel->pair_banks & bit) != 0
                   ? tick + 1
                   : tick;
    }
    int64_t tick = banked_later(channel->row_free, channel->refp_at[bank]);
    const int64_t last = pc->acts[(pc->acts_head + 3) & 3];
    tick = banked_later(tick, last + t->act_refp_other);
    if (t->refp_is_act && t->faw != 0) {
        tick = banked_later(tick, pc->acts[pc->acts_head] + t->faw_refp);
    }
    return banked_is_rising(channel, tick) ? tick : tick + 1;
}

void wm_banked_move_refp(wm_banked *channel, int64_t tick)
{
    for (uint64_t m = channel->must_refresh; m != 0; m &= m - 1) {
        const uint32_t bank = wm_lowest_bit(m);
        const uint64_t bit = UINT64_C(1) << bank;
        if (wm_banked_refp_tick(channel, bank) > tick) {
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
        if (banked_is_rising(channel, tick)) {
            wm_banked_refresh_bank(channel, bank, tick);
            return;
        }
    }
}
