/*
 * ir_kernel.c -- finds the kernel, reads its parameters, and writes the
 * function that calls it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ir_internal.h"

/* "@name(" of a line: the name. */
static wm_view symbol_in(wm_view line)
{
    size_t at = wm_view_find(line, "@");
    wm_view symbol = wm_view_after(line, at + 1);
    size_t n = 0;
    while (n < symbol.n && symbol.s[n] != '(' && symbol.s[n] != ' ' &&
           symbol.s[n] != ',' && symbol.s[n] != ')') {
        n++;
    }
    symbol.n = n;
    return symbol;
}

static bool is_define(const wm_ir *ir, wm_view line)
{
    return wm_view_starts(line, "define ") &&
           (!ir->request->is_opencl ||
            wm_view_find(line, "spir_kernel ") != line.n);
}

/* CUDA: the wrapper's variable wm_keep points to the kernel. */
static wm_view wanted_symbol(const wm_ir *ir)
{
    if (ir->request->is_opencl) {
        return (wm_view){ir->request->kernel, strlen(ir->request->kernel)};
    }
    for (size_t i = 0; i < ir->n_lines; i++) {
        if (wm_view_starts(ir->lines[i], "@wm_keep = ")) {
            return symbol_in(wm_view_after(ir->lines[i], 1));
        }
    }
    return (wm_view){"", 0};
}

static wm_status fail_kernel(const wm_ir *ir, wm_error *err)
{
    wm_buffer names;
    wm_buffer_init(&names);
    for (size_t i = 0; i < ir->n_lines; i++) {
        if (is_define(ir, ir->lines[i])) {
            wm_view name = symbol_in(ir->lines[i]);
            wm_buffer_printf(&names, "%s%.*s", names.n_bytes == 0 ? "" : ", ",
                             (int)name.n, name.s);
        }
    }
    wm_status status =
        names.is_failed
            ? wm_fail_memory(err)
            : wm_fail(err, WM_EFORMAT,
                      "%s: found no kernel '%s', wanted one "
                      "of: %s",
                      ir->request->source, ir->request->kernel,
                      names.n_bytes == 0 ? "(it has none)" : names.bytes);
    wm_buffer_fini(&names);
    return status;
}

static void copy_view(wm_view view, char *text, size_t n_text)
{
    size_t n = view.n < n_text - 1 ? view.n : n_text - 1;
    memcpy(text, view.s, n);
    text[n] = '\0';
}

/* Whether metadata list !{i32 0, i32 3} holds 3 at place i: __local. */
static bool is_local_space(const wm_ir *ir, wm_view define, uint32_t i)
{
    wm_view node = wm_ir_debug_node(
        ir, wm_ir_debug_reference(define, "!kernel_arg_addr_space !"));
    for (;; i--) {
        size_t at = wm_view_find(node, "i32 ");
        node = wm_view_after(node, at + strlen("i32 "));
        if (node.n == 0 || i == 0) {
            return node.n != 0 && node.s[0] == '3';
        }
    }
}

static wm_status read_param(const wm_ir *ir, wm_view define, wm_view text,
                            wm_ir_kernel *kernel, wm_error *err)
{
    uint32_t i = kernel->n_params;
    wm_ir_param *param = &kernel->params[i];
    wm_view type = {text.s, wm_ir_type_length(text)};
    bool is_odd =
        wm_view_find(text, "byval(") != text.n || type.n >= sizeof(param->type);
    if (i == WM_IR_PARAMS_MAX || is_odd || wm_ir_type_bytes(type) == 0 ||
        wm_ir_type_bytes(type) > WM_IR_ARG_BYTES) {
        return wm_fail(err, WM_EFORMAT,
                       "%s: kernel '%s': parameter %" PRIu32 " is '%.*s', "
                       "wanted numbers and pointers (pass a struct by "
                       "pointer)",
                       ir->request->source, ir->request->kernel, i + 1,
                       (int)(text.n < 60 ? text.n : 60), text.s);
    }
    copy_view(type, param->type, sizeof(param->type));
    param->is_pointer =
        type.s[type.n - 1] == '*' || wm_view_starts(type, "ptr");
    param->is_local = ir->request->is_opencl && is_local_space(ir, define, i);
    const char *extend = wm_view_find(text, "zeroext") != text.n   ? "zeroext"
                         : wm_view_find(text, "signext") != text.n ? "signext"
                                                                   : "";
    (void)snprintf(param->extend, sizeof(param->extend), "%s", extend);
    wm_ir_debug_param(ir, define, i, param->name, sizeof(param->name));
    kernel->n_params++;
    return WM_OK;
}

wm_status wm_ir_kernel_find(const wm_ir *ir, wm_ir_kernel *kernel,
                            wm_error *err)
{
    memset(kernel, 0, sizeof(*kernel));
    wm_view wanted = wanted_symbol(ir);
    copy_view(wanted, kernel->name, sizeof(kernel->name));
    for (size_t i = 0; i < ir->n_lines; i++) {
        wm_view line = ir->lines[i];
        if (!is_define(ir, line) || kernel->name[0] == '\0' ||
            !wm_view_is(symbol_in(line), kernel->name)) {
            continue;
        }
        wm_view rest =
            wm_view_after(line, wm_view_find(line, "@") + 1 + wanted.n);
        wm_status status = WM_OK;
        rest.n = wm_ir_bracket_length(rest);
        rest = wm_view_after(rest, 1);
        rest.n -= rest.n > 0;
        while (status == WM_OK && rest.n != 0 && !wm_view_starts(rest, "...")) {
            wm_view text = {rest.s, wm_ir_operand_length(rest)};
            status = read_param(ir, line, text, kernel, err);
            rest = wm_view_after(rest, text.n + 2);
        }
        return status;
    }
    return fail_kernel(ir, err);
}

