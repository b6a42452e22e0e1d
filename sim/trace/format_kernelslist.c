/*
 * format_kernelslist.c -- Accel-Sim kernel lists: memory copies and kernel
 * files, one command a line, in the order of the file.
 *
 * A kernel's line has no comma, and the last part of its path begins with
 * "kernel".  Names are relative to the list's folder; absolute names, ".." and
 * links lead where they lead: a list is no sandbox.  A name with or without
 * .xz or .gz stands for whichever of them exists.  Every file is looked for
 * when the list is opened, so that a missing one is known before anything is
 * simulated.
 *
 * Not modelled  copies other than MemcpyHtoD, allocations: warned, counted.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "trace/format.h"
#include "trace/stream.h"

extern const wm_format wm_format_kernelslist;

typedef struct item {
    char *path; /* kernel file, or NULL for a copy */
    wm_copy copy;
    uint64_t line;
} item;

struct wm_reader {
    wm_reader_context context;
    char *path; /* of the list */
    item *items;
    size_t n_items, cap_items;
    size_t next;
    const wm_format *inner_format; /* of the kernel being read */
    wm_reader *inner;
};

static bool starts(const char *text, size_t n_text, const char *prefix)
{
    size_t n = strlen(prefix);
    return n_text >= n && memcmp(text, prefix, n) == 0;
}

/* "kernel-1.traceg", "/traces/kernel-1.traceg". */
static bool is_kernel_name(const char *text, size_t n_text)
{
    size_t first = 0;
    for (size_t i = 0; i < n_text; i++) {
        if (text[i] == ',') {
            return false;
        }
        first = text[i] == '/' ? i + 1 : first;
    }
    return starts(text, n_text, "kernel") ||
           starts(text + first, n_text - first, "kernel");
}

static int kernelslist_sniff(const uint8_t *head, size_t n_bytes)
{
    size_t i = 0;
    size_t n_comma = 0;
    while (i < n_bytes && (head[i] == '\n' || head[i] == '\r' ||
                           head[i] == ' ' || head[i] == '\t')) {
        i++;
    }
    size_t first = i;
    for (; i < n_bytes && head[i] != '\n' && head[i] != '\r'; i++) {
        if (head[i] <= ' ' || head[i] >= 0x7f) {
            return 0;
        }
        if (head[i] == ',' && n_comma == 0) {
            n_comma = i - first;
        }
    }
    size_t n = i - first;
    const char *line = (const char *)head + first;
    if (n > 6 && is_kernel_name(line, n)) {
        return 90;
    }
    bool is_word = n_comma >= 3 && n >= n_comma + 3 &&
                   memcmp(line + n_comma + 1, "0x", 2) == 0;
    for (size_t k = 0; k < n_comma; k++) {
        char c = (char)(line[k] | 32);
        is_word &= (c >= 'a' && c <= 'z') || line[k] == '_';
    }
    return is_word ? 90 : 0;
}

static void kernelslist_close(wm_reader *reader)
{
    if (reader == NULL) {
        return;
    }
    if (reader->inner != NULL) {
        reader->inner_format->close(reader->inner);
    }
    for (size_t i = 0; i < reader->n_items; i++) {
        free(reader->items[i].path);
    }
    free(reader->items);
    free(reader->path);
    free(reader);
}

/* With keep_going a warning; else the error that fail holds. */
static wm_status damage(wm_reader *reader, const char *code, uint64_t line,
                        const wm_error *what, wm_error *err)
{
    char where[512];
    if (!reader->context.options.keep_going || what->status != WM_EFORMAT) {
        return wm_fail(err, what->status, "%s", what->text);
    }
    (void)snprintf(where, sizeof(where), "%s:%" PRIu64, reader->path, line);
    wm_warn(reader->context.diag, code, where, "%s", what->text);
    *reader->context.is_complete = false;
    return WM_OK;
}

/* The folder of the list and the name, joined; the name may be absolute. */
static void join_path(const wm_reader *reader, const char *name, size_t n_name,
                      wm_buffer *out)
{
    const char *slash = strrchr(reader->path, '/');
    if (slash != NULL && name[0] != '/') {
        wm_buffer_add(out, reader->path, (size_t)(slash - reader->path) + 1);
    }
    wm_buffer_add(out, name, n_name);
}

static bool file_exists(const wm_buffer *path, uint64_t *n_bytes)
{
    struct stat info;
    if (path->is_failed || stat(path->bytes, &info) != 0) {
        return false;
    }
    *n_bytes = S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0;
    return true;
}

