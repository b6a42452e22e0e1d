/*
 * preset.c -- where presets lie, and which one suits a GPU.
 *
 * A folder on the search path holds NAME.yaml or KIND/NAME.yaml, KIND being gpu
 * or dram.  Files that come with the program are shown as
 * configs/KIND/NAME.yaml wherever they lie, so that results do not depend on
 * the place of installation.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "config/config_internal.h"
#include "config/document.h"

#define PRESET_SUFFIX ".yaml"

/* Calls back for each folder until done says so. */
typedef bool (*preset_visit)(void *context, const char *folder,
                             const char *shown_folder);

static bool preset_visit_both(const char *folder, const char *shown_folder,
                              const char *kind, preset_visit visit,
                              void *context)
{
    char path[1024];
    char shown[1024];
    if (visit(context, folder, shown_folder)) {
        return true;
    }
    int n = snprintf(path, sizeof(path), "%s/%s", folder, kind);
    int m = snprintf(shown, sizeof(shown), "%s/%s", shown_folder, kind);
    return n > 0 && (size_t)n < sizeof(path) && m > 0 &&
           (size_t)m < sizeof(shown) && visit(context, path, shown);
}

static void preset_each_folder(const char *kind, preset_visit visit,
                               void *context)
{
    char folder[1000];
    const char *list = getenv("WARPMEM_CONFIG_PATH");
    while (list != NULL && *list != '\0') {
        size_t n = strcspn(list, ":");
        if (n != 0 && n < sizeof(folder)) {
            memcpy(folder, list, n);
            folder[n] = '\0';
            if (preset_visit_both(folder, folder, kind, visit, context)) {
                return;
            }
        }
        list += n + (list[n] == ':');
    }
    if (!preset_visit_both(WM_SOURCE_CONFIGS, "configs", kind, visit,
                           context)) {
        (void)preset_visit_both(WM_INSTALLED_CONFIGS, "configs", kind, visit,
                                context);
    }
}

bool wm_preset_is_file(const char *name)
{
    return strchr(name, '/') != NULL || wm_text_ends_with(name, ".yaml") ||
           wm_text_ends_with(name, ".yml");
}

typedef struct preset_search {
    const char *name;
    wm_buffer path;
    wm_buffer shown;
    bool is_found;
} preset_search;

static bool preset_try(void *context, const char *folder,
                       const char *shown_folder)
{
    preset_search *search = context;
    wm_buffer_clear(&search->path);
    wm_buffer_printf(&search->path, "%s/%s" PRESET_SUFFIX, folder,
                     search->name);
    if (search->path.is_failed) {
        return true;
    }
    if (access(search->path.bytes, F_OK) != 0) {
        return false;
    }
    wm_buffer_printf(&search->shown, "%s/%s" PRESET_SUFFIX, shown_folder,
                     search->name);
    search->is_found = true;
    return true;
}

wm_status wm_preset_find(const char *kind, const char *name, char **path,
                         char **shown, wm_error *err)
{
    preset_search search = {.name = name};
    *path = NULL;
    *shown = NULL;
    wm_buffer_init(&search.path);
    wm_buffer_init(&search.shown);
    preset_each_folder(kind, preset_try, &search);
    if (search.path.is_failed || search.shown.is_failed) {
        wm_buffer_fini(&search.path);
        wm_buffer_fini(&search.shown);
        return wm_fail_memory(err);
    }
    if (!search.is_found) {
        wm_buffer_fini(&search.path);
        return WM_OK;
    }
    *path = search.path.bytes;
    *shown = search.shown.bytes;
    return WM_OK;
}

wm_status wm_preset_unknown(const char *kind, const char *prefix,
                            const char *name, wm_error *err)
{
    char **names = NULL;
    wm_buffer words;
    wm_status status = wm_preset_list(kind, &names, err);
    if (status != WM_OK) {
        return status;
    }
    wm_buffer_init(&words);
    for (size_t i = 0; names[i] != NULL; i++) {
        wm_buffer_printf(&words, "%s%s", i != 0 ? ", " : "", names[i]);
    }
    wm_config_free_list(names);
    status = words.is_failed
                 ? wm_fail_memory(err)
                 : wm_fail(err, WM_ECONFIG,
                           "%s'%.100s' is not a %s, wanted one of: %s; "
                           "or a file, NAME.yaml",
                           prefix, name,
                           strcmp(kind, WM_KIND_DRAM) == 0 ? "memory standard"
                                                           : "preset",
                           words.n_bytes != 0 ? words.bytes : "(none found)");
    wm_buffer_fini(&words);
    return status;
}

