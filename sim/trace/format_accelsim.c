/*
 * format_accelsim.c -- Accel-Sim traces, tracer versions 1 to 5, grouped
 * (.traceg) and raw (.trace), plain or compressed.  One file is one launch.
 *
 * Not modelled  TMA bulk copies, cluster ids, immediates, store data.  The
 *               binary .tracez of version 6 is not read; its text lines are
 *               read as far as they resemble version 5.
 */
#include "trace/accelsim.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int accelsim_sniff(const uint8_t *head, size_t n_bytes)
{
    static const char *const keys[] = {"-kernel name", "-kernel id",
                                       "-grid dim", "-block dim",
                                       "-binary version"};
    size_t i = 0;
    while (i < n_bytes && (head[i] == '\n' || head[i] == '\r' ||
                           head[i] == ' ' || head[i] == '\t')) {
        i++;
    }
    for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
        size_t n = strlen(keys[k]);
        if (n_bytes - i >= n && memcmp(head + i, keys[k], n) == 0) {
            return 95;
        }
    }
    return 0;
}

static void accelsim_close(wm_reader *reader)
{
    if (reader == NULL) {
        return;
    }
    wm_stream_close(reader->stream);
    wm_statics_fini(&reader->statics);
    wm_accelsim_raw_free(reader->raw);
    free(reader->forms);
    free(reader->name);
    free(reader->where);
    free(reader);
}

static wm_status copy_path(wm_reader *reader, const char *path, wm_error *err)
{
    size_t n = strlen(path) + 1;
    reader->where = malloc(n);
    if (reader->where == NULL) {
        return wm_fail_memory(err);
    }
    memcpy(reader->where, path, n);
    reader->context.path = reader->where;
    reader->launch.where = reader->where;
    return WM_OK;
}

/* Grouped or raw: which comes first, #BEGIN_TB or another line? */
static wm_status find_body(wm_reader *reader, wm_error *err)
{
    while (reader->text != NULL && reader->text[0] == '#' &&
           !wm_accelsim_starts(reader, "#BEGIN_TB")) {
        wm_status status = wm_accelsim_next_line(reader, err);
        if (status != WM_OK) {
            return status;
        }
    }
    reader->is_raw = reader->text != NULL && reader->text[0] != '#';
    if (reader->is_raw || reader->layout.version <= 2) {
        reader->layout.n_prefix = 4;
    }
    return WM_OK;
}

static wm_status accelsim_open(wm_stream *stream,
                               const wm_reader_context *context,
                               wm_reader **out, wm_error *err)
{
    wm_reader *reader = calloc(1, sizeof(*reader));
    if (reader == NULL) {
        wm_stream_close(stream);
        return wm_fail_memory(err);
    }
    reader->context = *context;
    reader->stream = stream;
    reader->exit_id = WM_STATIC_NONE;
    wm_statics_init(&reader->statics);
    wm_accelsim_warp_init(reader, &reader->warp);
    wm_status status = copy_path(reader, wm_stream_path(stream), err);
    if (status == WM_OK) {
        status = wm_accelsim_header(reader, err);
    }
    if (status == WM_OK) {
        status = find_body(reader, err);
    }
    if (status != WM_OK) {
        accelsim_close(reader);
        return status;
    }
    *out = reader;
    return WM_OK;
}

static wm_status accelsim_next_command(wm_reader *reader, wm_command *out,
                                       wm_error *err)
{
    (void)err;
    memset(out, 0, sizeof(*out));
    out->kind = WM_COMMAND_END;
    if (reader->is_launched) {
        reader->is_ended = true;
        return WM_OK;
    }
    reader->is_launched = true;
    out->kind = WM_COMMAND_LAUNCH;
    out->launch = reader->launch;
    return WM_OK;
}

static wm_status accelsim_next_cta(wm_reader *reader, wm_cta *cta,
                                   bool *has_cta, wm_error *err)
{
    wm_error local;
    wm_error *error = err != NULL ? err : &local;
    *has_cta = false;
    wm_cta_clear(cta);
    if (!reader->is_launched || reader->is_ended) {
        return WM_OK;
    }
    wm_status status = reader->is_raw
                           ? wm_accelsim_raw_cta(reader, cta, has_cta, error)
                           : wm_accelsim_group_cta(reader, cta, has_cta, error);
    if (status == WM_EFORMAT && reader->context.options.keep_going) {
        *reader->context.is_complete = false;
        wm_warn(reader->context.diag, "kernel-cut",
                wm_accelsim_here(reader).text, "%s", error->text);
        reader->is_ended = true;
        status = WM_OK;
    }
    if (status != WM_OK) {
        *has_cta = false;
        return status;
    }
    reader->n_ctas_read += *has_cta;
    reader->launch.statics = reader->statics.list;
    reader->launch.n_statics = reader->statics.n_listed;
    if (!*has_cta) {
        reader->is_ended = true;
        wm_reader_check_ctas(&reader->context, reader->n_ctas_read,
                             reader->launch.n_ctas, "%s",
                             wm_accelsim_here(reader).text);
    }
    return WM_OK;
}

static const wm_launch *accelsim_launch(const wm_reader *reader)
{
    return &reader->launch;
}

extern const wm_format wm_format_accelsim;
const wm_format wm_format_accelsim = {
    .name = "accelsim",
    .summary = "Accel-Sim trace, grouped (.traceg) or raw (.trace)",
    .sniff = accelsim_sniff,
    .open = accelsim_open,
    .next_command = accelsim_next_command,
    .next_cta = accelsim_next_cta,
    .launch = accelsim_launch,
    .close = accelsim_close,
};
