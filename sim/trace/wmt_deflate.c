/*
 * wmt_deflate.c -- see wmt_deflate.h.
 *
 * Payloads are cut into blocks.  A block is a run of sequences, each so many
 * literal bytes and then a repeat, and is stored or gets Huffman codes of its
 * own, whichever is shorter (RFC 1951).
 */
#include "trace/wmt_deflate.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "trace/wmt_huffman.h"
#include "trace/wmt_layout.h"

#define HASH_BITS      15u
#define WAYS           2u
#define WINDOW         32768u
#define LENGTH_MIN     4u
#define LENGTH_MAX     258u
#define HEAD_BLOCK     ((size_t)1 << 15)
#define LIST_BLOCK     ((size_t)1 << 16)
#define STORED_MAX     65535u
#define BLOCK_SEQS_MAX (LIST_BLOCK / LENGTH_MIN + 2)
#define ADLER_MODULUS  65521u
#define ADLER_RUN      5552u /* bytes whose sums fit 32 bits */

typedef struct sequence {
    uint32_t n_literals;
    uint16_t length; /* 0: none, at a block's end */
    uint16_t distance;
} sequence;

/* Where lists begin, those not yet passed. */
typedef struct marks {
    const uint32_t *at;
    size_t n;
    size_t base;
} marks;

struct wm_wmt_deflater {
    uint32_t last[1u << HASH_BITS][WAYS]; /* places + 1, youngest first */
    sequence sequences[BLOCK_SEQS_MAX];
    size_t n_sequences;
    wm_huffman_block block;
    uint8_t *packed;
    size_t cap_packed;
    wm_huffman_bits bits;
};

wm_wmt_deflater *wm_wmt_deflater_new(void)
{
    return calloc(1, sizeof(wm_wmt_deflater));
}

void wm_wmt_deflater_free(wm_wmt_deflater *deflater)
{
    if (deflater != NULL) {
        free(deflater->packed);
        free(deflater);
    }
}

/* The places known whose four bytes may be these, youngest first. */
static inline uint32_t *places_of(wm_wmt_deflater *d, uint32_t word)
{
    return d->last[word * UINT32_C(0x9e3779b1) >> (32 - HASH_BITS)];
}

static inline void remember(uint32_t *places, size_t at)
{
    places[1] = places[0];
    places[0] = (uint32_t)at + 1;
}

/* How far a and b agree, at most n bytes. */
static uint32_t agreement(const uint8_t *a, const uint8_t *b, uint32_t n)
{
    uint32_t i = 0;
    while (i + 8 <= n) {
        uint64_t differs = wm_load_le64(a + i) ^ wm_load_le64(b + i);
        if (differs != 0) {
            return i + wm_lowest_bit(differs) / 8;
        }
        i += 8;
    }
    while (i < n && a[i] == b[i]) {
        i++;
    }
    return i;
}

/* The longest repeat at `at` among the places known; the place itself is
 * remembered. */
static uint32_t find_repeat(wm_wmt_deflater *d, const uint8_t *bytes, size_t at,
                            size_t end, uint32_t *distance)
{
    uint32_t word = wm_wmt_get_u32(bytes + at);
    uint32_t *places = places_of(d, word);
    uint32_t n_max = end - at < LENGTH_MAX ? (uint32_t)(end - at) : LENGTH_MAX;
    uint32_t best = 0;
    for (uint32_t i = 0; i < WAYS; i++) {
        size_t from = places[i];
        if (from-- == 0 || at - from > WINDOW ||
            wm_wmt_get_u32(bytes + from) != word) {
            continue;
        }
        uint32_t n = agreement(bytes + from, bytes + at, n_max);
        if (n > best) {
            best = n;
            *distance = (uint32_t)(at - from);
        }
    }
    remember(places, at);
    return best >= LENGTH_MIN ? best : 0;
}

static void add_sequence(wm_wmt_deflater *d, const uint8_t *literals,
                         size_t n_literals, uint32_t length, uint32_t distance)
{
    wm_huffman_count_literals(&d->block, literals, n_literals);
    if (length != 0) {
        wm_huffman_count_repeat(&d->block, length, distance);
    }
    d->sequences[d->n_sequences++] =
        (sequence){(uint32_t)n_literals, (uint16_t)length, (uint16_t)distance};
}

/* Sequences of the block from `at` to `end`, every place looked at. */
static void scan_bytes(wm_wmt_deflater *d, const uint8_t *bytes, size_t at,
                       size_t end)
{
    size_t first = at;
    while (at + LENGTH_MIN <= end) {
        uint32_t distance = 0;
        uint32_t length = find_repeat(d, bytes, at, end, &distance);
        if (length == 0) {
            at++;
            continue;
        }
        if (length < 32 && at + 1 + LENGTH_MIN <= end) {
            /* A longer one may begin at the next byte. */
            uint32_t next = 0;
            uint32_t longer = find_repeat(d, bytes, at + 1, end, &next);
            if (longer > length + 1) {
                at++;
                length = longer;
                distance = next;
            }
        }
        add_sequence(d, bytes + first, at - first, length, distance);
        size_t behind = at + length;
        for (at += 2; at < behind && at + LENGTH_MIN <= end; at++) {
            remember(places_of(d, wm_wmt_get_u32(bytes + at)), at);
        }
        at = first = behind;
    }
    add_sequence(d, bytes + first, end - first, 0, 0);
}

