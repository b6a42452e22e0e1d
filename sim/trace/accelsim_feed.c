/*
 * accelsim_feed.c -- instruction lines into records of one warp.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "trace/accelsim.h"
#include "trace/generic.h"

wm_accelsim_place wm_accelsim_here(const wm_reader *reader)
{
    wm_accelsim_place place;
    (void)snprintf(place.text, sizeof(place.text), "%s:%" PRIu64,
                   reader->context.path, wm_stream_line_number(reader->stream));
    return place;
}

wm_status wm_accelsim_next_line(wm_reader *reader, wm_error *err)
{
    const char *text = NULL;
    size_t n = 0;
    reader->text = NULL;
    do {
        wm_status status = wm_stream_line(reader->stream, &text, &n, err);
        if (status != WM_OK) {
            return status;
        }
        if (text == NULL) {
            return WM_OK;
        }
        while (n > 0 && (*text == ' ' || *text == '\t')) {
            text++;
            n--;
        }
    } while (n == 0);
    reader->text = text;
    reader->n_text = n;
    reader->has_newline =
        text[n] == '\n' || (text[n] == '\r' && text[n + 1] == '\n');
    return WM_OK;
}

bool wm_accelsim_starts(const wm_reader *reader, const char *prefix)
{
    size_t n = strlen(prefix);
    return reader->n_text >= n && memcmp(reader->text, prefix, n) == 0;
}

wm_status wm_accelsim_damage(wm_reader *reader, const char *code,
                             const char *sentence, wm_error *err)
{
    if (!reader->context.options.keep_going) {
        return wm_fail(err, WM_EFORMAT, "%s: %s", wm_accelsim_here(reader).text,
                       sentence);
    }
    wm_accelsim_cut(reader, code, sentence);
    return WM_OK;
}

void wm_accelsim_cut(wm_reader *reader, const char *code, const char *sentence)
{
    wm_accelsim_place here = wm_accelsim_here(reader);
    *reader->context.is_complete = false;
    wm_warn(reader->context.diag, code, here.text, "%s", sentence);
}

/* A line that does not parse; columns are counted from 1. */
static wm_status bad_line(wm_reader *reader, wm_error *err)
{
    const wm_accelsim_line *line = &reader->line;
    const char *code = "line-skipped";
    wm_accelsim_place here = wm_accelsim_here(reader);
    char found[192];
    int n = 0;
    if (!reader->has_newline) {
        return wm_accelsim_damage(reader, code,
                                  "the file ends in the middle of a line, "
                                  "wanted a whole instruction",
                                  err);
    }
    if (line->at == NULL) {
        return wm_accelsim_damage(reader, code, line->problem, err);
    }
    while (n < 40 && (unsigned char)line->at[n] > ' ') {
        n++;
    }
    (void)snprintf(found, sizeof(found), "found \"%.*s\", wanted %s", n,
                   line->at, line->problem);
    if (reader->context.options.keep_going) {
        wm_accelsim_cut(reader, code, found);
        return WM_OK;
    }
    return wm_fail(err, WM_EFORMAT, "%s:%zu: %s", here.text,
                   (size_t)(line->at - reader->text) + 1, found);
}

/* Warns with the place of the first occurrence only: this may run often. */
static void warn_first(wm_reader *reader, bool *has_warned, const char *code,
                       const char *sentence)
{
    wm_accelsim_place here = {{0}};
    if (!*has_warned) {
        here = wm_accelsim_here(reader);
        *has_warned = true;
    }
    wm_warn(reader->context.diag, code, here.text, "%s", sentence);
}

static void count_work(wm_cta *cta, const wm_opcode *opcode, uint32_t mask)
{
    uint64_t n = (uint64_t)opcode->flops_per_lane * wm_popcount64(mask);
    cta->work.n_other++;
    cta->work.flops_fp16 += opcode->precision == WM_PRECISION_FP16 ? n : 0;
    cta->work.flops_fp32 += opcode->precision == WM_PRECISION_FP32 ? n : 0;
    cta->work.flops_fp64 += opcode->precision == WM_PRECISION_FP64 ? n : 0;
    cta->work.flops_tensor += mask != 0 ? opcode->flops_tensor : 0;
}

