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

typedef struct dram_bank {
    uint64_t row[OPEN_ROWS];  /* [0] is open; NO_ROW */
    uint64_t last[OPEN_ROWS]; /* number of its last request */
    uint64_t column_ps;       /* the open row takes columns from then on */
    uint64_t activate_ps;     /* earliest next activate */
} dram_bank;

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
    dram_bank *banks;
    dram_write *writes; /* gathered: at most write_batch */
    uint32_t n_writes;
    uint32_t n_write_sectors;
    dram_time bus_free;
    uint64_t next_activate_ps;
    uint64_t last_end_ps; /* of all columns so far */
    uint64_t n_requests;
    bool is_turned; /* to writes: the next read turns the bus back */
    dram_time busy;
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
    dram->banks = calloc(params->n_banks, sizeof(*dram->banks));
    dram->writes = calloc(params->write_batch, sizeof(*dram->writes));
    if (dram->banks == NULL || dram->writes == NULL) {
        wm_dram_free(dram);
        return wm_fail_memory(err);
    }
    for (uint32_t b = 0; b < params->n_banks; b++) {
        for (uint32_t i = 0; i < OPEN_ROWS; i++) {
            dram->banks[b].row[i] = NO_ROW;
        }
    }
    *out = dram;
    return WM_OK;
}

void wm_dram_free(wm_dram *dram)
{
    if (dram != NULL) {
        free(dram->banks);
        free(dram->writes);
        free(dram);
    }
}

/* Brings the row to the front of the bank's list; true when its last request
 * is near enough. */
static bool dram_recall(wm_dram *dram, dram_bank *bank, uint64_t row)
{
    const uint64_t now = ++dram->n_requests;
    if (bank->row[0] == row) {
        bank->last[0] = now;
        return true;
    }
    uint32_t at = 1;
    while (at + 1 < OPEN_ROWS && bank->row[at] != row) {
        at++;
    }
    const bool is_near =
        bank->row[at] == row && now - bank->last[at] <= dram->params.row_window;
    for (; at != 0; at--) {
        bank->row[at] = bank->row[at - 1];
        bank->last[at] = bank->last[at - 1];
    }
    bank->row[0] = row;
    bank->last[0] = now;
    return is_near;
}

/* Opens the row of a line, if need be, for n_sectors; counts hit or miss. */
static dram_bank *dram_open(wm_dram *dram, uint64_t t_ps, uint64_t local_line,
                            uint32_t n_sectors)
{
    uint64_t row = 0;
    uint64_t in_row = 0;
    uint64_t chunk = wm_divide(&dram->lines_per_row, local_line, &in_row);
    dram_bank *bank =
        &dram->banks[wm_spread_place(&dram->bank_of, chunk, &row)];
    if (dram_recall(dram, bank, row)) {
        dram->stats.n_row_hits += n_sectors;
        return bank;
    }
    uint64_t slot_ps = later(dram->next_activate_ps, t_ps);
    dram->next_activate_ps = slot_ps + dram->params.activate_interval_ps;
    uint64_t activate_ps = later(slot_ps, bank->activate_ps);
    bank->column_ps = activate_ps + dram->params.row_miss_ps;
    bank->activate_ps = activate_ps + dram->params.bank_cycle_ps;
    dram->stats.n_activates++;
    dram->stats.n_row_misses++;
    dram->stats.n_row_hits += n_sectors - 1;
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

static void dram_bus_take(wm_dram *dram, uint64_t fs)
{
    time_add_fs(&dram->bus_free, fs);
    time_add_fs(&dram->busy, fs);
    dram->stats.busy_ps = dram->busy.ps;
}

/* Columns of transfer_fs from column_ps on, the bus being taken for them;
 * returns when the last has passed. */
static uint64_t dram_transfer(wm_dram *dram, dram_bank *bank,
                              uint64_t column_ps, uint64_t transfer_fs)
{
    dram_bus_take(dram, transfer_fs);
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
    dram_bank *bank = dram_open(dram, t_ps, local_line, n_sectors);
    dram_bus_wait(dram, t_ps);
    if (dram->is_turned) {
        dram_bus_take(dram, params->turnaround_ps * FS_PER_PS);
        dram->is_turned = false;
    }
    uint64_t end_ps = dram_transfer(dram, bank, later(t_ps, bank->column_ps),
                                    n_sectors * params->sector_time_fs);
    dram->stats.n_read_sectors += n_sectors;
    return end_ps + params->latency_ps - params->row_miss_ps;
}

/*
 * Writes all that is gathered.  The batch holds the bus for its transfers or
 * its activates, whichever take longer.
 */
static void dram_write_batch(wm_dram *dram, uint64_t t_ps)
{
    const wm_dram_params *params = &dram->params;
    dram_bus_wait(dram, t_ps);
    dram->is_turned = true;
    uint64_t start_ps = dram->bus_free.ps;
    uint64_t n_before = dram->stats.n_activates;
    for (uint32_t i = 0; i < dram->n_writes; i++) {
        const dram_write *write = &dram->writes[i];
        dram_bank *bank = dram_open(dram, t_ps, write->line, write->n_sectors);
        (void)dram_transfer(dram, bank, bank->column_ps,
                            write->n_sectors * params->write_time_fs);
    }
    uint64_t n_activates = dram->stats.n_activates - n_before;
    dram_bus_wait(dram, start_ps + n_activates * params->activate_interval_ps);
    dram->n_writes = 0;
    dram->n_write_sectors = 0;
}

uint64_t wm_dram_write(wm_dram *dram, uint64_t t_ps, uint64_t local_line,
                       uint32_t n_sectors)
{
    if (n_sectors == 0) {
        return t_ps;
    }
    dram_write *write = &dram->writes[dram->n_writes++];
    write->line = local_line;
    write->n_sectors = n_sectors;
    dram->n_write_sectors += n_sectors;
    dram->stats.n_write_sectors += n_sectors;
    if (dram->n_write_sectors >= dram->params.write_batch) {
        dram_write_batch(dram, t_ps);
    }
    return dram->bus_free.ps;
}

uint64_t wm_dram_drain(wm_dram *dram, uint64_t t_ps)
{
    if (dram->n_writes != 0) {
        dram_write_batch(dram, t_ps);
    }
    return later(t_ps, later(dram->bus_free.ps, dram->last_end_ps));
}

const wm_dram_stats *wm_dram_get_stats(const wm_dram *dram)
{
    return &dram->stats;
}

void wm_dram_clear_stats(wm_dram *dram)
{
    memset(&dram->stats, 0, sizeof(dram->stats));
    dram->busy.ps = 0;
    dram->busy.fs = 0;
}
