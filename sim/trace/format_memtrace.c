/*
 * format_memtrace.c -- reads the print-out of NVBit's mem_trace tool.
 *
 * Access lines come in arrival order, warps and CTAs mixed, after the line of
 * their launch; launch ids are not looked at, because the two kinds of line
 * count them differently.  Two passes: the first counts the lines of each CTA,
 * the second hands out a CTA when its last line has been read.  So memory is a
 * counter per CTA and the records of the CTAs that are open together.
 *
 * Not modelled  time between accesses and dependences: the print-out has
 *               neither.  Head and tail are 0, nothing waits but the exit that
 *               is added to each warp and waits for all its loads, so warps
 *               are limited by bandwidth, not by latency.  Lanes at address 0
 *               cannot be told from lanes that are off.  CTAs without an
 *               access do not show; n_ctas is the number of those that do.
 *
 * The tool prints the hardware's warp slot, not the warp of the CTA: where the
 * slots of a CTA do not fit the block they are renumbered in rising order.
 *
 * Launches that hold nothing but 0xVALUE,0xADDRESS lines: each line is a lane;
 * 32 of them in a row are taken as one 4-byte global load (32-byte lanes when
 * the value has 64 digits), and the loads are dealt to the warps in order, the
 * same number to each.  Warned as memtrace-no-warps.
 */
#include "trace/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "trace/memtrace.h"
#include "trace/memtrace_group.h"
#include "trace/record_check.h"
#include "trace/stream.h"

/* One launch as the first pass found it. */
typedef struct launch_info {
    wm_launch launch;
    char *name;
    uint64_t line;    /* where it starts */
    uint64_t n_lines; /* access lines */
    uint64_t n_bare;
} launch_info;

struct wm_reader {
    wm_stream *stream;
    wm_reader_context context;
    launch_info *launches;
    size_t n_launches, cap_launches;
    size_t next; /* launch that the second pass meets next */
    wm_memtrace_group group;
    const char *text; /* the line that waits; NULL: none read yet */
    size_t n_text;
    wm_memtrace_kind kind;
    bool is_ended;
    bool is_orphaned; /* first pass: behind a launch line that is damaged */
    bool is_in_launch;
    uint64_t n_bare_read; /* of the launch */
    wm_launch launch;     /* with the statics known by now */
};

static wm_status next_line(wm_reader *r, wm_error *err)
{
    while (r->text == NULL && !r->is_ended) {
        wm_status status = wm_stream_line(r->stream, &r->text, &r->n_text, err);
        if (status != WM_OK) {
            return status;
        }
        r->is_ended = r->text == NULL;
        r->kind = r->is_ended ? WM_MEMTRACE_OTHER
                              : wm_memtrace_classify(r->text, r->n_text);
        if (r->kind == WM_MEMTRACE_OTHER || r->kind == WM_MEMTRACE_ALLOC) {
            r->text = NULL;
        }
    }
    return WM_OK;
}

/* A malformed line: an error, or with keep_going a counted loss. */
static wm_status damage(wm_reader *r, const char *fault, wm_error *err)
{
    uint64_t line = wm_stream_line_number(r->stream);
    if (!r->context.options.keep_going) {
        return wm_fail(err, WM_EFORMAT, "%s:%" PRIu64 ": %s", r->context.path,
                       line, fault);
    }
    wm_warn(r->context.diag, "line-skipped", r->context.path,
            "%s:%" PRIu64 ": line skipped: %s", r->context.path, line, fault);
    *r->context.is_complete = false;
    return WM_OK;
}

/* Appends a launch; name may be NULL when no line gives it. */
static launch_info *add_launch(wm_reader *r, const wm_launch *launch,
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
    launch_info *info = &r->launches[r->n_launches++];
    memset(info, 0, sizeof(*info));
    info->launch = *launch;
    info->name = kept;
    info->launch.name = kept;
    info->launch.where = r->context.path;
    info->launch.n_ctas = 0;
    info->line = wm_stream_line_number(r->stream);
    return info;
}

/* The launch that access lines belong to; lines before any launch line get
 * one without a name, as large as they need it. */
static launch_info *current_launch(wm_reader *r)
{
    static const wm_launch none = {.warp_size = WM_MEMTRACE_LANES,
                                   .grid = {1, 1, 1},
                                   .block = {1, 1, 1},
                                   .n_warps_per_cta = 1};
    if (r->n_launches > 0) {
        return &r->launches[r->n_launches - 1];
    }
    wm_warn(r->context.diag, "memtrace-no-launch", r->context.path,
            "%s:%" PRIu64 ": accesses before any LAUNCH line, taken as a "
            "launch of their own",
            r->context.path, wm_stream_line_number(r->stream));
    return add_launch(r, &none, NULL);
}

