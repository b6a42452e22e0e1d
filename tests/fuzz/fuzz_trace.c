/*
 * fuzz_trace.c -- any bytes as a trace of any format: every reader, lenient
 * and, by turns of the input's length, strict, with every instruction kept, or
 * through the whole simulator in counts mode, whose conservation laws must
 * hold.
 *
 * Some formats are several files.  A line "==> NAME" begins another one, so an
 * input may be a folder: a kernel list and its kernels, MacSim's warps, the
 * blocks of PPT-GPU.  A file whose name ends in .gz or .raw is stored under
 * gzip, as MacSim has it; its bytes are the input's.  What is opened is the
 * folder when it has a kernel list, else the first file.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "fuzz.h"

#define FILES_MAX  8u
#define NAME_BYTES 40u

/* The name at the line "==> NAME", and where the line ends; false without. */
static bool read_marker(const uint8_t *at, const uint8_t *end,
                        char name[NAME_BYTES], const uint8_t **behind)
{
    size_t n = 0;
    if (end - at < 5 || memcmp(at, "==> ", 4) != 0) {
        return false;
    }
    for (at += 4; at < end && *at != '\n'; at++) {
        bool is_plain = (*at >= 'a' && *at <= 'z') || *at == '_' ||
                        (*at >= '0' && *at <= '9') || *at == '-' ||
                        (*at == '.' && n > 0);
        if (!is_plain || n + 1 >= NAME_BYTES) {
            return false;
        }
        name[n++] = (char)*at;
    }
    if (n == 0) {
        return false;
    }
    name[n] = '\0';
    *behind = at < end ? at + 1 : at;
    return true;
}

static bool ends_with(const char *text, const char *ending)
{
    size_t n = strlen(text);
    size_t n_ending = strlen(ending);
    return n >= n_ending && strcmp(text + n - n_ending, ending) == 0;
}

static void put(const char *name, const uint8_t *bytes, size_t n_bytes,
                char path[FUZZ_PATH_BYTES])
{
    if (!ends_with(name, ".gz") && !ends_with(name, ".raw")) {
        fuzz_put(name, bytes, n_bytes, path);
        return;
    }
    z_stream zlib;
    memset(&zlib, 0, sizeof(zlib));
    uint8_t *packed = malloc(n_bytes + n_bytes / 8 + 256);
    if (packed == NULL ||
        deflateInit2(&zlib, 1, Z_DEFLATED, 15 + 16, 8, Z_FIXED) != Z_OK) {
        fuzz_fail("no memory");
    }
    union {
        const uint8_t *kept;
        uint8_t *plain;
    } source = {bytes};
    zlib.next_in = source.plain;
    zlib.avail_in = (uInt)n_bytes;
    zlib.next_out = packed;
    zlib.avail_out = (uInt)(n_bytes + n_bytes / 8 + 256);
    if (deflate(&zlib, Z_FINISH) != Z_STREAM_END) {
        fuzz_fail("gzip");
    }
    fuzz_put(name, packed, zlib.total_out, path);
    (void)deflateEnd(&zlib);
    free(packed);
}

/* Lays the input out as files; the path to open. */
static const char *lay_out(const uint8_t *bytes, size_t n_bytes)
{
    static char first[FUZZ_PATH_BYTES];
    char path[FUZZ_PATH_BYTES];
    char name[NAME_BYTES] = "input.trace";
    const uint8_t *end = bytes + n_bytes;
    const uint8_t *begin = bytes;
    bool has_list = false;
    (void)read_marker(bytes, end, name, &begin);
    for (uint32_t i = 0; i < FILES_MAX; i++) {
        const uint8_t *at = begin;
        const uint8_t *next = NULL;
        char next_name[NAME_BYTES];
        while (at < end && i + 1 < FILES_MAX && next == NULL) {
            if ((at == begin || at[-1] == '\n') && *at == '=') {
                (void)read_marker(at, end, next_name, &next);
            }
            at += next == NULL;
        }
        at = next == NULL ? end : at;
        put(name, begin, (size_t)(at - begin), i == 0 ? first : path);
        has_list |= strncmp(name, "kernelslist", 11) == 0;
        if (next == NULL) {
            break;
        }
        memcpy(name, next_name, sizeof(name));
        begin = next;
    }
    return has_list ? fuzz_folder() : first;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
    wm_trace_options options = {.keep_going = true};
    const char *path = lay_out(bytes, n_bytes);
    const fuzz_reading lenient = fuzz_read(path, &options, NULL, NULL);
    if (n_bytes % 3 == 0) {
        options.keep_going = false;
        const fuzz_reading strict = fuzz_read(path, &options, NULL, NULL);
        if (strict.status == WM_OK && strict.is_complete &&
            (lenient.status != WM_OK || strcmp(strict.hex, lenient.hex) != 0)) {
            fuzz_fail("a good trace reads differently with keep_going");
        }
    } else if (n_bytes % 3 == 1) {
        options.keep_all = true;
        (void)fuzz_read(path, &options, NULL, NULL);
    } else {
        fuzz_simulate(path, n_bytes % 2 == 1);
    }
    fuzz_clear();
    return 0;
}
