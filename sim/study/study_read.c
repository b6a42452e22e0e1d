/*
 * study_read.c -- the entries of a study file, one by one.
 */
#include <glob.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "config/yaml.h"
#include "study/study_internal.h"

/* --- entries -------------------------------------------------------------- */

typedef struct reading {
    wm_study *study;
    const wm_yaml_entry *entry; /* the present one */
} reading;

/* Fails at the present entry's value. */
static wm_status fail_at(const reading *r, const char *what, wm_error *err)
{
    const wm_yaml_entry *e = r->entry;
    return wm_fail(err, WM_ECONFIG, "%s:%u:%u: %s: %s", r->study->path,
                   e->value_line, e->value_column, e->key, what);
}

/* The same around a sentence that is in *err already. */
static wm_status fail_around(const reading *r, wm_error *err)
{
    char what[512];
    (void)snprintf(what, sizeof(what), "%.500s", err->text);
    return fail_at(r, what, err);
}

static wm_status read_scalar(const reading *r, char **out, wm_error *err)
{
    if (r->entry->kind != WM_YAML_SCALAR || r->entry->value[0] == '\0') {
        return fail_at(r, "no single value, wanted one", err);
    }
    free(*out);
    const size_t n = strlen(r->entry->value) + 1;
    *out = malloc(n);
    if (*out == NULL) {
        return wm_fail_memory(err);
    }
    memcpy(*out, r->entry->value, n);
    return WM_OK;
}

static wm_status read_number(const reading *r, uint64_t *out, wm_error *err)
{
    if (r->entry->kind != WM_YAML_SCALAR ||
        wm_text_parse_u64(r->entry->value, strlen(r->entry->value), out) !=
            WM_TEXT_OK) {
        return fail_at(r, "no whole number, wanted one", err);
    }
    return WM_OK;
}

/* Calls back for the value, or each value of a list. */
typedef wm_status (*item_fn)(const reading *r, const char *item, void *context,
                             wm_error *err);
static wm_status read_items(const reading *r, item_fn take, void *context,
                            wm_error *err)
{
    const wm_yaml_entry *e = r->entry;
    wm_status status = WM_OK;
    const char *item = e->items;
    if (e->kind == WM_YAML_MAP ||
        (e->kind == WM_YAML_LIST && e->n_items == 0) ||
        (e->kind == WM_YAML_SCALAR && e->value[0] == '\0')) {
        return fail_at(r, "no value, wanted one or a list", err);
    }
    if (e->kind == WM_YAML_SCALAR) {
        return take(r, e->value, context, err);
    }
    for (uint32_t i = 0; i < e->n_items && status == WM_OK; i++) {
        status = take(r, item, context, err);
        item += strlen(item) + 1;
    }
    return status;
}

static wm_status take_text(const reading *r, const char *item, void *context,
                           wm_error *err)
{
    (void)r;
    return wm_texts_add(context, item, strlen(item)) ? WM_OK
                                                     : wm_fail_memory(err);
}

/* path as seen from the study file's folder; malloced, NULL = no memory. */
static char *beside(const wm_study *study, const char *path)
{
    const char *slash = strrchr(study->path, '/');
    const size_t n =
        path[0] != '/' && slash != NULL ? (size_t)(slash + 1 - study->path) : 0;
    char *joined = malloc(n + strlen(path) + 1);
    if (joined != NULL) {
        memcpy(joined, study->path, n);
        memcpy(joined + n, path, strlen(path) + 1);
    }
    return joined;
}

static wm_status take_trace(const reading *r, const char *item, void *context,
                            wm_error *err)
{
    wm_texts *traces = context;
    wm_status status = WM_OK;
    glob_t found;
    char *pattern = beside(r->study, item);
    if (pattern == NULL) {
        return wm_fail_memory(err);
    }
    const int code = glob(pattern, 0, NULL, &found);
    if (code == GLOB_NOMATCH) {
        char what[400];
        (void)snprintf(what, sizeof(what), "no file is called %.340s", pattern);
        status = fail_at(r, what, err);
    } else if (code != 0) {
        status = wm_fail_memory(err);
    }
    for (size_t i = 0; code == 0 && i < found.gl_pathc && status == WM_OK;
         i++) {
        const char *path = found.gl_pathv[i];
        status = wm_texts_add(traces, path, strlen(path)) ? WM_OK
                                                          : wm_fail_memory(err);
    }
    if (code == 0) {
        globfree(&found);
    }
    free(pattern);
    return status;
}

