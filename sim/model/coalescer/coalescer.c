/*
 * coalescer.c -- closed forms for affine accesses, and the counts.
 *
 * Lanes mark *units*: sectors, segments where those are smaller, or the whole
 * line in line mode.  An affine access is walked in rising order of address,
 * where a line can only equal the one before it; a falling one is mirrored
 * first and its entries reversed at the end.  Lanes that leave no unit out
 * between them are one range, and a range costs O(lines).  finish() turns
 * units into sectors and counts.
 */
#include "model/coalescer/coalescer.h"

#include <string.h>

#include "config/config.h"
#include "model/coalescer/coalescer_internal.h"

/* Above it 63 strides could pass 2^64 and meet the first line again. */
#define STRIDE_MAX (INT64_C(1) << 56)

/* Lanes of one group, mirrored if need be: bit 0 of mask is set, stride >= 0.
 */
typedef struct affine_lanes {
    uint64_t base;
    uint64_t stride;
    uint64_t mask;
    uint32_t width;
} affine_lanes;

static wm_status check_size(const char *key, uint64_t bytes, wm_error *err)
{
    if (!wm_is_power_of_two(bytes) || bytes < 32 || bytes > 128) {
        return wm_fail(err, WM_ECONFIG,
                       "%s: %llu B, want 32 B, 64 B or 128 B to coalesce", key,
                       (unsigned long long)bytes);
    }
    return WM_OK;
}

static wm_status check_geometry(uint64_t line_bytes, uint64_t sector_bytes,
                                uint64_t segment_bytes, wm_error *err)
{
    wm_status status = check_size("l1.line", line_bytes, err);
    if (status == WM_OK) {
        status = check_size("l1.sector", sector_bytes, err);
    }
    if (status == WM_OK) {
        status = check_size("coalescer.segment", segment_bytes, err);
    }
    if (status == WM_OK && sector_bytes > line_bytes) {
        status = wm_fail(
            err, WM_ECONFIG, "l1.sector: %llu B, want at most l1.line (%llu B)",
            (unsigned long long)sector_bytes, (unsigned long long)line_bytes);
    }
    return status;
}

wm_status wm_coalescer_init(wm_coalescer *coalescer, uint64_t line_bytes,
                            uint64_t sector_bytes, uint32_t mode,
                            uint64_t segment_bytes, uint32_t split,
                            uint32_t tag_banks, wm_error *err)
{
    wm_status status =
        check_geometry(line_bytes, sector_bytes, segment_bytes, err);
    if (status != WM_OK) {
        return status;
    }
    if (mode > WM_COALESCE_SEGMENT) {
        return wm_fail(err, WM_ECONFIG,
                       "coalescer.mode: number %u, want 0 to %u", mode,
                       (unsigned)WM_COALESCE_SEGMENT);
    }
    if (mode == WM_COALESCE_SEGMENT && segment_bytes > line_bytes) {
        return wm_fail(err, WM_ECONFIG,
                       "coalescer.segment: %llu B, want at most l1.line "
                       "(%llu B)",
                       (unsigned long long)segment_bytes,
                       (unsigned long long)line_bytes);
    }
    if (split > WM_ACCESS_LANES_MAX) {
        return wm_fail(err, WM_ECONFIG, "coalescer.split: %u, want 0 to %u",
                       split, WM_ACCESS_LANES_MAX);
    }
    if (tag_banks == 0 || tag_banks > 64) {
        return wm_fail(err, WM_ECONFIG, "l1.tag_banks: %u, want 1 to 64",
                       tag_banks);
    }
    coalescer->line_shift = wm_lowest_bit(line_bytes);
    coalescer->sector_shift = wm_lowest_bit(sector_bytes);
    coalescer->sectors_per_line = (uint32_t)(line_bytes / sector_bytes);
    coalescer->mode = mode;
    coalescer->segment_shift = wm_lowest_bit(segment_bytes);
    coalescer->unit_shift = coalescer->sector_shift;
    if (mode == WM_COALESCE_LINE) {
        coalescer->unit_shift = coalescer->line_shift;
    } else if (mode == WM_COALESCE_SEGMENT && segment_bytes < sector_bytes) {
        coalescer->unit_shift = coalescer->segment_shift;
    }
    coalescer->split = split;
    coalescer->tag_banks = tag_banks;
    return WM_OK;
}

/* Bytes first..last of line; the caller goes up, so that only the newest
 * entry of the group (from start on) can be the same line. */
