/*
 * fuzz_file.c -- the scratch files of a fuzz target.
 */
#include "fuzz.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void fuzz_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)fputs("fuzz: ", stderr);
    (void)vfprintf(stderr, format, arguments);
    (void)fputc('\n', stderr);
    va_end(arguments);
    abort();
}

/* TMPDIR, or memory where there is a file system in it. */
static const char *scratch_root(void)
{
    const char *wanted = getenv("TMPDIR");
    if (wanted != NULL && strlen(wanted) < 40) {
        return wanted;
    }
    return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

static void write_file(const char *path, const void *bytes, size_t n_bytes)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL ||
        (n_bytes != 0 && fwrite(bytes, 1, n_bytes, file) != n_bytes) ||
        fclose(file) != 0) {
        perror(path);
        abort();
    }
}

const char *fuzz_file(const uint8_t *bytes, size_t n_bytes, const char *suffix)
{
    static char path[FUZZ_PATH_BYTES];
    (void)snprintf(path, sizeof(path), "%s/input%s", fuzz_folder(), suffix);
    write_file(path, bytes, n_bytes);
    return path;
}

static char folder[64];

static void remove_folder(void)
{
    fuzz_clear();
    (void)rmdir(folder);
}

const char *fuzz_folder(void)
{
    if (folder[0] == '\0') {
        (void)snprintf(folder, sizeof(folder), "%s/warpmem-fuzz-%ld",
                       scratch_root(), (long)getpid());
        if (mkdir(folder, 0700) != 0 || atexit(remove_folder) != 0) {
            perror(folder);
            abort();
        }
    }
    return folder;
}

void fuzz_put(const char *name, const void *bytes, size_t n_bytes,
              char path[FUZZ_PATH_BYTES])
{
    (void)snprintf(path, FUZZ_PATH_BYTES, "%s/%s", fuzz_folder(), name);
    write_file(path, bytes, n_bytes);
}

void fuzz_clear(void)
{
    DIR *files = opendir(fuzz_folder());
    if (files == NULL) {
        return;
    }
    for (struct dirent *entry = readdir(files); entry != NULL;
         entry = readdir(files)) {
        char path[512];
        (void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.') {
            (void)unlink(path);
        }
    }
    (void)closedir(files);
}
