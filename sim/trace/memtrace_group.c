/*
 * memtrace_group.c -- see memtrace_group.h.
 */
#include "trace/memtrace_group.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "trace/record_check.h"

#define SLOTS_FIRST   256u
#define SHARED_WINDOW (UINT64_C(16) << 20)

void wm_memtrace_group_init(wm_memtrace_group *group)
{
    memset(group, 0, sizeof(*group));
    wm_statics_init(&group->statics);
}

static void store_free(wm_memtrace_store *store)
{
    if (store != NULL) {
        wm_cta_fini(&store->part);
        free(store->warps);
        free(store);
    }
}

void wm_memtrace_group_fini(wm_memtrace_group *group)
{
    for (size_t i = 0; i < group->n_ctas; i++) {
        store_free(group->ctas[i].store);
    }
    while (group->free_list != NULL) {
        wm_memtrace_store *next = group->free_list->next;
        store_free(group->free_list);
        group->free_list = next;
    }
    free(group->ctas);
    free(group->slots);
    wm_statics_fini(&group->statics);
}

static void store_release(wm_memtrace_group *group, wm_memtrace_cta *cta)
{
    if (cta->store != NULL) {
        cta->store->next = group->free_list;
        group->free_list = cta->store;
        cta->store = NULL;
        group->n_open--;
    }
}

void wm_memtrace_group_drop(wm_memtrace_group *group)
{
    for (size_t i = 0; group->n_open > 0 && i < group->n_ctas; i++) {
        store_release(group, &group->ctas[i]);
    }
}

static uint32_t slot_of(const wm_memtrace_group *group, uint32_t launch,
                        const uint32_t id[3])
{
    uint64_t low = (uint64_t)id[1] << 32 | id[0];
    uint64_t high = (uint64_t)launch << 32 | id[2];
    return (uint32_t)wm_mix64(low ^ wm_mix64(high)) & (group->n_slots - 1);
}

static bool slots_grow(wm_memtrace_group *group)
{
    uint32_t n_slots = group->n_slots == 0 ? SLOTS_FIRST : group->n_slots * 2;
    uint32_t *slots = n_slots == 0 ? NULL : calloc(n_slots, sizeof(*slots));
    if (slots == NULL) {
        return false;
    }
    free(group->slots);
    group->slots = slots;
    group->n_slots = n_slots;
    for (size_t i = 0; i < group->n_ctas; i++) {
        const wm_memtrace_cta *cta = &group->ctas[i];
        uint32_t slot = slot_of(group, cta->launch, cta->id);
        while (slots[slot] != 0) {
            slot = (slot + 1) & (n_slots - 1);
        }
        slots[slot] = (uint32_t)i + 1;
    }
    return true;
}

/* The slot that holds the CTA, or the free one where it would go. */
static uint32_t probe(const wm_memtrace_group *group, uint32_t launch,
                      const uint32_t id[3])
{
    uint32_t slot = slot_of(group, launch, id);
    while (group->slots[slot] != 0) {
        const wm_memtrace_cta *cta = &group->ctas[group->slots[slot] - 1];
        if (cta->launch == launch &&
            memcmp(cta->id, id, sizeof(cta->id)) == 0) {
            break;
        }
        slot = (slot + 1) & (group->n_slots - 1);
    }
    return slot;
}

bool wm_memtrace_group_count(wm_memtrace_group *group, uint32_t launch,
                             const uint32_t id[3], uint64_t n, bool *is_new)
{
    if (2 * (group->n_ctas + 1) > group->n_slots && !slots_grow(group)) {
        return false;
    }
    uint32_t slot = probe(group, launch, id);
    *is_new = group->slots[slot] == 0;
    if (*is_new) {
        if (!wm_grow(&group->ctas, &group->cap_ctas, group->n_ctas + 1,
                     sizeof(*group->ctas))) {
            return false;
        }
        wm_memtrace_cta *cta = &group->ctas[group->n_ctas++];
        memset(cta, 0, sizeof(*cta));
        cta->launch = launch;
        memcpy(cta->id, id, sizeof(cta->id));
        group->slots[slot] = (uint32_t)group->n_ctas;
    }
    group->ctas[group->slots[slot] - 1].n_lines += n;
    return true;
}

