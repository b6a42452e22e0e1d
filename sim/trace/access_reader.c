/*
 * access_reader.c -- see access_reader.h.
 */
#include "trace/access_reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "trace/record_check.h"

static wm_status next_item(wm_reader *r, wm_error *err)
{
    if (r->has_item) {
        return WM_OK;
    }
    r->item.fault = NULL;
    r->item.path = NULL;
    r->item.has_place = false;
    wm_status status = r->dialect->next(r, r->is_counting, err);
    r->has_item = status == WM_OK;
    r->n_items++;
    return status;
}

/* A malformed item: an error, or with keep_going a counted loss. */
static wm_status damage(wm_reader *r, wm_error *err)
{
    const wm_access_item *item = &r->item;
    const char *path = item->path == NULL ? r->context.path : item->path;
    if (!r->context.options.keep_going) {
        return wm_fail(err, WM_EFORMAT, "%s:%" PRIu64 ": %s", path, item->line,
                       item->fault);
    }
    wm_warn(r->context.diag, "line-skipped", r->context.path,
            "%s:%" PRIu64 ": line skipped: %s", path, item->line, item->fault);
    *r->context.is_complete = false;
    return WM_OK;
}

/* --- first pass ------------------------------------------------------------
 */

/* Appends a launch; name may be NULL when nothing gives it. */
static wm_access_launch *add_launch(wm_reader *r, const wm_launch *launch,
                                    const wm_word *name)
{
    size_t n = name == NULL ? 0 : name->n_bytes;
    char *kept = malloc(n + 1);
    if (kept == NULL || !wm_grow(&r->launches, &r->cap_launches,
                                 r->n_launches + 1, sizeof(*r->launches))) {
        free(kept);
        return NULL;
    }
    if (n > 0) {
        memcpy(kept, name->text, n);
    }
    kept[n] = '\0';
    wm_access_launch *info = &r->launches[r->n_launches++];
    memset(info, 0, sizeof(*info));
    info->launch = *launch;
    info->name = kept;
    info->is_inferred = launch->grid[0] == 0;
    if (info->is_inferred) {
        for (size_t i = 0; i < 3; i++) {
            info->launch.grid[i] = info->launch.block[i] = 1;
        }
        info->launch.n_warps_per_cta = 1;
    }
    info->launch.name = kept;
    info->launch.where = r->context.path;
    info->launch.n_ctas = 0;
    info->item = r->n_items;
    return info;
}

/* The launch that accesses belong to; those before any launch get one without
 * a name. */
static wm_access_launch *current_launch(wm_reader *r)
{
    static const wm_launch none = {.warp_size = WM_MEMTRACE_LANES};
    if (r->n_launches > 0) {
        return &r->launches[r->n_launches - 1];
    }
    wm_warn(r->context.diag, "memtrace-no-launch", r->context.path,
            "%s:%" PRIu64 ": accesses before any LAUNCH line, taken as a "
            "launch of their own",
            r->context.path, r->item.line);
    return add_launch(r, &none, NULL);
}

/* Makes an inferred launch as large as the access needs it. */
static void stretch(wm_launch *launch, const wm_memtrace_access *access)
{
    for (size_t i = 0; i < 3; i++) {
        if (access->cta[i] >= launch->grid[i]) {
            launch->grid[i] =
                access->cta[i] < UINT32_MAX ? access->cta[i] + 1 : UINT32_MAX;
        }
    }
    if (access->warp >= launch->n_warps_per_cta) {
        launch->n_warps_per_cta = access->warp + 1;
        launch->block[0] = (access->warp + 1) * WM_MEMTRACE_LANES;
    }
}

static wm_status count_access(wm_reader *r, wm_error *err)
{
    if (r->item.fault != NULL && !r->item.has_place) {
        return damage(r, err);
    }
    const wm_memtrace_access *access = &r->item.access;
    wm_access_launch *info = current_launch(r);
    bool is_new = false;
    if (info == NULL ||
        !wm_memtrace_group_count(&r->group, (uint32_t)(r->n_launches - 1),
                                 access->cta, 1, &is_new)) {
        return wm_fail_memory(err);
    }
    info->n_accesses++;
    info->launch.n_ctas += is_new;
    if (info->is_inferred) {
        stretch(&info->launch, access);
    }
    return WM_OK;
}

static wm_status count_launch(wm_reader *r, wm_error *err)
{
    r->is_orphaned = r->item.fault != NULL;
    if (r->is_orphaned) {
        return damage(r, err);
    }
    if (r->n_launches >= UINT32_MAX ||
        add_launch(r, &r->item.launch, &r->item.name) == NULL) {
        return wm_fail_memory(err);
    }
    return WM_OK;
}

static wm_status count_bare(wm_reader *r, wm_error *err)
{
    wm_access_launch *info = current_launch(r);
    if (info == NULL) {
        return wm_fail_memory(err);
    }
    info->n_bare++;
    return WM_OK;
}

