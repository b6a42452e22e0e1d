/*
 * cmd_dram.c -- `warpmem dram`: a stream of requests through the banked DRAM
 * model alone.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/dram_report.h"
#include "cli/dram_source.h"
#include "cli/options.h"
#include "cli/output.h"
#include "engine/replay.h"

wm_status wm_cmd_dram(const wm_subcommand *self, int argc, char **argv,
                      wm_error *err);

typedef struct dram_options {
    const char *standard, *mapping, *gen, *rate, *ck;
    const char *scheduler, *page, *refresh, *hash;
    const char *commands, *output, *format, *write;
    uint64_t count, bytes, channels, interleave;
    uint64_t read_queue, write_queue, write_high, write_low;
    uint64_t timeout, cap, offers, jobs;
} dram_options;

#define DRAM_OPTION(kind, letter, name, argument, sentence, field, min, max)   \
    {                                                                          \
        WM_OPTION_##kind, letter, name, argument, sentence,                    \
            offsetof(dram_options, field), min, max                            \
    }

static const wm_option dram_option_list[] = {
    DRAM_OPTION(TEXT, 'c', "standard", "NAME|FILE",
                "Memory standard. [Default: hbm2]", standard, 0, 0),
    DRAM_OPTION(TEXT, '\0', "ck", "TIME",
                "Another clock, as in 800ps. [Default: the standard's]", ck, 0,
                0),
    DRAM_OPTION(TEXT, '\0', "mapping", "TEXT",
                "Bit lists, mop4clxor, robaracoch or gpu. [Default: the "
                "standard's]",
                mapping, 0, 0),
    DRAM_OPTION(CHOICE, '\0', "gen", "seq|stride|rand|copy|rmix|gpu",
                "Make the requests instead of reading a file.", gen, 0, 0),
    DRAM_OPTION(NUMBER, '\0', "count", "N", "To make. [Default: 60000]", count,
                1, UINT64_MAX),
    DRAM_OPTION(TEXT, '\0', "rate", "N/TICKS",
                "Requests due per tick, or max. [Default: max]", rate, 0, 0),
    DRAM_OPTION(NUMBER, '\0', "bytes", "N",
                "Of one request, 1 to 8 atoms. [Default: an atom]", bytes, 1,
                1024),
    DRAM_OPTION(NUMBER, '\0', "channels", "N", "[Default: 1]", channels, 1,
                4096),
    DRAM_OPTION(NUMBER, '\0', "interleave", "BYTES",
                "Consecutive bytes of one channel. [Default: 256]", interleave,
                8, 1 << 30),
    DRAM_OPTION(CHOICE, '\0', "hash", "none|xor",
                "How channels are dealt. [Default: xor]", hash, 0, 0),
    DRAM_OPTION(CHOICE, '\0', "scheduler", "frfcfs|frfcfs_rowhit",
                "rowhit: no precharge while an older hit waits. [Default: "
                "frfcfs]",
                scheduler, 0, 0),
    DRAM_OPTION(CHOICE, '\0', "page", "open|closed|timeout",
                "Row policy. [Default: open]", page, 0, 0),
    DRAM_OPTION(NUMBER, '\0', "timeout", "TICKS",
                "Of --page timeout. [Default: 100]", timeout, 1, 1000000),
    DRAM_OPTION(NUMBER, '\0', "cap", "N",
                "Columns of an open row while others wait; 0 = any number. "
                "[Default: 0]",
                cap, 0, 1000000),
    DRAM_OPTION(CHOICE, '\0', "refresh", "all_bank|per_bank|none",
                "[Default: all_bank]", refresh, 0, 0),
    DRAM_OPTION(NUMBER, '\0', "read-queue", "N", "[Default: 32]", read_queue, 1,
                512),
    DRAM_OPTION(NUMBER, '\0', "write-queue", "N", "[Default: 32]", write_queue,
                1, 512),
    DRAM_OPTION(NUMBER, '\0', "write-high", "N",
                "Writes are drained when more wait. [Default: 25]", write_high,
                0, 512),
    DRAM_OPTION(NUMBER, '\0', "write-low", "N",
                "Until fewer wait. [Default: 7]", write_low, 1, 512),
    DRAM_OPTION(NUMBER, '\0', "offers", "N",
                "Requests admitted per tick, 1 to 16. [Default: 4]", offers, 1,
                16),
    DRAM_OPTION(TEXT, '\0', "commands", "FILE", "Write every command.",
                commands, 0, 0),
    DRAM_OPTION(TEXT, '\0', "write", "FILE",
                "Write the made requests to FILE and stop.", write, 0, 0),
    DRAM_OPTION(NUMBER, 'j', "jobs", "N",
                "Threads; the result does not depend on N. [Default: 1]", jobs,
                1, 1024),
    DRAM_OPTION(TEXT, 'o', "output", "FILE", "[Default: -]", output, 0, 0),
    DRAM_OPTION(CHOICE, 'f', "format", "text|json", "[Default: text]", format,
                0, 0),
};

static const wm_option_table dram_table = {
    dram_option_list, sizeof(dram_option_list) / sizeof(dram_option_list[0]), 0,
    1,
    "A stream is a text of lines \"R|W ADDRESS [TICK]\"; docs/DRAM.md defines\n"
    "it, the standards, the mapping and the command trace."};

/* One channel's commands, as text that is yet to be written. */
typedef struct dram_listener {
    wm_buffer text;
    const wm_standard *standard;
    uint32_t channel;
    bool is_numbered;
} dram_listener;

