/*
 * arguments.c -- the launch file's values as the kernel's parameters.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "run.h"

/* "saxpy(n, a, x, y)", as far as the names are known. */
static void print_parameters(const wm_run *run, wm_buffer *out)
{
    const wm_ir_kernel *kernel = run->kernel;
    wm_buffer_printf(out, "%s(", run->spec->kernel);
    for (uint32_t i = 0; i < kernel->n_params; i++) {
        const wm_ir_param *param = &kernel->params[i];
        wm_buffer_printf(out, "%s%s%s", i == 0 ? "" : ", ", param->type,
                         param->name[0] != '\0' ? " " : "");
        wm_buffer_puts(out, param->name);
    }
    wm_buffer_puts(out, ")");
}

static wm_status fail_arguments(wm_run *run, uint32_t line, uint32_t column,
                                const char *found, wm_error *err)
{
    wm_buffer text;
    wm_buffer_init(&text);
    print_parameters(run, &text);
    wm_status status =
        text.is_failed
            ? wm_fail_memory(err)
            : wm_fail(err, WM_ECONFIG, "%s:%u:%u: found %s, wanted those of %s",
                      run->spec->path, line, column, found, text.bytes);
    wm_buffer_fini(&text);
    return status;
}

static wm_status check_arguments(wm_run *run, wm_error *err)
{
    const wm_spec *spec = run->spec;
    char found[160];
    if (spec->n_args != run->kernel->n_params) {
        (void)snprintf(found, sizeof(found), "%u arguments", spec->n_args);
        return fail_arguments(run, spec->args_line, spec->args_column, found,
                              err);
    }
    for (uint32_t i = 0; i < spec->n_args; i++) {
        const wm_arg *arg = &spec->args[i];
        const wm_ir_param *param = &run->kernel->params[i];
        if (param->name[0] != '\0' && strcmp(param->name, arg->name) != 0) {
            (void)snprintf(found, sizeof(found), "'%s' as argument %u",
                           arg->name, i + 1);
            return fail_arguments(run, arg->line, arg->column, found, err);
        }
        bool is_number = arg->kind == WM_ARG_SCALAR;
        bool is_local = arg->kind == WM_ARG_LOCAL;
        if (is_number == param->is_pointer ||
            (param->is_pointer && run->spec->is_opencl &&
             is_local != param->is_local)) {
            (void)snprintf(found, sizeof(found), "%s for '%s'",
                           is_number  ? "a number"
                           : is_local ? "{local: ...}"
                                      : "a buffer",
                           arg->name);
            return fail_arguments(run, arg->line, arg->column, found, err);
        }
    }
    return WM_OK;
}

static wm_status set_number(wm_run *run, uint32_t i, const char *word,
                            wm_error *err)
{
    const char *type = run->kernel->params[i].type;
    const wm_arg *arg = &run->spec->args[i];
    uint8_t *place = run->arguments + (size_t)i * WM_IR_ARG_BYTES;
    char *end = NULL;
    bool is_good = true;
    if (strcmp(type, "float") == 0) {
        float value = strtof(word, &end);
        memcpy(place, &value, sizeof(value));
    } else if (strcmp(type, "double") == 0) {
        double value = strtod(word, &end);
        memcpy(place, &value, sizeof(value));
    } else if (type[0] == 'i') {
        uint32_t n_bits = (uint32_t)atoi(type + 1);
        errno = 0;
        uint64_t value = word[0] == '-' ? (uint64_t)strtoll(word, &end, 0)
                                        : strtoull(word, &end, 0);
        uint64_t above = n_bits < 64 ? value >> n_bits : 0;
        bool is_negative = word[0] == '-' && n_bits < 64;
        is_good = errno == 0 && (is_negative ? value >> (n_bits - 1) ==
                                                   UINT64_MAX >> (n_bits - 1)
                                             : above == 0);
        memcpy(place, &value, sizeof(value));
    } else {
        is_good = false;
    }
    return is_good && end != word && *end == '\0'
               ? WM_OK
               : wm_fail(err, WM_ECONFIG,
                         "%s:%u:%u: args.%s: found '%s', wanted a number of "
                         "LLVM type %s",
                         run->spec->path, arg->line, arg->column, arg->name,
                         word, type);
}

wm_status wm_run_set_arguments(wm_run *run, wm_error *err)
{
    const uint64_t dynamic = run->module.image[WM_IMAGE_DYNAMIC];
    uint64_t n_local = run->spec->shared_bytes;
    wm_status status = check_arguments(run, err);
    for (uint32_t i = 0; status == WM_OK && i < run->spec->n_args; i++) {
        const wm_arg *arg = &run->spec->args[i];
        uint64_t address = 0;
        char word[64];
        if (arg->kind == WM_ARG_SCALAR) {
            uint32_t launch = run->launch_number < arg->n_launches
                                  ? run->launch_number
                                  : arg->n_launches - 1;
            (void)wm_spec_word(arg->text, launch, word, sizeof(word));
            status = set_number(run, i, word, err);
            continue;
        }
        if (arg->kind == WM_ARG_LOCAL) {
            n_local = (n_local + WM_SPEC_LOCAL_ALIGN - 1) /
                      WM_SPEC_LOCAL_ALIGN * WM_SPEC_LOCAL_ALIGN;
            address = dynamic + n_local;
            n_local += arg->n_bytes;
        } else {
            address = (uint64_t)(uintptr_t)run->arena->host +
                      wm_arena_find(run->arena, arg)->offset;
        }
        memcpy(run->arguments + (size_t)i * WM_IR_ARG_BYTES, &address,
               sizeof(address));
    }
    return status;
}
