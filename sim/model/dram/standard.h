/*
 * standard.h -- a memory standard as a file of data: organisation, clock,
 * timings as max(ns, n * tCK), mapping, energy.  docs/DRAM.md section 1 is
 * the language of the file; configs/dram holds those that come with the
 * program.
 *
 * Times are kept as they are written and worked out by wm_standard_settle, so
 * that a change of the clock scales what the file gives in CK and rounds anew
 * what it gives in ns.
 *
 * Not modelled  ranks; banks that are no power of two (12-high stacks).
 * Units         femtoseconds (_fs); ticks = CK / ticks_per_ck.
 * Ownership     plain data.
 * Errors        WM_ECONFIG "FILE:LINE:COLUMN: found, wanted"; WM_EIO;
 *               WM_ENOMEM.
 * Repeatable    integers only.
 */
#ifndef WM_MODEL_DRAM_STANDARD_H
#define WM_MODEL_DRAM_STANDARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

#define WM_STANDARD_TEXT 320u /* bytes of a mapping or an expression's file */

/* Every timing, in the order of docs/DRAM.md: name, default ("" = must be
 * given), whether it is rounded down. */
#define WM_STANDARD_TIMINGS(X)                                                 \
    X(CL, "", false)                                                           \
    X(CWL, "", false)                                                          \
    X(BL, "", false)                                                           \
    X(RCD_RD, "", false)                                                       \
    X(RCD_WR, "", false)                                                       \
    X(RP, "", false)                                                           \
    X(RP_AB, "tRP", false)                                                     \
    X(RAS, "", false)                                                          \
    X(RC, "", false)                                                           \
    X(RRD_S, "", false)                                                        \
    X(RRD_L, "", false)                                                        \
    X(FAW, "0 ck", false)                                                      \
    X(CCD_S, "", false)                                                        \
    X(CCD_L, "", false)                                                        \
    X(CCD_R, "tCCD_S", false)                                                  \
    X(CCD_WR, "tCCD_L", false)                                                 \
    X(RTW, "tCL + tBL + 2 ck - tCWL", false)                                   \
    X(WTR_S, "", false)                                                        \
    X(WTR_L, "", false)                                                        \
    X(RTP, "", false)                                                          \
    X(WR, "", false)                                                           \
    X(PPD, "0 ck", false)                                                      \
    X(RFC_AB, "", false)                                                       \
    X(RFC_PB, "0 ck", false)                                                   \
    X(REFI, "", true)                                                          \
    X(REFI_PB, "", true)                                                       \
    X(RREFD, "0 ck", false)

typedef enum wm_standard_timing {
#define X(name, preset, is_down) WM_T_##name,
    WM_STANDARD_TIMINGS(X)
#undef X
        WM_T_COUNT
} wm_standard_timing;

/* Lengths of commands. */
typedef enum wm_standard_length {
    WM_LENGTH_ACT,
    WM_LENGTH_PRE,
    WM_LENGTH_REF,
    WM_LENGTH_COLUMN,
    WM_LENGTH_COUNT
} wm_standard_length;

/* A time as written, and where. */
typedef struct wm_standard_time {
    char text[64]; /* "" = not given */
    uint32_t line, column;
    uint32_t file; /* into file[] */
} wm_standard_time;

#define WM_STANDARD_FILES 8u /* of a chain of bases */

typedef struct wm_standard {
    char name[32];
    char file[WM_STANDARD_FILES][WM_STANDARD_TEXT]; /* as shown;
                                    the last is the one asked for */
    uint32_t n_files;
    uint32_t pseudo_channels, stack_ids, bank_groups, banks;
    uint64_t row_bytes, atom_bytes;
    uint64_t ck_fs;
    uint32_t ticks_per_ck;
    bool is_single_bus;
    bool has_hbm3_edges;
    bool refresh_counts_as_activate;
    char mapping[WM_STANDARD_TEXT];
    /* picojoules x 1000 (femtojoules); has_energy when all were given */
    uint64_t activate_fj, read_fj, write_fj, refresh_fj;
    bool has_energy;
    wm_standard_time time[WM_T_COUNT];
    wm_standard_time length[WM_LENGTH_COUNT];
    wm_standard_time ck;
    /* Worked out: */
    uint32_t ticks[WM_T_COUNT];
    uint32_t length_ticks[WM_LENGTH_COUNT];
} wm_standard;

/* Loads NAME (configs/dram/NAME.yaml on the search path) or a file, its bases
 * first, checks it and works its times out for the CK it names. */
wm_status wm_standard_load(const char *name, wm_standard *out, wm_error *err);

/* Works all times out anew for another CK. */
wm_status wm_standard_settle(wm_standard *standard, uint64_t ck_fs,
                             wm_error *err);

/* The CK at which one channel moves bytes_per_second at its peak. */
uint64_t wm_standard_ck_for(const wm_standard *standard,
                            uint64_t bytes_per_second);

/* Ticks of a time text at the standard's CK; the message starts with place. */
wm_status wm_standard_evaluate(const wm_standard *standard, const char *text,
                               const char *place, bool is_down, uint32_t *ticks,
                               wm_error *err);

static inline uint32_t wm_standard_n_banks(const wm_standard *standard)
{
    return standard->pseudo_channels * standard->stack_ids *
           standard->bank_groups * standard->banks;
}

#endif
