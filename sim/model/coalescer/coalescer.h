/*
 * coalescer.h -- from the lanes of one warp access to line requests.
 *
 * For every L1 line that the active lanes touch, one entry with the mask of
 * its sectors; for stores also which sectors are written in full and, where
 * some are not, the bytes.  Rules: facts of GPU generations in docs/MODEL.md.
 *
 *   sector mode   the distinct sectors of all bytes [addr, addr + width)
 *   line mode     every sector of each line touched; a transaction is a line
 *   segment mode  aligned segments of segment_bytes (32, 64 or 128); every
 *                 sector of a touched segment; a transaction is a segment
 *   split = n     groups of n consecutive lanes are coalesced on their own
 *                 and their entries are not merged (half-warps: 16)
 *
 * Tag wavefronts: the largest number of entries whose line falls in one of
 * tag_banks banks; the bank is the XOR of all log2(tag_banks)-bit groups of
 * the line number (line mod tag_banks when that is no power of two).
 *
 * Not modelled  the segment shrinking of compute capability 1.2 (D-list).
 * Units         bytes; line numbers are addr / line_bytes.
 * Ownership     the caller's output struct is reused call after call.
 * Errors        none: wm_coalescer_init checks the geometry.
 * Threads       no shared state; the coalescer is read only.
 * Repeatable    entries are in order of the first lane that touches them
 *               (affine forms: rising or falling with the stride).
 * Cost          affine: closed form, O(lines); lists: O(lanes).  No
 *               allocation.
 */
#ifndef WM_MODEL_COALESCER_H
#define WM_MODEL_COALESCER_H

#include <stdbool.h>

#include "base/status.h"
#include "model/access.h"

/* Room for the eight words of a local access of 32 bytes, gathered one by one:
 * 64 lanes of a word each.  One call of wm_coalesce fills at most 128 (64
 * lanes, each over at most 2 lines: width <= 32 <= line). */
#define WM_LINES_MAX 512u

typedef struct wm_coalescer {
    uint32_t line_shift;
    uint32_t sector_shift;
    uint32_t sectors_per_line; /* 1, 2 or 4 */
    uint32_t mode;             /* WM_COALESCE_* of config.h */
    uint32_t segment_shift;
    uint32_t unit_shift; /* what lanes mark: the least that is counted */
    uint32_t split;      /* lanes per group; 0 = whole warp */
    uint32_t tag_banks;
} wm_coalescer;

typedef struct wm_coalesced {
    uint32_t n_entries; /* line requests */
    uint32_t n_sectors; /* sum over entries */
    uint32_t n_lines;   /* = n_entries unless split */
    uint32_t n_transactions;
    uint32_t n_tag_wavefronts;
    uint32_t n_lanes;
    bool is_partial; /* stores: some sector is not written in full */
    uint64_t line[WM_LINES_MAX];
    uint8_t sectors[WM_LINES_MAX]; /* bit s: sector s of the line */
    uint8_t full[WM_LINES_MAX];    /* stores: sectors written in full */
    /* Stores with is_partial: bytes written, bit b of the line in bytes[b/64].
     * Undefined otherwise. */
    uint64_t bytes[WM_LINES_MAX][2];
} wm_coalesced;

/* line, sector, segment in bytes: powers of two, 32..128, sector <= line,
 * segment <= line. */
wm_status wm_coalescer_init(wm_coalescer *coalescer, uint64_t line_bytes,
                            uint64_t sector_bytes, uint32_t mode,
                            uint64_t segment_bytes, uint32_t split,
                            uint32_t tag_banks, wm_error *err);

/* is_store asks for full and bytes.  mask 0 gives all zeros. */
void wm_coalesce(const wm_coalescer *coalescer, const wm_access *access,
                 bool is_store, wm_coalesced *out);

/* Entries in the fullest tag bank; n >= 1. */
uint32_t wm_tag_wavefronts(uint32_t tag_banks, const uint64_t *lines,
                           uint32_t n);
/* The same for lines that rise or fall all the way, as an affine access has
 * them when it is not split: runs need no look at each line. */
uint32_t wm_tag_wavefronts_sorted(uint32_t tag_banks, const uint64_t *lines,
                                  uint32_t n);

/* The largest number of lanes that share one address: how often an atomic
 * serialises.  0 for mask 0. */
uint32_t wm_same_address_lanes(const wm_access *access);

#endif
