/*
 * table_sqlite.c -- a study's table as an SQLite database, where the build
 * found the library.
 */
#include "study/table.h"

#ifndef WM_HAVE_SQLITE3

wm_status wm_table_sqlite(const wm_table *table, const char *path,
                          wm_error *err)
{
    (void)table;
    return wm_fail(err, WM_EUSAGE,
                   "%s: this program was built without SQLite, want csv, json "
                   "or jsonl",
                   path);
}

#else

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <sqlite3.h>

/* Appends what introduces each column to out: the statement that makes the
 * table, or the one that fills it. */
static void sql_columns(const wm_table *table, bool is_create, wm_buffer *out)
{
    const wm_study *study = table->study;
    wm_buffer_puts(out, is_create
                            ? "CREATE TABLE results (point TEXT, trace TEXT, "
                              "config TEXT, launch INTEGER, kernel TEXT"
                            : "INSERT INTO results VALUES (?, ?, ?, ?, ?");
    for (uint32_t a = 0; a < study->n_axes; a++) {
        if (is_create) {
            wm_buffer_printf(out, ", \"%s\" TEXT", study->axes[a].key->name);
        } else {
            wm_buffer_puts(out, ", ?");
        }
    }
    for (size_t i = 0; i < study->n_metrics; i++) {
        if (is_create) {
            wm_buffer_printf(out, ", \"%s\" NUMERIC",
                             wm_metric_at(study->metrics[i])->id);
        } else {
            wm_buffer_puts(out, ", ?");
        }
    }
    wm_buffer_puts(out, ")");
}

static void sql_bind_text(sqlite3_stmt *statement, int *column,
                          const char *text)
{
    (void)sqlite3_bind_text(statement, ++*column, text, -1, SQLITE_STATIC);
}

/* Every member is bound; a NULL text binds null. Numbers go in as text: the
 * column's affinity makes them integers or reals without loss. */
static int sql_row(const wm_table *table, const wm_table_row *row,
                   sqlite3_stmt *statement)
{
    const wm_study *study = table->study;
    int column = 0;
    (void)sqlite3_reset(statement);
    (void)sqlite3_clear_bindings(statement);
    sql_bind_text(statement, &column, row->point->digest);
    sql_bind_text(statement, &column, study->traces.items[row->point->trace]);
    sql_bind_text(statement, &column, study->configs.items[row->point->config]);
    column++;
    if (row->kernel != NULL) {
        (void)sqlite3_bind_int64(statement, column, (sqlite3_int64)row->launch);
    }
    sql_bind_text(statement, &column, row->kernel);
    for (uint32_t a = 0; a < study->n_axes; a++) {
        sql_bind_text(statement, &column,
                      row->point->value[a] != WM_STUDY_UNSET
                          ? wm_point_value(study, row->point, a)
                          : NULL);
    }
    for (size_t i = 0; i < study->n_metrics; i++) {
        sql_bind_text(statement, &column, row->cells[i]);
    }
    return sqlite3_step(statement);
}

static int sql_fill(const wm_table *table, sqlite3 *base)
{
    sqlite3_stmt *statement = NULL;
    wm_buffer sql;
    wm_buffer_init(&sql);
    sql_columns(table, true, &sql);
    int code = sql.is_failed ? SQLITE_NOMEM
                             : sqlite3_exec(base, "BEGIN", NULL, NULL, NULL);
    if (code == SQLITE_OK) {
        code = sqlite3_exec(base, sql.bytes, NULL, NULL, NULL);
    }
    wm_buffer_clear(&sql);
    sql_columns(table, false, &sql);
    if (code == SQLITE_OK) {
        code = sql.is_failed
                   ? SQLITE_NOMEM
                   : sqlite3_prepare_v2(base, sql.bytes, -1, &statement, NULL);
    }
    for (size_t r = 0; r < table->n_rows && code == SQLITE_OK; r++) {
        code = sql_row(table, &table->rows[r], statement);
        code = code == SQLITE_DONE ? SQLITE_OK : code;
    }
    (void)sqlite3_finalize(statement);
    if (code == SQLITE_OK) {
        code = sqlite3_exec(base, "COMMIT", NULL, NULL, NULL);
    }
    wm_buffer_fini(&sql);
    return code;
}

wm_status wm_table_sqlite(const wm_table *table, const char *path,
                          wm_error *err)
{
    wm_buffer temporary;
    sqlite3 *base = NULL;
    wm_buffer_init(&temporary);
    wm_buffer_printf(&temporary, "%s.tmp-%ld", path, (long)getpid());
    if (temporary.is_failed) {
        wm_buffer_fini(&temporary);
        return wm_fail_memory(err);
    }
    (void)unlink(temporary.bytes);
    int code = sqlite3_open(temporary.bytes, &base);
    if (code == SQLITE_OK) {
        code = sql_fill(table, base);
    }
    wm_status status = WM_OK;
    if (code != SQLITE_OK) {
        status =
            wm_fail(err, WM_EIO, "%s: cannot be written: %s", path,
                    base != NULL ? sqlite3_errmsg(base) : sqlite3_errstr(code));
    }
    (void)sqlite3_close(base);
    if (status == WM_OK && rename(temporary.bytes, path) != 0) {
        status = wm_fail(err, WM_EIO, "%s: cannot be written", path);
    }
    if (status != WM_OK) {
        (void)unlink(temporary.bytes);
    }
    wm_buffer_fini(&temporary);
    return status;
}

#endif
