/*
 * accelsim_line.c -- the hand scanner.  Every token ends at a blank or at the
 * control byte behind the line, so no function needs the line's length.
 */
#include "trace/accelsim_line.h"

#include <stdio.h>
#include <string.h>

#include "trace/text_digits.h"

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t') {
        p++;
    }
    return p;
}

static bool is_end(char c)
{
    return (unsigned char)c < ' ' && c != '\t';
}

static bool is_gap(char c)
{
    return (unsigned char)c <= ' ';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Each scanner takes *p past its token and the blanks behind it; false, with
 * *p at the token, when the token is not what it wants. */
static bool scan_decimal(const char **p, uint64_t *out)
{
    const char *q = *p;
    if (is_digit(q[0]) && is_gap(q[1])) {
        *out = (uint64_t)(*q++ - '0');
    } else {
        uint32_t n = wm_decimal_run(q, out);
        q += n;
        if (n == 0 || n > WM_DECIMALS_MAX || !is_gap(*q)) {
            return false;
        }
    }
    *p = *q == ' ' && !is_gap(q[1]) ? q + 1 : skip_blanks(q);
    return true;
}

static bool scan_u32(const char **p, uint32_t *out)
{
    const char *start = *p;
    uint64_t value = 0;
    if (!scan_decimal(p, &value) || value > UINT32_MAX) {
        *p = start;
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

static bool scan_signed(const char **p, int64_t *out)
{
    const char *q = *p;
    bool is_negative = *q == '-';
    uint64_t value = 0;
    q += is_negative;
    if (!scan_decimal(&q, &value) || value > (uint64_t)INT64_MAX) {
        return false;
    }
    *out = is_negative ? -(int64_t)value : (int64_t)value;
    *p = q;
    return true;
}

/* More digits than a number of 64 bits has: zeros in front are fine. */
static uint32_t hex_run_long(const char *text, uint64_t *out)
{
    uint32_t n_zeros = 0;
    while (text[n_zeros] == '0') {
        n_zeros++;
    }
    uint32_t n = wm_hex_run(text + n_zeros, out);
    if (n == 0) {
        *out = 0;
    }
    return n > WM_HEX_DIGITS_MAX ? 0 : n_zeros + n;
}

static bool scan_hex(const char **p, uint64_t *out)
{
    const char *q = *p;
    if (q[0] == '0' && (q[1] == 'x' || q[1] == 'X')) {
        q += 2;
    }
    uint32_t n = wm_hex_run(q, out);
    if (n > WM_HEX_DIGITS_MAX) {
        n = hex_run_long(q, out);
    }
    if (n == 0 || !is_gap(q[n])) {
        return false;
    }
    *p = q[n] == ' ' && !is_gap(q[n + 1]) ? q + n + 1 : skip_blanks(q + n);
    return true;
}

/* "R12"; other names (predicates, uniform registers) count as R255. */
static bool scan_register(const char **p, uint8_t *out)
{
    const char *q = *p;
    uint32_t number = 0;
    if (is_gap(*q) || is_digit(*q) || *q == '-') {
        return false;
    }
    *out = 255;
    if (*q == 'R' && is_digit(q[1])) {
        for (q++; is_digit(*q) && number < 256; q++) {
            number = number * 10 + (uint32_t)(*q - '0');
        }
        if (is_gap(*q) && number < 255) {
            *out = (uint8_t)number;
        }
    }
    while (!is_gap(*q)) {
        q++;
    }
    *p = skip_blanks(q);
    return true;
}

static bool wanted(wm_accelsim_line *out, const char *at, const char *what)
{
    out->at = at;
    (void)snprintf(out->problem, sizeof(out->problem), "%s", what);
    return false;
}

static bool scan_registers(wm_accelsim_line *out, const char **p,
                           uint8_t *registers, uint32_t n_max, uint8_t *n,
                           const char *what)
{
    uint64_t count = 0;
    const char *start = *p;
    if (!scan_decimal(p, &count) || count > n_max) {
        return wanted(out, start, what);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!scan_register(p, &registers[i])) {
            return wanted(out, *p, "a register");
        }
    }
    *n = (uint8_t)count;
    return true;
}

/* Counts what follows up to the end of the line or store data. */
static uint32_t count_numbers(const char *p)
{
    uint32_t n = 0;
    while (is_digit(*p) || *p == '-') {
        while (!is_gap(*p)) {
            p++;
        }
        p = skip_blanks(p);
        n++;
    }
    return n;
}

static bool wrong_deltas(wm_accelsim_line *out, const char *first,
                         uint32_t n_wanted)
{
    out->at = NULL;
    (void)snprintf(out->problem, sizeof(out->problem),
                   "expected %u deltas, got %u", n_wanted,
                   count_numbers(first));
    return false;
}

static bool scan_deltas(wm_accelsim_line *out, const char **p)
{
    uint32_t n_active = wm_popcount64(out->mask);
    out->addresses[0] = out->base;
    const char *first = *p;
    for (uint32_t n = 1; n < n_active; n++) {
        int64_t delta = 0;
        if (!scan_signed(p, &delta)) {
            return is_end(**p) ? wrong_deltas(out, first, n_active - 1)
                               : wanted(out, *p, "a signed decimal delta");
        }
        out->addresses[n] = out->addresses[n - 1] + (uint64_t)delta;
    }
    return true;
}

static bool scan_list(wm_accelsim_line *out, const char **p)
{
    uint32_t n_active = wm_popcount64(out->mask);
    for (uint32_t n = 0; n < n_active; n++) {
        if (!scan_hex(p, &out->addresses[n])) {
            return wanted(out, *p, "a hexadecimal address per active lane");
        }
    }
    return true;
}

static bool scan_addresses(wm_accelsim_line *out, const char **p)
{
    uint64_t mode = 0;
    const char *start = *p;
    if (!scan_decimal(p, &mode) || mode > 4) {
        return wanted(out, start, "an address mode from 0 to 4");
    }
    if (mode == 0) {
        out->mode = WM_ACCELSIM_LIST;
        return scan_list(out, p);
    }
    if (mode >= 3) {
        out->mode = WM_ACCELSIM_BULK;
        return true;
    }
    if (!scan_hex(p, &out->base)) {
        return wanted(out, *p, "a hexadecimal base address");
    }
    if (mode == 2) {
        out->mode = WM_ACCELSIM_DELTAS;
        return scan_deltas(out, p);
    }
    out->mode = WM_ACCELSIM_STRIDE;
    if (!scan_signed(p, &out->stride)) {
        return wanted(out, *p, "a signed decimal stride");
    }
    return true;
}

/* What may follow the addresses: from version 5 one immediate, then store
 * data; before version 3 and after 5 the rest is not looked at. */
static bool check_rest(const wm_accelsim_layout *layout, wm_accelsim_line *out,
                       const char *p, const char *addresses)
{
    if (layout->version < 3 || layout->version > 5 ||
        out->mode == WM_ACCELSIM_BULK) {
        return true;
    }
    if (layout->version == 5) {
        (void)scan_signed(&p, &out->immediate);
    }
    if (is_end(*p) || strncmp(p, "STORE_DATA", 10) == 0) {
        return true;
    }
    if (out->width != 0 && out->mode == WM_ACCELSIM_DELTAS) {
        const char *q = addresses;
        uint64_t skipped = 0;
        (void)scan_decimal(&q, &skipped);
        (void)scan_hex(&q, &skipped);
        return wrong_deltas(out, q, wm_popcount64(out->mask) - 1);
    }
    return wanted(out, p, "the end of the line");
}

static bool scan_prefix(const wm_accelsim_layout *layout, wm_accelsim_line *out,
                        const char **p)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < layout->n_prefix; i++) {
        if (!scan_u32(p, &number)) {
            return wanted(out, *p, "block x, y, z and warp in front");
        }
    }
    out->start = *p;
    if (layout->has_source_line && !scan_u32(p, &out->source_line)) {
        return wanted(out, *p, "a source line number");
    }
    return true;
}

