/*
 * timing.h -- the constraints of a standard, in ticks from start to start:
 * docs/DRAM.md section 2 worked out.
 *
 * Bank-scope rules are one number each.  Rules between banks of one
 * pseudo-channel are rows of lanes: row[group][lane] is what a command of that
 * group asks of the bank at that lane, the largest of its pseudo-channel, stack
 * and group rules, so that one vector maximum serves all of them.
 *
 * Units    ticks; lane = bank number within the pseudo-channel.
 * Threads  const after init.
 */
#ifndef WM_MODEL_DRAM_TIMING_H
#define WM_MODEL_DRAM_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "model/dram/standard.h"

#define WM_DRAM_BANKS 64u
#define WM_DRAM_GROUPS                                                         \
    64u /* groups of a channel, each of at least one bank                      \
         */
#define WM_DRAM_PCS  4u
#define WM_DRAM_FREE (-20000) /* a lane that a rule leaves alone */
/* Longest interval: banks keep times in 16 bits. */
#define WM_DRAM_DELAY_MAX 8000

typedef struct wm_dram_lanes {
    int16_t lane[WM_DRAM_BANKS];
} wm_dram_lanes;

typedef struct wm_dram_timing {
    uint32_t n_pcs, n_banks, banks_per_pc, banks_per_group;
    uint32_t group_shift; /* bank >> shift = group */
    uint32_t pc_shift;    /* bank >> shift = pseudo-channel */
    bool is_single_bus, has_hbm3_edges, refp_is_act;
    int32_t len_act, len_pre, len_ref, len_col;
    /* one bank */
    int32_t act_act, act_rd, act_wr, act_pre, rd_pre, wr_pre, pre_act;
    int32_t rda_act, wra_act, refp_act;
    int32_t act_refp, pre_refp, rda_refp, wra_refp, refp_refp;
    /* one pseudo-channel */
    int32_t faw, faw_refp; /* to ACT, to REFP; 0 = none */
    int32_t rd_wr, ppd;
    int32_t act_prea, rd_prea, wr_prea, prea_act, prea_refa, prea_refp;
    int32_t act_refa, pre_refa, rda_refa, wra_refa;
    int32_t refa_act, refa_pre, refa_refa, refa_refp;
    int32_t refp_refa, refp_other, refp_act_other, act_refp_other;
    /* rows of lanes, by the group of the command within its channel */
    wm_dram_lanes act_to_act[WM_DRAM_GROUPS];
    wm_dram_lanes rd_to_rd[WM_DRAM_GROUPS];
    wm_dram_lanes wr_to_wr[WM_DRAM_GROUPS];
    wm_dram_lanes wr_to_rd[WM_DRAM_GROUPS];
    wm_dram_lanes rd_to_wr; /* the same for every group */
    wm_dram_lanes none;     /* 0 for each bank of a pseudo-channel */
    int32_t read_latency, write_latency; /* column to its last data */
    int32_t burst;                       /* ticks of data of one atom */
    int32_t slot; /* tCCD_S: ticks from atom to atom at peak */
    int32_t refi, refi_pb;
} wm_dram_timing;

wm_status wm_dram_timing_init(wm_dram_timing *timing,
                              const wm_standard *standard, wm_error *err);

#endif
