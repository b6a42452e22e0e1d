/*
 * wmt_huffman.c -- see wmt_huffman.h.
 */
#include "trace/wmt_huffman.h"

#include <stdlib.h>

#include "base/bits.h"

#define CODE_BITS_MAX  15u
#define TOKEN_BITS_MAX 7u
#define LITERAL_END    256u
#define LENGTH_FIRST   257u
#define LENGTH_LAST    285u /* of 258 alone, without extra bits */
#define LENGTH_MAX     258u
#define TOKEN_AGAIN    16u /* the length before, 3 to 6 times */
#define TOKEN_ZEROS    17u /* 3 to 10 zeros */
#define TOKEN_MANY     18u /* 11 to 138 zeros */
#define SYMBOL_BITS    9u

static const uint8_t token_order[WM_HUFFMAN_LENGTHS] = {
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

typedef struct place {
    uint32_t symbol;
    uint32_t n_extra;
    uint32_t extra;
} place;

static inline place length_place(uint32_t length)
{
    uint32_t x = length - 3;
    if (length == LENGTH_MAX) {
        return (place){LENGTH_LAST, 0, 0};
    }
    uint32_t n = x < 8 ? 0 : wm_highest_bit(x) - 2;
    return (place){LENGTH_FIRST + 4 * n + (x >> n), n,
                   x & (uint32_t)wm_low_mask(n)};
}

static inline place distance_place(uint32_t distance)
{
    uint32_t x = distance - 1;
    uint32_t n = x < 4 ? 0 : wm_highest_bit(x) - 1;
    return (place){2 * n + (x >> n), n, x & (uint32_t)wm_low_mask(n)};
}

void wm_huffman_open(wm_huffman_block *block)
{
    memset(block, 0, sizeof(*block));
}

void wm_huffman_count_literals(wm_huffman_block *block, const uint8_t *bytes,
                               size_t n)
{
    for (size_t i = 0; i < n; i++) {
        block->literal_counts[bytes[i]]++;
    }
}

void wm_huffman_count_repeat(wm_huffman_block *block, uint32_t length,
                             uint32_t distance)
{
    place l = length_place(length);
    place d = distance_place(distance);
    block->literal_counts[l.symbol]++;
    block->distance_counts[d.symbol]++;
    block->n_extra_bits += l.n_extra + d.n_extra;
}

/* --- lengths of codes, from counts ---------------------------------------- */

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Count and symbol of those that occur, rarest first.  A code of one symbol
 * alone is not complete: others stand in. */
static uint32_t sort_symbols(const uint32_t *counts, uint32_t n, uint64_t *keys)
{
    uint32_t n_used = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (counts[i] != 0) {
            keys[n_used++] = (uint64_t)counts[i] << SYMBOL_BITS | i;
        }
    }
    for (uint32_t i = 0; i < n && n_used < 2; i++) {
        if (counts[i] == 0) {
            keys[n_used++] = UINT64_C(1) << SYMBOL_BITS | i;
        }
    }
    qsort(keys, n_used, sizeof(*keys), compare_keys);
    return n_used;
}

/*
 * How many codes of each length Huffman's tree has, at most length_max; keys
 * sorted.  Two queues: the symbols, and the joined nodes in the order of their
 * making, which is that of their counts.
 */
static void count_lengths(const uint64_t *keys, uint32_t n, uint32_t length_max,
                          uint32_t *n_of)
{
    uint64_t weight[WM_HUFFMAN_LITERALS];
    uint32_t parent[2 * WM_HUFFMAN_LITERALS];
    uint32_t depth[2 * WM_HUFFMAN_LITERALS];
    uint32_t leaf = 0;
    uint32_t joined = 0;
    for (uint32_t made = 0; made + 1 < n; made++) {
        weight[made] = 0;
        for (uint32_t i = 0; i < 2; i++) {
            bool is_leaf =
                leaf < n &&
                (joined >= made || keys[leaf] >> SYMBOL_BITS <= weight[joined]);
            weight[made] +=
                is_leaf ? keys[leaf] >> SYMBOL_BITS : weight[joined];
            parent[is_leaf ? leaf++ : n + joined++] = n + made;
        }
    }
    depth[2 * n - 2] = 0;
    memset(n_of, 0, (CODE_BITS_MAX + 1) * sizeof(*n_of));
    for (uint32_t i = 2 * n - 2; i-- > 0;) {
        depth[i] = depth[parent[i]] + 1;
        if (i < n) {
            n_of[depth[i] < length_max ? depth[i] : length_max]++;
        }
    }
    /* Codes cut short take more than there is: longer ones make room. */
    uint32_t taken = 0;
    for (uint32_t l = 1; l <= length_max; l++) {
        taken += n_of[l] << (length_max - l);
    }
    for (; taken > UINT32_C(1) << length_max; taken--) {
        uint32_t l = length_max - 1;
        while (n_of[l] == 0) {
            l--;
        }
        n_of[l]--;
        n_of[l + 1] += 2;
        n_of[length_max]--;
    }
}

