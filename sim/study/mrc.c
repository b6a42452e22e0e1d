/*
 * mrc.c -- miss-ratio curves from one pass.
 */
#include "study/mrc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "study/optimal.h"
#include "study/reuse.h"

#define GROUP_SHIFT 3u
#define N_GROUPS    (1u << GROUP_SHIFT)
/* Fewest lines of the sample that a cache's size must span for a point. */
#define SAMPLE_LINES 8u

/* Sectors by reach; count[d] is turned into those of reach d or more. */
typedef struct histogram {
    uint64_t *count;
    size_t n, capacity;
    uint64_t n_never;
} histogram;

/* One population of lines: all, the sample, or a part of the sample. */
typedef struct population {
    wm_reuse *units;
    histogram histogram;
} population;

struct wm_mrc {
    wm_mrc_options options;
    uint32_t n_units;
    uint64_t line_bytes;
    uint32_t fetch;      /* sectors per DRAM read, L2 */
    uint64_t n_per_size; /* units that share size_bytes: slices, or 1 */
    population main;
    population group[N_GROUPS];
    wm_optimal *optimal; /* [n_units], NULL = not recorded */
    uint64_t n_recorded;
    uint64_t n_accesses, n_bypassing;
    uint64_t n_lines; /* kept in main */
    bool is_full, is_short;
};

static bool population_new(population *p, uint32_t n_units)
{
    p->units = calloc(n_units, sizeof(*p->units));
    return p->units != NULL;
}

static void population_free(population *p, uint32_t n_units)
{
    for (uint32_t u = 0; p->units != NULL && u < n_units; u++) {
        wm_reuse_fini(&p->units[u]);
    }
    free(p->units);
    free(p->histogram.count);
}

static void optimal_free(wm_mrc *mrc)
{
    for (uint32_t u = 0; mrc->optimal != NULL && u < mrc->n_units; u++) {
        wm_optimal_fini(&mrc->optimal[u]);
    }
    free(mrc->optimal);
    mrc->optimal = NULL;
}

void wm_mrc_free(wm_mrc *mrc)
{
    if (mrc == NULL) {
        return;
    }
    population_free(&mrc->main, mrc->n_units);
    for (uint32_t g = 0; g < N_GROUPS; g++) {
        population_free(&mrc->group[g], mrc->n_units);
    }
    optimal_free(mrc);
    free(mrc);
}

wm_status wm_mrc_new(const wm_config *config, const wm_mrc_options *options,
                     wm_mrc **out, wm_error *err)
{
    wm_mrc *mrc = calloc(1, sizeof(*mrc));
    *out = NULL;
    if (mrc == NULL) {
        return wm_fail_memory(err);
    }
    const bool is_l1 = options->level == 1;
    mrc->options = *options;
    mrc->n_units = (uint32_t)(is_l1 ? config->sm.count : config->l2.slices);
    mrc->line_bytes = is_l1 ? config->l1.line : config->l2.line;
    mrc->fetch = is_l1 ? 1 : (uint32_t)config->l2.fetch;
    mrc->n_per_size = is_l1 ? 1 : config->l2.slices;
    bool is_ok = population_new(&mrc->main, mrc->n_units);
    for (uint32_t g = 0; g < N_GROUPS && options->sample_shift != 0; g++) {
        is_ok = population_new(&mrc->group[g], mrc->n_units) && is_ok;
    }
    if (options->has_optimal && options->sample_shift == 0) {
        mrc->optimal = calloc(mrc->n_units, sizeof(*mrc->optimal));
        is_ok = mrc->optimal != NULL && is_ok;
    }
    if (!is_ok) {
        wm_mrc_free(mrc);
        return wm_fail_memory(err);
    }
    *out = mrc;
    return WM_OK;
}

/* --- the pass ------------------------------------------------------------- */