typedef struct preset_names {
    char **names;
    size_t n_names;
    size_t capacity;
    bool is_failed;
} preset_names;

static bool preset_has(const preset_names *list, const char *name, size_t n)
{
    for (size_t i = 0; i < list->n_names; i++) {
        if (strlen(list->names[i]) == n &&
            memcmp(list->names[i], name, n) == 0) {
            return true;
        }
    }
    return false;
}

/* Adds the first n bytes of name, unless they are there already. */
static void preset_add(preset_names *list, const char *name, size_t n)
{
    if (preset_has(list, name, n)) {
        return;
    }
    char *copy = wm_text_copy_n(name, n);
    if (copy == NULL || !wm_grow(&list->names, &list->capacity,
                                 list->n_names + 2, sizeof(char *))) {
        free(copy);
        list->is_failed = true;
        return;
    }
    list->names[list->n_names++] = copy;
    list->names[list->n_names] = NULL;
}

static bool preset_collect(void *context, const char *folder,
                           const char *shown_folder)
{
    preset_names *list = context;
    DIR *dir = opendir(folder);
    (void)shown_folder;
    if (dir == NULL) {
        return false;
    }
    for (struct dirent *entry = readdir(dir); entry != NULL;
         entry = readdir(dir)) {
        size_t n = strlen(entry->d_name);
        if (entry->d_name[0] != '.' &&
            wm_text_ends_with(entry->d_name, PRESET_SUFFIX)) {
            preset_add(list, entry->d_name, n - strlen(PRESET_SUFFIX));
        }
    }
    (void)closedir(dir);
    return false;
}

static int preset_compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

wm_status wm_preset_list(const char *kind, char ***names, wm_error *err)
{
    preset_names list = {NULL, 0, 0, false};
    *names = NULL;
    if (!wm_grow(&list.names, &list.capacity, 1, sizeof(char *))) {
        return wm_fail_memory(err);
    }
    list.names[0] = NULL;
    preset_each_folder(kind, preset_collect, &list);
    if (list.is_failed) {
        wm_config_free_list(list.names);
        return wm_fail_memory(err);
    }
    qsort(list.names, list.n_names, sizeof(char *), preset_compare);
    *names = list.names;
    return WM_OK;
}

wm_status wm_config_list(char ***names, wm_error *err)
{
    return wm_preset_list(WM_KIND_GPU, names, err);
}

void wm_config_free_list(char **names)
{
    for (size_t i = 0; names != NULL && names[i] != NULL; i++) {
        free(names[i]);
    }
    free(names);
}

/* Reads the comment lines that start a file, joined by blanks. */
static void preset_read_comment(FILE *file, wm_buffer *text)
{
    char line[512];
    bool is_first = true;
    while (fgets(line, sizeof(line), file) != NULL) {
        const char *p = line;
        if (is_first && strncmp(p, "\xef\xbb\xbf", 3) == 0) {
            p += 3;
        }
        if (*p != '#') {
            break;
        }
        p += strspn(p, "# \t");
        size_t n = strcspn(p, "\r\n");
        wm_buffer_puts(text, is_first || n == 0 ? "" : " ");
        wm_buffer_add(text, p, n);
        is_first = false;
    }
}

char *wm_config_summary(const char *name)
{
    char *path = NULL;
    char *shown = NULL;
    wm_buffer text;
    wm_buffer_init(&text);
    wm_buffer_puts(&text, "");
    if (!wm_preset_is_file(name)) {
        (void)wm_preset_find(WM_KIND_GPU, name, &path, &shown, NULL);
    }
    FILE *file = wm_preset_is_file(name) ? fopen(name, "r")
                 : path != NULL          ? fopen(path, "r")
                                         : NULL;
    if (file != NULL) {
        preset_read_comment(file, &text);
        (void)fclose(file);
    }
    free(path);
    free(shown);
    char *end = text.bytes != NULL ? strstr(text.bytes, ". ") : NULL;
    if (end != NULL) {
        end[1] = '\0';
    }
    return text.bytes;
}

const char *wm_config_for_sm_version(uint32_t sm_version)
{
    /* From which version on; falling.  87 (Orin) is an Ampere like 86. */
    static const struct {
        uint32_t from;
        const char *preset;
    } table[] = {
        {90, "h100"}, {89, "rtx4090"}, {86, "rtx3090"}, {80, "a100"},
        {75, "t4"},   {1, "v100"}, /* older ones have no preset */
        {0, "a100"},               /* unknown */
    };
    size_t i = 0;
    while (sm_version < table[i].from) {
        i++;
    }
    return table[i].preset;
}
