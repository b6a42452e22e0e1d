/*
 * audit.c -- the independent auditor of DRAM command traces.
 *
 *     audit [OPTION...] TRACE        TRACE: a file, or - for standard input
 *
 *     --standard FILE   instead of the file that the trace names
 *     --no-refresh      the trace is one without refresh
 *     --postponed N     refreshes a bank may be behind (default 1)
 *     --show N          violations to print in full (default 10)
 *     --rules           every rule, how often it was met exactly
 *
 * Exit: 0 no violation, 1 violations, 2 the trace or standard is unusable.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checker.h"
#include "trace.h"

typedef struct arguments {
    const char *standard;
    const char *trace;
    bool shows_rules;
    audit_options options;
} arguments;

typedef struct audit {
    audit_header header;
    audit_standard standard;
    audit_checker **checker; /* one per channel */
} audit;

static bool parse_arguments(arguments *a, int argc, char **argv)
{
    *a = (arguments){.options = {10, true, 1}};
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--no-refresh") == 0) {
            a->options.checks_refresh = false;
        } else if (strcmp(argv[i], "--rules") == 0) {
            a->shows_rules = true;
        } else if (strcmp(argv[i], "--standard") == 0 && value != NULL) {
            a->standard = value;
            i++;
        } else if (strcmp(argv[i], "--postponed") == 0 && value != NULL) {
            a->options.n_postponed = strtoll(value, NULL, 10);
            i++;
        } else if (strcmp(argv[i], "--show") == 0 && value != NULL) {
            a->options.n_shown = strtoull(value, NULL, 10);
            i++;
        } else if (a->trace == NULL &&
                   (argv[i][0] != '-' || argv[i][1] == '\0')) {
            a->trace = argv[i];
        } else {
            return false;
        }
    }
    return a->trace != NULL;
}

static bool load_standard(audit *u, const arguments *a)
{
    const char *path = a->standard;
    if (path == NULL) {
        path = u->header.standard;
    }
    if (path[0] == '\0') {
        fprintf(stderr, "audit: neither --standard nor a header names one\n");
        return false;
    }
    if (!audit_standard_load(&u->standard, path, u->header.ck)) {
        return false;
    }
    /* Printed with few decimals, a tick may be off by half of the last. */
    int64_t off = u->header.tick * u->standard.ticks_per_ck - u->standard.ck;
    if (u->header.tick != 0 &&
        (off > u->standard.ticks_per_ck || off < -u->standard.ticks_per_ck)) {
        fprintf(stderr, "audit: tick_ps is not ck_ps / %" PRId64 "\n",
                u->standard.ticks_per_ck);
        return false;
    }
    return true;
}

static bool make_checkers(audit *u, const arguments *a)
{
    uint32_t n = u->header.n_channels;
    u->checker = n == 0 ? NULL : calloc(n, sizeof(audit_checker *));
    for (uint32_t i = 0; u->checker != NULL && i < n; i++) {
        u->checker[i] = audit_checker_new(&u->standard, &a->options, stdout);
        if (u->checker[i] == NULL) {
            return false;
        }
    }
    return u->checker != NULL;
}

static bool take_all(audit *u, audit_trace *trace)
{
    audit_command command;
    while (audit_trace_next(trace, &command)) {
        if (command.channel >= u->header.n_channels) {
            fprintf(stderr,
                    "audit: line %" PRIu64 ": channel %" PRIu32 " of %" PRIu32
                    "\n",
                    command.line, command.channel, u->header.n_channels);
            return false;
        }
        audit_checker_take(u->checker[command.channel], &command);
    }
    return audit_trace_is_good(trace);
}

/* The summary; returns the number of violations. */
static uint64_t print_summary(audit *u, const arguments *a)
{
    uint64_t n_commands = 0;
    uint64_t n_violations = 0;
    for (uint32_t i = 0; i < u->header.n_channels; i++) {
        audit_checker_finish(u->checker[i]);
        n_commands += audit_checker_n_commands(u->checker[i]);
        n_violations += audit_checker_n_violations(u->checker[i]);
    }
    if (a->shows_rules) {
        audit_checker_print_rules(u->checker, u->header.n_channels, stdout);
    }
    audit_checker_print_commands(u->checker, u->header.n_channels, stdout);
    audit_checker_print_violations(u->checker, u->header.n_channels, stdout);
    printf("audit: %" PRIu64 " commands, %" PRIu64 " violations\n", n_commands,
           n_violations);
    return n_violations;
}

static void audit_fini(audit *u)
{
    for (uint32_t i = 0; u->checker != NULL && i < u->header.n_channels; i++) {
        audit_checker_free(u->checker[i]);
    }
    free(u->checker);
}

int main(int argc, char **argv)
{
    arguments a;
    audit u = {.checker = NULL};
    int code = 2;
    if (!parse_arguments(&a, argc, argv)) {
        fprintf(stderr, "usage: audit [--standard FILE] [--no-refresh] "
                        "[--postponed N] [--show N] [--rules] TRACE\n");
        return 2;
    }
    audit_trace *trace = audit_trace_open(a.trace, &u.header);
    if (trace == NULL) {
        return 2;
    }
    if (load_standard(&u, &a) && make_checkers(&u, &a) && take_all(&u, trace)) {
        code = print_summary(&u, &a) > 0;
    }
    audit_fini(&u);
    audit_trace_close(trace);
    return code;
}