static inline void add_part(const wm_coalescer *coalescer, wm_coalesced *out,
                            uint32_t start, uint64_t line, uint32_t first,
                            uint32_t last, bool is_store)
{
    uint32_t entry = out->n_entries - 1;
    if (out->n_entries == start || out->line[entry] != line) {
        entry = wm_entry_new(out, line, is_store);
    }
    wm_entry_mark(coalescer, out, entry, first, last, is_store);
}

/* n more whole lines, and bytes 0..last of one after them. */
static inline void add_lines(const wm_coalescer *coalescer, wm_coalesced *out,
                             uint64_t line, uint64_t n, uint32_t last,
                             bool is_store)
{
    uint32_t in_line = (1u << coalescer->line_shift) - 1;
    uint64_t last_line = ~UINT64_C(0) >> coalescer->line_shift;
    uint8_t all = wm_unit_span(0, in_line >> coalescer->unit_shift);
    uint32_t entry = out->n_entries;
    for (uint64_t i = 0; i < n; i++, entry++) {
        out->line[entry] = (line + i) & last_line;
        out->sectors[entry] = all;
        if (is_store) {
            wm_bytes_set(out->bytes[entry], 0, in_line);
        }
    }
    out->line[entry] = (line + n) & last_line;
    out->sectors[entry] = wm_unit_span(0, last >> coalescer->unit_shift);
    if (is_store) {
        wm_bytes_set(out->bytes[entry], 0, last);
    }
    out->n_entries = entry + 1;
}

/* n_bytes contiguous bytes from address on; as for add_part. */
static inline void add_range(const wm_coalescer *coalescer, wm_coalesced *out,
                             uint32_t start, uint64_t address, uint64_t n_bytes,
                             bool is_store)
{
    uint32_t in_line = (1u << coalescer->line_shift) - 1;
    uint64_t line = address >> coalescer->line_shift;
    uint32_t first = (uint32_t)address & in_line;
    uint64_t end = first + n_bytes - 1;
    if (end <= in_line) {
        add_part(coalescer, out, start, line, first, (uint32_t)end, is_store);
        return;
    }
    add_part(coalescer, out, start, line, first, in_line, is_store);
    add_lines(coalescer, out, line + 1, (end >> coalescer->line_shift) - 1,
              (uint32_t)end & in_line, is_store);
}

/* Lanes with holes in the mask, but none between neighbours: one range for
 * each run of lanes.  Runs may overlap where the stride is below the width. */
static void add_runs(const wm_coalescer *coalescer, wm_coalesced *out,
                     uint32_t start, const affine_lanes *lanes, bool is_store)
{
    uint64_t mask = lanes->mask;
    uint64_t done = 0; /* bytes from base on that earlier runs covered */
    uint32_t lane = 0;
    while (mask != 0) {
        uint32_t n_skipped = wm_lowest_bit(mask);
        mask >>= n_skipped;
        lane += n_skipped;
        uint32_t n_run = mask == ~UINT64_C(0) ? 64 : wm_lowest_bit(~mask);
        uint64_t from = lane * lanes->stride;
        uint64_t to = from + (n_run - 1) * lanes->stride + lanes->width;
        from = from < done ? done : from;
        add_range(coalescer, out, start, lanes->base + from, to - from,
                  is_store);
        done = to;
        mask = n_run == 64 ? 0 : mask >> n_run;
        lane += n_run;
    }
}

/* Loads whose lanes each stand in a line of their own, without holes. */
static void add_far_lanes(const wm_coalescer *coalescer, wm_coalesced *out,
                          const affine_lanes *lanes)
{
    uint32_t n_lanes = wm_highest_bit(lanes->mask) + 1;
    uint32_t line_shift = coalescer->line_shift;
    uint32_t unit_shift = coalescer->unit_shift;
    uint64_t in_line = (UINT64_C(1) << line_shift) - 1;
    uint64_t stride = lanes->stride;
    uint64_t *line = out->line + out->n_entries;
    uint8_t *units = out->sectors + out->n_entries;
    for (uint32_t i = 0; i < n_lanes; i++) {
        line[i] = (lanes->base + i * stride) >> line_shift;
    }
    if ((stride & in_line) == 0) {
        memset(units, 1 << ((lanes->base & in_line) >> unit_shift), n_lanes);
    } else {
        uint64_t address = lanes->base;
        for (uint32_t i = 0; i < n_lanes; i++, address += stride) {
            units[i] = (uint8_t)(1u << ((address & in_line) >> unit_shift));
        }
    }
    out->n_entries += n_lanes;
}

