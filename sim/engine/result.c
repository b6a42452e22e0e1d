/*
 * result.c -- the units' counters summed for one launch, the conservation
 * laws, the estimate of time in counts mode, and what limited the kernel.
 */
#include "engine/engine_internal.h"

#include <stdio.h>
#include <string.h>

/* Most SMs have none in a small kernel, and nothing to count. */
static bool result_has_work(const wm_sm *sm)
{
    return sm->stats.n_ctas != 0;
}

void wm_result_clear(wm_engine *engine)
{
    const wm_params *params = &engine->params;
    for (uint32_t s = 0; s < params->n_sms; s++) {
        if (result_has_work(&engine->sms[s])) {
            memset(&engine->sms[s].stats, 0, sizeof(engine->sms[s].stats));
        }
    }
    for (uint32_t p = 0; p < params->n_partitions; p++) {
        wm_partition *partition = &engine->partitions[p];
        for (uint32_t s = 0; s < params->slices_per_partition; s++) {
            memset(&partition->slices[s].stats, 0,
                   sizeof(partition->slices[s].stats));
        }
        for (uint32_t c = 0; c < params->channels_per_partition; c++) {
            wm_dram_clear_stats(partition->channels[c]);
        }
        if (partition->memory != NULL) {
            wm_memory_clear_stats(partition->memory);
        }
    }
    for (uint32_t r = 0; r < engine->n_row_sets; r++) {
        if (engine->rows[r] != NULL) {
            memset(engine->rows[r], 0,
                   engine->cap_rows[r] * sizeof(*engine->rows[r]));
        }
    }
}

wm_status wm_result_rows(wm_engine *engine, uint32_t n_statics, wm_error *err)
{
    for (uint32_t r = 0; r < engine->n_row_sets; r++) {
        size_t old = engine->cap_rows[r];
        if (n_statics <= old) {
            continue;
        }
        if (!wm_grow(&engine->rows[r], &engine->cap_rows[r], n_statics,
                     sizeof(*engine->rows[r]))) {
            return wm_fail_memory(err);
        }
        memset(engine->rows[r] + old, 0,
               (engine->cap_rows[r] - old) * sizeof(*engine->rows[r]));
    }
    for (uint32_t s = 0; s < engine->params.n_sms; s++) {
        uint32_t owner = wm_pool_owner(engine->pool, engine->params.n_sms, s);
        engine->sms[s].rows = engine->rows[owner];
        engine->sms[s].cap_rows = engine->cap_rows[owner];
    }
    return WM_OK;
}

/* --- sums ----------------------------------------------------------------- */
/* Busy time of the busiest instance of each resource: cycles on the SM side,
 * picoseconds beyond. */
typedef struct result_busy {
    uint64_t lsu, l1, shared, reply_q8;
    uint64_t slice_ps, dram_ps;
    uint64_t warp_cycles, n_far_waits; /* sums */
} result_busy;