/* Makes addresses[] hold the active lanes' addresses, whatever the mode. */
static void expand(wm_accelsim_line *line, uint64_t mask)
{
    if (line->mode != WM_ACCELSIM_STRIDE || mask == 0) {
        return;
    }
    uint32_t first = wm_lowest_bit(mask);
    uint64_t rest = mask;
    for (uint32_t n = 0; rest != 0; n++, rest &= rest - 1) {
        uint64_t steps = wm_lowest_bit(rest) - first;
        line->addresses[n] = line->base + steps * (uint64_t)line->stride;
    }
}

static bool is_misaligned(const wm_accelsim_line *line, const wm_record *record)
{
    uint64_t low = record->width - 1u;
    if (record->mask == 0 || low == 0) {
        return false;
    }
    if (line->mode == WM_ACCELSIM_STRIDE) {
        uint64_t rest = record->mask & (record->mask - 1);
        uint64_t stride = rest != 0 ? (uint64_t)line->stride : 0;
        return ((line->base | stride) & low) != 0;
    }
    uint64_t bits = 0;
    for (uint32_t n = 0; n < wm_popcount64(record->mask); n++) {
        bits |= line->addresses[n];
    }
    return (bits & low) != 0;
}

/* Addresses into one record; the usual affine line is not expanded. */
static bool set_addresses(wm_accelsim_line *line, wm_cta *cta,
                          wm_record *record)
{
    bool is_small = line->stride >= INT32_MIN && line->stride <= INT32_MAX;
    if (line->mode == WM_ACCELSIM_STRIDE && record->mask != 0 && is_small) {
        bool is_single = (record->mask & (record->mask - 1)) == 0;
        record->pattern = WM_PATTERN_AFFINE;
        record->base = line->base;
        record->u.stride = is_single ? 0 : (int32_t)line->stride;
        return true;
    }
    expand(line, record->mask);
    return wm_record_set_addresses(cta, record, line->addresses);
}

static bool set_parts(wm_reader *reader, wm_cta *cta, const wm_opcode *opcode,
                      const wm_record *whole, wm_record *parts,
                      uint32_t *n_parts)
{
    const wm_launch *launch = &reader->launch;
    if (!opcode->is_generic || whole->mask == 0) {
        parts[0] = *whole;
        *n_parts = 1;
        return set_addresses(&reader->line, cta, &parts[0]);
    }
    if (!wm_generic_has_window(launch->shared_base) ||
        !wm_generic_has_window(launch->local_base)) {
        warn_first(reader, &reader->has_warned_window, "generic-window-missing",
                   "generic access, and the header names no shared or local "
                   "window: taken as global where it cannot be told");
    }
    expand(&reader->line, whole->mask);
    return wm_generic_split(launch, cta, whole, reader->line.addresses, parts,
                            n_parts);
}

/* A memory access: its lanes are settled here. */
static bool feed_memory(wm_reader *reader, wm_cta *cta, wm_distil *d,
                        wm_static_entry *entry, const wm_accelsim_form *form)
{
    const wm_accelsim_line *line = &reader->line;
    wm_record whole;
    wm_record parts[WM_GENERIC_PARTS_MAX];
    uint32_t n_parts = 0;
    memset(&whole, 0, sizeof(whole));
    whole.kind = form->kind;
    whole.width = form->width;
    whole.flags = entry->opcode.flags;
    whole.mask = line->mask & wm_low_mask(entry->opcode.n_lanes_used);
    whole.static_id =
        wm_statics_number(&reader->statics, entry, (wm_kind)form->kind,
                          form->width, form->source_line);
    if (is_misaligned(line, &whole)) {
        warn_first(reader, &reader->has_warned_misaligned, "misaligned",
                   "address not a multiple of the access's width: hardware "
                   "refuses it");
    }
    return whole.static_id != WM_STATIC_NONE &&
           set_parts(reader, cta, &entry->opcode, &whole, parts, &n_parts) &&
           wm_distil_record(d, cta, &form->use, parts, n_parts);
}

static bool feed_barrier(wm_reader *reader, wm_cta *cta, wm_distil *d,
                         wm_static_entry *entry, const wm_accelsim_form *form)
{
    wm_record barrier;
    memset(&barrier, 0, sizeof(barrier));
    barrier.kind = WM_KIND_BARRIER;
    barrier.mask = reader->line.mask;
    barrier.static_id = wm_statics_number(
        &reader->statics, entry, WM_KIND_BARRIER, 0, form->source_line);
    return barrier.static_id != WM_STATIC_NONE &&
           wm_distil_record(d, cta, &form->use, &barrier, 1);
}

