/*
 * text_parse.c -- see text_parse.h.
 */
#include "trace/text_parse.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "trace/record_check.h"
#include "trace/text_digits.h"
#include "trace/text_write.h"

/* A key and the numbers that follow it: grid 4,1,1 or head 6/6. */
typedef struct field {
    const char *key;
    uint32_t n_values;
    char separator;
    uint64_t max;
    uint64_t *values;
} field;

/* "FILE:LINE:COLUMN: found X, wanted Y". */
static wm_status fail_at(const wm_text_line *l, const wm_word *word,
                         const char *wanted, wm_error *err)
{
    int n = word->n_bytes < 40 ? (int)word->n_bytes : 40;
    if (n == 0) {
        return wm_fail(err, WM_EFORMAT,
                       "%s:%" PRIu64 ":%zu: found the end of the line, "
                       "wanted %s",
                       l->path, l->number, wm_scan_column(&l->scan, word),
                       wanted);
    }
    return wm_fail(
        err, WM_EFORMAT, "%s:%" PRIu64 ":%zu: found '%.*s', wanted %s", l->path,
        l->number, wm_scan_column(&l->scan, word), n, word->text, wanted);
}

wm_status wm_text_fail_line(const wm_text_line *line, const char *wanted,
                            wm_error *err)
{
    return fail_at(line, &line->first, wanted, err);
}

static wm_status read_values(wm_text_line *l, const field *f, wm_error *err)
{
    wm_word word;
    wm_word part;
    (void)wm_scan_word(&l->scan, &word);
    wm_word left = word;
    for (uint32_t i = 0; i < f->n_values; i++) {
        if (!wm_word_part(&left, f->separator, &part) ||
            !wm_word_number(&part, f->max, &f->values[i])) {
            char wanted[96];
            wm_error text;
            (void)wm_fail(&text, WM_EFORMAT,
                          "%" PRIu32 " number(s) up to %" PRIu64 " for %s",
                          f->n_values, f->max, f->key);
            memcpy(wanted, text.text, sizeof(wanted) - 1);
            wanted[sizeof(wanted) - 1] = '\0';
            return fail_at(l, &word, wanted, err);
        }
    }
    return left.n_bytes == 0 ? WM_OK : fail_at(l, &left, "fewer numbers", err);
}

static wm_status parse_kind(wm_text_line *l, uint8_t *kind, wm_error *err)
{
    wm_word word;
    (void)wm_scan_word(&l->scan, &word);
    for (uint32_t k = 0; k < WM_KIND_COUNT; k++) {
        if (wm_word_is(&word, wm_kind_name((wm_kind)k))) {
            *kind = (uint8_t)k;
            return WM_OK;
        }
    }
    return fail_at(l, &word, "a kind of record such as global_load", err);
}

/* "-", a number, or words joined by commas. */
static wm_status parse_flags(wm_text_line *l, uint8_t *flags, wm_error *err)
{
    wm_word word;
    wm_word part;
    uint64_t x = 0;
    (void)wm_scan_word(&l->scan, &word);
    wm_word left = word;
    *flags = 0;
    if (wm_word_is(&word, "-")) {
        return WM_OK;
    }
    if (wm_word_number(&word, UINT8_MAX, &x)) {
        *flags = (uint8_t)x;
        return WM_OK;
    }
    if (word.n_bytes == 0) {
        return fail_at(l, &word, "flags", err);
    }
    while (wm_word_part(&left, ',', &part)) {
        uint32_t bit = 0;
        while (wm_text_flag_name(bit) != NULL &&
               !wm_word_is(&part, wm_text_flag_name(bit))) {
            bit++;
        }
        if (wm_text_flag_name(bit) == NULL) {
            return fail_at(l, &part, "bypass_l1, continued or evict_first",
                           err);
        }
        *flags = (uint8_t)(*flags | 1u << bit);
    }
    return WM_OK;
}

/*
 * Reads keys and their values up to the end of the line, or to the word last
 * (may be NULL), which is taken.  Words of no field are handed to other.
 */
static wm_status read_fields(wm_text_line *l, const field *fields,
                             size_t n_fields, const char *last, wm_word *other,
                             wm_error *err)
{
    wm_word word;
    other->n_bytes = 0;
    while (wm_scan_word(&l->scan, &word)) {
        size_t i = 0;
        if (last != NULL && wm_word_is(&word, last)) {
            return WM_OK;
        }
        while (i < n_fields && !wm_word_is(&word, fields[i].key)) {
            i++;
        }
        if (i == n_fields) {
            *other = word;
            return WM_OK;
        }
        wm_status status = read_values(l, &fields[i], err);
        if (status != WM_OK) {
            return status;
        }
    }
    return WM_OK;
}

