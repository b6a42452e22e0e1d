/*
 * controller.c -- one tick after the other.
 */
#include "controller.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"

#define NEVER     (INT64_MIN / 4)
#define QUEUE_MAX 256u
#define WINDOW    4u
#define NO_ROW    INT64_MIN

typedef struct queue {
    ref_request entry[QUEUE_MAX]; /* in the order of admission */
    uint32_t n;
} queue;

typedef struct reading {
    int64_t depart;
    int64_t arrive;
    int64_t due;
} reading;

struct ref_controller {
    const audit_standard *s;
    const ref_options *options;
    FILE *out;
    audit_rules rules;
    queue waiting[2]; /* reads, writes */
    queue active;     /* activated, column command to come */
    queue refresh;    /* pseudo-channels that need one, oldest first */
    bool is_writing;  /* the mode */
    int64_t *last[AUDIT_N_SCOPES];
    int64_t *row; /* by bank */
    int64_t (*window)[WINDOW];
    reading *reads; /* issued, data to come */
    size_t n_reads;
    audit_command rising; /* last row command on a rising edge */
    ref_result result;
};

static uint32_t n_per_pc(const audit_standard *s)
{
    return s->n_sids * s->n_bgs * s->n_bas;
}

ref_controller *ref_controller_new(const audit_standard *s,
                                   const ref_options *options, FILE *out)
{
    ref_controller *c = calloc(1, sizeof(*c));
    size_t n_banks = (size_t)s->n_pcs * n_per_pc(s);
    bool is_whole = c != NULL;
    if (!is_whole) {
        return NULL;
    }
    c->s = s;
    c->options = options;
    c->out = out;
    c->rising.tick = NEVER;
    audit_rules_make(&c->rules, s);
    for (int scope = 0; scope < AUDIT_N_SCOPES; scope++) {
        c->last[scope] =
            malloc(n_banks * AUDIT_N_KINDS * sizeof(*c->last[scope]));
        is_whole = is_whole && c->last[scope] != NULL;
        for (size_t i = 0; is_whole && i < n_banks * AUDIT_N_KINDS; i++) {
            c->last[scope][i] = NEVER;
        }
    }
    c->row = malloc(n_banks * sizeof(*c->row));
    c->window = malloc(s->n_pcs * sizeof(*c->window));
    c->reads = malloc(4096 * sizeof(*c->reads));
    if (!is_whole || c->row == NULL || c->window == NULL || c->reads == NULL) {
        ref_controller_free(c);
        return NULL;
    }
    for (size_t b = 0; b < n_banks; b++) {
        c->row[b] = NO_ROW;
    }
    for (size_t i = 0; i < (size_t)s->n_pcs * WINDOW; i++) {
        c->window[i / WINDOW][i % WINDOW] = NEVER;
    }
    return c;
}

void ref_controller_free(ref_controller *c)
{
    if (c != NULL) {
        for (int scope = 0; scope < AUDIT_N_SCOPES; scope++) {
            free(c->last[scope]);
        }
        free(c->row);
        free(c->window);
        free(c->reads);
        free(c);
    }
}

/* The instance of each scope that a command to this request's bank is in. */
static void places(const ref_controller *c, const ref_request *r,
                   uint32_t at[AUDIT_N_SCOPES])
{
    at[AUDIT_CHANNEL] = 0;
    at[AUDIT_PC] = r->pc;
    at[AUDIT_SID] = r->pc * c->s->n_sids + r->sid;
    at[AUDIT_BG] = at[AUDIT_SID] * c->s->n_bgs + r->bg;
    at[AUDIT_BANK] = at[AUDIT_BG] * c->s->n_bas + r->ba;
}

/* The latest column command of another stack of the same pseudo-channel. */
static int64_t last_of_other_sids(const ref_controller *c, const ref_request *r,
                                  audit_kind kind)
{
    int64_t last = NEVER;
    for (uint32_t sid = 0; sid < c->s->n_sids; sid++) {
        int64_t t =
            c->last[AUDIT_SID]
                   [(r->pc * c->s->n_sids + sid) * AUDIT_N_KINDS + kind];
        last = sid != r->sid && t > last ? t : last;
    }
    return last;
}