/* Lanes apart from one another that do not straddle anything. */
static inline void add_aligned_lanes(const wm_coalescer *coalescer,
                                     wm_coalesced *out,
                                     const affine_lanes *lanes, bool is_store)
{
    wm_open_entry open = wm_open_new(out, lanes->base >> coalescer->line_shift);
    for (uint64_t mask = lanes->mask; mask != 0; mask &= mask - 1) {
        uint64_t address = lanes->base + wm_lowest_bit(mask) * lanes->stride;
        uint64_t line = address >> coalescer->line_shift;
        if (line != open.line) {
            wm_open_close(&open, out, is_store);
            open = wm_open_new(out, line);
        }
        wm_open_mark(&open, coalescer, address, lanes->width, is_store);
    }
    wm_open_close(&open, out, is_store);
}

/* Lanes apart from one another. */
static void add_lanes(const wm_coalescer *coalescer, wm_coalesced *out,
                      uint32_t start, const affine_lanes *lanes, bool is_store)
{
    for (uint64_t mask = lanes->mask; mask != 0; mask &= mask - 1) {
        add_range(coalescer, out, start,
                  lanes->base + wm_lowest_bit(mask) * lanes->stride,
                  lanes->width, is_store);
    }
}

static inline bool is_contiguous(uint64_t mask)
{
    return (mask & (mask + 1)) == 0;
}

static inline void add_affine(const wm_coalescer *coalescer, wm_coalesced *out,
                              uint32_t start, const affine_lanes *lanes,
                              bool is_store)
{
    uint64_t unit = UINT64_C(1) << coalescer->unit_shift;
    uint64_t width = lanes->width;
    /* Lanes at most a unit apart leave no unit out; stores count bytes. */
    uint64_t reach = is_store || width > unit ? width : unit;
    if (lanes->stride == 0) {
        add_range(coalescer, out, start, lanes->base, width, is_store);
    } else if (lanes->stride <= reach) {
        if (is_contiguous(lanes->mask)) {
            uint64_t n_steps = wm_highest_bit(lanes->mask);
            add_range(coalescer, out, start, lanes->base,
                      n_steps * lanes->stride + width, is_store);
        } else {
            add_runs(coalescer, out, start, lanes, is_store);
        }
    } else if (!wm_is_power_of_two(width) ||
               ((lanes->base | lanes->stride) & (width - 1)) != 0) {
        add_lanes(coalescer, out, start, lanes, is_store);
    } else if (!is_store && is_contiguous(lanes->mask) &&
               lanes->stride >> coalescer->line_shift != 0) {
        add_far_lanes(coalescer, out, lanes);
    } else {
        add_aligned_lanes(coalescer, out, lanes, is_store);
    }
}

static uint64_t reverse_bits(uint64_t x)
{
    static const uint64_t halves[6] = {
        UINT64_C(0x5555555555555555), UINT64_C(0x3333333333333333),
        UINT64_C(0x0f0f0f0f0f0f0f0f), UINT64_C(0x00ff00ff00ff00ff),
        UINT64_C(0x0000ffff0000ffff), UINT64_C(0x00000000ffffffff)};
    for (uint32_t i = 0; i < 6; i++) {
        x = (x >> (1u << i) & halves[i]) | (x & halves[i]) << (1u << i);
    }
    return x;
}

static void reverse_entries(wm_coalesced *out, uint32_t start)
{
    uint32_t end = out->n_entries;
    for (uint32_t a = start, b = end - 1; a < b; a++, b--) {
        uint64_t line = out->line[a];
        uint8_t sectors = out->sectors[a];
        uint64_t bytes[2];
        memcpy(bytes, out->bytes[a], sizeof(bytes));
        out->line[a] = out->line[b];
        out->sectors[a] = out->sectors[b];
        memcpy(out->bytes[a], out->bytes[b], sizeof(bytes));
        out->line[b] = line;
        out->sectors[b] = sectors;
        memcpy(out->bytes[b], bytes, sizeof(bytes));
    }
}

