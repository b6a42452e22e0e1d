/*
 * fuzz.h -- what the fuzz targets share: the input as files, since every
 * reader opens paths; a trace read to its end; a way to say what is wrong.
 */
#ifndef WM_TESTS_FUZZ_H
#define WM_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "trace/reader.h"

/* The entry point that libFuzzer and the corpus driver call. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

/* Says why and aborts: a finding. */
void fuzz_fail(const char *format, ...)
    __attribute__((noreturn, format(printf, 1, 2)));

/* --- files (fuzz_file.c) ---------------------------------------------------
 */
/* Writes the input to this process's scratch file; returns its path. */
const char *fuzz_file(const uint8_t *bytes, size_t n_bytes, const char *suffix);

/* This process's scratch folder, made when first asked for and removed when the
 * process ends. */
const char *fuzz_folder(void);
/* Writes a file of the scratch folder; the path is the caller's, for
 * FUZZ_PATH_BYTES. */
#define FUZZ_PATH_BYTES 256u
void fuzz_put(const char *name, const void *bytes, size_t n_bytes,
              char path[FUZZ_PATH_BYTES]);
/* Removes all files of the scratch folder. */
void fuzz_clear(void);

/* --- traces (fuzz_read.c) --------------------------------------------------
 */
typedef struct fuzz_reading {
    wm_status status;
    wm_error err;
    bool is_complete;
    bool has_more; /* left off at FUZZ_CTAS_MAX or FUZZ_COMMANDS_MAX */
    uint64_t n_launches, n_ctas, n_records;
    char hex[WM_DIGEST_HEX]; /* of all that was delivered */
} fuzz_reading;

/* Bounds of the work of one input, not of its kind. */
#define FUZZ_COMMANDS_MAX 1000u
#define FUZZ_CTAS_MAX     256u /* of a launch */

/* Reads a trace; without a sentence a failure is a finding.  With copy_format
 * also writes it to copy_path as that format. */
fuzz_reading fuzz_read(const char *path, const wm_trace_options *options,
                       const char *copy_format, const char *copy_path);
/* Reads the trace passing over the first n CTAs of each launch. */
void fuzz_skip(const char *path, const wm_trace_options *options, uint64_t n);
/* Through a small machine, whose laws must hold. */
void fuzz_simulate(const char *path, bool is_timing);

#endif
