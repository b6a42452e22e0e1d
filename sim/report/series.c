/*
 * series.c -- counters over simulated time, in bounded memory.
 */
#include "report/series.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void wm_series_fini(wm_series *series)
{
    free(series->samples);
    memset(series, 0, sizeof(*series));
}

static void series_join(wm_series_sample *into, const wm_series_sample *from)
{
    into->launch = from->launch;
    into->end_ns = from->end_ns;
    for (size_t i = 0; i < WM_COUNTER_COUNT; i++) {
        into->counters.value[i] += from->counters.value[i];
    }
}

/* Joins neighbours; the interval doubles. */
static void series_halve(wm_series *series)
{
    size_t n = 0;
    for (size_t i = 0; i + 1 < series->n_samples; i += 2, n++) {
        series->samples[n] = series->samples[i];
        series_join(&series->samples[n], &series->samples[i + 1]);
    }
    if (series->n_samples % 2 != 0) {
        series->samples[n++] = series->samples[series->n_samples - 1];
    }
    series->n_samples = n;
    series->interval_ns *= 2;
}

uint64_t wm_series_add(wm_series *series, uint64_t launch, uint64_t time_ns,
                       const wm_counters *counters)
{
    if (series->samples == NULL) {
        series->samples = calloc(WM_SERIES_MAX, sizeof(*series->samples));
        series->is_failed = series->samples == NULL;
    }
    if (series->is_failed) {
        return series->interval_ns;
    }
    if (launch != series->launch) {
        memset(&series->last, 0, sizeof(series->last));
        series->launch = launch;
    }
    const size_t n = series->n_samples;
    const uint64_t begin_ns = n > 1 ? series->samples[n - 2].end_ns : 0;
    wm_series_sample step = {launch, time_ns, {{0}}};
    for (size_t i = 0; i < WM_COUNTER_COUNT; i++) {
        const uint64_t value = counters->value[i];
        const uint64_t before = series->last.value[i];
        step.counters.value[i] = value > before ? value - before : 0;
        series->last.value[i] = value > before ? value : before;
    }
    if (n != 0 &&
        series->samples[n - 1].end_ns - begin_ns < series->interval_ns) {
        series_join(&series->samples[n - 1], &step);
        return series->interval_ns;
    }
    if (n == WM_SERIES_MAX) {
        series_halve(series);
    }
    series->samples[series->n_samples++] = step;
    return series->interval_ns;
}

size_t wm_series_metric(size_t place)
{
    static const char *const ids[] = {"time.ns",
                                      "instructions.total",
                                      "l1.global_load.requests",
                                      "l1.global_load.sectors",
                                      "l1.global_store.requests",
                                      "l1.global_store.sectors",
                                      "shared.load.wavefronts",
                                      "shared.store.wavefronts",
                                      "l2.read.sectors",
                                      "l2.write.sectors",
                                      "l2.atomic.sectors",
                                      "dram.read.bytes",
                                      "dram.write.bytes",
                                      "ratio.l1_hit",
                                      "ratio.l2_hit",
                                      "ratio.sectors_per_request.global_load",
                                      "ratio.dram_utilization",
                                      "ratio.occupancy",
                                      "bandwidth.l1",
                                      "bandwidth.l2",
                                      "bandwidth.dram"};
    if (place >= sizeof(ids) / sizeof(ids[0])) {
        return SIZE_MAX;
    }
    for (size_t i = 0; i < wm_n_metrics(); i++) {
        if (strcmp(wm_metric_at(i)->id, ids[place]) == 0) {
            return i;
        }
    }
    assert(false); /* an id that metrics.def lacks */
    return SIZE_MAX;
}

/* --- writing -------------------------------------------------------------- */
/* False, and nothing appended, when null. */
static bool series_print(const wm_report *report, size_t sample, size_t metric,
                         wm_buffer *out)
{
    wm_report_kernel kernel;
    memset(&kernel, 0, sizeof(kernel));
    kernel.counters = report->series.samples[sample].counters;
    return wm_metric_print(report, &kernel, metric, out);
}