/* A group with a falling stride: the same lanes in rising order. */
static void add_falling(const wm_coalescer *coalescer, wm_coalesced *out,
                        uint32_t start, const affine_lanes *lanes,
                        bool is_store)
{
    uint32_t highest = wm_highest_bit(lanes->mask);
    affine_lanes mirror = {
        .base = lanes->base + highest * lanes->stride,
        .stride = 0 - lanes->stride,
        .mask = reverse_bits(lanes->mask) >> (63 - highest),
        .width = lanes->width,
    };
    add_affine(coalescer, out, start, &mirror, is_store);
    reverse_entries(out, start);
}

static inline void add_affine_group(const wm_coalescer *coalescer,
                                    wm_coalesced *out, uint32_t start,
                                    const affine_lanes *lanes, bool is_store)
{
    if ((int64_t)lanes->stride < 0) {
        add_falling(coalescer, out, start, lanes, is_store);
    } else {
        add_affine(coalescer, out, start, lanes, is_store);
    }
}

/* The lanes of group number `group`. */
static uint64_t group_mask(uint32_t split, uint32_t group)
{
    uint32_t first = group * split;
    return first >= 64 ? 0 : wm_low_mask(split) << first;
}

static void add_affine_groups(const wm_coalescer *coalescer, wm_coalesced *out,
                              const wm_access *access, bool is_store)
{
    uint32_t lowest = wm_lowest_bit(access->mask);
    for (uint32_t g = 0; g * coalescer->split < WM_ACCESS_LANES_MAX; g++) {
        uint64_t mask = access->mask & group_mask(coalescer->split, g);
        if (mask == 0) {
            continue;
        }
        uint32_t first = wm_lowest_bit(mask);
        uint64_t stride = (uint64_t)access->stride;
        affine_lanes lanes = {access->base + (first - lowest) * stride, stride,
                              mask >> first, access->width};
        add_affine_group(coalescer, out, out->n_entries, &lanes, is_store);
    }
}

static void add_list(const wm_coalescer *coalescer, wm_coalesced *out,
                     const wm_access *access, bool is_store)
{
    uint64_t room[WM_ACCESS_LANES_MAX];
    uint32_t n_lanes = 0;
    const uint64_t *addresses = wm_access_addresses(access, room, &n_lanes);
    if (coalescer->split == 0) {
        wm_coalesce_list(coalescer, addresses, n_lanes, access->width, is_store,
                         out);
        return;
    }
    uint32_t done = 0;
    for (uint32_t g = 0; done < n_lanes; g++) {
        uint64_t mask = access->mask & group_mask(coalescer->split, g);
        uint32_t n_group = wm_popcount64(mask);
        wm_coalesce_list(coalescer, addresses + done, n_group, access->width,
                         is_store, out);
        done += n_group;
    }
}

/* Bits of all masks together; each mask is below 16. */
static uint32_t count_bits(const uint8_t *masks, uint32_t n)
{
    static const uint8_t bits[16] = {0, 1, 1, 2, 1, 2, 2, 3,
                                     1, 2, 2, 3, 2, 3, 3, 4};
    uint32_t total = 0;
    uint32_t i = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t x;
        memcpy(&x, masks + i, sizeof(x));
        x -= x >> 1 & UINT64_C(0x5555555555555555);
        x = (x & UINT64_C(0x3333333333333333)) +
            (x >> 2 & UINT64_C(0x3333333333333333));
        total += (uint32_t)(x * UINT64_C(0x0101010101010101) >> 56);
    }
    for (; i < n; i++) {
        total += bits[masks[i] & 15];
    }
    return total;
}

/* Every group of `size` bits (1, 2 or 4) of which one is set, whole. */
static uint32_t fill_groups(uint32_t mask, uint32_t size)
{
    if (size >= 2) {
        mask = (mask | mask >> 1) & 0x5u;
        mask |= mask << 1;
    }
    if (size >= 4) {
        mask = mask != 0 ? 0xfu : 0;
    }
    return mask;
}

/* Segment mode: from units to the sectors of the segments touched. */
static void finish_segments(const wm_coalescer *coalescer, wm_coalesced *out)
{
    uint32_t unit_shift = coalescer->unit_shift;
    uint32_t per_segment = 1u << (coalescer->segment_shift - unit_shift);
    uint32_t per_sector = 1u << (coalescer->sector_shift - unit_shift);
    uint32_t n_segments = 0;
    for (uint32_t i = 0; i < out->n_entries; i++) {
        uint32_t units = fill_groups(out->sectors[i], per_segment);
        uint8_t touched = (uint8_t)units;
        n_segments += count_bits(&touched, 1) / per_segment;
        uint32_t sectors = 0;
        for (uint32_t s = 0; s < coalescer->sectors_per_line; s++) {
            uint32_t of_sector = units >> (s * per_sector);
            sectors |=
                (of_sector & ((1u << per_sector) - 1)) != 0 ? 1u << s : 0;
        }
        out->sectors[i] = (uint8_t)sectors;
    }
    out->n_sectors = count_bits(out->sectors, out->n_entries);
    out->n_transactions = n_segments;
}

