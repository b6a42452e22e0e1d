/*
 * accelsim_write.c -- see accelsim_write.h.
 *
 * Registers: R2 is every address, R6 links instructions of a gap into chains
 * (accelsim_gap.c), from R8 on loads take theirs in turn, far enough apart for
 * the widest.  Asynchronous copies take none where groups can say what waits
 * for them (accelsim_groups.c).
 */
#include "trace/accelsim_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "trace/accelsim_gap.h"
#include "trace/accelsim_groups.h"
#include "trace/opcode.h"
#include "trace/record_check.h"

#define ADDRESS_REGISTER 2u
#define FIRST_REGISTER   8u
#define REGISTER_STEP    8u /* 32 bytes */
#define N_LOAD_REGISTERS 30u
#define SOURCES_MAX      4u /* what Accel-Sim reads */

void wm_accelsim_out_init(wm_accelsim_out *out)
{
    memset(out, 0, sizeof(*out));
    wm_buffer_init(&out->text);
    wm_buffer_init(&out->lines);
}

void wm_accelsim_out_fini(wm_accelsim_out *out)
{
    wm_buffer_fini(&out->text);
    wm_buffer_fini(&out->lines);
    free(out->groups.ends);
}

static void add_name(wm_buffer *text, const char *name)
{
    for (; *name != '\0'; name++) {
        char c = (unsigned char)*name < ' ' ? ' ' : *name;
        wm_buffer_add(text, &c, 1);
    }
}

wm_status wm_accelsim_out_head(wm_accelsim_out *out, const wm_launch *launch,
                               uint64_t number, wm_error *err)
{
    if (launch->warp_size != 32) {
        return wm_fail(err, WM_EFORMAT,
                       "%s: warps of %" PRIu32 " lanes, and Accel-Sim text "
                       "has 32",
                       launch->where, launch->warp_size);
    }
    out->has_source_line = false;
    for (uint32_t i = 0; i < launch->n_statics; i++) {
        out->has_source_line |= launch->statics[i].line != 0;
    }
    wm_buffer_puts(&out->text, "-kernel name = ");
    add_name(&out->text, launch->name);
    wm_buffer_printf(
        &out->text,
        "\n-kernel id = %" PRIu64 "\n-grid dim = (%" PRIu32 ",%" PRIu32
        ",%" PRIu32 ")\n-block dim = (%" PRIu32 ",%" PRIu32 ",%" PRIu32
        ")\n-shmem = %" PRIu32 "\n-nregs = %" PRIu32
        "\n-binary version = %" PRIu32 "\n-cuda stream id = %" PRIu64
        "\n-shmem base_addr = 0x%016" PRIx64
        "\n-local mem base_addr = 0x%016" PRIx64
        "\n-nvbit version = none\n-accelsim tracer version = 5\n"
        "-enable lineinfo = %d\n\n#traces format = %sPC mask dest_num "
        "[reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] "
        "[mem_addresses] immediate\n\n",
        number, launch->grid[0], launch->grid[1], launch->grid[2],
        launch->block[0], launch->block[1], launch->block[2],
        launch->shared_bytes, launch->registers, launch->sm_version,
        launch->stream, launch->shared_base, launch->local_base,
        out->has_source_line, out->has_source_line ? "[line_num] " : "");
    return WM_OK;
}

/* The registers of the loads that the wait mask names, each once. */
static void find_awaited(const wm_accelsim_out *out, uint32_t wait,
                         wm_sources *awaited)
{
    bool is_in[256] = {false};
    awaited->n = 0;
    for (; wait != 0; wait &= wait - 1) {
        uint32_t age = wm_lowest_bit(wait);
        if (age >= out->n_loads) {
            continue;
        }
        uint8_t r = out->load_register[(out->n_loads - 1 - age) % 32];
        if (r != 0 && !is_in[r]) {
            is_in[r] = true;
            wm_accelsim_read(awaited, r);
        }
    }
}

/* Instructions that read awaited registers, three each, until at most n_max
 * registers are left over.  Returns how many instructions. */
