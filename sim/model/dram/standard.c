/*
 * standard.c -- the keys of a standard file.
 */
#include "model/dram/standard.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "config/document.h"
#include "model/dram/standard_internal.h"

#define BANKS_MAX 64u

const char *const wm_standard_length_names[WM_LENGTH_COUNT] = {
    "command.act", "command.pre", "command.ref", "command.column"};

/* Keys that hold a whole number, within a range, a power of two. */
static const struct {
    const char *key;
    size_t offset;
    uint64_t min, max;
} number_keys[] = {
    {"organisation.pseudo_channels", offsetof(wm_standard, pseudo_channels), 1,
     4},
    {"organisation.stack_ids", offsetof(wm_standard, stack_ids), 1, 4},
    {"organisation.bank_groups", offsetof(wm_standard, bank_groups), 1, 16},
    {"organisation.banks", offsetof(wm_standard, banks), 1, 16},
    {"clock.ticks", offsetof(wm_standard, ticks_per_ck), 1, 4},
};

static const struct {
    const char *key;
    size_t offset;
    uint64_t max;
} size_keys[] = {
    {"organisation.row", offsetof(wm_standard, row_bytes), 65536},
    {"organisation.atom", offsetof(wm_standard, atom_bytes), 128},
};

static const struct {
    const char *key;
    size_t offset;
} energy_keys[] = {
    {"energy.activate", offsetof(wm_standard, activate_fj)},
    {"energy.read", offsetof(wm_standard, read_fj)},
    {"energy.write", offsetof(wm_standard, write_fj)},
    {"energy.refresh", offsetof(wm_standard, refresh_fj)},
};

/* Keys of one of two words; the second gives true. */
static const struct {
    const char *key;
    size_t offset;
    const char *no, *yes;
} word_keys[] = {
    {"command.bus", offsetof(wm_standard, is_single_bus), "split", "single"},
    {"command.edges", offsetof(wm_standard, has_hbm3_edges), "any", "hbm3"},
    {"refresh.counts_as_activate",
     offsetof(wm_standard, refresh_counts_as_activate), "false", "true"},
};

