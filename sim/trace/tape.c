/*
 * tape.c -- a trace held in memory.
 */
#include "trace/tape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/text.h"
#include "trace/format.h"
#include "trace/static_table.h"

typedef struct tape_cta {
    uint32_t id[3];
    uint32_t n_warps;
    size_t first_warp, first_record, first_lane;
    size_t n_records, n_lanes;
    wm_work work;
} tape_cta;

typedef struct tape_command {
    wm_command command; /* launch.name, where and statics are set when read */
    char *name, *where;
    wm_static_table statics;
    size_t first_cta, n_ctas;
} tape_command;

struct wm_tape {
    wm_format format; /* the reader's, under the name of what was recorded */
    char format_name[32];
    wm_digest digest;
    bool is_complete;
    uint64_t n_stored_bytes;
    tape_command *commands;
    size_t n_commands, cap_commands;
    tape_cta *ctas;
    size_t n_ctas, cap_ctas;
    wm_warp_span *warps;
    size_t n_warps, cap_warps;
    wm_record *records;
    size_t n_records, cap_records;
    uint32_t *lanes;
    size_t n_lanes, cap_lanes;
};

void wm_tape_free(wm_tape *tape)
{
    if (tape == NULL) {
        return;
    }
    for (size_t i = 0; i < tape->n_commands; i++) {
        free(tape->commands[i].name);
        free(tape->commands[i].where);
        wm_static_table_fini(&tape->commands[i].statics);
    }
    free(tape->commands);
    free(tape->ctas);
    free(tape->warps);
    free(tape->records);
    free(tape->lanes);
    free(tape);
}

uint64_t wm_tape_bytes(const wm_tape *tape)
{
    return tape->n_commands * sizeof(tape->commands[0]) +
           tape->n_ctas * sizeof(tape->ctas[0]) +
           tape->n_warps * sizeof(tape->warps[0]) +
           tape->n_records * sizeof(tape->records[0]) +
           tape->n_lanes * sizeof(tape->lanes[0]);
}

/* --- recording ------------------------------------------------------------ */

/* Appends n of items, from the first'th on, to one of the tape's arrays. */
static bool tape_append(void *array_address, size_t *n_items, size_t *capacity,
                        const void *items, size_t first, size_t n,
                        size_t n_each)
{
    char *array = NULL;
    if (!wm_grow(array_address, capacity, *n_items + n, n_each)) {
        return false;
    }
    memcpy(&array, array_address, sizeof(array));
    if (n != 0) {
        memcpy(array + *n_items * n_each, (const char *)items + first * n_each,
               n * n_each);
    }
    *n_items += n;
    return true;
}

static bool tape_add_cta(wm_tape *tape, const wm_cta *cta)
{
    const tape_cta kept = {.id = {cta->id[0], cta->id[1], cta->id[2]},
                           .n_warps = cta->n_warps,
                           .first_warp = tape->n_warps,
                           .first_record = tape->n_records,
                           .first_lane = tape->n_lanes,
                           .n_records = cta->n_records,
                           .n_lanes = cta->n_lanes,
                           .work = cta->work};
    return tape_append(&tape->warps, &tape->n_warps, &tape->cap_warps,
                       cta->warps, 0, cta->n_warps, sizeof(cta->warps[0])) &&
           tape_append(&tape->records, &tape->n_records, &tape->cap_records,
                       cta->records, 0, cta->n_records,
                       sizeof(cta->records[0])) &&
           tape_append(&tape->lanes, &tape->n_lanes, &tape->cap_lanes,
                       cta->lanes, 0, cta->n_lanes, sizeof(cta->lanes[0])) &&
           tape_append(&tape->ctas, &tape->n_ctas, &tape->cap_ctas, &kept, 0, 1,
                       sizeof(kept));
}

