/*
 * format_nvbit_rs.c -- the JSON of nvbit-rs's memory tracers: one array of
 * objects, each a warp's access.
 *
 *     {"grid_launch_id": 0, "cta_id": {"x": 0, "y": 0, "z": 0},
 *      "warp_id": 1, "instr_opcode": "LDG.E.64", "instr_offset": 152,
 *      "addrs": [140011325358336, ..., 0]}
 *
 * Shape and names are those of the examples mem_trace and mem_printf of
 * romnn/nvbit-rs (MIT) and of the trace files stored there: the CTA is an
 * object or cta_id_x, _y, _z, the opcode instr_opcode or opcode; 32 addresses,
 * 0 for a lane that is off.  Members of other names are passed over; an
 * active_mask and a width are used where they are.
 *
 * Launches are told apart by grid_launch_id; grid and block are as large as
 * the accesses need them.  access_reader.h brings warps and CTAs together.
 *
 * Not modelled  what access_reader.h leaves out; the example accelsim, which
 *               writes numbers for opcodes and no table of them; lanes at
 *               address 0.
 */
#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "trace/access_reader.h"
#include "trace/json_scan.h"

#define OBJECT_FIRST 4096u
#define OBJECT_MAX   (1u << 20)
#define OPCODE_MAX   128u

typedef struct rs_state {
    uint64_t n_lines; /* newlines consumed */
    bool has_access;  /* it waits, behind its launch */
    bool is_launched;
    uint64_t launch; /* grid_launch_id */
    wm_access_item access;
    uint64_t access_launch;
    char opcode[OPCODE_MAX];
} rs_state;

/* --- one object ------------------------------------------------------------
 */

static bool take_number(const wm_word *value, uint64_t max, uint64_t *x)
{
    return wm_word_number(value, max, x);
}

static bool take_cta(const wm_word *value, uint32_t cta[3])
{
    static const char *const names[] = {"x", "y", "z"};
    wm_word left = wm_json_inside(value);
    wm_word key, number;
    while (wm_json_next(&left, &key, &number)) {
        for (size_t i = 0; i < 3; i++) {
            uint64_t x = 0;
            if (!wm_word_is(&key, names[i])) {
                continue;
            }
            if (!take_number(&number, UINT32_MAX, &x)) {
                return false;
            }
            cta[i] = (uint32_t)x;
        }
    }
    return left.n_bytes == 0;
}

static bool take_addresses(const wm_word *value, uint64_t addresses[32])
{
    wm_word left = wm_json_inside(value);
    wm_word key, number;
    uint32_t n = 0;
    while (wm_json_next(&left, &key, &number)) {
        if (n == 32 || !take_number(&number, UINT64_MAX, &addresses[n++])) {
            return false;
        }
    }
    return left.n_bytes == 0 && n == 32;
}

typedef struct members {
    uint64_t launch, warp, pc, width, mask;
    uint64_t addresses[32];
    uint32_t cta[3];
    wm_word opcode;
    bool has_addresses, has_mask;
} members;

/* False for a value of the wrong kind. */
static bool take_member(members *m, const wm_word *key, const wm_word *value)
{
    uint64_t x = 0;
    const struct {
        const char *key;
        uint64_t *target;
        uint64_t max;
    } rows[] = {
        {"grid_launch_id", &m->launch, UINT64_MAX},
        {"warp_id", &m->warp, 1023},
        {"instr_offset", &m->pc, UINT64_MAX},
        {"width", &m->width, UINT32_MAX},
        {"active_mask", &m->mask, UINT32_MAX},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (wm_word_is(key, rows[i].key)) {
            m->has_mask |= rows[i].target == &m->mask;
            return take_number(value, rows[i].max, rows[i].target);
        }
    }
    if (wm_word_is(key, "cta_id")) {
        return take_cta(value, m->cta);
    }
    if (key->n_bytes == 8 && memcmp(key->text, "cta_id_", 7) == 0 &&
        key->text[7] >= 'x' && key->text[7] <= 'z') {
        bool is_number = take_number(value, UINT32_MAX, &x);
        m->cta[key->text[7] - 'x'] = (uint32_t)x;
        return is_number;
    }
    if (wm_word_is(key, "instr_opcode") || wm_word_is(key, "opcode")) {
        m->opcode = *value;
    } else if (wm_word_is(key, "addrs")) {
        m->has_addresses = true;
        return take_addresses(value, m->addresses);
    }
    return true;
}

