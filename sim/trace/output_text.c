/*
 * output_text.c -- the readable form as one of the formats that can be
 * written.  Keeps everything.
 */
#include <stdlib.h>

#include "trace/sink.h"
#include "trace/text_write.h"
#include "trace/writer.h"

typedef struct text_output {
    wm_sink *sink;
    wm_buffer text;
    uint32_t n_statics; /* of the launch, written so far */
} text_output;

static void output_free(text_output *out)
{
    wm_buffer_fini(&out->text);
    free(out);
}

static wm_status open_file(const char *path, void **state, wm_error *err)
{
    text_output *out = calloc(1, sizeof(*out));
    *state = out;
    if (out == NULL) {
        return wm_fail_memory(err);
    }
    wm_buffer_init(&out->text);
    wm_status status = wm_sink_open(path, &out->sink, err);
    if (status != WM_OK) {
        output_free(out);
        return status;
    }
    wm_text_add_head(&out->text);
    return WM_OK;
}

static wm_status add_copy(void *state, const wm_copy *copy, wm_error *err)
{
    text_output *out = state;
    wm_text_add_copy(&out->text, copy);
    return wm_sink_add(out->sink, &out->text, err);
}

static wm_status add_launch(void *state, const wm_launch *launch, wm_error *err)
{
    text_output *out = state;
    out->n_statics = 0;
    wm_text_add_launch(&out->text, launch);
    return wm_sink_add(out->sink, &out->text, err);
}

static wm_status add_cta(void *state, const wm_launch *launch,
                         const wm_cta *cta, wm_error *err)
{
    text_output *out = state;
    wm_text_add_statics(&out->text, launch, out->n_statics);
    out->n_statics = launch->n_statics;
    wm_text_add_cta(&out->text, launch, cta);
    return wm_sink_add(out->sink, &out->text, err);
}

static void drop(void *state)
{
    text_output *out = state;
    wm_sink_abort(out->sink);
    output_free(out);
}

static wm_status finish(void *state, wm_error *err)
{
    text_output *out = state;
    wm_status status = wm_sink_add(out->sink, &out->text, err);
    if (status != WM_OK) {
        drop(out);
        return status;
    }
    status = wm_sink_close(out->sink, err);
    output_free(out);
    return status;
}

extern const wm_trace_output wm_output_text;
const wm_trace_output wm_output_text = {
    .name = "text",
    .summary = "readable form, one record a line; keeps everything",
    .open = open_file,
    .copy = add_copy,
    .launch = add_launch,
    .cta = add_cta,
    .finish = finish,
    .drop = drop,
};
