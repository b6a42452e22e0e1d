/*
 * trace_info.c -- `warpmem trace info`: what a trace holds.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/trace_stats.h"
#include "report/human.h"
#include "report/json.h"

wm_status wm_trace_cmd_info(const wm_subcommand *self, int argc, char **argv,
                            wm_error *err);

typedef struct info_options {
    const char *format;
    const char *output;
    uint64_t jobs;
    bool keep_going;
} info_options;

static const wm_option info_option_list[] = {
    {WM_OPTION_CHOICE, 'f', "format", "text|json", "[Default: text]",
     offsetof(info_options, format), 0, 0},
    {WM_OPTION_TEXT, 'o', "output", "FILE",
     "Write to FILE, - = stdout. [Default: -]", offsetof(info_options, output),
     0, 0},
    {WM_OPTION_NUMBER, 'j', "jobs", "N",
     "Threads that decode a .wmt. [Default: all cores]",
     offsetof(info_options, jobs), 1, 1024},
    {WM_OPTION_FLAG, '\0', "keep-going", NULL,
     "Go on after a damaged kernel; exit 1 at the end.",
     offsetof(info_options, keep_going), 0, 0},
};

static const wm_option_table info_table = {
    info_option_list, sizeof(info_option_list) / sizeof(info_option_list[0]), 1,
    1,
    "Addresses, bytes asked for, sectors of 32 bytes and pages are those of\n"
    "global accesses, before any cache."};

/* --- text ---------------------------------------------------------------- */

static void info_text_launch(wm_buffer *out, size_t number,
                             const wm_launch_stats *launch)
{
    char records[WM_HUMAN_BYTES];
    wm_buffer_printf(out, "%6zu  ", number);
    wm_human_cut(out, launch->name, 72, false);
    wm_buffer_printf(out,
                     "\n        grid %ux%ux%u, block %ux%ux%u, sm_%u, %u "
                     "registers, %u B shared\n",
                     launch->grid[0], launch->grid[1], launch->grid[2],
                     launch->block[0], launch->block[1], launch->block[2],
                     launch->sm_version, launch->registers,
                     launch->shared_bytes);
    wm_buffer_printf(
        out, "        %" PRIu64 " of %" PRIu64 " CTAs, %" PRIu64 " warps, ",
        launch->n_ctas, launch->n_ctas_promised, launch->n_warps);
    wm_buffer_printf(out, "%s records, %" PRIu64 " static instructions\n",
                     wm_human_count(records, launch->n_records),
                     launch->n_statics);
}

static void info_text_kinds(wm_buffer *out, const wm_launch_stats *total)
{
    uint64_t n_all = total->n_records;
    char share[WM_HUMAN_BYTES], bytes[WM_HUMAN_BYTES];
    wm_buffer_puts(out, "\nrecords by kind                       share      "
                        "asked      sectors  each\n");
    for (size_t kind = 0; kind < WM_KIND_COUNT; kind++) {
        uint64_t n = total->n_by_kind[kind];
        uint64_t n_sectors = total->n_sectors_by_kind[kind];
        if (n == 0) {
            continue;
        }
        wm_buffer_printf(
            out, "  %-18s %14" PRIu64 "  %7s", wm_kind_name((wm_kind)kind), n,
            wm_human_percent(share, true, (double)n / (double)n_all));
        if (wm_kind_is_global((wm_kind)kind)) {
            wm_buffer_printf(
                out, " %10s %12" PRIu64 " %5.2f",
                wm_human_bytes(bytes, (double)total->n_bytes_by_kind[kind]),
                n_sectors, (double)n_sectors / (double)n);
        }
        wm_buffer_puts(out, "\n");
    }
    wm_buffer_printf(out, "  %-18s %14" PRIu64 "\n", "(not records)",
                     total->n_other);
}

static void info_text(const wm_trace_survey *survey, wm_buffer *out)
{
    const wm_trace_walk *walk = &survey->walk;
    const wm_trace_stats *stats = &survey->stats;
    char bytes[WM_HUMAN_BYTES];
    const wm_launch_stats *total = &stats->total;
    wm_buffer_puts(out, "trace     ");
    wm_human_cut_path(out, walk->path, 70);
    wm_buffer_printf(out, "\nformat    %s%s\n", walk->format,
                     walk->is_complete ? "" : ", INCOMPLETE");
    wm_buffer_printf(out, "digest    %s\n", walk->digest);
    wm_buffer_printf(out, "stored    %s\n",
                     wm_human_bytes(bytes, (double)walk->n_stored_bytes));
    wm_buffer_printf(out, "copies    %" PRIu64 ", %s\n", stats->n_copies,
                     wm_human_bytes(bytes, (double)stats->n_copied_bytes));
    if (total->end_addr != 0) {
        wm_buffer_printf(out, "addresses 0x%" PRIx64 " to 0x%" PRIx64 "\n",
                         total->first_addr, total->end_addr - 1);
    }
    wm_buffer_printf(
        out, "footprint %s in pages of 4 KiB\n",
        wm_human_bytes(bytes, (double)(total->n_pages * WM_FOOTPRINT_PAGE)));
    wm_buffer_printf(out, "launches  %zu\n", stats->n_launches);
    for (size_t i = 0; i < stats->n_launches; i++) {
        info_text_launch(out, i + 1, &stats->launches[i]);
    }
    info_text_kinds(out, total);
}

/* --- JSON ---------------------------------------------------------------- */

static void info_json_number(wm_json *json, const char *key, uint64_t value)
{
    wm_json_put_u64(json, key, value);
}

