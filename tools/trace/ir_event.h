/*
 * ir_event.h -- which instructions are events.  Private to the rewriter.
 */
#ifndef WM_TOOLS_IR_EVENT_H
#define WM_TOOLS_IR_EVENT_H

#include "ir_internal.h"

typedef struct wm_ir_operand {
    wm_view type, value;
} wm_ir_operand;

typedef struct wm_ir_access {
    wm_event_op op;
    uint32_t width;        /* bytes per lane; block copies: at a time */
    wm_ir_operand pointer; /* type.n = 0: the call itself reports */
    wm_view n_bytes;       /* block copies: an operand of type i64 */
} wm_ir_access;

/* The events of an instruction: 0, 1, or 2 for a block copy. */
uint32_t wm_ir_event_find(const wm_ir_line *line, wm_ir_access access[2]);

#endif
