/*
 * standard_time.c -- times as written in a standard file: "14 ns",
 * "max(8 ns, 3 ck)", "tCL + 1 ck".
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "model/dram/standard_internal.h"

#define TIME_DEPTH_MAX 16u
#define TIME_TICKS_MAX 4000000
#define CK_FS_MIN      50000u      /* 50 ps */
#define CK_FS_MAX      1000000000u /* 1 us */

static const wm_unit fs_units[] = {
    {"us", 1000000000, true}, {"ns", 1000000, true}, {"ps", 1000, true},
    {"fs", 1, true},          {NULL, 0, false},
};

/* In thousandths of a CK. */
static const wm_unit ck_units[] = {{"ck", 1000, true}, {NULL, 0, false}};

const char *const wm_standard_timing_names[WM_T_COUNT] = {
#define X(name, preset, is_down) "t" #name,
    WM_STANDARD_TIMINGS(X)
#undef X
};

static const char *const timing_presets[WM_T_COUNT] = {
#define X(name, preset, is_down) preset,
    WM_STANDARD_TIMINGS(X)
#undef X
};

static const bool timing_is_down[WM_T_COUNT] = {
#define X(name, preset, is_down) is_down,
    WM_STANDARD_TIMINGS(X)
#undef X
};

typedef struct expression {
    const wm_standard *standard;
    const char *at;
    const char *place;
    bool is_down;
    unsigned depth;
} expression;

static wm_status time_sum(expression *x, int64_t *ticks, wm_error *err);

static void time_blanks(expression *x)
{
    x->at += strspn(x->at, " \t");
}

static wm_status time_fail(const expression *x, wm_error *err)
{
    return wm_fail(err, WM_ECONFIG,
                   "%s: \"%.40s\", wanted a time such as 14 ns, 2 ck, tCL + "
                   "1 ck or max(8 ns, 3 ck)",
                   x->place, x->at);
}

/* A time in fs as ticks: whole CK. */
static int64_t time_of_fs(const expression *x, uint64_t fs)
{
    const uint64_t ck = x->standard->ck_fs;
    const uint64_t n = x->is_down ? fs / ck : (fs + ck - 1) / ck;
    return n > TIME_TICKS_MAX ? TIME_TICKS_MAX
                              : (int64_t)(n * x->standard->ticks_per_ck);
}

static wm_status time_number(expression *x, int64_t *ticks, wm_error *err)
{
    char text[32];
    uint64_t value = 0;
    size_t n = strspn(x->at, "0123456789.");
    n += strspn(x->at + n, " \t");
    n += strspn(x->at + n, "abcdefghijklmnopqrstuvwxyz");
    if (n == 0 || n >= sizeof(text)) {
        return time_fail(x, err);
    }
    memcpy(text, x->at, n);
    text[n] = '\0';
    if (wm_text_parse_quantity(text, fs_units, &value) == WM_TEXT_OK) {
        x->at += n;
        *ticks = time_of_fs(x, value);
        return WM_OK;
    }
    if (wm_text_parse_quantity(text, ck_units, &value) != WM_TEXT_OK ||
        value > UINT64_C(1000) * TIME_TICKS_MAX) {
        return time_fail(x, err);
    }
    value *= x->standard->ticks_per_ck;
    if (value % 1000 != 0) {
        return wm_fail(err, WM_ECONFIG,
                       "%s: %s is no whole number of ticks, wanted a multiple "
                       "of 1/%" PRIu32 " ck",
                       x->place, text, x->standard->ticks_per_ck);
    }
    x->at += n;
    *ticks = (int64_t)(value / 1000);
    return WM_OK;
}

/* A timing by its name: its own text, or its default. */
static wm_status time_name(expression *x, int64_t *ticks, wm_error *err)
{
    const size_t n = strspn(x->at, "tABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    for (size_t t = 0; t < WM_T_COUNT; t++) {
        if (strlen(wm_standard_timing_names[t]) != n ||
            memcmp(wm_standard_timing_names[t], x->at, n) != 0) {
            continue;
        }
        const char *own = x->standard->time[t].text;
        expression inner = *x;
        inner.at = *own != '\0' ? own : timing_presets[t];
        inner.is_down = timing_is_down[t];
        inner.depth++;
        if (*inner.at == '\0') {
            return wm_fail(err, WM_ECONFIG,
                           "%s: %s is not given, wanted a time", x->place,
                           wm_standard_timing_names[t]);
        }
        x->at += n;
        return time_sum(&inner, ticks, err);
    }
    return time_fail(x, err);
}

static wm_status time_max(expression *x, int64_t *ticks, wm_error *err)
{
    int64_t best = 0;
    x->at += strlen("max(");
    for (;;) {
        int64_t value = 0;
        wm_status status = time_sum(x, &value, err);
        if (status != WM_OK) {
            return status;
        }
        best = value > best ? value : best;
        if (*x->at == ')') {
            x->at++;
            *ticks = best;
            return WM_OK;
        }
        if (*x->at != ',') {
            return time_fail(x, err);
        }
        x->at++;
    }
}

