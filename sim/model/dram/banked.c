/*
 * banked.c -- a banked channel made, fed and asked.
 */
#include "model/dram/banked.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "model/dram/banked_internal.h"

#define QUEUE_MAX  512u
#define FIRST_RING 64u
#define LONG_AGO   (-INT64_C(1000000)) /* before any interval */

/* The least ticks between two per-bank refreshes of a pseudo-channel. */
static int32_t banked_least_refresh(const wm_dram_timing *t)
{
    int32_t least = t->refp_other;
    const int32_t bus =
        (int32_t)t->n_pcs * (t->has_hbm3_edges ? 2 : t->len_ref);
    least = bus > least ? bus : least;
    if (t->refp_is_act) {
        const int32_t longer = t->len_ref - t->len_act;
        const int32_t rrd = t->act_refp_other + longer;
        const int32_t faw = (t->faw_refp + longer) / 4;
        least = rrd > least ? rrd : least;
        least = faw > least ? faw : least;
    }
    return least;
}

static wm_status banked_check(const wm_banked_params *params,
                              const wm_dram_timing *timing, wm_error *err)
{
    if (params->read_queue == 0 || params->read_queue > QUEUE_MAX ||
        params->write_queue == 0 || params->write_queue > QUEUE_MAX) {
        return wm_fail(err, WM_ECONFIG,
                       "dram: queues of %u reads and %u writes, wanted 1 to %u",
                       params->read_queue, params->write_queue, QUEUE_MAX);
    }
    if (params->write_high > params->write_queue ||
        params->write_low > params->write_high || params->write_low == 0) {
        return wm_fail(err, WM_ECONFIG,
                       "dram: writes drained from over %u until below %u, "
                       "wanted a low level from 1 up to the high one, and that "
                       "up to %u",
                       params->write_high, params->write_low,
                       params->write_queue);
    }
    if (params->refresh == WM_REFRESH_PER_BANK && timing->refp_act <= 1) {
        return wm_fail(err, WM_ECONFIG,
                       "dram: per-bank refresh, but the standard has no "
                       "tRFC_PB");
    }
    if (params->refresh == WM_REFRESH_PER_BANK &&
        timing->refi_pb <= banked_least_refresh(timing)) {
        return wm_fail(
            err, WM_ECONFIG,
            "dram: per-bank refresh every %d ticks, wanted more than "
            "the %d that lie between two of them",
            timing->refi_pb, banked_least_refresh(timing));
    }
    return WM_OK;
}

static void banked_reset(wm_banked *channel)
{
    const uint32_t n_entries = channel->params.read_queue +
                               channel->params.write_queue + WM_DRAM_BANKS;
    for (uint32_t i = 0; i < n_entries; i++) {
        channel->link[i].next =
            i + 1 < n_entries ? (uint16_t)(i + 1) : NO_ENTRY;
    }
    channel->first_ring = (uint16_t)n_entries;
    for (uint32_t i = n_entries; i < n_entries + 2 * WM_DRAM_BANKS; i++) {
        channel->link[i].next = (uint16_t)i;
        channel->link[i].previous = (uint16_t)i;
    }
    for (uint32_t p = 0; p < WM_DRAM_PCS; p++) {
        for (uint32_t i = 0; i < 4; i++) {
            channel->pc[p].acts[i] = LONG_AGO;
        }
    }
    for (uint32_t b = 0; b < LANES; b++) {
        channel->act_in[b] = LANE_OUT;
        channel->pre_in[b] = LANE_OUT;
    }
    for (uint32_t b = 0; b < WM_DRAM_BANKS; b++) {
        channel->last_act[b] = LONG_AGO;
        channel->last_pre[b] = LONG_AGO;
    }
    channel->room[0] = channel->params.read_queue;
    channel->room[1] = channel->params.write_queue;
    channel->must_turn = true; /* no reads */
    channel->view.next = 1;
    channel->last_admitted = -1;
    channel->pair_tick = -1;
    channel->next_refresh = channel->params.refresh == WM_REFRESH_NONE ? NEVER
                            : channel->params.refresh == WM_REFRESH_PER_BANK
                                ? channel->timing->refi_pb
                                : channel->timing->refi;
}

