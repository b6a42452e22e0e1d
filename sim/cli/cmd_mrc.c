/*
 * cmd_mrc.c -- `warpmem mrc`: miss-ratio curves of all cache sizes in one
 * pass.
 *
 * The first pass is exact. When it meets more lines than --lines it is given
 * up, and the next one follows one line in eight, and so on.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/text.h"
#include "cli/auto_config.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "study/mrc.h"
#include "study/mrc_write.h"

wm_status wm_cmd_mrc(const wm_subcommand *self, int argc, char **argv,
                     wm_error *err);

#define SIZES_MAX    512u
#define SHIFT_STEP   3u
#define OPTIMAL_EACH 8u /* accesses recorded per line of --lines */

typedef struct mrc_options {
    const char *config;
    wm_words sets;
    const char *level;
    wm_words sizes;
    uint64_t sample;
    uint64_t lines;
    bool has_optimal;
    uint64_t per_octave;
    const char *progress;
    const char *format;
    const char *output;
} mrc_options;

#define MRC_OPTION(kind, letter, name, argument, sentence, field, max)         \
    {                                                                          \
        WM_OPTION_##kind, letter, name, argument, sentence,                    \
            offsetof(mrc_options, field), 1, max                               \
    }

static const wm_option mrc_option_list[] = {
    MRC_OPTION(TEXT, 'c', "config", "NAME|FILE",
               "GPU preset or YAML file; auto = the preset for the trace's SM "
               "version. [Default: auto]",
               config, 0),
    MRC_OPTION(LIST, 's', "set", "KEY=VALUE",
               "Override one key; may be repeated.", sets, 0),
    MRC_OPTION(CHOICE, 'l', "level", "l1|l2", "Which cache. [Default: l1]",
               level, 0),
    MRC_OPTION(LIST, '\0', "size", "SIZE",
               "A size to print, as l1.size or l2.size; may be repeated. "
               "[Default: doublings]",
               sizes, 0),
    MRC_OPTION(NUMBER, '\0', "per-octave", "N",
               "Sizes per doubling. [Default: 1 in text, 4 otherwise]",
               per_octave, 64),
    MRC_OPTION(FLAG, '\0', "optimal", NULL,
               "Also what optimal replacement (Belady) would miss.",
               has_optimal, 0),
    MRC_OPTION(NUMBER, '\0', "sample", "N",
               "Follow one line in N, a power of 2. [Default: all, more as "
               "--lines demands]",
               sample, UINT64_C(1) << WM_MRC_SHIFT_MAX),
    MRC_OPTION(NUMBER, '\0', "lines", "N",
               "Lines to keep in memory, up to 90 bytes each. [Default: 4M]",
               lines, UINT64_C(1) << 32),
    MRC_OPTION(CHOICE, '\0', "progress", "auto|always|never",
               "Progress on stderr. [Default: auto, on a terminal]", progress,
               0),
    MRC_OPTION(CHOICE, 'f', "format", "text|csv|json", "[Default: text]",
               format, 0),
    MRC_OPTION(TEXT, 'o', "output", "FILE",
               "Write there, - = stdout. [Default: -]", output, 0),
};

static const wm_option_table mrc_table = {
    mrc_option_list, sizeof(mrc_option_list) / sizeof(mrc_option_list[0]), 1,
    SIZE_MAX,
    "The traces are replayed in counts mode; each cache (an SM's L1, an L2\n"
    "slice) is fully associative with LRU, so the curve shows capacity, not\n"
    "conflicts. L1 sizes are one SM's. docs/STUDIES.md says more."};

typedef struct mrc_job {
    mrc_options options;
    wm_words traces;
    wm_config_set *config;
    char note[WM_CONFIG_NOTE];
    wm_mrc_options mrc_options;
    wm_mrc *mrc;
    char (*digests)[WM_DIGEST_HEX];
    wm_progress_line progress;
    wm_diag diag;
    bool is_complete;
} mrc_job;

