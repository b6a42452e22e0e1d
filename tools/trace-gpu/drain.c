/*
 * drain.c -- records wait, by CTA, for the end of their launch; then they are
 * put in the order of their warps and written.
 */
#include "warpmem_drain.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/status.h"
#include "trace/record.h"
#include "trace/wmt.h"

#define CTAS_MAX     (UINT64_C(1) << 28)
#define STATICS_MAX  (1u << 20)
#define ALL_LOADS    UINT32_MAX /* of wait */
#define OPCODE_BYTES 12u

/* A CTA while its launch runs; warp_of[i] is record i's warp. */
typedef struct drain_cta {
    wm_cta cta;
    uint16_t *warp_of;
    size_t cap_warp_of;
} drain_cta;

struct wm_drain {
    wm_wmt_writer *writer;
    wm_error err;
    bool is_launch_open;
    wm_launch launch;
    char *name;
    drain_cta **ctas; /* NULL: nothing of it yet */
    wm_static *statics;
    size_t cap_statics;
    char (*opcodes)[OPCODE_BYTES];
    size_t cap_opcodes;
    uint32_t n_statics;
    wm_cta sorted;
};

static int outcome(const wm_drain *drain)
{
    return drain->err.status == WM_OK ? 0 : -1;
}

wm_drain *wm_drain_open(const char *path)
{
    wm_drain *drain = calloc(1, sizeof(*drain));
    if (drain != NULL) {
        wm_cta_init(&drain->sorted);
        (void)wm_wmt_create(path, &drain->writer, &drain->err);
    }
    return drain;
}

const char *wm_drain_message(const wm_drain *drain)
{
    return drain->err.status == WM_OK ? "" : drain->err.text;
}

int wm_drain_copy(wm_drain *drain, uint64_t address, uint64_t n_bytes)
{
    wm_copy copy = {WM_COPY_HOST_TO_DEVICE, address, n_bytes};
    if (drain->err.status == WM_OK) {
        (void)wm_wmt_copy(drain->writer, &copy, &drain->err);
    }
    return outcome(drain);
}

static void free_ctas(wm_drain *drain)
{
    for (uint64_t i = 0; drain->ctas != NULL && i < drain->launch.n_ctas; i++) {
        if (drain->ctas[i] != NULL) {
            wm_cta_fini(&drain->ctas[i]->cta);
            free(drain->ctas[i]->warp_of);
            free(drain->ctas[i]);
        }
    }
    free(drain->ctas);
    drain->ctas = NULL;
}

static bool is_extent(const uint32_t extent[3], uint64_t max)
{
    uint64_t product = (uint64_t)extent[0] * extent[1];
    return product != 0 && extent[2] != 0 && product <= max &&
           product * extent[2] <= max;
}

int wm_drain_launch(wm_drain *drain, const wm_drain_launch_info *info)
{
    wm_launch *launch = &drain->launch;
    if (drain->err.status != WM_OK) {
        return -1;
    }
    if (drain->is_launch_open || !is_extent(info->grid, CTAS_MAX) ||
        !is_extent(info->block, 1024)) {
        (void)wm_fail(&drain->err, WM_EUSAGE,
                      "%s: found grid %ux%ux%u, block %ux%ux%u%s, wanted 1 to "
                      "2^28 blocks of 1 to 1024 threads, one launch at a time",
                      info->name, info->grid[0], info->grid[1], info->grid[2],
                      info->block[0], info->block[1], info->block[2],
                      drain->is_launch_open ? " inside another launch" : "");
        return -1;
    }
    free(drain->name);
    size_t n_name = strlen(info->name) + 1;
    drain->name = malloc(n_name);
    *launch = (wm_launch){.name = drain->name,
                          .shared_bytes = info->shared_bytes,
                          .registers = info->registers,
                          .warp_size = WM_DRAIN_LANES,
                          .sm_version = info->sm_version,
                          .where = "a GPU"};
    memcpy(launch->grid, info->grid, sizeof(launch->grid));
    memcpy(launch->block, info->block, sizeof(launch->block));
    launch->n_ctas = (uint64_t)info->grid[0] * info->grid[1] * info->grid[2];
    launch->n_warps_per_cta =
        (info->block[0] * info->block[1] * info->block[2] + WM_DRAIN_LANES -
         1) /
        WM_DRAIN_LANES;
    drain->ctas = calloc(launch->n_ctas, sizeof(drain_cta *));
    drain->n_statics = 0;
    if (drain->name == NULL || drain->ctas == NULL) {
        (void)wm_fail_memory(&drain->err);
        return -1;
    }
    memcpy(drain->name, info->name, n_name);
    drain->is_launch_open = true;
    (void)wm_wmt_launch(drain->writer, launch, &drain->err);
    return outcome(drain);
}

