/*
 * config_internal.h -- what the files of this folder share.
 *
 * The values arrive in layers: 0 = the schema's defaults, then one per file,
 * the innermost base first, then one for all of --set.  Each key remembers
 * the layer and the place of the value that won.
 */
#ifndef WM_CONFIG_CONFIG_INTERNAL_H
#define WM_CONFIG_CONFIG_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/config.h"

/* WM_KEY_l2_size: the index of l2.size in wm_keys. */
typedef enum wm_key_index {
#define WM_SECTION(section, sentence)
#define WM_KEY(section, field, type, unit, min, max, preset, sentence)         \
    WM_KEY_##section##_##field,
#define WM_SECTION_END(section)
#include "config/schema.def"
#undef WM_SECTION
#undef WM_KEY
#undef WM_SECTION_END
    WM_N_KEYS
} wm_key_index;

typedef struct wm_config_place {
    uint32_t layer;
    bool is_derived; /* by geometry.c */
    bool is_time;    /* a CYCLES key given as time_ps, converted at the end */
    uint64_t time_ps;
    char *origin; /* "FILE:LINE" or "--set"; NULL = default */
    char *where;  /* starts messages: "FILE:LINE:COLUMN", "--set KEY=VALUE" */
} wm_config_place;

/* A cache's capacity while layers arrive; sets follow at the end. */
typedef struct wm_geometry {
    uint64_t size_bytes;
    uint64_t ways;
    uint64_t slices;
    uint64_t line_bytes;
    wm_key_index newest; /* the key to blame when the sets are not whole */
} wm_geometry;

struct wm_config_set {
    wm_config values;
    char *name;
    char digest[WM_DIGEST_HEX];
    uint32_t layer; /* the one being read */
    wm_config_place place[WM_N_KEYS];
    wm_geometry l1;
    wm_geometry l2;
};

/* Of value.c: */
/* Parses text as key's value into set; a message starts with key's place. */
wm_status wm_value_parse(wm_config_set *set, wm_key_index index,
                         const char *text, wm_error *err);
/* Converts CYCLES given as time, when sm.clock is known, and checks them. */
wm_status wm_value_convert_times(wm_config_set *set, wm_error *err);
bool wm_value_is_list(const wm_key *key);
/* Appends "32 B to 64 GiB" or the choices. */
void wm_value_describe(const wm_key *key, wm_buffer *out);
/* Appends "key=value\n" in the struct's unit. */
void wm_value_canonical(const wm_key *key, const wm_config *values,
                        wm_buffer *out);
uint64_t wm_value_get(const wm_key *key, const wm_config *values);
void wm_value_put(const wm_key *key, wm_config *values, uint64_t value);

/* Of geometry.c: */
/* Takes over what the current layer says about both caches. */
wm_status wm_geometry_layer(wm_config_set *set, wm_error *err);
/* After the last layer: derives the sets. */
wm_status wm_geometry_finish(wm_config_set *set, wm_error *err);

/* Of check.c: */
/* Each value for itself, before the geometry is completed. */
wm_status wm_config_check_each(const wm_config_set *set, wm_error *err);
/* Values against one another, after it. */
wm_status wm_config_check_together(const wm_config_set *set, wm_error *err);
/* The text that starts a message about key; never NULL. */
const char *wm_config_where(const wm_config_set *set, wm_key_index index);
/* Of two keys that do not fit together, the one given last. */
wm_key_index wm_config_newer(const wm_config_set *set, wm_key_index a,
                             wm_key_index b);

/* Of preset.c: */
/* Whether name is a file rather than a preset. */
bool wm_preset_is_file(const char *name);
/* Finds a file of a kind (document.h): its path, and the path to show, which
 * does not depend on where the program lies.  Both malloced; NULL when there is
 * none. */
wm_status wm_preset_find(const char *kind, const char *name, char **path,
                         char **shown, wm_error *err);
/* Names of that kind, as wm_config_list. */
wm_status wm_preset_list(const char *kind, char ***names, wm_error *err);
/* Fails with the known names; prefix may be "". */
wm_status wm_preset_unknown(const char *kind, const char *prefix,
                            const char *name, wm_error *err);

#endif
