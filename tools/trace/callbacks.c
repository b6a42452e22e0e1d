/*
 * callbacks.c -- what the rewritten kernel calls.
 *
 * The calls carry no context, so the run they belong to is the one variable of
 * this program that is not constant.
 */
#include "callbacks.h"

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "run.h"

#define LOCAL_TOP UINT64_C(0x100000) /* per-thread addresses lie below */
/* Months of a GPU's time, before and behind a use. */
#define SLOTS_MAX  UINT64_C(0x7fffffff7fffffff)
#define SLOTS_OVER UINT64_C(0x8000000080000000)
#define SLOT_TAIL  (UINT64_C(1) << 32)

#define PLACE_NONE                                                             \
    ((uint64_t)WM_PLACE(WM_SPACE_NONE, 0) << WM_LABEL_PLACE_SHIFT)

static wm_run *current;

/* A kernel that crashed: its lane is left where it is, the run fails.  The
 * place is that of its last report. */
static void on_crash(int number)
{
    wm_run *run = current;
    wm_lane *lane = run != NULL ? run->lane : NULL;
    if (lane == NULL || run->status != WM_OK) {
        (void)signal(number, SIG_DFL);
        (void)raise(number);
        return;
    }
    const wm_log *log = lane->log;
    uint32_t last =
        log->next != log->entries ? wm_entry_event(log->next - 1) : lane->event;
    wm_run_fail(run, WM_EFORMAT,
                "%s:%" PRIu32 ": found %s in the kernel here or behind, wanted "
                "it to end (thread %" PRIu32 ",%" PRIu32 ",%" PRIu32
                " of block %" PRIu32 ",%" PRIu32 ",%" PRIu32 ")",
                last != UINT32_MAX ? wm_run_file(run, last) : run->spec->source,
                last != UINT32_MAX ? run->events->items[last].line : 1,
                number == SIGFPE ? "a division by zero" : "a crash",
                lane->thread[0], lane->thread[1], lane->thread[2],
                run->block[0], run->block[1], run->block[2]);
    lane->state = WM_LANE_ENDED;
    wm_fibre_abandon(lane->fibre);
}

void wm_callbacks_set(wm_run *run)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    struct sigaction action;
    stack_t stack = {.ss_flags = SS_DISABLE};
    current = run;
    memset(&action, 0, sizeof(action));
    action.sa_handler = run != NULL ? on_crash : SIG_DFL;
    action.sa_flags = SA_ONSTACK;
    if (run != NULL) {
        stack = (stack_t){.ss_sp = run->crash_stack,
                          .ss_size = sizeof(run->crash_stack)};
    }
    (void)sigaltstack(&stack, NULL);
    for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++) {
        (void)sigaction(crashes[i], &action, NULL);
    }
}

void wm_run_fail(wm_run *run, wm_status status, const char *fmt, ...)
{
    char text[sizeof(run->err->text)];
    va_list args;
    if (run->status == WM_OK) {
        va_start(args, fmt);
        (void)vsnprintf(text, sizeof(text), fmt, args);
        va_end(args);
        run->status = wm_fail(run->err, status, "%s", text);
    }
}

const char *wm_run_file(const wm_run *run, uint32_t event)
{
    const wm_event *item = &run->events->items[event];
    return item->file < run->events->n_files &&
                   run->events->files[item->file][0] != '\0'
               ? run->events->files[item->file]
               : run->spec->source;
}

static inline uint64_t bounded(uint64_t slots)
{
    return (slots & SLOTS_OVER) == 0 ? slots : SLOTS_MAX;
}

/* No branches: what a segment adds depends on the lane's path. */
static inline void add_part(wm_open *open, const wm_step_part *part)
{
    open->slots = bounded(open->slots + part->slots[open->is_stalled]);
    open->is_stalled |= part->uses != 0;
    open->uses |= part->uses;
}

/* The gap that begins behind an entry. */
static inline void restart(wm_open *open, const wm_step_part *part)
{
    open->uses = part->uses;
    open->slots = part->slots[0];
    open->copies = 0;
    open->is_stalled = part->uses != 0;
}

/* A lane that cannot go on leaves for good. */
static void stop_lane(wm_run *run)
{
    run->lane->state = WM_LANE_ENDED;
    for (;;) {
        wm_fibre_yield(run->lane->fibre);
    }
}

