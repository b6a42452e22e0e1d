/*
 * build.c -- from a configuration to the constants of a run, and the memory
 * of SMs and partitions.
 */
#include "engine/engine_internal.h"

#include <stdlib.h>
#include <string.h>

/* --- clock ---------------------------------------------------------------- */
wm_clock wm_clock_of(uint64_t hz)
{
    wm_clock clock;
    clock.hz = hz;
    clock.ps_per_cycle_q32 =
        wm_mul_div(UINT64_C(1000000000000), UINT64_C(1) << 32, hz);
    clock.cycles_per_ps_q64 =
        wm_mul_div(UINT64_C(1) << 63, 2 * hz, UINT64_C(1000000000000));
    return clock;
}

/* --- constants ------------------------------------------------------------ */
static uint64_t build_gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Port time of n bytes at `rate` thousandths of a byte per cycle, in 1/256
 * cycles, rounded to nearest, at least 1. */
static uint32_t build_cost_q8(uint64_t bytes, uint64_t rate)
{
    uint64_t cost = (bytes * 1000 * 256 + rate / 2) / rate;
    return cost != 0 ? (uint32_t)cost : 1;
}

static wm_status build_policy(const char *key, const char *name,
                              const wm_policy **out, wm_error *err)
{
    *out = wm_policy_find(name);
    if (*out != NULL) {
        return WM_OK;
    }
    char known[128] = "";
    size_t used = 0;
    for (size_t i = 0; wm_policies[i] != NULL; i++) {
        const char *word = wm_policies[i]->name;
        size_t length = strlen(word);
        if (used + length + 3 < sizeof(known)) {
            memcpy(known + used, i != 0 ? ", " : "", i != 0 ? 2 : 0);
            used += i != 0 ? 2 : 0;
            memcpy(known + used, word, length + 1);
            used += length;
        }
    }
    return wm_fail(err, WM_ECONFIG, "%s: unknown policy %s, wanted one of: %s",
                   key, name, known);
}

static void build_partitions(wm_params *params)
{
    const wm_config *config = &params->config;
    params->n_sms = (uint32_t)config->sm.count;
    params->n_slices = (uint32_t)config->l2.slices;
    params->n_channels = (uint32_t)config->dram.channels;
    params->n_partitions =
        (uint32_t)build_gcd(params->n_slices, params->n_channels);
    params->n_halves = (uint32_t)config->l2.partitions;
    if (params->n_halves == 2 &&
        params->n_slices / params->n_partitions % 2 != 0) {
        params->n_partitions /= 2; /* slices come in pairs */
    }
    params->slices_per_partition = params->n_slices / params->n_partitions;
    params->channels_per_partition = params->n_channels / params->n_partitions;
    /* A slice numbers its share of 2^64 bytes, rounded up to whole chunks. */
    params->far_line = UINT64_C(1) << (64 - wm_highest_bit(config->l2.line) -
                                       (params->n_slices >= 4 ? 1 : 0));
    params->slice_div = wm_divisor_of(params->slices_per_partition);
    params->slice_spread =
        wm_spread_of(params->n_slices, config->l2.hash != WM_HASH_NONE);
    params->channel_spread = wm_spread_of(params->channels_per_partition,
                                          config->l2.hash != WM_HASH_NONE);
    params->chunk_div = wm_divisor_of(config->l2.interleave / config->l2.line);
    params->is_power_route = params->slice_div.reciprocal == 0 &&
                             params->slice_spread.n.reciprocal == 0 &&
                             params->chunk_div.reciprocal == 0;
}

