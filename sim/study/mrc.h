/*
 * mrc.h -- miss-ratio curves: what L1s or L2 slices of every size would miss
 * on the accesses of a replay, from one pass.
 *
 *     wm_mrc_new(config, options)
 *     engine in counts mode with observe = wm_mrc_observe, context = the mrc
 *     wm_mrc_empty(mrc)     between traces: caches start empty
 *     wm_mrc_finish(mrc)
 *     wm_mrc_point_at(mrc, size)   for any number of sizes
 *
 * Each L1, or each L2 slice, is a fully associative LRU cache with the
 * configured lines and sectors; the accesses are those of counts mode, in its
 * order, the L2's as the configured L1s leave them.  All sizes come from stack
 * distances (reuse.h).
 *
 * Sampled (one line in 2^k, by a hash of its number): distances and counts are
 * scaled by 2^k (Waldspurger, Park, Garthwaite and Ahmad, "SHARDS", FAST 2015,
 * with the correction to the true number of accesses).  Eight disjoint parts
 * of the sample give eight curves; the error of a point is three standard
 * errors of their mean, plus how far that mean lies from the whole sample's
 * value.
 *
 * Not modelled  sets and conflicts; that an L1 store moves a line to the front
 *               only in sizes that hold it (it does in all that have seen the
 *               line); l1.write write_evict; sectors that partial stores fill
 *               together; with
 *               l2.fetch above 1, a sector fetched for its neighbour in small
 *               caches only.
 * Units         sizes in bytes: those of l1.size (one SM's) and l2.size (all
 *               slices').
 * Ownership     new/free.
 * Errors        WM_ENOMEM; WM_EUSAGE from finish when the lines are more than
 *               lines_max (is_full tells at once).
 * Threads       one.
 * Repeatable    same replay, same curve.
 */
#ifndef WM_STUDY_MRC_H
#define WM_STUDY_MRC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "config/config.h"
#include "engine/engine.h"

#define WM_MRC_SHIFT_MAX 20u

typedef struct wm_mrc_options {
    uint32_t level;        /* 1 or 2 */
    uint32_t sample_shift; /* one line in 2^this; 0 = all */
    uint64_t lines_max;    /* lines kept at most */
    bool has_optimal;      /* record for Belady's curve; exact mode only */
    uint64_t accesses_max; /* recorded at most; beyond, no such curve */
} wm_mrc_options;

typedef struct wm_mrc_point {
    uint64_t size_bytes;
    uint64_t unit_lines; /* of one L1 or slice */
    double lru;          /* missed part of the accesses */
    double lru_error;    /* plus or minus; 0 when exact */
    bool has_optimal;
    double optimal;
} wm_mrc_point;

typedef struct wm_mrc wm_mrc;

wm_status wm_mrc_new(const wm_config *config, const wm_mrc_options *options,
                     wm_mrc **out, wm_error *err);
void wm_mrc_free(wm_mrc *mrc); /* NULL is fine */

/* A wm_observe_fn; context is the wm_mrc. */
void wm_mrc_observe(const wm_observation *observation, void *context);
void wm_mrc_empty(wm_mrc *mrc);
/* More lines than allowed, or no memory: the rest of the pass is in vain. */
bool wm_mrc_is_full(const wm_mrc *mrc);
wm_status wm_mrc_finish(wm_mrc *mrc, wm_error *err);

/* After finish. */
wm_status wm_mrc_point_at(const wm_mrc *mrc, uint64_t size_bytes,
                          wm_mrc_point *point, wm_error *err);
/* Sizes worth a point: per_octave a doubling from smallest to the size beyond
 * which only first accesses miss; at most n_max, rising.  Returns how many. */
size_t wm_mrc_sizes(const wm_mrc *mrc, uint32_t per_octave, uint64_t *sizes,
                    size_t n_max);

uint64_t wm_mrc_n_accesses(const wm_mrc *mrc); /* sectors */
uint64_t wm_mrc_n_cold(const wm_mrc *mrc);     /* sectors missed at any size */
uint64_t wm_mrc_n_bypassing(const wm_mrc *mrc);
uint32_t wm_mrc_n_units(const wm_mrc *mrc);
uint64_t wm_mrc_line_bytes(const wm_mrc *mrc);
bool wm_mrc_has_optimal(const wm_mrc *mrc);

#endif