/* Room for more reports; what cannot be had stops the lane. */
static void grow_log(wm_run *run, wm_log *log, uint32_t event)
{
    size_t n = (size_t)(log->next - log->entries);
    size_t capacity = n;
    if (n >= WM_LANE_ENTRIES_MAX) {
        wm_run_fail(run, WM_EFORMAT,
                    "%s:%" PRIu32 ": found over %zu accesses of one thread "
                    "between two barriers, wanted fewer: trace a smaller "
                    "problem",
                    wm_run_file(run, event), run->events->items[event].line,
                    WM_LANE_ENTRIES_MAX);
        stop_lane(run);
    }
    if (!wm_grow(&log->entries, &capacity, n + 1, sizeof(*log->entries))) {
        wm_run_fail(run, WM_ENOMEM, "out of memory");
        stop_lane(run);
    }
    log->next = log->entries + n;
    log->end = log->entries + capacity;
}

static wm_entry *new_entry(wm_run *run, const wm_lane *lane, uint32_t event)
{
    wm_log *log = lane->log;
    if (log->next == log->end) {
        grow_log(run, log, event);
    }
    return log->next++;
}

/* An entry that ends the gap which is open. */
static wm_entry *close_gap(wm_run *run, wm_lane *lane, uint32_t event,
                           uint8_t place)
{
    static const wm_step_part nothing;
    wm_entry *entry = new_entry(run, lane, event);
    *entry = (wm_entry){0, lane->open.uses, lane->open.slots,
                        event | (uint64_t)place << WM_LABEL_PLACE_SHIFT |
                            lane->open.copies};
    restart(&lane->open, &nothing);
    return entry;
}

static const char *access_word(const wm_event *event)
{
    return event->op == WM_EVENT_LOAD    ? "load"
           : event->op == WM_EVENT_STORE ? "store"
                                         : "atomic";
}

static void fail_access(wm_run *run, uint32_t id, uint64_t address,
                        uint32_t width, const char *what)
{
    const wm_event *event = &run->events->items[id];
    const wm_lane *lane = run->lane;
    wm_run_fail(run, WM_EFORMAT,
                "%s:%" PRIu32 ": found a %s of %" PRIu32 " bytes at %s, wanted "
                "one inside the kernel's buffers (lane %" PRIu32
                " of warp %" PRIu32 ", thread %" PRIu32 ",%" PRIu32 ",%" PRIu32
                " of block %" PRIu32 ",%" PRIu32 ",%" PRIu32 ")",
                wm_run_file(run, id), event->line, access_word(event), width,
                what, lane->number % run->spec->warp_size,
                lane->number / run->spec->warp_size, lane->thread[0],
                lane->thread[1], lane->thread[2], run->block[0], run->block[1],
                run->block[2]);
    (void)address;
    stop_lane(run);
}

/* An address that is in the arena's stretch but in no buffer. */
static void fail_bounds(wm_run *run, uint32_t id, uint64_t offset,
                        uint32_t width)
{
    const wm_arena *arena = run->arena;
    uint32_t i = arena->owner[offset >> WM_ARENA_SHIFT];
    char what[192];
    /* Nearer to the start of the next buffer: a negative index of that. */
    if (i + 1 < arena->n_buffers && offset >= arena->buffers[i].offset &&
        arena->buffers[i + 1].offset - offset <
            offset - (arena->buffers[i].offset + arena->buffers[i].n_bytes)) {
        i++;
    }
    const wm_arena_buffer *buffer = &arena->buffers[i];
    (void)snprintf(
        what, sizeof(what),
        "byte %" PRId64 " of buffer '%s', which has %" PRIu64 " bytes",
        (int64_t)(offset - buffer->offset), buffer->arg->name, buffer->n_bytes);
    fail_access(run, id, offset, width, what);
}

/* Accesses of the event from host on, n_bytes in all, are as this one. */
static void remember(wm_run *run, uint32_t id, uint64_t host, uint64_t n_bytes,
                     uint64_t delta, uint8_t place)
{
    wm_step *step = &run->steps[id];
    step->host = host;
    step->n_starts = n_bytes - WM_PLACE_WIDTH(place) + 1;
    step->delta = delta;
    step->label = id | (uint64_t)place << WM_LABEL_PLACE_SHIFT;
}

