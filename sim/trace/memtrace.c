/*
 * memtrace.c -- see memtrace.h.
 *
 * Lines are split at " - ".  A kernel's name is demangled and may hold that
 * too, so a launch line is cut at the last " - grid launch id ".
 */
#include "trace/memtrace.h"

#include <string.h>

#include "trace/record_check.h"

#define PREFIX     "MEMTRACE:"
#define MARK_BYTES 256u

static bool starts(const wm_word *word, const char *text)
{
    size_t n = strlen(text);
    return word->n_bytes >= n && memcmp(word->text, text, n) == 0;
}

static void skip(wm_word *word, size_t n_bytes)
{
    word->text += n_bytes;
    word->n_bytes -= n_bytes;
}

/* The first place of text in word, or NULL. */
static const char *find(const wm_word *word, const char *text)
{
    size_t n = strlen(text);
    const char *at = word->text;
    const char *end = word->text + word->n_bytes;
    /* By the second byte: '-' is rarer than the blank in front of it. */
    while ((size_t)(end - at) >= n) {
        const char *second =
            memchr(at + 1, text[1], (size_t)(end - at) - n + 1);
        if (second == NULL) {
            return NULL;
        }
        if (memcmp(second - 1, text, n) == 0) {
            return second - 1;
        }
        at = second;
    }
    return NULL;
}

static bool is_bare(const wm_word *word)
{
    const char *comma = memchr(word->text, ',', word->n_bytes);
    return starts(word, "0x") && comma != NULL &&
           word->n_bytes > (size_t)(comma - word->text) + 2 &&
           comma[1] == '0' && comma[2] == 'x';
}

wm_memtrace_kind wm_memtrace_classify(const char *line, size_t n_bytes)
{
    wm_word word = {line, n_bytes};
    if (starts(&word, PREFIX)) {
        if (word.n_bytes > MARK_BYTES) {
            word.n_bytes = MARK_BYTES; /* where " - LAUNCH - " would be */
        }
        return find(&word, " - LAUNCH - ") != NULL ? WM_MEMTRACE_LAUNCH
                                                   : WM_MEMTRACE_ACCESS;
    }
    if (is_bare(&word)) {
        return WM_MEMTRACE_BARE;
    }
    return starts(&word, "alloc address") ? WM_MEMTRACE_ALLOC
                                          : WM_MEMTRACE_OTHER;
}

/* The next part between " - "; false at the end. */
static bool next_part(wm_word *left, wm_word *part)
{
    if (left->n_bytes == 0) {
        return false;
    }
    const char *cut = find(left, " - ");
    *part = *left;
    if (cut == NULL) {
        skip(left, left->n_bytes);
    } else {
        part->n_bytes = (size_t)(cut - left->text);
        skip(left, part->n_bytes + 3);
    }
    wm_scan scan = wm_scan_line(part->text, part->n_bytes);
    *part = wm_scan_rest(&scan);
    return true;
}

/* "key value": the value as a number. */
static bool part_number(const wm_word *part, const char *key, uint64_t max,
                        uint64_t *x)
{
    if (!starts(part, key)) {
        return false;
    }
    wm_scan scan =
        wm_scan_line(part->text + strlen(key), part->n_bytes - strlen(key));
    wm_word value = wm_scan_rest(&scan);
    return wm_word_number(&value, max, x);
}

/* "key x,y,z". */
static bool part_triple(const wm_word *part, const char *key, uint32_t out[3])
{
    if (!starts(part, key)) {
        return false;
    }
    wm_scan scan =
        wm_scan_line(part->text + strlen(key), part->n_bytes - strlen(key));
    wm_word left = wm_scan_rest(&scan);
    for (size_t i = 0; i < 3; i++) {
        wm_word digits;
        uint64_t x = 0;
        if (!wm_word_part(&left, ',', &digits) ||
            !wm_word_number(&digits, UINT32_MAX, &x)) {
            return false;
        }
        out[i] = (uint32_t)x;
    }
    return left.n_bytes == 0;
}

const char *wm_memtrace_launch(const char *line, size_t n_bytes,
                               wm_launch *launch, wm_word *name)
{
    wm_word all = {line, n_bytes};
    wm_word part;
    uint64_t x = 0;
    bool has_grid = false;
    bool has_block = false;
    const char *begin = find(&all, "Kernel name ");
    const char *cut = NULL;
    memset(launch, 0, sizeof(*launch));
    launch->warp_size = WM_MEMTRACE_LANES;
    wm_word left = all;
    for (const char *at = find(&left, " - grid launch id "); at != NULL;
         at = find(&left, " - grid launch id ")) {
        cut = at;
        skip(&left, (size_t)(at - left.text) + 3);
    }
    if (begin == NULL || cut == NULL || cut < begin) {
        return "found a launch line without a kernel name and a grid launch "
               "id, wanted both";
    }
    begin += strlen("Kernel name ");
    *name = (wm_word){begin, cut > begin ? (size_t)(cut - begin) : 0};
    while (next_part(&left, &part)) {
        has_grid |= part_triple(&part, "grid size", launch->grid);
        has_block |= part_triple(&part, "block size", launch->block);
        if (part_number(&part, "nregs", UINT32_MAX, &x)) {
            launch->registers = (uint32_t)x;
        } else if (part_number(&part, "shmem", UINT32_MAX, &x)) {
            launch->shared_bytes = (uint32_t)x;
        } else if (part_number(&part, "cuda stream id", UINT64_MAX, &x)) {
            launch->stream = x;
        }
    }
    if (!has_grid || !has_block) {
        return "found a launch line without its grid size and block size, "
               "wanted both as x,y,z";
    }
    wm_launch_set_counts(launch);
    return NULL;
}

