/*
 * accelsim_form.c -- see accelsim_form.h.
 */
#include "trace/accelsim_form.h"

#include <string.h>

#define MASK_DIGITS 8u

/* WM_DIGITS_PAD bytes behind a and b are readable. */
static bool is_equal(const char *a, const char *b, size_t n_bytes)
{
    size_t i = 0;
    for (; i + 8 <= n_bytes; i += 8) {
        if (wm_load_le64(a + i) != wm_load_le64(b + i)) {
            return false;
        }
    }
    uint64_t differs = wm_load_le64(a + i) ^ wm_load_le64(b + i);
    return (differs & wm_low_mask(8 * (uint32_t)(n_bytes - i))) == 0;
}

bool wm_accelsim_form_match(const wm_accelsim_form *form, const char *text,
                            size_t n_line, uint32_t *mask)
{
    size_t n_text = form->n_text;
    /* Nothing else is set in a form that is not remembered. */
    if (n_text == 0 || (form->is_whole ? n_line != n_text : n_line < n_text) ||
        !is_equal(text, form->text, form->n_head)) {
        return false;
    }
    size_t at_tail = form->n_head + MASK_DIGITS;
    uint64_t digits = wm_load_le64(text + form->n_head);
    *mask = (uint32_t)wm_hex_sum(digits, MASK_DIGITS);
    return wm_hex_bytes(digits) == WM_EACH_BYTE(0x80) &&
           is_equal(text + at_tail, form->text + at_tail, n_text - at_tail);
}

static void add_run(wm_register_run *runs, uint8_t *n_runs, uint8_t first,
                    uint32_t n)
{
    if (first < 255) {
        runs[*n_runs].first = first;
        runs[*n_runs].n = (uint16_t)n;
        ++*n_runs;
    }
}

/*
 * Registers that a memory instruction touches: the first source of a global
 * access is a 64-bit address, of LDGSTS the second; the others are data.
 */
static void use_of_memory(const wm_accelsim_line *line, wm_kind kind,
                          uint8_t width, wm_use *use)
{
    bool is_shared = kind >= WM_KIND_SHARED_LOAD;
    bool is_local = kind == WM_KIND_LOCAL_LOAD || kind == WM_KIND_LOCAL_STORE;
    uint32_t n_data = width > 4 ? width / 4u : 1;
    for (uint32_t i = 0; i < line->n_src; i++) {
        uint32_t n = n_data;
        if (kind == WM_KIND_ASYNC_COPY) {
            n = i == 0 ? 1 : 2;
        } else if (i == 0) {
            n = is_shared || is_local ? 1 : 2;
        }
        add_run(use->reads, &use->n_reads, line->src[i], n);
    }
    for (uint32_t i = 0; i < line->n_dst; i++) {
        add_run(use->writes, &use->n_writes, line->dst[i], n_data);
    }
}

static void use_of_arithmetic(const wm_accelsim_line *line,
                              const wm_opcode *opcode, wm_use *use)
{
    for (uint32_t i = 0; i < line->n_src; i++) {
        add_run(use->reads, &use->n_reads, line->src[i],
                opcode->n_src_regs[i < 2 ? i : 2]);
    }
    for (uint32_t i = 0; i < line->n_dst; i++) {
        add_run(use->writes, &use->n_writes, line->dst[i], opcode->n_dst_regs);
    }
}

/* Role, kind and width from the opcode and the line's own width. */
static void settle(wm_accelsim_form *form, const wm_opcode *opcode,
                   const wm_accelsim_line *line)
{
    bool is_memory = line->width != 0;
    form->kind = opcode->kind;
    form->width = 0;
    if (opcode->is_tma || (is_memory && line->mode == WM_ACCELSIM_BULK)) {
        form->role = WM_ACCELSIM_BULK_COPY;
    } else if (is_memory) {
        bool is_known = wm_kind_is_memory((wm_kind)opcode->kind);
        form->role = is_known ? WM_ACCELSIM_MEMORY : WM_ACCELSIM_UNKNOWN;
        form->kind = is_known ? opcode->kind : opcode->guess;
        form->width = wm_opcode_width(opcode, line->width);
    } else if (opcode->kind == WM_KIND_BARRIER) {
        form->role = WM_ACCELSIM_BARRIER;
    } else if (opcode->kind == WM_KIND_EXIT) {
        form->role = WM_ACCELSIM_EXIT;
    } else {
        form->role =
            opcode->commits_copies ? WM_ACCELSIM_COMMIT : WM_ACCELSIM_OTHER;
    }
}

static void remember(wm_accelsim_form *form, const wm_accelsim_line *line,
                     size_t n_line)
{
    form->is_whole = line->width == 0;
    size_t n_head = (size_t)(line->at_mask - line->start);
    size_t n_text =
        form->is_whole ? n_line : (size_t)(line->at_rest - line->start);
    bool has_mask = line->at_tail - line->at_mask == MASK_DIGITS;
    form->n_text = 0;
    if (has_mask && n_text <= WM_ACCELSIM_FORM_BYTES &&
        line->mode != WM_ACCELSIM_BULK) {
        memcpy(form->text, line->start, n_text);
        form->n_text = (uint16_t)n_text;
        form->n_head = (uint16_t)n_head;
    }
}

void wm_accelsim_form_set(wm_accelsim_form *form, const wm_opcode *opcode,
                          const wm_accelsim_line *line, size_t n_line)
{
    wm_use *use = &form->use;
    remember(form, line, n_line);
    settle(form, opcode, line);
    form->traced = line->width;
    form->source_line = line->source_line;
    use->n_reads = use->n_writes = 0;
    use->latency_cycles = opcode->latency_cycles;
    use->is_off = false;
    use->awaits_copies = WM_COPIES_NONE;
    if (form->role == WM_ACCELSIM_MEMORY || form->role == WM_ACCELSIM_UNKNOWN) {
        use_of_memory(line, (wm_kind)form->kind, form->width, use);
        return;
    }
    use_of_arithmetic(line, opcode, use);
    if (opcode->waits_for_copies) {
        bool is_count =
            line->immediate >= 0 && line->immediate < WM_COPIES_NONE;
        use->awaits_copies = is_count ? (uint8_t)line->immediate : 0;
    }
}
