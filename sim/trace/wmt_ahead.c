/*
 * wmt_ahead.c -- see wmt_ahead.h.
 *
 * One mutex guards the ring; a slot's content belongs to the thread that has
 * claimed it.  The caller can do all of the work itself, so a helper that finds
 * none sleeps until half of the ring is free: waking up costs as much as a
 * chunk may take (some 50 us).  A thread works on the chunk that it has read,
 * which is in its cache.  One that comes while another reads looks again,
 * awake: from then on the two are out of step and seldom meet.
 */
#include "trace/wmt_ahead.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "trace/wmt_layout.h"

/* What is decoded ahead at most, in chunks as warpmem writes them, and the
 * stored or unpacked bytes above which a chunk is alone in the ring. */
#define AHEAD_RECORDS_MAX (4 * (uint64_t)WM_WMT_CHUNK_RECORDS)
#define AHEAD_LANES_MAX   (UINT64_C(1) << 21)
#define ALONE_BYTES       (UINT32_C(8) << 20)
/* What is read with a chunk's header; the rest goes where it stays. */
#define BLOCK_BYTES ((size_t)1 << 14)
/* How often a thread looks again, awake, whether another has ended reading. */
#define LOOKS_MAX 1000u
/* A CTA in a slot keeps memory for this many bytes, and this many times what a
 * CTA of its chunk needs: CTAs change hands, and sizes differ. */
#define KEEP_BYTES 4096u
#define KEEP_TIMES 8u

typedef enum slot_state { SLOT_FREE, SLOT_CLAIMED, SLOT_DONE } slot_state;

/* So many CTAs in a row have so many records each. */
typedef struct tally {
    uint32_t n_ctas;
    uint32_t n_records;
} tally;

typedef struct slot {
    wm_wmt_slot seen; /* what the caller sees */
    slot_state state;
    wm_status status; /* of reading it */
    wm_error error;
    wm_digest digest; /* of the stream, behind this chunk */
    uint64_t n_bytes_done;
    wm_wmt_unpacker *unpacker;
    wm_wmt_decoder *decoder;
    bool is_checked, is_open;
    const char *fault; /* of checking or opening */
    wm_cta *ctas;      /* decoded ahead; when counting one, for all */
    tally *tallies;    /* when counting, instead */
    size_t n_tallies, cap_tallies, next_tally;
    bool is_counted;       /* the tallies say all, nothing else is left in it */
    const char *cta_fault; /* behind the last of them */
    size_t n_ctas, cap_ctas, next_cta;
} slot;

struct wm_wmt_ahead {
    wm_stream *stream;
    uint32_t version;
    wm_digest *digest_out;
    uint64_t *n_bytes_done_out;
    wm_digest digest; /* fed by the stream */
    uint64_t n_bytes_done;
    slot *slots;
    uint32_t n_slots;
    /* When counting, a thread works in memory of its own, the caller in the
     * first: so it stays in that core's cache. */
    slot *own;
    uint32_t n_own, n_own_given;
    uint64_t head; /* number of the next chunk to read */
    uint64_t tail; /* of the one that the caller has, or waits for */
    bool has_taken;
    bool is_reading;
    bool is_ended; /* the last chunk of the file is in the ring */
    bool is_alone; /* the last chunk read is large */
    bool is_skipping;
    bool is_counting;
    bool is_over;
    uint32_t n_ctas_chunks; /* taken */
    uint32_t n_helpers, n_started;
    uint32_t n_asleep; /* helpers */
    bool is_caller_asleep;
    pthread_t *helpers;
    pthread_mutex_t mutex;
    pthread_cond_t room;  /* for helpers */
    pthread_cond_t ready; /* the caller's chunk has been read, or is done */
};

/* Gives back what a chunk that is alone in the ring has left. */
static void chunk_trim(wm_wmt_chunk *chunk)
{
    if (chunk->cap_payload > ALONE_BYTES || chunk->cap_raw > ALONE_BYTES) {
        wm_wmt_chunk_fini(chunk);
    }
}

static slot *slot_at(const wm_wmt_ahead *a, uint64_t number)
{
    return &a->slots[number % a->n_slots];
}

static bool slot_init(slot *s)
{
    wm_wmt_chunk_init(&s->seen.chunk);
    s->unpacker = wm_wmt_unpacker_new();
    s->decoder = wm_wmt_decoder_new();
    return s->unpacker != NULL && s->decoder != NULL;
}

