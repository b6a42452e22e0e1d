/*
 * fuzz.h -- what the fuzz targets share: the input as a file, since every
 * reader opens paths.
 */
#ifndef WM_TESTS_FUZZ_H
#define WM_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* The entry point that libFuzzer and the corpus driver call. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

/* Writes the input to this process's scratch file; returns its path. */
const char *fuzz_file(const uint8_t *bytes, size_t n_bytes, const char *suffix);

#endif
