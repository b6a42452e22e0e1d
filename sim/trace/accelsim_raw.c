/*
 * accelsim_raw.c -- raw files: the lines of all CTAs and warps are interleaved
 * in arrival order, each with its block and warp in front.
 *
 * Two passes: the first counts the lines of each CTA, the second hands out a
 * CTA when its last line has been read.  So memory is a counter per CTA and
 * the records of the CTAs that are open at the same time.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "trace/accelsim.h"

#define SLOTS_FIRST 256u
#define NO_PC       UINT64_MAX

/* One warp of an open CTA, with a record store of its own. */
typedef struct raw_warp {
    wm_cta part;
    wm_accelsim_warp warp;
    uint64_t copy_pc; /* LDGSTS whose shared side has been seen, or NO_PC */
    bool is_used;
} raw_warp;

typedef struct open_cta {
    struct open_cta *next_free;
    raw_warp **warps;
    size_t cap_warps;
    uint32_t n_warps;
} open_cta;

typedef struct cta_entry {
    uint32_t id[3];
    uint64_t n_lines; /* in the file */
    uint64_t n_read;  /* in the second pass */
    open_cta *open;
} cta_entry;

struct wm_accelsim_raw {
    cta_entry *entries;
    size_t n_entries, cap_entries;
    uint32_t *slots; /* entry + 1; 0 = free */
    uint32_t n_slots;
    open_cta *free_list;
};

static uint32_t slot_of(const wm_accelsim_raw *raw, const uint32_t id[3])
{
    uint64_t low = (uint64_t)id[1] << 32 | id[0];
    return (uint32_t)wm_mix64(low ^ wm_mix64(id[2])) & (raw->n_slots - 1);
}

static bool slots_grow(wm_accelsim_raw *raw)
{
    uint32_t n_slots = raw->n_slots == 0 ? SLOTS_FIRST : raw->n_slots * 2;
    uint32_t *slots = n_slots == 0 ? NULL : calloc(n_slots, sizeof(*slots));
    if (slots == NULL) {
        return false;
    }
    free(raw->slots);
    raw->slots = slots;
    raw->n_slots = n_slots;
    for (size_t i = 0; i < raw->n_entries; i++) {
        uint32_t slot = slot_of(raw, raw->entries[i].id);
        while (slots[slot] != 0) {
            slot = (slot + 1) & (n_slots - 1);
        }
        slots[slot] = (uint32_t)i + 1;
    }
    return true;
}

/* The entry of a CTA, added when it is new; NULL when memory is short. */
static cta_entry *entry_find(wm_accelsim_raw *raw, const uint32_t id[3])
{
    if (2 * (raw->n_entries + 1) > raw->n_slots && !slots_grow(raw)) {
        return NULL;
    }
    uint32_t slot = slot_of(raw, id);
    for (; raw->slots[slot] != 0; slot = (slot + 1) & (raw->n_slots - 1)) {
        cta_entry *entry = &raw->entries[raw->slots[slot] - 1];
        if (memcmp(entry->id, id, sizeof(entry->id)) == 0) {
            return entry;
        }
    }
    if (!wm_grow(&raw->entries, &raw->cap_entries, raw->n_entries + 1,
                 sizeof(*raw->entries))) {
        return NULL;
    }
    cta_entry *entry = &raw->entries[raw->n_entries++];
    memset(entry, 0, sizeof(*entry));
    memcpy(entry->id, id, sizeof(entry->id));
    raw->slots[slot] = (uint32_t)raw->n_entries;
    return entry;
}

static void open_free(open_cta *open)
{
    if (open == NULL) {
        return;
    }
    for (uint32_t i = 0; i < open->n_warps; i++) {
        if (open->warps[i] != NULL) {
            wm_cta_fini(&open->warps[i]->part);
            free(open->warps[i]);
        }
    }
    free(open->warps);
    free(open);
}

void wm_accelsim_raw_free(wm_accelsim_raw *raw)
{
    if (raw == NULL) {
        return;
    }
    for (size_t i = 0; i < raw->n_entries; i++) {
        open_free(raw->entries[i].open);
    }
    while (raw->free_list != NULL) {
        open_cta *next = raw->free_list->next_free;
        open_free(raw->free_list);
        raw->free_list = next;
    }
    free(raw->entries);
    free(raw->slots);
    free(raw);
}

