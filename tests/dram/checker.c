/*
 * checker.c -- the state a proof needs: the last command of each kind in each
 * scope, the last four activates, the open rows, the data bus, the refreshes.
 */
#include "checker.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "checker_internal.h"

#define NEVER (INT64_MIN / 4)

static uint32_t n_instances(const audit_standard *s, audit_scope scope)
{
    uint32_t n = 1;
    n *= scope >= AUDIT_PC ? s->n_pcs : 1;
    n *= scope >= AUDIT_SID ? s->n_sids : 1;
    n *= scope >= AUDIT_BG ? s->n_bgs : 1;
    n *= scope >= AUDIT_BANK ? s->n_bas : 1;
    return n;
}

static void forget(audit_event *event, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        event[i].command.tick = NEVER;
    }
}

audit_checker *audit_checker_new(const audit_standard *standard,
                                 const audit_options *options, FILE *out)
{
    audit_checker *c = calloc(1, sizeof(*c));
    if (c == NULL) {
        return NULL;
    }
    c->standard = standard;
    c->options = options;
    c->out = out;
    c->last_tick = NEVER;
    c->faw.least = INT64_MAX;
    audit_rules_make(&c->rules, standard);
    for (uint32_t e = 0; e < c->rules.n_edges; e++) {
        c->slack[e].least = INT64_MAX;
    }
    bool is_whole = true;
    for (int scope = 0; scope < AUDIT_N_SCOPES; scope++) {
        size_t n =
            n_instances(standard, (audit_scope)scope) * (size_t)AUDIT_N_KINDS;
        c->last[scope] = calloc(n, sizeof(audit_event));
        is_whole = is_whole && c->last[scope] != NULL;
        if (c->last[scope] != NULL) {
            forget(c->last[scope], n);
        }
    }
    c->pc = calloc(standard->n_pcs, sizeof(*c->pc));
    c->bank = calloc(n_instances(standard, AUDIT_BANK), sizeof(*c->bank));
    if (!is_whole || c->pc == NULL || c->bank == NULL) {
        audit_checker_free(c);
        return NULL;
    }
    for (uint32_t p = 0; p < standard->n_pcs; p++) {
        forget(c->pc[p].window, AUDIT_WINDOW);
        c->pc[p].data_end = NEVER;
    }
    for (uint32_t b = 0; b < n_instances(standard, AUDIT_BANK); b++) {
        c->bank[b].row = AUDIT_NO_ROW;
    }
    return c;
}

void audit_checker_free(audit_checker *checker)
{
    if (checker != NULL) {
        for (int scope = 0; scope < AUDIT_N_SCOPES; scope++) {
            free(checker->last[scope]);
        }
        free(checker->pc);
        free(checker->bank);
        free(checker);
    }
}

/* Counts a violation; true where it is to be printed. */
static bool violation(audit_checker *c, audit_rule rule)
{
    c->n_violations[rule]++;
    return c->n_violations_all++ < c->options->n_shown;
}

static void print_place(FILE *out, const audit_command *a)
{
    fprintf(out, "%s", audit_kind_name(a->kind));
    const int32_t part[] = {a->pc, a->sid, a->bg, a->ba};
    static const char *const name[] = {"pc", "sid", "bg", "ba"};
    for (int i = 0; i < 4; i++) {
        if (part[i] >= 0) {
            fprintf(out, " %s %" PRId32, name[i], part[i]);
        }
    }
    if (a->row >= 0) {
        fprintf(out, " row %" PRId64, a->row);
    }
    fprintf(out, " at tick %" PRId64, a->tick);
}

/* A violation between two commands. */
static void offend_pair(audit_checker *c, audit_rule rule,
                        const audit_command *now, const audit_command *before,
                        int64_t wanted)
{
    if (violation(c, rule)) {
        fprintf(c->out, "%" PRIu64 ": %s: channel %" PRIu32 ": ", now->line,
                audit_rule_name(rule), now->channel);
        print_place(c->out, now);
        fprintf(c->out, ": %" PRId64 " after ", now->tick - before->tick);
        print_place(c->out, before);
        fprintf(c->out, " (line %" PRIu64 "), wanted %" PRId64 "\n",
                before->line, wanted);
    }
}

