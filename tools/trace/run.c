/*
 * run.c -- launches, CTAs, and whose turn it is.
 */
#include "run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

#define STATIC_NONE UINT32_MAX
#define SEGMENT_MAX (UINT64_C(1) << 30)

/* A fibre serves one thread after another, for ever.  Threads that never wait
 * for each other share one, which runs a warp's in one go. */
static void run_threads(void *argument)
{
    wm_run *run = argument;
    for (;;) {
        wm_lane *lane = run->lane;
        run->module.entry((uint64_t)(uintptr_t)run->arguments);
        lane->state = WM_LANE_ENDED;
        if (run->n_fibres == 1 && lane + 1 < run->turn_end) {
            run->lane = lane + 1;
        } else {
            wm_run_pass(run);
        }
    }
}

void wm_run_pass(wm_run *run)
{
    wm_lane *lane = run->lane;
    wm_lane *next = lane + 1;
    while (next < run->turn_end && next->state != WM_LANE_READY) {
        next++;
    }
    if (next < run->turn_end && run->n_fibres != 1 && run->status == WM_OK) {
        run->lane = next;
        if (next + 2 < run->turn_end) {
            __builtin_prefetch(next + 2);
            wm_fibre_prefetch(next[1].fibre);
        }
        wm_fibre_pass(lane->fibre, next->fibre);
    } else {
        wm_fibre_yield(lane->fibre);
    }
}

static void set_launch(wm_run *run)
{
    const wm_spec *spec = run->spec;
    wm_launch *launch = &run->launch;
    const uint64_t *image = run->module.image;
    *launch = (wm_launch){.name = spec->kernel,
                          .registers = spec->registers,
                          .warp_size = spec->warp_size,
                          .sm_version = spec->sm_version,
                          .statics = run->statics,
                          .where = spec->path};
    memcpy(launch->grid, spec->grid, sizeof(launch->grid));
    memcpy(launch->block, spec->block, sizeof(launch->block));
    uint64_t n_static = image[WM_IMAGE_DYNAMIC] - image[WM_IMAGE_SHARED];
    launch->shared_bytes = (uint32_t)(n_static + wm_spec_dynamic_bytes(spec));
    launch->n_ctas = (uint64_t)spec->grid[0] * spec->grid[1] * spec->grid[2];
    launch->n_warps_per_cta = run->n_warps;
    memset(run->static_of, 0xff,
           run->events->n * WM_SPACE_COUNT * sizeof(*run->static_of));
    run->exit_static = STATIC_NONE;
}

/* Bounded, so that sums of two never leave their 32 bits. */
static wm_step_part part_of(const wm_segment *segment)
{
    uint64_t all = segment->slots < SEGMENT_MAX ? segment->slots : SEGMENT_MAX;
    uint64_t before = segment->uses != 0 ? segment->before : all;
    before = before < all ? before : all;
    return (wm_step_part){segment->uses,
                          {before | (all - before) << 32, all << 32}};
}

/* Zeroed, at the start of a line of the host's cache. */
static void *lines_of(size_t n, size_t n_each)
{
    void *lines = aligned_alloc(64, n * n_each);
    return lines != NULL ? memset(lines, 0, n * n_each) : NULL;
}

static bool allocate(wm_run *run)
{
    size_t n_statics = run->events->n * WM_SPACE_COUNT + 1;
    run->lanes = lines_of(run->n_lanes, sizeof(*run->lanes));
    run->fibres = lines_of(run->n_fibres, sizeof(*run->fibres));
    run->warps = calloc(run->n_warps, sizeof(*run->warps));
    run->steps = calloc(run->events->n + 1, sizeof(*run->steps));
    run->statics = calloc(n_statics, sizeof(*run->statics));
    run->opcodes = calloc(n_statics, sizeof(*run->opcodes));
    run->static_of = calloc(n_statics, sizeof(*run->static_of));
    bool is_done =
        run->lanes != NULL && run->fibres != NULL && run->warps != NULL &&
        run->steps != NULL && run->statics != NULL && run->opcodes != NULL &&
        run->static_of != NULL && wm_fibre_home_init(&run->home, run->n_fibres);
    for (uint32_t i = 0; is_done && i < run->n_fibres; i++) {
        wm_fibre_init(&run->fibres[i], &run->home, i, run_threads, run);
    }
    return is_done;
}

