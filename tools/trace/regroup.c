/*
 * regroup.c -- from what the lanes of a warp did, one after the other, to
 * what the warp does: of all lanes, those whose next report has the lowest
 * event number go on together (events.h says why that brings them together
 * again).
 */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "run.h"

#define SLOTS_MAX  UINT16_MAX
#define NO_STATIC  UINT32_MAX
#define NO_EVENT   UINT32_MAX
#define FIRST_PC   0x100u
#define PC_STEP    0x10u
#define NO_LOADBIT 0xffu

static wm_kind kind_of(const wm_event *event, wm_space space)
{
    static const wm_kind kinds[WM_SPACE_COUNT][4] = {
        [WM_SPACE_GLOBAL] = {WM_KIND_GLOBAL_LOAD, WM_KIND_GLOBAL_STORE,
                             WM_KIND_GLOBAL_ATOMIC, WM_KIND_GLOBAL_REDUCTION},
        [WM_SPACE_SHARED] = {WM_KIND_SHARED_LOAD, WM_KIND_SHARED_STORE,
                             WM_KIND_SHARED_ATOMIC, WM_KIND_SHARED_ATOMIC},
        [WM_SPACE_LOCAL] = {WM_KIND_LOCAL_LOAD, WM_KIND_LOCAL_STORE,
                            WM_KIND_LOCAL_LOAD, WM_KIND_LOCAL_STORE},
    };
    return event->op == WM_EVENT_BARRIER ? WM_KIND_BARRIER
           : event->op == WM_EVENT_ASYNC ? WM_KIND_ASYNC_COPY
                                         : kinds[space][event->op];
}

/* The mnemonic that stands for it: "LDG.E.64". */
static void set_opcode(char opcode[16], wm_kind kind, uint32_t width)
{
    static const char *const bases[WM_KIND_COUNT] = {
        [WM_KIND_GLOBAL_LOAD] = "LDG.E",
        [WM_KIND_GLOBAL_STORE] = "STG.E",
        [WM_KIND_GLOBAL_ATOMIC] = "ATOMG.E",
        [WM_KIND_GLOBAL_REDUCTION] = "RED.E",
        [WM_KIND_LOCAL_LOAD] = "LDL",
        [WM_KIND_LOCAL_STORE] = "STL",
        [WM_KIND_ASYNC_COPY] = "LDGSTS.E",
        [WM_KIND_SHARED_LOAD] = "LDS",
        [WM_KIND_SHARED_STORE] = "STS",
        [WM_KIND_SHARED_ATOMIC] = "ATOMS",
        [WM_KIND_BARRIER] = "BAR.SYNC",
        [WM_KIND_EXIT] = "EXIT",
    };
    const char *base = bases[kind] != NULL ? bases[kind] : "?";
    if (width == 0 || width == 4) {
        (void)snprintf(opcode, 16, "%s", base);
    } else {
        (void)snprintf(opcode, 16, width < 4 ? "%s.U%u" : "%s.%u", base,
                       8 * width);
    }
}

static uint32_t add_static(wm_run *run, wm_kind kind, uint32_t event,
                           uint32_t width)
{
    wm_launch *launch = &run->launch;
    uint32_t id = launch->n_statics++;
    wm_static *item = &run->statics[id];
    *item = (wm_static){.pc = FIRST_PC + (uint64_t)event * PC_STEP,
                        .kind = (uint8_t)kind,
                        .width = (uint8_t)width,
                        .opcode = run->opcodes[id]};
    if (event < run->events->n) {
        item->line = run->events->items[event].line;
    }
    set_opcode(run->opcodes[id], kind, width);
    /* Copies of 16 bytes go past the L1 (LDGSTS.BYPASS). */
    if (kind == WM_KIND_ASYNC_COPY && width == 16) {
        item->flags = WM_FLAG_BYPASS_L1;
    }
    return id;
}

static bool append(wm_warp *warp, const wm_record *record)
{
    if (!wm_grow(&warp->records, &warp->capacity, warp->n_records + 1,
                 sizeof(*warp->records))) {
        return false;
    }
    warp->records[warp->n_records++] = *record;
    return true;
}

/* What lies between a record and the one before, for all lanes that go on
 * together: the most that any of them did. */
