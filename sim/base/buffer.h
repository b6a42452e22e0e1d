/*
 * buffer.h -- a growable run of bytes: texts being written, strings kept.
 *
 * Ownership  init before use, free after; the bytes move when it grows.
 * Errors     an add that fails to allocate sets is_failed and later adds do
 *            nothing, so a writer checks once, at its end.
 */
#ifndef WM_BASE_BUFFER_H
#define WM_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct wm_buffer {
    char *bytes; /* always NUL-terminated when not NULL */
    size_t n_bytes;
    size_t capacity;
    bool is_failed;
} wm_buffer;

void wm_buffer_init(wm_buffer *buffer);
void wm_buffer_fini(wm_buffer *buffer);
void wm_buffer_clear(wm_buffer *buffer);
void wm_buffer_add(wm_buffer *buffer, const void *bytes, size_t n_bytes);
void wm_buffer_puts(wm_buffer *buffer, const char *text);
void wm_buffer_printf(wm_buffer *buffer, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Grows an array so that it holds at least n_wanted elements of n_each bytes.
 * Returns false and leaves all as it was when memory is short or the size
 * overflows.  *capacity is in elements; growth is by at least half.
 */
bool wm_grow(void *array_address, size_t *capacity, size_t n_wanted,
             size_t n_each);

#endif
