/*
 * summary.c -- what all channels together showed.
 */
#include <inttypes.h>

#include "checker_internal.h"

uint64_t audit_checker_n_commands(const audit_checker *checker)
{
    uint64_t n = 0;
    for (int k = 0; k < AUDIT_N_KINDS; k++) {
        n += checker->n_commands[k];
    }
    return n;
}

uint64_t audit_checker_n_violations(const audit_checker *checker)
{
    return checker->n_violations_all;
}

void audit_checker_print_violations(audit_checker *const *checkers, size_t n,
                                    FILE *out)
{
    for (int rule = 0; rule < AUDIT_N_RULES; rule++) {
        uint64_t sum = 0;
        for (size_t i = 0; i < n; i++) {
            sum += checkers[i]->n_violations[rule];
        }
        if (sum > 0) {
            fprintf(out, "violated %s %" PRIu64 "\n",
                    audit_rule_name((audit_rule)rule), sum);
        }
    }
}

static void add_slack(audit_slack *sum, const audit_slack *one)
{
    sum->n_exact += one->n_exact;
    sum->least = one->least < sum->least ? one->least : sum->least;
}

static void print_slack(const char *what, audit_rule rule,
                        const audit_slack *slack, FILE *out)
{
    fprintf(out, "rule %s %s exact %" PRIu64 " ", audit_rule_name(rule), what,
            slack->n_exact);
    /* Half of all time: the first command was never seen. */
    if (slack->least > INT64_MAX / 8) {
        fprintf(out, "never met\n");
    } else {
        fprintf(out, "least slack %" PRId64 "\n", slack->least);
    }
}

void audit_checker_print_rules(audit_checker *const *checkers, size_t n,
                               FILE *out)
{
    static const char *const scopes[] = {"channel", "pc",   "sid",
                                         "bg",      "bank", "other_sid"};
    const audit_rules *rules = &checkers[0]->rules;
    audit_slack faw = {.least = INT64_MAX};
    for (uint32_t e = 0; e < rules->n_edges; e++) {
        const audit_edge *edge = &rules->edge[e];
        audit_slack sum = {.least = INT64_MAX};
        char what[64];
        for (size_t i = 0; i < n; i++) {
            add_slack(&sum, &checkers[i]->slack[e]);
        }
        snprintf(what, sizeof(what), "%s %s %s %" PRId64, scopes[edge->scope],
                 audit_kind_name(edge->previous), audit_kind_name(edge->next),
                 edge->interval);
        print_slack(what, edge->rule, &sum, out);
    }
    for (size_t i = 0; i < n; i++) {
        add_slack(&faw, &checkers[i]->faw);
    }
    print_slack("pc ACT ACT 4th", AUDIT_R_FAW, &faw, out);
}

void audit_checker_print_commands(audit_checker *const *checkers, size_t n,
                                  FILE *out)
{
    int64_t last_tick = 0;
    uint64_t n_data = 0;
    uint64_t n_idle = 0;
    for (int k = 0; k < AUDIT_N_KINDS; k++) {
        uint64_t sum = 0;
        uint64_t earliest = 0;
        for (size_t i = 0; i < n; i++) {
            sum += checkers[i]->n_commands[k];
            earliest += checkers[i]->n_earliest[k];
        }
        fprintf(out, "commands %s %" PRIu64 " earliest %" PRIu64 "\n",
                audit_kind_name((audit_kind)k), sum, earliest);
    }
    for (size_t i = 0; i < n; i++) {
        int64_t t = checkers[i]->last_tick;
        last_tick = t > last_tick ? t : last_tick;
        n_data += checkers[i]->n_data_ticks;
        n_idle += checkers[i]->n_idle_precharges;
    }
    fprintf(out, "last_tick %" PRId64 "\n", last_tick);
    fprintf(out, "data_ticks %" PRIu64 "\n", n_data);
    fprintf(out, "idle_precharges %" PRIu64 "\n", n_idle);
}