typedef struct joined_gap {
    uint64_t uses;
    uint32_t head, tail;
    uint32_t event;
    uint16_t n_kept;
    uint8_t place;
    bool waits_for_copies;
} joined_gap;

/* The loads, youngest first, whose values were used, and the copies that were
 * waited for. */
static uint32_t wait_for(wm_warp *warp, const joined_gap *gap)
{
    uint32_t wait = 0;
    uint32_t n_kept = gap->n_kept;
    uint32_t n =
        warp->n_loads < WM_RECENT_LOADS ? warp->n_loads : WM_RECENT_LOADS;
    bool is_any = gap->uses != 0 || gap->waits_for_copies;
    for (uint32_t i = 0; is_any && i < n; i++) {
        uint8_t *bit = &warp->recent[(warp->n_loads - 1 - i) % WM_RECENT_LOADS];
        bool is_waited = *bit != NO_LOADBIT && *bit != WM_RECENT_COPY &&
                         (gap->uses >> *bit & 1) != 0;
        if (*bit == WM_RECENT_COPY && gap->waits_for_copies) {
            is_waited = n_kept == 0;
            n_kept -= n_kept != 0;
        }
        if (is_waited) {
            wait |= UINT32_C(1) << i;
            *bit = NO_LOADBIT;
        }
    }
    return wait;
}

/* The record's gap; what does not fit goes into GAP records before it. */
static bool set_gap(wm_run *run, wm_warp *warp, wm_record *record,
                    const joined_gap *gap)
{
    uint32_t head = gap->head;
    uint32_t tail = gap->tail;
    run->cta.work.n_other += (uint64_t)head + tail;
    record->wait = wait_for(warp, gap);
    while (head > SLOTS_MAX || tail > SLOTS_MAX) {
        wm_record pause = {.kind = WM_KIND_GAP};
        uint32_t n = head < SLOTS_MAX ? head : SLOTS_MAX;
        pause.head_cycles = pause.head_slots = (uint16_t)n;
        head -= n;
        if (head == 0) {
            pause.wait = record->wait;
            record->wait = 0;
            n = tail < SLOTS_MAX ? tail : SLOTS_MAX;
            pause.tail_cycles = pause.tail_slots = (uint16_t)n;
            tail -= n;
        }
        if (!append(warp, &pause)) {
            return false;
        }
    }
    record->head_cycles = record->head_slots = (uint16_t)head;
    record->tail_cycles = record->tail_slots = (uint16_t)tail;
    return true;
}

/* One record of the lanes in mask; addresses[n] is the n-th active lane's. */
static bool emit(wm_run *run, wm_warp *warp, const joined_gap *gap,
                 uint64_t mask, const uint64_t *addresses)
{
    const wm_event *event = &run->events->items[gap->event];
    wm_space space = event->op == WM_EVENT_BARRIER ? WM_SPACE_GLOBAL
                                                   : WM_PLACE_SPACE(gap->place);
    wm_kind kind = kind_of(event, space);
    uint32_t *id = &run->static_of[gap->event * WM_SPACE_COUNT + space];
    uint8_t width = WM_PLACE_WIDTH(gap->place);
    wm_record record = {.mask = mask, .kind = (uint8_t)kind, .width = width};
    if (*id == NO_STATIC) {
        *id = add_static(run, kind, gap->event, width);
    }
    record.static_id = *id;
    record.flags = run->statics[*id].flags;
    if (!set_gap(run, warp, &record, gap)) {
        return false;
    }
    if (wm_kind_is_memory(kind)) {
        run->n_accesses += wm_popcount64(mask);
        if (!wm_record_set_addresses(&run->cta, &record, addresses)) {
            return false;
        }
    }
    if (wm_kind_is_load(kind)) {
        warp->recent[warp->n_loads++ % WM_RECENT_LOADS] =
            kind == WM_KIND_ASYNC_COPY ? WM_RECENT_COPY : event->load_bit;
    }
    return append(warp, &record);
}

static inline void join_gap(joined_gap *gap, uint64_t uses, uint64_t slots,
                            uint64_t label)
{
    uint32_t head = (uint32_t)slots;
    uint32_t tail = (uint32_t)(slots >> 32);
    gap->head = gap->head > head ? gap->head : head;
    gap->tail = gap->tail > tail ? gap->tail : tail;
    gap->uses |= uses;
    if ((label & WM_LABEL_WAITS) != 0) {
        uint16_t n_kept = (uint16_t)(label >> WM_LABEL_KEPT_SHIFT);
        bool is_first = !gap->waits_for_copies;
        gap->n_kept = is_first || n_kept < gap->n_kept ? n_kept : gap->n_kept;
        gap->waits_for_copies = true;
    }
}