static uint32_t add_stalls(wm_accelsim_out *out, wm_sources *awaited,
                           uint32_t n_max, uint32_t *n_idle)
{
    uint32_t n_lines = 0;
    while (awaited->n > n_max) {
        wm_sources from = {0, {0}};
        uint32_t none = 0;
        while (awaited->n > 0 && from.n < 3) {
            wm_accelsim_read(&from, awaited->registers[--awaited->n]);
        }
        wm_accelsim_add_slot(out, &from, awaited->n > n_max ? &none : n_idle);
        n_lines++;
    }
    return n_lines;
}

/* How the head of a record's gap is made of instructions. */
static wm_accelsim_idle idle_of(const wm_record *record)
{
    return record->wait != 0          ? WM_IDLE_WITHIN
           : record->tail_cycles != 0 ? WM_IDLE_AT_END
                                      : WM_IDLE_ANYWHERE;
}

/* The slots of a record's gap but for the record's own, when that is one. */
static void gap_slots(const wm_record *record, uint32_t *n_head,
                      uint32_t *n_tail)
{
    const bool is_slot = record->kind == WM_KIND_EXIT;
    *n_head = record->head_slots;
    *n_tail = record->tail_slots;
    if (is_slot && *n_tail > 0) {
        --*n_tail;
    } else if (is_slot && *n_head > 0) {
        --*n_head;
    }
}

/* Cycles of the next head that are to be prepared for in this gap: that of the
 * next record, or of one behind records without gaps. */
static void look_ahead(wm_accelsim_out *out)
{
    const wm_record *next = out->next;
    uint32_t n_head = 0, n_tail = 0, n_between = 0;
    while (next < out->end && next->head_cycles == 0 && next->wait == 0 &&
           next->tail_cycles == 0 && n_between < WM_ACCELSIM_AHEAD_MAX) {
        n_between += (next->flags & WM_FLAG_CONTINUED) == 0;
        next++;
    }
    if (next < out->end && next->kind != WM_KIND_GAP) {
        gap_slots(next, &n_head, &n_tail);
        wm_accelsim_look_ahead(out, n_head,
                               (uint32_t)(next->head_cycles - next->head_slots),
                               idle_of(next), n_between);
    }
}

/*
 * The gap before a record.  What is left in *awaited the record's own line has
 * to read, at most n_max registers.
 */
static void add_record_gap(wm_accelsim_out *out, const wm_record *record,
                           uint32_t n_max, wm_sources *awaited)
{
    uint32_t n_head = 0, n_tail = 0;
    gap_slots(record, &n_head, &n_tail);
    find_awaited(out, record->wait, awaited);
    if (wm_accelsim_groups_end(out, record, n_head)) {
        wm_accelsim_add_commit(out);
        n_head -= n_head > 0;
    }
    out->ahead.n_idle = 0;
    if (record->wait == 0 && n_tail == 0 && record->kind != WM_KIND_GAP) {
        look_ahead(out);
    }
    wm_accelsim_add_gap(out, n_head,
                        (uint32_t)(record->head_cycles - record->head_slots),
                        idle_of(record));
    uint32_t n_idle = (uint32_t)(record->tail_cycles - record->tail_slots);
    uint32_t n = wm_accelsim_add_await(out, record->wait);
    n += add_stalls(out, awaited, n_tail > n ? 0 : n_max, &n_idle);
    if (n_tail != 0 && record->kind != WM_KIND_GAP) {
        look_ahead(out);
    }
    wm_accelsim_add_gap(out, n_tail > n ? n_tail - n : 0, n_idle,
                        WM_IDLE_ANYWHERE);
    out->ahead.n_idle = 0;
}

/* --- memory ----------------------------------------------------------------
 */

static bool is_write(uint8_t kind)
{
    return kind == WM_KIND_GLOBAL_STORE || kind == WM_KIND_LOCAL_STORE ||
           kind == WM_KIND_SHARED_STORE || kind == WM_KIND_GLOBAL_REDUCTION;
}