wm_memtrace_cta *wm_memtrace_group_find(wm_memtrace_group *group,
                                        uint32_t launch, const uint32_t id[3])
{
    uint32_t slot = probe(group, launch, id);
    assert(group->slots[slot] != 0);
    return &group->ctas[group->slots[slot] - 1];
}

static wm_memtrace_store *store_take(wm_memtrace_group *group)
{
    wm_memtrace_store *store = group->free_list;
    if (store == NULL) {
        return calloc(1, sizeof(*store));
    }
    group->free_list = store->next;
    wm_cta_clear(&store->part);
    return store;
}

static wm_static_entry *find_static(wm_memtrace_group *group,
                                    const wm_memtrace_access *access)
{
    return wm_statics_find(&group->statics, access->pc, access->opcode.text,
                           access->opcode.n_bytes);
}

bool wm_memtrace_is_unknown(wm_memtrace_group *group,
                            const wm_memtrace_access *access)
{
    const wm_static_entry *entry = find_static(group, access);
    return entry != NULL && !wm_kind_is_memory((wm_kind)entry->opcode.kind);
}

/* LDGSTS prints a line per operand; the shared one, an offset, is dropped. */
static bool is_shared_side(const wm_static_entry *entry,
                           const wm_memtrace_access *access)
{
    return entry->opcode.kind == WM_KIND_ASYNC_COPY && access->mask != 0 &&
           access->addresses[0] < SHARED_WINDOW;
}

static void fill_record(const wm_static_entry *entry,
                        const wm_memtrace_access *access, wm_record *record)
{
    bool is_memory = wm_kind_is_memory((wm_kind)entry->opcode.kind);
    uint32_t n_lanes = entry->opcode.n_lanes_used;
    memset(record, 0, sizeof(*record));
    record->kind = is_memory ? entry->opcode.kind : entry->opcode.guess;
    record->width = wm_opcode_width(&entry->opcode, access->n_traced);
    record->flags = entry->opcode.flags;
    record->mask = access->mask & wm_low_mask(n_lanes == 0 ? 32 : n_lanes);
}

bool wm_memtrace_group_add(wm_memtrace_group *group, wm_memtrace_cta *cta,
                           const wm_memtrace_access *access)
{
    wm_static_entry *entry = find_static(group, access);
    if (entry == NULL) {
        return false;
    }
    if (is_shared_side(entry, access)) {
        return true;
    }
    if (cta->store == NULL) {
        cta->store = store_take(group);
        group->n_open += cta->store != NULL;
    }
    wm_memtrace_store *store = cta->store;
    if (store == NULL || store->part.n_records >= WM_RECORDS_PER_CTA_MAX) {
        return false;
    }
    wm_cta *part = &store->part;
    wm_record record;
    fill_record(entry, access, &record);
    record.static_id = wm_statics_number(&group->statics, entry,
                                         (wm_kind)record.kind, record.width, 0);
    if (record.static_id == WM_STATIC_NONE ||
        !wm_record_set_addresses(part, &record, access->addresses) ||
        !wm_grow(&part->records, &part->cap_records, part->n_records + 1,
                 sizeof(*part->records)) ||
        !wm_grow(&store->warps, &store->cap_warps, part->n_records + 1,
                 sizeof(*store->warps))) {
        return false;
    }
    store->warps[part->n_records] = access->warp;
    part->records[part->n_records++] = record;
    return true;
}

bool wm_memtrace_group_step(wm_memtrace_cta *cta)
{
    cta->n_read++;
    return cta->n_read == cta->n_lines;
}

/* Counts the records of each slot, and numbers the slots that are used when
 * they do not fit the block.  Returns the number of warps. */
static uint32_t number_warps(const wm_memtrace_store *store, uint32_t n_warps,
                             uint32_t n_of_slot[WM_WARPS_PER_CTA_MAX],
                             uint32_t warp_of_slot[WM_WARPS_PER_CTA_MAX])
{
    uint32_t n_used = 0;
    uint32_t n_slots = 0;
    memset(n_of_slot, 0, WM_WARPS_PER_CTA_MAX * sizeof(*n_of_slot));
    for (size_t i = 0; i < store->part.n_records; i++) {
        n_of_slot[store->warps[i]]++;
    }
    for (uint32_t slot = 0; slot < WM_WARPS_PER_CTA_MAX; slot++) {
        warp_of_slot[slot] = n_used;
        n_used += n_of_slot[slot] > 0;
        n_slots = n_of_slot[slot] > 0 ? slot + 1 : n_slots;
    }
    n_warps = n_warps < WM_WARPS_PER_CTA_MAX ? n_warps : WM_WARPS_PER_CTA_MAX;
    if (n_slots > n_warps) {
        return n_used > n_warps ? n_used : n_warps;
    }
    for (uint32_t slot = 0; slot < WM_WARPS_PER_CTA_MAX; slot++) {
        warp_of_slot[slot] = slot;
    }
    return n_warps;
}