static const char *read_members(const char *text, size_t n, members *m)
{
    wm_word all = {text, n};
    wm_word left = wm_json_inside(&all);
    wm_word key, value;
    memset(m, 0, sizeof(*m));
    m->opcode = (wm_word){"", 0};
    while (wm_json_next(&left, &key, &value)) {
        if (!take_member(m, &key, &value)) {
            return "found a member of another kind or range, wanted numbers, "
                   "warp_id below 1024, and 32 addrs";
        }
    }
    if (left.n_bytes != 0) {
        return "found text that is no JSON, wanted members of an object";
    }
    return m->has_addresses && m->opcode.n_bytes > 0
               ? NULL
               : "found an object without instr_opcode or addrs, wanted both";
}

static void read_object(rs_state *s, const char *text, size_t n)
{
    members m;
    wm_access_item *item = &s->access;
    wm_memtrace_access *access = &item->access;
    item->kind = WM_ITEM_ACCESS;
    item->fault = read_members(text, n, &m);
    memset(access, 0, sizeof(*access));
    if (item->fault != NULL) {
        return;
    }
    size_t n_opcode =
        m.opcode.n_bytes < OPCODE_MAX ? m.opcode.n_bytes : OPCODE_MAX;
    memcpy(s->opcode, m.opcode.text, n_opcode);
    access->opcode = (wm_word){s->opcode, n_opcode};
    s->access_launch = m.launch;
    memcpy(access->cta, m.cta, sizeof(access->cta));
    access->warp = (uint32_t)m.warp;
    access->pc = m.pc;
    access->n_traced = m.width;
    for (uint32_t lane = 0; lane < 32; lane++) {
        bool is_on =
            m.has_mask ? (m.mask >> lane & 1) != 0 : m.addresses[lane] != 0;
        if (is_on) {
            access->addresses[wm_popcount64(access->mask)] = m.addresses[lane];
            access->mask |= UINT32_C(1) << lane;
        }
    }
}

/* --- the array -------------------------------------------------------------
 */

static void consume(wm_reader *r, const uint8_t *bytes, size_t n)
{
    rs_state *s = r->state;
    for (size_t i = 0; i < n; i++) {
        s->n_lines += bytes[i] == '\n';
    }
    wm_stream_consume(r->stream, n);
}

/* A file that is cut or damaged: read as far as it goes. */
static wm_status cut(wm_reader *r, const char *sentence, wm_error *err)
{
    const rs_state *s = r->state;
    r->item.kind = WM_ITEM_END;
    if (!r->context.options.keep_going) {
        return wm_fail(err, WM_EFORMAT, "%s:%" PRIu64 ": %s", r->context.path,
                       s->n_lines + 1, sentence);
    }
    if (r->is_counting) {
        wm_warn(r->context.diag, "trace-cut", r->context.path,
                "%s:%" PRIu64 ": %s; what follows is lost", r->context.path,
                s->n_lines + 1, sentence);
        *r->context.is_complete = false;
    }
    return WM_OK;
}

/* Passes over what stands between objects; *is_end behind the last one. */
static wm_status find_object(wm_reader *r, bool *is_end, wm_error *err)
{
    const uint8_t *bytes = NULL;
    size_t n = 0;
    *is_end = true;
    for (;;) {
        wm_status status = wm_stream_peek(r->stream, 1, &bytes, &n, err);
        if (status != WM_OK) {
            return status;
        }
        if (n == 0) {
            return cut(r, "found the end of the file, wanted ']'", err);
        }
        if (*bytes == '{') {
            *is_end = false;
            return WM_OK;
        }
        if (*bytes == ']') {
            r->item.kind = WM_ITEM_END;
            return WM_OK;
        }
        if (strchr(" \t\r\n[,", *bytes) == NULL || *bytes == '\0') {
            return cut(r, "found something between the objects, wanted ','",
                       err);
        }
        consume(r, bytes, 1);
    }
}

