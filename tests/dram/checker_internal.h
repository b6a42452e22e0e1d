/*
 * checker_internal.h -- the checker's state, for checker.c and summary.c.
 */
#ifndef AUDIT_CHECKER_INTERNAL_H
#define AUDIT_CHECKER_INTERNAL_H

#include "checker.h"
#include "rules.h"

#define AUDIT_WINDOW 4u
#define AUDIT_NO_ROW INT64_MIN

typedef struct audit_event {
    audit_command command;
} audit_event;

typedef struct audit_pc {
    audit_event window[AUDIT_WINDOW]; /* last activates, a ring */
    uint32_t next;                    /* the oldest of them */
    int64_t data_end;                 /* first free tick of the data bus */
} audit_pc;

typedef struct audit_bank {
    int64_t row;
    int64_t n_refreshes;
} audit_bank;

/* How close a rule came to being broken. */
typedef struct audit_slack {
    int64_t least;
    uint64_t n_exact; /* checks that found the wanted time exactly */
} audit_slack;

struct audit_checker {
    const audit_standard *standard;
    const audit_options *options;
    FILE *out;
    audit_rules rules;
    audit_event *last[AUDIT_N_SCOPES]; /* [instance * AUDIT_N_KINDS + kind] */
    audit_pc *pc;
    audit_bank *bank;
    audit_event rising; /* last row command on a rising edge */
    int64_t last_tick;
    audit_slack slack[AUDIT_EDGES_MAX];
    audit_slack faw;
    uint64_t n_commands[AUDIT_N_KINDS];
    uint64_t n_earliest[AUDIT_N_KINDS]; /* of them, at their earliest tick */
    uint64_t n_idle_precharges;
    uint64_t n_data_ticks;
    uint64_t n_violations[AUDIT_N_RULES];
    uint64_t n_violations_all;
};

#endif
