/*
 * naive_dram.c -- one tick after the other.
 */
#include "naive_dram.h"

#include <stdlib.h>
#include <string.h>

static uint32_t naive_per_pc(const naive_dram *d)
{
    const wm_standard *s = d->standard;
    return s->stack_ids * s->bank_groups * s->banks;
}

static int64_t naive_length(const naive_dram *d, int kind)
{
    static const int of[WM_DRAM_COMMANDS] = {
        WM_LENGTH_ACT,    WM_LENGTH_PRE,    WM_LENGTH_PRE,
        WM_LENGTH_COLUMN, WM_LENGTH_COLUMN, WM_LENGTH_COLUMN,
        WM_LENGTH_COLUMN, WM_LENGTH_REF,    WM_LENGTH_REF};
    return d->standard->length_ticks[of[kind]];
}

/* The interval that `before` on bank b asks of `next` on bank a; -1 = none. */
static int64_t naive_interval(const naive_dram *d, int before, uint32_t b,
                              int next, uint32_t a)
{
    const uint32_t *t = d->standard->ticks;
    const wm_standard *s = d->standard;
    const uint32_t per_pc = naive_per_pc(d);
    const int64_t wr2pre = t[WM_T_CWL] + t[WM_T_BL] + t[WM_T_WR];
    const bool is_bank = a == b;
    const bool is_group = a / s->banks == b / s->banks;
    const bool is_sid =
        a / (s->banks * s->bank_groups) == b / (s->banks * s->bank_groups);
    int64_t most = -1;
#define RULE(from, to, where, ticks)                                           \
    if (before == WM_DRAM_##from && next == WM_DRAM_##to && (where) &&         \
        (int64_t)(ticks) > most) {                                             \
        most = (int64_t)(ticks);                                               \
    }
    if (a / per_pc != b / per_pc) {
        return -1;
    }
    RULE(ACT, ACT, is_bank, t[WM_T_RC])
    RULE(ACT, RD, is_bank, t[WM_T_RCD_RD])
    RULE(ACT, WR, is_bank, t[WM_T_RCD_WR])
    RULE(ACT, PRE, is_bank, t[WM_T_RAS])
    RULE(RD, PRE, is_bank, t[WM_T_RTP])
    RULE(WR, PRE, is_bank, wr2pre)
    RULE(PRE, ACT, is_bank, t[WM_T_RP])
    RULE(ACT, ACT, is_group, t[WM_T_RRD_L])
    RULE(RD, RD, is_group, t[WM_T_CCD_L])
    RULE(WR, WR, is_group, t[WM_T_CCD_WR])
    RULE(WR, RD, is_group, t[WM_T_CWL] + t[WM_T_BL] + t[WM_T_WTR_L])
    RULE(RD, RD, !is_sid, t[WM_T_CCD_R])
    RULE(ACT, ACT, true, t[WM_T_RRD_S])
    RULE(RD, RD, true, t[WM_T_CCD_S])
    RULE(WR, WR, true, t[WM_T_CCD_S])
    RULE(RD, WR, true, t[WM_T_RTW])
    RULE(WR, RD, true, t[WM_T_CWL] + t[WM_T_BL] + t[WM_T_WTR_S])
    RULE(ACT, PREA, true, t[WM_T_RAS])
    RULE(RD, PREA, true, t[WM_T_RTP])
    RULE(WR, PREA, true, wr2pre)
    RULE(PREA, ACT, true, t[WM_T_RP_AB])
    RULE(PREA, REFA, true, t[WM_T_RP_AB])
    RULE(ACT, REFA, true, t[WM_T_RC])
    RULE(PRE, REFA, true, t[WM_T_RP])
    RULE(REFA, ACT, true, t[WM_T_RFC_AB])
    RULE(REFA, PREA, true, t[WM_T_RFC_AB])
    RULE(REFA, PRE, true, t[WM_T_RFC_AB])
    RULE(REFA, REFA, true, t[WM_T_RFC_AB])
    if (t[WM_T_PPD] != 0) {
        RULE(PRE, PRE, true, t[WM_T_PPD])
        RULE(PRE, PREA, true, t[WM_T_PPD])
        RULE(PREA, PRE, true, t[WM_T_PPD])
        RULE(PREA, PREA, true, t[WM_T_PPD])
    }
#undef RULE
    return most;
}

