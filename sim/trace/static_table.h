/*
 * static_table.h -- a launch's static instructions while it is being read:
 * a growing array of wm_static that owns its opcode texts.  Unlike statics.h
 * it looks nothing up and joins nothing: the file numbers them.  Private to
 * the trace floor.
 *
 * Ownership  init before use, fini after.  The array moves when it grows; the
 *            opcode texts stay put until clear or fini.
 * Errors     add returns false when memory is short or the table is full.
 */
#ifndef WM_TRACE_STATIC_TABLE_H
#define WM_TRACE_STATIC_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/record.h"
#include "trace/statics.h" /* WM_STATICS_MAX */

typedef struct wm_static_table {
    wm_static *items;
    uint32_t n_items;
    size_t capacity;
} wm_static_table;

void wm_static_table_init(wm_static_table *table);
void wm_static_table_fini(wm_static_table *table);
void wm_static_table_clear(wm_static_table *table);
/* Appends a copy of *item with its opcode text (n_opcode bytes, no NUL). */
bool wm_static_table_add(wm_static_table *table, const wm_static *item,
                         const char *opcode, size_t n_opcode);

#endif