static wm_status time_term(expression *x, int64_t *ticks, wm_error *err)
{
    time_blanks(x);
    wm_status status = WM_OK;
    if (++x->depth > TIME_DEPTH_MAX) {
        return wm_fail(err, WM_ECONFIG,
                       "%s: leads back to itself, wanted a time of at most %u "
                       "steps",
                       x->place, TIME_DEPTH_MAX);
    }
    if (strncmp(x->at, "max(", strlen("max(")) == 0) {
        status = time_max(x, ticks, err);
    } else if (*x->at == 't') {
        status = time_name(x, ticks, err);
    } else {
        status = time_number(x, ticks, err);
    }
    x->depth--;
    time_blanks(x);
    return status;
}

static wm_status time_sum(expression *x, int64_t *ticks, wm_error *err)
{
    int64_t total = 0;
    wm_status status = time_term(x, &total, err);
    while (status == WM_OK && (*x->at == '+' || *x->at == '-')) {
        const bool is_minus = *x->at++ == '-';
        int64_t value = 0;
        status = time_term(x, &value, err);
        total += is_minus ? -value : value;
    }
    *ticks = total;
    return status;
}

wm_status wm_standard_evaluate(const wm_standard *standard, const char *text,
                               const char *place, bool is_down, uint32_t *ticks,
                               wm_error *err)
{
    expression x = {standard, text, place, is_down, 0};
    int64_t value = 0;
    wm_status status = time_sum(&x, &value, err);
    if (status != WM_OK) {
        return status;
    }
    if (*x.at != '\0') {
        return time_fail(&x, err);
    }
    if (value < 0 || value > TIME_TICKS_MAX) {
        return wm_fail(err, WM_ECONFIG,
                       "%s: %s is %" PRId64 " ticks, wanted 0 to %d", place,
                       text, value, TIME_TICKS_MAX);
    }
    *ticks = (uint32_t)value;
    return WM_OK;
}

wm_status wm_standard_parse_fs(const char *text, const char *place,
                               uint64_t *fs, wm_error *err)
{
    if (wm_text_parse_quantity(text, fs_units, fs) != WM_TEXT_OK) {
        return wm_fail(err, WM_ECONFIG,
                       "%s: \"%.40s\", wanted a time such as 1.25 ns", place,
                       text);
    }
    return WM_OK;
}

/* "FILE:LINE:COLUMN: NAME" of a time; of one not given, the file alone. */
static void time_place(const wm_standard *standard,
                       const wm_standard_time *time, const char *name,
                       char place[512])
{
    if (time->text[0] == '\0') {
        (void)snprintf(place, 512, "%s: %s",
                       standard->file[standard->n_files - 1], name);
        return;
    }
    (void)snprintf(place, 512, "%s:%" PRIu32 ":%" PRIu32 ": %s",
                   standard->file[time->file], time->line, time->column, name);
}

static wm_status time_settle_one(wm_standard *standard, size_t t, wm_error *err)
{
    char place[512];
    const char *text = standard->time[t].text;
    time_place(standard, &standard->time[t], wm_standard_timing_names[t],
               place);
    if (*text == '\0' && t == WM_T_REFI_PB) {
        standard->ticks[t] =
            standard->ticks[WM_T_REFI] /
            (wm_standard_n_banks(standard) / standard->pseudo_channels);
        return WM_OK;
    }
    if (*text == '\0') {
        text = timing_presets[t];
    }
    if (*text == '\0') {
        return wm_fail(err, WM_ECONFIG, "%s is not given, wanted a time",
                       place);
    }
    return wm_standard_evaluate(standard, text, place, timing_is_down[t],
                                &standard->ticks[t], err);
}

wm_status wm_standard_settle(wm_standard *standard, uint64_t ck_fs,
                             wm_error *err)
{
    char place[512];
    wm_status status = WM_OK;
    standard->ck_fs = ck_fs;
    if (ck_fs < CK_FS_MIN || ck_fs > CK_FS_MAX) {
        return wm_fail(err, WM_ECONFIG,
                       "%s: clock.ck: %" PRIu64 " fs, wanted 50 ps to 1 us",
                       standard->file[standard->n_files - 1], ck_fs);
    }
    for (size_t i = 0; i < WM_LENGTH_COUNT && status == WM_OK; i++) {
        time_place(standard, &standard->length[i], wm_standard_length_names[i],
                   place);
        status = wm_standard_evaluate(standard, standard->length[i].text, place,
                                      false, &standard->length_ticks[i], err);
    }
    for (size_t t = 0; t < WM_T_COUNT && status == WM_OK; t++) {
        status = time_settle_one(standard, t, err);
    }
    return status;
}

uint64_t wm_standard_ck_for(const wm_standard *standard,
                            uint64_t bytes_per_second)
{
    /* One atom per tCCD_S and pseudo-channel. */
    const uint64_t per_ck = standard->atom_bytes * standard->pseudo_channels *
                            standard->ticks_per_ck;
    const uint64_t ccd = standard->ticks[WM_T_CCD_S];
    return wm_mul_div(per_ck, UINT64_C(1000000000000000),
                      bytes_per_second * (ccd != 0 ? ccd : 1));
}
