/*
 * fuzz_trace.c -- any bytes as a trace: every reader, strict and lenient, and
 * what they deliver through the whole simulator in counts mode, whose
 * conservation laws must hold.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/engine.h"
#include "fuzz.h"

/* Bounds the work of one input, not its kind. */
#define CTAS_MAX 64u

static wm_status drop(const wm_kernel_result *result, void *context,
                      wm_error *err)
{
    (void)result;
    (void)context;
    (void)err;
    return WM_OK;
}

/* Reads to the end; a failure must carry a sentence. */
static void read_all(const char *path, bool keep_going)
{
    wm_trace_options options = {.keep_going = keep_going};
    wm_trace *trace = NULL;
    wm_command command;
    wm_error err;
    wm_cta cta;
    bool has_cta = false;
    wm_status status = wm_trace_open(path, &options, NULL, &trace, &err);
    wm_cta_init(&cta);
    command.kind = WM_COMMAND_END;
    for (uint32_t i = 0; status == WM_OK && i < 1000; i++) {
        status = wm_trace_next_command(trace, &command, &err);
        if (status != WM_OK || command.kind == WM_COMMAND_END) {
            break;
        }
        has_cta = command.kind == WM_COMMAND_LAUNCH;
        for (uint32_t k = 0; status == WM_OK && has_cta && k < CTAS_MAX; k++) {
            status = wm_trace_next_cta(trace, &cta, &has_cta, &err);
        }
    }
    if (status != WM_OK && err.text[0] == '\0') {
        abort();
    }
    wm_cta_fini(&cta);
    wm_trace_close(trace);
}

static void simulate(const char *path)
{
    static const char *const sets[] = {"sm.count=2", "l2.size=64KiB",
                                       "l2.slices=2", "dram.channels=1"};
    wm_config_set *config = NULL;
    wm_engine *engine = NULL;
    wm_trace *trace = NULL;
    wm_engine_options options;
    wm_trace_options reading = {.keep_going = true};
    wm_error err;
    memset(&options, 0, sizeof(options));
    options.mode = WM_MODE_COUNTS;
    options.jobs = 1;
    if (wm_config_load("v100", sets, 4, &config, &err) != WM_OK ||
        wm_engine_new(wm_config_values(config), &options, &engine, &err) !=
            WM_OK) {
        abort();
    }
    if (wm_trace_open(path, &reading, NULL, &trace, &err) == WM_OK &&
        wm_engine_run(engine, trace, drop, NULL, &err) == WM_EINTERNAL) {
        abort();
    }
    wm_trace_close(trace);
    wm_engine_free(engine);
    wm_config_free(config);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
    const char *path = fuzz_file(bytes, n_bytes, ".trace");
    read_all(path, false);
    read_all(path, true);
    simulate(path);
    (void)unlink(path);
    return 0;
}