static void build_times(wm_params *params, uint32_t window_limit)
{
    const wm_config *config = &params->config;
    params->clock = wm_clock_of(config->sm.clock);
    params->request_latency_ps =
        wm_clock_ps(&params->clock, config->fabric.request_latency);
    params->response_latency_ps =
        wm_clock_ps(&params->clock, config->fabric.response_latency);
    params->slice_latency_ps = wm_clock_ps(&params->clock, config->l2.latency) -
                               params->request_latency_ps -
                               params->response_latency_ps;
    params->tlb_ps = config->tlb.reach != 0
                         ? wm_clock_ps(&params->clock, config->tlb.latency)
                         : 0;
    params->page_shift = wm_highest_bit(config->tlb.page);
    params->hop_ps = wm_clock_ps(&params->clock, config->l2.far_latency) / 2;
    params->write_behind_ps = wm_mul_div(
        config->l2.sector * config->dram.channels * config->dram.write_behind,
        UINT64_C(1000000000000), config->dram.bandwidth);
    params->atomic_ps = wm_clock_ps(&params->clock, config->l2.atomic_cycles);
    params->slice_sector_ps =
        wm_mul_div(config->l2.sector * 1000, UINT64_C(1000000000000),
                   config->sm.clock) /
        config->l2.bandwidth;
    params->request_cost_q8 =
        build_cost_q8(config->l1.sector, config->fabric.request_bandwidth);
    params->store_cost_q8 = params->request_cost_q8;
    params->reply_cost_q8 =
        build_cost_q8(config->l1.sector, config->fabric.sm_bandwidth);
    uint64_t window = config->l2.latency;
    if (window > config->kernel.cta_latency) {
        window = config->kernel.cta_latency;
    }
    if (window > WM_WINDOW_MAX) {
        window = WM_WINDOW_MAX;
    }
    if (window_limit != 0 && window > window_limit) {
        window = window_limit;
    }
    params->window = params->is_counts ? 256 : (uint32_t)window;
    params->window_div = wm_divisor_of(params->window);
    params->windows_q37 = (UINT64_C(1) << 37) / params->window + 1;
}

wm_status wm_params_init(wm_params *params, const wm_config *config,
                         const wm_engine_options *options, wm_error *err)
{
    memset(params, 0, sizeof(*params));
    params->config = *config;
    params->is_counts = options->mode == WM_MODE_COUNTS;
    params->per_instruction = options->per_instruction;
    if (options->mode == WM_MODE_COUNTS) {
        params->observe = options->observe;
        params->observe_context = options->observe_context;
    }
    params->is_l1_on = config->l1.enabled != 0;
    wm_status status =
        build_policy("l1.policy", config->l1.policy, &params->l1_policy, err);
    if (status == WM_OK) {
        status = build_policy("l2.policy", config->l2.policy,
                              &params->l2_policy, err);
    }
    if (status == WM_OK) {
        status = wm_coalescer_init(
            &params->coalescer, config->l1.line, config->l1.sector,
            (uint32_t)config->coalescer.mode, config->coalescer.segment,
            (uint32_t)config->coalescer.split, (uint32_t)config->l1.tag_banks,
            err);
    }
    if (status != WM_OK) {
        return status;
    }
    params->store_coalescer = params->coalescer;
    if (config->coalescer.store_split != 0) {
        params->store_coalescer.split = (uint32_t)config->coalescer.store_split;
    }
    /* The L1's data array: 32 banks of 4 bytes (docs/MODEL.md). */
    params->l1_banks = (wm_banks){32, 4};
    params->has_quads = config->l1.lookup == WM_L1_LOOKUP_QUADS;
    params->l1_quads =
        (wm_quads){(uint32_t)config->l1.tag_banks, (uint32_t)config->l1.sector};
    params->shared_banks = (wm_banks){(uint32_t)config->shared.banks,
                                      (uint32_t)config->shared.bank_width};
    build_partitions(params);
    build_times(params, options->window_limit);
    params->lanes_div = wm_divisor_of(config->sm.lsu_lanes);
    params->tag_shift = wm_highest_bit(config->l1.tag_banks);
    params->sector_bytes = (uint32_t)config->l1.sector;
    params->l1_sets = config->l1.sets;
    params->warp_size = 32;
    params->plain_cost =
        (uint32_t)((31 + config->sm.lsu_lanes) / config->sm.lsu_lanes);
    params->has_plain_shared = config->shared.banks == 32 &&
                               config->shared.bank_width == 4 &&
                               !params->per_instruction;
    params->has_plain = config->coalescer.mode == WM_COALESCE_SECTOR &&
                        config->coalescer.split == 0 &&
                        config->coalescer.store_split == 0 &&
                        config->l1.line == 128 && config->l1.sector == 32 &&
                        !params->has_quads && !options->per_instruction;
    /* What one window can send at most, twice over. */
    uint64_t per_cycle = 256 / params->request_cost_q8 + 1;
    uint64_t room = (params->window + WM_PORT_DEPTH) * per_cycle * 2;
    if (params->is_counts) {
        room = WM_COUNTS_BOX;
    }
    room = room < 1024 ? 1024 : room;
    room = room > 32768 ? 32768 : room;
    params->fifo_mask = (1u << (wm_highest_bit(room - 1) + 1)) - 1;
    return WM_OK;
}