/* A violation by one command, in words. */
static void offend(audit_checker *c, audit_rule rule, const audit_command *now,
                   const char *what, int64_t number)
{
    if (violation(c, rule)) {
        fprintf(c->out, "%" PRIu64 ": %s: channel %" PRIu32 ": ", now->line,
                audit_rule_name(rule), now->channel);
        print_place(c->out, now);
        fprintf(c->out, ": %s %" PRId64 "\n", what, number);
    }
}

static bool is_below(int32_t value, uint32_t n)
{
    return value >= 0 && (uint32_t)value < n;
}

/* The address names something that exists, and all that the kind needs. */
static bool has_place(const audit_checker *c, const audit_command *now)
{
    const audit_standard *s = c->standard;
    if (!is_below(now->pc, s->n_pcs)) {
        return false;
    }
    if (AUDIT_WHOLE >> now->kind & 1) {
        return true;
    }
    return is_below(now->sid, s->n_sids) && is_below(now->bg, s->n_bgs) &&
           is_below(now->ba, s->n_bas) &&
           (now->kind != AUDIT_ACT || now->row >= 0);
}

typedef struct place {
    uint32_t at[AUDIT_N_SCOPES];
    int n_scopes; /* scopes the command names: 2 for PREA and REFA */
} place;

static place place_of(const audit_standard *s, const audit_command *now)
{
    place p = {.n_scopes = AUDIT_PC + 1};
    p.at[AUDIT_PC] = (uint32_t)now->pc;
    if ((AUDIT_WHOLE >> now->kind & 1) == 0) {
        p.at[AUDIT_SID] = p.at[AUDIT_PC] * s->n_sids + (uint32_t)now->sid;
        p.at[AUDIT_BG] = p.at[AUDIT_SID] * s->n_bgs + (uint32_t)now->bg;
        p.at[AUDIT_BANK] = p.at[AUDIT_BG] * s->n_bas + (uint32_t)now->ba;
        p.n_scopes = AUDIT_N_SCOPES;
    }
    return p;
}

/* Holds one pair of commands to one edge; returns the earliest tick. */
static int64_t check_pair(audit_checker *c, uint32_t e, const audit_event *last,
                          const audit_command *now)
{
    const audit_edge *edge = &c->rules.edge[e];
    int64_t earliest = last->command.tick + edge->interval;
    int64_t slack = now->tick - earliest;
    if (slack < c->slack[e].least) {
        c->slack[e].least = slack;
    }
    c->slack[e].n_exact += slack == 0;
    if (slack < 0) {
        offend_pair(c, edge->rule, now, &last->command, edge->interval);
    }
    return earliest;
}

static int64_t check_other_sids(audit_checker *c, uint32_t e, const place *p,
                                const audit_command *now)
{
    const audit_edge *edge = &c->rules.edge[e];
    int64_t earliest = NEVER;
    uint32_t n = c->standard->n_sids;
    for (uint32_t s = p->at[AUDIT_PC] * n; s < (p->at[AUDIT_PC] + 1) * n; s++) {
        if (s != p->at[AUDIT_SID]) {
            const audit_event *last =
                &c->last[AUDIT_SID][s * AUDIT_N_KINDS + edge->previous];
            int64_t t = check_pair(c, e, last, now);
            earliest = t > earliest ? t : earliest;
        }
    }
    return earliest;
}

/* All rules between this command and earlier ones. */
static int64_t check_edges(audit_checker *c, const place *p,
                           const audit_command *now)
{
    const audit_rules *rules = &c->rules;
    int64_t earliest = NEVER;
    for (uint32_t e = rules->first[now->kind]; e < rules->first[now->kind + 1];
         e++) {
        const audit_edge *edge = &rules->edge[e];
        int64_t t;
        if (edge->scope == AUDIT_OTHER_SID) {
            t = check_other_sids(c, e, p, now);
        } else {
            uint32_t at = p->at[edge->scope];
            t = check_pair(
                c, e,
                &c->last[edge->scope][at * AUDIT_N_KINDS + edge->previous],
                now);
        }
        earliest = t > earliest ? t : earliest;
    }
    return earliest;
}

