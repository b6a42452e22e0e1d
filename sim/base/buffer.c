/*
 * buffer.c -- growable bytes and arrays.
 */
#include "base/buffer.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void wm_buffer_init(wm_buffer *buffer)
{
    memset(buffer, 0, sizeof(*buffer));
}

void wm_buffer_fini(wm_buffer *buffer)
{
    free(buffer->bytes);
    wm_buffer_init(buffer);
}

void wm_buffer_clear(wm_buffer *buffer)
{
    buffer->n_bytes = 0;
    if (buffer->bytes != NULL) {
        buffer->bytes[0] = '\0';
    }
}

static bool buffer_room(wm_buffer *buffer, size_t n_more)
{
    if (buffer->is_failed || n_more > SIZE_MAX - buffer->n_bytes - 1 ||
        !wm_grow(&buffer->bytes, &buffer->capacity,
                 buffer->n_bytes + n_more + 1, 1)) {
        buffer->is_failed = true;
        return false;
    }
    return true;
}

void wm_buffer_add(wm_buffer *buffer, const void *bytes, size_t n_bytes)
{
    if (buffer_room(buffer, n_bytes)) {
        if (n_bytes != 0) {
            memcpy(buffer->bytes + buffer->n_bytes, bytes, n_bytes);
        }
        buffer->n_bytes += n_bytes;
        buffer->bytes[buffer->n_bytes] = '\0';
    }
}

void wm_buffer_puts(wm_buffer *buffer, const char *text)
{
    wm_buffer_add(buffer, text, strlen(text));
}

void wm_buffer_printf(wm_buffer *buffer, const char *fmt, ...)
{
    char small[256];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(small, sizeof(small), fmt, args);
    va_end(args);
    if (n < 0) {
        buffer->is_failed = true;
    } else if ((size_t)n < sizeof(small)) {
        wm_buffer_add(buffer, small, (size_t)n);
    } else if (buffer_room(buffer, (size_t)n)) {
        va_start(args, fmt);
        (void)vsnprintf(buffer->bytes + buffer->n_bytes, (size_t)n + 1, fmt,
                        args);
        va_end(args);
        buffer->n_bytes += (size_t)n;
    }
}

bool wm_grow(void *array_address, size_t *capacity, size_t n_wanted,
             size_t n_each)
{
    void *old = NULL;
    if (n_wanted <= *capacity) {
        return true;
    }
    size_t n_new = *capacity + *capacity / 2;
    if (n_new < n_wanted) {
        n_new = n_wanted;
    }
    if (n_new < 16) {
        n_new = 16;
    }
    if (n_new > SIZE_MAX / n_each) {
        return false;
    }
    memcpy(&old, array_address, sizeof(old));
    void *grown = realloc(old, n_new * n_each);
    if (grown == NULL) {
        return false;
    }
    memcpy(array_address, &grown, sizeof(grown));
    *capacity = n_new;
    return true;
}
