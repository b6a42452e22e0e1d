/*
 * partition.c -- the partition phase: the window's requests in (time, SM,
 * sequence) order through the slices, replies filed by window of arrival.
 */
#include "base/inline.h"
#include "engine/engine_internal.h"

#include <string.h>

/* Lists the window's requests by send cycle, in (cycle, SM, sequence) order;
 * pulls the sets of their lines towards the processor. */
static bool partition_gather(wm_engine *engine, wm_partition *partition,
                             wm_scratch *scratch, uint32_t index)
{
    const uint32_t now = (uint32_t)engine->now;
    size_t n = 0;
    for (uint32_t t = 0; t < engine->n_shares; t++) {
        wm_request_box *box = &engine->scratch[t].to_partition[index];
        if (box->n == 0) {
            continue;
        }
        if (!wm_scratch_room(scratch, n + box->n)) {
            partition->status = WM_ENOMEM;
            return false;
        }
        const wm_request *end = box->request + box->n;
        for (const wm_request *r = box->request; r != end; r++, n++) {
            wm_ref *place = &scratch->place[n];
            wm_cache_place(&partition->slices[r->slice].tags, r->line, place);
            wm_cache_prefetch(place->block);
            scratch->request[n] = r;
            wm_scratch_list(scratch, r->cycle - now, (uint32_t)n);
        }
        box->n = 0;
    }
    return n != 0;
}

/* Room for one more reply; false: no memory. */
WM_APART bool partition_grow(wm_partition *partition, wm_reply_box *bucket)
{
    if (bucket->cap == 0 && partition->n_spare != 0) {
        *bucket = partition->spare[--partition->n_spare];
    }
    if (bucket->n == bucket->cap &&
        !wm_grow(&bucket->reply, &bucket->cap, bucket->n + 1,
                 sizeof(*bucket->reply))) {
        partition->status = WM_ENOMEM;
        return false;
    }
    return true;
}

/* Written where it lies, as a word: see wm_request. */
static inline void partition_file(wm_partition *partition, wm_reply_box *bucket,
                                  uint64_t who, uint64_t cycle)
{
    if (bucket->n != bucket->cap || partition_grow(partition, bucket)) {
        wm_reply *reply = &bucket->reply[bucket->n++];
        reply->word = who;
        reply->cycle = (uint32_t)cycle;
    }
}

/* Whether a window lies in this block or the next as seen from `now`; blocks of
 * blocks alike. */
static inline bool partition_is_near(uint64_t window, uint64_t now)
{
    return window / WM_CALENDAR_BLOCK <= now / WM_CALENDAR_BLOCK + 1;
}

static inline void partition_enter(wm_partition *partition,
                                   wm_calendar *calendar, uint64_t n,
                                   uint64_t who, uint64_t cycle)
{
    const uint64_t k = n % WM_CALENDAR;
    calendar->filed |= UINT64_C(1) << k;
    partition_file(partition, &calendar->box[k], who, cycle);
}

/* A reply beyond the next block of windows. */
WM_APART void partition_enter_far(wm_engine *engine, wm_partition *partition,
                                  uint64_t window, uint64_t who, uint64_t cycle)
{
    const uint64_t block = window / WM_CALENDAR_BLOCK;
    if (partition_is_near(block, engine->index / WM_CALENDAR_BLOCK)) {
        partition_enter(partition, &partition->blocks, block, who, cycle);
    } else {
        if (partition->far.n == 0 || window < partition->far_window) {
            partition->far_window = window;
        }
        partition_file(partition, &partition->far, who, cycle);
    }
}

/* Files a reply that reaches its SM at `cycle`. */
static inline void partition_reply(wm_engine *engine, wm_partition *partition,
                                   uint64_t who, uint64_t cycle)
{
    const uint64_t away = cycle - engine->now;
    if (away > WM_REPLY_MAX) {
        partition->status = WM_ECONFIG;
        return;
    }
    const uint64_t windows = away * engine->params.windows_q37 >> 37;
    const uint64_t window = engine->index + windows;
    if (engine->index % WM_CALENDAR_BLOCK + windows < WM_CALENDAR) {
        partition_enter(partition, &partition->windows, window, who, cycle);
    } else {
        partition_enter_far(engine, partition, window, who, cycle);
    }
}

/* Who answers, for replies whose time is known later. */
typedef struct partition_sender {
    wm_engine *engine;
    wm_partition *partition;
} partition_sender;

