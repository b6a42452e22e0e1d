/*
 * ir_function.c -- one function: its blocks and their order, its events, the
 * segments between them, and its text with the reports put in.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "flow.h"
#include "ir_event.h"
#include "ir_names.h"

#define NO_EVENT UINT32_MAX

typedef struct ir_block {
    wm_view label; /* with '%'-less name; n = 0: the entry */
    size_t first, end;
    size_t body;       /* first line that is no phi */
    size_t terminator; /* first line of it */
    uint32_t first_local, n_locals;
    uint32_t mark, tail; /* events, or NO_EVENT */
    wm_segment rest;     /* of a block without events */
} ir_block;

typedef struct ir_local {
    size_t line;
    wm_ir_access access;
    wm_event event;
    uint32_t number;
} ir_local;

typedef struct ir_function {
    wm_ir *ir;
    size_t first, end;
    ir_block *blocks;
    size_t n_blocks, cap_blocks;
    ir_local *locals;
    size_t n_locals, cap_locals;
    uint32_t n_loads;
    wm_ir_names names;
    uint32_t *succ_first, *succ;
    size_t n_succ, cap_succ;
    uint32_t *sequence;
    size_t n_sequence;
} ir_function;

static bool is_blank(wm_view line)
{
    return line.n == 0 || wm_view_starts(line, "  #dbg") ||
           wm_view_starts(line, "    #dbg");
}

static bool is_terminator(const wm_ir_line *line)
{
    static const char *const words[] = {"br", "ret", "switch", "unreachable",
                                        "indirectbr"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (wm_view_is(line->opcode, words[i])) {
            return true;
        }
    }
    return false;
}

static bool add_block(ir_function *f, wm_view label, size_t first)
{
    if (!wm_grow(&f->blocks, &f->cap_blocks, f->n_blocks + 1,
                 sizeof(*f->blocks))) {
        return false;
    }
    f->blocks[f->n_blocks++] = (ir_block){.label = label,
                                          .first = first,
                                          .end = first,
                                          .body = SIZE_MAX,
                                          .terminator = SIZE_MAX,
                                          .mark = NO_EVENT,
                                          .tail = NO_EVENT};
    return true;
}

static bool find_blocks(ir_function *f)
{
    const wm_view none = {"", 0};
    if (!add_block(f, none, f->first + 1)) {
        return false;
    }
    for (size_t i = f->first + 1; i < f->end; i++) {
        wm_view line = f->ir->lines[i];
        if (line.n > 0 && line.s[0] != ' ' && line.s[0] != ';') {
            wm_view label = {line.s, wm_view_find(line, ":")};
            bool is_entry = f->n_blocks == 1 && f->blocks[0].body == SIZE_MAX;
            f->n_blocks -= is_entry; /* an entry with a label */
            if (!add_block(f, label, i + 1)) {
                return false;
            }
        } else if (!is_blank(line)) {
            ir_block *block = &f->blocks[f->n_blocks - 1];
            wm_ir_line parsed = wm_ir_line_parse(line);
            if (block->body == SIZE_MAX && !wm_view_is(parsed.opcode, "phi")) {
                block->body = i;
            }
            if (block->terminator == SIZE_MAX && is_terminator(&parsed)) {
                block->terminator = i;
            }
            block->end = i + 1;
        }
    }
    return true;
}

static uint32_t block_number(const ir_function *f, wm_view label)
{
    for (size_t b = 0; b < f->n_blocks; b++) {
        wm_view name = f->blocks[b].label;
        if (name.n == label.n && memcmp(name.s, label.s, name.n) == 0) {
            return (uint32_t)b;
        }
    }
    return 0;
}

static bool find_successors(ir_function *f)
{
    f->succ_first = malloc((f->n_blocks + 1) * sizeof(*f->succ_first));
    f->sequence = malloc(2 * f->n_blocks * sizeof(*f->sequence));
    if (f->succ_first == NULL || f->sequence == NULL) {
        return false;
    }
    for (size_t b = 0; b < f->n_blocks; b++) {
        const ir_block *block = &f->blocks[b];
        f->succ_first[b] = (uint32_t)f->n_succ;
        for (size_t i = block->terminator; i < block->end; i++) {
            wm_view line = f->ir->lines[i];
            size_t at = wm_view_find(line, "label %");
            while (at != line.n) {
                line = wm_view_after(line, at + strlen("label "));
                size_t n = 0;
                wm_view label = wm_ir_next_name(line, &n);
                label = wm_view_after(label, 1);
                if (!wm_grow(&f->succ, &f->cap_succ, f->n_succ + 1,
                             sizeof(*f->succ))) {
                    return false;
                }
                f->succ[f->n_succ++] = block_number(f, label);
                at = wm_view_find(line, "label %");
            }
        }
    }
    f->succ_first[f->n_blocks] = (uint32_t)f->n_succ;
    wm_flow flow = {f->n_blocks, f->succ_first, f->succ};
    return wm_flow_order(&flow, f->sequence, &f->n_sequence);
}

