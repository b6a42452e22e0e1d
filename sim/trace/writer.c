/*
 * writer.c -- the registry of formats that can be written.
 */
#include "trace/writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

#define WM_OUTPUT(id) extern const wm_trace_output wm_output_##id;
#include "trace/outputs.def"
#undef WM_OUTPUT

const wm_trace_output *const wm_trace_outputs[] = {
#define WM_OUTPUT(id) &wm_output_##id,
#include "trace/outputs.def"
#undef WM_OUTPUT
    NULL,
};

struct wm_trace_writer {
    const wm_trace_output *output;
    void *state;
};

static wm_status fail_unknown(const char *format, wm_error *err)
{
    wm_buffer names;
    wm_buffer_init(&names);
    for (size_t i = 0; wm_trace_outputs[i] != NULL; i++) {
        wm_buffer_printf(&names, "%s%s", i == 0 ? "" : ", ",
                         wm_trace_outputs[i]->name);
    }
    wm_status status =
        names.is_failed
            ? wm_fail_memory(err)
            : wm_fail(err, WM_EUSAGE,
                      "found the trace format '%s' to write, wanted one of %s",
                      format, names.bytes);
    wm_buffer_fini(&names);
    return status;
}

wm_status wm_trace_create(const char *format, const char *path,
                          wm_trace_writer **out, wm_error *err)
{
    size_t i = 0;
    *out = NULL;
    while (wm_trace_outputs[i] != NULL &&
           strcmp(wm_trace_outputs[i]->name, format) != 0) {
        i++;
    }
    if (wm_trace_outputs[i] == NULL) {
        return fail_unknown(format, err);
    }
    wm_trace_writer *writer = calloc(1, sizeof(*writer));
    if (writer == NULL) {
        return wm_fail_memory(err);
    }
    writer->output = wm_trace_outputs[i];
    wm_status status = writer->output->open(path, &writer->state, err);
    if (status != WM_OK) {
        free(writer);
        return status;
    }
    *out = writer;
    return WM_OK;
}

wm_status wm_trace_write_copy(wm_trace_writer *writer, const wm_copy *copy,
                              wm_error *err)
{
    return writer->output->copy(writer->state, copy, err);
}

wm_status wm_trace_write_launch(wm_trace_writer *writer,
                                const wm_launch *launch, wm_error *err)
{
    return writer->output->launch(writer->state, launch, err);
}

wm_status wm_trace_write_cta(wm_trace_writer *writer, const wm_launch *launch,
                             const wm_cta *cta, wm_error *err)
{
    return writer->output->cta(writer->state, launch, cta, err);
}

wm_status wm_trace_finish(wm_trace_writer *writer, wm_error *err)
{
    wm_status status = writer->output->finish(writer->state, err);
    free(writer);
    return status;
}

void wm_trace_abort(wm_trace_writer *writer)
{
    if (writer != NULL) {
        writer->output->drop(writer->state);
        free(writer);
    }
}