/* The static instruction of a slot: line, pointer, operation and width. */
static bool find_static(wm_drain *drain, const wm_drain_slot *slot,
                        wm_kind kind, uint32_t *id)
{
    static const char *const opcodes[] = {"LDG.E", "STG.E", "ATOMG.E", "RED.E"};
    uint64_t pc = (uint64_t)slot->line << 24 | (uint64_t)slot->pointer << 8 |
                  (uint64_t)slot->op << 6 | wm_popcount64(slot->width - 1u);
    for (*id = 0; *id < drain->n_statics; (*id)++) {
        if (drain->statics[*id].pc == pc) {
            return true;
        }
    }
    if (*id == STATICS_MAX ||
        !wm_grow(&drain->statics, &drain->cap_statics, *id + (size_t)1,
                 sizeof(*drain->statics)) ||
        !wm_grow(&drain->opcodes, &drain->cap_opcodes, *id + (size_t)1,
                 sizeof(*drain->opcodes))) {
        return false;
    }
    drain->n_statics++;
    drain->statics[*id] = (wm_static){.pc = pc,
                                      .line = slot->line,
                                      .kind = (uint8_t)kind,
                                      .width = slot->width};
    (void)snprintf(drain->opcodes[*id], OPCODE_BYTES, "%s%s", opcodes[slot->op],
                   slot->width == 4    ? ""
                   : slot->width == 8  ? ".64"
                   : slot->width == 16 ? ".128"
                   : slot->width == 32 ? ".256"
                   : slot->width == 2  ? ".U16"
                                       : ".U8");
    return true;
}

static bool append(wm_drain *drain, drain_cta *held, const wm_drain_slot *slot)
{
    static const wm_kind kinds[] = {WM_KIND_GLOBAL_LOAD, WM_KIND_GLOBAL_STORE,
                                    WM_KIND_GLOBAL_ATOMIC,
                                    WM_KIND_GLOBAL_REDUCTION};
    wm_cta *cta = &held->cta;
    uint64_t addresses[WM_DRAIN_LANES];
    uint32_t n = 0;
    wm_record record = {.mask = slot->mask,
                        .kind = (uint8_t)kinds[slot->op],
                        .width = slot->width};
    for (uint32_t lane = 0; lane < WM_DRAIN_LANES; lane++) {
        if ((slot->mask >> lane & 1) != 0) {
            addresses[n++] = slot->address[lane];
        }
    }
    if (!find_static(drain, slot, kinds[slot->op], &record.static_id) ||
        !wm_record_set_addresses(cta, &record, addresses) ||
        !wm_grow(&held->warp_of, &held->cap_warp_of, cta->n_records + 1,
                 sizeof(*held->warp_of)) ||
        !wm_grow(&cta->records, &cta->cap_records, cta->n_records + 1,
                 sizeof(*cta->records))) {
        return false;
    }
    held->warp_of[cta->n_records] = (uint16_t)slot->warp;
    cta->records[cta->n_records++] = record;
    return true;
}

static bool is_sound(const wm_drain *drain, const wm_drain_slot *slot)
{
    return slot->block < drain->launch.n_ctas &&
           slot->warp < drain->launch.n_warps_per_cta &&
           slot->op <= WM_DRAIN_REDUCTION && slot->width != 0 &&
           slot->width <= WM_WIDTH_MAX &&
           (slot->width & (slot->width - 1)) == 0;
}

int wm_drain_add(wm_drain *drain, const wm_drain_slot *slot)
{
    if (drain->err.status != WM_OK) {
        return -1;
    }
    if (!drain->is_launch_open || !is_sound(drain, slot)) {
        (void)wm_fail(&drain->err, WM_EFORMAT,
                      "%s: line %" PRIu32 ": found an access of block %" PRIu64
                      ", warp %" PRIu32 ", %u bytes, wanted one of a launch "
                      "of %" PRIu64 " blocks of %" PRIu32
                      " warps, 1 to 32 bytes a lane",
                      drain->name != NULL ? drain->name : "no launch",
                      slot->line, slot->block, slot->warp, slot->width,
                      drain->launch.n_ctas, drain->launch.n_warps_per_cta);
        return -1;
    }
    drain_cta **place = &drain->ctas[slot->block];
    if (*place == NULL) {
        *place = calloc(1, sizeof(**place));
    }
    if (*place == NULL || !append(drain, *place, slot)) {
        (void)wm_fail_memory(&drain->err);
    }
    return outcome(drain);
}

