/*
 * policy.c -- the registry of replacement policies.
 */
#include "model/cache/policy_internal.h"

#include <string.h>

#define WM_POLICY(id) extern const wm_policy wm_policy_##id;
#include "model/cache/policies.def"
#undef WM_POLICY

const wm_policy *const wm_policies[] = {
#define WM_POLICY(id) &wm_policy_##id,
#include "model/cache/policies.def"
#undef WM_POLICY
    NULL,
};

const wm_policy *wm_policy_find(const char *name)
{
    for (const wm_policy *const *policy = wm_policies; *policy != NULL;
         policy++) {
        if (strcmp((*policy)->name, name) == 0) {
            return *policy;
        }
    }
    return NULL;
}

wm_status wm_policy_check_ways(const char *name, uint32_t ways, wm_error *err)
{
    if (ways == 0 || ways > WM_POLICY_WAYS_MAX) {
        return wm_fail(err, WM_ECONFIG, "policy %s: %u ways, want 1 to %u",
                       name, ways, WM_POLICY_WAYS_MAX);
    }
    return WM_OK;
}
