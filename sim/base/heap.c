/*
 * heap.c -- large pages asked for; a part of the heap taken at once, marked and
 * given back.
 */
#include "base/heap.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* The sanitizers bring their own malloc. */
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) &&                    \
    !defined(__SANITIZE_THREAD__)
#define HAS_HEAP 1
#else
#define HAS_HEAP 0
#endif

#define LARGE_PAGE  ((uintptr_t)2 << 20) /* of most hosts */
#define HEAP_PART   ((size_t)32 << 20)
#define OWN_MAPPING (32 << 20) /* bytes from which a block is one */

bool wm_pages_enlarge(void *memory, size_t n_bytes)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t from =
        ((uintptr_t)memory + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
    const uintptr_t to = ((uintptr_t)memory + n_bytes) & ~(LARGE_PAGE - 1);
    return from < to && madvise((void *)from, to - from, MADV_HUGEPAGE) == 0;
#else
    (void)memory;
    (void)n_bytes;
    return false;
#endif
}

#if HAS_HEAP
/* A part taken at once may be what a limit lacks later. */
static bool heap_is_limited(int resource)
{
    struct rlimit limit;
    return getrlimit(resource, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}
#endif

bool wm_heap_enlarge_pages(void)
{
    bool is_taken = false;
#if HAS_HEAP
    if (heap_is_limited(RLIMIT_AS) || heap_is_limited(RLIMIT_DATA)) {
        return false;
    }
    /* One block out of the heap itself, which stays there when it is freed. */
    (void)mallopt(M_TRIM_THRESHOLD, (int)(2 * HEAP_PART));
    (void)mallopt(M_MMAP_THRESHOLD, (int)(2 * HEAP_PART));
    void *part = malloc(HEAP_PART);
    if (part != NULL) {
        is_taken = wm_pages_enlarge(part, HEAP_PART);
        free(part);
    }
    (void)mallopt(M_MMAP_THRESHOLD, OWN_MAPPING);
#endif
    return is_taken;
}