/* Everything else: arithmetic, control, exits. */
static bool feed_other(wm_reader *reader, wm_cta *cta, wm_distil *d,
                       wm_static_entry *entry, const wm_accelsim_form *form)
{
    count_work(cta, &entry->opcode, reader->line.mask);
    if (form->role == WM_ACCELSIM_COMMIT) {
        wm_distil_commit(d);
    }
    if (form->role == WM_ACCELSIM_EXIT) {
        reader->exit_id = wm_statics_number(&reader->statics, entry,
                                            WM_KIND_EXIT, 0, form->source_line);
        if (reader->exit_id == WM_STATIC_NONE) {
            return false;
        }
    }
    if (d->keeps_all) {
        d->static_id = wm_statics_number(&reader->statics, entry,
                                         (wm_kind)entry->opcode.kind, 0,
                                         form->source_line);
    }
    return d->static_id != WM_STATIC_NONE && wm_distil_pass(d, cta, &form->use);
}

static void warn_unknown(wm_reader *reader, const wm_static_entry *entry)
{
    char sentence[160];
    (void)snprintf(sentence, sizeof(sentence),
                   "opcode %.60s has a memory width but is not known: taken "
                   "as %s",
                   entry->text, wm_kind_name((wm_kind)entry->opcode.guess));
    warn_first(reader, &reader->has_warned_opcode, "opcode-unknown", sentence);
}

void wm_accelsim_warp_init(const wm_reader *reader, wm_accelsim_warp *warp)
{
    wm_distil_init(&warp->distil);
    warp->distil.keeps_all = reader->context.options.keep_all;
    warp->last = WM_ACCELSIM_FORM_NONE;
}

void wm_accelsim_warp_start(wm_accelsim_warp *warp)
{
    wm_distil_start(&warp->distil);
    warp->last = WM_ACCELSIM_FORM_NONE;
}

/* The line is as the instruction expected next: no need to parse but what
 * follows its width. */
static bool match_next(wm_reader *reader, const wm_accelsim_warp *warp)
{
    wm_accelsim_line *line = &reader->line;
    uint32_t next = warp->last == WM_ACCELSIM_FORM_NONE
                        ? 0 /* as the kernel began */
                        : reader->forms[warp->last].next;
    if (next >= reader->n_forms) {
        return false;
    }
    const wm_accelsim_form *form = &reader->forms[next];
    const char *start = wm_accelsim_line_start(&reader->layout, reader->text);
    if (start == NULL ||
        !wm_accelsim_form_match(form, start,
                                reader->n_text - (size_t)(start - reader->text),
                                &line->mask)) {
        return false;
    }
    line->width = form->traced;
    line->mode = WM_ACCELSIM_LIST;
    reader->at = next;
    return form->traced == 0 ||
           (wm_accelsim_line_rest(&reader->layout, start + form->n_text,
                                  line) &&
            line->mode != WM_ACCELSIM_BULK);
}

/* Finds or adds the form of a line that was parsed. */
static wm_status find_form(wm_reader *reader, wm_error *err)
{
    const wm_accelsim_line *line = &reader->line;
    wm_static_entry *entry = wm_statics_find(&reader->statics, line->pc,
                                             line->opcode, line->n_opcode);
    if (entry == NULL && reader->statics.n_entries >= WM_STATICS_MAX) {
        return wm_fail(err, WM_EFORMAT,
                       "%s: more than %u static instructions in one kernel",
                       wm_accelsim_here(reader).text, WM_STATICS_MAX);
    }
    if (entry == NULL ||
        !wm_grow(&reader->forms, &reader->cap_forms, reader->statics.n_entries,
                 sizeof(*reader->forms))) {
        return wm_fail_memory(err);
    }
    reader->at = (uint32_t)(entry - reader->statics.entries);
    /* The end of a warp may have added an entry, which no line has shown. */
    for (; reader->n_forms < reader->statics.n_entries; reader->n_forms++) {
        reader->forms[reader->n_forms].n_text = 0;
        reader->forms[reader->n_forms].next = WM_ACCELSIM_FORM_NONE;
    }
    wm_accelsim_form *form = &reader->forms[reader->at];
    size_t n_line = reader->n_text - (size_t)(line->start - reader->text);
    wm_accelsim_form_set(form, &entry->opcode, line, n_line);
    return WM_OK;
}

