/*
 * dram_simple.c -- a channel as three servers: data bus, activates, banks.
 *
 * The bus and the activate rate serve in order of arrival, each on its own:
 * a request takes the next bus slot and, if its row is closed, the next
 * activate slot, and its data come when both and its bank are ready.  A row
 * miss thus delays its own data only and leaves the bus to others, which is
 * what a reordering controller (FR-FCFS) achieves; what is neglected is that
 * data delayed by their bank then meet the slots of others on the bus.
 * A bank opens its next row bank_cycle after the last one, and not before
 * the columns it was opened for have passed.
 *
 * Requests to one row that come within row_window requests of each other are
 * served together by such a controller, whatever came between: a row counts as
 * open as long as its last request is no further back, for up to OPEN_ROWS
 * rows of a bank.
 *
 * Bus time is kept in picoseconds and femtoseconds, so that no rate is
 * rounded, however long the run.
 */
#include "model/dram/dram.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "model/spread.h"

#define FS_PER_PS 1000u
#define NO_ROW    UINT64_MAX
#define OPEN_ROWS 4u /* of a bank: open, or lately so */

/* One host cache line. */
typedef struct dram_bank {
    uint64_t row[OPEN_ROWS];  /* [0] is open; NO_ROW */
    uint64_t last[OPEN_ROWS]; /* number of its last request */
} dram_bank;

/* Its times, of which counting knows nothing. */
typedef struct dram_bank_times {
    uint64_t column_ps;   /* the open row takes columns from then on */
    uint64_t activate_ps; /* earliest next activate */
} dram_bank_times;

typedef struct dram_write {
    uint64_t line;
    uint32_t n_sectors;
} dram_write;

/* A moment, to the femtosecond. */
typedef struct dram_time {
    uint64_t ps;
    uint64_t fs; /* below 1000 */
} dram_time;

struct wm_dram {
    wm_dram_params params;
    wm_divisor lines_per_row;
    wm_spread bank_of;
    wm_spread_memo last_row;
    dram_bank *banks;
    dram_bank_times *times; /* of each bank */
    dram_write *writes;     /* gathered: at most write_batch */
    uint32_t n_writes;
    uint32_t n_write_sectors;
    dram_time bus_free;
    uint64_t next_activate_ps;
    uint64_t last_end_ps; /* of all columns so far */
    uint64_t n_requests;
    bool is_turned;     /* to writes: the next read turns the bus back */
    uint64_t n_turns;   /* of the bus back to reads */
    uint64_t n_written; /* sectors, of those gathered */
    wm_dram_stats stats;
};

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void time_add_fs(dram_time *time, uint64_t fs)
{
    fs += time->fs;
    time->ps += fs / FS_PER_PS;
    time->fs = fs % FS_PER_PS;
}

static wm_status dram_check(const wm_dram_params *params, wm_error *err)
{
    if (params->n_banks == 0 || params->lines_per_row == 0 ||
        params->write_batch == 0) {
        return wm_fail(err, WM_ECONFIG,
                       "dram: %u banks, %u lines per row, write batch %u; "
                       "want at least 1 of each",
                       params->n_banks, params->lines_per_row,
                       params->write_batch);
    }
    if (params->row_miss_ps > params->latency_ps) {
        return wm_fail(err, WM_ECONFIG,
                       "dram.row_miss: %llu ps, want at most dram.latency "
                       "(%llu ps)",
                       (unsigned long long)params->row_miss_ps,
                       (unsigned long long)params->latency_ps);
    }
    return WM_OK;
}

wm_status wm_dram_new(const wm_dram_params *params, wm_dram **out,
                      wm_error *err)
{
    *out = NULL;
    wm_status status = dram_check(params, err);
    if (status != WM_OK) {
        return status;
    }
    wm_dram *dram = calloc(1, sizeof(*dram));
    if (dram == NULL) {
        return wm_fail_memory(err);
    }
    dram->params = *params;
    dram->lines_per_row = wm_divisor_of(params->lines_per_row);
    dram->bank_of = wm_spread_of(params->n_banks, true);
    dram->banks = aligned_alloc(sizeof(*dram->banks),
                                params->n_banks * sizeof(*dram->banks));
    dram->times = calloc(params->n_banks, sizeof(*dram->times));
    dram->writes = calloc(params->write_batch, sizeof(*dram->writes));
    if (dram->banks == NULL || dram->times == NULL || dram->writes == NULL) {
        wm_dram_free(dram);
        return wm_fail_memory(err);
    }
    for (uint32_t b = 0; b < params->n_banks; b++) {
        for (uint32_t i = 0; i < OPEN_ROWS; i++) {
            dram->banks[b].row[i] = NO_ROW;
            dram->banks[b].last[i] = 0;
        }
    }
    *out = dram;
    return WM_OK;
}