/* --- memory --------------------------------------------------------------- */
static void build_lists(const wm_params *params, wm_sm *sm, wm_arena *arena)
{
    /* Counts mode has nothing in flight. */
    const uint32_t n_mshrs =
        params->is_counts ? 1 : (uint32_t)params->config.l1.mshrs;
    const uint32_t n_waiters = params->is_counts ? 1 : 4 * n_mshrs + 64;
    const uint32_t depth = (uint32_t)params->config.sm.lsu_queue;
    sm->release_mask = (2u << wm_highest_bit(n_mshrs)) - 1;
    const size_t room = (size_t)params->fifo_mask + 1;
    sm->mshrs = wm_arena_take(arena, n_mshrs, sizeof(*sm->mshrs));
    sm->waiters = wm_arena_take(arena, n_waiters, sizeof(*sm->waiters));
    sm->releases = wm_arena_take(arena, (size_t)sm->release_mask + 1,
                                 sizeof(*sm->releases));
    sm->queue = wm_arena_take(arena, (size_t)depth + 1, sizeof(*sm->queue));
    sm->starts = wm_arena_take(arena, depth, sizeof(*sm->starts));
    sm->fifo =
        wm_arena_take(arena, params->is_counts ? 0 : room, sizeof(*sm->fifo));
    sm->payload = wm_arena_take(arena, room, sizeof(*sm->payload));
    sm->finished = wm_arena_take(arena, WM_WARPS_MAX, sizeof(*sm->finished));
    sm->warps = wm_arena_take(arena, WM_WARPS_MAX, sizeof(*sm->warps));
    if (arena->base == NULL) {
        return;
    }
    for (uint32_t i = 0; i < n_mshrs; i++) {
        sm->mshrs[i] = (wm_mshr){.next = (i + 1) & WM_NO_MSHR};
    }
    for (uint32_t i = 0; i < n_waiters; i++) {
        sm->waiters[i].next = i + 1;
    }
    sm->n_waiters = sm->n_waiters_free = n_waiters;
}

static wm_status build_sm(const wm_params *params, wm_sm *sm, uint32_t id,
                          wm_arena *arena, wm_error *err)
{
    sm->id = id;
    for (uint32_t warp = 0; warp < WM_WARPS_MAX; warp++) {
        sm->ports.of_warp[warp] =
            (uint8_t)(warp % params->config.sm.schedulers);
    }
    /* sm.max_warps limits how many CTAs fit (dispatch.c), not one CTA. */
    sm->free_warps = wm_low_mask(WM_WARPS_MAX);
    sm->next_event = UINT64_MAX;
    const wm_config *config = &params->config;
    wm_cache_geometry geometry = {.n_sets = params->l1_sets,
                                  .ways = (uint32_t)config->l1.ways,
                                  .is_hashed = config->l1.hash == WM_HASH_XOR,
                                  .is_locking = !params->is_counts,
                                  .policy = params->l1_policy,
                                  .seed = id};
    build_lists(params, sm, arena);
    const wm_status status = wm_cache_init(&sm->l1, &geometry, arena, err);
    if (status != WM_OK) {
        return status;
    }
    /* wm_mshr.state counts bytes in 32 bits. */
    const uint64_t sets_max = UINT32_MAX / sm->l1.block_bytes;
    if (sm->l1.n_sets > sets_max) {
        return wm_fail(err, WM_ECONFIG,
                       "l1.size: found %llu sets, wanted at most %llu, whose "
                       "tags take 4 GiB",
                       (unsigned long long)sm->l1.n_sets,
                       (unsigned long long)sets_max);
    }
    return WM_OK;
}

