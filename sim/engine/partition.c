/*
 * partition.c -- the partition phase: the window's requests in (time, SM,
 * sequence) order through the slices, replies filed by window of arrival.
 */
#include "engine/engine_internal.h"

#include <string.h>

/* Requests between touching a set's host cache line and needing it. */
#define AHEAD 8u

static bool partition_room(wm_partition *partition, size_t n)
{
    return n <= partition->cap_requests ||
           (wm_grow(&partition->request, &partition->cap_requests, n,
                    sizeof(*partition->request)) &&
            wm_grow(&partition->from, &partition->cap_from,
                    partition->cap_requests, sizeof(*partition->from)) &&
            wm_grow(&partition->link, &partition->cap_link,
                    partition->cap_requests, sizeof(*partition->link)) &&
            wm_grow(&partition->order, &partition->cap_order,
                    partition->cap_requests, sizeof(*partition->order)));
}

/* Lists the window's requests by send cycle. */
static bool partition_gather(wm_engine *engine, wm_partition *partition,
                             uint32_t index)
{
    const wm_params *params = &engine->params;
    size_t n = 0;
    for (uint32_t s = 0; s < params->n_sms; s++) {
        const wm_sm *sm = &engine->sms[s];
        if (sm->n_window == 0) {
            continue;
        }
        const uint32_t first = sm->first[index];
        const uint32_t last = sm->first[index + 1];
        if (!partition_room(partition, n + (last - first))) {
            partition->status = WM_ENOMEM;
            return false;
        }
        for (uint32_t k = first; k < last; k++, n++) {
            const wm_request *request = &sm->fifo[sm->order[k]];
            uint32_t at = request->cycle - (uint32_t)engine->now;
            uint64_t bit = UINT64_C(1) << (at % 64);
            partition->request[n] = request;
            partition->from[n] = (uint16_t)s;
            partition->link[n] = WM_NO_INDEX;
            if ((partition->busy[at / 64] & bit) == 0) {
                partition->busy[at / 64] |= bit;
                partition->head[at] = (uint32_t)n;
            } else {
                partition->link[partition->tail[at]] = (uint32_t)n;
            }
            partition->tail[at] = (uint32_t)n;
        }
    }
    return n != 0;
}

static void partition_file(wm_partition *partition, wm_bucket *bucket,
                           const wm_reply *reply)
{
    if (bucket->cap == 0 && partition->n_spare != 0) {
        *bucket = partition->spare[--partition->n_spare];
    }
    if (bucket->n == bucket->cap &&
        !wm_grow(&bucket->reply, &bucket->cap, bucket->n + 1,
                 sizeof(*bucket->reply))) {
        partition->status = WM_ENOMEM;
        return;
    }
    bucket->reply[bucket->n++] = *reply;
}

/* Files a reply that reaches its SM at `cycle`. */
static void partition_reply(wm_engine *engine, wm_partition *partition,
                            const wm_reply *reply, uint64_t cycle)
{
    uint64_t rest = 0;
    uint64_t window =
        wm_divide(&engine->params.window_div, cycle - engine->base, &rest);
    if (window - engine->index < WM_CALENDAR) {
        partition_file(partition, &partition->calendar[window % WM_CALENDAR],
                       reply);
    } else {
        partition_file(partition, &partition->later, reply);
    }
}

static void partition_observe(const wm_engine *engine,
                              const wm_partition *partition,
                              const wm_request *request)
{
    const wm_params *params = &engine->params;
    const wm_observation observation = {
        .level = 2,
        .what =
            request->op == WM_OP_WRITE ? WM_OBSERVED_WRITE : WM_OBSERVED_READ,
        .sectors = request->sectors,
        .full = request->full,
        .unit = (uint32_t)(partition - engine->partitions) *
                    params->slices_per_partition +
                request->slice,
        .line = request->line};
    params->observe(&observation, params->observe_context);
}

