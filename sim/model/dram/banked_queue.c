/*
 * banked_queue.c -- admission, forwarding and merging, the mode, and which
 * request of a bank is the next for a column and for a row command.
 *
 * All hits of a bank are ready at the same tick, and so are all its other
 * requests: the oldest of each is all that the scheduler has to look at.
 */
#include "model/dram/banked_internal.h"

/* Ages that 16 bits number, with one left for "none". */
#define AGES UINT16_MAX

/* --- latencies ------------------------------------------------------------ */
/* Eight buckets per power of two. */
static uint32_t queue_bucket(uint64_t latency)
{
    if (latency < 8) {
        return (uint32_t)latency;
    }
    const uint32_t e = wm_highest_bit(latency);
    const uint32_t bucket = (e - 2) * 8 + (uint32_t)((latency >> (e - 3)) & 7);
    return bucket < WM_LATENCY_BUCKETS ? bucket : WM_LATENCY_BUCKETS - 1;
}

void wm_banked_complete(wm_banked *channel, uint32_t token, int64_t arrive,
                        int64_t due, int64_t tick)
{
    wm_banked_stats *stats = &channel->stats;
    const uint64_t latency = (uint64_t)(tick - arrive);
    stats->n_completed++;
    stats->sum_latency += latency;
    stats->sum_due += (uint64_t)(tick - due);
    stats->latency[queue_bucket(latency)]++;
    channel->last_done = tick > channel->last_done ? tick : channel->last_done;
    if (!channel->params.has_replies) {
        return;
    }
    /* Only forwarded reads come before others: from the back, in order. */
    size_t at = channel->done_head + channel->n_done++;
    const size_t mask = channel->done_mask;
    for (;
         at != channel->done_head && channel->done[(at - 1) & mask].tick > tick;
         at--) {
        channel->done[at & mask] = channel->done[(at - 1) & mask];
    }
    channel->done[at & mask] = (banked_done){tick, token};
}

/* The queues' fill or the mode has changed. */
static void queue_note_turn(wm_banked *channel)
{
    const uint32_t n_reads = channel->n_queued[0];
    const uint32_t n_writes = channel->n_queued[1];
    channel->must_turn =
        channel->is_writing
            ? n_writes < channel->params.write_low && n_reads != 0
            : n_writes > channel->params.write_high || n_reads == 0;
}

/* --- lists ---------------------------------------------------------------- */
void wm_banked_unlink(wm_banked *channel, uint16_t index)
{
    banked_entry *entry = &channel->entry[index];
    const uint32_t list = entry->is_write;
    const uint16_t ring = banked_ring(channel, list, entry->bank);
    const banked_link link = channel->link[index];
    channel->link[link.previous].next = link.next;
    channel->link[link.next].previous = link.previous;
    const uint64_t is_empty = channel->link[ring].next == ring;
    channel->has_list[list] &= ~(is_empty << entry->bank);
    entry->is_queued = 0;
    if (list != 0) {
        channel->n_writes_at[banked_write_slot(entry)]--;
    }
    channel->n_queued[list]--;
    channel->is_blocked = false;
    queue_note_turn(channel);
}

static uint16_t queue_link(wm_banked *channel, const banked_entry *offer,
                           int64_t clock)
{
    const uint16_t index = channel->free_entry;
    const uint32_t list = offer->is_write;
    const uint32_t bank = offer->bank;
    banked_entry *entry = &channel->entry[index];
    channel->free_entry = channel->link[index].next;
    *entry = *offer;
    entry->arrive = clock;
    entry->age = (uint16_t)channel->next_age++;
    const uint16_t ring = banked_ring(channel, list, bank);
    const uint16_t last = channel->link[ring].previous;
    channel->link[index].previous = last;
    channel->link[index].next = ring;
    channel->link[last].next = index;
    channel->link[ring].previous = index;
    channel->has_list[list] |= UINT64_C(1) << bank;
    channel->n_queued[list]++;
    if (list != 0) {
        channel->n_writes_at[banked_write_slot(entry)]++;
    }
    queue_note_turn(channel);
    return index;
}

/* The pseudo-channel has a request more; time without one ends. */
static void queue_wake(wm_banked *channel, uint32_t bank, int64_t clock)
{
    banked_pc *pc = &channel->pc[banked_pc_of(channel, bank)];
    if (pc->n_entries++ == 0) {
        const int64_t from =
            pc->empty_since > pc->data_end ? pc->empty_since : pc->data_end;
        pc->idle += clock > from ? clock - from : 0;
    }
}

