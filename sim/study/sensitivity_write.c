/*
 * sensitivity_write.c -- what a result depends on, as text, CSV or JSON.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/human.h"
#include "report/json.h"
#include "study/sensitivity.h"

#define JSON_FORMAT  1u
#define TEXT_METRICS 2u /* columns that 80 characters hold */

static const char *metric_id(const wm_study *study, size_t m)
{
    return wm_metric_at(study->metrics[m])->id;
}

/* --- text ----------------------------------------------------------------- */

static void text_change(double change, wm_buffer *out)
{
    if (isnan(change)) {
        wm_buffer_printf(out, " %9s", "new");
    } else if (change == 0) {
        wm_buffer_printf(out, " %9s", "-");
    } else {
        wm_buffer_printf(out, " %+8.1f%%", change * 100);
    }
}

static bool has_change(const wm_sensitivity *sensitivity, uint32_t axis)
{
    for (size_t i = 0; i < sensitivity->n_points; i++) {
        for (size_t m = 0; m < sensitivity->n_metrics; m++) {
            if (sensitivity->points[i].axis == axis &&
                sensitivity->points[i].changes[m] != 0) {
                return true;
            }
        }
    }
    return false;
}

static void text_axis(const wm_sensitivity_view *view, uint32_t axis,
                      wm_buffer *out)
{
    const wm_sensitivity *sensitivity = view->sensitivity;
    const wm_study_axis *a = &view->study->axes[axis];
    wm_buffer value;
    bool is_first = true;
    wm_buffer_init(&value);
    wm_key_format(a->key, wm_config_values(view->base), &value);
    for (size_t i = 0; i < sensitivity->n_points; i++) {
        const wm_sensitivity_point *point = &sensitivity->points[i];
        if (point->axis != axis) {
            continue;
        }
        wm_buffer_printf(out, "%-23s %-13s", is_first ? a->key->name : "",
                         is_first && value.bytes != NULL ? value.bytes : "");
        wm_buffer_printf(out, " %-13s", a->values.items[point->value]);
        for (size_t m = 0; m < sensitivity->n_metrics && m < TEXT_METRICS;
             m++) {
            text_change(point->changes[m], out);
        }
        wm_buffer_puts(out, "\n");
        is_first = false;
    }
    out->is_failed = out->is_failed || value.is_failed;
    wm_buffer_fini(&value);
}

static void text_skips(const wm_sensitivity *sensitivity, wm_buffer *out)
{
    for (size_t i = 0; i < sensitivity->n_skips; i++) {
        const wm_sensitivity_skip *skip = &sensitivity->skips[i];
        wm_buffer line;
        wm_buffer_init(&line);
        wm_buffer_printf(&line, "%s x %g: %s", skip->key->name, skip->factor,
                         skip->reason);
        wm_buffer_puts(out, "  ");
        wm_human_cut(out, line.bytes != NULL ? line.bytes : "", 78, false);
        wm_buffer_puts(out, "\n");
        out->is_failed = out->is_failed || line.is_failed;
        wm_buffer_fini(&line);
    }
}

void wm_sensitivity_text(const wm_sensitivity_view *view, wm_buffer *out)
{
    const wm_sensitivity *sensitivity = view->sensitivity;
    const wm_study *study = view->study;
    size_t n_shown = 0;
    size_t n_idle = 0;
    wm_buffer_printf(out, "What %s in %s mode depends on, one key at a time\n",
                     wm_config_name(view->base),
                     study->is_counts ? "counts" : "timing");
    for (size_t t = 0; t < study->traces.n; t++) {
        wm_buffer_puts(out, "trace   ");
        wm_human_cut_path(out, study->traces.items[t], 72);
        wm_buffer_puts(out, "\n");
    }
    wm_buffer_puts(out, "base   ");
    for (size_t m = 0; m < sensitivity->n_metrics; m++) {
        wm_buffer_printf(out, "%s %s ", m != 0 ? "," : "", metric_id(study, m));
        wm_print_double(out, sensitivity->base[m]);
    }
    wm_buffer_printf(out, "\n\n%-23s %-13s %-13s", "key", "base", "with");
    for (size_t m = 0; m < sensitivity->n_metrics && m < TEXT_METRICS; m++) {
        wm_buffer_printf(out, " %9.9s", metric_id(study, m));
    }
    wm_buffer_puts(out, "\n");
    for (uint32_t r = 0; r < study->n_axes; r++) {
        const uint32_t axis = sensitivity->ranks[r];
        if (!has_change(sensitivity, axis)) {
            n_idle++;
        } else if (n_shown++ < view->n_shown) {
            text_axis(view, axis, out);
        }
    }
    if (n_shown > view->n_shown) {
        wm_buffer_printf(out, "... and %zu keys that matter less (-n)\n",
                         n_shown - view->n_shown);
    }
    wm_buffer_printf(out, "\n%zu keys change nothing here.\n", n_idle);
    if (sensitivity->n_skips != 0) {
        wm_buffer_puts(out, "Not tried:\n");
        text_skips(sensitivity, out);
    }
}

/* --- CSV ------------------------------------------------------------------ */

