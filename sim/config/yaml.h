/*
 * yaml.h -- a configuration file's text as a flat list of dotted keys.
 *
 * Nested maps and dotted keys give the same list:
 *     l2:                      l2.size: 6 MiB
 *       size: 6 MiB
 * Line ends LF or CRLF, with or without a UTF-8 byte order mark.
 *
 * Not modelled  anchors, aliases, tags, several documents, maps in lists:
 *               refused, since nobody reading the file could tell the value.
 * Units         lines and columns from 1.
 * Ownership     wm_yaml_fini frees what wm_yaml_parse filled, after a
 *               failure too.
 * Errors        WM_ECONFIG "FILE:LINE:COLUMN: found, wanted"; WM_ENOMEM.
 * Threads       no shared state.
 * Cost          entries squared; WM_YAML_MAX bounds it.
 */
#ifndef WM_CONFIG_YAML_H
#define WM_CONFIG_YAML_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define WM_YAML_MAX       1024u /* keys of one file */
#define WM_YAML_KEY_MAX   128u  /* bytes of a dotted key, NUL included */
#define WM_YAML_DEPTH_MAX 8u    /* maps inside maps */

typedef enum wm_yaml_kind {
    WM_YAML_SCALAR,
    WM_YAML_LIST, /* of scalars; value holds them with ", " between */
    WM_YAML_MAP   /* its keys follow as entries of their own; value is "" */
} wm_yaml_kind;

typedef struct wm_yaml_entry {
    char key[WM_YAML_KEY_MAX];
    char *value;
    char *items; /* WM_YAML_LIST: its values, each with its NUL */
    uint32_t n_items;
    wm_yaml_kind kind;
    uint32_t line, column;             /* of the key */
    uint32_t value_line, value_column; /* of the value */
} wm_yaml_entry;

typedef struct wm_yaml {
    wm_yaml_entry *entry;
    size_t n_entries;
    size_t capacity;
} wm_yaml;

/* Parses n_bytes of text that came from the file called name. */
wm_status wm_yaml_parse(const char *name, const char *bytes, size_t n_bytes,
                        wm_yaml *out, wm_error *err);
void wm_yaml_fini(wm_yaml *yaml);

#endif
