/*
 * access.c -- the addresses of one warp access, lane by lane.
 */
#include "model/access.h"

#include <string.h>

#include "base/bits.h"

static void expand_affine(const wm_access *access, uint64_t *addresses)
{
    uint64_t mask = access->mask >> wm_lowest_bit(access->mask);
    uint64_t step = (uint64_t)access->stride;
    if ((mask & (mask + 1)) == 0) {
        uint32_t n_lanes = wm_highest_bit(mask) + 1;
        for (uint32_t i = 0; i < n_lanes; i++) {
            addresses[i] = access->base + i * step;
        }
        return;
    }
    for (uint32_t n = 0; mask != 0; n++, mask &= mask - 1) {
        addresses[n] = access->base + wm_lowest_bit(mask) * step;
    }
}

uint32_t wm_access_expand(const wm_access *access,
                          uint64_t addresses[WM_ACCESS_LANES_MAX])
{
    if (access->mask == 0) {
        return 0;
    }
    uint32_t n_lanes = wm_popcount64(access->mask);
    const uint32_t *lanes = access->lanes;
    switch (access->form) {
    case WM_ACCESS_LIST32:
        for (uint32_t n = 0; n < n_lanes; n++) {
            addresses[n] = access->base + (uint64_t)(int64_t)(int32_t)lanes[n];
        }
        break;
    case WM_ACCESS_LIST64:
        for (uint32_t n = 0; n < n_lanes; n++) {
            addresses[n] = lanes[2 * n] | (uint64_t)lanes[2 * n + 1] << 32;
        }
        break;
    case WM_ACCESS_WRITTEN:
        memcpy(addresses, access->addresses, n_lanes * sizeof(addresses[0]));
        break;
    default:
        expand_affine(access, addresses);
        break;
    }
    return n_lanes;
}

const uint64_t *wm_access_addresses(const wm_access *access,
                                    uint64_t room[WM_ACCESS_LANES_MAX],
                                    uint32_t *n)
{
    if (access->form == WM_ACCESS_WRITTEN) {
        *n = wm_popcount64(access->mask);
        return access->addresses;
    }
    *n = wm_access_expand(access, room);
    return room;
}
