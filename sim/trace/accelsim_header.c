/*
 * accelsim_header.c -- "-key = value" lines.  Unknown keys are ignored; known
 * values that tracers get wrong (registers, version) are taken as they are and
 * never used to size anything.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/accelsim.h"

typedef struct value {
    const char *text;
    size_t n_bytes;
} value;

bool wm_accelsim_parse_triple(const char *text, size_t n_bytes, uint32_t out[3])
{
    const char *p = text;
    const char *end = text + n_bytes;
    while (p < end && (*p == ' ' || *p == '(' || *p == '\t')) {
        p++;
    }
    for (int i = 0; i < 3; i++) {
        uint64_t number = 0;
        const char *start = p;
        while (p < end && *p >= '0' && *p <= '9' && number <= UINT32_MAX) {
            number = number * 10 + (uint64_t)(*p++ - '0');
        }
        if (p == start || number > UINT32_MAX) {
            return false;
        }
        out[i] = (uint32_t)number;
        if (i < 2 && (p == end || *p++ != ',')) {
            return false;
        }
    }
    while (p < end && (*p == ' ' || *p == ')' || *p == '\t')) {
        p++;
    }
    return p == end;
}

/* Decimal, or hexadecimal after "0x"; false for anything else. */
static bool parse_number(value v, uint64_t *out)
{
    uint64_t number = 0;
    size_t i = 0;
    uint64_t radix = 10;
    if (v.n_bytes > 2 && v.text[0] == '0' && (v.text[1] | 32) == 'x') {
        radix = 16;
        i = 2;
    }
    if (i == v.n_bytes) {
        return false;
    }
    for (; i < v.n_bytes; i++) {
        char c = v.text[i];
        uint64_t digit = c >= '0' && c <= '9' ? (uint64_t)(c - '0')
                         : (c | 32) >= 'a' && (c | 32) <= 'f'
                             ? (uint64_t)((c | 32) - 'a' + 10)
                             : 16;
        if (digit >= radix || number > (UINT64_MAX - digit) / radix) {
            return false;
        }
        number = number * radix + digit;
    }
    *out = number;
    return true;
}

/* Splits "-key = value"; false when the line has no "=". */
static bool split(const char *text, size_t n_bytes, value *key, value *val)
{
    const char *equals = memchr(text, '=', n_bytes);
    if (equals == NULL) {
        return false;
    }
    const char *end = text + n_bytes;
    *key = (value){text, (size_t)(equals - text)};
    val->text = equals + 1;
    while (val->text < end && *val->text == ' ') {
        val->text++;
    }
    val->n_bytes = (size_t)(end - val->text);
    while (key->n_bytes > 0 && key->text[key->n_bytes - 1] == ' ') {
        key->n_bytes--;
    }
    while (val->n_bytes > 0 && val->text[val->n_bytes - 1] == ' ') {
        val->n_bytes--;
    }
    return true;
}

static bool key_is(value key, const char *name)
{
    return strlen(name) == key.n_bytes &&
           memcmp(key.text, name, key.n_bytes) == 0;
}

static wm_status fail_value(const wm_reader *reader, value key, value val,
                            const char *wanted, wm_error *err)
{
    int n_key = key.n_bytes < 64 ? (int)key.n_bytes : 64;
    int n_val = val.n_bytes < 64 ? (int)val.n_bytes : 64;
    return wm_fail(err, WM_EFORMAT, "%s: %.*s = %.*s, wanted %s",
                   wm_accelsim_here(reader).text, n_key, key.text, n_val,
                   val.text, wanted);
}

static wm_status set_name(wm_reader *reader, value val, wm_error *err)
{
    char *name = malloc(val.n_bytes + 1);
    if (name == NULL) {
        return wm_fail_memory(err);
    }
    memcpy(name, val.text, val.n_bytes);
    name[val.n_bytes] = '\0';
    free(reader->name);
    reader->name = name;
    reader->launch.name = name;
    return WM_OK;
}