static bool keeps_edges(const ref_controller *c, audit_kind kind,
                        const ref_request *r, int64_t tick)
{
    bool is_precharge = AUDIT_PRECHARGES >> kind & 1;
    if (!c->s->has_edges || tick % 2 != 0) {
        return true;
    }
    const audit_command *b = &c->rising;
    if (!is_precharge) {
        return false;
    }
    if (b->tick == NEVER || tick != b->tick + c->s->cycles[b->kind] ||
        b->pc != (int32_t)r->pc) {
        return true;
    }
    bool is_same = b->sid == (int32_t)r->sid && b->bg == (int32_t)r->bg &&
                   b->ba == (int32_t)r->ba;
    return kind == AUDIT_PRE && !is_same && (AUDIT_WHOLE >> b->kind & 1) == 0;
}

/* Whether no rule forbids the command now. */
static bool is_ready(const ref_controller *c, audit_kind kind,
                     const ref_request *r, int64_t tick)
{
    uint32_t at[AUDIT_N_SCOPES];
    places(c, r, at);
    for (uint32_t e = c->rules.first[kind]; e < c->rules.first[kind + 1]; e++) {
        const audit_edge *edge = &c->rules.edge[e];
        int64_t last =
            edge->scope == AUDIT_OTHER_SID
                ? last_of_other_sids(c, r, edge->previous)
                : c->last[edge->scope]
                         [at[edge->scope] * AUDIT_N_KINDS + edge->previous];
        if (tick < last + edge->interval) {
            return false;
        }
    }
    int64_t faw = c->s->timing[AUDIT_T_FAW];
    if (kind == AUDIT_ACT && faw != AUDIT_ABSENT &&
        tick < c->window[r->pc][0] + faw) {
        return false;
    }
    return keeps_edges(c, kind, r, tick);
}

static void print_command(const ref_controller *c, audit_kind kind,
                          const ref_request *r, int64_t tick)
{
    fprintf(c->out, "%" PRId64 " %s %" PRIu32, tick, audit_kind_name(kind),
            r->pc);
    if (AUDIT_WHOLE >> kind & 1) {
        fprintf(c->out, " - - -");
    } else {
        fprintf(c->out, " %" PRIu32 " %" PRIu32 " %" PRIu32, r->sid, r->bg,
                r->ba);
    }
    if (AUDIT_COLUMNS >> kind & 1) {
        fprintf(c->out, " %" PRId64 " %" PRId64 "\n", r->row, r->column);
    } else if (kind == AUDIT_ACT) {
        fprintf(c->out, " %" PRId64 " -\n", r->row);
    } else {
        fprintf(c->out, " - -\n");
    }
}

/* Row outcome, once per request: by its first command. */
static void classify(ref_controller *c, audit_kind kind, ref_request *r)
{
    if (!r->is_classified) {
        r->is_classified = true;
        c->result.n_hits += (AUDIT_COLUMNS >> kind & 1);
        c->result.n_misses += kind == AUDIT_ACT;
        c->result.n_conflicts += kind == AUDIT_PRE;
    }
}

static void issue(ref_controller *c, audit_kind kind, const ref_request *r,
                  int64_t tick)
{
    uint32_t at[AUDIT_N_SCOPES];
    places(c, r, at);
    int n_scopes = AUDIT_WHOLE >> kind & 1 ? AUDIT_PC + 1 : AUDIT_N_SCOPES;
    for (int scope = 0; scope < n_scopes; scope++) {
        c->last[scope][at[scope] * AUDIT_N_KINDS + kind] = tick;
    }
    if (kind == AUDIT_ACT) {
        int64_t *w = c->window[r->pc];
        memmove(w, w + 1, (WINDOW - 1) * sizeof(*w));
        w[WINDOW - 1] = tick;
        c->row[r->bank] = r->row;
    } else if (kind == AUDIT_PRE) {
        c->row[r->bank] = NO_ROW;
    } else if (kind == AUDIT_PREA) {
        for (uint32_t b = 0; b < n_per_pc(c->s); b++) {
            c->row[r->pc * n_per_pc(c->s) + b] = NO_ROW;
        }
    }
    if (tick % 2 != 0 && (AUDIT_ROWS >> kind & 1)) {
        bool is_whole = AUDIT_WHOLE >> kind & 1;
        c->rising = (audit_command){.tick = tick,
                                    .kind = kind,
                                    .pc = (int32_t)r->pc,
                                    .sid = is_whole ? -1 : (int32_t)r->sid,
                                    .bg = (int32_t)r->bg,
                                    .ba = (int32_t)r->ba};
    }
    if (c->out != NULL) {
        print_command(c, kind, r, tick);
    }
}

