/*
 * trace_check.c -- `warpmem trace check`: reads traces to their end.
 *
 * What `run` refuses, `check` refuses, with the same words: both go through
 * the reader.  check also holds the CTAs read against the grid.  --recover
 * writes what a damaged trace still holds; launches keep the CTAs that they
 * promise, so that the new file is never taken for whole.
 */
#include <inttypes.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/trace_rewrite.h"
#include "cli/trace_stats.h"
#include "report/human.h"

wm_status wm_trace_cmd_check(const wm_subcommand *self, int argc, char **argv,
                             wm_error *err);

typedef struct check_options {
    const char *recover;
    uint64_t jobs;
    bool keep_going;
    bool is_strict;
} check_options;

static const wm_option check_option_list[] = {
    {WM_OPTION_TEXT, '\0', "recover", "OUT",
     "Write what a damaged trace still holds as .wmt; exit 1 then.",
     offsetof(check_options, recover), 0, 0},
    {WM_OPTION_NUMBER, 'j', "jobs", "N",
     "Threads that decode a .wmt. [Default: all cores]",
     offsetof(check_options, jobs), 1, 1024},
    {WM_OPTION_FLAG, '\0', "keep-going", NULL,
     "Go on after a damaged kernel, to find further ones.",
     offsetof(check_options, keep_going), 0, 0},
    {WM_OPTION_FLAG, '\0', "strict", NULL, "Any warning makes a trace bad.",
     offsetof(check_options, is_strict), 0, 0},
};

static const wm_option_table check_table = {
    check_option_list, sizeof(check_option_list) / sizeof(check_option_list[0]),
    1, SIZE_MAX,
    "One line per good trace on stdout; errors and warnings on stderr.\n"
    "Exit 1 when a trace is bad."};

static wm_status check_ctas(const char *path, const wm_trace_stats *stats,
                            wm_error *err)
{
    for (size_t i = 0; i < stats->n_launches; i++) {
        const wm_launch_stats *launch = &stats->launches[i];
        if (launch->n_ctas != launch->n_ctas_promised) {
            return wm_fail(
                err, WM_EFORMAT,
                "%s: launch %zu: found %" PRIu64 " CTAs, the grid has %" PRIu64,
                path, i + 1, launch->n_ctas, launch->n_ctas_promised);
        }
    }
    return WM_OK;
}

static wm_status check_verdict(const check_options *options,
                               const wm_trace_survey *survey, wm_error *err)
{
    const wm_trace_walk *walk = &survey->walk;
    uint64_t n_warnings = wm_diag_total(walk->diag);
    if (!walk->is_complete) {
        return wm_fail(err, WM_EFORMAT, "%s: the trace is incomplete",
                       walk->path);
    }
    if (options->is_strict && n_warnings != 0) {
        return wm_fail(err, WM_EFORMAT,
                       "%s: %" PRIu64 " warning%s, and --strict is given",
                       walk->path, n_warnings, n_warnings == 1 ? "" : "s");
    }
    return check_ctas(walk->path, &survey->stats, err);
}

/* "PATH: ok: wmt; launches 1, ..." */
static void check_line(const wm_trace_survey *survey, const char *verdict,
                       wm_buffer *out)
{
    const wm_trace_stats *stats = &survey->stats;
    wm_human_cut(out, survey->walk.path, UINT32_MAX, false);
    wm_buffer_printf(
        out,
        ": %s: %s; launches %zu, CTAs %" PRIu64 ", records %" PRIu64
        ", copies %" PRIu64 ", warnings %" PRIu64 "\n",
        verdict, survey->walk.format, stats->n_launches, stats->total.n_ctas,
        stats->total.n_records, stats->n_copies, wm_diag_total(&survey->diag));
}

static wm_status check_one(const check_options *options, const char *path,
                           wm_error *err)
{
    wm_trace_survey survey;
    wm_buffer out;
    wm_buffer_init(&out);
    wm_status status = wm_trace_survey_read(&survey, path, options->keep_going,
                                            false, options->jobs, err);
    if (status == WM_OK) {
        status = check_verdict(options, &survey, err);
    }
    if (status == WM_OK) {
        check_line(&survey, "ok", &out);
        status = wm_output_print(&out, err);
    }
    wm_trace_survey_fini(&survey);
    return status;
}

/* Writes what can be read; the verdict is that on the damaged trace. */
static wm_status check_recover(const check_options *options, const char *path,
                               wm_error *err)
{
    wm_diag diag;
    wm_error ignored;
    wm_trace_survey survey;
    wm_buffer out;
    wm_trace_walk walk = {.path = path, .keep_going = true, .diag = &diag};
    wm_diag_init(&diag);
    wm_buffer_init(&out);
    wm_status verdict =
        wm_trace_rewrite(&walk, "wmt", options->recover, true, err);
    wm_output_warnings(&diag);
    if (!walk.is_written) {
        return verdict;
    }
    wm_status status = wm_trace_survey_read(&survey, options->recover, true,
                                            false, options->jobs, &ignored);
    if (status == WM_OK) {
        check_line(&survey, "recovered", &out);
        status = wm_output_print(&out, &ignored);
    }
    wm_diag_init(&survey.diag); /* what is missing was said above */
    wm_trace_survey_fini(&survey);
    return verdict == WM_OK && status != WM_OK
               ? wm_fail(err, status, "%s", ignored.text)
               : verdict;
}

static wm_status check_all(const check_options *options, const wm_words *paths,
                           wm_error *err)
{
    size_t n_bad = 0;
    wm_status worst = WM_OK;
    if (options->recover != NULL) {
        return paths->n == 1 ? check_recover(options, paths->items[0], err)
                             : wm_fail(err, WM_EUSAGE,
                                       "trace check: --recover wants one "
                                       "TRACE, found %zu",
                                       paths->n);
    }
    for (size_t i = 0; i < paths->n; i++) {
        wm_status one = check_one(options, paths->items[i], err);
        if (one != WM_OK && paths->n > 1) {
            wm_print_error(err);
        }
        n_bad += one != WM_OK;
        worst = worst == WM_OK ? one : worst;
    }
    if (n_bad != 0 && paths->n > 1) {
        return wm_fail(err, worst, "bad traces: %zu of %zu", n_bad, paths->n);
    }
    return worst;
}

wm_status wm_trace_cmd_check(const wm_subcommand *self, int argc, char **argv,
                             wm_error *err)
{
    check_options options = {.keep_going = false};
    wm_words paths = {0};
    bool is_help = false;
    wm_status status = wm_options_parse(self, &check_table, argc, argv,
                                        &options, &paths, &is_help, err);
    if (status == WM_OK && !is_help) {
        status = check_all(&options, &paths, err);
    }
    wm_words_fini(&paths);
    return status;
}
