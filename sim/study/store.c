/*
 * store.c -- the folder in which the results of a study lie.
 */
#include "study/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"

/* "FOLDER/PART/NAME SUFFIX"; malloced. */
static char *join(const char *folder, const char *part, const char *name,
                  const char *suffix)
{
    wm_buffer text;
    wm_buffer_init(&text);
    wm_buffer_printf(&text, "%s%s%s%s%s%s", folder, part[0] != '\0' ? "/" : "",
                     part, name[0] != '\0' ? "/" : "", name, suffix);
    if (text.is_failed) {
        wm_buffer_fini(&text);
    }
    return text.bytes;
}

static wm_status make_folder(const char *path, wm_error *err)
{
    struct stat info;
    if (mkdir(path, 0777) == 0 || errno == EEXIST) {
        return stat(path, &info) == 0 && S_ISDIR(info.st_mode)
                   ? WM_OK
                   : wm_fail(err, WM_EIO, "%s: no folder, wanted one", path);
    }
    return wm_fail(err, WM_EIO, "%s: cannot be made: %s", path,
                   strerror(errno));
}

wm_status wm_store_open(const char *folder, bool must_exist, wm_store *store,
                        wm_error *err)
{
    static const char *const parts[] = {"", "results", "failed"};
    struct stat info;
    wm_status status = WM_OK;
    store->folder = join(folder, "", "", "");
    if (store->folder == NULL) {
        return wm_fail_memory(err);
    }
    if (must_exist && (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode))) {
        return wm_fail(err, WM_EIO, "%s: no results there yet", folder);
    }
    for (size_t i = 0; i < 3 && status == WM_OK && !must_exist; i++) {
        char *path = join(folder, parts[i], "", "");
        status = path != NULL ? make_folder(path, err) : wm_fail_memory(err);
        free(path);
    }
    return status;
}

void wm_store_fini(wm_store *store)
{
    free(store->folder);
    store->folder = NULL;
}

/* --- files ---------------------------------------------------------------- */

char *wm_store_path(const wm_store *store, const char *digest)
{
    return join(store->folder, "results", digest, ".json");
}

bool wm_store_has(const wm_store *store, const char *digest)
{
    /* Not from the heap: short of memory is not "not there". */
    char path[PATH_MAX];
    const int n = snprintf(path, sizeof(path), "%s/results/%s.json",
                           store->folder, digest);
    return n > 0 && (size_t)n < sizeof(path) && access(path, R_OK) == 0;
}

static bool write_all(int descriptor, const char *bytes, size_t n_bytes)
{
    while (n_bytes != 0) {
        const ssize_t n = write(descriptor, bytes, n_bytes);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        bytes += n;
        n_bytes -= (size_t)n;
    }
    return true;
}

/* The rename is on the disk when its folder is. */
static void sync_folder(const char *path)
{
    char *folder = join(path, "", "", "");
    char *slash = folder != NULL ? strrchr(folder, '/') : NULL;
    if (slash != NULL) {
        *slash = '\0';
        const int descriptor = open(folder, O_RDONLY);
        if (descriptor >= 0) {
            (void)fsync(descriptor);
            (void)close(descriptor);
        }
    }
    free(folder);
}

/* Writes text under a name of this host and process, then renames. */
static wm_status write_whole(const char *path, const char *text, size_t n_text,
                             wm_error *err)
{
    char suffix[128] = "";
    char host[64] = "";
    (void)gethostname(host, sizeof(host) - 1);
    (void)snprintf(suffix, sizeof(suffix), ".tmp-%.60s-%ld", host,
                   (long)getpid());
    char *temporary = join(path, "", "", suffix);
    if (temporary == NULL) {
        return wm_fail_memory(err);
    }
    errno = 0;
    const int descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    bool is_ok = descriptor >= 0 && write_all(descriptor, text, n_text) &&
                 fsync(descriptor) == 0;
    const int code = errno;
    is_ok = descriptor >= 0 && close(descriptor) == 0 && is_ok;
    is_ok = is_ok && rename(temporary, path) == 0;
    wm_status status = WM_OK;
    if (!is_ok) {
        status = wm_fail(err, WM_EIO, "%s: cannot be written: %s", path,
                         strerror(code != 0 ? code : errno));
        (void)unlink(temporary);
    } else {
        sync_folder(path);
    }
    free(temporary);
    return status;
}

wm_status wm_store_save(const wm_store *store, const char *digest,
                        const wm_buffer *text, wm_error *err)
{
    char *path = wm_store_path(store, digest);
    wm_status status = WM_OK;
    if (path == NULL || text->is_failed) {
        status = wm_fail_memory(err);
    } else {
        status = write_whole(path, text->bytes, text->n_bytes, err);
    }
    free(path);
    return status;
}

void wm_store_failed(const wm_store *store, const char *digest,
                     const char *text)
{
    char *path = join(store->folder, "failed", digest, ".txt");
    if (path != NULL && text != NULL) {
        (void)write_whole(path, text, strlen(text), NULL);
    } else if (path != NULL) {
        (void)unlink(path);
    }
    free(path);
}

char *wm_store_failure(const wm_store *store, const char *digest)
{
    char *path = join(store->folder, "failed", digest, ".txt");
    FILE *stream = path != NULL ? fopen(path, "rb") : NULL;
    char *text = NULL;
    free(path);
    if (stream != NULL) {
        text = calloc(1, 1024);
        if (text != NULL) {
            (void)fread(text, 1, 1023, stream);
        }
        (void)fclose(stream);
    }
    return text;
}