static wm_status count_items(wm_reader *r, wm_error *err)
{
    wm_status status = next_item(r, err);
    while (status == WM_OK && r->item.kind != WM_ITEM_END) {
        if (r->item.kind == WM_ITEM_LAUNCH) {
            status = count_launch(r, err);
        } else if (!r->is_orphaned) {
            status = r->item.kind == WM_ITEM_ACCESS ? count_access(r, err)
                                                    : count_bare(r, err);
        }
        r->has_item = false;
        if (status == WM_OK) {
            status = next_item(r, err);
        }
    }
    r->has_item = false;
    return status;
}

/* How many 32-lane loads of bare items each warp of the launch gets. */
static uint64_t bare_per_warp(const wm_access_launch *info, uint64_t *n_warps)
{
    uint64_t n_ctas = wm_extent_product(info->launch.grid);
    uint64_t n_loads =
        (info->n_bare + WM_MEMTRACE_LANES - 1) / WM_MEMTRACE_LANES;
    *n_warps = info->launch.n_warps_per_cta;
    if (*n_warps == 0 || *n_warps > WM_WARPS_PER_CTA_MAX) {
        *n_warps = *n_warps == 0 ? 1 : WM_WARPS_PER_CTA_MAX;
    }
    if (n_ctas == 0 || n_ctas > n_loads / *n_warps) {
        return 1;
    }
    uint64_t n_total = n_ctas * *n_warps;
    return (n_loads + n_total - 1) / n_total;
}

/* Gives the bare loads of such a launch to CTAs, as counts. */
static wm_status deal_bare(wm_reader *r, uint32_t number, wm_error *err)
{
    wm_access_launch *info = &r->launches[number];
    uint64_t n_warps = 0;
    uint64_t per_cta = bare_per_warp(info, &n_warps) * n_warps;
    uint64_t n_left =
        (info->n_bare + WM_MEMTRACE_LANES - 1) / WM_MEMTRACE_LANES;
    wm_warn(r->context.diag, "memtrace-no-warps", r->context.path,
            "%s: lines of value and address without CTA and warp: 32 in a row "
            "are taken as one load, dealt to the warps in order",
            r->context.path);
    for (uint64_t cta = 0; n_left > 0; cta++) {
        uint64_t n = n_left < per_cta ? n_left : per_cta;
        uint32_t id[3];
        bool is_new = false;
        wm_memtrace_cta_id(info->launch.grid, cta, id);
        if (!wm_memtrace_group_count(&r->group, number, id, n, &is_new)) {
            return wm_fail_memory(err);
        }
        info->launch.n_ctas++;
        n_left -= n;
    }
    return WM_OK;
}

/* --- second pass -----------------------------------------------------------
 */

wm_status wm_access_next_command(wm_reader *r, wm_command *out, wm_error *err)
{
    memset(out, 0, sizeof(*out));
    out->kind = WM_COMMAND_END;
    r->is_in_launch = false;
    wm_memtrace_group_drop(&r->group);
    for (bool is_start = false; !is_start;) {
        wm_status status = next_item(r, err);
        if (status != WM_OK || r->item.kind == WM_ITEM_END) {
            return status;
        }
        is_start =
            r->next < r->n_launches && r->launches[r->next].item == r->n_items;
        r->has_item = is_start && r->item.kind != WM_ITEM_LAUNCH;
    }
    r->launch = r->launches[r->next++].launch;
    r->is_in_launch = true;
    r->n_bare_read = 0;
    wm_statics_clear(&r->group.statics);
    out->kind = WM_COMMAND_LAUNCH;
    out->launch = r->launch;
    return WM_OK;
}

static wm_status feed_access(wm_reader *r, wm_memtrace_cta **done,
                             wm_error *err)
{
    const wm_access_item *item = &r->item;
    const wm_memtrace_access *access = &item->access;
    if (item->fault != NULL && !item->has_place) {
        return WM_OK; /* counted as a loss in the first pass */
    }
    wm_memtrace_cta *cta =
        wm_memtrace_group_find(&r->group, (uint32_t)(r->next - 1), access->cta);
    if (item->fault != NULL) {
        wm_status status = damage(r, err);
        if (status != WM_OK) {
            return status;
        }
    } else {
        if (wm_memtrace_is_unknown(&r->group, access)) {
            size_t n = access->opcode.n_bytes;
            wm_warn(r->context.diag, "opcode-unknown", r->context.path,
                    "%s:%" PRIu64 ": opcode %.*s is not known, its kind is "
                    "guessed",
                    r->context.path, item->line, (int)(n < 40 ? n : 40),
                    access->opcode.text);
        }
        if (!wm_memtrace_group_add(&r->group, cta, access)) {
            return wm_fail_memory(err);
        }
    }
    *done = wm_memtrace_group_step(cta) ? cta : NULL;
    return WM_OK;
}

