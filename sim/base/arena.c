/*
 * arena.c -- a bump pointer over one calloc, which very large sizes make lazy.
 */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"

/* gcc says it in one way, clang in another. */
#if defined(__SANITIZE_ADDRESS__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

/* Under the address sanitizer every array ends in poisoned bytes, as separate
 * allocations would. */
#ifdef HAS_SANITIZER
#include <sanitizer/asan_interface.h>
#define GUARD WM_ARENA_ALIGN
#else
#define GUARD 0u
#endif

/* Up to here an arena may as well be there as a whole: a chip's state is
 * touched all over within microseconds, and thousands of small pages cost a
 * third of a short run.  One that is larger may be a cache that a run touches
 * here and there, and stays in small pages. */
#define LARGE_ARENA ((size_t)64 << 20)

void *wm_arena_take(wm_arena *arena, size_t n_elements, size_t n_bytes)
{
    if (n_bytes != 0 && n_elements > (SIZE_MAX / 4 - arena->used) / n_bytes) {
        arena->is_too_large = true;
        return NULL;
    }
    const size_t at = arena->used;
    const size_t size = n_elements * n_bytes;
    const size_t room =
        (size + GUARD + WM_ARENA_ALIGN - 1) & ~(size_t)(WM_ARENA_ALIGN - 1);
    arena->used += room;
    if (arena->base == NULL) {
        return NULL;
    }
#ifdef HAS_SANITIZER
    __asan_poison_memory_region(arena->base + at + size, room - size);
#endif
    return arena->base + at;
}

wm_status wm_arena_open(wm_arena *arena, wm_error *err)
{
    if (!arena->is_too_large) {
        arena->n_bytes = arena->used + WM_ARENA_ALIGN;
        arena->memory = calloc(arena->n_bytes, 1);
    }
    if (arena->memory == NULL) {
        return wm_fail_memory(err);
    }
    if (arena->n_bytes <= LARGE_ARENA) {
        (void)wm_pages_enlarge(arena->memory, arena->n_bytes);
    }
    const uintptr_t skew = (uintptr_t)arena->memory % WM_ARENA_ALIGN;
    arena->base = (unsigned char *)arena->memory + (WM_ARENA_ALIGN - skew);
    arena->used = 0;
    return WM_OK;
}

void wm_arena_close(wm_arena *arena)
{
#ifdef HAS_SANITIZER
    if (arena->memory != NULL) {
        __asan_unpoison_memory_region(arena->memory, arena->n_bytes);
    }
#endif
    free(arena->memory);
    memset(arena, 0, sizeof(*arena));
}
