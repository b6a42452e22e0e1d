/*
 * table_write.c -- a study's table as CSV, JSON lines and JSON.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/csv.h"
#include "report/json.h"
#include "study/table.h"

#define JSON_FORMAT 1u

static const wm_metric *metric_of(const wm_table *table, size_t i)
{
    return wm_metric_at(table->study->metrics[i]);
}

static const char *trace_of(const wm_table *table, const wm_table_row *row)
{
    return table->study->traces.items[row->point->trace];
}

static const char *config_of(const wm_table *table, const wm_table_row *row)
{
    return table->study->configs.items[row->point->config];
}

/* --- CSV ------------------------------------------------------------------ */

void wm_table_csv(const wm_table *table, wm_buffer *out)
{
    const wm_study *study = table->study;
    wm_buffer_puts(out, "point,trace,config");
    for (uint32_t a = 0; a < study->n_axes; a++) {
        wm_buffer_printf(out, ",%s", study->axes[a].key->name);
    }
    wm_buffer_puts(out, study->is_by_kernel ? ",launch,kernel" : "");
    for (size_t i = 0; i < study->n_metrics; i++) {
        wm_buffer_printf(out, ",%s", metric_of(table, i)->id);
    }
    wm_buffer_puts(out, "\n");
    for (size_t r = 0; r < table->n_rows; r++) {
        const wm_table_row *row = &table->rows[r];
        wm_buffer_printf(out, "%s,", row->point->digest);
        wm_csv_quote(out, trace_of(table, row));
        wm_buffer_puts(out, ",");
        wm_csv_quote(out, config_of(table, row));
        for (uint32_t a = 0; a < study->n_axes; a++) {
            wm_buffer_puts(out, ",");
            if (row->point->value[a] != WM_STUDY_UNSET) {
                wm_csv_quote(out, wm_point_value(study, row->point, a));
            }
        }
        if (study->is_by_kernel) {
            wm_buffer_printf(out, ",%" PRIu64 ",", row->launch);
            wm_csv_quote(out, row->kernel);
        }
        for (size_t i = 0; i < study->n_metrics; i++) {
            wm_buffer_printf(out, ",%s",
                             row->cells[i] != NULL ? row->cells[i] : "");
        }
        wm_buffer_puts(out, "\n");
    }
}

/* --- JSON ----------------------------------------------------------------- */

static void json_axes(wm_json *json, const wm_table *table,
                      const wm_table_row *row)
{
    for (uint32_t a = 0; a < table->study->n_axes; a++) {
        wm_json_key(json, table->study->axes[a].key->name);
        if (row->point->value[a] != WM_STUDY_UNSET) {
            wm_json_string(json, wm_point_value(table->study, row->point, a));
        } else {
            wm_json_null(json);
        }
    }
}

static void json_cells(wm_json *json, const wm_table *table,
                       const wm_table_row *row)
{
    for (size_t i = 0; i < table->study->n_metrics; i++) {
        wm_json_key(json, metric_of(table, i)->id);
        if (row->cells[i] == NULL) {
            wm_json_null(json);
        } else if (isnan(row->values[i])) {
            wm_json_string(json, row->cells[i]);
        } else {
            wm_json_raw(json, row->cells[i]);
        }
    }
}

static void json_identity(wm_json *json, const wm_table *table,
                          const wm_table_row *row)
{
    wm_json_put_string(json, "point", row->point->digest);
    wm_json_put_string(json, "trace", trace_of(table, row));
    wm_json_put_string(json, "config", config_of(table, row));
    wm_json_key(json, "launch");
    if (row->kernel != NULL) {
        wm_json_u64(json, row->launch);
    } else {
        wm_json_null(json);
    }
    wm_json_key(json, "kernel");
    if (row->kernel != NULL) {
        wm_json_string(json, row->kernel);
    } else {
        wm_json_null(json);
    }
}

