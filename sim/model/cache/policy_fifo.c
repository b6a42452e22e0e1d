/*
 * policy_fifo.c -- first in, first out: a pointer that goes round the ways.
 *
 * Filling the way under the pointer moves it on, so that after any order of
 * first fills that rises from way 0 it stands on the oldest line.  A hit
 * changes nothing; but a touch between victim() and insert() says that the
 * victim cannot leave, and the pointer passes it by.
 */
#include "model/cache/policy_internal.h"

typedef struct fifo_row {
    uint32_t next;
    uint32_t is_asked; /* victim() was the last call */
} fifo_row;

static wm_status fifo_check(uint32_t ways, wm_error *err)
{
    return wm_policy_check_ways("fifo", ways, err);
}

static size_t fifo_row_bytes(uint32_t ways)
{
    (void)ways;
    return sizeof(fifo_row);
}

static void fifo_init(void *row, uint32_t ways, uint64_t seed)
{
    fifo_row *fifo = row;
    (void)ways;
    (void)seed;
    fifo->next = 0;
    fifo->is_asked = 0;
}

static void fifo_insert(void *row, uint32_t ways, uint32_t way)
{
    fifo_row *fifo = row;
    if (way == fifo->next) {
        fifo->next = way + 1 == ways ? 0 : way + 1;
    }
    fifo->is_asked = 0;
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
    (void)ways;
    fifo->is_asked = 1;
    return fifo->next;
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
