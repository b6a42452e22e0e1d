/*
 * memtrace_group.h -- brings together the accesses of each CTA, which lie
 * scattered in a mem_trace print-out.  Private to the trace floor.
 *
 *     first pass   group_count per line
 *     second pass  group_find, group_add, group_step per line;
 *                  when step says so, the CTA is whole: group_join
 *
 * Ownership  init before use, fini after; CTA pointers live until fini.
 * Errors     false or NULL when memory is short.
 */
#ifndef WM_TRACE_MEMTRACE_GROUP_H
#define WM_TRACE_MEMTRACE_GROUP_H

#include "trace/memtrace.h"
#include "trace/statics.h"

/* Accesses of a CTA in arrival order. */
typedef struct wm_memtrace_store {
    struct wm_memtrace_store *next;
    wm_cta part;     /* records and lanes; no warps */
    uint32_t *warps; /* of each record */
    size_t cap_warps;
} wm_memtrace_store;

typedef struct wm_memtrace_cta {
    uint32_t launch;
    uint32_t id[3];
    uint64_t n_lines;
    uint64_t n_read;
    wm_memtrace_store *store; /* NULL unless open */
} wm_memtrace_cta;

typedef struct wm_memtrace_group {
    wm_memtrace_cta *ctas;
    size_t n_ctas, cap_ctas;
    uint32_t *slots; /* CTA + 1; 0 = free */
    uint32_t n_slots;
    wm_memtrace_store *free_list;
    size_t n_open;      /* CTAs that have a store */
    wm_statics statics; /* of the launch being read */
    wm_memtrace_access bare;
} wm_memtrace_group;

void wm_memtrace_group_init(wm_memtrace_group *group);
void wm_memtrace_group_fini(wm_memtrace_group *group);
/* Forgets the accesses of CTAs that are open. */
void wm_memtrace_group_drop(wm_memtrace_group *group);

/* Adds n lines to a CTA's count. */
bool wm_memtrace_group_count(wm_memtrace_group *group, uint32_t launch,
                             const uint32_t id[3], uint64_t n, bool *is_new);
/* A CTA that was counted; never NULL. */
wm_memtrace_cta *wm_memtrace_group_find(wm_memtrace_group *group,
                                        uint32_t launch, const uint32_t id[3]);
/* True when the access has an opcode that opcode.h does not know as memory. */
bool wm_memtrace_is_unknown(wm_memtrace_group *group,
                            const wm_memtrace_access *access);
bool wm_memtrace_group_add(wm_memtrace_group *group, wm_memtrace_cta *cta,
                           const wm_memtrace_access *access);
/* Counts a line as read; true when it was the CTA's last. */
bool wm_memtrace_group_step(wm_memtrace_cta *cta);
/* Moves a whole CTA into *out, sorted by warp, an exit behind each warp. */
bool wm_memtrace_group_join(wm_memtrace_group *group, wm_memtrace_cta *cta,
                            uint32_t n_warps, wm_cta *out);

/* x runs fastest. */
void wm_memtrace_cta_id(const uint32_t grid[3], uint64_t number,
                        uint32_t id[3]);

#endif
