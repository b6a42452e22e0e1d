/*
 * fuzz_file.c -- the scratch file of a fuzz target.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *fuzz_file(const uint8_t *bytes, size_t n_bytes, const char *suffix)
{
    static char path[128];
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    (void)snprintf(path, sizeof(path), "%s/warpmem-fuzz-%ld%s", folder,
                   (long)getpid(), suffix);
    FILE *file = fopen(path, "wb");
    if (file == NULL ||
        (n_bytes != 0 && fwrite(bytes, 1, n_bytes, file) != n_bytes) ||
        fclose(file) != 0) {
        perror(path);
        abort();
    }
    return path;
}
