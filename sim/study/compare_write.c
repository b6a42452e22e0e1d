/*
 * compare_write.c -- a comparison as text, CSV or JSON.
 */
#include "study/compare_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/csv.h"
#include "report/human.h"
#include "report/json.h"

#define JSON_FORMAT 1u

/* other / first; NaN where that means nothing. */
static double ratio_of(double first, double other)
{
    if (first == 0) {
        return other == 0 ? 1 : NAN;
    }
    return other / first;
}

/* --- text ----------------------------------------------------------------- */

/* A number in 12 columns, its last digits where a reader looks for them. */
static void text_number(wm_buffer *out, double value)
{
    char text[40] = "-";
    if (!isnan(value)) {
        wm_buffer number;
        wm_buffer_init(&number);
        wm_print_double(&number, value);
        (void)snprintf(text, sizeof(text), "%s",
                       number.bytes != NULL ? number.bytes : "");
        out->is_failed = out->is_failed || number.is_failed;
        wm_buffer_fini(&number);
    }
    wm_buffer_printf(out, " %12s", text);
}

static void text_ratio(wm_buffer *out, const wm_compare_view *view,
                       const wm_compare_row *row, size_t i)
{
    const double ratio = ratio_of(row->values[0], row->values[i]);
    if (isnan(ratio)) {
        wm_buffer_printf(out, " %9s", "-");
    } else if (view->is_ncu) {
        wm_buffer_printf(out, " %+8.1f%%", (ratio - 1) * 100);
    } else {
        wm_buffer_printf(out, " %9.4f", ratio);
    }
}

static void text_heads(const wm_compare_view *view, wm_buffer *out)
{
    for (size_t i = 0; i < view->compare->n_sources; i++) {
        wm_buffer_printf(out, "%c  %s: ", (int)('A' + i % 26),
                         view->sources[i].label);
        wm_human_cut_path(out, view->sources[i].path, 60);
        wm_buffer_puts(out, "\n");
    }
    wm_buffer_printf(out, "\n%-30s", "metric");
    for (size_t i = 0; i < view->compare->n_sources; i++) {
        wm_buffer_printf(out, " %12c", (int)('A' + i % 26));
        if (i > 0 && view->is_ncu) {
            wm_buffer_printf(out, " %9s", "error");
        } else if (i > 0) {
            wm_buffer_printf(out, " %7c/A", (int)('A' + i % 26));
        }
    }
    wm_buffer_puts(out, "\n");
}

/* The line above the first row of a launch. */
static void text_launch(const wm_compare_row *row, wm_buffer *out)
{
    if (row->kernel == NULL) {
        wm_buffer_puts(out, "\ntotal\n");
        return;
    }
    wm_buffer_printf(out, "\nlaunch %" PRIu64 "  ", row->launch);
    wm_human_cut(out, row->kernel, 66, false);
    wm_buffer_puts(out, "\n");
}

static bool has_note(const wm_compare_row *row)
{
    return row->note != NULL && *row->note != '\0';
}

/* Each known difference once. */
static void text_notes(const wm_compare *compare, wm_buffer *out)
{
    for (size_t r = 0; r < compare->n_rows; r++) {
        const wm_compare_row *row = &compare->rows[r];
        size_t first = 0;
        while (strcmp(compare->rows[first].label, row->label) != 0) {
            first++;
        }
        if (has_note(row) && first == r) {
            wm_buffer_printf(out, "* %s: %s\n", row->label, row->note);
        }
    }
}

static void text_foot(const wm_compare_view *view, wm_buffer *out)
{
    const wm_compare *compare = view->compare;
    wm_buffer_puts(out, "\n");
    text_notes(compare, out);
    if (view->is_ncu && compare->sum_error[1] > 0) {
        wm_buffer_printf(out,
                         "error: %.1f %% on average over %.0f numbers, "
                         "%.1f %% at most\n",
                         compare->sum_error[0] / compare->sum_error[1] * 100,
                         compare->sum_error[1], compare->sum_error[2] * 100);
    }
    if (view->is_ncu && compare->n_not_exported != 0) {
        wm_buffer_printf(out,
                         "%zu metrics with a Nsight name are not in the "
                         "export\n",
                         compare->n_not_exported);
    }
    if (compare->n_unmatched != 0) {
        wm_buffer_printf(out, "%zu launch%s only one side has\n",
                         compare->n_unmatched,
                         compare->n_unmatched == 1 ? "" : "es");
    }
    if (view->threshold >= 0) {
        wm_buffer_printf(out, "%zu of %zu numbers differ by more than %g %%\n",
                         compare->n_over, compare->n_numbers,
                         view->threshold * 100);
    }
}

