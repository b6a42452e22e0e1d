/*
 * spec.c -- from the flat list of YAML keys to a launch.
 */
#include "spec.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define FILE_BYTES_MAX   (1u << 20)
#define THREADS_MAX      1024u
#define GRID_MAX         UINT32_C(0x7fffffff)
#define BUFFER_BYTES_MAX (UINT64_C(16) << 30)
#define LAUNCHES_MAX     65536u

static const struct {
    const char *name;
    wm_element element;
    uint32_t n_bytes;
} elements[] = {
    {"char", WM_ELEMENT_I8, 1},   {"uchar", WM_ELEMENT_U8, 1},
    {"short", WM_ELEMENT_I16, 2}, {"ushort", WM_ELEMENT_U16, 2},
    {"int", WM_ELEMENT_I32, 4},   {"uint", WM_ELEMENT_U32, 4},
    {"long", WM_ELEMENT_I64, 8},  {"ulong", WM_ELEMENT_U64, 8},
    {"float", WM_ELEMENT_F32, 4}, {"double", WM_ELEMENT_F64, 8},
};

#define N_ELEMENTS (sizeof(elements) / sizeof(elements[0]))

uint32_t wm_element_bytes(wm_element element)
{
    return elements[element].n_bytes;
}

static wm_status fail_value(const wm_spec *spec, const wm_yaml_entry *entry,
                            const char *wanted, wm_error *err)
{
    return wm_fail(err, WM_ECONFIG, "%s:%u:%u: %s: found '%s', wanted %s",
                   spec->path, entry->value_line, entry->value_column,
                   entry->key, entry->value, wanted);
}

bool wm_spec_word(const char *text, uint32_t i, char *word, size_t n_word)
{
    for (;; i--) {
        text += strspn(text, ", ");
        size_t n = strcspn(text, ", ");
        if (n == 0) {
            return false;
        }
        if (i == 0) {
            n = n < n_word - 1 ? n : n_word - 1;
            memcpy(word, text, n);
            word[n] = '\0';
            return true;
        }
        text += n;
    }
}

static uint32_t count_words(const char *text)
{
    uint32_t n = 0;
    for (text += strspn(text, ", "); *text != '\0'; n++) {
        text += strcspn(text, ", ");
        text += strspn(text, ", ");
    }
    return n;
}

static wm_status read_whole(const wm_spec *spec, const wm_yaml_entry *entry,
                            uint64_t min, uint64_t max, uint64_t *value,
                            wm_error *err)
{
    if (wm_text_parse_u64(entry->value, strlen(entry->value), value) !=
            WM_TEXT_OK ||
        *value < min || *value > max) {
        char wanted[96];
        (void)snprintf(wanted, sizeof(wanted),
                       "a whole number from %" PRIu64 " to %" PRIu64, min, max);
        return fail_value(spec, entry, wanted, err);
    }
    return WM_OK;
}

static wm_status read_u32(const wm_spec *spec, const wm_yaml_entry *entry,
                          uint32_t min, uint32_t max, uint32_t *value,
                          wm_error *err)
{
    uint64_t wide = 0;
    wm_status status = read_whole(spec, entry, min, max, &wide, err);
    *value = (uint32_t)wide;
    return status;
}

/* One to three extents; what is not said is 1. */
static wm_status read_extent(const wm_spec *spec, const wm_yaml_entry *entry,
                             uint32_t extent[3], wm_error *err)
{
    char word[32];
    uint32_t n = count_words(entry->value);
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t value = 1;
        if (wm_spec_word(entry->value, i, word, sizeof(word)) &&
            (wm_text_parse_u64(word, strlen(word), &value) != WM_TEXT_OK ||
             value == 0 || value > GRID_MAX)) {
            n = 0;
        }
        extent[i] = (uint32_t)value;
    }
    return n >= 1 && n <= 3
               ? WM_OK
               : fail_value(spec, entry,
                            "one to three whole numbers above 0, as [64, 2]",
                            err);
}