void wm_store_note(const wm_store *store, const char *line)
{
    char *path = join(store->folder, "journal.jsonl", "", "");
    const int descriptor =
        path != NULL ? open(path, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
    if (descriptor >= 0) {
        (void)write_all(descriptor, line, strlen(line));
        (void)close(descriptor);
    }
    free(path);
}

wm_store_lock wm_store_take(const wm_store *store, const char *digest,
                            int *descriptor)
{
    char first[16];
    char *path = join(store->folder, "locks", "", "");
    *descriptor = path != NULL ? open(path, O_RDWR | O_CREAT, 0666) : -1;
    free(path);
    if (*descriptor < 0) {
        return WM_STORE_TAKEN;
    }
    /* One byte per point, far apart: 60 bits of its digest. */
    (void)snprintf(first, sizeof(first), "%.15s", digest);
    struct flock lock;
    memset(&lock, 0, sizeof(lock));
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = (off_t)strtoull(first, NULL, 16);
    lock.l_len = 1;
    if (fcntl(*descriptor, F_SETLK, &lock) != 0 &&
        (errno == EACCES || errno == EAGAIN)) {
        (void)close(*descriptor);
        *descriptor = -1;
        return WM_STORE_BUSY;
    }
    return WM_STORE_TAKEN;
}

/* --- traces --------------------------------------------------------------- */

static void mark_add(wm_digest *digest, const char *name,
                     const struct stat *info)
{
    char text[128];
    wm_digest_add(digest, name, strlen(name) + 1);
    (void)snprintf(text, sizeof(text), "%lld %lld.%09ld %lld\n",
                   (long long)info->st_size, (long long)info->st_mtim.tv_sec,
                   (long)info->st_mtim.tv_nsec, (long long)info->st_ino);
    wm_digest_add(digest, text, strlen(text));
}

/* Sum over a folder's files, in any order. */
static void mark_folder(const char *folder, uint64_t sums[2])
{
    DIR *dir = opendir(folder);
    if (dir == NULL) {
        return;
    }
    for (struct dirent *entry = readdir(dir); entry != NULL;
         entry = readdir(dir)) {
        struct stat info;
        char hex[WM_DIGEST_HEX];
        wm_digest one;
        char *path = join(folder, "", entry->d_name, "");
        if (path != NULL && stat(path, &info) == 0 && S_ISREG(info.st_mode)) {
            wm_digest_init(&one);
            mark_add(&one, entry->d_name, &info);
            wm_digest_hex(&one, hex);
            sums[1] += strtoull(hex + 16, NULL, 16);
            hex[16] = '\0';
            sums[0] += strtoull(hex, NULL, 16);
        }
        free(path);
    }
    (void)closedir(dir);
}

/* Changes when the trace's files do: a list's are all those in its folder. */
static bool mark_trace(const char *path, bool is_list, char hex[WM_DIGEST_HEX])
{
    struct stat info;
    wm_digest digest;
    uint64_t sums[2] = {0, 0};
    if (stat(path, &info) != 0) {
        return false;
    }
    wm_digest_init(&digest);
    mark_add(&digest, path, &info);
    if (S_ISDIR(info.st_mode)) {
        mark_folder(path, sums);
    } else if (is_list) {
        const char *slash = strrchr(path, '/');
        char folder[1024] = ".";
        if (slash != NULL && slash != path) {
            (void)snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path),
                           path);
        }
        mark_folder(folder, sums);
    }
    wm_digest_add(&digest, sums, sizeof(sums));
    wm_digest_hex(&digest, hex);
    return true;
}

/* MARK DIGEST FORMAT LAUNCHES RECORDS BYTES PATH */
bool wm_store_find_trace(const wm_store *store, const char *path,
                         wm_tape_facts *facts)
{
    char marks[2][WM_DIGEST_HEX];
    char line[4096];
    bool is_found = false;
    char *table = join(store->folder, "traces.tsv", "", "");
    FILE *stream = table != NULL ? fopen(table, "rb") : NULL;
    free(table);
    if (stream == NULL || !mark_trace(path, false, marks[0]) ||
        !mark_trace(path, true, marks[1])) {
        if (stream != NULL) {
            (void)fclose(stream);
        }
        return false;
    }
    while (fgets(line, sizeof(line), stream) != NULL) {
        wm_tape_facts found;
        char mark[WM_DIGEST_HEX];
        memset(&found, 0, sizeof(found));
        found.is_complete = true;
        if (sscanf(line,
                   "%32[0-9a-f] %32[0-9a-f] %31s %" SCNu64 " %" SCNu64
                   " %" SCNu64,
                   mark, found.digest, found.format, &found.n_launches,
                   &found.n_records, &found.n_stored_bytes) == 6 &&
            strcmp(mark, marks[strcmp(found.format, "kernelslist") == 0]) ==
                0) {
            *facts = found;
            is_found = true;
        }
    }
    (void)fclose(stream);
    return is_found;
}

void wm_store_keep_trace(const wm_store *store, const char *path,
                         const wm_tape_facts *facts)
{
    char mark[WM_DIGEST_HEX];
    wm_buffer line;
    if (!facts->is_complete ||
        !mark_trace(path, strcmp(facts->format, "kernelslist") == 0, mark)) {
        return;
    }
    wm_buffer_init(&line);
    wm_buffer_printf(
        &line, "%s\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%.1024s\n",
        mark, facts->digest, facts->format, facts->n_launches, facts->n_records,
        facts->n_stored_bytes, path);
    char *table = join(store->folder, "traces.tsv", "", "");
    const int descriptor =
        table != NULL ? open(table, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
    if (descriptor >= 0 && !line.is_failed) {
        (void)write_all(descriptor, line.bytes, line.n_bytes);
    }
    if (descriptor >= 0) {
        (void)close(descriptor);
    }
    free(table);
    wm_buffer_fini(&line);
}