/* All values by name, and how often each is used. */
static bool find_names(ir_function *f)
{
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = f->first + 1; i < f->end; i++) {
            wm_ir_line line = wm_ir_line_parse(f->ir->lines[i]);
            if (pass == 0 && line.result.n != 0 &&
                wm_ir_names_add(&f->names, line.result) == NULL) {
                return false;
            }
            for (size_t at = 0; pass == 1 && at < line.rest.n;) {
                wm_ir_name *used = wm_ir_names_find(
                    &f->names, wm_ir_next_name(line.rest, &at));
                if (used != NULL) {
                    used->n_uses++;
                }
            }
        }
    }
    return true;
}

/* One event at line i; gives the value it makes its bit. */
static bool add_local(ir_function *f, size_t i, const wm_ir_line *line,
                      const wm_ir_access *access)
{
    if (!wm_grow(&f->locals, &f->cap_locals, f->n_locals + 1,
                 sizeof(*f->locals))) {
        return false;
    }
    ir_local *local = &f->locals[f->n_locals++];
    *local = (ir_local){.line = i, .access = *access};
    wm_event *event = &local->event;
    event->op = (uint8_t)access->op;
    event->width = (uint8_t)access->width;
    event->load_bit = WM_LOAD_BIT_NONE;
    wm_ir_name *made = wm_ir_names_find(&f->names, line->result);
    if (access->op == WM_EVENT_ATOMIC && (made == NULL || made->n_uses == 0)) {
        event->op = WM_EVENT_REDUCTION;
    }
    if (event->op == WM_EVENT_LOAD || event->op == WM_EVENT_ATOMIC) {
        event->load_bit =
            (uint8_t)(f->n_loads < WM_LOAD_BIT_LAST ? f->n_loads
                                                    : WM_LOAD_BIT_LAST);
        f->n_loads++;
        if (made != NULL) {
            made->loads = UINT64_C(1) << event->load_bit;
        }
    }
    return wm_ir_debug_place(f->ir, f->ir->lines[i], &event->line,
                             &event->file);
}

static bool find_events(ir_function *f)
{
    for (size_t b = 0; b < f->n_blocks; b++) {
        ir_block *block = &f->blocks[b];
        block->first_local = (uint32_t)f->n_locals;
        for (size_t i = block->first; i < block->end; i++) {
            wm_ir_access access[2];
            wm_ir_line line = wm_ir_line_parse(f->ir->lines[i]);
            uint32_t n = wm_ir_event_find(&line, access);
            for (uint32_t k = 0; k < n; k++) {
                if (!add_local(f, i, &line, &access[k])) {
                    return false;
                }
            }
        }
        block->n_locals = (uint32_t)f->n_locals - block->first_local;
    }
    return true;
}

static uint64_t loads_used(const ir_function *f, const wm_ir_line *line)
{
    uint64_t loads = 0;
    for (size_t at = 0; at < line->rest.n;) {
        const wm_ir_name *used =
            wm_ir_names_find(&f->names, wm_ir_next_name(line->rest, &at));
        loads |= used != NULL ? used->loads : 0;
    }
    return loads;
}

/* Casts and phis hand on the loads that their operands come from. */
static void spread_loads(ir_function *f)
{
    bool is_changed = true;
    while (is_changed) {
        is_changed = false;
        for (size_t i = f->first + 1; i < f->end; i++) {
            wm_segment ignored = {0};
            wm_ir_line line = wm_ir_line_parse(f->ir->lines[i]);
            wm_ir_name *made = wm_ir_names_find(&f->names, line.result);
            if (made == NULL || wm_ir_cost_add(&line, &ignored)) {
                continue;
            }
            uint64_t loads = made->loads | loads_used(f, &line);
            is_changed |= loads != made->loads;
            made->loads = loads;
        }
    }
}

static void note_uses(wm_segment *segment, uint64_t loads, uint64_t *seen)
{
    loads &= ~*seen;
    *seen |= loads;
    if (loads != 0 && segment->uses == 0) {
        segment->before = segment->slots;
    }
    segment->uses |= loads;
}

static bool is_empty(const wm_segment *segment)
{
    return segment->slots == 0 && segment->uses == 0 &&
           segment->flops_fp16 == 0 && segment->flops_fp32 == 0 &&
           segment->flops_fp64 == 0;
}

static void add_cost(wm_segment *segment, const wm_segment *cost)
{
    segment->slots += cost->slots;
    segment->flops_fp16 += cost->flops_fp16;
    segment->flops_fp32 += cost->flops_fp32;
    segment->flops_fp64 += cost->flops_fp64;
}