static int hex_value(char c)
{
    const char *digits = "0123456789abcdef";
    const char *at = c == '\0' ? NULL : strchr(digits, c);
    return at == NULL ? -1 : (int)(at - digits);
}

/* The rest of the line with \xNN undone; the caller frees *out. */
static wm_status parse_text(wm_text_line *l, char **out, wm_error *err)
{
    wm_word word = wm_scan_rest(&l->scan);
    char *text = malloc(word.n_bytes + 1);
    size_t n = 0;
    if (text == NULL) {
        return wm_fail_memory(err);
    }
    for (size_t i = 0; i < word.n_bytes; i++) {
        char c = word.text[i];
        if (c == '\\') {
            bool has_digits = i + 3 < word.n_bytes && word.text[i + 1] == 'x';
            int high = has_digits ? hex_value(word.text[i + 2]) : -1;
            int low = has_digits ? hex_value(word.text[i + 3]) : -1;
            if (high < 0 || low < 0) {
                wm_word rest = {word.text + i, word.n_bytes - i};
                free(text);
                return fail_at(l, &rest, "\\xNN", err);
            }
            c = (char)(high * 16 + low);
            i += 3;
        }
        if (c == '\0') {
            free(text);
            return fail_at(l, &word, "text without NUL bytes", err);
        }
        text[n++] = c;
    }
    text[n] = '\0';
    *out = text;
    return WM_OK;
}

wm_status wm_text_parse_copy(wm_text_line *l, wm_copy *copy, wm_error *err)
{
    wm_word word;
    uint64_t kind = 0;
    (void)wm_scan_word(&l->scan, &word);
    while (kind <= WM_COPY_SET &&
           !wm_word_is(&word, wm_text_copy_name((wm_copy_kind)kind))) {
        kind++;
    }
    if (kind > WM_COPY_SET) {
        return fail_at(l, &word, "HtoD, DtoH, DtoD or set", err);
    }
    copy->kind = (wm_copy_kind)kind;
    if (!wm_scan_word(&l->scan, &word) ||
        !wm_word_number(&word, UINT64_MAX, &copy->addr)) {
        return fail_at(l, &word, "an address", err);
    }
    if (!wm_scan_word(&l->scan, &word) ||
        !wm_word_number(&word, UINT64_MAX, &copy->n_bytes)) {
        return fail_at(l, &word, "a number of bytes", err);
    }
    return wm_scan_word(&l->scan, &word)
               ? fail_at(l, &word, "the end of the line", err)
               : WM_OK;
}

static void take_launch(wm_launch *launch, const uint64_t grid[3],
                        const uint64_t block[3], const uint64_t n[9])
{
    for (size_t i = 0; i < 3; i++) {
        launch->grid[i] = (uint32_t)grid[i];
        launch->block[i] = (uint32_t)block[i];
    }
    launch->shared_bytes = (uint32_t)n[0];
    launch->registers = (uint32_t)n[1];
    launch->warp_size = (uint32_t)n[2];
    launch->sm_version = (uint32_t)n[3];
    launch->stream = n[4];
    launch->shared_base = n[5];
    launch->local_base = n[6];
}

wm_status wm_text_parse_launch(wm_text_line *l, wm_launch *launch, char **name,
                               wm_error *err)
{
    uint64_t grid[3] = {1, 1, 1};
    uint64_t block[3] = {1, 1, 1};
    uint64_t n[9] = {0, 0, 32, 0, 0, 0, 0, UINT64_MAX, UINT64_MAX};
    const field fields[] = {
        {"grid", 3, ',', UINT32_MAX, grid},
        {"block", 3, ',', UINT32_MAX, block},
        {"shared", 1, ',', UINT32_MAX, &n[0]},
        {"regs", 1, ',', UINT32_MAX, &n[1]},
        {"warp", 1, ',', UINT32_MAX, &n[2]},
        {"sm", 1, ',', UINT32_MAX, &n[3]},
        {"stream", 1, ',', UINT64_MAX, &n[4]},
        {"shared_base", 1, ',', UINT64_MAX, &n[5]},
        {"local_base", 1, ',', UINT64_MAX, &n[6]},
        {"ctas", 1, ',', UINT64_MAX - 1, &n[7]},
        {"warps", 1, ',', UINT32_MAX, &n[8]},
    };
    wm_word other;
    memset(launch, 0, sizeof(*launch));
    *name = NULL;
    wm_status status = read_fields(l, fields, sizeof(fields) / sizeof(*fields),
                                   "name", &other, err);
    if (status != WM_OK) {
        return status;
    }
    if (other.n_bytes > 0) {
        return fail_at(l, &other, "grid, block, warp, ... or name", err);
    }
    take_launch(launch, grid, block, n);
    if (wm_launch_fault(launch) != NULL) {
        return wm_fail(err, WM_EFORMAT,
                       "%s:%" PRIu64 ": found a launch with "
                       "a %s",
                       l->path, l->number, wm_launch_fault(launch));
    }
    wm_launch_set_counts(launch);
    launch->n_ctas = n[7] != UINT64_MAX ? n[7] : launch->n_ctas;
    if (n[8] != UINT64_MAX) {
        launch->n_warps_per_cta = (uint32_t)n[8];
    }
    return parse_text(l, name, err);
}

