/*
 * ir_names.h -- the values of one function by name: which loads they come
 * from, how often they are used.  Private to the rewriter.
 *
 * Ownership  init before use, fini after; names are views of the text.
 * Errors     NULL when memory is short.
 */
#ifndef WM_TOOLS_IR_NAMES_H
#define WM_TOOLS_IR_NAMES_H

#include "ir_internal.h"

typedef struct wm_ir_name {
    wm_view name;   /* n = 0: a free place */
    uint64_t loads; /* by bit */
    uint32_t n_uses;
    bool is_needed; /* by the address of a later load of its block */
} wm_ir_name;

typedef struct wm_ir_names {
    wm_ir_name *places;
    size_t n_places; /* a power of two */
    size_t n;
} wm_ir_names;

void wm_ir_names_fini(wm_ir_names *names);
wm_ir_name *wm_ir_names_add(wm_ir_names *names, wm_view name);
/* NULL when there is none. */
wm_ir_name *wm_ir_names_find(const wm_ir_names *names, wm_view name);

#endif
