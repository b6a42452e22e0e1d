/*
 * l2.c -- what one request does at its L2 slice: hits, pending sectors, fills
 * from DRAM, write-back with byte masks, atomics.
 *
 * DRAM model "simple" knows at once when data come, so a fill needs no event:
 * the line keeps the time (cache.h, "pending").  With "banked" the line keeps a
 * pending time (memory_internal.h) until the channel has scheduled the read.
 * The slice is a reservation server: l2.bandwidth for its port, l2.mshrs misses
 * in flight at most.
 */
#include "engine/engine_internal.h"

#include <string.h>

/* The channel, within the partition, that holds a slice's local line, and the
 * line number there. */
static uint32_t l2_channel(const wm_params *params, const wm_slice *slice,
                           uint64_t line, uint64_t *dram_line)
{
    uint64_t within = 0;
    uint64_t rank = 0;
    const uint64_t per_chunk = params->chunk_div.d;
    uint64_t chunk = wm_divide(&params->chunk_div, line, &within) *
                         params->slices_per_partition +
                     slice->local;
    uint64_t channel = wm_spread_place(&params->channel_spread, chunk, &rank);
    *dram_line = rank * per_chunk + within;
    return (uint32_t)channel;
}

void wm_l2_write_dram(const wm_params *params, wm_partition *partition,
                      wm_slice *slice, uint64_t line, uint32_t sectors,
                      uint64_t t_ps)
{
    const uint32_t n_sectors = wm_popcount64(sectors);
    uint64_t dram_line = 0;
    const uint32_t channel = l2_channel(params, slice, line, &dram_line);
    slice->stats.n_written_back += n_sectors;
    if (partition->memory == NULL) {
        const uint64_t free_ps = wm_dram_write(partition->channels[channel],
                                               t_ps, dram_line, n_sectors);
        /* The slice waits while its channel is too far behind with writes. */
        if (!params->is_counts && free_ps > t_ps + params->write_behind_ps) {
            const uint64_t wait_ps = free_ps - params->write_behind_ps;
            slice->free_ps =
                slice->free_ps > wait_ps ? slice->free_ps : wait_ps;
        }
    } else if (sectors != 0 && !wm_memory_write(partition->memory, channel,
                                                dram_line, sectors, t_ps)) {
        partition->status = WM_ENOMEM;
    }
}

/* Makes the line present; false when the set has no room for now. */
bool wm_l2_allocate(const wm_params *params, wm_partition *partition,
                    wm_slice *slice, wm_ref *ref, uint64_t t_ps)
{
    wm_evicted evicted;
    if (!wm_cache_allocate(&slice->tags, ref, &evicted)) {
        return false;
    }
    if (evicted.is_line && evicted.dirty != 0) {
        slice->stats.n_cleaned += wm_popcount64(evicted.dirty);
        wm_l2_write_dram(params, partition, slice, evicted.line, evicted.dirty,
                         t_ps);
    }
    return true;
}

/* Widens missing sectors to aligned groups of l2.fetch. */
static uint32_t l2_promote(const wm_params *params, uint32_t miss)
{
    if (params->config.l2.fetch == 4) {
        return miss != 0 ? 15u : 0;
    }
    if (params->config.l2.fetch == 2) {
        return ((miss & 3) != 0 ? 3u : 0) | ((miss & 12) != 0 ? 12u : 0);
    }
    return miss;
}

/* A fill by a banked channel: when it is there is known later. */
static uint64_t l2_fill_banked(const wm_params *params, wm_partition *partition,
                               wm_slice *slice, wm_fill_order *order)
{
    order->slice = slice;
    order->mshr = &slice->misses[slice->miss_head];
    if (++slice->miss_head == params->config.l2.mshrs) {
        slice->miss_head = 0;
    }
    /* The miss `mshrs` back must be through; while nobody knows when, only the
     * fill waits and the slice goes on. */
    if (!wm_is_pending(*order->mshr) && order->t_ps < *order->mshr) {
        order->t_ps = *order->mshr;
        slice->free_ps =
            slice->free_ps > order->t_ps ? slice->free_ps : order->t_ps;
    }
    const uint64_t pending = wm_memory_read(partition->memory, order);
    if (pending == 0) {
        partition->status = WM_ENOMEM;
        return order->t_ps;
    }
    return pending;
}

