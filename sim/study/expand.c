/*
 * expand.c -- the small languages of a study file: ranges and conditions.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "study/study.h"

bool wm_texts_add(wm_texts *texts, const char *text, size_t n)
{
    char *copy = wm_text_copy_n(text, n);
    if (copy == NULL || !wm_grow(&texts->items, &texts->capacity, texts->n + 1,
                                 sizeof(texts->items[0]))) {
        free(copy);
        return false;
    }
    texts->items[texts->n++] = copy;
    return true;
}

void wm_texts_fini(wm_texts *texts)
{
    for (size_t i = 0; i < texts->n; i++) {
        free(texts->items[i]);
    }
    free(texts->items);
    memset(texts, 0, sizeof(*texts));
}

/* --- ranges --------------------------------------------------------------- */

/* Cuts the text between from and to, without blanks, into out. */
static void cut(const char *from, const char *to, char *out, size_t n_out)
{
    size_t n = (size_t)(to - from);
    wm_text_trim(&from, &n);
    (void)snprintf(out, n_out, "%.*s", (int)(n < 63 ? n : 63), from);
}

typedef struct range {
    char low[64], high[64], step[64];
    bool is_times;
} range;

/* "LOW..HIGH step S" or "LOW..HIGH times F". */
static bool range_split(const char *item, range *r)
{
    const char *dots = strstr(item, "..");
    const char *step = strstr(item, " step ");
    const char *times = strstr(item, " times ");
    const char *word = step != NULL ? step : times;
    if (dots == NULL || word == NULL || word < dots) {
        return false;
    }
    r->is_times = step == NULL;
    cut(item, dots, r->low, sizeof(r->low));
    cut(dots + 2, word, r->high, sizeof(r->high));
    cut(word + (r->is_times ? 7 : 6), item + strlen(item), r->step,
        sizeof(r->step));
    return true;
}

static wm_status range_fail(const char *item, const char *what, wm_error *err)
{
    return wm_fail(err, WM_ECONFIG,
                   "'%.80s': %s, wanted a value, LOW..HIGH step STEP, or "
                   "LOW..HIGH times FACTOR",
                   item, what);
}

static wm_status range_add(const wm_unit *units, uint64_t value,
                           const char *item, wm_texts *values, wm_error *err)
{
    wm_buffer text;
    wm_buffer_init(&text);
    wm_text_format_quantity(value, units, &text);
    wm_status status = WM_OK;
    if (values->n == WM_STUDY_VALUES_MAX) {
        status = range_fail(item, "over 4096 values", err);
    } else if (text.is_failed ||
               !wm_texts_add(values, text.bytes, text.n_bytes)) {
        status = wm_fail_memory(err);
    }
    wm_buffer_fini(&text);
    return status;
}

static wm_status range_expand(const wm_unit *units, const range *r,
                              const char *item, wm_texts *values, wm_error *err)
{
    uint64_t low = 0;
    uint64_t high = 0;
    uint64_t step = 0;
    if (wm_text_parse_quantity(r->low, units, &low) != WM_TEXT_OK ||
        wm_text_parse_quantity(r->high, units, &high) != WM_TEXT_OK) {
        return range_fail(item, "a bound is no value of this key", err);
    }
    const wm_unit *step_units = r->is_times ? wm_units_none : units;
    if (wm_text_parse_quantity(r->step, step_units, &step) != WM_TEXT_OK) {
        return range_fail(item,
                          r->is_times ? "the factor is no whole number"
                                      : "the step is no value of this key",
                          err);
    }
    if (low > high || step == 0 || (r->is_times && (step < 2 || low == 0))) {
        return range_fail(item, "it never ends or is empty", err);
    }
    wm_status status = WM_OK;
    for (uint64_t value = low; value <= high && status == WM_OK;) {
        status = range_add(units, value, item, values, err);
        const bool is_last =
            r->is_times ? wm_mul_high(value, step) != 0 : value + step < value;
        if (is_last) {
            break;
        }
        value = r->is_times ? value * step : value + step;
    }
    return status;
}

wm_status wm_study_expand(const wm_key *key, const char *item, wm_texts *values,
                          wm_error *err)
{
    const wm_unit *units = wm_key_units(key);
    range r;
    if (strstr(item, "..") == NULL) {
        return wm_texts_add(values, item, strlen(item)) ? WM_OK
                                                        : wm_fail_memory(err);
    }
    if (units == NULL) {
        return range_fail(item, "this key has no ranges", err);
    }
    if (!range_split(item, &r)) {
        return range_fail(item, "a range without step or times", err);
    }
    return range_expand(units, &r, item, values, err);
}