static uint64_t result_most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void result_add_sm(const wm_params *params, const wm_sm *sm,
                          uint64_t *value, result_busy *busy)
{
    const wm_sm_stats *stats = &sm->stats;
    for (uint32_t k = 0; k < WM_L1_KINDS; k++) {
        for (uint32_t f = 0; f < WM_L1_FIELDS; f++) {
            value[WM_C_L1_GLOBAL_LOAD_REQUESTS + k * WM_L1_FIELDS + f] +=
                stats->l1[k][f];
        }
    }
    for (uint32_t o = 0; o < 3; o++) {
        for (uint32_t f = 0; f < WM_SH_FIELDS; f++) {
            value[WM_C_SHARED_LOAD_REQUESTS + o * WM_SH_FIELDS + f] +=
                stats->shared[o][f];
        }
    }
    for (uint32_t k = 0; k <= WM_KIND_BARRIER; k++) {
        value[WM_C_INSTRUCTIONS_GLOBAL_LOAD + k] += stats->n_instructions[k];
    }
    value[WM_C_INSTRUCTIONS_OTHER] += stats->n_other;
    for (uint32_t f = 0; f < 4; f++) {
        value[WM_C_FLOPS_FP16 + f] += stats->flops[f];
    }
    value[WM_C_LAUNCH_WARP_CYCLES] += stats->resident_cycles;
    value[WM_C_LAUNCH_CTAS] += stats->n_ctas;
    value[WM_C_LAUNCH_WARPS] += stats->n_warps;
    value[WM_C_LAUNCH_RECORDS] += stats->n_records;
    uint64_t reply_sectors = stats->reply_sectors;
    if (params->is_counts) { /* no replies travel: what would have */
        for (uint32_t k = 0; k < WM_L1_KINDS; k++) {
            reply_sectors +=
                k == WM_KIND_GLOBAL_LOAD || k == WM_KIND_LOCAL_LOAD ||
                        k == WM_KIND_ASYNC_COPY || k == WM_KIND_GLOBAL_ATOMIC
                    ? stats->l1[k][WM_L1_MISS_SECTORS]
                    : 0;
        }
    }
    busy->lsu = result_most(busy->lsu, stats->lsu_busy);
    busy->l1 = result_most(busy->l1, stats->l1_busy);
    busy->shared = result_most(busy->shared, stats->shared_busy);
    busy->reply_q8 =
        result_most(busy->reply_q8, reply_sectors * params->reply_cost_q8);
    busy->warp_cycles += stats->warp_cycles;
    busy->n_far_waits += stats->n_far_waits;
}

static void result_add_slice(const wm_slice *slice, uint64_t *value,
                             result_busy *busy)
{
    const wm_slice_stats *stats = &slice->stats;
    for (uint32_t o = 0; o < WM_L2_OPS; o++) {
        for (uint32_t f = 0; f < WM_L2_FIELDS; f++) {
            value[WM_C_L2_READ_REQUESTS + o * WM_L2_FIELDS + f] +=
                stats->l2[o][f];
        }
    }
    value[WM_C_L2_FETCHED_SECTORS] += stats->n_fetched;
    value[WM_C_L2_WRITTEN_BACK_SECTORS] += stats->n_written_back;
    value[WM_C_L2_COPIED_SECTORS] += stats->n_copied;
    value[WM_C_L2_CROSSED_SECTORS] += stats->n_crossed;
    value[WM_C_L2_DIRTIED_SECTORS] += stats->n_dirtied;
    value[WM_C_L2_CLEANED_SECTORS] += stats->n_cleaned;
    busy->slice_ps = result_most(busy->slice_ps, stats->busy_ps);
}

static void result_add_channel(const wm_params *params, wm_dram *channel,
                               uint64_t now_ps, uint64_t *value,
                               result_busy *busy)
{
    (void)wm_dram_drain(channel, now_ps);
    const wm_dram_stats *stats = wm_dram_get_stats(channel);
    value[WM_C_DRAM_READ_SECTORS] += stats->n_read_sectors;
    value[WM_C_DRAM_WRITE_SECTORS] += stats->n_write_sectors;
    value[WM_C_DRAM_ROW_HITS] += stats->n_row_hits;
    value[WM_C_DRAM_ROW_MISSES] += stats->n_row_misses;
    value[WM_C_DRAM_ACTIVATES] += stats->n_activates;
    /* The data bus or the activate rate, whichever holds longer. */
    busy->dram_ps = result_most(
        busy->dram_ps,
        result_most(stats->busy_ps, stats->n_activates *
                                        params->config.dram.activate_interval));
}

/* The same of a banked channel; ticks become nanoseconds, rounded down over
 * all channels in their order. */
