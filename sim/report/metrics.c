/*
 * metrics.c -- the list of metrics, and the evaluator of their formulas.
 *
 * Formulas are read from their text each time they are computed: a few
 * microseconds per kernel, and no second form that could drift from the text
 * that users read.
 */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/json.h"
#include "report/report.h"

const char *const wm_report_bound_names[WM_REPORT_BOUNDS] = {
#define WM_FORMULA(id, unit, nsight, sentence, formula)
#define WM_BUSY(id, sentence) #id,
#include "report/metrics.def"
#undef WM_FORMULA
#undef WM_BUSY
};

const char *const wm_report_bin_names[WM_REPORT_BINS] = {
    "0", "1", "2", "3-4", "5-8", "9-16", "17-32", "more"};

static const wm_metric metrics[] = {
#define WM_COUNTER(id, name, unit, nsight, sentence)                           \
    {WM_METRIC_COUNTER, name, unit, nsight, sentence, "", sizeof(name) - 1},
#include "model/counters.def"
#undef WM_COUNTER
#define WM_FORMULA(id, unit, nsight, sentence, formula)                        \
    {WM_METRIC_FORMULA, id, unit, nsight, sentence, formula, sizeof(id) - 1},
#define WM_BUSY(id, sentence)
#include "report/metrics.def"
#undef WM_FORMULA
#undef WM_BUSY
    {WM_METRIC_WORD, "bound.name", "word", "",
     "what limits the simulated time: lsu, l1, shared, fabric, l2, dram, "
     "latency or launch",
     "", sizeof("bound.name") - 1},
#define WM_FORMULA(id, unit, nsight, sentence, formula)
#define WM_BUSY(id, sentence)                                                  \
    {WM_METRIC_BUSY,          "bound." #id, "fraction", "", sentence, "",      \
     sizeof("bound." #id) - 1},
#include "report/metrics.def"
#undef WM_FORMULA
#undef WM_BUSY
};

#define N_METRICS (sizeof(metrics) / sizeof(metrics[0]))

size_t wm_n_metrics(void)
{
    return N_METRICS;
}

const wm_metric *wm_metric_at(size_t index)
{
    assert(index < N_METRICS);
    return &metrics[index];
}

const wm_metric *wm_metric_find(const char *id)
{
    if (*id == '\0') {
        return NULL;
    }
    for (size_t i = 0; i < N_METRICS; i++) {
        if (strcmp(metrics[i].id, id) == 0 ||
            strcmp(metrics[i].nsight, id) == 0) {
            return &metrics[i];
        }
    }
    return NULL;
}

/* --- formulas ------------------------------------------------------------ */

typedef struct formula {
    const char *at;
    const wm_counters *counters;
    const wm_config *config; /* NULL: keys are null */
    bool is_null;
} formula;

static double formula_sum(formula *f);

static double formula_name(formula *f)
{
    char id[64];
    size_t n = strspn(f->at, "abcdefghijklmnopqrstuvwxyz0123456789_.");
    assert(n != 0 && n < sizeof(id));
    memcpy(id, f->at, n);
    id[n] = '\0';
    f->at += n;
    for (size_t i = 0; i < WM_COUNTER_COUNT; i++) {
        if (metrics[i].n_id == n && memcmp(metrics[i].id, id, n) == 0) {
            return (double)f->counters->value[i];
        }
    }
    const wm_key *key = wm_key_find(id);
    uint64_t value = 0;
    if (key == NULL || f->config == NULL) {
        f->is_null = true;
        return 0;
    }
    memcpy(&value, (const char *)f->config + key->offset, sizeof(value));
    return (double)value;
}

static double formula_factor(formula *f)
{
    double value;
    f->at += strspn(f->at, " ");
    if (*f->at == '(') {
        f->at++;
        value = formula_sum(f);
        assert(*f->at == ')');
        f->at++;
    } else if (*f->at >= '0' && *f->at <= '9') {
        char *end = NULL;
        value = (double)strtoull(f->at, &end, 10);
        f->at = end;
    } else {
        value = formula_name(f);
    }
    f->at += strspn(f->at, " ");
    return value;
}

static double formula_product(formula *f)
{
    double value = formula_factor(f);
    while (*f->at == '*' || *f->at == '/') {
        char operation = *f->at++;
        double right = formula_factor(f);
        if (operation == '*') {
            value *= right;
        } else if (right == 0) {
            f->is_null = true;
        } else {
            value /= right;
        }
    }
    return value;
}

static double formula_sum(formula *f)
{
    double value = formula_product(f);
    while (*f->at == '+' || *f->at == '-') {
        char operation = *f->at++;
        double right = formula_product(f);
        value = operation == '+' ? value + right : value - right;
    }
    return value;
}

static bool formula_value(const wm_report *report, const wm_counters *counters,
                          const char *text, double *value)
{
    formula f = {text, counters, NULL, false};
    if (report->config != NULL) {
        f.config = wm_config_values(report->config);
    }
    *value = formula_sum(&f);
    assert(*f.at == '\0');
    return !f.is_null && isfinite(*value);
}

/* --- values -------------------------------------------------------------- */

bool wm_metric_value(const wm_report *report, const wm_report_kernel *kernel,
                     size_t index, double *value)
{
    const wm_counters *counters =
        kernel != NULL ? &kernel->counters : &report->total;
    assert(index < N_METRICS);
    switch (metrics[index].kind) {
    case WM_METRIC_COUNTER:
        *value = (double)counters->value[index];
        return true;
    case WM_METRIC_FORMULA:
        return formula_value(report, counters, metrics[index].formula, value);
    case WM_METRIC_BUSY: {
        const uint32_t *busy =
            kernel != NULL ? kernel->busy_ppm : report->total_busy_ppm;
        const size_t n_others = N_METRICS - WM_REPORT_BOUNDS;
        *value = busy[index - n_others] / 1e6;
        return true;
    }
    case WM_METRIC_WORD:
        break;
    }
    return false;
}

bool wm_metric_print(const wm_report *report, const wm_report_kernel *kernel,
                     size_t index, wm_buffer *out)
{
    const wm_counters *counters =
        kernel != NULL ? &kernel->counters : &report->total;
    double value = 0;
    if (metrics[index].kind == WM_METRIC_COUNTER) {
        wm_buffer_printf(out, "%" PRIu64, counters->value[index]);
        return true;
    }
    if (metrics[index].kind == WM_METRIC_WORD) {
        uint32_t bound = kernel != NULL ? kernel->bound : report->total_bound;
        if (counters->value[WM_C_TIME_CYCLES] == 0) {
            return false;
        }
        assert(bound < WM_REPORT_BOUNDS);
        wm_buffer_puts(out, wm_report_bound_names[bound]);
        return true;
    }
    if (!wm_metric_value(report, kernel, index, &value)) {
        return false;
    }
    wm_print_double(out, value);
    return true;
}