/* A reply leaves its slice at ready_ps. */
static void partition_answer(void *context, uint64_t who, uint64_t ready_ps)
{
    const partition_sender *sender = context;
    const wm_params *params = &sender->engine->params;
    const uint64_t leaves = ready_ps + params->slice_latency_ps;
    partition_reply(
        sender->engine, sender->partition, who,
        wm_clock_cycle(&params->clock, leaves + params->response_latency_ps));
}

/* Banked channels go up to t_ps. */
static void partition_advance(wm_engine *engine, wm_partition *partition,
                              uint64_t t_ps)
{
    partition_sender sender = {engine, partition};
    if (partition->memory != NULL &&
        !wm_memory_advance(partition->memory, t_ps, partition_answer,
                           &sender)) {
        partition->status = WM_ENOMEM;
    }
}

/* No request of a later window is at its slice before the horizon.  When every
 * CTA has ended nobody waits for a reply, and if it was the kernel's last
 * window, the next kernel's requests come before that. */
static void partition_finish_window(wm_engine *engine, wm_partition *partition)
{
    const wm_params *params = &engine->params;
    partition_sender sender = {engine, partition};
    if (!engine->is_deserted &&
        !wm_memory_horizon(
            partition->memory,
            wm_clock_ps(&params->clock, engine->now + params->window) +
                params->request_latency_ps,
            partition_answer, &sender)) {
        partition->status = WM_ENOMEM;
    }
}

/* What the translation of a line adds to its load. */
static uint64_t partition_translate(const wm_params *params,
                                    wm_partition *partition, uint64_t line)
{
    /* Slices share a page's lines evenly: the slice's own line numbers times
     * their number are the lines of all. */
    const uint64_t page = (line * params->n_slices * params->config.l2.line) >>
                          params->page_shift;
    if (page == partition->last_page) {
        return 0;
    }
    partition->last_page = page;
    wm_ref ref = wm_cache_find(&partition->tlb, page);
    if (ref.way != WM_NO_INDEX) {
        wm_cache_touch(&partition->tlb, &ref);
        return 0;
    }
    (void)wm_cache_allocate(&partition->tlb, &ref, NULL);
    return params->tlb_ps;
}

/* The reply to a request whose data are ready then, known or pending. */
static inline void partition_send(wm_engine *engine, wm_partition *partition,
                                  uint64_t who, uint64_t ready_ps)
{
    partition_sender to = {engine, partition};
    if (!wm_is_pending(ready_ps)) {
        partition_answer(&to, who, ready_ps);
    } else if (!wm_memory_wait(partition->memory, ready_ps, who,
                               partition->start_ps, partition->after_ps)) {
        partition->status = WM_ENOMEM;
    }
}

/* Anything but reads. */
static void partition_change(wm_engine *engine, wm_partition *partition,
                             wm_slice *slice, const wm_request *request,
                             wm_ref *place, uint64_t arrives_ps)
{
    const wm_sm *sm = &engine->sms[request->sm];
    const uint64_t *bytes =
        request->op == WM_OP_WRITE && request->payload != WM_NO_PAYLOAD
            ? sm->payload[request->payload]
            : NULL;
    const uint64_t ready_ps = wm_l2_access(&engine->params, partition, slice,
                                           request, place, bytes, arrives_ps);
    const uint64_t who =
        request->op == WM_OP_ATOMIC
            ? wm_reply_word_of(request, wm_popcount64(request->sectors))
            : wm_reply_word(request->sm, request->tag, true, 0,
                            wm_place_word(request->tag, 0));
    partition_send(engine, partition, who, ready_ps);
}

/* is_plain: wm_l2_read may be asked. */
WM_INLINE void partition_serve(wm_engine *engine, wm_partition *partition,
                               const wm_request *request, wm_ref *place,
                               bool is_plain)
{
    const wm_params *params = &engine->params;
    wm_slice *slice = &partition->slices[request->slice];
    const uint64_t send_ps = wm_clock_ps(
        &params->clock, engine->now + (request->cycle - (uint32_t)engine->now));
    const uint64_t arrives_ps = send_ps + params->request_latency_ps;
    partition_advance(engine, partition, arrives_ps);
    if (request->op != WM_OP_READ) {
        partition_change(engine, partition, slice, request, place, arrives_ps);
        return;
    }
    uint64_t ready_ps =
        is_plain
            ? wm_l2_read(params, partition, slice, request, place, arrives_ps)
            : wm_l2_access(params, partition, slice, request, place, NULL,
                           arrives_ps);
    if (params->tlb_ps != 0) {
        const uint64_t walk_ps =
            partition_translate(params, partition, request->line);
        partition->after_ps += walk_ps;
        ready_ps += wm_is_pending(ready_ps) ? 0 : walk_ps;
    }
    partition_send(engine, partition,
                   wm_reply_word_of(request, wm_popcount64(request->sectors)),
                   ready_ps);
}