static void result_add_banked(const wm_params *params, wm_banked *channel,
                              uint64_t *value, result_busy *busy)
{
    const wm_banked_stats *stats = wm_banked_get_stats(channel);
    const uint64_t per_tick = params->memory->tick_fs.d;
    const uint64_t per_atom = params->memory->standard.atom_bytes;
    uint64_t ticks = 0;
    value[WM_C_DRAM_ROW_MISSES] += stats->n_misses + stats->n_conflicts;
    value[WM_C_DRAM_ROW_HITS] += (stats->n_read_atoms + stats->n_write_atoms) *
                                     per_atom / params->sector_bytes -
                                 stats->n_misses - stats->n_conflicts;
    value[WM_C_DRAM_ACTIVATES] += stats->n_commands[WM_DRAM_ACT];
    value[WM_C_DRAM_ROW_CONFLICTS] += stats->n_conflicts;
    value[WM_C_DRAM_REFRESHES] +=
        stats->n_commands[WM_DRAM_REFA] + stats->n_commands[WM_DRAM_REFP];
    value[WM_C_DRAM_FORWARDED] += stats->n_forwarded;
    value[WM_C_DRAM_MERGED] += stats->n_merged;
    value[WM_C_DRAM_READ_REQUESTS] += stats->n_completed;
    value[WM_C_DRAM_READ_LATENCY_NS] +=
        wm_mul_div(stats->sum_latency, per_tick, 1000000);
    for (uint32_t i = 0; i < 3; i++) {
        static const uint64_t limit_ns[] = {100, 300, 1000};
        value[WM_C_DRAM_READ_UNDER_100NS + i] += wm_banked_n_below(
            stats, wm_mul_div(limit_ns[i], 1000000, per_tick));
    }
    for (uint32_t i = 0; i < WM_LOSS_COUNT; i++) {
        value[WM_C_DRAM_BUS_DATA_NS + i] +=
            wm_mul_div(stats->lost[i], per_tick, 1000000);
        ticks += i != WM_LOSS_IDLE ? stats->lost[i] : 0;
    }
    busy->dram_ps = result_most(
        busy->dram_ps,
        wm_mul_div(ticks / params->memory->timing.n_pcs, per_tick, 1000));
}

static void result_add_memory(const wm_params *params, wm_partition *partition,
                              uint64_t now_ps, uint64_t *value,
                              result_busy *busy)
{
    if (!wm_memory_finish(partition->memory, wm_last_horizon(params, now_ps))) {
        partition->status = WM_ENOMEM;
    }
    wm_memory_count(partition->memory, &value[WM_C_DRAM_READ_SECTORS],
                    &value[WM_C_DRAM_WRITE_SECTORS]);
    for (uint32_t c = 0; c < params->channels_per_partition; c++) {
        result_add_banked(params, wm_memory_channel(partition->memory, c),
                          value, busy);
    }
}

/* --- conservation --------------------------------------------------------- */
static wm_status result_law(const char *law, uint64_t left, uint64_t right,
                            wm_error *err)
{
    if (left == right) {
        return WM_OK;
    }
    return wm_fail(err, WM_EINTERNAL,
                   "conservation law broken: %s: %llu against %llu", law,
                   (unsigned long long)left, (unsigned long long)right);
}

static wm_status result_check_l1(const uint64_t *value, uint64_t sent[3],
                                 wm_error *err)
{
    wm_status status = WM_OK;
    for (uint32_t k = 0; k < WM_L1_KINDS && status == WM_OK; k++) {
        const uint64_t *field =
            value + WM_C_L1_GLOBAL_LOAD_REQUESTS + k * WM_L1_FIELDS;
        uint64_t sum = field[WM_L1_HIT_SECTORS] + field[WM_L1_PENDING_SECTORS] +
                       field[WM_L1_MISS_SECTORS];
        status = result_law("L1 sectors = hits + pending + misses",
                            field[WM_L1_SECTORS], sum, err);
        if (k == WM_KIND_GLOBAL_STORE || k == WM_KIND_LOCAL_STORE) {
            sent[WM_L2_WRITE] += field[WM_L1_SECTORS];
        } else if (k == WM_KIND_GLOBAL_ATOMIC ||
                   k == WM_KIND_GLOBAL_REDUCTION) {
            sent[WM_L2_ATOMIC] += field[WM_L1_SECTORS];
        } else {
            sent[WM_L2_READ] += field[WM_L1_MISS_SECTORS];
        }
    }
    return status;
}

