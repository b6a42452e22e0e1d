/*
 * coalesce_list.c -- addresses in no order: one pass, no sorting.
 *
 * A lane is compared with the entry of the lane before it and then looked up
 * in a small open-addressed table.  Only the table's occupancy bits are
 * cleared per call.
 */
#include <string.h>

#include "model/coalescer/coalescer_internal.h"

/* At least four slots for each entry: probes rarely collide. */
#define SLOT_BITS 9u
#define N_SLOTS   (1u << SLOT_BITS)

typedef struct slot_table {
    uint8_t entry[N_SLOTS]; /* + 1; 0 = free */
} slot_table;

static inline void table_clear(slot_table *table)
{
    memset(table->entry, 0, sizeof(table->entry));
}

/*
 * The entry of key, or n where it is new and then stored as entry n; keys[]
 * are the keys of the entries so far.
 */
static inline uint32_t table_find(slot_table *table, const uint64_t *keys,
                                  uint64_t key, uint32_t n)
{
    uint32_t slot =
        (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - SLOT_BITS));
    while (table->entry[slot] != 0) {
        uint32_t entry = table->entry[slot] - 1u;
        if (keys[entry] == key) {
            return entry;
        }
        slot = (slot + 1) % N_SLOTS;
    }
    table->entry[slot] = (uint8_t)(n + 1);
    return n;
}

/* The entry of line, new if need be; `recent` is where the last lane went. */
static inline uint32_t find_entry(slot_table *table, wm_coalesced *out,
                                  uint32_t start, uint32_t recent,
                                  uint64_t line, bool is_store)
{
    if (out->n_entries != start && out->line[recent] == line) {
        return recent;
    }
    uint32_t n = out->n_entries;
    uint32_t entry =
        start + table_find(table, out->line + start, line, n - start);
    if (entry == n) {
        (void)wm_entry_new(out, line, is_store);
    }
    return entry;
}

/* Lanes of a power of two bytes at multiples of it. */
static inline void gather_aligned(const wm_coalescer *coalescer,
                                  const uint64_t *addresses, uint32_t n_lanes,
                                  uint32_t width_bytes, bool is_store,
                                  wm_coalesced *out)
{
    slot_table table;
    table_clear(&table);
    uint32_t line_shift = coalescer->line_shift;
    uint32_t start = out->n_entries;
    const uint64_t *lines = out->line + start;
    uint64_t first_line = addresses[0] >> line_shift;
    (void)table_find(&table, lines, first_line, 0);
    wm_open_entry open = wm_open_new(out, first_line);
    for (uint32_t i = 0; i < n_lanes; i++) {
        uint64_t line = addresses[i] >> line_shift;
        if (line != open.line) {
            wm_open_close(&open, out, is_store);
            uint32_t n = out->n_entries - start;
            uint32_t entry = table_find(&table, lines, line, n);
            open = entry == n ? wm_open_new(out, line)
                              : wm_open_old(out, start + entry, is_store);
        }
        wm_open_mark(&open, coalescer, addresses[i], width_bytes, is_store);
    }
    wm_open_close(&open, out, is_store);
}

/* Lanes that may straddle sectors and lines. */
static inline void gather_any(const wm_coalescer *coalescer,
                              const uint64_t *addresses, uint32_t n_lanes,
                              uint32_t width_bytes, bool is_store,
                              wm_coalesced *out)
{
    slot_table table;
    table_clear(&table);
    uint32_t line_shift = coalescer->line_shift;
    uint32_t in_line = (1u << line_shift) - 1;
    uint32_t start = out->n_entries;
    uint32_t entry = start;
    for (uint32_t i = 0; i < n_lanes; i++) {
        uint64_t address = addresses[i];
        uint64_t last = address + width_bytes - 1;
        uint32_t first_byte = (uint32_t)address & in_line;
        uint32_t last_byte = (uint32_t)last & in_line;
        entry = find_entry(&table, out, start, entry, address >> line_shift,
                           is_store);
        if ((address ^ last) >> line_shift == 0) {
            wm_entry_mark(coalescer, out, entry, first_byte, last_byte,
                          is_store);
            continue;
        }
        wm_entry_mark(coalescer, out, entry, first_byte, in_line, is_store);
        entry =
            find_entry(&table, out, start, entry, last >> line_shift, is_store);
        wm_entry_mark(coalescer, out, entry, 0, last_byte, is_store);
    }
}

void wm_coalesce_list(const wm_coalescer *coalescer, const uint64_t *addresses,
                      uint32_t n_lanes, uint32_t width_bytes, bool is_store,
                      wm_coalesced *out)
{
    if (n_lanes == 0) {
        return;
    }
    uint64_t low_bits = wm_is_power_of_two(width_bytes) ? 0 : width_bytes - 1;
    for (uint32_t i = 0; i < n_lanes; i++) {
        low_bits |= addresses[i];
    }
    if ((low_bits & (width_bytes - 1)) != 0) {
        gather_any(coalescer, addresses, n_lanes, width_bytes, is_store, out);
    } else if (is_store) {
        gather_aligned(coalescer, addresses, n_lanes, width_bytes, true, out);
    } else {
        gather_aligned(coalescer, addresses, n_lanes, width_bytes, false, out);
    }
}

uint32_t wm_count_distinct(const uint64_t *numbers, uint32_t n)
{
    slot_table table;
    table_clear(&table);
    uint32_t n_distinct = 0;
    for (uint32_t i = 0; i < n; i++) {
        n_distinct += table_find(&table, numbers, numbers[i], i) == i;
    }
    return n_distinct;
}

uint32_t wm_same_address_lanes(const wm_access *access)
{
    uint64_t addresses[WM_ACCESS_LANES_MAX];
    uint8_t n_lanes_at[WM_ACCESS_LANES_MAX];
    /* Only a stride that 63 steps can turn once round 2^64 meets itself. */
    bool is_apart =
        access->form == WM_ACCESS_AFFINE && (uint64_t)access->stride << 6 != 0;
    if (access->mask == 0 || is_apart) {
        return access->mask != 0;
    }
    uint32_t n_lanes = wm_access_expand(access, addresses);
    if (access->form == WM_ACCESS_AFFINE && access->stride == 0) {
        return n_lanes;
    }
    slot_table table;
    table_clear(&table);
    uint32_t most = 0;
    for (uint32_t i = 0; i < n_lanes; i++) {
        uint32_t entry = table_find(&table, addresses, addresses[i], i);
        n_lanes_at[entry] = (uint8_t)(entry == i ? 1 : n_lanes_at[entry] + 1);
        most = n_lanes_at[entry] > most ? n_lanes_at[entry] : most;
    }
    return most;
}
