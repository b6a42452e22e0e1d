/*
 * ir_internal.h -- what the parts of the rewriter share: the text as lines,
 * its debug information, and what one line says.
 */
#ifndef WM_TOOLS_IR_INTERNAL_H
#define WM_TOOLS_IR_INTERNAL_H

#include "ir.h"

typedef struct wm_view {
    const char *s;
    size_t n;
} wm_view;

typedef struct wm_ir {
    const wm_ir_request *request;
    wm_view *lines;
    size_t n_lines;
    uint32_t *metadata; /* line of "!N = ", plus 1 */
    size_t n_metadata;
    bool is_opaque; /* pointers are "ptr" (LLVM 15 and later) */
    wm_events *events;
    wm_buffer *out;
} wm_ir;

/* --- ir_line.c: views ---------------------------------------------------- */

bool wm_view_is(wm_view view, const char *text);
bool wm_view_starts(wm_view view, const char *text);
/* Where text begins in view; view.n when it does not occur. */
size_t wm_view_find(wm_view view, const char *text);
wm_view wm_view_after(wm_view view, size_t n);

/* What an instruction line says. */
typedef struct wm_ir_line {
    wm_view result; /* with its '%'; empty when there is none */
    wm_view opcode; /* "load", "call", "fmul" */
    wm_view rest;   /* behind the opcode, without metadata */
} wm_ir_line;

wm_ir_line wm_ir_line_parse(wm_view line);
/* Length up to the bracket that closes the one at text.s[0]. */
size_t wm_ir_bracket_length(wm_view text);
/* Length of the type that text begins with. */
size_t wm_ir_type_length(wm_view text);
/* Bytes of a value of that type in memory; 0 = not known. */
uint32_t wm_ir_type_bytes(wm_view type);
/* Length of the operand that text begins with: up to a comma outside all
 * brackets, or the end. */
size_t wm_ir_operand_length(wm_view text);
/* The next %name at or behind *at; empty behind the last. */
wm_view wm_ir_next_name(wm_view text, size_t *at);

/* --- ir_cost.c ----------------------------------------------------------- */

/* Adds slots and operations of an instruction to the segment; false for those
 * that only rename a value (casts, phi). */
bool wm_ir_cost_add(const wm_ir_line *line, wm_segment *segment);

/* --- ir_debug.c ---------------------------------------------------------- */

wm_status wm_ir_debug_index(wm_ir *ir, wm_error *err);
/* Line and file of the instruction on this line of text. */
bool wm_ir_debug_place(wm_ir *ir, wm_view line, uint32_t *source_line,
                       uint32_t *file);
/* Name of parameter i of the function whose define line this is; "" if it is
 * not known. */
void wm_ir_debug_param(const wm_ir *ir, wm_view define, uint32_t i, char *name,
                       size_t n_name);
/* Number behind "key!" in view; UINT32_MAX when there is none. */
uint32_t wm_ir_debug_reference(wm_view view, const char *key);
/* Text of metadata node `number`; empty when there is none. */
wm_view wm_ir_debug_node(const wm_ir *ir, uint32_t number);

/* --- ir_function.c ------------------------------------------------------- */

/* Rewrites lines[first .. end), a function from "define" to "}". */
wm_status wm_ir_function(wm_ir *ir, size_t first, size_t end, wm_error *err);

/* --- ir_kernel.c --------------------------------------------------------- */

wm_status wm_ir_kernel_find(const wm_ir *ir, wm_ir_kernel *kernel,
                            wm_error *err);
/* Appends wm_entry and wm_image. */
void wm_ir_kernel_write(const wm_ir *ir, const wm_ir_kernel *kernel);

#endif