static wm_status result_check(const uint64_t *value, wm_error *err)
{
    uint64_t sent[3] = {0, 0, 0};
    wm_status status = result_check_l1(value, sent, err);
    for (uint32_t o = 0; o < WM_L2_OPS && status == WM_OK; o++) {
        const uint64_t *field =
            value + WM_C_L2_READ_REQUESTS + o * WM_L2_FIELDS;
        uint64_t sum = field[WM_L2_HIT_SECTORS] + field[WM_L2_PENDING_SECTORS] +
                       field[WM_L2_MISS_SECTORS];
        status = result_law("sectors sent by L1s = sectors received by L2",
                            sent[o], field[WM_L2_SECTORS], err);
        if (status == WM_OK) {
            status = result_law("L2 sectors = hits + pending + misses",
                                field[WM_L2_SECTORS], sum, err);
        }
    }
    if (status == WM_OK) {
        status = result_law("L2 sector fetches = DRAM sectors read",
                            value[WM_C_L2_FETCHED_SECTORS],
                            value[WM_C_DRAM_READ_SECTORS], err);
    }
    if (status == WM_OK) {
        status = result_law("L2 write-backs = DRAM sectors written",
                            value[WM_C_L2_WRITTEN_BACK_SECTORS],
                            value[WM_C_DRAM_WRITE_SECTORS], err);
    }
    return status;
}

/* Copies behind the last kernel push out sectors, too: no kernel counts them.
 */
static uint64_t result_cleaned_since(const wm_engine *engine)
{
    const wm_params *params = &engine->params;
    uint64_t n = 0;
    for (uint32_t p = 0; p < params->n_partitions; p++) {
        for (uint32_t s = 0; s < params->slices_per_partition; s++) {
            n += engine->partitions[p].slices[s].stats.n_cleaned;
        }
    }
    return n;
}

wm_status wm_result_check_dirty(const wm_engine *engine, wm_error *err)
{
    return result_law("dirty sectors made - cleaned = dirty sectors left",
                      engine->n_dirty_sectors - result_cleaned_since(engine),
                      wm_l2_dirty_sectors(engine), err);
}

/* --- time and bounds ------------------------------------------------------ */
static uint64_t result_cycles_of_ps(const wm_engine *engine, uint64_t ps)
{
    return wm_clock_cycle(&engine->params.clock, ps);
}

/* Places for the launch's warps on all SMs, no more than there are warps. */
static uint64_t result_places(const wm_engine *engine, uint64_t n_warps)
{
    uint64_t n = engine->params.n_sms * engine->ctas_per_sm * engine->cta_warps;
    return n < n_warps ? n : n_warps;
}

/* Latency bound of counts mode: the warps' own time, spread over the places
 * that were there for them. */
static uint64_t result_latency(const wm_engine *engine, const uint64_t *value,
                               const result_busy *busy)
{
    const wm_params *params = &engine->params;
    const uint64_t reads = value[WM_C_L2_READ_SECTORS];
    uint64_t far = params->config.l2.latency;
    if (reads != 0) {
        uint64_t dram =
            result_cycles_of_ps(engine, params->config.dram.latency);
        far += wm_mul_div(dram, value[WM_C_L2_READ_MISS_SECTORS], reads);
    }
    uint64_t warps = value[WM_C_LAUNCH_WARPS];
    const uint64_t places = result_places(engine, warps);
    return places != 0 ? (busy->warp_cycles + busy->n_far_waits * far) / places
                       : 0;
}