/* What is not in a buffer: shared, local, module or constant memory. */
static wm_space resolve_rest(wm_run *run, uint32_t id, uint64_t *address,
                             uint32_t width)
{
    const uint64_t *image = run->module.image;
    uint64_t at = *address;
    uint64_t shared = image[WM_IMAGE_SHARED];
    if (at - shared < image[WM_IMAGE_SHARED_END] - shared) {
        *address = at - shared;
        if (*address + width > run->launch.shared_bytes) {
            fail_access(run, id, at, width, "the end of shared memory");
        }
        remember(run, id, shared, run->launch.shared_bytes, 0 - shared,
                 WM_PLACE(WM_SPACE_SHARED, width));
        return WM_SPACE_SHARED;
    }
    const wm_fibre *fibre = run->lane->fibre;
    uint64_t top = (uint64_t)(uintptr_t)fibre->top;
    if (top - at - 1 < (uint64_t)(fibre->top - fibre->stack)) {
        *address = LOCAL_TOP - (top - at);
        return WM_SPACE_LOCAL;
    }
    if (at - image[WM_IMAGE_MODULE] <
        image[WM_IMAGE_MODULE_END] - image[WM_IMAGE_MODULE]) {
        *address = WM_ARENA_BASE + run->arena->span_bytes +
                   (at - image[WM_IMAGE_MODULE]);
        return WM_SPACE_GLOBAL;
    }
    if (at - image[WM_IMAGE_START] <
        image[WM_IMAGE_END] - image[WM_IMAGE_START]) {
        return WM_SPACE_NONE;
    }
    char what[64];
    (void)snprintf(what, sizeof(what), "address 0x%" PRIx64 ", in no buffer",
                   at);
    fail_access(run, id, at, width, what);
    return WM_SPACE_NONE;
}

/* The space of an access of the running lane; *address becomes the trace's. */
static wm_space resolve(wm_run *run, uint32_t id, uint64_t *address,
                        uint32_t width)
{
    const wm_arena *arena = run->arena;
    uint64_t host = (uint64_t)(uintptr_t)arena->host;
    uint64_t offset = *address - host;
    if (offset >= arena->span_bytes) {
        return resolve_rest(run, id, address, width);
    }
    const wm_arena_buffer *buffer =
        &arena->buffers[arena->owner[offset >> WM_ARENA_SHIFT]];
    if (offset - buffer->offset > buffer->n_bytes - width ||
        buffer->n_bytes < width) {
        fail_bounds(run, id, offset, width);
    }
    remember(run, id, host + buffer->offset, buffer->n_bytes,
             WM_ARENA_BASE - host, WM_PLACE(WM_SPACE_GLOBAL, width));
    *address = WM_ARENA_BASE + offset;
    return WM_SPACE_GLOBAL;
}

static void report(wm_run *run, uint64_t address, uint32_t width, uint32_t id)
{
    wm_lane *lane = run->lane;
    wm_space space = resolve(run, id, &address, width);
    if (space == WM_SPACE_NONE) {
        lane->open.slots = bounded(lane->open.slots + 1);
    } else {
        close_gap(run, lane, id, WM_PLACE(space, width))->address = address;
    }
}

/* An access outside of the last one's buffer, or without room for it. */
__attribute__((noinline)) static void
access_slowly(wm_run *run, uint64_t address, uint32_t event)
{
    wm_step *step = &run->steps[event];
    step->n_executed++;
    add_part(&run->lane->open, &step->pre);
    report(run, address, run->events->items[event].width, event);
    add_part(&run->lane->open, &step->post);
}

/* As access_slowly, for most accesses.  All of a kernel's time that is not its
 * own goes through here, and the fewer the instructions, the more of the
 * kernel's cache misses the host has in flight. */
void wm_rt_access(uint64_t address, uint32_t event)
{
    wm_run *run = current;
    wm_step *step = &run->steps[event];
    wm_open *open = &run->lane->open;
    wm_log *log = run->lane->log;
    wm_entry *entry = log->next;
    if (address - step->host >= step->n_starts || entry == log->end) {
        access_slowly(run, address, event);
        return;
    }
    log->next = entry + 1;
    step->n_executed++;
    entry->address = address + step->delta;
    entry->uses = open->uses | step->pre.uses;
    entry->slots = bounded(open->slots + step->pre.slots[open->is_stalled]);
    entry->label = step->label | open->copies;
    restart(open, &step->post);
}

