/*
 * standard.h -- a DRAM standard as the auditor reads it from its file.
 *
 * The auditor shares no code with the simulator: it has its own reader of the
 * file (docs/DRAM.md, section 1), its own rounding to ticks and its own list of
 * rules (rules.def), so that a mistake has to be made twice to go unnoticed.
 *
 * Units      timings in ticks; AUDIT_ABSENT where there is no such rule.
 *            Times of the file in units of 10^-6 ps, so that decimals are
 * exact. Errors     a message on stderr and false.
 */
#ifndef AUDIT_STANDARD_H
#define AUDIT_STANDARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "command.h"

#define AUDIT_ABSENT       INT64_MIN
#define AUDIT_UNITS_PER_PS 1000000

typedef enum audit_timing {
#define AUDIT_TIMING(name) AUDIT_T_##name,
#include "timings.def"
#undef AUDIT_TIMING
    AUDIT_N_TIMINGS
} audit_timing;

typedef struct audit_standard {
    int64_t ck; /* one CK, in 10^-6 ps */
    int64_t ticks_per_ck;
    uint32_t n_pcs; /* per channel */
    uint32_t n_sids;
    uint32_t n_bgs;
    uint32_t n_bas;
    uint64_t row_bytes;
    uint64_t atom_bytes;
    int64_t timing[AUDIT_N_TIMINGS];
    int64_t cycles[AUDIT_N_KINDS]; /* ticks a command occupies its bus */
    bool has_two_buses;            /* one for rows, one for columns */
    bool has_edges;                /* the falling-edge rules of HBM3 */
    bool refresh_counts_as_activate;
} audit_standard;

/* The word the files use for a timing, without its t. */
const char *audit_timing_name(audit_timing timing);

/* Reads a file; a ck above 0 (10^-6 ps) takes the place of the file's. */
bool audit_standard_load(audit_standard *s, const char *path, int64_t ck);

#endif
