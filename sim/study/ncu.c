/*
 * ncu.c -- the CSV export of Nsight Compute, both layouts.
 */
#include "study/ncu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/text.h"

#define NCU_BYTES_MAX ((size_t)1 << 30)

void wm_ncu_init(wm_ncu *ncu)
{
    memset(ncu, 0, sizeof(*ncu));
}

void wm_ncu_fini(wm_ncu *ncu)
{
    for (size_t k = 0; k < ncu->n_kernels; k++) {
        wm_ncu_kernel *kernel = &ncu->kernels[k];
        for (size_t i = 0; i < kernel->n_values; i++) {
            free(kernel->values[i].name);
        }
        free(kernel->values);
        free(kernel->id);
        free(kernel->name);
    }
    free(ncu->kernels);
    wm_ncu_init(ncu);
}

const wm_ncu_value *wm_ncu_find(const wm_ncu_kernel *kernel, const char *name)
{
    for (size_t i = 0; i < kernel->n_values; i++) {
        if (strcmp(kernel->values[i].name, name) == 0) {
            return &kernel->values[i];
        }
    }
    return NULL;
}

/* --- numbers and units ---------------------------------------------------- */

/* Length of a thousands separator other than . and , at text: a blank, an
 * apostrophe, a no-break space (U+00A0, U+202F, U+2019). */
static size_t number_gap(const char *text)
{
    static const char *const gaps[] = {" ", "'", "\xc2\xa0", "\xe2\x80\xaf",
                                       "\xe2\x80\x99"};
    for (size_t i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++) {
        const size_t n = strlen(gaps[i]);
        if (strncmp(text, gaps[i], n) == 0 && text[n] >= '0' &&
            text[n] <= '9') {
            return n;
        }
    }
    return 0;
}

bool wm_ncu_number(const char *text, bool is_comma, double *value)
{
    char plain[64];
    size_t n = 0;
    const char point = is_comma ? ',' : '.';
    const char group = is_comma ? '.' : ',';
    text += strspn(text, " \t");
    while (*text != '\0' && n + 1 < sizeof(plain)) {
        const size_t gap = n != 0 ? number_gap(text) : 0;
        if (gap != 0) {
            text += gap;
            continue;
        }
        if (*text == point) {
            plain[n++] = '.';
        } else if (strchr("0123456789+-eE", *text) != NULL) {
            plain[n++] = *text;
        } else if (*text != group) {
            break;
        }
        text++;
    }
    plain[n] = '\0';
    text += strspn(text, " \t");
    if (*text != '\0' && *text != '(') { /* "(" starts per-instance values */
        return false;
    }
    char *end = NULL;
    *value = strtod(plain, &end);
    return n != 0 && *end == '\0' && *value - *value == 0;
}

/* +1 when text shows that the comma is the decimal point, -1 when the dot is,
 * 0 when it could be either. */
static int number_style(const char *text)
{
    const char *comma = strrchr(text, ',');
    const char *dot = strrchr(text, '.');
    if (text[strspn(text, "0123456789.,- ")] != '\0') {
        return 0;
    }
    if (comma != NULL && dot != NULL) {
        return comma > dot ? 1 : -1;
    }
    if (comma != NULL) {
        const bool is_group = strchr(text, ',') != comma;
        return is_group ? -1 : strlen(comma) != 4 ? 1 : 0;
    }
    if (dot != NULL) {
        const bool is_group = strchr(text, '.') != dot;
        return is_group ? 1 : strlen(dot) != 4 ? -1 : 0;
    }
    return 0;
}

double wm_ncu_scale(const char *unit)
{
    static const struct {
        const char *name;
        double scale;
    } units[] = {
        {"nsecond", 1},  {"ns", 1},        {"usecond", 1e3},
        {"us", 1e3},     {"msecond", 1e6}, {"ms", 1e6},
        {"second", 1e9}, {"s", 1e9},       {"%", 0.01},
    };
    static const struct {
        char letter;
        double scale;
    } prefixes[] = {
        {'K', 1e3}, {'k', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}};
    static const char *const scaled[] = {"byte", "hz",     "Hz",   "B",
                                         "inst", "sector", "cycle"};
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(unit, units[i].name) == 0) {
            return units[i].scale;
        }
    }
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        for (size_t k = 0; k < sizeof(scaled) / sizeof(scaled[0]); k++) {
            const size_t n = strlen(scaled[k]);
            if (unit[0] == prefixes[i].letter &&
                strncmp(unit + 1, scaled[k], n) == 0 &&
                (unit[1 + n] == '\0' || unit[1 + n] == '/' ||
                 unit[1 + n] == 's')) {
                return prefixes[i].scale;
            }
        }
    }
    return 1;
}