typedef struct dram_job {
    dram_options options;
    wm_standard standard;
    wm_dram_source source;
    dram_listener *listeners;
    wm_output commands;
    bool has_commands;
    wm_buffer mapping;
} dram_job;

static bool dram_is(const char *value, const char *word)
{
    return value != NULL && strcmp(value, word) == 0;
}

/* --- the command trace ---------------------------------------------------- */
static const char *const command_names[WM_DRAM_COMMANDS] = {
    "ACT", "PRE", "PREA", "RD", "WR", "RDA", "WRA", "REFA", "REFP"};

static void dram_listen(const wm_dram_command *command, void *context)
{
    dram_listener *listener = context;
    const wm_standard *s = listener->standard;
    wm_buffer *out = &listener->text;
    const wm_dram_command_kind kind = command->kind;
    const uint32_t bank = command->bank % s->banks;
    const uint32_t group = command->bank / s->banks % s->bank_groups;
    const uint32_t sid =
        command->bank / (s->banks * s->bank_groups) % s->stack_ids;
    const uint32_t pc =
        command->bank / (s->banks * s->bank_groups * s->stack_ids);
    if (listener->is_numbered) {
        wm_buffer_printf(out, "%" PRIu32 " ", listener->channel);
    }
    wm_buffer_printf(out, "%" PRIu64 " %s %" PRIu32, command->tick,
                     command_names[kind], pc);
    if (kind == WM_DRAM_PREA || kind == WM_DRAM_REFA) {
        wm_buffer_puts(out, " - - - - -\n");
        return;
    }
    wm_buffer_printf(out, " %" PRIu32 " %" PRIu32 " %" PRIu32, sid, group,
                     bank);
    if (kind == WM_DRAM_PRE || kind == WM_DRAM_REFP) {
        wm_buffer_puts(out, " - -\n");
    } else if (kind == WM_DRAM_ACT) {
        wm_buffer_printf(out, " %" PRIu64 " -\n", command->row);
    } else {
        wm_buffer_printf(out, " %" PRIu64 " %" PRIu32 "\n", command->row,
                         command->column);
    }
}

/* A part of a time in femtoseconds, as picoseconds, exact for halves and
 * quarters. */
static void dram_print_ps(wm_buffer *out, uint64_t fs, uint32_t parts)
{
    char digits[16];
    const uint64_t as = fs * 1000 / parts;
    (void)snprintf(digits, sizeof(digits), ".%06" PRIu64, as % 1000000);
    size_t n = strlen(digits);
    while (digits[n - 1] == '0') {
        n--;
    }
    digits[n > 1 ? n : 0] = '\0';
    wm_buffer_printf(out, "%" PRIu64 "%s\n", as / 1000000, digits);
}

static wm_status dram_commands_open(dram_job *job, wm_error *err)
{
    const wm_standard *s = &job->standard;
    const uint32_t n = (uint32_t)job->options.channels;
    wm_status status =
        wm_output_open(&job->commands, job->options.commands, err);
    if (status != WM_OK) {
        return status;
    }
    job->has_commands = true;
    job->listeners = calloc(n, sizeof(*job->listeners));
    if (job->listeners == NULL) {
        return wm_fail_memory(err);
    }
    for (uint32_t c = 0; c < n; c++) {
        wm_buffer_init(&job->listeners[c].text);
        job->listeners[c].standard = s;
        job->listeners[c].channel = c;
        job->listeners[c].is_numbered = n > 1;
    }
    wm_buffer *out = &job->listeners[0].text;
    wm_buffer_printf(out,
                     "# warpmem dram commands 1\n# standard: %s\n# tick_ps: ",
                     s->file[s->n_files - 1]);
    dram_print_ps(out, s->ck_fs, s->ticks_per_ck);
    wm_buffer_puts(out, "# ck_ps: ");
    dram_print_ps(out, s->ck_fs, 1);
    wm_buffer_printf(out, "# channels: %" PRIu32 "\n", n);
    return WM_OK;
}

