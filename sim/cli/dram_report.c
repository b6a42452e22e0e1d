/*
 * dram_report.c -- bandwidth as a share of the peak and why not the peak,
 * rows, latencies, energy.
 */
#include "cli/dram_report.h"

#include <inttypes.h>

#include "report/human.h"
#include "report/json.h"

/* In the order of wm_dram_loss. */
static const struct {
    const char *id;
    const char *text;
} losses[WM_LOSS_COUNT] = {
    {"busy", "data"},
    {"refresh", "refresh"},
    {"turnaround", "read/write turnaround"},
    {"row_miss", "opening closed rows"},
    {"bank_conflict", "closing another row first"},
    {"activate_rate", "activate rate (tFAW, tRRD)"},
    {"column_rate", "column rate (tCCD_L), command bus"},
    {"idle", "no request"},
};

typedef struct report_numbers {
    double seconds, bytes, rate, peak, loss_ticks, ns_per_tick;
    double mean, mean_due;
} report_numbers;

static report_numbers report_compute(const wm_dram_report *report)
{
    const wm_standard *standard = report->standard;
    const wm_banked_stats *stats = &report->result->stats;
    report_numbers n;
    n.ns_per_tick =
        (double)standard->ck_fs / standard->ticks_per_ck / 1000000.0;
    n.seconds = (double)report->result->ticks * n.ns_per_tick * 1e-9;
    n.bytes = (double)(stats->n_read_atoms + stats->n_write_atoms) *
              (double)standard->atom_bytes;
    n.rate = n.seconds != 0 ? n.bytes / n.seconds : 0;
    n.peak = (double)standard->atom_bytes * standard->pseudo_channels *
             report->n_channels /
             (standard->ticks[WM_T_CCD_S] * n.ns_per_tick * 1e-9);
    n.loss_ticks = 0;
    for (int i = 0; i < WM_LOSS_COUNT; i++) {
        n.loss_ticks += (double)stats->lost[i];
    }
    const double completed = (double)stats->n_completed;
    n.mean = completed != 0 ? (double)stats->sum_latency / completed : 0;
    n.mean_due = report->is_max_rate || completed == 0
                     ? n.mean
                     : (double)stats->sum_due / completed;
    return n;
}

/* Joules of all commands. */
static double report_energy(const wm_dram_report *report)
{
    const wm_standard *standard = report->standard;
    const wm_banked_stats *stats = &report->result->stats;
    const double banks =
        (double)wm_standard_n_banks(standard) / standard->pseudo_channels;
    const double n_refreshes = (double)stats->n_commands[WM_DRAM_REFA] +
                               (double)stats->n_commands[WM_DRAM_REFP] / banks;
    const double fj =
        (double)stats->n_commands[WM_DRAM_ACT] * (double)standard->activate_fj +
        (double)stats->n_read_atoms * (double)standard->read_fj +
        (double)stats->n_write_atoms * (double)standard->write_fj +
        n_refreshes * (double)standard->refresh_fj;
    return fj * 1e-15;
}

static void text_latency(const wm_dram_report *report, const report_numbers *n,
                         wm_buffer *out)
{
    const wm_banked_stats *stats = &report->result->stats;
    static const struct {
        const char *name;
        uint32_t ppm;
    } shares[] = {{"50 %", 500000}, {"90 %", 900000}, {"99 %", 990000}};
    wm_buffer_printf(out,
                     "  read latency      %.2f ns mean (%.2f ticks), %.2f "
                     "ticks from when due\n  of the reads     ",
                     n->mean * n->ns_per_tick, n->mean, n->mean_due);
    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
        wm_buffer_printf(out, "%s %s below %.0f ns", i == 0 ? "" : ",",
                         shares[i].name,
                         (double)wm_banked_percentile(stats, shares[i].ppm) *
                             n->ns_per_tick);
    }
    wm_buffer_puts(out, "\n");
}

static void text_rows(const wm_dram_report *report, const report_numbers *n,
                      wm_buffer *out)
{
    const wm_banked_stats *stats = &report->result->stats;
    wm_buffer_printf(out,
                     "  rows              %" PRIu64 " hits, %" PRIu64
                     " misses, %" PRIu64 " conflicts; %" PRIu64 " activates\n",
                     stats->n_hits, stats->n_misses, stats->n_conflicts,
                     stats->n_commands[WM_DRAM_ACT]);
    wm_buffer_printf(out,
                     "  refreshes         %" PRIu64 " all-bank, %" PRIu64
                     " per-bank\n  write queue       %" PRIu64
                     " reads answered, %" PRIu64 " writes merged\n",
                     stats->n_commands[WM_DRAM_REFA],
                     stats->n_commands[WM_DRAM_REFP], stats->n_forwarded,
                     stats->n_merged);
    if (report->standard->has_energy && n->bytes != 0) {
        const double joules = report_energy(report);
        wm_buffer_printf(out, "  energy            %.4g uJ, %.3g pJ/bit\n",
                         joules * 1e6, joules * 1e12 / (n->bytes * 8));
    }
}