/* True when a reader makes of the opcode what the record says. */
static bool is_fitting(const wm_opcode *opcode, const wm_record *record)
{
    uint8_t kind =
        wm_kind_is_memory((wm_kind)opcode->kind) ? opcode->kind : opcode->guess;
    bool is_same = opcode->is_generic ? is_write(kind) == is_write(record->kind)
                                      : kind == record->kind;
    uint64_t lanes = wm_low_mask(opcode->n_lanes_used);
    return is_same && !opcode->is_tma &&
           wm_opcode_width(opcode, record->width) == record->width &&
           opcode->flags == (record->flags & ~WM_FLAG_CONTINUED) &&
           (record->mask & ~lanes) == 0;
}

/* An opcode that says what the record says. */
static void make_opcode(const wm_record *record, char text[40])
{
    static const char *const bases[] = {
        "LDG.E", "STG.E",    "ATOMG.E.ADD", "RED.E.ADD", "LDL",
        "STL",   "LDGSTS.E", "LDS",         "STS",       "ATOMS.ADD"};
    const char *width = record->width == 1    ? ".U8"
                        : record->width == 2  ? ".U16"
                        : record->width == 8  ? ".64"
                        : record->width == 16 ? ".128"
                        : record->width == 32 ? ".256"
                                              : "";
    (void)snprintf(
        text, 40, "%s%s%s%s", bases[record->kind],
        (record->flags & WM_FLAG_EVICT_FIRST) != 0 ? ".EF" : "", width,
        (record->flags & WM_FLAG_BYPASS_L1) != 0 ? ".STRONG.GPU" : "");
}

/* Where a part of a generic access lies in the generic space. */
static uint64_t window_of(const wm_launch *launch, uint8_t kind)
{
    return kind >= WM_KIND_SHARED_LOAD ? launch->shared_base
           : kind == WM_KIND_LOCAL_LOAD || kind == WM_KIND_LOCAL_STORE
               ? launch->local_base
               : 0;
}

/* mode and addresses of parts[0 .. n-1], as one access. */
static void add_addresses(wm_accelsim_out *out, const wm_record *parts,
                          uint32_t n_parts, bool is_generic, uint64_t mask)
{
    uint64_t addresses[WM_LANES_MAX];
    uint64_t run = mask >> (mask == 0 ? 0 : wm_lowest_bit(mask));
    bool is_run = (run & (run + 1)) == 0 && run > 1;
    wm_buffer *lines = &out->lines;
    if (mask == 0) {
        wm_buffer_puts(lines, "1 0x0 0 ");
        return;
    }
    if (n_parts == 1 && !is_generic && is_run &&
        parts->pattern == WM_PATTERN_AFFINE) {
        wm_buffer_printf(lines, "1 0x%" PRIx64 " %" PRId32 " ", parts->base,
                         parts->u.stride);
        return;
    }
    bool is_list = false;
    for (uint32_t p = 0; p < n_parts; p++) {
        uint64_t base = is_generic ? window_of(out->launch, parts[p].kind) : 0;
        is_list |= parts[p].pattern == WM_PATTERN_LIST64;
        for (uint64_t m = parts[p].mask; m != 0; m &= m - 1) {
            uint32_t lane = wm_lowest_bit(m);
            addresses[lane] =
                base + wm_record_address(&parts[p], out->cta->lanes, lane);
        }
    }
    uint64_t last = addresses[wm_lowest_bit(mask)];
    wm_buffer_printf(lines, is_list ? "0 0x%" PRIx64 " " : "2 0x%" PRIx64 " ",
                     last);
    for (uint64_t m = mask & (mask - 1); m != 0; m &= m - 1) {
        uint64_t at = addresses[wm_lowest_bit(m)];
        if (is_list) {
            wm_buffer_printf(lines, "0x%" PRIx64 " ", at);
        } else {
            wm_buffer_printf(lines, "%" PRId64 " ", (int64_t)(at - last));
        }
        last = at;
    }
}

