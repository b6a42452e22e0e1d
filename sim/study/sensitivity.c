/*
 * sensitivity.c -- one key at a time.
 */
#include "study/sensitivity.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void wm_sensitivity_init(wm_sensitivity *sensitivity)
{
    memset(sensitivity, 0, sizeof(*sensitivity));
}

void wm_sensitivity_fini(wm_sensitivity *sensitivity)
{
    for (size_t i = 0; i < sensitivity->n_points; i++) {
        free(sensitivity->points[i].numbers);
        free(sensitivity->points[i].changes);
    }
    for (size_t i = 0; i < sensitivity->n_skips; i++) {
        free(sensitivity->skips[i].reason);
    }
    free(sensitivity->points);
    free(sensitivity->ranks);
    free(sensitivity->base);
    free(sensitivity->skips);
    wm_sensitivity_init(sensitivity);
}

/* --- axes ----------------------------------------------------------------- */

static wm_status skip(wm_sensitivity *sensitivity, const wm_key *key,
                      double factor, const char *reason, wm_error *err)
{
    const size_t n = strlen(reason) + 1;
    char *copy = malloc(n);
    if (copy == NULL ||
        !wm_grow(&sensitivity->skips, &sensitivity->cap_skips,
                 sensitivity->n_skips + 1, sizeof(sensitivity->skips[0]))) {
        free(copy);
        return wm_fail_memory(err);
    }
    memcpy(copy, reason, n);
    sensitivity->skips[sensitivity->n_skips++] =
        (wm_sensitivity_skip){key, factor, copy};
    return WM_OK;
}

/* Whether the study's first configuration takes the value; why not, in err. */
static wm_status try_value(const wm_study *study, const wm_key *key,
                           const char *value, wm_error *err)
{
    wm_config_set *set = NULL;
    wm_texts sets = {NULL, 0, 0};
    wm_buffer text;
    bool is_ok = true;
    for (size_t i = 0; i < study->sets.n && is_ok; i++) {
        is_ok = wm_texts_add(&sets, study->sets.items[i],
                             strlen(study->sets.items[i]));
    }
    wm_buffer_init(&text);
    wm_buffer_printf(&text, "%s=%s", key->name, value);
    is_ok = is_ok && !text.is_failed &&
            wm_texts_add(&sets, text.bytes, text.n_bytes);
    wm_status status = is_ok ? wm_config_load(study->configs.items[0],
                                              (const char *const *)sets.items,
                                              sets.n, &set, err)
                             : wm_fail_memory(err);
    wm_config_free(set);
    wm_buffer_fini(&text);
    wm_texts_fini(&sets);
    return status;
}

/* Adds base x factor to the axis, or the reason why not to the skips. */
static wm_status add_value(wm_sensitivity *sensitivity, wm_study *study,
                           wm_study_axis *axis, uint64_t base, double factor,
                           wm_error *err)
{
    const wm_key *key = axis->key;
    const double wanted = (double)base * factor;
    if (wanted < (double)key->min || wanted > (double)key->max) {
        return skip(sensitivity, key, factor, "out of the key's range", err);
    }
    const uint64_t value = (uint64_t)llround(wanted);
    if (value == base) {
        return skip(sensitivity, key, factor, "no other whole value", err);
    }
    wm_buffer text;
    wm_buffer_init(&text);
    wm_text_format_quantity(value, wm_key_units(key), &text);
    wm_status status = text.is_failed ? wm_fail_memory(err)
                                      : try_value(study, key, text.bytes, err);
    if (status == WM_ECONFIG) {
        status = skip(sensitivity, key, factor, err->text, err);
    } else if (status == WM_OK) {
        wm_sensitivity_point point = {study->n_axes, (uint32_t)axis->values.n,
                                      factor, NULL, NULL};
        if (!wm_texts_add(&axis->values, text.bytes, text.n_bytes) ||
            !wm_grow(&sensitivity->points, &sensitivity->cap_points,
                     sensitivity->n_points + 1,
                     sizeof(sensitivity->points[0]))) {
            status = wm_fail_memory(err);
        } else {
            sensitivity->points[sensitivity->n_points++] = point;
        }
    }
    wm_buffer_fini(&text);
    return status;
}

static bool is_wanted(const wm_key *key, const char *const *globs,
                      size_t n_globs)
{
    for (size_t i = 0; i < n_globs; i++) {
        if (fnmatch(globs[i], key->name, 0) == 0) {
            return true;
        }
    }
    return n_globs == 0;
}

static wm_status add_axis(wm_sensitivity *sensitivity, wm_study *study,
                          const wm_key *key, uint64_t base,
                          const double *factors, size_t n_factors,
                          wm_error *err)
{
    wm_study_axis *axis = &study->axes[study->n_axes];
    wm_status status = WM_OK;
    memset(axis, 0, sizeof(*axis));
    axis->key = key;
    for (size_t i = 0; i < n_factors && status == WM_OK; i++) {
        status = add_value(sensitivity, study, axis, base, factors[i], err);
    }
    if (axis->values.n != 0) {
        study->n_axes++;
    } else {
        wm_texts_fini(&axis->values);
    }
    return status;
}

