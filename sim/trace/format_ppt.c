/*
 * format_ppt.c -- the memory traces of PPT-GPU's tracer: a file per CTA,
 * kernel_K_block_B.mem, with an opcode and the addresses of the active lanes
 * per access:
 *
 *     =====
 *     LDG.E.SYS 0x7f2d1a000000 0x7f2d1a000004 ...
 *     =====
 *     STG.E.SYS 0x7f2d1a400000 ...
 *
 * Shape after the tracer's and the model's sources (NMSU-PEARL/PPT-GPU, and the
 * fork TheRainstorm/ppt-gpu-subcore, which leaves out the ===== lines and the
 * 0x); no trace file was at hand.  Of a file whose name ends in _block_0.mem
 * the following blocks are read too, while there are such files: they are the
 * CTAs of one launch.  Any other file is a launch of one CTA.
 *
 * Not modelled  what access_reader.h leaves out.  Which lane and warp an
 *               access belongs to is not in the file: addresses go to lanes 0,
 *               1, ... and every CTA is one warp (ppt-no-warps).  Lanes at
 *               address 0 are missing.  Two operands (LDGSTS) lie one behind
 *               the other: the half with the higher addresses is taken.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "trace/access_reader.h"

#define OPERANDS_MAX 64u

typedef struct ppt_state {
    wm_stream *further; /* block n_blocks - 1, when it is not the first file */
    uint32_t n_blocks;  /* opened so far */
    bool is_launched;
} ppt_state;

static bool is_separator(const char *text, size_t n)
{
    size_t i = 0;
    while (i < n && text[i] == '=') {
        i++;
    }
    return n >= 3 && i == n;
}

/* "OPCODE hex hex ..."; returns NULL or a fault. */
static const char *read_line(const char *text, size_t n,
                             wm_memtrace_access *access)
{
    static const char fault[] = "found a line of another form, wanted an "
                                "opcode and hexadecimal addresses";
    uint64_t addresses[OPERANDS_MAX];
    wm_scan scan = wm_scan_line(text, n);
    wm_word word;
    uint32_t n_addresses = 0;
    memset(access, 0, sizeof(*access));
    if (!wm_scan_word(&scan, &access->opcode) || access->opcode.text[0] < 'A' ||
        access->opcode.text[0] > 'Z') {
        return fault;
    }
    while (wm_scan_word(&scan, &word)) {
        if (n_addresses == OPERANDS_MAX ||
            !wm_word_hex(&word, &addresses[n_addresses++])) {
            return fault;
        }
    }
    uint32_t n_lanes = n_addresses;
    const uint64_t *lanes = addresses;
    bool is_pair = access->opcode.n_bytes >= 6 &&
                   memcmp(access->opcode.text, "LDGSTS", 6) == 0 &&
                   n_addresses % 2 == 0;
    if (is_pair && n_addresses > 0) {
        n_lanes = n_addresses / 2;
        lanes += addresses[0] < addresses[n_lanes] ? n_lanes : 0;
    }
    if (n_lanes > WM_MEMTRACE_LANES) {
        return "found more than 32 addresses, wanted one per active lane";
    }
    memcpy(access->addresses, lanes, n_lanes * sizeof(*lanes));
    access->mask = n_lanes == 0 ? 0 : UINT32_MAX >> (32 - n_lanes);
    return NULL;
}

/* Opens the file of the next block, if the first one's name ends in
 * _block_0.mem and there is such a file. */
static wm_status next_block(wm_reader *r, bool *is_open, wm_error *err)
{
    static const char ending[] = "_block_0.mem";
    ppt_state *s = r->state;
    const char *path = r->context.path;
    size_t n = strlen(path);
    size_t n_ending = sizeof(ending) - 1;
    wm_status status = WM_OK;
    *is_open = false;
    if (n < n_ending || strcmp(path + n - n_ending, ending) != 0) {
        return WM_OK;
    }
    wm_buffer name;
    wm_buffer_init(&name);
    wm_buffer_add(&name, path, n - strlen("0.mem"));
    wm_buffer_printf(&name, "%u.mem", (unsigned)s->n_blocks);
    if (name.is_failed) {
        status = wm_fail_memory(err);
    } else if (access(name.bytes, F_OK) == 0) {
        wm_stream_close(s->further);
        s->further = NULL;
        status = wm_stream_open(
            name.bytes, r->is_counting ? r->context.digest : NULL,
            r->is_counting ? r->context.n_bytes_done : NULL, &s->further, err);
        *is_open = status == WM_OK;
        s->n_blocks += *is_open;
    }
    wm_buffer_fini(&name);
    return status;
}