/* One object per line: the same writer, its line ends taken out. */
void wm_table_jsonl(const wm_table *table, wm_buffer *out)
{
    wm_buffer object;
    wm_buffer_init(&object);
    for (size_t r = 0; r < table->n_rows; r++) {
        wm_json json;
        wm_buffer_clear(&object);
        wm_json_init(&json, &object);
        wm_json_open(&json, '{');
        json_identity(&json, table, &table->rows[r]);
        json_axes(&json, table, &table->rows[r]);
        json_cells(&json, table, &table->rows[r]);
        wm_json_close(&json, '}');
        for (const char *at = object.bytes; at != NULL && *at != '\0';) {
            const size_t n = strcspn(at, "\n");
            wm_buffer_add(out, at, n);
            at += n;
            at += strspn(at, "\n ");
            wm_buffer_puts(out, *at != '\0' && *at != '}' && n > 1 ? " " : "");
        }
        wm_buffer_puts(out, "\n");
        out->is_failed = out->is_failed || object.is_failed;
    }
    wm_buffer_fini(&object);
}

static void json_axis(wm_json *json, const wm_study_axis *axis)
{
    const wm_unit *units = wm_key_units(axis->key);
    bool is_number = units != NULL;
    wm_json_open(json, '{');
    wm_json_put_string(json, "key", axis->key->name);
    wm_json_key(json, "values");
    wm_json_open_row(json);
    for (size_t v = 0; v < axis->values.n; v++) {
        uint64_t number = 0;
        wm_json_string(json, axis->values.items[v]);
        is_number =
            is_number && wm_text_parse_quantity(axis->values.items[v], units,
                                                &number) == WM_TEXT_OK;
    }
    wm_json_close(json, ']');
    wm_json_key(json, "numbers");
    if (is_number) {
        wm_json_open_row(json);
        for (size_t v = 0; v < axis->values.n; v++) {
            uint64_t number = 0;
            (void)wm_text_parse_quantity(axis->values.items[v], units, &number);
            wm_json_u64(json, number);
        }
        wm_json_close(json, ']');
    } else {
        wm_json_null(json);
    }
    wm_json_close(json, '}');
}

static void json_head(wm_json *json, const wm_table *table)
{
    const wm_study *study = table->study;
    wm_json_put_program(json, WM_VERSION, JSON_FORMAT);
    wm_json_put_string(json, "kind", "study");
    wm_json_put_string(json, "name", study->name);
    wm_json_put_string(json, "mode", study->is_counts ? "counts" : "timing");
    wm_json_put_bool(json, "complete", table->n_missing == 0);
    wm_json_put_u64(json, "points", table->points->n);
    wm_json_put_u64(json, "missing", table->n_missing);
    wm_json_key(json, "axes");
    wm_json_open(json, '[');
    for (uint32_t a = 0; a < study->n_axes; a++) {
        json_axis(json, &study->axes[a]);
    }
    wm_json_close(json, ']');
    wm_json_key(json, "metrics");
    wm_json_open_row(json);
    for (size_t i = 0; i < study->n_metrics; i++) {
        wm_json_string(json, metric_of(table, i)->id);
    }
    wm_json_close(json, ']');
}

void wm_table_json(const wm_table *table, wm_buffer *out)
{
    wm_json json;
    wm_json_init(&json, out);
    wm_json_open(&json, '{');
    json_head(&json, table);
    wm_json_key(&json, "rows");
    wm_json_open(&json, '[');
    for (size_t r = 0; r < table->n_rows; r++) {
        wm_json_open(&json, '{');
        json_identity(&json, table, &table->rows[r]);
        wm_json_key(&json, "axes");
        wm_json_open(&json, '{');
        json_axes(&json, table, &table->rows[r]);
        wm_json_close(&json, '}');
        wm_json_key(&json, "metrics");
        wm_json_open(&json, '{');
        json_cells(&json, table, &table->rows[r]);
        wm_json_close(&json, '}');
        wm_json_close(&json, '}');
    }
    wm_json_close(&json, ']');
    wm_json_close(&json, '}');
}