wm_status wm_text_parse_static(wm_text_line *l, wm_static_table *table,
                               wm_error *err)
{
    wm_static item;
    wm_word word;
    uint64_t number = 0;
    uint64_t n[3] = {0, 0, 0};
    char *opcode = NULL;
    const field fields[] = {
        {"pc", 1, ',', UINT64_MAX, &n[0]},
        {"line", 1, ',', UINT32_MAX, &n[1]},
        {"width", 1, ',', WM_WIDTH_MAX, &n[2]},
    };
    memset(&item, 0, sizeof(item));
    (void)wm_scan_word(&l->scan, &word);
    if (table->n_items >= WM_STATICS_MAX ||
        !wm_word_number(&word, UINT32_MAX, &number) ||
        number != table->n_items) {
        return fail_at(l, &word, "the next static instruction's number", err);
    }
    wm_status status = parse_kind(l, &item.kind, err);
    while (status == WM_OK) {
        status = read_fields(l, fields, 3, "opcode", &word, err);
        if (status != WM_OK || word.n_bytes == 0) {
            break;
        }
        if (!wm_word_is(&word, "flags")) {
            return fail_at(l, &word, "pc, line, width, flags or opcode", err);
        }
        status = parse_flags(l, &item.flags, err);
    }
    if (status == WM_OK) {
        status = parse_text(l, &opcode, err);
    }
    if (status != WM_OK) {
        return status;
    }
    item.pc = n[0];
    item.line = (uint32_t)n[1];
    item.width = (uint8_t)n[2];
    bool is_added = wm_static_table_add(table, &item, opcode, strlen(opcode));
    free(opcode);
    return is_added ? WM_OK : wm_fail_memory(err);
}

/* at 0xA 0xB ...: one address per active lane, in the smallest pattern. */
static wm_status parse_absolute(wm_text_line *l, wm_cta *cta, wm_record *record,
                                wm_error *err)
{
    uint64_t addresses[WM_LANES_MAX];
    uint32_t n = wm_popcount64(record->mask);
    wm_word word;
    for (uint32_t i = 0; i < n; i++) {
        (void)wm_scan_word(&l->scan, &word);
        if (!wm_word_number(&word, UINT64_MAX, &addresses[i])) {
            return fail_at(l, &word, "one address per active lane", err);
        }
    }
    return wm_record_set_addresses(cta, record, addresses)
               ? WM_OK
               : wm_fail_memory(err);
}

/* " +12" or " -12" of 32 bits as the writer puts it, without a detour over
 * words; false, and nothing taken, for any other form.  Lines come from
 * wm_stream_line. */
static bool take_offset(wm_scan *scan, int64_t *x)
{
    const char *at = scan->at;
    uint64_t size = 0;
    if (*at != ' ' || (at[1] != '+' && at[1] != '-')) {
        return false;
    }
    uint32_t n = wm_decimal_run(at + 2, &size);
    const char *end = at + 2 + n;
    bool is_negative = at[1] == '-';
    if (n == 0 || n > 10 || (*end != ' ' && end != scan->end) ||
        size > (uint64_t)INT32_MAX + is_negative) {
        return false;
    }
    *x = is_negative ? -(int64_t)size : (int64_t)size;
    scan->at = end;
    return true;
}

