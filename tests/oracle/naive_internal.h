/*
 * naive_internal.h -- the naive machine's parts among themselves.
 */
#ifndef ORACLE_NAIVE_INTERNAL_H
#define ORACLE_NAIVE_INTERNAL_H

#include "naive.h"

#define SLOTS    64u   /* warps and CTAs of one SM */
#define TURN     8u    /* records that a warp takes at once */
#define WINDOW   256u  /* records that an SM takes at once */
#define BOX      1024u /* lines that an SM sends at once ... */
#define BOX_ROOM 512u  /* ... less what one record may add */

typedef struct naive_warp {
    bool is_used, is_live;
    uint32_t cta; /* place */
    const case_record *next;
} naive_warp;

typedef struct naive_place {
    bool is_used;
    uint32_t n_running;
    uint64_t end;
} naive_place;

typedef struct naive_sm {
    naive_cache l1;
    naive_warp warp[SLOTS];
    bool at_barrier[SLOTS]; /* by warp */
    naive_place place[SLOTS];
    uint32_t turn, id;
    uint64_t n_lines; /* in this turn */
} naive_sm;

typedef struct naive_machine {
    const oracle_case *c;
    const case_machine *m;
    const case_step *step; /* the launch that runs */
    uint64_t *n;           /* its counters */
    naive_sm *sm;
    naive_cache *slice;
    uint32_t next_cta;
    wm_copy copies[CASE_STEPS];
    uint32_t n_copies;
    bool is_short; /* of memory */
    naive_lines lines;
} naive_machine;

/* Sectors of a line. */
static inline uint64_t naive_n_sectors(const naive_machine *g)
{
    return g->m->line / g->m->sector;
}

/* One line of an SM at the L2 (op: WM_L2_*); line is NULL but for a write. */
void naive_l2_access(naive_machine *g, uint32_t sm, uint64_t number,
                     const bool *sector, const naive_line *line, uint32_t op);
/* What the copies before a launch leave in the L2. */
void naive_l2_copies(naive_machine *g);
/* What happens to the L2 at the end of a launch. */
void naive_l2_after(naive_machine *g);
/* One memory record of a warp, through L1 and L2. */
void naive_record(naive_machine *g, naive_sm *sm, uint32_t warp,
                  const case_record *r);

#endif