static wm_status job_check(mrc_job *job, wm_error *err)
{
    const mrc_options *o = &job->options;
    if (!wm_is_power_of_two(o->sample)) {
        return wm_fail(err, WM_EUSAGE, "mrc: --sample %llu: want a power of 2",
                       (unsigned long long)o->sample);
    }
    for (size_t i = 0; i < o->sizes.n; i++) {
        uint64_t size = 0;
        if (wm_text_parse_quantity(o->sizes.items[i], wm_units_size, &size) !=
                WM_TEXT_OK ||
            size == 0) {
            return wm_fail(err, WM_EUSAGE,
                           "mrc: --size \"%.64s\": want a size such as 96KiB",
                           o->sizes.items[i]);
        }
    }
    const bool is_drawn = strcmp(o->progress, "always") == 0 ||
                          (strcmp(o->progress, "auto") == 0 &&
                           wm_output_is_terminal(STDERR_FILENO));
    wm_progress_init(&job->progress, is_drawn);
    job->progress.n_traces = job->traces.n;
    job->mrc_options.level = strcmp(o->level, "l2") == 0 ? 2 : 1;
    job->mrc_options.sample_shift = wm_lowest_bit(o->sample);
    job->mrc_options.lines_max = o->lines;
    job->mrc_options.has_optimal = o->has_optimal;
    job->mrc_options.accesses_max = o->lines * OPTIMAL_EACH;
    job->digests = calloc(job->traces.n, sizeof(*job->digests));
    return job->digests != NULL ? wm_output_check(o->output, err)
                                : wm_fail_memory(err);
}

static wm_status job_load(mrc_job *job, wm_error *err)
{
    const wm_config_request request = {.command = "mrc",
                                       .name = job->options.config,
                                       .sets = job->options.sets.items,
                                       .n_sets = job->options.sets.n,
                                       .trace = job->traces.items[0]};
    return wm_auto_config(&request, job->note, &job->config, err);
}

static bool pass_progress(const wm_progress *progress, void *context)
{
    mrc_job *job = context;
    return wm_progress_draw(progress, &job->progress) &&
           !wm_mrc_is_full(job->mrc);
}

static wm_status pass_sink(const wm_kernel_result *result, void *context,
                           wm_error *err)
{
    (void)result;
    (void)context;
    (void)err;
    return WM_OK;
}

static wm_status pass_traces(mrc_job *job, wm_engine *engine, wm_error *err)
{
    const wm_trace_options options = {false};
    wm_status status = WM_OK;
    for (size_t i = 0;
         i < job->traces.n && status == WM_OK && !wm_mrc_is_full(job->mrc);
         i++) {
        wm_trace *trace = NULL;
        job->progress.trace = i + 1;
        wm_mrc_empty(job->mrc);
        status = wm_trace_open(job->traces.items[i], &options, &job->diag,
                               &trace, err);
        if (status == WM_OK) {
            status = wm_engine_run(engine, trace, pass_sink, NULL, err);
            wm_trace_digest(trace, job->digests[i]);
        }
        wm_trace_close(trace);
    }
    return status;
}

/* One replay of all traces. */
static wm_status job_pass(mrc_job *job, wm_error *err)
{
    const wm_config *config = wm_config_values(job->config);
    wm_engine *engine = NULL;
    wm_mrc_free(job->mrc);
    wm_diag_init(&job->diag);
    wm_status status = wm_mrc_new(config, &job->mrc_options, &job->mrc, err);
    if (status != WM_OK) {
        return status;
    }
    const wm_engine_options options = {.mode = WM_MODE_COUNTS,
                                       .jobs = 1,
                                       .progress = pass_progress,
                                       .progress_context = job,
                                       .diag = &job->diag,
                                       .observe = wm_mrc_observe,
                                       .observe_context = job->mrc};
    status = wm_engine_new(config, &options, &engine, err);
    if (status == WM_OK) {
        status = pass_traces(job, engine, err);
    }
    job->is_complete = status == WM_OK && wm_engine_is_complete(engine);
    wm_engine_free(engine);
    wm_progress_erase(&job->progress);
    return status;
}

static wm_status job_passes(mrc_job *job, wm_error *err)
{
    for (;;) {
        wm_status status = job_pass(job, err);
        if (status != WM_OK) {
            return status;
        }
        if (wm_interrupt_is_wanted()) {
            return wm_fail(err, WM_EFORMAT, "stopped by a signal: no curve");
        }
        status = wm_mrc_finish(job->mrc, err);
        const uint32_t shift = job->mrc_options.sample_shift + SHIFT_STEP;
        if (status != WM_EUSAGE || shift > WM_MRC_SHIFT_MAX) {
            return status;
        }
        job->mrc_options.sample_shift = shift;
    }
}

