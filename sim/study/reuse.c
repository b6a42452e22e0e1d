/*
 * reuse.c -- LRU stack distances of one cache unit.
 */
#include "study/reuse.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

#define BLOCK_BITS  512u
#define BLOCK_WORDS (BLOCK_BITS / 64)
#define FIRST_TABLE 64u

void wm_reuse_init(wm_reuse *reuse)
{
    memset(reuse, 0, sizeof(*reuse));
}

void wm_reuse_fini(wm_reuse *reuse)
{
    free(reuse->table);
    free(reuse->bits);
    free(reuse->sums);
    wm_reuse_init(reuse);
}

void wm_reuse_clear(wm_reuse *reuse)
{
    if (reuse->n_lines == 0) {
        return;
    }
    memset(reuse->table, 0,
           ((size_t)reuse->mask + 1) * sizeof(reuse->table[0]));
    memset(reuse->bits, 0,
           (size_t)reuse->n_blocks * BLOCK_WORDS * sizeof(reuse->bits[0]));
    memset(reuse->sums, 0,
           ((size_t)reuse->n_blocks + 1) * sizeof(reuse->sums[0]));
    reuse->n_lines = 0;
    reuse->next = 0;
}

/* --- positions ------------------------------------------------------------ */

static void sums_add(wm_reuse *reuse, uint32_t block, uint32_t difference)
{
    for (uint32_t i = block + 1; i <= reuse->n_blocks; i += i & (0 - i)) {
        reuse->sums[i] += difference;
    }
}

static void bits_flip(wm_reuse *reuse, uint32_t position, uint32_t difference)
{
    reuse->bits[position / 64] ^= UINT64_C(1) << (position % 64);
    sums_add(reuse, position / BLOCK_BITS, difference);
}

/* Bits set below position. */
static uint32_t bits_below(const wm_reuse *reuse, uint32_t position)
{
    uint32_t n = 0;
    for (uint32_t i = position / BLOCK_BITS; i != 0; i &= i - 1) {
        n += reuse->sums[i];
    }
    uint32_t word = position / BLOCK_BITS * BLOCK_WORDS;
    for (; word < position / 64; word++) {
        n += wm_popcount64(reuse->bits[word]);
    }
    return n + wm_popcount64(reuse->bits[word] & wm_low_mask(position % 64));
}

/* Sums from the bits. */
static void sums_build(wm_reuse *reuse)
{
    memset(reuse->sums, 0,
           ((size_t)reuse->n_blocks + 1) * sizeof(reuse->sums[0]));
    for (uint32_t i = 1; i <= reuse->n_blocks; i++) {
        const uint64_t *word = &reuse->bits[(size_t)(i - 1) * BLOCK_WORDS];
        for (uint32_t w = 0; w < BLOCK_WORDS; w++) {
            reuse->sums[i] += wm_popcount64(word[w]);
        }
        const uint32_t up = i + (i & (0 - i));
        if (up <= reuse->n_blocks) {
            reuse->sums[up] += reuse->sums[i];
        }
    }
}

/*
 * Renumbers the lines 0, 1, ... in the order of their last use, with room for
 * as many accesses again.  A line is moved once in at least as many accesses as
 * there are lines.
 */
static bool positions_pack(wm_reuse *reuse)
{
    const uint32_t n_wanted = 2 * reuse->n_lines / BLOCK_BITS + 2;
    for (uint32_t i = 0; reuse->n_lines != 0 && i <= reuse->mask; i++) {
        if (reuse->table[i].is_used != 0) {
            reuse->table[i].position =
                bits_below(reuse, reuse->table[i].position);
        }
    }
    if (n_wanted > reuse->n_blocks) {
        const uint32_t n = n_wanted + n_wanted / 2;
        uint64_t *bits =
            realloc(reuse->bits, (size_t)n * BLOCK_WORDS * sizeof(*bits));
        reuse->bits = bits != NULL ? bits : reuse->bits;
        uint32_t *sums = realloc(reuse->sums, ((size_t)n + 1) * sizeof(*sums));
        reuse->sums = sums != NULL ? sums : reuse->sums;
        if (bits == NULL || sums == NULL) {
            return false;
        }
        reuse->n_blocks = n;
    }
    memset(reuse->bits, 0,
           (size_t)reuse->n_blocks * BLOCK_WORDS * sizeof(reuse->bits[0]));
    for (uint32_t i = 0; i < reuse->n_lines; i++) {
        reuse->bits[i / 64] |= UINT64_C(1) << (i % 64);
    }
    sums_build(reuse);
    reuse->next = reuse->n_lines;
    return true;
}

/* --- table ---------------------------------------------------------------- */

static wm_reuse_line *table_place(wm_reuse_line *table, uint32_t mask,
                                  uint64_t line)
{
    uint32_t i = (uint32_t)wm_mix64(line) & mask;
    while (table[i].is_used != 0 && table[i].line != line) {
        i = (i + 1) & mask;
    }
    return &table[i];
}

bool wm_reuse_has(const wm_reuse *reuse, uint64_t line)
{
    return reuse->n_lines != 0 &&
           table_place(reuse->table, reuse->mask, line)->is_used != 0;
}

static bool table_grow(wm_reuse *reuse)
{
    const uint32_t n_old = reuse->table != NULL ? reuse->mask + 1 : 0;
    const uint32_t n_new = n_old != 0 ? 2 * n_old : FIRST_TABLE;
    if (n_new < n_old) {
        return false;
    }
    wm_reuse_line *table = calloc(n_new, sizeof(*table));
    if (table == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < n_old; i++) {
        if (reuse->table[i].is_used != 0) {
            *table_place(table, n_new - 1, reuse->table[i].line) =
                reuse->table[i];
        }
    }
    free(reuse->table);
    reuse->table = table;
    reuse->mask = n_new - 1;
    return true;
}

static void line_raise(wm_reuse_line *entry, uint32_t distance)
{
    for (uint32_t s = 0; s < WM_REUSE_SECTORS; s++) {
        if (entry->reach[s] < distance) {
            entry->reach[s] = distance;
        }
    }
}

wm_reuse_line *wm_reuse_touch(wm_reuse *reuse, uint64_t line)
{
    if (reuse->table == NULL || reuse->n_lines >= reuse->mask / 4 * 3) {
        if (!table_grow(reuse)) {
            return NULL;
        }
    }
    if (reuse->next == reuse->n_blocks * BLOCK_BITS && !positions_pack(reuse)) {
        return NULL;
    }
    wm_reuse_line *entry = table_place(reuse->table, reuse->mask, line);
    if (entry->is_used != 0 && entry->position + 1 == reuse->next) {
        return entry; /* used last: distance 0, and already on top */
    }
    if (entry->is_used != 0) {
        const uint32_t below = bits_below(reuse, entry->position);
        line_raise(entry, reuse->n_lines - 1 - below);
        bits_flip(reuse, entry->position, UINT32_MAX);
    } else {
        entry->line = line;
        entry->is_used = 1;
        memset(entry->reach, 0xff, sizeof(entry->reach));
        reuse->n_lines++;
    }
    entry->position = reuse->next++;
    bits_flip(reuse, entry->position, 1);
    return entry;
}