/* Reads sectors of a line from DRAM; returns when they are in the L2.  index:
 * the line's place there, or WM_NO_INDEX; before: when what it waits for
 * already is there. */
static inline uint64_t l2_fill(const wm_params *params, wm_partition *partition,
                               wm_slice *slice, uint64_t line, uint32_t sectors,
                               uint64_t t_ps, uint32_t index, uint64_t before,
                               bool is_counts)
{
    const uint32_t n_sectors = wm_popcount64(sectors);
    uint64_t dram_line = 0;
    const uint32_t which = l2_channel(params, slice, line, &dram_line);
    slice->stats.n_fetched += n_sectors;
    if (!is_counts && partition->memory != NULL) {
        wm_fill_order order = {.line = dram_line,
                               .t_ps = t_ps,
                               .before = before,
                               .index = index,
                               .channel = which,
                               .sectors = sectors};
        return l2_fill_banked(params, partition, slice, &order);
    }
    wm_dram *channel = partition->channels[which];
    if (!is_counts) {
        /* The miss `mshrs` back must be through. */
        uint64_t *oldest = &slice->misses[slice->miss_head];
        if (++slice->miss_head == params->config.l2.mshrs) {
            slice->miss_head = 0;
        }
        if (t_ps < *oldest) {
            t_ps = *oldest;
            slice->free_ps = slice->free_ps > t_ps ? slice->free_ps : t_ps;
        }
        *oldest = wm_dram_read(channel, t_ps, dram_line, n_sectors);
        return *oldest;
    }
    return wm_dram_read(channel, 0, dram_line, n_sectors);
}

/*
 * Brings the needed sectors of the line in, counting hits, pending and misses
 * into `count`; returns when all are there.
 */
static inline uint64_t l2_need(const wm_params *params, wm_partition *partition,
                               wm_slice *slice, wm_ref *ref, uint64_t line,
                               uint32_t need, uint64_t t_ps, uint64_t *count,
                               bool is_counts)
{
    uint32_t state = 0;
    if (ref->way != WM_NO_INDEX) {
        state = is_counts ? *wm_cache_state(&slice->tags, ref)
                          : wm_cache_settle(&slice->tags, ref, t_ps);
        wm_cache_touch(&slice->tags, ref);
    }
    const uint32_t pending = is_counts ? 0 : need & (state >> 4);
    const uint32_t miss = need & ~state;
    uint64_t ready = t_ps;
    count[WM_L2_HIT_SECTORS] += wm_popcount64(need & ~miss & ~pending);
    count[WM_L2_MISS_SECTORS] += wm_popcount64(miss);
    if (pending != 0) {
        count[WM_L2_PENDING_SECTORS] += wm_popcount64(pending);
        ready = slice->tags.line[ref->index].ready;
    }
    if (miss == 0) {
        return ready;
    }
    if (ref->way == WM_NO_INDEX &&
        !wm_l2_allocate(params, partition, slice, ref, t_ps)) {
        return l2_fill(params, partition, slice, line, miss, t_ps, WM_NO_INDEX,
                       0, is_counts);
    }
    uint8_t *marks = wm_cache_marks(&slice->tags, ref);
    uint32_t fetch = l2_promote(params, miss) & ~(state & 15u);
    fetch &= ~(uint32_t)(*marks >> 4) | miss;
    const uint64_t before = !is_counts && (state >> 4) != 0
                                ? slice->tags.line[ref->index].ready
                                : 0;
    uint64_t filled = l2_fill(params, partition, slice, line, fetch, t_ps,
                              ref->index, before, is_counts);
    uint8_t *sectors = wm_cache_state(&slice->tags, ref);
    *marks &= (uint8_t) ~(fetch << 4);
    *sectors |= (uint8_t)fetch;
    if (!is_counts) {
        *sectors |= (uint8_t)(fetch << 4);
        uint64_t *way_ready = &slice->tags.line[ref->index].ready;
        if ((state >> 4) == 0 || *way_ready < filled) {
            *way_ready = filled;
        }
    }
    return filled > ready ? filled : ready;
}

