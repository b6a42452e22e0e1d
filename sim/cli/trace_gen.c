/*
 * trace_gen.c -- `warpmem trace gen`: a synthetic trace of one launch.
 */
#include <stddef.h>
#include <string.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/trace_rewrite.h"
#include "report/human.h"
#include "trace/gen.h"
#include "trace/writer.h"

wm_status wm_trace_cmd_gen(const wm_subcommand *self, int argc, char **argv,
                           wm_error *err);

typedef struct gen_options {
    const char *output;
    const char *to;
    const char *expression;
    bool is_list;
    uint64_t n_ctas;
    uint64_t n_warps;
    uint64_t n_accesses;
    uint64_t width_bytes;
    uint64_t stride_bytes;
    uint64_t span_bytes;
    uint64_t base;
    uint64_t seed;
    uint64_t size;
    bool is_dependent;
} gen_options;

#define GEN_NUMBER(name, sentence, field, max)                                 \
    {                                                                          \
        WM_OPTION_NUMBER, '\0', name, "N", sentence,                           \
            offsetof(gen_options, field), 0, max                               \
    }

static const wm_option gen_option_list[] = {
    {WM_OPTION_TEXT, 'o', "output", "OUT", "The file to write.",
     offsetof(gen_options, output), 0, 0},
    WM_TO_OPTION(gen_options, to),
    {WM_OPTION_TEXT, 'e', "expression", "PROGRAM",
     "Accesses of a warp, as in 'load4 a + 4*gid; store4 b + 4*gid', instead "
     "of a pattern (docs/TRACE_FORMAT.md, section 5).",
     offsetof(gen_options, expression), 0, 0},
    {WM_OPTION_FLAG, '\0', "list", NULL, "List the patterns.",
     offsetof(gen_options, is_list), 0, 0},
    GEN_NUMBER("ctas", "CTAs. [Default: 64]", n_ctas, UINT64_MAX),
    GEN_NUMBER("warps", "Warps per CTA. [Default: 8]", n_warps,
               WM_GEN_WARPS_MAX),
    GEN_NUMBER("accesses", "Rounds of the pattern per warp. [Default: 16]",
               n_accesses, WM_GEN_ACCESSES_MAX),
    GEN_NUMBER("width", "Bytes per lane. [Default: 4]", width_bytes,
               WM_WIDTH_MAX),
    GEN_NUMBER("stride", "Bytes from lane to lane. [Default: the pattern's]",
               stride_bytes, INT32_MAX),
    GEN_NUMBER("span", "Bytes of each array, as in 64M. [Default: as touched]",
               span_bytes, UINT64_MAX),
    GEN_NUMBER("base", "Address of the first array. [Default: 0x7f0000000000]",
               base, UINT64_MAX),
    GEN_NUMBER("seed", "Of the random patterns. [Default: 1]", seed,
               UINT64_MAX),
    GEN_NUMBER("size", "Rows and columns of gemm. [Default: 128]", size,
               UINT32_MAX),
    {WM_OPTION_FLAG, '\0', "dependent", NULL,
     "Each load waits for the one before.", offsetof(gen_options, is_dependent),
     0, 0},
};

static const wm_option_table gen_table = {
    gen_option_list, sizeof(gen_option_list) / sizeof(gen_option_list[0]), 0, 1,
    "Same options, same trace, on every host."};

static wm_status gen_list(wm_error *err)
{
    wm_buffer out;
    wm_buffer_init(&out);
    for (size_t i = 0; wm_gen_pattern_name(i) != NULL; i++) {
        wm_buffer_printf(&out, "%-12s ", wm_gen_pattern_name(i));
        wm_human_wrap(&out, wm_gen_pattern_summary(i), 13, 13);
    }
    return wm_output_print(&out, err);
}

static wm_status gen_ctas(wm_gen *gen, wm_trace_writer *writer, wm_error *err)
{
    const wm_launch *launch = wm_gen_launch(gen);
    wm_cta cta;
    bool has_cta = true;
    wm_cta_init(&cta);
    wm_status status = wm_trace_write_launch(writer, launch, err);
    while (status == WM_OK && has_cta) {
        status = wm_gen_next_cta(gen, &cta, &has_cta, err);
        if (status == WM_OK && has_cta) {
            status = wm_trace_write_cta(writer, launch, &cta, err);
        }
        if (status == WM_OK && wm_interrupt_is_wanted()) {
            status = wm_fail(err, WM_EFORMAT,
                             "stopped by a signal: nothing was written");
        }
    }
    wm_cta_fini(&cta);
    return status;
}

static wm_status gen_write(wm_gen *gen, const gen_options *options,
                           wm_error *err)
{
    wm_trace_writer *writer = NULL;
    wm_status status =
        wm_trace_create(options->to, options->output, &writer, err);
    if (status != WM_OK) {
        return status;
    }
    wm_interrupt_init();
    status = gen_ctas(gen, writer, err);
    if (status != WM_OK) {
        wm_trace_abort(writer);
        return status;
    }
    return wm_trace_finish(writer, err);
}

static wm_status gen_run(const gen_options *options, const char *pattern,
                         wm_error *err)
{
    wm_gen *gen = NULL;
    const wm_gen_params params = {
        .pattern = pattern,
        .expression = options->expression,
        .n_ctas = options->n_ctas,
        .n_warps = (uint32_t)options->n_warps,
        .n_accesses = (uint32_t)options->n_accesses,
        .width_bytes = (uint32_t)options->width_bytes,
        .stride_bytes = (int32_t)options->stride_bytes,
        .span_bytes = options->span_bytes,
        .base = options->base,
        .seed = options->seed,
        .is_dependent = options->is_dependent,
        .size = (uint32_t)options->size,
    };
    if (options->output == NULL || strcmp(options->output, "-") == 0) {
        return wm_fail(err, WM_EUSAGE, "trace gen: --output: want a file");
    }
    wm_status status = wm_output_check(options->output, err);
    if (status == WM_OK) {
        status = wm_gen_open(&params, &gen, err);
    }
    if (status == WM_OK) {
        status = gen_write(gen, options, err);
    }
    wm_gen_close(gen);
    return status;
}

static gen_options gen_defaults(void)
{
    wm_gen_params params;
    wm_gen_params_init(&params);
    return (gen_options){.to = "wmt",
                         .n_ctas = params.n_ctas,
                         .n_warps = params.n_warps,
                         .n_accesses = params.n_accesses,
                         .width_bytes = params.width_bytes,
                         .span_bytes = params.span_bytes,
                         .base = params.base,
                         .seed = params.seed,
                         .size = params.size};
}

wm_status wm_trace_cmd_gen(const wm_subcommand *self, int argc, char **argv,
                           wm_error *err)
{
    gen_options options = gen_defaults();
    wm_words arguments = {0};
    bool is_help = false;
    wm_status status = wm_options_parse(self, &gen_table, argc, argv, &options,
                                        &arguments, &is_help, err);
    if (status == WM_OK && !is_help) {
        if (options.is_list) {
            status = gen_list(err);
        } else if ((arguments.n == 0) == (options.expression == NULL)) {
            status = wm_fail(err, WM_EUSAGE,
                             arguments.n == 0
                                 ? "trace gen: no pattern given; --list names "
                                   "them"
                                 : "trace gen: a pattern and -e, wanted one "
                                   "of them");
        } else {
            status = gen_run(&options,
                             arguments.n == 0 ? NULL : arguments.items[0], err);
        }
    }
    wm_words_fini(&arguments);
    return status;
}