/* --- admission ------------------------------------------------------------ */
/* The queued write to the same columns, or NO_ENTRY. */
static uint16_t queue_find_write(const wm_banked *channel,
                                 const banked_entry *offer)
{
    const uint16_t ring = banked_ring(channel, 1, offer->bank);
    uint16_t index = channel->link[ring].next;
    while (index != ring) {
        const banked_entry *entry = &channel->entry[index];
        if (entry->row == offer->row && entry->column == offer->column) {
            return index;
        }
        index = channel->link[index].next;
    }
    return NO_ENTRY;
}

/* A queued write answers a read, or takes in a write; true when it did. */
static bool queue_coalesce(wm_banked *channel, const banked_entry *offer,
                           int64_t clock)
{
    if (channel->n_queued[1] == 0 ||
        channel->n_writes_at[banked_write_slot(offer)] == 0) {
        return false;
    }
    const uint16_t index = queue_find_write(channel, offer);
    if (index == NO_ENTRY) {
        return false;
    }
    banked_entry *entry = &channel->entry[index];
    if (entry->atoms != entry->all_atoms) {
        return false;
    }
    if (offer->is_write != 0) {
        entry->atoms |= offer->atoms;
        entry->all_atoms = entry->atoms;
        channel->stats.n_merged++;
        return true;
    }
    if ((offer->atoms & ~(uint32_t)entry->atoms) != 0) {
        return false;
    }
    channel->stats.n_forwarded++;
    wm_banked_complete(channel, offer->token, clock, offer->due,
                       clock + channel->params.forward_ticks);
    return true;
}

/* Whether a new entry can be its bank's first hit or first other. */
static bool queue_matters(const wm_banked *channel, const banked_entry *offer)
{
    const uint64_t bit = UINT64_C(1) << offer->bank;
    if ((channel->is_active & bit) != 0 ||
        offer->is_write != (uint8_t)channel->is_writing) {
        return false;
    }
    if (channel->params.is_hit_first || channel->params.hit_cap != 0) {
        return true;
    }
    if ((channel->is_open & bit) == 0) {
        return (channel->row_act & bit) == 0;
    }
    if (channel->row[offer->bank] == offer->row) {
        return ((channel->col_rd | channel->col_wr) & bit) == 0;
    }
    return (channel->row_pre & bit) == 0;
}

void wm_banked_admit(wm_banked *channel, int64_t tick)
{
    const int64_t clock = tick - 1;
    const uint32_t limit = channel->params.offers;
    wm_banked_stats *stats = &channel->stats;
    for (uint32_t n = 0; channel->n_offers != 0 && (limit == 0 || n < limit);
         n++) {
        const banked_entry *offer =
            &channel->offer[channel->offer_head & channel->offer_mask];
        if (offer->due > clock) {
            return;
        }
        if (!queue_coalesce(channel, offer, clock)) {
            if (channel->n_queued[offer->is_write] ==
                channel->room[offer->is_write]) {
                channel->is_blocked = true;
                return;
            }
            if (channel->next_age == AGES) {
                wm_banked_renumber(channel);
            }
            const bool matters = queue_matters(channel, offer);
            (void)queue_link(channel, offer, clock);
            queue_wake(channel, offer->bank, clock);
            channel->n_reads_open += offer->is_write == 0;
            if (matters) {
                wm_banked_choose(channel, offer->bank);
            }
        }
        stats->n_writes += offer->is_write;
        stats->n_reads += offer->is_write == 0;
        channel->last_admitted = clock;
        channel->offer_head++;
        channel->n_offers--;
    }
}

/* --- candidates ----------------------------------------------------------- */
static void queue_set_column(wm_banked *channel, uint32_t bank, uint16_t index)
{
    const uint64_t bit = UINT64_C(1) << bank;
    const int16_t *at = channel->rd_at;
    channel->col_entry[bank] = index;
    channel->col_age[bank] = channel->entry[index].age;
    if (channel->entry[index].is_write != 0) {
        channel->col_wr |= bit;
        at = channel->wr_at;
    } else {
        channel->col_rd |= bit;
    }
    const int64_t tick = channel->base + at[bank];
    channel->col_soon = tick < channel->col_soon ? tick : channel->col_soon;
}