/* GMMA opcodes of version 6 carry a commit field before the width. */
static void skip_commit(const wm_accelsim_layout *layout,
                        const wm_accelsim_line *out, const char **p)
{
    uint64_t commit = 0;
    if (layout->version >= 6 && out->n_opcode >= 5 &&
        memcmp(out->opcode + 1, "GMMA", 4) == 0) {
        (void)scan_decimal(p, &commit);
    }
}

/* "PC mask". */
static bool scan_place(wm_accelsim_line *out, const char **p)
{
    uint64_t mask = 0;
    if (!scan_hex(p, &out->pc)) {
        return wanted(out, *p, "a hexadecimal program counter");
    }
    out->at_mask = *p;
    if (!scan_hex(p, &mask) || mask > UINT32_MAX) {
        return wanted(out, out->at_mask, "a lane mask of 8 hexadecimal digits");
    }
    out->mask = (uint32_t)mask;
    out->at_tail = *p - 1;
    return true;
}

bool wm_accelsim_line_parse(const wm_accelsim_layout *layout, const char *text,
                            wm_accelsim_line *out)
{
    const char *p = skip_blanks(text);
    out->source_line = 0;
    if (!scan_prefix(layout, out, &p) || !scan_place(out, &p) ||
        !scan_registers(out, &p, out->dst, WM_ACCELSIM_DST_MAX, &out->n_dst,
                        "a number of destination registers, at most 4")) {
        return false;
    }
    out->opcode = p;
    while (!is_gap(*p)) {
        p++;
    }
    out->n_opcode = (size_t)(p - out->opcode);
    if (*out->opcode < 'A' || *out->opcode > 'Z') {
        return wanted(out, out->opcode, "an opcode");
    }
    p = skip_blanks(p);
    if (!scan_registers(out, &p, out->src, WM_ACCELSIM_SRC_MAX, &out->n_src,
                        "a number of source registers, at most 12")) {
        return false;
    }
    skip_commit(layout, out, &p);
    if (!scan_decimal(&p, &out->width)) {
        return wanted(out, p, "a memory width, 0 for none");
    }
    out->at_rest = p;
    return wm_accelsim_line_rest(layout, p, out);
}

