/*
 * output.c -- reports to stdout or to a file, warnings to stderr.
 */
/* realpath() is X/Open's. */
#define _XOPEN_SOURCE 700

#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/human.h"

static bool is_stdout(const char *path)
{
    return path == NULL || strcmp(path, "-") == 0;
}

static char *text_join(const char *text, const char *fmt, long number)
{
    size_t n_bytes = strlen(text) + 48;
    char *joined = malloc(n_bytes);
    if (joined != NULL) {
        int n = snprintf(joined, n_bytes, "%s", text);
        if (fmt != NULL) {
            (void)snprintf(joined + n, n_bytes - (size_t)n, fmt, number);
        }
    }
    return joined;
}

/* A link keeps pointing at its file: the file is what is replaced. */
static wm_status output_name(wm_output *output, const char *path, wm_error *err)
{
    struct stat info;
    bool exists = stat(path, &info) == 0;
    if (exists && S_ISREG(info.st_mode)) {
        output->path = realpath(path, NULL);
        if (output->path == NULL) {
            return wm_fail(err, WM_EIO, "%s: %s", path, strerror(errno));
        }
    } else {
        output->path = text_join(path, NULL, 0);
    }
    if (output->path != NULL && (!exists || S_ISREG(info.st_mode))) {
        output->temporary = text_join(output->path, ".tmp-%ld", (long)getpid());
        if (output->temporary == NULL) {
            return wm_fail_memory(err);
        }
    }
    return output->path != NULL ? WM_OK : wm_fail_memory(err);
}

static void output_free(wm_output *output)
{
    free(output->path);
    free(output->temporary);
    memset(output, 0, sizeof(*output));
    output->descriptor = -1;
}

wm_status wm_output_open(wm_output *output, const char *path, wm_error *err)
{
    memset(output, 0, sizeof(*output));
    output->descriptor = STDOUT_FILENO;
    if (is_stdout(path)) {
        return WM_OK;
    }
    wm_status status = output_name(output, path, err);
    if (status == WM_OK) {
        bool is_new = output->temporary != NULL;
        output->descriptor =
            open(is_new ? output->temporary : output->path,
                 is_new ? O_WRONLY | O_CREAT | O_TRUNC : O_WRONLY, 0666);
        if (output->descriptor < 0) {
            status = wm_fail(err, WM_EIO, "%s: cannot write there: %s", path,
                             strerror(errno));
        }
    }
    if (status != WM_OK) {
        output_free(output);
    }
    return status;
}

static wm_status fail_write(const wm_output *output, wm_error *err)
{
    if (errno == EPIPE && output->path == NULL) {
        /* The reader has seen enough (`| head`): no text, so no message. */
        err->status = WM_EIO;
        err->text[0] = '\0';
        return WM_EIO;
    }
    return wm_fail(err, WM_EIO, "%s: cannot write: %s",
                   output->path != NULL ? output->path : "stdout",
                   strerror(errno));
}

wm_status wm_output_add(wm_output *output, wm_buffer *out, wm_error *err)
{
    size_t done = 0;
    if (out->is_failed) {
        return wm_fail_memory(err);
    }
    while (done < out->n_bytes) {
        ssize_t n =
            write(output->descriptor, out->bytes + done, out->n_bytes - done);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return fail_write(output, err);
        }
        done += (size_t)n;
    }
    wm_buffer_clear(out);
    return WM_OK;
}

wm_status wm_output_close(wm_output *output, wm_error *err)
{
    wm_status status = WM_OK;
    if (output->path != NULL && close(output->descriptor) != 0) {
        status = fail_write(output, err);
    }
    if (output->temporary != NULL) {
        if (status == WM_OK && rename(output->temporary, output->path) != 0) {
            status = fail_write(output, err);
        }
        if (status != WM_OK) {
            (void)unlink(output->temporary);
        }
    }
    output_free(output);
    return status;
}

void wm_output_abort(wm_output *output)
{
    if (output->path != NULL) {
        (void)close(output->descriptor);
    }
    if (output->temporary != NULL) {
        (void)unlink(output->temporary);
    }
    output_free(output);
}

wm_status wm_output_write(wm_buffer *out, const char *path, wm_error *err)
{
    wm_output output;
    wm_status status = wm_output_open(&output, path, err);
    if (status == WM_OK) {
        status = wm_output_add(&output, out, err);
        if (status == WM_OK) {
            status = wm_output_close(&output, err);
        } else {
            wm_output_abort(&output);
        }
    }
    wm_buffer_fini(out);
    return status;
}

wm_status wm_output_print(wm_buffer *out, wm_error *err)
{
    return wm_output_write(out, NULL, err);
}

wm_status wm_output_check(const char *path, wm_error *err)
{
    struct stat info;
    char folder[PATH_MAX] = ".";
    if (is_stdout(path)) {
        return WM_OK;
    }
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        return wm_fail(err, WM_EIO, "%s: is a folder, want a file", path);
    }
    const char *slash = strrchr(path, '/');
    if (slash != NULL) {
        (void)snprintf(folder, sizeof(folder), "%.*s",
                       slash == path ? 1 : (int)(slash - path), path);
    }
    if (access(folder, W_OK | X_OK) != 0) {
        return wm_fail(err, WM_EIO, "%s: cannot write there: %s", path,
                       strerror(errno));
    }
    return WM_OK;
}

bool wm_output_is_terminal(int descriptor)
{
    const char *kind = getenv("TERM");
    return isatty(descriptor) && (kind == NULL || strcmp(kind, "dumb") != 0);
}

/* Text from a trace may hold bytes that steer a terminal. */
static void print_safely(const char *prefix, const char *text)
{
    wm_buffer line;
    wm_buffer_init(&line);
    wm_human_cut(&line, text, UINT32_MAX, false);
    if (!line.is_failed) {
        (void)fprintf(stderr, "warpmem: %s%s\n", prefix,
                      line.bytes != NULL ? line.bytes : "");
    } else { /* no memory: byte by byte */
        (void)fprintf(stderr, "warpmem: %s", prefix);
        for (; *text != '\0'; text++) {
            (void)fputc(*text < 0x20 || *text >= 0x7f ? '?' : *text, stderr);
        }
        (void)fputc('\n', stderr);
    }
    wm_buffer_fini(&line);
}

void wm_output_warnings(const wm_diag *diag)
{
    for (uint32_t i = 0; i < diag->n_warnings; i++) {
        const wm_warning *warning = &diag->warning[i];
        char line[640];
        /* A reader's error, kept as a warning, names its place itself. */
        bool has_place =
            warning->first[0] == '\0' ||
            strncmp(warning->text, warning->first, strlen(warning->first)) == 0;
        (void)snprintf(line, sizeof(line), "%s%s%s (%" PRIu64 " time%s)",
                       has_place ? "" : warning->first, has_place ? "" : ": ",
                       warning->text, warning->n_times,
                       warning->n_times == 1 ? "" : "s");
        print_safely("warning: ", line);
    }
}

void wm_output_note(const char *fmt, ...)
{
    char line[1024];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(line, sizeof(line), fmt, args);
    va_end(args);
    print_safely("", line);
}