static wm_dram_params build_dram(const wm_params *params)
{
    const wm_config *config = &params->config;
    wm_dram_params dram;
    /* sector / (bandwidth / channels), in femtoseconds */
    dram.sector_time_fs =
        wm_mul_div(config->l2.sector * config->dram.channels,
                   UINT64_C(1000000000000000), config->dram.bandwidth);
    dram.write_time_fs = dram.sector_time_fs * 1000 / config->dram.write_share;
    dram.sector_time_fs = dram.sector_time_fs * 1000 / config->dram.read_share;
    dram.row_window = (uint32_t)config->dram.row_window;
    dram.latency_ps = config->dram.latency;
    dram.row_miss_ps = config->dram.row_miss;
    dram.bank_cycle_ps = config->dram.bank_cycle;
    dram.activate_interval_ps = config->dram.activate_interval;
    dram.turnaround_ps = config->dram.turnaround;
    dram.write_batch = (uint32_t)config->dram.write_batch;
    dram.n_banks = (uint32_t)config->dram.banks;
    dram.lines_per_row = config->dram.row > config->l2.line
                             ? (uint32_t)(config->dram.row / config->l2.line)
                             : 1;
    return dram;
}

static wm_status build_slice(const wm_params *params, wm_slice *slice,
                             uint32_t local, uint32_t id, wm_arena *arena,
                             wm_error *err)
{
    const wm_config *config = &params->config;
    wm_cache_geometry geometry = {
        .n_sets = config->l2.sets,
        .ways = (uint32_t)config->l2.ways,
        .is_hashed = config->l2.hash == WM_HASH_XOR,
        .is_drawn = config->l2.hash == WM_HASH_DRAWN,
        .group_shift = wm_highest_bit(config->l2.interleave / config->l2.line),
        .has_marks = true,
        .policy = params->l2_policy,
        .seed = UINT64_C(0x10000) + id};
    slice->local = local;
    slice->bytes = wm_arena_take(arena, config->l2.sets * config->l2.ways,
                                 sizeof(*slice->bytes));
    slice->misses =
        wm_arena_take(arena, config->l2.mshrs, sizeof(*slice->misses));
    return wm_cache_init(&slice->tags, &geometry, arena, err);
}

/* Pages within reach, in sets of 16. */
static wm_status build_tlb(const wm_params *params, wm_partition *partition,
                           wm_arena *arena, wm_error *err)
{
    const wm_config *config = &params->config;
    const uint64_t n_pages =
        (config->tlb.reach + config->tlb.page - 1) / config->tlb.page;
    const uint32_t ways = n_pages < 16 ? (uint32_t)n_pages : 16;
    wm_cache_geometry geometry = {.n_sets = (n_pages + ways - 1) / ways,
                                  .ways = ways,
                                  .is_hashed = true,
                                  .policy = wm_policy_find("lru")};
    partition->last_page = UINT64_MAX;
    return wm_cache_init(&partition->tlb, &geometry, arena, err);
}

/* All of a partition but what the arena holds. */
static wm_status build_partition(const wm_params *params,
                                 wm_partition *partition, wm_slice *slices,
                                 wm_error *err)
{
    wm_dram_params dram = build_dram(params);
    wm_status status = WM_OK;
    partition->slices = slices;
    for (uint32_t s = 0; s < params->slices_per_partition; s++) {
        slices[s].partition = partition;
    }
    partition->channels =
        calloc(params->channels_per_partition, sizeof(*partition->channels));
    if (partition->channels == NULL) {
        return wm_fail_memory(err);
    }
    for (uint32_t c = 0; c < params->channels_per_partition && status == WM_OK;
         c++) {
        status = wm_dram_new(&dram, &partition->channels[c], err);
    }
    if (status == WM_OK && params->memory != NULL && !params->is_counts) {
        status = wm_memory_new(params->memory, &params->config, slices,
                               params->channels_per_partition,
                               &partition->memory, err);
    }
    return status;
}

