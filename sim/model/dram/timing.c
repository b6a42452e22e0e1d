/*
 * timing.c -- from timings to start-to-start constraints.
 */
#include "model/dram/timing.h"

#include <string.h>

#include "base/bits.h"

typedef struct timing_maker {
    const wm_standard *standard;
    int32_t longest;
} timing_maker;

static int32_t timing_of(const timing_maker *maker, wm_standard_timing t)
{
    return (int32_t)maker->standard->ticks[t];
}

/* Intervals count between last ticks. */
static int32_t timing_start(timing_maker *maker, int32_t interval,
                            int32_t previous, int32_t next)
{
    int32_t start = interval + previous - next;
    start = start > 1 ? start : 1;
    maker->longest = start > maker->longest ? start : maker->longest;
    return start;
}

static void timing_bank(wm_dram_timing *t, timing_maker *m)
{
    const int32_t write = timing_of(m, WM_T_CWL) + timing_of(m, WM_T_BL);
    const int32_t wr2pre = write + timing_of(m, WM_T_WR);
    const int32_t rp = timing_of(m, WM_T_RP);
    const int32_t rc = timing_of(m, WM_T_RC);
    const int32_t rtp = timing_of(m, WM_T_RTP);
    const int32_t rfc = timing_of(m, WM_T_RFC_PB);
    t->act_act = timing_start(m, rc, t->len_act, t->len_act);
    t->act_rd =
        timing_start(m, timing_of(m, WM_T_RCD_RD), t->len_act, t->len_col);
    t->act_wr =
        timing_start(m, timing_of(m, WM_T_RCD_WR), t->len_act, t->len_col);
    t->act_pre =
        timing_start(m, timing_of(m, WM_T_RAS), t->len_act, t->len_pre);
    t->rd_pre = timing_start(m, rtp, t->len_col, t->len_pre);
    t->wr_pre = timing_start(m, wr2pre, t->len_col, t->len_pre);
    t->pre_act = timing_start(m, rp, t->len_pre, t->len_act);
    t->rda_act = timing_start(m, rtp + rp, t->len_col, t->len_act);
    t->wra_act = timing_start(m, wr2pre + rp, t->len_col, t->len_act);
    t->refp_act = timing_start(m, rfc, t->len_ref, t->len_act);
    t->act_refp = timing_start(m, rc, t->len_act, t->len_ref);
    t->pre_refp = timing_start(m, rp, t->len_pre, t->len_ref);
    t->rda_refp = timing_start(m, rtp + rp, t->len_col, t->len_ref);
    t->wra_refp = timing_start(m, wr2pre + rp, t->len_col, t->len_ref);
    t->refp_refp = timing_start(m, rfc, t->len_ref, t->len_ref);
}

static void timing_pc(wm_dram_timing *t, timing_maker *m)
{
    const int32_t wr2pre =
        timing_of(m, WM_T_CWL) + timing_of(m, WM_T_BL) + timing_of(m, WM_T_WR);
    const int32_t rp = timing_of(m, WM_T_RP);
    const int32_t rp_ab = timing_of(m, WM_T_RP_AB);
    const int32_t rc = timing_of(m, WM_T_RC);
    const int32_t rtp = timing_of(m, WM_T_RTP);
    const int32_t faw = timing_of(m, WM_T_FAW);
    const int32_t rfc = timing_of(m, WM_T_RFC_AB);
    const int32_t rfc_pb = timing_of(m, WM_T_RFC_PB);
    const int32_t rrefd = timing_of(m, WM_T_RREFD);
    t->faw = faw == 0 ? 0 : timing_start(m, faw, t->len_act, t->len_act);
    t->faw_refp = faw == 0 ? 0 : timing_start(m, faw, t->len_act, t->len_ref);
    t->rd_wr = timing_start(m, timing_of(m, WM_T_RTW), t->len_col, t->len_col);
    t->ppd = timing_of(m, WM_T_PPD);
    t->act_prea =
        timing_start(m, timing_of(m, WM_T_RAS), t->len_act, t->len_pre);
    t->rd_prea = timing_start(m, rtp, t->len_col, t->len_pre);
    t->wr_prea = timing_start(m, wr2pre, t->len_col, t->len_pre);
    t->prea_act = timing_start(m, rp_ab, t->len_pre, t->len_act);
    t->prea_refa = timing_start(m, rp_ab, t->len_pre, t->len_ref);
    t->prea_refp = t->prea_refa;
    t->act_refa = timing_start(m, rc, t->len_act, t->len_ref);
    t->pre_refa = timing_start(m, rp, t->len_pre, t->len_ref);
    t->rda_refa = timing_start(m, rtp + rp, t->len_col, t->len_ref);
    t->wra_refa = timing_start(m, wr2pre + rp, t->len_col, t->len_ref);
    t->refa_act = timing_start(m, rfc, t->len_ref, t->len_act);
    t->refa_pre = timing_start(m, rfc, t->len_ref, t->len_pre);
    t->refa_refa = timing_start(m, rfc, t->len_ref, t->len_ref);
    t->refa_refp = t->refa_refa;
    t->refp_refa = timing_start(m, rfc_pb, t->len_ref, t->len_ref);
    t->refp_other = timing_start(m, rrefd, t->len_ref, t->len_ref);
    t->refp_act_other = timing_start(m, rrefd, t->len_ref, t->len_act);
    t->act_refp_other =
        timing_start(m, timing_of(m, WM_T_RRD_S), t->len_act, t->len_ref);
    if (t->refp_is_act) {
        const int32_t rrd =
            timing_start(m, timing_of(m, WM_T_RRD_S), t->len_ref, t->len_act);
        t->refp_act_other = t->refp_act_other > rrd ? t->refp_act_other : rrd;
    }
}