static wm_status read_size(const wm_spec *spec, const wm_yaml_entry *entry,
                           uint64_t *n_bytes, wm_error *err)
{
    if (wm_text_parse_quantity(entry->value, wm_units_size, n_bytes) !=
            WM_TEXT_OK ||
        *n_bytes > BUFFER_BYTES_MAX) {
        return fail_value(spec, entry,
                          "a size with its unit, as '64 KiB', up to 16 GiB",
                          err);
    }
    return WM_OK;
}

static wm_status read_element(const wm_spec *spec, const wm_yaml_entry *entry,
                              wm_element *element, wm_error *err)
{
    for (size_t i = 0; i < N_ELEMENTS; i++) {
        if (strcmp(entry->value, elements[i].name) == 0) {
            *element = elements[i].element;
            return WM_OK;
        }
    }
    return fail_value(spec, entry,
                      "char, uchar, short, ushort, int, uint, long, ulong, "
                      "float or double",
                      err);
}

static bool read_real(const char *text, uint32_t i, double *value)
{
    char word[64];
    char *end = word;
    if (!wm_spec_word(text, i, word, sizeof(word))) {
        return false;
    }
    *value = strtod(word, &end);
    return end != word && *end == '\0';
}

/* "3", "ramp 0 1", "random 0 99 [seed]", "rising 1 8 [seed]", a list. */
static wm_status read_fill(const wm_spec *spec, const wm_yaml_entry *entry,
                           wm_arg *arg, wm_error *err)
{
    static const struct {
        const char *name;
        wm_fill fill;
        uint32_t min, max;
    } fills[] = {{"ramp", WM_FILL_RAMP, 3, 4},
                 {"random", WM_FILL_RANDOM, 3, 4},
                 {"rising", WM_FILL_RISING, 3, 4}};
    const char *wanted = "a number, 'ramp START STEP [LIMIT]', 'random LOW "
                         "HIGH [SEED]', 'rising LOW HIGH [SEED]' or a list";
    char word[32];
    uint32_t n = count_words(entry->value);
    if (entry->kind == WM_YAML_LIST) {
        arg->fill = WM_FILL_VALUES;
        arg->text = entry->value;
        return n != 0 ? WM_OK : fail_value(spec, entry, wanted, err);
    }
    if (n == 1 && read_real(entry->value, 0, &arg->a)) {
        arg->fill = WM_FILL_RAMP;
        arg->limit = INFINITY;
        return WM_OK;
    }
    for (size_t i = 0; i < sizeof(fills) / sizeof(fills[0]); i++) {
        if (wm_spec_word(entry->value, 0, word, sizeof(word)) &&
            strcmp(word, fills[i].name) == 0 && n >= fills[i].min &&
            n <= fills[i].max && read_real(entry->value, 1, &arg->a) &&
            read_real(entry->value, 2, &arg->b)) {
            bool is_ramp = fills[i].fill == WM_FILL_RAMP;
            double last = is_ramp ? INFINITY : 0;
            if ((n == 4 && !read_real(entry->value, 3, &last)) ||
                (!is_ramp && (arg->b < arg->a || last < 0))) {
                break;
            }
            arg->fill = fills[i].fill;
            arg->limit = last;
            arg->seed = is_ramp ? 0 : (uint64_t)last;
            return WM_OK;
        }
    }
    return fail_value(spec, entry, wanted, err);
}

/* One key of a buffer: args.NAME.KEY. */
static wm_status read_buffer_key(const wm_spec *spec,
                                 const wm_yaml_entry *entry, const char *key,
                                 wm_arg *arg, uint64_t *n_elements,
                                 wm_error *err)
{
    if (strcmp(key, "type") == 0) {
        return read_element(spec, entry, &arg->element, err);
    }
    if (strcmp(key, "count") == 0) {
        return read_whole(spec, entry, 1, BUFFER_BYTES_MAX / 8, n_elements,
                          err);
    }
    if (strcmp(key, "size") == 0) {
        return read_size(spec, entry, &arg->n_bytes, err);
    }
    if (strcmp(key, "fill") == 0) {
        return read_fill(spec, entry, arg, err);
    }
    if (strcmp(key, "file") == 0) {
        arg->fill = WM_FILL_FILE;
        arg->text = entry->value;
        return WM_OK;
    }
    if (strcmp(key, "copy") == 0) {
        arg->is_copied = strcmp(entry->value, "true") == 0;
        return arg->is_copied || strcmp(entry->value, "false") == 0
                   ? WM_OK
                   : fail_value(spec, entry, "true or false", err);
    }
    if (strcmp(key, "local") == 0) {
        arg->kind = WM_ARG_LOCAL;
        return read_size(spec, entry, &arg->n_bytes, err);
    }
    return wm_fail(err, WM_ECONFIG,
                   "%s:%u:%u: %s: found key '%s', wanted type, count, size, "
                   "fill, file, copy or local",
                   spec->path, entry->line, entry->column, arg->name, key);
}