/* The same for lists, looking at their starts only. */
static void scan_lists(wm_wmt_deflater *d, const uint8_t *bytes, size_t at,
                       size_t end, marks *lists)
{
    size_t first = at;
    for (; lists->n > 0; lists->at++, lists->n--) {
        uint32_t distance = 0;
        uint32_t length = 0;
        at = lists->base + *lists->at;
        if (at + LENGTH_MIN > end) {
            break;
        }
        /* Else it would repeat itself. */
        bool is_empty = lists->n > 1 && lists->at[0] == lists->at[1];
        if (at >= first && !is_empty) {
            length = find_repeat(d, bytes, at, end, &distance);
        }
        while (length != 0) {
            add_sequence(d, bytes + first, at - first, length, distance);
            first = at = at + length;
            /* One that is longer than a repeat can be goes on. */
            uint32_t n_max =
                end - at < LENGTH_MAX ? (uint32_t)(end - at) : LENGTH_MAX;
            uint32_t more =
                length < LENGTH_MAX
                    ? 0
                    : agreement(bytes + at - distance, bytes + at, n_max);
            length = more >= LENGTH_MIN ? more : 0;
        }
    }
    add_sequence(d, bytes + first, end - first, 0, 0);
}

static void write_stored(wm_wmt_deflater *d, const uint8_t *bytes, size_t n,
                         bool is_last)
{
    do {
        size_t n_part = n < STORED_MAX ? n : STORED_MAX;
        wm_huffman_put(&d->bits, is_last && n_part == n, 3);
        wm_huffman_align(&d->bits);
        wm_huffman_put(&d->bits, n_part, 16);
        wm_huffman_put(&d->bits, n_part ^ 0xffff, 16);
        wm_huffman_align(&d->bits);
        memcpy(d->bits.at, bytes, n_part);
        d->bits.at += n_part;
        bytes += n_part;
        n -= n_part;
    } while (n != 0);
}

static void write_block(wm_wmt_deflater *d, const uint8_t *bytes, size_t n,
                        bool is_last)
{
    uint64_t n_bits = wm_huffman_close(&d->block);
    if (n_bits / 8 >= n) {
        write_stored(d, bytes, n, is_last);
        return;
    }
    wm_huffman_put(&d->bits, (is_last ? 1u : 0u) | 2u << 1, 3);
    wm_huffman_write_codes(&d->block, &d->bits);
    for (size_t i = 0; i < d->n_sequences; i++) {
        const sequence *s = &d->sequences[i];
        wm_huffman_write_literals(&d->block, &d->bits, bytes, s->n_literals);
        bytes += s->n_literals + s->length;
        if (s->length != 0) {
            wm_huffman_write_repeat(&d->block, &d->bits, s->length,
                                    s->distance);
        }
    }
    wm_huffman_write_end(&d->block, &d->bits);
}

static uint32_t adler32(const uint8_t *bytes, size_t n)
{
    uint32_t a = 1;
    uint32_t b = 0;
    while (n != 0) {
        size_t run = n < ADLER_RUN ? n : ADLER_RUN;
        for (size_t i = 0; i < run; i++) {
            a += bytes[i];
            b += a;
        }
        a %= ADLER_MODULUS;
        b %= ADLER_MODULUS;
        bytes += run;
        n -= run;
    }
    return b << 16 | a;
}

bool wm_wmt_deflate(wm_wmt_deflater *deflater, const uint8_t *bytes, size_t n,
                    size_t n_head, const uint32_t *lists, size_t n_lists,
                    wm_buffer *out)
{
    wm_wmt_deflater *d = deflater;
    marks left = {lists, n_lists, n_head};
    /* No block is longer than its bytes stored. */
    if (!wm_grow(&d->packed, &d->cap_packed,
                 n + 16 * (n / HEAD_BLOCK + 2) + WM_HUFFMAN_SLACK, 1)) {
        return false;
    }
    memset(d->last, 0, sizeof(d->last));
    d->bits = (wm_huffman_bits){.at = d->packed};
    wm_huffman_put(&d->bits, 0x9c78, 16); /* zlib's head: 32 KiB, default */
    size_t at = 0;
    do {
        bool is_head = at < n_head;
        size_t n_left = (is_head ? n_head : n) - at;
        size_t n_block = is_head ? HEAD_BLOCK : LIST_BLOCK;
        n_block = n_left < n_block ? n_left : n_block;
        d->n_sequences = 0;
        wm_huffman_open(&d->block);
        if (is_head) {
            scan_bytes(d, bytes, at, at + n_block);
        } else {
            scan_lists(d, bytes, at, at + n_block, &left);
        }
        write_block(d, bytes + at, n_block, at + n_block == n);
        at += n_block;
    } while (at < n);
    wm_huffman_align(&d->bits);
    uint32_t sum = adler32(bytes, n);
    uint8_t trailer[4] = {(uint8_t)(sum >> 24), (uint8_t)(sum >> 16),
                          (uint8_t)(sum >> 8), (uint8_t)sum};
    memcpy(d->bits.at, trailer, sizeof(trailer));
    wm_buffer_add(out, d->packed,
                  (size_t)(d->bits.at - d->packed) + sizeof(trailer));
    return !out->is_failed;
}