static void result_busy_cycles(const wm_engine *engine, const result_busy *busy,
                               uint64_t *cycles)
{
    memset(cycles, 0, WM_BOUND_COUNT * sizeof(*cycles));
    cycles[WM_BOUND_LSU] = busy->lsu;
    cycles[WM_BOUND_L1] = busy->l1;
    cycles[WM_BOUND_SHARED] = busy->shared;
    cycles[WM_BOUND_FABRIC] = busy->reply_q8 >> 8;
    cycles[WM_BOUND_L2] = result_cycles_of_ps(engine, busy->slice_ps);
    cycles[WM_BOUND_DRAM] = result_cycles_of_ps(engine, busy->dram_ps);
    cycles[WM_BOUND_LAUNCH] = engine->params.config.kernel.launch_latency;
}

static uint64_t result_time(const wm_engine *engine, const uint64_t *value,
                            const result_busy *busy, const uint64_t *cycles)
{
    if (!engine->params.is_counts) {
        return engine->last_end - engine->begin;
    }
    uint64_t longest = result_latency(engine, value, busy);
    for (uint32_t b = 0; b < WM_BOUND_LATENCY; b++) {
        longest = cycles[b] > longest ? cycles[b] : longest;
    }
    return longest + cycles[WM_BOUND_LAUNCH];
}

/* The resource that was busiest; latency when none was busy half the time. */
static wm_bound result_bound(const uint64_t *cycles, uint64_t time,
                             uint32_t busy_ppm[WM_BOUND_COUNT])
{
    wm_bound bound = WM_BOUND_LATENCY;
    uint32_t most = 0;
    for (uint32_t b = 0; b < WM_BOUND_COUNT; b++) {
        busy_ppm[b] =
            time != 0 ? (uint32_t)wm_mul_div(cycles[b], 1000000, time) : 0;
        if (busy_ppm[b] > 1000000) {
            busy_ppm[b] = 1000000;
        }
        if (b != WM_BOUND_LATENCY && busy_ppm[b] > most) {
            most = busy_ppm[b];
            bound = (wm_bound)b;
        }
    }
    busy_ppm[WM_BOUND_LATENCY] = 1000000 - most;
    return busy_ppm[WM_BOUND_LATENCY] > most ? WM_BOUND_LATENCY : bound;
}

/* --- per instruction ------------------------------------------------------ */
static void result_add_row(wm_instruction_row *into,
                           const wm_instruction_row *from)
{
    into->n_requests += from->n_requests;
    into->n_sectors += from->n_sectors;
    into->n_lines += from->n_lines;
    into->n_lanes += from->n_lanes;
    into->requested_bytes += from->requested_bytes;
    into->hit_sectors += from->hit_sectors;
    into->pending_sectors += from->pending_sectors;
    into->miss_sectors += from->miss_sectors;
    into->wavefronts += from->wavefronts;
    into->ideal_wavefronts += from->ideal_wavefronts;
    into->ideal_sectors += from->ideal_sectors;
    into->unique_bytes += from->unique_bytes;
    into->lsu_cycles += from->lsu_cycles;
    into->stall_cycles += from->stall_cycles;
    if (from->address_most != 0 &&
        (into->address_most == 0 ||
         from->address_least < into->address_least)) {
        into->address_least = from->address_least;
    }
    into->address_most = result_most(into->address_most, from->address_most);
    for (uint32_t i = 0; i < WM_SECTOR_BINS; i++) {
        into->n_by_sectors[i] += from->n_by_sectors[i];
    }
    if (from->n_class[WM_CLASS_STRIDED] != 0) {
        const bool is_first = into->n_class[WM_CLASS_STRIDED] == 0;
        if (is_first || from->stride_least < into->stride_least) {
            into->stride_least = from->stride_least;
        }
        if (is_first || from->stride_most > into->stride_most) {
            into->stride_most = from->stride_most;
        }
    }
    for (uint32_t i = 0; i < WM_CLASSES; i++) {
        into->n_class[i] += from->n_class[i];
    }
}