static void l2_dirty(wm_slice *slice, const wm_ref *ref, uint32_t sectors)
{
    uint8_t *marks = wm_cache_marks(&slice->tags, ref);
    slice->stats.n_dirtied += wm_popcount64(sectors & ~(uint32_t)*marks);
    *marks |= (uint8_t)sectors;
}

/* Bytes of the line that its sector s spans, in bytes[*word]. */
static uint64_t l2_sector_bytes(const wm_params *params, uint32_t sector,
                                uint32_t *word)
{
    uint32_t first = sector * params->sector_bytes;
    *word = first / 64;
    return wm_low_mask(params->sector_bytes) << (first % 64);
}

/* Notes written bytes of a sector that is not valid; true when it is now. */
static bool l2_merge_bytes(const wm_params *params, wm_slice *slice,
                           uint8_t marks, uint32_t index, uint32_t sector,
                           const uint64_t *bytes)
{
    const uint32_t words = params->sector_bytes > 64 ? 2 : 1;
    bool is_whole = true;
    for (uint32_t i = 0; i < words; i++) {
        uint32_t word = 0;
        uint64_t span = l2_sector_bytes(params, sector, &word);
        word += i;
        uint64_t *kept = &slice->bytes[index][word];
        if ((marks >> (4 + sector) & 1) == 0) {
            *kept &= ~span;
        }
        *kept |= bytes[word] & span;
        is_whole = is_whole && (*kept & span) == span;
    }
    return is_whole;
}

static uint64_t l2_store(const wm_params *params, wm_partition *partition,
                         wm_slice *slice, const wm_request *request, wm_ref ref,
                         const uint64_t *bytes, uint64_t t_ps)
{
    uint64_t *count = slice->stats.l2[WM_L2_WRITE];
    const uint32_t sectors = request->sectors;
    const uint32_t n = wm_popcount64(sectors);
    uint32_t state = 0;
    if (ref.way != WM_NO_INDEX) {
        state = wm_cache_settle(&slice->tags, &ref, t_ps);
        wm_cache_touch(&slice->tags, &ref);
    }
    const uint32_t pending = sectors & (state >> 4);
    const uint32_t hit = sectors & state & ~(state >> 4);
    count[WM_L2_HIT_SECTORS] += wm_popcount64(hit);
    count[WM_L2_PENDING_SECTORS] += wm_popcount64(pending);
    count[WM_L2_MISS_SECTORS] += wm_popcount64(sectors & ~state);
    const bool is_through = params->config.l2.write == WM_L2_WRITE_THROUGH;
    if (ref.way == WM_NO_INDEX &&
        !wm_l2_allocate(params, partition, slice, &ref, t_ps)) {
        slice->stats.n_dirtied += n;
        slice->stats.n_cleaned += n;
        wm_l2_write_dram(params, partition, slice, request->line, sectors,
                         t_ps);
        return t_ps;
    }
    uint8_t *marks = wm_cache_marks(&slice->tags, &ref);
    uint8_t *present = wm_cache_state(&slice->tags, &ref);
    *marks &= (uint8_t) ~(request->full << 4);
    *present |= request->full;
    uint32_t open = sectors & ~(uint32_t)request->full & ~state;
    for (; open != 0 && !is_through; open &= open - 1) {
        uint32_t sector = wm_lowest_bit(open);
        const uint8_t partial = (uint8_t)(16u << sector);
        if (l2_merge_bytes(params, slice, *marks, ref.index, sector, bytes)) {
            *marks &= (uint8_t)~partial;
            *present |= (uint8_t)(1u << sector);
        } else {
            *marks |= partial;
        }
    }
    if (is_through) {
        slice->stats.n_dirtied += n;
        slice->stats.n_cleaned += n;
        wm_l2_write_dram(params, partition, slice, request->line, sectors,
                         t_ps);
    } else {
        l2_dirty(slice, &ref, sectors);
    }
    return t_ps;
}

