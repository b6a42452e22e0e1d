/*
 * study.c -- a study file as a whole.
 */
#include "study/study.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "study/study_internal.h"

#define STUDY_BYTES_MAX ((size_t)1 << 20)

static const char *const default_metrics[] = {
    "time.ns",        "time.cycles",     "instructions.total",
    "ratio.l1_hit",   "l2.read.sectors", "l2.write.sectors",
    "ratio.l2_hit",   "dram.read.bytes", "dram.write.bytes",
    "bandwidth.dram", "bound.name"};

void wm_study_init(wm_study *study)
{
    memset(study, 0, sizeof(*study));
    study->select.launch_count = UINT64_MAX;
}

void wm_study_fini(wm_study *study)
{
    for (uint32_t i = 0; i < study->n_axes; i++) {
        wm_texts_fini(&study->axes[i].values);
    }
    for (uint32_t i = 0; i < study->n_groups; i++) {
        free(study->groups[i].condition);
    }
    wm_texts_fini(&study->traces);
    wm_texts_fini(&study->configs);
    wm_texts_fini(&study->sets);
    free(study->select.kernel_name);
    free(study->metrics);
    free(study->name);
    free(study->path);
    wm_study_init(study);
}

wm_status wm_study_add_metric(wm_study *study, const wm_metric *metric,
                              wm_error *err)
{
    size_t *grown =
        realloc(study->metrics, (study->n_metrics + 1) * sizeof(*grown));
    if (grown == NULL) {
        return wm_fail_memory(err);
    }
    study->metrics = grown;
    grown[study->n_metrics] = 0;
    while (wm_metric_at(grown[study->n_metrics]) != metric) {
        grown[study->n_metrics]++;
    }
    study->n_metrics++;
    return WM_OK;
}

wm_status wm_study_default_metrics(wm_study *study, wm_error *err)
{
    wm_status status = WM_OK;
    for (size_t i = 0;
         i < sizeof(default_metrics) / sizeof(default_metrics[0]) &&
         status == WM_OK;
         i++) {
        status =
            wm_study_add_metric(study, wm_metric_find(default_metrics[i]), err);
    }
    return status;
}

/* What can be said only when all has been read. */
static wm_status check_whole(wm_study *study, wm_error *err)
{
    const char *missing = study->traces.n == 0    ? "traces"
                          : study->configs.n == 0 ? "configs"
                                                  : NULL;
    if (missing != NULL) {
        return wm_fail(err, WM_ECONFIG, "%s:1: no %s, wanted %s: [...]",
                       study->path, missing, missing);
    }
    const bool is_selected = study->select.kernel_name != NULL ||
                             study->select.launch_skip != 0 ||
                             study->select.launch_count != UINT64_MAX;
    if (study->split_kernels != 0 && is_selected) {
        return wm_fail(err, WM_ECONFIG,
                       "%s:1: select and split, wanted one of them",
                       study->path);
    }
    if (study->warmup != 0 && study->split_kernels == 0) {
        return wm_fail(err, WM_ECONFIG,
                       "%s:1: split.warmup without split.kernels", study->path);
    }
    return WM_OK;
}

static wm_status default_name(wm_study *study, wm_error *err)
{
    const char *slash = strrchr(study->path, '/');
    const char *stem = slash != NULL ? slash + 1 : study->path;
    const char *dot = strrchr(stem, '.');
    const size_t n = dot != NULL ? (size_t)(dot - stem) : strlen(stem);
    study->name = calloc(n + 1, 1);
    if (study->name == NULL) {
        return wm_fail_memory(err);
    }
    memcpy(study->name, stem, n);
    return WM_OK;
}

static wm_status read_file(const char *path, wm_buffer *text, wm_error *err)
{
    char block[4096];
    size_t n = 0;
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        return wm_fail(err, errno == ENOENT ? WM_ECONFIG : WM_EIO, "%s: %s",
                       path, strerror(errno));
    }
    wm_buffer_puts(text, "");
    while ((n = fread(block, 1, sizeof(block), stream)) != 0 &&
           text->n_bytes <= STUDY_BYTES_MAX) {
        wm_buffer_add(text, block, n);
    }
    wm_status status = WM_OK;
    if (ferror(stream)) {
        status = wm_fail(err, WM_EIO, "%s: %s", path, strerror(errno));
    } else if (text->n_bytes > STUDY_BYTES_MAX) {
        status = wm_fail(err, WM_ECONFIG, "%s: over 1 MiB, wanted a study file",
                         path);
    } else if (text->is_failed) {
        status = wm_fail_memory(err);
    }
    (void)fclose(stream);
    return status;
}

wm_status wm_study_read(const char *path, wm_study *study, wm_error *err)
{
    wm_buffer text;
    const size_t n = strlen(path) + 1;
    study->path = malloc(n);
    if (study->path == NULL) {
        return wm_fail_memory(err);
    }
    memcpy(study->path, path, n);
    wm_buffer_init(&text);
    wm_status status = read_file(path, &text, err);
    if (status == WM_OK) {
        status = wm_study_read_text(study, &text, err);
    }
    wm_buffer_fini(&text);
    if (status == WM_OK) {
        status = check_whole(study, err);
    }
    if (status == WM_OK && study->name == NULL) {
        status = default_name(study, err);
    }
    if (status == WM_OK && study->n_metrics == 0) {
        status = wm_study_default_metrics(study, err);
    }
    return status;
}