static void queue_remove(queue *q, uint32_t i)
{
    memmove(&q->entry[i], &q->entry[i + 1],
            (q->n - i - 1) * sizeof(q->entry[0]));
    q->n--;
}

static bool queue_has(const queue *q, uint64_t address)
{
    for (uint32_t i = 0; i < q->n; i++) {
        if (q->entry[i].address == address) {
            return true;
        }
    }
    return false;
}

static void read_add(ref_controller *c, const ref_request *r, int64_t depart)
{
    c->reads[c->n_reads++] = (reading){depart, r->arrive, r->due};
}

bool ref_controller_offer(ref_controller *c, const ref_request *request,
                          int64_t now)
{
    ref_request r = *request;
    queue *q = &c->waiting[r.is_write];
    r.arrive = now;
    if (queue_has(&c->waiting[1], r.address)) {
        c->result.n_merged += r.is_write;
        if (!r.is_write) {
            c->result.n_forwarded++;
            read_add(c, &r, now + 1);
        }
        return true;
    }
    if (q->n == c->options->n_queue) {
        return false;
    }
    q->entry[q->n++] = r;
    return true;
}

/* Watermarks at 0.8 and 0.2 of the write queue. */
static void choose_mode(ref_controller *c)
{
    uint32_t n_writes = c->waiting[1].n;
    uint32_t n_reads = c->waiting[0].n;
    if (!c->is_writing) {
        c->is_writing = 10 * n_writes > 8 * c->options->n_queue || n_reads == 0;
    } else if (10 * n_writes < 2 * c->options->n_queue && n_reads > 0) {
        c->is_writing = false;
    }
}

static audit_kind column_kind(const ref_request *r)
{
    return r->is_write ? AUDIT_WR : AUDIT_RD;
}

static bool has_active(const ref_controller *c, uint32_t bank)
{
    for (uint32_t i = 0; i < c->active.n; i++) {
        if (c->active.entry[i].bank == bank) {
            return true;
        }
    }
    return false;
}

/* A request has moved its data: it leaves its queue. */
static void do_column(ref_controller *c, queue *q, uint32_t i, int64_t tick)
{
    ref_request *r = &q->entry[i];
    classify(c, column_kind(r), r);
    issue(c, column_kind(r), r, tick);
    if (!r->is_write) {
        read_add(c, r,
                 tick + c->s->timing[AUDIT_T_CL] + c->s->timing[AUDIT_T_BL]);
    }
    queue_remove(q, i);
}

/* Entry with the earliest arrival among those marked; q->n if none. */
static uint32_t oldest(const queue *q, const bool *is_marked)
{
    uint32_t best = q->n;
    for (uint32_t i = 0; i < q->n; i++) {
        if (is_marked[i] &&
            (best == q->n || q->entry[i].arrive < q->entry[best].arrive)) {
            best = i;
        }
    }
    return best;
}

static bool try_active(ref_controller *c, int64_t tick)
{
    bool is_marked[QUEUE_MAX];
    for (uint32_t i = 0; i < c->active.n; i++) {
        const ref_request *r = &c->active.entry[i];
        is_marked[i] = is_ready(c, column_kind(r), r, tick);
    }
    uint32_t i = oldest(&c->active, is_marked);
    if (i == c->active.n) {
        return false;
    }
    do_column(c, &c->active, i, tick);
    return true;
}

/* An older (or equally old) request of the queue hits the row of this bank. */
static bool has_older_hit(const ref_controller *c, const queue *q,
                          const ref_request *r)
{
    for (uint32_t i = 0; i < q->n; i++) {
        const ref_request *o = &q->entry[i];
        if (o->bank == r->bank && o->row == c->row[r->bank] &&
            o->arrive <= r->arrive) {
            return true;
        }
    }
    return false;
}

/* The next command of a waiting request; AUDIT_N_KINDS: it has to wait. */
static audit_kind next_kind(const ref_controller *c, const queue *q,
                            const ref_request *r)
{
    if (c->row[r->bank] == NO_ROW) {
        return AUDIT_ACT;
    }
    if (has_active(c, r->bank)) {
        return AUDIT_N_KINDS;
    }
    if (c->row[r->bank] == r->row) {
        return column_kind(r);
    }
    return c->options->keeps_hits && has_older_hit(c, q, r) ? AUDIT_N_KINDS
                                                            : AUDIT_PRE;
}

