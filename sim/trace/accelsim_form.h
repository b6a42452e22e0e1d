/*
 * accelsim_form.h -- what the lines of one static instruction have in common.
 * Private to the trace floor.
 *
 *     0090 ffffffff 1 R0 LDG.E.U8 1 R4 1 1 0x7fc841520000 1
 *     `head`        `tail`               ` the lane addresses
 *
 * All lines of an instruction read alike but for the lane mask and the
 * addresses, and instructions follow one another as they did before.  So a
 * line is first compared with the one that is expected: where its text is the
 * same, so is all that was parsed from it.  A line that is another is parsed,
 * and remembered.
 *
 * Ownership  a form holds its text; nothing to free.
 * Threads    no shared state.
 * Cost       memory: some 200 bytes per static instruction.
 */
#ifndef WM_TRACE_ACCELSIM_FORM_H
#define WM_TRACE_ACCELSIM_FORM_H

#include "trace/accelsim_line.h"
#include "trace/distil.h"
#include "trace/opcode.h"
#include "trace/text_digits.h"

/* Longer lines are parsed each time. */
#define WM_ACCELSIM_FORM_BYTES 120u
#define WM_ACCELSIM_FORM_NONE  UINT32_MAX

/* What becomes of an instruction. */
typedef enum wm_accelsim_role {
    WM_ACCELSIM_MEMORY,
    WM_ACCELSIM_UNKNOWN, /* memory, by its width only */
    WM_ACCELSIM_BULK_COPY,
    WM_ACCELSIM_BARRIER,
    WM_ACCELSIM_COMMIT, /* LDGDEPBAR */
    WM_ACCELSIM_EXIT,
    WM_ACCELSIM_OTHER
} wm_accelsim_role;

typedef struct wm_accelsim_form {
    char text[WM_ACCELSIM_FORM_BYTES + WM_DIGITS_PAD];
    uint16_t n_text; /* head, mask and tail; 0 = not remembered */
    uint16_t n_head;
    bool is_whole; /* nothing follows the tail */
    uint8_t role;  /* wm_accelsim_role */
    uint8_t kind;  /* wm_kind of its records */
    uint8_t width; /* of its records */
    uint32_t source_line;
    uint32_t next;   /* the form after this one, last time; or NONE */
    uint64_t traced; /* the width in the file */
    wm_use use;
} wm_accelsim_form;

/* Fills a form from a line that was parsed; n_line: its bytes from
 * line->start on.  next is left alone. */
void wm_accelsim_form_set(wm_accelsim_form *form, const wm_opcode *opcode,
                          const wm_accelsim_line *line, size_t n_line);

/* True when the n_line bytes at text are a line of this form: then *mask is
 * set, and n_text bytes of it need no parsing. */
bool wm_accelsim_form_match(const wm_accelsim_form *form, const char *text,
                            size_t n_line, uint32_t *mask);

#endif