static const char *const section_keys[] = {"organisation", "clock",   "command",
                                           "timing",       "refresh", "energy"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Where in the standard the field at offset lies. */
static void *standard_field(wm_standard *standard, size_t offset)
{
    return (char *)standard + offset;
}

static wm_status standard_take_time(wm_standard *standard,
                                    const wm_yaml_entry *entry,
                                    const char *place, wm_standard_time *time,
                                    wm_error *err)
{
    const size_t n = strlen(entry->value);
    if (n == 0 || n >= sizeof(time->text)) {
        return wm_fail(err, WM_ECONFIG,
                       "%s: %s, wanted a time in 1 to %zu bytes", place,
                       n == 0 ? "empty" : "too long", sizeof(time->text) - 1);
    }
    memcpy(time->text, entry->value, n + 1);
    time->line = entry->value_line;
    time->column = entry->value_column;
    time->file = standard->n_files - 1;
    return WM_OK;
}

/* The timing or length that key names; NULL when none. */
static wm_standard_time *standard_find_time(wm_standard *standard,
                                            const char *key)
{
    for (size_t t = 0; t < WM_T_COUNT; t++) {
        if (strncmp(key, "timing.", 7) == 0 &&
            strcmp(key + 7, wm_standard_timing_names[t]) == 0) {
            return &standard->time[t];
        }
    }
    for (size_t i = 0; i < WM_LENGTH_COUNT; i++) {
        if (strcmp(key, wm_standard_length_names[i]) == 0) {
            return &standard->length[i];
        }
    }
    return strcmp(key, "clock.ck") == 0 ? &standard->ck : NULL;
}

static wm_status standard_take_text(const wm_yaml_entry *entry,
                                    const char *place, char *text, size_t size,
                                    wm_error *err)
{
    const size_t n = strlen(entry->value);
    if (n == 0 || n >= size) {
        return wm_fail(err, WM_ECONFIG, "%s: %s, wanted 1 to %zu bytes", place,
                       n == 0 ? "empty" : "too long", size - 1);
    }
    memcpy(text, entry->value, n + 1);
    return WM_OK;
}

static wm_status standard_take_number(wm_standard *standard, size_t i,
                                      const char *text, const char *place,
                                      wm_error *err)
{
    uint64_t value = 0;
    if (wm_text_parse_quantity(text, wm_units_none, &value) != WM_TEXT_OK ||
        value < number_keys[i].min || value > number_keys[i].max ||
        !wm_is_power_of_two(value)) {
        return wm_fail(err, WM_ECONFIG,
                       "%s: %.40s, wanted a power of two from %" PRIu64
                       " to %" PRIu64,
                       place, text, number_keys[i].min, number_keys[i].max);
    }
    *(uint32_t *)standard_field(standard, number_keys[i].offset) =
        (uint32_t)value;
    return WM_OK;
}

static wm_status standard_take_size(wm_standard *standard, size_t i,
                                    const char *text, const char *place,
                                    wm_error *err)
{
    uint64_t value = 0;
    if (wm_text_parse_quantity(text, wm_units_size, &value) != WM_TEXT_OK ||
        value < 8 || value > size_keys[i].max || !wm_is_power_of_two(value)) {
        return wm_fail(err, WM_ECONFIG,
                       "%s: %.40s, wanted a power of two from 8 B to %" PRIu64
                       " B",
                       place, text, size_keys[i].max);
    }
    *(uint64_t *)standard_field(standard, size_keys[i].offset) = value;
    return WM_OK;
}

static wm_status standard_take_word(wm_standard *standard, size_t i,
                                    const char *text, const char *place,
                                    wm_error *err)
{
    const bool is_yes = strcmp(text, word_keys[i].yes) == 0;
    if (!is_yes && strcmp(text, word_keys[i].no) != 0) {
        return wm_fail(err, WM_ECONFIG, "%s: %.40s, wanted %s or %s", place,
                       text, word_keys[i].no, word_keys[i].yes);
    }
    *(bool *)standard_field(standard, word_keys[i].offset) = is_yes;
    return WM_OK;
}

static wm_status standard_take_energy(wm_standard *standard, size_t i,
                                      const char *text, const char *place,
                                      wm_error *err)
{
    static const wm_unit units[] = {
        {"nJ", 1000000, true}, {"pJ", 1000, true}, {NULL, 0, false}};
    uint64_t value = 0;
    if (wm_text_parse_quantity(text, units, &value) != WM_TEXT_OK) {
        return wm_fail(err, WM_ECONFIG,
                       "%s: %.40s, wanted an energy such as 909 pJ", place,
                       text);
    }
    *(uint64_t *)standard_field(standard, energy_keys[i].offset) = value;
    return WM_OK;
}

/* A key that is no time; the last word is an error. */
static wm_status standard_take_other(wm_standard *standard,
                                     const wm_yaml_entry *entry,
                                     const char *place, wm_error *err)
{
    const char *text = entry->value;
    if (strcmp(entry->key, "standard") == 0) {
        return standard_take_text(entry, place, standard->name,
                                  sizeof(standard->name), err);
    }
    if (strcmp(entry->key, "mapping") == 0) {
        return standard_take_text(entry, place, standard->mapping,
                                  sizeof(standard->mapping), err);
    }
    for (size_t i = 0; i < COUNT(number_keys); i++) {
        if (strcmp(entry->key, number_keys[i].key) == 0) {
            return standard_take_number(standard, i, text, place, err);
        }
    }
    for (size_t i = 0; i < COUNT(size_keys); i++) {
        if (strcmp(entry->key, size_keys[i].key) == 0) {
            return standard_take_size(standard, i, text, place, err);
        }
    }
    for (size_t i = 0; i < COUNT(word_keys); i++) {
        if (strcmp(entry->key, word_keys[i].key) == 0) {
            return standard_take_word(standard, i, text, place, err);
        }
    }
    for (size_t i = 0; i < COUNT(energy_keys); i++) {
        if (strcmp(entry->key, energy_keys[i].key) == 0) {
            return standard_take_energy(standard, i, text, place, err);
        }
    }
    return wm_fail(err, WM_ECONFIG,
                   "%s: unknown key, wanted one of docs/DRAM.md section 1",
                   place);
}

static bool standard_is_section(const char *key)
{
    for (size_t i = 0; i < COUNT(section_keys); i++) {
        if (strcmp(key, section_keys[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Notes the file, unless it is the one of the entry before. */
static wm_status standard_note_file(wm_standard *standard, const char *shown,
                                    wm_error *err)
{
    const uint32_t n = standard->n_files;
    if (n != 0 && strncmp(standard->file[n - 1], shown,
                          sizeof(standard->file[0]) - 1) == 0) {
        return WM_OK;
    }
    if (n == WM_STANDARD_FILES) {
        return wm_fail(err, WM_ECONFIG, "%s: over %u files deep", shown,
                       WM_STANDARD_FILES);
    }
    (void)snprintf(standard->file[n], sizeof(standard->file[n]), "%.*s",
                   (int)sizeof(standard->file[n]) - 1, shown);
    standard->n_files++;
    return WM_OK;
}

static wm_status standard_visit(const char *shown, const wm_yaml_entry *entry,
                                void *context, wm_error *err)
{
    wm_standard *standard = context;
    char place[512];
    wm_status status = standard_note_file(standard, shown, err);
    if (status != WM_OK) {
        return status;
    }
    (void)snprintf(place, sizeof(place), "%.300s:%lu:%lu: %s", shown,
                   (unsigned long)entry->value_line,
                   (unsigned long)entry->value_column, entry->key);
    if (standard_is_section(entry->key)) {
        return entry->kind == WM_YAML_MAP
                   ? WM_OK
                   : wm_fail(err, WM_ECONFIG,
                             "%s: a section, wanted its keys indented below",
                             place);
    }
    if (entry->kind != WM_YAML_SCALAR) {
        return wm_fail(err, WM_ECONFIG, "%s: a %s, wanted one value", place,
                       entry->kind == WM_YAML_MAP ? "map" : "list");
    }
    wm_standard_time *time = standard_find_time(standard, entry->key);
    return time != NULL ? standard_take_time(standard, entry, place, time, err)
                        : standard_take_other(standard, entry, place, err);
}

static wm_status standard_missing(const wm_standard *standard, const char *key,
                                  wm_error *err)
{
    return wm_fail(err, WM_ECONFIG, "%s: %s is not given, wanted a value",
                   standard->file[standard->n_files - 1], key);
}

static wm_status standard_check_given(wm_standard *standard, wm_error *err)
{
    for (size_t i = 0; i < COUNT(number_keys); i++) {
        if (*(uint32_t *)standard_field(standard, number_keys[i].offset) == 0) {
            return standard_missing(standard, number_keys[i].key, err);
        }
    }
    for (size_t i = 0; i < COUNT(size_keys); i++) {
        if (*(uint64_t *)standard_field(standard, size_keys[i].offset) == 0) {
            return standard_missing(standard, size_keys[i].key, err);
        }
    }
    for (size_t i = 0; i < WM_LENGTH_COUNT; i++) {
        if (standard->length[i].text[0] == '\0') {
            return standard_missing(standard, wm_standard_length_names[i], err);
        }
    }
    if (standard->ck.text[0] == '\0') {
        return standard_missing(standard, "clock.ck", err);
    }
    return standard->mapping[0] == '\0'
               ? standard_missing(standard, "mapping", err)
               : WM_OK;
}

static wm_status standard_check_together(const wm_standard *standard,
                                         wm_error *err)
{
    if (wm_standard_n_banks(standard) > BANKS_MAX) {
        return wm_fail(err, WM_ECONFIG,
                       "%s: %u banks in a channel, wanted at most %u",
                       standard->file[standard->n_files - 1],
                       wm_standard_n_banks(standard), BANKS_MAX);
    }
    if (standard->row_bytes < standard->atom_bytes) {
        return wm_fail(err, WM_ECONFIG,
                       "%s: organisation.row is below organisation.atom, "
                       "wanted at least one atom",
                       standard->file[0]);
    }
    if (standard->has_hbm3_edges &&
        (standard->ticks_per_ck != 2 || standard->is_single_bus)) {
        return wm_fail(err, WM_ECONFIG,
                       "%s: command.edges: hbm3, wanted with clock.ticks: 2 "
                       "and command.bus: split",
                       standard->file[0]);
    }
    return WM_OK;
}

wm_status wm_standard_load(const char *name, wm_standard *out, wm_error *err)
{
    memset(out, 0, sizeof(*out));
    wm_status status =
        wm_document_read(WM_KIND_DRAM, name, standard_visit, out, err);
    if (status == WM_OK && out->n_files == 0) {
        status =
            wm_fail(err, WM_ECONFIG, "%s: no keys, wanted a standard", name);
    }
    if (status != WM_OK) {
        return status;
    }
    status = standard_check_given(out, err);
    if (status == WM_OK) {
        status = standard_check_together(out, err);
    }
    uint64_t ck_fs = 0;
    if (status == WM_OK) {
        char place[512];
        (void)snprintf(place, sizeof(place), "%s:%lu:%lu: clock.ck",
                       out->file[out->ck.file], (unsigned long)out->ck.line,
                       (unsigned long)out->ck.column);
        status = wm_standard_parse_fs(out->ck.text, place, &ck_fs, err);
    }
    out->has_energy = out->activate_fj != 0 && out->read_fj != 0 &&
                      out->write_fj != 0 && out->refresh_fj != 0;
    return status == WM_OK ? wm_standard_settle(out, ck_fs, err) : status;
}
