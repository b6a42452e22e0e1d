/*
 * output_wmt.c -- the native file as one of the formats that can be written.
 */
#include "trace/wmt.h"
#include "trace/writer.h"

static wm_status open_file(const char *path, void **state, wm_error *err)
{
    wm_wmt_writer *writer = NULL;
    wm_status status = wm_wmt_create(path, &writer, err);
    *state = writer;
    return status;
}

static wm_status add_copy(void *state, const wm_copy *copy, wm_error *err)
{
    return wm_wmt_copy(state, copy, err);
}

static wm_status add_launch(void *state, const wm_launch *launch, wm_error *err)
{
    return wm_wmt_launch(state, launch, err);
}

static wm_status add_cta(void *state, const wm_launch *launch,
                         const wm_cta *cta, wm_error *err)
{
    return wm_wmt_cta(state, launch, cta, err);
}

static wm_status finish(void *state, wm_error *err)
{
    return wm_wmt_finish(state, err);
}

static void drop(void *state)
{
    wm_wmt_abort(state);
}

extern const wm_trace_output wm_output_wmt;
const wm_trace_output wm_output_wmt = {
    .name = "wmt",
    .summary = "warpmem's own file; keeps everything",
    .open = open_file,
    .copy = add_copy,
    .launch = add_launch,
    .cta = add_cta,
    .finish = finish,
    .drop = drop,
};
