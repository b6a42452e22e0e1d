/*
 * table.h -- the results of a study as one tidy table: a line per row of the
 * study, or per launch of it.
 *
 * Parts of a split trace become one again: launches in order, totals from
 * their sums.
 *
 * Not modelled  results of other versions than the points were named for.
 * Ownership     init/fini; refers to study and points.
 * Errors        WM_EFORMAT for a result file that cannot be read; WM_ENOMEM;
 *               WM_EIO.
 * Repeatable    same results, same bytes, whoever ran them in whatever order.
 */
#ifndef WM_STUDY_TABLE_H
#define WM_STUDY_TABLE_H

#include "base/buffer.h"
#include "report/result_read.h"
#include "study/points.h"
#include "study/store.h"

typedef struct wm_table_row {
    const wm_point *point;
    uint64_t launch; /* 0 = the whole trace */
    char *kernel;    /* NULL = the whole trace */
    char **cells;    /* by metric of the study; NULL = null */
    double *values;  /* the same as numbers; NaN = null or a word */
} wm_table_row;

typedef struct wm_table {
    const wm_study *study;
    const wm_points *points;
    wm_table_row *rows;
    size_t n_rows, cap_rows;
    size_t n_missing; /* points without a result */
} wm_table;

void wm_table_init(wm_table *table, const wm_study *study,
                   const wm_points *points);
void wm_table_fini(wm_table *table);
wm_status wm_table_make(wm_table *table, const wm_store *store, wm_error *err);

void wm_table_csv(const wm_table *table, wm_buffer *out);
void wm_table_jsonl(const wm_table *table, wm_buffer *out);
void wm_table_json(const wm_table *table, wm_buffer *out);
/* A database file with one table, "results"; WM_EUSAGE in a program built
 * without SQLite. */
wm_status wm_table_sqlite(const wm_table *table, const char *path,
                          wm_error *err);

#endif