static void info_json_address(wm_json *json, const char *key, bool has_value,
                              uint64_t addr)
{
    char text[24];
    wm_json_key(json, key);
    if (!has_value) {
        wm_json_null(json);
        return;
    }
    (void)snprintf(text, sizeof(text), "0x%" PRIx64, addr);
    wm_json_string(json, text);
}

/* Kinds in global memory only: the others have no sectors. */
static void info_json_kinds(wm_json *json, const char *key,
                            const uint64_t n_by_kind[WM_KIND_COUNT])
{
    wm_json_key(json, key);
    wm_json_open(json, '{');
    for (size_t kind = 0; kind < WM_KIND_COUNT; kind++) {
        if (wm_kind_is_global((wm_kind)kind)) {
            info_json_number(json, wm_kind_name((wm_kind)kind),
                             n_by_kind[kind]);
        }
    }
    wm_json_close(json, '}');
}

static void info_json_counts(wm_json *json, const wm_launch_stats *launch)
{
    bool has_addr = launch->end_addr != 0;
    info_json_number(json, "ctas", launch->n_ctas);
    info_json_number(json, "warps", launch->n_warps);
    info_json_number(json, "static_instructions", launch->n_statics);
    info_json_number(json, "records", launch->n_records);
    info_json_number(json, "other_instructions", launch->n_other);
    wm_json_key(json, "records_by_kind");
    wm_json_open(json, '{');
    for (size_t kind = 0; kind < WM_KIND_COUNT; kind++) {
        info_json_number(json, wm_kind_name((wm_kind)kind),
                         launch->n_by_kind[kind]);
    }
    wm_json_close(json, '}');
    info_json_kinds(json, "requested_bytes_by_kind", launch->n_bytes_by_kind);
    info_json_kinds(json, "sectors_by_kind", launch->n_sectors_by_kind);
    info_json_number(json, "footprint_bytes",
                     launch->n_pages * WM_FOOTPRINT_PAGE);
    info_json_address(json, "first_address", has_addr, launch->first_addr);
    info_json_address(json, "last_address", has_addr, launch->end_addr - 1);
}

static void info_json_dim(wm_json *json, const char *key, const uint32_t dim[3])
{
    wm_json_key(json, key);
    wm_json_open_row(json);
    for (size_t i = 0; i < 3; i++) {
        wm_json_u64(json, dim[i]);
    }
    wm_json_close(json, ']');
}

static void info_json_launch(wm_json *json, size_t number,
                             const wm_launch_stats *launch)
{
    wm_json_open(json, '{');
    info_json_number(json, "launch", number);
    wm_json_put_string(json, "name", launch->name);
    info_json_dim(json, "grid", launch->grid);
    info_json_dim(json, "block", launch->block);
    info_json_number(json, "sm_version", launch->sm_version);
    info_json_number(json, "registers", launch->registers);
    info_json_number(json, "shared_bytes", launch->shared_bytes);
    info_json_counts(json, launch);
    wm_json_close(json, '}');
}

static void info_json(const wm_trace_survey *survey, wm_buffer *out)
{
    const wm_trace_walk *walk = &survey->walk;
    const wm_trace_stats *stats = &survey->stats;
    wm_json json;
    wm_json_init(&json, out);
    wm_json_open(&json, '{');
    wm_json_put_string(&json, "path", walk->path);
    wm_json_put_string(&json, "format", walk->format);
    wm_json_put_string(&json, "digest", walk->digest);
    wm_json_put_bool(&json, "complete", walk->is_complete);
    info_json_number(&json, "stored_bytes", walk->n_stored_bytes);
    info_json_number(&json, "copies", stats->n_copies);
    info_json_number(&json, "copied_bytes", stats->n_copied_bytes);
    wm_json_key(&json, "launches");
    wm_json_open(&json, '[');
    for (size_t i = 0; i < stats->n_launches; i++) {
        info_json_launch(&json, i + 1, &stats->launches[i]);
    }
    wm_json_close(&json, ']');
    wm_json_key(&json, "total");
    wm_json_open(&json, '{');
    info_json_counts(&json, &stats->total);
    wm_json_close(&json, '}');
    wm_json_close(&json, '}');
}

/* ------------------------------------------------------------------------- */

static wm_status info_run(const info_options *options, const char *path,
                          wm_error *err)
{
    wm_trace_survey survey;
    wm_buffer out;
    wm_buffer_init(&out);
    wm_status status = wm_output_check(options->output, err);
    if (status != WM_OK) {
        return status;
    }
    status = wm_trace_survey_read(&survey, path, options->keep_going, true,
                                  options->jobs, err);
    bool is_complete = survey.walk.is_complete;
    if (status == WM_OK) {
        if (strcmp(options->format, "json") == 0) {
            info_json(&survey, &out);
        } else {
            info_text(&survey, &out);
        }
        status = wm_output_write(&out, options->output, err);
    }
    wm_trace_survey_fini(&survey);
    if (status == WM_OK && !is_complete) {
        status = wm_fail(err, WM_EFORMAT, "%s: the trace is incomplete", path);
    }
    return status;
}

wm_status wm_trace_cmd_info(const wm_subcommand *self, int argc, char **argv,
                            wm_error *err)
{
    info_options options = {.format = "text", .output = "-"};
    wm_words arguments = {0};
    bool is_help = false;
    wm_status status = wm_options_parse(self, &info_table, argc, argv, &options,
                                        &arguments, &is_help, err);
    if (status == WM_OK && !is_help) {
        status = info_run(&options, arguments.items[0], err);
    }
    wm_words_fini(&arguments);
    return status;
}