/* The oldest waiting request whose next command is of `kinds` and ready. */
static bool try_waiting(ref_controller *c, unsigned kinds, int64_t tick)
{
    choose_mode(c);
    queue *q = &c->waiting[c->is_writing];
    bool is_marked[QUEUE_MAX];
    for (uint32_t i = 0; i < q->n; i++) {
        audit_kind kind = next_kind(c, q, &q->entry[i]);
        is_marked[i] = kind != AUDIT_N_KINDS && (kinds >> kind & 1) &&
                       is_ready(c, kind, &q->entry[i], tick);
    }
    uint32_t i = oldest(q, is_marked);
    if (i == q->n) {
        return false;
    }
    ref_request *r = &q->entry[i];
    audit_kind kind = next_kind(c, q, r);
    if (AUDIT_COLUMNS >> kind & 1) {
        do_column(c, q, i, tick);
        return true;
    }
    classify(c, kind, r);
    issue(c, kind, r, tick);
    if (kind == AUDIT_ACT) {
        c->active.entry[c->active.n++] = *r;
        queue_remove(q, i);
    }
    return true;
}

/* The head of the refresh queue: close the banks, then refresh. */
static bool try_refresh(ref_controller *c, int64_t tick)
{
    const ref_request *head = &c->refresh.entry[0];
    bool is_open = false;
    bool is_active = false;
    for (uint32_t b = 0; b < n_per_pc(c->s); b++) {
        uint32_t bank = head->pc * n_per_pc(c->s) + b;
        is_open = is_open || c->row[bank] != NO_ROW;
        is_active = is_active || has_active(c, bank);
    }
    audit_kind kind = is_open ? AUDIT_PREA : AUDIT_REFA;
    if (is_active || !is_ready(c, kind, head, tick)) {
        return false;
    }
    issue(c, kind, head, tick);
    if (kind == AUDIT_REFA) {
        queue_remove(&c->refresh, 0);
    }
    return true;
}

static void complete_reads(ref_controller *c, int64_t tick)
{
    while (c->n_reads > 0) {
        size_t found = c->n_reads;
        for (size_t i = 0; i < c->n_reads; i++) {
            if (c->reads[i].depart <= tick) {
                found = i;
                break;
            }
        }
        if (found == c->n_reads) {
            return;
        }
        const reading *r = &c->reads[found];
        c->result.n_reads++;
        c->result.latency += (uint64_t)(r->depart - r->arrive);
        c->result.late += (uint64_t)(r->depart - r->due);
        c->reads[found] = c->reads[--c->n_reads];
    }
}

static void ask_for_refresh(ref_controller *c, int64_t tick)
{
    if (c->options->has_refresh && tick % c->s->timing[AUDIT_T_REFI] == 0) {
        for (uint32_t pc = 0; pc < c->s->n_pcs; pc++) {
            c->refresh.entry[c->refresh.n++] = (ref_request){.pc = pc};
        }
    }
}

void ref_controller_tick(ref_controller *c, int64_t tick)
{
    complete_reads(c, tick);
    ask_for_refresh(c, tick);
    bool is_refreshing = c->refresh.n > 0;
    if (!c->s->has_two_buses) {
        if (try_active(c, tick)) {
            return;
        }
        if (is_refreshing) {
            try_refresh(c, tick);
        } else {
            try_waiting(c, AUDIT_ALL, tick);
        }
        return;
    }
    if (!c->s->has_edges || tick % 2 != 0) {
        if (!try_active(c, tick) && !is_refreshing) {
            try_waiting(c, AUDIT_COLUMNS, tick);
        }
    }
    if (is_refreshing) {
        try_refresh(c, tick);
    } else {
        try_waiting(c, AUDIT_ROWS, tick);
    }
}

uint64_t ref_controller_n_waiting(const ref_controller *c)
{
    uint64_t n = c->waiting[0].n + c->n_reads;
    for (uint32_t i = 0; i < c->active.n; i++) {
        n += !c->active.entry[i].is_write;
    }
    return n;
}

const ref_result *ref_controller_result(const ref_controller *c)
{
    return &c->result;
}
