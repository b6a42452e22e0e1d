/*
 * naive_lanes.c -- the plain half of lanes.h.
 */
#include "naive_lanes.h"

#define WM_PLAIN_LANES 1
#include "model/dram/lanes.h"

uint64_t naive_lanes_due(const int16_t *at, uint32_t n, int16_t now)
{
    return wm_lanes_due(at, n, now);
}

void naive_lanes_raise(int16_t *at, const int16_t *row, uint32_t n, int16_t now)
{
    wm_lanes_raise(at, row, n, now);
}

int16_t naive_lanes_least(const int16_t *at, uint32_t n, uint64_t mask)
{
    return wm_lanes_least(at, n, mask);
}

uint32_t naive_lanes_oldest(const uint16_t *age, uint32_t n, uint64_t mask)
{
    return wm_lanes_oldest(age, n, mask);
}

uint32_t naive_lanes_pick(const wm_lanes_two *two, const uint16_t *age,
                          uint32_t n, uint64_t mask, int16_t now)
{
    return wm_lanes_pick(two, age, n, mask, now);
}

int16_t naive_lanes_soonest(const wm_lanes_two *two, uint32_t n)
{
    return wm_lanes_soonest(two, n);
}
