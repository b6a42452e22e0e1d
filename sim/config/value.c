/*
 * value.c -- one value: text to struct field and back.
 *
 * value_types[] is the only place that knows the types by name.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "config/config_internal.h"

/* A value on its way into the struct. */
typedef struct value_job {
    wm_config_set *set;
    wm_key_index index;
    const wm_key *key;
    const char *text;
    const struct value_type *type;
} value_job;

typedef struct value_type {
    const char *name;
    const char *wanted;   /* "a number" */
    const wm_unit *units; /* NULL: not a quantity */
    wm_status (*parse)(const value_job *job, wm_error *err);
    void (*format)(const wm_key *key, const struct value_type *type,
                   const wm_config *values, wm_buffer *out);
} value_type;

static const value_type *value_type_of(const wm_key *key);

static void *value_field(const wm_key *key, wm_config *values)
{
    return (char *)values + key->offset;
}

static const void *value_const_field(const wm_key *key, const wm_config *values)
{
    return (const char *)values + key->offset;
}

uint64_t wm_value_get(const wm_key *key, const wm_config *values)
{
    uint64_t value = 0;
    memcpy(&value, value_const_field(key, values), sizeof(value));
    return value;
}

void wm_value_put(const wm_key *key, wm_config *values, uint64_t value)
{
    memcpy(value_field(key, values), &value, sizeof(value));
}

void wm_value_describe(const wm_key *key, wm_buffer *out)
{
    const value_type *type = value_type_of(key);
    if (strcmp(type->name, "CHOICE") == 0) {
        wm_text_list_words(key->unit, out);
    } else if (strcmp(type->name, "BOOL") == 0) {
        wm_buffer_puts(out, "true or false");
    } else if (type->units == NULL) {
        wm_buffer_puts(out, type->wanted);
    } else {
        wm_text_format_quantity(key->min, type->units, out);
        wm_buffer_puts(out, " to ");
        wm_text_format_quantity(key->max, type->units, out);
    }
}

/* "PLACE: key: 'text' WHAT, wanted ..."; --set names the key already. */
static wm_status value_fail(const value_job *job, const char *what,
                            wm_error *err)
{
    wm_buffer wanted;
    const char *where = wm_config_where(job->set, job->index);
    bool has_key = strncmp(where, "--set ", 6) == 0;
    wm_buffer_init(&wanted);
    if (job->type->units != NULL) {
        wm_buffer_printf(&wanted, "%s, ", job->type->wanted);
    }
    wm_value_describe(job->key, &wanted);
    wm_status status =
        wanted.is_failed
            ? wm_fail_memory(err)
            : wm_fail(err, WM_ECONFIG, "%s: %s%s'%.60s' %s, wanted %s", where,
                      has_key ? "" : job->key->name, has_key ? "" : ": ",
                      job->text, what, wanted.bytes);
    wm_buffer_fini(&wanted);
    return status;
}

static wm_status value_fail_quantity(const value_job *job,
                                     wm_text_result result, wm_error *err)
{
    static const char *const texts[] = {
        [WM_TEXT_OK] = "is out of range",
        [WM_TEXT_EMPTY] = "is empty",
        [WM_TEXT_NOT_NUMBER] = "is not a number",
        [WM_TEXT_NEGATIVE] = "is negative",
        [WM_TEXT_NO_UNIT] = "has no unit",
        [WM_TEXT_WRONG_UNIT] = "has an unknown unit",
        [WM_TEXT_NOT_WHOLE] = "is not a whole number of the smallest unit",
        [WM_TEXT_TOO_LARGE] = "is too large",
    };
    const char *text = texts[result];
    if (job->type->units == wm_units_none) {
        if (result == WM_TEXT_WRONG_UNIT) {
            text = "is not a plain number";
        } else if (result == WM_TEXT_NOT_WHOLE) {
            text = "is not a whole number";
        }
    }
    return value_fail(job, text, err);
}

static wm_status value_store(const value_job *job, uint64_t value,
                             wm_error *err)
{
    if (value < job->key->min || value > job->key->max) {
        return value_fail_quantity(job, WM_TEXT_OK, err);
    }
    wm_value_put(job->key, &job->set->values, value);
    return WM_OK;
}

static wm_status quantity_parse(const value_job *job, wm_error *err)
{
    uint64_t value = 0;
    wm_text_result result =
        wm_text_parse_quantity(job->text, job->type->units, &value);
    if (result != WM_TEXT_OK) {
        return value_fail_quantity(job, result, err);
    }
    return value_store(job, value, err);
}