static void slot_fini(slot *s)
{
    for (size_t i = 0; i < s->cap_ctas; i++) {
        wm_cta_fini(&s->ctas[i]);
    }
    free(s->ctas);
    free(s->tallies);
    wm_wmt_chunk_fini(&s->seen.chunk);
    wm_wmt_unpacker_free(s->unpacker);
    wm_wmt_decoder_free(s->decoder);
}

/* --- work on one slot: no lock held --------------------------------------- */

static void slot_read(wm_wmt_ahead *a, slot *s)
{
    const uint8_t *bytes = NULL;
    size_t n = 0;
    wm_wmt_chunk *chunk = &s->seen.chunk;
    s->is_checked = s->is_open = false;
    s->fault = s->cta_fault = NULL;
    s->n_ctas = s->next_cta = 0;
    s->n_tallies = s->next_tally = 0;
    s->is_counted = false;
    s->seen.has_more = false;
    s->status = wm_wmt_chunk_read(chunk, a->stream, a->version, &s->error);
    if (s->status == WM_OK && chunk->ending == WM_WMT_WHOLE &&
        chunk->type == WM_WMT_FOOT) {
        s->status = wm_stream_peek(a->stream, 1, &bytes, &n, &s->error);
        s->seen.has_more = n > 0;
    }
    s->digest = a->digest;
    s->n_bytes_done = a->n_bytes_done;
}

static void slot_check(slot *s)
{
    if (!s->is_checked) {
        s->is_checked = true;
        s->fault = wm_wmt_chunk_check(&s->seen.chunk);
    }
}

static void slot_open(const wm_wmt_ahead *a, slot *s)
{
    slot_check(s);
    if (s->is_open || s->fault != NULL) {
        return;
    }
    s->is_open = true;
    s->fault = wm_wmt_chunk_unpack(&s->seen.chunk, a->version, s->unpacker,
                                   &s->seen.payload);
    if (s->fault == NULL && s->seen.chunk.type == WM_WMT_CTAS) {
        s->fault =
            wm_wmt_decoder_open(s->decoder, &s->seen.payload, &s->seen.head);
    }
}

/* Gives back memory that a far larger CTA has left. */
static void cta_trim(wm_cta *cta, uint64_t n_records, uint64_t n_lanes)
{
    uint64_t record_bytes = n_records * sizeof(*cta->records);
    uint64_t lane_bytes = n_lanes * sizeof(*cta->lanes);
    if (cta->cap_records * sizeof(*cta->records) >
            KEEP_BYTES + KEEP_TIMES * record_bytes ||
        cta->cap_lanes * sizeof(*cta->lanes) >
            KEEP_BYTES + KEEP_TIMES * lane_bytes) {
        wm_cta_fini(cta);
    }
}

static bool slot_reserve(slot *s, size_t n_ctas)
{
    size_t before = s->cap_ctas;
    if (!wm_grow(&s->ctas, &s->cap_ctas, n_ctas, sizeof(*s->ctas))) {
        return false;
    }
    for (size_t i = before; i < s->cap_ctas; i++) {
        wm_cta_init(&s->ctas[i]);
    }
    return true;
}

/* All CTAs of an opened chunk, where their size is bounded. */
static void slot_decode(slot *s)
{
    uint64_t n_records = 0;
    uint64_t n_lanes = 0;
    uint64_t n_ctas = (uint64_t)wm_wmt_decoder_n_left(s->decoder) + 1;
    wm_wmt_decoder_measure(s->decoder, &n_records, &n_lanes);
    if (n_records > AHEAD_RECORDS_MAX || n_lanes > AHEAD_LANES_MAX) {
        return;
    }
    while (s->cta_fault == NULL && wm_wmt_decoder_n_left(s->decoder) > 0) {
        if (!slot_reserve(s, s->n_ctas + 1)) {
            return; /* the caller decodes the rest one by one */
        }
        wm_cta *cta = &s->ctas[s->n_ctas];
        cta_trim(cta, n_records / n_ctas, n_lanes / n_ctas);
        s->cta_fault = wm_wmt_decoder_next(s->decoder, cta);
        s->n_ctas += s->cta_fault == NULL;
    }
}

/* The same, but only their numbers of records are kept: the memory of one CTA
 * serves for all and stays in the thread's cache. */