static wm_status ppt_next(wm_reader *r, bool is_counting, wm_error *err)
{
    ppt_state *s = r->state;
    wm_access_item *item = &r->item;
    const char *text = NULL;
    size_t n = 0;
    if (!s->is_launched) {
        s->is_launched = true;
        s->n_blocks = 1;
        item->kind = WM_ITEM_LAUNCH;
        item->line = 1;
        memset(&item->launch, 0, sizeof(item->launch));
        item->launch.warp_size = WM_MEMTRACE_LANES;
        item->name = (wm_word){"", 0};
        if (is_counting) {
            wm_warn(r->context.diag, "ppt-no-warps", r->context.path,
                    "warps and lanes are not in the file: every CTA is taken "
                    "as one warp");
        }
        return WM_OK;
    }
    item->kind = WM_ITEM_END;
    for (;;) {
        wm_stream *stream = s->further != NULL ? s->further : r->stream;
        wm_status status = wm_stream_line(stream, &text, &n, err);
        bool is_open = true;
        if (status == WM_OK && text == NULL) {
            status = next_block(r, &is_open, err);
        } else if (status == WM_OK && n > 0 && !is_separator(text, n)) {
            item->kind = WM_ITEM_ACCESS;
            item->line = wm_stream_line_number(stream);
            item->path = wm_stream_path(stream);
            item->fault = read_line(text, n, &item->access);
            item->access.cta[0] = s->n_blocks - 1;
            return WM_OK;
        }
        if (status != WM_OK || !is_open) {
            return status;
        }
    }
}

static void ppt_close(wm_reader *r)
{
    ppt_state *s = r->state;
    wm_stream_close(s->further);
}

static wm_status ppt_rewind(wm_reader *r, wm_error *err)
{
    (void)err;
    ppt_close(r);
    memset(r->state, 0, sizeof(ppt_state));
    return WM_OK;
}

static const wm_access_dialect ppt_dialect = {.state_bytes = sizeof(ppt_state),
                                              .next = ppt_next,
                                              .rewind = ppt_rewind,
                                              .close = ppt_close};

static wm_status ppt_open(wm_stream *stream, const wm_reader_context *context,
                          wm_reader **out, wm_error *err)
{
    return wm_access_open(stream, context, &ppt_dialect, out, err);
}

/* The first line, or the one behind =====, is an access to memory. */
static int ppt_sniff(const uint8_t *head, size_t n_bytes)
{
    const char *at = (const char *)head;
    const char *end = at + n_bytes;
    for (int line = 0; line < 3 && at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t n = (size_t)((stop == NULL ? end : stop) - at);
        wm_memtrace_access access;
        wm_opcode opcode;
        n -= n > 0 && at[n - 1] == '\r';
        if (n > 0 && !is_separator(at, n)) {
            if (read_line(at, n, &access) != NULL || access.mask == 0) {
                return 0;
            }
            wm_opcode_parse(access.opcode.text, access.opcode.n_bytes, &opcode);
            return wm_kind_is_memory((wm_kind)opcode.kind) ? 70 : 0;
        }
        at = stop == NULL ? end : stop + 1;
    }
    return 0;
}

extern const wm_format wm_format_ppt;
const wm_format wm_format_ppt = {
    .name = "ppt",
    .summary = "memory trace of PPT-GPU (kernel_K_block_B.mem)",
    .sniff = ppt_sniff,
    .open = ppt_open,
    .next_command = wm_access_next_command,
    .next_cta = wm_access_next_cta,
    .launch = wm_access_launch_of,
    .close = wm_access_close,
};
