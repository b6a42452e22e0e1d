/*
 * checker.h -- proves a command trace of one channel against a standard.
 *
 * What is checked: every rule of rules.def, the four-activate window, the
 * command buses and the data bus, the state of each bank (what may be opened,
 * read or refreshed), the refresh cadence, and the clock edges of HBM3.
 *
 * Besides, the slack of each rule is kept: a rule that was never met exactly
 * in a busy trace is one that the simulator serves too generously.
 *
 * Units      ticks of the standard.
 * Ownership  new/free; the standard must outlive the checker.
 * Cost       per command about 30 comparisons; no allocation after new.
 */
#ifndef AUDIT_CHECKER_H
#define AUDIT_CHECKER_H

#include <stdio.h>

#include "command.h"
#include "standard.h"

/* What the command line decides. */
typedef struct audit_options {
    uint64_t n_shown;    /* violations printed in full */
    bool checks_refresh; /* cadence: the trace is one with refresh */
    int64_t n_postponed; /* refreshes a bank may be behind */
} audit_options;

typedef struct audit_checker audit_checker;

audit_checker *audit_checker_new(const audit_standard *standard,
                                 const audit_options *options, FILE *out);
void audit_checker_free(audit_checker *checker);

/* Takes the next command; ticks never go back. */
void audit_checker_take(audit_checker *checker, const audit_command *command);

/* Checks what only the end shows: that no refresh is missing. */
void audit_checker_finish(audit_checker *checker);

uint64_t audit_checker_n_commands(const audit_checker *checker);
uint64_t audit_checker_n_violations(const audit_checker *checker);

/* Violations by rule, one line each: "violated RULE N". */
void audit_checker_print_violations(audit_checker *const *checkers, size_t n,
                                    FILE *out);
/* Rules with their number of checks that found the required time exactly. */
void audit_checker_print_rules(audit_checker *const *checkers, size_t n,
                               FILE *out);
/* Commands by kind, and how many came at their earliest tick. */
void audit_checker_print_commands(audit_checker *const *checkers, size_t n,
                                  FILE *out);

#endif
