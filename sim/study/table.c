/*
 * table.c -- the results of a study as one table.
 */
#include "study/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "study/simulate.h"

void wm_table_init(wm_table *table, const wm_study *study,
                   const wm_points *points)
{
    memset(table, 0, sizeof(*table));
    table->study = study;
    table->points = points;
}

static void row_free(wm_table_row *row, size_t n_cells)
{
    for (size_t i = 0; row->cells != NULL && i < n_cells; i++) {
        free(row->cells[i]);
    }
    free(row->cells);
    free(row->values);
    free(row->kernel);
}

void wm_table_fini(wm_table *table)
{
    for (size_t i = 0; i < table->n_rows; i++) {
        row_free(&table->rows[i], table->study->n_metrics);
    }
    free(table->rows);
    wm_table_init(table, table->study, table->points);
}

static bool row_cells(const wm_study *study, const wm_report *report,
                      const wm_report_kernel *kernel, wm_table_row *row)
{
    wm_buffer text;
    bool is_ok = true;
    wm_buffer_init(&text);
    for (size_t i = 0; i < study->n_metrics && is_ok; i++) {
        const size_t metric = study->metrics[i];
        wm_buffer_clear(&text);
        if (wm_metric_print(report, kernel, metric, &text)) {
            row->cells[i] = wm_text_copy(text.bytes != NULL ? text.bytes : "");
            is_ok = row->cells[i] != NULL && !text.is_failed;
        }
        if (!wm_metric_value(report, kernel, metric, &row->values[i])) {
            row->values[i] = NAN;
        }
    }
    wm_buffer_fini(&text);
    return is_ok;
}

/* A row for one launch, or for the whole trace (NULL). */
static wm_status add_row(wm_table *table, const wm_point *point,
                         const wm_report *report,
                         const wm_report_kernel *kernel, wm_error *err)
{
    const size_t n = table->study->n_metrics;
    wm_table_row row = {.point = point};
    row.cells = calloc(n + 1, sizeof(*row.cells));
    row.values = calloc(n + 1, sizeof(*row.values));
    bool is_ok = row.cells != NULL && row.values != NULL &&
                 row_cells(table->study, report, kernel, &row);
    if (is_ok && kernel != NULL) {
        row.launch = kernel->launch;
        row.kernel = wm_text_copy(kernel->name);
        is_ok = row.kernel != NULL;
    }
    if (!is_ok || !wm_grow(&table->rows, &table->cap_rows, table->n_rows + 1,
                           sizeof(table->rows[0]))) {
        row_free(&row, n);
        return wm_fail_memory(err);
    }
    table->rows[table->n_rows++] = row;
    return WM_OK;
}

static wm_status read_result(const wm_store *store, const wm_point *point,
                             wm_loaded_result *loaded, wm_error *err)
{
    char *path = wm_store_path(store, point->digest);
    wm_status status =
        path != NULL ? wm_result_read(path, loaded, err) : wm_fail_memory(err);
    free(path);
    return status;
}

/* Appends the launches of a further part of the trace. */
static wm_status join_part(const wm_store *store, const wm_point *point,
                           wm_report *into, wm_error *err)
{
    wm_loaded_result part;
    wm_loaded_result_init(&part);
    wm_status status = read_result(store, point, &part, err);
    for (size_t k = 0; k < part.report.n_kernels && status == WM_OK; k++) {
        const wm_report_kernel *kernel = &part.report.kernels[k];
        status = wm_report_add_kernel(into, kernel, kernel->name, err);
    }
    wm_loaded_result_fini(&part);
    return status;
}

/* Points [first, last) are one row of the study, all finished. */
static wm_status make_row(wm_table *table, const wm_store *store, size_t first,
                          size_t last, wm_error *err)
{
    const wm_point *points = table->points->items;
    wm_loaded_result whole;
    wm_loaded_result_init(&whole);
    wm_report *report = &whole.report;
    wm_status status = read_result(store, &points[first], &whole, err);
    for (size_t i = first + 1; i < last && status == WM_OK; i++) {
        status = join_part(store, &points[i], report, err);
    }
    if (status == WM_OK && points[first].first_launch != 0) {
        wm_gather_total(report);
    }
    if (status == WM_OK && !table->study->is_by_kernel) {
        status = add_row(table, &points[first], report, NULL, err);
    }
    for (size_t k = 0;
         table->study->is_by_kernel && k < report->n_kernels && status == WM_OK;
         k++) {
        status =
            add_row(table, &points[first], report, &report->kernels[k], err);
    }
    wm_loaded_result_fini(&whole);
    return status;
}

wm_status wm_table_make(wm_table *table, const wm_store *store, wm_error *err)
{
    const wm_points *points = table->points;
    wm_status status = WM_OK;
    size_t last = 0;
    for (size_t first = 0; first < points->n && status == WM_OK; first = last) {
        size_t n_missing = 0;
        for (last = first; last < points->n &&
                           points->items[last].row == points->items[first].row;
             last++) {
            n_missing += !wm_store_has(store, points->items[last].digest);
        }
        table->n_missing += n_missing;
        if (n_missing == 0) {
            status = make_row(table, store, first, last, err);
        }
    }
    return status;
}
