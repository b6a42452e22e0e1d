/*
 * result_read.h -- a result JSON (writer_json.c, format 1) back into a report.
 *
 * What comes back is what was written: launches with counters, busy parts and
 * instruction rows, total, traces, warnings and the configuration with its
 * origins; every writer and formula works on it.  Members that this version
 * does not know are skipped; counters that the file lacks are 0.
 *
 * Not modelled  host figures: has_host is false.
 * Ownership     init/fini; the report and the configuration belong to the
 *               struct.
 * Errors        WM_EFORMAT "FILE:LINE:COLUMN: found, wanted" for what is no
 *               JSON, "FILE: ..." for JSON that is no result; WM_EIO;
 *               WM_ENOMEM.
 * Threads       one at a time: jansson's allocator, which is the process's,
 *               is watched while a file is read.
 * Repeatable    reading and writing again gives the same bytes, but for floats
 *               beyond six digits.
 */
#ifndef WM_REPORT_RESULT_READ_H
#define WM_REPORT_RESULT_READ_H

#include "report/report.h"

typedef struct wm_loaded_result {
    wm_report report;
    wm_config_set *config; /* NULL when the file has none */
} wm_loaded_result;

void wm_loaded_result_init(wm_loaded_result *loaded);
void wm_loaded_result_fini(wm_loaded_result *loaded);

/* Reads the file at path into a struct that init has prepared. */
wm_status wm_result_read(const char *path, wm_loaded_result *loaded,
                         wm_error *err);

/* The same, but a study's JSON (mrc, sensitivity, study, compare) is appended
 * whole to *study, and *loaded is left as it was. */
wm_status wm_result_read_any(const char *path, wm_loaded_result *loaded,
                             wm_buffer *study, wm_error *err);

#endif
