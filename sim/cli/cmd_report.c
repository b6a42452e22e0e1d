/*
 * cmd_report.c -- `warpmem report`: results and studies as one HTML page.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "report/html.h"
#include "report/result_read.h"

wm_status wm_cmd_report(const wm_subcommand *self, int argc, char **argv,
                        wm_error *err);

typedef struct report_options {
    const char *output;
} report_options;

static const wm_option report_option_list[] = {
    {WM_OPTION_TEXT, 'o', "output", "FILE",
     "Write the page to FILE, - = stdout. [Default: -]",
     offsetof(report_options, output), 0, 0},
};

static const wm_option_table report_table = {
    report_option_list,
    sizeof(report_option_list) / sizeof(report_option_list[0]), 1, SIZE_MAX,
    "RESULT.json is written by run -f json, or by mrc, compare or study with "
    "-f json;\nall go into one page.  `run -f html` writes the page of one run "
    "at once."};

/* What the page is made of: one entry per file, a result or a study. */
typedef struct page {
    wm_loaded_result *loaded;
    wm_buffer *json;
    size_t n;
} page;

static wm_status page_write(const page *p, const wm_words *files,
                            const char *path, wm_error *err)
{
    wm_html_result *results = calloc(p->n + 1, sizeof(*results));
    wm_html_study *studies = calloc(p->n + 1, sizeof(*studies));
    size_t n_results = 0, n_studies = 0;
    wm_buffer out;
    wm_buffer_init(&out);
    if (results == NULL || studies == NULL) {
        free(results);
        free(studies);
        return wm_fail_memory(err);
    }
    for (size_t i = 0; i < p->n; i++) {
        if (p->json[i].bytes != NULL) {
            studies[n_studies].label = files->items[i];
            studies[n_studies++].json = p->json[i].bytes;
        } else {
            results[n_results].label = files->items[i];
            results[n_results++].report = &p->loaded[i].report;
        }
    }
    wm_html_write(results, n_results, studies, n_studies, &out);
    free(results);
    free(studies);
    return wm_output_write(&out, path, err);
}

static wm_status page_read(page *p, const wm_words *files, wm_error *err)
{
    wm_status status = WM_OK;
    for (; p->n < files->n && status == WM_OK; p->n++) {
        wm_loaded_result_init(&p->loaded[p->n]);
        wm_buffer_init(&p->json[p->n]);
        status = wm_result_read_any(files->items[p->n], &p->loaded[p->n],
                                    &p->json[p->n], err);
        if (status == WM_OK && p->json[p->n].is_failed) {
            status = wm_fail_memory(err);
        }
    }
    return status;
}

static wm_status report_files(const wm_words *files, const char *path,
                              wm_error *err)
{
    page p = {calloc(files->n, sizeof(*p.loaded)),
              calloc(files->n, sizeof(*p.json)), 0};
    wm_status status = WM_OK;
    if (p.loaded == NULL || p.json == NULL) {
        status = wm_fail_memory(err);
    }
    if (status == WM_OK) {
        status = wm_output_check(path, err);
    }
    if (status == WM_OK) {
        status = page_read(&p, files, err);
    }
    if (status == WM_OK) {
        status = page_write(&p, files, path, err);
    }
    for (size_t i = 0; i < p.n; i++) {
        wm_loaded_result_fini(&p.loaded[i]);
        wm_buffer_fini(&p.json[i]);
    }
    free(p.loaded);
    free(p.json);
    return status;
}

wm_status wm_cmd_report(const wm_subcommand *self, int argc, char **argv,
                        wm_error *err)
{
    report_options options = {"-"};
    wm_words files = {0};
    bool is_help = false;
    wm_status status = wm_options_parse(self, &report_table, argc, argv,
                                        &options, &files, &is_help, err);
    if (status == WM_OK && !is_help) {
        status = report_files(&files, options.output, err);
    }
    wm_words_fini(&files);
    return status;
}
