/*
 * random_access.h -- random warp accesses for property tests: every form,
 * width and kind of mask, misaligned, wrapping and repeated addresses.
 */
#ifndef WM_TEST_RANDOM_ACCESS_H
#define WM_TEST_RANDOM_ACCESS_H

#include "base/rng.h"
#include "model/access.h"

/* The address of the n-th active lane, straight from the definition. */
static inline uint64_t naive_address(const wm_access *access, uint32_t lane,
                                     uint32_t n)
{
    if (access->form == WM_ACCESS_LIST32) {
        return access->base + (uint64_t)(int64_t)(int32_t)access->lanes[n];
    }
    if (access->form == WM_ACCESS_LIST64) {
        return access->lanes[2 * n] | (uint64_t)access->lanes[2 * n + 1] << 32;
    }
    uint32_t lowest = 0;
    while ((access->mask >> lowest & 1) == 0) {
        lowest++;
    }
    return access->base + (lane - lowest) * (uint64_t)access->stride;
}

static inline uint64_t random_mask(wm_rng *rng)
{
    uint64_t warp = wm_rng_below(rng, 4) == 0 ? ~UINT64_C(0) : 0xffffffff;
    uint64_t a = wm_rng_next(rng);
    uint64_t b = wm_rng_next(rng);
    uint64_t mask = warp;
    switch (wm_rng_below(rng, 8)) {
    case 0:
        mask = a;
        break;
    case 1:
        mask = a & b & (a >> 7);
        break;
    case 2:
        mask = a | b;
        break;
    case 3:
        mask = UINT64_C(1) << (a & 63);
        break;
    case 4:
        mask = warp << (a & 31);
        break;
    case 5:
        mask = (UINT64_C(0x0303030303030303) * ((a & 7) + 1)) | b << 60;
        break;
    default:
        break;
    }
    return mask & warp;
}

static inline int64_t random_stride(wm_rng *rng, uint32_t width)
{
    int64_t stride = 0;
    int64_t small = (int64_t)wm_rng_below(rng, 300);
    switch (wm_rng_below(rng, 10)) {
    case 0:
    case 1:
        stride = (int64_t)width;
        break;
    case 2:
        stride = small;
        break;
    case 3:
        stride = small * (int64_t)width;
        break;
    case 4:
        stride = INT64_C(1) << wm_rng_below(rng, 62);
        break;
    case 5:
        stride = (small % 40) * 32;
        break;
    case 6:
        stride = (int64_t)(wm_rng_next(rng) >> wm_rng_below(rng, 64));
        break;
    case 7:
        stride = (small % 16) * 4;
        break;
    case 8:
        stride = (small % 5);
        break;
    default:
        stride = 0;
        break;
    }
    return wm_rng_below(rng, 3) == 0 ? (int64_t)(0 - (uint64_t)stride) : stride;
}

/* lanes: room for 128; the access points to it. */
static inline wm_access random_access(wm_rng *rng, uint32_t *lanes)
{
    static const uint32_t widths[] = {1, 2, 4, 4, 4, 8, 8, 16, 16, 32, 12, 3};
    wm_access access = {0};
    access.width = widths[wm_rng_below(rng, 12)];
    if (wm_rng_below(rng, 20) == 0) {
        access.width = 1 + wm_rng_below(rng, 32);
    }
    access.mask = random_mask(rng);
    access.form = wm_rng_below(rng, 4);
    access.form = access.form == 3 ? WM_ACCESS_AFFINE : access.form;
    access.lanes = lanes;
    access.base = wm_rng_next(rng) >> wm_rng_below(rng, 40);
    if (wm_rng_below(rng, 8) == 0) {
        access.base = 0 - (uint64_t)wm_rng_below(rng, 4096);
    }
    if (wm_rng_below(rng, 2) == 0) {
        access.base &= ~UINT64_C(127);
    } else if (wm_rng_below(rng, 4) != 0) {
        access.base -= access.base % access.width;
    }
    access.stride = random_stride(rng, access.width);
    uint32_t span = 1u << wm_rng_below(rng, 31);
    uint32_t grain = wm_rng_below(rng, 3) == 0 ? 1 : access.width;
    for (uint32_t n = 0; n < 64; n++) {
        uint32_t offset = wm_rng_below(rng, span);
        offset -= offset % grain;
        if (n > 0 && wm_rng_below(rng, 5) == 0) {
            offset = lanes[wm_rng_below(rng, n)];
        }
        lanes[n] = offset;
    }
    if (access.form == WM_ACCESS_LIST64) {
        for (uint32_t n = 64; n-- > 0;) {
            uint64_t address = access.base + lanes[n];
            lanes[2 * n] = (uint32_t)address;
            lanes[2 * n + 1] = (uint32_t)(address >> 32);
        }
    }
    return access;
}

#endif
