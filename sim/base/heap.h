/*
 * heap.h -- large pages for what malloc gives out.
 *
 * The records of the CTAs on a chip are tens of megabytes in thousands of
 * arrays, too small to be asked for one by one; made of small pages, they cost
 * a short run a sixth of its time.
 *
 * Leaves out  threads other than the caller's, whose heaps are their own.
 * Errors      none: where the host or the C library cannot, or the address
 *             space is limited (ulimit -v, -d), nothing changes.
 * Cost        three system calls; memory is there once it is touched, 2 MiB
 *             at a time.
 */
#ifndef WM_BASE_HEAP_H
#define WM_BASE_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* Asks for large pages for those that lie in the block as a whole; false: it
 * has none, or the host knows no such pages. */
bool wm_pages_enlarge(void *memory, size_t n_bytes);

/* Asks for large pages for the next 32 MiB of the heap, whatever size the
 * blocks are; beyond them, blocks of 32 MiB and more are mappings of their own.
 * To be called once, by a program and not by a library.  Returns whether
 * the host took the wish. */
bool wm_heap_enlarge_pages(void);

#endif