/* Makes an access wait; else r->item is the end. */
static wm_status next_object(wm_reader *r, wm_error *err)
{
    rs_state *s = r->state;
    const uint8_t *bytes = NULL;
    size_t n = 0;
    bool is_end = false;
    wm_status status = find_object(r, &is_end, err);
    size_t n_object = 0;
    for (size_t n_wanted = OBJECT_FIRST; status == WM_OK && !is_end;
         n_wanted *= 2) {
        status = wm_stream_peek(r->stream, n_wanted, &bytes, &n, err);
        if (status == WM_OK) {
            n_object = wm_json_value_bytes((const char *)bytes, n);
        }
        if (n_object != 0 || status != WM_OK) {
            break;
        }
        if (n < n_wanted || n_wanted >= OBJECT_MAX) {
            return cut(r, "found an object without its end, wanted '}'", err);
        }
    }
    if (status == WM_OK && !is_end) {
        s->access.line = s->n_lines + 1;
        read_object(s, (const char *)bytes, n_object);
        consume(r, bytes, n_object);
        s->has_access = true;
    }
    return status;
}

static wm_status rs_next(wm_reader *r, bool is_counting, wm_error *err)
{
    rs_state *s = r->state;
    wm_access_item *item = &r->item;
    (void)is_counting;
    if (!s->has_access) {
        wm_status status = next_object(r, err);
        if (status != WM_OK || !s->has_access) {
            return status;
        }
    }
    bool is_sound = s->access.fault == NULL;
    if (is_sound && (!s->is_launched || s->access_launch != s->launch)) {
        s->is_launched = true;
        s->launch = s->access_launch;
        item->kind = WM_ITEM_LAUNCH;
        item->line = s->access.line;
        memset(&item->launch, 0, sizeof(item->launch));
        item->launch.warp_size = WM_MEMTRACE_LANES;
        item->name = (wm_word){"", 0};
        return WM_OK;
    }
    *item = s->access;
    s->has_access = false;
    return WM_OK;
}

static wm_status rs_rewind(wm_reader *r, wm_error *err)
{
    (void)err;
    memset(r->state, 0, sizeof(rs_state));
    return WM_OK;
}

static const wm_access_dialect rs_dialect = {
    .state_bytes = sizeof(rs_state), .next = rs_next, .rewind = rs_rewind};

static wm_status rs_open(wm_stream *stream, const wm_reader_context *context,
                         wm_reader **out, wm_error *err)
{
    return wm_access_open(stream, context, &rs_dialect, out, err);
}

/* "[", an object, and one of the names that only this format has. */
static int rs_sniff(const uint8_t *head, size_t n_bytes)
{
    static const char *const names[] = {"\"cta_id\"", "\"cta_id_x\""};
    size_t i = 0;
    while (i < n_bytes && strchr(" \t\r\n", head[i]) != NULL &&
           head[i] != '\0') {
        i++;
    }
    if (i == n_bytes || head[i] != '[') {
        return 0;
    }
    for (size_t k = 0; k < 2; k++) {
        size_t n = strlen(names[k]);
        for (size_t at = i; at + n <= n_bytes; at++) {
            if (memcmp(head + at, names[k], n) == 0) {
                return 90;
            }
        }
    }
    return 0;
}

extern const wm_format wm_format_nvbit_rs;
const wm_format wm_format_nvbit_rs = {
    .name = "nvbit_rs",
    .summary = "JSON of nvbit-rs's memory tracers",
    .sniff = rs_sniff,
    .open = rs_open,
    .next_command = wm_access_next_command,
    .next_cta = wm_access_next_cta,
    .launch = wm_access_launch_of,
    .close = wm_access_close,
};