wm_status wm_accelsim_parse(wm_reader *reader, wm_accelsim_warp *warp,
                            bool *is_parsed, wm_error *err)
{
    *is_parsed = true;
    if (!match_next(reader, warp)) {
        *is_parsed = wm_accelsim_line_parse(&reader->layout, reader->text,
                                            &reader->line);
        wm_status status =
            *is_parsed ? find_form(reader, err) : bad_line(reader, err);
        if (status != WM_OK || !*is_parsed) {
            return status;
        }
        if (warp->last != WM_ACCELSIM_FORM_NONE) {
            reader->forms[warp->last].next = reader->at;
        }
    }
    warp->last = reader->at;
    return WM_OK;
}

wm_status wm_accelsim_feed(wm_reader *reader, wm_cta *cta,
                           wm_accelsim_warp *warp, wm_error *err)
{
    wm_static_entry *entry = &reader->statics.entries[reader->at];
    wm_accelsim_form *form = &reader->forms[reader->at];
    wm_distil *d = &warp->distil;
    bool is_off = reader->line.mask == 0;
    bool is_fed = false;
    form->use.is_off = is_off;
    switch ((wm_accelsim_role)form->role) {
    case WM_ACCELSIM_UNKNOWN:
        warn_unknown(reader, entry);
        is_fed = feed_memory(reader, cta, d, entry, form);
        break;
    case WM_ACCELSIM_MEMORY:
        is_fed = feed_memory(reader, cta, d, entry, form);
        break;
    case WM_ACCELSIM_BULK_COPY:
        wm_warn(reader->context.diag, "tma-ignored",
                wm_accelsim_here(reader).text,
                "bulk copy (TMA): counted as an instruction, its traffic is "
                "not modelled");
        is_fed = feed_other(reader, cta, d, entry, form);
        break;
    case WM_ACCELSIM_BARRIER:
        is_fed = is_off ? feed_other(reader, cta, d, entry, form)
                        : feed_barrier(reader, cta, d, entry, form);
        break;
    case WM_ACCELSIM_COMMIT:
    case WM_ACCELSIM_EXIT:
    case WM_ACCELSIM_OTHER:
        is_fed = feed_other(reader, cta, d, entry, form);
        break;
    }
    return is_fed ? WM_OK : wm_fail_memory(err);
}

wm_status wm_accelsim_end_warp(wm_reader *reader, wm_cta *cta,
                               wm_accelsim_warp *warp, wm_error *err)
{
    uint32_t id = reader->exit_id;
    if (id == WM_STATIC_NONE) {
        wm_static_entry *entry =
            wm_statics_find(&reader->statics, 0, "EXIT", 4);
        if (entry != NULL) {
            id = wm_statics_number(&reader->statics, entry, WM_KIND_EXIT, 0, 0);
        }
    }
    if (id == WM_STATIC_NONE || !wm_distil_finish(&warp->distil, cta, id)) {
        return wm_fail_memory(err);
    }
    return WM_OK;
}

wm_status wm_accelsim_grow_warps(wm_reader *reader, wm_cta *cta, uint32_t warp,
                                 wm_error *err)
{
    uint32_t n = warp + 1 > reader->launch.n_warps_per_cta
                     ? warp + 1
                     : reader->launch.n_warps_per_cta;
    if (warp >= WM_ACCELSIM_WARPS_MAX) {
        return wm_fail(err, WM_EFORMAT, "%s: warp %u, wanted less than %u",
                       wm_accelsim_here(reader).text, warp,
                       WM_ACCELSIM_WARPS_MAX);
    }
    if (warp >= reader->launch.n_warps_per_cta) {
        warn_first(reader, &reader->has_warned_warp, "warp-outside-block",
                   "a warp that the block's threads do not reach");
    }
    if (n <= cta->n_warps) {
        return WM_OK;
    }
    if (!wm_grow(&cta->warps, &cta->cap_warps, n, sizeof(*cta->warps))) {
        return wm_fail_memory(err);
    }
    memset(cta->warps + cta->n_warps, 0,
           (n - cta->n_warps) * sizeof(*cta->warps));
    cta->n_warps = n;
    return WM_OK;
}
