/*
 * naive_dram.h -- a DRAM channel tick by tick, as slow as it is plain: every
 * constraint looked up between every two commands, every request looked at in
 * every tick.  The model of banked.h must issue the same commands.
 *
 * It knows the semantics that docs/MODEL.md describes with open rows, a cap on
 * hits, all-bank refresh and bursts; closed pages, time-outs and per-bank
 * refresh are the auditor's (tests/dram).
 */
#ifndef WM_TESTS_NAIVE_DRAM_H
#define WM_TESTS_NAIVE_DRAM_H

#include "model/dram/banked.h"

#define NAIVE_LONG_AGO (-1000000)
#define NAIVE_MAX      4096

enum { NAIVE_QUEUED, NAIVE_ACTIVE, NAIVE_DONE };

typedef struct naive_request {
    int64_t due, arrive, activated;
    uint64_t row;
    uint32_t bank, column, atoms, order;
    bool is_write, is_admitted, is_whole;
    int state;
} naive_request;

typedef struct naive_dram {
    const wm_standard *standard;
    wm_banked_params params;
    naive_request request[NAIVE_MAX];
    uint32_t n_requests, n_offered; /* given; admitted or merged */
    /* last start of each command on each bank; the last four ACTs of a pc */
    int64_t last[WM_DRAM_COMMANDS][64];
    int64_t acts[4][4];
    int64_t row_bus, col_bus; /* free from */
    int64_t row[64];          /* open, or -1 */
    uint32_t n_columns[64];
    int refresh[64];
    uint32_t n_refresh;
    bool is_writing;
    int64_t pair_tick;
    uint32_t pair_pc, pair_bank, pair_kind;
    wm_dram_command *out;
    size_t n_out, cap_out;
} naive_dram;

naive_dram *naive_new(const wm_standard *standard,
                      const wm_banked_params *params);
void naive_tick(naive_dram *d, int64_t t);

#endif