wm_status wm_sensitivity_axes(wm_sensitivity *sensitivity, wm_study *study,
                              const wm_config_set *base, const double *factors,
                              size_t n_factors, const char *const *globs,
                              size_t n_globs, wm_error *err)
{
    wm_status status = WM_OK;
    study->is_one_at_a_time = true;
    for (size_t i = 0; i < wm_n_keys && status == WM_OK; i++) {
        const wm_key *key = &wm_keys[i];
        uint64_t value = 0;
        if (wm_key_units(key) == NULL || !is_wanted(key, globs, n_globs) ||
            strcmp(wm_config_origin(base, key), "derived") == 0 ||
            study->n_axes == WM_STUDY_AXES_MAX) {
            continue;
        }
        memcpy(&value, (const char *)wm_config_values(base) + key->offset,
               sizeof(value));
        if (value == 0) {
            status = skip(sensitivity, key, 0, "0 in the base", err);
        } else {
            status = add_axis(sensitivity, study, key, value, factors,
                              n_factors, err);
        }
    }
    if (status == WM_OK && study->n_axes == 0) {
        status = wm_fail(err, WM_EUSAGE,
                         "no numeric key to vary, want another --key");
    }
    return status;
}

/* --- ranking -------------------------------------------------------------- */

/* The place of a row in the one-at-a-time order: 0 = the base, else 1 + point.
 */
static size_t row_place(const wm_sensitivity *sensitivity,
                        const wm_study *study, const wm_point *point)
{
    for (size_t i = 0; i < sensitivity->n_points; i++) {
        if (point->value[sensitivity->points[i].axis] ==
            sensitivity->points[i].value) {
            return 1 + i;
        }
    }
    (void)study;
    return 0;
}

static bool rank_room(wm_sensitivity *sensitivity, const wm_study *study)
{
    const size_t n = study->n_metrics + 1;
    bool is_ok = true;
    sensitivity->n_metrics = study->n_metrics;
    sensitivity->base = calloc(n, sizeof(double));
    sensitivity->ranks = calloc(study->n_axes + 1, sizeof(uint32_t));
    for (size_t i = 0; i < sensitivity->n_points && is_ok; i++) {
        sensitivity->points[i].numbers = calloc(n, sizeof(double));
        sensitivity->points[i].changes = calloc(n, sizeof(double));
        is_ok = sensitivity->points[i].numbers != NULL &&
                sensitivity->points[i].changes != NULL;
    }
    return is_ok && sensitivity->base != NULL && sensitivity->ranks != NULL;
}

/* The largest change of metric m that a value of the axis makes. */
static double axis_change(const wm_sensitivity *sensitivity, uint32_t axis,
                          size_t m)
{
    double most = 0;
    for (size_t i = 0; i < sensitivity->n_points; i++) {
        const wm_sensitivity_point *point = &sensitivity->points[i];
        const double change = fabs(point->changes[m]);
        if (point->axis == axis && change > most) {
            most = change;
        }
    }
    return most;
}

/* Whether axis a matters more than b: by the first metric in which they
 * differ. */
static bool is_before(const wm_sensitivity *sensitivity, uint32_t a, uint32_t b)
{
    for (size_t m = 0; m < sensitivity->n_metrics; m++) {
        const double left = axis_change(sensitivity, a, m);
        const double right = axis_change(sensitivity, b, m);
        if (left != right) {
            return left > right;
        }
    }
    return a < b;
}

wm_status wm_sensitivity_rank(wm_sensitivity *sensitivity,
                              const wm_table *table, wm_error *err)
{
    const wm_study *study = table->study;
    if (!rank_room(sensitivity, study)) {
        return wm_fail_memory(err);
    }
    for (size_t r = 0; r < table->n_rows; r++) {
        const wm_table_row *row = &table->rows[r];
        const size_t place = row_place(sensitivity, study, row->point);
        double *numbers = place == 0 ? sensitivity->base
                                     : sensitivity->points[place - 1].numbers;
        for (size_t m = 0; m < study->n_metrics; m++) {
            numbers[m] += row->values[m];
        }
    }
    for (size_t i = 0; i < sensitivity->n_points; i++) {
        wm_sensitivity_point *point = &sensitivity->points[i];
        for (size_t m = 0; m < study->n_metrics; m++) {
            const double base = sensitivity->base[m];
            point->changes[m] =
                base != 0 ? point->numbers[m] / base - 1
                          : (point->numbers[m] == 0 ? 0 : (double)NAN);
        }
    }
    for (uint32_t a = 0; a < study->n_axes; a++) {
        uint32_t at = a;
        for (; at > 0 && is_before(sensitivity, a, sensitivity->ranks[at - 1]);
             at--) {
            sensitivity->ranks[at] = sensitivity->ranks[at - 1];
        }
        sensitivity->ranks[at] = a;
    }
    return WM_OK;
}
