/*
 * dram_source.h -- the requests of `warpmem dram`: a made pattern, or a file
 * of lines "R|W ADDRESS [TICK]" (docs/DRAM.md section 5).
 *
 * Ownership  open/close.
 * Errors     WM_EFORMAT "FILE:LINE: found, wanted"; WM_EIO; WM_EUSAGE.
 */
#ifndef WM_CLI_DRAM_SOURCE_H
#define WM_CLI_DRAM_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"
#include "engine/replay.h"
#include "model/dram/traffic.h"

typedef struct wm_dram_source {
    FILE *file; /* NULL: made */
    const char *path;
    uint64_t line;
    wm_traffic traffic;
    uint64_t index, count;
    uint64_t rate_requests; /* per rate_ticks; 0 = as fast as they are taken */
    uint64_t rate_ticks;
    uint64_t last_due;
} wm_dram_source;

/* "max", "1/2", "3": requests per tick. */
wm_status wm_dram_source_rate(wm_dram_source *source, const char *text,
                              wm_error *err);
wm_status wm_dram_source_open(wm_dram_source *source, const char *path,
                              wm_error *err);
wm_status wm_dram_source_make(wm_dram_source *source, const char *pattern,
                              uint64_t count, uint64_t granule, wm_error *err);
void wm_dram_source_close(wm_dram_source *source);

/* A wm_replay_source. */
wm_status wm_dram_source_next(void *context, wm_replay_request *requests,
                              size_t n_wanted, size_t *n_made, wm_error *err);

#endif