static size_t job_sizes(const mrc_job *job, uint64_t sizes[SIZES_MAX])
{
    const mrc_options *o = &job->options;
    const bool is_text = strcmp(o->format, "text") == 0;
    if (o->sizes.n == 0) {
        const uint32_t per_octave =
            o->per_octave != 0 ? (uint32_t)o->per_octave : (is_text ? 1u : 4u);
        return wm_mrc_sizes(job->mrc, per_octave, sizes, SIZES_MAX);
    }
    size_t n = 0;
    for (; n < o->sizes.n && n < SIZES_MAX; n++) {
        (void)wm_text_parse_quantity(o->sizes.items[n], wm_units_size,
                                     &sizes[n]);
    }
    return n;
}

static wm_status job_write(const mrc_job *job, const wm_mrc_view *view,
                           wm_error *err)
{
    wm_buffer out;
    wm_buffer_init(&out);
    if (strcmp(job->options.format, "json") == 0) {
        wm_mrc_json(view, &out);
    } else if (strcmp(job->options.format, "csv") == 0) {
        wm_mrc_csv(view, &out);
    } else {
        wm_mrc_text(view, &out);
    }
    return wm_output_write(&out, job->options.output, err);
}

static wm_status job_curve(const mrc_job *job, wm_error *err)
{
    const wm_config *config = wm_config_values(job->config);
    const bool is_l1 = job->mrc_options.level == 1;
    uint64_t sizes[SIZES_MAX];
    const size_t n = job_sizes(job, sizes);
    wm_mrc_point *points = calloc(n + 1, sizeof(*points));
    wm_mrc_view view = {
        .mrc = job->mrc,
        .options = &job->mrc_options,
        .points = points,
        .n_points = n,
        .config = wm_config_name(job->config),
        .config_note = job->note,
        .is_complete = job->is_complete,
        .traces = job->traces.items,
        .digests = (const char(*)[WM_DIGEST_HEX])job->digests,
        .n_traces = job->traces.n,
        .sector_bytes = is_l1 ? config->l1.sector : config->l2.sector,
    };
    wm_status status = points != NULL ? WM_OK : wm_fail_memory(err);
    for (size_t i = 0; i < n && status == WM_OK; i++) {
        status = wm_mrc_point_at(job->mrc, sizes[i], &points[i], err);
    }
    if (status == WM_OK) {
        status =
            wm_mrc_point_at(job->mrc, is_l1 ? config->l1.size : config->l2.size,
                            &view.configured, err);
    }
    if (status == WM_OK) {
        status = job_write(job, &view, err);
    }
    free(points);
    return status;
}

static wm_status job_run(mrc_job *job, wm_error *err)
{
    wm_status status = job_check(job, err);
    if (status == WM_OK) {
        status = job_load(job, err);
    }
    if (status == WM_OK) {
        wm_interrupt_init();
        status = job_passes(job, err);
    }
    if (status == WM_OK) {
        status = job_curve(job, err);
    }
    wm_output_warnings(&job->diag);
    if (status == WM_OK && !job->is_complete) {
        return wm_fail(err, WM_EFORMAT,
                       "the curve is incomplete: a part of the trace was not "
                       "replayed");
    }
    return status;
}

wm_status wm_cmd_mrc(const wm_subcommand *self, int argc, char **argv,
                     wm_error *err)
{
    mrc_job *job = calloc(1, sizeof(*job));
    bool is_help = false;
    if (job == NULL) {
        return wm_fail_memory(err);
    }
    wm_diag_init(&job->diag);
    job->options.config = "auto";
    job->options.level = "l1";
    job->options.sample = 1;
    job->options.lines = UINT64_C(4) << 20;
    job->options.progress = "auto";
    job->options.format = "text";
    job->options.output = "-";
    wm_status status =
        wm_options_parse(self, &mrc_table, argc, argv, &job->options,
                         &job->traces, &is_help, err);
    if (status == WM_OK && !is_help) {
        status = job_run(job, err);
    }
    wm_mrc_free(job->mrc);
    wm_config_free(job->config);
    free(job->digests);
    wm_words_fini(&job->options.sets);
    wm_words_fini(&job->options.sizes);
    wm_words_fini(&job->traces);
    free(job);
    return status;
}