void wm_dram_free(wm_dram *dram)
{
    if (dram != NULL) {
        free(dram->banks);
        free(dram->times);
        free(dram->writes);
        free(dram);
    }
}

/* Brings the row to the front of the bank's list; true when its last request
 * is near enough. */
static inline bool dram_recall(wm_dram *dram, dram_bank *bank, uint64_t row)
{
    const uint64_t now = ++dram->n_requests;
    if (bank->row[0] == row) {
        bank->last[0] = now;
        return true;
    }
    uint64_t at_row = bank->row[0];
    uint64_t at_last = bank->last[0];
    bank->row[0] = row;
    bank->last[0] = now;
    for (uint32_t i = 1; i < OPEN_ROWS; i++) {
        const uint64_t next_row = bank->row[i];
        const uint64_t next_last = bank->last[i];
        bank->row[i] = at_row;
        bank->last[i] = at_last;
        if (next_row == row) {
            return now - next_last <= dram->params.row_window;
        }
        at_row = next_row;
        at_last = next_last;
    }
    return false;
}

/* Looks for the row of a line, for n_sectors; counts hit or miss.  *index:
 * its bank; true when it is open. */
static inline bool dram_find(wm_dram *dram, uint64_t local_line,
                             uint32_t n_sectors, uint64_t *index)
{
    uint64_t row = 0;
    uint64_t in_row = 0;
    uint64_t chunk = wm_divide(&dram->lines_per_row, local_line, &in_row);
    *index = wm_spread_recall(&dram->bank_of, chunk, &row, &dram->last_row);
    if (dram_recall(dram, &dram->banks[*index], row)) {
        dram->stats.n_row_hits += n_sectors;
        return true;
    }
    dram->stats.n_row_misses++;
    dram->stats.n_row_hits += n_sectors - 1;
    return false;
}

/* Opens the row of a line, if need be. */
static dram_bank_times *dram_open(wm_dram *dram, uint64_t t_ps,
                                  uint64_t local_line, uint32_t n_sectors)
{
    uint64_t index = 0;
    const bool is_open = dram_find(dram, local_line, n_sectors, &index);
    dram_bank_times *bank = &dram->times[index];
    if (!is_open) {
        uint64_t slot_ps = later(dram->next_activate_ps, t_ps);
        dram->next_activate_ps = slot_ps + dram->params.activate_interval_ps;
        uint64_t activate_ps = later(slot_ps, bank->activate_ps);
        bank->column_ps = activate_ps + dram->params.row_miss_ps;
        bank->activate_ps = activate_ps + dram->params.bank_cycle_ps;
    }
    return bank;
}

/* The bus is free for someone who comes at t_ps. */
static void dram_bus_wait(wm_dram *dram, uint64_t t_ps)
{
    if (dram->bus_free.ps < t_ps) {
        dram->bus_free.ps = t_ps;
        dram->bus_free.fs = 0;
    }
}

/* Columns of transfer_fs from column_ps on, the bus being taken for them;
 * returns when the last has passed. */
static uint64_t dram_transfer(wm_dram *dram, dram_bank_times *bank,
                              uint64_t column_ps, uint64_t transfer_fs)
{
    time_add_fs(&dram->bus_free, transfer_fs);
    uint64_t end_ps =
        later(dram->bus_free.ps, column_ps + transfer_fs / FS_PER_PS);
    bank->activate_ps = later(bank->activate_ps, end_ps);
    dram->last_end_ps = later(dram->last_end_ps, end_ps);
    return end_ps;
}

