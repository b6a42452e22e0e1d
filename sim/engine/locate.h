/*
 * locate.h -- where an address lands: slice, channel, bank, row, column.
 *
 * Units    bytes; numbers from 0.
 * Errors   as wm_engine_new.
 * Threads  no shared state.
 */
#ifndef WM_ENGINE_LOCATE_H
#define WM_ENGINE_LOCATE_H

#include "base/status.h"
#include "config/config.h"

typedef struct wm_location {
    uint32_t slice, channel;       /* of the chip */
    uint64_t channel_addr;         /* what dram.mapping sees */
    uint32_t pc, sid, group, bank; /* bank: of its group */
    uint64_t row;
    uint32_t column;
    char mapping[WM_TEXT_BYTES + 64]; /* as bit lists */
} wm_location;

wm_status wm_engine_locate(const wm_config *config, uint64_t addr,
                           wm_location *out, wm_error *err);

#endif