/* Canonical codes, their bits turned round as deflate writes them. */
static void make_codes(const uint8_t *lengths, uint32_t n, uint16_t *codes)
{
    uint32_t next[CODE_BITS_MAX + 2] = {0};
    uint32_t n_of[CODE_BITS_MAX + 1] = {0};
    for (uint32_t i = 0; i < n; i++) {
        n_of[lengths[i]]++;
    }
    n_of[0] = 0;
    for (uint32_t l = 1; l <= CODE_BITS_MAX; l++) {
        next[l + 1] = (next[l] + n_of[l]) << 1;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t code = lengths[i] == 0 ? 0 : next[lengths[i]]++;
        uint32_t turned = 0;
        for (uint32_t l = 0; l < lengths[i]; l++) {
            turned = turned << 1 | (code >> l & 1);
        }
        codes[i] = (uint16_t)turned;
    }
}

static void make_lengths(const uint32_t *counts, uint32_t n,
                         uint32_t length_max, uint8_t *lengths)
{
    uint64_t keys[WM_HUFFMAN_LITERALS];
    uint32_t n_of[CODE_BITS_MAX + 1];
    uint32_t n_used = sort_symbols(counts, n, keys);
    count_lengths(keys, n_used, length_max, n_of);
    memset(lengths, 0, n);
    uint32_t i = 0;
    for (uint32_t l = length_max; l > 0; l--) {
        for (uint32_t k = 0; k < n_of[l]; k++) {
            lengths[keys[i++] & wm_low_mask(SYMBOL_BITS)] = (uint8_t)l;
        }
    }
}

/* --- the lengths as they are written -------------------------------------- */

static void add_token(wm_huffman_block *b, uint32_t token, uint32_t repeats)
{
    b->tokens[b->n_tokens] = (uint8_t)token;
    b->repeats[b->n_tokens++] = (uint8_t)repeats;
}

static void make_tokens(wm_huffman_block *b, const uint8_t *lengths, uint32_t n)
{
    b->n_tokens = 0;
    for (uint32_t i = 0; i < n;) {
        uint32_t run = 1;
        while (i + run < n && lengths[i + run] == lengths[i]) {
            run++;
        }
        if (lengths[i] == 0 && run >= 11) {
            run = run < 138 ? run : 138;
            add_token(b, TOKEN_MANY, run - 11);
        } else if (lengths[i] == 0 && run >= 3) {
            add_token(b, TOKEN_ZEROS, run - 3);
        } else if (i > 0 && lengths[i] == lengths[i - 1] && run >= 3) {
            run = run < 6 ? run : 6;
            add_token(b, TOKEN_AGAIN, run - 3);
        } else {
            run = 1;
            add_token(b, lengths[i], 0);
        }
        i += run;
    }
}

static uint32_t token_extra(uint32_t token)
{
    return token == TOKEN_AGAIN   ? 2
           : token == TOKEN_ZEROS ? 3
           : token == TOKEN_MANY  ? 7
                                  : 0;
}

/* Bits of the block's head. */
static uint64_t close_lengths(wm_huffman_block *b)
{
    uint8_t lengths[WM_HUFFMAN_LITERALS + WM_HUFFMAN_DISTANCES];
    uint32_t counts[WM_HUFFMAN_LENGTHS] = {0};
    uint64_t n_bits = 3 + 5 + 5 + 4;
    b->n_literals = WM_HUFFMAN_LITERALS;
    while (b->literal_lengths[b->n_literals - 1] == 0) {
        b->n_literals--; /* the end has a code: never below it */
    }
    b->n_distances = WM_HUFFMAN_DISTANCES;
    while (b->distance_lengths[b->n_distances - 1] == 0) {
        b->n_distances--;
    }
    memcpy(lengths, b->literal_lengths, b->n_literals);
    memcpy(lengths + b->n_literals, b->distance_lengths, b->n_distances);
    make_tokens(b, lengths, b->n_literals + b->n_distances);
    for (uint32_t i = 0; i < b->n_tokens; i++) {
        counts[b->tokens[i]]++;
    }
    make_lengths(counts, WM_HUFFMAN_LENGTHS, TOKEN_BITS_MAX, b->token_lengths);
    make_codes(b->token_lengths, WM_HUFFMAN_LENGTHS, b->token_codes);
    b->n_token_lengths = WM_HUFFMAN_LENGTHS;
    while (b->n_token_lengths > 4 &&
           b->token_lengths[token_order[b->n_token_lengths - 1]] == 0) {
        b->n_token_lengths--;
    }
    for (uint32_t i = 0; i < WM_HUFFMAN_LENGTHS; i++) {
        n_bits += (uint64_t)counts[i] * (b->token_lengths[i] + token_extra(i));
    }
    return n_bits + UINT64_C(3) * b->n_token_lengths;
}