/* Writes what the channels have said so far. */
static wm_status dram_commands_flush(void *context, wm_error *err)
{
    dram_job *job = context;
    wm_status status = WM_OK;
    for (uint32_t c = 0; c < job->options.channels && status == WM_OK; c++) {
        status = wm_output_add(&job->commands, &job->listeners[c].text, err);
    }
    return status;
}

/* --- the run -------------------------------------------------------------- */
static wm_status dram_params(dram_job *job, wm_replay_params *params,
                             wm_error *err)
{
    const dram_options *options = &job->options;
    const wm_banked_params controller = {
        .read_queue = (uint32_t)options->read_queue,
        .write_queue = (uint32_t)options->write_queue,
        .write_high = (uint32_t)options->write_high,
        .write_low = (uint32_t)options->write_low,
        .is_hit_first = dram_is(options->scheduler, "frfcfs_rowhit"),
        .page = dram_is(options->page, "closed")    ? WM_PAGE_CLOSED
                : dram_is(options->page, "timeout") ? WM_PAGE_TIMEOUT
                                                    : WM_PAGE_OPEN,
        .page_timeout = (uint32_t)options->timeout,
        .hit_cap = (uint32_t)options->cap,
        .refresh = dram_is(options->refresh, "per_bank") ? WM_REFRESH_PER_BANK
                   : dram_is(options->refresh, "none")   ? WM_REFRESH_NONE
                                                         : WM_REFRESH_ALL_BANK,
        .offers = (uint32_t)options->offers,
        .forward_ticks = 1,
        .command = job->has_commands ? dram_listen : NULL,
    };
    params->standard = &job->standard;
    params->mapping = options->mapping != NULL ? options->mapping : "";
    params->controller = controller;
    params->n_channels = (uint32_t)options->channels;
    params->interleave_bytes = options->interleave;
    params->is_hashed = !dram_is(options->hash, "none");
    params->request_bytes = options->bytes;
    params->jobs = (uint32_t)options->jobs;
    params->command_context = job->listeners;
    params->command_stride = job->has_commands ? sizeof(*job->listeners) : 0;
    params->pause = job->has_commands ? dram_commands_flush : NULL;
    params->pause_context = job;
    wm_buffer_puts(&job->mapping, "");
    const char *text =
        *params->mapping != '\0' ? params->mapping : job->standard.mapping;
    if (wm_mapping_rule(text, &job->standard, &job->mapping) != WM_OK) {
        wm_buffer_puts(&job->mapping, text);
    }
    return job->mapping.is_failed ? wm_fail_memory(err) : WM_OK;
}

static wm_status dram_replay(dram_job *job, const char *source, wm_error *err)
{
    wm_replay_params params;
    wm_replay *replay = NULL;
    wm_replay_result result;
    wm_buffer out;
    memset(&params, 0, sizeof(params));
    wm_buffer_init(&out);
    wm_status status = dram_params(job, &params, err);
    if (status == WM_OK) {
        status = wm_replay_new(&params, &replay, err);
    }
    if (status == WM_OK) {
        status = wm_replay_run(replay, wm_dram_source_next, &job->source,
                               &result, err);
    }
    wm_replay_free(replay);
    if (status != WM_OK) {
        return status;
    }
    const wm_dram_report report = {&job->standard,
                                   &result,
                                   job->mapping.bytes,
                                   source,
                                   params.n_channels,
                                   params.request_bytes,
                                   job->source.rate_requests == 0 &&
                                       job->source.last_due == 0};
    if (dram_is(job->options.format, "json")) {
        wm_dram_report_json(&report, &out);
    } else {
        wm_dram_report_text(&report, &out);
    }
    return wm_output_write(&out, job->options.output, err);
}