/* The bank's candidate for a row command: ready from `at` on. */
static void queue_set_row(wm_banked *channel, uint32_t bank, uint16_t index,
                          int16_t at)
{
    const int64_t tick = channel->base + at;
    channel->row_entry[bank] = index;
    channel->row_age[bank] = channel->entry[index].age;
    channel->row_soon = tick < channel->row_soon ? tick : channel->row_soon;
}

/* The oldest hit and the oldest other request of a bank with an open row. */
static void queue_choose_open(wm_banked *channel, uint32_t bank)
{
    const uint64_t row = channel->row[bank];
    const uint32_t cap = channel->params.hit_cap;
    uint16_t hit = NO_ENTRY;
    uint16_t other = NO_ENTRY;
    const uint16_t ring = banked_ring(channel, channel->is_writing, bank);
    for (uint16_t i = channel->link[ring].next;
         i != ring && (hit == NO_ENTRY || other == NO_ENTRY);
         i = channel->link[i].next) {
        if (channel->entry[i].row != row) {
            other = other == NO_ENTRY ? i : other;
        } else if (hit == NO_ENTRY) {
            hit = i;
        }
    }
    if (cap != 0 && channel->n_columns[bank] >= cap && other != NO_ENTRY) {
        hit = NO_ENTRY;
    }
    if (hit != NO_ENTRY) {
        queue_set_column(channel, bank, hit);
    }
    if (other == NO_ENTRY ||
        (channel->params.is_hit_first && hit != NO_ENTRY &&
         channel->entry[hit].arrive <= channel->entry[other].arrive)) {
        return;
    }
    queue_set_row(channel, bank, other, channel->pre_at[bank]);
    channel->row_pre |= UINT64_C(1) << bank;
}

void wm_banked_choose_active(wm_banked *channel, uint32_t bank)
{
    const uint64_t bit = UINT64_C(1) << bank;
    /* The oldest by admission tick; of one tick, the first activated. */
    const uint16_t index = channel->active_entry[bank];
    const int64_t arrive = channel->entry[index].arrive;
    const int64_t wait = channel->last_act[bank] - arrive;
    channel->active_age[bank] =
        (uint64_t)arrive << 16 | (wait < 65535 ? (uint64_t)wait : 65535);
    channel->row_act &= ~bit;
    channel->row_pre &= ~bit;
    queue_set_column(channel, bank, index);
}

void wm_banked_choose(wm_banked *channel, uint32_t bank)
{
    const uint64_t bit = UINT64_C(1) << bank;
    channel->col_rd &= ~bit;
    channel->col_wr &= ~bit;
    channel->row_act &= ~bit;
    channel->row_pre &= ~bit;
    if ((channel->is_active & bit) != 0) {
        wm_banked_choose_active(channel, bank);
        return;
    }
    if ((channel->has_list[channel->is_writing] & bit) == 0 ||
        (channel->must_refresh & bit) != 0) {
        return;
    }
    if ((channel->is_open & bit) != 0) {
        queue_choose_open(channel, bank);
        return;
    }
    const uint16_t ring = banked_ring(channel, channel->is_writing, bank);
    queue_set_row(channel, bank, channel->link[ring].next,
                  channel->act_at[bank]);
    channel->row_act |= bit;
}

void wm_banked_choose_hit(wm_banked *channel, uint32_t bank, uint16_t from)
{
    const uint64_t bit = UINT64_C(1) << bank;
    const uint64_t row = channel->row[bank];
    const uint16_t ring = banked_ring(channel, channel->is_writing, bank);
    channel->col_rd &= ~bit;
    channel->col_wr &= ~bit;
    while (from != ring && channel->entry[from].row != row) {
        from = channel->link[from].next;
    }
    if (from != ring) {
        queue_set_column(channel, bank, from);
    }
}

void wm_banked_choose_all(wm_banked *channel)
{
    uint64_t banks = channel->col_rd | channel->col_wr | channel->row_act |
                     channel->row_pre | channel->has_list[channel->is_writing];
    for (; banks != 0; banks &= banks - 1) {
        wm_banked_choose(channel, wm_lowest_bit(banks));
    }
}

void wm_banked_change_mode(wm_banked *channel)
{
    channel->is_writing = !channel->is_writing;
    queue_note_turn(channel);
    wm_banked_choose_all(channel);
}