static wm_status build_threads(wm_engine *engine, wm_error *err)
{
    const wm_params *params = &engine->params;
    wm_status status = wm_pool_new(engine->options.jobs, &engine->pool, err);
    if (status != WM_OK) {
        return status;
    }
    engine->n_shares = wm_pool_shares(engine->pool);
    engine->scratch = calloc(engine->n_shares, sizeof(*engine->scratch));
    for (uint32_t t = 0; engine->scratch != NULL && t < engine->n_shares; t++) {
        wm_scratch *scratch = &engine->scratch[t];
        scratch->to_partition =
            calloc(params->n_partitions, sizeof(*scratch->to_partition));
        scratch->to_sm = calloc(params->n_sms, sizeof(*scratch->to_sm));
        if (scratch->to_partition == NULL || scratch->to_sm == NULL) {
            return wm_fail_memory(err);
        }
    }
    return engine->scratch != NULL ? WM_OK : wm_fail_memory(err);
}

/* Loads what banked channels share, once. */
static wm_status build_memory(wm_engine *engine, wm_error *err)
{
    if (engine->params.config.dram.model != WM_DRAM_BANKED ||
        engine->memory != NULL) {
        return WM_OK;
    }
    engine->memory = calloc(1, sizeof(*engine->memory));
    if (engine->memory == NULL) {
        return wm_fail_memory(err);
    }
    engine->params.memory = engine->memory;
    return wm_memory_model_init(engine->memory, &engine->params.config, err);
}

/* Counts mode: one thread serves a turn's requests before the next turn, so
 * that all SMs can do with one array, which stays in the host's cache. */
static void build_demands(wm_engine *engine)
{
    const uint32_t n_sms = engine->params.n_sms;
    const bool is_shared = engine->n_shares == 1;
    wm_demand *demands =
        wm_arena_take(&engine->arena, WM_COUNTS_BOX * (is_shared ? 1u : n_sms),
                      sizeof(*demands));
    for (uint32_t s = 0; demands != NULL && s < n_sms; s++) {
        engine->sms[s].demands = demands + (is_shared ? 0 : s * WM_COUNTS_BOX);
    }
}

/* What SMs and slices take from the arena. */
static wm_status build_units(wm_engine *engine, wm_error *err)
{
    const wm_params *params = &engine->params;
    const uint32_t n = params->slices_per_partition;
    wm_status status = WM_OK;
    if (params->is_counts) {
        build_demands(engine);
    }
    for (uint32_t s = 0; s < params->n_sms && status == WM_OK; s++) {
        status = build_sm(params, &engine->sms[s], s, &engine->arena, err);
    }
    for (uint32_t s = 0; s < params->n_slices && status == WM_OK; s++) {
        status = build_slice(params, &engine->slices[s], s % n, s,
                             &engine->arena, err);
    }
    for (uint32_t p = 0;
         params->tlb_ps != 0 && p < params->n_partitions && status == WM_OK;
         p++) {
        status = build_tlb(params, &engine->partitions[p], &engine->arena, err);
    }
    return status;
}

/* The units themselves. */
static void build_arrays(wm_engine *engine)
{
    const wm_params *params = &engine->params;
    engine->sms =
        wm_arena_take(&engine->units, params->n_sms, sizeof(*engine->sms));
    engine->partitions = wm_arena_take(&engine->units, params->n_partitions,
                                       sizeof(*engine->partitions));
    engine->slices = wm_arena_take(&engine->units, params->n_slices,
                                   sizeof(*engine->slices));
}

wm_status wm_build(wm_engine *engine, wm_error *err)
{
    const wm_params *params = &engine->params;
    wm_status status = build_threads(engine, err);
    if (status == WM_OK) {
        status = build_memory(engine, err);
    }
    if (status == WM_OK) {
        build_arrays(engine); /* adds up */
        status = wm_arena_open(&engine->units, err);
    }
    if (status == WM_OK) {
        build_arrays(engine);
    }
    if (status == WM_OK && engine->scratch == NULL) {
        status = wm_fail_memory(err);
    }
    for (uint32_t p = 0; p < params->n_partitions && status == WM_OK; p++) {
        status = build_partition(
            params, &engine->partitions[p],
            engine->slices + (size_t)p * params->slices_per_partition, err);
    }
    if (status == WM_OK) {
        status = build_units(engine, err); /* adds up */
    }
    if (status == WM_OK) {
        status = wm_arena_open(&engine->arena, err);
    }
    if (status == WM_OK) {
        status = build_units(engine, err);
    }
    if (status == WM_OK && params->n_slices > 1) {
        engine->slice_distance = (size_t)(engine->slices[1].tags.blocks -
                                          engine->slices[0].tags.blocks);
    }
    if (status == WM_OK && params->per_instruction) {
        engine->n_row_sets = wm_pool_shares(engine->pool);
        engine->rows = calloc(engine->n_row_sets, sizeof(*engine->rows));
        engine->cap_rows =
            calloc(engine->n_row_sets, sizeof(*engine->cap_rows));
        if (engine->rows == NULL || engine->cap_rows == NULL) {
            status = wm_fail_memory(err);
        }
    }
    return status;
}