/* list 0xBASE +OFFSET ... and list64 0xBASE 0xADDRESS ...: as stored. */
static wm_status parse_list(wm_text_line *l, wm_cta *cta, wm_record *record,
                            wm_error *err)
{
    bool is_wide = record->pattern == WM_PATTERN_LIST64;
    uint32_t n = wm_popcount64(record->mask);
    size_t n_slots = is_wide ? 2 * (size_t)n : n;
    wm_word word;
    (void)wm_scan_word(&l->scan, &word);
    if (!wm_word_number(&word, UINT64_MAX, &record->base)) {
        return fail_at(l, &word, "the list's base address", err);
    }
    if (cta->n_lanes + n_slots > UINT32_MAX ||
        !wm_grow(&cta->lanes, &cta->cap_lanes, cta->n_lanes + n_slots + 1,
                 sizeof(*cta->lanes))) {
        return wm_fail_memory(err);
    }
    record->u.list = (uint32_t)cta->n_lanes;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t address = 0;
        int64_t offset = 0;
        if (!is_wide && take_offset(&l->scan, &offset)) {
            cta->lanes[cta->n_lanes++] = (uint32_t)offset;
            continue;
        }
        (void)wm_scan_word(&l->scan, &word);
        if (is_wide ? !wm_word_number(&word, UINT64_MAX, &address)
                    : !wm_word_signed(&word, &offset) || offset < INT32_MIN ||
                          offset > INT32_MAX) {
            return fail_at(l, &word,
                           is_wide ? "one address per active lane"
                                   : "one 32-bit offset per active lane",
                           err);
        }
        cta->lanes[cta->n_lanes++] =
            (uint32_t)(is_wide ? address : (uint64_t)offset);
        if (is_wide) {
            cta->lanes[cta->n_lanes++] = (uint32_t)(address >> 32);
        }
    }
    return WM_OK;
}

/* The address part, if the line has one. */
static wm_status parse_address(wm_text_line *l, wm_cta *cta, wm_record *record,
                               wm_error *err)
{
    wm_word word;
    int64_t stride = 0;
    if (!wm_scan_peek(&l->scan, &word)) {
        return WM_OK;
    }
    bool is_list = wm_word_is(&word, "list");
    if (is_list || wm_word_is(&word, "list64")) {
        record->pattern = is_list ? WM_PATTERN_LIST32 : WM_PATTERN_LIST64;
        (void)wm_scan_word(&l->scan, &word);
        return parse_list(l, cta, record, err);
    }
    if (wm_word_is(&word, "at")) {
        (void)wm_scan_word(&l->scan, &word);
        return parse_absolute(l, cta, record, err);
    }
    if (!wm_word_number(&word, UINT64_MAX, &record->base)) {
        return WM_OK;
    }
    (void)wm_scan_word(&l->scan, &word);
    if (wm_scan_peek(&l->scan, &word) &&
        (word.text[0] == '+' || word.text[0] == '-')) {
        (void)wm_scan_word(&l->scan, &word);
        if (!wm_word_signed(&word, &stride) || stride < INT32_MIN ||
            stride > INT32_MAX) {
            return fail_at(l, &word, "a stride of 32 bits", err);
        }
        record->u.stride = (int32_t)stride;
    }
    return WM_OK;
}

static wm_status parse_timing(wm_text_line *l, wm_record *record, wm_error *err)
{
    uint64_t head[2] = {0, 0};
    uint64_t tail[2] = {0, 0};
    uint64_t wait = 0;
    uint64_t width = record->width;
    const field fields[] = {
        {"head", 2, '/', UINT16_MAX, head},
        {"tail", 2, '/', UINT16_MAX, tail},
        {"wait", 1, '/', UINT32_MAX, &wait},
        {"width", 1, '/', WM_WIDTH_MAX, &width},
    };
    wm_word word;
    wm_status status = WM_OK;
    do {
        status = read_fields(l, fields, 4, NULL, &word, err);
        if (status == WM_OK && word.n_bytes > 0) {
            status = wm_word_is(&word, "kind")
                         ? parse_kind(l, &record->kind, err)
                     : wm_word_is(&word, "flags")
                         ? parse_flags(l, &record->flags, err)
                         : fail_at(l, &word,
                                   "an address, head, wait, tail, kind, width "
                                   "or flags",
                                   err);
        }
    } while (status == WM_OK && word.n_bytes > 0);
    record->head_cycles = (uint16_t)head[0];
    record->head_slots = (uint16_t)head[1];
    record->tail_cycles = (uint16_t)tail[0];
    record->tail_slots = (uint16_t)tail[1];
    record->wait = (uint32_t)wait;
    record->width = (uint8_t)width;
    return status;
}

