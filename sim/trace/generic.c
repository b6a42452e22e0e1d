/*
 * generic.c -- address spaces of a generic access.
 */
#include "trace/generic.h"

#include "base/bits.h"

typedef enum space {
    SPACE_GLOBAL,
    SPACE_LOCAL,
    SPACE_SHARED,
    SPACE_COUNT
} space;

bool wm_generic_has_window(uint64_t base)
{
    return base != 0 && base != UINT32_MAX;
}

static bool is_inside(uint64_t base, uint64_t addr)
{
    return wm_generic_has_window(base) && addr >= base &&
           addr - base < WM_GENERIC_WINDOW_BYTES;
}

static wm_kind kind_in(wm_kind kind, space where)
{
    switch (kind) {
    case WM_KIND_GLOBAL_LOAD:
        return where == SPACE_LOCAL    ? WM_KIND_LOCAL_LOAD
               : where == SPACE_SHARED ? WM_KIND_SHARED_LOAD
                                       : kind;
    case WM_KIND_GLOBAL_STORE:
        return where == SPACE_LOCAL    ? WM_KIND_LOCAL_STORE
               : where == SPACE_SHARED ? WM_KIND_SHARED_STORE
                                       : kind;
    default:
        return where == SPACE_SHARED ? WM_KIND_SHARED_ATOMIC : kind;
    }
}

bool wm_generic_split(const wm_launch *launch, wm_cta *cta,
                      const wm_record *whole, const uint64_t *addresses,
                      wm_record parts[WM_GENERIC_PARTS_MAX], uint32_t *n_parts)
{
    const uint64_t bases[SPACE_COUNT] = {
        [SPACE_LOCAL] = launch->local_base,
        [SPACE_SHARED] = launch->shared_base,
    };
    uint64_t offsets[SPACE_COUNT][WM_LANES_MAX];
    uint64_t masks[SPACE_COUNT] = {0};
    uint32_t n_lanes[SPACE_COUNT] = {0};
    bool is_plain = whole->kind == WM_KIND_GLOBAL_LOAD ||
                    whole->kind == WM_KIND_GLOBAL_STORE;
    uint64_t rest = whole->mask;
    for (uint32_t n = 0; rest != 0; n++, rest &= rest - 1) {
        space where = SPACE_GLOBAL;
        if (is_inside(launch->shared_base, addresses[n])) {
            where = SPACE_SHARED;
        } else if (is_plain && is_inside(launch->local_base, addresses[n])) {
            where = SPACE_LOCAL;
        }
        masks[where] |= UINT64_C(1) << wm_lowest_bit(rest);
        offsets[where][n_lanes[where]++] = addresses[n] - bases[where];
    }
    *n_parts = 0;
    for (int where = 0; where < SPACE_COUNT; where++) {
        if (masks[where] == 0 && (whole->mask != 0 || where != SPACE_GLOBAL)) {
            continue;
        }
        wm_record *part = &parts[*n_parts];
        *part = *whole;
        part->mask = masks[where];
        part->kind = (uint8_t)kind_in((wm_kind)whole->kind, (space)where);
        if (*n_parts > 0) {
            part->flags |= WM_FLAG_CONTINUED;
        }
        if (!wm_record_set_addresses(cta, part, offsets[where])) {
            return false;
        }
        ++*n_parts;
    }
    return true;
}