/* --- names ---------------------------------------------------------------- */

/* The last source name of an Itanium-mangled symbol. */
static bool name_unmangle(const char *name, char *base, size_t n_base)
{
    if (strncmp(name, "_Z", 2) != 0) {
        return false;
    }
    name += 2;
    bool is_nested = *name == 'N';
    name += is_nested;
    bool is_found = false;
    while (*name >= '0' && *name <= '9') {
        char *end = NULL;
        const unsigned long n = strtoul(name, &end, 10);
        if (n == 0 || n > strlen(end)) {
            break;
        }
        (void)snprintf(base, n_base, "%.*s", (int)(n < 512 ? n : 512), end);
        is_found = true;
        name = end + n;
        if (!is_nested) {
            break;
        }
    }
    return is_found;
}

void wm_ncu_base_name(const char *name, char *base, size_t n_base)
{
    if (name_unmangle(name, base, n_base)) {
        return;
    }
    /* Up to the first '(' or '<' that is not inside "(anonymous ...)". */
    const char *start = name;
    const char *p = name;
    for (; *p != '\0' && *p != '<'; p++) {
        if (strncmp(p, "(anonymous namespace)", 21) == 0) {
            p += 20;
        } else if (*p == '(') {
            break;
        } else if (*p == ' ' || *p == ':') {
            start = p + 1;
        }
    }
    /* A namespace's template arguments: what follows them counts. */
    const char *inner = *p == '<' ? strstr(p, ">::") : NULL;
    if (inner != NULL && strchr(p, '(') > inner) {
        wm_ncu_base_name(inner + 3, base, n_base);
        return;
    }
    (void)snprintf(base, n_base, "%.*s",
                   (int)(p - start < 512 ? p - start : 512), start);
}

/* --- the file ------------------------------------------------------------- */

typedef struct ncu_parser {
    const char *path;
    wm_csv csv;
    wm_ncu *ncu;
    wm_diag *diag;
    bool is_comma;
    bool has_header;
    size_t n_columns;
    char **columns; /* of the header */
    char **units;   /* wide: the row under it; NULL entries before */
    bool has_units;
    size_t id, name, metric_name, metric_unit, metric_value; /* columns */
    size_t first_metric;                                     /* wide */
} ncu_parser;

#define NO_COLUMN ((size_t)-1)

static void free_texts(char **texts, size_t n)
{
    for (size_t i = 0; texts != NULL && i < n; i++) {
        free(texts[i]);
    }
    free(texts);
}

static char **copy_record(const wm_csv *csv)
{
    char **texts = calloc(csv->n_fields + 1, sizeof(*texts));
    for (size_t i = 0; texts != NULL && i < csv->n_fields; i++) {
        texts[i] = wm_text_copy(wm_csv_field(csv, i));
        if (texts[i] == NULL) {
            free_texts(texts, i);
            return NULL;
        }
    }
    return texts;
}

static size_t find_column(const ncu_parser *parser, const char *name)
{
    for (size_t i = 0; i < parser->n_columns; i++) {
        if (strcmp(parser->columns[i], name) == 0) {
            return i;
        }
    }
    return NO_COLUMN;
}

static void forget_header(ncu_parser *parser)
{
    free_texts(parser->columns, parser->n_columns);
    free_texts(parser->units, parser->n_columns);
    parser->columns = NULL;
    parser->units = NULL;
    parser->n_columns = 0;
    parser->has_units = false;
    parser->has_header = false;
}

static wm_status take_header(ncu_parser *parser, wm_error *err)
{
    forget_header(parser);
    parser->columns = copy_record(&parser->csv);
    if (parser->columns == NULL) {
        return wm_fail_memory(err);
    }
    parser->n_columns = parser->csv.n_fields;
    parser->has_header = true;
    parser->id = find_column(parser, "ID");
    parser->name = find_column(parser, "Kernel Name");
    parser->metric_name = find_column(parser, "Metric Name");
    parser->metric_unit = find_column(parser, "Metric Unit");
    parser->metric_value = find_column(parser, "Metric Value");
    /* Columns that say what was run, not what was measured, have no "__". */
    parser->first_metric = parser->name + 1;
    while (parser->first_metric < parser->n_columns &&
           strstr(parser->columns[parser->first_metric], "__") == NULL) {
        parser->first_metric++;
    }
    if (parser->metric_name == NO_COLUMN &&
        parser->first_metric == parser->n_columns) {
        return wm_fail(err, WM_EFORMAT,
                       "%s:%u: neither a \"Metric Name\" column nor one named "
                       "like dram__bytes_read.sum, wanted a CSV of ncu --csv "
                       "(--page raw or details)",
                       parser->path, parser->csv.record_line);
    }
    if (parser->metric_name != NO_COLUMN && parser->metric_value == NO_COLUMN) {
        return wm_fail(err, WM_EFORMAT,
                       "%s:%u: \"Metric Name\" without \"Metric Value\" (a "
                       "summary?), wanted one row per launch and metric",
                       parser->path, parser->csv.record_line);
    }
    return WM_OK;
}