static bool histogram_add(histogram *h, uint32_t reach)
{
    if (reach == WM_REUSE_NEVER) {
        h->n_never++;
        return true;
    }
    if (reach >= h->n) {
        const size_t n = (size_t)reach + 1;
        if (!wm_grow(&h->count, &h->capacity, n, sizeof(h->count[0]))) {
            return false;
        }
        memset(h->count + h->n, 0, (n - h->n) * sizeof(h->count[0]));
        h->n = n;
    }
    h->count[reach]++;
    return true;
}

/* Sectors that one DRAM read for the sectors in `need` brings. */
static uint32_t mrc_fetched(const wm_mrc *mrc, uint32_t sector)
{
    const uint32_t first = sector / mrc->fetch * mrc->fetch;
    return (uint32_t)wm_low_mask(mrc->fetch) << first;
}

/* A sector that misses brings its neighbours into every cache in which it
 * missed; where they were not valid in a larger one that is out of reach of a
 * stack, and left out. */
static void mrc_promote(const wm_mrc *mrc, wm_reuse_line *entry,
                        uint32_t sectors)
{
    for (uint32_t a = sectors; a != 0; a &= a - 1) {
        const uint32_t reach = entry->reach[wm_lowest_bit(a)];
        uint32_t near = mrc_fetched(mrc, wm_lowest_bit(a)) & ~sectors & 15u;
        for (; near != 0; near &= near - 1) {
            uint32_t *other = &entry->reach[wm_lowest_bit(near)];
            if (reach != 0 && reach >= *other) {
                *other = 0;
            }
        }
    }
}

static bool population_access(const wm_mrc *mrc, population *p,
                              const wm_observation *o)
{
    wm_reuse_line *entry = wm_reuse_touch(&p->units[o->unit], o->line);
    bool is_ok = entry != NULL;
    if (!is_ok) {
        return false;
    }
    if (mrc->fetch > 1 && o->what == WM_OBSERVED_READ) {
        mrc_promote(mrc, entry, o->sectors);
    }
    const uint32_t valid = o->what == WM_OBSERVED_WRITE ? o->full : o->sectors;
    for (uint32_t a = o->sectors; a != 0 && is_ok; a &= a - 1) {
        const uint32_t s = wm_lowest_bit(a);
        if (o->what != WM_OBSERVED_FILL) {
            is_ok = histogram_add(&p->histogram, entry->reach[s]);
        }
        if ((valid >> s & 1) != 0) {
            entry->reach[s] = 0;
        }
    }
    return is_ok;
}

static void mrc_record(wm_mrc *mrc, const wm_observation *o)
{
    static const wm_optimal_what what[] = {
        [WM_OBSERVED_READ] = WM_OPTIMAL_READ,
        [WM_OBSERVED_WRITE] = WM_OPTIMAL_WRITE,
        [WM_OBSERVED_FILL] = WM_OPTIMAL_FILL,
        [WM_OBSERVED_CLEAR] = WM_OPTIMAL_CLEAR,
    };
    if (mrc->n_recorded++ >= mrc->options.accesses_max ||
        !wm_optimal_add(&mrc->optimal[o->unit], what[o->what], o->line,
                        o->sectors, o->full)) {
        optimal_free(mrc); /* this curve is an extra: the pass goes on */
    }
}

static void mrc_clear_unit(wm_mrc *mrc, uint32_t unit)
{
    mrc->n_lines -= mrc->main.units[unit].n_lines;
    wm_reuse_clear(&mrc->main.units[unit]);
    for (uint32_t g = 0; g < N_GROUPS && mrc->options.sample_shift != 0; g++) {
        wm_reuse_clear(&mrc->group[g].units[unit]);
    }
    if (mrc->optimal != NULL) {
        const wm_observation clear = {.what = WM_OBSERVED_CLEAR, .unit = unit};
        mrc_record(mrc, &clear);
    }
}

