/*
 * cmd_run.c -- `warpmem run`: replay traces, report.
 *
 * The command line and the configuration are checked before any trace is
 * read (with -c auto, before more than the first launch's header is read).
 * What was simulated before an error or a signal is reported, marked
 * incomplete, and the exit code says so.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/heap.h"
#include "cli/advise.h"
#include "cli/auto_config.h"
#include "cli/command.h"
#include "cli/host.h"
#include "cli/observe.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/select.h"
#include "engine/engine.h"
#include "report/report.h"
#include "study/simulate.h"
#include "trace/reader.h"

wm_status wm_cmd_run(const wm_subcommand *self, int argc, char **argv,
                     wm_error *err);

typedef struct run_options {
    const char *config;
    wm_words sets;
    const char *mode;
    uint64_t jobs;
    const char *output;
    const char *format;
    wm_select_options select;
    bool per_instruction;
    bool advise;
    bool keep_going;
    bool is_strict;
    const char *progress;
    bool is_quiet;
    bool no_host;
    const char *names;
    wm_observe_options observe;
} run_options;

#define WM_WRITER(id) " " #id
static const char format_words[] = ""
#include "report/writers.def"
    ;
static const char format_sentence[] = "One of:"
#include "report/writers.def"
                                      ". [Default: text]";
#undef WM_WRITER

#define RUN_OPTION(kind, letter, name, argument, sentence, field)              \
    {                                                                          \
        WM_OPTION_##kind, letter, name, argument, sentence,                    \
            offsetof(run_options, field), 1, 1024                              \
    }

static const wm_option run_option_list[] = {
    RUN_OPTION(TEXT, 'c', "config", "NAME|FILE",
               "GPU preset or YAML file; auto = the preset for the trace's SM "
               "version. [Default: auto]",
               config),
    RUN_OPTION(LIST, 's', "set", "KEY=VALUE",
               "Override one key, as in l2.size=12MiB; may be repeated.", sets),
    RUN_OPTION(CHOICE, 'm', "mode", "timing|counts",
               "counts is faster and estimates time. [Default: timing]", mode),
    RUN_OPTION(NUMBER, 'j', "jobs", "N",
               "Threads; the result does not depend on N. [Default: all "
               "cores]",
               jobs),
    RUN_OPTION(TEXT, 'o', "output", "FILE",
               "Write the report to FILE, - = stdout. [Default: -]", output),
    RUN_OPTION(TEXT, 'f', "format", "FORMAT", format_sentence, format),
    RUN_OPTION(CHOICE, '\0', "names", "own|nsight",
               "Names of metrics in CSV and HTML. [Default: own]", names),
    WM_SELECT_OPTIONS(run_options, select),
    RUN_OPTION(FLAG, '\0', "instructions", NULL,
               "Report each static instruction (text, json; html has them).",
               per_instruction),
    RUN_OPTION(FLAG, '\0', "advise", NULL,
               "As --instructions, and repeat the run with each of the three "
               "costliest instructions made ideal; report the gain.",
               advise),
    RUN_OPTION(TEXT, '\0', "interval", "TIME",
               "Sample counters over simulated time (json, html), as in 5us; "
               "doubles as the run grows. [Default: none; html 1us]",
               observe.interval),
    RUN_OPTION(TEXT, '\0', "series", "FILE", "Write the samples as CSV.",
               observe.series),
    RUN_OPTION(TEXT, '\0', "timeline", "FILE",
               "Write launches, CTAs and samples as Chrome trace events, for "
               "ui.perfetto.dev.",
               observe.timeline),
    RUN_OPTION(FLAG, '\0', "keep-going", NULL,
               "Go on after a damaged kernel; the result is incomplete.",
               keep_going),
    RUN_OPTION(FLAG, '\0', "strict", NULL, "Any warning: exit 1.", is_strict),
    RUN_OPTION(FLAG, '\0', "no-host", NULL,
               "Leave host time out: equal runs give equal bytes.", no_host),
    RUN_OPTION(CHOICE, '\0', "progress", "auto|always|never",
               "Progress on stderr. [Default: auto, on a terminal]", progress),
    RUN_OPTION(FLAG, 'q', "quiet", NULL, "No warnings, no progress.", is_quiet),
};

static const wm_option_table run_table = {
    run_option_list, sizeof(run_option_list) / sizeof(run_option_list[0]), 1,
    SIZE_MAX,
    "TRACE is a trace file, a kernelslist(.g), or a folder that holds one; "
    "several\nare replayed one after another, each on a cold chip.\n"
    "Exit: 0 complete; 1 bad trace or incomplete result; 2 bad command line "
    "or\nconfiguration; 3 out of memory, input or output failed."};

/* Everything a run owns. */
typedef struct run {
    run_options options;
    wm_words traces;
    const wm_writer *writer;
    wm_select select;
    bool has_select;
    wm_config_set *config;
    wm_engine_options engine_options;
    wm_engine *engine;
    wm_report report;
    wm_observe observe;
    wm_diag trace_diag; /* the reader's own: it may run on another thread */
    wm_progress_line progress;
    bool is_cut; /* a trace was left out or ended early */
} run;

