/*
 * accelsim_group.c -- grouped files: #BEGIN_TB, thread block, warps, #END_TB.
 *
 * A file that was cut, or written by hand without the closing marks, is read
 * as far as it goes; a count that contradicts the lines is an error.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace/accelsim.h"

/* The value behind "key = " when the line in reader->text has that key. */
static const char *value_of(const wm_reader *reader, const char *key,
                            size_t *n_bytes)
{
    if (!wm_accelsim_starts(reader, key)) {
        return NULL;
    }
    const char *end = reader->text + reader->n_text;
    const char *p = reader->text + strlen(key);
    while (p < end && (*p == ' ' || *p == '\t')) {
        p++;
    }
    if (p == end || *p != '=') {
        return NULL;
    }
    do {
        p++;
    } while (p < end && (*p == ' ' || *p == '\t'));
    while (end > p && (end[-1] == ' ' || end[-1] == '\t')) {
        end--;
    }
    *n_bytes = (size_t)(end - p);
    return p;
}

/* "key = N"; false when the line is another. */
static bool read_number(wm_reader *reader, const char *key, uint64_t *out,
                        bool *is_number)
{
    size_t n = 0;
    const char *text = value_of(reader, key, &n);
    if (text == NULL) {
        return false;
    }
    uint64_t number = 0;
    *is_number = n > 0;
    for (size_t i = 0; i < n; i++) {
        *is_number &= text[i] >= '0' && text[i] <= '9' && number < UINT32_MAX;
        number = number * 10 + (uint64_t)(text[i] - '0');
    }
    *out = number;
    return true;
}

static wm_status fail_line(const wm_reader *reader, const char *wanted,
                           wm_error *err)
{
    int n = reader->n_text < 60 ? (int)reader->n_text : 60;
    return wm_fail(err, WM_EFORMAT, "%s: found \"%.*s\", wanted %s",
                   wm_accelsim_here(reader).text, n, reader->text, wanted);
}

/* Whatever is not one of the marks between warps is taken for one. */
static bool is_instruction(const wm_reader *reader)
{
    static const char *const marks[] = {"warp", "insts", "thread block",
                                        "cluster"};
    if (reader->text[0] >= '0' && reader->text[0] <= '9') {
        return true;
    }
    if (reader->text[0] == '#') {
        return false;
    }
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        if (reader->text[0] == marks[i][0] &&
            wm_accelsim_starts(reader, marks[i])) {
            return false;
        }
    }
    return true;
}

/* Reads the lines of one warp, up to the first line that is none. */
static wm_status read_lines(wm_reader *reader, wm_cta *cta, uint64_t n_wanted,
                            wm_error *err)
{
    uint64_t n = 0;
    bool is_parsed = false;
    char sentence[96];
    wm_status status = WM_OK;
    for (;;) {
        status = wm_accelsim_next_line(reader, err);
        if (status != WM_OK || reader->text == NULL ||
            !is_instruction(reader)) {
            break;
        }
        n++;
        status = wm_accelsim_parse(reader, &reader->warp, &is_parsed, err);
        if (status == WM_OK && is_parsed) {
            status = wm_accelsim_feed(reader, cta, &reader->warp, err);
        }
        if (status != WM_OK) {
            return status;
        }
    }
    if (status != WM_OK || n == n_wanted) {
        return status;
    }
    (void)snprintf(sentence, sizeof(sentence),
                   "insts = %" PRIu64 ", but %" PRIu64
                   " instruction lines follow",
                   n_wanted, n);
    if (reader->text == NULL && n < n_wanted && reader->has_newline) {
        wm_accelsim_cut(reader, "kernel-cut", sentence);
        return WM_OK;
    }
    if (reader->text == NULL && n < n_wanted) {
        return wm_accelsim_damage(reader, "kernel-cut",
                                  "the file ends in the middle of a line, "
                                  "wanted a whole instruction",
                                  err);
    }
    return wm_accelsim_damage(reader, "insts-mismatch", sentence, err);
}

/* "warp = w" is in reader->text; leaves the line after the warp there. */
static wm_status read_warp(wm_reader *reader, wm_cta *cta, uint64_t warp,
                           wm_error *err)
{
    uint64_t n_insts = 0;
    bool is_number = false;
    wm_status status = WM_OK;
    if (warp >= WM_ACCELSIM_WARPS_MAX) {
        return fail_line(reader, "a warp below 1024", err);
    }
    status = wm_accelsim_grow_warps(reader, cta, (uint32_t)warp, err);
    if (status == WM_OK && cta->warps[warp].n_records != 0) {
        return fail_line(reader, "each warp once in a thread block", err);
    }
    if (status == WM_OK) {
        status = wm_accelsim_next_line(reader, err);
    }
    if (status != WM_OK) {
        return status;
    }
    if (reader->text == NULL) {
        wm_accelsim_cut(reader, "kernel-cut", "the file ends inside a warp");
        return WM_OK;
    }
    if (!read_number(reader, "insts", &n_insts, &is_number) || !is_number) {
        return fail_line(reader, "insts = N", err);
    }
    size_t first = cta->n_records;
    wm_accelsim_warp_start(&reader->warp);
    status = read_lines(reader, cta, n_insts, err);
    if (status == WM_OK || reader->context.options.keep_going) {
        wm_status ended = wm_accelsim_end_warp(reader, cta, &reader->warp, err);
        status = status == WM_OK ? ended : status;
        cta->warps[warp].first = (uint32_t)first;
        cta->warps[warp].n_records = (uint32_t)(cta->n_records - first);
    }
    return status;
}