static uint64_t l2_atomic(const wm_params *params, wm_partition *partition,
                          wm_slice *slice, const wm_request *request,
                          wm_ref ref, uint64_t t_ps)
{
    uint64_t ready =
        l2_need(params, partition, slice, &ref, request->line, request->sectors,
                t_ps, slice->stats.l2[WM_L2_ATOMIC], params->is_counts);
    const uint32_t n = wm_popcount64(request->sectors);
    if (ref.way == WM_NO_INDEX ||
        params->config.l2.write == WM_L2_WRITE_THROUGH) {
        slice->stats.n_dirtied += n;
        slice->stats.n_cleaned += n;
        wm_l2_write_dram(params, partition, slice, request->line,
                         request->sectors, wm_is_pending(ready) ? t_ps : ready);
    } else {
        l2_dirty(slice, &ref, request->sectors);
    }
    const uint64_t serial_ps = request->serial * params->atomic_ps;
    if (wm_is_pending(ready)) {
        partition->after_ps = serial_ps;
        return ready;
    }
    return ready + serial_ps;
}

/* Specialised by the caller's constant is_counts. */
static inline uint64_t l2_access(const wm_params *params,
                                 wm_partition *partition, wm_slice *slice,
                                 const wm_request *request, wm_ref *place,
                                 const uint64_t *bytes, uint64_t t_ps,
                                 bool is_counts)
{
    static const uint8_t family[] = {WM_L2_READ, WM_L2_WRITE, WM_L2_ATOMIC,
                                     WM_L2_ATOMIC};
    uint64_t *count = slice->stats.l2[family[request->op]];
    const uint32_t n = wm_popcount64(request->sectors);
    count[WM_L2_REQUESTS]++;
    count[WM_L2_SECTORS] += n;
    uint64_t busy = n * params->slice_sector_ps;
    if (request->op >= WM_OP_ATOMIC) {
        uint64_t serial = request->serial * params->atomic_ps;
        busy = busy > serial ? busy : serial;
    }
    slice->stats.busy_ps += busy;
    if (!is_counts) {
        t_ps = t_ps > slice->free_ps ? t_ps : slice->free_ps;
        slice->free_ps = t_ps + busy;
        partition->start_ps = t_ps;
        partition->after_ps = 0;
    }
    wm_cache_match(&slice->tags, place);
    if (request->op == WM_OP_READ) {
        return l2_need(params, partition, slice, place, request->line,
                       request->sectors, t_ps, count, is_counts);
    }
    if (request->op == WM_OP_WRITE) {
        return l2_store(params, partition, slice, request, *place, bytes, t_ps);
    }
    return l2_atomic(params, partition, slice, request, *place, t_ps);
}