static uint32_t exit_static(wm_memtrace_group *group)
{
    wm_static_entry *entry = wm_statics_find(&group->statics, 0, "EXIT", 4);
    return entry == NULL
               ? WM_STATIC_NONE
               : wm_statics_number(&group->statics, entry, WM_KIND_EXIT, 0, 0);
}

/* Places the records behind their warp's first, then an exit that waits for
 * every load. */
static void place(const wm_memtrace_store *store, const uint32_t *warp_of_slot,
                  uint32_t exit_id, wm_cta *out)
{
    for (size_t i = 0; i < store->part.n_records; i++) {
        wm_warp_span *span = &out->warps[warp_of_slot[store->warps[i]]];
        out->records[span->first + span->n_records++] = store->part.records[i];
    }
    for (uint32_t w = 0; w < out->n_warps; w++) {
        wm_warp_span *span = &out->warps[w];
        uint32_t n_loads = 0;
        for (uint32_t i = 0; i < span->n_records; i++) {
            n_loads +=
                wm_kind_is_load((wm_kind)out->records[span->first + i].kind);
        }
        if (span->n_records > 0) {
            wm_record *last = &out->records[span->first + span->n_records++];
            memset(last, 0, sizeof(*last));
            last->static_id = exit_id;
            last->kind = WM_KIND_EXIT;
            last->mask = wm_low_mask(WM_MEMTRACE_LANES);
            last->wait = (uint32_t)wm_low_mask(n_loads < 32 ? n_loads : 32);
            out->work.n_other++;
        }
    }
}

bool wm_memtrace_group_join(wm_memtrace_group *group, wm_memtrace_cta *cta,
                            uint32_t n_warps, wm_cta *out)
{
    static const wm_memtrace_store empty = {.next = NULL};
    uint32_t n_of_slot[WM_WARPS_PER_CTA_MAX];
    uint32_t warp_of_slot[WM_WARPS_PER_CTA_MAX];
    const wm_memtrace_store *store = cta->store == NULL ? &empty : cta->store;
    uint32_t exit_id = exit_static(group);
    wm_cta_clear(out);
    memcpy(out->id, cta->id, sizeof(out->id));
    out->n_warps = number_warps(store, n_warps, n_of_slot, warp_of_slot);
    size_t n_records = store->part.n_records + out->n_warps;
    if (exit_id == WM_STATIC_NONE ||
        !wm_grow(&out->warps, &out->cap_warps, out->n_warps + (size_t)1,
                 sizeof(*out->warps)) ||
        !wm_grow(&out->records, &out->cap_records, n_records + 1,
                 sizeof(*out->records)) ||
        !wm_grow(&out->lanes, &out->cap_lanes, store->part.n_lanes + 1,
                 sizeof(*out->lanes))) {
        return false;
    }
    memset(out->warps, 0, out->n_warps * sizeof(*out->warps));
    for (uint32_t slot = 0; slot < WM_WARPS_PER_CTA_MAX; slot++) {
        if (n_of_slot[slot] > 0) {
            out->warps[warp_of_slot[slot]].first = (uint32_t)out->n_records;
            out->n_records += n_of_slot[slot] + (size_t)1;
        }
    }
    place(store, warp_of_slot, exit_id, out);
    if (store->part.n_lanes > 0) {
        memcpy(out->lanes, store->part.lanes,
               store->part.n_lanes * sizeof(*out->lanes));
    }
    out->n_lanes = store->part.n_lanes;
    store_release(group, cta);
    return true;
}

void wm_memtrace_cta_id(const uint32_t grid[3], uint64_t number, uint32_t id[3])
{
    uint64_t x = grid[0] == 0 ? 1 : grid[0];
    uint64_t y = grid[1] == 0 ? 1 : grid[1];
    id[0] = (uint32_t)(number % x);
    id[1] = (uint32_t)(number / x % y);
    id[2] = (uint32_t)(number / x / y);
}
