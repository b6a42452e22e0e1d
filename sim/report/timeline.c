/*
 * timeline.c -- a run as Chrome trace events.
 */
#include "report/timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/json.h"
#include "report/series.h"

/* CTA places of an SM.  Tracks are 1 + sm * 64 + place: to some readers a
 * thread 0 is none. */
#define PLACES_MAX 64u
enum { PROCESS_RUN = 1, PROCESS_SMS = 2 };

void wm_timeline_init(wm_timeline *timeline)
{
    memset(timeline, 0, sizeof(*timeline));
}

void wm_timeline_fini(wm_timeline *timeline)
{
    free(timeline->ctas);
    wm_timeline_init(timeline);
}

void wm_timeline_add(wm_timeline *timeline, const wm_timeline_cta *cta)
{
    if (timeline->n_ctas == WM_TIMELINE_CTAS) {
        timeline->n_left_out++;
        return;
    }
    if (!wm_grow(&timeline->ctas, &timeline->cap_ctas, timeline->n_ctas + 1,
                 sizeof(*timeline->ctas))) {
        timeline->is_failed = true;
        return;
    }
    timeline->ctas[timeline->n_ctas++] = *cta;
}

/* Nanoseconds as microseconds, exactly. */
static void event_time(wm_json *json, const char *key, uint64_t ns)
{
    char text[40];
    (void)snprintf(text, sizeof(text), "%" PRIu64 ".%03u", ns / 1000,
                   (unsigned)(ns % 1000));
    wm_json_key(json, key);
    wm_json_raw(json, text);
}

/* A category is optional to some readers, to others not. */
static void event_begin(wm_json *json, const char *phase, const char *category,
                        const char *name, uint64_t process, uint64_t thread)
{
    wm_json_open(json, '{');
    wm_json_put_string(json, "ph", phase);
    wm_json_put_string(json, "cat", category);
    wm_json_put_string(json, "name", name);
    wm_json_put_u64(json, "pid", process);
    wm_json_put_u64(json, "tid", thread);
}

/* Names a process or a thread. */
static void event_name(wm_json *json, const char *what, uint64_t process,
                       uint64_t thread, const char *name)
{
    event_begin(json, "M", "__metadata", what, process, thread);
    wm_json_key(json, "args");
    wm_json_open(json, '{');
    wm_json_put_string(json, "name", name);
    wm_json_close(json, '}');
    wm_json_close(json, '}');
}

static void events_launches(wm_json *json, const wm_report *report)
{
    uint64_t begin_ns = 0;
    for (size_t k = 0; k < report->n_kernels; k++) {
        const wm_report_kernel *kernel = &report->kernels[k];
        const uint64_t ns = kernel->counters.value[WM_C_TIME_NS];
        event_begin(json, "X", "launch", kernel->name, PROCESS_RUN, 1);
        event_time(json, "ts", begin_ns);
        event_time(json, "dur", ns);
        wm_json_key(json, "args");
        wm_json_open(json, '{');
        wm_json_put_u64(json, "launch", kernel->launch);
        wm_json_put_string(json, "bound", wm_report_bound_names[kernel->bound]);
        wm_json_close(json, '}');
        wm_json_close(json, '}');
        begin_ns += ns;
    }
}

static void events_ctas(wm_json *json, const wm_timeline *timeline)
{
    char name[48];
    bool *is_named = calloc(1024 * PLACES_MAX, sizeof(*is_named));
    if (is_named == NULL) {
        json->out->is_failed = true;
        return;
    }
    for (size_t i = 0; i < timeline->n_ctas; i++) {
        const wm_timeline_cta *cta = &timeline->ctas[i];
        const uint32_t track =
            (cta->sm % 1024) * PLACES_MAX + cta->place % PLACES_MAX;
        if (!is_named[track]) {
            is_named[track] = true;
            (void)snprintf(name, sizeof(name), "SM %u place %u", cta->sm,
                           cta->place);
            event_name(json, "thread_name", PROCESS_SMS, 1 + track, name);
        }
        (void)snprintf(name, sizeof(name), "CTA of launch %" PRIu64,
                       cta->launch);
        event_begin(json, "X", "cta", name, PROCESS_SMS, 1 + track);
        event_time(json, "ts", cta->begin_ns);
        event_time(json, "dur", cta->end_ns - cta->begin_ns);
        wm_json_close(json, '}');
    }
    free(is_named);
}

static void events_counter(wm_json *json, const wm_report *report,
                           size_t metric)
{
    const wm_series *series = &report->series;
    uint64_t begin_ns = 0;
    for (size_t i = 0; i < series->n_samples; i++) {
        double value = 0;
        wm_report_kernel kernel;
        memset(&kernel, 0, sizeof(kernel));
        kernel.counters = series->samples[i].counters;
        event_begin(json, "C", "series", wm_metric_at(metric)->id, PROCESS_RUN,
                    0);
        event_time(json, "ts", begin_ns);
        wm_json_key(json, "args");
        wm_json_open(json, '{');
        wm_json_put_double(
            json, wm_metric_at(metric)->unit,
            wm_metric_value(report, &kernel, metric, &value) ? value : 0);
        wm_json_close(json, '}');
        wm_json_close(json, '}');
        begin_ns = series->samples[i].end_ns;
    }
}

void wm_timeline_write(const wm_timeline *timeline, const wm_report *report,
                       wm_buffer *out)
{
    wm_json json;
    wm_json_init_compact(&json, out);
    wm_json_open(&json, '{');
    wm_json_put_string(&json, "displayTimeUnit", "ns");
    wm_json_key(&json, "otherData");
    wm_json_open(&json, '{');
    wm_json_put_string(&json, "warpmem", report->version);
    wm_json_put_u64(&json, "ctas_left_out", timeline->n_left_out);
    wm_json_close(&json, '}');
    wm_json_key(&json, "traceEvents");
    wm_json_open(&json, '[');
    event_name(&json, "process_name", PROCESS_RUN, 0, "launches");
    event_name(&json, "thread_name", PROCESS_RUN, 1, "launches");
    event_name(&json, "process_name", PROCESS_SMS, 0, "SMs");
    events_launches(&json, report);
    events_ctas(&json, timeline);
    for (size_t place = 1; wm_series_metric(place) != SIZE_MAX; place++) {
        events_counter(&json, report, wm_series_metric(place));
    }
    wm_json_close(&json, ']');
    wm_json_close(&json, '}');
    out->is_failed = out->is_failed || timeline->is_failed;
}