/* Puts what was put off behind what was not. */
static void join_later(wm_segment *now, wm_segment *later)
{
    if (now->uses == 0) {
        now->before = now->slots + later->before;
    }
    now->uses |= later->uses;
    add_cost(now, later);
    *later = (wm_segment){0};
}

static bool is_load(const ir_function *f, size_t line)
{
    wm_ir_line parsed = wm_ir_line_parse(f->ir->lines[line]);
    return wm_view_is(parsed.opcode, "load");
}

/* Marks the values that addresses of loads of this block are made of. */
static void mark_needed(ir_function *f, const ir_block *block)
{
    for (size_t i = block->end; i-- > block->first;) {
        wm_ir_line line = wm_ir_line_parse(f->ir->lines[i]);
        const wm_ir_name *made = wm_ir_names_find(&f->names, line.result);
        bool is_needed = made != NULL && made->is_needed;
        for (size_t at = 0; (is_needed || is_load(f, i)) && at < line.rest.n;) {
            wm_ir_name *used =
                wm_ir_names_find(&f->names, wm_ir_next_name(line.rest, &at));
            if (used != NULL) {
                used->is_needed = true;
            }
        }
    }
}

/* Sums up a block.  Work that no later load of the block needs is put off to
 * the next event that is no load: compilers for GPUs move loads up so. */
static void sum_block(ir_function *f, ir_block *block)
{
    wm_segment now = {0};
    wm_segment later = {0};
    uint64_t seen = 0;
    ir_local *local = f->locals + block->first_local;
    ir_local *end = local + block->n_locals;
    ir_local *last = NULL;
    mark_needed(f, block);
    for (size_t i = block->first; i < block->end; i++) {
        wm_ir_line line = wm_ir_line_parse(f->ir->lines[i]);
        const wm_ir_name *made = wm_ir_names_find(&f->names, line.result);
        bool is_event = local != end && local->line == i;
        wm_segment cost = {0};
        bool is_work = wm_ir_cost_add(&line, &cost);
        bool is_now = is_event || (made != NULL && made->is_needed);
        if (is_event && !is_load(f, i)) {
            join_later(&now, &later);
        }
        if (is_work || is_event) {
            note_uses(is_now ? &now : &later, loads_used(f, &line), &seen);
        }
        for (; local != end && local->line == i; local++) {
            local->event.pre = now;
            now = (wm_segment){0};
            last = local;
            /* A block copy's store uses what its load brings. */
            if (local->access.op == WM_EVENT_LOAD &&
                local->access.n_bytes.n != 0) {
                now.uses = UINT64_C(1) << local->event.load_bit;
            }
            if (local->event.load_bit != WM_LOAD_BIT_NONE) {
                seen &= ~(UINT64_C(1) << local->event.load_bit);
            }
        }
        if (!is_event) {
            add_cost(is_now ? &now : &later, &cost);
        }
    }
    join_later(&now, &later);
    if (last != NULL) {
        last->event.post = now;
    } else {
        block->rest = now;
    }
}

static bool add_event(ir_function *f, const wm_event *event, uint32_t *number)
{
    wm_events *events = f->ir->events;
    if (!wm_grow(&events->items, &events->capacity, events->n + 1,
                 sizeof(*events->items))) {
        return false;
    }
    events->has_meetings |=
        event->op == WM_EVENT_BARRIER || event->op == WM_EVENT_WARP;
    *number = (uint32_t)events->n;
    events->items[events->n++] = *event;
    return true;
}

static bool number_events(ir_function *f)
{
    for (size_t s = 0; s < f->n_sequence; s++) {
        uint32_t b = f->sequence[s] & ~WM_FLOW_MARK;
        ir_block *block = &f->blocks[b];
        wm_event event = {.load_bit = WM_LOAD_BIT_NONE};
        if ((f->sequence[s] & WM_FLOW_MARK) != 0) {
            event.op = WM_EVENT_MARK;
            if (!add_event(f, &event, &block->mark)) {
                return false;
            }
            continue;
        }
        for (uint32_t k = 0; k < block->n_locals; k++) {
            ir_local *local = &f->locals[block->first_local + k];
            if (!add_event(f, &local->event, &local->number)) {
                return false;
            }
        }
        event.op = WM_EVENT_BLOCK;
        event.pre = block->rest;
        if (block->n_locals == 0 && !is_empty(&block->rest) &&
            !add_event(f, &event, &block->tail)) {
            return false;
        }
    }
    return true;
}

static void put_view(wm_buffer *out, wm_view view)
{
    wm_buffer_add(out, view.s, view.n);
}

/* The report before an access; for calls that report, the event's number in
 * place of the placeholder.  True when the line itself has been written. */