static void result_merge_rows(wm_engine *engine, const wm_launch *launch,
                              wm_kernel_result *result)
{
    if (engine->n_row_sets == 0 || engine->cap_rows[0] < launch->n_statics) {
        return;
    }
    wm_instruction_row *rows = engine->rows[0];
    for (uint32_t i = 0; i < launch->n_statics; i++) {
        const wm_static *instruction = &launch->statics[i];
        for (uint32_t r = 1; r < engine->n_row_sets; r++) {
            result_add_row(&rows[i], &engine->rows[r][i]);
        }
        rows[i].pc = instruction->pc;
        rows[i].line = instruction->line;
        rows[i].kind = instruction->kind;
        rows[i].width = instruction->width;
        (void)snprintf(rows[i].opcode, sizeof(rows[i].opcode), "%s",
                       instruction->opcode != NULL ? instruction->opcode : "");
    }
    result->instructions = rows;
    result->n_instructions = launch->n_statics;
}

static void result_add_total(wm_engine *engine, const wm_counters *counters)
{
    for (uint32_t i = 0; i < WM_COUNTER_COUNT; i++) {
        engine->total.value[i] += counters->value[i];
    }
    engine->total.value[WM_C_L2_DIRTY_BYTES_LEFT] =
        counters->value[WM_C_L2_DIRTY_BYTES_LEFT];
}

/* --- samples -------------------------------------------------------------- */
uint64_t wm_result_time_ns(const wm_engine *engine, uint64_t cycle)
{
    const uint64_t cycles = cycle > engine->begin ? cycle - engine->begin : 0;
    return engine->time_ns_total +
           wm_clock_ps(&engine->params.clock, cycles) / 1000;
}

/* Cycles that warps still there have been resident. */
static uint64_t result_resident(const wm_sm *sm, uint64_t cycle)
{
    uint64_t sum = 0;
    for (uint32_t p = 0; p < WM_WARPS_MAX; p++) {
        const wm_resident *place = &sm->ctas[p];
        if (place->cta != NULL && place->start < cycle) {
            sum += wm_popcount64(place->warps) * (cycle - place->start);
        }
    }
    return sum;
}

static void result_hand_over(wm_engine *engine, const wm_sample *sample)
{
    const uint64_t next_ns =
        engine->options.sample(sample, engine->options.sample_context);
    const uint64_t cycles =
        wm_clock_cycle(&engine->params.clock, next_ns * 1000);
    engine->next_sample = engine->begin +
                          sample->counters.value[WM_C_TIME_CYCLES] +
                          (cycles != 0 ? cycles : 1);
}

void wm_result_sample(wm_engine *engine, uint64_t cycle)
{
    const wm_params *params = &engine->params;
    wm_sample sample;
    uint64_t *value = sample.counters.value;
    result_busy busy;
    memset(&sample, 0, sizeof(sample));
    memset(&busy, 0, sizeof(busy));
    for (uint32_t s = 0; s < params->n_sms; s++) {
        wm_front_settle(params, &engine->sms[s]);
        result_add_sm(params, &engine->sms[s], value, &busy);
        value[WM_C_LAUNCH_WARP_CYCLES] +=
            result_resident(&engine->sms[s], cycle);
    }
    for (uint32_t p = 0; p < params->n_partitions; p++) {
        const wm_partition *partition = &engine->partitions[p];
        for (uint32_t s = 0; s < params->slices_per_partition; s++) {
            result_add_slice(&partition->slices[s], value, &busy);
        }
    }
    /* DRAM moves what the L2 asked of it, a little later. */
    value[WM_C_DRAM_READ_SECTORS] = value[WM_C_L2_FETCHED_SECTORS];
    value[WM_C_DRAM_WRITE_SECTORS] = value[WM_C_L2_WRITTEN_BACK_SECTORS];
    value[WM_C_DRAM_READ_BYTES] =
        value[WM_C_DRAM_READ_SECTORS] * params->sector_bytes;
    value[WM_C_DRAM_WRITE_BYTES] =
        value[WM_C_DRAM_WRITE_SECTORS] * params->sector_bytes;
    value[WM_C_TIME_CYCLES] = cycle - engine->begin;
    sample.launch = engine->n_launches;
    sample.time_ns = wm_result_time_ns(engine, cycle);
    value[WM_C_TIME_NS] = sample.time_ns - engine->time_ns_total;
    result_hand_over(engine, &sample);
}

