/*
 * load.c -- layers of values: defaults, files and their bases, --set.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "config/config_internal.h"
#include "config/document.h"
#include "config/yaml.h"

#define LOAD_DEPTH_MAX 16u
#define LOAD_BYTES_MAX ((size_t)1 << 20)

/* A file being read, and the one whose base it is. */
typedef struct load_file {
    const struct load_file *user;
    const char *path;
    const char *shown; /* in messages and origins */
    dev_t device;
    ino_t inode;
    unsigned depth;
} load_file;

static wm_status load_file_layer(wm_config_set *set, const char *path,
                                 const char *shown, const char *prefix,
                                 const load_file *user, wm_error *err);

/* A malloced "FILE:LINE", and ":COLUMN" unless that is 0; NULL when memory is
 * short. */
static char *load_place(const char *file, unsigned long line,
                        unsigned long column)
{
    wm_buffer text;
    wm_buffer_init(&text);
    wm_buffer_printf(&text, "%s:%lu", file, line);
    if (column != 0) {
        wm_buffer_printf(&text, ":%lu", column);
    }
    if (text.is_failed) {
        wm_buffer_fini(&text);
    }
    return text.bytes;
}

/*
 * Parses text as the value of the key called name and notes where it came
 * from.  Takes over origin and where, which may be NULL when memory is short.
 */
static wm_status load_value(wm_config_set *set, wm_key_index index,
                            const char *text, char *origin, char *where,
                            wm_error *err)
{
    wm_config_place *place = &set->place[index];
    if (origin == NULL || where == NULL) {
        free(origin);
        free(where);
        return wm_fail_memory(err);
    }
    free(place->origin);
    free(place->where);
    place->origin = origin;
    place->where = where;
    place->layer = set->layer;
    place->is_derived = false;
    return wm_value_parse(set, index, text, err);
}

static wm_status load_defaults(wm_config_set *set, wm_error *err)
{
    wm_status status = WM_OK;
    for (size_t i = 0; i < wm_n_keys && status == WM_OK; i++) {
        const wm_key *key = &wm_keys[i];
        if (key->preset[0] != '\0') {
            status = wm_value_parse(set, (wm_key_index)i, key->preset, err);
        }
    }
    return status == WM_OK ? wm_geometry_layer(set, err) : status;
}

static wm_status load_unknown(const char *prefix, const char *key,
                              wm_error *err)
{
    return wm_fail(err, WM_ECONFIG, "%s: unknown key, nearest is %s", prefix,
                   wm_key_nearest(key)->name);
}

static bool load_is_section(const char *name)
{
    for (size_t i = 0; i < wm_n_keys; i++) {
        if (strcmp(wm_keys[i].section, name) == 0) {
            return true;
        }
    }
    return false;
}

static wm_status load_entry(wm_config_set *set, const load_file *file,
                            const wm_yaml_entry *entry, wm_error *err)
{
    char prefix[512];
    const wm_key *key = wm_key_find(entry->key);
    (void)snprintf(prefix, sizeof(prefix), "%.300s:%lu:%lu: %s", file->shown,
                   (unsigned long)entry->line, (unsigned long)entry->column,
                   entry->key);
    if (key == NULL && load_is_section(entry->key)) {
        return entry->kind == WM_YAML_MAP
                   ? WM_OK
                   : wm_fail(err, WM_ECONFIG,
                             "%s: a section, wanted its keys indented below",
                             prefix);
    }
    if (key == NULL) {
        return load_unknown(prefix, entry->key, err);
    }
    if (entry->kind == WM_YAML_MAP ||
        (entry->kind == WM_YAML_LIST && !wm_value_is_list(key))) {
        return wm_fail(err, WM_ECONFIG, "%s: a %s, wanted one value", prefix,
                       entry->kind == WM_YAML_MAP ? "map" : "list");
    }
    return load_value(
        set, (wm_key_index)(key - wm_keys), entry->value,
        load_place(file->shown, entry->line, 0),
        load_place(file->shown, entry->value_line, entry->value_column), err);
}