/* Counts the loads and gives them the next register; 0: there is none. */
static uint32_t take_register(wm_accelsim_out *out, const wm_record *parts,
                              uint32_t n_parts)
{
    uint32_t number =
        FIRST_REGISTER + REGISTER_STEP * (out->n_writes % N_LOAD_REGISTERS);
    bool is_load = false;
    if (parts->kind == WM_KIND_ASYNC_COPY && out->groups.is_used) {
        out->load_register[out->n_loads++ % 32] = 0;
        wm_accelsim_groups_copy(out, out->number);
        return 0;
    }
    for (uint32_t p = 0; p < n_parts; p++) {
        if (wm_kind_is_load((wm_kind)parts[p].kind)) {
            is_load = true;
            out->load_register[out->n_loads++ % 32] = (uint8_t)number;
        }
    }
    out->n_writes += is_load;
    return is_load ? number : 0;
}

static wm_status add_memory(wm_accelsim_out *out, const wm_static *item,
                            const wm_record *parts, uint32_t n_parts,
                            wm_error *err)
{
    wm_opcode opcode;
    char made[40];
    const char *text = item->opcode == NULL ? "" : item->opcode;
    wm_sources from = {0, {0}};
    wm_sources awaited;
    uint64_t mask = 0;
    if (parts->width == 0 || !wm_is_power_of_two(parts->width)) {
        return wm_fail(err, WM_EFORMAT,
                       "%s: an access of %u bytes a lane, and Accel-Sim text "
                       "has powers of two",
                       out->launch->where, (unsigned)parts->width);
    }
    for (uint32_t p = 0; p < n_parts; p++) {
        mask |= parts[p].mask;
    }
    wm_opcode_parse(text, strlen(text), &opcode);
    if (*text < 'A' || *text > 'Z' || !is_fitting(&opcode, parts)) {
        make_opcode(parts, made);
        text = made;
        opcode.is_generic = false;
    }
    add_record_gap(out, parts, 2, &awaited);
    wm_accelsim_read_chain(out, &from);
    if (from.n == 0) {
        wm_accelsim_read(&from, ADDRESS_REGISTER);
    }
    if (parts->kind == WM_KIND_ASYNC_COPY) {
        wm_accelsim_read(&from, ADDRESS_REGISTER);
    } else if (is_write(parts->kind)) {
        wm_accelsim_read(&from, 255);
    }
    while (awaited.n > 0) {
        wm_accelsim_read(&from, awaited.registers[--awaited.n]);
    }
    wm_accelsim_begin_line(out, (uint32_t)mask,
                           take_register(out, parts, n_parts), text, &from);
    wm_buffer_printf(&out->lines, "%u ", (unsigned)parts->width);
    add_addresses(out, parts, n_parts, opcode.is_generic, mask);
    wm_buffer_puts(&out->lines, "0\n");
    return WM_OK;
}

/* --- records ---------------------------------------------------------------
 */

/* Barriers and exits; an exit is itself the last slot of its gap. */
static void add_control(wm_accelsim_out *out, const wm_record *record)
{
    bool is_exit = record->kind == WM_KIND_EXIT;
    wm_sources from = {0, {0}};
    wm_sources awaited;
    add_record_gap(out, record, SOURCES_MAX - 1, &awaited);
    wm_accelsim_read_chain(out, &from);
    while (awaited.n > 0) {
        wm_accelsim_read(&from, awaited.registers[--awaited.n]);
    }
    bool is_empty = record->mask == 0;
    wm_accelsim_begin_line(
        out, is_empty ? WM_ACCELSIM_ALL_LANES : (uint32_t)record->mask, 0,
        is_exit ? "EXIT" : "BAR.SYNC", &from);
    wm_buffer_puts(&out->lines, "0 0\n");
}

