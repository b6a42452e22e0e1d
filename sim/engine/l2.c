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
#include "base/inline.h"
#include "engine/engine_internal.h"

/* What the compiler knows of a request's way: functions that take it are
 * compiled for each of the callers' constants. */
typedef struct l2_how {
    bool is_counts; /* no times: nothing is ever pending */
    bool is_simple; /* one half, and nobody listens */
    wm_cache_kind cache;
} l2_how;

/* The channel, within the partition, that holds a slice's local line, and the
 * line number there. */
WM_INLINE uint32_t l2_channel(const wm_params *params, const wm_slice *slice,
                              uint64_t line, uint64_t *dram_line)
{
    uint64_t within = 0;
    const uint64_t per_chunk = params->chunk_div.d;
    const uint64_t chunk = wm_divide(&params->chunk_div, line, &within) *
                               params->slices_per_partition +
                           slice->local;
    uint64_t rank = chunk;
    if (params->channels_per_partition == 1) {
        *dram_line = rank * per_chunk + within;
        return 0;
    }
    const uint64_t channel =
        wm_spread_place(&params->channel_spread, chunk, &rank);
    *dram_line = rank * per_chunk + within;
    return (uint32_t)channel;
}

WM_INLINE void l2_write_dram(const wm_params *params, wm_partition *partition,
                             wm_slice *slice, uint64_t line, uint32_t sectors,
                             uint64_t t_ps, bool is_counts)
{
    const uint32_t n_sectors = wm_popcount64(sectors);
    uint64_t dram_line = 0;
    const uint32_t channel = l2_channel(params, slice, line, &dram_line);
    slice->stats.n_written_back += n_sectors;
    if (is_counts) {
        wm_dram_count_write(partition->channels[channel], dram_line, n_sectors);
    } else if (partition->memory == NULL) {
        const uint64_t free_ps = wm_dram_write(partition->channels[channel],
                                               t_ps, dram_line, n_sectors);
        /* The slice waits while its channel is too far behind with writes. */
        if (free_ps > t_ps + params->write_behind_ps) {
            const uint64_t wait_ps = free_ps - params->write_behind_ps;
            slice->free_ps =
                slice->free_ps > wait_ps ? slice->free_ps : wait_ps;
        }
    } else if (sectors != 0 && !wm_memory_write(partition->memory, channel,
                                                dram_line, sectors, t_ps)) {
        partition->status = WM_ENOMEM;
    }
}

void wm_l2_write_dram(const wm_params *params, wm_partition *partition,
                      wm_slice *slice, uint64_t line, uint32_t sectors,
                      uint64_t t_ps)
{
    l2_write_dram(params, partition, slice, line, sectors, t_ps,
                  params->is_counts);
}

/* Makes the line present; false when the set has no room for now. */
WM_INLINE bool l2_allocate(const wm_params *params, wm_partition *partition,
                           wm_slice *slice, wm_ref *ref, uint64_t t_ps,
                           l2_how how)
{
    wm_evicted evicted;
    if (!wm_cache_allocate_as(&slice->tags, ref, &evicted, how.cache)) {
        return false;
    }
    if (evicted.dirty != 0) {
        slice->stats.n_cleaned += wm_popcount64(evicted.dirty);
        l2_write_dram(params, partition, slice, evicted.line, evicted.dirty,
                      t_ps, how.is_counts);
    }
    return true;
}

