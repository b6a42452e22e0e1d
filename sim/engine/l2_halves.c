/*
 * l2_halves.c -- an L2 of two halves ("partitions" in vendors' words).
 *
 * Slices 2k and 2k + 1 of a partition are twins in different halves of the
 * chip.  A line has its home in one of them; an SM of the other half asks the
 * twin next to it first, which keeps what it has to get from the home.  Such a
 * copy lies under the home's line number with far_line set.  With banked
 * channels no copy is kept, because a copy would have to wait for a time not
 * yet known.
 */
#include "engine/engine_internal.h"

static wm_slice *l2_twin(wm_partition *partition, const wm_slice *slice)
{
    return &partition->slices[slice->local ^ 1u];
}

static bool l2_is_far(const wm_params *params, const wm_slice *slice,
                      const wm_request *request)
{
    return params->n_halves == 2 && (slice->local & 1u) != (request->sm & 1u);
}

/* Takes the slice's port for n sectors; returns when it has them. */
static uint64_t l2_take_port(const wm_params *params, wm_slice *slice,
                             uint32_t n, uint64_t t_ps)
{
    const uint64_t start = t_ps > slice->free_ps ? t_ps : slice->free_ps;
    const uint64_t busy = n * params->slice_sector_ps;
    slice->free_ps = start + busy;
    slice->stats.busy_ps += busy;
    return start;
}

/* Gets sectors from their home for the twin, where they will lie at ref. */
static uint64_t l2_cross(const wm_params *params, wm_partition *partition,
                         wm_slice *home, wm_ref *ref, uint64_t line,
                         uint32_t miss, uint64_t t_ps)
{
    wm_slice *near = l2_twin(partition, home);
    wm_ref at_home = wm_cache_find(&home->tags, line);
    /* The home's port is taken now, not a hop from now: it serves others in
     * between. */
    const uint64_t asked =
        l2_take_port(params, home, wm_popcount64(miss), t_ps) + params->hop_ps;
    const uint64_t back = wm_l2_need(params, partition, home, &at_home, line,
                                     miss, asked, near->stats.l2[WM_L2_READ]) +
                          params->hop_ps;
    near->stats.n_crossed += wm_popcount64(miss);
    if (ref->way == WM_NO_INDEX &&
        !wm_l2_allocate(params, partition, near, ref, t_ps)) {
        return back;
    }
    uint8_t *sectors = wm_cache_state(&near->tags, ref);
    if (!params->is_counts) {
        uint64_t *ready = wm_l2_ready(near, ref);
        if ((*sectors >> 4) == 0 || *ready < back) {
            *ready = back;
        }
        *sectors |= (uint8_t)(miss << 4);
    }
    *sectors |= (uint8_t)miss;
    return back;
}

/* A read of a line whose home is the other half's slice. */
static uint64_t l2_read_far(const wm_params *params, wm_partition *partition,
                            wm_slice *home, const wm_request *request,
                            uint64_t t_ps)
{
    wm_slice *near = l2_twin(partition, home);
    uint64_t *count = near->stats.l2[WM_L2_READ];
    const uint32_t need = request->sectors;
    const uint64_t start =
        l2_take_port(params, near, wm_popcount64(need), t_ps);
    wm_ref ref = wm_cache_find(&near->tags, request->line | params->far_line);
    uint32_t state = 0;
    if (ref.way != WM_NO_INDEX) {
        state = params->is_counts ? *wm_cache_state(&near->tags, &ref)
                                  : wm_cache_settle(&near->tags, &ref, start);
        wm_cache_touch(&near->tags, &ref);
    }
    const uint32_t pending = params->is_counts ? 0 : need & (state >> 4);
    const uint32_t miss = need & ~state;
    count[WM_L2_REQUESTS]++;
    count[WM_L2_SECTORS] += wm_popcount64(need);
    count[WM_L2_HIT_SECTORS] += wm_popcount64(need & ~miss & ~pending);
    count[WM_L2_PENDING_SECTORS] += wm_popcount64(pending);
    uint64_t ready = pending != 0 ? *wm_l2_ready(near, &ref) : start;
    if (miss != 0) {
        const uint64_t back =
            l2_cross(params, partition, home, &ref, request->line, miss, start);
        ready = back > ready ? back : ready;
    }
    return ready;
}

/* A line is about to be written at its home: the other half's copy goes. */
static void l2_drop_copy(const wm_params *params, wm_partition *partition,
                         const wm_slice *home, uint64_t line)
{
    wm_slice *twin = l2_twin(partition, home);
    wm_ref ref = wm_cache_find(&twin->tags, line | params->far_line);
    if (ref.way != WM_NO_INDEX) {
        wm_cache_drop(&twin->tags, &ref);
    }
}

uint64_t wm_l2_access_halves(const wm_params *params, wm_partition *partition,
                             wm_slice *slice, const wm_request *request,
                             wm_ref *place, const uint64_t *bytes,
                             uint64_t t_ps)
{
    const bool is_far = l2_is_far(params, slice, request);
    if (is_far && request->op == WM_OP_READ && partition->memory == NULL) {
        return l2_read_far(params, partition, slice, request, t_ps);
    }
    if (request->op != WM_OP_READ) {
        l2_drop_copy(params, partition, slice, request->line);
    }
    const uint64_t hops_ps = is_far ? 2 * params->hop_ps : 0;
    uint64_t ready =
        wm_l2_at_home(params, partition, slice, request, place, bytes, t_ps);
    if (wm_is_pending(ready)) {
        partition->after_ps += hops_ps;
        return ready;
    }
    return ready + hops_ps;
}