/* At most four activates of a pseudo-channel in any FAW. */
static int64_t check_window(audit_checker *c, audit_pc *pc,
                            const audit_command *now)
{
    const audit_standard *s = c->standard;
    int64_t faw = s->timing[AUDIT_T_FAW];
    bool counts = now->kind == AUDIT_ACT ||
                  (s->refresh_counts_as_activate && now->kind == AUDIT_REFP);
    if (!counts || faw == AUDIT_ABSENT) {
        return NEVER;
    }
    audit_event *oldest = &pc->window[pc->next];
    faw += s->cycles[oldest->command.kind] - s->cycles[now->kind];
    int64_t earliest = oldest->command.tick + faw;
    int64_t slack = now->tick - earliest;
    if (slack < c->faw.least) {
        c->faw.least = slack;
    }
    c->faw.n_exact += slack == 0;
    if (slack < 0) {
        offend_pair(c, AUDIT_R_FAW, now, &oldest->command, faw);
    }
    oldest->command = *now;
    pc->next = (pc->next + 1) % AUDIT_WINDOW;
    return earliest;
}

/* Bursts on the data wires of a pseudo-channel never overlap. */
static void check_data_bus(audit_checker *c, audit_pc *pc,
                           const audit_command *now)
{
    const int64_t *t = c->standard->timing;
    bool is_read = AUDIT_READS >> now->kind & 1;
    int64_t start = now->tick + t[is_read ? AUDIT_T_CL : AUDIT_T_CWL];
    if (start < pc->data_end) {
        offend(c, AUDIT_R_DATA_BUS, now, "the data bus is taken until tick",
               pc->data_end);
    }
    pc->data_end = start + t[AUDIT_T_BL];
    c->n_data_ticks += (uint64_t)t[AUDIT_T_BL];
}

/* What the state of its bank allows. */
static void check_bank(audit_checker *c, audit_bank *bank,
                       const audit_command *now)
{
    if (AUDIT_COLUMNS >> now->kind & 1) {
        if (bank->row == AUDIT_NO_ROW) {
            offend(c, AUDIT_R_CLOSED, now, "its bank is closed; row", now->row);
        } else if (now->row >= 0 && now->row != bank->row) {
            offend(c, AUDIT_R_WRONG_ROW, now, "the open row is", bank->row);
        }
        if (now->kind == AUDIT_RDA || now->kind == AUDIT_WRA) {
            bank->row = AUDIT_NO_ROW;
        }
    } else if (now->kind == AUDIT_ACT) {
        if (bank->row != AUDIT_NO_ROW) {
            offend(c, AUDIT_R_ACT_OPEN, now, "its bank has open row",
                   bank->row);
        }
        bank->row = now->row;
    } else if (now->kind == AUDIT_PRE) {
        c->n_idle_precharges += bank->row == AUDIT_NO_ROW;
        bank->row = AUDIT_NO_ROW;
    }
}

/* The n-th refresh of a bank is due at n REFI. */
static void check_cadence(audit_checker *c, audit_bank *bank,
                          const audit_command *now)
{
    int64_t refi = c->standard->timing[AUDIT_T_REFI];
    bank->n_refreshes++;
    if (!c->options->checks_refresh || refi == AUDIT_ABSENT) {
        return;
    }
    int64_t n = bank->n_refreshes;
    if (now->tick >= (n + c->options->n_postponed) * refi) {
        offend(c, AUDIT_R_REFI_LATE, now, "due at tick", n * refi);
    }
    if (now->kind == AUDIT_REFA && now->tick < n * refi) {
        offend(c, AUDIT_R_REFI_EARLY, now, "not due before tick", n * refi);
    }
}

/* Refreshes need closed banks. */
static void check_refresh(audit_checker *c, const place *p,
                          const audit_command *now)
{
    const audit_standard *s = c->standard;
    uint32_t n = 1;
    uint32_t first = p->at[AUDIT_BANK];
    if (now->kind == AUDIT_REFA) {
        n = s->n_sids * s->n_bgs * s->n_bas;
        first = p->at[AUDIT_PC] * n;
    }
    for (uint32_t b = first; b < first + n; b++) {
        if (c->bank[b].row != AUDIT_NO_ROW) {
            offend(c, AUDIT_R_REF_OPEN, now, "a bank has open row",
                   c->bank[b].row);
        }
        check_cadence(c, &c->bank[b], now);
    }
}