static bool naive_is_row(int kind)
{
    return kind != WM_DRAM_RD && kind != WM_DRAM_WR;
}

static bool naive_may(const naive_dram *d, int kind, uint32_t bank, int64_t t)
{
    const wm_standard *s = d->standard;
    const uint32_t pc = bank / naive_per_pc(d);
    const int64_t length = naive_length(d, kind);
    if ((naive_is_row(kind) ? d->row_bus : d->col_bus) > t) {
        return false;
    }
    for (int c = 0; c < WM_DRAM_COMMANDS; c++) {
        for (uint32_t b = 0; b < wm_standard_n_banks(s); b++) {
            const int64_t interval = naive_interval(d, c, b, kind, bank);
            if (interval >= 0 &&
                t < d->last[c][b] + interval + naive_length(d, c) - length) {
                return false;
            }
        }
    }
    if (kind == WM_DRAM_ACT && s->ticks[WM_T_FAW] != 0 &&
        t < d->acts[pc][0] + s->ticks[WM_T_FAW]) {
        return false;
    }
    if (!s->has_hbm3_edges) {
        return true;
    }
    const bool is_pre = kind == WM_DRAM_PRE || kind == WM_DRAM_PREA;
    if ((t & 1) == 0 && !is_pre) {
        return false;
    }
    if (is_pre && t == d->pair_tick && pc == d->pair_pc) {
        return kind == WM_DRAM_PRE && bank != d->pair_bank &&
               d->pair_kind != WM_DRAM_PREA && d->pair_kind != WM_DRAM_REFA;
    }
    return true;
}

static void naive_issue(naive_dram *d, int kind, uint32_t bank, uint64_t row,
                        uint32_t column, int64_t t)
{
    const uint32_t pc = bank / naive_per_pc(d);
    const uint32_t first = pc * naive_per_pc(d);
    if (d->n_out == d->cap_out) {
        d->cap_out = 2 * d->cap_out + 1024;
        d->out = realloc(d->out, d->cap_out * sizeof(*d->out));
    }
    d->out[d->n_out++] = (wm_dram_command){(uint64_t)t, row, bank, column,
                                           (wm_dram_command_kind)kind};
    d->last[kind][bank] = t;
    if (kind == WM_DRAM_ACT) {
        memmove(d->acts[pc], d->acts[pc] + 1, 3 * sizeof(d->acts[pc][0]));
        d->acts[pc][3] = t;
        d->row[bank] = (int64_t)row;
        d->n_columns[bank] = 0;
    } else if (kind == WM_DRAM_PRE) {
        d->row[bank] = -1;
    } else if (kind == WM_DRAM_PREA) {
        for (uint32_t b = first; b < first + naive_per_pc(d); b++) {
            d->row[b] = -1;
        }
    }
    if (naive_is_row(kind)) {
        d->row_bus = t + naive_length(d, kind);
        if ((t & 1) != 0) {
            d->pair_tick = t + (kind == WM_DRAM_ACT ? 3 : 1);
            d->pair_pc = pc;
            d->pair_bank = bank;
            d->pair_kind = (uint32_t)kind;
        }
    } else {
        d->col_bus = t + naive_length(d, kind);
        d->n_columns[bank]++;
    }
    if (d->standard->is_single_bus) {
        const int64_t busy = naive_is_row(kind) ? d->row_bus : d->col_bus;
        d->row_bus = busy;
        d->col_bus = busy;
    }
}

static uint32_t naive_n_queued(const naive_dram *d, bool is_write)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->n_offered; i++) {
        const naive_request *r = &d->request[i];
        n += r->is_admitted && r->state == NAIVE_QUEUED &&
             r->is_write == is_write;
    }
    return n;
}