wm_status wm_banked_new(const wm_dram_timing *timing,
                        const wm_banked_params *params, wm_banked **out,
                        wm_error *err)
{
    *out = NULL;
    wm_status status = banked_check(params, timing, err);
    if (status != WM_OK) {
        return status;
    }
    wm_banked *channel = calloc(1, sizeof(*channel));
    if (channel == NULL) {
        return wm_fail_memory(err);
    }
    channel->timing = timing;
    channel->params = *params;
    channel->is_plain = params->page == WM_PAGE_OPEN && !params->is_hit_first &&
                        params->hit_cap == 0 && params->command == NULL;
    channel->is_usual = !timing->is_single_bus && !timing->has_hbm3_edges &&
                        params->page != WM_PAGE_TIMEOUT;
    const size_t n_entries =
        params->read_queue + params->write_queue + WM_DRAM_BANKS;
    channel->entry = calloc(n_entries, sizeof(*channel->entry));
    channel->link =
        calloc(n_entries + 2 * WM_DRAM_BANKS, sizeof(*channel->link));
    channel->view.offer = calloc(FIRST_RING, sizeof(*channel->view.offer));
    channel->view.offer_mask = FIRST_RING - 1;
    channel->view.done = calloc(FIRST_RING, sizeof(*channel->view.done));
    channel->view.done_mask = FIRST_RING - 1;
    if (channel->entry == NULL || channel->link == NULL ||
        channel->view.offer == NULL || channel->view.done == NULL) {
        wm_banked_free(channel);
        return wm_fail_memory(err);
    }
    banked_reset(channel);
    *out = channel;
    return WM_OK;
}

void wm_banked_free(wm_banked *channel)
{
    if (channel != NULL) {
        free(channel->entry);
        free(channel->link);
        free(channel->view.offer);
        free(channel->view.done);
        free(channel);
    }
}

/* --- rings ---------------------------------------------------------------- */
static RARE bool banked_grow_offers(wm_banked *channel)
{
    const size_t n = 2 * (channel->view.offer_mask + 1);
    wm_banked_request *offer = malloc(n * sizeof(*offer));
    if (offer == NULL) {
        return false;
    }
    for (size_t i = 0; i < channel->view.n_offers; i++) {
        offer[i] = channel->view.offer[(channel->view.offer_head + i) &
                                       channel->view.offer_mask];
    }
    free(channel->view.offer);
    channel->view.offer = offer;
    channel->view.offer_head = 0;
    channel->view.offer_mask = n - 1;
    return true;
}

static RARE bool banked_grow_done(wm_banked *channel)
{
    const size_t n = 2 * (channel->view.done_mask + 1);
    wm_banked_done *done = malloc(n * sizeof(*done));
    if (done == NULL) {
        return false;
    }
    for (size_t i = 0; i < channel->view.n_done; i++) {
        done[i] =
            channel->view
                .done[(channel->view.done_head + i) & channel->view.done_mask];
    }
    free(channel->view.done);
    channel->view.done = done;
    channel->view.done_head = 0;
    channel->view.done_mask = n - 1;
    return true;
}

void wm_banked_renumber(wm_banked *channel)
{
    uint16_t at[2][WM_DRAM_BANKS];
    for (uint32_t bank = 0; bank < WM_DRAM_BANKS; bank++) {
        for (uint32_t list = 0; list < 2; list++) {
            at[list][bank] =
                channel->link[banked_ring(channel, list, bank)].next;
        }
    }
    const uint32_t n = channel->n_queued[0] + channel->n_queued[1];
    for (uint32_t age = 0; age < n; age++) {
        /* The lists are in order: the next is the least of their heads. */
        uint16_t *best = NULL;
        for (uint32_t list = 0; list < 2; list++) {
            for (uint64_t m = channel->has_list[list]; m != 0; m &= m - 1) {
                uint16_t *head = &at[list][wm_lowest_bit(m)];
                if (*head < channel->first_ring &&
                    (best == NULL ||
                     channel->entry[*head].age < channel->entry[*best].age)) {
                    best = head;
                }
            }
        }
        assert(best != NULL);
        channel->entry[*best].age = (uint16_t)age;
        *best = channel->link[*best].next;
    }
    channel->next_age = n;
    wm_banked_choose_all(channel);
}

