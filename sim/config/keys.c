/*
 * keys.c -- the table of keys, from schema.def.
 */
#include <stddef.h>
#include <string.h>

#include "base/text.h"
#include "config/config_internal.h"

const wm_key wm_keys[] = {
#define WM_SECTION(section, sentence)
#define WM_KEY(section, field, type, unit, min, max, preset, sentence)         \
    {#section "." #field,                                                      \
     #section,                                                                 \
     #field,                                                                   \
     #type,                                                                    \
     unit,                                                                     \
     min,                                                                      \
     max,                                                                      \
     preset,                                                                   \
     sentence,                                                                 \
     offsetof(wm_config, section.field)},
#define WM_SECTION_END(section)
#include "config/schema.def"
#undef WM_SECTION
#undef WM_KEY
#undef WM_SECTION_END
};

const size_t wm_n_keys = WM_N_KEYS;

const wm_key *wm_key_find(const char *name)
{
    for (size_t i = 0; i < wm_n_keys; i++) {
        if (strcmp(wm_keys[i].name, name) == 0) {
            return &wm_keys[i];
        }
    }
    return NULL;
}

const wm_key *wm_key_nearest(const char *name)
{
    const wm_key *nearest = &wm_keys[0];
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i < wm_n_keys; i++) {
        uint32_t distance = wm_text_edit_distance(name, wm_keys[i].name);
        if (distance < least) {
            least = distance;
            nearest = &wm_keys[i];
        }
    }
    return nearest;
}