static wm_status finish_buffer(const wm_spec *spec, wm_arg *arg,
                               uint64_t n_elements, wm_error *err)
{
    uint64_t n_bytes = n_elements * wm_element_bytes(arg->element);
    if (n_elements != 0 && arg->n_bytes != 0 && arg->n_bytes != n_bytes) {
        return wm_fail(err, WM_ECONFIG,
                       "%s:%u:%u: args.%s: found size %" PRIu64
                       " B and count %" PRIu64 " of %u B, wanted one of them",
                       spec->path, arg->line, arg->column, arg->name,
                       arg->n_bytes, n_elements,
                       wm_element_bytes(arg->element));
    }
    arg->n_bytes = arg->n_bytes != 0 ? arg->n_bytes : n_bytes;
    if (arg->n_bytes == 0 && arg->fill == WM_FILL_VALUES) {
        arg->n_bytes =
            (uint64_t)count_words(arg->text) * wm_element_bytes(arg->element);
    }
    if (arg->n_bytes == 0 && arg->fill != WM_FILL_FILE) {
        return wm_fail(err, WM_ECONFIG,
                       "%s:%u:%u: args.%s: found no size, wanted size, count, "
                       "file or local",
                       spec->path, arg->line, arg->column, arg->name);
    }
    return WM_OK;
}

/* Argument number n, whose entries start at *i. */
static wm_status read_arg(wm_spec *spec, size_t *i, wm_error *err)
{
    const wm_yaml_entry *entry = &spec->yaml.entry[*i];
    const char *name = entry->key + strlen("args.");
    size_t n_name = strlen(name);
    if (spec->n_args == WM_SPEC_ARGS_MAX ||
        n_name >= sizeof(spec->args[0].name)) {
        return wm_fail(err, WM_ECONFIG,
                       "%s:%u:%u: found argument %u '%s', wanted at most %u "
                       "of at most 63 letters",
                       spec->path, entry->line, entry->column, spec->n_args + 1,
                       name, WM_SPEC_ARGS_MAX);
    }
    wm_arg *arg = &spec->args[spec->n_args++];
    memcpy(arg->name, name, n_name + 1);
    arg->line = entry->line;
    arg->column = entry->column;
    arg->element = WM_ELEMENT_F32;
    arg->n_launches = 1;
    arg->is_copied = true;
    (*i)++;
    if (entry->kind != WM_YAML_MAP) {
        arg->text = entry->value;
        if (entry->kind == WM_YAML_LIST) {
            arg->n_launches = count_words(entry->value);
        }
        return count_words(entry->value) != 0
                   ? WM_OK
                   : fail_value(spec, entry, "a number or {size: ...}", err);
    }
    arg->kind = WM_ARG_BUFFER;
    uint64_t n_elements = 0;
    wm_status status = WM_OK;
    for (; status == WM_OK && *i < spec->yaml.n_entries; (*i)++) {
        const wm_yaml_entry *part = &spec->yaml.entry[*i];
        if (strncmp(part->key, entry->key, strlen(entry->key)) != 0 ||
            part->key[strlen(entry->key)] != '.') {
            break;
        }
        status = read_buffer_key(spec, part, part->key + strlen(entry->key) + 1,
                                 arg, &n_elements, err);
    }
    return status != WM_OK ? status : finish_buffer(spec, arg, n_elements, err);
}