wm_status wm_run_init(wm_run *run, const wm_spec *spec,
                      const wm_ir_kernel *kernel, const wm_events *events,
                      const wm_arena *arena, const wm_module *module,
                      wm_error *err)
{
    memset(run, 0, sizeof(*run));
    run->spec = spec;
    run->kernel = kernel;
    run->events = events;
    run->arena = arena;
    run->module = *module;
    run->err = err;
    run->n_lanes = spec->block[0] * spec->block[1] * spec->block[2];
    run->n_warps = (run->n_lanes + spec->warp_size - 1) / spec->warp_size;
    /* Threads that never wait for each other share a stack. */
    run->n_fibres = events->has_meetings ? run->n_lanes : 1;
    wm_cta_init(&run->cta);
    if (!allocate(run)) {
        return wm_fail_memory(err);
    }
    for (size_t i = 0; i < events->n; i++) {
        run->steps[i].pre = part_of(&events->items[i].pre);
        run->steps[i].post = part_of(&events->items[i].post);
    }
    for (uint32_t i = 0; i < run->n_lanes; i++) {
        wm_lane *lane = &run->lanes[i];
        lane->number = i;
        lane->thread[0] = i % spec->block[0];
        lane->thread[1] = i / spec->block[0] % spec->block[1];
        lane->thread[2] = i / spec->block[0] / spec->block[1];
        lane->log = &run->logs[i % spec->warp_size];
        lane->fibre = &run->fibres[events->has_meetings ? i : 0];
    }
    return WM_OK;
}

void wm_run_fini(wm_run *run)
{
    wm_fibre_home_fini(&run->home);
    for (uint32_t l = 0; l < WM_LANES_MAX; l++) {
        free(run->logs[l].entries);
    }
    for (uint32_t i = 0; run->warps != NULL && i < run->n_warps; i++) {
        free(run->warps[i].records);
    }
    free(run->lanes);
    free(run->fibres);
    free(run->warps);
    free(run->steps);
    free(run->statics);
    free(run->opcodes);
    free(run->static_of);
    wm_cta_fini(&run->cta);
    memset(run, 0, sizeof(*run));
}

/* Runs the lanes of warp w until all wait at a barrier or have ended. */
static void run_warp(wm_run *run, uint32_t w)
{
    uint32_t first = w * run->spec->warp_size;
    uint32_t end = first + run->spec->warp_size;
    end = end < run->n_lanes ? end : run->n_lanes;
    run->turn_end = run->lanes + end;
    do {
        /* One resumed passes on to those behind it. */
        for (uint32_t i = first; i < end && run->status == WM_OK; i++) {
            if (run->lanes[i].state == WM_LANE_READY) {
                run->lane = &run->lanes[i];
                wm_fibre_resume(run->lane->fibre);
            }
        }
    } while (run->status == WM_OK && wm_exchange_resolve(run, w));
}

static void fail_barrier(wm_run *run, const wm_lane *waiting,
                         const wm_lane *other, uint32_t n_waiting)
{
    const wm_event *event = &run->events->items[waiting->event];
    char place[64] = "ended without it";
    if (other->state == WM_LANE_AT_BARRIER) {
        (void)snprintf(place, sizeof(place), "waits at line %" PRIu32,
                       run->events->items[other->event].line);
    }
    wm_run_fail(run, WM_EFORMAT,
                "%s:%" PRIu32 ": found %" PRIu32 " of %" PRIu32
                " threads of block %" PRIu32 ",%" PRIu32 ",%" PRIu32
                " at this barrier, wanted all: thread %" PRIu32 ",%" PRIu32
                ",%" PRIu32 " %s",
                wm_run_file(run, waiting->event), event->line, n_waiting,
                run->n_lanes, run->block[0], run->block[1], run->block[2],
                other->thread[0], other->thread[1], other->thread[2], place);
}

/* Some lanes wait at a barrier where others do not. */
static void find_parted(wm_run *run)
{
    const wm_lane *waiting = NULL;
    const wm_lane *other = NULL;
    uint32_t n_waiting = 0;
    for (uint32_t i = 0; i < run->n_lanes; i++) {
        const wm_lane *lane = &run->lanes[i];
        if (lane->state == WM_LANE_AT_BARRIER &&
            (waiting == NULL || lane->event == waiting->event)) {
            waiting = waiting == NULL ? lane : waiting;
            n_waiting++;
        } else if (other == NULL) {
            other = lane;
        }
    }
    if (waiting != NULL && other != NULL) {
        fail_barrier(run, waiting, other, n_waiting);
    }
}

/* Opens the barrier at which all wait; false when all have ended. */
static bool open_barrier(wm_run *run)
{
    if (run->n_waiting == 0) {
        return false;
    }
    if (run->n_waiting != run->n_lanes || run->is_parted) {
        find_parted(run);
        return false;
    }
    run->n_waiting = 0;
    for (uint32_t i = 0; i < run->n_lanes; i++) {
        run->lanes[i].state = WM_LANE_READY;
    }
    return true;
}

