/*
 * receive.c -- the window's replies come to one SM: in order of arrival through
 * its port, into the L1, to the warps that wait for them.
 */
#include "base/inline.h"
#include "engine/engine_internal.h"

/* Lists this window's replies by cycle, in (cycle, partition, order) order, and
 * pulls in what they are about to touch, but for what wm_sm_fetch_work has. */
static size_t receive_list(wm_engine *engine, wm_sm *sm)
{
    wm_scratch *scratch = sm->work;
    const uint32_t start = (uint32_t)sm->start;
    size_t n = 0;
    for (uint32_t t = 0; t < engine->n_shares; t++) {
        wm_reply_box *box = &engine->scratch[t].to_sm[sm->id];
        if (box->n == 0) {
            continue;
        }
        if (!wm_scratch_room(scratch, n + box->n)) {
            sm->status = WM_ENOMEM;
            return n;
        }
        const wm_reply *end = box->reply + box->n;
        for (const wm_reply *reply = box->reply; reply != end; reply++, n++) {
            scratch->reply[n] = reply;
            wm_scratch_list(scratch, reply->cycle - start, (uint32_t)n);
            if (!reply->is_ack) {
                const wm_mshr *mshr = &sm->mshrs[reply->tag];
                if (mshr->line != WM_NO_INDEX) {
                    __builtin_prefetch(&sm->l1.line[mshr->line], 1);
                }
            }
        }
        box->n = 0;
    }
    return n;
}

/* The line's sectors of this request come at `cycle`. */
WM_INLINE void receive_line(wm_sm *sm, const wm_mshr *mshr, uint32_t tag,
                            uint64_t cycle)
{
    wm_way *line = &sm->l1.line[mshr->line];
    if (!mshr->is_shared) {
        line->chain = WM_NO_MSHR;
        line->ready = cycle;
        return;
    }
    if (line->chain == tag) {
        line->chain = mshr->next;
    } else {
        uint32_t before = line->chain;
        while (sm->mshrs[before].next != tag) {
            before = sm->mshrs[before].next;
        }
        sm->mshrs[before].next = mshr->next;
    }
    line->ready = line->ready > cycle ? line->ready : cycle;
}

/* Those who joined the first. */
static void receive_waiters(wm_sm *sm, uint32_t first, uint64_t cycle)
{
    for (uint32_t w = first; w != WM_NO_INDEX;) {
        wm_waiter *waiter = &sm->waiters[w];
        const uint32_t next = waiter->next;
        wm_warp_return(sm, waiter->warp, waiter->slot, cycle);
        waiter->next = sm->waiter_free_list;
        sm->waiter_free_list = w;
        sm->n_waiters_free++;
        w = next;
    }
}

/* A load's reply, or an atomic's, came through the port at `cycle`. */
WM_INLINE void receive_load(wm_sm *sm, const wm_reply *reply, uint64_t cycle)
{
    const uint32_t tag = reply->tag;
    wm_mshr *mshr = &sm->mshrs[tag];
    wm_warp_return(sm, reply->place % WM_WARPS_MAX, reply->place >> 8, cycle);
    if (mshr->waiters != WM_NO_INDEX) {
        receive_waiters(sm, mshr->waiters, cycle);
    }
    wm_release *release =
        &sm->releases[(sm->release_head + sm->n_releases) & sm->release_mask];
    release->cycle = cycle;
    release->state = mshr->state;
    release->pending = 0;
    if (mshr->line != WM_NO_INDEX) {
        release->pending = (uint32_t)mshr->sectors << 4;
        /* wm_l1_pass will write it. */
        __builtin_prefetch(&sm->l1.blocks[mshr->state], 1);
        receive_line(sm, mshr, tag, cycle);
    }
    mshr->next = sm->mshr_free_list & WM_NO_MSHR;
    sm->mshr_free_list = tag;
    sm->n_in_flight--;
    sm->n_releases++;
}

/* Passes a reply through the SM's port; start_q8: when it arrives. */
WM_INLINE void receive_one(wm_sm *sm, const wm_reply *reply, uint64_t start_q8,
                           uint64_t cost)
{
    if (reply->is_ack) {
        wm_warp_acknowledge(sm, reply->tag, start_q8 >> 8);
        return;
    }
    const uint32_t n = reply->n_sectors;
    if (n != 0) {
        if (start_q8 < sm->reply_free_q8) {
            start_q8 = sm->reply_free_q8;
        }
        sm->reply_free_q8 = start_q8 + n * cost;
        start_q8 += (n - 1u) * cost;
        sm->stats.reply_sectors += n;
    }
    receive_load(sm, reply, start_q8 >> 8);
}

/* Apart, so that a window without replies costs next to nothing. */
WM_APART size_t receive_all(wm_engine *engine, wm_sm *sm)
{
    const size_t n_replies = receive_list(engine, sm);
    wm_scratch *scratch = sm->work;
    const wm_params *params = &engine->params;
    const uint64_t cost = params->reply_cost_q8;
    const uint32_t words = (params->window + 63) / 64;
    for (uint32_t word = 0; word < words; word++) {
        uint64_t busy = scratch->busy[word];
        scratch->busy[word] = 0;
        for (; busy != 0; busy &= busy - 1) {
            const uint32_t at = word * 64 + wm_lowest_bit(busy);
            uint32_t n = scratch->head[at];
            do {
                receive_one(sm, scratch->reply[n], (sm->start + at) << 8, cost);
                n = scratch->link[n];
            } while (n != WM_NO_ITEM);
        }
    }
    return n_replies;
}

size_t wm_receive(wm_engine *engine, wm_sm *sm)
{
    for (uint32_t t = 0; t < engine->n_shares; t++) {
        if (engine->scratch[t].to_sm[sm->id].n != 0) {
            return receive_all(engine, sm);
        }
    }
    return 0;
}
