/*
 * study_sensitivity.c -- `warpmem study sensitivity`: what time and traffic
 * depend on, one key at a time.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/auto_config.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/study_pool.h"
#include "study/sensitivity.h"

wm_status wm_study_cmd_sensitivity(const wm_subcommand *self, int argc,
                                   char **argv, wm_error *err);

typedef struct sensitivity_options {
    const char *config;
    wm_words sets;
    const char *mode;
    wm_words factors;
    wm_words keys;
    uint64_t shown;
    uint64_t jobs;
    uint64_t memory;
    const char *results;
    const char *progress;
    const char *format;
    const char *output;
} sensitivity_options;

#define S_OPTION(kind, letter, name, argument, sentence, field, min, max)      \
    {                                                                          \
        WM_OPTION_##kind, letter, name, argument, sentence,                    \
            offsetof(sensitivity_options, field), min, max                     \
    }

static const wm_option sensitivity_option_list[] = {
    S_OPTION(TEXT, 'c', "config", "NAME|FILE",
             "The base; auto = the preset for the trace's SM version. "
             "[Default: auto]",
             config, 0, 0),
    S_OPTION(LIST, 's', "set", "KEY=VALUE",
             "Override one key of the base; may be repeated.", sets, 0, 0),
    S_OPTION(CHOICE, 'm', "mode", "timing|counts", "[Default: timing]", mode, 0,
             0),
    S_OPTION(LIST, '\0', "factor", "F",
             "Multiply each key by F; may be repeated. [Default: 0.5 and 2]",
             factors, 0, 0),
    S_OPTION(LIST, 'k', "key", "GLOB",
             "Only these keys, as in 'l2.*'; may be repeated. [Default: every "
             "numeric key]",
             keys, 0, 0),
    S_OPTION(NUMBER, 'n', "top", "N", "Keys to show in text. [Default: 20]",
             shown, 1, 1000),
    S_OPTION(NUMBER, 'j', "jobs", "N",
             "Points at a time, each a process. [Default: all cores]", jobs, 1,
             4096),
    S_OPTION(NUMBER, '\0', "memory", "BYTES",
             "For traces in memory. [Default: 1G]", memory, 0, UINT64_MAX),
    S_OPTION(TEXT, 'd', "results", "DIR",
             "Where results lie, as a study's. [Default: sensitivity.results]",
             results, 0, 0),
    S_OPTION(CHOICE, '\0', "progress", "auto|always|never",
             "Progress on stderr. [Default: auto, on a terminal]", progress, 0,
             0),
    S_OPTION(CHOICE, 'f', "format", "text|csv|json", "[Default: text]", format,
             0, 0),
    S_OPTION(TEXT, 'o', "output", "FILE",
             "Write there, - = stdout. [Default: -]", output, 0, 0),
};

static const wm_option_table sensitivity_table = {
    sensitivity_option_list,
    sizeof(sensitivity_option_list) / sizeof(sensitivity_option_list[0]), 1,
    SIZE_MAX,
    "Keys are ranked by how far time follows, then traffic. Numbers of "
    "several\n"
    "traces are summed."};

static const char *const sensitivity_metrics[] = {
    "time.ns", "dram.bytes", "l2.read.sectors", "l2.write.sectors"};

typedef struct sensitivity_job {
    sensitivity_options options;
    wm_words traces;
    wm_study_job job;
    wm_config_set *base;
    wm_sensitivity sensitivity;
    double factors[WM_FACTORS_MAX];
    size_t n_factors;
} sensitivity_job;

static wm_status job_factors(sensitivity_job *s, wm_error *err)
{
    const wm_words *words = &s->options.factors;
    if (words->n == 0) {
        s->factors[0] = 0.5;
        s->factors[1] = 2;
        s->n_factors = 2;
    }
    for (size_t i = 0; i < words->n; i++) {
        char *end = NULL;
        const double factor = strtod(words->items[i], &end);
        if (end == words->items[i] || *end != '\0' || !(factor > 0) ||
            factor == 1 || !isfinite(factor) || i == WM_FACTORS_MAX) {
            return wm_fail(err, WM_EUSAGE,
                           "study sensitivity: --factor \"%.40s\": want a "
                           "number over 0 other than 1, at most %u of them",
                           words->items[i], WM_FACTORS_MAX);
        }
        s->factors[s->n_factors++] = factor;
    }
    return WM_OK;
}

static bool add_text(wm_texts *texts, const char *text)
{
    return wm_texts_add(texts, text, strlen(text));
}

/* The study that the command line describes, but for its axes. */
static wm_status job_study(sensitivity_job *s, wm_error *err)
{
    wm_study *study = &s->job.study;
    bool is_ok = true;
    study->path = calloc(1, 32);
    study->name = calloc(1, 32);
    if (study->path == NULL || study->name == NULL) {
        return wm_fail_memory(err);
    }
    memcpy(study->path, "sensitivity", sizeof("sensitivity"));
    memcpy(study->name, "sensitivity", sizeof("sensitivity"));
    study->is_counts = strcmp(s->options.mode, "counts") == 0;
    for (size_t i = 0; i < s->traces.n && is_ok; i++) {
        is_ok = add_text(&study->traces, s->traces.items[i]);
    }
    for (size_t i = 0; i < s->options.sets.n && is_ok; i++) {
        is_ok = add_text(&study->sets, s->options.sets.items[i]);
    }
    is_ok = is_ok && add_text(&study->configs, wm_config_name(s->base));
    const size_t n =
        sizeof(sensitivity_metrics) / sizeof(sensitivity_metrics[0]);
    study->metrics = calloc(n, sizeof(*study->metrics));
    if (!is_ok || study->metrics == NULL) {
        return wm_fail_memory(err);
    }
    for (; study->n_metrics < n; study->n_metrics++) {
        const wm_metric *metric =
            wm_metric_find(sensitivity_metrics[study->n_metrics]);
        while (wm_metric_at(study->metrics[study->n_metrics]) != metric) {
            study->metrics[study->n_metrics]++;
        }
    }
    return WM_OK;
}

