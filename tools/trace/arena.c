/*
 * arena.c -- places the buffers and fills them.
 */
#include "arena.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/rng.h"

#define CHUNK      (UINT64_C(1) << WM_ARENA_SHIFT)
#define SPAN_MAX   (UINT64_C(1) << 40)
#define PAGE_BYTES UINT64_C(65536)

static uint64_t round_up(uint64_t n, uint64_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* A file's contents, relative to the launch file's folder. */
static FILE *open_beside(const wm_spec *spec, const char *name)
{
    const char *slash = strrchr(spec->path, '/');
    size_t n =
        name[0] == '/' || slash == NULL ? 0 : (size_t)(slash + 1 - spec->path);
    char path[4096];
    if (n + strlen(name) >= sizeof(path)) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    memcpy(path, spec->path, n);
    memcpy(path + n, name, strlen(name) + 1);
    return fopen(path, "rb");
}

static wm_status file_size(const wm_spec *spec, const wm_arg *arg,
                           uint64_t *n_bytes, wm_error *err)
{
    struct stat stat_of;
    FILE *file = open_beside(spec, arg->text);
    if (file == NULL || fstat(fileno(file), &stat_of) != 0) {
        wm_status status = wm_fail(
            err, WM_ECONFIG, "%s:%u:%u: args.%s: file '%s': %s", spec->path,
            arg->line, arg->column, arg->name, arg->text, strerror(errno));
        if (file != NULL) {
            fclose(file);
        }
        return status;
    }
    fclose(file);
    if (stat_of.st_size <= 0 ||
        (*n_bytes != 0 && (uint64_t)stat_of.st_size < *n_bytes)) {
        return wm_fail(err, WM_ECONFIG,
                       "%s:%u:%u: args.%s: file '%s' has %lld bytes, wanted "
                       "%" PRIu64,
                       spec->path, arg->line, arg->column, arg->name, arg->text,
                       (long long)stat_of.st_size,
                       *n_bytes != 0 ? *n_bytes : 1);
    }
    *n_bytes = *n_bytes != 0 ? *n_bytes : (uint64_t)stat_of.st_size;
    return WM_OK;
}

static wm_status place_all(wm_arena *arena, const wm_spec *spec, wm_error *err)
{
    uint64_t end = CHUNK;
    for (uint32_t i = 0; i < spec->n_args; i++) {
        const wm_arg *arg = &spec->args[i];
        if (arg->kind != WM_ARG_BUFFER) {
            continue;
        }
        wm_arena_buffer *buffer = &arena->buffers[arena->n_buffers++];
        buffer->arg = arg;
        buffer->n_bytes = arg->n_bytes;
        buffer->offset = end;
        if (arg->fill == WM_FILL_FILE) {
            wm_status status = file_size(spec, arg, &buffer->n_bytes, err);
            if (status != WM_OK) {
                return status;
            }
        }
        end = round_up(end + buffer->n_bytes, CHUNK) + CHUNK;
    }
    arena->span_bytes = end + CHUNK;
    return arena->span_bytes <= SPAN_MAX
               ? WM_OK
               : wm_fail(err, WM_ECONFIG,
                         "%s: found buffers of %" PRIu64
                         " bytes in all, wanted at most 1 TiB",
                         spec->path, end);
}

static inline void set_element(void *place, wm_element element, double real,
                               int64_t whole)
{
    float narrow = (float)real;
    if (element == WM_ELEMENT_F32) {
        memcpy(place, &narrow, sizeof(narrow));
        return;
    }
    if (element == WM_ELEMENT_F64) {
        memcpy(place, &real, sizeof(real));
        return;
    }
    /* Little-endian hosts only: see fibre.h on x86-64 and arm64. */
    switch (wm_element_bytes(element)) {
    case 1:
        memcpy(place, &whole, 1);
        break;
    case 2:
        memcpy(place, &whole, 2);
        break;
    case 4:
        memcpy(place, &whole, 4);
        break;
    default:
        memcpy(place, &whole, 8);
        break;
    }
}

static double drawn(const wm_arg *arg, bool is_real, wm_rng *rng)
{
    double unit = (double)(wm_rng_next(rng) >> 11) / 9007199254740992.0;
    double range = arg->b - arg->a;
    return is_real ? arg->a + unit * range
                   : arg->a + (double)(int64_t)(unit * (range + 1));
}

static void fill_numbers(const wm_arg *arg, uint8_t *bytes, uint64_t n)
{
    uint32_t width = wm_element_bytes(arg->element);
    bool is_real =
        arg->element == WM_ELEMENT_F32 || arg->element == WM_ELEMENT_F64;
    wm_rng rng = {arg->seed};
    double sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        double value = 0;
        if (arg->fill == WM_FILL_RAMP) {
            value = arg->a + arg->b * (double)i;
            value = value < arg->limit ? value : arg->limit;
        } else {
            value = drawn(arg, is_real, &rng);
        }
        if (arg->fill == WM_FILL_RISING) {
            double step = value;
            value = sum;
            sum += step;
        }
        set_element(bytes + i * width, arg->element, value, (int64_t)value);
    }
}

