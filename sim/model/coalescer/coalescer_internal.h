/*
 * coalescer_internal.h -- what the files of the coalescer share: the entries
 * being gathered, and the two ways of adding to them.
 */
#ifndef WM_MODEL_COALESCER_INTERNAL_H
#define WM_MODEL_COALESCER_INTERNAL_H

#include "base/bits.h"
#include "model/coalescer/coalescer.h"

/* Bits first..last, of a line of up to 128 bytes. */
static inline void wm_bytes_set(uint64_t bytes[2], uint32_t first,
                                uint32_t last)
{
    uint64_t from = ~UINT64_C(0) << (first & 63);
    uint64_t to = ~UINT64_C(0) >> (~last & 63);
    bytes[0] = (first < 64 ? from : 0) & (last < 64 ? to : ~UINT64_C(0));
    bytes[1] = (first < 64 ? ~UINT64_C(0) : from) & (last < 64 ? 0 : to);
}

/* Bits first..last, both below 8. */
static inline uint8_t wm_unit_span(uint32_t first, uint32_t last)
{
    return (uint8_t)((2u << last) - (1u << first));
}

/* An entry of line without anything in it. */
static inline uint32_t wm_entry_new(wm_coalesced *out, uint64_t line,
                                    bool is_store)
{
    uint32_t entry = out->n_entries++;
    out->line[entry] = line;
    out->sectors[entry] = 0;
    if (is_store) {
        out->bytes[entry][0] = 0;
        out->bytes[entry][1] = 0;
    }
    return entry;
}

/* Marks the bytes first..last of the entry's line. */
static inline void wm_entry_mark(const wm_coalescer *coalescer,
                                 wm_coalesced *out, uint32_t entry,
                                 uint32_t first, uint32_t last, bool is_store)
{
    out->sectors[entry] |= wm_unit_span(first >> coalescer->unit_shift,
                                        last >> coalescer->unit_shift);
    if (is_store) {
        uint64_t bytes[2];
        wm_bytes_set(bytes, first, last);
        out->bytes[entry][0] |= bytes[0];
        out->bytes[entry][1] |= bytes[1];
    }
}

/*
 * The entry that aligned lanes are being added to, in registers: lanes whose
 * width is a power of two and divides their address.
 */
typedef struct wm_open_entry {
    uint64_t line;
    uint64_t bytes[2];
    uint32_t units;
    uint32_t entry;
} wm_open_entry;

static inline wm_open_entry wm_open_new(wm_coalesced *out, uint64_t line)
{
    wm_open_entry open = {line, {0, 0}, 0, out->n_entries++};
    out->line[open.entry] = line;
    return open;
}

/* Takes an entry up again. */
static inline wm_open_entry wm_open_old(const wm_coalesced *out, uint32_t entry,
                                        bool is_store)
{
    wm_open_entry open = {out->line[entry], {0, 0}, out->sectors[entry], entry};
    if (is_store) {
        open.bytes[0] = out->bytes[entry][0];
        open.bytes[1] = out->bytes[entry][1];
    }
    return open;
}

static inline void wm_open_mark(wm_open_entry *open,
                                const wm_coalescer *coalescer, uint64_t address,
                                uint32_t width_bytes, bool is_store)
{
    uint32_t in_line = (1u << coalescer->line_shift) - 1;
    uint32_t first = (uint32_t)address & in_line;
    open->units |= 1u << (first >> coalescer->unit_shift);
    if (is_store) {
        uint64_t bytes = ((UINT64_C(1) << width_bytes) - 1) << (first & 63);
        open->bytes[0] |= first < 64 ? bytes : 0;
        open->bytes[1] |= first < 64 ? 0 : bytes;
    }
}

static inline void wm_open_close(const wm_open_entry *open, wm_coalesced *out,
                                 bool is_store)
{
    out->sectors[open->entry] = (uint8_t)open->units;
    if (is_store) {
        out->bytes[open->entry][0] = open->bytes[0];
        out->bytes[open->entry][1] = open->bytes[1];
    }
}

/*
 * Gathers n_lanes addresses in any order into entries start, start + 1, ...;
 * sectors[] gets units, as wm_coalesce's finish expects.
 */
void wm_coalesce_list(const wm_coalescer *coalescer, const uint64_t *addresses,
                      uint32_t n_lanes, uint32_t width_bytes, bool is_store,
                      wm_coalesced *out);

/* Distinct numbers among the n <= 128 of one call. */
uint32_t wm_count_distinct(const uint64_t *numbers, uint32_t n);

#endif
