/*
 * dram_report.h -- what `warpmem dram` prints of a replayed stream.
 *
 * Ownership  the caller's buffer receives the text.
 */
#ifndef WM_CLI_DRAM_REPORT_H
#define WM_CLI_DRAM_REPORT_H

#include <stdbool.h>

#include "base/buffer.h"
#include "engine/replay.h"

typedef struct wm_dram_report {
    const wm_standard *standard;
    const wm_replay_result *result;
    const char *mapping; /* as bit lists */
    const char *source;  /* "gen rand", or the file */
    uint32_t n_channels;
    uint64_t request_bytes;
    bool is_max_rate; /* nobody waits to be due */
} wm_dram_report;

void wm_dram_report_text(const wm_dram_report *report, wm_buffer *out);
void wm_dram_report_json(const wm_dram_report *report, wm_buffer *out);

#endif
