/*
 * faulty.c -- the C library with a fault in it; see faults.h.
 */
/* RTLD_NEXT and the declarations that are replaced here. */
#define _GNU_SOURCE

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faults.h"

#define SHORT_BYTES 7u

/* glibc's own names of what is replaced below. */
void *__libc_malloc(size_t n_bytes);
void *__libc_calloc(size_t n, size_t n_each);
void *__libc_realloc(void *old, size_t n_bytes);
void *__libc_memalign(size_t alignment, size_t n_bytes);
void __libc_free(void *block);

#define VISIBLE __attribute__((visibility("default")))

static fault_state *armed;

static struct {
    size_t (*fwrite)(const void *, size_t, size_t, FILE *);
    size_t (*fread)(void *, size_t, size_t, FILE *);
    FILE *(*fopen)(const char *, const char *);
    int (*fclose)(FILE *);
    int (*fflush)(FILE *);
    DIR *(*opendir)(const char *);
    pid_t (*fork)(void);
} real;

static void look_up(void *function, const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof(found));
}

void fault_init(void)
{
    look_up(&real.fwrite, "fwrite");
    look_up(&real.fread, "fread");
    look_up(&real.fopen, "fopen");
    look_up(&real.fclose, "fclose");
    look_up(&real.fflush, "fflush");
    look_up(&real.opendir, "opendir");
    look_up(&real.fork, "fork");
}

void fault_arm(fault_state *state)
{
    armed = state;
}

void fault_disarm(void)
{
    armed = NULL;
}

/* Counts a call; true when it is the one to fail. */
static bool fails(fault_kind kind, const char *what)
{
    fault_state *state = armed;
    if (state == NULL || state->kind != kind) {
        return false;
    }
    if (atomic_fetch_add(&state->n_calls, 1) + 1 != state->at) {
        return false;
    }
    (void)strncpy(state->what, what, sizeof(state->what) - 1);
    atomic_fetch_add(&state->n_failed, 1);
    return true;
}

static bool fails_with(fault_kind kind, const char *what, int error)
{
    if (!fails(kind, what)) {
        return false;
    }
    errno = error;
    return true;
}

static size_t shortened(size_t n_bytes)
{
    return armed != NULL && armed->kind == FAULT_SHORT && n_bytes > SHORT_BYTES
               ? SHORT_BYTES
               : n_bytes;
}

/* --- memory --------------------------------------------------------------- */

static void *counted(void *block)
{
    if (armed != NULL && block != NULL) {
        atomic_fetch_add(&armed->n_live, 1);
    }
    return block;
}

VISIBLE void *malloc(size_t n_bytes)
{
    return fails_with(FAULT_ALLOC, "malloc", ENOMEM)
               ? NULL
               : counted(__libc_malloc(n_bytes));
}

VISIBLE void *calloc(size_t n, size_t n_each)
{
    return fails_with(FAULT_ALLOC, "calloc", ENOMEM)
               ? NULL
               : counted(__libc_calloc(n, n_each));
}

VISIBLE void *realloc(void *old, size_t n_bytes)
{
    if (fails_with(FAULT_ALLOC, "realloc", ENOMEM)) {
        return NULL;
    }
    void *grown = __libc_realloc(old, n_bytes);
    return old == NULL ? counted(grown) : grown;
}

VISIBLE void *aligned_alloc(size_t alignment, size_t n_bytes)
{
    return fails_with(FAULT_ALLOC, "aligned_alloc", ENOMEM)
               ? NULL
               : counted(__libc_memalign(alignment, n_bytes));
}

VISIBLE int posix_memalign(void **out, size_t alignment, size_t n_bytes)
{
    if (fails(FAULT_ALLOC, "posix_memalign")) {
        return ENOMEM;
    }
    *out = counted(__libc_memalign(alignment, n_bytes));
    return *out != NULL ? 0 : ENOMEM;
}

VISIBLE void free(void *block)
{
    if (armed != NULL && block != NULL) {
        atomic_fetch_sub(&armed->n_live, 1);
    }
    __libc_free(block);
}

/* --- files ---------------------------------------------------------------- */

/* The text on stderr is how a failure is known: it goes through. */
static bool is_report(int file)
{
    return file != STDERR_FILENO;
}