static void quantity_format(const wm_key *key, const value_type *type,
                            const wm_config *values, wm_buffer *out)
{
    wm_text_format_quantity(wm_value_get(key, values), type->units, out);
}

/* Cycles, or a time that becomes cycles once sm.clock is known. */
static wm_status cycles_parse(const value_job *job, wm_error *err)
{
    uint64_t time_ps = 0;
    wm_config_place *place = &job->set->place[job->index];
    wm_text_result result =
        wm_text_parse_quantity(job->text, wm_units_time, &time_ps);
    if (result == WM_TEXT_OK && time_ps != 0) {
        place->is_time = true;
        place->time_ps = time_ps;
        return WM_OK;
    }
    if (result == WM_TEXT_NOT_WHOLE || result == WM_TEXT_TOO_LARGE) {
        return value_fail_quantity(job, result, err);
    }
    return quantity_parse(job, err);
}

/* round(time * clock), or false when that is over 64 bits. */
static bool value_cycles_of(uint64_t time_ps, uint64_t clock_hz,
                            uint64_t *cycles)
{
    const uint64_t ps_per_s = UINT64_C(1000000000000);
    if (wm_mul_high(time_ps, clock_hz) >= ps_per_s) {
        return false;
    }
    *cycles = wm_mul_div(time_ps, clock_hz, ps_per_s);
    uint64_t rest = time_ps * clock_hz - *cycles * ps_per_s;
    *cycles += rest * 2 >= ps_per_s;
    return true;
}

static wm_status value_fail_time(const wm_config_set *set, wm_key_index index,
                                 wm_error *err)
{
    wm_buffer text;
    const wm_key *key = &wm_keys[index];
    wm_buffer_init(&text);
    wm_buffer_printf(&text, "%s ", key->name);
    wm_text_format_quantity(set->place[index].time_ps, wm_units_time, &text);
    wm_buffer_puts(&text, " at sm.clock ");
    wm_text_format_quantity(set->values.sm.clock, wm_units_clock, &text);
    wm_buffer_puts(&text, " is out of range, wanted ");
    wm_value_describe(key, &text);
    wm_status status = text.is_failed
                           ? wm_fail_memory(err)
                           : wm_fail(err, WM_ECONFIG, "%s: %s",
                                     wm_config_where(set, index), text.bytes);
    wm_buffer_fini(&text);
    return status;
}

wm_status wm_value_convert_times(wm_config_set *set, wm_error *err)
{
    for (size_t i = 0; i < wm_n_keys; i++) {
        const wm_key *key = &wm_keys[i];
        const wm_config_place *place = &set->place[i];
        uint64_t cycles = 0;
        if (!place->is_time) {
            continue;
        }
        if (!value_cycles_of(place->time_ps, set->values.sm.clock, &cycles) ||
            cycles < key->min || cycles > key->max) {
            return value_fail_time(set, (wm_key_index)i, err);
        }
        wm_value_put(key, &set->values, cycles);
    }
    return WM_OK;
}

/* Cuts the next word off *rest into word; false at the end. */
static bool sizes_next_word(const char **rest, char word[32])
{
    const char *p = *rest + strspn(*rest, " ,\t\r\n[]");
    size_t n = strcspn(p, " ,\t\r\n[]");
    size_t n_copied = n < 31 ? n : 31;
    memcpy(word, p, n_copied);
    word[n_copied] = '\0';
    *rest = p + n;
    return n != 0;
}

/* Gives the unit in word to the numbers [first, list->n) that wait for it. */
static wm_text_result sizes_apply_unit(wm_sizes *list, uint32_t first,
                                       const char *word)
{
    uint64_t unit = 0;
    char one[40];
    (void)snprintf(one, sizeof(one), "1 %s", word);
    wm_text_result result = wm_text_parse_quantity(one, wm_units_size, &unit);
    for (uint32_t i = first; i < list->n && result == WM_TEXT_OK; i++) {
        if (wm_mul_high(list->bytes[i], unit) != 0) {
            result = WM_TEXT_TOO_LARGE;
        }
        list->bytes[i] *= unit;
    }
    return result;
}

