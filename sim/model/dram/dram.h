/*
 * dram.h -- one memory channel, model "simple": latency, bandwidth, open rows
 * and activate rate, served in order of arrival.
 *
 * A request names a line of the channel and the sectors of it.  Each sector
 * takes one slot of the data bus; a row that is not open first waits for its
 * bank (bank_cycle), for the channel's activate rate (activate_interval) and
 * costs row_miss more latency, while the bus goes on serving other banks.
 * Writes are gathered and written in batches; the first read after a batch
 * pays one turnaround, so that writes alone pay none.
 *
 * Time at which a read's data are in the L2:
 *     open row, idle bus:   t + latency - row_miss + sector time
 *     closed row:           t + latency + sector time
 * and later by every wait above.
 *
 * Not modelled  refresh, command bus, reordering (FR-FCFS), write-to-read
 *               forwarding: the banked model has them (banked.h).
 * Units         picoseconds; sectors; local line numbers (spread.h rank).
 * Ownership     new/free.
 * Threads       one thread per channel.
 * Repeatable    integers only.
 * Cost          O(sectors) per request, no allocation after new.
 */
#ifndef WM_MODEL_DRAM_H
#define WM_MODEL_DRAM_H

#include <stdint.h>

#include "base/status.h"

typedef struct wm_dram_params {
    uint64_t sector_time_fs; /* bus time per sector read, femtoseconds */
    uint64_t write_time_fs;  /* per sector written */
    uint64_t latency_ps;     /* miss to data, closed row */
    uint64_t row_miss_ps;    /* <= latency_ps */
    uint64_t bank_cycle_ps;
    uint64_t activate_interval_ps;
    uint64_t turnaround_ps;
    uint32_t write_batch; /* sectors */
    uint32_t n_banks;
    uint32_t lines_per_row; /* >= 1 */
    uint32_t row_window;    /* requests that the controller can put in order */
} wm_dram_params;

typedef struct wm_dram_stats {
    uint64_t n_read_sectors;
    uint64_t n_write_sectors;
    uint64_t n_row_hits;   /* sectors */
    uint64_t n_row_misses; /* sectors: the first of each opened row */
    uint64_t n_activates;
    uint64_t busy_ps; /* data bus in use, turnarounds included */
} wm_dram_stats;

typedef struct wm_dram wm_dram;

wm_status wm_dram_new(const wm_dram_params *params, wm_dram **out,
                      wm_error *err);
void wm_dram_free(wm_dram *dram); /* NULL is fine */

/* A read arriving at t_ps; returns when its last sector's data are in the L2.
 * Calls need not rise in t_ps, but are served in call order; callers keep
 * them nearly sorted. */
uint64_t wm_dram_read(wm_dram *dram, uint64_t t_ps, uint64_t local_line,
                      uint32_t n_sectors);
/* A write; nobody waits for it, but it takes bus and bank time.  Returns until
 * when the bus is given away: who writes faster than that has to wait. */
uint64_t wm_dram_write(wm_dram *dram, uint64_t t_ps, uint64_t local_line,
                       uint32_t n_sectors);
/* The same for those who ask for no times (counts mode): rows are opened and
 * sectors counted, at a third of the cost.  n_sectors != 0. */
void wm_dram_count_read(wm_dram *dram, uint64_t local_line, uint32_t n_sectors);
void wm_dram_count_write(wm_dram *dram, uint64_t local_line,
                         uint32_t n_sectors);
/* Writes what is still gathered; returns the time the channel falls idle. */
uint64_t wm_dram_drain(wm_dram *dram, uint64_t t_ps);

/* Brings the figures up to date. */
const wm_dram_stats *wm_dram_get_stats(wm_dram *dram);
void wm_dram_clear_stats(wm_dram *dram);

#endif
