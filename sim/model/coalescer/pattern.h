/*
 * pattern.h -- what kind of access one warp instruction makes, for people.
 *
 *   off         no active lane
 *   one         a single active lane
 *   broadcast   all lanes on the same bytes
 *   coalesced   as few sectors as the distinct bytes can lie in
 *   misaligned  neighbouring bytes that begin inside a sector: one more
 *   strided     equal steps from lane to lane that leave bytes unused
 *   gather      anything else
 *
 * The ideal number of sectors is that of the distinct bytes laid end to end
 * from a sector's start.
 *
 * Not modelled  steps that are equal in halves of the warp only: gather.
 * Units         bytes.
 * Threads       no state.
 * Cost          O(lanes log lanes); asked for per instruction only.
 */
#ifndef WM_MODEL_PATTERN_H
#define WM_MODEL_PATTERN_H

#include <stdbool.h>

#include "model/access.h"

typedef enum wm_access_class {
    WM_CLASS_OFF,
    WM_CLASS_ONE,
    WM_CLASS_BROADCAST,
    WM_CLASS_COALESCED,
    WM_CLASS_MISALIGNED,
    WM_CLASS_STRIDED,
    WM_CLASS_GATHER,
    WM_CLASSES
} wm_access_class;

typedef struct wm_access_shape {
    wm_access_class class;
    int64_t stride;         /* WM_CLASS_STRIDED: bytes from lane to lane */
    uint32_t unique_bytes;  /* distinct bytes of all active lanes */
    uint32_t ideal_sectors; /* that they need at least */
    uint64_t least, most;   /* first and last byte touched */
} wm_access_shape;

/* n_sectors: what the coalescer found for the access. */
wm_access_shape wm_access_classify(const wm_access *access, uint32_t n_sectors,
                                   uint32_t sector_bytes);

/* "coalesced" and so on; never NULL. */
const char *wm_access_class_name(wm_access_class class);

/*
 * Whether the ideal access below hands each lane data of another lane, so that
 * code has to pass it through shared memory: gathers, and strides of a line or
 * more, whose tile is turned.  Shorter strides take another layout of the data
 * (arrays of fields), misaligned ones another first address: neither costs.
 */
bool wm_access_needs_staging(const wm_access_shape *shape, uint32_t line_bytes);

/*
 * The same lanes, coalesced: where equal steps go over lines, the tile of
 * lanes x lines is turned so that the warp takes a row of it (all that the
 * kernel touches stays touched, once); what else is not ideal takes the first
 * bytes of the lines it touched.  An upper bound of what better
 * code can gain.
 */
void wm_access_idealize(wm_access *access, const wm_access_shape *shape,
                        uint32_t line_bytes);

#endif
