/*
 * banked_queue.c -- admission, forwarding and merging, the mode, and which
 * request of a bank is the next for a column and for a row command.
 *
 * All hits of a bank are ready at the same tick, and so are all its other
 * requests: the oldest of each is all that the scheduler has to look at.
 */
#include "model/dram/banked_lists_internal.h"

/* Ages that 16 bits number, with one left for "none". */
#define AGES UINT16_MAX

static SPECIALISED void queue_link(wm_banked *channel,
                                   const wm_banked_request *offer,
                                   uint32_t bank, uint32_t list, int64_t clock)
{
    const uint16_t index = channel->free_entry;
    banked_link *link = channel->link;
    banked_entry *entry = &channel->entry[index];
    channel->free_entry = link[index].next;
    entry->request = *offer;
    entry->arrive = clock;
    entry->age = (uint16_t)channel->next_age++;
    entry->atoms = (uint8_t)wm_banked_atoms_of(offer);
    entry->all_atoms = entry->atoms;
    entry->has_begun = 0;
    entry->cause = WM_LOSS_GROUP;
    entry->is_queued = 1;
    const uint16_t ring = banked_ring(channel, list, bank);
    const uint16_t last = link[ring].previous;
    link[index] = (banked_link){ring, last};
    link[last].next = index;
    link[ring].previous = index;
    channel->has_list[list] |= UINT64_C(1) << bank;
    channel->n_queued[list]++;
    if (list != 0) {
        channel->n_writes_at[banked_write_slot(offer)]++;
    }
    banked_note_turn(channel);
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
                                 const wm_banked_request *offer, uint32_t bank)
{
    const uint16_t ring = banked_ring(channel, 1, bank);
    uint16_t index = channel->link[ring].next;
    while (index != ring) {
        const banked_entry *entry = &channel->entry[index];
        if (entry->request.row == offer->row &&
            wm_banked_column_of(&entry->request) ==
                wm_banked_column_of(offer)) {
            return index;
        }
        index = channel->link[index].next;
    }
    return NO_ENTRY;
}

/* A queued write answers a read, or takes in a write; true when it did. */
static RARE bool queue_coalesce(wm_banked *channel,
                                const wm_banked_request *offer, uint32_t bank,
                                uint32_t list, int64_t clock)
{
    if (channel->n_writes_at[banked_write_slot(offer)] == 0) {
        return false;
    }
    const uint16_t index = queue_find_write(channel, offer, bank);
    if (index == NO_ENTRY) {
        return false;
    }
    banked_entry *entry = &channel->entry[index];
    if (entry->atoms != entry->all_atoms) {
        return false;
    }
    if (list != 0) {
        entry->atoms |= (uint8_t)wm_banked_atoms_of(offer);
        entry->all_atoms = entry->atoms;
        channel->stats.n_merged++;
        return true;
    }
    if ((wm_banked_atoms_of(offer) & ~(uint32_t)entry->atoms) != 0) {
        return false;
    }
    channel->stats.n_forwarded++;
    banked_complete(channel, wm_banked_token_of(offer), clock,
                    (int64_t)offer->due, clock + channel->params.forward_ticks);
    return true;
}

/* Whether a new entry can be its bank's first hit or first other. */
static inline bool queue_matters(const wm_banked *channel, uint64_t row,
                                 uint32_t bank, uint32_t list)
{
    const uint64_t bit = UINT64_C(1) << bank;
    if ((channel->is_active & bit) != 0 || list != channel->is_writing) {
        return false;
    }
    if (channel->params.is_hit_first || channel->params.hit_cap != 0) {
        return true;
    }
    if ((channel->is_open & bit) == 0) {
        return (channel->row_act & bit) == 0;
    }
    if (channel->row[bank] == row) {
        return ((channel->col_rd | channel->col_wr) & bit) == 0;
    }
    return (channel->row_pre & bit) == 0;
}

/* Takes the offer into a queue, of reads or of writes; false when that has no
 * room. */
static SPECIALISED bool queue_take(wm_banked *channel,
                                   const wm_banked_request *offer,
                                   uint32_t list, int64_t clock)
{
    const uint32_t bank = wm_banked_bank_of(offer);
    if (channel->n_queued[1] != 0 &&
        queue_coalesce(channel, offer, bank, list, clock)) {
        return true;
    }
    if (channel->n_queued[list] == channel->room[list]) {
        channel->is_blocked = true;
        return false;
    }
    if (channel->next_age == AGES) {
        wm_banked_renumber(channel);
    }
    const bool matters = queue_matters(channel, offer->row, bank, list);
    queue_link(channel, offer, bank, list, clock);
    queue_wake(channel, bank, clock);
    channel->view.n_reads_open += 1 - list;
    if (matters) {
        wm_banked_choose(channel, bank);
    }
    return true;
}