typedef struct warp_lanes {
    uint32_t n;
    const wm_entry *entry[WM_LANES_MAX];
    const wm_entry *end[WM_LANES_MAX];
    uint32_t next[WM_LANES_MAX]; /* event, or NO_EVENT */
} warp_lanes;

static uint32_t count_lanes(const wm_run *run, uint32_t w)
{
    uint32_t n = run->n_lanes - w * run->spec->warp_size;
    return n < run->spec->warp_size ? n : run->spec->warp_size;
}

static void set_lanes(const wm_run *run, uint32_t w, warp_lanes *lanes)
{
    lanes->n = count_lanes(run, w);
    for (uint32_t l = 0; l < lanes->n; l++) {
        const wm_log *log = &run->logs[l];
        lanes->entry[l] = log->entries;
        lanes->end[l] = log->next;
        lanes->next[l] =
            log->entries != log->next ? wm_entry_event(log->entries) : NO_EVENT;
    }
}

static uint32_t lowest_event(const warp_lanes *w)
{
    uint32_t lowest = NO_EVENT;
    for (uint32_t l = 0; l < w->n; l++) {
        lowest = w->next[l] < lowest ? w->next[l] : lowest;
    }
    return lowest;
}

/* The lanes at *event go on together, those of one space and width; *event
 * becomes the lowest that is next. */
static bool step(wm_run *run, wm_warp *warp, warp_lanes *w, uint32_t *event)
{
    uint64_t addresses[WM_LANES_MAX];
    uint64_t mask = 0;
    joined_gap gap = {.event = *event};
    uint32_t n = 0;
    uint32_t lowest = NO_EVENT;
    for (uint32_t l = 0; l < w->n; l++) {
        uint32_t next = w->next[l];
        const wm_entry *entry = w->entry[l];
        if (next == *event && (n == 0 || wm_entry_place(entry) == gap.place)) {
            gap.place = wm_entry_place(entry);
            join_gap(&gap, entry->uses, entry->slots, entry->label);
            addresses[n++] = entry->address;
            mask |= UINT64_C(1) << l;
            w->entry[l]++;
            next = entry + 1 < w->end[l] ? wm_entry_event(entry + 1) : NO_EVENT;
            w->next[l] = next;
        }
        lowest = next < lowest ? next : lowest;
    }
    uint8_t op = run->events->items[*event].op;
    *event = lowest;
    return op == WM_EVENT_MARK || op == WM_EVENT_WARP ||
           emit(run, warp, &gap, mask, addresses);
}

bool wm_regroup_warp(wm_run *run, uint32_t w)
{
    wm_warp *warp = &run->warps[w];
    warp_lanes lanes;
    set_lanes(run, w, &lanes);
    uint32_t event = lowest_event(&lanes);
    while (event != NO_EVENT) {
        if (!step(run, warp, &lanes, &event)) {
            return false;
        }
    }
    for (uint32_t l = 0; l < lanes.n; l++) {
        run->logs[l].next = run->logs[l].entries;
    }
    return true;
}

bool wm_regroup_finish(wm_run *run, uint32_t w)
{
    wm_warp *warp = &run->warps[w];
    const wm_lane *lanes = run->lanes + w * run->spec->warp_size;
    uint32_t n_lanes = count_lanes(run, w);
    joined_gap gap = {0};
    for (uint32_t l = 0; l < n_lanes; l++) {
        const wm_open *open = &lanes[l].open;
        join_gap(&gap, open->uses, open->slots, open->copies);
    }
    if (run->exit_static == NO_STATIC) {
        run->exit_static =
            add_static(run, WM_KIND_EXIT, (uint32_t)run->events->n, 0);
    }
    wm_record record = {.mask = wm_low_mask(n_lanes),
                        .kind = WM_KIND_EXIT,
                        .static_id = run->exit_static};
    run->cta.work.n_other++; /* the exit itself */
    return set_gap(run, warp, &record, &gap) && append(warp, &record);
}