static void slot_count(slot *s)
{
    if (!wm_wmt_decoder_is_within(s->decoder, AHEAD_RECORDS_MAX,
                                  AHEAD_LANES_MAX) ||
        !slot_reserve(s, 1)) {
        return;
    }
    const wm_cta *cta = &s->ctas[0];
    while (s->cta_fault == NULL && wm_wmt_decoder_n_left(s->decoder) > 0) {
        if (!wm_grow(&s->tallies, &s->cap_tallies, s->n_tallies + 1,
                     sizeof(*s->tallies))) {
            return;
        }
        s->cta_fault = wm_wmt_decoder_next(s->decoder, &s->ctas[0]);
        if (s->cta_fault == NULL && s->n_tallies > 0 &&
            s->tallies[s->n_tallies - 1].n_records == cta->n_records) {
            s->tallies[s->n_tallies - 1].n_ctas++;
        } else if (s->cta_fault == NULL) {
            s->tallies[s->n_tallies++] = (tally){1, (uint32_t)cta->n_records};
        }
    }
    s->is_counted = true;
}

#define SWAP(type, a, b)                                                       \
    do {                                                                       \
        type kept = (a);                                                       \
        (a) = (b);                                                             \
        (b) = kept;                                                            \
    } while (0)

/* The memory of two slots changes places. */
static void slot_swap(slot *a, slot *b)
{
    wm_wmt_chunk *x = &a->seen.chunk;
    wm_wmt_chunk *y = &b->seen.chunk;
    SWAP(uint8_t *, x->payload, y->payload);
    SWAP(size_t, x->cap_payload, y->cap_payload);
    SWAP(uint8_t *, x->raw, y->raw);
    SWAP(size_t, x->cap_raw, y->cap_raw);
    SWAP(wm_wmt_unpacker *, a->unpacker, b->unpacker);
    SWAP(wm_wmt_decoder *, a->decoder, b->decoder);
    SWAP(wm_cta *, a->ctas, b->ctas);
    SWAP(size_t, a->cap_ctas, b->cap_ctas);
}

static void slot_work(const wm_wmt_ahead *a, slot *s, bool is_skipping)
{
    slot_check(s);
    if (s->fault == NULL && s->seen.chunk.type == WM_WMT_GRUP) {
        slot_open(a, s);
    }
    if (!is_skipping && s->fault == NULL && s->seen.chunk.type == WM_WMT_CTAS) {
        slot_open(a, s);
        if (s->fault == NULL && a->is_counting) {
            slot_count(s);
        } else if (s->fault == NULL) {
            slot_decode(s);
        }
    }
}

/* --- the ring: lock held -------------------------------------------------- */

static bool ring_can_read(const wm_wmt_ahead *a)
{
    return !a->is_reading && !a->is_ended && a->head - a->tail < a->n_slots &&
           !(a->is_alone && a->head > a->tail);
}

static void wake_helper(wm_wmt_ahead *a)
{
    if (a->n_asleep != 0 && ring_can_read(a) &&
        2 * (a->head - a->tail) <= a->n_slots) {
        pthread_cond_signal(&a->room);
    }
}

/* Something has happened to chunk `number`. */
static void wake_caller(wm_wmt_ahead *a, uint64_t number)
{
    if (a->is_caller_asleep && number == a->tail) {
        pthread_cond_signal(&a->ready);
    }
}

/* The next chunk of the file, claimed by this thread unless it is an end. */
static slot *ring_read(wm_wmt_ahead *a, slot *own)
{
    slot *s = slot_at(a, a->head);
    a->is_reading = true;
    pthread_mutex_unlock(&a->mutex);
    if (own != NULL) {
        slot_swap(s, own);
    }
    slot_read(a, s);
    pthread_mutex_lock(&a->mutex);
    const wm_wmt_chunk *chunk = &s->seen.chunk;
    a->is_reading = false;
    a->is_ended = s->status != WM_OK || chunk->ending != WM_WMT_WHOLE;
    a->is_alone = chunk->n_packed > ALONE_BYTES || chunk->n_raw > ALONE_BYTES;
    s->state = a->is_ended ? SLOT_DONE : SLOT_CLAIMED;
    a->head++;
    if (a->is_ended) {
        wake_caller(a, a->head - 1);
    }
    wake_helper(a);
    return s;
}

/* Works on a chunk that this thread has claimed. */
static void ring_work(wm_wmt_ahead *a, slot *s, uint64_t number, slot *own)
{
    bool is_skipping = a->is_skipping;
    if (s->state == SLOT_CLAIMED) {
        pthread_mutex_unlock(&a->mutex);
        slot_work(a, s, is_skipping);
        if (own != NULL && s->is_counted) {
            slot_swap(s, own);
            chunk_trim(&own->seen.chunk);
        }
        pthread_mutex_lock(&a->mutex);
        s->state = SLOT_DONE;
        wake_caller(a, number);
    }
}