static bool is_written(int file)
{
    struct stat info;
    const int flags = fcntl(file, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY &&
           fstat(file, &info) == 0 && S_ISREG(info.st_mode);
}

VISIBLE ssize_t write(int file, const void *bytes, size_t n_bytes)
{
    if (is_report(file) && (fails_with(FAULT_WRITE, "write", ENOSPC) ||
                            fails_with(FAULT_EINTR, "write", EINTR))) {
        return -1;
    }
    return (ssize_t)syscall(SYS_write, file, bytes, shortened(n_bytes));
}

VISIBLE ssize_t read(int file, void *bytes, size_t n_bytes)
{
    if (fails_with(FAULT_READ, "read", EIO) ||
        fails_with(FAULT_EINTR, "read", EINTR)) {
        return -1;
    }
    return (ssize_t)syscall(SYS_read, file, bytes, shortened(n_bytes));
}

VISIBLE ssize_t pread(int file, void *bytes, size_t n_bytes, off_t offset)
{
    if (fails_with(FAULT_READ, "pread", EIO) ||
        fails_with(FAULT_EINTR, "pread", EINTR)) {
        return -1;
    }
    return (ssize_t)syscall(SYS_pread64, file, bytes, shortened(n_bytes),
                            offset);
}

VISIBLE int close(int file)
{
    const bool has_failed =
        is_written(file) && fails_with(FAULT_WRITE, "close", ENOSPC);
    const int code = (int)syscall(SYS_close, file);
    if (has_failed) {
        errno = ENOSPC;
    }
    return has_failed ? -1 : code;
}

VISIBLE int open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const unsigned mode = (flags & O_CREAT) != 0 ? va_arg(args, unsigned) : 0;
    va_end(args);
    if (fails_with(FAULT_OPEN, "open", EMFILE)) {
        return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

VISIBLE int fsync(int file)
{
    return fails_with(FAULT_WRITE, "fsync", EIO)
               ? -1
               : (int)syscall(SYS_fsync, file);
}

VISIBLE int rename(const char *from, const char *to)
{
    return fails_with(FAULT_WRITE, "rename", ENOSPC)
               ? -1
               : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

VISIBLE int mkdir(const char *path, mode_t mode)
{
    return fails_with(FAULT_OPEN, "mkdir", ENOSPC)
               ? -1
               : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

VISIBLE int pipe(int files[2])
{
    return fails_with(FAULT_OPEN, "pipe", EMFILE)
               ? -1
               : (int)syscall(SYS_pipe2, files, 0);
}

VISIBLE pid_t fork(void)
{
    return fails_with(FAULT_OPEN, "fork", EAGAIN) ? -1 : real.fork();
}

VISIBLE int poll(struct pollfd *events, nfds_t n_events, int timeout_ms)
{
    const struct timespec time = {timeout_ms / 1000,
                                  timeout_ms % 1000 * 1000000L};
    if (fails_with(FAULT_EINTR, "poll", EINTR)) {
        return -1;
    }
    return (int)syscall(SYS_ppoll, events, n_events,
                        timeout_ms < 0 ? NULL : &time, NULL, 0);
}

VISIBLE pid_t waitpid(pid_t pid, int *code, int options)
{
    return fails_with(FAULT_EINTR, "waitpid", EINTR)
               ? -1
               : (pid_t)syscall(SYS_wait4, pid, code, options, NULL);
}

/* --- streams -------------------------------------------------------------- */

VISIBLE size_t fwrite(const void *bytes, size_t n_each, size_t n, FILE *file)
{
    return file != stderr && fails_with(FAULT_WRITE, "fwrite", ENOSPC)
               ? n / 2
               : real.fwrite(bytes, n_each, n, file);
}

VISIBLE size_t fread(void *bytes, size_t n_each, size_t n, FILE *file)
{
    if (fails(FAULT_READ, "fread")) {
        /* Sets the stream's error as a failed read does. */
        const int kept = dup(fileno(file));
        const int folder = (int)syscall(SYS_openat, AT_FDCWD, "/", O_RDONLY, 0);
        (void)dup2(folder, fileno(file));
        (void)syscall(SYS_close, folder);
        const size_t n_read = real.fread(bytes, n_each, n, file);
        (void)dup2(kept, fileno(file));
        (void)syscall(SYS_close, kept);
        errno = EIO;
        return n_read;
    }
    return real.fread(bytes, n_each, n, file);
}

VISIBLE FILE *fopen(const char *path, const char *mode)
{
    return fails_with(FAULT_OPEN, "fopen", EMFILE) ? NULL
                                                   : real.fopen(path, mode);
}

VISIBLE int fclose(FILE *file)
{
    const bool has_failed =
        is_written(fileno(file)) && fails_with(FAULT_WRITE, "fclose", ENOSPC);
    const int code = real.fclose(file);
    if (has_failed) {
        errno = ENOSPC;
    }
    return has_failed ? EOF : code;
}

VISIBLE int fflush(FILE *file)
{
    return file != NULL && file != stderr && is_written(fileno(file)) &&
                   fails_with(FAULT_WRITE, "fflush", ENOSPC)
               ? EOF
               : real.fflush(file);
}

VISIBLE DIR *opendir(const char *path)
{
    return fails_with(FAULT_OPEN, "opendir", EMFILE) ? NULL
                                                     : real.opendir(path);
}
