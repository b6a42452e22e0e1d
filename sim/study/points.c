/*
 * points.c -- the points of a study.
 */
#include "study/points.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGEST_FORMAT 1

void wm_points_init(wm_points *points)
{
    memset(points, 0, sizeof(*points));
}

void wm_points_fini(wm_points *points)
{
    free(points->items);
    wm_points_init(points);
}

const char *wm_point_value(const wm_study *study, const wm_point *point,
                           uint32_t axis)
{
    const uint16_t index = point->value[axis];
    return index != WM_STUDY_UNSET ? study->axes[axis].values.items[index] : "";
}

/* --- configuration -------------------------------------------------------- */

/* "KEY=VALUE" for the study's sets and the first n_axes axes. */
static bool point_sets(const wm_study *study, const wm_point *point,
                       uint32_t n_axes, wm_texts *sets)
{
    wm_buffer text;
    bool is_ok = true;
    for (size_t i = 0; i < study->sets.n && is_ok; i++) {
        is_ok = wm_texts_add(sets, study->sets.items[i],
                             strlen(study->sets.items[i]));
    }
    wm_buffer_init(&text);
    for (uint32_t a = 0; a < n_axes && is_ok; a++) {
        if (point->value[a] == WM_STUDY_UNSET) {
            continue;
        }
        wm_buffer_clear(&text);
        wm_buffer_printf(&text, "%s=%s", study->axes[a].key->name,
                         wm_point_value(study, point, a));
        is_ok = !text.is_failed && wm_texts_add(sets, text.bytes, text.n_bytes);
    }
    wm_buffer_fini(&text);
    return is_ok;
}

static wm_status load_config(const wm_study *study, const wm_point *point,
                             uint32_t n_axes, wm_config_set **out,
                             wm_error *err)
{
    wm_texts sets = {NULL, 0, 0};
    wm_status status = WM_OK;
    *out = NULL;
    if (!point_sets(study, point, n_axes, &sets)) {
        status = wm_fail_memory(err);
    } else {
        status =
            wm_config_load(study->configs.items[point->config],
                           (const char *const *)sets.items, sets.n, out, err);
    }
    wm_texts_fini(&sets);
    return status;
}

wm_status wm_point_config(const wm_study *study, const wm_point *point,
                          wm_config_set **out, wm_error *err)
{
    return load_config(study, point, study->n_axes, out, err);
}

/* What a bad configuration comes from: the last axis that is set. */
static wm_status fail_config(const wm_study *study, const wm_point *point,
                             wm_error *err)
{
    const wm_study_place *place = &study->configs_place;
    char text[500];
    (void)snprintf(text, sizeof(text), "%.499s", err->text);
    for (uint32_t a = 0; a < study->n_axes; a++) {
        place =
            point->value[a] != WM_STUDY_UNSET ? &study->axes[a].place : place;
    }
    return wm_fail(err, err->status, "%s:%u:%u: with config %.80s: %s",
                   study->path, place->line, place->column,
                   study->configs.items[point->config], text);
}

/* --- names ---------------------------------------------------------------- */

static void name_point(const wm_study *study, const wm_tape_facts *facts,
                       const wm_config_set *config, wm_point *point)
{
    char config_digest[WM_DIGEST_HEX];
    char text[512];
    wm_digest digest;
    const wm_study_select *select = &study->select;
    wm_config_digest(config, config_digest);
    (void)snprintf(text, sizeof(text),
                   "%d\n%s\n%s\n%s\n%s\n%" PRIu64 " %" PRIu64 " %" PRIu64
                   "\n%" PRIu64 " %" PRIu64 "\n",
                   DIGEST_FORMAT, WM_VERSION, facts->digest, config_digest,
                   study->is_counts ? "counts" : "timing", point->first_launch,
                   point->n_launches,
                   point->first_launch != 0 ? study->warmup : 0,
                   select->launch_skip, select->launch_count);
    wm_digest_init(&digest);
    wm_digest_add(&digest, text, strlen(text));
    if (select->kernel_name != NULL) {
        wm_digest_add(&digest, select->kernel_name,
                      strlen(select->kernel_name));
    }
    wm_digest_hex(&digest, point->digest);
}

/* --- the grid ------------------------------------------------------------- */

typedef struct making {
    const wm_study *study;
    const wm_tape_facts *facts;
    wm_points *points;
    wm_point point; /* the present one */
} making;

static wm_status fail_many(const wm_study *study, wm_error *err)
{
    return wm_fail(err, WM_ECONFIG, "%s:1: over %u points, wanted fewer",
                   study->path, WM_STUDY_POINTS_MAX);
}