void wm_rt_copy(uint64_t address, uint64_t n_bytes, uint32_t event)
{
    wm_step *step = &current->steps[event];
    uint32_t width = current->events->items[event].width;
    add_part(&current->lane->open, &step->pre);
    step->n_executed++;
    while (n_bytes != 0) {
        while (width > n_bytes) {
            width /= 2;
        }
        report(current, address, width, event);
        address += width;
        n_bytes -= width;
    }
    add_part(&current->lane->open, &step->post);
}

void wm_rt_async(uint64_t to, uint64_t from, uint32_t n_bytes, uint32_t event)
{
    wm_run *run = current;
    wm_step *step = &run->steps[event];
    const uint64_t *image = run->module.image;
    if (to - image[WM_IMAGE_SHARED] >= run->launch.shared_bytes ||
        to - image[WM_IMAGE_SHARED] + n_bytes > run->launch.shared_bytes) {
        fail_access(run, event, to, n_bytes, "no place in shared memory");
    }
    add_part(&run->lane->open, &step->pre);
    step->n_executed++;
    report(run, from, n_bytes, event);
    add_part(&run->lane->open, &step->post);
    run->lane->n_copies++;
    memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, n_bytes);
}

void wm_rt_async_commit(void)
{
    wm_lane *lane = current->lane;
    lane->committed[lane->n_commits++ % WM_COPY_GROUPS] = lane->n_copies;
}

void wm_rt_async_wait(uint32_t n_groups)
{
    wm_lane *lane = current->lane;
    uint32_t n_done = 0;
    if (n_groups < lane->n_commits) {
        /* Groups too far back to be known: as the oldest that is. */
        uint32_t back =
            n_groups < WM_COPY_GROUPS ? n_groups : WM_COPY_GROUPS - 1;
        n_done = lane->committed[(lane->n_commits - 1 - back) % WM_COPY_GROUPS];
    }
    uint32_t n_kept = lane->n_copies - n_done;
    n_kept = n_kept < UINT16_MAX ? n_kept : UINT16_MAX;
    lane->open.copies = WM_LABEL_WAITS | (uint64_t)n_kept
                                             << WM_LABEL_KEPT_SHIFT;
    lane->open.is_stalled = 1;
}

void wm_rt_block(uint32_t event)
{
    wm_step *step = &current->steps[event];
    add_part(&current->lane->open, &step->pre);
    step->n_executed++;
}

void wm_rt_mark(uint32_t event)
{
    wm_entry *entry = new_entry(current, current->lane, event);
    *entry = (wm_entry){.label = event | PLACE_NONE};
}

static void wait_here(wm_run *run, wm_lane_state state, uint32_t event)
{
    wm_lane *lane = run->lane;
    wm_step *step = &run->steps[event];
    add_part(&lane->open, &step->pre);
    step->n_executed++;
    if (state == WM_LANE_AT_BARRIER) {
        (void)close_gap(run, lane, event, WM_PLACE(WM_SPACE_NONE, 0));
        run->is_parted |= run->n_waiting++ != 0 && run->barrier != event;
        run->barrier = event;
    } else {
        wm_rt_mark(event);
        lane->open.slots = bounded(lane->open.slots + SLOT_TAIL);
    }
    lane->state = (uint8_t)state;
    lane->event = event;
    wm_run_pass(run);
    add_part(&lane->open, &step->post);
}

void wm_rt_barrier(uint32_t source_line, uint32_t event)
{
    (void)source_line;
    wait_here(current, WM_LANE_AT_BARRIER, event);
}

uint64_t wm_rt_exchange(uint32_t op, uint32_t mask, uint64_t value,
                        uint32_t argument, uint32_t event)
{
    wm_lane *lane = current->lane;
    lane->exchange_op = op;
    lane->exchange_mask = mask;
    lane->exchange_value = value;
    lane->exchange_argument = argument;
    wait_here(current, WM_LANE_AT_EXCHANGE, event);
    return lane->exchange_value;
}