/* The launch with this id and name: the last one, else a new one. */
static wm_ncu_kernel *find_kernel(ncu_parser *parser, bool is_new)
{
    wm_ncu *ncu = parser->ncu;
    const char *id =
        parser->id != NO_COLUMN ? wm_csv_field(&parser->csv, parser->id) : "";
    const char *name = wm_csv_field(&parser->csv, parser->name);
    for (size_t i = ncu->n_kernels; i-- > 0 && !is_new;) {
        if (strcmp(ncu->kernels[i].id, id) == 0 &&
            strcmp(ncu->kernels[i].name, name) == 0) {
            return &ncu->kernels[i];
        }
    }
    if (!wm_grow(&ncu->kernels, &ncu->cap_kernels, ncu->n_kernels + 1,
                 sizeof(ncu->kernels[0]))) {
        return NULL;
    }
    wm_ncu_kernel *kernel = &ncu->kernels[ncu->n_kernels];
    memset(kernel, 0, sizeof(*kernel));
    kernel->id = wm_text_copy(id);
    kernel->name = wm_text_copy(name);
    if (kernel->id == NULL || kernel->name == NULL) {
        free(kernel->id);
        free(kernel->name);
        return NULL;
    }
    ncu->n_kernels++;
    return kernel;
}

static bool add_value(ncu_parser *parser, wm_ncu_kernel *kernel,
                      const char *name, const char *unit, const char *text)
{
    wm_ncu_value value = {NULL, 0, false};
    if (*name == '\0') {
        return true;
    }
    value.has_value = wm_ncu_number(text, parser->is_comma, &value.value);
    value.value *= wm_ncu_scale(unit);
    value.has_value = value.has_value && value.value - value.value == 0;
    /* The same name in several sections of the details page: the first. */
    if (parser->metric_name != NO_COLUMN && wm_ncu_find(kernel, name) != NULL) {
        return true;
    }
    value.name = wm_text_copy(name);
    if (value.name == NULL ||
        !wm_grow(&kernel->values, &kernel->cap_values, kernel->n_values + 1,
                 sizeof(kernel->values[0]))) {
        free(value.name);
        return false;
    }
    kernel->values[kernel->n_values++] = value;
    return true;
}

static wm_status take_wide(ncu_parser *parser, wm_error *err)
{
    const char *id = wm_csv_field(&parser->csv, parser->id);
    if (!parser->has_units && *id == '\0' &&
        *wm_csv_field(&parser->csv, parser->name) == '\0') {
        parser->units = copy_record(&parser->csv);
        parser->has_units = true;
        return parser->units != NULL ? WM_OK : wm_fail_memory(err);
    }
    wm_ncu_kernel *kernel = find_kernel(parser, true);
    bool is_kept = kernel != NULL;
    for (size_t i = parser->first_metric; i < parser->n_columns && is_kept;
         i++) {
        is_kept = add_value(parser, kernel, parser->columns[i],
                            parser->has_units ? parser->units[i] : "",
                            wm_csv_field(&parser->csv, i));
    }
    return is_kept ? WM_OK : wm_fail_memory(err);
}

static wm_status take_long(ncu_parser *parser, wm_error *err)
{
    const char *unit = parser->metric_unit != NO_COLUMN
                           ? wm_csv_field(&parser->csv, parser->metric_unit)
                           : "";
    wm_ncu_kernel *kernel = find_kernel(parser, false);
    if (kernel == NULL ||
        !add_value(parser, kernel,
                   wm_csv_field(&parser->csv, parser->metric_name), unit,
                   wm_csv_field(&parser->csv, parser->metric_value))) {
        return wm_fail_memory(err);
    }
    return WM_OK;
}

/* Whether the present record is a header. */
static bool is_header(const wm_csv *csv)
{
    for (size_t i = 0; i < csv->n_fields && csv->n_fields > 2; i++) {
        if (strcmp(wm_csv_field(csv, i), "Kernel Name") == 0) {
            return true;
        }
    }
    return false;
}

/* Whether the line at the present place can be a record: program output and
 * "==PROF==" lines may hold lone quotes. */
