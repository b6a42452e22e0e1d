/*
 * analysis.h -- from numbers to sentences: what limits a kernel and by what
 * evidence, what an instruction does, what could be done about it.
 *
 * Share: of the thing that limits the kernel.  Where that is DRAM, the L2 or
 * the way there, sectors sent to the L2; the L1 or the LSU, their cycles;
 * shared memory, its wavefronts; latency, the time warps stalled on it
 * (counts mode has no stalls: sectors sent).
 *
 * Not modelled  advice looks at one instruction; what two do together (a tile
 *               through shared memory) is for its reader.
 * Units         shares are fractions.
 * Ownership     texts are appended to the caller's buffer.
 * Errors        those of the buffer.
 * Repeatable    yes: numbers only.
 */
#ifndef WM_REPORT_ANALYSIS_H
#define WM_REPORT_ANALYSIS_H

#include "report/report.h"

/* Value of the metric called id, which must exist; kernel NULL = total. */
bool wm_report_value(const wm_report *report, const wm_report_kernel *kernel,
                     const char *id, double *value);

/* "DRAM-bound: ..." in one or two sentences without a newline; kernel NULL =
 * the total.  Nothing when no time passed. */
void wm_report_diagnose(const wm_report *report, const wm_report_kernel *kernel,
                        wm_buffer *out);

/* "strided by 4096 B", "coalesced", "conflicts 32-way": what most of the
 * instruction's records do.  "-" for none. */
void wm_row_pattern(const wm_report_instruction *row, wm_buffer *out);

/* What the instruction takes of what limits the kernel; shares of a kernel's
 * rows sum to 1, or are all 0. */
typedef struct wm_row_shares {
    uint32_t bound;
    uint64_t sum;
} wm_row_shares;
wm_row_shares wm_row_shares_of(const wm_report_kernel *kernel);
/* What the shares are of: "stall time", "LSU time" and so on. */
const char *wm_row_shares_name(const wm_row_shares *shares);
double wm_row_share(const wm_row_shares *shares,
                    const wm_report_instruction *row);

/* One line, or nothing where the pattern leaves nothing to gain. */
void wm_row_advice(const wm_report_instruction *row, wm_buffer *out);

/* Sectors (shared memory: wavefronts) over the ideal, at least 1. */
double wm_row_excess(const wm_report_instruction *row);

#endif
