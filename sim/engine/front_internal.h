/*
 * front_internal.h -- from a record to line requests, counters and LSU cycles:
 * what of a memory record does not depend on the caches.
 */
#ifndef WM_ENGINE_FRONT_INTERNAL_H
#define WM_ENGINE_FRONT_INTERNAL_H

#include "engine/params_internal.h"
#include "engine/sm_internal.h"

typedef struct wm_front {
    uint32_t cost;   /* LSU cycles */
    uint32_t serial; /* atomics: lanes on the busiest address */
} wm_front;

/*
 * The access that coalesced code makes most: 32 lanes, 4 bytes each, one whole
 * line, no atomics, not local.  It goes the short way: what the coalescer and
 * the banks would find is known (all sectors of one line, plain_cost cycles),
 * and stats.n_plain stands for all its counters.
 */
static inline bool wm_front_is_plain(const wm_params *params,
                                     const wm_record *record)
{
    return record->mask == 0xffffffffu && record->width == 4 &&
           record->u.stride == 4 && (record->base & 127) == 0 &&
           record->pattern == WM_PATTERN_AFFINE && params->has_plain &&
           (record->flags & WM_FLAG_CONTINUED) == 0 &&
           (record->kind <= WM_KIND_GLOBAL_STORE ||
            record->kind == WM_KIND_ASYNC_COPY);
}

static inline wm_access wm_front_access(const wm_record *record,
                                        const uint32_t *lanes)
{
    wm_access access = {.base = record->base,
                        .mask = record->mask,
                        .width = record->width,
                        .form = record->pattern};
    if (record->pattern == WM_PATTERN_AFFINE) {
        access.stride = record->u.stride;
    } else {
        access.lanes = lanes + record->u.list;
    }
    return access;
}

/* Pulls n_bytes from an address on towards the processor.  The address is a
 * number, as nothing need be there. */
static inline void wm_fetch_ahead(uintptr_t from, size_t n_bytes)
{
    for (uintptr_t at = from; at < from + n_bytes; at += 64) {
        __builtin_prefetch((const void *)at);
    }
}

/* The first n_bytes of a record's addresses, where it has a list: there need
 * be none without active lanes. */
static inline void wm_front_fetch_lanes(const wm_record *record,
                                        const uint32_t *lanes, size_t n_bytes)
{
    if (record->pattern != WM_PATTERN_AFFINE) {
        wm_fetch_ahead((uintptr_t)lanes + record->u.list * sizeof(*lanes),
                       n_bytes);
    }
}

/* Coalesces a global, local or async record into sm->coalesced and counts it,
 * all but hits. */
wm_front wm_front_memory(const wm_params *params, wm_sm *sm, uint32_t warp,
                         const wm_record *record, const uint32_t *lanes);
/* Brings the counters of plain accesses up to date. */
void wm_front_settle(const wm_params *params, wm_sm *sm);
/* Wavefronts of a shared record, counted. */
uint32_t wm_front_shared(const wm_params *params, wm_sm *sm,
                         const wm_record *record, const uint32_t *lanes);
/* Adds the outcome of look-ups. */
void wm_front_count(const wm_params *params, wm_sm *sm, const wm_record *record,
                    uint32_t hit, uint32_t pending, uint32_t miss);

#endif
