/*
 * document.c -- bases first, then the file's own entries.
 */
#include "config/document.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config_internal.h"

#define DOCUMENT_DEPTH_MAX 8u
#define DOCUMENT_BYTES_MAX ((size_t)1 << 20)

typedef struct document {
    const char *kind;
    wm_document_visit visit;
    void *context;
} document;

static wm_status document_find(const document *doc, const char *user_path,
                               const char *prefix, const char *name,
                               unsigned depth, wm_error *err);

static wm_status document_read_bytes(const char *path, const char *shown,
                                     const char *prefix, wm_buffer *bytes,
                                     wm_error *err)
{
    char block[4096];
    size_t n = 0;
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) {
        return wm_fail(err, errno == ENOENT ? WM_ECONFIG : WM_EIO, "%s%s: %s",
                       prefix, shown, strerror(errno));
    }
    while (bytes->n_bytes <= DOCUMENT_BYTES_MAX &&
           (n = fread(block, 1, sizeof(block), stream)) != 0) {
        wm_buffer_add(bytes, block, n);
    }
    const int error = ferror(stream) ? errno : 0;
    (void)fclose(stream);
    if (error != 0) {
        return wm_fail(err, error == EISDIR ? WM_ECONFIG : WM_EIO, "%s%s: %s",
                       prefix, shown, strerror(error));
    }
    if (bytes->n_bytes > DOCUMENT_BYTES_MAX) {
        return wm_fail(err, WM_ECONFIG,
                       "%s%s: over 1 MiB, wanted a configuration file", prefix,
                       shown);
    }
    return bytes->is_failed ? wm_fail_memory(err) : WM_OK;
}

static wm_status document_base(const document *doc, const char *path,
                               const char *shown, const wm_yaml_entry *entry,
                               unsigned depth, wm_error *err)
{
    char prefix[512];
    (void)snprintf(prefix, sizeof(prefix), "%.300s:%lu:%lu: base: ", shown,
                   (unsigned long)entry->value_line,
                   (unsigned long)entry->value_column);
    if (entry->kind != WM_YAML_SCALAR || entry->value[0] == '\0') {
        return wm_fail(err, WM_ECONFIG,
                       "%sempty or not a name, wanted a name or a file",
                       prefix);
    }
    if (depth == DOCUMENT_DEPTH_MAX) {
        return wm_fail(err, WM_ECONFIG,
                       "%sover %u files deep, wanted a base that does not "
                       "need this file",
                       prefix, DOCUMENT_DEPTH_MAX);
    }
    return document_find(doc, path, prefix, entry->value, depth + 1, err);
}

static wm_status document_file(const document *doc, const char *path,
                               const char *shown, const char *prefix,
                               unsigned depth, wm_error *err)
{
    wm_buffer bytes;
    wm_yaml yaml = {NULL, 0, 0};
    wm_buffer_init(&bytes);
    wm_buffer_puts(&bytes, "");
    wm_status status = document_read_bytes(path, shown, prefix, &bytes, err);
    if (status == WM_OK) {
        status = wm_yaml_parse(shown, bytes.bytes, bytes.n_bytes, &yaml, err);
    }
    for (size_t i = 0; i < yaml.n_entries && status == WM_OK; i++) {
        if (strcmp(yaml.entry[i].key, "base") == 0) {
            status =
                document_base(doc, path, shown, &yaml.entry[i], depth, err);
        }
    }
    for (size_t i = 0; i < yaml.n_entries && status == WM_OK; i++) {
        if (strcmp(yaml.entry[i].key, "base") != 0) {
            status = doc->visit(shown, &yaml.entry[i], doc->context, err);
        }
    }
    wm_yaml_fini(&yaml);
    wm_buffer_fini(&bytes);
    return status;
}

/* The path of name as the file at user_path means it: beside that file. */
static char *document_beside(const char *user_path, const char *name)
{
    const char *slash = user_path != NULL ? strrchr(user_path, '/') : NULL;
    wm_buffer path;
    wm_buffer_init(&path);
    if (name[0] != '/' && slash != NULL) {
        wm_buffer_add(&path, user_path, (size_t)(slash + 1 - user_path));
    }
    wm_buffer_puts(&path, name);
    if (path.is_failed) {
        wm_buffer_fini(&path);
    }
    return path.bytes;
}

static wm_status document_find(const document *doc, const char *user_path,
                               const char *prefix, const char *name,
                               unsigned depth, wm_error *err)
{
    char *path = NULL;
    char *shown = NULL;
    wm_status status = WM_OK;
    if (wm_preset_is_file(name)) {
        path = document_beside(user_path, name);
        status = path == NULL
                     ? wm_fail_memory(err)
                     : document_file(doc, path, path, prefix, depth, err);
        free(path);
        return status;
    }
    status = wm_preset_find(doc->kind, name, &path, &shown, err);
    if (status == WM_OK) {
        status = path == NULL
                     ? wm_preset_unknown(doc->kind, prefix, name, err)
                     : document_file(doc, path, shown, prefix, depth, err);
    }
    free(path);
    free(shown);
    return status;
}

wm_status wm_document_read(const char *kind, const char *name,
                           wm_document_visit visit, void *context,
                           wm_error *err)
{
    const document doc = {kind, visit, context};
    return document_find(&doc, NULL, "", name, 1, err);
}