void wm_result_sample_end(wm_engine *engine, const wm_kernel_result *result)
{
    if (engine->options.interval_ns == 0) {
        return;
    }
    const wm_sample sample = {engine->n_launches, engine->time_ns_total,
                              result->counters};
    result_hand_over(engine, &sample);
}

wm_status wm_result_gather(wm_engine *engine, const wm_launch *launch,
                           wm_kernel_result *result, wm_error *err)
{
    const wm_params *params = &engine->params;
    uint64_t *value = result->counters.value;
    result_busy busy;
    uint64_t cycles[WM_BOUND_COUNT];
    memset(&busy, 0, sizeof(busy));
    memset(value, 0, sizeof(result->counters));
    const uint64_t now_ps = wm_clock_ps(&params->clock, engine->last_end);
    for (uint32_t s = 0; s < params->n_sms; s++) {
        if (result_has_work(&engine->sms[s])) {
            wm_front_settle(params, &engine->sms[s]);
            result_add_sm(params, &engine->sms[s], value, &busy);
        }
    }
    for (uint32_t p = 0; p < params->n_partitions; p++) {
        wm_partition *partition = &engine->partitions[p];
        for (uint32_t s = 0; s < params->slices_per_partition; s++) {
            result_add_slice(&partition->slices[s], value, &busy);
        }
        if (partition->memory != NULL) {
            result_add_memory(params, partition, now_ps, value, &busy);
            continue;
        }
        for (uint32_t c = 0; c < params->channels_per_partition; c++) {
            result_add_channel(params, partition->channels[c], now_ps, value,
                               &busy);
        }
    }
    /* Held against a scan of the L2 at the end of the run. */
    const uint64_t dirty = engine->n_dirty_sectors +
                           value[WM_C_L2_DIRTIED_SECTORS] -
                           value[WM_C_L2_CLEANED_SECTORS];
    value[WM_C_L2_DIRTY_BYTES_LEFT] = dirty * params->sector_bytes;
    value[WM_C_DRAM_READ_BYTES] =
        value[WM_C_DRAM_READ_SECTORS] * params->sector_bytes;
    value[WM_C_DRAM_WRITE_BYTES] =
        value[WM_C_DRAM_WRITE_SECTORS] * params->sector_bytes;
    result_busy_cycles(engine, &busy, cycles);
    const uint64_t time = result_time(engine, value, &busy, cycles);
    value[WM_C_TIME_CYCLES] = time;
    if (params->is_counts) {
        value[WM_C_LAUNCH_WARP_CYCLES] =
            time * result_places(engine, value[WM_C_LAUNCH_WARPS]);
    }
    value[WM_C_TIME_NS] = wm_clock_ps(&params->clock, time) / 1000;
    result->bound = result_bound(cycles, time, result->busy_ppm);
    for (uint32_t b = 0; b < WM_BOUND_COUNT; b++) {
        engine->bound_cycles[b] += cycles[b];
    }
    wm_status status = engine->is_stopped ? WM_OK : result_check(value, err);
    engine->n_dirty_sectors = dirty;
    result_merge_rows(engine, launch, result);
    result_add_total(engine, &result->counters);
    return status;
}

void wm_engine_total_bound(const wm_engine *engine,
                           uint32_t busy_ppm[WM_BOUND_COUNT], wm_bound *bound)
{
    *bound = result_bound(engine->bound_cycles,
                          engine->total.value[WM_C_TIME_CYCLES], busy_ppm);
}