static void count_work(wm_run *run)
{
    wm_work *work = &run->cta.work;
    for (size_t i = 0; i < run->events->n; i++) {
        uint64_t n = run->steps[i].n_executed;
        const wm_event *event = &run->events->items[i];
        run->steps[i].n_executed = 0;
        work->flops_fp16 +=
            n * (event->pre.flops_fp16 + event->post.flops_fp16);
        work->flops_fp32 +=
            n * (event->pre.flops_fp32 + event->post.flops_fp32);
        work->flops_fp64 +=
            n * (event->pre.flops_fp64 + event->post.flops_fp64);
    }
}

/* The warps' records one after the other. */
static bool gather(wm_run *run)
{
    wm_cta *cta = &run->cta;
    size_t n = 0;
    for (uint32_t w = 0; w < run->n_warps; w++) {
        n += run->warps[w].n_records;
    }
    if (!wm_grow(&cta->warps, &cta->cap_warps, run->n_warps,
                 sizeof(*cta->warps)) ||
        !wm_grow(&cta->records, &cta->cap_records, n, sizeof(*cta->records))) {
        return false;
    }
    cta->n_warps = run->n_warps;
    for (uint32_t w = 0; w < run->n_warps; w++) {
        wm_warp *warp = &run->warps[w];
        cta->warps[w].first = (uint32_t)cta->n_records;
        cta->warps[w].n_records = (uint32_t)warp->n_records;
        memcpy(cta->records + cta->n_records, warp->records,
               warp->n_records * sizeof(*warp->records));
        cta->n_records += warp->n_records;
    }
    run->n_records += n;
    return true;
}

static void start_cta(wm_run *run)
{
    wm_cta_clear(&run->cta);
    run->n_waiting = 0;
    run->is_parted = false;
    memcpy(run->cta.id, run->block, sizeof(run->block));
    for (uint32_t i = 0; i < run->n_lanes; i++) {
        wm_lane *lane = &run->lanes[i];
        lane->state = WM_LANE_READY;
        lane->event = UINT32_MAX;
        lane->open = (wm_open){0};
        lane->n_copies = lane->n_commits = 0;
    }
    for (uint32_t w = 0; w < run->n_warps; w++) {
        run->warps[w].n_records = 0;
        run->warps[w].n_loads = 0;
    }
}

static wm_status run_cta(wm_run *run, wm_error *err)
{
    bool is_well = true;
    start_cta(run);
    do {
        for (uint32_t w = 0; w < run->n_warps && is_well; w++) {
            run_warp(run, w);
            is_well = run->status == WM_OK && wm_regroup_warp(run, w);
        }
    } while (is_well && open_barrier(run));
    if (run->status != WM_OK) {
        return run->status;
    }
    for (uint32_t w = 0; w < run->n_warps && is_well; w++) {
        is_well = wm_regroup_finish(run, w);
    }
    count_work(run);
    return is_well && gather(run) ? WM_OK : wm_fail_memory(err);
}

static wm_status run_launch(wm_run *run, wm_wmt_writer *writer, wm_error *err)
{
    set_launch(run);
    wm_status status = wm_run_set_arguments(run, err);
    if (status == WM_OK) {
        status = wm_wmt_launch(writer, &run->launch, err);
    }
    for (uint64_t i = 0; status == WM_OK && i < run->launch.n_ctas; i++) {
        run->block[0] = (uint32_t)(i % run->spec->grid[0]);
        run->block[1] = (uint32_t)(i / run->spec->grid[0] % run->spec->grid[1]);
        run->block[2] = (uint32_t)(i / run->spec->grid[0] / run->spec->grid[1]);
        status = run_cta(run, err);
        if (status == WM_OK) {
            status = wm_wmt_cta(writer, &run->launch, &run->cta, err);
        }
    }
    return status;
}

wm_status wm_run_all(wm_run *run, wm_wmt_writer *writer, wm_error *err)
{
    wm_status status = WM_OK;
    for (uint32_t i = 0; i < run->arena->n_buffers && status == WM_OK; i++) {
        const wm_arena_buffer *buffer = &run->arena->buffers[i];
        wm_copy copy = {WM_COPY_HOST_TO_DEVICE, WM_ARENA_BASE + buffer->offset,
                        buffer->n_bytes};
        if (buffer->arg->fill != WM_FILL_NONE && buffer->arg->is_copied) {
            status = wm_wmt_copy(writer, &copy, err);
        }
    }
    wm_callbacks_set(run);
    for (; run->launch_number < run->spec->n_launches && status == WM_OK;
         run->launch_number++) {
        status = run_launch(run, writer, err);
    }
    wm_callbacks_set(NULL);
    return status;
}