bool wm_l2_allocate(const wm_params *params, wm_partition *partition,
                    wm_slice *slice, wm_ref *ref, uint64_t t_ps)
{
    const l2_how how = {params->is_counts, false, slice->tags.kind};
    return l2_allocate(params, partition, slice, ref, t_ps, how);
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
    order->mshr = slice->miss_head;
    if (++slice->miss_head == params->config.l2.mshrs) {
        slice->miss_head = 0;
    }
    /* The miss `mshrs` back must be through; while nobody knows when, only the
     * fill waits and the slice goes on. */
    const uint64_t oldest = slice->misses[order->mshr];
    if (!wm_is_pending(oldest) && order->t_ps < oldest) {
        order->t_ps = oldest;
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

/* Reads sectors of a line from DRAM; returns when they are in the L2.  ref:
 * the line's place there, way WM_NO_INDEX: none; before: when what it waits
 * for already is there. */
WM_INLINE uint64_t l2_fill(const wm_params *params, wm_partition *partition,
                           wm_slice *slice, const wm_ref *ref, uint64_t line,
                           uint32_t sectors, uint64_t t_ps, uint64_t before,
                           bool is_counts)
{
    const uint32_t n_sectors = wm_popcount64(sectors);
    uint64_t dram_line = 0;
    const uint32_t which = l2_channel(params, slice, line, &dram_line);
    slice->stats.n_fetched += n_sectors;
    if (is_counts) {
        wm_dram_count_read(partition->channels[which], dram_line, n_sectors);
        return 0;
    }
    if (partition->memory != NULL) {
        wm_fill_order order = {.line = dram_line,
                               .t_ps = t_ps,
                               .before = before,
                               .index = ref->way != WM_NO_INDEX
                                            ? wm_cache_index(&slice->tags, ref)
                                            : WM_NO_INDEX,
                               .channel = which,
                               .sectors = sectors};
        return l2_fill_banked(params, partition, slice, &order);
    }
    /* The miss `mshrs` back must be through. */
    uint64_t *oldest = &slice->misses[slice->miss_head];
    if (++slice->miss_head == params->config.l2.mshrs) {
        slice->miss_head = 0;
    }
    if (t_ps < *oldest) {
        t_ps = *oldest;
        slice->free_ps = slice->free_ps > t_ps ? slice->free_ps : t_ps;
    }
    *oldest =
        wm_dram_read(partition->channels[which], t_ps, dram_line, n_sectors);
    return *oldest;
}

/* Brings in sectors of a line that was not there, where there is room. */
WM_INLINE uint64_t l2_miss(const wm_params *params, wm_partition *partition,
                           wm_slice *slice, wm_ref *ref, uint64_t line,
                           uint32_t miss, uint64_t t_ps, l2_how how)
{
    if (!l2_allocate(params, partition, slice, ref, t_ps, how)) {
        return l2_fill(params, partition, slice, ref, line, miss, t_ps, 0,
                       how.is_counts);
    }
    const uint32_t fetch = l2_promote(params, miss);
    uint8_t *sectors = wm_cache_state_as(&slice->tags, ref, how.cache);
    *sectors = (uint8_t)(how.is_counts ? fetch : fetch << 4 | fetch);
    const uint64_t filled = l2_fill(params, partition, slice, ref, line, fetch,
                                    t_ps, 0, how.is_counts);
    if (!how.is_counts) {
        *wm_l2_ready(slice, ref) = filled;
    }
    return filled;
}

/*
 * Brings the needed sectors of the line in, counting hits, pending and misses
 * into `count`; returns when all are there.
 */
WM_INLINE uint64_t l2_need(const wm_params *params, wm_partition *partition,
                           wm_slice *slice, wm_ref *ref, uint64_t line,
                           uint32_t need, uint64_t t_ps, uint64_t *count,
                           l2_how how)
{
    uint32_t state = 0;
    if (ref->way != WM_NO_INDEX) {
        state = how.is_counts
                    ? *wm_cache_state_as(&slice->tags, ref, how.cache)
                    : wm_cache_settle_as(&slice->tags, ref, t_ps, how.cache);
        wm_cache_touch_as(&slice->tags, ref, how.cache);
    }
    const uint32_t pending = how.is_counts ? 0 : need & (state >> 4);
    const uint32_t miss = need & ~state;
    uint64_t ready = t_ps;
    count[WM_L2_HIT_SECTORS] += wm_popcount64(need & ~miss & ~pending);
    if (pending != 0) {
        count[WM_L2_PENDING_SECTORS] += wm_popcount64(pending);
        ready = *wm_l2_ready(slice, ref);
    }
    if (miss == 0) {
        return ready;
    }
    count[WM_L2_MISS_SECTORS] += wm_popcount64(miss);
    if (ref->way == WM_NO_INDEX) {
        return l2_miss(params, partition, slice, ref, line, miss, t_ps, how);
    }
    uint8_t *marks = wm_cache_marks_as(&slice->tags, ref, how.cache);
    uint32_t fetch = l2_promote(params, miss) & ~(state & 15u);
    fetch &= ~(uint32_t)(*marks >> 4) | miss;
    uint8_t *sectors = wm_cache_state_as(&slice->tags, ref, how.cache);
    *marks &= (uint8_t) ~(fetch << 4);
    *sectors |= (uint8_t)fetch;
    const uint64_t before =
        !how.is_counts && (state >> 4) != 0 ? *wm_l2_ready(slice, ref) : 0;
    uint64_t filled = l2_fill(params, partition, slice, ref, line, fetch, t_ps,
                              before, how.is_counts);
    if (!how.is_counts) {
        *sectors |= (uint8_t)(fetch << 4);
        uint64_t *way_ready = wm_l2_ready(slice, ref);
        if ((state >> 4) == 0 || *way_ready < filled) {
            *way_ready = filled;
        }
    }
    return filled > ready ? filled : ready;
}

WM_INLINE void l2_dirty(wm_slice *slice, const wm_ref *ref, uint32_t sectors,
                        l2_how how)
{
    uint8_t *marks = wm_cache_marks_as(&slice->tags, ref, how.cache);
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

/* Sectors that go on to DRAM at once. */
WM_INLINE void l2_pass_through(const wm_params *params, wm_partition *partition,
                               wm_slice *slice, const wm_request *request,
                               uint64_t t_ps, bool is_counts)
{
    const uint32_t n = wm_popcount64(request->sectors);
    slice->stats.n_dirtied += n;
    slice->stats.n_cleaned += n;
    l2_write_dram(params, partition, slice, request->line, request->sectors,
                  t_ps, is_counts);
}

WM_INLINE uint64_t l2_store(const wm_params *params, wm_partition *partition,
                            wm_slice *slice, const wm_request *request,
                            wm_ref ref, const uint64_t *bytes, uint64_t t_ps,
                            l2_how how)
{
    uint64_t *count = slice->stats.l2[WM_L2_WRITE];
    const uint32_t sectors = request->sectors;
    uint32_t state = 0;
    if (ref.way != WM_NO_INDEX) {
        state = how.is_counts
                    ? *wm_cache_state_as(&slice->tags, &ref, how.cache)
                    : wm_cache_settle_as(&slice->tags, &ref, t_ps, how.cache);
        wm_cache_touch_as(&slice->tags, &ref, how.cache);
    }
    const uint32_t pending = how.is_counts ? 0 : sectors & (state >> 4);
    const uint32_t hit = sectors & state & ~pending;
    count[WM_L2_HIT_SECTORS] += wm_popcount64(hit);
    count[WM_L2_PENDING_SECTORS] += wm_popcount64(pending);
    count[WM_L2_MISS_SECTORS] += wm_popcount64(sectors & ~state);
    const bool is_through = params->config.l2.write == WM_L2_WRITE_THROUGH;
    if (ref.way == WM_NO_INDEX &&
        !l2_allocate(params, partition, slice, &ref, t_ps, how)) {
        l2_pass_through(params, partition, slice, request, t_ps, how.is_counts);
        return t_ps;
    }
    uint8_t *marks = wm_cache_marks_as(&slice->tags, &ref, how.cache);
    uint8_t *present = wm_cache_state_as(&slice->tags, &ref, how.cache);
    *marks &= (uint8_t) ~(request->full << 4);
    *present |= request->full;
    uint32_t open = sectors & ~(uint32_t)request->full & ~state;
    for (; open != 0 && !is_through; open &= open - 1) {
        uint32_t sector = wm_lowest_bit(open);
        const uint8_t partial = (uint8_t)(16u << sector);
        if (l2_merge_bytes(params, slice, *marks,
                           wm_cache_index(&slice->tags, &ref), sector, bytes)) {
            *marks &= (uint8_t)~partial;
            *present |= (uint8_t)(1u << sector);
        } else {
            *marks |= partial;
        }
    }
    if (is_through) {
        l2_pass_through(params, partition, slice, request, t_ps, how.is_counts);
    } else {
        l2_dirty(slice, &ref, sectors, how);
    }
    return t_ps;
}

WM_INLINE uint64_t l2_atomic(const wm_params *params, wm_partition *partition,
                             wm_slice *slice, const wm_request *request,
                             wm_ref ref, uint64_t t_ps, l2_how how)
{
    uint64_t ready =
        l2_need(params, partition, slice, &ref, request->line, request->sectors,
                t_ps, slice->stats.l2[WM_L2_ATOMIC], how);
    if (ref.way == WM_NO_INDEX ||
        params->config.l2.write == WM_L2_WRITE_THROUGH) {
        l2_pass_through(params, partition, slice, request,
                        wm_is_pending(ready) ? t_ps : ready, how.is_counts);
    } else {
        l2_dirty(slice, &ref, request->sectors, how);
    }
    const uint64_t serial_ps = request->serial * params->atomic_ps;
    if (wm_is_pending(ready)) {
        partition->after_ps = serial_ps;
        return ready;
    }
    return ready + serial_ps;
}

/* Counts a request of some family and takes the slice's port; returns when
 * it has it. */
WM_INLINE uint64_t l2_enter(const wm_params *params, wm_partition *partition,
                            wm_slice *slice, uint32_t family, uint32_t sectors,
                            uint64_t least_ps, uint64_t t_ps, l2_how how)
{
    uint64_t *count = slice->stats.l2[family];
    const uint32_t n = wm_popcount64(sectors);
    uint64_t busy = n * params->slice_sector_ps;
    busy = busy > least_ps ? busy : least_ps;
    count[WM_L2_REQUESTS]++;
    count[WM_L2_SECTORS] += n;
    slice->stats.busy_ps += busy;
    if (!how.is_counts) {
        t_ps = t_ps > slice->free_ps ? t_ps : slice->free_ps;
        slice->free_ps = t_ps + busy;
        partition->start_ps = t_ps;
        partition->after_ps = 0;
    }
    return t_ps;
}

WM_INLINE uint64_t l2_access(const wm_params *params, wm_partition *partition,
                             wm_slice *slice, const wm_request *request,
                             wm_ref *place, uint8_t op, const uint64_t *bytes,
                             uint64_t t_ps, l2_how how)
{
    wm_cache_match_as(&slice->tags, place, how.cache);
    if (op == WM_OP_READ) {
        t_ps = l2_enter(params, partition, slice, WM_L2_READ, request->sectors,
                        0, t_ps, how);
        return l2_need(params, partition, slice, place, request->line,
                       request->sectors, t_ps, slice->stats.l2[WM_L2_READ],
                       how);
    }
    if (op == WM_OP_WRITE) {
        t_ps = l2_enter(params, partition, slice, WM_L2_WRITE, request->sectors,
                        0, t_ps, how);
        return l2_store(params, partition, slice, request, *place, bytes, t_ps,
                        how);
    }
    t_ps = l2_enter(params, partition, slice, WM_L2_ATOMIC, request->sectors,
                    request->serial * params->atomic_ps, t_ps, how);
    return l2_atomic(params, partition, slice, request, *place, t_ps, how);
}

uint64_t wm_l2_need(const wm_params *params, wm_partition *partition,
                    wm_slice *slice, wm_ref *ref, uint64_t line, uint32_t need,
                    uint64_t t_ps, uint64_t *count)
{
    const l2_how how = {params->is_counts, false, slice->tags.kind};
    return l2_need(params, partition, slice, ref, line, need, t_ps, count, how);
}

/* What nearly every L2 is in timing mode.  Apart from one another, so that each
 * has the host's registers to itself. */
#define SMALL_L2 ((l2_how){false, false, {true, false, true}})

uint64_t wm_l2_read(const wm_params *params, wm_partition *partition,
                    wm_slice *slice, const wm_request *request, wm_ref *place,
                    uint64_t t_ps)
{
    return l2_access(params, partition, slice, request, place, WM_OP_READ, NULL,
                     t_ps, SMALL_L2);
}

WM_APART uint64_t l2_time_other(const wm_params *params,
                                wm_partition *partition, wm_slice *slice,
                                const wm_request *request, wm_ref *place,
                                const uint64_t *bytes, uint64_t t_ps)
{
    return l2_access(params, partition, slice, request, place,
                     request->op == WM_OP_WRITE ? WM_OP_WRITE : WM_OP_ATOMIC,
                     bytes, t_ps, SMALL_L2);
}

/* Whatever the configuration. */
WM_APART uint64_t l2_any(const wm_params *params, wm_partition *partition,
                         wm_slice *slice, const wm_request *request,
                         wm_ref *place, const uint64_t *bytes, uint64_t t_ps)
{
    const l2_how how = {params->is_counts, false, slice->tags.kind};
    return l2_access(params, partition, slice, request, place, request->op,
                     bytes, t_ps, how);
}

uint64_t wm_l2_at_home(const wm_params *params, wm_partition *partition,
                       wm_slice *slice, const wm_request *request,
                       wm_ref *place, const uint64_t *bytes, uint64_t t_ps)
{
    if (params->is_counts || !slice->tags.kind.is_small) {
        return l2_any(params, partition, slice, request, place, bytes, t_ps);
    }
    if (request->op == WM_OP_READ) {
        return wm_l2_read(params, partition, slice, request, place, t_ps);
    }
    return l2_time_other(params, partition, slice, request, place, bytes, t_ps);
}

uint64_t wm_l2_access(const wm_params *params, wm_partition *partition,
                      wm_slice *slice, const wm_request *request, wm_ref *place,
                      const uint64_t *bytes, uint64_t t_ps)
{
    if (params->n_halves == 2) {
        return wm_l2_access_halves(params, partition, slice, request, place,
                                   bytes, t_ps);
    }
    return wm_l2_at_home(params, partition, slice, request, place, bytes, t_ps);
}

/* --- counts mode ---------------------------------------------------------- */
static void l2_observe(const wm_params *params, const wm_request *request,
                       uint32_t slice)
{
    const wm_observation observation = {.level = 2,
                                        .what = request->op == WM_OP_WRITE
                                                    ? WM_OBSERVED_WRITE
                                                    : WM_OBSERVED_READ,
                                        .sectors = request->sectors,
                                        .full = request->full,
                                        .unit = slice,
                                        .line = request->line};
    params->observe(&observation, params->observe_context);
}

/* One request of some kind, `op` and `how` being constants. */
WM_INLINE void l2_count_op(const wm_params *params, wm_slice *slice,
                           const wm_sm *sm, const wm_demand *demand, uint8_t op,
                           const uint64_t *bytes, l2_how how)
{
    const size_t set_bytes =
        how.cache.is_small ? WM_SMALL_BYTES : slice->tags.block_bytes;
    wm_ref place = {.set = (size_t)(demand->block - slice->tags.blocks) /
                           set_bytes,
                    .tag = demand->tag,
                    .block = demand->block,
                    .way = WM_NO_INDEX};
    const wm_request request = {.line = demand->line,
                                .sm = (uint16_t)sm->id,
                                .op = op,
                                .sectors = demand->sectors,
                                .full = demand->full,
                                .serial = demand->serial};
    if (how.is_simple) {
        (void)l2_access(params, slice->partition, slice, &request, &place, op,
                        bytes, 0, how);
        return;
    }
    if (params->observe != NULL) {
        l2_observe(params, &request, demand->slice);
    }
    (void)wm_l2_access(params, slice->partition, slice, &request, &place, bytes,
                       0);
}

/* What nearly every run is: one half, nobody listens, small sets. */
#define SIMPLE ((l2_how){true, true, {true, false, true}})

/* Apart from one another, so that each has the host's registers to itself. */
WM_APART void l2_count_read(const wm_params *params, wm_slice *slice,
                            const wm_sm *sm, const wm_demand *demand)
{
    l2_count_op(params, slice, sm, demand, WM_OP_READ, NULL, SIMPLE);
}

WM_APART void l2_count_write(const wm_params *params, wm_slice *slice,
                             const wm_sm *sm, const wm_demand *demand,
                             const uint64_t *bytes)
{
    l2_count_op(params, slice, sm, demand, WM_OP_WRITE, bytes, SIMPLE);
}

WM_APART void l2_count_atomic(const wm_params *params, wm_slice *slice,
                              const wm_sm *sm, const wm_demand *demand)
{
    l2_count_op(params, slice, sm, demand, WM_OP_ATOMIC, NULL, SIMPLE);
}

/* One request, whatever the configuration. */
static void l2_count_any(const wm_params *params, wm_slice *slice,
                         const wm_sm *sm, const wm_demand *demand,
                         const uint64_t *bytes)
{
    const l2_how how = {true, false, slice->tags.kind};
    l2_count_op(params, slice, sm, demand, demand->op, bytes, how);
}

/* Specialised by the callers' constants: whether requests are chosen, and
 * whether the run is simple. */
WM_INLINE void l2_count(wm_engine *engine, const wm_sm *sm,
                        const uint16_t *chosen, uint32_t n, bool is_simple)
{
    const wm_params *params = &engine->params;
    for (uint32_t i = 0; i < n; i++) {
        const wm_demand *demand = &sm->demands[chosen != NULL ? chosen[i] : i];
        wm_slice *slice = &engine->slices[demand->slice];
        const uint64_t *bytes = demand->payload != WM_NO_PAYLOAD
                                    ? sm->payload[demand->payload]
                                    : NULL;
        if (i + WM_AHEAD < n) {
            const wm_demand *later = chosen != NULL
                                         ? &sm->demands[chosen[i + WM_AHEAD]]
                                         : demand + WM_AHEAD;
            wm_cache_prefetch(later->block);
        }
        if (!is_simple) {
            l2_count_any(params, slice, sm, demand, bytes);
        } else if (demand->op == WM_OP_READ) {
            l2_count_read(params, slice, sm, demand);
        } else if (demand->op == WM_OP_WRITE) {
            l2_count_write(params, slice, sm, demand, bytes);
        } else {
            l2_count_atomic(params, slice, sm, demand);
        }
    }
}

void wm_l2_count(wm_engine *engine, const wm_sm *sm, const uint16_t *chosen,
                 uint32_t n)
{
    const wm_params *params = &engine->params;
    const bool is_simple = params->observe == NULL && params->n_halves == 1 &&
                           engine->slices[0].tags.kind.is_small;
    if (!is_simple) {
        l2_count(engine, sm, chosen, n, false);
    } else if (chosen != NULL) {
        l2_count(engine, sm, chosen, n, true);
    } else {
        l2_count(engine, sm, NULL, n, true);
    }
}