static void close_banks(audit_checker *c, const place *p)
{
    const audit_standard *s = c->standard;
    uint32_t n = s->n_sids * s->n_bgs * s->n_bas;
    audit_bank *bank = &c->bank[p->at[AUDIT_PC] * n];
    bool was_open = false;
    for (uint32_t b = 0; b < n; b++) {
        was_open = was_open || bank[b].row != AUDIT_NO_ROW;
        bank[b].row = AUDIT_NO_ROW;
    }
    c->n_idle_precharges += !was_open;
}

/*
 * Two ticks per clock: all but precharges start on the rising edge (odd
 * ticks).  On the falling edge that follows a row command, the same
 * pseudo-channel takes only a precharge of one other bank, and none at all
 * after a command for all banks.
 */
static void check_clock_edge(audit_checker *c, const audit_command *now)
{
    bool is_rising = now->tick & 1;
    bool is_precharge = AUDIT_PRECHARGES >> now->kind & 1;
    if (!is_precharge && !is_rising) {
        offend(c, AUDIT_R_EDGE, now, "a falling edge; ticks per clock", 2);
    }
    const audit_command *r = &c->rising.command;
    if (is_precharge && !is_rising &&
        now->tick == r->tick + c->standard->cycles[r->kind] &&
        now->pc == r->pc) {
        bool is_same_bank =
            now->sid == r->sid && now->bg == r->bg && now->ba == r->ba;
        if (now->kind == AUDIT_PREA || is_same_bank ||
            (AUDIT_WHOLE >> r->kind & 1)) {
            offend_pair(c, AUDIT_R_PAIR, now, r,
                        c->standard->cycles[r->kind] + 1);
        }
    }
    if (is_rising && (AUDIT_ROWS >> now->kind & 1)) {
        c->rising.command = *now;
    }
}

static void record(audit_checker *c, const place *p, const audit_command *now)
{
    for (int scope = 0; scope < p->n_scopes; scope++) {
        c->last[scope][p->at[scope] * AUDIT_N_KINDS + now->kind].command = *now;
    }
}

void audit_checker_take(audit_checker *checker, const audit_command *command)
{
    audit_checker *c = checker;
    c->n_commands[command->kind]++;
    if (!has_place(c, command)) {
        offend(c, AUDIT_R_PLACE, command, "no such place; pseudo-channels",
               c->standard->n_pcs);
        return;
    }
    if (command->tick < c->last_tick || command->tick < 0) {
        offend(c, AUDIT_R_ORDER, command, "the tick before was", c->last_tick);
    }
    c->last_tick = command->tick;
    place p = place_of(c->standard, command);
    audit_pc *pc = &c->pc[p.at[AUDIT_PC]];
    int64_t earliest = check_edges(c, &p, command);
    int64_t window = check_window(c, pc, command);
    earliest = window > earliest ? window : earliest;
    c->n_earliest[command->kind] += earliest == command->tick;
    if (AUDIT_COLUMNS >> command->kind & 1) {
        check_data_bus(c, pc, command);
    }
    if (AUDIT_REFRESHES >> command->kind & 1) {
        check_refresh(c, &p, command);
    } else if (command->kind == AUDIT_PREA) {
        close_banks(c, &p);
    } else {
        check_bank(c, &c->bank[p.at[AUDIT_BANK]], command);
    }
    if (c->standard->has_edges) {
        check_clock_edge(c, command);
    }
    record(c, &p, command);
}

void audit_checker_finish(audit_checker *checker)
{
    audit_checker *c = checker;
    int64_t refi = c->standard->timing[AUDIT_T_REFI];
    if (!c->options->checks_refresh || refi == AUDIT_ABSENT) {
        return;
    }
    for (uint32_t b = 0; b < n_instances(c->standard, AUDIT_BANK); b++) {
        int64_t due = c->bank[b].n_refreshes + 1;
        if (c->last_tick >= (due + c->options->n_postponed) * refi) {
            if (violation(c, AUDIT_R_REFI_LATE)) {
                fprintf(c->out,
                        "end: REFI_LATE: bank %" PRIu32
                        " got no refresh since tick %" PRId64
                        ", the trace ends at %" PRId64 "\n",
                        b, due * refi, c->last_tick);
            }
        }
    }
}