/* Serves the lists' requests in order.  Apart, so that a window without
 * requests costs next to nothing. */
WM_APART void partition_run(wm_engine *engine, wm_partition *partition,
                            wm_scratch *scratch)
{
    const uint32_t words = (engine->params.window + 63) / 64;
    const bool is_plain =
        engine->params.n_halves == 1 && partition->slices[0].tags.kind.is_small;
    for (uint32_t word = 0; word < words; word++) {
        uint64_t busy = scratch->busy[word];
        scratch->busy[word] = 0;
        for (; busy != 0; busy &= busy - 1) {
            uint32_t k = scratch->head[word * 64 + wm_lowest_bit(busy)];
            do {
                partition_serve(engine, partition, scratch->request[k],
                                &scratch->place[k], is_plain);
                k = scratch->link[k];
            } while (k != WM_NO_ITEM);
        }
    }
}

/* Files the replies of a box anew, which is emptied. */
static void partition_move(wm_engine *engine, wm_partition *partition,
                           wm_reply_box *from)
{
    wm_reply_box box = *from;
    memset(from, 0, sizeof(*from));
    for (size_t i = 0; i < box.n; i++) {
        const wm_reply *reply = &box.reply[i];
        partition_reply(engine, partition, reply->word,
                        wm_widen(reply->cycle, engine->now));
    }
    box.n = 0;
    partition->spare[partition->n_spare++] = box;
}

/* Replies that were too far ahead for the calendar and are not any more: moved
 * before any other is filed for the same windows, or the same blocks, so that
 * each box has its replies in the order of their making. */
static void partition_refile(wm_engine *engine, wm_partition *partition)
{
    const uint64_t block = engine->index / WM_CALENDAR_BLOCK;
    if (partition->far.n != 0 &&
        partition_is_near(partition->far_window / WM_CALENDAR_BLOCK, block)) {
        partition_move(engine, partition, &partition->far);
    }
    for (uint64_t b = block; b <= block + 1; b++) {
        const uint64_t bit = UINT64_C(1) << b % WM_CALENDAR;
        if ((partition->blocks.filed & bit) != 0) {
            partition->blocks.filed &= ~bit;
            partition_move(engine, partition,
                           &partition->blocks.box[b % WM_CALENDAR]);
        }
    }
}

/* Puts the next window's replies into the SMs' boxes. */
static void partition_post(wm_engine *engine, wm_partition *partition,
                           wm_scratch *scratch)
{
    const uint64_t k = (engine->index + 1) % WM_CALENDAR;
    wm_reply_box *due = &partition->windows.box[k];
    partition->n_posted = due->n;
    if (due->n == 0) {
        return;
    }
    for (size_t i = 0; i < due->n; i++) {
        wm_reply_box *box = &scratch->to_sm[due->reply[i].sm];
        if (box->n == box->cap &&
            !wm_grow(&box->reply, &box->cap, box->n + 1, sizeof(*box->reply))) {
            partition->status = WM_ENOMEM;
            return;
        }
        box->reply[box->n++] = due->reply[i];
    }
    /* The next bucket to be filled takes this array, still in the host's
     * cache. */
    partition->windows.filed &= ~(UINT64_C(1) << k);
    due->n = 0;
    partition->spare[partition->n_spare++] = *due;
    memset(due, 0, sizeof(*due));
}

void wm_partition_window(wm_engine *engine, uint32_t index, wm_scratch *scratch)
{
    wm_partition *partition = &engine->partitions[index];
    if (partition->memory != NULL) {
        wm_memory_wake(partition->memory);
    }
    partition_refile(engine, partition);
    if (partition_gather(engine, partition, scratch, index)) {
        partition_run(engine, partition, scratch);
    }
    if (partition->memory != NULL) {
        partition_finish_window(engine, partition);
    }
    partition_post(engine, partition, scratch);
}
