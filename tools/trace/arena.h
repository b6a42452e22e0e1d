/*
 * arena.h -- the buffers of a launch in one stretch of host memory that
 * mirrors the device addresses of the trace: device = WM_ARENA_BASE + (host -
 * start), so that the same launch gives the same addresses on every run.
 *
 * Every buffer starts at a multiple of 2 MiB and has at least 2 MiB that belong
 * to nobody before and behind it: an index a little out of bounds is seen.
 *
 * Ownership  init/fini.
 * Errors     WM_ECONFIG for contents that do not fit, WM_EIO, WM_ENOMEM.
 */
#ifndef WM_TOOLS_ARENA_H
#define WM_TOOLS_ARENA_H

#include "base/status.h"
#include "spec.h"

#define WM_ARENA_SHIFT 21u /* of a 2 MiB chunk */
/* The first chunk belongs to nobody either. */
#define WM_ARENA_BASE                                                          \
    (UINT64_C(0x7f0000000000) - (UINT64_C(1) << WM_ARENA_SHIFT))

typedef struct wm_arena_buffer {
    const wm_arg *arg;
    uint64_t offset; /* from the start */
    uint64_t n_bytes;
} wm_arena_buffer;

typedef struct wm_arena {
    uint8_t *host; /* at a multiple of a chunk */
    uint8_t *reserved;
    uint64_t n_reserved;
    uint64_t span_bytes;
    wm_arena_buffer buffers[WM_SPEC_ARGS_MAX];
    uint32_t n_buffers;
    uint8_t *owner; /* per chunk: the buffer in it or before it */
} wm_arena;

wm_status wm_arena_init(wm_arena *arena, const wm_spec *spec, wm_error *err);
void wm_arena_fini(wm_arena *arena);
/* Of argument i, which is a buffer. */
const wm_arena_buffer *wm_arena_find(const wm_arena *arena, const wm_arg *arg);

#endif