static void unbuild_partition(const wm_params *params, wm_partition *partition)
{
    for (uint32_t c = 0;
         partition->channels != NULL && c < params->channels_per_partition;
         c++) {
        wm_dram_free(partition->channels[c]);
    }
    for (uint32_t k = 0; k < WM_CALENDAR; k++) {
        free(partition->windows.box[k].reply);
        free(partition->blocks.box[k].reply);
    }
    for (uint32_t k = 0; k < partition->n_spare; k++) {
        free(partition->spare[k].reply);
    }
    wm_memory_free(partition->memory);
    free(partition->far.reply);
    free(partition->channels);
}

bool wm_scratch_grow(wm_scratch *scratch, size_t n)
{
    if (!wm_grow(&scratch->reply, &scratch->cap_reply, n,
                 sizeof(*scratch->reply)) ||
        !wm_grow(&scratch->request, &scratch->cap_request, n,
                 sizeof(*scratch->request)) ||
        !wm_grow(&scratch->place, &scratch->cap_place, n,
                 sizeof(*scratch->place)) ||
        !wm_grow(&scratch->link, &scratch->cap_link, n,
                 sizeof(*scratch->link))) {
        return false;
    }
    scratch->n_items = n;
    return true;
}

static void unbuild_scratch(const wm_params *params, wm_scratch *scratch)
{
    for (uint32_t p = 0;
         scratch->to_partition != NULL && p < params->n_partitions; p++) {
        free(scratch->to_partition[p].request);
    }
    for (uint32_t s = 0; scratch->to_sm != NULL && s < params->n_sms; s++) {
        free(scratch->to_sm[s].reply);
    }
    free(scratch->to_partition);
    free(scratch->to_sm);
    free(scratch->reply);
    free(scratch->request);
    free(scratch->place);
    free(scratch->link);
}

void wm_unbuild(wm_engine *engine)
{
    for (uint32_t t = 0; engine->scratch != NULL && t < engine->n_shares; t++) {
        unbuild_scratch(&engine->params, &engine->scratch[t]);
    }
    for (uint32_t s = 0; engine->sms != NULL && s < engine->params.n_sms; s++) {
        free(engine->sms[s].grown_waiters);
    }
    wm_pool_free(engine->pool);
    wm_arena_close(&engine->arena);
    free(engine->scratch);
    engine->scratch = NULL;
    for (uint32_t p = 0;
         engine->partitions != NULL && p < engine->params.n_partitions; p++) {
        unbuild_partition(&engine->params, &engine->partitions[p]);
    }
    for (size_t i = 0; i < engine->n_spare; i++) {
        wm_cta_fini(engine->spare[i]);
        free(engine->spare[i]);
    }
    for (uint32_t r = 0; engine->rows != NULL && r < engine->n_row_sets; r++) {
        free(engine->rows[r]);
    }
    free(engine->rows);
    free(engine->cap_rows);
    free(engine->finished);
    free(engine->copies);
    free(engine->spare);
    wm_arena_close(&engine->units);
    engine->pool = NULL;
    engine->rows = NULL;
    engine->cap_rows = NULL;
    engine->n_row_sets = 0;
    engine->finished = NULL;
    engine->copies = NULL;
    engine->cap_copies = 0;
    engine->cap_finished = 0;
    engine->spare = NULL;
    engine->n_spare = 0;
    engine->cap_spare = 0;
    engine->sms = NULL;
    engine->partitions = NULL;
    engine->slices = NULL;
}