static void write_arguments(const wm_ir *ir, const wm_ir_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->n_params; i++) {
        const wm_ir_param *param = &kernel->params[i];
        bool is_bit = strcmp(param->type, "i1") == 0;
        const char *type = is_bit ? "i8" : param->type;
        wm_buffer_printf(ir->out,
                         "  %%s%" PRIu32 " = add i64 %%a, %" PRIu32 "\n", i,
                         i * WM_IR_ARG_BYTES);
        if (ir->is_opaque) {
            wm_buffer_printf(ir->out,
                             "  %%p%" PRIu32 " = inttoptr i64 %%s%" PRIu32
                             " to ptr\n  %%v%" PRIu32
                             " = load %s, ptr %%p%" PRIu32 "\n",
                             i, i, i, type, i);
        } else {
            wm_buffer_printf(ir->out,
                             "  %%p%" PRIu32 " = inttoptr i64 %%s%" PRIu32
                             " to %s*\n  %%v%" PRIu32
                             " = load %s, %s* %%p%" PRIu32 "\n",
                             i, i, type, i, type, type, i);
        }
        if (is_bit) {
            wm_buffer_printf(
                ir->out, "  %%b%" PRIu32 " = trunc i8 %%v%" PRIu32 " to i1\n",
                i, i);
        }
    }
}

static void write_entry(const wm_ir *ir, const wm_ir_kernel *kernel)
{
    wm_buffer_puts(ir->out, "\ndefine void @wm_entry(i64 %a) {\n");
    write_arguments(ir, kernel);
    wm_buffer_printf(ir->out, "  call %svoid @%s(",
                     ir->request->is_opencl ? "spir_kernel " : "",
                     kernel->name);
    for (uint32_t i = 0; i < kernel->n_params; i++) {
        const wm_ir_param *param = &kernel->params[i];
        wm_buffer_printf(ir->out, "%s%s %s %%%s%" PRIu32, i == 0 ? "" : ", ",
                         param->type, param->extend,
                         strcmp(param->type, "i1") == 0 ? "b" : "v", i);
    }
    wm_buffer_puts(ir->out, ")\n  ret void\n}\n\n");
}

void wm_ir_kernel_write(const wm_ir *ir, const wm_ir_kernel *kernel)
{
    static const char *const symbols[WM_IMAGE_COUNT] = {
        [WM_IMAGE_START] = "__ehdr_start",
        [WM_IMAGE_END] = "_end",
        [WM_IMAGE_SHARED] = "__start_wm_shared",
        [WM_IMAGE_DYNAMIC] = NULL,
        [WM_IMAGE_SHARED_END] = "__stop_wm_shared",
        [WM_IMAGE_MODULE] = "__start_wm_module",
        [WM_IMAGE_MODULE_END] = "__stop_wm_module",
    };
    wm_buffer *out = ir->out;
    uint64_t n_dynamic = ir->request->dynamic_bytes + 16;
    write_entry(ir, kernel);
    /* Both sections must exist for the linker to give their bounds. */
    wm_buffer_printf(out,
                     "@wm_dynamic = internal global [%" PRIu64
                     " x i8] zeroinitializer, section \"wm_shared\", align "
                     "16\n@wm_module_end = internal global i64 0, section "
                     "\"wm_module\", align 8\n",
                     n_dynamic);
    for (size_t i = 0; i < WM_IMAGE_COUNT; i++) {
        if (symbols[i] != NULL) {
            wm_buffer_printf(out, "@%s = external hidden global i8\n",
                             symbols[i]);
        }
    }
    wm_buffer_printf(out, "@wm_image = global [%d x i64] [", WM_IMAGE_COUNT);
    for (size_t i = 0; i < WM_IMAGE_COUNT; i++) {
        const char *type = ir->is_opaque ? "ptr" : "i8*";
        wm_buffer_puts(out, i == 0 ? "" : ", ");
        if (symbols[i] != NULL) {
            wm_buffer_printf(out, "i64 ptrtoint (%s @%s to i64)", type,
                             symbols[i]);
        } else if (ir->is_opaque) {
            wm_buffer_puts(out, "i64 ptrtoint (ptr @wm_dynamic to i64)");
        } else {
            wm_buffer_printf(
                out, "i64 ptrtoint ([%" PRIu64 " x i8]* @wm_dynamic to i64)",
                n_dynamic);
        }
    }
    wm_buffer_puts(out, "]\n\n"
                        "declare void @wm_rt_access(i64, i32)\n"
                        "declare void @wm_rt_copy(i64, i64, i32)\n"
                        "declare void @wm_rt_block(i32)\n"
                        "declare void @wm_rt_mark(i32)\n");
}