void wm_compare_text(const wm_compare_view *view, wm_buffer *out)
{
    const wm_compare *compare = view->compare;
    const wm_compare_row *previous = NULL;
    text_heads(view, out);
    for (size_t r = 0; r < compare->n_rows; r++) {
        const wm_compare_row *row = &compare->rows[r];
        if (previous == NULL || previous->launch != row->launch ||
            previous->kernel != row->kernel) {
            text_launch(row, out);
        }
        previous = row;
        wm_buffer_puts(out, "  ");
        if (strlen(row->label) > 28) {
            wm_buffer_printf(out, "%s\n%30s", row->label, "");
        } else {
            wm_buffer_printf(out, "%-28s", row->label);
        }
        for (size_t i = 0; i < compare->n_sources; i++) {
            text_number(out, row->values[i]);
            if (i > 0) {
                text_ratio(out, view, row, i);
            }
        }
        wm_buffer_puts(out, row->is_over ? " !" : "");
        wm_buffer_puts(out, has_note(row) ? " *\n" : "\n");
    }
    text_foot(view, out);
}

/* --- CSV ------------------------------------------------------------------ */

static void csv_number(wm_buffer *out, double value)
{
    wm_buffer_puts(out, ",");
    if (!isnan(value)) {
        wm_print_double(out, value);
    }
}

void wm_compare_csv(const wm_compare_view *view, wm_buffer *out)
{
    const wm_compare *compare = view->compare;
    wm_buffer_puts(out, "launch,kernel,metric,nsight");
    for (size_t i = 0; i < compare->n_sources; i++) {
        wm_buffer_printf(out, ",value_%zu", i);
    }
    for (size_t i = 1; i < compare->n_sources; i++) {
        wm_buffer_printf(out, ",ratio_%zu", i);
    }
    wm_buffer_puts(out, ",over\n");
    for (size_t r = 0; r < compare->n_rows; r++) {
        const wm_compare_row *row = &compare->rows[r];
        const char *id = wm_metric_at(row->metric)->id;
        wm_buffer_printf(out, "%" PRIu64 ",", row->launch);
        wm_csv_quote(out, row->kernel != NULL ? row->kernel : "total");
        wm_buffer_printf(out, ",%s,", id);
        if (strcmp(id, row->label) != 0) {
            wm_csv_quote(out, row->label);
        }
        for (size_t i = 0; i < compare->n_sources; i++) {
            csv_number(out, row->values[i]);
        }
        for (size_t i = 1; i < compare->n_sources; i++) {
            csv_number(out, ratio_of(row->values[0], row->values[i]));
        }
        wm_buffer_printf(out, ",%s\n", row->is_over ? "true" : "false");
    }
}

/* --- JSON ----------------------------------------------------------------- */

static void json_row(wm_json *json, const wm_compare *compare,
                     const wm_compare_row *row)
{
    const char *id = wm_metric_at(row->metric)->id;
    wm_json_open(json, '{');
    wm_json_key(json, "launch");
    if (row->kernel != NULL) {
        wm_json_u64(json, row->launch);
        wm_json_put_string(json, "kernel", row->kernel);
    } else {
        wm_json_null(json);
        wm_json_key(json, "kernel");
        wm_json_null(json);
    }
    wm_json_put_string(json, "metric", id);
    if (strcmp(id, row->label) != 0) {
        wm_json_put_string(json, "nsight", row->label);
        wm_json_put_string(json, "note", row->note != NULL ? row->note : "");
    }
    wm_json_key(json, "values");
    wm_json_open_row(json);
    for (size_t i = 0; i < compare->n_sources; i++) {
        wm_json_double(json, row->values[i]);
    }
    wm_json_close(json, ']');
    wm_json_key(json, "ratios");
    wm_json_open_row(json);
    for (size_t i = 1; i < compare->n_sources; i++) {
        wm_json_double(json, ratio_of(row->values[0], row->values[i]));
    }
    wm_json_close(json, ']');
    wm_json_put_bool(json, "over", row->is_over);
    wm_json_close(json, '}');
}

void wm_compare_json(const wm_compare_view *view, wm_buffer *out)
{
    const wm_compare *compare = view->compare;
    wm_json json;
    wm_json_init(&json, out);
    wm_json_open(&json, '{');
    wm_json_put_program(&json, WM_VERSION, JSON_FORMAT);
    wm_json_put_string(&json, "kind", "compare");
    wm_json_key(&json, "sources");
    wm_json_open(&json, '[');
    for (size_t i = 0; i < compare->n_sources; i++) {
        wm_json_open(&json, '{');
        wm_json_put_string(&json, "path", view->sources[i].path);
        wm_json_put_string(&json, "label", view->sources[i].label);
        wm_json_close(&json, '}');
    }
    wm_json_close(&json, ']');
    wm_json_put_double(&json, "threshold_percent",
                       view->threshold >= 0 ? view->threshold * 100 : NAN);
    wm_json_put_u64(&json, "compared", compare->n_numbers);
    wm_json_put_u64(&json, "over", compare->n_over);
    wm_json_put_u64(&json, "unmatched_launches", compare->n_unmatched);
    wm_json_key(&json, "rows");
    wm_json_open(&json, '[');
    for (size_t r = 0; r < compare->n_rows; r++) {
        json_row(&json, compare, &compare->rows[r]);
    }
    wm_json_close(&json, ']');
    wm_json_close(&json, '}');
}