static void series_column(wm_json *json, const wm_report *report, size_t metric)
{
    wm_buffer text;
    wm_buffer_init(&text);
    wm_json_key(json, wm_metric_at(metric)->id);
    wm_json_open_row(json);
    for (size_t i = 0; i < report->series.n_samples; i++) {
        wm_buffer_clear(&text);
        if (series_print(report, i, metric, &text) && !text.is_failed) {
            wm_json_raw(json, text.bytes);
        } else {
            wm_json_null(json);
        }
    }
    wm_json_close(json, ']');
    json->out->is_failed = json->out->is_failed || text.is_failed;
    wm_buffer_fini(&text);
}

/* Counters of DRAM's inside are known at a launch's end only, and what is
 * left dirty is no sum. */
static bool series_is_sampled(size_t metric)
{
    const char *id = wm_metric_at(metric)->id;
    return strcmp(id, "l2.dirty_bytes_left") != 0 &&
           (strncmp(id, "dram.", 5) != 0 ||
            strcmp(id, "dram.read.bytes") == 0 ||
            strcmp(id, "dram.write.bytes") == 0);
}

static bool series_is_zero(const wm_series *series, size_t metric)
{
    for (size_t i = 0; i < series->n_samples; i++) {
        if (series->samples[i].counters.value[metric] != 0) {
            return false;
        }
    }
    return true;
}

static bool series_is_listed(size_t metric)
{
    for (size_t place = 0; wm_series_metric(place) != SIZE_MAX; place++) {
        if (wm_series_metric(place) == metric) {
            return true;
        }
    }
    return false;
}

void wm_series_json(wm_json *json, const wm_report *report, bool has_counters)
{
    const wm_series *series = &report->series;
    wm_json_put_u64(json, "interval_ns", series->interval_ns);
    wm_json_key(json, "end_ns");
    wm_json_open_row(json);
    for (size_t i = 0; i < series->n_samples; i++) {
        wm_json_u64(json, series->samples[i].end_ns);
    }
    wm_json_close(json, ']');
    wm_json_key(json, "launch");
    wm_json_open_row(json);
    for (size_t i = 0; i < series->n_samples; i++) {
        wm_json_u64(json, series->samples[i].launch);
    }
    wm_json_close(json, ']');
    wm_json_key(json, "metrics");
    wm_json_open(json, '{');
    for (size_t place = 0; wm_series_metric(place) != SIZE_MAX; place++) {
        series_column(json, report, wm_series_metric(place));
    }
    for (size_t m = 0; has_counters && m < WM_COUNTER_COUNT; m++) {
        if (series_is_sampled(m) && !series_is_listed(m) &&
            !series_is_zero(series, m)) {
            series_column(json, report, m);
        }
    }
    wm_json_close(json, '}');
}

void wm_series_csv(const wm_report *report, wm_buffer *out)
{
    wm_buffer_puts(out, "end_ns,launch");
    for (size_t place = 0; wm_series_metric(place) != SIZE_MAX; place++) {
        const wm_metric *metric = wm_metric_at(wm_series_metric(place));
        const bool use_nsight =
            report->use_nsight_names && *metric->nsight != '\0';
        wm_buffer_printf(out, ",%s", use_nsight ? metric->nsight : metric->id);
    }
    wm_buffer_puts(out, "\n");
    for (size_t i = 0; i < report->series.n_samples; i++) {
        const wm_series_sample *sample = &report->series.samples[i];
        wm_buffer_printf(out, "%" PRIu64 ",%" PRIu64, sample->end_ns,
                         sample->launch);
        for (size_t place = 0; wm_series_metric(place) != SIZE_MAX; place++) {
            wm_buffer_puts(out, ",");
            (void)series_print(report, i, wm_series_metric(place), out);
        }
        wm_buffer_puts(out, "\n");
    }
}