void wm_sensitivity_csv(const wm_sensitivity_view *view, wm_buffer *out)
{
    const wm_sensitivity *sensitivity = view->sensitivity;
    const wm_study *study = view->study;
    wm_buffer_puts(out, "rank,key,factor,value");
    for (size_t m = 0; m < sensitivity->n_metrics; m++) {
        wm_buffer_printf(out, ",%s,%s.change", metric_id(study, m),
                         metric_id(study, m));
    }
    wm_buffer_puts(out, "\n");
    for (uint32_t r = 0; r < study->n_axes; r++) {
        const wm_study_axis *axis = &study->axes[sensitivity->ranks[r]];
        for (size_t i = 0; i < sensitivity->n_points; i++) {
            const wm_sensitivity_point *point = &sensitivity->points[i];
            if (point->axis != sensitivity->ranks[r]) {
                continue;
            }
            wm_buffer_printf(out, "%u,%s,", r + 1, axis->key->name);
            wm_print_double(out, point->factor);
            wm_buffer_printf(out, ",\"%s\"", axis->values.items[point->value]);
            for (size_t m = 0; m < sensitivity->n_metrics; m++) {
                wm_buffer_puts(out, ",");
                wm_print_double(out, point->numbers[m]);
                wm_buffer_puts(out, ",");
                if (!isnan(point->changes[m])) {
                    wm_print_double(out, point->changes[m]);
                }
            }
            wm_buffer_puts(out, "\n");
        }
    }
}

/* --- JSON ----------------------------------------------------------------- */

static void json_head(wm_json *json, const wm_sensitivity_view *view)
{
    const wm_study *study = view->study;
    wm_json_put_program(json, WM_VERSION, JSON_FORMAT);
    wm_json_put_string(json, "kind", "sensitivity");
    wm_json_put_bool(json, "complete", true);
    wm_json_put_string(json, "config", wm_config_name(view->base));
    wm_json_key(json, "traces");
    wm_json_open_row(json);
    for (size_t t = 0; t < study->traces.n; t++) {
        wm_json_string(json, study->traces.items[t]);
    }
    wm_json_close(json, ']');
    wm_json_put_string(json, "mode", study->is_counts ? "counts" : "timing");
    wm_json_key(json, "metrics");
    wm_json_open_row(json);
    for (size_t m = 0; m < study->n_metrics; m++) {
        wm_json_string(json, metric_id(study, m));
    }
    wm_json_close(json, ']');
    wm_json_key(json, "base");
    wm_json_open(json, '{');
    for (size_t m = 0; m < study->n_metrics; m++) {
        wm_json_put_double(json, metric_id(study, m),
                           view->sensitivity->base[m]);
    }
    wm_json_close(json, '}');
}

static void json_point(wm_json *json, const wm_sensitivity_view *view,
                       const wm_sensitivity_point *point)
{
    const wm_study *study = view->study;
    wm_json_open(json, '{');
    wm_json_put_double(json, "factor", point->factor);
    wm_json_put_string(json, "value",
                       study->axes[point->axis].values.items[point->value]);
    for (size_t m = 0; m < study->n_metrics; m++) {
        wm_json_put_double(json, metric_id(study, m), point->numbers[m]);
    }
    wm_json_key(json, "change");
    wm_json_open(json, '{');
    for (size_t m = 0; m < study->n_metrics; m++) {
        wm_json_put_double(json, metric_id(study, m), point->changes[m]);
    }
    wm_json_close(json, '}');
    wm_json_close(json, '}');
}

static void json_axis(wm_json *json, const wm_sensitivity_view *view,
                      uint32_t rank)
{
    const wm_sensitivity *sensitivity = view->sensitivity;
    const uint32_t axis = sensitivity->ranks[rank];
    const wm_key *key = view->study->axes[axis].key;
    wm_buffer value;
    wm_buffer_init(&value);
    wm_key_format(key, wm_config_values(view->base), &value);
    wm_json_open(json, '{');
    wm_json_put_u64(json, "rank", rank + 1);
    wm_json_put_string(json, "key", key->name);
    wm_json_put_string(json, "value", value.bytes != NULL ? value.bytes : "");
    wm_json_key(json, "points");
    wm_json_open(json, '[');
    for (size_t i = 0; i < sensitivity->n_points; i++) {
        if (sensitivity->points[i].axis == axis) {
            json_point(json, view, &sensitivity->points[i]);
        }
    }
    wm_json_close(json, ']');
    wm_json_close(json, '}');
    json->out->is_failed = json->out->is_failed || value.is_failed;
    wm_buffer_fini(&value);
}

void wm_sensitivity_json(const wm_sensitivity_view *view, wm_buffer *out)
{
    const wm_sensitivity *sensitivity = view->sensitivity;
    wm_json json;
    wm_json_init(&json, out);
    wm_json_open(&json, '{');
    json_head(&json, view);
    wm_json_key(&json, "keys");
    wm_json_open(&json, '[');
    for (uint32_t r = 0; r < view->study->n_axes; r++) {
        json_axis(&json, view, r);
    }
    wm_json_close(&json, ']');
    wm_json_key(&json, "skipped");
    wm_json_open(&json, '[');
    for (size_t i = 0; i < sensitivity->n_skips; i++) {
        wm_json_open(&json, '{');
        wm_json_put_string(&json, "key", sensitivity->skips[i].key->name);
        wm_json_put_double(&json, "factor", sensitivity->skips[i].factor);
        wm_json_put_string(&json, "reason", sensitivity->skips[i].reason);
        wm_json_close(&json, '}');
    }
    wm_json_close(&json, ']');
    wm_json_close(&json, '}');
}
