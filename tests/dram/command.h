/*
 * command.h -- one line of a DRAM command trace, as the auditor sees it.
 *
 * Units      tick: of the standard's clock, as the trace's header names it.
 * Ownership  none; plain data.
 */
#ifndef AUDIT_COMMAND_H
#define AUDIT_COMMAND_H

#include <stdint.h>

#define AUDIT_COMMAND_LIST(X)                                                  \
    X(ACT)                                                                     \
    X(PRE)                                                                     \
    X(PREA)                                                                    \
    X(RD)                                                                      \
    X(WR)                                                                      \
    X(RDA)                                                                     \
    X(WRA)                                                                     \
    X(REFA)                                                                    \
    X(REFP)

typedef enum audit_kind {
#define X(name) AUDIT_##name,
    AUDIT_COMMAND_LIST(X)
#undef X
        AUDIT_N_KINDS
} audit_kind;

/* Sets of commands: bit k is kind k. */
enum {
    AUDIT_READS = 1 << AUDIT_RD | 1 << AUDIT_RDA,
    AUDIT_WRITES = 1 << AUDIT_WR | 1 << AUDIT_WRA,
    AUDIT_COLUMNS = AUDIT_READS | AUDIT_WRITES,
    AUDIT_PRECHARGES = 1 << AUDIT_PRE | 1 << AUDIT_PREA,
    AUDIT_REFRESHES = 1 << AUDIT_REFA | 1 << AUDIT_REFP,
    AUDIT_ROWS = 1 << AUDIT_ACT | AUDIT_PRECHARGES | AUDIT_REFRESHES,
    AUDIT_WHOLE = 1 << AUDIT_PREA | 1 << AUDIT_REFA, /* name no bank */
    AUDIT_ALL = AUDIT_ROWS | AUDIT_COLUMNS
};

typedef struct audit_command {
    int64_t tick;
    uint64_t line; /* of the trace */
    int64_t row;   /* -1: not given, as for all below */
    int64_t column;
    int32_t pc;
    int32_t sid;
    int32_t bg;
    int32_t ba;
    uint32_t channel;
    audit_kind kind;
} audit_command;

/* The word a trace uses for a command. */
const char *audit_kind_name(audit_kind kind);

#endif
