/*
 * traffic.h -- request streams for one memory system, made from six patterns,
 * so that the DRAM model can be measured alone and compared with others.
 *
 * The patterns and their generator (64-bit xorshift with a multiplication,
 * Marsaglia 2003, Vigna 2016) are those that the golden numbers were measured
 * with (docs/DRAM.md section 5).
 *
 * Units       bytes.
 * Ownership   plain data.
 * Repeatable  the same pattern gives the same requests everywhere.
 */
#ifndef WM_MODEL_DRAM_TRAFFIC_H
#define WM_MODEL_DRAM_TRAFFIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WM_TRAFFIC_WALKERS 64u

typedef enum wm_traffic_pattern {
    WM_TRAFFIC_SEQ,
    WM_TRAFFIC_STRIDE,
    WM_TRAFFIC_RAND,
    WM_TRAFFIC_COPY,
    WM_TRAFFIC_RMIX,
    WM_TRAFFIC_GPU,
    WM_TRAFFIC_PATTERNS
} wm_traffic_pattern;

typedef struct wm_traffic {
    wm_traffic_pattern pattern;
    uint64_t granule; /* bytes of a request */
    bool is_power;    /* of two, the granule */
    uint64_t index;   /* of the next request */
    uint64_t state;
    uint64_t walker[WM_TRAFFIC_WALKERS];
    uint32_t turn; /* walker of the present burst */
} wm_traffic;

/* "seq", ...; NULL past the last. */
const char *wm_traffic_name(size_t pattern);

void wm_traffic_init(wm_traffic *stream, wm_traffic_pattern pattern,
                     uint64_t granule);
/* The next request: its address, bit 0 set for a write. */
uint64_t wm_traffic_next(wm_traffic *stream);

#endif