/* The path of base as user's file means it: beside that file. */
static char *load_base_path(const load_file *user, const char *base)
{
    const char *slash = strrchr(user->path, '/');
    wm_buffer path;
    wm_buffer_init(&path);
    if (base[0] != '/' && slash != NULL) {
        wm_buffer_add(&path, user->path, (size_t)(slash + 1 - user->path));
    }
    wm_buffer_puts(&path, base);
    if (path.is_failed) {
        wm_buffer_fini(&path);
    }
    return path.bytes;
}

/* Loads a preset by name. */
static wm_status load_preset(wm_config_set *set, const char *name,
                             const char *prefix, const load_file *user,
                             wm_error *err)
{
    char *path = NULL;
    char *shown = NULL;
    wm_status status = wm_preset_find(WM_KIND_GPU, name, &path, &shown, err);
    if (status == WM_OK) {
        status = path == NULL
                     ? wm_preset_unknown(WM_KIND_GPU, prefix, name, err)
                     : load_file_layer(set, path, shown, prefix, user, err);
    }
    free(path);
    free(shown);
    return status;
}

static wm_status load_base(wm_config_set *set, const load_file *file,
                           const wm_yaml_entry *entry, wm_error *err)
{
    char prefix[512];
    (void)snprintf(
        prefix, sizeof(prefix), "%.300s:%lu:%lu: base: ", file->shown,
        (unsigned long)entry->value_line, (unsigned long)entry->value_column);
    if (entry->kind != WM_YAML_SCALAR || entry->value[0] == '\0') {
        return wm_fail(err, WM_ECONFIG,
                       "%sempty or not a name, wanted a preset or a file",
                       prefix);
    }
    if (file->depth == LOAD_DEPTH_MAX) {
        return wm_fail(err, WM_ECONFIG, "%sover %u files deep", prefix,
                       LOAD_DEPTH_MAX);
    }
    if (!wm_preset_is_file(entry->value)) {
        return load_preset(set, entry->value, prefix, file, err);
    }
    char *path = load_base_path(file, entry->value);
    wm_status status =
        path == NULL ? wm_fail_memory(err)
                     : load_file_layer(set, path, path, prefix, file, err);
    free(path);
    return status;
}

static wm_status load_entries(wm_config_set *set, const load_file *file,
                              const wm_yaml *yaml, wm_error *err)
{
    wm_status status = WM_OK;
    const wm_yaml_entry *base = NULL;
    for (size_t i = 0; i < yaml->n_entries; i++) {
        if (strcmp(yaml->entry[i].key, "base") == 0) {
            base = &yaml->entry[i];
            status = load_base(set, file, base, err);
        }
    }
    set->layer++;
    for (size_t i = 0; i < yaml->n_entries && status == WM_OK; i++) {
        if (&yaml->entry[i] != base) {
            status = load_entry(set, file, &yaml->entry[i], err);
        }
    }
    return status == WM_OK ? wm_geometry_layer(set, err) : status;
}

/* Reads a whole stream of bounded size. */
static wm_status load_bytes(FILE *stream, const char *place, const char *shown,
                            wm_buffer *bytes, wm_error *err)
{
    char block[4096];
    size_t n = 0;
    while ((n = fread(block, 1, sizeof(block), stream)) != 0) {
        wm_buffer_add(bytes, block, n);
        if (bytes->n_bytes > LOAD_BYTES_MAX) {
            return wm_fail(err, WM_ECONFIG,
                           "%s%s: over 1 MiB, wanted a configuration file",
                           place, shown);
        }
    }
    if (ferror(stream)) {
        return wm_fail(err, WM_EIO, "%s%s: %s", place, shown, strerror(errno));
    }
    return bytes->is_failed ? wm_fail_memory(err) : WM_OK;
}

/* Fills in the file's identity and refuses one that is its own base. */
static wm_status load_identify(FILE *stream, load_file *file,
                               const char *prefix, wm_error *err)
{
    struct stat info;
    if (fstat(fileno(stream), &info) != 0) {
        return wm_fail(err, WM_EIO, "%s%s: %s", prefix, file->shown,
                       strerror(errno));
    }
    if (S_ISDIR(info.st_mode)) {
        return wm_fail(err, WM_ECONFIG, "%s%s: a folder, wanted a file", prefix,
                       file->shown);
    }
    file->device = info.st_dev;
    file->inode = info.st_ino;
    for (const load_file *f = file->user; f != NULL; f = f->user) {
        if (f->device == file->device && f->inode == file->inode) {
            return wm_fail(err, WM_ECONFIG,
                           "%s%s leads back to itself, wanted a base that "
                           "does not need this file",
                           prefix, file->shown);
        }
    }
    return WM_OK;
}

