/*
 * rules.c -- from the text of rules.def to edges.
 */
#include "rules.h"

#include <assert.h>
#include <string.h>

enum {
    ACTS = 1 << AUDIT_ACT,
    PRES = 1 << AUDIT_PRE,
    PREAS = 1 << AUDIT_PREA,
    RDAS = 1 << AUDIT_RDA,
    WRAS = 1 << AUDIT_WRA,
    REFAS = 1 << AUDIT_REFA,
    REFPS = 1 << AUDIT_REFP,
    READS = AUDIT_READS,
    WRITES = AUDIT_WRITES,
    PRECHARGES = AUDIT_PRECHARGES,
    ALL = AUDIT_ALL
};

static const struct {
    audit_rule rule;
    audit_scope scope;
    unsigned previous;
    unsigned next;
    const char *interval;
} rule_lines[] = {
#define AUDIT_RULE(id, scope, previous, next, interval)                        \
    {AUDIT_R_##id, AUDIT_##scope, previous, next, interval},
#include "rules.def"
#undef AUDIT_RULE
};

const char *audit_rule_name(audit_rule rule)
{
    static const char *const names[] = {
#define AUDIT_NAME(name) #name,
#include "names.def"
#undef AUDIT_NAME
    };
    return names[rule];
}

/* The timing that a word of rules.def names. */
static audit_timing timing_find(const char *word, size_t length)
{
    for (int t = 0; t < AUDIT_N_TIMINGS; t++) {
        const char *name = audit_timing_name((audit_timing)t);
        if (strlen(name) == length && memcmp(name, word, length) == 0) {
            return (audit_timing)t;
        }
    }
    assert(false); /* rules.def misspells a timing */
    return AUDIT_N_TIMINGS;
}

/* The sum, or AUDIT_ABSENT where a timing is. */
static int64_t interval_value(const char *text, const audit_standard *s)
{
    int64_t sum = 0;
    while (*text != '\0') {
        size_t length = strcspn(text, "+");
        int64_t value = s->timing[timing_find(text, length)];
        if (value == AUDIT_ABSENT) {
            return AUDIT_ABSENT;
        }
        sum += value;
        text += length;
        text += *text == '+';
    }
    return sum;
}

static void edge_add(audit_rules *rules, audit_edge edge)
{
    assert(rules->n_edges < AUDIT_EDGES_MAX);
    rules->edge[rules->n_edges++] = edge;
}

/* Everything rules.def says of commands that come to be `next`. */
static void edges_add_lines(audit_rules *rules, const audit_standard *s,
                            audit_kind next)
{
    for (size_t i = 0; i < sizeof(rule_lines) / sizeof(rule_lines[0]); i++) {
        int64_t interval = interval_value(rule_lines[i].interval, s);
        if ((rule_lines[i].next >> next & 1) == 0 || interval == AUDIT_ABSENT) {
            continue;
        }
        for (int p = 0; p < AUDIT_N_KINDS; p++) {
            if (rule_lines[i].previous >> p & 1) {
                edge_add(rules,
                         (audit_edge){interval + s->cycles[p] - s->cycles[next],
                                      rule_lines[i].scope, (audit_kind)p, next,
                                      rule_lines[i].rule});
            }
        }
    }
}

/* A command may start when its bus has finished the one before. */
static void edges_add_buses(audit_rules *rules, const audit_standard *s,
                            audit_kind next)
{
    unsigned is_column = AUDIT_COLUMNS >> next & 1;
    for (int p = 0; p < AUDIT_N_KINDS; p++) {
        if (!s->has_two_buses || (AUDIT_COLUMNS >> p & 1) == is_column) {
            edge_add(
                rules,
                (audit_edge){s->cycles[p], AUDIT_CHANNEL, (audit_kind)p, next,
                             is_column ? AUDIT_R_COLUMN_BUS : AUDIT_R_ROW_BUS});
        }
    }
}

void audit_rules_make(audit_rules *rules, const audit_standard *standard)
{
    rules->n_edges = 0;
    for (int next = 0; next < AUDIT_N_KINDS; next++) {
        rules->first[next] = rules->n_edges;
        edges_add_buses(rules, standard, (audit_kind)next);
        edges_add_lines(rules, standard, (audit_kind)next);
    }
    rules->first[AUDIT_N_KINDS] = rules->n_edges;
}
