/*
 * store.h -- the folder in which the results of a study lie.
 *
 *     results/DIGEST.json   one finished point: what `warpmem run -f json
 *                           --no-host` prints
 *     failed/DIGEST.txt     why a point failed the last time
 *     traces.tsv            what is known of each trace, by its files' times
 *     journal.jsonl         one line per start and end of a run
 *     locks                 byte ranges are locked by those who run a point
 *
 * A file appears under its final name only when it is whole and on the disk
 * (temporary name, fsync, rename, fsync of the folder), so a finished point is
 * one whose file exists, whatever was killed when. The journal and the locks
 * only inform: a lost line or a file system without locks costs nothing but a
 * second run of the same point, with the same bytes.
 *
 * Ownership  init/fini.
 * Errors     WM_EIO with the path.
 * Threads    any number of processes, also on other hosts, on one folder.
 */
#ifndef WM_STUDY_STORE_H
#define WM_STUDY_STORE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/status.h"
#include "trace/tape.h"

typedef struct wm_store {
    char *folder;
} wm_store;

/* Makes the folder unless it is there (or must_exist). */
wm_status wm_store_open(const char *folder, bool must_exist, wm_store *store,
                        wm_error *err);
void wm_store_fini(wm_store *store);

/* Path of a point's result; malloced, NULL when memory is short. */
char *wm_store_path(const wm_store *store, const char *digest);
bool wm_store_has(const wm_store *store, const char *digest);
wm_status wm_store_save(const wm_store *store, const char *digest,
                        const wm_buffer *text, wm_error *err);

/* Why the point failed; NULL text = it did not. */
void wm_store_failed(const wm_store *store, const char *digest,
                     const char *text);
/* The note of the last failure, or NULL; malloced. */
char *wm_store_failure(const wm_store *store, const char *digest);

/* Adds one line to the journal. */
void wm_store_note(const wm_store *store, const char *line);

/*
 * Takes the point for this process until it ends. WM_STORE_BUSY: another
 * process runs it.  The lock is held by *descriptor.
 */
typedef enum wm_store_lock { WM_STORE_TAKEN, WM_STORE_BUSY } wm_store_lock;
wm_store_lock wm_store_take(const wm_store *store, const char *digest,
                            int *descriptor);

/* What was known of the trace when its files had the sizes and times that they
 * have now; false when nothing was. */
bool wm_store_find_trace(const wm_store *store, const char *path,
                         wm_tape_facts *facts);
void wm_store_keep_trace(const wm_store *store, const char *path,
                         const wm_tape_facts *facts);

#endif