static void naive_offer(naive_dram *d, int64_t clock)
{
    for (uint32_t n = 0; d->n_offered < d->n_requests && n < d->params.offers;
         n++) {
        naive_request *r = &d->request[d->n_offered];
        const naive_request *queued = NULL;
        if (r->due > clock) {
            return;
        }
        for (uint32_t i = 0; i < d->n_offered; i++) {
            const naive_request *w = &d->request[i];
            if (w->is_admitted && w->is_write && w->state == NAIVE_QUEUED &&
                w->bank == r->bank && w->row == r->row &&
                w->column == r->column) {
                queued = w;
                break;
            }
        }
        r->state = NAIVE_DONE;
        if (queued != NULL && queued->is_whole &&
            (r->is_write || (r->atoms & ~queued->atoms) == 0)) {
            if (r->is_write) {
                d->request[queued - d->request].atoms |= r->atoms;
            }
            d->n_offered++;
            continue;
        }
        if (naive_n_queued(d, r->is_write) ==
            (r->is_write ? d->params.write_queue : d->params.read_queue)) {
            return;
        }
        r->state = NAIVE_QUEUED;
        r->is_admitted = true;
        r->is_whole = true;
        r->arrive = clock;
        r->order = d->n_offered++;
    }
}

static void naive_mode(naive_dram *d)
{
    const uint32_t reads = naive_n_queued(d, false);
    const uint32_t writes = naive_n_queued(d, true);
    if (!d->is_writing && (writes > d->params.write_high || reads == 0)) {
        d->is_writing = true;
    } else if (d->is_writing && writes < d->params.write_low && reads != 0) {
        d->is_writing = false;
    }
}

/* Of a queued request of the mode: its next command, or -1 when it may have
 * none. */
static int naive_next_command(const naive_dram *d, const naive_request *r)
{
    if (d->row[r->bank] < 0) {
        return WM_DRAM_ACT;
    }
    const bool is_hit = d->row[r->bank] == (int64_t)r->row;
    bool others = false;
    const naive_request *hit = NULL;
    for (uint32_t i = 0; i < d->n_offered; i++) {
        const naive_request *q = &d->request[i];
        if (!q->is_admitted || q->state != NAIVE_QUEUED ||
            q->is_write != r->is_write || q->bank != r->bank) {
            continue;
        }
        if (d->row[r->bank] != (int64_t)q->row) {
            others = true;
        } else if (hit == NULL) {
            hit = q;
        }
    }
    const bool is_capped = d->params.hit_cap != 0 && others &&
                           d->n_columns[r->bank] >= d->params.hit_cap;
    if (is_hit) {
        return is_capped ? -1 : r->is_write ? WM_DRAM_WR : WM_DRAM_RD;
    }
    if (d->params.is_hit_first && !is_capped && hit != NULL &&
        hit->arrive <= r->arrive) {
        return -1;
    }
    return WM_DRAM_PRE;
}

static bool naive_has_active(const naive_dram *d, uint32_t first, uint32_t n)
{
    for (uint32_t i = 0; i < d->n_offered; i++) {
        const naive_request *r = &d->request[i];
        if (r->is_admitted && r->state == NAIVE_ACTIVE && r->bank >= first &&
            r->bank < first + n) {
            return true;
        }
    }
    return false;
}

static void naive_column(naive_dram *d, naive_request *r, int64_t t)
{
    uint32_t i = 0;
    while ((r->atoms >> i & 1) == 0) {
        i++;
    }
    naive_issue(d, r->is_write ? WM_DRAM_WR : WM_DRAM_RD, r->bank, r->row,
                r->column + i, t);
    r->atoms &= r->atoms - 1;
    r->is_whole = false;
    if (r->atoms == 0) {
        r->state = NAIVE_DONE;
    }
}

