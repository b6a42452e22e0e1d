/*
 * observe.c -- a run over time: series, CSV, timeline.
 */
#include "cli/observe.h"

#include "base/text.h"
#include "cli/output.h"
#include "report/series.h"

#define DEFAULT_INTERVAL_NS 1000u

static uint64_t observe_sample(const wm_sample *sample, void *context)
{
    wm_observe *observe = context;
    return wm_series_add(&observe->report->series, sample->launch,
                         sample->time_ns, &sample->counters);
}

static void observe_cta(const wm_cta_span *span, void *context)
{
    wm_observe *observe = context;
    const wm_timeline_cta cta = {span->launch, span->begin_ns, span->end_ns,
                                 span->sm, span->place};
    wm_timeline_add(&observe->timeline, &cta);
}

static void observe_copy(const wm_copy *copy, void *context)
{
    wm_observe *observe = context;
    wm_report_add_range(observe->report, copy->addr, copy->n_bytes);
}

static wm_status observe_interval(const char *text, uint64_t *ns, wm_error *err)
{
    uint64_t ps = 0;
    *ns = DEFAULT_INTERVAL_NS;
    if (text == NULL) {
        return WM_OK;
    }
    if (wm_text_parse_quantity(text, wm_units_time, &ps) != WM_TEXT_OK ||
        ps < 1000) {
        return wm_fail(err, WM_EUSAGE,
                       "run: --interval \"%.64s\": want a time of at least "
                       "1 ns, as in 5us",
                       text);
    }
    *ns = ps / 1000;
    return WM_OK;
}

wm_status wm_observe_init(wm_observe *observe,
                          const wm_observe_options *options, wm_report *report,
                          wm_engine_options *engine, wm_error *err)
{
    uint64_t interval_ns = 0;
    wm_timeline_init(&observe->timeline);
    observe->options = *options;
    observe->report = report;
    wm_status status = observe_interval(options->interval, &interval_ns, err);
    if (status == WM_OK && options->series != NULL) {
        status = wm_output_check(options->series, err);
    }
    if (status == WM_OK && options->timeline != NULL) {
        status = wm_output_check(options->timeline, err);
    }
    if (status != WM_OK) {
        return status;
    }
    engine->copy = observe_copy;
    engine->copy_context = observe;
    if (options->interval != NULL || options->series != NULL ||
        options->timeline != NULL || options->is_wanted) {
        report->series.interval_ns = interval_ns;
        engine->interval_ns = interval_ns;
        engine->sample = observe_sample;
        engine->sample_context = observe;
    }
    if (options->timeline != NULL) {
        engine->cta_span = observe_cta;
    }
    return WM_OK;
}

void wm_observe_fini(wm_observe *observe)
{
    wm_timeline_fini(&observe->timeline);
}

wm_status wm_observe_write(const wm_observe *observe, wm_error *err)
{
    const wm_observe_options *options = &observe->options;
    wm_status status = WM_OK;
    wm_buffer out;
    if (observe->report->series.is_failed) {
        return wm_fail_memory(err);
    }
    if (options->series != NULL) {
        wm_buffer_init(&out);
        wm_series_csv(observe->report, &out);
        status = wm_output_write(&out, options->series, err);
    }
    if (status == WM_OK && options->timeline != NULL) {
        wm_buffer_init(&out);
        wm_timeline_write(&observe->timeline, observe->report, &out);
        status = wm_output_write(&out, options->timeline, err);
    }
    return status;
}