/* "0 8 16 KiB": a number without a unit takes that of the next one. */
static wm_text_result sizes_read(const char *text, wm_sizes *list,
                                 bool *is_full)
{
    char word[32];
    uint32_t first_bare = 0;
    wm_text_result result = WM_TEXT_OK;
    memset(list, 0, sizeof(*list));
    *is_full = false;
    if (strcmp(text, "any") == 0) {
        return WM_TEXT_OK;
    }
    while (result == WM_TEXT_OK && sizes_next_word(&text, word)) {
        size_t n_digits = strspn(word, "0123456789");
        if (n_digits == 0 && list->n != first_bare) {
            result = sizes_apply_unit(list, first_bare, word);
            first_bare = list->n;
            continue;
        }
        if (list->n == WM_SIZES_MAX) {
            *is_full = true;
            return WM_TEXT_OK;
        }
        uint64_t *bytes = &list->bytes[list->n];
        if (word[n_digits] == '\0') {
            result = wm_text_parse_u64(word, n_digits, bytes);
            list->n++;
            continue;
        }
        result = wm_text_parse_quantity(word, wm_units_size, bytes);
        if (result == WM_TEXT_OK && list->n != first_bare) {
            result = sizes_apply_unit(list, first_bare,
                                      word + strspn(word, "0123456789."));
        }
        first_bare = ++list->n;
    }
    for (uint32_t i = first_bare; i < list->n && result == WM_TEXT_OK; i++) {
        result = list->bytes[i] != 0 ? WM_TEXT_NO_UNIT : WM_TEXT_OK;
    }
    return result;
}

static wm_status sizes_parse(const value_job *job, wm_error *err)
{
    wm_sizes list;
    bool is_full = false;
    wm_text_result result = sizes_read(job->text, &list, &is_full);
    if (is_full) {
        return value_fail(job, "has too many sizes", err);
    }
    if (result != WM_TEXT_OK) {
        return value_fail_quantity(job, result, err);
    }
    for (uint32_t i = 0; i < list.n; i++) {
        if (list.bytes[i] < job->key->min || list.bytes[i] > job->key->max) {
            return value_fail(job, "is out of range", err);
        }
        if (i != 0 && list.bytes[i] <= list.bytes[i - 1]) {
            return value_fail(job, "does not rise", err);
        }
    }
    memcpy(value_field(job->key, &job->set->values), &list, sizeof(list));
    return WM_OK;
}

static void sizes_format(const wm_key *key, const value_type *type,
                         const wm_config *values, wm_buffer *out)
{
    wm_sizes list;
    memcpy(&list, value_const_field(key, values), sizeof(list));
    uint64_t all = 0;
    for (uint32_t i = 0; i < list.n; i++) {
        all |= list.bytes[i]; /* divisible by 2^k if and only if each is */
    }
    const wm_unit *unit = wm_text_unit_for(all, type->units);
    for (uint32_t i = 0; i < list.n; i++) {
        wm_buffer_printf(out, "%" PRIu64 " ", list.bytes[i] / unit->scale);
    }
    wm_buffer_puts(out, list.n != 0 ? unit->name : "any");
}

/* Position of text in a blank-separated list, or -1. */
static int value_find_word(const char *words, const char *text)
{
    size_t n_text = strlen(text);
    int index = 0;
    for (const char *p = words; *p != '\0'; index++) {
        size_t n = strcspn(p, " ");
        if (n == n_text && memcmp(p, text, n) == 0) {
            return index;
        }
        p += n;
        p += *p == ' ';
    }
    return -1;
}

static wm_status choice_parse(const value_job *job, wm_error *err)
{
    int index = value_find_word(job->key->unit, job->text);
    if (index < 0) {
        return value_fail(job, "is not a choice", err);
    }
    wm_value_put(job->key, &job->set->values, (uint64_t)index);
    return WM_OK;
}

static void choice_format(const wm_key *key, const value_type *type,
                          const wm_config *values, wm_buffer *out)
{
    uint64_t index = wm_value_get(key, values);
    const char *p = key->unit;
    (void)type;
    for (; index != 0; index--) {
        p += strcspn(p, " ");
        p += *p == ' ';
    }
    wm_buffer_add(out, p, strcspn(p, " "));
}

static wm_status bool_parse(const value_job *job, wm_error *err)
{
    int index = value_find_word("false true no yes off on 0 1", job->text);
    if (index < 0) {
        return value_fail(job, "is not a switch", err);
    }
    wm_value_put(job->key, &job->set->values, (uint64_t)index & 1);
    return WM_OK;
}

static void bool_format(const wm_key *key, const value_type *type,
                        const wm_config *values, wm_buffer *out)
{
    (void)type;
    wm_buffer_puts(out, wm_value_get(key, values) != 0 ? "true" : "false");
}

static wm_status name_parse(const value_job *job, wm_error *err)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    char *field = value_field(job->key, &job->set->values);
    size_t n = strlen(job->text);
    if (n == 0 || n > 31 || strspn(job->text, allowed) != n) {
        return value_fail(job, "is not a name", err);
    }
    memset(field, 0, 32);
    memcpy(field, job->text, n);
    return WM_OK;
}