/* A launch's last static instruction. */
static bool add_exit(wm_drain *drain)
{
    if (!wm_grow(&drain->statics, &drain->cap_statics,
                 drain->n_statics + (size_t)1, sizeof(*drain->statics)) ||
        !wm_grow(&drain->opcodes, &drain->cap_opcodes,
                 drain->n_statics + (size_t)1, sizeof(*drain->opcodes))) {
        return false;
    }
    (void)snprintf(drain->opcodes[drain->n_statics], OPCODE_BYTES, "EXIT");
    drain->statics[drain->n_statics++] =
        (wm_static){.pc = UINT64_MAX, .kind = WM_KIND_EXIT};
    for (uint32_t i = 0; i < drain->n_statics; i++) {
        drain->statics[i].opcode = drain->opcodes[i]; /* they may have moved */
    }
    drain->launch.statics = drain->statics;
    drain->launch.n_statics = drain->n_statics;
    return true;
}

static void end_warp(wm_drain *drain, wm_cta *out, uint32_t w)
{
    uint32_t n_threads = drain->launch.block[0] * drain->launch.block[1] *
                         drain->launch.block[2];
    uint32_t n_lanes = n_threads - w * WM_DRAIN_LANES;
    n_lanes = n_lanes < WM_DRAIN_LANES ? n_lanes : WM_DRAIN_LANES;
    out->records[out->n_records++] =
        (wm_record){.mask = wm_low_mask(n_lanes),
                    .static_id = drain->n_statics - 1,
                    .wait = ALL_LOADS,
                    .kind = WM_KIND_EXIT};
    out->work.n_other++;
    out->warps[w].n_records = (uint32_t)out->n_records - out->warps[w].first;
}

/* held's records by warp, each warp's in their order, an exit behind them. */
static bool sort_cta(wm_drain *drain, const drain_cta *held, uint64_t number)
{
    wm_cta *out = &drain->sorted;
    uint32_t n_warps = drain->launch.n_warps_per_cta;
    size_t n = held != NULL ? held->cta.n_records : 0;
    size_t n_lanes = held != NULL ? held->cta.n_lanes : 0;
    wm_cta_clear(out);
    if (!wm_grow(&out->warps, &out->cap_warps, n_warps, sizeof(*out->warps)) ||
        !wm_grow(&out->records, &out->cap_records, n + n_warps,
                 sizeof(*out->records)) ||
        !wm_grow(&out->lanes, &out->cap_lanes, n_lanes + 1,
                 sizeof(*out->lanes))) {
        return false;
    }
    out->id[0] = (uint32_t)(number % drain->launch.grid[0]);
    out->id[1] =
        (uint32_t)(number / drain->launch.grid[0] % drain->launch.grid[1]);
    out->id[2] =
        (uint32_t)(number / drain->launch.grid[0] / drain->launch.grid[1]);
    out->n_warps = n_warps;
    out->n_lanes = n_lanes;
    if (n_lanes != 0) {
        memcpy(out->lanes, held->cta.lanes, n_lanes * sizeof(*out->lanes));
    }
    for (uint32_t w = 0; w < n_warps; w++) {
        out->warps[w].first = (uint32_t)out->n_records;
        for (size_t i = 0; i < n; i++) {
            if (held->warp_of[i] == w) {
                out->records[out->n_records++] = held->cta.records[i];
            }
        }
        end_warp(drain, out, w);
    }
    return true;
}

int wm_drain_launch_end(wm_drain *drain)
{
    if (drain->err.status == WM_OK && !drain->is_launch_open) {
        (void)wm_fail(&drain->err, WM_EUSAGE,
                      "found the end of a launch, wanted its start before");
    }
    if (drain->err.status == WM_OK && !add_exit(drain)) {
        (void)wm_fail_memory(&drain->err);
    }
    for (uint64_t i = 0; drain->err.status == WM_OK && i < drain->launch.n_ctas;
         i++) {
        if (!sort_cta(drain, drain->ctas[i], i)) {
            (void)wm_fail_memory(&drain->err);
        } else {
            (void)wm_wmt_cta(drain->writer, &drain->launch, &drain->sorted,
                             &drain->err);
        }
    }
    free_ctas(drain);
    drain->is_launch_open = false;
    return outcome(drain);
}

int wm_drain_close(wm_drain *drain, char *message, unsigned n_message)
{
    if (drain->err.status == WM_OK && drain->is_launch_open) {
        (void)wm_fail(&drain->err, WM_EUSAGE,
                      "%s: found no end of this launch, wanted one before the "
                      "trace is closed",
                      drain->name);
    }
    if (drain->err.status == WM_OK) {
        (void)wm_wmt_finish(drain->writer, &drain->err);
    } else {
        wm_wmt_abort(drain->writer);
    }
    int result = outcome(drain);
    if (message != NULL && n_message != 0) {
        (void)snprintf(message, n_message, "%s", wm_drain_message(drain));
    }
    free_ctas(drain);
    wm_cta_fini(&drain->sorted);
    free(drain->statics);
    free(drain->opcodes);
    free(drain->name);
    free(drain);
    return result;
}
