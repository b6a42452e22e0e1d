/*
 * banked_lists_internal.h -- steps of admission and of retirement, compiled
 * into both: the mode that is due, a read completed.
 */
#ifndef WM_MODEL_DRAM_BANKED_LISTS_INTERNAL_H
#define WM_MODEL_DRAM_BANKED_LISTS_INTERNAL_H

#include "model/dram/banked_internal.h"

/* Eight buckets per power of two. */
static inline uint32_t banked_bucket(uint64_t latency)
{
    if (latency < 8) {
        return (uint32_t)latency;
    }
    const uint32_t e = wm_highest_bit(latency);
    const uint32_t bucket = (e - 2) * 8 + (uint32_t)((latency >> (e - 3)) & 7);
    return bucket < WM_LATENCY_BUCKETS ? bucket : WM_LATENCY_BUCKETS - 1;
}

/* A read has its data at tick. */
static inline void banked_complete(wm_banked *channel, uint32_t token,
                                   int64_t arrive, int64_t due, int64_t tick)
{
    wm_banked_stats *stats = &channel->stats;
    const uint64_t latency = (uint64_t)(tick - arrive);
    stats->n_completed++;
    stats->sum_latency += latency;
    stats->sum_due += (uint64_t)(tick - due);
    stats->latency[banked_bucket(latency)]++;
    channel->last_done = tick > channel->last_done ? tick : channel->last_done;
    if (!channel->params.has_replies) {
        return;
    }
    /* Only forwarded reads come before others: from the back, in order. */
    size_t at = channel->view.done_head + channel->view.n_done++;
    const size_t mask = channel->view.done_mask;
    for (; at != channel->view.done_head &&
           channel->view.done[(at - 1) & mask].tick > tick;
         at--) {
        channel->view.done[at & mask] = channel->view.done[(at - 1) & mask];
    }
    channel->view.done[at & mask] = (wm_banked_done){tick, token};
}

/* The queues' fill or the mode has changed. */
static inline void banked_note_turn(wm_banked *channel)
{
    const uint32_t n_reads = channel->n_queued[0];
    const uint32_t n_writes = channel->n_queued[1];
    channel->must_turn =
        channel->is_writing
            ? n_writes < channel->params.write_low && n_reads != 0
            : n_writes > channel->params.write_high || n_reads == 0;
}

/* Takes an entry out of its bank's list, of reads or of writes. */
static SPECIALISED void banked_unlink(wm_banked *channel, banked_entry *entry,
                                      uint32_t list, uint16_t index)
{
    const uint32_t bank = wm_banked_bank_of(&entry->request);
    const uint16_t ring = banked_ring(channel, list, bank);
    banked_link *link = channel->link;
    const banked_link own = link[index];
    link[own.previous].next = own.next;
    link[own.next].previous = own.previous;
    const uint64_t is_empty = own.next == own.previous && own.next == ring;
    channel->has_list[list] &= ~(is_empty << bank);
    entry->is_queued = 0;
    if (list != 0) {
        channel->n_writes_at[banked_write_slot(&entry->request)]--;
    }
    channel->n_queued[list]--;
    channel->is_blocked = false;
    banked_note_turn(channel);
}

#endif
