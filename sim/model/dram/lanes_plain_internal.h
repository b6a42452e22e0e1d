/*
 * lanes_plain_internal.h -- lanes.h in plain C; included by it alone.
 */
#ifndef WM_MODEL_DRAM_LANES_PLAIN_INTERNAL_H
#define WM_MODEL_DRAM_LANES_PLAIN_INTERNAL_H

static inline uint32_t lanes_pick(const wm_lanes_two *two, const uint16_t *age,
                                  uint32_t n, uint64_t mask, int16_t now)
{
    uint32_t best = WM_NO_LANE;
    (void)n;
    for (; mask != 0; mask &= mask - 1) {
        const uint32_t lane = wm_lowest_bit(mask);
        const bool is_due =
            (two->a_in[lane] != INT16_MAX && two->a[lane] <= now) ||
            (two->b_in[lane] != INT16_MAX && two->b[lane] <= now);
        if (is_due && (best == WM_NO_LANE || age[lane] < age[best])) {
            best = lane;
        }
    }
    return best;
}

static inline int16_t lanes_soonest(const wm_lanes_two *two, uint32_t n)
{
    int16_t least = INT16_MAX;
    for (uint32_t i = 0; i < n; i++) {
        const int16_t a = two->a[i] > two->a_in[i] ? two->a[i] : two->a_in[i];
        const int16_t b = two->b[i] > two->b_in[i] ? two->b[i] : two->b_in[i];
        least = a < least ? a : least;
        least = b < least ? b : least;
    }
    return least;
}

static inline uint32_t lanes_oldest(const uint16_t *age, uint32_t n,
                                    uint64_t mask)
{
    uint32_t best = wm_lowest_bit(mask);
    (void)n;
    for (mask &= mask - 1; mask != 0; mask &= mask - 1) {
        const uint32_t lane = wm_lowest_bit(mask);
        best = age[lane] < age[best] ? lane : best;
    }
    return best;
}

static inline uint64_t lanes_due(const int16_t *at, uint32_t n, int16_t now)
{
    uint64_t due = 0;
    for (uint32_t i = 0; i < n; i++) {
        due |= (uint64_t)(at[i] <= now) << i;
    }
    return due;
}

static inline void lanes_raise(int16_t *at, const int16_t *row, uint32_t n,
                               int16_t now)
{
    for (uint32_t i = 0; i < n; i++) {
        int32_t to = row[i] + now;
        to = to < INT16_MIN ? INT16_MIN : to;
        at[i] = at[i] < to ? (int16_t)to : at[i];
    }
}

static inline int16_t lanes_least(const int16_t *at, uint32_t n, uint64_t mask)
{
    int16_t least = INT16_MAX;
    (void)n;
    for (; mask != 0; mask &= mask - 1) {
        int16_t v = at[wm_lowest_bit(mask)];
        least = v < least ? v : least;
    }
    return least;
}

#endif