static bool write_local(ir_function *f, const ir_local *local)
{
    wm_buffer *out = f->ir->out;
    const wm_ir_access *access = &local->access;
    wm_view line = f->ir->lines[local->line];
    if (access->pointer.type.n == 0) {
        size_t at = wm_view_find(line, WM_IR_PLACE);
        wm_buffer_add(out, line.s, at);
        wm_buffer_printf(out, "%" PRIu32, local->number);
        put_view(out, wm_view_after(line, at + strlen(WM_IR_PLACE)));
        wm_buffer_puts(out, "\n");
        return true;
    }
    wm_buffer_printf(out, "  %%wm.%" PRIu32 " = ptrtoint ", local->number);
    put_view(out, access->pointer.type);
    wm_buffer_puts(out, " ");
    put_view(out, access->pointer.value);
    wm_buffer_puts(out, " to i64\n");
    if (access->n_bytes.n != 0) {
        wm_buffer_printf(out,
                         "  call void @wm_rt_copy(i64 %%wm.%" PRIu32 ", i64 ",
                         local->number);
        put_view(out, access->n_bytes);
        wm_buffer_printf(out, ", i32 %" PRIu32 ")\n", local->number);
    } else {
        wm_buffer_printf(out,
                         "  call void @wm_rt_access(i64 %%wm.%" PRIu32
                         ", i32 %" PRIu32 ")\n",
                         local->number, local->number);
    }
    return false;
}

/* A shared array's address, which later compilers ask the thread for: the
 * array is no thread's any more. */
static bool write_shared_address(ir_function *f, wm_view line)
{
    wm_buffer *out = f->ir->out;
    size_t at = wm_view_find(line, "@llvm.threadlocal.address");
    if (at == line.n || line.s[0] != ' ') {
        return false;
    }
    wm_view symbol = wm_view_after(line, at + 1);
    symbol = wm_view_after(symbol, wm_view_find(symbol, "@"));
    symbol.n = wm_view_find(symbol, ")");
    wm_buffer_puts(out, "  ");
    put_view(out, wm_ir_line_parse(line).result);
    wm_buffer_puts(out, " = getelementptr i8, ptr ");
    put_view(out, symbol);
    wm_buffer_puts(out, ", i64 0\n");
    return true;
}

static void write_function(ir_function *f)
{
    wm_buffer *out = f->ir->out;
    size_t next = 0;
    size_t b = 0;
    for (size_t i = f->first; i <= f->end; i++) {
        bool is_written = write_shared_address(f, f->ir->lines[i]);
        while (b < f->n_blocks && f->blocks[b].end <= i) {
            b++;
        }
        if (b < f->n_blocks && i == f->blocks[b].body &&
            f->blocks[b].mark != NO_EVENT) {
            wm_buffer_printf(out, "  call void @wm_rt_mark(i32 %" PRIu32 ")\n",
                             f->blocks[b].mark);
        }
        if (b < f->n_blocks && i == f->blocks[b].terminator &&
            f->blocks[b].tail != NO_EVENT) {
            wm_buffer_printf(out, "  call void @wm_rt_block(i32 %" PRIu32 ")\n",
                             f->blocks[b].tail);
        }
        for (; next < f->n_locals && f->locals[next].line == i; next++) {
            is_written |= write_local(f, &f->locals[next]);
        }
        if (!is_written) {
            put_view(out, f->ir->lines[i]);
            wm_buffer_puts(out, "\n");
        }
    }
}

/* Bytes of the arrays that stay in a thread's memory. */
static void note_stack(ir_function *f)
{
    for (size_t i = f->first + 1; i < f->end; i++) {
        wm_ir_line line = wm_ir_line_parse(f->ir->lines[i]);
        if (wm_view_is(line.opcode, "alloca")) {
            wm_view type = {line.rest.s, wm_ir_operand_length(line.rest)};
            f->ir->events->stack_bytes += wm_ir_type_bytes(type);
        }
    }
}

wm_status wm_ir_function(wm_ir *ir, size_t first, size_t end, wm_error *err)
{
    ir_function f = {.ir = ir, .first = first, .end = end};
    bool is_done = find_blocks(&f) && find_successors(&f) && find_names(&f) &&
                   find_events(&f);
    if (is_done) {
        spread_loads(&f);
        for (size_t b = 0; b < f.n_blocks; b++) {
            sum_block(&f, &f.blocks[b]);
        }
        is_done = number_events(&f);
    }
    if (is_done) {
        note_stack(&f);
        write_function(&f);
    }
    free(f.blocks);
    free(f.locals);
    free(f.succ_first);
    free(f.succ);
    free(f.sequence);
    wm_ir_names_fini(&f.names);
    return is_done ? WM_OK : wm_fail_memory(err);
}