/* Reads have no room: whether the next offer is one, and no write may answer
 * it. */
static inline bool queue_is_held(const wm_banked *channel)
{
    const wm_banked_request *offer =
        &channel->view
             .offer[channel->view.offer_head & channel->view.offer_mask];
    return channel->n_queued[1] == 0 && channel->view.n_offers != 0 &&
           !wm_banked_is_write(offer);
}

void wm_banked_admit(wm_banked *channel, int64_t tick)
{
    const int64_t clock = tick - 1;
    /* 0: any number */
    uint32_t n_left = channel->params.offers - 1;
    do {
        const wm_banked_request *offer =
            &channel->view
                 .offer[channel->view.offer_head & channel->view.offer_mask];
        if ((int64_t)offer->due > clock) {
            return;
        }
        if (wm_banked_is_write(offer)) {
            if (!queue_take(channel, offer, 1, clock)) {
                return;
            }
            channel->stats.n_writes++;
        } else {
            if (!queue_take(channel, offer, 0, clock)) {
                return;
            }
            channel->stats.n_reads++;
        }
        channel->last_admitted = clock;
        channel->view.offer_head++;
        channel->view.n_offers--;
        if (channel->n_queued[0] == channel->room[0] &&
            queue_is_held(channel)) {
            channel->is_blocked = true;
            return;
        }
    } while (channel->view.n_offers != 0 && n_left-- != 0);
}

/* --- candidates ----------------------------------------------------------- */
static void queue_set_column(wm_banked *channel, uint32_t bank, uint16_t index)
{
    const uint64_t bit = UINT64_C(1) << bank;
    const int16_t *at = channel->rd_at;
    channel->col_entry[bank] = index;
    channel->col_age[bank] = channel->entry[index].age;
    if (wm_banked_is_write(&channel->entry[index].request)) {
        channel->col_wr |= bit;
        at = channel->wr_at;
    } else {
        channel->col_rd |= bit;
    }
    const int64_t tick = channel->base + at[bank];
    channel->col_soon = tick < channel->col_soon ? tick : channel->col_soon;
}

static void queue_clear_row(wm_banked *channel, uint32_t bank)
{
    const uint64_t others = ~(UINT64_C(1) << bank);
    channel->row_act &= others;
    channel->row_pre &= others;
    channel->act_in[bank] = LANE_OUT;
    channel->pre_in[bank] = LANE_OUT;
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
static RARE void queue_choose_open(wm_banked *channel, uint32_t bank)
{
    const uint64_t row = channel->row[bank];
    const uint32_t cap = channel->params.hit_cap;
    uint16_t hit = NO_ENTRY;
    uint16_t other = NO_ENTRY;
    const uint16_t ring = banked_ring(channel, channel->is_writing, bank);
    for (uint16_t i = channel->link[ring].next;
         i != ring && (hit == NO_ENTRY || other == NO_ENTRY);
         i = channel->link[i].next) {
        if (channel->entry[i].request.row != row) {
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
    channel->pre_in[bank] = LANE_IN;
}

void wm_banked_choose_active(wm_banked *channel, uint32_t bank)
{
    /* The oldest by admission tick; of one tick, the first activated. */
    const uint16_t index = channel->active_entry[bank];
    const int64_t arrive = channel->entry[index].arrive;
    const int64_t wait = channel->last_act[bank] - arrive;
    channel->active_age[bank] =
        (uint64_t)arrive << 16 | (wait < 65535 ? (uint64_t)wait : 65535);
    queue_clear_row(channel, bank);
    queue_set_column(channel, bank, index);
}

void wm_banked_choose(wm_banked *channel, uint32_t bank)
{
    const uint64_t bit = UINT64_C(1) << bank;
    channel->col_rd &= ~bit;
    channel->col_wr &= ~bit;
    queue_clear_row(channel, bank);
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
    channel->act_in[bank] = LANE_IN;
}

void wm_banked_choose_hit(wm_banked *channel, uint32_t bank, uint16_t from)
{
    const uint64_t bit = UINT64_C(1) << bank;
    const uint64_t row = channel->row[bank];
    const uint16_t ring = banked_ring(channel, channel->is_writing, bank);
    channel->col_rd &= ~bit;
    channel->col_wr &= ~bit;
    while (from != ring && channel->entry[from].request.row != row) {
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
    banked_note_turn(channel);
    wm_banked_choose_all(channel);
}