/* How many offers are due no later. */
static size_t banked_n_before(const wm_banked_view *view, uint64_t due)
{
    size_t first = 0;
    size_t n = view->n_offers;
    while (n != 0) {
        const size_t half = n / 2;
        const size_t at = view->offer_head + first + half;
        if (view->offer[at & view->offer_mask].due <= due) {
            first += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return first;
}

/* A place in the ring behind the first `before`; the fewer ones move. */
static wm_banked_request *banked_insert(wm_banked_view *view, size_t before)
{
    wm_banked_request *offer = view->offer;
    const size_t mask = view->offer_mask;
    const size_t behind = view->n_offers++ - before;
    if (before < behind) {
        const size_t head = --view->offer_head;
        for (size_t i = 0; i < before; i++) {
            offer[(head + i) & mask] = offer[(head + i + 1) & mask];
        }
    } else {
        const size_t end = view->offer_head + view->n_offers - 1;
        for (size_t i = 0; i < behind; i++) {
            offer[(end - i) & mask] = offer[(end - i - 1) & mask];
        }
    }
    return &offer[(view->offer_head + before) & mask];
}

/* A request where the ring is full, empty, or holds later ones. */
static RARE bool banked_push_elsewhere(wm_banked *channel,
                                       const wm_banked_request *request)
{
    wm_banked_view *view = &channel->view;
    if (view->n_offers > view->offer_mask && !banked_grow_offers(channel)) {
        return false;
    }
    /* An empty ring begins anew: few requests stay in the host's cache. */
    if (view->n_offers == 0) {
        view->offer_head = 0;
    }
    const size_t before = banked_n_before(view, request->due);
    *banked_insert(view, before) = *request;
    if (before == 0) {
        channel->is_blocked = false;
        /* Due in the past: whoever offers came late, or waited its turn. */
        const int64_t due = (int64_t)request->due;
        const int64_t from = due > view->now ? due : view->now;
        view->next = from + 1 < view->next ? from + 1 : view->next;
    }
    return true;
}

bool wm_banked_push(wm_banked *channel, const wm_banked_request *request)
{
    const size_t n = channel->view.n_offers;
    const size_t mask = channel->view.offer_mask;
    /* Room for the reply of every read that is anywhere. */
    if (channel->params.has_replies &&
        channel->view.n_done + channel->view.n_reads_open + n >=
            channel->view.done_mask &&
        !banked_grow_done(channel)) {
        return false;
    }
    const size_t at = channel->view.offer_head + n;
    if (n == 0 || n > mask ||
        channel->view.offer[(at - 1) & mask].due > request->due) {
        return banked_push_elsewhere(channel, request);
    }
    channel->view.offer[at & mask] = *request;
    channel->view.n_offers = n + 1;
    return true;
}

/* --- questions ------------------------------------------------------------ */
uint32_t wm_banked_n_waiting(const wm_banked *channel)
{
    return (uint32_t)channel->view.n_offers;
}

const wm_banked_stats *wm_banked_get_stats(wm_banked *channel)
{
    /* What other counts tell. */
    wm_banked_stats *stats = &channel->stats;
    const uint64_t *n = stats->n_commands;
    stats->n_read_atoms = n[WM_DRAM_RD] + n[WM_DRAM_RDA];
    stats->n_write_atoms = n[WM_DRAM_WR] + n[WM_DRAM_WRA];
    stats->lost[WM_LOSS_BUSY] = (stats->n_read_atoms + stats->n_write_atoms) *
                                (uint64_t)channel->timing->slot;
    /* A pseudo-channel without requests has been idle up to now. */
    for (uint32_t p = 0; p < channel->timing->n_pcs; p++) {
        banked_pc *pc = &channel->pc[p];
        if (pc->n_entries == 0 && pc->data_end < channel->view.now) {
            stats->lost[WM_LOSS_IDLE] +=
                (uint64_t)(channel->view.now - pc->data_end);
            pc->data_end = channel->view.now;
            pc->idle = 0;
        }
    }
    return stats;
}

void wm_banked_clear_stats(wm_banked *channel)
{
    memset(&channel->stats, 0, sizeof(channel->stats));
}

void wm_banked_stats_add(wm_banked_stats *sum, const wm_banked_stats *stats)
{
    /* All fields are counts: 64-bit words one after the other. */
    uint64_t *to = (uint64_t *)(void *)sum;
    const uint64_t *from = (const uint64_t *)(const void *)stats;
    for (size_t i = 0; i < sizeof(*sum) / sizeof(*to); i++) {
        to[i] += from[i];
    }
}

/* The latency at which the bucket after i begins. */
static uint64_t banked_bucket_end(uint32_t i)
{
    return i < 8 ? i + UINT64_C(1) : (8 + i % 8 + UINT64_C(1)) << (i / 8 - 1);
}

uint64_t wm_banked_n_below(const wm_banked_stats *stats, uint64_t ticks)
{
    uint64_t n = 0;
    for (uint32_t i = 0;
         i < WM_LATENCY_BUCKETS && banked_bucket_end(i) <= ticks; i++) {
        n += stats->latency[i];
    }
    return n;
}

uint64_t wm_banked_percentile(const wm_banked_stats *stats, uint32_t ppm)
{
    const uint64_t wanted = wm_mul_div(stats->n_completed, ppm, 1000000) + 1;
    uint64_t seen = 0;
    for (uint32_t i = 0; i < WM_LATENCY_BUCKETS; i++) {
        seen += stats->latency[i];
        if (seen >= wanted) {
            return banked_bucket_end(i);
        }
    }
    return 0;
}