/* A CTA's store: one that is free again, or a new one. */
static open_cta *open_take(wm_accelsim_raw *raw)
{
    open_cta *open = raw->free_list;
    if (open == NULL) {
        return calloc(1, sizeof(*open));
    }
    raw->free_list = open->next_free;
    return open;
}

static raw_warp *warp_take(const wm_reader *reader, open_cta *open,
                           uint32_t warp)
{
    if (warp >= open->n_warps) {
        if (!wm_grow(&open->warps, &open->cap_warps, (size_t)warp + 1,
                     sizeof(*open->warps))) {
            return NULL;
        }
        memset(open->warps + open->n_warps, 0,
               (warp + 1 - open->n_warps) * sizeof(*open->warps));
        open->n_warps = warp + 1;
    }
    raw_warp *taken = open->warps[warp];
    if (taken == NULL) {
        taken = malloc(sizeof(*taken));
        if (taken == NULL) {
            return NULL;
        }
        wm_cta_init(&taken->part);
        wm_accelsim_warp_init(reader, &taken->warp);
        taken->is_used = false;
        open->warps[warp] = taken;
    }
    if (!taken->is_used) {
        wm_cta_clear(&taken->part);
        wm_accelsim_warp_start(&taken->warp);
        taken->copy_pc = NO_PC;
        taken->is_used = true;
    }
    return taken;
}

static bool is_line(const wm_reader *reader)
{
    return reader->text[0] != '#' && reader->text[0] != '-';
}

/* First pass: counts the lines of each CTA. */
static wm_status count_lines(wm_reader *reader, wm_error *err)
{
    uint32_t prefix[4];
    wm_status status = WM_OK;
    while (status == WM_OK && reader->text != NULL) {
        if (is_line(reader)) {
            if (wm_accelsim_line_prefix(reader->text, 4, prefix)) {
                cta_entry *entry = entry_find(reader->raw, prefix);
                if (entry == NULL) {
                    return wm_fail_memory(err);
                }
                entry->n_lines++;
            } else {
                status = wm_accelsim_damage(
                    reader, "line-skipped",
                    "wanted block x, y, z and warp in front of the line", err);
            }
        }
        if (status == WM_OK) {
            status = wm_accelsim_next_line(reader, err);
        }
    }
    return status;
}

static wm_status start(wm_reader *reader, wm_error *err)
{
    reader->has_body = true;
    reader->raw = calloc(1, sizeof(*reader->raw));
    if (reader->raw == NULL) {
        return wm_fail_memory(err);
    }
    if (reader->text != NULL) {
        wm_accelsim_line_probe(&reader->layout, reader->text);
    }
    wm_status status = count_lines(reader, err);
    if (status == WM_OK) {
        status = wm_stream_rewind(reader->stream, err);
    }
    return status;
}

/*
 * LDGSTS has two lines in raw files, one per memory operand.  Grouping keeps
 * the global one, and so does this: the shared side, an offset or an address
 * in the shared window, is dropped; of two empty ones, the first.
 */
static bool is_shared_side(const wm_reader *reader, raw_warp *warp)
{
    const wm_accelsim_line *line = &reader->line;
    if (line->n_opcode < 6 || memcmp(line->opcode, "LDGSTS", 6) != 0 ||
        line->width == 0) {
        return false;
    }
    uint64_t shared = reader->launch.shared_base;
    uint64_t addr =
        line->mode == WM_ACCELSIM_STRIDE ? line->base : line->addresses[0];
    const uint64_t window = UINT64_C(16) << 20;
    bool is_offset = addr < window || (shared != 0 && addr - shared < window);
    bool is_first = line->mask == 0 ? warp->copy_pc != line->pc : is_offset;
    warp->copy_pc = is_first ? line->pc : NO_PC;
    return is_first;
}