static void name_format(const wm_key *key, const value_type *type,
                        const wm_config *values, wm_buffer *out)
{
    (void)type;
    wm_buffer_puts(out, value_const_field(key, values));
}

static wm_status text_parse(const value_job *job, wm_error *err)
{
    char *field = value_field(job->key, &job->set->values);
    size_t n = strlen(job->text);
    for (size_t i = 0; i < n; i++) {
        if (job->text[i] < ' ' || job->text[i] > '~') {
            return value_fail(job, "is not plain text", err);
        }
    }
    if (n == 0 || n >= WM_TEXT_BYTES) {
        return value_fail(job, "is no text of that length", err);
    }
    memset(field, 0, WM_TEXT_BYTES);
    memcpy(field, job->text, n);
    return WM_OK;
}

static const value_type value_types[] = {
    {"INT", "a number", wm_units_none, quantity_parse, quantity_format},
    {"SIZE", "a size such as 128 KiB (B, KiB, MiB, GiB)", wm_units_size,
     quantity_parse, quantity_format},
    {"SIZES", "up to 16 rising sizes such as 0 8 16 KiB", wm_units_size,
     sizes_parse, sizes_format},
    {"CLOCK", "a clock such as 1380 MHz (kHz, MHz, GHz)", wm_units_clock,
     quantity_parse, quantity_format},
    {"TIME", "a time such as 160 ns (ps, ns, us)", wm_units_time,
     quantity_parse, quantity_format},
    {"CYCLES", "cycles or a time, such as 28 or 20 ns", wm_units_cycles,
     cycles_parse, quantity_format},
    {"RATE", "a rate such as 898 GB/s (MB/s, GB/s, TB/s)", wm_units_rate,
     quantity_parse, quantity_format},
    {"PER_CLK", "a width such as 64 B/clk", wm_units_per_clk, quantity_parse,
     quantity_format},
    {"BOOL", "true or false", NULL, bool_parse, bool_format},
    {"CHOICE", "a choice", NULL, choice_parse, choice_format},
    {"NAME", "1 to 31 letters, digits, - and _", NULL, name_parse, name_format},
    {"TEXT", "1 to 255 printable ASCII characters", NULL, text_parse,
     name_format},
};

static const value_type *value_type_of(const wm_key *key)
{
    const value_type *type = value_types;
    while (strcmp(type->name, key->type) != 0) {
        type++;
    }
    return type;
}

bool wm_value_is_list(const wm_key *key)
{
    return value_type_of(key)->parse == sizes_parse;
}

wm_status wm_value_parse(wm_config_set *set, wm_key_index index,
                         const char *text, wm_error *err)
{
    wm_buffer trimmed;
    size_t n_text = strlen(text);
    const wm_key *key = &wm_keys[index];
    const value_type *type = value_type_of(key);
    wm_text_trim(&text, &n_text);
    wm_buffer_init(&trimmed);
    wm_buffer_add(&trimmed, text, n_text);
    if (trimmed.is_failed) {
        return wm_fail_memory(err);
    }
    const value_job job = {set, index, key, trimmed.bytes, type};
    set->place[index].is_time = false;
    wm_status status = type->parse(&job, err);
    wm_buffer_fini(&trimmed);
    return status;
}

const wm_unit *wm_key_units(const wm_key *key)
{
    const value_type *type = value_type_of(key);
    return type->parse == sizes_parse ? NULL : type->units;
}

void wm_key_format(const wm_key *key, const wm_config *values, wm_buffer *out)
{
    const value_type *type = value_type_of(key);
    type->format(key, type, values, out);
}

void wm_value_canonical(const wm_key *key, const wm_config *values,
                        wm_buffer *out)
{
    const value_type *type = value_type_of(key);
    wm_buffer_printf(out, "%s=", key->name);
    if (type->parse == sizes_parse) {
        wm_sizes list;
        memcpy(&list, value_const_field(key, values), sizeof(list));
        for (uint32_t i = 0; i < list.n; i++) {
            wm_buffer_printf(out, "%s%" PRIu64, i != 0 ? "," : "",
                             list.bytes[i]);
        }
    } else if (type->parse == name_parse || type->parse == text_parse) {
        name_format(key, type, values, out);
    } else {
        wm_buffer_printf(out, "%" PRIu64, wm_value_get(key, values));
    }
    wm_buffer_puts(out, "\n");
}