/* The active request with the earliest arrival, then activation. */
static bool naive_active(naive_dram *d, int64_t t)
{
    naive_request *best = NULL;
    for (uint32_t i = 0; i < d->n_offered; i++) {
        naive_request *r = &d->request[i];
        if (r->is_admitted && r->state == NAIVE_ACTIVE &&
            naive_may(d, r->is_write ? WM_DRAM_WR : WM_DRAM_RD, r->bank, t) &&
            (best == NULL || r->arrive < best->arrive ||
             (r->arrive == best->arrive && r->activated < best->activated))) {
            best = r;
        }
    }
    if (best != NULL) {
        naive_column(d, best, t);
    }
    return best != NULL;
}

static void naive_refresh(naive_dram *d, int64_t t)
{
    const uint32_t n = naive_per_pc(d);
    const uint32_t first = (uint32_t)d->refresh[0] * n;
    bool is_open = false;
    for (uint32_t b = first; b < first + n; b++) {
        is_open |= d->row[b] >= 0;
    }
    if (is_open) {
        if (!naive_has_active(d, first, n) &&
            naive_may(d, WM_DRAM_PREA, first, t)) {
            naive_issue(d, WM_DRAM_PREA, first, 0, 0, t);
        }
    } else if (naive_may(d, WM_DRAM_REFA, first, t)) {
        naive_issue(d, WM_DRAM_REFA, first, 0, 0, t);
        memmove(d->refresh, d->refresh + 1, --d->n_refresh * sizeof(int));
    }
}

/* The oldest request of the mode's queue whose next command is ready and of
 * the kind wanted. */
static void naive_queue(naive_dram *d, bool wants_columns, bool wants_rows,
                        int64_t t)
{
    for (uint32_t i = 0; i < d->n_offered; i++) {
        naive_request *r = &d->request[i];
        if (!r->is_admitted || r->state != NAIVE_QUEUED ||
            r->is_write != d->is_writing || naive_has_active(d, r->bank, 1)) {
            continue;
        }
        const int kind = naive_next_command(d, r);
        const bool is_column = kind == WM_DRAM_RD || kind == WM_DRAM_WR;
        if (kind < 0 || !(is_column ? wants_columns : wants_rows) ||
            !naive_may(d, kind, r->bank, t)) {
            continue;
        }
        if (is_column) {
            naive_column(d, r, t);
        } else {
            naive_issue(d, kind, r->bank, kind == WM_DRAM_ACT ? r->row : 0, 0,
                        t);
            if (kind == WM_DRAM_ACT) {
                r->state = NAIVE_ACTIVE;
                r->activated = t;
            }
        }
        return;
    }
}

void naive_tick(naive_dram *d, int64_t t)
{
    const wm_standard *s = d->standard;
    naive_offer(d, t - 1);
    if (d->params.refresh == WM_REFRESH_ALL_BANK &&
        t % s->ticks[WM_T_REFI] == 0) {
        for (uint32_t pc = 0; pc < s->pseudo_channels; pc++) {
            d->refresh[d->n_refresh++] = (int)pc;
        }
    }
    if (s->is_single_bus) {
        if (naive_active(d, t)) {
            return;
        }
        if (d->n_refresh != 0) {
            naive_refresh(d, t);
            return;
        }
        naive_mode(d);
        naive_queue(d, true, true, t);
        return;
    }
    if ((!s->has_hbm3_edges || (t & 1) != 0) && !naive_active(d, t) &&
        d->n_refresh == 0) {
        naive_mode(d);
        naive_queue(d, true, false, t);
    }
    if (d->n_refresh != 0) {
        naive_refresh(d, t);
    } else {
        naive_mode(d);
        naive_queue(d, false, true, t);
    }
}

naive_dram *naive_new(const wm_standard *standard,
                      const wm_banked_params *params)
{
    naive_dram *d = calloc(1, sizeof(*d));
    d->standard = standard;
    d->params = *params;
    d->pair_tick = -1;
    for (int b = 0; b < 64; b++) {
        d->row[b] = -1;
        for (int c = 0; c < WM_DRAM_COMMANDS; c++) {
            d->last[c][b] = NAIVE_LONG_AGO;
        }
    }
    for (int i = 0; i < 16; i++) {
        d->acts[i / 4][i % 4] = NAIVE_LONG_AGO;
    }
    return d;
}