/* Tries the name itself, then with another compression suffix. */
static bool resolve(wm_buffer *path, uint64_t *n_bytes)
{
    static const char *const suffixes[] = {"", ".xz", ".gz"};
    if (file_exists(path, n_bytes)) {
        return true;
    }
    int error = errno;
    size_t n = path->n_bytes;
    for (size_t i = 1; i < 3 && n > 3; i++) {
        if (memcmp(path->bytes + n - 3, suffixes[i], 3) == 0) {
            n -= 3;
            break;
        }
    }
    wm_buffer stem = *path;
    wm_buffer_init(path);
    for (size_t i = 0; i < 3; i++) {
        wm_buffer_clear(path);
        wm_buffer_add(path, stem.bytes, n);
        wm_buffer_puts(path, suffixes[i]);
        if (file_exists(path, n_bytes)) {
            wm_buffer_fini(&stem);
            return true;
        }
    }
    wm_buffer_fini(&stem);
    errno = error;
    return false;
}

static wm_status add_item(wm_reader *reader, const item *what, wm_error *err)
{
    if (!wm_grow(&reader->items, &reader->cap_items, reader->n_items + 1,
                 sizeof(*reader->items))) {
        return wm_fail_memory(err);
    }
    reader->items[reader->n_items++] = *what;
    return WM_OK;
}

static wm_status add_kernel(wm_reader *reader, const char *name, size_t n_name,
                            uint64_t line, wm_error *err)
{
    wm_buffer path;
    uint64_t n_bytes = 0;
    wm_buffer_init(&path);
    join_path(reader, name, n_name, &path);
    if (path.is_failed) {
        wm_buffer_fini(&path);
        return wm_fail_memory(err);
    }
    if (!resolve(&path, &n_bytes)) {
        wm_error missing;
        (void)wm_fail(&missing, WM_EFORMAT, "%s:%" PRIu64 ": %.*s: %s",
                      reader->path, line, n_name < 300 ? (int)n_name : 300,
                      name, strerror(errno));
        wm_buffer_fini(&path);
        return damage(reader, "kernel-skipped", line, &missing, err);
    }
    *reader->context.n_bytes_total += n_bytes;
    item kernel = {.path = path.bytes, .line = line};
    wm_status status = add_item(reader, &kernel, err);
    if (status != WM_OK) {
        wm_buffer_fini(&path);
    }
    return status;
}

/* Reads a number up to a comma or the end; false for anything else. */
static bool read_number(const char **p, const char *end, uint64_t *out)
{
    const char *q = *p;
    uint64_t radix = 10;
    uint64_t number = 0;
    if (end - q > 2 && q[0] == '0' && (q[1] | 32) == 'x') {
        radix = 16;
        q += 2;
    }
    const char *start = q;
    for (; q < end && *q != ',' && *q != ' '; q++) {
        uint64_t digit = *q >= '0' && *q <= '9' ? (uint64_t)(*q - '0')
                         : (*q | 32) >= 'a' && (*q | 32) <= 'f'
                             ? (uint64_t)((*q | 32) - 'a' + 10)
                             : 16;
        if (digit >= radix || number > (UINT64_MAX - digit) / radix) {
            return false;
        }
        number = number * radix + digit;
    }
    *out = number;
    *p = q;
    return q > start;
}

/* "MemcpyHtoD,0xADDR,BYTES[,dump file]". */
static wm_status add_copy(wm_reader *reader, const char *text, size_t n_text,
                          uint64_t line, wm_error *err)
{
    const char *p = text + strlen("MemcpyHtoD");
    const char *end = text + n_text;
    item copy = {.copy.kind = WM_COPY_HOST_TO_DEVICE, .line = line};
    bool is_whole = p < end && *p++ == ',' &&
                    read_number(&p, end, &copy.copy.addr) && p < end &&
                    *p++ == ',' && read_number(&p, end, &copy.copy.n_bytes);
    if (is_whole) {
        return add_item(reader, &copy, err);
    }
    wm_error bad;
    (void)wm_fail(&bad, WM_EFORMAT,
                  "%s:%" PRIu64
                  ": found \"%.*s\", wanted MemcpyHtoD,0xADDRESS,BYTES",
                  reader->path, line, n_text < 100 ? (int)n_text : 100, text);
    return damage(reader, "list-command-malformed", line, &bad, err);
}

/* A command that moves nothing the simulation sees: counted by its name. */
static void ignore(wm_reader *reader, const char *text, size_t n_text,
                   uint64_t line)
{
    char where[512];
    char code[32] = "ignored-";
    size_t n_fields = 1;
    size_t n_code = strlen(code);
    (void)snprintf(where, sizeof(where), "%s:%" PRIu64, reader->path, line);
    for (size_t i = 0; i < n_text; i++) {
        n_fields += text[i] == ',';
    }
    for (size_t i = 0; i < n_text && n_code + 1 < sizeof(code); i++) {
        char c = text[i];
        bool is_name = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       (c >= '0' && c <= '9') || c == '_' || c == '-';
        if (!is_name) {
            break;
        }
        code[n_code++] = c;
    }
    code[n_code] = '\0';
    wm_warn(reader->context.diag, code, where,
            "kernel list command %s is not simulated", code + 8);
    if (n_fields < 3) {
        wm_warn(reader->context.diag, "list-command-malformed", where,
                "%s with %zu fields, wanted 3: name, address, bytes", code + 8,
                n_fields);
    }
}

