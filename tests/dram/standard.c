/*
 * standard.c -- keys and expressions of a standard's file, in ticks.
 */
#include "standard.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "yaml_keys.h"

typedef struct reader {
    audit_keys keys;
    audit_standard *s;
    const char *path;
    const char *at;    /* in the expression being read */
    const char *place; /* of that expression */
    bool rounds_down;  /* REFI: refreshing early is safe, late is not */
    bool is_good;
    int depth; /* of names in names */
} reader;

const char *audit_timing_name(audit_timing timing)
{
    static const char *const names[] = {
#define AUDIT_TIMING(name) #name,
#include "timings.def"
#undef AUDIT_TIMING
    };
    return names[timing];
}

static int64_t bad(reader *r, const char *what)
{
    if (r->is_good) {
        fprintf(stderr, "audit: %s: %s\n", r->place, what);
    }
    r->is_good = false;
    return 0;
}

static void skip_blanks(reader *r)
{
    r->at += strspn(r->at, " \t");
}

static bool take(reader *r, const char *text)
{
    skip_blanks(r);
    size_t length = strlen(text);
    if (strncmp(r->at, text, length) != 0) {
        return false;
    }
    r->at += length;
    return true;
}

/* A decimal number in millionths. */
static int64_t read_millionths(reader *r)
{
    int64_t value = 0;
    int decimals = -1;
    skip_blanks(r);
    if (!isdigit((unsigned char)*r->at)) {
        return bad(r, "no number where one is wanted");
    }
    for (; isdigit((unsigned char)*r->at) || (*r->at == '.' && decimals < 0);
         r->at++) {
        if (*r->at == '.') {
            decimals = 0;
        } else if (decimals < 6 && value < INT64_MAX / 100) {
            value = value * 10 + (*r->at - '0');
            decimals += decimals >= 0;
        } else {
            return bad(r, "too many digits");
        }
    }
    for (int d = decimals < 0 ? 0 : decimals; d < 6; d++) {
        value = value < INT64_MAX / 10 ? value * 10 : bad(r, "too large");
    }
    return value;
}

/* One number with its unit, in ticks; times are rounded to whole CK. */
static int64_t read_quantity(reader *r)
{
    const audit_standard *s = r->s;
    int64_t value = read_millionths(r);
    int64_t scale = 0;
    if (value > INT64_MAX / 2000000) {
        return bad(r, "too large");
    }
    if (take(r, "ck")) {
        int64_t ticks = value * s->ticks_per_ck;
        return ticks % 1000000 == 0 ? ticks / 1000000
                                    : bad(r, "a part of a tick");
    }
    if (take(r, "ns")) {
        scale = 1000;
    } else if (take(r, "ps")) {
        scale = 1;
    } else if (take(r, "us")) {
        scale = 1000000;
    } else {
        return bad(r, "no unit (ps, ns, us, ck)");
    }
    int64_t units = value * scale;
    int64_t n_ck = r->rounds_down ? units / s->ck : (units + s->ck - 1) / s->ck;
    return n_ck * s->ticks_per_ck;
}

static int64_t read_sum(reader *r);

static int64_t read_name(reader *r)
{
    for (int t = 0; t < AUDIT_N_TIMINGS; t++) {
        const char *name = audit_timing_name((audit_timing)t);
        size_t n = strlen(name);
        if (r->at[0] == 't' && strncmp(r->at + 1, name, n) == 0 &&
            !isalnum((unsigned char)r->at[n + 1]) && r->at[n + 1] != '_') {
            char key_name[32];
            snprintf(key_name, sizeof(key_name), "timing.t%s", name);
            audit_key *key = audit_keys_find(&r->keys, key_name);
            const char *after = r->at + n + 1;
            if (key == NULL || ++r->depth > AUDIT_N_TIMINGS) {
                return bad(r, "names a timing that is not given");
            }
            r->at = key->value;
            int64_t value = read_sum(r);
            r->at = after;
            r->depth--;
            return value;
        }
    }
    return bad(r, "not a time");
}

