/*
 * compare.c -- results side by side.
 */
#include "study/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define NAME_MAX_BYTES 512u

/* What most people look at first. */
static const char *const chosen[] = {"time.ns",
                                     "instructions.total",
                                     "l1.global_load.sectors",
                                     "l1.global_store.sectors",
                                     "ratio.l1_hit",
                                     "l2.read.sectors",
                                     "l2.write.sectors",
                                     "ratio.l2_hit",
                                     "dram.read.bytes",
                                     "dram.write.bytes",
                                     "ratio.dram_utilization"};
#define N_CHOSEN (sizeof(chosen) / sizeof(chosen[0]))

static const struct ncu_name {
    const char *name;
    const char *metric;
    const char *note;
} ncu_names[] = {
#define WM_NCU(name, metric, note) {name, metric, note},
#include "study/ncu_names.def"
#undef WM_NCU
};
#define N_NCU_NAMES (sizeof(ncu_names) / sizeof(ncu_names[0]))

void wm_compare_init(wm_compare *compare)
{
    memset(compare, 0, sizeof(*compare));
}

void wm_compare_fini(wm_compare *compare)
{
    for (size_t i = 0; i < compare->n_blocks; i++) {
        free(compare->blocks[i]);
    }
    free(compare->blocks);
    free(compare->rows);
    wm_compare_init(compare);
}

/* --- metrics -------------------------------------------------------------- */