/* Which sectors of sector_shift the bytes fill. */
static uint8_t full_sectors(const uint64_t bytes[2], uint32_t sector_shift)
{
    if (sector_shift == 5) {
        const uint32_t all = ~UINT32_C(0);
        return (uint8_t)(((uint32_t)bytes[0] == all) |
                         (bytes[0] >> 32 == all) << 1 |
                         ((uint32_t)bytes[1] == all) << 2 |
                         (bytes[1] >> 32 == all) << 3);
    }
    const uint64_t all = ~UINT64_C(0);
    if (sector_shift == 6) {
        return (uint8_t)((bytes[0] == all) | (bytes[1] == all) << 1);
    }
    return (bytes[0] & bytes[1]) == all;
}

static void finish_store(const wm_coalescer *coalescer, wm_coalesced *out)
{
    uint32_t differ = 0;
    for (uint32_t i = 0; i < out->n_entries; i++) {
        out->full[i] = full_sectors(out->bytes[i], coalescer->sector_shift);
        differ |= out->full[i] ^ out->sectors[i];
    }
    out->is_partial = differ != 0;
}

static inline void finish(const wm_coalescer *coalescer, wm_coalesced *out,
                          bool is_store, bool is_sorted)
{
    uint32_t n = out->n_entries;
    if (coalescer->mode == WM_COALESCE_SECTOR) {
        out->n_sectors = count_bits(out->sectors, n);
        out->n_transactions = out->n_sectors;
    } else if (coalescer->mode == WM_COALESCE_LINE) {
        memset(out->sectors, (1 << coalescer->sectors_per_line) - 1, n);
        out->n_sectors = n * coalescer->sectors_per_line;
        out->n_transactions = n;
    } else {
        finish_segments(coalescer, out);
    }
    if (is_store) {
        finish_store(coalescer, out);
    }
    out->n_lines = coalescer->split == 0 ? n : wm_count_distinct(out->line, n);
    if (n == 1) {
        out->n_tag_wavefronts = 1;
    } else if (is_sorted) {
        out->n_tag_wavefronts =
            wm_tag_wavefronts_sorted(coalescer->tag_banks, out->line, n);
    } else {
        out->n_tag_wavefronts =
            wm_tag_wavefronts(coalescer->tag_banks, out->line, n);
    }
}

static void clear_counts(wm_coalesced *out)
{
    out->n_entries = 0;
    out->n_sectors = 0;
    out->n_lines = 0;
    out->n_transactions = 0;
    out->n_tag_wavefronts = 0;
    out->n_lanes = 0;
    out->is_partial = false;
}

/* Specialised by the caller's constant is_store. */
static inline void coalesce(const wm_coalescer *coalescer,
                            const wm_access *access, bool is_store,
                            wm_coalesced *out)
{
    uint32_t lowest = wm_lowest_bit(access->mask);
    affine_lanes lanes = {access->base, (uint64_t)access->stride,
                          access->mask >> lowest, access->width};
    out->n_lanes = is_contiguous(lanes.mask) ? wm_highest_bit(lanes.mask) + 1
                                             : wm_popcount64(lanes.mask);
    bool is_affine = access->form == WM_ACCESS_AFFINE &&
                     access->stride <= STRIDE_MAX &&
                     access->stride >= -STRIDE_MAX;
    if (!is_affine) {
        add_list(coalescer, out, access, is_store);
    } else if (coalescer->split == 0) {
        add_affine_group(coalescer, out, 0, &lanes, is_store);
    } else {
        add_affine_groups(coalescer, out, access, is_store);
    }
    finish(coalescer, out, is_store, is_affine && coalescer->split == 0);
}

void wm_coalesce(const wm_coalescer *coalescer, const wm_access *access,
                 bool is_store, wm_coalesced *out)
{
    out->n_entries = 0;
    out->is_partial = false;
    if (access->mask == 0) {
        clear_counts(out);
    } else if (is_store) {
        coalesce(coalescer, access, true, out);
    } else {
        coalesce(coalescer, access, false, out);
    }
}
