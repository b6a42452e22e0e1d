/*
 * policy.h -- the contract between a cache and its replacement policy.
 *
 * A policy ranks the ways of one set and nothing more: it sees no addresses,
 * tags, sectors or cycles.  The cache finds lines and fills invalid ways; it
 * asks victim() only when every way of the set is valid.
 *
 *     hit    touch(row, way)
 *     miss   way = victim(row), unless an invalid way remains;
 *            then insert(row, way)
 *
 * The state of a set is its *row*: row_bytes(ways) bytes that the cache keeps
 * beside the set's tags, so that a look-up touches one host cache line.
 * Algorithms that need a set number or a seed find both in the row after
 * init().  A victim that the cache cannot evict (its fill is still on the
 * way) is touched and victim() asked again, at most `ways` times.
 *
 * Not modelled: bypassing, set duelling across sets.
 *
 * Units      way: 0-based, below ways; 1 <= ways <= 1024.
 * Ownership  the cache allocates the rows, zeroed, at any alignment of
 *            16 bytes, and frees them; the policy owns only their meaning.
 * Errors     init() may refuse a number of ways (plru: powers of two).
 * Threads    one thread per cache; a policy has no static state.
 * Repeatable same calls and seed, same victims, on every host.
 * Cost       touch() runs once per hit: O(ways) bytes at most, no allocation.
 *
 * To add a policy: docs/EXTENDING.md, "A replacement policy".
 */
#ifndef WM_MODEL_POLICY_H
#define WM_MODEL_POLICY_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct wm_policy {
    const char *name;    /* the word used in YAML and reports: "lru" */
    const char *summary; /* one line for `warpmem config explain l1.policy` */

    /* Refuses a number of ways that the policy cannot serve. */
    wm_status (*check)(uint32_t ways, wm_error *err);
    size_t (*row_bytes)(uint32_t ways);
    void (*init)(void *row, uint32_t ways, uint64_t seed);
    void (*touch)(void *row, uint32_t ways, uint32_t way);
    void (*insert)(void *row, uint32_t ways, uint32_t way);
    uint32_t (*victim)(void *row, uint32_t ways); /* < ways */
} wm_policy;

/* Every policy in the program, in the order of policies.def; ends in NULL. */
extern const wm_policy *const wm_policies[];

/* The policy called name, or NULL.  Names are case-sensitive. */
const wm_policy *wm_policy_find(const char *name);

#endif