static size_t metric_index(const char *id)
{
    for (size_t i = 0; i < wm_n_metrics(); i++) {
        if (strcmp(wm_metric_at(i)->id, id) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

static const char *metric_nearest(const char *word)
{
    const char *best = wm_metric_at(0)->id;
    for (size_t i = 1; i < wm_n_metrics(); i++) {
        const char *id = wm_metric_at(i)->id;
        if (wm_text_edit_distance(word, id) <
            wm_text_edit_distance(word, best)) {
            best = id;
        }
    }
    return best;
}

/* Marks in is_wanted[wm_n_metrics()] what the options ask for. */
static wm_status metrics_wanted(const wm_compare_options *options,
                                bool *is_wanted, wm_error *err)
{
    for (size_t i = 0; i < wm_n_metrics(); i++) {
        is_wanted[i] =
            options->all_metrics && wm_metric_at(i)->kind != WM_METRIC_WORD;
    }
    for (size_t i = 0; i < options->n_metrics; i++) {
        const wm_metric *metric = wm_metric_find(options->metrics[i]);
        if (metric == NULL || metric->kind == WM_METRIC_WORD) {
            return wm_fail(err, WM_EUSAGE,
                           "compare: --metric \"%.96s\": no number of a "
                           "report, did you mean \"%s\"?",
                           options->metrics[i],
                           metric_nearest(options->metrics[i]));
        }
        is_wanted[metric_index(metric->id)] = true;
    }
    for (size_t i = 0;
         !options->all_metrics && options->n_metrics == 0 && i < N_CHOSEN;
         i++) {
        is_wanted[metric_index(chosen[i])] = true;
    }
    return WM_OK;
}

static double metric_number(const wm_report *report,
                            const wm_report_kernel *kernel, size_t index)
{
    double value = 0;
    return wm_metric_value(report, kernel, index, &value) ? value : NAN;
}

/* --- rows ----------------------------------------------------------------- */

static double *take_values(wm_compare *compare, wm_error *err)
{
    double *values = calloc(compare->n_sources, sizeof(*values));
    if (values == NULL ||
        !wm_grow(&compare->blocks, &compare->cap_blocks, compare->n_blocks + 1,
                 sizeof(compare->blocks[0]))) {
        free(values);
        (void)wm_fail_memory(err);
        return NULL;
    }
    compare->blocks[compare->n_blocks++] = values;
    return values;
}

/* Whether b is off a by more than the threshold; null against a number is. */
static bool is_off(double a, double b, double threshold)
{
    if (isnan(a) || isnan(b)) {
        return isnan(a) != isnan(b);
    }
    return fabs(b - a) > threshold * fabs(a);
}

static bool is_idle(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!isnan(values[i]) && values[i] != 0) {
            return false;
        }
    }
    return true;
}

/* Adds the row unless the options leave it out. */
static wm_status add_row(wm_compare *compare, const wm_compare_options *options,
                         wm_compare_row *row, wm_error *err)
{
    const bool is_ncu = row->note != NULL; /* what it lacks is no difference */
    const double *values = row->values;
    row->is_over = false;
    if (options->all_metrics && is_idle(values, compare->n_sources)) {
        return WM_OK;
    }
    for (size_t i = 1; i < compare->n_sources; i++) {
        compare->n_numbers++;
        if (options->threshold >= 0 && !(is_ncu && isnan(values[0])) &&
            is_off(values[0], values[i], options->threshold)) {
            row->is_over = true;
            compare->n_over++;
        }
    }
    if (options->only_over && !row->is_over) {
        return WM_OK;
    }
    if (!wm_grow(&compare->rows, &compare->cap_rows, compare->n_rows + 1,
                 sizeof(compare->rows[0]))) {
        return wm_fail_memory(err);
    }
    compare->rows[compare->n_rows++] = *row;
    return WM_OK;
}

/* --- results -------------------------------------------------------------- */

/* The launch of report that is the same as kernel; NULL when it has none. */
static const wm_report_kernel *find_launch(const wm_report *report,
                                           const wm_report_kernel *kernel,
                                           size_t hint)
{
    if (hint < report->n_kernels &&
        report->kernels[hint].launch == kernel->launch) {
        return &report->kernels[hint];
    }
    for (size_t i = 0; i < report->n_kernels; i++) {
        if (report->kernels[i].launch == kernel->launch) {
            return &report->kernels[i];
        }
    }
    return NULL;
}

static bool has_same_name(const wm_report_kernel *a, const wm_report_kernel *b)
{
    char left[NAME_MAX_BYTES];
    char right[NAME_MAX_BYTES];
    wm_ncu_base_name(a->name, left, sizeof(left));
    wm_ncu_base_name(b->name, right, sizeof(right));
    return strcmp(left, right) == 0;
}

/* Rows of one launch (NULL = total). */
static wm_status compare_launch(const wm_report *const *reports,
                                const wm_report_kernel *kernel, size_t index,
                                const wm_compare_options *options,
                                const bool *is_wanted, wm_compare *compare,
                                wm_error *err)
{
    wm_status status = WM_OK;
    for (size_t m = 0; m < wm_n_metrics() && status == WM_OK; m++) {
        if (!is_wanted[m]) {
            continue;
        }
        double *values = take_values(compare, err);
        if (values == NULL) {
            return WM_ENOMEM;
        }
        for (size_t i = 0; i < compare->n_sources; i++) {
            const wm_report_kernel *other =
                kernel == NULL ? NULL : find_launch(reports[i], kernel, index);
            values[i] = NAN;
            if (kernel == NULL ||
                (other != NULL && has_same_name(other, kernel))) {
                values[i] = metric_number(reports[i], other, m);
            }
        }
        wm_compare_row row = {.launch = kernel != NULL ? kernel->launch : 0,
                              .kernel = kernel != NULL ? kernel->name : NULL,
                              .label = wm_metric_at(m)->id,
                              .note = NULL,
                              .metric = m,
                              .values = values};
        status = add_row(compare, options, &row, err);
    }
    return status;
}

static bool is_selected(const wm_compare_options *options, const char *name)
{
    return options->select == NULL ||
           regexec(options->select, name, 0, NULL, 0) == 0;
}

/* Launches that the first report lacks or knows under another name. */
static void count_unmatched(const wm_report *const *reports, size_t n_reports,
                            wm_compare *compare)
{
    for (size_t i = 1; i < n_reports; i++) {
        for (size_t k = 0; k < reports[i]->n_kernels; k++) {
            const wm_report_kernel *kernel = &reports[i]->kernels[k];
            const wm_report_kernel *first = find_launch(reports[0], kernel, k);
            if (first == NULL || !has_same_name(first, kernel)) {
                compare->n_unmatched++;
            }
        }
        for (size_t k = 0; k < reports[0]->n_kernels; k++) {
            if (find_launch(reports[i], &reports[0]->kernels[k], k) == NULL) {
                compare->n_unmatched++;
            }
        }
    }
}

wm_status wm_compare_results(const wm_report *const *reports, size_t n_reports,
                             const wm_compare_options *options,
                             wm_compare *compare, wm_error *err)
{
    bool *is_wanted = calloc(wm_n_metrics(), sizeof(*is_wanted));
    if (is_wanted == NULL) {
        return wm_fail_memory(err);
    }
    compare->n_sources = n_reports;
    wm_status status = metrics_wanted(options, is_wanted, err);
    for (size_t k = 0;
         status == WM_OK && !options->only_total && k < reports[0]->n_kernels;
         k++) {
        const wm_report_kernel *kernel = &reports[0]->kernels[k];
        if (is_selected(options, kernel->name)) {
            status = compare_launch(reports, kernel, k, options, is_wanted,
                                    compare, err);
        }
    }
    if (status == WM_OK && options->select == NULL) {
        status =
            compare_launch(reports, NULL, 0, options, is_wanted, compare, err);
    }
    count_unmatched(reports, n_reports, compare);
    free(is_wanted);
    return status;
}

/* --- against Nsight Compute ----------------------------------------------- */

/* Our metric for Nsight's name; SIZE_MAX when there is none. */
static size_t ncu_metric(const char *name, const char **note)
{
    *note = "";
    for (size_t i = 0; i < wm_n_metrics(); i++) {
        if (strcmp(wm_metric_at(i)->nsight, name) == 0) {
            return i;
        }
    }
    for (size_t i = 0; i < N_NCU_NAMES; i++) {
        if (strcmp(ncu_names[i].name, name) == 0) {
            *note = ncu_names[i].note;
            return metric_index(ncu_names[i].metric);
        }
    }
    return SIZE_MAX;
}

static void count_error(wm_compare *compare, const double *values)
{
    if (isnan(values[0]) || isnan(values[1]) || values[0] == 0) {
        return;
    }
    const double error = fabs(values[1] / values[0] - 1);
    compare->sum_error[0] += error;
    compare->sum_error[1] += 1;
    if (error > compare->sum_error[2]) {
        compare->sum_error[2] = error;
    }
}

static wm_status
ncu_launch(const wm_ncu_kernel *hardware, const wm_report *report,
           const wm_report_kernel *kernel, const wm_compare_options *options,
           const bool *is_wanted, wm_compare *compare, wm_error *err)
{
    wm_status status = WM_OK;
    for (size_t i = 0; i < hardware->n_values && status == WM_OK; i++) {
        const wm_ncu_value *value = &hardware->values[i];
        wm_compare_row row = {
            .launch = kernel->launch, .kernel = kernel->name, .note = ""};
        row.metric = ncu_metric(value->name, &row.note);
        if (row.metric == SIZE_MAX || !is_wanted[row.metric]) {
            continue;
        }
        double *values = take_values(compare, err);
        if (values == NULL) {
            return WM_ENOMEM;
        }
        values[0] = value->has_value ? value->value : NAN;
        values[1] = metric_number(report, kernel, row.metric);
        row.values = values;
        row.label = value->name;
        count_error(compare, values);
        status = add_row(compare, options, &row, err);
    }
    return status;
}

/* Joins launches: match[k] = index into report, SIZE_MAX = none. */
static void ncu_match(const wm_ncu *ncu, const wm_report *report, size_t *match,
                      bool *is_used, wm_diag *diag)
{
    size_t n_matched = 0;
    for (size_t k = 0; k < ncu->n_kernels; k++) {
        char left[NAME_MAX_BYTES];
        wm_ncu_base_name(ncu->kernels[k].name, left, sizeof(left));
        match[k] = SIZE_MAX;
        for (size_t i = 0; i < report->n_kernels && match[k] == SIZE_MAX; i++) {
            char right[NAME_MAX_BYTES];
            wm_ncu_base_name(report->kernels[i].name, right, sizeof(right));
            if (!is_used[i] && strcmp(left, right) == 0) {
                match[k] = i;
                is_used[i] = true;
                n_matched++;
            }
        }
    }
    if (n_matched == 0 && ncu->n_kernels == report->n_kernels) {
        wm_warn(diag, "compare-by-position", NULL,
                "no kernel name agrees: the %zu launches are joined in order",
                ncu->n_kernels);
        for (size_t k = 0; k < ncu->n_kernels; k++) {
            match[k] = k;
            is_used[k] = true;
        }
    }
}

/* Our metrics with an Nsight name that the export does not hold. */
static void count_not_exported(const wm_ncu *ncu, wm_compare *compare)
{
    for (size_t m = 0; m < wm_n_metrics(); m++) {
        const char *name = wm_metric_at(m)->nsight;
        if (*name != '\0' && wm_ncu_find(&ncu->kernels[0], name) == NULL) {
            compare->n_not_exported++;
        }
    }
}

static wm_status ncu_rows(const wm_ncu *ncu, const wm_report *report,
                          const size_t *match,
                          const wm_compare_options *options,
                          const bool *is_wanted, wm_compare *compare,
                          wm_error *err)
{
    wm_status status = WM_OK;
    size_t n_joined = 0;
    for (size_t k = 0; k < ncu->n_kernels && status == WM_OK; k++) {
        if (match[k] == SIZE_MAX) {
            compare->n_unmatched++;
            continue;
        }
        n_joined++;
        const wm_report_kernel *kernel = &report->kernels[match[k]];
        if (is_selected(options, kernel->name)) {
            status = ncu_launch(&ncu->kernels[k], report, kernel, options,
                                is_wanted, compare, err);
        }
    }
    if (status == WM_OK && n_joined == 0) {
        return wm_fail(err, WM_EFORMAT,
                       "none of the export's %zu launches (the first is "
                       "\"%.100s\") is one of the result's %zu",
                       ncu->n_kernels, ncu->kernels[0].name, report->n_kernels);
    }
    if (status == WM_OK && compare->n_numbers == 0) {
        return wm_fail(err, WM_EFORMAT,
                       "the export holds no metric that a result has; "
                       "`warpmem metrics` lists them under their Nsight names");
    }
    return status;
}

wm_status wm_compare_ncu(const wm_ncu *ncu, const wm_report *report,
                         const wm_compare_options *options, wm_compare *compare,
                         wm_diag *diag, wm_error *err)
{
    wm_compare_options all = *options;
    size_t *match = calloc(ncu->n_kernels + 1, sizeof(*match));
    bool *is_used = calloc(report->n_kernels + 1, sizeof(*is_used));
    bool *is_wanted = calloc(wm_n_metrics(), sizeof(*is_wanted));
    wm_status status = WM_OK;
    if (match == NULL || is_used == NULL || is_wanted == NULL) {
        status = wm_fail_memory(err);
    } else {
        compare->n_sources = 2;
        ncu_match(ncu, report, match, is_used, diag);
        for (size_t i = 0; i < report->n_kernels; i++) {
            compare->n_unmatched += !is_used[i];
        }
        count_not_exported(ncu, compare);
        /* All that the export has, unless metrics are named. */
        all.all_metrics = options->n_metrics == 0;
        status = metrics_wanted(&all, is_wanted, err);
    }
    if (status == WM_OK) {
        all.all_metrics = false;
        status = ncu_rows(ncu, report, match, &all, is_wanted, compare, err);
    }
    free(match);
    free(is_used);
    free(is_wanted);
    return status;
}