static bool add_lane(wm_memtrace_access *access, uint32_t lane,
                     uint64_t address)
{
    if (lane >= WM_MEMTRACE_LANES || access->mask >> lane > 1 ||
        (access->mask >> lane & 1) != 0) {
        return false;
    }
    if (address != 0) {
        uint32_t n = 0;
        for (uint32_t m = access->mask; m != 0; m &= m - 1) {
            n++;
        }
        access->addresses[n] = address;
        access->mask |= UINT32_C(1) << lane;
    }
    return true;
}

/* Thread5,0xDATA,0xADDRESS ... : lanes by the thread's number. */
static const char *read_threads(wm_scan *scan, wm_memtrace_access *access)
{
    static const char fault[] =
        "found threads of another form, wanted Thread0,0xDATA,0xADDRESS ... "
        "in rising order";
    wm_word word;
    uint32_t last = 0;
    bool is_first = true;
    while (wm_scan_word(scan, &word)) {
        wm_word part = {"", 0};
        uint64_t thread = 0;
        uint64_t address = 0;
        if (word.text[0] == ':') {
            continue;
        }
        if (!wm_word_part(&word, ',', &part) || !starts(&part, "Thread")) {
            return fault;
        }
        skip(&part, strlen("Thread"));
        if (!wm_word_number(&part, UINT32_MAX, &thread)) {
            return fault;
        }
        while (wm_word_part(&word, ',', &part)) {
        }
        uint32_t lane = (uint32_t)thread % WM_MEMTRACE_LANES;
        if (!wm_word_number(&part, UINT64_MAX, &address) ||
            (!is_first && lane <= last) || !add_lane(access, lane, address)) {
            return fault;
        }
        last = lane;
        is_first = false;
    }
    return NULL;
}

/* 32 addresses, 0 for a lane that is off. */
static const char *read_addresses(wm_scan *scan, wm_memtrace_access *access)
{
    static const char fault[] = "found no list of 32 addresses, wanted one "
                                "per lane (0x0 when it is off)";
    wm_word word;
    for (uint32_t lane = 0; lane < WM_MEMTRACE_LANES; lane++) {
        uint64_t address = 0;
        if (!wm_scan_word(scan, &word) || !starts(&word, "0x") ||
            !wm_word_hex(&word, &address)) {
            return fault;
        }
        (void)add_lane(access, lane, address);
    }
    return wm_scan_word(scan, &word) ? fault : NULL;
}

static const char *read_lanes(const wm_word *part, wm_memtrace_access *access)
{
    wm_scan scan = wm_scan_line(part->text, part->n_bytes);
    if (starts(part, "MREF")) {
        const char *threads = find(part, "Thread");
        scan.at = threads != NULL ? threads : scan.end;
        return read_threads(&scan, access);
    }
    return read_addresses(&scan, access);
}

const char *wm_memtrace_access_line(const char *line, size_t n_bytes,
                                    bool place_only, wm_memtrace_access *access)
{
    wm_word left = {line, n_bytes};
    wm_word part;
    uint64_t x = 0;
    bool has_cta = false;
    bool has_warp = false;
    bool has_lanes = false;
    memset(access, 0, sizeof(*access));
    while (!has_lanes && next_part(&left, &part)) {
        if (starts(&part, "0x") || starts(&part, "MREF")) {
            has_lanes = true;
        } else if (part_triple(&part, "CTA", access->cta)) {
            has_cta = true;
        } else if (part_number(&part, "warp", WM_WARPS_PER_CTA_MAX - 1, &x)) {
            access->warp = (uint32_t)x;
            has_warp = true;
        } else if (part_number(&part, "pc", UINT64_MAX, &x)) {
            access->pc = x;
        } else if (part_number(&part, "Size", UINT32_MAX, &x)) {
            access->n_traced = x;
        } else if (has_warp && access->opcode.n_bytes == 0) {
            access->opcode = part;
        }
    }
    if (!has_cta || !has_warp) {
        return "found an access line without CTA x,y,z and a warp below 1024, "
               "wanted both";
    }
    if (place_only) {
        return NULL;
    }
    if (access->opcode.n_bytes == 0 || !has_lanes) {
        return "found an access line without opcode and addresses, wanted "
               "both";
    }
    return read_lanes(&part, access);
}

const char *wm_memtrace_bare(const char *line, size_t n_bytes,
                             uint64_t *address, uint32_t *width_bytes)
{
    wm_word left = {line, n_bytes};
    wm_word value;
    wm_scan scan = wm_scan_line(line, n_bytes);
    left = wm_scan_rest(&scan);
    if (!wm_word_part(&left, ',', &value) ||
        !wm_word_number(&left, UINT64_MAX, address)) {
        return "found a value without an address behind it, wanted "
               "0xVALUE,0xADDRESS";
    }
    /* 0x and 64 digits: the 32 bytes of a sector. */
    *width_bytes = value.n_bytes > 34 ? 32 : 4;
    return NULL;
}
