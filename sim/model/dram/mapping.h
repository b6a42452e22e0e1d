/*
 * mapping.h -- where an address of a channel lies: bank, row, column.
 *
 * The language is that of docs/DRAM.md section 3: bit lists with exclusive
 * ors,
 *     column 5 6 12-14; pc 7^5; bg 8^6 9^12; bank 10^13 11^14; row 15-
 * or one of the rules mop4clxor, robaracoch and gpu, which write such a text
 * for an organisation.
 *
 * Such a map is linear over bits, so that it is looked up eight address bits
 * at a time and joined by exclusive or.  It is checked to be one to one.
 *
 * Units      bytes for addresses; bank: 0-based number in the channel,
 *            ((pc x sids + sid) x groups + group) x banks + bank.
 * Errors     WM_ECONFIG "PLACE: found, wanted".
 * Threads    const after init.
 * Cost       one to five table look-ups per address.
 */
#ifndef WM_MODEL_DRAM_MAPPING_H
#define WM_MODEL_DRAM_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/status.h"
#include "model/dram/standard.h"

#define WM_MAPPING_TABLES 5u
#define WM_MAPPING_BITS   64u /* of an address */

typedef struct wm_mapping {
    /* Bank in bits 0-7, column in 8-23, low row bits from 24 on. */
    uint64_t table[WM_MAPPING_TABLES][256];
    uint32_t n_tables;
    uint32_t atom_shift; /* log2 of the atom */
    uint32_t row_bits;   /* of the row in the tables */
    uint32_t rest_shift; /* address bits from here on are the row's rest */
    uint32_t run_atoms;  /* aligned atoms in one row with rising columns */
    /* Address bits of each output bit, for explain. */
    uint64_t column[16], pc[2], sid[2], bg[4], bank[4], row[24];
    uint32_t n_column, n_pc, n_sid, n_bg, n_bank, n_row;
} wm_mapping;

typedef struct wm_dram_place {
    uint64_t row;
    uint32_t bank; /* of the channel */
    uint32_t column;
} wm_dram_place;

/* text: bit lists, a rule's name, or "" for the standard's own.  place starts
 * messages. */
wm_status wm_mapping_init(wm_mapping *mapping, const wm_standard *standard,
                          const char *text, const char *place, wm_error *err);

/* Appends the text of a rule for an organisation. */
wm_status wm_mapping_rule(const char *rule, const wm_standard *standard,
                          wm_buffer *out);

static inline wm_dram_place wm_mapping_place(const wm_mapping *mapping,
                                             uint64_t addr)
{
    uint64_t atoms = addr >> mapping->atom_shift;
    uint64_t x = mapping->table[0][atoms & 255];
    for (uint32_t i = 1; i < mapping->n_tables; i++) {
        x ^= mapping->table[i][(atoms >> (8 * i)) & 255];
    }
    wm_dram_place place;
    place.bank = (uint32_t)(x & 255);
    place.column = (uint32_t)(x >> 8) & 0xffff;
    place.row = x >> 24 | (addr >> mapping->rest_shift) << mapping->row_bits;
    return place;
}

#endif
