/*
 * geometry.c -- size = slices x sets x ways x line, for both caches.
 *
 * Within the newest layer that says anything, what it says wins:
 *     size and sets      the ways follow, or the slices when ways are given
 *     sets               the size follows
 *     size, ways, slices or line without sets: the size is kept (or taken),
 *                        the sets follow
 * Only the last layer's result must be whole, so that a file may repair what
 * its base left odd.
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "config/config_internal.h"

/* The keys of one cache; slices = WM_N_KEYS where it has none. */
typedef struct geometry_keys {
    wm_key_index size;
    wm_key_index slices;
    wm_key_index ways;
    wm_key_index sets;
    wm_key_index line;
} geometry_keys;

static const geometry_keys l1_keys = {WM_KEY_l1_size, WM_N_KEYS, WM_KEY_l1_ways,
                                      WM_KEY_l1_sets, WM_KEY_l1_line};
static const geometry_keys l2_keys = {WM_KEY_l2_size, WM_KEY_l2_slices,
                                      WM_KEY_l2_ways, WM_KEY_l2_sets,
                                      WM_KEY_l2_line};

/* Whether the current layer gives the key. */
static bool geometry_has(const wm_config_set *set, wm_key_index index)
{
    if (index == WM_N_KEYS) {
        return false;
    }
    if (set->layer == 0) {
        return wm_keys[index].preset[0] != '\0';
    }
    return set->place[index].layer == set->layer;
}

static uint64_t geometry_value(const wm_config_set *set, wm_key_index index)
{
    return wm_value_get(&wm_keys[index], &set->values);
}

/* "48 sets x 16 ways x 128 B". */
static void geometry_describe(const wm_geometry *g, const geometry_keys *keys,
                              uint64_t sets, wm_buffer *out)
{
    if (keys->slices != WM_N_KEYS) {
        wm_buffer_printf(out, "%" PRIu64 " slices x ", g->slices);
    }
    if (sets != 0) {
        wm_buffer_printf(out, "%" PRIu64 " sets x ", sets);
    }
    wm_buffer_printf(out, "%" PRIu64 " ways x %" PRIu64 " B", g->ways,
                     g->line_bytes);
}

static wm_status geometry_send(const wm_config_set *set, wm_key_index blamed,
                               wm_buffer *text, wm_error *err)
{
    wm_status status = text->is_failed
                           ? wm_fail_memory(err)
                           : wm_fail(err, WM_ECONFIG, "%s: %s",
                                     wm_config_where(set, blamed), text->bytes);
    wm_buffer_fini(text);
    return status;
}

/* size and sets of one layer leave no whole number of ways or slices. */
static wm_status geometry_contradiction(const wm_config_set *set,
                                        const wm_geometry *g,
                                        const geometry_keys *keys,
                                        uint64_t sets, wm_error *err)
{
    wm_buffer text;
    wm_buffer_init(&text);
    wm_buffer_printf(&text, "%s ", wm_keys[keys->size].name);
    wm_text_format_quantity(g->size_bytes, wm_units_size, &text);
    wm_buffer_printf(&text, " contradicts %s: ", wm_keys[keys->sets].name);
    geometry_describe(g, keys, sets, &text);
    wm_buffer_puts(&text, " = ");
    wm_text_format_quantity(g->slices * sets * g->ways * g->line_bytes,
                            wm_units_size, &text);
    wm_buffer_printf(&text, "; wanted equal, or one of %s and %s left out",
                     wm_keys[keys->size].name, wm_keys[keys->sets].name);
    return geometry_send(set, keys->size, &text, err);
}

/* Derives *free_factor so that size = known x *free_factor; false when no
 * whole number does it. */
static bool geometry_derive(uint64_t size, uint64_t known,
                            uint64_t *free_factor)
{
    if (known == 0 || size % known != 0 || size < known) {
        return false;
    }
    *free_factor = size / known;
    return true;
}

/* The layer gives size and sets: something else follows or must agree. */
static wm_status geometry_both(wm_config_set *set, wm_geometry *g,
                               const geometry_keys *keys, wm_error *err)
{
    uint64_t sets = geometry_value(set, keys->sets);
    uint64_t *factor = NULL;
    wm_key_index derived = WM_N_KEYS;
    if (!geometry_has(set, keys->ways)) {
        factor = &g->ways;
        derived = keys->ways;
    } else if (keys->slices != WM_N_KEYS && !geometry_has(set, keys->slices)) {
        factor = &g->slices;
        derived = keys->slices;
    }
    if (factor == NULL) {
        return g->slices * sets * g->ways * g->line_bytes == g->size_bytes
                   ? WM_OK
                   : geometry_contradiction(set, g, keys, sets, err);
    }
    uint64_t known = g->slices * sets * g->ways * g->line_bytes / *factor;
    uint64_t value = 0;
    if (!geometry_derive(g->size_bytes, known, &value) ||
        value > wm_keys[derived].max) {
        return geometry_contradiction(set, g, keys, sets, err);
    }
    *factor = value;
    wm_value_put(&wm_keys[derived], &set->values, value);
    set->place[derived].is_derived = true;
    return WM_OK;
}

