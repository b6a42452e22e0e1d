/*
 * ir_names.c -- open addressing, half full at most.
 */
#include "ir_names.h"

#include <stdlib.h>
#include <string.h>

void wm_ir_names_fini(wm_ir_names *names)
{
    free(names->places);
    memset(names, 0, sizeof(*names));
}

/* FNV-1a. */
static wm_ir_name *place_of(const wm_ir_names *names, wm_view name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < name.n; i++) {
        hash = (hash ^ (uint8_t)name.s[i]) * UINT64_C(0x100000001b3);
    }
    for (size_t at = (size_t)(hash >> 20);; at++) {
        wm_ir_name *place = &names->places[at & (names->n_places - 1)];
        if (place->name.n == 0 ||
            (place->name.n == name.n &&
             memcmp(place->name.s, name.s, name.n) == 0)) {
            return place;
        }
    }
}

wm_ir_name *wm_ir_names_find(const wm_ir_names *names, wm_view name)
{
    if (names->n_places == 0 || name.n == 0) {
        return NULL;
    }
    wm_ir_name *place = place_of(names, name);
    return place->name.n != 0 ? place : NULL;
}

static bool grow(wm_ir_names *names)
{
    wm_ir_names larger = {.n_places =
                              names->n_places != 0 ? 2 * names->n_places : 256};
    larger.places = calloc(larger.n_places, sizeof(*larger.places));
    if (larger.places == NULL) {
        return false;
    }
    for (size_t i = 0; i < names->n_places; i++) {
        if (names->places[i].name.n != 0) {
            *place_of(&larger, names->places[i].name) = names->places[i];
        }
    }
    larger.n = names->n;
    free(names->places);
    *names = larger;
    return true;
}

wm_ir_name *wm_ir_names_add(wm_ir_names *names, wm_view name)
{
    if (2 * (names->n + 1) > names->n_places && !grow(names)) {
        return NULL;
    }
    wm_ir_name *place = place_of(names, name);
    if (place->name.n == 0) {
        place->name = name;
        names->n++;
    }
    return place;
}