static tape_command *tape_add_command(wm_tape *tape, const wm_command *command)
{
    if (!wm_grow(&tape->commands, &tape->cap_commands, tape->n_commands + 1,
                 sizeof(tape->commands[0]))) {
        return NULL;
    }
    tape_command *kept = &tape->commands[tape->n_commands];
    memset(kept, 0, sizeof(*kept));
    kept->command = *command;
    kept->first_cta = tape->n_ctas;
    wm_static_table_init(&kept->statics);
    tape->n_commands++;
    if (command->kind == WM_COMMAND_LAUNCH) {
        kept->name = wm_text_copy(command->launch.name);
        kept->where = wm_text_copy(
            command->launch.where != NULL ? command->launch.where : "");
        if (kept->name == NULL || kept->where == NULL) {
            return NULL;
        }
    }
    return kept;
}

static bool tape_add_statics(tape_command *kept, const wm_launch *launch)
{
    for (uint32_t i = 0; i < launch->n_statics; i++) {
        const wm_static *item = &launch->statics[i];
        if (!wm_static_table_add(&kept->statics, item, item->opcode,
                                 strlen(item->opcode))) {
            return false;
        }
    }
    return true;
}

/* What a recording in progress works with. */
typedef struct tape_job {
    wm_trace *trace;
    wm_tape *tape; /* NULL once it has grown too large */
    uint64_t max_bytes;
    wm_tape_facts *facts;
    wm_cta cta;
} tape_job;

static void job_check_size(tape_job *job)
{
    if (job->tape != NULL && wm_tape_bytes(job->tape) > job->max_bytes) {
        wm_tape_free(job->tape);
        job->tape = NULL;
    }
}

static wm_status job_ctas(tape_job *job, wm_error *err)
{
    for (;;) {
        bool has_cta = false;
        wm_status status =
            wm_trace_next_cta(job->trace, &job->cta, &has_cta, err);
        if (status != WM_OK || !has_cta) {
            return status;
        }
        job->facts->n_records += job->cta.n_records;
        if (job->tape != NULL && !tape_add_cta(job->tape, &job->cta)) {
            return wm_fail_memory(err);
        }
        job_check_size(job);
    }
}

static wm_status job_launch(tape_job *job, const wm_command *command,
                            wm_error *err)
{
    job->facts->n_launches++;
    if (job->tape != NULL && tape_add_command(job->tape, command) == NULL) {
        return wm_fail_memory(err);
    }
    wm_status status = job_ctas(job, err);
    if (status != WM_OK || job->tape == NULL) {
        return status;
    }
    tape_command *kept = &job->tape->commands[job->tape->n_commands - 1];
    kept->n_ctas = job->tape->n_ctas - kept->first_cta;
    return tape_add_statics(kept, wm_trace_launch(job->trace))
               ? WM_OK
               : wm_fail_memory(err);
}

static wm_status job_commands(tape_job *job, wm_error *err)
{
    for (;;) {
        wm_command command;
        wm_status status = wm_trace_next_command(job->trace, &command, err);
        if (status != WM_OK || command.kind == WM_COMMAND_END) {
            return status;
        }
        if (command.kind == WM_COMMAND_LAUNCH) {
            status = job_launch(job, &command, err);
        } else if (job->tape != NULL &&
                   tape_add_command(job->tape, &command) == NULL) {
            status = wm_fail_memory(err);
        }
        if (status != WM_OK) {
            return status;
        }
    }
}

/* --- replaying ------------------------------------------------------------ */

struct wm_reader {
    const wm_tape *tape;
    size_t next_command;
    size_t next_cta, end_cta;
    wm_launch launch;
};

static wm_status tape_next_command(wm_reader *reader, wm_command *out,
                                   wm_error *err)
{
    (void)err;
    memset(out, 0, sizeof(*out));
    out->kind = WM_COMMAND_END;
    reader->next_cta = reader->end_cta = 0;
    if (reader->next_command == reader->tape->n_commands) {
        return WM_OK;
    }
    const tape_command *kept = &reader->tape->commands[reader->next_command++];
    *out = kept->command;
    if (out->kind == WM_COMMAND_LAUNCH) {
        out->launch.name = kept->name;
        out->launch.where = kept->where;
        out->launch.statics = kept->statics.items;
        out->launch.n_statics = kept->statics.n_items;
        reader->launch = out->launch;
        reader->next_cta = kept->first_cta;
        reader->end_cta = kept->first_cta + kept->n_ctas;
    }
    return WM_OK;
}