static int16_t timing_most(int32_t a, int32_t b)
{
    return (int16_t)(a > b ? a : b);
}

/* Rows of the group g for every lane of its pseudo-channel. */
static void timing_rows(wm_dram_timing *t, timing_maker *m, uint32_t g)
{
    const uint32_t per_sid = t->banks_per_pc / m->standard->stack_ids;
    const uint32_t first = (g << t->group_shift) & (t->banks_per_pc - 1);
    const int32_t write = timing_of(m, WM_T_CWL) + timing_of(m, WM_T_BL);
    const int32_t len = t->len_col;
    for (uint32_t k = 0; k < WM_DRAM_BANKS; k++) {
        t->act_to_act[g].lane[k] = WM_DRAM_FREE;
        t->rd_to_rd[g].lane[k] = WM_DRAM_FREE;
        t->wr_to_wr[g].lane[k] = WM_DRAM_FREE;
        t->wr_to_rd[g].lane[k] = WM_DRAM_FREE;
    }
    for (uint32_t k = 0; k < t->banks_per_pc; k++) {
        const bool is_near = k >> t->group_shift == first >> t->group_shift;
        const bool is_far = k / per_sid != first / per_sid;
        t->act_to_act[g].lane[k] = (int16_t)timing_start(
            m,
            timing_most(timing_of(m, WM_T_RRD_S),
                        is_near ? timing_of(m, WM_T_RRD_L) : 0),
            t->len_act, t->len_act);
        t->rd_to_rd[g].lane[k] = (int16_t)timing_start(
            m,
            timing_most(timing_of(m, WM_T_CCD_S),
                        is_near  ? timing_of(m, WM_T_CCD_L)
                        : is_far ? timing_of(m, WM_T_CCD_R)
                                 : 0),
            len, len);
        t->wr_to_wr[g].lane[k] = (int16_t)timing_start(
            m,
            timing_most(timing_of(m, WM_T_CCD_S),
                        is_near ? timing_of(m, WM_T_CCD_WR) : 0),
            len, len);
        t->wr_to_rd[g].lane[k] = (int16_t)timing_start(
            m,
            write + timing_most(timing_of(m, WM_T_WTR_S),
                                is_near ? timing_of(m, WM_T_WTR_L) : 0),
            len, len);
    }
}

wm_status wm_dram_timing_init(wm_dram_timing *timing,
                              const wm_standard *standard, wm_error *err)
{
    timing_maker maker = {standard, 0};
    memset(timing, 0, sizeof(*timing));
    timing->n_pcs = standard->pseudo_channels;
    timing->n_banks = wm_standard_n_banks(standard);
    timing->banks_per_pc = timing->n_banks / timing->n_pcs;
    timing->banks_per_group = standard->banks;
    timing->group_shift = wm_lowest_bit(standard->banks);
    timing->pc_shift = wm_lowest_bit(timing->banks_per_pc);
    timing->is_single_bus = standard->is_single_bus;
    timing->has_hbm3_edges = standard->has_hbm3_edges;
    timing->refp_is_act = standard->refresh_counts_as_activate;
    timing->len_act = (int32_t)standard->length_ticks[WM_LENGTH_ACT];
    timing->len_pre = (int32_t)standard->length_ticks[WM_LENGTH_PRE];
    timing->len_ref = (int32_t)standard->length_ticks[WM_LENGTH_REF];
    timing->len_col = (int32_t)standard->length_ticks[WM_LENGTH_COLUMN];
    timing_bank(timing, &maker);
    timing_pc(timing, &maker);
    for (uint32_t g = 0; g < timing->n_banks >> timing->group_shift; g++) {
        timing_rows(timing, &maker, g);
    }
    for (uint32_t k = 0; k < WM_DRAM_BANKS; k++) {
        const bool is_bank = k < timing->banks_per_pc;
        timing->rd_to_wr.lane[k] =
            is_bank ? (int16_t)timing->rd_wr : WM_DRAM_FREE;
        timing->none.lane[k] = is_bank ? 0 : WM_DRAM_FREE;
    }
    const int32_t burst = timing_of(&maker, WM_T_BL);
    timing->read_latency = timing_of(&maker, WM_T_CL) + burst;
    timing->write_latency = timing_of(&maker, WM_T_CWL) + burst;
    timing->burst = burst;
    timing->slot = timing_of(&maker, WM_T_CCD_S);
    timing->refi = timing_of(&maker, WM_T_REFI);
    timing->refi_pb = timing_of(&maker, WM_T_REFI_PB);
    if (maker.longest > WM_DRAM_DELAY_MAX) {
        return wm_fail(err, WM_ECONFIG,
                       "%s: an interval of %d ticks, wanted at most %d",
                       standard->file[standard->n_files - 1], maker.longest,
                       WM_DRAM_DELAY_MAX);
    }
    if (timing->slot < burst ||
        timing->rd_wr + timing->write_latency < timing->read_latency + burst) {
        return wm_fail(err, WM_ECONFIG,
                       "%s: bursts of %d ticks, tCCD_S %d and tRTW %d, wanted "
                       "no two of them at once on the data bus",
                       standard->file[standard->n_files - 1], burst,
                       timing->slot, timing->rd_wr);
    }
    if (timing->refi <= timing->refa_act || timing->refi_pb == 0 ||
        timing->len_act == 0 || timing->len_pre == 0 || timing->len_ref == 0 ||
        timing->len_col == 0 || timing->slot == 0 || burst == 0) {
        return wm_fail(err, WM_ECONFIG,
                       "%s: tREFI %d ticks, tRFC_AB about %d, wanted tREFI "
                       "above it and every length, tBL and tCCD_S above 0",
                       standard->file[standard->n_files - 1], timing->refi,
                       timing->refa_act);
    }
    return WM_OK;
}
