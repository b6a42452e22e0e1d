/*
 * pattern.c -- what kind of access one warp instruction makes.
 */
#include "model/coalescer/pattern.h"

#include <stdlib.h>

#include "base/bits.h"

static int pattern_compare(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left;
    const uint64_t b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* Distinct bytes of n sorted addresses of `width` bytes each. */
static uint32_t pattern_unique(const uint64_t *address, uint32_t n,
                               uint32_t width)
{
    uint64_t unique = width;
    for (uint32_t i = 1; i < n; i++) {
        const uint64_t step = address[i] - address[i - 1];
        unique += step < width ? step : width;
    }
    return (uint32_t)unique;
}

wm_access_shape wm_access_classify(const wm_access *access, uint32_t n_sectors,
                                   uint32_t sector_bytes)
{
    uint64_t address[WM_ACCESS_LANES_MAX];
    wm_access_shape shape = {WM_CLASS_OFF, 0, 0, 0, UINT64_MAX, 0};
    const uint32_t n = wm_access_expand(access, address);
    if (n == 0) {
        return shape;
    }
    qsort(address, n, sizeof(address[0]), pattern_compare);
    const uint64_t span = address[n - 1] - address[0] + access->width;
    shape.least = address[0];
    shape.most = address[n - 1] + access->width - 1;
    shape.unique_bytes = pattern_unique(address, n, access->width);
    shape.ideal_sectors =
        (shape.unique_bytes + sector_bytes - 1) / sector_bytes;
    if (n == 1) {
        shape.class = WM_CLASS_ONE;
    } else if (address[0] == address[n - 1]) {
        shape.class = WM_CLASS_BROADCAST;
    } else if (n_sectors <= shape.ideal_sectors) {
        shape.class = WM_CLASS_COALESCED;
    } else if (span == shape.unique_bytes) {
        shape.class = WM_CLASS_MISALIGNED;
    } else if (access->form == WM_ACCESS_AFFINE) {
        shape.class = WM_CLASS_STRIDED;
        shape.stride = access->stride;
    } else {
        shape.class = WM_CLASS_GATHER;
    }
    return shape;
}

const char *wm_access_class_name(wm_access_class class)
{
    static const char *const names[WM_CLASSES] = {
        "off",        "one lane", "broadcast", "coalesced",
        "misaligned", "strided",  "gather"};
    return names[class];
}

static uint64_t pattern_step(const wm_access_shape *shape)
{
    return shape->stride < 0 ? -(uint64_t)shape->stride
                             : (uint64_t)shape->stride;
}

bool wm_access_needs_staging(const wm_access_shape *shape, uint32_t line_bytes)
{
    return shape->class == WM_CLASS_GATHER ||
           (shape->class == WM_CLASS_STRIDED &&
            pattern_step(shape) >= line_bytes);
}

void wm_access_idealize(wm_access *access, const wm_access_shape *shape,
                        uint32_t line_bytes)
{
    const uint64_t width = access->width;
    const uint64_t line = line_bytes;
    uint64_t base = access->base;
    if (shape->class <= WM_CLASS_COALESCED) {
        return;
    }
    if (shape->class == WM_CLASS_STRIDED) {
        const uint64_t step = pattern_step(shape);
        const uint64_t lanes = wm_popcount64(access->mask);
        if (step >= line) {
            /* Row k of the tile, k from the column the warp stood in. */
            base = base - base % line + base % line / width % lanes * step;
        }
    } else if (shape->class == WM_CLASS_GATHER) {
        uint64_t address[WM_ACCESS_LANES_MAX];
        const uint32_t n = wm_access_expand(access, address);
        for (uint32_t i = 0; i < n; i++) {
            base = address[i] < base ? address[i] : base;
        }
    }
    access->base = base - base % (shape->unique_bytes >= line ? line : 32);
    access->stride = (int64_t)width;
    access->form = WM_ACCESS_AFFINE;
    access->lanes = NULL;
}