/* --- conditions ----------------------------------------------------------- */

typedef struct term {
    char name[64], sign[4], value[64];
} term;

static wm_status term_fail(const char *text, const char *what, wm_error *err)
{
    return wm_fail(err, WM_ECONFIG,
                   "'%.80s': %s, wanted KEY == VALUE (or != < <= > >=), joined "
                   "by \"and\"; KEY may be config or trace",
                   text, what);
}

/* Reads the term before " and ", or the last one. */
static bool term_read(const char **text, term *t)
{
    const char *end = strstr(*text, " and ");
    const char *rest = end != NULL ? end + 5 : NULL;
    const char *at = *text;
    end = end != NULL ? end : at + strlen(at);
    const char *sign = at;
    while (sign < end && strchr("=!<>", *sign) == NULL) {
        sign++;
    }
    size_t n = 0;
    while (sign + n < end && n < 2 && strchr("=!<>", sign[n]) != NULL) {
        n++;
    }
    cut(at, sign, t->name, sizeof(t->name));
    cut(sign, sign + n, t->sign, sizeof(t->sign));
    cut(sign + n, end, t->value, sizeof(t->value));
    *text = rest;
    return n != 0 && t->name[0] != '\0' && t->value[0] != '\0';
}

/* Whether order (of found against value: -1, 0, 1) is what sign says; -1 for an
 * unknown sign. */
static int sign_holds(const char *sign, int order)
{
    static const struct {
        const char *sign;
        bool less, equal, greater;
    } signs[] = {
        {"==", false, true, false}, {"!=", true, false, true},
        {"<", true, false, false},  {"<=", true, true, false},
        {">", false, false, true},  {">=", false, true, true},
    };
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
        if (strcmp(signs[i].sign, sign) == 0) {
            return order < 0    ? signs[i].less
                   : order == 0 ? signs[i].equal
                                : signs[i].greater;
        }
    }
    return -1;
}

static wm_status term_key(const term *t, const wm_config *config, int *order,
                          wm_error *err)
{
    const wm_key *key = wm_key_find(t->name);
    uint64_t wanted = 0;
    uint64_t found = 0;
    if (key == NULL) {
        return wm_fail(err, WM_ECONFIG,
                       "'%.60s': unknown key in a condition, nearest is %s",
                       t->name, wm_key_nearest(t->name)->name);
    }
    const wm_unit *units = wm_key_units(key);
    *order = 0;
    if (units == NULL) {
        if (strcmp(t->sign, "==") != 0 && strcmp(t->sign, "!=") != 0) {
            return term_fail(t->name, "a word has no order", err);
        }
        wm_buffer text;
        wm_buffer_init(&text);
        if (config != NULL) {
            wm_key_format(key, config, &text);
            *order = strcmp(text.bytes != NULL ? text.bytes : "", t->value);
        }
        wm_buffer_fini(&text);
        return WM_OK;
    }
    if (wm_text_parse_quantity(t->value, units, &wanted) != WM_TEXT_OK) {
        return term_fail(t->value, "no value of this key", err);
    }
    if (config != NULL) {
        memcpy(&found, (const char *)config + key->offset, sizeof(found));
        *order = found < wanted ? -1 : found > wanted;
    }
    return WM_OK;
}

wm_status wm_study_holds(const char *condition, const wm_config *config,
                         const char *config_name, const char *trace,
                         bool *holds, wm_error *err)
{
    const char *text = condition;
    *holds = true;
    while (text != NULL) {
        term t;
        int order = 0;
        wm_status status = WM_OK;
        if (!term_read(&text, &t)) {
            return term_fail(condition, "no comparison", err);
        }
        if (strcmp(t.name, "config") == 0) {
            order = strcmp(config_name, t.value);
        } else if (strcmp(t.name, "trace") == 0) {
            order = fnmatch(t.value, trace, 0);
        } else {
            status = term_key(&t, config, &order, err);
        }
        const int is_so = sign_holds(t.sign, order);
        if (status != WM_OK || is_so < 0) {
            return status != WM_OK ? status
                                   : term_fail(condition, "no comparison", err);
        }
        *holds = *holds && is_so != 0;
    }
    return WM_OK;
}
