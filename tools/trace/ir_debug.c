/*
 * ir_debug.c -- source lines, files and parameter names from the metadata
 * that clang -g writes.
 */
#include <stdlib.h>
#include <string.h>

#include "ir_internal.h"

#define METADATA_MAX 10000000u

/* N of "!N = "; UINT32_MAX for other lines. */
static uint32_t node_number(wm_view line)
{
    uint32_t value = 0;
    size_t i = 1;
    if (line.n < 2 || line.s[0] != '!' || line.s[1] < '0' || line.s[1] > '9') {
        return UINT32_MAX;
    }
    while (i < line.n && line.s[i] >= '0' && line.s[i] <= '9' &&
           value < METADATA_MAX) {
        value = value * 10 + (uint32_t)(line.s[i++] - '0');
    }
    return value < METADATA_MAX && wm_view_starts(wm_view_after(line, i), " = ")
               ? value
               : UINT32_MAX;
}

wm_status wm_ir_debug_index(wm_ir *ir, wm_error *err)
{
    for (size_t i = 0; i < ir->n_lines; i++) {
        uint32_t number = node_number(ir->lines[i]);
        if (number == UINT32_MAX) {
            continue;
        }
        size_t before = ir->n_metadata;
        if (!wm_grow(&ir->metadata, &ir->n_metadata, number + (size_t)1,
                     sizeof(*ir->metadata))) {
            return wm_fail_memory(err);
        }
        if (ir->n_metadata > before) {
            memset(ir->metadata + before, 0,
                   (ir->n_metadata - before) * sizeof(*ir->metadata));
        }
        ir->metadata[number] = (uint32_t)i + 1;
    }
    return WM_OK;
}

uint32_t wm_ir_debug_reference(wm_view view, const char *key)
{
    size_t at = wm_view_find(view, key);
    uint32_t value = 0;
    view = wm_view_after(view, at + strlen(key));
    if (view.n == 0 || view.s[0] < '0' || view.s[0] > '9') {
        return UINT32_MAX;
    }
    for (size_t i = 0; i < view.n && view.s[i] >= '0' && view.s[i] <= '9' &&
                       value < METADATA_MAX;
         i++) {
        value = value * 10 + (uint32_t)(view.s[i] - '0');
    }
    return value;
}

wm_view wm_ir_debug_node(const wm_ir *ir, uint32_t number)
{
    return number < ir->n_metadata && ir->metadata[number] != 0
               ? ir->lines[ir->metadata[number] - 1]
               : (wm_view){"", 0};
}

/* The text between quotes behind key. */
static wm_view quoted(wm_view view, const char *key)
{
    view = wm_view_after(view, wm_view_find(view, key) + strlen(key));
    view.n = wm_view_find(view, "\"");
    return view;
}

static bool find_file(wm_ir *ir, wm_view name, uint32_t *file)
{
    wm_events *events = ir->events;
    for (*file = 0; *file < events->n_files; (*file)++) {
        if (wm_view_is(name, events->files[*file])) {
            return true;
        }
    }
    char *copy = malloc(name.n + 1);
    if (copy == NULL || !wm_grow(&events->files, &events->cap_files,
                                 events->n_files + 1, sizeof(*events->files))) {
        free(copy);
        return false;
    }
    memcpy(copy, name.s, name.n);
    copy[name.n] = '\0';
    events->files[events->n_files++] = copy;
    return true;
}

bool wm_ir_debug_place(wm_ir *ir, wm_view line, uint32_t *source_line,
                       uint32_t *file)
{
    wm_view place = wm_ir_debug_node(ir, wm_ir_debug_reference(line, "!dbg !"));
    *source_line = wm_ir_debug_reference(place, "line: ");
    if (*source_line == UINT32_MAX) {
        *source_line = 0;
    }
    wm_view scope =
        wm_ir_debug_node(ir, wm_ir_debug_reference(place, "scope: !"));
    wm_view node =
        wm_ir_debug_node(ir, wm_ir_debug_reference(scope, "file: !"));
    wm_view name = quoted(node, "filename: \"");
    if (wm_view_starts(name, "./")) {
        name = wm_view_after(name, strlen("./"));
    }
    return find_file(ir, name, file);
}

void wm_ir_debug_param(const wm_ir *ir, wm_view define, uint32_t i, char *name,
                       size_t n_name)
{
    uint32_t function = wm_ir_debug_reference(define, "!dbg !");
    name[0] = '\0';
    for (size_t m = 0; m < ir->n_metadata && function != UINT32_MAX; m++) {
        wm_view node = wm_ir_debug_node(ir, (uint32_t)m);
        if (wm_view_find(node, "!DILocalVariable(") != node.n &&
            wm_ir_debug_reference(node, "arg: ") == i + 1 &&
            wm_ir_debug_reference(node, "scope: !") == function) {
            wm_view found = quoted(node, "name: \"");
            size_t n = found.n < n_name - 1 ? found.n : n_name - 1;
            memcpy(name, found.s, n);
            name[n] = '\0';
            return;
        }
    }
}
