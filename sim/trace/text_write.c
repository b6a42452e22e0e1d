/*
 * text_write.c -- see text_write.h.  Fields that are 0, or as the static
 * instruction says, are left out.
 */
#include "trace/text_write.h"

#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "trace/record_check.h"

const char *wm_text_copy_name(wm_copy_kind kind)
{
    static const char *const names[] = {
        [WM_COPY_HOST_TO_DEVICE] = "HtoD",
        [WM_COPY_DEVICE_TO_HOST] = "DtoH",
        [WM_COPY_DEVICE_TO_DEVICE] = "DtoD",
        [WM_COPY_SET] = "set",
    };
    return names[kind];
}

const char *wm_text_flag_name(uint32_t bit)
{
    static const char *const names[] = {"bypass_l1", "continued",
                                        "evict_first"};
    return bit < sizeof(names) / sizeof(names[0]) ? names[bit] : NULL;
}

/* Names may hold any byte: what would break the line is written \xNN. */
static void add_escaped(wm_buffer *buffer, const char *text)
{
    size_t n = strlen(text);
    for (size_t i = 0; i < n; i++) {
        uint8_t c = (uint8_t)text[i];
        bool is_edge = c == ' ' && (i == 0 || i + 1 == n);
        if (c < 0x20 || c == 0x7f || c == '\\' || is_edge ||
            wm_text_is_c1(text, i)) {
            wm_buffer_printf(buffer, "\\x%02x", c);
        } else {
            wm_buffer_add(buffer, &text[i], 1);
        }
    }
}

static void add_flags(wm_buffer *buffer, uint8_t flags)
{
    const char *separator = "";
    if (flags == 0 || flags >> 3 != 0) {
        wm_buffer_printf(buffer, flags == 0 ? " flags -" : " flags 0x%x",
                         (unsigned)flags);
        return;
    }
    wm_buffer_puts(buffer, " flags ");
    for (uint32_t bit = 0; bit < 3; bit++) {
        if ((flags >> bit & 1) != 0) {
            wm_buffer_printf(buffer, "%s%s", separator, wm_text_flag_name(bit));
            separator = ",";
        }
    }
}

void wm_text_add_head(wm_buffer *buffer)
{
    wm_buffer_puts(buffer, WM_TEXT_HEAD "\n");
}

void wm_text_add_copy(wm_buffer *buffer, const wm_copy *copy)
{
    wm_buffer_printf(buffer, "copy %s 0x%" PRIx64 " %" PRIu64 "\n",
                     wm_text_copy_name(copy->kind), copy->addr, copy->n_bytes);
}

void wm_text_add_launch(wm_buffer *buffer, const wm_launch *launch)
{
    wm_launch derived = *launch;
    wm_launch_set_counts(&derived);
    wm_buffer_printf(
        buffer,
        "launch grid %" PRIu32 ",%" PRIu32 ",%" PRIu32 " block %" PRIu32
        ",%" PRIu32 ",%" PRIu32 " shared %" PRIu32 " regs %" PRIu32
        " warp %" PRIu32 " sm %" PRIu32 " stream %" PRIu64
        " shared_base 0x%" PRIx64 " local_base 0x%" PRIx64,
        launch->grid[0], launch->grid[1], launch->grid[2], launch->block[0],
        launch->block[1], launch->block[2], launch->shared_bytes,
        launch->registers, launch->warp_size, launch->sm_version,
        launch->stream, launch->shared_base, launch->local_base);
    if (launch->n_ctas != derived.n_ctas) {
        wm_buffer_printf(buffer, " ctas %" PRIu64, launch->n_ctas);
    }
    if (launch->n_warps_per_cta != derived.n_warps_per_cta) {
        wm_buffer_printf(buffer, " warps %" PRIu32, launch->n_warps_per_cta);
    }
    wm_buffer_puts(buffer, " name ");
    add_escaped(buffer, launch->name);
    wm_buffer_puts(buffer, "\n");
}

