/*
 * wmt_huffman.h -- one block of a deflate stream (RFC 1951) with Huffman codes
 * of its own: what occurs is counted, the codes are made, all is written.
 * Private to the trace floor.
 *
 * Order      open; count all; close, which says how long the block will be;
 *            write the codes, then all that was counted, then the end.
 * Ownership  the caller's memory; writing needs WM_HUFFMAN_SLACK bytes behind
 *            what is written.
 * Repeatable the same counts give the same codes on every machine.
 */
#ifndef WM_TRACE_WMT_HUFFMAN_H
#define WM_TRACE_WMT_HUFFMAN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "trace/wmt_layout.h"

#define WM_HUFFMAN_SLACK 64u

#define WM_HUFFMAN_LITERALS  286u
#define WM_HUFFMAN_DISTANCES 30u
#define WM_HUFFMAN_LENGTHS   19u

/* The lowest bit first; fewer than 8 wait between two puts. */
typedef struct wm_huffman_bits {
    uint8_t *at;
    uint64_t waiting;
    uint32_t n_waiting;
} wm_huffman_bits;

typedef struct wm_huffman_block {
    uint32_t literal_counts[WM_HUFFMAN_LITERALS]; /* and ends and lengths */
    uint32_t distance_counts[WM_HUFFMAN_DISTANCES];
    uint64_t n_extra_bits;
    uint8_t literal_lengths[WM_HUFFMAN_LITERALS]; /* 0: has no code */
    uint8_t distance_lengths[WM_HUFFMAN_DISTANCES];
    uint16_t literal_codes[WM_HUFFMAN_LITERALS];
    uint16_t distance_codes[WM_HUFFMAN_DISTANCES];
    /* How the lengths themselves are written. */
    uint32_t n_literals, n_distances;
    uint8_t tokens[WM_HUFFMAN_LITERALS + WM_HUFFMAN_DISTANCES];
    uint8_t repeats[WM_HUFFMAN_LITERALS + WM_HUFFMAN_DISTANCES];
    uint32_t n_tokens;
    uint8_t token_lengths[WM_HUFFMAN_LENGTHS];
    uint16_t token_codes[WM_HUFFMAN_LENGTHS];
    uint32_t n_token_lengths;
} wm_huffman_block;

/* The n low bits of value, n at most 48, no others set. */
static inline void wm_huffman_put(wm_huffman_bits *bits, uint64_t value,
                                  uint32_t n)
{
    bits->waiting |= value << bits->n_waiting;
    bits->n_waiting += n;
    wm_wmt_put_u64(bits->at, bits->waiting);
    bits->at += bits->n_waiting / 8;
    bits->waiting >>= bits->n_waiting & 56u;
    bits->n_waiting &= 7u;
}

/* On to a whole byte. */
static inline void wm_huffman_align(wm_huffman_bits *bits)
{
    if (bits->n_waiting != 0) {
        *bits->at++ = (uint8_t)bits->waiting;
    }
    bits->waiting = 0;
    bits->n_waiting = 0;
}

void wm_huffman_open(wm_huffman_block *block);
void wm_huffman_count_literals(wm_huffman_block *block, const uint8_t *bytes,
                               size_t n);
/* length 3 to 258, distance 1 to 32,768. */
void wm_huffman_count_repeat(wm_huffman_block *block, uint32_t length,
                             uint32_t distance);
/* The bits that all writes together will take. */
uint64_t wm_huffman_close(wm_huffman_block *block);

void wm_huffman_write_codes(const wm_huffman_block *block,
                            wm_huffman_bits *bits);
void wm_huffman_write_literals(const wm_huffman_block *block,
                               wm_huffman_bits *bits, const uint8_t *bytes,
                               size_t n);
void wm_huffman_write_repeat(const wm_huffman_block *block,
                             wm_huffman_bits *bits, uint32_t length,
                             uint32_t distance);
void wm_huffman_write_end(const wm_huffman_block *block, wm_huffman_bits *bits);

#endif