static wm_status geometry_layer(wm_config_set *set, wm_geometry *g,
                                const geometry_keys *keys, wm_error *err)
{
    const wm_key_index given[] = {keys->line, keys->slices, keys->ways,
                                  keys->sets, keys->size};
    bool is_touched = false;
    for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
        if (geometry_has(set, given[i])) {
            g->newest = given[i];
            is_touched = true;
        }
    }
    if (!is_touched) {
        return WM_OK;
    }
    g->line_bytes = geometry_value(set, keys->line);
    g->ways = geometry_value(set, keys->ways);
    g->slices =
        keys->slices == WM_N_KEYS ? 1 : geometry_value(set, keys->slices);
    bool has_sets = geometry_has(set, keys->sets);
    bool has_size = geometry_has(set, keys->size);
    if (has_size) {
        g->size_bytes = geometry_value(set, keys->size);
    } else if (has_sets) {
        g->size_bytes = g->slices * geometry_value(set, keys->sets) * g->ways *
                        g->line_bytes;
        set->place[keys->size].is_derived = true;
    }
    set->place[keys->sets].is_derived = !has_sets;
    return has_sets && has_size ? geometry_both(set, g, keys, err) : WM_OK;
}

wm_status wm_geometry_layer(wm_config_set *set, wm_error *err)
{
    wm_status status = geometry_layer(set, &set->l1, &l1_keys, err);
    return status == WM_OK ? geometry_layer(set, &set->l2, &l2_keys, err)
                           : status;
}

/* The sizes around g->size_bytes that do fit. */
static wm_status geometry_not_whole(const wm_config_set *set,
                                    const wm_geometry *g,
                                    const geometry_keys *keys, wm_error *err)
{
    wm_buffer text;
    uint64_t one = g->slices * g->ways * g->line_bytes;
    uint64_t below = g->size_bytes / one * one;
    wm_buffer_init(&text);
    wm_buffer_printf(&text, "%s ", wm_keys[keys->size].name);
    wm_text_format_quantity(g->size_bytes, wm_units_size, &text);
    wm_buffer_puts(&text, " is not a whole number of sets of ");
    geometry_describe(g, keys, 0, &text);
    wm_buffer_puts(&text, " = ");
    wm_text_format_quantity(one, wm_units_size, &text);
    wm_buffer_puts(&text, ", wanted a multiple such as ");
    if (below != 0) {
        wm_text_format_quantity(below, wm_units_size, &text);
        wm_buffer_puts(&text, " or ");
    }
    wm_text_format_quantity(below + one, wm_units_size, &text);
    return geometry_send(set, g->newest, &text, err);
}

static wm_status geometry_range(const wm_config_set *set, const wm_geometry *g,
                                wm_key_index index, uint64_t value,
                                wm_error *err)
{
    const wm_key *key = &wm_keys[index];
    wm_buffer text;
    if (value >= key->min && value <= key->max) {
        return WM_OK;
    }
    wm_buffer_init(&text);
    wm_buffer_printf(&text, "this makes %s %" PRIu64 ", wanted ", key->name,
                     value);
    wm_value_describe(key, &text);
    return geometry_send(set, g->newest, &text, err);
}

static wm_status geometry_finish(wm_config_set *set, const wm_geometry *g,
                                 const geometry_keys *keys, wm_error *err)
{
    uint64_t sets = 0;
    if (!geometry_derive(g->size_bytes, g->slices * g->ways * g->line_bytes,
                         &sets)) {
        return geometry_not_whole(set, g, keys, err);
    }
    wm_status status = geometry_range(set, g, keys->size, g->size_bytes, err);
    if (status == WM_OK) {
        status = geometry_range(set, g, keys->sets, sets, err);
    }
    wm_value_put(&wm_keys[keys->size], &set->values, g->size_bytes);
    wm_value_put(&wm_keys[keys->sets], &set->values, sets);
    return status;
}

wm_status wm_geometry_finish(wm_config_set *set, wm_error *err)
{
    wm_status status = geometry_finish(set, &set->l1, &l1_keys, err);
    return status == WM_OK ? geometry_finish(set, &set->l2, &l2_keys, err)
                           : status;
}