static wm_status tape_next_cta(wm_reader *reader, wm_cta *cta, bool *has_cta,
                               wm_error *err)
{
    const wm_tape *tape = reader->tape;
    *has_cta = reader->next_cta != reader->end_cta;
    if (!*has_cta) {
        return WM_OK;
    }
    const tape_cta *kept = &tape->ctas[reader->next_cta++];
    size_t n_warps = 0;
    if (!tape_append(&cta->warps, &n_warps, &cta->cap_warps, tape->warps,
                     kept->first_warp, kept->n_warps, sizeof(cta->warps[0])) ||
        !tape_append(&cta->records, &cta->n_records, &cta->cap_records,
                     tape->records, kept->first_record, kept->n_records,
                     sizeof(cta->records[0])) ||
        !tape_append(&cta->lanes, &cta->n_lanes, &cta->cap_lanes, tape->lanes,
                     kept->first_lane, kept->n_lanes, sizeof(cta->lanes[0]))) {
        return wm_fail_memory(err);
    }
    cta->n_warps = kept->n_warps;
    memcpy(cta->id, kept->id, sizeof(cta->id));
    cta->work = kept->work;
    return WM_OK;
}

static const wm_launch *tape_launch(const wm_reader *reader)
{
    return &reader->launch;
}

static void tape_close(wm_reader *reader)
{
    free(reader);
}

wm_status wm_tape_open(const wm_tape *tape, wm_trace **out, wm_error *err)
{
    *out = NULL;
    wm_reader *reader = calloc(1, sizeof(*reader));
    if (reader != NULL) {
        reader->tape = tape;
        *out = wm_trace_over(&tape->format, reader, &tape->digest,
                             tape->is_complete, tape->n_stored_bytes);
    }
    if (*out == NULL) {
        free(reader);
        return wm_fail_memory(err);
    }
    return WM_OK;
}

/* --- the whole ------------------------------------------------------------ */

static void job_finish(tape_job *job)
{
    wm_tape_facts *facts = job->facts;
    uint64_t n_total = 0;
    (void)snprintf(facts->format, sizeof(facts->format), "%s",
                   wm_trace_format_name(job->trace));
    wm_trace_digest(job->trace, facts->digest);
    wm_trace_position(job->trace, &facts->n_stored_bytes, &n_total);
    facts->is_complete = wm_trace_is_complete(job->trace);
    if (job->tape == NULL) {
        return;
    }
    wm_tape *tape = job->tape;
    memcpy(tape->format_name, facts->format, sizeof(tape->format_name));
    tape->format = (wm_format){.name = tape->format_name,
                               .summary = "a trace in memory",
                               .next_command = tape_next_command,
                               .next_cta = tape_next_cta,
                               .launch = tape_launch,
                               .close = tape_close};
    tape->digest = *wm_trace_digest_state(job->trace);
    tape->is_complete = facts->is_complete;
    tape->n_stored_bytes = facts->n_stored_bytes;
}

wm_status wm_tape_record(const char *path, uint64_t max_bytes, wm_diag *diag,
                         wm_tape_facts *facts, wm_tape **out, wm_error *err)
{
    const wm_trace_options options = {false};
    tape_job job = {.max_bytes = max_bytes, .facts = facts};
    *out = NULL;
    memset(facts, 0, sizeof(*facts));
    wm_status status = wm_trace_open(path, &options, diag, &job.trace, err);
    if (status != WM_OK) {
        return status;
    }
    wm_cta_init(&job.cta);
    if (max_bytes != 0) {
        job.tape = calloc(1, sizeof(*job.tape));
        status = job.tape != NULL ? WM_OK : wm_fail_memory(err);
    }
    if (status == WM_OK) {
        status = job_commands(&job, err);
    }
    if (status == WM_OK) {
        job_finish(&job);
        *out = job.tape;
    } else {
        wm_tape_free(job.tape);
    }
    wm_cta_fini(&job.cta);
    wm_trace_close(job.trace);
    return status;
}
