/*
 * naive.h -- the rules of docs/MODEL.md once more, by loops over bytes, lanes
 * and ways, for small cases: what counts mode must count.
 *
 *     naive_lines     from lanes to lines          (naive_front.c)
 *     naive_passes    wavefronts of banks          (naive_front.c)
 *     naive_cache     sets, ways and policies      (naive_cache.c)
 *     naive_run       the whole machine            (naive_machine.c)
 *
 * It links nothing of the simulator; the names of counters and kinds are all
 * that both know.
 */
#ifndef ORACLE_NAIVE_H
#define ORACLE_NAIVE_H

#include "case.h"
#include "model/counters.h"

#define NAIVE_LINES   1024u
#define NAIVE_SECTORS 4u
#define NAIVE_BYTES   128u

/* --- from lanes to lines -------------------------------------------------- */
typedef struct naive_line {
    uint64_t line;
    uint32_t group;              /* of lanes that coalesce */
    bool byte[NAIVE_BYTES];      /* touched */
    bool sector[NAIVE_SECTORS];  /* that travel */
    bool is_full[NAIVE_SECTORS]; /* every byte touched */
    uint32_t n_segments;
} naive_line;

typedef struct naive_lines {
    uint32_t n;
    naive_line line[NAIVE_LINES];
} naive_lines;

/* Adds the lines of the active lanes (address[lane]), in the order in which
 * they are met: lane by lane, byte by byte; from the last byte of a lane to
 * its first where addresses fall from lane to lane. */
void naive_lines_add(const case_machine *m, const uint64_t *address,
                     uint64_t mask, uint32_t width, bool is_store,
                     bool is_falling, naive_lines *lines);
/* The largest number of them in one bank of the L1's tags. */
uint32_t naive_tag_passes(const case_machine *m, const naive_lines *lines);
/* Passes of n_banks banks of bank_width bytes; *n_phases without conflicts. */
uint32_t naive_passes(uint32_t n_banks, uint32_t bank_width,
                      const uint64_t *address, uint64_t mask, uint32_t width,
                      uint32_t *n_phases);
/* The largest number of active lanes on one address. */
uint32_t naive_same_address(const uint64_t *address, uint64_t mask);

/* --- caches --------------------------------------------------------------- */
typedef struct naive_way {
    bool is_there;
    bool is_copy; /* of the other half's line */
    uint64_t line;
    bool is_valid[NAIVE_SECTORS], is_dirty[NAIVE_SECTORS];
    bool is_partial[NAIVE_SECTORS]; /* some bytes are written, not all */
    bool written[NAIVE_BYTES];
    uint64_t filled, used; /* moments: larger is later */
    uint32_t interval;     /* srrip */
} naive_way;

typedef struct naive_set {
    naive_way *way;
    uint64_t random;
    bool *tree; /* plru: node n, 1 is the root */
} naive_set;

typedef struct naive_cache {
    case_cache shape;
    uint64_t seed, moment;
    naive_set *set;
} naive_cache;

/* False when memory is short. */
bool naive_cache_init(naive_cache *cache, const case_cache *shape,
                      uint64_t seed);
void naive_cache_fini(naive_cache *cache);
/* x's place among n, and how many times n lie below x. */
uint64_t naive_spread(uint64_t x, uint64_t n, bool is_hashed);
naive_set *naive_cache_set(naive_cache *cache, uint64_t number);
/* The way that holds the line, or NULL. */
naive_way *naive_find(naive_set *set, const naive_cache *cache, uint64_t line,
                      bool is_copy);
void naive_touch(naive_cache *cache, naive_set *set, naive_way *way);
/* A way for the line, empty but for its name; *gone is what left it. */
naive_way *naive_make_room(naive_cache *cache, naive_set *set, uint64_t line,
                           bool is_copy, naive_way *gone);

/* --- the machine ---------------------------------------------------------- */
typedef struct naive_result {
    uint32_t n_launches;
    wm_counters launch[CASE_STEPS];
} naive_result;

/* False when memory is short. */
bool naive_run(const oracle_case *c, naive_result *result);

#endif