static wm_status take_config(const reading *r, const char *item, void *context,
                             wm_error *err)
{
    const bool is_file = strchr(item, '/') != NULL ||
                         wm_text_ends_with(item, ".yaml") ||
                         wm_text_ends_with(item, ".yml");
    if (!is_file) {
        return take_text(r, item, context, err);
    }
    char *path = beside(r->study, item);
    if (path == NULL) {
        return wm_fail_memory(err);
    }
    wm_status status = take_text(r, path, context, err);
    free(path);
    return status;
}

static wm_status take_metric(const reading *r, const char *item, void *context,
                             wm_error *err)
{
    const wm_metric *metric = wm_metric_find(item);
    (void)context;
    if (metric == NULL) {
        char what[256];
        const char *best = wm_metric_at(0)->id;
        for (size_t i = 1; i < wm_n_metrics(); i++) {
            const char *id = wm_metric_at(i)->id;
            if (wm_text_edit_distance(item, id) <
                wm_text_edit_distance(item, best)) {
                best = id;
            }
        }
        (void)snprintf(what, sizeof(what),
                       "unknown metric '%.80s', nearest is %.80s", item, best);
        return fail_at(r, what, err);
    }
    return wm_study_add_metric(r->study, metric, err);
}

/* --- axes ----------------------------------------------------------------- */

static wm_status find_key(const reading *r, const char *name,
                          const wm_key **key, wm_error *err)
{
    *key = wm_key_find(name);
    if (*key != NULL) {
        return WM_OK;
    }
    return wm_fail(err, WM_ECONFIG, "%s:%u:%u: %s: unknown key, nearest is %s",
                   r->study->path, r->entry->line, r->entry->column,
                   r->entry->key, wm_key_nearest(name)->name);
}

static wm_status take_value(const reading *r, const char *item, void *context,
                            wm_error *err)
{
    wm_study_axis *axis = context;
    wm_status status = wm_study_expand(axis->key, item, &axis->values, err);
    return status == WM_ECONFIG ? fail_around(r, err) : status;
}

/* The group called name, or a new one. */
static wm_study_group *take_group(wm_study *study, const char *name)
{
    wm_study_group *last =
        study->n_groups != 0 ? &study->groups[study->n_groups - 1] : NULL;
    if (name[0] != '\0' && last != NULL && strcmp(last->name, name) == 0) {
        return last;
    }
    wm_study_group *group = &study->groups[study->n_groups++];
    memset(group, 0, sizeof(*group));
    (void)snprintf(group->name, sizeof(group->name), "%s", name);
    group->first_axis = study->n_axes;
    return group;
}

/* An axis for the key called name, in the zip called group ("" = none). */
static wm_status read_axis(const reading *r, const char *group_name,
                           const char *name, wm_error *err)
{
    wm_study *study = r->study;
    const wm_key *key = NULL;
    wm_status status = find_key(r, name, &key, err);
    if (status != WM_OK) {
        return status;
    }
    if (study->n_axes == WM_STUDY_AXES_MAX) {
        return fail_at(r, "over 192 axes", err);
    }
    for (uint32_t i = 0; i < study->n_axes; i++) {
        if (study->axes[i].key == key) {
            return fail_at(r, "an axis already", err);
        }
    }
    wm_study_group *group = take_group(study, group_name);
    wm_study_axis *axis = &study->axes[study->n_axes++];
    memset(axis, 0, sizeof(*axis));
    axis->key = key;
    axis->place = (wm_study_place){r->entry->line, r->entry->column};
    group->n_axes++;
    status = read_items(r, take_value, axis, err);
    if (status != WM_OK) {
        return status;
    }
    if (group->n_axes > 1 && axis->values.n != group->n_values) {
        char what[200];
        (void)snprintf(what, sizeof(what),
                       "%zu values, wanted %u as %.100s has: zipped axes move "
                       "together",
                       axis->values.n, group->n_values,
                       study->axes[group->first_axis].key->name);
        return fail_at(r, what, err);
    }
    group->n_values = (uint32_t)axis->values.n;
    return WM_OK;
}

