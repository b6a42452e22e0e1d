/*
 * message_internal.h -- what travels between an SM and an L2 slice.
 */
#ifndef WM_ENGINE_MESSAGE_INTERNAL_H
#define WM_ENGINE_MESSAGE_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#define WM_WARPS_MAX  64u   /* resident on one SM: bits of a mask */
#define WM_SLOTS      32u   /* loads in flight of one warp */
#define WM_WINDOW_MAX 1024u /* cycles; arrays of one bucket per cycle */
#define WM_COUNTS_BOX 1024u /* requests an SM keeps in counts mode */

enum { WM_OP_READ, WM_OP_WRITE, WM_OP_ATOMIC, WM_OP_REDUCTION };

#define WM_NO_PAYLOAD 0xffffu
#define WM_NO_ITEM    UINT32_MAX /* the end of a list */

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define WM_IS_LOWEST_LAST 1 /* of a word's parts in memory */
#else
#define WM_IS_LOWEST_LAST 0
#endif

/* SM to slice: some sectors of one line.  What the SM asks for is written as
 * one word (wm_request_word): a struct just made from short fields is read back
 * only when the host has written all stores before.
 *     tag      READ, ATOMIC: MSHR; else warp
 *     place    READ, ATOMIC: who waits (wm_place_word)
 *     payload  WRITE: index into the SM's payloads
 *     full     WRITE: sectors written in full
 *     serial   ATOMIC, REDUCTION: lanes on the busiest address */
typedef struct wm_request {
    uint64_t line; /* the slice's local line */
    union {
        uint64_t word;
        struct {
#if WM_IS_LOWEST_LAST
            uint8_t serial, full, sectors, op;
            union {
                uint16_t place, payload;
            };
            uint16_t tag;
#else
            uint16_t tag;
            union {
                uint16_t place, payload;
            };
            uint8_t op, sectors, full, serial;
#endif
        };
    };
    uint32_t cycle; /* sent, low 32 bits; rising within one SM */
    union {
        uint16_t partition; /* until it is posted */
        uint16_t sm;        /* in the partition's box */
    };
    uint16_t slice; /* of the partition */
} wm_request;

/* place: of who waits, or WM_NO_PAYLOAD. */
static inline uint64_t wm_request_word(uint32_t tag, uint32_t place,
                                       uint32_t op, uint32_t sectors,
                                       uint32_t full, uint32_t serial)
{
    return tag | (uint64_t)place << 16 | (uint64_t)op << 32 |
           (uint64_t)sectors << 40 | (uint64_t)full << 48 |
           (uint64_t)serial << 56;
}

/* A warp and its load slot. */
static inline uint32_t wm_place_word(uint32_t warp, uint32_t slot)
{
    return warp | slot << 8;
}

/* The same in counts mode.  Where it goes is found for all of a turn at
 * once: until then `line` is the line of all, and slice, block and tag are not
 * known. */
typedef struct wm_demand {
    uint64_t line;        /* the slice's */
    uint64_t tag;         /* of the line among those of its set */
    unsigned char *block; /* of the set */
    uint16_t slice;       /* of all */
    uint8_t sectors;
    uint8_t op;
    uint8_t full;
    uint8_t serial;
    uint16_t payload;
} wm_demand;

/* Slice to SM, written as one word (wm_reply_word) and its time.
 *     tag        as in the request
 *     place      whose it is (wm_place_word)
 *     is_ack     stores and reductions
 *     n_sectors  that cross the SM's port */
typedef struct wm_reply {
    union {
        uint64_t word;
        struct {
#if WM_IS_LOWEST_LAST
            uint16_t sm;
            uint8_t n_sectors, is_ack;
            uint16_t place, tag;
#else
            uint16_t tag, place;
            uint8_t is_ack, n_sectors;
            uint16_t sm;
#endif
        };
    };
    uint32_t cycle; /* arrival, low 32 bits */
} wm_reply;

/* A reply but for its time. */
static inline uint64_t wm_reply_word(uint32_t sm, uint32_t tag, bool is_ack,
                                     uint32_t n_sectors, uint32_t place)
{
    return tag | (uint64_t)place << 16 | (uint64_t)is_ack << 32 |
           (uint64_t)n_sectors << 40 | (uint64_t)sm << 48;
}

/* The reply to a READ or an ATOMIC: its tag and its place are the request's. */
static inline uint64_t wm_reply_word_of(const wm_request *request,
                                        uint32_t n_sectors)
{
    return (request->word & UINT32_MAX) | (uint64_t)n_sectors << 40 |
           (uint64_t)request->sm << 48;
}

/* What one thread sends one partition, or one SM, in a window. */
typedef struct wm_request_box {
    wm_request *request;
    size_t n, cap;
} wm_request_box;

typedef struct wm_reply_box {
    wm_reply *reply;
    size_t n, cap;
} wm_reply_box;

#endif
