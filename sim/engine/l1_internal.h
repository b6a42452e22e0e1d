/*
 * l1_internal.h -- the L1 of one SM, shared by both modes: stores.
 */
#ifndef WM_ENGINE_L1_INTERNAL_H
#define WM_ENGINE_L1_INTERNAL_H

#include "base/inline.h"
#include "engine/params_internal.h"
#include "engine/sm_internal.h"
#include "model/cache/cache.h"

/* One line of a store; returns the sectors found. */
WM_INLINE uint32_t wm_l1_store(const wm_params *params, wm_sm *sm,
                               uint64_t line, uint32_t sectors, uint32_t full,
                               wm_cache_kind kind)
{
    if (!params->is_l1_on) {
        return 0;
    }
    wm_ref ref = wm_cache_find_as(&sm->l1, line, kind);
    uint32_t found = 0;
    const uint64_t policy = params->config.l1.write;
    if (ref.way != WM_NO_INDEX) {
        uint32_t state = *wm_cache_state_as(&sm->l1, &ref, kind);
        found = sectors & state & ~(state >> 4);
        if (policy == WM_L1_WRITE_EVICT) {
            if ((state >> 4) == 0) {
                wm_cache_drop(&sm->l1, &ref);
            }
            return found;
        }
        wm_cache_touch_as(&sm->l1, &ref, kind);
    }
    if (policy == WM_L1_WRITE_ALLOCATE && full != 0) {
        if (ref.way != WM_NO_INDEX ||
            wm_cache_allocate_as(&sm->l1, &ref, NULL, kind)) {
            *wm_cache_state_as(&sm->l1, &ref, kind) |= (uint8_t)full;
        }
    }
    return found;
}

#endif
