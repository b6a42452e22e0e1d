/*
 * study.h -- a study file: which traces, which configurations, which axes.
 *
 *     traces: [a.wmt, kernels]            globs; beside the study file
 *     configs: [v100, ./mine.yaml]
 *     mode: timing                        or counts
 *     set:  {KEY: VALUE}                  for every point
 *     axes: {KEY: [VALUE, ...]}           crossed, the last one fastest;
 *                                         "A..B step S", "A..B times F"
 *     zip:  {NAME: {KEY: [...], ...}}     axes that move together
 *     when: {KEY or NAME: "KEY == VALUE and config != v100"}
 *     metrics: [time.ns, ...]
 *     rows: total                         or kernels
 *     select: {kernel_name: REGEX, launch_skip: N, launch_count: N}
 *     split:  {kernels: N, warmup: N or all}
 *
 * docs/STUDIES.md is the long form.
 *
 * Not modelled  values that depend on other values, random sampling of a
 *               grid.
 * Ownership     init/fini.
 * Errors        WM_ECONFIG "FILE:LINE:COLUMN: found, wanted"; WM_EIO;
 * WM_ENOMEM. Repeatable    globs are sorted.
 */
#ifndef WM_STUDY_STUDY_H
#define WM_STUDY_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "config/config.h"

#define WM_STUDY_VALUES_MAX 4096u /* of one axis */
#define WM_STUDY_AXES_MAX   192u
#define WM_STUDY_POINTS_MAX 200000u

typedef struct wm_study_place {
    uint32_t line, column;
} wm_study_place;

typedef struct wm_texts {
    char **items;
    size_t n, capacity;
} wm_texts;

typedef struct wm_study_axis {
    const wm_key *key;
    wm_texts values;
    wm_study_place place;
} wm_study_axis;

/* Axes that move together; most groups have one. */
typedef struct wm_study_group {
    char name[128];      /* of a zip; "" = a plain axis */
    uint32_t first_axis; /* into axes */
    uint32_t n_axes;
    uint32_t n_values;
    char *condition; /* NULL = always */
    wm_study_place condition_place;
} wm_study_group;

typedef struct wm_study_select {
    char *kernel_name; /* NULL = all */
    uint64_t launch_skip;
    uint64_t launch_count; /* UINT64_MAX = all */
} wm_study_select;

#define WM_STUDY_ALL UINT64_MAX

typedef struct wm_study {
    char *path;
    char *name;
    wm_texts traces; /* as they are opened */
    wm_texts configs;
    wm_study_place configs_place;
    wm_texts sets; /* KEY=VALUE */
    wm_study_axis axes[WM_STUDY_AXES_MAX];
    uint32_t n_axes;
    wm_study_group groups[WM_STUDY_AXES_MAX];
    uint32_t n_groups;
    size_t *metrics; /* indices for wm_metric_at */
    size_t n_metrics;
    bool is_counts;
    bool is_by_kernel;
    bool is_one_at_a_time; /* no grid: the base, then each value alone */
    wm_study_select select;
    uint64_t split_kernels; /* launches per point; 0 = the whole trace */
    uint64_t warmup;        /* launches before them; WM_STUDY_ALL = all */
} wm_study;

void wm_study_init(wm_study *study);
void wm_study_fini(wm_study *study);
wm_status wm_study_read(const char *path, wm_study *study, wm_error *err);
/* What a study without a file would say: the default metrics. */
wm_status wm_study_default_metrics(wm_study *study, wm_error *err);

/* Appends a copy of the n bytes at text; false when memory is short. */
bool wm_texts_add(wm_texts *texts, const char *text, size_t n);
void wm_texts_fini(wm_texts *texts);

/*
 * Values of an axis from one item of the file: itself, or a range.  Fails with
 * a sentence that has no place.
 */
wm_status wm_study_expand(const wm_key *key, const char *item, wm_texts *values,
                          wm_error *err);

/* Whether the condition holds for a configuration and its name.  Checked once
 * with config NULL when the file is read. */
wm_status wm_study_holds(const char *condition, const wm_config *config,
                         const char *config_name, const char *trace,
                         bool *holds, wm_error *err);

#endif