/* Looks for #BEGIN_TB; reader->text is NULL when the file ends before. */
static wm_status find_block(wm_reader *reader, wm_error *err)
{
    wm_status status = WM_OK;
    if (!reader->has_body) {
        reader->has_body = true; /* the header's reader left its line */
    } else if (reader->text == NULL ||
               !wm_accelsim_starts(reader, "#BEGIN_TB")) {
        status = wm_accelsim_next_line(reader, err);
    }
    while (status == WM_OK && reader->text != NULL &&
           !wm_accelsim_starts(reader, "#BEGIN_TB")) {
        if (reader->text[0] != '#') {
            status = fail_line(reader, "#BEGIN_TB", err);
            if (reader->context.options.keep_going) {
                status = wm_accelsim_damage(reader, "line-skipped",
                                            "not part of a thread block", err);
            }
        }
        if (status == WM_OK) {
            status = wm_accelsim_next_line(reader, err);
        }
    }
    return status;
}

static wm_status read_id(wm_reader *reader, wm_cta *cta, wm_error *err)
{
    size_t n = 0;
    wm_status status = wm_accelsim_next_line(reader, err);
    if (status != WM_OK || reader->text == NULL) {
        return status;
    }
    const char *text = value_of(reader, "thread block", &n);
    if (text == NULL || !wm_accelsim_parse_triple(text, n, cta->id)) {
        return fail_line(reader, "thread block = x,y,z", err);
    }
    const uint32_t *grid = reader->launch.grid;
    if (cta->id[0] >= grid[0] || cta->id[1] >= grid[1] ||
        cta->id[2] >= grid[2]) {
        wm_warn(reader->context.diag, "cta-outside-grid",
                wm_accelsim_here(reader).text,
                "thread block %u,%u,%u lies outside the grid", cta->id[0],
                cta->id[1], cta->id[2]);
    }
    return WM_OK;
}

/* One line between the warps; *is_done at the block's end. */
static wm_status read_block_line(wm_reader *reader, wm_cta *cta, bool *is_done,
                                 wm_error *err)
{
    uint64_t warp = 0;
    bool is_number = false;
    *is_done = true;
    if (reader->text == NULL) {
        wm_accelsim_cut(reader, "end-tb-missing",
                        "the file ends inside a thread block");
        return WM_OK;
    }
    if (wm_accelsim_starts(reader, "#END_TB")) {
        return WM_OK;
    }
    if (wm_accelsim_starts(reader, "#BEGIN_TB")) {
        wm_warn(reader->context.diag, "end-tb-missing",
                wm_accelsim_here(reader).text,
                "#BEGIN_TB inside a thread block, wanted #END_TB before");
        return WM_OK;
    }
    *is_done = false;
    if (read_number(reader, "warp", &warp, &is_number)) {
        return is_number ? read_warp(reader, cta, warp, err)
                         : fail_line(reader, "warp = N", err);
    }
    if (reader->text[0] != '#' && !wm_accelsim_starts(reader, "cluster ")) {
        return fail_line(reader, "warp = N or #END_TB", err);
    }
    return wm_accelsim_next_line(reader, err);
}

static wm_status read_block(wm_reader *reader, wm_cta *cta, wm_error *err)
{
    bool is_done = false;
    wm_status status = read_id(reader, cta, err);
    if (status == WM_OK && reader->text != NULL) {
        status = wm_accelsim_grow_warps(reader, cta, 0, err);
        if (status == WM_OK) {
            status = wm_accelsim_next_line(reader, err);
        }
    }
    while (status == WM_OK && !is_done) {
        status = read_block_line(reader, cta, &is_done, err);
    }
    return status;
}

wm_status wm_accelsim_group_cta(wm_reader *reader, wm_cta *cta, bool *has_cta,
                                wm_error *err)
{
    wm_status status = find_block(reader, err);
    if (status == WM_OK && reader->text == NULL) {
        return WM_OK;
    }
    if (status == WM_OK) {
        status = read_block(reader, cta, err);
    }
    /* What was read before the damage is kept: cut short, not dropped. */
    *has_cta = cta->n_records > 0 || (status == WM_OK && cta->n_warps > 0);
    return status;
}