uint64_t wm_dram_read(wm_dram *dram, uint64_t t_ps, uint64_t local_line,
                      uint32_t n_sectors)
{
    const wm_dram_params *params = &dram->params;
    if (n_sectors == 0) {
        return t_ps;
    }
    dram_bank_times *bank = dram_open(dram, t_ps, local_line, n_sectors);
    dram_bus_wait(dram, t_ps);
    if (dram->is_turned) {
        dram->bus_free.ps += params->turnaround_ps;
        dram->n_turns++;
        dram->is_turned = false;
    }
    uint64_t end_ps = dram_transfer(dram, bank, later(t_ps, bank->column_ps),
                                    n_sectors * params->sector_time_fs);
    dram->stats.n_read_sectors += n_sectors;
    return end_ps + params->latency_ps - params->row_miss_ps;
}

/* All that was gathered is on its way. */
static inline void dram_written(wm_dram *dram)
{
    dram->is_turned = true;
    dram->n_written += dram->n_write_sectors;
    dram->n_writes = 0;
    dram->n_write_sectors = 0;
}

/*
 * Writes all that is gathered.  The batch holds the bus for its transfers or
 * its activates, whichever take longer.
 */
static void dram_write_batch(wm_dram *dram, uint64_t t_ps)
{
    const wm_dram_params *params = &dram->params;
    dram_bus_wait(dram, t_ps);
    uint64_t start_ps = dram->bus_free.ps;
    uint64_t n_before = dram->stats.n_row_misses;
    for (uint32_t i = 0; i < dram->n_writes; i++) {
        const dram_write *write = &dram->writes[i];
        dram_bank_times *bank =
            dram_open(dram, t_ps, write->line, write->n_sectors);
        (void)dram_transfer(dram, bank, bank->column_ps,
                            write->n_sectors * params->write_time_fs);
    }
    uint64_t n_activates = dram->stats.n_row_misses - n_before;
    dram_bus_wait(dram, start_ps + n_activates * params->activate_interval_ps);
    dram_written(dram);
}

/* Puts a write to those gathered; true when they are to be written now. */
static inline bool dram_gather(wm_dram *dram, uint64_t local_line,
                               uint32_t n_sectors)
{
    dram_write *write = &dram->writes[dram->n_writes++];
    write->line = local_line;
    write->n_sectors = n_sectors;
    dram->n_write_sectors += n_sectors;
    dram->stats.n_write_sectors += n_sectors;
    return dram->n_write_sectors >= dram->params.write_batch;
}

uint64_t wm_dram_write(wm_dram *dram, uint64_t t_ps, uint64_t local_line,
                       uint32_t n_sectors)
{
    if (n_sectors == 0) {
        return t_ps;
    }
    if (dram_gather(dram, local_line, n_sectors)) {
        dram_write_batch(dram, t_ps);
    }
    return dram->bus_free.ps;
}

void wm_dram_count_read(wm_dram *dram, uint64_t local_line, uint32_t n_sectors)
{
    uint64_t index = 0;
    dram->n_turns += dram->is_turned;
    dram->is_turned = false;
    dram->stats.n_read_sectors += n_sectors;
    (void)dram_find(dram, local_line, n_sectors, &index);
}

void wm_dram_count_write(wm_dram *dram, uint64_t local_line, uint32_t n_sectors)
{
    if (!dram_gather(dram, local_line, n_sectors)) {
        return;
    }
    for (uint32_t i = 0; i < dram->n_writes; i++) {
        uint64_t index = 0;
        (void)dram_find(dram, dram->writes[i].line, dram->writes[i].n_sectors,
                        &index);
    }
    dram_written(dram);
}

uint64_t wm_dram_drain(wm_dram *dram, uint64_t t_ps)
{
    if (dram->n_writes != 0) {
        dram_write_batch(dram, t_ps);
    }
    return later(t_ps, later(dram->bus_free.ps, dram->last_end_ps));
}

const wm_dram_stats *wm_dram_get_stats(wm_dram *dram)
{
    const wm_dram_params *params = &dram->params;
    dram->stats.n_activates = dram->stats.n_row_misses;
    dram->stats.busy_ps = dram->n_turns * params->turnaround_ps +
                          (dram->stats.n_read_sectors * params->sector_time_fs +
                           dram->n_written * params->write_time_fs) /
                              FS_PER_PS;
    return &dram->stats;
}

void wm_dram_clear_stats(wm_dram *dram)
{
    memset(&dram->stats, 0, sizeof(dram->stats));
    dram->n_turns = 0;
    dram->n_written = 0;
}