/* --- set-up -------------------------------------------------------------- */

static wm_status run_check_format(run *r, wm_error *err)
{
    r->writer = wm_writer_find(r->options.format);
    if (r->writer != NULL) {
        return WM_OK;
    }
    return wm_fail(err, WM_EUSAGE, "run: --format \"%.64s\": want one of:%s",
                   r->options.format, format_words);
}

/* A trace that is not there is said at once, not after the ones before it
 * have been simulated. */
static wm_status run_check_traces(const run *r, wm_error *err)
{
    wm_status status = WM_OK;
    for (size_t i = 0; i < r->traces.n && status == WM_OK; i++) {
        if (!r->options.keep_going && access(r->traces.items[i], R_OK) != 0) {
            const wm_trace_options options = {.keep_going = false};
            wm_trace *trace = NULL;
            status =
                wm_trace_open(r->traces.items[i], &options, NULL, &trace, err);
            wm_trace_close(trace);
        }
    }
    return status;
}

static wm_status run_load_config(run *r, wm_error *err)
{
    const wm_config_request request = {
        .command = "run",
        .name = r->options.config,
        .sets = r->options.sets.items,
        .n_sets = r->options.sets.n,
        .trace = r->traces.items[0],
        .keep_going = r->options.keep_going,
    };
    wm_status status =
        wm_auto_config(&request, r->report.config_note, &r->config, err);
    r->report.config = r->config;
    return status;
}

static bool run_takes(const wm_launch *launch, uint64_t index, void *context)
{
    (void)index;
    return wm_select_takes(context, launch);
}

static wm_mode run_mode(const run *r)
{
    return strcmp(r->options.mode, "counts") == 0 ? WM_MODE_COUNTS
                                                  : WM_MODE_TIMING;
}

static wm_status run_build(run *r, wm_error *err)
{
    const run_options *o = &r->options;
    bool is_shown = strcmp(o->progress, "always") == 0 ||
                    (strcmp(o->progress, "auto") == 0 &&
                     wm_output_is_terminal(STDERR_FILENO));
    wm_progress_init(&r->progress, is_shown && !o->is_quiet);
    r->progress.n_traces = r->traces.n;
    wm_engine_options *options = &r->engine_options;
    options->mode = run_mode(r);
    options->jobs = (uint32_t)o->jobs;
    options->per_instruction = o->per_instruction;
    options->progress = wm_progress_draw;
    options->progress_context = &r->progress;
    options->select = run_takes;
    options->select_context = &r->select;
    options->diag = &r->report.diag;
    wm_status status =
        wm_engine_new(wm_config_values(r->config), options, &r->engine, err);
    /* For the records to come: the chip is better in pages that are zero until
     * they are touched. */
    (void)wm_heap_enlarge_pages();
    return status;
}

