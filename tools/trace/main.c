/*
 * main.c -- warpmem-trace: a kernel's source and a launch file in, a trace
 * out.  The one place of this program that prints and exits.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clang.h"
#include "ir.h"
#include "run.h"
#include "spec.h"

typedef struct options {
    const char *output;
    const char *source;
    const char *language;
    const char *keep; /* where the compiler's output goes as well */
    const char *launch;
    bool is_quiet;
} options;

static const char help[] =
    "Trace a CUDA or OpenCL kernel on this machine, without a GPU.\n"
    "\n"
    "Usage: warpmem-trace [OPTIONS] LAUNCH.yaml -o OUT.wmt\n"
    "\n"
    "  -o, --output FILE   Write the trace to FILE.\n"
    "      --source FILE   Take the kernel from FILE, not from the launch's "
    "`source`.\n"
    "      --language L    opencl or cuda; else the launch's `language`, or "
    "the source's\n"
    "                      ending (.cl is OpenCL).\n"
    "      --ir FILE       Write the rewritten program (LLVM assembly) to "
    "FILE.\n"
    "  -q, --quiet         Say nothing but errors.\n"
    "  -h, --help          Print this help.\n"
    "\n"
    "Needs clang 14 or later (WARPMEM_CLANG names another).\n"
    "docs/TRACING.md explains the launch file.\n"
    "\n"
    "Exit: 0 done; 1 the kernel cannot be traced; 2 bad command line or "
    "launch file;\n"
    "3 out of memory, input or output failed.\n";

static wm_status parse_options(int argc, char **argv, options *out,
                               bool *is_help, wm_error *err)
{
    static const struct option table[] = {
        {"output", required_argument, NULL, 'o'},
        {"source", required_argument, NULL, 's'},
        {"language", required_argument, NULL, 'l'},
        {"ir", required_argument, NULL, 'i'},
        {"quiet", no_argument, NULL, 'q'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0}};
    int letter;
    memset(out, 0, sizeof(*out));
    opterr = 0;
    while ((letter = getopt_long(argc, argv, "o:qh", table, NULL)) != -1) {
        switch (letter) {
        case 'o':
            out->output = optarg;
            break;
        case 's':
            out->source = optarg;
            break;
        case 'l':
            out->language = optarg;
            break;
        case 'i':
            out->keep = optarg;
            break;
        case 'q':
            out->is_quiet = true;
            break;
        case 'h':
            *is_help = true;
            return WM_OK;
        default:
            return wm_fail(err, WM_EUSAGE,
                           "found option '%s', wanted one of warpmem-trace -h",
                           argv[optind - 1]);
        }
    }
    if (optind + 1 != argc || out->output == NULL) {
        return wm_fail(err, WM_EUSAGE,
                       "found %d launch files and %s output, wanted one each: "
                       "warpmem-trace LAUNCH.yaml -o OUT.wmt",
                       argc - optind, out->output != NULL ? "an" : "no");
    }
    if (out->language != NULL && strcmp(out->language, "opencl") != 0 &&
        strcmp(out->language, "cuda") != 0) {
        return wm_fail(err, WM_EUSAGE,
                       "--language: found '%s', wanted opencl or cuda",
                       out->language);
    }
    out->launch = argv[optind];
    return WM_OK;
}

static wm_status keep_text(const char *path, const wm_buffer *text,
                           wm_error *err)
{
    FILE *file = fopen(path, "w");
    size_t n = file != NULL ? fwrite(text->bytes, 1, text->n_bytes, file) : 0;
    return file != NULL && fclose(file) == 0 && n == text->n_bytes
               ? WM_OK
               : wm_fail(err, WM_EIO, "%s: cannot write it", path);
}

/* Everything that the trace is made from. */
typedef struct session {
    wm_spec spec;
    wm_clang clang;
    wm_events events;
    wm_ir_kernel kernel;
    wm_module module;
    wm_arena arena;
    wm_run run;
} session;