/* zip.NAME.KEY */
static wm_status read_zip(const reading *r, const char *rest, wm_error *err)
{
    char name[128];
    const char *dot = strchr(rest, '.');
    if (dot == NULL) {
        return r->entry->kind == WM_YAML_MAP
                   ? WM_OK
                   : fail_at(r, "wanted a name with axes below it", err);
    }
    (void)snprintf(name, sizeof(name), "%.*s", (int)(dot - rest), rest);
    return read_axis(r, name, dot + 1, err);
}

static wm_status read_set(const reading *r, const char *name, wm_error *err)
{
    const wm_key *key = NULL;
    wm_buffer text;
    wm_status status = find_key(r, name, &key, err);
    if (status == WM_OK && r->entry->kind == WM_YAML_MAP) {
        status = fail_at(r, "a map, wanted one value", err);
    }
    if (status != WM_OK) {
        return status;
    }
    wm_buffer_init(&text);
    wm_buffer_printf(&text, "%s=%s", name, r->entry->value);
    status = !text.is_failed &&
                     wm_texts_add(&r->study->sets, text.bytes, text.n_bytes)
                 ? WM_OK
                 : wm_fail_memory(err);
    wm_buffer_fini(&text);
    return status;
}

static wm_status read_when(const reading *r, const char *name, wm_error *err)
{
    wm_study *study = r->study;
    for (uint32_t i = 0; i < study->n_groups; i++) {
        wm_study_group *group = &study->groups[i];
        const char *known = group->name[0] != '\0'
                                ? group->name
                                : study->axes[group->first_axis].key->name;
        if (strcmp(known, name) != 0) {
            continue;
        }
        bool holds = false;
        wm_status status = read_scalar(r, &group->condition, err);
        group->condition_place =
            (wm_study_place){r->entry->value_line, r->entry->value_column};
        if (status == WM_OK) {
            status =
                wm_study_holds(group->condition, NULL, "", "", &holds, err);
            status = status == WM_ECONFIG ? fail_around(r, err) : status;
        }
        return status;
    }
    return r->entry->kind == WM_YAML_MAP
               ? WM_OK /* a section: its keys follow */
               : fail_at(r,
                         "no such axis above, wanted the key of an axis or "
                         "the name of a zip",
                         err);
}

/* --- the file ------------------------------------------------------------- */

static wm_status read_choice(const reading *r, const char *no, const char *yes,
                             bool *out, wm_error *err)
{
    char what[128];
    *out = strcmp(r->entry->value, yes) == 0;
    if (r->entry->kind == WM_YAML_SCALAR &&
        (*out || strcmp(r->entry->value, no) == 0)) {
        return WM_OK;
    }
    (void)snprintf(what, sizeof(what), "'%.40s', wanted %s or %s",
                   r->entry->value, no, yes);
    return fail_at(r, what, err);
}

static wm_status read_warmup(const reading *r, wm_error *err)
{
    if (strcmp(r->entry->value, "all") == 0) {
        r->study->warmup = WM_STUDY_ALL;
        return WM_OK;
    }
    return read_number(r, &r->study->warmup, err);
}

static wm_status read_pattern(const reading *r, wm_error *err)
{
    regex_t expression;
    wm_status status = read_scalar(r, &r->study->select.kernel_name, err);
    if (status != WM_OK) {
        return status;
    }
    const int code = regcomp(&expression, r->study->select.kernel_name,
                             REG_EXTENDED | REG_NOSUB);
    if (code == 0) {
        regfree(&expression);
        return WM_OK;
    }
    char text[128];
    (void)regerror(code, &expression, text, sizeof(text));
    return fail_at(r, text, err);
}