/* While another thread reads; false when that takes long. */
static bool ring_look_again(wm_wmt_ahead *a, uint32_t *n_looks)
{
    if (!a->is_reading || *n_looks == LOOKS_MAX) {
        return false;
    }
    ++*n_looks;
    pthread_mutex_unlock(&a->mutex);
    (void)sched_yield();
    pthread_mutex_lock(&a->mutex);
    return true;
}

static void *helper_main(void *argument)
{
    wm_wmt_ahead *a = argument;
    uint32_t n_looks = 0;
    pthread_mutex_lock(&a->mutex);
    slot *own = a->n_own == 0 ? NULL : &a->own[++a->n_own_given];
    while (!a->is_over) {
        if (ring_can_read(a)) {
            slot *s = ring_read(a, own);
            ring_work(a, s, a->head - 1, own);
            n_looks = 0;
        } else if (!ring_look_again(a, &n_looks)) {
            a->n_asleep++;
            pthread_cond_wait(&a->room, &a->mutex);
            a->n_asleep--;
            n_looks = 0;
        }
    }
    pthread_mutex_unlock(&a->mutex);
    return NULL;
}

static void helpers_start(wm_wmt_ahead *a)
{
    while (a->n_started < a->n_helpers &&
           pthread_create(&a->helpers[a->n_started], NULL, helper_main, a) ==
               0) {
        a->n_started++;
    }
    a->n_helpers = a->n_started; /* fewer threads: slower, same result */
}

/* The slot that the caller had is done with. */
static void ring_release(wm_wmt_ahead *a)
{
    slot *s = slot_at(a, a->tail);
    chunk_trim(&s->seen.chunk);
    s->state = SLOT_FREE;
    a->tail++;
    wake_helper(a);
}

/* Until the caller's next chunk is its own: read by now and claimed here, or
 * all done by a helper. */
static slot *ring_take(wm_wmt_ahead *a)
{
    uint32_t n_looks = 0;
    for (;;) {
        slot *s = slot_at(a, a->tail);
        if (a->tail < a->head && s->state == SLOT_DONE) {
            return s;
        }
        if (ring_can_read(a)) {
            bool is_next = a->head == a->tail;
            s = ring_read(a, a->own);
            if (is_next && a->own == NULL) {
                return s;
            }
            ring_work(a, s, a->head - 1, a->own);
            n_looks = 0;
        } else if (!ring_look_again(a, &n_looks)) {
            a->is_caller_asleep = true;
            pthread_cond_wait(&a->ready, &a->mutex);
            a->is_caller_asleep = false;
        }
    }
}

/* --- the caller's side ---------------------------------------------------- */

wm_status wm_wmt_ahead_new(wm_stream *stream, uint32_t version,
                           uint32_t n_helpers, bool is_counting,
                           wm_digest *digest, uint64_t *n_bytes_done,
                           wm_wmt_ahead **out, wm_error *err)
{
    *out = NULL;
    wm_wmt_ahead *a = calloc(1, sizeof(*a));
    if (a == NULL) {
        return wm_fail_memory(err);
    }
    a->stream = stream;
    a->version = version;
    a->n_helpers = n_helpers;
    a->is_counting = is_counting;
    a->n_slots = n_helpers == 0 ? 1
                 : is_counting  ? 3 * n_helpers + 3
                                : n_helpers + 2;
    a->digest_out = digest;
    a->n_bytes_done_out = n_bytes_done;
    a->digest = *digest;
    a->n_bytes_done = *n_bytes_done;
    wm_stream_set_account(stream, &a->digest, &a->n_bytes_done, BLOCK_BYTES);
    (void)pthread_mutex_init(&a->mutex, NULL);
    (void)pthread_cond_init(&a->room, NULL);
    (void)pthread_cond_init(&a->ready, NULL);
    a->slots = calloc(a->n_slots, sizeof(*a->slots));
    a->helpers = calloc((size_t)n_helpers + 1, sizeof(*a->helpers));
    bool is_short = a->slots == NULL || a->helpers == NULL;
    if (is_counting && n_helpers > 0) {
        a->n_own = n_helpers + 1;
        a->own = calloc(a->n_own, sizeof(*a->own));
        is_short |= a->own == NULL;
    }
    for (uint32_t i = 0; !is_short && i < a->n_own; i++) {
        is_short = !slot_init(&a->own[i]);
    }
    for (uint32_t i = 0; !is_short && i < a->n_slots; i++) {
        is_short = !slot_init(&a->slots[i]);
    }
    if (is_short) {
        wm_wmt_ahead_free(a);
        return wm_fail_memory(err);
    }
    *out = a;
    return WM_OK;
}

