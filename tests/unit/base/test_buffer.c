/*
 * test_buffer.c -- bytes that grow.
 */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

Test(buffer, keeps_what_is_added_and_ends_with_nul)
{
    wm_buffer buffer;
    wm_buffer_init(&buffer);
    wm_buffer_puts(&buffer, "ab");
    wm_buffer_add(&buffer, "c\0d", 3);
    wm_buffer_printf(&buffer, "%d", 42);
    cr_expect_eq(buffer.n_bytes, 7u);
    cr_expect_eq(memcmp(buffer.bytes, "abc\0d42", 8), 0);
    cr_expect_not(buffer.is_failed);
    wm_buffer_clear(&buffer);
    cr_expect_eq(buffer.n_bytes, 0u);
    cr_expect_str_eq(buffer.bytes, "");
    wm_buffer_fini(&buffer);
    cr_expect_null(buffer.bytes);
}

Test(buffer, an_empty_add_makes_an_empty_string)
{
    wm_buffer buffer;
    wm_buffer_init(&buffer);
    wm_buffer_add(&buffer, NULL, 0);
    cr_assert_not_null(buffer.bytes);
    cr_expect_str_eq(buffer.bytes, "");
    wm_buffer_fini(&buffer);
}

Test(buffer, printf_of_any_length_is_whole)
{
    wm_buffer buffer;
    wm_buffer_init(&buffer);
    for (int n = 250; n < 262; n++) {
        wm_buffer_clear(&buffer);
        wm_buffer_printf(&buffer, "%*s", n, "x");
        cr_expect_eq(buffer.n_bytes, (size_t)n);
        cr_expect_eq(strlen(buffer.bytes), (size_t)n);
        cr_expect_eq(buffer.bytes[n - 1], 'x');
    }
    wm_buffer_fini(&buffer);
}

Test(buffer, an_impossible_size_fails_and_stays_failed)
{
    wm_buffer buffer;
    wm_buffer_init(&buffer);
    wm_buffer_puts(&buffer, "a");
    wm_buffer_add(&buffer, "b", SIZE_MAX - 1);
    cr_expect(buffer.is_failed);
    wm_buffer_puts(&buffer, "c");
    cr_expect_str_eq(buffer.bytes, "a");
    wm_buffer_fini(&buffer);
}

Test(buffer, grow_keeps_the_elements)
{
    uint64_t *array = NULL;
    size_t capacity = 0;
    for (size_t i = 0; i < 1000; i++) {
        cr_assert(wm_grow(&array, &capacity, i + 1, sizeof(array[0])));
        array[i] = i * i;
    }
    for (size_t i = 0; i < 1000; i++) {
        cr_assert_eq(array[i], i * i);
    }
    free(array);
}

Test(buffer, grow_refuses_a_size_that_overflows)
{
    uint64_t *array = NULL;
    size_t capacity = 0;
    cr_expect_not(wm_grow(&array, &capacity, SIZE_MAX / 4, sizeof(array[0])));
    cr_expect_null(array);
    cr_expect_eq(capacity, 0u);
}
