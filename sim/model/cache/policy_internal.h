/*
 * policy_internal.h -- what the policies share: bounds, and rows of one byte
 * per way.
 */
#ifndef WM_MODEL_POLICY_INTERNAL_H
#define WM_MODEL_POLICY_INTERNAL_H

#include "model/cache/policy.h"

#define WM_POLICY_WAYS_MAX 1024u
/* Rows are padded to it, so that loops over a row have a fixed inner count. */
#define WM_POLICY_BLOCK 16u

/* Refuses 0 ways and more than WM_POLICY_WAYS_MAX. */
wm_status wm_policy_check_ways(const char *name, uint32_t ways, wm_error *err);

static inline uint32_t wm_policy_padded(uint32_t ways)
{
    return (ways + WM_POLICY_BLOCK - 1) / WM_POLICY_BLOCK * WM_POLICY_BLOCK;
}

#endif
