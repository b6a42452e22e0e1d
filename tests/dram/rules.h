/*
 * rules.h -- the rules of a standard, ready to be checked.
 *
 * rules.def says what holds between the ends of two commands; an edge says the
 * same between their starts, for one kind of each, which is what a trace shows.
 *
 * Units      ticks.
 */
#ifndef AUDIT_RULES_H
#define AUDIT_RULES_H

#include "command.h"
#include "standard.h"

typedef enum audit_rule {
#define AUDIT_NAME(name) AUDIT_R_##name,
#include "names.def"
#undef AUDIT_NAME
    AUDIT_N_RULES
} audit_rule;

typedef enum audit_scope {
    AUDIT_CHANNEL,
    AUDIT_PC,
    AUDIT_SID,
    AUDIT_BG,
    AUDIT_BANK,
    AUDIT_N_SCOPES,
    AUDIT_OTHER_SID = AUDIT_N_SCOPES /* same PC, another stack */
} audit_scope;

#define AUDIT_EDGES_MAX 512u

typedef struct audit_edge {
    int64_t interval; /* start to start */
    audit_scope scope;
    audit_kind previous;
    audit_kind next;
    audit_rule rule;
} audit_edge;

typedef struct audit_rules {
    audit_edge edge[AUDIT_EDGES_MAX]; /* grouped by the next command */
    uint32_t n_edges;
    uint32_t first[AUDIT_N_KINDS + 1];
} audit_rules;

const char *audit_rule_name(audit_rule rule);

/* All edges of the standard. */
void audit_rules_make(audit_rules *rules, const audit_standard *standard);

#endif
