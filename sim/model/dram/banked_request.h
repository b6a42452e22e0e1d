/*
 * banked_request.h -- what is pushed to a banked channel.
 *
 * Units    ticks of the standard; atoms.
 * Threads  plain data.
 */
#ifndef WM_MODEL_DRAM_BANKED_REQUEST_H
#define WM_MODEL_DRAM_BANKED_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "model/dram/mapping.h"

/* Some atoms of one row.  What is short lies in one word, so that a request
 * just made is copied without waiting for the stores that made it. */
typedef struct wm_banked_request {
    uint64_t row;
    uint64_t due; /* may be admitted after this tick */
    /* from bit 0: token, which names a read in wm_banked_next; 32: column of
     * the first atom; 48: bank; 55: a write; 56: atoms, bit i: column + i */
    uint64_t what;
} wm_banked_request;

static inline wm_banked_request
wm_banked_request_of(const wm_dram_place *place, uint64_t due, uint32_t atoms,
                     bool is_write, uint32_t token)
{
    const wm_banked_request request = {
        place->row, due,
        token | (uint64_t)place->column << 32 | (uint64_t)place->bank << 48 |
            (uint64_t)is_write << 55 | (uint64_t)atoms << 56};
    return request;
}

static inline uint32_t wm_banked_token_of(const wm_banked_request *request)
{
    return (uint32_t)request->what;
}

static inline uint32_t wm_banked_column_of(const wm_banked_request *request)
{
    return (uint32_t)(request->what >> 32) & UINT16_MAX;
}

static inline uint32_t wm_banked_bank_of(const wm_banked_request *request)
{
    return (uint32_t)(request->what >> 48) & 127;
}

static inline bool wm_banked_is_write(const wm_banked_request *request)
{
    return (request->what >> 55 & 1) != 0;
}

static inline uint32_t wm_banked_atoms_of(const wm_banked_request *request)
{
    return (uint32_t)(request->what >> 56);
}

#endif