static wm_status fill_values(const wm_spec *spec, const wm_arg *arg,
                             uint8_t *bytes, uint64_t n, wm_error *err)
{
    const char *text = arg->text;
    char word[64];
    uint32_t width = wm_element_bytes(arg->element);
    for (uint64_t i = 0; wm_spec_word(text, 0, word, sizeof(word)); i++) {
        char *end_real;
        char *end_whole;
        double real = strtod(word, &end_real);
        int64_t whole = strtoll(word, &end_whole, 0);
        bool is_real =
            arg->element == WM_ELEMENT_F32 || arg->element == WM_ELEMENT_F64;
        if (i >= n || *(is_real ? end_real : end_whole) != '\0') {
            return wm_fail(err, WM_ECONFIG,
                           "%s:%u:%u: args.%s: value %" PRIu64
                           " is '%s', wanted at most %" PRIu64
                           " numbers of the buffer's type",
                           spec->path, arg->line, arg->column, arg->name, i + 1,
                           word, n);
        }
        set_element(bytes + i * width, arg->element, real, whole);
        text += strspn(text, ", ");
        text += strlen(word);
    }
    return WM_OK;
}

static wm_status fill_file(const wm_spec *spec, const wm_arg *arg,
                           uint8_t *bytes, uint64_t n_bytes, wm_error *err)
{
    FILE *file = open_beside(spec, arg->text);
    size_t n_read = file != NULL ? fread(bytes, 1, n_bytes, file) : 0;
    if (file != NULL) {
        fclose(file);
    }
    return n_read == n_bytes
               ? WM_OK
               : wm_fail(err, WM_EIO, "%s: read %zu of %" PRIu64 " bytes",
                         arg->text, n_read, n_bytes);
}

/* The whole chunks of a buffer: random accesses to 4 KiB pages wait for address
 * translation more than for the data.  A hint: without it all works, too. */
static void use_large_pages(uint8_t *bytes, uint64_t n_bytes)
{
    uint64_t n_whole = n_bytes / CHUNK * CHUNK;
#ifdef MADV_HUGEPAGE
    if (n_whole != 0) {
        (void)madvise(bytes, n_whole, MADV_HUGEPAGE);
    }
#else
    (void)bytes;
    (void)n_whole;
#endif
}

static wm_status fill_all(wm_arena *arena, const wm_spec *spec, wm_error *err)
{
    for (uint32_t i = 0; i < arena->n_buffers; i++) {
        const wm_arena_buffer *buffer = &arena->buffers[i];
        const wm_arg *arg = buffer->arg;
        uint8_t *bytes = arena->host + buffer->offset;
        uint64_t n = buffer->n_bytes / wm_element_bytes(arg->element);
        wm_status status = WM_OK;
        if (mprotect(bytes, round_up(buffer->n_bytes, PAGE_BYTES),
                     PROT_READ | PROT_WRITE) != 0) {
            return wm_fail_memory(err);
        }
        use_large_pages(bytes, buffer->n_bytes);
        for (uint64_t c = buffer->offset >> WM_ARENA_SHIFT;
             c < arena->span_bytes >> WM_ARENA_SHIFT; c++) {
            arena->owner[c] = (uint8_t)i;
        }
        if (arg->fill == WM_FILL_VALUES) {
            status = fill_values(spec, arg, bytes, n, err);
        } else if (arg->fill == WM_FILL_FILE) {
            status = fill_file(spec, arg, bytes, buffer->n_bytes, err);
        } else if (arg->fill != WM_FILL_NONE) {
            fill_numbers(arg, bytes, n);
        }
        if (status != WM_OK) {
            return status;
        }
    }
    return WM_OK;
}

wm_status wm_arena_init(wm_arena *arena, const wm_spec *spec, wm_error *err)
{
    memset(arena, 0, sizeof(*arena));
    wm_status status = place_all(arena, spec, err);
    if (status != WM_OK) {
        return status;
    }
    /* Reserved, not used: pages cost memory when they are written. */
    arena->n_reserved = arena->span_bytes + CHUNK;
    void *host = mmap(NULL, arena->n_reserved, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    arena->reserved = host == MAP_FAILED ? NULL : host;
    if (arena->reserved != NULL) {
        uint64_t start = (uint64_t)(uintptr_t)host;
        arena->host = arena->reserved + (round_up(start, CHUNK) - start);
    }
    arena->owner = calloc(arena->span_bytes >> WM_ARENA_SHIFT, 1);
    if (arena->host == NULL || arena->owner == NULL) {
        return wm_fail_memory(err);
    }
    return fill_all(arena, spec, err);
}

void wm_arena_fini(wm_arena *arena)
{
    if (arena->reserved != NULL) {
        munmap(arena->reserved, arena->n_reserved);
    }
    free(arena->owner);
    memset(arena, 0, sizeof(*arena));
}

const wm_arena_buffer *wm_arena_find(const wm_arena *arena, const wm_arg *arg)
{
    for (uint32_t i = 0; i < arena->n_buffers; i++) {
        if (arena->buffers[i].arg == arg) {
            return &arena->buffers[i];
        }
    }
    return NULL;
}