static wm_status add_point(making *m, const wm_config_set *config,
                           wm_error *err)
{
    wm_points *points = m->points;
    if (points->n == WM_STUDY_POINTS_MAX) {
        return fail_many(m->study, err);
    }
    if (!wm_grow(&points->items, &points->capacity, points->n + 1,
                 sizeof(points->items[0]))) {
        return wm_fail_memory(err);
    }
    name_point(m->study, &m->facts[m->point.trace], config, &m->point);
    points->items[points->n++] = m->point;
    return WM_OK;
}

/* All axes are set: one point, or one per part of a split trace. */
static wm_status add_row(making *m, wm_error *err)
{
    const wm_study *study = m->study;
    const uint64_t n_launches = m->facts[m->point.trace].n_launches;
    wm_config_set *config = NULL;
    wm_status status =
        load_config(study, &m->point, study->n_axes, &config, err);
    if (status != WM_OK) {
        return fail_config(study, &m->point, err);
    }
    m->point.row = m->points->n_rows++;
    m->point.first_launch = m->point.n_launches = 0;
    if (study->split_kernels == 0 || n_launches == 0) {
        status = add_point(m, config, err);
    } else {
        m->point.n_launches = study->split_kernels;
        for (uint64_t first = 1; first <= n_launches && status == WM_OK;
             first += study->split_kernels) {
            m->point.first_launch = first;
            status = add_point(m, config, err);
        }
    }
    wm_config_free(config);
    return status;
}

static wm_status group_holds(making *m, const wm_study_group *group,
                             bool *holds, wm_error *err)
{
    const wm_study *study = m->study;
    wm_config_set *config = NULL;
    *holds = true;
    if (group->condition == NULL) {
        return WM_OK;
    }
    wm_status status =
        load_config(study, &m->point, group->first_axis, &config, err);
    if (status != WM_OK) {
        return fail_config(study, &m->point, err);
    }
    status = wm_study_holds(group->condition, wm_config_values(config),
                            study->configs.items[m->point.config],
                            study->traces.items[m->point.trace], holds, err);
    wm_config_free(config);
    return status;
}

static void set_group(making *m, const wm_study_group *group, uint16_t value)
{
    for (uint32_t a = 0; a < group->n_axes; a++) {
        m->point.value[group->first_axis + a] = value;
    }
}

/* Values of group g and of those after it; at most WM_STUDY_AXES_MAX deep. */
static wm_status make_group(making *m, uint32_t g, wm_error *err)
{
    if (g == m->study->n_groups) {
        return add_row(m, err);
    }
    const wm_study_group *group = &m->study->groups[g];
    bool holds = true;
    wm_status status = group_holds(m, group, &holds, err);
    if (status == WM_OK && !holds) {
        set_group(m, group, WM_STUDY_UNSET);
        return make_group(m, g + 1, err);
    }
    for (uint32_t v = 0; v < group->n_values && status == WM_OK; v++) {
        set_group(m, group, (uint16_t)v);
        status = make_group(m, g + 1, err);
    }
    set_group(m, group, WM_STUDY_UNSET);
    return status;
}

/* The configuration as it is, then each value of each axis alone. */
static wm_status make_alone(making *m, wm_error *err)
{
    const wm_study *study = m->study;
    wm_status status = add_row(m, err);
    for (uint32_t a = 0; a < study->n_axes; a++) {
        for (uint32_t v = 0; v < study->axes[a].values.n && status == WM_OK;
             v++) {
            m->point.value[a] = (uint16_t)v;
            status = add_row(m, err);
        }
        m->point.value[a] = WM_STUDY_UNSET;
    }
    return status;
}

/* A grid that cannot be is said before it is made; groups with a condition may
 * be left out, and count as one. */
static wm_status check_size(const wm_study *study, wm_error *err)
{
    uint64_t n = (uint64_t)study->traces.n * study->configs.n;
    for (uint32_t g = 0; g < study->n_groups && n <= WM_STUDY_POINTS_MAX; g++) {
        n *= study->groups[g].condition == NULL ? study->groups[g].n_values : 1;
    }
    return n <= WM_STUDY_POINTS_MAX ? WM_OK : fail_many(study, err);
}

wm_status wm_points_make(const wm_study *study, const wm_tape_facts *facts,
                         wm_points *points, wm_error *err)
{
    making m = {study, facts, points, {0}};
    wm_status status = check_size(study, err);
    memset(m.point.value, 0xff, sizeof(m.point.value));
    for (uint32_t t = 0; t < study->traces.n; t++) {
        for (uint32_t c = 0; c < study->configs.n && status == WM_OK; c++) {
            m.point.trace = t;
            m.point.config = c;
            status = study->is_one_at_a_time ? make_alone(&m, err)
                                             : make_group(&m, 0, err);
        }
    }
    return status;
}