static wm_status run_prepare(run *r, wm_error *err)
{
    wm_status status = run_check_format(r, err);
    if (status == WM_OK) {
        status = wm_select_init(&r->select, &r->options.select, err);
        r->has_select = status == WM_OK;
    }
    if (status == WM_OK) {
        status = wm_output_check(r->options.output, err);
    }
    if (status == WM_OK) {
        status = wm_observe_init(&r->observe, &r->options.observe, &r->report,
                                 &r->engine_options, err);
    }
    if (status == WM_OK) {
        status = run_load_config(r, err);
    }
    if (status == WM_OK) {
        status = run_check_traces(r, err);
    }
    if (status == WM_OK) {
        status = run_build(r, err);
    }
    return status;
}

/* --- replay -------------------------------------------------------------- */

/* Threads for reading: with -j 1 the caller's alone, otherwise one more that
 * decodes ahead; more would only take cores from the simulation. */
static uint32_t run_reader_jobs(uint64_t jobs)
{
    return jobs == 1 ? 1 : 2;
}

static wm_status run_trace(run *r, const char *path, wm_error *err)
{
    const wm_trace_options options = {
        .keep_going = r->options.keep_going,
        .jobs = run_reader_jobs(r->options.jobs),
    };
    wm_trace *trace = NULL;
    wm_status status =
        wm_trace_open(path, &options, &r->trace_diag, &trace, err);
    if (status != WM_OK) {
        return status;
    }
    /* First what can fail: no launch is reported of a trace that is not. */
    status = wm_report_add_trace(&r->report, path, wm_trace_format_name(trace),
                                 "", err);
    if (status == WM_OK) {
        status =
            wm_engine_run(r->engine, trace, wm_gather_kernel, &r->report, err);
        r->is_cut = r->is_cut || !wm_trace_is_complete(trace);
        wm_trace_digest(trace, r->report.traces[r->report.n_traces - 1].digest);
    }
    wm_trace_close(trace);
    return status;
}

/* Replays all traces; *err is the first error that ended the run. */
static wm_status run_replay(run *r, wm_error *err)
{
    wm_status status = WM_OK;
    for (size_t i = 0; i < r->traces.n && !wm_interrupt_is_wanted(); i++) {
        uint64_t n_kernels = r->report.n_kernels;
        r->progress.trace = i + 1;
        wm_diag_init(&r->trace_diag);
        status = run_trace(r, r->traces.items[i], err);
        wm_diag_merge(&r->report.diag, &r->trace_diag);
        bool can_go_on = r->options.keep_going && i + 1 < r->traces.n &&
                         n_kernels == r->report.n_kernels &&
                         (status == WM_EFORMAT || status == WM_EIO);
        if (status != WM_OK && !can_go_on) {
            break;
        }
        if (status != WM_OK) {
            r->is_cut = true;
            wm_warn(&r->report.diag, "trace-failed", NULL, "%s", err->text);
            status = WM_OK;
        }
    }
    wm_progress_erase(&r->progress);
    return status;
}

/* --- result -------------------------------------------------------------- */

static void run_warn_empty(run *r)
{
    if (r->report.n_kernels != 0) {
        return;
    }
    wm_select_warn_none(&r->select, &r->report.diag);
    if (r->select.n_seen == 0) {
        wm_warn(&r->report.diag, "no-launch", r->traces.items[0],
                "no kernel launch in the trace");
    }
}

/* What the costliest instructions would gain. */
static wm_status run_advise(run *r, wm_error *err)
{
    const run_options *o = &r->options;
    const wm_advise_plan plan = {.traces = &r->traces,
                                 .config = wm_config_values(r->config),
                                 .select = &o->select,
                                 .mode = run_mode(r),
                                 .jobs = (uint32_t)o->jobs,
                                 .keep_going = o->keep_going};
    return wm_advise(&plan, &r->report, err);
}

static void run_fill_report(run *r, bool is_complete, double seconds)
{
    wm_report *report = &r->report;
    wm_bound bound = WM_BOUND_LATENCY;
    (void)snprintf(report->version, sizeof(report->version), "%s", WM_VERSION);
    wm_select_text(&r->select, report->selection, sizeof(report->selection));
    report->n_launches_seen = r->select.n_seen;
    report->mode = r->options.mode;
    report->is_complete = is_complete;
    report->total = *wm_engine_total(r->engine);
    wm_engine_total_bound(r->engine, report->total_busy_ppm, &bound);
    report->total_bound = (uint32_t)bound;
    report->has_instructions = r->options.per_instruction;
    report->use_nsight_names = strcmp(r->options.names, "nsight") == 0;
    report->use_colour = strcmp(r->options.output, "-") == 0 &&
                         wm_output_is_terminal(STDOUT_FILENO) &&
                         getenv("NO_COLOR") == NULL;
    report->has_host = !r->options.no_host;
    report->host_seconds = seconds;
    report->host_records = report->total.value[WM_C_LAUNCH_RECORDS];
    report->host_peak_bytes = wm_host_peak_bytes();
}

