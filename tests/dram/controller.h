/*
 * controller.h -- a plain memory controller that looks at every tick.
 *
 * The reference that the event-skip model is held to, command by command: it
 * was written from the description of the semantics, shares no code with the
 * model, skips nothing and keeps no derived state.  FR-FCFS, open rows,
 * all-bank refresh; two command buses or one; the clock edges of HBM3.
 *
 * Not modelled: closed-row policies, per-bank refresh.
 *
 * Units      ticks.
 * Ownership  new/free.
 * Cost       some microseconds a tick; for thousands of requests.
 */
#ifndef AUDIT_CONTROLLER_H
#define AUDIT_CONTROLLER_H

#include <stdio.h>

#include "command.h"
#include "standard.h"

typedef struct ref_options {
    uint32_t n_queue; /* entries of either queue */
    bool has_refresh;
    bool keeps_hits; /* FRFCFS-RowHit: no precharge under an older hit */
} ref_options;

typedef struct ref_result {
    uint64_t n_reads; /* completed */
    uint64_t n_hits;
    uint64_t n_misses;
    uint64_t n_conflicts;
    uint64_t n_forwarded; /* reads answered from the write queue */
    uint64_t n_merged;    /* writes that replaced a queued one */
    uint64_t latency;     /* sum over reads: departure - arrive */
    uint64_t late;        /* sum over reads: departure - due */
} ref_result;

typedef struct ref_request {
    uint64_t address;
    int64_t arrive;
    int64_t due;
    int64_t row;
    int64_t column;
    uint32_t pc, sid, bg, ba;
    uint32_t bank;
    bool is_write;
    bool is_classified;
} ref_request;

typedef struct ref_controller ref_controller;

/* Commands go to out, where it is not NULL, in the trace's format. */
ref_controller *ref_controller_new(const audit_standard *s,
                                   const ref_options *options, FILE *out);
void ref_controller_free(ref_controller *c);

/* Whether the request found room; the clock reads `now`. */
bool ref_controller_offer(ref_controller *c, const ref_request *request,
                          int64_t now);

/* Does what one tick allows. */
void ref_controller_tick(ref_controller *c, int64_t tick);

/* Reads that have not completed. */
uint64_t ref_controller_n_waiting(const ref_controller *c);

const ref_result *ref_controller_result(const ref_controller *c);

#endif