static wm_status read_language(wm_spec *spec, const wm_yaml_entry *entry,
                               int *language, wm_error *err)
{
    if (strcmp(entry->value, "opencl") == 0) {
        *language = 1;
    } else if (strcmp(entry->value, "cuda") == 0) {
        *language = 2;
    } else {
        return fail_value(spec, entry, "opencl or cuda", err);
    }
    return WM_OK;
}

/* A key outside args. */
static wm_status read_key(wm_spec *spec, const wm_yaml_entry *entry,
                          const char **source, int *language, wm_error *err)
{
    static const char *const names[] = {
        "kernel", "source",    "language", "grid",  "block", "warp",
        "sm",     "registers", "shared",   "flags", "args"};
    if (strcmp(entry->key, "kernel") == 0) {
        spec->kernel = entry->value;
        spec->kernel_line = entry->value_line;
        spec->kernel_column = entry->value_column;
    } else if (strcmp(entry->key, "source") == 0) {
        *source = entry->value;
    } else if (strcmp(entry->key, "language") == 0) {
        return read_language(spec, entry, language, err);
    } else if (strcmp(entry->key, "grid") == 0) {
        return read_extent(spec, entry, spec->grid, err);
    } else if (strcmp(entry->key, "block") == 0) {
        return read_extent(spec, entry, spec->block, err);
    } else if (strcmp(entry->key, "warp") == 0) {
        return strcmp(entry->value, "64") == 0 ||
                       strcmp(entry->value, "32") == 0
                   ? read_u32(spec, entry, 32, 64, &spec->warp_size, err)
                   : fail_value(spec, entry, "32 or 64", err);
    } else if (strcmp(entry->key, "sm") == 0) {
        return read_u32(spec, entry, 0, 999, &spec->sm_version, err);
    } else if (strcmp(entry->key, "registers") == 0) {
        return read_u32(spec, entry, 0, 255, &spec->registers, err);
    } else if (strcmp(entry->key, "shared") == 0) {
        return read_size(spec, entry, &spec->shared_bytes, err);
    } else if (strcmp(entry->key, "flags") == 0) {
        spec->flags = entry->value;
    } else if (strcmp(entry->key, "args") == 0) {
        spec->args_line = entry->line;
        spec->args_column = entry->column;
    } else {
        const char *nearest = names[0];
        for (size_t i = 1; i < sizeof(names) / sizeof(names[0]); i++) {
            if (wm_text_edit_distance(entry->key, names[i]) <
                wm_text_edit_distance(entry->key, nearest)) {
                nearest = names[i];
            }
        }
        return wm_fail(err, WM_ECONFIG,
                       "%s:%u:%u: found unknown key '%s', wanted a launch key "
                       "(the nearest is '%s')",
                       spec->path, entry->line, entry->column, entry->key,
                       nearest);
    }
    return WM_OK;
}

/* The whole file at path as text. */
static wm_status read_file(const char *path, char **bytes, size_t *n_bytes,
                           wm_error *err)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return wm_fail(err, errno == ENOENT ? WM_ECONFIG : WM_EIO, "%s: %s",
                       path, strerror(errno));
    }
    wm_status status = WM_OK;
    *bytes = malloc(FILE_BYTES_MAX);
    if (*bytes == NULL) {
        status = wm_fail_memory(err);
    } else {
        *n_bytes = fread(*bytes, 1, FILE_BYTES_MAX, file);
        if (ferror(file)) {
            status = wm_fail(err, WM_EIO, "%s: %s", path, strerror(errno));
        } else if (*n_bytes == FILE_BYTES_MAX) {
            status =
                wm_fail(err, WM_ECONFIG,
                        "%s: found over 1 MiB, wanted a launch file", path);
        }
    }
    fclose(file);
    return status;
}