/* After KEY, when name is KEY.rest; NULL when it is not. */
static const char *below(const char *name, const char *key)
{
    const size_t n = strlen(key);
    return strncmp(name, key, n) == 0 && name[n] == '.' ? name + n + 1 : NULL;
}

static wm_status read_section(const reading *r, wm_error *err)
{
    const char *key = r->entry->key;
    const bool is_map = r->entry->kind == WM_YAML_MAP;
    const char *rest = below(key, "axes");
    if (rest != NULL) {
        return is_map ? WM_OK : read_axis(r, "", rest, err);
    }
    if ((rest = below(key, "zip")) != NULL) {
        return is_map ? WM_OK : read_zip(r, rest, err);
    }
    if ((rest = below(key, "set")) != NULL) {
        return is_map ? WM_OK : read_set(r, rest, err);
    }
    if ((rest = below(key, "when")) != NULL) {
        return read_when(r, rest, err);
    }
    static const char *const known[] = {"name",
                                        "traces",
                                        "configs",
                                        "mode",
                                        "set",
                                        "axes",
                                        "zip",
                                        "when",
                                        "metrics",
                                        "rows",
                                        "select",
                                        "split",
                                        "select.kernel_name",
                                        "select.launch_skip",
                                        "select.launch_count",
                                        "split.kernels",
                                        "split.warmup"};
    const char *best = known[0];
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(known[i], key) == 0 && is_map) {
            return WM_OK;
        }
        if (wm_text_edit_distance(key, known[i]) <
            wm_text_edit_distance(key, best)) {
            best = known[i];
        }
    }
    return wm_fail(err, WM_ECONFIG, "%s:%u:%u: %s: unknown key, nearest is %s",
                   r->study->path, r->entry->line, r->entry->column, key, best);
}

static wm_status read_entry(const reading *r, wm_error *err)
{
    wm_study *study = r->study;
    const char *key = r->entry->key;
    if (strcmp(key, "name") == 0) {
        return read_scalar(r, &study->name, err);
    }
    if (strcmp(key, "traces") == 0) {
        return read_items(r, take_trace, &study->traces, err);
    }
    if (strcmp(key, "configs") == 0) {
        study->configs_place =
            (wm_study_place){r->entry->value_line, r->entry->value_column};
        return read_items(r, take_config, &study->configs, err);
    }
    if (strcmp(key, "metrics") == 0) {
        return read_items(r, take_metric, NULL, err);
    }
    if (strcmp(key, "mode") == 0) {
        return read_choice(r, "timing", "counts", &study->is_counts, err);
    }
    if (strcmp(key, "rows") == 0) {
        return read_choice(r, "total", "kernels", &study->is_by_kernel, err);
    }
    if (strcmp(key, "select.kernel_name") == 0) {
        return read_pattern(r, err);
    }
    if (strcmp(key, "select.launch_skip") == 0) {
        return read_number(r, &study->select.launch_skip, err);
    }
    if (strcmp(key, "select.launch_count") == 0) {
        return read_number(r, &study->select.launch_count, err);
    }
    if (strcmp(key, "split.kernels") == 0) {
        return read_number(r, &study->split_kernels, err);
    }
    if (strcmp(key, "split.warmup") == 0) {
        return read_warmup(r, err);
    }
    return read_section(r, err);
}

wm_status wm_study_read_text(wm_study *study, const wm_buffer *text,
                             wm_error *err)
{
    wm_yaml yaml;
    reading r = {study, NULL};
    wm_status status =
        wm_yaml_parse(study->path, text->bytes, text->n_bytes, &yaml, err);
    for (size_t i = 0; i < yaml.n_entries && status == WM_OK; i++) {
        r.entry = &yaml.entry[i];
        if (strncmp(r.entry->key, "when", 4) != 0) {
            status = read_entry(&r, err);
        }
    }
    /* Conditions last: they name axes. */
    for (size_t i = 0; i < yaml.n_entries && status == WM_OK; i++) {
        r.entry = &yaml.entry[i];
        if (strncmp(r.entry->key, "when", 4) == 0) {
            status = read_entry(&r, err);
        }
    }
    wm_yaml_fini(&yaml);
    return status;
}