static wm_status load_file_layer(wm_config_set *set, const char *path,
                                 const char *shown, const char *prefix,
                                 const load_file *user, wm_error *err)
{
    load_file file = {user, path, shown, 0, 0, user ? user->depth + 1 : 1};
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        /* A file that is not there is a wrong name, not a broken disk. */
        return wm_fail(err, errno == ENOENT ? WM_ECONFIG : WM_EIO, "%s%s: %s",
                       prefix, shown, strerror(errno));
    }
    wm_buffer bytes;
    wm_yaml yaml = {NULL, 0, 0};
    wm_buffer_init(&bytes);
    wm_buffer_puts(&bytes, "");
    wm_status status = load_identify(stream, &file, prefix, err);
    if (status == WM_OK) {
        status = load_bytes(stream, prefix, shown, &bytes, err);
    }
    (void)fclose(stream);
    if (status == WM_OK) {
        status = wm_yaml_parse(shown, bytes.bytes, bytes.n_bytes, &yaml, err);
    }
    if (status == WM_OK) {
        status = load_entries(set, &file, &yaml, err);
    }
    wm_yaml_fini(&yaml);
    wm_buffer_fini(&bytes);
    return status;
}

/* One "KEY=VALUE". */
static wm_status load_set(wm_config_set *set, const char *text, wm_error *err)
{
    char prefix[256];
    char name[WM_YAML_KEY_MAX];
    const char *equals = strchr(text, '=');
    (void)snprintf(prefix, sizeof(prefix), "--set %.200s", text);
    if (equals == NULL) {
        return wm_fail(err, WM_ECONFIG, "%s: no '=', wanted KEY=VALUE", prefix);
    }
    size_t n_name = (size_t)(equals - text);
    wm_text_trim(&text, &n_name);
    if (n_name >= sizeof(name)) {
        n_name = sizeof(name) - 1;
    }
    memcpy(name, text, n_name);
    name[n_name] = '\0';
    if (strcmp(name, "base") == 0) {
        return wm_fail(err, WM_ECONFIG,
                       "%s: only a file has a base, wanted a key such as "
                       "l2.size",
                       prefix);
    }
    const wm_key *key = wm_key_find(name);
    if (key == NULL) {
        return load_unknown(prefix, name, err);
    }
    return load_value(set, (wm_key_index)(key - wm_keys), equals + 1,
                      wm_text_copy("--set"), wm_text_copy(prefix), err);
}

static wm_status load_sets(wm_config_set *set, const char *const *sets,
                           size_t n_sets, wm_error *err)
{
    wm_status status = WM_OK;
    set->layer++;
    for (size_t i = 0; i < n_sets && status == WM_OK; i++) {
        status = load_set(set, sets[i], err);
    }
    return status == WM_OK ? wm_geometry_layer(set, err) : status;
}

/* All layers, one after the other. */
static wm_status load_layers(wm_config_set *set, const char *name,
                             const char *const *sets, size_t n_sets,
                             wm_error *err)
{
    wm_status status = load_defaults(set, err);
    if (status == WM_OK) {
        status = wm_preset_is_file(name)
                     ? load_file_layer(set, name, name, "", NULL, err)
                     : load_preset(set, name, "", NULL, err);
    }
    return status == WM_OK ? load_sets(set, sets, n_sets, err) : status;
}

/* An entry of the memory standard. */
static wm_status load_digest_entry(const char *shown,
                                   const wm_yaml_entry *entry, void *context,
                                   wm_error *err)
{
    wm_digest *digest = context;
    (void)shown;
    (void)err;
    /* Each with its NUL, which no text holds. */
    wm_digest_add(digest, entry->key, strlen(entry->key) + 1);
    wm_digest_add(digest, entry->value, strlen(entry->value) + 1);
    return WM_OK;
}