static int64_t read_term(reader *r)
{
    if (take(r, "max(")) {
        int64_t a = read_sum(r);
        if (!take(r, ",")) {
            return bad(r, "max wants two values");
        }
        int64_t b = read_sum(r);
        return take(r, ")") ? (a > b ? a : b) : bad(r, "no ) after max(");
    }
    skip_blanks(r);
    return *r->at == 't' ? read_name(r) : read_quantity(r);
}

static int64_t read_sum(reader *r)
{
    int64_t sum = read_term(r);
    for (;;) {
        if (take(r, "+")) {
            sum += read_term(r);
        } else if (take(r, "-")) {
            sum -= read_term(r);
        } else {
            return sum;
        }
    }
}

/* The value of a key in ticks, AUDIT_ABSENT where it is not given. */
static int64_t time_of(reader *r, const char *name)
{
    audit_key *key = audit_keys_find(&r->keys, name);
    if (key == NULL) {
        return AUDIT_ABSENT;
    }
    r->at = key->value;
    r->place = key->place;
    r->depth = 0;
    int64_t value = read_sum(r);
    skip_blanks(r);
    return *r->at == '\0' ? value : bad(r, "text after the value");
}

static int64_t need_time(reader *r, const char *name)
{
    int64_t value = time_of(r, name);
    if (value == AUDIT_ABSENT) {
        fprintf(stderr, "audit: %s: no %s\n", r->path, name);
        r->is_good = false;
    }
    return value;
}

/* A whole number from 1. */
static int64_t need_count(reader *r, const char *name)
{
    audit_key *key = audit_keys_find(&r->keys, name);
    char *end = NULL;
    long value = key == NULL ? 0 : strtol(key->value, &end, 10);
    if (value < 1 || value > 4096 || *end != '\0') {
        fprintf(stderr, "audit: %s: %s is not a count\n", r->path, name);
        r->is_good = false;
        return 1;
    }
    return value;
}

/* A size: a number and B or KiB. */
static uint64_t need_size(reader *r, const char *name)
{
    audit_key *key = audit_keys_find(&r->keys, name);
    char *end = NULL;
    unsigned long value = key == NULL ? 0 : strtoul(key->value, &end, 10);
    if (value > 0 && value < 1u << 20 && strcmp(end, " KiB") == 0) {
        return 1024 * (uint64_t)value;
    }
    if (value > 0 && value < 1u << 30 && strcmp(end, " B") == 0) {
        return value;
    }
    fprintf(stderr, "audit: %s: %s is not a size\n", r->path, name);
    r->is_good = false;
    return 1;
}

/* A key that holds one of two words; true for the second. */
static bool need_word(reader *r, const char *name, const char *no,
                      const char *yes, bool is_needed)
{
    audit_key *key = audit_keys_find(&r->keys, name);
    if (key != NULL && strcmp(key->value, yes) == 0) {
        return true;
    }
    if (key == NULL ? is_needed : strcmp(key->value, no) != 0) {
        fprintf(stderr, "audit: %s: %s is neither %s nor %s\n", r->path, name,
                no, yes);
        r->is_good = false;
    }
    return false;
}

static void read_clock(reader *r, int64_t ck)
{
    audit_standard *s = r->s;
    audit_key *key = audit_keys_find(&r->keys, "clock.ck");
    s->ticks_per_ck = need_count(r, "clock.ticks");
    if (ck > 0) {
        s->ck = ck;
    } else if (key != NULL) {
        r->at = key->value;
        r->place = key->place;
        s->ck = read_millionths(r);
        s->ck *= take(r, "ns") ? 1000 : 1;
    }
    if (s->ck <= 0) {
        fprintf(stderr, "audit: %s: no clock.ck\n", r->path);
        r->is_good = false;
        s->ck = AUDIT_UNITS_PER_PS;
    }
}

static void read_commands(reader *r)
{
    audit_standard *s = r->s;
    int64_t act = need_time(r, "command.act");
    int64_t pre = need_time(r, "command.pre");
    int64_t ref = need_time(r, "command.ref");
    int64_t column = need_time(r, "command.column");
    for (int k = 0; k < AUDIT_N_KINDS; k++) {
        s->cycles[k] = AUDIT_COLUMNS >> k & 1      ? column
                       : AUDIT_PRECHARGES >> k & 1 ? pre
                       : AUDIT_REFRESHES >> k & 1  ? ref
                                                   : act;
    }
}

