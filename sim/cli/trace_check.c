/*
 * trace_check.c -- `warpmem trace check`: reads traces to their end.
 *
 * What `run` refuses, `check` refuses, with the same words: both go through
 * the reader.  check also holds the CTAs read against the grid.
 */
#include <inttypes.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/trace_stats.h"
#include "report/human.h"

wm_status wm_trace_cmd_check(const wm_subcommand *self, int argc, char **argv,
                             wm_error *err);

typedef struct check_options {
    bool keep_going;
    bool is_strict;
} check_options;

static const wm_option check_option_list[] = {
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
                               const wm_trace_walk *walk,
                               const wm_trace_stats *stats, wm_error *err)
{
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
    return check_ctas(walk->path, stats, err);
}

static void check_ok_line(const wm_trace_walk *walk,
                          const wm_trace_stats *stats, wm_buffer *out)
{
    uint64_t n_warnings = wm_diag_total(walk->diag);
    wm_human_cut(out, walk->path, UINT32_MAX, false);
    wm_buffer_printf(
        out,
        ": ok: %s; launches %zu, CTAs %" PRIu64 ", records %" PRIu64
        ", copies %" PRIu64 ", warnings %" PRIu64 "\n",
        walk->format, stats->n_launches, stats->total.n_ctas,
        wm_launch_stats_records(&stats->total), stats->n_copies, n_warnings);
}

static wm_status check_one(const check_options *options, const char *path,
                           wm_error *err)
{
    wm_trace_stats stats;
    wm_diag diag;
    wm_buffer out;
    wm_trace_walk walk = {.path = path,
                          .keep_going = options->keep_going,
                          .diag = &diag,
                          .sink = &wm_trace_stats_sink,
                          .context = &stats};
    wm_trace_stats_init(&stats);
    wm_diag_init(&diag);
    wm_buffer_init(&out);
    wm_status status = wm_trace_walk_run(&walk, err);
    wm_output_warnings(&diag);
    if (status == WM_OK) {
        status = check_verdict(options, &walk, &stats, err);
    }
    if (status == WM_OK) {
        check_ok_line(&walk, &stats, &out);
        status = wm_output_print(&out, err);
    }
    wm_trace_stats_fini(&stats);
    return status;
}

wm_status wm_trace_cmd_check(const wm_subcommand *self, int argc, char **argv,
                             wm_error *err)
{
    check_options options = {false, false};
    wm_words paths = {0};
    bool is_help = false;
    size_t n_bad = 0;
    wm_status worst = WM_OK;
    wm_status status = wm_options_parse(self, &check_table, argc, argv,
                                        &options, &paths, &is_help, err);
    for (size_t i = 0; status == WM_OK && !is_help && i < paths.n; i++) {
        wm_status one = check_one(&options, paths.items[i], err);
        if (one != WM_OK && paths.n > 1) {
            wm_print_error(err);
        }
        n_bad += one != WM_OK;
        worst = worst == WM_OK ? one : worst;
    }
    if (n_bad != 0 && paths.n > 1) {
        status = wm_fail(err, worst, "bad traces: %zu of %zu", n_bad, paths.n);
    } else if (n_bad != 0) {
        status = worst;
    }
    wm_words_fini(&paths);
    return status;
}