static wm_status build(session *s, const options *opts, wm_error *err)
{
    wm_buffer plain, traced;
    wm_buffer_init(&plain);
    wm_buffer_init(&traced);
    wm_ir_request request = {.kernel = s->spec.kernel,
                             .source = s->spec.source,
                             .is_opencl = s->spec.is_opencl,
                             .dynamic_bytes = wm_spec_dynamic_bytes(&s->spec)};
    wm_status status = wm_clang_init(&s->clang, err);
    if (status == WM_OK) {
        status = wm_clang_compile(&s->clang, &s->spec, &plain, err);
    }
    if (status == WM_OK) {
        status = wm_ir_rewrite(plain.bytes, &request, &traced, &s->events,
                               &s->kernel, err);
    }
    if (status == WM_OK && opts->keep != NULL) {
        status = keep_text(opts->keep, &traced, err);
    }
    if (status == WM_OK) {
        status = wm_clang_load(&s->clang, &s->spec, &traced, &s->module, err);
    }
    wm_buffer_fini(&plain);
    wm_buffer_fini(&traced);
    return status;
}

static wm_status record(session *s, const options *opts, wm_error *err)
{
    wm_wmt_writer *writer = NULL;
    wm_status status = wm_arena_init(&s->arena, &s->spec, err);
    if (status == WM_OK) {
        status = wm_run_init(&s->run, &s->spec, &s->kernel, &s->events,
                             &s->arena, &s->module, err);
    }
    if (status == WM_OK) {
        status = wm_wmt_create(opts->output, &writer, err);
    }
    if (status != WM_OK) {
        return status;
    }
    status = wm_run_all(&s->run, writer, err);
    if (status != WM_OK) {
        wm_wmt_abort(writer);
        return status;
    }
    return wm_wmt_finish(writer, err);
}

static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static wm_status trace(const options *opts, wm_error *err)
{
    session *s = calloc(1, sizeof(*s));
    if (s == NULL) {
        return wm_fail_memory(err);
    }
    wm_status status = wm_spec_load(opts->launch, opts->source, &s->spec, err);
    if (status == WM_OK) {
        if (opts->language != NULL) {
            s->spec.is_opencl = strcmp(opts->language, "opencl") == 0;
        }
        status = build(s, opts, err);
    }
    double start = cpu_seconds();
    if (status == WM_OK) {
        status = record(s, opts, err);
    }
    double seconds = cpu_seconds() - start;
    if (status == WM_OK && !opts->is_quiet) {
        fprintf(stderr,
                "%s: %s, %" PRIu32 " launches, %" PRIu64 " records, %" PRIu64
                " lane accesses; %.2f s CPU, %.2f M records/s\n",
                opts->output, s->spec.kernel, s->spec.n_launches,
                s->run.n_records, s->run.n_accesses, seconds,
                seconds > 0 ? (double)s->run.n_records / seconds / 1e6 : 0);
    }
    wm_run_fini(&s->run);
    wm_arena_fini(&s->arena);
    wm_clang_fini(&s->clang);
    wm_events_fini(&s->events);
    wm_spec_fini(&s->spec);
    free(s);
    return status;
}

static int exit_code(wm_status status)
{
    switch (status) {
    case WM_OK:
        return 0;
    case WM_EUSAGE:
    case WM_ECONFIG:
        return 2;
    case WM_ENOMEM:
    case WM_EIO:
        return 3;
    default:
        return 1;
    }
}

int main(int argc, char **argv)
{
    wm_error err = {.status = WM_OK};
    options opts;
    bool is_help = false;
    wm_status status = parse_options(argc, argv, &opts, &is_help, &err);
    if (status == WM_OK && is_help) {
        fputs(help, stdout);
        return 0;
    }
    if (status == WM_OK) {
        status = trace(&opts, &err);
    }
    if (status != WM_OK) {
        fprintf(stderr, "warpmem-trace: %s\n", err.text);
    }
    return exit_code(status);
}
