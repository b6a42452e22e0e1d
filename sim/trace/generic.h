/*
 * generic.h -- splits a generic access (LD, ST, ATOM) by the address space of
 * each lane: shared and local memory appear in the generic space as windows of
 * 16 MiB at bases that the launch names; the rest is global.
 *
 * Not modelled  atomics on local memory, which hardware refuses: global here.
 */
#ifndef WM_TRACE_GENERIC_H
#define WM_TRACE_GENERIC_H

#include "trace/record.h"

#define WM_GENERIC_WINDOW_BYTES (UINT64_C(16) << 20)
#define WM_GENERIC_PARTS_MAX    3u

/* False for a base that disables its window: missing, 0, 0xffffffff. */
bool wm_generic_has_window(uint64_t base);

/*
 * Splits *whole, whose kind is the global one, mask and width are set and
 * whose n-th active lane is at addresses[n].  parts[0 .. *n_parts-1] get
 * kind, mask and addresses (offsets from 0 in the windows); all but the first
 * carry WM_FLAG_CONTINUED.  An empty mask stays one global part.  Returns
 * false when memory is short.
 */
bool wm_generic_split(const wm_launch *launch, wm_cta *cta,
                      const wm_record *whole, const uint64_t *addresses,
                      wm_record parts[WM_GENERIC_PARTS_MAX], uint32_t *n_parts);

#endif
