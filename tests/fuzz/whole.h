/*
 * whole.h -- the parts of target `whole`: numbers from the fuzzer's bytes, a
 * legal configuration from them, a valid trace from them.
 */
#ifndef WM_TESTS_FUZZ_WHOLE_H
#define WM_TESTS_FUZZ_WHOLE_H

#include "base/buffer.h"
#include "config/config.h"
#include "fuzz.h"

/* Bytes that are used up one by one, and 0 for ever after. */
typedef struct whole_bytes {
    const uint8_t *at;
    const uint8_t *end;
} whole_bytes;

static inline uint32_t whole_byte(whole_bytes *from)
{
    return from->at < from->end ? *from->at++ : 0;
}

/* 0 to n - 1; n up to 256. */
static inline uint32_t whole_below(whole_bytes *from, uint32_t n)
{
    return whole_byte(from) % n;
}

/* Five bytes, for addresses and seeds. */
uint64_t whole_long(whole_bytes *from);
/* least to most, small and large ones alike likely. */
uint64_t whole_range(whole_bytes *from, uint64_t least, uint64_t most);

/* A configuration in which every key is legal and all of them together; a
 * refusal is a finding.  *is_wide: its times are over their whole range, so few
 * accesses take long. */
wm_config_set *whole_config(whole_bytes *from, bool *is_wide);

/* How much a trace holds at most: of a launch. */
typedef struct whole_bounds {
    uint32_t n_steps; /* instructions, up to 8 */
    uint32_t n_ctas;
} whole_bounds;

/* Writes a valid trace for it in the format. */
void whole_trace(whole_bytes *from, const wm_config *config,
                 whole_bounds bounds, const char *format, const char *path);

#endif