/* Once, while memory can still be found missing.  What the memory standard's
 * files say is part of it where they count. */
static wm_status load_digest(wm_config_set *set, bool has_files, wm_error *err)
{
    wm_digest digest;
    wm_buffer line;
    wm_digest_init(&digest);
    wm_buffer_init(&line);
    for (size_t i = 0; i < wm_n_keys; i++) {
        wm_buffer_clear(&line);
        wm_value_canonical(&wm_keys[i], &set->values, &line);
        wm_digest_add(&digest, line.bytes, line.n_bytes);
    }
    wm_status status = line.is_failed ? wm_fail_memory(err) : WM_OK;
    wm_buffer_fini(&line);
    if (status == WM_OK && has_files &&
        set->values.dram.model == WM_DRAM_BANKED) {
        status = wm_document_read(WM_KIND_DRAM, set->values.dram.standard,
                                  load_digest_entry, &digest, err);
    }
    wm_digest_hex(&digest, set->digest);
    return status;
}

wm_status wm_config_load(const char *name, const char *const *sets,
                         size_t n_sets, wm_config_set **out, wm_error *err)
{
    wm_config_set *set = calloc(1, sizeof(*set));
    *out = NULL;
    if (set == NULL) {
        return wm_fail_memory(err);
    }
    set->name = wm_text_copy(name);
    wm_status status = set->name == NULL
                           ? wm_fail_memory(err)
                           : load_layers(set, name, sets, n_sets, err);
    if (status == WM_OK) {
        status = wm_value_convert_times(set, err);
    }
    if (status == WM_OK) {
        status = wm_config_check_each(set, err);
    }
    if (status == WM_OK) {
        status = wm_geometry_finish(set, err);
    }
    if (status == WM_OK) {
        status = wm_config_check_together(set, err);
    }
    if (status == WM_OK) {
        status = load_digest(set, true, err);
    }
    if (status != WM_OK) {
        wm_config_free(set);
        return status;
    }
    *out = set;
    return WM_OK;
}

wm_status wm_config_restore(const char *name, const char *digest,
                            wm_config_fetch_fn fetch, void *context,
                            wm_config_set **out, wm_error *err)
{
    wm_config_set *set = calloc(1, sizeof(*set));
    *out = NULL;
    if (set == NULL) {
        return wm_fail_memory(err);
    }
    set->name = wm_text_copy(name);
    wm_status status =
        set->name == NULL ? wm_fail_memory(err) : load_defaults(set, err);
    for (size_t i = 0; i < wm_n_keys && status == WM_OK; i++) {
        const char *origin = NULL;
        if (fetch(context, &wm_keys[i], &set->values, &origin) &&
            origin != NULL) {
            set->place[i].origin = wm_text_copy(origin);
            status = set->place[i].origin == NULL ? wm_fail_memory(err) : WM_OK;
        }
    }
    if (status == WM_OK && strlen(digest) == WM_DIGEST_HEX - 1) {
        memcpy(set->digest, digest, WM_DIGEST_HEX);
    } else if (status == WM_OK) {
        status = load_digest(set, false, err);
    }
    if (status != WM_OK) {
        wm_config_free(set);
        return status;
    }
    *out = set;
    return WM_OK;
}

void wm_config_free(wm_config_set *set)
{
    if (set == NULL) {
        return;
    }
    for (size_t i = 0; i < wm_n_keys; i++) {
        free(set->place[i].origin);
        free(set->place[i].where);
    }
    free(set->name);
    free(set);
}

const wm_config *wm_config_values(const wm_config_set *set)
{
    return &set->values;
}

const char *wm_config_name(const wm_config_set *set)
{
    return set->name;
}

const char *wm_config_origin(const wm_config_set *set, const wm_key *key)
{
    const wm_config_place *place = &set->place[key - wm_keys];
    if (place->is_derived) {
        return "derived";
    }
    return place->origin != NULL ? place->origin : "default";
}

void wm_config_digest(const wm_config_set *set, char hex[WM_DIGEST_HEX])
{
    memcpy(hex, set->digest, WM_DIGEST_HEX);
}
