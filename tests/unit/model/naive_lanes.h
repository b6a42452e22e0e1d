/*
 * naive_lanes.h -- lanes.h in plain C, whatever the processor has.
 */
#ifndef WM_TESTS_NAIVE_LANES_H
#define WM_TESTS_NAIVE_LANES_H

#include <stdint.h>

struct wm_lanes_two;

uint64_t naive_lanes_due(const int16_t *at, uint32_t n, int16_t now);
void naive_lanes_raise(int16_t *at, const int16_t *row, uint32_t n,
                       int16_t now);
int16_t naive_lanes_least(const int16_t *at, uint32_t n, uint64_t mask);
uint32_t naive_lanes_pick(const struct wm_lanes_two *two, const uint16_t *age,
                          uint32_t n, uint64_t mask, int16_t now);
int16_t naive_lanes_soonest(const struct wm_lanes_two *two, uint32_t n);
uint32_t naive_lanes_oldest(const uint16_t *age, uint32_t n, uint64_t mask);

#endif