void wm_wmt_ahead_free(wm_wmt_ahead *ahead)
{
    wm_wmt_ahead *a = ahead;
    if (a == NULL) {
        return;
    }
    pthread_mutex_lock(&a->mutex);
    a->is_over = true;
    pthread_cond_broadcast(&a->room);
    pthread_mutex_unlock(&a->mutex);
    for (uint32_t i = 0; i < a->n_started; i++) {
        (void)pthread_join(a->helpers[i], NULL);
    }
    for (uint32_t i = 0; a->slots != NULL && i < a->n_slots; i++) {
        slot_fini(&a->slots[i]);
    }
    for (uint32_t i = 0; a->own != NULL && i < a->n_own; i++) {
        slot_fini(&a->own[i]);
    }
    (void)pthread_cond_destroy(&a->room);
    (void)pthread_cond_destroy(&a->ready);
    (void)pthread_mutex_destroy(&a->mutex);
    free(a->slots);
    free(a->own);
    free(a->helpers);
    free(a);
}

wm_status wm_wmt_ahead_next(wm_wmt_ahead *ahead, const wm_wmt_slot **out,
                            wm_error *err)
{
    wm_wmt_ahead *a = ahead;
    pthread_mutex_lock(&a->mutex);
    bool is_last = a->is_ended && a->tail + 1 == a->head;
    if (a->has_taken && !is_last) {
        ring_release(a);
    }
    a->has_taken = true;
    const slot *s = ring_take(a);
    a->n_ctas_chunks += s->seen.chunk.type == WM_WMT_CTAS;
    if (a->n_started < a->n_helpers && a->n_ctas_chunks >= 2) {
        helpers_start(a);
    }
    pthread_mutex_unlock(&a->mutex);
    *a->digest_out = s->digest;
    *a->n_bytes_done_out = s->n_bytes_done;
    *out = &s->seen;
    return s->status == WM_OK ? WM_OK
                              : wm_fail(err, s->status, "%s", s->error.text);
}

void wm_wmt_ahead_set_skipping(wm_wmt_ahead *ahead, bool is_skipping)
{
    /* Asked for each CTA; nobody but the caller sets it. */
    if (ahead->is_skipping != is_skipping) {
        pthread_mutex_lock(&ahead->mutex);
        ahead->is_skipping = is_skipping;
        pthread_mutex_unlock(&ahead->mutex);
    }
}

wm_status wm_wmt_ahead_seek(wm_wmt_ahead *ahead, uint64_t offset, wm_error *err)
{
    assert(ahead->n_slots == 1);
    return wm_stream_seek(ahead->stream, offset, err);
}

const char *wm_wmt_ahead_check(wm_wmt_ahead *ahead)
{
    slot *s = slot_at(ahead, ahead->tail);
    slot_check(s);
    return s->fault;
}

const char *wm_wmt_ahead_open(wm_wmt_ahead *ahead)
{
    slot *s = slot_at(ahead, ahead->tail);
    slot_open(ahead, s);
    return s->fault;
}

const char *wm_wmt_ahead_open_inner(wm_wmt_ahead *ahead,
                                    const wm_wmt_payload *payload,
                                    wm_wmt_chunk_head *head)
{
    slot *s = slot_at(ahead, ahead->tail);
    s->cta_fault = NULL;
    return wm_wmt_decoder_open(s->decoder, payload, head);
}

const char *wm_wmt_ahead_next_cta(wm_wmt_ahead *ahead, wm_cta *cta,
                                  bool *has_cta)
{
    slot *s = slot_at(ahead, ahead->tail);
    *has_cta = false;
    if (s->next_tally < s->n_tallies) {
        tally *next = &s->tallies[s->next_tally];
        cta->n_records = next->n_records;
        s->next_tally += --next->n_ctas == 0;
        *has_cta = true;
        return NULL;
    }
    if (s->next_cta < s->n_ctas) {
        wm_cta taken = s->ctas[s->next_cta];
        s->ctas[s->next_cta++] = *cta;
        *cta = taken;
        *has_cta = true;
        return NULL;
    }
    if (s->is_counted || s->cta_fault != NULL ||
        wm_wmt_decoder_n_left(s->decoder) == 0) {
        return s->cta_fault;
    }
    s->cta_fault = wm_wmt_decoder_next(s->decoder, cta);
    *has_cta = s->cta_fault == NULL;
    return s->cta_fault;
}