void wm_text_add_statics(wm_buffer *buffer, const wm_launch *launch,
                         uint32_t first)
{
    for (uint32_t i = first; i < launch->n_statics; i++) {
        const wm_static *item = &launch->statics[i];
        wm_buffer_printf(buffer, "static %" PRIu32 " %s pc 0x%" PRIx64, i,
                         wm_kind_name((wm_kind)item->kind), item->pc);
        if (item->line != 0) {
            wm_buffer_printf(buffer, " line %" PRIu32, item->line);
        }
        if (item->width != 0) {
            wm_buffer_printf(buffer, " width %u", (unsigned)item->width);
        }
        if (item->flags != 0) {
            add_flags(buffer, item->flags);
        }
        wm_buffer_puts(buffer, " opcode ");
        add_escaped(buffer, item->opcode == NULL ? "" : item->opcode);
        wm_buffer_puts(buffer, "\n");
    }
}

static void add_address(wm_buffer *buffer, const wm_record *record,
                        const uint32_t *lanes)
{
    uint32_t n = wm_popcount64(record->mask);
    if (record->pattern == WM_PATTERN_AFFINE) {
        if (record->base != 0 || record->u.stride != 0) {
            wm_buffer_printf(buffer, " 0x%" PRIx64, record->base);
        }
        if (record->u.stride != 0) {
            wm_buffer_printf(buffer, " %+" PRId32, record->u.stride);
        }
    } else if (record->pattern == WM_PATTERN_LIST32) {
        wm_buffer_printf(buffer, " list 0x%" PRIx64, record->base);
        for (uint32_t i = 0; i < n; i++) {
            wm_buffer_printf(buffer, " %+" PRId32,
                             (int32_t)lanes[record->u.list + i]);
        }
    } else {
        wm_buffer_printf(buffer, " list64 0x%" PRIx64, record->base);
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t *pair = &lanes[record->u.list + 2 * i];
            wm_buffer_printf(buffer, " 0x%" PRIx64,
                             (uint64_t)pair[1] << 32 | pair[0]);
        }
    }
}

static void add_record(wm_buffer *buffer, const wm_launch *launch,
                       const wm_cta *cta, const wm_record *record)
{
    static const wm_static none = {.kind = WM_KIND_COUNT};
    const wm_static *item = record->static_id < launch->n_statics
                                ? &launch->statics[record->static_id]
                                : &none;
    wm_buffer_printf(buffer, "  %" PRIu32 " %0*" PRIx64, record->static_id,
                     launch->warp_size == 64 ? 16 : 8, record->mask);
    add_address(buffer, record, cta->lanes);
    if (record->head_cycles != 0) {
        wm_buffer_printf(buffer, " head %u/%u", (unsigned)record->head_cycles,
                         (unsigned)record->head_slots);
    }
    if (record->wait != 0) {
        wm_buffer_printf(buffer, " wait 0x%" PRIx32, record->wait);
    }
    if (record->tail_cycles != 0) {
        wm_buffer_printf(buffer, " tail %u/%u", (unsigned)record->tail_cycles,
                         (unsigned)record->tail_slots);
    }
    if (record->kind != item->kind) {
        wm_buffer_printf(buffer, " kind %s",
                         wm_kind_name((wm_kind)record->kind));
    }
    if (record->width != item->width) {
        wm_buffer_printf(buffer, " width %u", (unsigned)record->width);
    }
    if (record->flags != item->flags) {
        add_flags(buffer, record->flags);
    }
    wm_buffer_puts(buffer, "\n");
}

void wm_text_add_cta(wm_buffer *buffer, const wm_launch *launch,
                     const wm_cta *cta)
{
    const wm_work *work = &cta->work;
    size_t n_records = 0;
    for (uint32_t w = 0; w < cta->n_warps; w++) {
        n_records += cta->warps[w].n_records;
    }
    wm_buffer_printf(buffer,
                     "cta %" PRIu32 ",%" PRIu32 ",%" PRIu32 " warps %" PRIu32
                     " records %zu other %" PRIu64 " flops %" PRIu64 ",%" PRIu64
                     ",%" PRIu64 ",%" PRIu64 "\n",
                     cta->id[0], cta->id[1], cta->id[2], cta->n_warps,
                     n_records, work->n_other, work->flops_fp16,
                     work->flops_fp32, work->flops_fp64, work->flops_tensor);
    for (uint32_t w = 0; w < cta->n_warps; w++) {
        const wm_warp_span *span = &cta->warps[w];
        if (span->n_records == 0) {
            continue;
        }
        wm_buffer_printf(buffer, "warp %" PRIu32 "\n", w);
        for (uint32_t i = 0; i < span->n_records; i++) {
            add_record(buffer, launch, cta, &cta->records[span->first + i]);
        }
    }
}