static wm_status count_access(wm_reader *r, wm_error *err)
{
    wm_memtrace_access access;
    const char *fault =
        wm_memtrace_access_line(r->text, r->n_text, true, &access);
    if (fault != NULL) {
        return damage(r, fault, err);
    }
    launch_info *info = current_launch(r);
    bool is_new = false;
    if (info == NULL ||
        !wm_memtrace_group_count(&r->group, (uint32_t)(r->n_launches - 1),
                                 access.cta, 1, &is_new)) {
        return wm_fail_memory(err);
    }
    info->n_lines++;
    info->launch.n_ctas += is_new;
    bool is_unnamed = info->name[0] == '\0';
    for (size_t i = 0; is_unnamed && i < 3; i++) {
        if (access.cta[i] >= info->launch.grid[i]) {
            info->launch.grid[i] =
                access.cta[i] < UINT32_MAX ? access.cta[i] + 1 : UINT32_MAX;
        }
    }
    if (is_unnamed && access.warp >= info->launch.n_warps_per_cta) {
        info->launch.n_warps_per_cta = access.warp + 1;
        info->launch.block[0] = (access.warp + 1) * WM_MEMTRACE_LANES;
    }
    return WM_OK;
}

static wm_status count_launch(wm_reader *r, wm_error *err)
{
    wm_launch launch;
    wm_word name;
    const char *fault = wm_memtrace_launch(r->text, r->n_text, &launch, &name);
    r->is_orphaned = fault != NULL;
    if (fault != NULL) {
        return damage(r, fault, err);
    }
    if (r->n_launches >= UINT32_MAX || add_launch(r, &launch, &name) == NULL) {
        return wm_fail_memory(err);
    }
    return WM_OK;
}

/* First pass. */
static wm_status count_lines(wm_reader *r, wm_error *err)
{
    wm_status status = next_line(r, err);
    while (status == WM_OK && r->text != NULL) {
        if (r->kind == WM_MEMTRACE_LAUNCH) {
            status = count_launch(r, err);
        } else if (r->is_orphaned) {
            status = WM_OK;
        } else if (r->kind == WM_MEMTRACE_ACCESS) {
            status = count_access(r, err);
        } else {
            launch_info *info = current_launch(r);
            status = info == NULL ? wm_fail_memory(err) : WM_OK;
            if (info != NULL) {
                info->n_bare++;
            }
        }
        r->text = NULL;
        if (status == WM_OK) {
            status = next_line(r, err);
        }
    }
    return status;
}

/* How many 32-lane loads of bare lines each warp of the launch gets. */
static uint64_t bare_per_warp(const launch_info *info, uint64_t *n_warps)
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