static void default_to(int64_t *value, int64_t other)
{
    if (*value == AUDIT_ABSENT) {
        *value = other;
    }
}

/* What docs/DRAM.md says of timings that are left out. */
static void fill_defaults(reader *r)
{
    audit_standard *s = r->s;
    int64_t *t = s->timing;
    default_to(&t[AUDIT_T_RP_AB], t[AUDIT_T_RP]);
    default_to(&t[AUDIT_T_CCD_WR], t[AUDIT_T_CCD_L]);
    default_to(&t[AUDIT_T_RTW], t[AUDIT_T_CL] + t[AUDIT_T_BL] +
                                    2 * s->ticks_per_ck - t[AUDIT_T_CWL]);
    default_to(&t[AUDIT_T_REFI_PB],
               t[AUDIT_T_REFI] / (s->n_sids * s->n_bgs * s->n_bas));
    static const audit_timing needed[] = {
        AUDIT_T_CL,     AUDIT_T_CWL,   AUDIT_T_BL,    AUDIT_T_RCD_RD,
        AUDIT_T_RCD_WR, AUDIT_T_RP,    AUDIT_T_RAS,   AUDIT_T_RC,
        AUDIT_T_RRD_S,  AUDIT_T_RRD_L, AUDIT_T_CCD_S, AUDIT_T_CCD_L,
        AUDIT_T_WTR_S,  AUDIT_T_WTR_L, AUDIT_T_RTP,   AUDIT_T_WR,
        AUDIT_T_RFC_AB, AUDIT_T_REFI};
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
        if (t[needed[i]] == AUDIT_ABSENT) {
            fprintf(stderr, "audit: %s: no timing.t%s\n", r->path,
                    audit_timing_name(needed[i]));
            r->is_good = false;
        }
    }
}

/* A timing that nobody asked for is one that nobody checks. */
static void refuse_unused(reader *r)
{
    static const char *const others[] = {"standard", "mapping", "energy."};
    for (size_t i = 0; i < r->keys.n; i++) {
        const audit_key *key = &r->keys.key[i];
        bool is_known = key->is_used;
        for (size_t o = 0; o < sizeof(others) / sizeof(others[0]); o++) {
            is_known = is_known ||
                       strncmp(key->name, others[o], strlen(others[o])) == 0;
        }
        if (!is_known) {
            fprintf(stderr, "audit: %s: the auditor does not know %s\n",
                    key->place, key->name);
            r->is_good = false;
        }
    }
}

bool audit_standard_load(audit_standard *s, const char *path, int64_t ck)
{
    reader *r = calloc(1, sizeof(*r));
    if (r == NULL) {
        return false;
    }
    *s = (audit_standard){0};
    r->s = s;
    r->path = path;
    r->is_good = audit_keys_load(&r->keys, path);
    if (r->is_good) {
        read_clock(r, ck);
        s->n_pcs = (uint32_t)need_count(r, "organisation.pseudo_channels");
        s->n_sids = (uint32_t)need_count(r, "organisation.stack_ids");
        s->n_bgs = (uint32_t)need_count(r, "organisation.bank_groups");
        s->n_bas = (uint32_t)need_count(r, "organisation.banks");
        s->row_bytes = need_size(r, "organisation.row");
        s->atom_bytes = need_size(r, "organisation.atom");
        s->has_two_buses = need_word(r, "command.bus", "single", "split", true);
        s->has_edges = need_word(r, "command.edges", "any", "hbm3", true);
        s->refresh_counts_as_activate =
            need_word(r, "refresh.counts_as_activate", "false", "true", false);
        read_commands(r);
        for (int t = 0; t < AUDIT_N_TIMINGS; t++) {
            char name[32];
            snprintf(name, sizeof(name), "timing.t%s",
                     audit_timing_name((audit_timing)t));
            r->rounds_down = t == AUDIT_T_REFI || t == AUDIT_T_REFI_PB;
            s->timing[t] = time_of(r, name);
        }
        fill_defaults(r);
        refuse_unused(r);
    }
    bool is_good = r->is_good;
    free(r);
    return is_good;
}