/* Writes the made requests as a stream. */
static wm_status dram_write(dram_job *job, wm_error *err)
{
    wm_output output;
    wm_buffer out;
    size_t n = 1;
    wm_buffer_init(&out);
    wm_status status = wm_output_open(&output, job->options.write, err);
    while (status == WM_OK && n != 0) {
        wm_replay_request requests[1024];
        status = wm_dram_source_next(&job->source, requests, 1024, &n, err);
        for (size_t i = 0; status == WM_OK && i < n; i++) {
            wm_buffer_printf(&out, "%c 0x%" PRIx64,
                             requests[i].is_write ? 'W' : 'R',
                             requests[i].addr);
            if (job->source.rate_requests != 0) {
                wm_buffer_printf(&out, " %" PRIu64, requests[i].due);
            }
            wm_buffer_puts(&out, "\n");
        }
        if (status == WM_OK) {
            status = wm_output_add(&output, &out, err);
        }
    }
    wm_buffer_fini(&out);
    if (status != WM_OK) {
        wm_output_abort(&output);
        return status;
    }
    return wm_output_close(&output, err);
}

static wm_status dram_clock(dram_job *job, wm_error *err)
{
    uint64_t ps = 0;
    if (job->options.ck == NULL) {
        return WM_OK;
    }
    if (wm_text_parse_quantity(job->options.ck, wm_units_time, &ps) !=
            WM_TEXT_OK ||
        ps > 1000000) {
        return wm_fail(err, WM_EUSAGE, "--ck: %.40s, wanted a time as in 800ps",
                       job->options.ck);
    }
    return wm_standard_settle(&job->standard, ps * 1000, err);
}

static wm_status dram_run(dram_job *job, const wm_words *words, wm_error *err)
{
    dram_options *options = &job->options;
    if ((words->n == 0) == (options->gen == NULL)) {
        return wm_fail(err, WM_EUSAGE,
                       "dram: want one of: a FILE.stream, --gen PATTERN");
    }
    if (options->write != NULL && options->gen == NULL) {
        return wm_fail(err, WM_EUSAGE, "dram: --write needs --gen");
    }
    wm_status status = wm_standard_load(options->standard, &job->standard, err);
    if (status == WM_OK) {
        status = dram_clock(job, err);
    }
    if (status == WM_OK) {
        status = wm_dram_source_rate(&job->source, options->rate, err);
    }
    if (options->bytes == 0) {
        options->bytes = job->standard.atom_bytes;
    }
    if (status == WM_OK) {
        status = words->n != 0
                     ? wm_dram_source_open(&job->source, words->items[0], err)
                     : wm_dram_source_make(&job->source, options->gen,
                                           options->count, options->bytes, err);
    }
    if (status == WM_OK && options->write != NULL) {
        return dram_write(job, err);
    }
    if (status == WM_OK && options->commands != NULL) {
        status = dram_commands_open(job, err);
    }
    if (status == WM_OK) {
        status = dram_replay(
            job, words->n != 0 ? words->items[0] : options->gen, err);
    }
    return status;
}

static wm_status dram_close(dram_job *job, wm_status status, wm_error *err)
{
    for (uint32_t c = 0; job->listeners != NULL && c < job->options.channels;
         c++) {
        wm_buffer_fini(&job->listeners[c].text);
    }
    free(job->listeners);
    wm_buffer_fini(&job->mapping);
    wm_dram_source_close(&job->source);
    if (job->has_commands && status != WM_OK) {
        wm_output_abort(&job->commands);
    } else if (job->has_commands) {
        status = wm_output_close(&job->commands, err);
    }
    return status;
}

wm_status wm_cmd_dram(const wm_subcommand *self, int argc, char **argv,
                      wm_error *err)
{
    dram_job *job = calloc(1, sizeof(*job));
    wm_words words = {0};
    bool is_help = false;
    if (job == NULL) {
        return wm_fail_memory(err);
    }
    job->options = (dram_options){.standard = "hbm2",
                                  .rate = "max",
                                  .count = 60000,
                                  .channels = 1,
                                  .interleave = 256,
                                  .read_queue = 32,
                                  .write_queue = 32,
                                  .write_high = 25,
                                  .write_low = 7,
                                  .timeout = 100,
                                  .offers = 4,
                                  .jobs = 1};
    wm_buffer_init(&job->mapping);
    wm_status status = wm_options_parse(self, &dram_table, argc, argv,
                                        &job->options, &words, &is_help, err);
    if (status == WM_OK && !is_help) {
        status = dram_run(job, &words, err);
    }
    status = dram_close(job, status, err);
    wm_words_fini(&words);
    free(job);
    return status;
}