/* Where the number of a key goes. */
static wm_status set_number(wm_reader *reader, value key, value val,
                            wm_error *err)
{
    uint64_t number = 0;
    uint64_t source_line = 0;
    uint64_t version = reader->layout.version;
    uint64_t shared_bytes = reader->launch.shared_bytes;
    uint64_t registers = reader->launch.registers;
    uint64_t sm_version = reader->launch.sm_version;
    const struct {
        const char *key;
        uint64_t *target;
        uint64_t max;
    } rows[] = {
        {"-shmem", &shared_bytes, UINT32_MAX},
        {"-nregs", &registers, UINT32_MAX},
        {"-binary version", &sm_version, UINT32_MAX},
        {"-cuda stream id", &reader->launch.stream, UINT64_MAX},
        {"-shmem base_addr", &reader->launch.shared_base, UINT64_MAX},
        {"-local mem base_addr", &reader->launch.local_base, UINT64_MAX},
        {"-accelsim tracer version", &version, 1000},
        {"-enable lineinfo", &source_line, 1},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (!key_is(key, rows[i].key)) {
            continue;
        }
        if (!parse_number(val, &number) || number > rows[i].max) {
            return fail_value(reader, key, val, "a number in range", err);
        }
        *rows[i].target = number;
    }
    reader->layout.version = (uint32_t)version;
    reader->layout.has_source_line |= source_line != 0;
    reader->launch.shared_bytes = (uint32_t)shared_bytes;
    reader->launch.registers = (uint32_t)registers;
    reader->launch.sm_version = (uint32_t)sm_version;
    return WM_OK;
}

static wm_status set_key(wm_reader *reader, value key, value val, wm_error *err)
{
    wm_launch *launch = &reader->launch;
    if (key_is(key, "-kernel name")) {
        return set_name(reader, val, err);
    }
    bool is_grid = key_is(key, "-grid dim");
    if (is_grid || key_is(key, "-block dim")) {
        uint32_t *target = is_grid ? launch->grid : launch->block;
        if (!wm_accelsim_parse_triple(val.text, val.n_bytes, target) ||
            target[0] == 0 || target[1] == 0 || target[2] == 0) {
            return fail_value(reader, key, val,
                              "(x,y,z), three numbers of 1 or more", err);
        }
        return WM_OK;
    }
    return set_number(reader, key, val, err);
}

static uint64_t product(const uint32_t dim[3])
{
    uint64_t plane = (uint64_t)dim[0] * dim[1];
    return plane > UINT64_MAX / dim[2] ? UINT64_MAX : plane * dim[2];
}

static wm_status check_shape(wm_reader *reader, wm_error *err)
{
    wm_launch *launch = &reader->launch;
    if (launch->grid[0] == 0 || launch->block[0] == 0) {
        return wm_fail(err, WM_EFORMAT,
                       "%s: the header ends without %s, wanted one",
                       wm_accelsim_here(reader).text,
                       launch->grid[0] == 0 ? "-grid dim" : "-block dim");
    }
    uint64_t n_threads = product(launch->block);
    if (n_threads > 32u * WM_ACCELSIM_WARPS_MAX) {
        return wm_fail(err, WM_EFORMAT,
                       "%s: -block dim = (%u,%u,%u), wanted at most %u threads",
                       wm_accelsim_here(reader).text, launch->block[0],
                       launch->block[1], launch->block[2],
                       32u * WM_ACCELSIM_WARPS_MAX);
    }
    launch->n_ctas = product(launch->grid);
    launch->n_warps_per_cta = (uint32_t)((n_threads + 31) / 32);
    return WM_OK;
}

wm_status wm_accelsim_header(wm_reader *reader, wm_error *err)
{
    reader->launch.name = "";
    reader->launch.warp_size = 32;
    reader->layout.version = 2;
    for (;;) {
        value key, val;
        wm_status status = wm_accelsim_next_line(reader, err);
        if (status != WM_OK) {
            return status;
        }
        if (reader->text == NULL || reader->text[0] != '-') {
            break;
        }
        if (split(reader->text, reader->n_text, &key, &val)) {
            status = set_key(reader, key, val, err);
            if (status != WM_OK) {
                return status;
            }
        }
    }
    return check_shape(reader, err);
}