static wm_status run_write(run *r, wm_error *err)
{
    wm_buffer out;
    wm_buffer_init(&out);
    r->writer->write(&r->report, &out);
    wm_status status = wm_output_write(&out, r->options.output, err);
    return status == WM_OK ? wm_observe_write(&r->observe, err) : status;
}

/* The run's status once its report is written. */
static wm_status run_verdict(const run *r, wm_error *err)
{
    uint64_t n_warnings = wm_diag_total(&r->report.diag);
    if (wm_interrupt_is_wanted()) {
        return wm_fail(err, WM_EFORMAT,
                       "stopped by a signal: the result is incomplete");
    }
    if (!r->report.is_complete) {
        return wm_fail(err, WM_EFORMAT,
                       "the result is incomplete: a part of the trace was "
                       "not simulated");
    }
    if (r->options.is_strict && n_warnings != 0) {
        return wm_fail(err, WM_EFORMAT,
                       "%" PRIu64 " warning%s, and --strict is given",
                       n_warnings, n_warnings == 1 ? "" : "s");
    }
    return WM_OK;
}

static wm_status run_all(run *r, wm_error *err)
{
    wm_status status = run_prepare(r, err);
    if (status != WM_OK) {
        return status;
    }
    wm_interrupt_init();
    double start_seconds = wm_host_seconds();
    wm_status replayed = run_replay(r, err);
    double seconds = wm_host_seconds() - start_seconds;
    bool is_complete = replayed == WM_OK && !r->is_cut &&
                       !wm_interrupt_is_wanted() &&
                       wm_engine_is_complete(r->engine);
    /* A selection that selects nothing is a slip: not a complete result. */
    const bool is_missed = r->select.n_seen != 0 && r->select.n_taken == 0;
    run_fill_report(r, is_complete && !is_missed, seconds);
    if (is_complete) {
        run_warn_empty(r);
        replayed = r->options.advise ? run_advise(r, err) : WM_OK;
    }
    /* A failed run that simulated nothing has no report. */
    if (is_complete || r->report.n_kernels != 0) {
        status = run_write(r, replayed == WM_OK ? err : NULL);
    }
    if (!r->options.is_quiet) {
        wm_output_warnings(&r->report.diag);
    }
    if (replayed != WM_OK) {
        return replayed;
    }
    return status != WM_OK ? status : run_verdict(r, err);
}

wm_status wm_cmd_run(const wm_subcommand *self, int argc, char **argv,
                     wm_error *err)
{
    run *r = calloc(1, sizeof(*r));
    bool is_help = false;
    if (r == NULL) {
        return wm_fail_memory(err);
    }
    wm_report_init(&r->report);
    r->options.config = "auto";
    r->options.mode = "timing";
    r->options.output = "-";
    r->options.format = "text";
    r->options.progress = "auto";
    r->options.names = "own";
    r->options.select.n_count = UINT64_MAX;
    wm_status status = wm_options_parse(self, &run_table, argc, argv,
                                        &r->options, &r->traces, &is_help, err);
    r->options.observe.is_wanted = strcmp(r->options.format, "html") == 0;
    r->options.per_instruction |=
        r->options.advise || r->options.observe.is_wanted;
    if (status == WM_OK && !is_help) {
        status = run_all(r, err);
    }
    wm_engine_free(r->engine);
    wm_observe_fini(&r->observe);
    wm_report_fini(&r->report);
    wm_config_free(r->config);
    if (r->has_select) {
        wm_select_fini(&r->select);
    }
    wm_words_fini(&r->options.sets);
    wm_words_fini(&r->traces);
    free(r);
    return status;
}
