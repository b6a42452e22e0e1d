/*
 * memory_internal.h -- the banked DRAM channels of a partition, and what waits
 * for them.
 *
 * A banked channel knows when a read has its data only once it has scheduled
 * it.  Until then a time that hangs on it is a *pending time*: a number above
 * all picoseconds that names the fill.  Later fills have greater numbers, and a
 * fill of a line that has one under way ends no earlier, so that the later of
 * two times is the greater number, known or pending.
 *
 * At the arrival of each request, and at the window's horizon, all reads with
 * data by then are told, and no others.  Where channels are run to does not
 * change what they do.
 *
 * Units    picoseconds; ticks of the standard inside.
 * Threads  as the partition: one at a time.
 * Cost     memory grows with the fills in flight, between windows or not.
 */
#ifndef WM_ENGINE_MEMORY_INTERNAL_H
#define WM_ENGINE_MEMORY_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "engine/message_internal.h"
#include "model/dram/banked.h"

#define WM_PENDING (UINT64_C(1) << 63)

/* What all channels of a run share. */
typedef struct wm_memory_model {
    wm_standard standard;
    wm_mapping mapping;
    wm_dram_timing timing;
    wm_divisor tick_fs;
    uint64_t tick_ps, tick_rest_fs; /* a tick: whole picoseconds, rest */
    uint64_t extra_ps; /* controller and wires: what dram.latency has over the
                          standard's own */
    uint64_t extra_ticks; /* whole ones in it */
    uint64_t lag; /* ticks that channels may stay behind: half the read latency,
                     so that fills are known and fetched ahead */
    uint32_t atoms_per_line, run_atoms;
    uint32_t sector_shift, atom_shift, line_shift;
} wm_memory_model;

typedef struct wm_memory wm_memory;
struct wm_slice;

static inline bool wm_is_pending(uint64_t ps)
{
    return (ps & WM_PENDING) != 0;
}

/* A fill that is wanted. */
typedef struct wm_fill_order {
    struct wm_slice *slice;
    uint64_t line;    /* of the channel */
    uint64_t t_ps;    /* not before */
    uint64_t before;  /* when what the line waits for is there, or 0 */
    uint32_t mshr;    /* the slice's entry for the fill `mshrs` back */
    uint32_t index;   /* of the L2 line; WM_NO_INDEX = in no line */
    uint32_t channel; /* of the partition */
    uint32_t sectors;
} wm_fill_order;

/* Called for each reply whose time is known now; who: wm_reply_word. */
typedef void (*wm_memory_reply)(void *context, uint64_t who,
                                uint64_t leaves_ps);

/* Loads the standard and the mapping that the configuration names. */
wm_status wm_memory_model_init(wm_memory_model *model, const wm_config *config,
                               wm_error *err);

wm_status wm_memory_new(const wm_memory_model *model, const wm_config *config,
                        struct wm_slice *slices, uint32_t n_channels,
                        wm_memory **out, wm_error *err);
void wm_memory_free(wm_memory *memory); /* NULL is fine */

/* Asks for sectors; the pending time at which they are in the L2.  0 when
 * memory is short. */
uint64_t wm_memory_read(wm_memory *memory, const wm_fill_order *order);
bool wm_memory_write(wm_memory *memory, uint32_t channel, uint64_t line,
                     uint32_t sectors, uint64_t t_ps);
/* The reply leaves when the fill is there, but not before floor_ps, and
 * after_ps later. */
bool wm_memory_wait(wm_memory *memory, uint64_t pending, uint64_t who,
                    uint64_t floor_ps, uint64_t after_ps);

/* Gives lines that have their data by t_ps their times, and replies theirs;
 * channels may stay behind.  False when memory is short. */
bool wm_memory_advance(wm_memory *memory, uint64_t t_ps, wm_memory_reply reply,
                       void *context);
/* The same, and runs the channels up to t_ps: nothing comes before. */
bool wm_memory_horizon(wm_memory *memory, uint64_t t_ps, wm_memory_reply reply,
                       void *context);
/* To the end of all that was asked for, and at least up to t_ps; replies are
 * dropped. */
bool wm_memory_finish(wm_memory *memory, uint64_t t_ps);
/* Pulls towards the processor what the channels' next steps and reads touch: to
 * be called some time before they are run, the last time being long ago. */
void wm_memory_wake(const wm_memory *memory);
/* Whether a fill is under way. */
bool wm_memory_is_busy(const wm_memory *memory);

/* Adds the sectors asked for and written since the last clear. */
void wm_memory_count(const wm_memory *memory, uint64_t *n_read,
                     uint64_t *n_written);
void wm_memory_clear_stats(wm_memory *memory);

wm_banked *wm_memory_channel(wm_memory *memory, uint32_t channel);

#endif