uint64_t wm_huffman_close(wm_huffman_block *block)
{
    wm_huffman_block *b = block;
    b->literal_counts[LITERAL_END] = 1;
    make_lengths(b->literal_counts, WM_HUFFMAN_LITERALS, CODE_BITS_MAX,
                 b->literal_lengths);
    make_lengths(b->distance_counts, WM_HUFFMAN_DISTANCES, CODE_BITS_MAX,
                 b->distance_lengths);
    make_codes(b->literal_lengths, WM_HUFFMAN_LITERALS, b->literal_codes);
    make_codes(b->distance_lengths, WM_HUFFMAN_DISTANCES, b->distance_codes);
    uint64_t n_bits = b->n_extra_bits;
    for (uint32_t i = 0; i < WM_HUFFMAN_LITERALS; i++) {
        n_bits += (uint64_t)b->literal_counts[i] * b->literal_lengths[i];
    }
    for (uint32_t i = 0; i < WM_HUFFMAN_DISTANCES; i++) {
        n_bits += (uint64_t)b->distance_counts[i] * b->distance_lengths[i];
    }
    return n_bits + close_lengths(b);
}

/* --- writing -------------------------------------------------------------- */

void wm_huffman_write_codes(const wm_huffman_block *block,
                            wm_huffman_bits *bits)
{
    const wm_huffman_block *b = block;
    wm_huffman_put(bits, b->n_literals - 257, 5);
    wm_huffman_put(bits, b->n_distances - 1, 5);
    wm_huffman_put(bits, b->n_token_lengths - 4, 4);
    for (uint32_t i = 0; i < b->n_token_lengths; i++) {
        wm_huffman_put(bits, b->token_lengths[token_order[i]], 3);
    }
    for (uint32_t i = 0; i < b->n_tokens; i++) {
        uint32_t token = b->tokens[i];
        wm_huffman_put(bits, b->token_codes[token], b->token_lengths[token]);
        wm_huffman_put(bits, b->repeats[i], token_extra(token));
    }
}

void wm_huffman_write_literals(const wm_huffman_block *block,
                               wm_huffman_bits *bits, const uint8_t *bytes,
                               size_t n)
{
    const wm_huffman_block *b = block;
    wm_huffman_bits to = *bits;
    size_t i = 0;
    /* Three codes have 45 bits at most. */
    for (; i + 3 <= n; i += 3) {
        uint64_t three = b->literal_codes[bytes[i]];
        uint32_t n_bits = b->literal_lengths[bytes[i]];
        three |= (uint64_t)b->literal_codes[bytes[i + 1]] << n_bits;
        n_bits += b->literal_lengths[bytes[i + 1]];
        three |= (uint64_t)b->literal_codes[bytes[i + 2]] << n_bits;
        n_bits += b->literal_lengths[bytes[i + 2]];
        wm_huffman_put(&to, three, n_bits);
    }
    for (; i < n; i++) {
        wm_huffman_put(&to, b->literal_codes[bytes[i]],
                       b->literal_lengths[bytes[i]]);
    }
    *bits = to;
}

void wm_huffman_write_repeat(const wm_huffman_block *block,
                             wm_huffman_bits *bits, uint32_t length,
                             uint32_t distance)
{
    const wm_huffman_block *b = block;
    place l = length_place(length);
    place d = distance_place(distance);
    uint64_t all = b->literal_codes[l.symbol];
    uint32_t n_bits = b->literal_lengths[l.symbol];
    all |= (uint64_t)l.extra << n_bits;
    n_bits += l.n_extra;
    all |= (uint64_t)b->distance_codes[d.symbol] << n_bits;
    n_bits += b->distance_lengths[d.symbol];
    all |= (uint64_t)d.extra << n_bits;
    wm_huffman_put(bits, all, n_bits + d.n_extra); /* 48 at most */
}

void wm_huffman_write_end(const wm_huffman_block *block, wm_huffman_bits *bits)
{
    wm_huffman_put(bits, block->literal_codes[LITERAL_END],
                   block->literal_lengths[LITERAL_END]);
}
