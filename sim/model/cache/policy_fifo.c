/*
 * policy_fifo.c -- first in, first out: the order in which the ways were
 * filled (ranks.h).
 *
 * A hit changes nothing; but a touch between victim() and insert() says that
 * the victim cannot leave, and it goes behind all others.  A pointer that goes
 * round the ways would do the same as long as no line is dropped: the way of a
 * dropped line is filled again out of turn.
 */
#include "model/cache/ranks.h"

/* A row: this, then the ranks. */
typedef struct fifo_row {
    uint64_t is_asked; /* victim() was the last call */
} fifo_row;

static void *fifo_ranks(void *row)
{
    return (fifo_row *)row + 1;
}

static wm_status fifo_check(uint32_t ways, wm_error *err)
{
    return wm_policy_check_ways("fifo", ways, err);
}

static size_t fifo_row_bytes(uint32_t ways)
{
    return sizeof(fifo_row) + wm_ranks_bytes(ways);
}

static void fifo_init(void *row, uint32_t ways, uint64_t seed)
{
    fifo_row *fifo = row;
    (void)seed;
    fifo->is_asked = 0;
    wm_ranks_init(fifo_ranks(row), ways);
}

static void fifo_insert(void *row, uint32_t ways, uint32_t way)
{
    fifo_row *fifo = row;
    fifo->is_asked = 0;
    wm_ranks_touch(fifo_ranks(row), ways, way);
}

static void fifo_touch(void *row, uint32_t ways, uint32_t way)
{
    const fifo_row *fifo = row;
    if (fifo->is_asked) {
        fifo_insert(row, ways, way);
    }
}

static uint32_t fifo_victim(void *row, uint32_t ways)
{
    fifo_row *fifo = row;
    fifo->is_asked = 1;
    return wm_ranks_way(fifo_ranks(row), ways, ways - 1);
}

extern const wm_policy wm_policy_fifo;
const wm_policy wm_policy_fifo = {
    .name = "fifo",
    .summary = "evict the way filled longest ago; hits change nothing",
    .check = fifo_check,
    .row_bytes = fifo_row_bytes,
    .init = fifo_init,
    .touch = fifo_touch,
    .insert = fifo_insert,
    .victim = fifo_victim,
};