/* Copies a warp's records behind those the CTA has. */
static bool append_warp(wm_cta *cta, uint32_t w, const wm_cta *part)
{
    size_t n_records = cta->n_records + part->n_records;
    size_t n_lanes = cta->n_lanes + part->n_lanes;
    if (n_records > UINT32_MAX || n_lanes > UINT32_MAX ||
        !wm_grow(&cta->records, &cta->cap_records, n_records,
                 sizeof(*cta->records)) ||
        !wm_grow(&cta->lanes, &cta->cap_lanes, n_lanes, sizeof(*cta->lanes))) {
        return false;
    }
    for (size_t i = 0; i < part->n_records; i++) {
        wm_record *copy = &cta->records[cta->n_records + i];
        *copy = part->records[i];
        if (copy->pattern != WM_PATTERN_AFFINE) {
            copy->u.list += (uint32_t)cta->n_lanes;
        }
    }
    if (part->n_lanes > 0) {
        memcpy(cta->lanes + cta->n_lanes, part->lanes,
               part->n_lanes * sizeof(*cta->lanes));
    }
    cta->warps[w].first = (uint32_t)cta->n_records;
    cta->warps[w].n_records = (uint32_t)part->n_records;
    cta->work.n_other += part->work.n_other;
    cta->work.flops_fp16 += part->work.flops_fp16;
    cta->work.flops_fp32 += part->work.flops_fp32;
    cta->work.flops_fp64 += part->work.flops_fp64;
    cta->work.flops_tensor += part->work.flops_tensor;
    cta->n_records = n_records;
    cta->n_lanes = n_lanes;
    return true;
}

/* Joins the warps' records into the caller's CTA. */
static wm_status join(wm_reader *reader, cta_entry *entry, wm_cta *cta,
                      wm_error *err)
{
    open_cta *open = entry->open;
    memcpy(cta->id, entry->id, sizeof(cta->id));
    wm_status status = wm_accelsim_grow_warps(
        reader, cta, open->n_warps > 0 ? open->n_warps - 1 : 0, err);
    for (uint32_t w = 0; status == WM_OK && w < open->n_warps; w++) {
        raw_warp *warp = open->warps[w];
        if (warp == NULL || !warp->is_used) {
            continue;
        }
        status = wm_accelsim_end_warp(reader, &warp->part, &warp->warp, err);
        if (status == WM_OK && !append_warp(cta, w, &warp->part)) {
            status = wm_fail_memory(err);
        }
        warp->is_used = false;
    }
    entry->open = NULL;
    open->next_free = reader->raw->free_list;
    reader->raw->free_list = open;
    return status;
}

/* Second pass: one line to its warp. */
static wm_status feed_line(wm_reader *reader, const uint32_t prefix[4],
                           cta_entry *entry, wm_error *err)
{
    if (prefix[3] >= WM_ACCELSIM_WARPS_MAX) {
        return wm_fail(err, WM_EFORMAT, "%s: warp %u, wanted less than %u",
                       wm_accelsim_here(reader).text, prefix[3],
                       WM_ACCELSIM_WARPS_MAX);
    }
    if (entry->open == NULL) {
        entry->open = open_take(reader->raw);
    }
    raw_warp *warp =
        entry->open == NULL ? NULL : warp_take(reader, entry->open, prefix[3]);
    if (warp == NULL) {
        return wm_fail_memory(err);
    }
    bool is_parsed = false;
    wm_status status = wm_accelsim_parse(reader, &warp->warp, &is_parsed, err);
    if (status != WM_OK || !is_parsed || is_shared_side(reader, warp)) {
        return status;
    }
    return wm_accelsim_feed(reader, &warp->part, &warp->warp, err);
}

wm_status wm_accelsim_raw_cta(wm_reader *reader, wm_cta *cta, bool *has_cta,
                              wm_error *err)
{
    uint32_t prefix[4];
    wm_status status = WM_OK;
    if (!reader->has_body) {
        status = start(reader, err);
    }
    while (status == WM_OK) {
        status = wm_accelsim_next_line(reader, err);
        if (status != WM_OK || reader->text == NULL) {
            break;
        }
        if (!is_line(reader) ||
            !wm_accelsim_line_prefix(reader->text, 4, prefix)) {
            continue;
        }
        cta_entry *entry = entry_find(reader->raw, prefix);
        if (entry == NULL) {
            return wm_fail_memory(err);
        }
        entry->n_read++;
        status = feed_line(reader, prefix, entry, err);
        if (status == WM_OK && entry->n_read == entry->n_lines) {
            *has_cta = true;
            return join(reader, entry, cta, err);
        }
    }
    return status;
}
