/*
 * banks.h -- wavefronts of the banked data array: shared memory, and the data
 * stage of the L1 (same array, same rule).
 *
 * Rule (compute capability 5 and later, banks of 4 bytes): lanes of up to
 * 4 bytes go in one phase, 8 bytes in two half-warps, 16 in four quarters, 32
 * in eight; a phase takes as many wavefronts as the fullest bank has distinct
 * words; phases add; a phase without active lanes takes none.  Lanes on one
 * word share it (broadcast, multicast); stores likewise.  With 8-byte banks
 * (Kepler) the word is 8 bytes and lanes of 8 bytes go in one phase.
 * Ideal wavefronts: the phases that have an active lane.
 * For warps of 64 lanes a phase holds banks * bank_width / width lanes but at
 * most 32.
 *
 * Cost  affine: closed form; lists: O(lanes).  No allocation.
 */
#ifndef WM_MODEL_BANKS_H
#define WM_MODEL_BANKS_H

#include "model/access.h"

typedef struct wm_banks {
    uint32_t n_banks;     /* 1..64 */
    uint32_t width_bytes; /* 4 or 8 */
} wm_banks;

/* Wavefronts of the access; *ideal (may be NULL) without conflicts. */
uint32_t wm_bank_wavefronts(const wm_banks *banks, const wm_access *access,
                            uint32_t *ideal);

#endif
