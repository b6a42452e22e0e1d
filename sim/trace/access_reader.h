/*
 * access_reader.h -- the common part of formats that list accesses, warp by
 * warp or lane by lane, in the order in which they were seen: CTAs and warps
 * mixed, without times.  Private to the trace floor.
 *
 * A format supplies a dialect, which yields one item after the other.  Two
 * passes over the file: the first counts the items of each CTA, the second
 * hands out a CTA when its last item has been read.  So memory is a counter
 * per CTA and the records of the CTAs that are open together.
 *
 * Not modelled  time between accesses and dependences.  Head and tail are 0,
 *               nothing waits but the exit that is added to each warp and
 *               waits for all its loads: warps are limited by bandwidth, not by
 *               latency.  CTAs without an access do not show; n_ctas is the
 *               number of those that do.  Warps that do not fit the block are
 *               renumbered in rising order.
 * Ownership     open takes the stream; the state is freed with the reader.
 * Errors        WM_EFORMAT "FILE:LINE: fault"; with keep_going the item is
 *               skipped and counted (line-skipped).
 */
#ifndef WM_TRACE_ACCESS_READER_H
#define WM_TRACE_ACCESS_READER_H

#include "trace/format.h"
#include "trace/memtrace.h"
#include "trace/memtrace_group.h"
#include "trace/stream.h"

typedef enum wm_item_kind {
    WM_ITEM_END,
    WM_ITEM_LAUNCH, /* what follows belongs to a new launch */
    WM_ITEM_ACCESS,
    WM_ITEM_BARE /* the address of a lane, nobody knows whose */
} wm_item_kind;

typedef struct wm_access_item {
    wm_item_kind kind;
    uint64_t line;     /* where it stands */
    const char *path;  /* in which file; NULL: the one that was opened */
    const char *fault; /* "found ..., wanted ..."; NULL when it is sound */
    bool has_place;    /* a faulty access whose CTA and warp are known */
    wm_launch launch;  /* grid 0,0,0: as large as the accesses need it */
    wm_word name;      /* of the launch */
    /* Its opcode may be a view that lives until the next item. */
    wm_memtrace_access access; /* of a bare item: addresses[0] and n_traced */
} wm_access_item;

typedef struct wm_access_dialect {
    size_t state_bytes; /* zeroed at the start */
    /* Fills r->item; is_counting: lanes may be left out. */
    wm_status (*next)(wm_reader *reader, bool is_counting, wm_error *err);
    /* Before the second pass, which begins at the start; may be NULL. */
    wm_status (*rewind)(wm_reader *reader, wm_error *err);
    void (*close)(wm_reader *reader); /* what the state holds; may be NULL */
} wm_access_dialect;

/* A launch as the first pass found it. */
typedef struct wm_access_launch {
    wm_launch launch;
    char *name;
    bool is_inferred; /* grid and warps grow with the accesses */
    uint64_t item;    /* with which it starts */
    uint64_t n_accesses;
    uint64_t n_bare;
} wm_access_launch;

struct wm_reader {
    wm_stream *stream;
    wm_reader_context context;
    const wm_access_dialect *dialect;
    void *state;
    wm_access_item item; /* the one that waits, when has_item */
    bool has_item;
    uint64_t n_items; /* of this pass; the same items come in both */
    bool is_counting; /* the first pass */
    bool is_orphaned; /* first pass: behind a launch that is damaged */
    wm_access_launch *launches;
    size_t n_launches, cap_launches;
    size_t next; /* launch that the second pass meets next */
    wm_memtrace_group group;
    bool is_in_launch;
    uint64_t n_bare_read; /* of the launch */
    wm_launch launch;     /* with the statics known by now */
};

wm_status wm_access_open(wm_stream *stream, const wm_reader_context *context,
                         const wm_access_dialect *dialect, wm_reader **out,
                         wm_error *err);
/* For wm_format. */
wm_status wm_access_next_command(wm_reader *reader, wm_command *out,
                                 wm_error *err);
wm_status wm_access_next_cta(wm_reader *reader, wm_cta *cta, bool *has_cta,
                             wm_error *err);
const wm_launch *wm_access_launch_of(const wm_reader *reader);
void wm_access_close(wm_reader *reader);

#endif
