/*
 * coalesce_list.c -- addresses in no order: one pass, no sorting.
 *
 * A lane is compared with the entry of the lane before it and then looked up
 * in a small open-addressed table.  Only the table's occupancy bits are
 * cleared per call.
 */
#include "base/inline.h"
#include "model/coalescer/coalescer_internal.h"

/* At least four slots for each key, where there are few eight: probes rarely
 * collide. */
#define SLOT_BITS 9u
#define FEW_BITS  8u
#define FEW_KEYS  32u

typedef struct slot_table {
    uint32_t shift;                 /* of the hash: 64 - log2 of the slots */
    uint32_t last;                  /* number of the last slot */
    uint8_t entry[1u << SLOT_BITS]; /* + 1; 0 = free */
} slot_table;

/* Ready for up to n_keys. */
static inline void table_open(slot_table *table, uint32_t n_keys)
{
    const uint32_t bits = n_keys <= FEW_KEYS ? FEW_BITS : SLOT_BITS;
    table->shift = 64 - bits;
    table->last = (1u << bits) - 1;
    for (uint32_t i = 0; i < 1u << bits; i += 64) {
        wm_clear16(table->entry + i);
        wm_clear16(table->entry + i + 16);
        wm_clear16(table->entry + i + 32);
        wm_clear16(table->entry + i + 48);
    }
}

/*
 * The entry of key, or n where it is new and then stored as entry n; keys[]
 * are the keys of the entries so far.
 */
static inline uint32_t table_find(slot_table *table, const uint64_t *keys,
                                  uint64_t key, uint32_t n)
{
    uint32_t slot =
        (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> table->shift);
    while (table->entry[slot] != 0) {
        uint32_t entry = table->entry[slot] - 1u;
        if (keys[entry] == key) {
            return entry;
        }
        slot = (slot + 1) & table->last;
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

/* Lanes of a power of two bytes at multiples of it, run by run: lanes next to
 * each other are often in one line. */
static void gather_stores(const wm_coalescer *coalescer,
                          const uint64_t *addresses, uint32_t n_lanes,
                          uint32_t width_bytes, wm_coalesced *out)
{
    const uint32_t line_shift = coalescer->line_shift;
    const uint32_t start = out->n_entries;
    uint32_t n_entries = 0;
    slot_table table;
    table_open(&table, n_lanes);
    for (uint32_t i = 0; i < n_lanes;) {
        const uint64_t line = addresses[i] >> line_shift;
        const uint32_t entry =
            table_find(&table, out->line + start, line, n_entries);
        out->n_entries = start + entry;
        wm_open_entry open = entry == n_entries
                                 ? wm_open_new(out, line)
                                 : wm_open_old(out, start + entry, true);
        n_entries += entry == n_entries;
        do {
            wm_open_mark(&open, coalescer, addresses[i], width_bytes, true);
            i++;
        } while (i < n_lanes && addresses[i] >> line_shift == line);
        wm_open_close(&open, out, true);
    }
    out->n_entries = start + n_entries;
}

/* Loads mark units and nothing else. */
WM_INLINE void gather_loads(uint32_t line_shift, uint32_t unit_shift,
                            const uint64_t *addresses, uint32_t n_lanes,
                            wm_coalesced *out)
{
    const uint32_t last_unit = (1u << (line_shift - unit_shift)) - 1;
    uint64_t *lines = out->line + out->n_entries;
    uint8_t *units = out->sectors + out->n_entries;
    const uint64_t *end = addresses + n_lanes;
    uint32_t n = 0;
    slot_table table;
    table_open(&table, n_lanes);
    uint64_t address = *addresses;
    while (addresses != end) {
        const uint64_t line = address >> line_shift;
        const uint32_t entry = table_find(&table, lines, line, n);
        uint32_t marks = 0;
        do {
            marks |= 1u << (address >> unit_shift & last_unit);
            if (++addresses == end) {
                break;
            }
            address = *addresses;
        } while (address >> line_shift == line);
        if (entry == n) {
            lines[n] = line;
            units[n++] = (uint8_t)marks;
        } else {
            units[entry] |= (uint8_t)marks;
        }
    }
    out->n_entries += n;
}

/* Lanes that may straddle sectors and lines. */
static inline void gather_any(const wm_coalescer *coalescer,
                              const uint64_t *addresses, uint32_t n_lanes,
                              uint32_t width_bytes, bool is_store,
                              wm_coalesced *out)
{
    slot_table table;
    table_open(&table, 2 * n_lanes);
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
        gather_stores(coalescer, addresses, n_lanes, width_bytes, out);
    } else if (coalescer->line_shift == 7 && coalescer->unit_shift == 5) {
        gather_loads(7, 5, addresses, n_lanes, out); /* what is common */
    } else {
        gather_loads(coalescer->line_shift, coalescer->unit_shift, addresses,
                     n_lanes, out);
    }
}

uint32_t wm_count_distinct(const uint64_t *numbers, uint32_t n)
{
    slot_table table;
    table_open(&table, n);
    uint32_t n_distinct = 0;
    for (uint32_t i = 0; i < n; i++) {
        n_distinct += table_find(&table, numbers, numbers[i], i) == i;
    }
    return n_distinct;
}

uint32_t wm_same_address_lanes(const wm_access *access)
{
    uint64_t room[WM_ACCESS_LANES_MAX];
    uint8_t n_lanes_at[WM_ACCESS_LANES_MAX];
    /* Only a stride that 63 steps can turn once round 2^64 meets itself. */
    bool is_apart =
        access->form == WM_ACCESS_AFFINE && (uint64_t)access->stride << 6 != 0;
    if (access->mask == 0 || is_apart) {
        return access->mask != 0;
    }
    uint32_t n_lanes = 0;
    const uint64_t *addresses = wm_access_addresses(access, room, &n_lanes);
    if (access->form == WM_ACCESS_AFFINE && access->stride == 0) {
        return n_lanes;
    }
    slot_table table;
    table_open(&table, n_lanes);
    uint32_t most = 0;
    for (uint32_t i = 0; i < n_lanes; i++) {
        uint32_t entry = table_find(&table, addresses, addresses[i], i);
        n_lanes_at[entry] = (uint8_t)(entry == i ? 1 : n_lanes_at[entry] + 1);
        most = n_lanes_at[entry] > most ? n_lanes_at[entry] : most;
    }
    return most;
}
