/*
 * corpus_driver.c -- replays a corpus folder through a fuzz target, so that
 * what a fuzzer once found stays fixed in builds without libFuzzer.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

static int replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return 1;
    }
    size_t room = (size_t)1 << 22;
    uint8_t *bytes = malloc(room);
    size_t n = bytes != NULL ? fread(bytes, 1, room, file) : 0;
    (void)fclose(file);
    (void)LLVMFuzzerTestOneInput(bytes, n);
    free(bytes);
    return 0;
}

int main(int argc, char **argv)
{
    int n = 0;
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    if (folder == NULL) {
        (void)fprintf(stderr, "usage: %s CORPUS_FOLDER\n", argv[0]);
        return 2;
    }
    for (struct dirent *entry = readdir(folder); entry != NULL;
         entry = readdir(folder)) {
        char path[1024];
        if (entry->d_name[0] == '.') {
            continue;
        }
        (void)snprintf(path, sizeof(path), "%s/%s", argv[1], entry->d_name);
        if (replay(path) != 0) {
            (void)closedir(folder);
            return 1;
        }
        n++;
    }
    (void)closedir(folder);
    (void)printf("%d inputs replayed\n", n);
    return n != 0 ? 0 : 1;
}
