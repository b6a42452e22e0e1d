/*
 * dram_source.c -- requests made or read, each with the tick it is due at.
 */
#include "cli/dram_source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

#define RATE_MAX UINT64_C(1000000)

static bool source_number(const char **at, int base, uint64_t *value)
{
    char *end = NULL;
    errno = 0;
    if (**at < '0' || **at > '9') {
        return false;
    }
    *value = strtoull(*at, &end, base);
    *at = end;
    return errno == 0;
}

wm_status wm_dram_source_rate(wm_dram_source *source, const char *text,
                              wm_error *err)
{
    const char *at = text;
    source->rate_requests = 0;
    source->rate_ticks = 1;
    if (strcmp(text, "max") == 0) {
        return WM_OK;
    }
    bool is_good = source_number(&at, 10, &source->rate_requests);
    if (is_good && *at == '/') {
        at++;
        is_good = source_number(&at, 10, &source->rate_ticks);
    }
    if (!is_good || *at != '\0' || source->rate_requests == 0 ||
        source->rate_ticks == 0 || source->rate_requests > RATE_MAX ||
        source->rate_ticks > RATE_MAX) {
        return wm_fail(err, WM_EUSAGE,
                       "--rate: %.40s, wanted max or requests per tick, as in "
                       "1/2",
                       text);
    }
    return WM_OK;
}

wm_status wm_dram_source_open(wm_dram_source *source, const char *path,
                              wm_error *err)
{
    source->path = path;
    source->file = fopen(path, "r");
    if (source->file == NULL) {
        return wm_fail(err, errno == ENOENT ? WM_EFORMAT : WM_EIO, "%s: %s",
                       path, strerror(errno));
    }
    return WM_OK;
}

wm_status wm_dram_source_make(wm_dram_source *source, const char *pattern,
                              uint64_t count, uint64_t granule, wm_error *err)
{
    for (size_t p = 0; wm_traffic_name(p) != NULL; p++) {
        if (strcmp(wm_traffic_name(p), pattern) == 0) {
            wm_traffic_init(&source->traffic, (wm_traffic_pattern)p, granule);
            source->count = count;
            return WM_OK;
        }
    }
    return wm_fail(err, WM_EUSAGE,
                   "--gen: %.40s, wanted seq, stride, rand, copy, rmix or gpu",
                   pattern);
}

void wm_dram_source_close(wm_dram_source *source)
{
    if (source->file != NULL) {
        (void)fclose(source->file);
    }
}

/* The tick at which the next request is due by the rate. */
static uint64_t source_due(const wm_dram_source *source)
{
    if (source->rate_requests == 0) {
        return 0;
    }
    return wm_mul_div(source->index, source->rate_ticks, source->rate_requests);
}

static wm_status source_fail(const wm_dram_source *source, const char *line,
                             wm_error *err)
{
    return wm_fail(err, WM_EFORMAT,
                   "%s:%" PRIu64 ": \"%.40s\", wanted R or W, an address and "
                   "maybe a tick, as in \"R 0x1f40 120\"",
                   source->path, source->line, line);
}

static wm_status source_line(wm_dram_source *source, char *line,
                             wm_replay_request *request, wm_error *err)
{
    line[strcspn(line, "\r\n")] = '\0';
    const char *at = line + strspn(line, " \t");
    const char kind = *at;
    if (kind != 'R' && kind != 'W' && kind != 'r' && kind != 'w') {
        return source_fail(source, line, err);
    }
    at++;
    const size_t blanks = strspn(at, " \t");
    at += blanks;
    const int base = strncmp(at, "0x", 2) == 0 ? 16 : 10;
    if (blanks == 0 || !source_number(&at, base, &request->addr)) {
        return source_fail(source, line, err);
    }
    at += strspn(at, " \t");
    request->is_write = kind == 'W' || kind == 'w';
    request->due = source_due(source);
    if (*at != '\0' && (!source_number(&at, 10, &request->due) ||
                        at[strspn(at, " \t")] != '\0')) {
        return source_fail(source, line, err);
    }
    if (request->due < source->last_due || request->due >> 56 != 0) {
        return wm_fail(err, WM_EFORMAT,
                       "%s:%" PRIu64 ": tick %" PRIu64 " after %" PRIu64
                       ", wanted rising ticks below 2^56",
                       source->path, source->line, request->due,
                       source->last_due);
    }
    source->last_due = request->due;
    return WM_OK;
}

static wm_status source_read(wm_dram_source *source, wm_replay_request *request,
                             bool *has_one, wm_error *err)
{
    char line[256];
    *has_one = false;
    while (fgets(line, sizeof(line), source->file) != NULL) {
        const char *at = line + strspn(line, " \t\r\n");
        source->line++;
        if (*at == '\0' || *at == '#') {
            continue;
        }
        *has_one = true;
        wm_status status = source_line(source, line, request, err);
        source->index++;
        return status;
    }
    return ferror(source->file)
               ? wm_fail(err, WM_EIO, "%s: %s", source->path, strerror(errno))
               : WM_OK;
}

static size_t source_make(wm_dram_source *source, wm_replay_request *requests,
                          size_t n_wanted)
{
    const uint64_t left = source->count - source->index;
    const size_t n = left < n_wanted ? (size_t)left : n_wanted;
    for (size_t i = 0; i < n; i++) {
        const uint64_t record = wm_traffic_next(&source->traffic);
        requests[i] = (wm_replay_request){
            record & ~UINT64_C(1), source_due(source), (record & 1) != 0};
        source->index++;
    }
    return n;
}

wm_status wm_dram_source_next(void *context, wm_replay_request *requests,
                              size_t n_wanted, size_t *n_made, wm_error *err)
{
    wm_dram_source *source = context;
    if (source->file == NULL) {
        *n_made = source_make(source, requests, n_wanted);
        return WM_OK;
    }
    wm_status status = WM_OK;
    bool has_one = true;
    for (*n_made = 0; *n_made < n_wanted; ++*n_made) {
        status = source_read(source, &requests[*n_made], &has_one, err);
        if (status != WM_OK || !has_one) {
            break;
        }
    }
    return status;
}