static void partition_serve(wm_engine *engine, wm_partition *partition,
                            uint32_t n)
{
    const wm_params *params = &engine->params;
    const wm_request *request = partition->request[n];
    const wm_sm *sm = &engine->sms[partition->from[n]];
    const uint64_t *bytes = request->payload != WM_NO_PAYLOAD
                                ? sm->payload[request->payload]
                                : NULL;
    wm_slice *slice = &partition->slices[request->slice];
    if (params->is_counts) {
        if (params->observe != NULL) {
            partition_observe(engine, partition, request);
        }
        (void)wm_l2_access(params, partition, slice, request, bytes, 0);
        return;
    }
    const uint64_t send_ps = wm_clock_ps(
        &params->clock, engine->now + (request->cycle - (uint32_t)engine->now));
    uint64_t leaves = wm_l2_access(params, partition, slice, request, bytes,
                                   send_ps + params->request_latency_ps) +
                      params->slice_latency_ps;
    const bool is_ack =
        request->op == WM_OP_WRITE || request->op == WM_OP_REDUCTION;
    uint64_t cycle =
        wm_clock_cycle(&params->clock, leaves + params->response_latency_ps);
    wm_reply reply = {(uint32_t)cycle,
                      partition->from[n],
                      request->tag,
                      is_ack,
                      is_ack ? 0 : (uint8_t)wm_popcount64(request->sectors),
                      {0, 0}};
    partition_reply(engine, partition, &reply, cycle);
}

/* Flattens the lists into one in the order of service; returns its length. */
static size_t partition_order(const wm_engine *engine, wm_partition *partition)
{
    const uint32_t words = (engine->params.window + 63) / 64;
    size_t n = 0;
    for (uint32_t word = 0; word < words; word++) {
        while (partition->busy[word] != 0) {
            uint32_t at = word * 64 + wm_lowest_bit(partition->busy[word]);
            partition->busy[word] &= partition->busy[word] - 1;
            for (uint32_t k = partition->head[at]; k != WM_NO_INDEX;
                 k = partition->link[k]) {
                partition->order[n++] = k;
            }
        }
    }
    return n;
}

static void partition_prefetch(const wm_partition *partition, uint32_t n)
{
    const wm_request *request = partition->request[n];
    wm_cache_prefetch(&partition->slices[request->slice].tags, request->line);
}

static void partition_run(wm_engine *engine, wm_partition *partition)
{
    const size_t n = partition_order(engine, partition);
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n) {
            partition_prefetch(partition, partition->order[i + AHEAD]);
        }
        partition_serve(engine, partition, partition->order[i]);
    }
}

/* Replies that were too far ahead for the calendar and are not any more. */
static void partition_refile(wm_engine *engine, wm_partition *partition)
{
    size_t kept = 0;
    for (size_t i = 0; i < partition->later.n; i++) {
        wm_reply reply = partition->later.reply[i];
        uint64_t cycle = wm_widen(reply.cycle, engine->now);
        uint64_t rest = 0;
        uint64_t window =
            wm_divide(&engine->params.window_div, cycle - engine->base, &rest);
        if (window - engine->index < WM_CALENDAR) {
            partition_file(partition,
                           &partition->calendar[window % WM_CALENDAR], &reply);
        } else {
            partition->later.reply[kept++] = reply;
        }
    }
    partition->later.n = kept;
}

/* Orders the next window's replies by SM for the SM phase to take. */
static void partition_post(wm_engine *engine, wm_partition *partition)
{
    const uint32_t n_sms = engine->params.n_sms;
    wm_bucket *due = &partition->calendar[(engine->index + 1) % WM_CALENDAR];
    partition->out.n = 0;
    if (due->n == 0) {
        return;
    }
    if (due->n > partition->out.cap &&
        !wm_grow(&partition->out.reply, &partition->out.cap, due->n,
                 sizeof(*due->reply))) {
        partition->status = WM_ENOMEM;
        return;
    }
    uint32_t *first = partition->first;
    memset(first, 0, (n_sms + 1) * sizeof(*first));
    for (size_t i = 0; i < due->n; i++) {
        first[due->reply[i].sm + 1]++;
    }
    for (uint32_t s = 0; s < n_sms; s++) {
        first[s + 1] += first[s];
    }
    for (size_t i = 0; i < due->n; i++) {
        partition->out.reply[first[due->reply[i].sm]++] = due->reply[i];
    }
    for (uint32_t s = n_sms; s > 0; s--) {
        first[s] = first[s - 1];
    }
    first[0] = 0;
    partition->out.n = due->n;
    /* The next bucket to be filled takes this array, still in the host's
     * cache. */
    due->n = 0;
    partition->spare[partition->n_spare++] = *due;
    memset(due, 0, sizeof(*due));
}

void wm_partition_window(wm_engine *engine, uint32_t index)
{
    wm_partition *partition = &engine->partitions[index];
    if (partition->later.n != 0) {
        partition_refile(engine, partition);
    }
    if (partition_gather(engine, partition, index)) {
        partition_run(engine, partition);
    }
    if (!engine->params.is_counts) {
        partition_post(engine, partition);
    }
}