/* Gives the bare loads of each such launch to CTAs, as counts. */
static wm_status deal_bare(wm_reader *r, uint32_t number, wm_error *err)
{
    launch_info *info = &r->launches[number];
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

static wm_status memtrace_next_command(wm_reader *r, wm_command *out,
                                       wm_error *err)
{
    memset(out, 0, sizeof(*out));
    out->kind = WM_COMMAND_END;
    r->is_in_launch = false;
    wm_memtrace_group_drop(&r->group);
    for (;;) {
        wm_status status = next_line(r, err);
        if (status != WM_OK || r->text == NULL) {
            return status;
        }
        bool is_start =
            r->next < r->n_launches &&
            r->launches[r->next].line == wm_stream_line_number(r->stream);
        r->text = is_start && r->kind != WM_MEMTRACE_LAUNCH ? r->text : NULL;
        if (is_start) {
            break;
        }
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
    wm_memtrace_access access;
    const char *fault =
        wm_memtrace_access_line(r->text, r->n_text, true, &access);
    uint32_t number = (uint32_t)(r->next - 1);
    if (fault != NULL) {
        return WM_OK; /* counted as a loss in the first pass */
    }
    wm_memtrace_cta *cta =
        wm_memtrace_group_find(&r->group, number, access.cta);
    fault = wm_memtrace_access_line(r->text, r->n_text, false, &access);
    if (fault != NULL) {
        wm_status status = damage(r, fault, err);
        if (status != WM_OK) {
            return status;
        }
    } else {
        if (wm_memtrace_is_unknown(&r->group, &access)) {
            wm_warn(
                r->context.diag, "opcode-unknown", r->context.path,
                "%s:%" PRIu64 ": opcode %.*s is not known, its kind is "
                "guessed",
                r->context.path, wm_stream_line_number(r->stream),
                (int)(access.opcode.n_bytes < 40 ? access.opcode.n_bytes : 40),
                access.opcode.text);
        }
        if (!wm_memtrace_group_add(&r->group, cta, &access)) {
            return wm_fail_memory(err);
        }
    }
    *done = wm_memtrace_group_step(cta) ? cta : NULL;
    return WM_OK;
}

/* Gathers up to 32 bare lines into one load, then adds it. */
static wm_status feed_bare(wm_reader *r, wm_memtrace_cta **done, wm_error *err)
{
    const launch_info *info = &r->launches[r->next - 1];
    wm_memtrace_access *access = &r->group.bare;
    uint64_t address = 0;
    uint32_t width = 4;
    uint64_t n_warps = 0;
    if (info->n_lines > 0) {
        return WM_OK; /* program output among access lines */
    }
    uint32_t lane = (uint32_t)(r->n_bare_read % WM_MEMTRACE_LANES);
    const char *fault = wm_memtrace_bare(r->text, r->n_text, &address, &width);
    if (lane == 0) {
        memset(access, 0, sizeof(*access));
    }
    if (fault != NULL) {
        wm_status status = damage(r, fault, err);
        if (status != WM_OK) {
            return status;
        }
    } else if (address != 0) {
        access->addresses[wm_popcount64(access->mask)] = address;
        access->mask |= UINT32_C(1) << lane;
        access->n_traced = width;
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

static wm_status memtrace_next_cta(wm_reader *r, wm_cta *cta, bool *has_cta,
                                   wm_error *err)
{
    wm_memtrace_cta *done = NULL;
    *has_cta = false;
    while (r->is_in_launch && done == NULL) {
        wm_status status = next_line(r, err);
        if (status != WM_OK) {
            return status;
        }
        if (r->text == NULL || r->kind == WM_MEMTRACE_LAUNCH) {
            r->is_in_launch = false;
            return WM_OK;
        }
        status = r->kind == WM_MEMTRACE_ACCESS ? feed_access(r, &done, err)
                                               : feed_bare(r, &done, err);
        r->text = NULL;
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

static const wm_launch *memtrace_launch(const wm_reader *reader)
{
    return &reader->launch;
}

static void memtrace_close(wm_reader *reader)
{
    if (reader == NULL) {
        return;
    }
    wm_stream_close(reader->stream);
    wm_memtrace_group_fini(&reader->group);
    for (size_t i = 0; i < reader->n_launches; i++) {
        free(reader->launches[i].name);
    }
    free(reader->launches);
    free(reader);
}

static wm_status memtrace_open(wm_stream *stream,
                               const wm_reader_context *context,
                               wm_reader **out, wm_error *err)
{
    *out = NULL;
    wm_reader *r = calloc(1, sizeof(*r));
    if (r == NULL) {
        wm_stream_close(stream);
        return wm_fail_memory(err);
    }
    r->stream = stream;
    r->context = *context;
    r->launch.name = "";
    r->launch.where = context->path;
    wm_memtrace_group_init(&r->group);
    wm_status status = count_lines(r, err);
    for (size_t i = 0; status == WM_OK && i < r->n_launches; i++) {
        if (r->launches[i].n_lines == 0 && r->launches[i].n_bare > 0) {
            status = deal_bare(r, (uint32_t)i, err);
        }
    }
    if (status == WM_OK) {
        status = wm_stream_rewind(stream, err);
    }
    if (status != WM_OK) {
        memtrace_close(r);
        return status;
    }
    r->is_ended = false;
    *out = r;
    return WM_OK;
}

/* A MEMTRACE line, the tracer's banner, or value,address lines. */
static int memtrace_sniff(const uint8_t *head, size_t n_bytes)
{
    const char *at = (const char *)head;
    const char *end = at + n_bytes;
    int score = 0;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t n = (size_t)((stop == NULL ? end : stop) - at);
        wm_memtrace_kind kind = wm_memtrace_classify(at, n);
        if ((n >= 9 && memcmp(at, "MEMTRACE:", 9) == 0) ||
            kind == WM_MEMTRACE_LAUNCH) {
            return 90;
        }
        if (kind == WM_MEMTRACE_BARE) {
            score = score > 60 ? score : 60;
        } else if (n > 20 && memcmp(at, "------------- NVBit ", 20) == 0) {
            score = score > 50 ? score : 50;
        }
        at = stop == NULL ? end : stop + 1;
    }
    return score;
}

extern const wm_format wm_format_memtrace;
const wm_format wm_format_memtrace = {
    .name = "memtrace",
    .summary = "print-out of NVBit's mem_trace",
    .sniff = memtrace_sniff,
    .open = memtrace_open,
    .next_command = memtrace_next_command,
    .next_cta = memtrace_next_cta,
    .launch = memtrace_launch,
    .close = memtrace_close,
};
