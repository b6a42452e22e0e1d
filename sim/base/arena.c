/*
 * arena.c -- a bump pointer over one calloc, which large sizes make lazy.
 */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Under the address sanitizer every array ends in poisoned bytes, as separate
 * allocations would. */
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define GUARD WM_ARENA_ALIGN
#else
#define GUARD 0u
#endif

void *wm_arena_take(wm_arena *arena, size_t n_elements, size_t n_bytes)
{
    if (n_bytes != 0 && n_elements > (SIZE_MAX / 4 - arena->used) / n_bytes) {
        arena->is_too_large = true;
        return NULL;
    }
    const size_t at = arena->used;
    const size_t size = n_elements * n_bytes;
    arena->used += (size + WM_ARENA_ALIGN - 1) & ~(size_t)(WM_ARENA_ALIGN - 1);
    return arena->base != NULL ? arena->base + at : NULL;
}

wm_status wm_arena_open(wm_arena *arena, wm_error *err)
{
    if (!arena->is_too_large) {
        arena->memory = calloc(arena->used + WM_ARENA_ALIGN, 1);
    }
    if (arena->memory == NULL) {
        return wm_fail_memory(err);
    }
    const uintptr_t skew = (uintptr_t)arena->memory % WM_ARENA_ALIGN;
    arena->base = (unsigned char *)arena->memory + (WM_ARENA_ALIGN - skew);
    arena->used = 0;
    return WM_OK;
}

void wm_arena_close(wm_arena *arena)
{
#if defined(__SANITIZE_ADDRESS__)
    if (arena->base != NULL) {
        __asan_unpoison_memory_region(arena->base, arena->used);
    }
#endif
    free(arena->memory);
    memset(arena, 0, sizeof(*arena));
}