static void mrc_access(wm_mrc *mrc, const wm_observation *o)
{
    const uint32_t shift = mrc->options.sample_shift;
    const uint64_t hash = wm_mix64(o->line ^ wm_mix64((uint64_t)o->unit + 1));
    if (shift != 0 && hash >> (64 - shift) != 0) {
        return;
    }
    wm_reuse *unit = &mrc->main.units[o->unit];
    const uint32_t n_before = unit->n_lines;
    bool is_ok = population_access(mrc, &mrc->main, o);
    if (shift != 0 && is_ok) {
        const uint32_t g = hash & (N_GROUPS - 1);
        is_ok = population_access(mrc, &mrc->group[g], o);
    }
    mrc->n_lines += unit->n_lines - n_before;
    mrc->is_short = mrc->is_short || !is_ok;
    mrc->is_full = mrc->is_full || mrc->n_lines > mrc->options.lines_max;
    if (mrc->optimal != NULL && o->sectors != 0) {
        mrc_record(mrc, o);
    }
}

/* A store to a line that an L1 may hold: not counted, as a load's fill is. In
 * sizes that do not hold the line its sectors stay out of reach. */
static void mrc_store(wm_mrc *mrc, const wm_observation *o)
{
    wm_observation touch = *o;
    if (o->full == 0 && !wm_reuse_has(&mrc->main.units[o->unit], o->line)) {
        return;
    }
    touch.what = WM_OBSERVED_FILL;
    touch.sectors = o->full;
    mrc_access(mrc, &touch);
}

void wm_mrc_observe(const wm_observation *observation, void *context)
{
    wm_mrc *mrc = context;
    if (observation->level != mrc->options.level || wm_mrc_is_full(mrc)) {
        return;
    }
    if (observation->what == WM_OBSERVED_CLEAR) {
        mrc_clear_unit(mrc, observation->unit);
        return;
    }
    if (observation->level == 1 && observation->what == WM_OBSERVED_WRITE) {
        mrc_store(mrc, observation);
        return;
    }
    if (observation->what != WM_OBSERVED_FILL) {
        mrc->n_accesses += wm_popcount64(observation->sectors);
    }
    if (observation->what == WM_OBSERVED_BYPASS) {
        mrc->n_bypassing += wm_popcount64(observation->sectors);
    } else if (observation->sectors != 0) {
        mrc_access(mrc, observation);
    }
}

void wm_mrc_empty(wm_mrc *mrc)
{
    for (uint32_t u = 0; u < mrc->n_units && !wm_mrc_is_full(mrc); u++) {
        mrc_clear_unit(mrc, u);
    }
}

bool wm_mrc_is_full(const wm_mrc *mrc)
{
    return mrc->is_full || mrc->is_short;
}

/* --- the curve ------------------------------------------------------------ */

/* count[d] becomes the sectors that miss in d lines. */
static void histogram_sum(histogram *h)
{
    uint64_t n = h->n_never;
    for (size_t d = h->n; d-- > 0;) {
        n += h->count[d];
        h->count[d] = n;
    }
}

static uint64_t histogram_misses(const histogram *h, uint64_t n_lines)
{
    return n_lines < h->n ? h->count[n_lines] : h->n_never;
}

wm_status wm_mrc_finish(wm_mrc *mrc, wm_error *err)
{
    bool is_ok = !mrc->is_short;
    if (mrc->is_full) {
        return wm_fail(err, WM_EUSAGE,
                       "over %llu lines to follow, wanted a larger --lines or "
                       "--sample",
                       (unsigned long long)mrc->options.lines_max);
    }
    histogram_sum(&mrc->main.histogram);
    for (uint32_t g = 0; g < N_GROUPS; g++) {
        histogram_sum(&mrc->group[g].histogram);
    }
    for (uint32_t u = 0; u < mrc->n_units && mrc->optimal != NULL && is_ok;
         u++) {
        is_ok = wm_optimal_finish(&mrc->optimal[u]);
    }
    return is_ok ? WM_OK : wm_fail_memory(err);
}

/* Missed part of all accesses by one population, each of whose sectors stands
 * for 2^shift.  n_lines is of the whole cache unit. */
