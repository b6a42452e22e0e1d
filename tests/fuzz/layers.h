/*
 * layers.h -- the parts of target `layers`: compressed files from the fuzzer's
 * bytes, and what a decoder without buffers makes of them.
 */
#ifndef WM_TESTS_FUZZ_LAYERS_H
#define WM_TESTS_FUZZ_LAYERS_H

#include "base/buffer.h"
#include "fuzz.h"
#include "whole.h"

#define LAYERS_BYTES_MAX ((size_t)1 << 21) /* decoded; more is left alone */

/* Builds a file: content receives what was put in, stored what it became.
 * False when it was damaged on purpose after that. */
bool layers_build(whole_bytes *from, wm_buffer *content, wm_buffer *stored);

typedef enum layers_verdict {
    LAYERS_WHOLE,
    LAYERS_DAMAGED, /* what came before is in `out` */
    LAYERS_TOO_LARGE
} layers_verdict;

/* Decodes all of it in one call. */
layers_verdict layers_decode(const wm_buffer *stored, wm_buffer *out);

#endif
