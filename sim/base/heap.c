/*
 * heap.c -- a part of the heap taken at once, marked and given back.
 */
#include "base/heap.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* The sanitizers bring their own malloc. */
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE) &&                            \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define HAS_HEAP 1
#else
#define HAS_HEAP 0
#endif

#define LARGE_PAGE  ((uintptr_t)2 << 20)
#define HEAP_PART   ((size_t)32 << 20)
#define OWN_MAPPING (32 << 20) /* bytes from which a block is one */

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
        const uintptr_t from =
            ((uintptr_t)part + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
        const uintptr_t to = ((uintptr_t)part + HEAP_PART) & ~(LARGE_PAGE - 1);
        is_taken = madvise((void *)from, to - from, MADV_HUGEPAGE) == 0;
        free(part);
    }
    (void)mallopt(M_MMAP_THRESHOLD, OWN_MAPPING);
#endif
    return is_taken;
}
