/*
 * record_check.h -- what every record and launch must satisfy before the
 * engine may see it, whatever file it came from.  Private to the trace floor.
 *
 * Bounds are generous: no hardware comes near them.  They keep a hostile file
 * from asking for memory that its size does not justify.
 */
#ifndef WM_TRACE_RECORD_CHECK_H
#define WM_TRACE_RECORD_CHECK_H

#include "trace/record.h"

#define WM_WARPS_PER_CTA_MAX   1024u
#define WM_RECORDS_PER_CTA_MAX ((size_t)1 << 24)
#define WM_LANES_PER_CTA_MAX   ((size_t)1 << 28) /* words of its lists */

/* NULL, or what is wrong with the record ("width over 32").  The static id of
 * a GAP record means nothing and is not looked at. */
const char *wm_record_fault(const wm_record *record, uint32_t n_statics,
                            uint32_t warp_size);

/* NULL, or what is wrong with the launch. */
const char *wm_launch_fault(const wm_launch *launch);

/* x * y * z, at most 2^64 - 1. */
uint64_t wm_extent_product(const uint32_t extent[3]);

/* n_ctas and n_warps_per_cta from grid, block and warp size. */
void wm_launch_set_counts(wm_launch *launch);

#endif