static double mrc_ratio(const wm_mrc *mrc, const population *p, uint32_t shift,
                        uint64_t n_lines)
{
    const uint64_t scaled = (n_lines + wm_low_mask(shift)) >> shift;
    const double misses = (double)histogram_misses(&p->histogram, scaled) *
                          (double)(UINT64_C(1) << shift);
    const double all = (double)mrc->n_accesses;
    const double ratio = (misses + (double)mrc->n_bypassing) / all;
    return ratio < 1 ? ratio : 1;
}

static double mrc_error(const wm_mrc *mrc, uint64_t n_lines, double ratio)
{
    const uint32_t shift = mrc->options.sample_shift;
    double mean = 0;
    double squares = 0;
    double part[N_GROUPS];
    if (shift == 0) {
        return 0;
    }
    for (uint32_t g = 0; g < N_GROUPS; g++) {
        part[g] = mrc_ratio(mrc, &mrc->group[g], shift + GROUP_SHIFT, n_lines);
        mean += part[g] / N_GROUPS;
    }
    for (uint32_t g = 0; g < N_GROUPS; g++) {
        squares += (part[g] - mean) * (part[g] - mean);
    }
    return 3 * sqrt(squares / (N_GROUPS - 1) / N_GROUPS) + fabs(mean - ratio);
}

wm_status wm_mrc_point_at(const wm_mrc *mrc, uint64_t size_bytes,
                          wm_mrc_point *point, wm_error *err)
{
    memset(point, 0, sizeof(*point));
    point->size_bytes = size_bytes;
    point->unit_lines = size_bytes / mrc->n_per_size / mrc->line_bytes;
    if (mrc->n_accesses == 0) {
        return WM_OK;
    }
    point->lru = mrc_ratio(mrc, &mrc->main, mrc->options.sample_shift,
                           point->unit_lines);
    point->lru_error = mrc_error(mrc, point->unit_lines, point->lru);
    if (mrc->optimal != NULL) {
        uint64_t n_misses = mrc->n_bypassing;
        const uint32_t n_lines = point->unit_lines < UINT32_MAX
                                     ? (uint32_t)point->unit_lines
                                     : UINT32_MAX;
        for (uint32_t u = 0; u < mrc->n_units; u++) {
            if (!wm_optimal_misses(&mrc->optimal[u], n_lines, &n_misses)) {
                return wm_fail_memory(err);
            }
        }
        point->has_optimal = true;
        point->optimal = (double)n_misses / (double)mrc->n_accesses;
    }
    return WM_OK;
}

size_t wm_mrc_sizes(const wm_mrc *mrc, uint32_t per_octave, uint64_t *sizes,
                    size_t n_max)
{
    const uint32_t shift = mrc->options.sample_shift;
    const uint64_t line = mrc->line_bytes * mrc->n_per_size;
    const uint64_t last = ((uint64_t)mrc->main.histogram.n << shift) * line;
    uint64_t octave = 1024;
    size_t n = 0;
    while (octave < ((uint64_t)SAMPLE_LINES << shift) * line) {
        octave *= 2;
    }
    for (;; octave *= 2) {
        for (uint32_t i = 0; i < per_octave; i++) {
            if (n == n_max || octave > UINT64_MAX / 4) {
                return n;
            }
            sizes[n++] = octave + octave / per_octave * i;
            if (sizes[n - 1] >= last) {
                return n;
            }
        }
    }
}

uint64_t wm_mrc_n_accesses(const wm_mrc *mrc)
{
    return mrc->n_accesses;
}

uint64_t wm_mrc_n_cold(const wm_mrc *mrc)
{
    return mrc->main.histogram.n_never << mrc->options.sample_shift;
}

uint64_t wm_mrc_n_bypassing(const wm_mrc *mrc)
{
    return mrc->n_bypassing;
}

uint32_t wm_mrc_n_units(const wm_mrc *mrc)
{
    return mrc->n_units;
}

uint64_t wm_mrc_line_bytes(const wm_mrc *mrc)
{
    return mrc->line_bytes;
}

bool wm_mrc_has_optimal(const wm_mrc *mrc)
{
    return mrc->optimal != NULL;
}