/* SID MASK [address] [head C/S] [wait W] [tail C/S] [kind] [width] [flags] */
wm_status wm_text_parse_record(wm_text_line *l, const wm_launch *launch,
                               wm_cta *cta, wm_error *err)
{
    wm_record record;
    wm_word word;
    uint64_t static_id = 0;
    wm_word first = l->first;
    memset(&record, 0, sizeof(record));
    record.kind = WM_KIND_COUNT;
    if (!wm_word_number(&first, UINT32_MAX, &static_id)) {
        return fail_at(l, &first, "a record, warp, cta, static, launch or copy",
                       err);
    }
    record.static_id = (uint32_t)static_id;
    if (static_id < launch->n_statics) {
        record.kind = launch->statics[static_id].kind;
        record.width = launch->statics[static_id].width;
        record.flags = launch->statics[static_id].flags;
    }
    (void)wm_scan_word(&l->scan, &word);
    if (!wm_word_hex(&word, &record.mask)) {
        return fail_at(l, &word, "the active lanes in hexadecimal", err);
    }
    wm_status status = parse_address(l, cta, &record, err);
    if (status == WM_OK) {
        status = parse_timing(l, &record, err);
    }
    if (status != WM_OK) {
        return status;
    }
    const char *fault =
        wm_record_fault(&record, launch->n_statics, launch->warp_size);
    if (fault != NULL) {
        return wm_fail(err, WM_EFORMAT,
                       "%s:%" PRIu64 ": found a record with: %s, wanted none",
                       l->path, l->number, fault);
    }
    if (cta->n_records >= WM_RECORDS_PER_CTA_MAX ||
        !wm_grow(&cta->records, &cta->cap_records, cta->n_records + 1,
                 sizeof(*cta->records))) {
        return wm_fail_memory(err);
    }
    cta->records[cta->n_records++] = record;
    return WM_OK;
}

wm_status wm_text_parse_cta(wm_text_line *l, const wm_launch *launch,
                            wm_cta *cta, uint64_t *n_records, wm_error *err)
{
    uint64_t n_warps = launch->n_warps_per_cta < WM_WARPS_PER_CTA_MAX
                           ? launch->n_warps_per_cta
                           : WM_WARPS_PER_CTA_MAX;
    uint64_t id[3] = {0, 0, 0};
    uint64_t other = 0;
    uint64_t flops[4] = {0, 0, 0, 0};
    const field id_field = {"cta", 3, ',', UINT32_MAX, id};
    const field fields[] = {
        {"warps", 1, ',', WM_WARPS_PER_CTA_MAX, &n_warps},
        {"records", 1, ',', WM_RECORDS_PER_CTA_MAX, n_records},
        {"other", 1, ',', UINT64_MAX, &other},
        {"flops", 4, ',', UINT64_MAX, flops},
    };
    wm_word word;
    wm_cta_clear(cta);
    *n_records = UINT64_MAX;
    wm_status status = read_values(l, &id_field, err);
    if (status == WM_OK) {
        status = read_fields(l, fields, 4, NULL, &word, err);
    }
    if (status == WM_OK && word.n_bytes > 0) {
        status = fail_at(l, &word, "warps, records, other or flops", err);
    }
    if (status != WM_OK) {
        return status;
    }
    for (size_t i = 0; i < 3; i++) {
        cta->id[i] = (uint32_t)id[i];
    }
    cta->work = (wm_work){other, flops[0], flops[1], flops[2], flops[3]};
    if (!wm_grow(&cta->warps, &cta->cap_warps, (size_t)n_warps + 1,
                 sizeof(*cta->warps))) {
        return wm_fail_memory(err);
    }
    cta->n_warps = (uint32_t)n_warps;
    memset(cta->warps, 0, (size_t)n_warps * sizeof(*cta->warps));
    return WM_OK;
}

wm_status wm_text_parse_warp(wm_text_line *l, wm_cta *cta, uint32_t *warp,
                             wm_error *err)
{
    wm_word word;
    uint64_t number = 0;
    if (!wm_scan_word(&l->scan, &word) ||
        !wm_word_number(&word, UINT32_MAX, &number) || number >= cta->n_warps ||
        cta->warps[number].n_records > 0) {
        return fail_at(l, &word, "a warp of this CTA, once each", err);
    }
    *warp = (uint32_t)number;
    cta->warps[number].first = (uint32_t)cta->n_records;
    return wm_scan_word(&l->scan, &word)
               ? fail_at(l, &word, "the end of the line", err)
               : WM_OK;
}