bool wm_accelsim_line_rest(const wm_accelsim_layout *layout, const char *rest,
                           wm_accelsim_line *out)
{
    const char *p = rest;
    out->mode = WM_ACCELSIM_LIST;
    out->immediate = 0;
    if (out->width != 0 && !scan_addresses(out, &p)) {
        return false;
    }
    return is_end(*p) || check_rest(layout, out, p, rest);
}

const char *wm_accelsim_line_start(const wm_accelsim_layout *layout,
                                   const char *text)
{
    const char *p = skip_blanks(text);
    uint32_t number = 0;
    for (uint32_t i = 0; i < layout->n_prefix; i++) {
        if (!scan_u32(&p, &number)) {
            return NULL;
        }
    }
    return p;
}

bool wm_accelsim_line_prefix(const char *text, uint32_t n, uint32_t *out)
{
    const char *p = skip_blanks(text);
    for (uint32_t i = 0; i < n; i++) {
        if (!scan_u32(&p, &out[i])) {
            return false;
        }
    }
    return true;
}

/* True when the token at p is a mask: 8 hexadecimal digits. */
static bool is_mask(const char *p)
{
    return wm_hex_bytes(wm_load_le64(p)) == WM_EACH_BYTE(0x80) && is_gap(p[8]);
}

void wm_accelsim_line_probe(wm_accelsim_layout *layout, const char *text)
{
    uint32_t n_before = layout->has_source_line ? 2 : 1;
    const char *p = skip_blanks(text);
    for (uint32_t token = 0; token <= 6 + n_before && !is_end(*p); token++) {
        if ((token == 4 + n_before || token == 6 + n_before) && is_mask(p)) {
            layout->n_prefix = token - n_before;
            return;
        }
        while (!is_gap(*p)) {
            p++;
        }
        p = skip_blanks(p);
    }
}