void wm_dram_report_text(const wm_dram_report *report, wm_buffer *out)
{
    const wm_standard *standard = report->standard;
    const wm_banked_stats *stats = &report->result->stats;
    const report_numbers n = report_compute(report);
    char text[WM_HUMAN_BYTES];
    char peak[WM_HUMAN_BYTES];
    char share[WM_HUMAN_BYTES];
    wm_buffer_printf(out, "%s on %" PRIu32 " channel%s of %s (%s)\n",
                     report->source, report->n_channels,
                     report->n_channels == 1 ? "" : "s", standard->name,
                     standard->file[standard->n_files - 1]);
    wm_buffer_printf(out, "  mapping           %s\n", report->mapping);
    wm_buffer_printf(out,
                     "  requests          %" PRIu64 " of %" PRIu64
                     " B: %" PRIu64 " reads, %" PRIu64 " writes\n",
                     report->result->n_requests, report->request_bytes,
                     stats->n_reads, stats->n_writes);
    wm_buffer_printf(out,
                     "  time              %" PRIu64 " ticks of %g ps, %s\n",
                     report->result->ticks, n.ns_per_tick * 1000,
                     wm_human_time(text, n.seconds));
    wm_buffer_printf(out, "  bandwidth         %s, %s of %s\n",
                     wm_human_rate(text, n.rate),
                     wm_human_percent(share, n.peak != 0, n.rate / n.peak),
                     wm_human_rate(peak, n.peak));
    wm_buffer_puts(out, "  the data bus\n");
    for (int i = 0; i < WM_LOSS_COUNT; i++) {
        wm_buffer_printf(
            out, "    %-36s %9s\n", losses[i].text,
            wm_human_percent(text, n.loss_ticks != 0,
                             (double)stats->lost[i] / n.loss_ticks));
    }
    text_latency(report, &n, out);
    text_rows(report, &n, out);
}

static void json_u64(wm_json *json, const char *key, uint64_t value)
{
    wm_json_put_u64(json, key, value);
}

static void json_double(wm_json *json, const char *key, double value)
{
    wm_json_put_double(json, key, value);
}

static void json_string(wm_json *json, const char *key, const char *value)
{
    wm_json_put_string(json, key, value);
}

static void json_counts(wm_json *json, const wm_dram_report *report)
{
    static const char *const commands[WM_DRAM_COMMANDS] = {
        "ACT", "PRE", "PREA", "RD", "WR", "RDA", "WRA", "REFA", "REFP"};
    const wm_banked_stats *stats = &report->result->stats;
    json_u64(json, "reads", stats->n_reads);
    json_u64(json, "writes", stats->n_writes);
    json_u64(json, "read_atoms", stats->n_read_atoms);
    json_u64(json, "write_atoms", stats->n_write_atoms);
    json_u64(json, "forwarded", stats->n_forwarded);
    json_u64(json, "merged", stats->n_merged);
    json_u64(json, "row_hits", stats->n_hits);
    json_u64(json, "row_misses", stats->n_misses);
    json_u64(json, "row_conflicts", stats->n_conflicts);
    wm_json_key(json, "commands");
    wm_json_open(json, '{');
    for (int i = 0; i < WM_DRAM_COMMANDS; i++) {
        json_u64(json, commands[i], stats->n_commands[i]);
    }
    wm_json_close(json, '}');
}

static void json_times(wm_json *json, const wm_dram_report *report,
                       const report_numbers *n)
{
    const wm_banked_stats *stats = &report->result->stats;
    json_u64(json, "ticks", report->result->ticks);
    json_double(json, "tick_ps", n->ns_per_tick * 1000);
    json_double(json, "bytes_per_second", n->rate);
    json_double(json, "peak_bytes_per_second", n->peak);
    json_double(json, "share_of_peak", n->peak != 0 ? n->rate / n->peak : 0);
    json_u64(json, "completed_reads", stats->n_completed);
    json_u64(json, "latency_sum_ticks", stats->sum_latency);
    json_double(json, "latency_mean_ticks", n->mean);
    json_double(json, "latency_from_due_ticks", n->mean_due);
    json_u64(json, "latency_p50_ticks", wm_banked_percentile(stats, 500000));
    json_u64(json, "latency_p90_ticks", wm_banked_percentile(stats, 900000));
    json_u64(json, "latency_p99_ticks", wm_banked_percentile(stats, 990000));
    wm_json_key(json, "data_bus");
    wm_json_open(json, '{');
    for (int i = 0; i < WM_LOSS_COUNT; i++) {
        json_double(json, losses[i].id,
                    n->loss_ticks != 0 ? (double)stats->lost[i] / n->loss_ticks
                                       : 0);
    }
    wm_json_close(json, '}');
}

void wm_dram_report_json(const wm_dram_report *report, wm_buffer *out)
{
    const wm_standard *standard = report->standard;
    const report_numbers n = report_compute(report);
    wm_json json;
    wm_json_init(&json, out);
    wm_json_open(&json, '{');
    json_string(&json, "source", report->source);
    json_string(&json, "standard", standard->file[standard->n_files - 1]);
    json_string(&json, "mapping", report->mapping);
    json_u64(&json, "channels", report->n_channels);
    json_u64(&json, "request_bytes", report->request_bytes);
    json_u64(&json, "requests", report->result->n_requests);
    json_times(&json, report, &n);
    json_counts(&json, report);
    wm_json_key(&json, "energy_pj");
    if (standard->has_energy) {
        wm_json_double(&json, report_energy(report) * 1e12);
    } else {
        wm_json_null(&json);
    }
    wm_json_close(&json, '}');
    wm_buffer_puts(out, "\n");
}