static float as_float(uint64_t bits)
{
    uint32_t narrow = (uint32_t)bits;
    float value;
    memcpy(&value, &narrow, sizeof(value));
    return value;
}

static double as_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static uint64_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

/* Sign-extended to the width, for the signed comparisons. */
static int64_t as_signed(uint64_t value, uint32_t width)
{
    return width == 4 ? (int32_t)(uint32_t)value : (int64_t)value;
}

static uint64_t combine(uint32_t op, uint32_t width, uint64_t old,
                        uint64_t value, uint64_t compare)
{
    switch (op) {
    case WM_ATOMIC_ADD:
        return old + value;
    case WM_ATOMIC_SUB:
        return old - value;
    case WM_ATOMIC_EXCHANGE:
        return value;
    case WM_ATOMIC_MIN:
        return as_signed(old, width) < as_signed(value, width) ? old : value;
    case WM_ATOMIC_MAX:
        return as_signed(old, width) > as_signed(value, width) ? old : value;
    case WM_ATOMIC_UMIN:
        return old < value ? old : value;
    case WM_ATOMIC_UMAX:
        return old > value ? old : value;
    case WM_ATOMIC_AND:
        return old & value;
    case WM_ATOMIC_OR:
        return old | value;
    case WM_ATOMIC_XOR:
        return old ^ value;
    case WM_ATOMIC_COMPARE:
        return old == compare ? value : old;
    case WM_ATOMIC_INC:
        return old >= value ? 0 : old + 1;
    case WM_ATOMIC_DEC:
        return old == 0 || old > value ? value : old - 1;
    case WM_ATOMIC_FADD:
        return width == 4 ? float_bits(as_float(old) + as_float(value))
                          : double_bits(as_double(old) + as_double(value));
    default:
        return old;
    }
}

uint32_t wm_rt_atomic32(uint64_t address, uint32_t op, uint32_t value,
                        uint32_t compare, uint32_t event)
{
    uint32_t *place = (uint32_t *)(uintptr_t)address;
    wm_rt_access(address, event);
    uint32_t old = *place;
    *place = (uint32_t)combine(op, sizeof(old), old, value, compare);
    return old;
}

uint64_t wm_rt_atomic64(uint64_t address, uint32_t op, uint64_t value,
                        uint64_t compare, uint32_t event)
{
    uint64_t *place = (uint64_t *)(uintptr_t)address;
    wm_rt_access(address, event);
    uint64_t old = *place;
    *place = combine(op, sizeof(old), old, value, compare);
    return old;
}

uint32_t wm_rt_index(uint32_t which)
{
    const wm_run *run = current;
    uint32_t i = which % 3;
    switch (which / 3) {
    case 0:
        return run->lane->thread[i];
    case 1:
        return run->block[i];
    case 2:
        return run->spec->block[i];
    case 3:
        return run->spec->grid[i];
    default:
        return run->spec->warp_size;
    }
}

/* The work-item functions of OpenCL, by the names clang gives them. */
uint64_t _Z13get_global_idj(uint32_t i)
{
    return i < 3 ? (uint64_t)current->block[i] * current->spec->block[i] +
                       current->lane->thread[i]
                 : 0;
}

uint64_t _Z12get_local_idj(uint32_t i)
{
    return i < 3 ? current->lane->thread[i] : 0;
}

uint64_t _Z12get_group_idj(uint32_t i)
{
    return i < 3 ? current->block[i] : 0;
}

uint64_t _Z14get_local_sizej(uint32_t i)
{
    return i < 3 ? current->spec->block[i] : 1;
}

uint64_t _Z15get_global_sizej(uint32_t i)
{
    return i < 3 ? (uint64_t)current->spec->grid[i] * current->spec->block[i]
                 : 1;
}

uint64_t _Z14get_num_groupsj(uint32_t i)
{
    return i < 3 ? current->spec->grid[i] : 1;
}

uint32_t _Z12get_work_dimv(void)
{
    const uint32_t *grid = current->spec->grid;
    const uint32_t *block = current->spec->block;
    return grid[2] * block[2] > 1 ? 3 : grid[1] * block[1] > 1 ? 2 : 1;
}

uint64_t _Z17get_global_offsetj(uint32_t i)
{
    (void)i;
    return 0;
}