static bool is_record_line(const ncu_parser *parser)
{
    const char *at = parser->csv.at;
    const size_t n = (size_t)(parser->csv.end - at);
    if (n >= 2 && memcmp(at, "==", 2) == 0) {
        return false;
    }
    const char *newline = memchr(at, '\n', n);
    const size_t n_line = newline != NULL ? (size_t)(newline - at) : n;
    if (memchr(at, ',', n_line) == NULL) {
        return false;
    }
    if (parser->has_header) {
        return *at == '"' || (*at >= '0' && *at <= '9') || *at == ',' ||
               *at == 'I';
    }
    for (size_t i = 0; i + 11 <= n_line; i++) {
        if (memcmp(at + i, "Kernel Name", 11) == 0) {
            return true;
        }
    }
    return false;
}

/* Decides which of . and , is the decimal point, from all values. */
static void find_style(ncu_parser *parser, const char *text, size_t n_text)
{
    int votes = 0;
    wm_csv csv;
    wm_csv_init(&csv, text, n_text);
    while (wm_csv_next(&csv)) {
        size_t first = parser->metric_value;
        size_t last = parser->metric_value;
        if (parser->metric_name == NO_COLUMN) {
            first = parser->first_metric;
            last = parser->n_columns - 1;
        }
        for (size_t i = first; i <= last && i < csv.n_fields; i++) {
            votes += number_style(wm_csv_field(&csv, i));
        }
    }
    wm_csv_fini(&csv);
    parser->is_comma = votes > 0;
}

static wm_status parse_record(ncu_parser *parser, wm_error *err)
{
    if (parser->csv.n_fields == 0) {
        return WM_OK;
    }
    if (is_header(&parser->csv)) {
        wm_status status = take_header(parser, err);
        if (status == WM_OK) {
            find_style(parser, parser->csv.at,
                       (size_t)(parser->csv.end - parser->csv.at));
        }
        return status;
    }
    if (parser->has_header && parser->csv.n_fields != parser->n_columns) {
        char where[300];
        (void)snprintf(where, sizeof(where), "%.256s:%u", parser->path,
                       parser->csv.record_line);
        wm_warn(parser->diag, "ncu-record", where,
                "%zu fields under a header of %zu: skipped",
                parser->csv.n_fields, parser->n_columns);
        return WM_OK;
    }
    if (!parser->has_header) {
        return WM_OK;
    }
    return parser->metric_name != NO_COLUMN ? take_long(parser, err)
                                            : take_wide(parser, err);
}

wm_status wm_ncu_parse(const char *path, const char *text, size_t n_text,
                       wm_ncu *ncu, wm_diag *diag, wm_error *err)
{
    ncu_parser parser = {.path = path, .ncu = ncu, .diag = diag};
    wm_status status = WM_OK;
    if (n_text >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        n_text -= 3;
    }
    wm_csv_init(&parser.csv, text, n_text);
    while (status == WM_OK && parser.csv.at < parser.csv.end) {
        if (!is_record_line(&parser)) {
            wm_csv_skip_line(&parser.csv);
        } else if (wm_csv_next(&parser.csv)) {
            status = parse_record(&parser, err);
        } else {
            status = wm_fail_memory(err);
        }
    }
    if (status == WM_OK && ncu->n_kernels == 0) {
        status = wm_fail(err, WM_EFORMAT,
                         parser.has_header
                             ? "%s:%u: a header and no kernel launch under it, "
                               "wanted rows of ncu --csv"
                             : "%s:%u: no header with \"Kernel Name\" up to "
                               "here, wanted a CSV of ncu --csv (--page raw "
                               "or details)",
                         path, parser.csv.line);
    }
    forget_header(&parser);
    wm_csv_fini(&parser.csv);
    return status;
}

wm_status wm_ncu_read(const char *path, wm_ncu *ncu, wm_diag *diag,
                      wm_error *err)
{
    char block[65536];
    size_t n = 0;
    wm_buffer text;
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        return wm_fail(err, WM_EIO, "%s: %s", path, strerror(errno));
    }
    wm_buffer_init(&text);
    wm_buffer_puts(&text, "");
    while ((n = fread(block, 1, sizeof(block), stream)) != 0 &&
           text.n_bytes < NCU_BYTES_MAX) {
        wm_buffer_add(&text, block, n);
    }
    wm_status status = WM_OK;
    if (ferror(stream)) {
        status = wm_fail(err, WM_EIO, "%s: %s", path, strerror(errno));
    } else if (n != 0) {
        status = wm_fail(err, WM_EFORMAT,
                         "%s: over 1 GiB, wanted an export of "
                         "ncu --csv",
                         path);
    } else if (text.is_failed) {
        status = wm_fail_memory(err);
    } else {
        status = wm_ncu_parse(path, text.bytes, text.n_bytes, ncu, diag, err);
    }
    (void)fclose(stream);
    wm_buffer_fini(&text);
    return status;
}