/* Gathers up to 32 bare items into one load, then adds it. */
static wm_status feed_bare(wm_reader *r, wm_memtrace_cta **done, wm_error *err)
{
    const wm_access_launch *info = &r->launches[r->next - 1];
    wm_memtrace_access *access = &r->group.bare;
    uint64_t n_warps = 0;
    if (info->n_accesses > 0) {
        return WM_OK; /* program output among access lines */
    }
    uint32_t lane = (uint32_t)(r->n_bare_read % WM_MEMTRACE_LANES);
    if (lane == 0) {
        memset(access, 0, sizeof(*access));
    }
    if (r->item.fault != NULL) {
        wm_status status = damage(r, err);
        if (status != WM_OK) {
            return status;
        }
    } else if (r->item.access.addresses[0] != 0) {
        access->addresses[wm_popcount64(access->mask)] =
            r->item.access.addresses[0];
        access->mask |= UINT32_C(1) << lane;
        access->n_traced = r->item.access.n_traced;
    }
    r->n_bare_read++;
    if (lane + 1 < WM_MEMTRACE_LANES && r->n_bare_read < info->n_bare) {
        return WM_OK;
    }
    uint64_t load = (r->n_bare_read - 1) / WM_MEMTRACE_LANES;
    uint64_t per_warp = bare_per_warp(info, &n_warps);
    wm_memtrace_cta_id(info->launch.grid, load / (per_warp * n_warps),
                       access->cta);
    access->warp = (uint32_t)(load / per_warp % n_warps);
    access->opcode = (wm_word){"UNKNOWN", strlen("UNKNOWN")};
    wm_memtrace_cta *cta =
        wm_memtrace_group_find(&r->group, (uint32_t)(r->next - 1), access->cta);
    if (!wm_memtrace_group_add(&r->group, cta, access)) {
        return wm_fail_memory(err);
    }
    *done = wm_memtrace_group_step(cta) ? cta : NULL;
    return WM_OK;
}

wm_status wm_access_next_cta(wm_reader *r, wm_cta *cta, bool *has_cta,
                             wm_error *err)
{
    wm_memtrace_cta *done = NULL;
    *has_cta = false;
    while (r->is_in_launch && done == NULL) {
        wm_status status = next_item(r, err);
        if (status != WM_OK) {
            return status;
        }
        if (r->item.kind == WM_ITEM_END || r->item.kind == WM_ITEM_LAUNCH) {
            r->is_in_launch = false;
            return WM_OK;
        }
        status = r->item.kind == WM_ITEM_ACCESS ? feed_access(r, &done, err)
                                                : feed_bare(r, &done, err);
        r->has_item = false;
        if (status != WM_OK) {
            return status;
        }
    }
    if (done != NULL) {
        if (!wm_memtrace_group_join(&r->group, done, r->launch.n_warps_per_cta,
                                    cta)) {
            return wm_fail_memory(err);
        }
        r->launch.statics = r->group.statics.list;
        r->launch.n_statics = r->group.statics.n_listed;
        *has_cta = true;
    }
    return WM_OK;
}

const wm_launch *wm_access_launch_of(const wm_reader *reader)
{
    return &reader->launch;
}

void wm_access_close(wm_reader *reader)
{
    if (reader == NULL) {
        return;
    }
    if (reader->state != NULL && reader->dialect->close != NULL) {
        reader->dialect->close(reader);
    }
    wm_stream_close(reader->stream);
    wm_memtrace_group_fini(&reader->group);
    for (size_t i = 0; i < reader->n_launches; i++) {
        free(reader->launches[i].name);
    }
    free(reader->launches);
    free(reader->state);
    free(reader);
}

/* Counts everything, then goes back to the start. */
static wm_status prepare(wm_reader *r, wm_error *err)
{
    r->is_counting = true;
    wm_status status = count_items(r, err);
    r->is_counting = false;
    r->n_items = 0;
    for (size_t i = 0; status == WM_OK && i < r->n_launches; i++) {
        if (r->launches[i].n_accesses == 0 && r->launches[i].n_bare > 0) {
            status = deal_bare(r, (uint32_t)i, err);
        }
    }
    if (status == WM_OK) {
        status = wm_stream_rewind(r->stream, err);
    }
    if (status == WM_OK && r->dialect->rewind != NULL) {
        status = r->dialect->rewind(r, err);
    }
    return status;
}

wm_status wm_access_open(wm_stream *stream, const wm_reader_context *context,
                         const wm_access_dialect *dialect, wm_reader **out,
                         wm_error *err)
{
    *out = NULL;
    wm_reader *r = calloc(1, sizeof(*r));
    if (r == NULL) {
        wm_stream_close(stream);
        return wm_fail_memory(err);
    }
    r->stream = stream;
    r->context = *context;
    r->dialect = dialect;
    r->launch.name = "";
    r->launch.where = context->path;
    r->state = calloc(1, dialect->state_bytes + 1);
    wm_memtrace_group_init(&r->group);
    wm_status status = r->state == NULL ? wm_fail_memory(err) : WM_OK;
    if (status == WM_OK) {
        status = prepare(r, err);
    }
    if (status != WM_OK) {
        wm_access_close(r);
        return status;
    }
    *out = r;
    return WM_OK;
}