/* --- two partitions ------------------------------------------------------- */
/*
 * Slices 2k and 2k + 1 of a partition are twins in different halves of the
 * chip.  A line has its home in one of them; an SM of the other half asks the
 * twin next to it first, which keeps what it has to get from the home.  Such a
 * copy lies under the home's line number with far_line set.  With banked
 * channels no copy is kept, because a copy would have to wait for a time not
 * yet known.
 */
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
                         uint32_t miss, uint64_t t_ps, bool is_counts)
{
    wm_slice *near = l2_twin(partition, home);
    wm_ref at_home = wm_cache_find(&home->tags, line);
    /* The home's port is taken now, not a hop from now: it serves others in
     * between. */
    const uint64_t asked =
        l2_take_port(params, home, wm_popcount64(miss), t_ps) + params->hop_ps;
    const uint64_t back =
        l2_need(params, partition, home, &at_home, line, miss, asked,
                near->stats.l2[WM_L2_READ], is_counts) +
        params->hop_ps;
    near->stats.n_crossed += wm_popcount64(miss);
    if (ref->way == WM_NO_INDEX &&
        !wm_l2_allocate(params, partition, near, ref, t_ps)) {
        return back;
    }
    uint8_t *sectors = wm_cache_state(&near->tags, ref);
    if (!is_counts) {
        uint64_t *ready = &near->tags.line[ref->index].ready;
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
                            uint64_t t_ps, bool is_counts)
{
    wm_slice *near = l2_twin(partition, home);
    uint64_t *count = near->stats.l2[WM_L2_READ];
    const uint32_t need = request->sectors;
    const uint64_t start =
        l2_take_port(params, near, wm_popcount64(need), t_ps);
    wm_ref ref = wm_cache_find(&near->tags, request->line | params->far_line);
    uint32_t state = 0;
    if (ref.way != WM_NO_INDEX) {
        state = is_counts ? *wm_cache_state(&near->tags, &ref)
                          : wm_cache_settle(&near->tags, &ref, start);
        wm_cache_touch(&near->tags, &ref);
    }
    const uint32_t pending = is_counts ? 0 : need & (state >> 4);
    const uint32_t miss = need & ~state;
    count[WM_L2_REQUESTS]++;
    count[WM_L2_SECTORS] += wm_popcount64(need);
    count[WM_L2_HIT_SECTORS] += wm_popcount64(need & ~miss & ~pending);
    count[WM_L2_PENDING_SECTORS] += wm_popcount64(pending);
    uint64_t ready = pending != 0 ? near->tags.line[ref.index].ready : start;
    if (miss != 0) {
        const uint64_t back = l2_cross(params, partition, home, &ref,
                                       request->line, miss, start, is_counts);
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

/* A request on a chip with two halves. */
static uint64_t l2_access_halves(const wm_params *params,
                                 wm_partition *partition, wm_slice *slice,
                                 const wm_request *request, wm_ref *place,
                                 const uint64_t *bytes, uint64_t t_ps)
{
    const bool is_counts = params->is_counts;
    const bool is_far = l2_is_far(params, slice, request);
    if (is_far && request->op == WM_OP_READ && partition->memory == NULL) {
        return l2_read_far(params, partition, slice, request, t_ps, is_counts);
    }
    if (request->op != WM_OP_READ) {
        l2_drop_copy(params, partition, slice, request->line);
    }
    const uint64_t hops_ps = is_far ? 2 * params->hop_ps : 0;
    uint64_t ready = l2_access(params, partition, slice, request, place, bytes,
                               t_ps, is_counts);
    if (wm_is_pending(ready)) {
        partition->after_ps += hops_ps;
        return ready;
    }
    return ready + hops_ps;
}

uint64_t wm_l2_access(const wm_params *params, wm_partition *partition,
                      wm_slice *slice, const wm_request *request, wm_ref *place,
                      const uint64_t *bytes, uint64_t t_ps)
{
    if (params->n_halves == 2) {
        return l2_access_halves(params, partition, slice, request, place, bytes,
                                t_ps);
    }
    return l2_access(params, partition, slice, request, place, bytes, t_ps,
                     false);
}

void wm_l2_count(const wm_params *params, wm_partition *partition,
                 wm_slice *slice, const wm_request *request, wm_ref *place,
                 const uint64_t *bytes)
{
    if (params->n_halves == 2) {
        (void)l2_access_halves(params, partition, slice, request, place, bytes,
                               0);
        return;
    }
    (void)l2_access(params, partition, slice, request, place, bytes, 0, true);
}