static wm_status job_base(sensitivity_job *s, wm_error *err)
{
    char note[WM_CONFIG_NOTE];
    const wm_config_request request = {.command = "study sensitivity",
                                       .name = s->options.config,
                                       .sets = s->options.sets.items,
                                       .n_sets = s->options.sets.n,
                                       .trace = s->traces.items[0]};
    return wm_auto_config(&request, note, &s->base, err);
}

static wm_status job_points(sensitivity_job *s, wm_error *err)
{
    const sensitivity_options *o = &s->options;
    const bool is_shown = strcmp(o->progress, "always") == 0 ||
                          (strcmp(o->progress, "auto") == 0 &&
                           wm_output_is_terminal(STDERR_FILENO));
    wm_study_pool pool = {.job = &s->job,
                          .n_jobs = (uint32_t)o->jobs,
                          .last = s->job.points.n,
                          .is_shown = is_shown};
    wm_status status = wm_study_pool_run(&pool, err);
    if (status == WM_OK && (pool.is_stopped || pool.n_failed != 0)) {
        return wm_fail(err, WM_EFORMAT,
                       pool.is_stopped
                           ? "stopped by a signal; the same command continues"
                           : "some points failed: no ranking");
    }
    return status;
}

static wm_status job_write(sensitivity_job *s, wm_error *err)
{
    wm_table table;
    wm_buffer out;
    const wm_sensitivity_view view = {&s->sensitivity, &s->job.study, s->base,
                                      s->options.shown};
    wm_table_init(&table, &s->job.study, &s->job.points);
    wm_buffer_init(&out);
    wm_status status = wm_table_make(&table, &s->job.store, err);
    if (status == WM_OK) {
        status = wm_sensitivity_rank(&s->sensitivity, &table, err);
    }
    if (status == WM_OK) {
        if (strcmp(s->options.format, "json") == 0) {
            wm_sensitivity_json(&view, &out);
        } else if (strcmp(s->options.format, "csv") == 0) {
            wm_sensitivity_csv(&view, &out);
        } else {
            wm_sensitivity_text(&view, &out);
        }
        status = wm_output_write(&out, s->options.output, err);
    }
    wm_table_fini(&table);
    return status;
}

static wm_status job_run(sensitivity_job *s, wm_error *err)
{
    wm_status status = job_factors(s, err);
    if (status == WM_OK) {
        status = wm_output_check(s->options.output, err);
    }
    if (status == WM_OK) {
        status = job_base(s, err);
    }
    if (status == WM_OK) {
        status = job_study(s, err);
    }
    if (status == WM_OK) {
        status = wm_sensitivity_axes(
            &s->sensitivity, &s->job.study, s->base, s->factors, s->n_factors,
            s->options.keys.items, s->options.keys.n, err);
    }
    if (status == WM_OK) {
        wm_interrupt_init();
        status = wm_study_job_prepare(&s->job, s->options.results,
                                      s->options.memory, err);
    }
    if (status == WM_OK) {
        status = job_points(s, err);
    }
    return status == WM_OK ? job_write(s, err) : status;
}

wm_status wm_study_cmd_sensitivity(const wm_subcommand *self, int argc,
                                   char **argv, wm_error *err)
{
    sensitivity_job *s = calloc(1, sizeof(*s));
    bool is_help = false;
    if (s == NULL) {
        return wm_fail_memory(err);
    }
    wm_study_job_init(&s->job);
    wm_sensitivity_init(&s->sensitivity);
    s->options.config = "auto";
    s->options.mode = "timing";
    s->options.shown = 20;
    s->options.memory = UINT64_C(1) << 30;
    s->options.results = "sensitivity.results";
    s->options.progress = "auto";
    s->options.format = "text";
    s->options.output = "-";
    wm_status status = wm_options_parse(self, &sensitivity_table, argc, argv,
                                        &s->options, &s->traces, &is_help, err);
    if (status == WM_OK && !is_help) {
        status = job_run(s, err);
    }
    wm_sensitivity_fini(&s->sensitivity);
    wm_study_job_fini(&s->job);
    wm_config_free(s->base);
    wm_words_fini(&s->traces);
    wm_words_fini(&s->options.sets);
    wm_words_fini(&s->options.factors);
    wm_words_fini(&s->options.keys);
    free(s);
    return status;
}
