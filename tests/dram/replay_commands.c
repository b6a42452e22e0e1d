/*
 * replay_commands.c -- the DRAM commands of a real replay, for the auditor.
 *
 *     replay_commands CONFIG TRACE [KEY=VALUE...]    commands on stdout
 *
 * `warpmem run` has no listener on its channels, so this test puts itself
 * between the engine and wm_banked_new when it is linked (--wrap).  What it
 * adds is the listener alone: the engine pushes, runs and asks as it always
 * does.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "model/dram/banked.h"

#define SETS_MAX 32

wm_status __real_wm_banked_new(const wm_dram_timing *timing,
                               const wm_banked_params *params, wm_banked **out,
                               wm_error *err);
wm_status __wrap_wm_banked_new(const wm_dram_timing *timing,
                               const wm_banked_params *params, wm_banked **out,
                               wm_error *err);
wm_status __real_wm_standard_settle(wm_standard *standard, uint64_t ck_fs,
                                    wm_error *err);
wm_status __wrap_wm_standard_settle(wm_standard *standard, uint64_t ck_fs,
                                    wm_error *err);

/* What the wrapped functions saw; there is no context to hand it through. */
static struct {
    wm_standard standard;
    uint32_t n_channels;
    bool has_header;
} seen;

static void print_header(void)
{
    const wm_standard *s = &seen.standard;
    printf("# warpmem dram commands 1\n# standard: %s\n",
           s->file[s->n_files - 1]);
    printf("# ck_ps: %" PRIu64 ".%03u\n# channels: %" PRIu32 "\n",
           s->ck_fs / 1000, (unsigned)(s->ck_fs % 1000), seen.n_channels);
    seen.has_header = true;
}

static void print_command(const wm_dram_command *command, void *context)
{
    static const char *const names[] = {"ACT", "PRE", "PREA", "RD",  "WR",
                                        "RDA", "WRA", "REFA", "REFP"};
    const wm_standard *s = &seen.standard;
    const uintptr_t channel = (uintptr_t)context;
    const uint32_t ba = command->bank % s->banks;
    uint32_t rest = command->bank / s->banks;
    const uint32_t bg = rest % s->bank_groups;
    rest /= s->bank_groups;
    if (!seen.has_header) {
        print_header();
    }
    if (seen.n_channels > 1) {
        printf("%u ", (unsigned)channel);
    }
    printf("%" PRIu64 " %s %" PRIu32 " ", command->tick, names[command->kind],
           rest / s->stack_ids);
    switch (command->kind) {
    case WM_DRAM_PREA:
    case WM_DRAM_REFA:
        printf("- - - - -\n");
        return;
    case WM_DRAM_PRE:
    case WM_DRAM_REFP:
        printf("%" PRIu32 " %" PRIu32 " %" PRIu32 " - -\n", rest % s->stack_ids,
               bg, ba);
        return;
    case WM_DRAM_ACT:
        printf("%" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu64 " -\n",
               rest % s->stack_ids, bg, ba, command->row);
        return;
    default:
        printf("%" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu32 "\n",
               rest % s->stack_ids, bg, ba, command->row, command->column);
    }
}

wm_status __wrap_wm_banked_new(const wm_dram_timing *timing,
                               const wm_banked_params *params, wm_banked **out,
                               wm_error *err)
{
    wm_banked_params heard = *params;
    heard.command = print_command;
    heard.command_context = (void *)(uintptr_t)seen.n_channels++;
    return __real_wm_banked_new(timing, &heard, out, err);
}

wm_status __wrap_wm_standard_settle(wm_standard *standard, uint64_t ck_fs,
                                    wm_error *err)
{
    wm_status status = __real_wm_standard_settle(standard, ck_fs, err);
    seen.standard = *standard;
    return status;
}

static wm_status drop(const wm_kernel_result *result, void *context,
                      wm_error *err)
{
    uint64_t *n_kernels = context;
    (void)result;
    (void)err;
    ++*n_kernels;
    return WM_OK;
}

static wm_status replay(const char *config_name, const char *path,
                        const char *const *sets, size_t n_sets, wm_error *err)
{
    const wm_engine_options options = {.mode = WM_MODE_TIMING, .jobs = 1};
    const wm_trace_options reading = {false};
    wm_config_set *config = NULL;
    wm_engine *engine = NULL;
    wm_trace *trace = NULL;
    uint64_t n_kernels = 0;
    wm_status status = wm_config_load(config_name, sets, n_sets, &config, err);
    if (status == WM_OK) {
        status =
            wm_engine_new(wm_config_values(config), &options, &engine, err);
    }
    if (status == WM_OK) {
        status = wm_trace_open(path, &reading, NULL, &trace, err);
    }
    if (status == WM_OK) {
        status = wm_engine_run(engine, trace, drop, &n_kernels, err);
    }
    if (status == WM_OK && !seen.has_header) {
        print_header();
    }
    if (status == WM_OK) {
        const uint64_t *value = wm_engine_total(engine)->value;
        fprintf(stderr,
                "kernels %" PRIu64 " reads %" PRIu64 " writes %" PRIu64
                " forwarded %" PRIu64 " activates %" PRIu64 "\n",
                n_kernels, value[WM_C_DRAM_READ_SECTORS],
                value[WM_C_DRAM_WRITE_SECTORS], value[WM_C_DRAM_FORWARDED],
                value[WM_C_DRAM_ACTIVATES]);
    }
    wm_trace_close(trace);
    wm_engine_free(engine);
    wm_config_free(config);
    return status;
}

int main(int argc, char **argv)
{
    const char *sets[SETS_MAX] = {"dram.model=banked"};
    wm_error err;
    if (argc < 3 || argc - 3 >= SETS_MAX - 1) {
        fprintf(stderr, "usage: replay_commands CONFIG TRACE [KEY=VALUE...]\n");
        return 2;
    }
    for (int i = 3; i < argc; i++) {
        sets[i - 2] = argv[i];
    }
    if (replay(argv[1], argv[2], sets, (size_t)argc - 2, &err) != WM_OK) {
        fprintf(stderr, "replay_commands: %s\n", err.text);
        return 1;
    }
    return fflush(stdout) != 0;
}