static wm_status read_line(wm_reader *reader, const char *text, size_t n_text,
                           uint64_t line, wm_error *err)
{
    while (n_text > 0 && (*text == ' ' || *text == '\t')) {
        text++;
        n_text--;
    }
    while (n_text > 0 &&
           (text[n_text - 1] == ' ' || text[n_text - 1] == '\t')) {
        n_text--;
    }
    if (n_text == 0 || *text == '#') {
        return WM_OK;
    }
    if (is_kernel_name(text, n_text)) {
        return add_kernel(reader, text, n_text, line, err);
    }
    if (starts(text, n_text, "MemcpyHtoD")) {
        return add_copy(reader, text, n_text, line, err);
    }
    ignore(reader, text, n_text, line);
    return WM_OK;
}

static wm_status read_list(wm_reader *reader, wm_stream *stream, wm_error *err)
{
    for (;;) {
        const char *text = NULL;
        size_t n_text = 0;
        wm_status status = wm_stream_line(stream, &text, &n_text, err);
        if (status != WM_OK || text == NULL) {
            return status;
        }
        status =
            read_line(reader, text, n_text, wm_stream_line_number(stream), err);
        if (status != WM_OK) {
            return status;
        }
    }
}

static wm_status kernelslist_open(wm_stream *stream,
                                  const wm_reader_context *context,
                                  wm_reader **out, wm_error *err)
{
    wm_status status = WM_OK;
    size_t n_path = strlen(wm_stream_path(stream)) + 1;
    wm_reader *reader = calloc(1, sizeof(*reader));
    if (reader != NULL) {
        reader->path = malloc(n_path);
    }
    if (reader == NULL || reader->path == NULL) {
        status = wm_fail_memory(err);
    } else {
        memcpy(reader->path, wm_stream_path(stream), n_path);
        reader->context = *context;
        reader->context.path = reader->path;
        status = read_list(reader, stream, err);
    }
    wm_stream_close(stream);
    if (status != WM_OK) {
        kernelslist_close(reader);
        return status;
    }
    *out = reader;
    return WM_OK;
}

static void close_inner(wm_reader *reader)
{
    if (reader->inner != NULL) {
        reader->inner_format->close(reader->inner);
        reader->inner = NULL;
    }
}

/* Opens a kernel's file; a list inside a list is refused. */
static wm_status open_inner(wm_reader *reader, const item *kernel,
                            wm_error *err)
{
    wm_error bad;
    wm_reader_context context = reader->context;
    uint64_t not_counted = 0; /* the sizes are known since open */
    context.path = kernel->path;
    context.n_bytes_total = &not_counted;
    wm_status status = wm_format_open(
        kernel->path, &context, &reader->inner_format, &reader->inner, &bad);
    if (status == WM_OK && reader->inner_format == &wm_format_kernelslist) {
        close_inner(reader);
        status = wm_fail(&bad, WM_EFORMAT,
                         "%s:%" PRIu64 ": %s: a kernel list in a kernel list, "
                         "wanted a kernel's trace",
                         reader->path, kernel->line, kernel->path);
    }
    if (status == WM_OK) {
        return WM_OK;
    }
    reader->inner = NULL;
    return damage(reader, "kernel-skipped", kernel->line, &bad, err);
}

static wm_status kernelslist_next_command(wm_reader *reader, wm_command *out,
                                          wm_error *err)
{
    memset(out, 0, sizeof(*out));
    out->kind = WM_COMMAND_END;
    for (;;) {
        wm_status status = WM_OK;
        if (reader->inner != NULL) {
            status =
                reader->inner_format->next_command(reader->inner, out, err);
            if (status != WM_OK || out->kind != WM_COMMAND_END) {
                return status;
            }
            close_inner(reader);
        }
        if (reader->next == reader->n_items) {
            return WM_OK;
        }
        const item *command = &reader->items[reader->next++];
        if (command->path == NULL) {
            out->kind = WM_COMMAND_COPY;
            out->copy = command->copy;
            return WM_OK;
        }
        status = open_inner(reader, command, err);
        if (status != WM_OK) {
            return status;
        }
    }
}

static wm_status kernelslist_next_cta(wm_reader *reader, wm_cta *cta,
                                      bool *has_cta, wm_error *err)
{
    if (reader->inner == NULL) {
        *has_cta = false;
        return WM_OK;
    }
    return reader->inner_format->next_cta(reader->inner, cta, has_cta, err);
}

static const wm_launch *kernelslist_launch(const wm_reader *reader)
{
    return reader->inner == NULL ? NULL
                                 : reader->inner_format->launch(reader->inner);
}

const wm_format wm_format_kernelslist = {
    .name = "kernelslist",
    .summary = "Accel-Sim kernel list (kernelslist.g) and the files it names",
    .sniff = kernelslist_sniff,
    .open = kernelslist_open,
    .next_command = kernelslist_next_command,
    .next_cta = kernelslist_next_cta,
    .launch = kernelslist_launch,
    .close = kernelslist_close,
};
