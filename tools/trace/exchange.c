/*
 * exchange.c -- shuffles and votes: the lanes named in a mask meet, values
 * change hands, all go on.
 */
#include <inttypes.h>

#include "base/bits.h"
#include "callbacks.h"
#include "run.h"

/* Lanes of warp w that the operation of `lane` waits for; 0 when one of them
 * is not there yet. */
static uint64_t meeting(wm_run *run, uint32_t w, const wm_lane *lane)
{
    uint32_t warp_size = run->spec->warp_size;
    uint64_t there = 0;
    for (uint32_t l = 0; l < warp_size; l++) {
        uint32_t number = w * warp_size + l;
        bool is_named = l >= 32 || (lane->exchange_mask >> l & 1) != 0;
        if (number >= run->n_lanes || !is_named) {
            continue;
        }
        const wm_lane *other = &run->lanes[number];
        if (other->state == WM_LANE_ENDED) {
            continue;
        }
        if (other->state != WM_LANE_AT_EXCHANGE ||
            other->event != lane->event) {
            return 0;
        }
        there |= UINT64_C(1) << l;
    }
    return there;
}

static uint64_t ballot(const wm_lane *lanes, uint64_t there)
{
    uint64_t votes = 0;
    for (uint64_t rest = there; rest != 0; rest &= rest - 1) {
        uint32_t l = wm_lowest_bit(rest);
        votes |= (uint64_t)(lanes[l].exchange_value != 0) << l;
    }
    return votes;
}

/* The lane that lane l reads; itself where its segment ends. */
static uint32_t source_of(const wm_lane *lane, uint32_t l)
{
    uint32_t width = lane->exchange_argument >> 8;
    uint32_t by = lane->exchange_argument & 0xff;
    width = width == 0 || width > WM_LANES_MAX ? WM_LANES_MAX : width;
    uint32_t first =
        wm_is_power_of_two(width) ? l & ~(width - 1) : l / width * width;
    uint32_t place = l - first;
    switch (lane->exchange_op) {
    case WM_EXCHANGE_SHUFFLE:
        return first + (by < width ? by : by % width);
    case WM_EXCHANGE_UP:
        return place >= by ? l - by : l;
    case WM_EXCHANGE_DOWN:
        return place + by < width ? l + by : l;
    default:
        /* Earlier segments may be read, later ones not. */
        return (l ^ by) < first + width ? l ^ by : l;
    }
}

static uint64_t result_of(const wm_lane *lanes, uint32_t l, uint64_t there,
                          uint64_t votes)
{
    switch (lanes[l].exchange_op) {
    case WM_EXCHANGE_SYNC:
        return 0;
    case WM_EXCHANGE_BALLOT:
        return votes;
    case WM_EXCHANGE_ALL:
        return votes == there;
    default: {
        uint32_t from = source_of(&lanes[l], l);
        return lanes[(there >> from & 1) != 0 ? from : l].exchange_value;
    }
    }
}

static void exchange(wm_lane *lanes, uint64_t there)
{
    uint64_t result[WM_LANES_MAX];
    uint64_t votes = ballot(lanes, there);
    for (uint64_t rest = there; rest != 0; rest &= rest - 1) {
        uint32_t l = wm_lowest_bit(rest);
        result[l] = result_of(lanes, l, there, votes);
    }
    for (uint64_t rest = there; rest != 0; rest &= rest - 1) {
        uint32_t l = wm_lowest_bit(rest);
        lanes[l].exchange_value = result[l];
        lanes[l].state = WM_LANE_READY;
    }
}

/* All lanes of the warp that have not ended are at the same place: the marks
 * that would bring them together there are taken back, what they reported until
 * now becomes records. */
static bool settle(wm_run *run, uint32_t w, uint64_t there)
{
    for (uint64_t rest = there; rest != 0; rest &= rest - 1) {
        run->logs[wm_lowest_bit(rest)].next--;
    }
    if (!wm_regroup_warp(run, w)) {
        wm_run_fail(run, WM_ENOMEM, "out of memory");
        return false;
    }
    return true;
}

/* The operation names every lane of the warp. */
static bool is_of_all(const wm_run *run, uint32_t first, const wm_lane *lane)
{
    const uint32_t n = run->n_lanes - first;
    const uint32_t named = (uint32_t)wm_low_mask(n < 32 ? n : 32);
    return (lane->exchange_mask & named) == named;
}

bool wm_exchange_resolve(wm_run *run, uint32_t w)
{
    uint32_t first = w * run->spec->warp_size;
    const wm_lane *waiting = NULL;
    for (uint32_t l = 0; l < run->spec->warp_size; l++) {
        if (first + l >= run->n_lanes ||
            run->lanes[first + l].state != WM_LANE_AT_EXCHANGE) {
            continue;
        }
        waiting = &run->lanes[first + l];
        uint64_t there = meeting(run, w, waiting);
        if (there != 0) {
            exchange(run->lanes + first, there);
            return !is_of_all(run, first, waiting) || settle(run, w, there);
        }
    }
    if (waiting != NULL) {
        wm_run_fail(run, WM_EFORMAT,
                    "%s:%" PRIu32 ": found lanes of warp %" PRIu32
                    " of block %" PRIu32 ",%" PRIu32 ",%" PRIu32
                    " elsewhere (lane %" PRIu32 " waits here), wanted every "
                    "lane of mask 0x%" PRIx32 " at this warp-wide operation",
                    wm_run_file(run, waiting->event),
                    run->events->items[waiting->event].line, w, run->block[0],
                    run->block[1], run->block[2], waiting->number - first,
                    waiting->exchange_mask);
    }
    return false;
}