/* A gap that is one instruction keeps its name. */
static void add_other(wm_accelsim_out *out, const wm_static *item,
                      const wm_record *record)
{
    wm_sources awaited;
    wm_opcode opcode;
    uint32_t none = 0;
    const char *text = item->opcode == NULL ? "" : item->opcode;
    wm_opcode_parse(text, strlen(text), &opcode);
    bool is_one = record->head_slots + record->tail_slots == 1 &&
                  item->kind == WM_KIND_GAP && opcode.kind == WM_KIND_GAP &&
                  *text >= 'A' && *text <= 'Z';
    if (!is_one || opcode.flops_per_lane != 0 || opcode.flops_tensor != 0 ||
        opcode.waits_for_copies || opcode.commits_copies) {
        add_record_gap(out, record, 0, &awaited);
        return;
    }
    find_awaited(out, record->wait, &awaited);
    (void)add_stalls(out, &awaited, 3, &none);
    wm_accelsim_read_chain(out, &awaited);
    wm_accelsim_begin_line(out, WM_ACCELSIM_ALL_LANES, 0, text, &awaited);
    wm_buffer_puts(&out->lines, "0 0\n");
}

static wm_status add_records(wm_accelsim_out *out, const wm_warp_span *span,
                             wm_error *err)
{
    static const wm_static none = {.kind = WM_KIND_COUNT};
    wm_status status = WM_OK;
    const wm_record *record = &out->cta->records[span->first];
    const wm_record *end = record + span->n_records;
    out->end = end;
    if (!wm_accelsim_groups_plan(out, record, span->n_records)) {
        return wm_fail_memory(err);
    }
    while (status == WM_OK && record < end) {
        out->number = span->n_records - (uint32_t)(end - record);
        const wm_static *item = record->static_id < out->launch->n_statics
                                    ? &out->launch->statics[record->static_id]
                                    : &none;
        uint32_t n_parts = 1;
        out->pc = item->pc;
        out->source_line = item->line;
        if (wm_kind_is_memory((wm_kind)record->kind)) {
            while (record + n_parts < end &&
                   (record[n_parts].flags & WM_FLAG_CONTINUED) != 0 &&
                   n_parts < 3) {
                n_parts++;
            }
        }
        out->next = record + n_parts;
        if (wm_kind_is_memory((wm_kind)record->kind)) {
            status = add_memory(out, item, record, n_parts, err);
        } else if (record->kind == WM_KIND_GAP) {
            add_other(out, item, record);
        } else {
            add_control(out, record);
        }
        record += n_parts;
    }
    return status;
}

static wm_status add_warp(wm_accelsim_out *out, uint32_t warp, wm_error *err)
{
    wm_buffer_clear(&out->lines);
    out->n_lines = 0;
    out->n_loads = out->n_writes = 0;
    out->chain_distance = out->n_made_ahead = 0;
    wm_status status = add_records(out, &out->cta->warps[warp], err);
    wm_buffer_printf(&out->text, "\nwarp = %" PRIu32 "\ninsts = %" PRIu64 "\n",
                     warp, out->n_lines);
    if (out->lines.n_bytes > 0) {
        wm_buffer_add(&out->text, out->lines.bytes, out->lines.n_bytes);
    }
    return status == WM_OK && (out->lines.is_failed || out->text.is_failed)
               ? wm_fail_memory(err)
               : status;
}

wm_status wm_accelsim_out_cta(wm_accelsim_out *out, const wm_launch *launch,
                              const wm_cta *cta, wm_error *err)
{
    wm_status status = WM_OK;
    out->launch = launch;
    out->cta = cta;
    out->left = cta->work;
    wm_buffer_printf(&out->text,
                     "#BEGIN_TB\n\nthread block = %" PRIu32 ",%" PRIu32
                     ",%" PRIu32 "\n",
                     cta->id[0], cta->id[1], cta->id[2]);
    for (uint32_t w = 0; status == WM_OK && w < cta->n_warps; w++) {
        if (cta->warps[w].n_records > 0) {
            status = add_warp(out, w, err);
        }
    }
    wm_buffer_puts(&out->text, "\n#END_TB\n\n");
    return status;
}
