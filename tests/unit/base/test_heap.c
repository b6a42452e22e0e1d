/*
 * test_heap.c -- what the host was asked for, as /proc tells.
 */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"

/* Whether large pages were asked for where the address lies. */
static bool has_large_pages(const void *where)
{
    FILE *maps = fopen("/proc/self/smaps", "r");
    cr_assert_not_null(maps);
    char line[512];
    bool is_there = false;
    bool has_wish = false;
    while (fgets(line, sizeof(line), maps) != NULL) {
        uintptr_t from = 0;
        uintptr_t to = 0;
        if (sscanf(line, "%zx-%zx ", &from, &to) == 2) {
            is_there = (uintptr_t)where >= from && (uintptr_t)where < to;
        } else if (is_there && strncmp(line, "VmFlags:", 8) == 0) {
            has_wish |= strstr(line, " hg") != NULL;
        }
    }
    (void)fclose(maps);
    return has_wish;
}

Test(heap, small_arrays_lie_in_large_pages)
{
    if (!wm_heap_enlarge_pages()) {
        return; /* no such pages on this host, or another malloc */
    }
    enum { N = 64, EACH = 80 << 10 };
    void *arrays[N];
    size_t n_large = 0;
    for (size_t i = 0; i < N; i++) {
        arrays[i] = malloc(EACH);
        cr_assert_not_null(arrays[i]);
        n_large += has_large_pages(arrays[i]);
    }
    /* The first may fill what was there before. */
    cr_expect_geq(n_large, N / 2, "%zu of %d", n_large, (int)N);
    for (size_t i = 0; i < N; i++) {
        free(arrays[i]);
    }
}