/* source beside the launch file, unless it is absolute. */
static wm_status resolve_source(wm_spec *spec, const char *source,
                                bool is_given, wm_error *err)
{
    const char *slash = strrchr(spec->path, '/');
    size_t n_folder = is_given || source[0] == '/' || slash == NULL
                          ? 0
                          : (size_t)(slash + 1 - spec->path);
    spec->source = malloc(n_folder + strlen(source) + 1);
    if (spec->source == NULL) {
        return wm_fail_memory(err);
    }
    memcpy(spec->source, spec->path, n_folder);
    memcpy(spec->source + n_folder, source, strlen(source) + 1);
    return WM_OK;
}

static wm_status check_whole(wm_spec *spec, int language, wm_error *err)
{
    const char *missing = spec->kernel == NULL   ? "kernel"
                          : spec->grid[0] == 0   ? "grid"
                          : spec->block[0] == 0  ? "block"
                          : spec->source == NULL ? "source"
                          : spec->args_line == 0 ? "args"
                                                 : NULL;
    if (missing != NULL) {
        return wm_fail(err, WM_ECONFIG, "%s:1:1: found no '%s', wanted it",
                       spec->path, missing);
    }
    uint64_t n_threads =
        (uint64_t)spec->block[0] * spec->block[1] * spec->block[2];
    if (spec->block[0] > THREADS_MAX || spec->block[1] > THREADS_MAX ||
        n_threads > THREADS_MAX) {
        return wm_fail(err, WM_ECONFIG,
                       "%s:1:1: block: found %" PRIu64
                       " threads, wanted at most %u",
                       spec->path, n_threads, THREADS_MAX);
    }
    spec->is_opencl = language == 1 ||
                      (language == 0 && wm_text_ends_with(spec->source, ".cl"));
    spec->n_launches = 1;
    for (uint32_t i = 0; i < spec->n_args; i++) {
        const wm_arg *arg = &spec->args[i];
        if (arg->n_launches > LAUNCHES_MAX ||
            (arg->n_launches > 1 && spec->n_launches > 1 &&
             arg->n_launches != spec->n_launches)) {
            return wm_fail(err, WM_ECONFIG,
                           "%s:%u:%u: args.%s: found %u values, wanted %u: "
                           "lists give one value per launch",
                           spec->path, arg->line, arg->column, arg->name,
                           arg->n_launches, spec->n_launches);
        }
        spec->n_launches = arg->n_launches > spec->n_launches
                               ? arg->n_launches
                               : spec->n_launches;
    }
    return WM_OK;
}

wm_status wm_spec_load(const char *path, const char *source, wm_spec *out,
                       wm_error *err)
{
    memset(out, 0, sizeof(*out));
    out->path = path;
    out->warp_size = 32;
    out->sm_version = 80;
    out->registers = 32;
    out->flags = "";
    const char *named = NULL;
    int language = 0;
    size_t n_bytes = 0;
    wm_status status = read_file(path, &out->bytes, &n_bytes, err);
    if (status == WM_OK) {
        status = wm_yaml_parse(path, out->bytes, n_bytes, &out->yaml, err);
    }
    for (size_t i = 0; status == WM_OK && i < out->yaml.n_entries;) {
        if (strncmp(out->yaml.entry[i].key, "args.", 5) == 0) {
            status = read_arg(out, &i, err);
        } else {
            status =
                read_key(out, &out->yaml.entry[i++], &named, &language, err);
        }
    }
    named = source != NULL ? source : named;
    if (status == WM_OK && named != NULL) {
        status = resolve_source(out, named, source != NULL, err);
    }
    return status == WM_OK ? check_whole(out, language, err) : status;
}

uint64_t wm_spec_dynamic_bytes(const wm_spec *spec)
{
    uint64_t n_bytes = spec->shared_bytes;
    for (uint32_t i = 0; i < spec->n_args; i++) {
        if (spec->args[i].kind == WM_ARG_LOCAL) {
            n_bytes = (n_bytes + WM_SPEC_LOCAL_ALIGN - 1) /
                      WM_SPEC_LOCAL_ALIGN * WM_SPEC_LOCAL_ALIGN;
            n_bytes += spec->args[i].n_bytes;
        }
    }
    return n_bytes;
}

void wm_spec_fini(wm_spec *spec)
{
    wm_yaml_fini(&spec->yaml);
    free(spec->bytes);
    free(spec->source);
}
