/*
 * ir.c -- the module: lines, variables, functions one after the other.
 */
#include "ir.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ir_internal.h"

#define FIRST_OPAQUE_VERSION 15

void wm_events_fini(wm_events *events)
{
    for (size_t i = 0; i < events->n_files; i++) {
        free(events->files[i]);
    }
    free(events->files);
    free(events->items);
    memset(events, 0, sizeof(*events));
}

static bool split_lines(wm_ir *ir, const char *text)
{
    size_t capacity = 0;
    while (*text != '\0') {
        const char *end = strchr(text, '\n');
        size_t n = end != NULL ? (size_t)(end - text) : strlen(text);
        if (!wm_grow(&ir->lines, &capacity, ir->n_lines + 1,
                     sizeof(*ir->lines))) {
            return false;
        }
        ir->lines[ir->n_lines++] = (wm_view){text, n};
        text += n + (end != NULL);
    }
    return true;
}

/* From the producer's name: "clang version 14.0.6". */
static bool has_opaque_pointers(const wm_ir *ir)
{
    for (size_t i = 0; i < ir->n_lines; i++) {
        wm_view line = ir->lines[i];
        size_t at = wm_view_find(line, "clang version ");
        if (at != line.n) {
            return atoi(line.s + at + strlen("clang version ")) >=
                   FIRST_OPAQUE_VERSION;
        }
    }
    return true;
}

static void put(wm_ir *ir, const char *bytes, size_t n)
{
    wm_buffer_add(ir->out, bytes, n);
}

/* extern __shared__ T name[]: another name of the dynamic part. */
static void write_dynamic(wm_ir *ir, wm_view line)
{
    size_t at = wm_view_find(line, " global ") + strlen(" global ");
    wm_view type = wm_view_after(line, at);
    type.n = wm_ir_type_length(type);
    put(ir, line.s, wm_view_find(line, " = "));
    wm_buffer_puts(ir->out, " = hidden alias ");
    put(ir, type.s, type.n);
    if (ir->is_opaque) {
        wm_buffer_puts(ir->out, ", ptr @wm_dynamic\n");
    } else {
        wm_buffer_printf(ir->out,
                         ", bitcast ([%" PRIu64 " x i8]* @wm_dynamic to ",
                         ir->request->dynamic_bytes + 16);
        put(ir, type.s, type.n);
        wm_buffer_puts(ir->out, "*)\n");
    }
}

/* OpenCL: a __local array of the kernel is named "@KERNEL.NAME"; those of other
 * kernels in the file take no room. */
static bool is_of_kernel(const wm_ir *ir, wm_view line)
{
    wm_view rest = wm_view_after(line, 1);
    return wm_view_starts(rest, ir->request->kernel) &&
           wm_view_starts(wm_view_after(rest, strlen(ir->request->kernel)),
                          ".") &&
           wm_view_find(line, " internal ") != line.n;
}

/* A variable of the module: moved to the section of its memory space. */
static void write_variable(wm_ir *ir, wm_view line)
{
    size_t thread_local_at = wm_view_find(line, " thread_local");
    bool is_mutable = wm_view_find(line, " global ") != line.n;
    bool is_shared = ir->request->is_opencl ? is_of_kernel(ir, line)
                                            : thread_local_at != line.n;
    bool is_ours = wm_view_starts(line, "@wm_") ||
                   wm_view_starts(line, "@llvm.") ||
                   wm_view_find(line, ", section \"") != line.n;
    if (!is_mutable || is_ours) {
        put(ir, line.s, line.n);
        wm_buffer_puts(ir->out, "\n");
        return;
    }
    if (wm_view_find(line, " external ") != line.n && is_shared) {
        write_dynamic(ir, line);
        return;
    }
    size_t at = wm_view_find(line, ", comdat");
    size_t align = wm_view_find(line, ", align ");
    at = at < align ? at : align;
    size_t skip = 0;
    if (is_shared && thread_local_at != line.n) {
        skip = strlen(" thread_local");
        wm_view rest = wm_view_after(line, thread_local_at + skip);
        if (wm_view_starts(rest, "(")) {
            skip += wm_view_find(rest, ")") + 1;
        }
    }
    size_t cut = skip != 0 ? thread_local_at : 0;
    /* One of a template instance: no other module shares it. */
    size_t odr = wm_view_find(line, " linkonce_odr");
    if (odr < cut) {
        put(ir, line.s, odr);
        wm_buffer_puts(ir->out, " internal");
    } else {
        put(ir, line.s, cut);
    }
    put(ir, line.s + cut + skip, at - cut - skip);
    wm_buffer_printf(ir->out, ", section \"%s\"",
                     is_shared ? "wm_shared" : "wm_module");
    put(ir, line.s + align, line.n - align);
    wm_buffer_puts(ir->out, "\n");
}

static wm_status write_module(wm_ir *ir, wm_error *err)
{
    for (size_t i = 0; i < ir->n_lines; i++) {
        wm_view line = ir->lines[i];
        if (wm_view_starts(line, "define ")) {
            size_t end = i;
            while (end < ir->n_lines && !wm_view_is(ir->lines[end], "}")) {
                end++;
            }
            if (end == ir->n_lines) {
                return wm_fail(err, WM_EFORMAT,
                               "%s: found a function without an end in "
                               "clang's output",
                               ir->request->source);
            }
            wm_status status = wm_ir_function(ir, i, end, err);
            if (status != WM_OK) {
                return status;
            }
            i = end;
        } else if (wm_view_starts(line, "@")) {
            write_variable(ir, line);
        } else {
            put(ir, line.s, line.n);
            wm_buffer_puts(ir->out, "\n");
        }
    }
    return WM_OK;
}

wm_status wm_ir_rewrite(const char *text, const wm_ir_request *request,
                        wm_buffer *out, wm_events *events, wm_ir_kernel *kernel,
                        wm_error *err)
{
    wm_ir ir = {.request = request, .events = events, .out = out};
    wm_status status = split_lines(&ir, text) ? WM_OK : wm_fail_memory(err);
    if (status == WM_OK) {
        ir.is_opaque = has_opaque_pointers(&ir);
        status = wm_ir_debug_index(&ir, err);
    }
    if (status == WM_OK) {
        status = wm_ir_kernel_find(&ir, kernel, err);
    }
    if (status == WM_OK) {
        status = write_module(&ir, err);
    }
    if (status == WM_OK) {
        wm_ir_kernel_write(&ir, kernel);
        status = out->is_failed ? wm_fail_memory(err) : WM_OK;
    }
    free(ir.lines);
    free(ir.metadata);
    return status;
}
