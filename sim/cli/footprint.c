/*
 * footprint.c -- a set of page numbers, open addressing.
 */
#include "cli/footprint.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

#define SLOTS_FIRST 1024u

static size_t slot_of(const wm_footprint *footprint, uint64_t key)
{
    size_t slot = (size_t)wm_mix64(key) & (footprint->n_slots - 1);
    while (footprint->slots[slot] != 0 && footprint->slots[slot] != key) {
        slot = (slot + 1) & (footprint->n_slots - 1);
    }
    return slot;
}

static bool grow(wm_footprint *footprint)
{
    wm_footprint larger = {.n_slots = footprint->n_slots == 0
                                          ? SLOTS_FIRST
                                          : 2 * footprint->n_slots,
                           .n_pages = footprint->n_pages,
                           .last = footprint->last};
    larger.slots = calloc(larger.n_slots, sizeof(*larger.slots));
    if (larger.slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < footprint->n_slots; i++) {
        if (footprint->slots[i] != 0) {
            larger.slots[slot_of(&larger, footprint->slots[i])] =
                footprint->slots[i];
        }
    }
    free(footprint->slots);
    *footprint = larger;
    return true;
}

static bool add_key(wm_footprint *footprint, uint64_t key)
{
    if (key == footprint->last) {
        return true;
    }
    if (2 * (footprint->n_pages + 1) > footprint->n_slots && !grow(footprint)) {
        return false;
    }
    size_t slot = slot_of(footprint, key);
    footprint->n_pages += footprint->slots[slot] == 0;
    footprint->slots[slot] = key;
    footprint->last = key;
    return true;
}

bool wm_footprint_add(wm_footprint *footprint, uint64_t first, uint64_t n_bytes)
{
    uint64_t n = (first % WM_FOOTPRINT_PAGE + n_bytes - 1) / WM_FOOTPRINT_PAGE;
    for (uint64_t i = 0; i <= n; i++) {
        if (!add_key(footprint, first / WM_FOOTPRINT_PAGE + i + 1)) {
            return false;
        }
    }
    return true;
}

bool wm_footprint_join(wm_footprint *footprint, const wm_footprint *other)
{
    for (size_t i = 0; i < other->n_slots; i++) {
        if (other->slots[i] != 0 && !add_key(footprint, other->slots[i])) {
            return false;
        }
    }
    return true;
}

void wm_footprint_clear(wm_footprint *footprint)
{
    if (footprint->n_slots > SLOTS_FIRST) { /* many small ones may follow */
        wm_footprint_fini(footprint);
    } else if (footprint->n_slots != 0) {
        memset(footprint->slots, 0,
               footprint->n_slots * sizeof(*footprint->slots));
    }
    footprint->n_pages = 0;
    footprint->last = 0;
}

void wm_footprint_fini(wm_footprint *footprint)
{
    free(footprint->slots);
    memset(footprint, 0, sizeof(*footprint));
}
